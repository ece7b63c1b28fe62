#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Test all columns of all tables: NAME_rest sums up the right ones, and --sort sorts by each.

columns.py DIR TMP: DIR contains memorizer, and tests/make-trace; TMP is for files.
memorizer-formats(5) lists the columns without sums.
"""
import fractions
import json
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = HERE + "/data"
BUILD, TMP = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])

NOTES, SYMBOLS = ("--vmlinux", "vmlinux"), ("--kallsyms", DATA + "/kallsyms")
KMAP = (*NOTES, *SYMBOLS, "traffic")
# Commands with their inputs, which cover all tables that --top truncates
RUNS = [
    ("report", *KMAP), ("report", *NOTES, "life"), ("report", "kmem"), ("types", *KMAP),
    ("types", *NOTES, "life"), ("layout", "widget", *KMAP), ("layout", "--all", *KMAP),
    ("layout", "--all", *NOTES, "lines"), ("who", "widget", *KMAP), ("what", "*", *KMAP),
    ("diff", "--all", *NOTES, *SYMBOLS, f"{DATA}/session.kmap", f"{DATA}/after.kmap"),
    ("diff", "--all", *NOTES, "kmem", "life"), ("diff", "--all", "--percent", "kmem", "life"),
    ("report", "--percent", "--rate", "life"), ("sharing", "--addresses", *NOTES, "lines"),
    ("false-sharing", *NOTES, "lines"), ("false-sharing", "predict"), ("per-entry", "context"),
    ("per-entry", "--accesses", *NOTES, "lines"), ("serial", "context"), ("serial", "entries"),
    ("cache-assoc", *NOTES, "assoc"), ("summary", "context"), ("summary", "entries"),
    ("summary", "life"), ("conflicts", *NOTES, "conflicts"), ("rcu", "--all", *NOTES, "rcu"),
    ("privilege", "--calls", f"{DATA}/session.calls", *KMAP), ("privilege", *KMAP),
    ("privilege", *NOTES, "life"),
    ("privilege", "--by", "function", *SYMBOLS, f"{DATA}/kinds.kmap"),
    ("calls", *SYMBOLS, DATA + "/session.calls"),
]
# The order of their rows is significant; --sort does not change it
ORDERED = re.compile("(streamed_|kmap_)?(order|changes|basis|sums|privileges)$")

TESTS = {"nr": 0, "failed": 0}


def check(name, wrong):
    """Print a TAP line; @wrong is a list of errors."""
    TESTS["nr"] += 1
    TESTS["failed"] += bool(wrong)
    print(f"{'not ' if wrong else ''}ok {TESTS['nr']} - {name}")
    for line in wrong[:20]:
        print("#", line)


def run(command, *arguments):
    """Return a command's output and its tables by name."""
    done = subprocess.run([f"{BUILD}/memorizer", command, "--json", *arguments], cwd=TMP,
                          capture_output=True, text=True, check=False)
    printed = json.loads(done.stdout) if done.stdout else {}
    return printed, {key: rows for key, rows in printed.items()
                     if isinstance(rows, list) and rows and isinstance(rows[0], dict)}


def columns(rows):
    """Return the numeric columns of a table, without the one that identifies the rows."""
    return [key for i, key in enumerate(rows[0])
            if all(row[key] is None or isinstance(row[key], (int, float)) for row in rows) and
            any(row[key] is not None for row in rows) and i]


def documented():
    """Return the columns without sums according to memorizer-formats(5)."""
    with open(HERE + "/../Documentation/memorizer-formats.5", encoding="ascii") as file:
        text = file.read()
    found = re.search(r"\.\\\" Not added up\n(.*?)\n\.\\\"", text, re.S)
    return set(re.findall(r"\b[a-z_]{3,}\b", re.sub(r"^\.[A-Z]+", "", found[1], flags=re.M)))


