# SPDX-License-Identifier: GPL-2.0
"""Test memorizer html: the contents of its pages, and their use in a browser.

Usage: test-html.py DIR [--browser], with memorizer in DIR, and in its tests/ the tests' programs
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
from browser import Browser  # noqa: E402

HERE = os.path.dirname(os.path.abspath(__file__))
DATA = HERE + "/data"
BUILD = sys.argv[1]
PAGE_MAX = 5000000
OBJECTS = 30000 if "--browser" in sys.argv else 12000  # of a large trace
EVIL = "</script><b>&\"'<!--"

count = bad = 0


def check(name, good, *told):
    """Print the result of a check."""
    global count, bad
    count += 1
    bad += not good
    print(f"{'' if good else 'not '}ok {count} - {name}", flush=True)
    for text in () if good else told:
        print("#", str(text)[:600], flush=True)


def same(name, want, got):
    """Compare two values."""
    check(name, want == got, f"want: {want}", f"got:  {got}")


def memorizer(*arguments):
    """Run memorizer; return its exit status, output and messages."""
    done = subprocess.run([f"{BUILD}/memorizer", *arguments], capture_output=True, text=True,
                          check=False)
    return done.returncode, done.stdout, done.stderr


def made(*arguments):
    """Return a command's JSON, with numbers as written."""
    return numbers(memorizer(*arguments)[1])


def numbers(text):
    """Parse JSON, with numbers as decimals that compare exactly."""
    return json.loads(text, parse_float=str, parse_int=int)


def make_trace(name, text, order="le", *options):
    """Make a trace from a description, with symbols."""
    subprocess.run([f"{BUILD}/tests/make-trace", "-e", order, *options, name], input=text,
                   text=True, check=True)
    os.mkdir(name + "/kernel")
    shutil.copy(DATA + "/kallsyms", name + "/kernel")
    return name


def read(path):
    """Read a file."""
    with open(path, encoding="ascii") as file:
        return file.read()


def page_data(path):
    """Return the data of a page."""
    found = re.search(r'<script type="application/json" id="data">\n(.*?)\n</script>',
                      read(path), re.S)
    return numbers(found[1])


def tables(report):
    """Return the tables of a report."""
    return {key: rows for key, rows in report.items() if isinstance(rows, list)}


def without(report, *keys):
    """Return a report without some members."""
    return {key: value for key, value in report.items() if key not in keys}


def html(page, *inputs):
    """Make a page; return its data."""
    status, out, said = memorizer("html", "-o", page, *inputs)
    if status not in (0, 1, 3) or out:
        print("#", status, out[:200], said[:200])
    return page_data(page)


def evil_trace():
    """Return names that would be markup, or too long for a page."""
    quoted = "".join(c if c.isalnum() else f"\\x{ord(c):02x}" for c in EVIL)
    return (f"time 1000\nswitch allocations=1 boot=1\ntask pid=1 comm={quoted[:60]}\n"
            f"cache cache=ffff888000100000 object_size=60 size=64 name={quoted}\n"
            "alloc kind=1 call_site=ffffffff9b000010 ptr=ffff888000001000 bytes_req=60 "
            "bytes_alloc=64 pid=1 cache=ffff888000100000\n"
            f"mark pid=1 text={quoted}\nmark pid=1 text={'x' * 250}\n")


def large_trace():
    """Return more call sites, tasks, caches, marks and objects than a page has room for."""
    text = ["time 1000", "switch allocations=1 retirements=1 accesses=1 boot=1"]
    for i in range(OBJECTS):
        ptr = 0xffff888100000000 + 64 * i
        cache = 0xffff888000000000 + 256 * i
        text += [f"task pid={i + 1} comm=t{'%05d' % i}\\x01\\x02\\x03\\x04\\x05",
                 f"cache cache={cache:x} object_size=60 size=64 name={'c' * 80}{i}",
                 f"alloc kind=1 call_site={0xffffffff81000000 + 16 * i:x} ptr={ptr:x} "
                 f"bytes_req={i % 60 + 1} bytes_alloc=64 pid={i + 1} cache={cache:x}",
                 f"access ip={0xffffffff82000000 + 16 * i:x} ptr={ptr:x} size=8 kind={i % 3 + 1} "
                 "pid=1",
                 f"mark pid=1 text={'m' * 500}{i}"]
    return "\n".join(text) + "\n"


