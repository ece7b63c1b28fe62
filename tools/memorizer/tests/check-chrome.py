# SPDX-License-Identifier: GPL-2.0
"""Check the output of memorizer script --chrome against the events of script --json.

Usage: check-chrome.py CHROME LINES; prints the differences, and fails if there are any.
"""
import json
import sys
from decimal import Decimal

TASKS, CPUS = 1, 2
PAGE = 4096
NAMES = {("syscall", 39): "syscall getpid", ("exception", 14): "exception page_fault"}
COMMON = {"ph", "pid", "tid", "name", "ts", "cat", "args"}
failed = False


def check(good, *told):
    """Print an error unless @good."""
    global failed
    if not good:
        failed = True
        print(*told)


def shape(event):
    """Return the expected phase, process, thread and further keys of an event."""
    kind, pid, cpu = event["event"], event.get("pid"), event["cpu"]
    where = (TASKS, pid) if pid else (CPUS, cpu)
    if kind in ("enter", "leave"):
        if event["kind"] not in ("syscall", "exception"):
            where = (CPUS, cpu)
        return "B" if kind == "enter" else "E", where, set()
    if kind == "lock" and event["op"] != "unknown":
        return {"acquire": "b", "acquired": "n", "release": "e"}[event["op"]], where, {"id"}
    if kind == "mark" and event["text"].startswith(("scope ", "leave ")):
        return "B" if event["text"].startswith("scope ") else "E", where, set()
    return "i", where, {"s"}


class Live:
    """A simple model of the live bytes."""

    def __init__(self):
        self.objects, self.pages = {"slab": {}, "areas": {}, "local": {}}, set()

    def take(self, event):
        """Apply an event; return whether it changes the live bytes."""
        if event["event"] not in ("alloc", "free"):
            return False
        ptr = int(event["ptr"], 16)
        size = event["bytes_alloc" if event["event"] == "alloc" else "bytes"]
        pages = set(range(ptr // PAGE, (ptr + size) // PAGE))
        if event["kind"] == "pages":
            self.pages = self.pages | pages if event["event"] == "alloc" else self.pages - pages
            return True
        kind = event["kind"]
        objects = self.objects["slab" if kind in ("kmalloc", "cache") else
                               "local" if kind in ("stack", "percpu") else "areas"]
        if event["event"] == "alloc":
            objects[ptr] = size
        else:
            objects.pop(ptr, None)
        return True

    def bytes(self):
        """Return the arguments of the counter."""
        return {"pages": PAGE * len(self.pages),
                **{name: sum(sizes.values()) for name, sizes in self.objects.items()}}


def check_event(got, event):
    """Compare an event with script's."""
    phase, where, more = shape(event)
    check(got["args"] == event, "arguments of", event["nr"], got["args"])
    check(got["ts"] * 1000 == event["time"], "time of", event["nr"], got["ts"])
    check(got["cat"] == event["event"], "category of", event["nr"], got["cat"])
    check((got["ph"], got["pid"], got["tid"]) == (phase, *where), "place of", event["nr"], got)
    check(set(got) == COMMON | more, "members of", event["nr"], sorted(got))
    if event["event"] in ("enter", "leave"):
        check(got["name"].startswith(event["kind"]), "name of", event["nr"], got["name"])
        name = NAMES.get((event["kind"], event["number"]), got["name"])
        check(got["name"] == name, "name of", event["nr"], got["name"])
    elif phase in "BE":
        check(got["name"] == event["text"][6:], "name of", event["nr"], got["name"])
    if "id" in more:
        check(got["id"] == f"{event['lock']}.{got['tid']}", "id of", event["nr"], got["id"])
        name = event["lock_name"] or event["lock"]
        check(got["name"] == name, "name of", event["nr"], got["name"])
    if "s" in more:
        want = "g" if event["event"] == "mark" else "t"
        check(got["s"] == want, "scope of", event["nr"], got["s"])
        check(got["name"] == event.get("text", event["event"]), "name of", event["nr"])


def check_counter(got, event):
    """Compare the place of a counter with that of the event that changes it."""
    check(got["ts"] * 1000 == event["time"], "time of the counter of", event["nr"], got["ts"])
    where = got["name"], got["pid"], got["tid"]
    check(where == ("live", CPUS, 0), "counter of", event["nr"], where)


def check_names(made, events):
    """Compare the names of processes and threads with those in events."""
    named = {}
    for got in made:
        if got["ph"] == "M":
            key = got["name"], got["pid"], got["tid"]
            named.setdefault(key, []).append(got["args"]["name"])
    for process, name in ((TASKS, "Tasks"), (CPUS, "CPUs")):
        got = named.pop(("process_name", process, 0), None)
        check(got == [name], "process", process, "is named", got)
    for (what, process, thread), got in named.items():
        check(what == "thread_name", "a name of", what)
        if process == CPUS:
            check(got == [f"CPU {thread}"], "CPU", thread, "is named", got)
            continue
        # A task may have been named before the first event shown.
        want = [e["comm"] for e in events if e["event"] == "task" and e["pid"] == thread]
        check(process == TASKS and thread, "a thread of no task is named", got)
        check(got[len(got) - len(want):] == want, "task", thread, "is named", got, want)


def check_slices(events):
    """On each thread and for each id, ends match the last beginning, once there is one."""
    open_slices = {}
    for event in events:
        if event["ph"] in "BE":
            key = event["pid"], event["tid"]
        elif event["ph"] in "be":
            key = event["id"]
        else:
            continue
        stack = open_slices.setdefault(key, [])
        if event["ph"] in "Bb":
            stack.append(event["name"])
        elif stack:
            check(stack.pop() == event["name"], "ends otherwise than it began:", event)


def main():
    """Check everything."""
    with open(sys.argv[1], encoding="ascii") as file:
        made = json.load(file, parse_float=Decimal)
    with open(sys.argv[2], encoding="ascii") as file:
        events = [json.loads(line) for line in file]
    check(set(made) == {"displayTimeUnit", "traceEvents"}, "members:", sorted(made))
    check(made["displayTimeUnit"] == "ns", "unit:", made["displayTimeUnit"])
    check(events, "no events")
    all_events = made["traceEvents"]
    named = {(e["pid"], e["tid"]) for e in all_events if e["name"] == "thread_name"}
    wanted = iter(events)
    live, now, known = Live(), None, {e["pid"] for e in events if e["event"] == "task"}
    for got in all_events:
        if got["ph"] == "C":
            check(now and now.pop("changes", False), "a counter behind no allocation or free")
            check_counter(got, now["event"])
            if complete:
                check(got["args"] == live.bytes(), "live:", got["args"], live.bytes())
        elif got["ph"] != "M":
            now = dict(event=next(wanted))
            now["changes"] = live.take(now["event"])
            check_event(got, now["event"])
            task = got["pid"] == CPUS or got["tid"] not in known
            check(task or (got["pid"], got["tid"]) in named, "a thread without name:", got)
            check(got["pid"] != CPUS or (CPUS, got["tid"]) in named, "a CPU without name:", got)
    check(next(wanted, None) is None, "events are missing")
    counters = [e for e in all_events if e["ph"] == "C"]
    changes = [e for e in events if e["event"] in ("alloc", "free")]
    check(len(counters) == len(changes), "counters:", len(counters), len(changes))
    check_names(all_events, events)
    check_slices(all_events)
    return failed


# The live bytes are known if there are all events from the beginning.
with open(sys.argv[2], encoding="ascii") as lines:
    numbers = [json.loads(line)["nr"] for line in lines]
complete = numbers == list(range(1, len(numbers) + 1))
sys.exit(main())