def base(key):
    """Return the key of a column without diff's suffix."""
    return re.sub("(.)_(before|change)$", r"\1", key)


def is_relative(key):
    """Return whether a column contains shares or rates."""
    return re.search("_(percent|rate)$", base(key))


def check_rest(arguments, seen):
    """NAME_rest sums up the rows left out, where sums make sense."""
    wrong = []
    whole, cut = run(*arguments, "--top", "0")[1], run(*arguments, "--top", "1")[0]
    for name, rows in whole.items():
        rest = cut.get(name + "_rest")
        if len(rows) < 2 or rest is None:
            continue
        sums = {"rows": len(rows) - 1}
        for key in columns(rows):
            seen.add(base(key))
            if base(key) not in NOT_ADDED and not is_relative(key):
                sums[key] = sum(row[key] or 0 for row in rows[1:])
        if sums != rest:
            wrong.append(f"{name}: want {sums}, got {rest}")
    return wrong


def check_sort(arguments):
    """--sort sorts the tables by each of their columns."""
    wrong, keys = [], set()
    whole = run(*arguments, "--top", "0")[1]
    for name, rows in whole.items():
        keys |= set() if ORDERED.match(name) else set(columns(rows))
    for key in keys:
        for name, rows in run(*arguments, "--top", "0", "--sort", key)[1].items():
            if key not in columns(rows) or ORDERED.match(name):
                continue
            got = [-float("inf") if row[key] is None else row[key] for row in rows]
            if got != sorted(got, reverse=True):
                wrong.append(f"{name} by {key}: {got}")
            if sorted(map(str, rows)) != sorted(map(str, whole[name])):
                wrong.append(f"{name} by {key}: other rows")
    return wrong if keys else ["no columns"]


def cut(value, of, scale):
    """Return a quotient with three decimals, rounded down."""
    return float(fractions.Fraction(int(fractions.Fraction(value) * scale * 1000 / of), 1000))


def check_relative(arguments, sums):
    """Shares and rates follow from the columns before them; @sums has the totals of accesses."""
    wrong, found = [], 0
    printed, tables = run(*arguments, "--top", "0", "--percent",
                          *(["--rate"] if arguments[-1] == "life" else []))
    for name, rows in tables.items():
        noted = re.search("types|fields|users", name)
        for key in columns(rows):
            total = sums(printed, name).get(key) if noted else sum(row[key] or 0 for row in rows)
            for row in rows:
                if key + "_percent" in row:
                    found += 1
                    if total and row[key + "_percent"] != cut(row[key], total, 100):
                        wrong.append(f"{name}: {key} of {total}: {row}")
                if key + "_rate" in row:
                    found += 1
                    if row[key + "_rate"] != cut(row[key], printed["trace"]["duration"], 10 ** 9):
                        wrong.append(f"{name}: {key}: {row}")
    return wrong if found > 20 else ["nothing is relative"]


def check_diff(option, of):
    """diff compares shares or rates that follow from the numbers of each side."""
    arguments = ("diff", "--all", "kmem", "life")
    wrong, found = [], 0
    numbers, tables = run(*arguments)[1], run(*arguments, option)[1]
    for name, rows in tables.items():
        by_name = {row["name"]: row for row in numbers[name]}
        for row in rows:
            there = by_name[row["name"]]
            for key in [key for key in there if key + "_before" in there]:
                new = f"{key}_{option[2:]}"
                if new not in row:
                    continue
                scale = 10 ** 9 if option == "--rate" else 100
                want = [cut(there[k], of(side, [r[k] for r in numbers[name]]) or 1, scale)
                        for side, k in enumerate((key + "_before", key))]
                got = [row[new + "_before"], row[new]]
                found += 1
                if want != got or abs(got[1] - got[0] - row[new + "_change"]) > 1e-6:
                    wrong.append(f"{name}: {there}: want {want}, got {row}")
    return wrong if found > 10 else ["nothing is relative"]