def test_data():
    """The pages contain the output of the commands."""
    for name, order in (("life", "le"), ("life", "be"), ("kmem", "le")):
        trace = make_trace(f"{name}-{order}", read(f"{DATA}/{name}.trace"), order)
        data = html(f"{trace}.html", trace)
        limits = ("--top", "20000")
        same(f"a page has the report of {trace}", made("report", "--json", *limits, trace),
             data["runs"][0]["report"])
        same(f"a page has the timeline of {trace}",
             made("timeline", "--json", "--spans", "240", *limits, trace),
             data["runs"][0]["timeline"])
    kmap = (f"{DATA}/session.kmap", f"{DATA}/after.kmap")
    symbols = ("--kallsyms", f"{DATA}/kallsyms")
    data = html("kmap.html", *symbols, kmap[0])
    same("a page has the report of a KMAP", made("report", "--json", "--top", "20000", *symbols, kmap[0]),
         data["runs"][0]["report"])
    same("a page of a KMAP has no timeline", None, data["runs"][0]["timeline"])
    same("a page has the privileges of a KMAP",
         made("privilege", "--json", "--top", "20000", *symbols, kmap[0]), data["runs"][0]["privilege"])
    both = ("--kallsyms", f"{DATA}/kallsyms", "--kallsyms", f"{DATA}/after.kallsyms")
    data = html("two.html", *both, *kmap)
    same("a page of two KMAPs has the symbols of each",
         [made("report", "--json", "--top", "20000", *both[2 * i:2 * i + 2], kmap[i])
          for i in range(2)], [run["report"] for run in data["runs"]])
    same("a page of two KMAPs has their diff", made("diff", "--json", "--top", "20000", *both, *kmap),
         data["diff"])
    make_trace("le", read(f"{DATA}/life.trace"))
    make_trace("more", read(f"{DATA}/kmem.trace"))
    same("a page has the privileges of a trace", made("privilege", "--json", "--top", "20000", "le"),
         html("le.html", "le")["runs"][0]["privilege"])
    data = html("traces.html", "le", "more")
    same("a page of two traces has their diff", made("diff", "--json", "--top", "20000", "le", "more"),
         data["diff"])
    make_trace("empty", "cpu 0\n")
    same("an empty trace has a page", 0, memorizer("html", "-o", "empty.html", "empty")[0])
    same("without privileges", None, page_data("empty.html")["runs"][0]["privilege"])

    make_trace("lines", read(f"{DATA}/lines.trace"))
    data = html("lines.html", "lines")
    same("a page has the output of sharing", made("sharing", "--json", "--addresses", "--top", "20000",
                                       "lines"), data["runs"][0]["sharing"])
    subprocess.run(["python3", "-B", HERE + "/make-notes.py", "vmlinux"],
                   input=read(f"{DATA}/session.notes"), text=True, check=True)
    noted = (*symbols, "--vmlinux", "vmlinux")
    data = html("noted.html", *noted, kmap[0])
    same("a page has types", made("report", "--json", "--top", "20000", *noted, kmap[0]),
         data["runs"][0]["report"])
    with open("rules", "w", encoding="ascii") as file:
        file.write("readers *read*\nall *\n")
    for chosen in (("--by", "function"), ("--calls", f"{DATA}/session.calls"),
                   ("--partition", "rules", "--calls", f"{DATA}/session.calls")):
        data = html(f"{chosen[0][2:]}.html", *noted, *chosen, kmap[0])
        same(f"a page has the privileges of {' '.join(chosen[::2])}",
             made("privilege", "--json", "--top", "20000", *noted, *chosen, kmap[0]),
             data["runs"][0]["privilege"])
    data = html("twice.html", *both, "--calls", f"{DATA}/session.calls", "--calls", "/dev/null", *kmap)
    same("a page of two KMAPs has the calls of each", [True, False],
         [run["privilege"].get("code_bytes", 0) > 0 for run in data["runs"]])
    data = page_data("noted.html")
    check("a page has members", data["runs"][0]["report"]["fields"], data["runs"][0]["report"])
    same("a page has layouts", made("layout", "--all", "--json", "--top", "20000",
                                                *noted, kmap[0]),
         data["runs"][0]["layout"])
    same("a page without notes has no layouts", None, page_data("kmap.html")["runs"][0]["layout"])
    frames = ("--kallsyms", f"{DATA}/kallsyms", "--skip", "widget_*")
    data = html("frames.html", *frames, f"{DATA}/frames.kmap")
    same("a page has the functions on stacks, with --skip",
         made("report", "--json", "--top", "20000", *frames, f"{DATA}/frames.kmap"),
         data["runs"][0]["report"])
    check("there are some", data["runs"][0]["report"]["children"])


def test_names():
    """Names from the kernel and from programs are harmless."""
    make_trace("evil", evil_trace())
    html("evil.html", "evil")
    text = read("evil.html")
    same("no name ends or starts a script", [2, 2, 0],
         [text.count("<script"), text.count("</script"), text.count("<!--")
          - text.split("<style>")[0].count("<!--")])
    data = page_data("evil.html")["runs"][0]
    same("names are unchanged", [EVIL], [row["name"] for row in data["report"]["caches"]])
    same("long names lose their middle", ["x" * 100 + ".." + "x" * 100],
         [row["text"] for row in data["timeline"]["marks"][1:]])


def rest_adds_up(whole, cut, key):
    """Return whether the rows and the rest of a table add up to all rows."""
    rest = cut.get(key + "_rest", {"rows": 0})
    rows = cut[key]
    if rest["rows"] + len(rows) != len(whole[key]):
        return False
    return all(sum(row[column] for row in rows) + rest[column] ==
               sum(row[column] for row in whole[key]) for column in rest if column != "rows")


