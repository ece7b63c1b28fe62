#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""A simple model of "memorizer privilege", to compare with.

privilege.py make SEED           write a random KMAP of the code in data/kallsyms
privilege.py calls SEED          write random calls of this code
privilege.py model KMAP [CALLS] [RULES]
                                 print the tables of a KMAP, and of calls, named *.calls:
                                 compartments by module, or by a partition file
privilege.py tables <JSON        print the same from the output of "memorizer privilege --json"

Each quantity is computed from its definition: live bytes jiffy by jiffy, privileges by a loop over
all functions and objects, and the saving of a move by dividing the functions again.
"""
import bisect
import collections
import fnmatch
import json
import os
import random
import re
import sys

KALLSYMS = os.path.dirname(os.path.abspath(__file__)) + "/data/kallsyms"
OPS = ["read", "write", "free"]
KINDS = ("slab", "pages", "stack")
KERNEL, MODULE = (0xffffffff9b000000, 0x240), (0xffffffffc0400000, 0x90)
OVERWRITTEN = 0xdeadbeef


def make(seed):
    """Write objects that do not overlap, as a KMAP has them."""
    r = random.Random(seed)

    def code():
        start, size = r.choice([KERNEL, KERNEL, MODULE])
        return start + r.randrange(1, size)

    sites = [code() for _ in range(r.randint(1, 6))]
    codes = [code() for _ in range(r.randint(1, 25))]
    kinds = r.choice([[""], [kind + "," for kind in KINDS]])
    lines = []
    for slot in range(r.randint(1, 8)):
        time = r.randint(1, 5)
        while not lines or r.random() < 0.8:
            freed = time + r.choice([0, 0, 1, 2, 9])
            live = r.random() < 0.1
            free_ip = r.choice([*codes, *codes, 0, OVERWRITTEN])
            lines.append((f"{r.choice(kinds)}{r.choice(sites):x},1,{0xffff888000000000 + 4096 * slot:x},"
                          f"{r.choice([0, 8, 24, 64, 192])},{time},{0 if live else freed},"
                          f"{0 if live else free_ip:x},sh",
                          [f"  {r.choice(codes):x},{r.randint(1, 2)},"
                           f"{r.choice([0, 0, 3])},{r.choice([0, 1, 5])}"
                           for _ in range(r.randint(0, 4))]))
            if live:
                break
            time = freed + r.choice([0, 0, 1])
    r.shuffle(lines)
    for line, accesses in lines:
        print("\n".join([line] + accesses))


def calls(seed):
    """Write calls between functions, some of several tasks."""
    r = random.Random(seed)
    starts = [start for start, (name, _) in symbols() if name != "_etext"]
    for _ in range(r.randint(0, 20)):
        start, size = r.choice([KERNEL, KERNEL, MODULE])
        print(f"{start + r.randrange(1, size):016x},{r.choice(starts) + r.choice([0, 4]):016x},"
              f"{r.randint(1, 3)},{r.choice([1, 7])}")


def symbols():
    """Return the functions of kallsyms: start, name, module."""
    found = {}
    with open(KALLSYMS, encoding="ascii") as file:
        for line in file:
            match = re.match(r"(\w+) ([tT]) (\w+)(?:\t\[(\w+)\])?$", line)
            start = int(match[1], 16) if match else 0
            # Of the symbols at an address, the one that memorizer prefers is tested elsewhere.
            if match and match[3] not in ("_text", "_stext", "widget_read"):
                found[start] = (match[3], match[4])
    found.pop(0, None)
    return sorted(found.items())


def function(ip, table=symbols()):
    """Return the name of the function of an address, and its module."""
    i = bisect.bisect(table, (ip, ("~", ))) - 1
    name, module = table[i][1]
    return (f"{name} [{module}]" if module else name), module


def code_size(name):
    """Return the size of a function: up to the next symbol."""
    start = next(s for s, _ in symbols() if function(s)[0] == name)
    with open(KALLSYMS, encoding="ascii") as file:
        return min(int(line.split()[0], 16) for line in file
                   if int(line.split()[0], 16) > start) - start


def add_calls(path, uses):
    """Add calls and returns to the uses; return the size of the code that takes part."""
    size = {}
    with open(path, encoding="ascii") as file:
        for line in file:
            field = line.split(",")
            caller, callee = (function(int(field[0], 16) - 1)[0], function(int(field[1], 16))[0])
            uses[caller, ("code", callee)]["call"] += int(field[3])
            uses[callee, ("code", caller)]["return"] += int(field[3])
            size.update({("code", f): code_size(f) for f in (caller, callee)})
    return size


def read(path):
    """Return the objects of a KMAP, and its uses: function and site to count by operation."""
    objects, uses = [], collections.defaultdict(collections.Counter)
    with open(path, encoding="ascii") as file:
        for line in file:
            field = line.strip().split(",")
            if line.startswith(" "):
                user = function(int(field[0], 16))[0], objects[-1][0]
                uses[user].update({"write": int(field[2]), "read": int(field[3])})
                continue
            kind = field.pop(0) if field[0] in KINDS else None
            site, freed, free_ip = (kind, field[0]), int(field[5]), int(field[6], 16)
            objects.append((site, field[2], int(field[3]), int(field[4]), freed or 10 ** 9))
            if free_ip not in (0, OVERWRITTEN):
                uses[function(free_ip - 1)[0], site]["free"] += 1
    return objects, uses


def peaks(objects):
    """Return the most bytes of each site that were live in a jiffy; addresses count once."""
    most = collections.Counter({o[0]: 0 for o in objects})
    for now in {o[3] for o in objects}:
        largest = collections.Counter()
        for site, addr, size, begin, end in objects:
            if begin <= now <= end:
                largest[site, addr] = max(largest[site, addr], size)
        for site in most:
            most[site] = max(most[site], sum(n for (s, _), n in largest.items() if s == site))
    return most


def divide(functions, rules):
    """Return the compartment of each function."""
    modules = {name: module for name, module in (function(s + 1) for s, _ in symbols())}
    if not rules:
        return {f: modules[f] or "[kernel]" for f in functions}
    lines = []
    with open(rules, encoding="ascii") as file:
        lines = [line.split() for line in file if line.strip() and line[0] != "#"]
    return {f: next((name for name, glob in lines
                     if fnmatch.fnmatchcase(f, glob) or
                     fnmatch.fnmatchcase(f.split(" ")[0], glob)), "[other]") for f in functions}


def least(uses, size, op, functions):
    """Return the privilege that some functions need."""
    return sum(size[site] for (f, site), counts in uses.items() if counts[op] and f in functions)


def allowed(uses, size, op, of, only=None):
    """Return the privilege of all compartments, or of one."""
    total = 0
    for compartment in {only} if only else set(of.values()):
        members = {f for f in of if of[f] == compartment}
        total += len(members) * sum(size[site] for site in size if any(
            counts[op] for (f, s), counts in uses.items() if s == site and f in members))
    return total


def moves(uses, size, of):
    """Return for each function the better compartment that saves most, and what it saves."""
    now = sum(allowed(uses, size, op, of) for op in OPS)
    found = []
    for f in of:
        best = min((sum(allowed(uses, size, op, {**of, f: to}) for op in OPS), to)
                   for to in set(of.values()))
        if best[0] < now:
            found.append(("move", f, of[f], best[1], now - best[0]))
    return found


def model(path, *files):
    """Print the tables of a KMAP."""
    objects, uses = read(path)
    data, code = peaks(objects), {}
    for name in files:
        if name.endswith(".calls"):
            OPS.extend(["call", "return"])
            code = add_calls(name, uses)
    size = {**data, **code}
    uses = {user: +counts for user, counts in uses.items() if +counts}
    functions = {f for f, _ in uses}
    of = divide(functions, next((name for name in files if not name.endswith(".calls")), None))
    rows = [("sums", len(functions), len(data), sum(data.values()), sum(code.values()),
             len(set(of.values())))]
    for op in OPS:
        whole = len(functions) * sum((code if op in ("call", "return") else data).values())
        rows.append((op, least(uses, size, op, functions), allowed(uses, size, op, of), whole))
    rows.append(("total", *(sum(row[i] for row in rows[1:]) for i in (1, 2, 3))))
    for c in set(of.values()):
        members = {f for f in of if of[f] == c}
        over = [allowed(uses, size, op, of, c) - least(uses, size, op, members) for op in OPS]
        need = sum(least(uses, size, op, members) for op in OPS)
        rows.append(("compartment", c, len(members),
                     len({s for f, s in uses if f in members and s in data}),
                     need, need + sum(over), sum(over), *over))
    shared = []
    for site in data:
        users = [(f, counts) for (f, s), counts in uses.items() if s == site]
        compartments = {of[f] for f, _ in users}
        if len(compartments) > 1:
            shared.append((len(compartments), len(users), size[site],
                           *(sum(counts[op] for _, counts in users) for op in OPS[:3])))
    rows += [("shared", *row) for row in shared] + moves(uses, size, of)
    show(rows)


def tables():
    """Print the tables of memorizer's output."""
    out = json.load(sys.stdin)
    rows = [("sums", *(out.get(key, 0) for key in ("nr_functions", "nr_sites", "bytes",
                                                   "code_bytes", "nr_compartments")))]
    rows += [(row["operation"], row["least"], row["allowed"], row["monolithic"])
             for row in out["privileges"]]
    keys = ["compartment", "functions", "sites", "least", "allowed", "over", "read_over",
            "write_over", "free_over"]
    if "code_bytes" in out:
        keys += ["call_over", "return_over"]
    rows += [("compartment", *(row[key] for key in keys)) for row in out["compartments"]]
    keys = ("compartments", "functions", "size", "reads", "writes", "frees")
    rows += [("shared", *(row[key] for key in keys)) for row in out["shared"]]
    keys = ("function", "compartment", "better", "saved")
    rows += [("move", *(row[key] for key in keys)) for row in out["relocations"]]
    show(rows)


def show(rows):
    """Print rows in the order of their texts."""
    for line in sorted(" ".join(map(str, row)) for row in rows):
        print(line)


{"make": make, "calls": calls, "model": model, "tables": tables}[sys.argv[1]](*sys.argv[2:])