def check_histograms(arguments):
    """Each allocation of a call site is in one bucket of sizes and in one of lifetimes."""
    wrong, found = [], 0
    tables, buckets = run("report", *arguments)[0], run("report", "--histogram", *arguments)[0]
    for kind in ("", "page_", "kmap_"):
        rows = tables.get(kind + "sites", [])
        lives = {row["ip"]: row["live"] for row in
                 tables.get("live_pages" if kind == "page_" else "live", [])}
        for row in rows:
            sizes, ends = ([b for b in buckets[f"{kind}site_{table}"] if b["ip"] == row["ip"]]
                           for table in ("sizes", "lives"))
            count = "objects" if "objects" in row else "hit"
            live = row["live"] if "live" in row else lives.get(row["ip"], 0)
            asked = next(row[key] for key in ("bytes", "bytes_req", "bytes_alloc") if key in row)
            want = [row[count], asked, row[count], live]
            got = [sum(b[count] for b in sizes), sum(b["bytes"] for b in sizes),
                   sum(b[count] for b in ends),
                   sum(b[count] for b in ends if b["bucket"] == "[live]")]
            found += 1
            if want != got:
                wrong.append(f"{kind}{row['ip']}: want {want}, got {got}")
            if "frees" in row and row["frees"] != sum(b[count] for b in ends
                                                      if b["bucket"][0] != "["):
                wrong.append(f"{kind}{row['ip']}: {row['frees']} frees, {ends}")
    return wrong if found else ["no call sites"]


def make_inputs():
    """Write traces, a KMAP with moves, and notes."""
    os.chdir(TMP)
    for name in ("kmem", "life", "lines", "predict", "context", "entries", "assoc", "conflicts",
                 "rcu"):
        with open(f"{DATA}/{name}.trace", encoding="ascii") as text:
            quiet = ["-q"] if name == "conflicts" else []
            subprocess.run([f"{BUILD}/tests/make-trace", *quiet, name], stdin=text, check=True)
        os.mkdir(name + "/kernel")
        shutil.copy(DATA + "/kallsyms", name + "/kernel")
    with open(DATA + "/session.kmap", encoding="ascii") as text, \
            open("traffic", "w", encoding="ascii") as out:
        for line in text:
            out.write(re.sub(r"^(  [^,]*,[^,]*),(.*)", r"\1,1,2,\2", line))
    with open(DATA + "/session.notes", encoding="ascii") as text:
        subprocess.run(["python3", "-B", HERE + "/make-notes.py", "vmlinux"], stdin=text,
                       check=True)


NOT_ADDED = documented()
make_inputs()
SEEN = set()
for run_of in RUNS:
    what = f"{run_of[0]} of {os.path.basename(run_of[-1])}"
    check(f"what --top leaves out is added up by {what}", check_rest(run_of, SEEN))
    check(f"each column orders tables of {what}", check_sort(run_of))
check("all that does not add up is a column", sorted(NOT_ADDED - SEEN))
check("shares and rates of a trace", check_relative(
    ("report", *NOTES, "life"),
    lambda printed, name: printed["kmap"] if name.startswith("kmap_") else
    {**printed["slab"], "reads": printed["accesses"]["reads"],
     "writes": printed["accesses"]["writes"]}))
check("shares of a KMAP", check_relative(("report", *KMAP), lambda printed, name: printed["summary"]))
for run_of in (("kmem",), ("life",), ("--kallsyms", DATA + "/kallsyms", "traffic")):
    check(f"histograms have all that call sites of {run_of[-1]} allocate", check_histograms(run_of))
DURATION = [run("report", name)[0]["trace"]["duration"] for name in ("kmem", "life")]
check("diff compares shares", check_diff("--percent", lambda side, values: sum(values)))
check("and rates", check_diff("--rate", lambda side, values: DURATION[side]))
print(f"1..{TESTS['nr']}")
sys.exit(TESTS["failed"] > 0)