def test_size():
    """A page is not too large for any input, and counts what has no room."""
    make_trace("large", large_trace())
    data = html("large.html", "large")["runs"][0]
    size = os.path.getsize("large.html")
    check("a page has at most 5 MB", size <= PAGE_MAX, size)
    check("a page uses most of 5 MB", size > PAGE_MAX * 3 / 4, size)
    report = data["report"]
    whole = made("report", "--json", "large")
    folded = [key for key in tables(report) if key + "_rest" in report]
    same("rows without room are folded",
         {"accessed_by", "accessed_caches", "accessed_objects", "accessed_sites", "caches",
          "functions", "live", "sites", "tasks"}, set(folded))
    same("folded rows are counted", [], [key for key in tables(report)
                             if not rest_adds_up(whole, report, key)])
    same("marks without room are counted", OBJECTS, len(data["timeline"]["marks"]) +
         data["timeline"]["marks_rest"]["rows"])
    if OBJECTS > 20000:
        html("large.html", "large", "large")
        size = os.path.getsize("large.html")
        check("a page of two has at most 5 MB", PAGE_MAX / 2 < size <= PAGE_MAX, size)
    cut = made("report", "--json", "--top", "1", "le")
    whole = made("report", "--json", "le")
    same("report --top counts the rows that it leaves out", [],
         [key for key in tables(whole) if not rest_adds_up(whole, cut, key)])
    check("accessed objects without room are counted", cut["accessed_objects_rest"]["rows"] > 0, cut)


ROWS = """return [...document.querySelectorAll(arguments[0] + ' tbody tr')].map((tr) =>
    Object.fromEntries([...tr.cells].map((td) => [td.dataset.key, td.dataset.value ??
        td.textContent])))"""


def rows_shown(browser, table="main"):
    """Return the rows of the shown table, as texts."""
    return browser.run(ROWS, table)


def as_shown(rows):
    """Return the same from JSON."""
    def text(value):
        if value is None:
            return "-"
        # Numbers have no trailing zeros.
        return re.sub(r"(\.\d*?)0+$", r"\1", value).rstrip(".") \
            if isinstance(value, str) and re.fullmatch(r"-?\d+\.\d+", value) else str(value)
    return [{key: text(value) for key, value in row.items()} for row in rows]


def contrast(browser):
    """Return the contrast of the page's text and faint text to the background."""
    return browser.run("""
        function light(c) {
            const [r, g, b] = c.match(/[\\d.]+/g).map((n) => n / 255).map((n) =>
                n <= 0.04045 ? n / 12.92 : ((n + 0.055) / 1.055) ** 2.4);
            return 0.2126 * r + 0.7152 * g + 0.0722 * b;
        }
        const paper = light(getComputedStyle(document.body).backgroundColor);
        const texts = ["body", "footer", "main a", "caption", ".card p", ".card small", ".share"];
        return texts.map((s) => document.querySelector(s)).filter(Boolean).map((e) => {
            const ink = light(getComputedStyle(e).color);
            return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
        });""")


def test_tables(browser):
    """Each table of a page has the figures of the report, and can be sorted and filtered."""
    for page in ("life-le", "kmap", "kmem-le"):
        report = page_data(page + ".html")["runs"][0]["report"]
        wrong = []
        for key, rows in tables(report).items():
            browser.open(page + ".html", f"#v=tables&t={key}")
            if rows and rows_shown(browser) != as_shown(rows):
                wrong += [key, as_shown(rows)[:2], rows_shown(browser)[:2]]
        same(f"all tables of {page} have the figures of --json", [], wrong)
        browser.open(page + ".html")
        sums = {name: value for name, value in report.items()
                if isinstance(value, dict) and name != "filters"}
        got = {name: browser.run("""return Object.fromEntries([...document.querySelectorAll(
            `[data-sums="${arguments[0]}"] dd`)].map((d) => [d.dataset.key, d.dataset.value]))""",
                                 name) for name in sums}
        same("the overview has the sums of --json", {name: as_shown([value])[0] for name, value in sums.items()},
             got)
        labels = browser.run("""return [...document.querySelectorAll("[data-sums]")].map((dl) =>
            [...dl.querySelectorAll("dt")].map((dt) => dt.textContent))""")
        same("each label stands for one sum", [len(set(names)) for names in labels],
             [len(names) for names in labels])
    with open("huge.kmap", "w", encoding="ascii") as file:
        file.write("ffffffff9b000010,1,ffff888000001000,32,1,0,0,tar\n"
                   f"  ffffffff9b000110,1,{2 ** 64 - 2},9007199254740993\n"
                   "ffffffff9b000020,1,ffff888000002000,32,1,0,0,tar\n"
                   f"  ffffffff9b000190,1,5,9007199254740992\n")
    html("huge.html", "huge.kmap")
    browser.open("huge.html", "#v=tables&t=sites&s=reads")
    same("large numbers keep their digits and their order",
         [("9007199254740992", "5"), ("9007199254740993", str(2 ** 64 - 2))],
         [(row["reads"], row["writes"]) for row in rows_shown(browser)])


def card_rows(browser, card):
    """Return the names and amounts of a card of the overview."""
    return [tuple(row) for row in browser.run("""return [...document.querySelectorAll(
        `[data-card="${arguments[0]}"] tr`)].map((tr) => [tr.querySelector("td.text").firstChild.textContent,
                                                          tr.querySelector("td.bar").dataset.value])""", card)]


def first_rows(rows, name, much):
    """Return the first eight rows by an amount, as in a card."""
    rows = sorted((row for row in rows if much(row)), key=lambda row: -abs(much(row)))[:8]
    return [(name(row) or "[unknown]", str(much(row))) for row in rows]


