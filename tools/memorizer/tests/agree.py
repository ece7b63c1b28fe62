#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compare the sums of report, types, layout and who for each accessed type.

agree.py MEMORIZER OPTION... INPUT: pass the options to all of these commands. Print a line for each
sum that differs, then the number of types and sums compared. Fail if there are none.
"""
import json
import subprocess
import sys

# The tables of each command: those of a KMAP; those of a trace's streamed accesses and of its KMAP
SOURCES = {
    "kmap": [("types", "fields", "users", "layouts", "")],
    "trace": [("types", "accessed_fields", "field_users", "streamed_layouts", "streamed_"),
              ("kmap_types", "kmap_fields", "kmap_users", "kmap_layouts", "kmap_")],
}


def run(command, *more):
    """Return the JSON output of a command."""
    done = subprocess.run([sys.argv[1], command, "--json", "--top", "0", *sys.argv[2:-1], *more,
                           sys.argv[-1]], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                          check=False)
    return json.loads(done.stdout) if done.stdout else {}


def added(rows):
    """Return reads, writes and moves."""
    return tuple(sum(row.get(key, 0) for row in rows) for key in ("reads", "writes", "moves"))


def is_in(path, outer):
    """Return whether a member equals another one or is in it; elements of elements are elements."""
    while "[][]" in path + outer:
        path, outer = path.replace("[][]", "[]"), outer.replace("[][]", "[]")
    return path == outer or path.startswith(outer + ".")


def outermost(rows):
    """Return the rows of a layout that are not part of another row."""
    members = [row["field"] for row in rows if row["type"]]
    for row in rows:
        paths = (row["field"] or "").split("|")
        around = [m for m in members if all(is_in(path, m) for path in paths)]
        if not around or (row["type"] and around == [row["field"]]):
            yield row


def by_type(rows, key):
    """Return rows by their type."""
    types = {}
    for row in rows:
        types.setdefault(row[key], []).append(row)
    return types


def main():
    """Compare the sums."""
    report, types, layout = run("report"), run("types"), run("layout", "--all")
    nr_types = nr_sums = bad = 0
    asked = {}
    for names in SOURCES[report["input"]]:
        for table in names[:3]:
            if report[table] != types[table]:
                print(f"{table}: report and types differ")
                bad += 1
        fields, users = by_type(report[names[1]], "type"), by_type(report[names[2]], "type")
        layouts = by_type(layout[names[3]], "record")
        for row in report[names[0]]:
            name = row["type"]
            if not row["reads"] + row["writes"]:
                continue
            sums = {"members": added(fields.get(name, [])), "users": added(users.get(name, []))}
            if name in layouts:
                sums["layout"] = added(list(outermost(layouts[name])))
            if name:
                # A variable may have the name, too.
                who = asked.setdefault(name, run("who", "--type", name, name))
                for table in ("functions", "files", "subsystems"):
                    sums["who, " + table] = added(who.get(names[4] + table, []))
            nr_types += 1
            nr_sums += len(sums)
            for key, value in sums.items():
                if value != added([row]):
                    print(f"{name}: types {added([row])}, {key} {value}")
                    bad += 1
    print(f"{nr_types} types, {nr_sums} sums, {bad} differ")
    return bad or not nr_types


if __name__ == "__main__":
    sys.exit(bool(main()))
