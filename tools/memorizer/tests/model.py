#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""A simple model of memorizer report and check, to compare with: an independent implementation on
the output of babeltrace2, with a map from each 32 bytes of memory to the object there.

model.py make SEED         write a random script for make-trace
model.py sums DIR <TEXT    print sums of the trace in DIR; TEXT is the output of
                           "babeltrace2 --clock-cycles --no-delta"
model.py csv <CSV          print the same sums from the output of "memorizer report --csv"
model.py check STATUS <JSON  print them from the output of "memorizer check --json", which
                           exited with STATUS
"""
import collections
import csv
import json
import os
import random
import re
import struct
import sys

SLAB, PAGES, AREAS, LOCAL = "slab", "pages", "areas", "local"
# In the order in which an access is to one of them.
GRANULE = {SLAB: 32, LOCAL: 32, PAGES: 4096, AREAS: 4096}
# Stacks and per-CPU memory lie in the others.
BASES = {SLAB: [0xffff888100000000], PAGES: [0xffff888200000000], AREAS: [0xffffc90000000000],
         LOCAL: [0xffff888200000000, 0xffffc90000000000]}


def group_of(kind):
    return SLAB if kind < 2 else PAGES if kind == 2 else AREAS if kind < 7 else LOCAL


# Some flags, their names, and the zone of pages with them.
GFP = {0xcc0: ("GFP_KERNEL", "Normal"), 0xdc0: ("GFP_KERNEL|__GFP_ZERO", "Normal"),
       0x820: ("GFP_ATOMIC", "Normal"), 0x100cca: ("GFP_HIGHUSER_MOVABLE", "Movable"),
       0xcc1: ("GFP_KERNEL|__GFP_DMA", "DMA"), 0xcc4: ("GFP_KERNEL|__GFP_DMA32", "DMA32")}


def make(seed):
    r = random.Random(seed)
    cpus = r.sample(range(12), r.randint(1, 4))
    # Timestamps of events have 56 bits; in some traces, they wrap.
    time = r.choice([1000, 2 ** 40, 2 ** 56 - r.randint(1, 3000), 3 * 2 ** 56 - 500])
    # Half of the traces have no other memory than slab objects and pages.
    kinds = [0, 1, 2] if r.random() < 0.5 else range(9)
    print("time", time)
    print("cpu", cpus[0], r.randint(0, 1))
    for cpu in cpus[1:]:
        print("cpu", cpu, r.randint(0, 1))
        if r.random() < 0.3:
            print("skip", r.randint(1, 3))
    print("switch allocations=1 boot=1")
    comms = ["sh", "make", "tar", "a\\x0ab"]
    caches = [0xffff888000100000 + 0x100 * i for i in range(4)]
    for pid in range(4):
        print(f"task pid={pid} comm={r.choice(comms)}")
    losses = r.random() < 0.7
    for _ in range(r.randint(50, 600)):
        what = r.random()
        pid = r.randint(0, 3)
        if what < 0.2:
            print("cpu", r.choice(cpus))
        elif what < 0.23:
            print(f"task pid={pid} comm={r.choice(comms)}")
        elif what < 0.26:
            print(f"cache cache={r.choice(caches):x} object_size={r.choice([32, 64])} "
                  f"size=64 name={r.choice(['inode', 'dentry', 'file'])}")
        elif what < 0.34:
            print("packet")
        elif what < 0.36 and losses:
            print("packet")
            print("lost", r.randint(1, 9))
        elif what < 0.38 and losses:
            print("packet")
            print("skip", r.randint(1, 5))
        elif what < 0.39:
            on = r.randint(0, 1)
            print(f"switch allocations={on} boot=0")
        elif what < 0.4:
            print("mark pid=1 text=here")
        elif what < 0.5:
            group = r.choice(sorted({group_of(kind) for kind in kinds}))
            base, unit = r.choice(BASES[group]), GRANULE[group]
            print(f"access ip={0xffffffff81000100 + r.randint(0, 9):x} kind={r.randint(1, 3)} "
                  f"ptr={base + r.randint(0, 44 * unit):x} size=1 pid={pid}")
        else:
            kind = r.choice(kinds)
            unit = GRANULE[group_of(kind)]
            ptr = r.choice(BASES[group_of(kind)]) + unit * r.randint(0, 40)
            size = unit * r.choice([1, 1, 2, 2, 2, 3, 4])
            if what > 0.8:
                ptr = ptr // (4 * unit) * (4 * unit)
                size = 2 * unit
            site = 0xffffffff81000000 + 16 * r.randint(0, 5)
            cache = 0 if kind != 1 else r.choice(caches)
            if r.random() < 0.55:
                print(f"alloc kind={kind} call_site={site:x} ptr={ptr:x} "
                      f"bytes_req={size - r.randint(0, 31)} bytes_alloc={size} "
                      f"node={r.randint(0, 1)} pid={pid} cache={cache:x} "
                      f"gfp_flags={r.choice(list(GFP)):x}")
            else:
                print(f"free kind={kind} call_site={site + 5:x} ptr={ptr:x} bytes={size} "
                      f"pid={pid} cache={cache:x}")


def losses_of(path):
    """Return the ranges in which events may be missing, as (time, cpu, order), the number of
    lost events, and the number of gaps between packets."""
    found, lost, gaps = [], 0, 0
    for name in os.listdir(path):
        if not re.fullmatch("cpu[0-9]+", name):
            continue
        with open(os.path.join(path, name), "rb") as file:
            data = file.read()
        with open(os.path.join(path, "metadata")) as file:
            order = ">" if "byte_order = be" in file.read() else "<"
        at, before, cpu = 0, None, int(name[3:])
        while at < len(data):
            begin, end, _, size, seq, gone = struct.unpack_from(order + "6Q", data, at + 24)
            if before is None:
                missing, since = seq or gone, 0
                lost += gone
            else:
                missing, since = seq != before[1] + 1 or gone > before[2], before[0]
                lost += max(gone - before[2], 0)
                gaps += seq != before[1] + 1
            if missing:
                # After this CPU's last event at that time, and before its next one.
                found.append(((since, cpu, -1 if since == begin else 1), (begin, cpu, -1)))
            before = (end, seq, gone)
            at += size // 8
    return found, lost, gaps


FIELD = re.compile(r'(\w+) = (?:\( "?[\w<>]*"? : container = (-?\d+) \)|"((?:[^"\\]|\\.)*)"|'
                   r'(0x[0-9A-F]+)|(-?\d+))')


def events(text):
    for line in text:
        match = re.match(r"\[(\d+)\] (\w+): \{ cpu_id = (\d+), node_id = (\d+) \}, \{ (.*) \}$",
                         line)
        fields = {}
        for name, enum, word, hexa, number in FIELD.findall(match[5]):
            fields[name] = word if not (enum or hexa or number) else \
                int(hexa, 16) if hexa else int(enum or number)
        yield int(match[1]), match[2], int(match[3]), int(match[4]), fields


class Clock:
    """The ranges in which events may be missing."""

    def __init__(self, losses):
        self.losses, self.switches = losses, 0

    def stamp(self, key):
        """Return the number of losses before, None within a loss, and of switches."""
        if any(begin <= key < end for begin, end in self.losses):
            return None, self.switches
        return sum(begin <= key for begin, end in self.losses), self.switches

    def holds(self, stamp, key):
        """Return whether nothing is missing since then."""
        return stamp[0] is not None and stamp == self.stamp(key)

    def doubtful(self, stamp, key):
        """Return whether something may be missing because of a loss rather than a switch."""
        return not self.holds(stamp, key) and stamp[1] == self.switches


NOTHING = None, (None, None), None


class Object:
    def __init__(self, **values):
        self.__dict__.update(values)
        self.closed = False
        self.first = True


class Model:
    def __init__(self, path):
        self.losses, self.lost, self.gaps = losses_of(path)
        self.sums = collections.Counter()
        self.memory = {group: {} for group in GRANULE}
        self.caches, self.named = {}, 0
        self.comms = {}
        self.clock, self.on = Clock(self.losses), False
        self.objects = []

    def count(self, *row, **values):
        for key, value in values.items():
            self.sums[row + (key,)] += value

    def cache(self, addr):
        return self.caches.setdefault(addr, (addr, "[large kmalloc]" if not addr else "", 0))

    def rows(self, o):
        rows = [(o.group,), (o.group + "-sites", o.site), (o.group + "-sizes", o.size),
                (o.group + "-gfp", GFP[o.gfp][0])]
        if o.group == PAGES:
            orders = [str(order) for order in range(32) if 4096 << order == o.size]
            rows += [("orders", (orders + ["[other]"])[0]), ("zones", GFP[o.gfp][1])]
        if o.group == SLAB:
            rows += [("caches",) + o.cache, ("tasks",) + o.task]
        return rows

    def count_object(self, o, **values):
        for row in self.rows(o):
            self.count(*row, **values)

    def alloc(self, key, node, f):
        group = group_of(f["kind"])
        unit = GRANULE[group]
        o = Object(group=group, site=f["call_site"], size=f["bytes_alloc"],
                   cache=self.cache(f["cache"]), task=(f["pid"], self.comms.get(f["pid"], "")),
                   cpu=key[1], key=key, req=f["bytes_req"], reads=0, writes=0,
                   node=f["node"], kind=f["kind"], gfp=f["gfp_flags"], ptr=f["ptr"],
                   left=f["bytes_alloc"])
        self.count_object(o, hit=1, req=f["bytes_req"], alloc=o.size,
                          waste=o.size - f["bytes_req"], cross_node=int(o.node != node))
        if group == PAGES:
            self.count("tasks", *o.task, page_hit=1, page_bytes=o.size)
        for at in range(o.ptr, o.ptr + o.size, unit):
            self.close(group, at)
            self.memory[group][at] = (o, self.clock.stamp(key), None)
        self.objects.append(o)

    def close(self, group, at):
        """Objects that overlap an allocation were freed unseen."""
        old = self.memory[group].get(at)
        if old and old[0]:
            if not old[0].closed:
                self.count_object(old[0], unseen=1)
            old[0].closed = True
            old[0].left -= GRANULE[group]

    def access(self, f):
        """An access is to a slab object, or else to other memory, within its requested size."""
        found = [self.memory[group].get(f["ptr"] // unit * unit, NOTHING)[0]
                 for group, unit in GRANULE.items()]
        reads, writes = int(f["kind"] != 2), int(f["kind"] != 1)
        self.count("accesses", reads=reads, writes=writes)
        self.count("functions", f["ip"], reads=reads, writes=writes)
        for o in [o for o in found if o and f["ptr"] - o.ptr < o.req][:1]:
            self.count("accessed_by", f["ip"], o.site, reads=reads, writes=writes)
            o.reads += reads
            o.writes += writes
            return
        self.count("accessed_by", f["ip"], None, reads=reads, writes=writes)
        self.count("accesses", unknown_reads=reads, unknown_writes=writes)

    def end_accesses(self):
        for o in self.objects:
            rows = [("accessed_objects", o.ptr, o.site, o.req)]
            if o.group == SLAB:
                rows += [("accessed_sites", o.site), ("accessed_caches",) + o.cache[:2]]
            else:
                rows += [("accessed_" + o.group, o.site)]
            for row in rows:
                self.count(*row, reads=o.reads, writes=o.writes)
            self.count("accesses", touched=int(o.reads + o.writes > 0))
        self.count("accesses", functions=len({row[1] for row in self.sums
                                              if row[0] == "functions"}))

    def suspect(self, what, alloc_site, free_site):
        self.count("suspicious", what, alloc_site, free_site, hit=1)

    def free_bytes(self, group, f, unknown, again=None):
        """A free of which @unknown bytes have no known allocation."""
        row = (group + "-free-sites", f["call_site"])
        self.count(group, unknown_bytes=unknown)
        self.count(*row, freed=unknown)

    def call(self, group, f, unknown):
        row = (group + "-free-sites", f["call_site"])
        self.count(group, frees=1, unknown=int(unknown))
        self.count(*row, calls=1, unknown=int(unknown))

    def freed(self, o, key, node, f, size, last):
        row = (o.group + "-free-sites", f["call_site"])
        cross = int(last and o.cpu != key[1])
        nodes = int(last and o.node != node)
        self.count_object(o, freed=size, freed_objects=int(last), pingpong=cross,
                          cross_node_frees=nodes)
        self.count(*row, freed=size, cross_cpu=cross, cross_node=nodes)

    def set_free(self, group, key, f, start, end):
        for at in range(start, end, GRANULE[group]):
            self.memory[group][at] = (None, self.clock.stamp(key), f["call_site"])

    def free_pages(self, key, node, f):
        found = unknown = counted = 0
        again, doubt = None, False
        start, end = f["ptr"], f["ptr"] + f["bytes"]
        for at in range(start, end, 4096):
            o, stamp, site = self.memory[PAGES].get(at, NOTHING)
            if o and not o.closed:
                found += 4096
                self.freed(o, key, node, f, 4096, o.left == 4096)
                counted = 1
            elif not o and site and self.clock.holds(stamp, key):
                again = again or site
            else:
                unknown += 4096
                doubt |= bool(not o and site and self.clock.doubtful(stamp, key))
            if o:
                o.left -= 4096
        if again:
            self.call(PAGES, f, False)
            self.suspect("double free", again, f["call_site"])
        elif not found:
            self.call(PAGES, f, True)
        elif counted:
            self.call(PAGES, f, False)
        self.free_bytes(PAGES, f, unknown)
        self.count("trace", uncertain=int(doubt and not again))
        self.set_free(PAGES, key, f, start, end)

    def free_unseen(self, group, key, f, again):
        if again:
            self.call(group, f, False)
            self.suspect("double free", again, f["call_site"])
        else:
            self.call(group, f, True)
            self.free_bytes(group, f, f["bytes"])
        for at in range(f["ptr"], f["ptr"] + f["bytes"], GRANULE[group]):
            self.close(group, at)
        self.set_free(group, key, f, f["ptr"], f["ptr"] + f["bytes"])

    def free_object(self, key, node, f):
        ptr, group = f["ptr"], group_of(f["kind"])
        o, stamp, site = self.memory[group].get(ptr, NOTHING)
        recent = self.clock.holds(stamp, key)
        doubt = int((o or site) is not None and self.clock.doubtful(stamp, key))
        if not o:
            self.count("trace", uncertain=doubt)
            self.free_unseen(group, key, f, site if recent else None)
        elif o.ptr == ptr:
            end = ptr
            while self.memory[group].get(end, (None,))[0] is o:
                end += GRANULE[group]
            if o.closed:
                self.call(group, f, True)
                self.free_bytes(group, f, f["bytes"])
            else:
                other = group == SLAB and o.kind != f["kind"]
                if other:
                    self.count("trace", uncertain=doubt)
                if other and recent:
                    self.suspect("kmalloc memory freed by kmem_cache_free" if o.kind == 0 else
                                 "object of a cache freed by kfree", o.site, f["call_site"])
                self.call(group, f, False)
                self.freed(o, key, node, f, end - ptr, True)
            o.left -= end - ptr
            self.set_free(group, key, f, ptr, end)
        elif not recent or o.closed:
            self.count("trace", uncertain=doubt * (not o.closed))
            self.free_unseen(group, key, f, None)
        else:
            self.call(group, f, False)
            self.suspect("freed from inside an object", o.site, f["call_site"])

    def event(self, time, name, cpu, node, f):
        key = (time, cpu, 0)
        self.count("trace", events=1)
        if name == "task":
            self.comms[f["pid"]] = f["comm"].replace("\\n", "\\x0a")
        elif name == "cache":
            now, known = (f["cache"], f["name"], f["object_size"]), self.cache(f["cache"])
            if known[1] and known != now + known[3:]:
                self.named += 1
            if known[:3] != now:
                self.caches[f["cache"]] = now + (self.named,)
                if not known[1]:
                    self.rename(known, self.caches[f["cache"]])
        elif name == "switch":
            if f["allocations"] and not self.on and not f["boot"]:
                self.clock.switches += 1
            self.on = bool(f["allocations"])
        elif name == "alloc":
            self.alloc(key, node, f)
        elif name == "access":
            self.access(f)
        elif name == "free" and f["kind"] == 2:
            self.free_pages(key, node, f)
        elif name == "free":
            self.free_object(key, node, f)

    def rename(self, old, new):
        """A cache without a name so far."""
        for row in [row for row in self.sums if row[0] == "caches" and row[1:-1] == old]:
            self.sums[("caches",) + new + row[-1:]] += self.sums.pop(row)
        for o in self.objects:
            if o.cache == old:
                o.cache = new

    def end(self):
        for o in self.objects:
            if o.left and not o.closed:
                # A loss that ends after the allocation may hide its free.
                self.count_object(o, live=1, live_bytes=o.left, live_uncertain=int(
                    any(end > o.key for begin, end in self.losses)))
        self.count("trace", lost=self.lost)
        self.end_accesses()


class Check:
    """The findings of memorizer check."""

    def __init__(self, model):
        self.clock, self.on = Clock(model.losses), False
        self.memory = {group: {} for group in GRANULE}
        self.announced = set()
        self.sums = collections.Counter({"packets": model.gaps})

    def know(self, kind, nr, key, announces=False):
        """Tasks and caches are announced, unless the event was lost."""
        lossless = not any(begin <= key for begin, end in self.clock.losses)
        self.sums[kind] += (kind, nr) not in self.announced and not announces and lossless
        self.announced.add((kind, nr))

    def set(self, group, start, end, key, live):
        for at in range(start, end, GRANULE[group]):
            self.memory[group][at] = (live, start, self.clock.stamp(key), key)

    def find(self, group, start, end, key, live):
        """Return whether some of it is certainly that, and whether it would be but for a loss."""
        found = [known[2] for known in (self.memory[group].get(at) for at in
                                        range(start, end, GRANULE[group]))
                 if known and known[0] == live]
        return (any(self.clock.holds(stamp, key) for stamp in found),
                any(self.clock.doubtful(stamp, key) for stamp in found))

    def alloc(self, group, start, end, key):
        found, doubt = self.find(group, start, end, key, True)
        self.sums["overlap"] += found
        self.sums["uncertain"] += doubt and not found
        self.set(group, start, end, key, True)

    def free_pages(self, start, end, key):
        found, doubt = self.find(PAGES, start, end, key, False)
        self.sums["free"] += found
        self.sums["uncertain"] += doubt and not found
        self.sums["earlier_frees"] += \
            not found and not self.find(PAGES, start, end, key, True)[0]
        self.set(PAGES, start, end, key, False)

    def free_object(self, group, start, end, key):
        known = self.memory[group].get(start)
        live, begin, stamp = known[:3] if known else (None,) * 3
        if not known or not self.clock.holds(stamp, key):
            self.sums["earlier_frees"] += 1
            self.sums["uncertain"] += bool(known) and self.clock.doubtful(stamp, key) and \
                (not live or begin != start)
        elif not live:
            self.sums["free"] += 1
        elif begin != start:
            self.sums["free"] += 1
            return
        else:
            end = start
            while self.memory[group].get(end) == known:
                end += GRANULE[group]
        self.set(group, start, end, key, False)

    def event(self, key, name, f):
        if name in ("task", "mark", "access"):
            self.know("task", f["pid"], key, name == "task")
        elif name == "cache":
            self.know("cache", f["cache"], key, True)
        elif name == "switch":
            # Events while allocations were off are missing.
            self.clock.switches += self.on != bool(f["allocations"])
            self.on = bool(f["allocations"])
        elif name in ("alloc", "free"):
            self.know("task", f["pid"], key)
            if f["cache"]:
                self.know("cache", f["cache"], key)
            group = group_of(f["kind"])
            if name == "alloc":
                self.alloc(group, f["ptr"], f["ptr"] + f["bytes_alloc"], key)
            elif group == PAGES:
                self.free_pages(f["ptr"], f["ptr"] + f["bytes"], key)
            else:
                self.free_object(group, f["ptr"], f["ptr"] + f["bytes"], key)

    def status(self):
        if any(value for key, value in self.sums.items()
               if key not in ("uncertain", "earlier_frees")):
            return 1
        return 3 if self.clock.losses else 0


TABLES = {"sites": "slab-sites", "page_sites": "pages-sites", "free_sites": "slab-free-sites",
          "page_free_sites": "pages-free-sites", "sizes": "slab-sizes",
          "page_sizes": "pages-sizes", "gfp": "slab-gfp", "page_gfp": "pages-gfp",
          "page_orders": "orders", "page_zones": "zones",
          "live": "slab-sites", "live_pages": "pages-sites",
          "area_sites": "areas-sites", "area_free_sites": "areas-free-sites",
          "local_sites": "local-sites", "local_free_sites": "local-free-sites",
          "live_areas": "areas-sites", "live_local": "local-sites"}
SUMMARY = {"bytes_req": "req", "bytes_alloc": "alloc", "waste": "waste", "hit": "hit",
           "cross_node": "cross_node", "frees": "frees", "pingpong": "pingpong",
           "cross_node_frees": "cross_node_frees", "unknown": "unknown", "unseen": "unseen",
           "live": "live", "live_bytes": "live_bytes", "live_uncertain": "live_uncertain",
           "uncertain": "uncertain", "events": "events", "lost": "lost"}
COLUMNS = {"bytes_req": "req", "bytes_alloc": "alloc", "hit": "hit", "pingpong": "pingpong",
           "cross_node": "cross_node", "live": "live", "live_bytes": "live_bytes",
           "live_uncertain": "live_uncertain",
           "unknown": "unknown", "cross_cpu": "cross_cpu", "page_hit": "page_hit",
           "page_bytes": "page_bytes", "bytes_freed": "freed", "frees": "freed_objects",
           "reads": "reads", "writes": "writes"}


def from_csv(text):
    sums, titles = collections.Counter(), []
    for row in csv.reader(text):
        if not row:
            continue
        table, values = row[0], dict(zip(titles, row[1:]))
        if table == "table":
            titles = row[1:]
        elif titles == ["key", "value"]:
            if values["key"] in SUMMARY and (table in GRANULE or table == "trace"):
                sums[table, SUMMARY[values["key"]]] += int(values["value"])
            elif table == "accesses":
                sums[table, values["key"]] += int(values["value"])
            elif values["key"] == "bytes_freed":
                sums[table, "all-freed"] += int(values["value"])
        else:
            key = (TABLES.get(table, table),)
            if table == "suspicious":
                key += (values["what"], int(values["site"] or "0", 16),
                        int(values["free_site"] or "0", 16))
            elif table == "tasks":
                key += (int(values["pid"]), values["comm"])
            elif titles[0] in ("gfp_flags", "order", "zone"):
                key += (values[titles[0]],)
            elif table == "functions":
                key += (int(values["start"], 16),)
            elif table == "accessed_by":
                key += (int(values["name"], 16),
                        int(values["site"], 16) if values["site"] else None)
            elif table == "accessed_caches":
                key += (int(values["cache"], 16), values["name"])
            elif table == "accessed_objects":
                key += (int(values["ptr"], 16), int(values["site"], 16), int(values["bytes"]))
            elif table == "caches":
                key += (int(values["cache"], 16), values["name"], int(values["object_size"]))
            else:
                key += (int(values.get("ip") or values["bytes"], 16 if "ip" in values else 10),)
            for title, value in values.items():
                if title in COLUMNS:
                    name = COLUMNS[title]
                    if table.endswith("free_sites") and title == "hit":
                        name = "calls"
                    sums[key + (name,)] += int(value)
    return sums


def print_sums(sums):
    for key in sorted(sums, key=repr):
        if sums[key]:
            print(*key, sums[key])


def from_model(path, text):
    model = Model(path)
    check = Check(model)
    for time, name, cpu, node, fields in events(text):
        model.event(time, name, cpu, node, fields)
        check.event((time, cpu, 0), name, fields)
    model.end()
    shown = set(COLUMNS.values()) | {"calls"}
    sums = collections.Counter()
    for key, value in model.sums.items():
        # What the tables of areas, stacks and per-CPU memory have no columns for
        if key[0].split("-")[0] in (AREAS, LOCAL) and \
                (key[0].endswith(("-sizes", "-gfp")) or
                 key[-1] in ("waste", "cross_node", "cross_node_frees")):
            continue
        if key[0] in GRANULE or key[0] == "trace":
            if key[1] in SUMMARY.values() and key != (PAGES, "req") and key != (PAGES, "waste"):
                sums[key] += value
            if key[1] in ("freed", "unknown_bytes"):
                sums[key[0], "all-freed"] += value
        elif key[0] == "accesses" or key[-1] in shown:
            if key[0] == "caches":
                key = key[:4] + key[-1:]
            narrow = key[0] in ("caches", "tasks") or key[0].endswith("-sizes")
            if narrow and key[-1] in ("live", "live_bytes", "live_uncertain", "freed"):
                continue
            if key[0].endswith("-gfp") or key[0] in ("orders", "zones"):
                if key[-1] not in ("alloc", "hit", "freed_objects", "live") and \
                        key[::2] != ("slab-gfp", "req"):
                    continue
            if key[0] == "tasks" and key[-1] == "cross_node":
                continue
            if key[0].endswith("-sites") and "free" not in key[0] and key[-1] == "freed":
                continue
            if key[0].startswith(PAGES) and key[-1] == "req":
                continue
            sums[key] += value
    for key, value in check.sums.items():
        sums["check", key] = int(value)
    sums["check", "status"] = check.status()
    return sums


def from_check(text, status):
    """Return the findings of memorizer check from its JSON and exit status."""
    found = json.load(text)
    sums = {("check", key): value for key, value in found["violations"].items()}
    for key in ("uncertain", "earlier_frees"):
        sums["check", key] = found[key]
    sums["check", "status"] = status
    return sums


def main():
    if sys.argv[1] == "make":
        make(int(sys.argv[2]))
    elif sys.argv[1] == "sums":
        print_sums(from_model(sys.argv[2], sys.stdin))
    elif sys.argv[1] == "check":
        print_sums(from_check(sys.stdin, int(sys.argv[2])))
    else:
        print_sums(from_csv(sys.stdin))


main()