def accesses(row):
    """Return reads and writes."""
    return row["reads"] + row["writes"]


def test_overview(browser):
    """The overview has the figures of the tables."""
    def name(row):
        return row["name"]

    for page, prefix, amount in (("kmap", "", "bytes"), ("kmem-le", "", "bytes_alloc"),
                                 ("life-le", "kmap_", "bytes")):
        report = page_data(page + ".html")["runs"][0]["report"]
        browser.open(page + ".html")
        same(f"{page}: call sites that allocate most",
             first_rows(report[prefix + "sites"], name, lambda row: row[amount]),
             card_rows(browser, "sites"))
        functions = first_rows(report[prefix + "functions"], name, accesses)
        same(f"{page}: functions that access most", functions, card_rows(browser, "functions"))
        live = (report["live"], "live_bytes") if not prefix and "live" in report else (
            report[prefix + "sites"], "live")
        same(f"{page}: live objects", first_rows(live[0], name, lambda row: row[live[1]]),
             card_rows(browser, "live"))
    browser.open("frames.html")
    same("functions on stacks that allocate most", first_rows(
        page_data("frames.html")["runs"][0]["report"]["children"], name, lambda row: row["children_bytes"]),
         card_rows(browser, "stacks"))
    sharing = page_data("lines.html")["runs"][0]["sharing"]
    browser.open("lines.html")
    same("lines that move between CPUs", sorted(amount for _, amount in first_rows(
        sharing["pairs"], lambda row: row["object"], lambda row: row["moves"])),
         sorted(amount for _, amount in card_rows(browser, "sharing")))
    check("there are moves between CPUs", bool(card_rows(browser, "sharing")))
    diff = page_data("two.html")["diff"]
    browser.open("two.html")
    got = card_rows(browser, "changes")
    same("the largest changes", first_rows(diff["sites"], name, lambda row: row["bytes_change"])[:3],
         [row for row in got if row in [(r["name"], str(r["bytes_change"])) for r in diff["sites"]]][:3])
    check("at most three tables of changes", 3 < len(got) <= 9, got)
    browser.click('[data-card="changes"] h2 a')
    check("the card leads to all changes", "v=changes" in browser.run("return location.hash"))
    browser.open("kmap.html")
    browser.click('[data-card="sites"] td a')
    check("a row leads to its call site", "v=map" in browser.run("return location.hash"))
    broken = []
    for page in ("kmap", "kmem-le", "life-le", "lines", "noted", "two", "frames", "evil"):
        browser.open(page + ".html")
        if browser.run("return document.querySelectorAll('.card').length") != 6 + (page == "frames"):
            broken.append(page + " has not its cards")
        if browser.run("return document.documentElement.scrollWidth > innerWidth"):
            broken.append(page + " is wider than the window")
    same("each overview has its cards and fits the window", [], broken)
    same("a hostile name is text in a card", [EVIL], [row[0] for row in card_rows(browser, "types")])
    check("all text of the overview has enough contrast", min(contrast(browser)) >= 4.5, contrast(browser))
    browser.click("#theme")
    check("all text has enough contrast in dark mode", min(contrast(browser)) >= 4.5, contrast(browser))


def test_use(browser):
    """Sorting, filtering, links, the keyboard."""
    rows = page_data("large.html")["runs"][0]["report"]["sites"]
    browser.open("large.html", "#v=tables&t=sites")
    same("a long table shows its first rows", as_shown(rows[:200]), rows_shown(browser))
    browser.click(".more")
    same("a long table shows more rows on demand", as_shown(rows[:400]), rows_shown(browser))
    browser.click('th[data-key="bytes_req"] button')
    down = sorted(rows, key=lambda row: -row["bytes_req"])
    same("a click on a column head sorts, largest first", as_shown(down[:200]), rows_shown(browser))
    browser.press("Enter")
    up = sorted(rows, key=lambda row: row["bytes_req"])
    same("a key sorts in reverse", as_shown(up[:200]), rows_shown(browser))
    same("the order is announced", "ascending",
         browser.run("return document.querySelector('th[data-key=bytes_req]').ariaSort"))
    browser.run("document.activeElement.blur()")
    browser.press("/")
    browser.press(*"bytes_req>=60 810")
    want = [row for row in up if row["bytes_req"] >= 60 and
            any("810" in str(value) for value in row.values())]
    same("/ focuses the filter, which compares and searches", as_shown(want[:200]),
         rows_shown(browser))
    same("filtered rows are counted", str(len(want)),
         browser.run("return document.querySelector('[data-rows]').dataset.rows"))
    link = browser.run("return location.hash")
    browser.open("large.html", link)
    same("a link restores the view", as_shown(want[:200]), rows_shown(browser))
    same("a link restores the filter", "bytes_req>=60 810",
         browser.run("return document.getElementById('search').value"))
    same("folded rows are shown", str(page_data("large.html")["runs"][0]["report"]
                                        ["sites_rest"]["bytes_alloc"]),
         browser.run("return document.querySelector('tfoot [data-key=bytes_alloc]').dataset.value"))
    browser.press("Escape")
    same("Escape clears the filter", str(len(rows)),
         browser.run("return document.querySelector('[data-rows]').dataset.rows"))


