#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A simple model of the movement of cache lines, to compare memorizer sharing with: for each line
the set of CPUs that hold it, and all accesses so far, which are searched for each move.

model-lines.py make SEED       write a random script for make-trace
model-lines.py traffic <SCRIPT write it with traffic events instead of the accesses that move lines
model-lines.py moves <SCRIPT   print the expected sums of such a script, with accesses
model-lines.py csv <CSV        print the same from the output of "memorizer sharing --csv"
model-lines.py assoc SETS WAYS <SCRIPT
                               print misses by CPU and kind in caches of that geometry
"""
import collections
import csv
import random
import sys

LINE = 64
CPUS = 4
BASE = 0xffff888000001000
READ, WRITE, UPDATE = 1, 2, 3


def make(seed):
    r = random.Random(seed)
    nodes = [r.randint(0, 1) for _ in range(CPUS)]
    live = {}
    print("cpu 0", nodes[0])
    print("switch allocations=1 accesses=1 boot=1")
    for cpu in range(CPUS):
        print(f"cpu {cpu} {nodes[cpu]}\ntask pid={cpu + 1} comm=task-{cpu}")
    print(f"cache cache={BASE - 0x1000:x} object_size=96 size=96 name=widget")
    for _ in range(r.randint(200, 1500)):
        cpu = r.randrange(CPUS)
        print("cpu", cpu, nodes[cpu])
        what = r.random()
        slot = r.randrange(6)
        ptr = BASE + 96 * slot
        if what < 0.06 and slot not in live:
            live[slot] = True
            print(f"alloc kind=1 call_site=ffffffff9b0000{1 + slot % 3}0 ptr={ptr:x} bytes_req=90 "
                  f"bytes_alloc=96 node=0 pid={cpu + 1} cache={BASE - 0x1000:x}")
        elif what < 0.1 and live.pop(slot, False):
            print(f"free kind=1 call_site=ffffffff9b000210 ptr={ptr:x} bytes=96 pid={cpu + 1} "
                  f"cache={BASE - 0x1000:x}")
        else:
            size = r.choice([1, 2, 4, 8, 8, 16, 80])
            print(f"access ip=ffffffff9b000{r.randint(0x100, 0x1ff):x} kind={r.randint(1, 3)} "
                  f"ptr={BASE + r.randint(0, 560):x} size={size} pid={cpu + 1}")


class Line:
    def __init__(self):
        self.holders = set(range(CPUS))
        self.changed = False
        self.writer = -1
        self.history = []   # (cpu, first, last, writes, object)
        self.sums = collections.Counter()
        self.cpus = set()

    def touch(self, cpu, node, first, last, kind, thing, total):
        reads, writes = kind != WRITE, kind != READ
        moves = self.holders != {cpu} if writes else cpu not in self.holders
        hitm = moves and reads and cpu not in self.holders and self.changed
        sums = collections.Counter(records=1, loads=reads, stores=writes, moves=moves, hitm=hitm)
        sums["stores_missed"] = writes and moves
        sums["stores_hit"] = writes and not moves
        writer = self.writer
        if moves:
            since = []
            for other in reversed(self.history):
                if other[0] == cpu:
                    break
                if writes or other[3]:
                    since.append(other)
            same = [o for o in since if o[1] <= last and first <= o[2]]
            total["known"] += bool(since)
            if same:
                total["true_sharing" if same[0][4] == thing else "reused"] += 1
            elif since:
                total["false_sharing"] += 1
            self.changed = writes
        if writes:
            self.holders = {cpu}
            self.writer = cpu
        else:
            self.holders.add(cpu)
        self.history.append((cpu, first, last, writes, thing))
        self.cpus.add(cpu)
        self.sums.update(sums)
        total.update(sums)
        return moves, writer


def follow(script, put):
    """Run a script; call put() with each line, whether it moved, and its last writer."""
    lines = collections.defaultdict(Line)
    live, total, cpu, node, number = {}, collections.Counter(), 0, 0, 0
    for text in script:
        words = text.split()
        fields = dict(w.split("=") for w in words[1:] if "=" in w)
        if words[0] == "cpu":
            cpu, node = int(words[1]), int(words[2])
        elif words[0] == "alloc":
            number += 1
            # The slot's bytes beyond the requested size belong to no object.
            for addr in range(int(fields["ptr"], 16), int(fields["ptr"], 16) + 90):
                live[addr] = number
        elif words[0] == "free":
            for addr in range(int(fields["ptr"], 16), int(fields["ptr"], 16) + 90):
                del live[addr]
        if words[0] != "access":
            put(text, None)
            continue
        ptr, size = int(fields["ptr"], 16), int(fields["size"])
        moved = []
        for addr in range(ptr // LINE * LINE, ptr + size, LINE):
            first, last = max(ptr, addr), min(ptr + size, addr + LINE) - 1
            moves, writer = lines[addr].touch(cpu, node, first, last, int(fields["kind"]),
                                              live.get(first), total)
            if moves:
                moved.append((addr, writer))
        put(text, moved)
    return lines, total


def put_traffic(text, moved):
    if moved is None:
        print(text.strip())
        return
    for addr, writer in moved:
        print(text.replace("access ", "traffic ").strip() + f" line={addr:x} from={writer}")


COLUMNS = ["moves", "hitm", "records", "loads", "stores", "stores_hit", "stores_missed", "cpus"]
TOTALS = ["records", "loads", "stores", "moves", "hitm", "known", "true_sharing",
          "false_sharing", "reused"]


def print_moves(script):
    lines, total = follow(script, lambda text, moved: None)
    for addr, line in lines.items():
        line.sums["cpus"] = len(line.cpus)
        if line.sums["stores"] and len(line.cpus) > 1:
            print(f"line {addr:x}", *(line.sums[c] for c in COLUMNS))
    for name in TOTALS:
        print("total", name, total[name])


def print_csv(text):
    """Also sum up the tables: each access is in one row of each table."""
    keys, sums = {}, collections.Counter()
    for row in csv.reader(text):
        if not row:
            continue
        if row[0] == "sum" and row[1] in TOTALS:
            print("total", row[1], row[2])
            sums["sum", row[1]] = int(row[2])
        elif row[0] == "table":
            keys = row
        elif row[0] in ("lines", "pareto", "pairs", "addresses"):
            values = dict(zip(keys, row))
            if row[0] == "lines":
                print("line", values["line"], *(values[c] for c in COLUMNS))
            for name in TOTALS:
                if name in values:
                    sums[row[0], name] += int(values[name])
    for table in ("pareto", "addresses"):
        for name in ("records", "loads", "stores", "moves"):
            if (table, name) in sums and sums[table, name] != sums["lines", name]:
                print("sum of", table, name, sums[table, name], "lines", sums["lines", name])
    for name in ("hitm", "true_sharing", "false_sharing", "reused"):
        if name != "hitm" and sums["pairs", name] != sums["sum", name]:
            print("sum of pairs", name, sums["pairs", name], sums["sum", name])
    if sums["pairs", "moves"] != sums["sum", "known"]:
        print("sum of pairs", sums["pairs", "moves"], sums["sum", "known"])


def print_assoc(script, sets, ways):
    """A cache is a list of its lines, oldest first, with or without sets."""
    caches = [[[] for _ in range(sets)] for _ in range(CPUS)]
    had, taken = ([set() for _ in range(CPUS)] for _ in range(2))
    whole = [[] for _ in range(CPUS)]
    sums, cpu = [collections.Counter() for _ in range(CPUS)], 0
    for text in script:
        words = text.split()
        if words[0] == "cpu":
            cpu = int(words[1])
        if words[0] != "access":
            continue
        fields = dict(w.split("=") for w in words[1:])
        ptr, size = int(fields["ptr"], 16), int(fields["size"])
        for line in range(ptr // LINE, (ptr + size - 1) // LINE + 1):
            lines = caches[cpu][line % sets]
            why = "hit" if line in lines else "cold" if line not in had[cpu] else \
                "shared" if line in taken[cpu] else "conflict" if line in whole[cpu] else "capacity"
            sums[cpu].update({"accesses": 1, why: 1, "misses": why != "hit"})
            had[cpu].add(line)
            taken[cpu].discard(line)
            for cache, most in ((lines, ways), (whole[cpu], sets * ways)):
                if line in cache:
                    cache.remove(line)
                cache.append(line)
                del cache[:-most]
            for other in range(CPUS):
                if other == cpu or int(fields["kind"]) == READ or line not in had[other]:
                    continue
                taken[other].add(line)
                for cache in caches[other][line % sets], whole[other]:
                    if line in cache:
                        cache.remove(line)
    for cpu, s in enumerate(sums):
        if s["accesses"]:
            print(cpu, *(s[n] for n in ("misses", "conflict", "capacity", "shared", "cold",
                                        "accesses")), sep=",")


if sys.argv[1] == "make":
    make(int(sys.argv[2]))
elif sys.argv[1] == "traffic":
    follow(sys.stdin, put_traffic)
elif sys.argv[1] == "moves":
    print_moves(sys.stdin)
elif sys.argv[1] == "assoc":
    print_assoc(sys.stdin, int(sys.argv[2]), int(sys.argv[3]))
else:
    print_csv(sys.stdin)
