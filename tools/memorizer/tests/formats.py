#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Test that memorizer-formats(5) has exactly the tables, columns and members of JSON.

formats.py DIR TMP [--write]: DIR has memorizer, and in its tests/ what makes traces; TMP is for
files. The columns of each table and the members of each object, the lines of the page that begin
with "Columns:" and "Members:", are not written by hand: --write takes them from the commands'
output on the tests' data. What a key means is written once: in the section "keys" for all
commands, or in a command's section if it means something else there.
"""
import difflib
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = HERE + "/data"
PAGE = HERE + "/../Documentation/memorizer-formats.5"
BUILD, TMP = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])

NOTES, SYMBOLS, MODULES = ("--vmlinux", "vmlinux"), ("--kallsyms", DATA + "/kallsyms"), \
    ("--modules", "modules")
SESSION, AFTER = DATA + "/session.kmap", DATA + "/after.kmap"
# Commands with their inputs: together they print everything that they can print
RUNS = [
    ("report", *NOTES, *SYMBOLS, DATA + "/kinds.kmap"), ("report", *NOTES, *SYMBOLS, "kinds"),
    ("report", *NOTES, *SYMBOLS, SESSION), ("report", *NOTES, "life"),
    ("report", *NOTES, *SYMBOLS, "traffic"), ("report", "--no-wait", SESSION),
    ("report", "--children", *SYMBOLS, DATA + "/frames.kmap"),
    ("report", "--children", "frames"), ("report", *SYMBOLS, DATA + "/frames.kmap"),
    ("report", "--histogram", SESSION), ("report", "--histogram", "life"), ("report", "life"),
    ("report", "kmem"), ("report", *NOTES, "areas"), ("report", "--histogram", "areas"),
    ("types", *NOTES, *SYMBOLS, SESSION), ("types", *NOTES, *SYMBOLS, "traffic"),
    ("types", *NOTES, "life"),
    ("layout", *NOTES, *SYMBOLS, "widget", SESSION),
    ("layout", *NOTES, *SYMBOLS, "widget", "traffic"), ("layout", *NOTES, "widget", "life"),
    ("layout", *NOTES, "--all", "life"), ("layout", *NOTES, "--all", *SYMBOLS, SESSION),
    ("who", *NOTES, *SYMBOLS, "widget", SESSION), ("who", *NOTES, *SYMBOLS, "widget", "traffic"),
    ("who", *NOTES, "widget", "life"),
    ("what", *NOTES, *SYMBOLS, "*", SESSION), ("what", *NOTES, *SYMBOLS, "*", "traffic"),
    ("what", *NOTES, "*", "life"),
    ("check", DATA + "/bad.kmap"), ("check", "life"), ("check", "bad"), ("check", "packets"),
    ("diff", SESSION, AFTER), ("diff", "kmem", "life"), ("diff", "areas", "life"), ("diff", "--all", *NOTES, "life", "life"),
    ("diff", *NOTES, *SYMBOLS, SESSION, AFTER),
    ("script", "kmem"), ("script", "life"), ("script", *NOTES, "life"), ("script", *NOTES, "mixed"),
    ("script", *NOTES, "kinds"), ("script", *NOTES, "frames"),
    ("script", *NOTES, "context"), ("script", *NOTES, "stacks"), ("script", *NOTES, "lines"),
    ("script", *NOTES, "rcu"),
    ("fold", "life"), ("fold", "--stacks", "frames"), ("fold", "--types", *NOTES, "life"), ("timeline", *NOTES, "life"),
    ("timeline", "areas"),
    ("sharing", "--addresses", *MODULES, *NOTES, "lines"),
    ("false-sharing", *MODULES, *NOTES, "lines"), ("per-entry", "context"),
    ("per-entry", "--accesses", *NOTES, "lines"), ("serial", "context"),
    ("cache-assoc", *NOTES, "lines"), ("stacks", "lines"), ("summary", "context"),
    ("conflicts", *NOTES, "conflicts"), ("rcu", "--all", *NOTES, "rcu"),
    ("privilege", "--by", "function", *NOTES, *SYMBOLS, DATA + "/kinds.kmap"),
    ("privilege", *NOTES, *SYMBOLS, "--calls", DATA + "/session.calls", SESSION),
    ("privilege", *NOTES, "--calls", DATA + "/session.calls", "life"),
    ("privilege", "--cpm", DATA + "/example.cpm"),
    ("calls", *SYMBOLS, DATA + "/session.calls"), ("calls", *SYMBOLS, DATA + "/users.calls"),
]
HEAD = ("version", "command", "input", "incomplete", "sort", "top", "filters")
GROUPS = ("table", "object", "counts", "event")
KINDS = {bool: "boolean", int: "number", float: "number", str: "text", list: "table",
         dict: "object"}


def make_inputs():
    """Write traces, a KMAP with moves, and notes."""
    os.chdir(TMP)
    for name in ("kmem", "life", "mixed", "bad", "packets", "lines", "rcu", "context", "stacks",
                 "conflicts", "kinds", "frames", "areas"):
        with open(f"{DATA}/{name}.trace", encoding="ascii") as text:
            quiet = ["-q"] if name in ("stacks", "conflicts") else []
            subprocess.run([f"{BUILD}/tests/make-trace", *quiet, name], stdin=text, check=True)
        if name != "conflicts":
            os.mkdir(name + "/kernel")
            shutil.copy(DATA + "/kallsyms", name + "/kernel")
    with open(SESSION, encoding="ascii") as text, open("traffic", "w", encoding="ascii") as out:
        for line in text:
            out.write(re.sub(r"^(  [^,]*,[^,]*),(.*)", r"\1,1,2,\2", line))
    with open(DATA + "/session.notes", encoding="ascii") as text:
        subprocess.run(["python3", "-B", HERE + "/make-notes.py", "vmlinux"], stdin=text,
                       check=True)
    os.mkdir("modules")
    with open("modules/none.ko", "wb"):
        pass


class Printed:
    """The output of a command: the keys of its tables, objects and events, and their kinds."""

    def __init__(self):
        self.groups, self.kinds, self.head = {}, {}, set()

    def add_output(self, value, command):
        """Add the output for an input."""
        self.head |= {key for key in value if key in HEAD}
        of = value.get("input", "").replace("kmap", "KMAP").replace("cpm", "CPM file")
        value = {key: member for key, member in value.items() if key not in HEAD}
        if command == "script":
            self.add(value, value["event"], "event", of)
        else:
            self.add(value, "", "top", of)

    def add(self, value, group, kind, of):
        """Add the keys of an object or a row, and of the rows in it; @of: KMAP or trace."""
        keys = self.groups.setdefault(group, (kind, {}))[1].setdefault(of, [])
        for key, member in value.items():
            inner = KINDS.get(type(member))
            if inner == "table" and member and not isinstance(member[0], dict):
                inner = "array"
            if key.endswith("_rest"):
                continue
            if inner in ("table", "object"):
                self.groups.setdefault(key, (inner, {}))[1].setdefault(of, [])
                for row in member if inner == "table" else [member]:
                    self.add(row, key, inner, of)
                continue
            if key not in keys:
                keys.append(key)
            self.kinds.setdefault((group, key), set()).update([inner] if inner else [])

    def lists(self, group):
        """Return the different lists of keys of a group, at most one for each kind of input."""
        by_input = self.groups.get(group, ("", {}))[1]
        return tuple(dict.fromkeys(tuple(keys) for keys in by_input.values() if keys))


def run(command, *arguments):
    """Return the JSON output of a command: one object, except for script."""
    done = subprocess.run([f"{BUILD}/memorizer", command, "--json", *arguments], cwd=TMP,
                          capture_output=True, text=True, check=False)
    lines = done.stdout.splitlines() if command == "script" else [done.stdout]
    return [json.loads(line) for line in lines if line]


def collect():
    """Return the output of each command."""
    commands = {}
    for command, *arguments in RUNS:
        printed = commands.setdefault(command, Printed())
        for value in run(command, *arguments):
            printed.add_output(value, command)
    return commands


class Entry:
    """An entry of a section: names of tables, objects or keys, their kind and meaning."""

    def __init__(self, text):
        self.text = re.split(r"\n\.br\n(?:Columns|Members)\b", text)[0].rstrip("\n") + "\n"
        tag = text.split("\n", 1)[0]
        self.names = re.findall(r"\\fB(\w+)\\fP", tag)
        self.kind = re.search(r"\((\w+)\)$", tag)[1]


class Section:
    """A section of the page: text, and entries that begin with .TP."""

    def __init__(self, text):
        parts = re.split(r"(?m)^\.TP\n", text)
        self.text = re.split(r"(?m)^(?:\.br\n)?Members\b", parts[0])[0]
        self.entries = [Entry(part) for part in parts[1:]]

    def keys(self):
        """Return the keys that the section explains, with their kinds."""
        return {(name, entry.kind) for entry in self.entries for name in entry.names
                if entry.kind not in GROUPS}

    def groups(self):
        """Return the tables, objects and events that the section describes, with their kinds."""
        return {name: entry.kind for entry in self.entries for name in entry.names
                if entry.kind in GROUPS}

    def generate(self, printed):
        """Return the section with the printed columns and members."""
        seen = {}
        lines = listing(printed, "", "Members", seen)
        if self.text.count("\n") > 1:
            lines = lines.replace("Members", ".br\nMembers", 1)
        text = self.text + lines
        for entry in self.entries:
            text += ".TP\n" + entry.text
            if entry.kind not in GROUPS:
                continue
            label = "Columns" if entry.kind == "table" else "Members"
            lists = {name: printed.lists(name) for name in entry.names if printed.lists(name)}
            for name in list(lists)[:1] if len(set(lists.values())) == 1 else lists:
                lines = listing(printed, name, label, seen)
                if len(set(lists.values())) > 1:
                    lines = lines.replace(label, f"{label} of {name}", 1)
                text += ".br\n" + lines
        return text


def listing(printed, name, label, seen):
    """Return the generated lines for a table or an object; @seen: previous ones in the section."""
    lists, lines = {}, ""
    for of, keys in printed.groups.get(name, ("", {}))[1].items():
        lists.setdefault(tuple(keys), []).append(of)
    for keys, inputs in lists.items():
        where = f" for a {' or '.join(inputs)}" if len(lists) > 1 else ""
        what = seen.get(keys, ", ".join(keys))
        if keys:
            lines += "\n".join(textwrap.wrap(f"{label}{where}: {what}.", 78)) + "\n"
        if len(keys) > 3:
            seen.setdefault(keys, f"as {name}{where}")
    return lines


def explain(command, printed, own, common):
    """Compare the keys that a command prints with those that its section and "keys" explain."""
    used, wrong = set(), []
    counts = {name for name, kind in own.groups().items() if kind == "counts"}
    names = {key for group, key in printed.kinds}
    for (group, key), kinds in printed.kinds.items():
        if group in counts:
            continue
        base = re.sub("_(before|change)$", "", key)
        for kind in kinds or {"null"}:
            found = [(name, k) for name in ([key] if base not in names else [key, base])
                     for k in ([kind] if kinds else ["number", "text"])
                     if (name, k) in own.keys() | common.keys()]
            if found:
                used.add(found[0])
            else:
                wrong.append(f"{command} prints {key} ({kind}) in {group or 'its object'}")
    wrong += [f"{command} prints no {key} ({kind})" for key, kind in sorted(own.keys() - used)]
    return wrong, used - own.keys()


def main():
    """Compare the page with the output, or write it."""
    with open(PAGE, encoding="ascii") as file:
        page = file.read()
    parts = re.split(r"(?m)^(?=\.S[SH] )", page)
    sections = {part.split("\n", 1)[0][4:].replace("\\-", "-"): i
                for i, part in enumerate(parts) if part.startswith(".SS ")}
    common, head = (Section(parts[sections[name]]) for name in ("keys", "head"))
    make_inputs()
    commands = collect()
    tests, failed, used = 0, 0, set()

    def check(name, wrong):
        nonlocal tests, failed
        tests += 1
        failed += bool(wrong)
        print(f"{'not ' if wrong else ''}ok {tests} - {name}")
        for line in wrong[:20]:
            print("#", line)

    check("each command that prints JSON has a section",
          sorted(set(commands) ^ (set(sections) - {"keys", "head"})))
    for command, printed in commands.items():
        own = Section(parts[sections[command]])
        groups = {name: "counts" if own.groups().get(name) == "counts" else kind
                  for name, (kind, _) in printed.groups.items() if name}
        check(f"the tables and objects of {command} are in memorizer-formats(5), and no others",
              sorted(set(groups.items()) ^ set(own.groups().items())))
        wrong, common_keys = explain(command, printed, own, common)
        used |= common_keys
        check("the kinds of all keys are documented", wrong)
        generated = own.generate(printed)
        if sys.argv[3:] == ["--write"]:
            parts[sections[command]] = generated
        check("the section has columns and members, in order",
              [line for line in difflib.unified_diff(parts[sections[command]].split("\n"),
                                                     generated.split("\n"), n=0, lineterm="")])
    check("each common key is a command's", sorted(common.keys() - used))
    documented = {name for entry in head.entries for name in entry.names}
    check("the documented keys of the head are printed", sorted(documented ^ set(HEAD)))
    check("report's head has all documented keys", sorted(documented ^ commands["report"].head))
    check("check's head has the version and whether the trace is incomplete",
          sorted(commands["check"].head ^ {"version", "incomplete"}))
    if sys.argv[3:] == ["--write"]:
        with open(PAGE, "w", encoding="ascii") as file:
            file.write("".join(parts))
    print(f"1..{tests}")
    sys.exit(failed > 0)


main()