def test_map(browser):
    """From a call site to its accesses and back, without a mouse."""
    report = page_data("kmap.html")["runs"][0]["report"]
    browser.open("kmap.html", "#v=map&m=reads")
    read_most = sorted((row for row in report["sites"] if row["reads"]),
                       key=lambda row: -row["reads"])
    same("the map has a tile for each call site, largest first",
         [row["name"] for row in read_most],
         browser.run("return [...document.querySelectorAll('.tile')].map((t) => t.dataset.name)"))
    area = browser.run("""return [...document.querySelectorAll('.tile rect')].map((r) =>
        r.width.baseVal.value * r.height.baseVal.value)""")
    all_reads = sum(row["reads"] for row in read_most)
    same("the areas of tiles are their shares",
         [round(1000 * row["reads"] / all_reads) for row in read_most],
         [round(1000 * a / sum(area)) for a in area])
    browser.run("document.querySelector('.tile[tabindex=\"0\"]').focus()")
    browser.press("Right", "Enter")
    name = read_most[1]["name"]
    same("arrow keys and Enter select a tile", name,
         browser.run("return document.getElementById('detail').dataset.of"))
    same("the details of the tile are shown", {k: v for k, v in as_shown([read_most[1]])[0].items()
                                  if k != "name"},
         {k: "-" if v == "null" else v for k, v in browser.run(
             "return Object.fromEntries([...document.querySelectorAll('#detail dd')]"
             ".map((d) => [d.dataset.key, d.dataset.value]))").items()})
    same("the functions that access it are shown", as_shown([r for r in report["who"] if r["site"] == name]),
         rows_shown(browser, "#detail"))
    browser.click("#detail tbody a")
    function = [r for r in report["who"] if r["site"] == name][0]["name"]
    same("a function leads to what it accesses",
         as_shown([r for r in report["who"] if r["name"] == function]),
         rows_shown(browser, "#detail"))
    browser.run("history.back()")
    same("back restores the previous view", name,
         browser.run("""return new Promise((done) => setTimeout(() =>
             done(document.getElementById('detail').dataset.of), 200))"""))


MEMBERS = "#detail section[data-table=members]"
CELLS = """return Object.fromEntries([...document.querySelectorAll('#record .tile')].map((t) =>
    [t.dataset.field ?? t.getAttribute('aria-label').split(':')[0], t.dataset.value]))"""


def layout_shown(rows):
    """Return rows of layout by offset as in the page: accesses to no single member have none."""
    nowhere = {"offset": None, "size": None, "line": None}
    return as_shown(sorted((row if row["type"] or row["field"].startswith("[hole at")
                            else {**row, **nowhere} for row in rows),
                           key=lambda row: (row["offset"] is None, row["offset"])))


def test_types(browser):
    """From a type to its layout in lines, its members, and the accesses to one."""
    report = page_data("noted.html")["runs"][0]["report"]
    browser.open("noted.html", "#v=map&m=reads")
    same("the map has types, if known",
         [row["type"] or "[unknown]" for row in report["types"] if row["reads"]],
         browser.run("return [...document.querySelectorAll('.tile')].map((t) => t.dataset.name)"))
    browser.run("document.querySelector('.tile[tabindex=\"0\"]').focus()")
    browser.press("Right", "Enter")
    noted = ("--kallsyms", DATA + "/kallsyms", "--vmlinux", "vmlinux")
    kmap = DATA + "/session.kmap"
    layout = made("layout", "--json", *noted, "widget", kmap)["layout"]
    same("a type leads to its members, as in layout", layout_shown(layout),
         rows_shown(browser, MEMBERS))
    same("a type leads to its figures", {key: str(value) for key, value in next(
        row for row in report["types"] if row["type"] == "widget").items() if key != "type"},
         browser.run("return Object.fromEntries([...document.querySelectorAll('#detail dd')]"
                     ".map((d) => [d.dataset.key, d.dataset.value]))"))
    leaves = [row for row in layout if row["field"] != "inner"]
    for metric in ("accesses", "reads", "writes"):
        browser.open("noted.html", f"#v=map&x=widget&h={metric}")
        same(f"the picture of a type has the {metric} of each member, and holes", {
            row["field"]: str(row.get(metric, row["reads"] + row["writes"])) for row in leaves},
             browser.run(CELLS))
        depths = browser.run("""return [...document.querySelectorAll('#record [data-value]')].map(
            (t) => [Number(t.dataset.value), Number(t.dataset.depth)])""")
        same("more accesses give a deeper colour", sorted(depths),
             sorted(depths, key=lambda pair: pair[1]))
    boxes = browser.run("""return Object.fromEntries([...document.querySelectorAll(
        '#record .tile')].map((t) => [t.dataset.field ?? t.getAttribute('aria-label').split(':')[0],
        [t.querySelector('rect').x.baseVal.value, t.querySelector('rect').width.baseVal.value]]))""")
    byte = boxes["next"][1] / 8
    same("members are at their offsets", {row["field"]: [row["offset"], row["size"]] for row in leaves},
         {name: [round((x - boxes["next"][0]) / byte), round(width / byte)]
          for name, (x, width) in boxes.items()})
    same("cells differ by more than colour", [True, True, True], browser.run(
        """return ['never', 'hole', 'written'].map((c) => new Set(['next', 'flag'].map((f) => {
        const t = document.querySelector(`#record [data-field="${f}"]`);
        return c === 'hole' ? getComputedStyle(document.querySelector('.hole rect')).fill
                            : c === 'never' ? t.getAttribute('aria-label').includes('never accessed')
                            : t.querySelector('.written') === null;})).size === (c === 'hole' ? 1 : 2))"""))
    browser.run("document.querySelector('#record .tile[tabindex=\"0\"]').focus()")
    browser.press("Right", "Enter")
    users = made("who", "--json", *noted, "widget.inner.count", kmap)["functions"]
    got = rows_shown(browser, "#users")
    same("arrow keys and Enter lead to the accesses to a member", as_shown(users),
         [{key: value for key, value in row.items() if key != "type"} for row in got])
    same("the member keeps the focus", "inner.count",
         browser.run("return document.activeElement.dataset.field"))
    same("the member is marked in the table", ["inner.count"], browser.run(
        "return [...document.querySelectorAll('tr[aria-selected] [data-key=field]')]"
        ".map((td) => td.textContent)"))
    same("a link leads to the member", "widget.inner.count",
         (browser.open("noted.html", browser.run("return location.hash")),
          browser.run("return document.getElementById('detail').dataset.of"))[1])
    browser.open("noted.html", "#v=map&x=widget&f=inner")
    same("a member with members has their users", as_shown(users),
         [{key: value for key, value in row.items() if key != "type"}
          for row in rows_shown(browser, "#users")])
    browser.click("#users td[data-key=name] a")
    what = made("what", "--json", *noted, users[0]["name"], kmap)["members"]
    got = [{key: value for key, value in row.items() if key != "name"}
           for row in rows_shown(browser, "#detail")]
    same("a function leads to what it accesses", sorted(as_shown(what), key=str),
         sorted(got, key=str))
    browser.click("#detail td[data-key=field] a")
    check("a user leads to the member", browser.run(
        "return document.getElementById('detail').dataset.of").startswith("widget."))
    browser.open("noted.html", "#v=map&m=reads&g=sites")
    same("the map has call sites on request", [row["name"] for row in report["sites"] if row["reads"]],
         browser.run("return [...document.querySelectorAll('.tile')].map((t) => t.dataset.name)"))


def test_parts(browser):
    """Embedded records, members that share bytes, lines without accesses."""
    notes = read(f"{DATA}/session.notes").split("record struct widget")[0]
    notes = notes.replace("widget inner.count include/widget.h 3 8 4 32 0",
                          "inner count include/widget.h 3 0 4 4 0")
    notes = notes.replace("widget name[] include", "widget one include")
    notes += ("record struct inner 4\nmember 0 4 count int\nrecord struct widget 400\n"
              "member 0 8 next widget *\nmember 8 4 inner inner\nmember 8 4 inner.count int\n"
              "member 64 4 one int\nmember 64 8 two long\nmember 72 256 pad outer\n"
              "member 72 256 pad.a long [32]\nmember 328 16 more outer [1]\n"
              "member 384 4 flag int\n")
    subprocess.run(["python3", "-B", HERE + "/make-notes.py", "parts.vmlinux"], input=notes,
                   text=True, check=True)
    noted = ("--kallsyms", DATA + "/kallsyms", "--vmlinux", "parts.vmlinux")
    data = html("parts.html", *noted, f"{DATA}/session.kmap")["runs"][0]
    whole = made("layout", "--json", *noted, "widget", f"{DATA}/session.kmap")["layout"]
    got = [{key: value for key, value in row.items() if key != "record"}
           for row in data["layout"]["layouts"] if row["record"] == "widget"]
    same("an unaccessed member shows no members",
         [row for row in whole if row["field"] != "pad.a"], got)
    browser.open("parts.html", "#v=map&x=widget&f=inner.count")
    same("an access to an embedded record counts for the enclosing member", ["widget", "inner.count"],
         [rows_shown(browser, "#users")[0][key] for key in ("type", "field")])
    same("members that share bytes share a cell", 1, browser.run(
        "return document.querySelectorAll('#record [aria-label^=\"one | two\"]').length"))
    same("lines without accesses are merged", ["line 0", "line 1",
         "lines 2\u20135: nothing accessed", "line 6"], browser.run(
             "return [...document.querySelectorAll('#record > text')].map((t) => t.textContent)"))
    browser.click("#detail td[data-key=type] a")
    same("the type of a member leads to that type", "inner", browser.run(
        "return document.getElementById('detail').dataset.of"))


def test_difference(browser):
    """Two runs in the picture of a type."""
    subprocess.run(["python3", "-B", HERE + "/make-notes.py", "after.vmlinux"],
                   input=read(f"{DATA}/after.notes"), text=True, check=True)
    options = ("-K", DATA + "/kallsyms", "-K", DATA + "/after.kallsyms", "-k", "vmlinux", "-k",
               "after.vmlinux")
    kmaps = (f"{DATA}/session.kmap", f"{DATA}/after.kmap")
    html("both.html", *options, *kmaps)
    diff = made("diff", "--json", "--all", *options, *kmaps)
    name = next(row["type"] for row in diff["fields"] if row["type"])
    for run in "01":
        browser.open("both.html", f"#v=map&x={name}&h=accesses_change&r={run}")
        rows = rows_shown(browser, MEMBERS)
        got = {row["field"]: [int(row["accesses_" + key]) for key in ("before", "after", "change")]
               for row in rows if row["accesses_before"] != "0" or row["accesses_after"] != "0"}
        want = {}
        for row in diff["fields"]:
            if row["type"] == name:
                n = [sum(row[f"{key}{when}"] for key in ("reads", "writes"))
                     for when in ("_before", "")]
                want[row["field"]] = [*n, n[1] - n[0]]
        want["inner"] = want["inner.count"]
        same(f"a type has the accesses of both runs, seen from {run}", want, got)
        there = {row["field"] for row in rows if row["offset"] != "-"}
        same("the picture of a type has the changes of its members",
             {field: str(n[2]) for field, n in want.items() if field in there - {"inner"}},
             {field: n for field, n in browser.run(CELLS).items() if field in want})
    check("some members have changes", any(n[2] for n in want.values()), want)
    browser.open("both.html", "#v=map&m=accesses_change")
    tiles = browser.run("return [...document.querySelectorAll('#treemap .tile')].map((t) => "
                        "t.dataset.name)")
    check("the map has tiles for changes", name in tiles, tiles)
    browser.open("both.html", f"#v=map&x={name}")
    users = {(row["name"].split(".")[0], row["field"]): [int(row["accesses_before"]), int(row["accesses_after"])]
             for row in rows_shown(browser, "#users")}
    want = {(row["name"], row["field"]): [row["reads_before"] + row["writes_before"],
                                          row["reads"] + row["writes"]]
            for row in diff["users"] if row["type"] == name}
    same("users of a type are those of both runs", want, users)


def test_sharing(browser):
    """Accesses by CPU."""
    sharing = page_data("lines.html")["runs"][0]["sharing"]
    for metric in ("moves", "loads", "stores"):
        browser.open("lines.html", f"#v=sharing&m={metric}&s=-all")
        want = {}
        for row in sharing["addresses"]:
            place = want.setdefault((str(row["object"]), str(row["site"])), {})
            place[row["cpu"]] = place.get(row["cpu"], 0) + row[metric]
        got = {}
        for row in rows_shown(browser, "#matrix"):
            place = {int(key[4:]): int(value) for key, value in row.items()
                     if key.startswith("cpu_") and int(value)}
            same_sum = int(row["all"]) == sum(place.values())
            got[row["object"], row["site"]] = place if same_sum else None
        same(f"the matrix has all {metric}",
             {key: {cpu: n for cpu, n in place.items() if n} for key, place in want.items()},
             {tuple("None" if text == "-" else text for text in key): place
              for key, place in got.items()})
    check("the matrix has several CPUs", len({row["cpu"] for row in sharing["addresses"]}) > 1)
    browser.open("lines.html", "#v=tables&t=sharing.pareto")
    same("the page has the tables of sharing", as_shown(sharing["pareto"]), rows_shown(browser))


def test_privilege(browser):
    """Privileges, and what would be better."""
    privilege = page_data("partition.html")["runs"][0]["privilege"]
    browser.open("partition.html", "#v=privilege")
    wrong = [[key, rows_shown(browser, f"[data-table={key}]")] for key, rows in tables(privilege).items()
             if not rows or rows_shown(browser, f"[data-table={key}]") != as_shown(rows)]
    same("all tables have the figures of --json", [], wrong)
    best = privilege["relocations"][0]
    check("the best move is shown", [text for text in [browser.run("""return document.getElementById(
        'best').textContent.replace(/\\u202f/g, '')""")] if text.startswith(
            f"Best move: {best['function']} from {best['compartment']} to {best['better']} "
            f"saves {best['saved']},")], best)
    browser.click("[data-table=compartments] th[data-key=allowed] button")
    same("a click on a title sorts its table", sorted((row["allowed"] for row in privilege["compartments"]),
                                                      reverse=True),
         [int(row["allowed"]) for row in rows_shown(browser, "[data-table=compartments]")])
    same("and no other table", as_shown(privilege["privileges"]),
         rows_shown(browser, "[data-table=privileges]"))
    same("the title keeps the focus", "compartments", browser.run(
        "return document.activeElement.closest('[data-table]').dataset.table"))
    browser.open("empty.html")
    same("a page without privileges has no view of them", 0, browser.run(
        "return document.querySelectorAll('nav a[href*=privilege]').length"))


def test_time(browser):
    """Live objects over time."""
    timeline = page_data("life-le.html")["runs"][0]["timeline"]
    browser.open("life-le.html", "#v=time")
    points = browser.run("return document.querySelector('path.slab').getAttribute('d')")
    tops = [-float(y) for y in re.findall(r" ([\d.]+)", points)]
    live = [span["slab_live"] for span in timeline["spans"]]
    scale = (max(tops) - min(tops)) / (max(live) - min(live))
    check("the curve shows live bytes", len(tops) == len(live) and
          all(abs(top - min(tops) - (n - min(live)) * scale) < 0.2
              for top, n in zip(tops, live)), points[:300])
    same("each mark has a line", 2 * len(timeline["marks"]),
         browser.run("return document.querySelectorAll('line.mark').length"))
    browser.run("document.getElementById('span').focus()")
    browser.press("Right", "Right", "Right")
    same("arrow keys move along the curve", {key: str(timeline["spans"][3][key]) for key in
                                ("begin", "slab_live", "pages_live", "allocs", "frees")},
         browser.run("return {...document.getElementById('at').dataset}"))
    browser.open("life-le.html", browser.run("return location.hash"))
    same("a link restores the time", "3",
         browser.run("return document.getElementById('span').value"))
    dashes = browser.run("""return ["slab", "pages"].map((c) =>
        getComputedStyle(document.querySelector("path." + c)).strokeDasharray)""")
    check("curves differ by more than colour", dashes[0] != dashes[1], dashes)


def test_changes(browser):
    """Two runs in one view."""
    data = page_data("two.html")
    wrong = []
    for key, rows in tables(data["diff"]).items():
        browser.open("two.html", f"#v=changes&t={key}")
        if rows and rows_shown(browser) != as_shown(rows):
            wrong += [key, rows_shown(browser)]
    same("changes have the figures of diff --json", [], wrong)
    browser.open("two.html", "#v=tables&t=sites&r=1")
    same("the second run has its own tables", as_shown(data["runs"][1]["report"]["sites"]),
         rows_shown(browser))
    browser.open("traces.html", "#v=changes")
    same("both runs are in one picture", 2, browser.run(
        "return document.querySelectorAll('path.slab').length"))


def test_looks(browser):
    """Light, dark, printed, and without external resources."""
    browser.open("life-le.html", "#v=tables&t=accessed_by")
    first = contrast(browser)
    was = browser.run("return getComputedStyle(document.body).backgroundColor")
    browser.click("#theme")
    second = contrast(browser)
    now = browser.run("return getComputedStyle(document.body).backgroundColor")
    check("the theme switches between light and dark", was != now, was, now)
    check("all text has enough contrast in both themes", min(first + second) >= 4.5, first, second)
    pdf = browser.ask("POST", "/print", {})
    check("the page can be printed", pdf.startswith("JVBERi0"), pdf[:40])
    browser.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia",
                                              "params": {"media": "print"}})
    same("the print has no controls", ["none", "none"], browser.run(
        "return ['nav', '#find'].map((s) => getComputedStyle(document.querySelector(s)).display)"))
    browser.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia",
                                              "params": {"media": ""}})
    same("the page loads no external resources", [], browser.run(
        "return performance.getEntriesByType('resource').map((e) => e.name)"))
    same("the page cannot load external resources", "blocked", browser.run("""return fetch('http://127.0.0.1:9/').then(
        () => 'fetched', () => 'blocked')"""))
    browser.said()
    browser.open("evil.html", "#v=tables&t=caches")
    same("a hostile name is text in a table", EVIL, browser.run(
        "return document.querySelector('td[data-key=name]').textContent"))
    browser.open("evil.html", "#v=time")
    same("a hostile mark is text", EVIL[:28], browser.run(
        "return document.querySelector('text.mark').lastChild.textContent"))
    nameless = browser.run("""return [...document.querySelectorAll(
        'a, button, input, select, svg')].filter((e) => !(e.textContent.trim() || e.ariaLabel ||
        (e.labels && e.labels.length))).map((e) => e.outerHTML)""")
    same("all controls have accessible names", [], nameless)


def test_big(browser):
    """Ten million events and a million objects."""
    subprocess.run([f"{BUILD}/tests/make-trace", "-b", "10000000", "-l", "1000000", "big"],
                   check=True)
    shutil.copytree("le/kernel", "big/kernel")
    data = html("big.html", "big")["runs"][0]
    shutil.rmtree("big")
    size = os.path.getsize("big.html")
    check("a page of ten million events has at most 5 MB", size <= PAGE_MAX, size)
    check("a million objects are live", data["report"]["trace"]["events"] >= 10000000 and
          data["report"]["slab"]["live"] + data["report"]["pages"]["live"] > 450000,
          data["report"]["slab"])
    for page in ("big.html", "large.html"):
        browser.open(page, "#v=tables&t=sites&s=-hit")
        print(f"# {page}: {os.path.getsize(page)} bytes, usable",
              browser.run("return document.documentElement.dataset.ready"), "ms after it was asked "
              "for; sorting took", browser.run("""const before = performance.now();
                  document.querySelector('th[data-key=frees] button').click();
                  return Math.round(performance.now() - before)"""), "ms")
    browser.open("big.html", "#v=tables&t=sites")
    same("the large page has the report's figures", as_shown(data["report"]["sites"])[:200], rows_shown(browser))


def main():
    """Run all tests; those with a browser if requested."""
    test_data()
    test_names()
    test_size()
    if "--browser" in sys.argv:
        with Browser() as browser:
            for test in (test_tables, test_overview, test_use, test_map, test_types, test_parts, test_difference, test_sharing, test_privilege, test_time,
                         test_changes, test_looks, test_big):
                test(browser)
                said = [text for text in browser.said() if "127.0.0.1:9" not in text]
                same(f"{test.__name__[5:]}: no errors on the page's console", [], said)


BUILD = os.path.abspath(BUILD)
with tempfile.TemporaryDirectory() as directory:
    os.chdir(directory)
    main()
    os.chdir("/")
print(f"1..{count}")
sys.exit(bad > 0)
