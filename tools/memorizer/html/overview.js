// SPDX-License-Identifier: GPL-2.0
/*
 * The overview of the page that memorizer html writes: figures, and cards that each answer a
 * question with the first rows of a table. These functions use page.js's, which are defined
 * when they are called.
 */

const CARD_ROWS = 8;

/* Return a number in few characters; its title has all digits. */
function brief(n) {
	const value = Number(n), units = ["", "k", "M", "G", "T"];
	let unit = 0, rest = Math.abs(value);

	for (; rest >= (unit ? 1000 : 10000) && unit < units.length - 1; unit++)
		rest /= 1000;
	return (value < 0 ? "\u2212" : "") + (unit ? rest.toFixed(1) + "\u202f" + units[unit] : grouped(Math.abs(value)));
}

function percent(part, whole) {
	const share = Number(whole) ? 100 * Number(part) / Number(whole) : 0;

	return (share && share < 10 ? share.toFixed(1) : share.toFixed(0)) + "\u202f%";
}

function several(n, what) {
	return `${grouped(n)} ${what}${n == 1 ? "" : "s"}`;
}

function accesses(row) {
	return plus(row.reads ?? 0, row.writes ?? 0);
}

/* Return the sum of all rows of a table, including folded ones. */
function total(rows, rest, much) {
	return rows.reduce((n, row) => plus(n, much(row)), rest ? much(rest) : 0);
}

/* Return the first rows by an amount. */
function firstRows(rows, much) {
	return rows.filter((row) => much(row) != 0)
		.sort((a, b) => larger(Math.abs(Number(much(b))), Math.abs(Number(much(a))))).slice(0, CARD_ROWS);
}

/*
 * Draw a card: its question as a link to the full view, a sentence, and rows, each with a name
 * that may be a link, a note below it, and an amount with its bar. Shares are relative to @whole.
 */
function card(id, title, to, sentence, rows, show) {
	const most = Math.max(1, ...rows.map((row) => Math.abs(Number(show.much(row)))));

	return el("section", { class: "card", "data-card": id },
		  el("h2", {}, to ? el("a", { href: linkTo({ q: "", t: "", s: "", x: "", f: "", m: "", g: "", ...to }) }, title) : title),
		  el("p", { class: "faint" }, sentence),
		  rows.length ? el("table", {}, el("tbody", {}, rows.map((row) => cardRow(row, show, most)))) : null);
}

function cardRow(row, show, most) {
	const name = show.name(row) ?? "[unknown]", to = show.to?.(row), note = show.note?.(row);
	const much = show.much(row), unit = show.unit ?? brief;
	const sign = show.signed && much > 0 ? "+" : "";

	return el("tr", {},
		  el("td", { class: "text", title: note ? `${name}: ${note}` : name },
		     to ? el("a", { href: linkTo({ q: "", t: "", s: "", f: "", m: "", ...to }) }, name) : name,
		     note ? el("small", {}, note) : null),
		  el("td", { class: show.signed && much > 0 ? "bar more" : "bar", "data-value": String(much), title: sign + grouped(much),
			     style: `--share:${(100 * Math.abs(Number(much)) / most).toFixed(2)}%` },
		     sign + unit(much)),
		  show.whole ? el("td", { class: "share" }, percent(much, show.whole)) : null);
}

/* Return the key figures of a run: [label, text, unit]. */
function glance(run) {
	const r = run.report, list = [];

	if (r.trace)
		list.push(["Duration", seconds(r.trace.duration), `${brief(r.trace.events)} events, ${brief(r.trace.lost)} lost`]);
	for (const [key, name] of [["slab", "Slab allocations"], ["pages", "Page allocations"],
				   ["areas", "Area allocations"], ["local", "Stacks and per-CPU memory"]])
		if (r[key] && r[key].hit != 0)
			list.push([name, brief(r[key].hit), `${bytes(r[key].bytes_alloc)}, ` +
				   `${bytes(r[key].live_bytes)} live at the end`]);
	const kmap = r.summary ?? r.kmap, streamed = r.accesses;
	if (kmap && kmap.objects != 0)
		list.push(["Objects", brief(kmap.objects), `${bytes(kmap.bytes)}; ${brief(kmap.live)} live, ${bytes(kmap.live_bytes)}`]);
	if (kmap && kmap.accesses != 0)
		list.push(["Accesses", brief(kmap.accesses), `${percent(kmap.writes, kmap.accesses)} writes, by ` +
			   `${grouped(kmap.functions)} functions, to ${brief(kmap.touched)} objects`]);
	else if (streamed && accesses(streamed) != 0)
		list.push(["Accesses", brief(accesses(streamed)), `${percent(streamed.writes, accesses(streamed))} writes, by ` +
			   `${grouped(streamed.functions)} functions, to ${brief(streamed.touched)} objects`]);
	if (run.sharing)
		list.push(["Cache lines moved", brief(run.sharing.moves), `${percent(run.sharing.false_sharing, run.sharing.known)} ` +
			   `false sharing; ${brief(run.sharing.shared_lines)} lines shared`]);
	if (kmap && kmap.pids != 0)
		list.push(["Tasks", grouped(kmap.pids), `${grouped(kmap.comms)} commands`]);
	return el("dl", { class: "figures", id: "glance" }, list.map(([name, text, of]) =>
		el("div", {}, el("dt", {}, name), el("dd", {}, text), el("dd", { class: "faint" }, of))));
}

function typesCard(run, map) {
	const much = (row) => Number(accesses(row)) ? accesses(row) : 0;
	const hot = (map.types ?? []).filter((row) => row.type);

	if (!map.types)
		return cachesCard(run);
	return card("types", "Which types are accessed most?", { v: "map", g: "types" },
		    `${grouped(map.types.length + (map.types_rest?.rows ?? 0))} types. An access counts for each record that contains its target.`,
		    firstRows(hot, much),
		    { name: (row) => row.name, much, to: (row) => ({ v: "map", g: "types", x: row.name }),
		      note: (row) => row.hottest && `hottest: ${row.hottest}` });
}

/* Without the compiler's notes, use a trace's caches instead of types. */
function cachesCard(run) {
	const rows = run.report.caches;

	if (!rows)
		return card("types", "Which types are accessed most?", null,
			    "Types are unknown: pass the kernel with the compiler\u2019s notes (--vmlinux).", [], {});
	return card("types", "Which caches allocate most?", { v: "tables", t: "caches" },
		    "Types are unknown: pass the kernel with the compiler\u2019s notes (--vmlinux).",
		    firstRows(rows, (row) => row.bytes_alloc),
		    { name: (row) => row.name, much: (row) => row.bytes_alloc, unit: bytes,
		      note: (row) => `${grouped(row.hit)} allocations of ${grouped(row.object_size)} bytes`,
		      whole: total(rows, run.report.caches_rest, (row) => row.bytes_alloc) });
}

function sitesCard(map) {
	const kmap = map.metrics[0] === "bytes", key = map.metrics[0], count = map.metrics[1];
	const much = (row) => row[key], rows = map.sites ?? [];

	return card("sites", "Which call sites allocate most?", { v: "map", g: "sites" },
		    `${grouped(rows.length + (map.sites_rest?.rows ?? 0))} call sites, ` +
		    `${bytes(total(rows, map.sites_rest, much))}.`, firstRows(rows, much),
		    { name: (row) => row.name, much, unit: bytes, whole: total(rows, map.sites_rest, much),
		      to: (row) => ({ v: "map", g: "sites", x: row.name }),
		      note: (row) => `${row.type ? row.type + ", " : ""}${several(row[count], kmap ? "object" : "allocation")}` });
}

function functionsCard(run, map) {
	const key = map.key === "kmap_sites" ? "kmap_functions" : "functions";
	const rows = run.report[key] ?? [], rest = run.report[key + "_rest"];
	const whole = total(rows, rest, accesses);

	return card("functions", "Which functions access most?", { v: "tables", t: key },
		    whole != 0 ? `${grouped(rows.length + (rest?.rows ?? 0))} functions, ${brief(whole)} accesses. ` +
			       "memorizer report --no-wait leaves out those that spin."
			  : "No known accesses: record them with memorizer record --access.",
		    firstRows(rows, accesses),
		    { name: (row) => row.name, much: accesses, whole,
		      to: (row) => ({ v: "map", g: map.types ? "types" : "sites", x: "", f: row.name }),
		      note: (row) => `${percent(row.writes, accesses(row))} writes` });
}

/* Functions on stacks, each with all that it called. */
function stacksCard(run) {
	const rows = run.report.children;

	if (!rows)
		return null;
	return card("stacks", "Who allocates, with all that it calls?", { v: "tables", t: "children" },
		    "Functions on the stacks of allocations. An object counts for each of them.",
		    firstRows(rows, (row) => row.children_bytes),
		    { name: (row) => row.name, much: (row) => row.children_bytes, unit: bytes,
		      whole: total(rows, run.report.children_rest, (row) => row.self_bytes),
		      note: (row) => `${several(row.children_objects, "object")}, ${bytes(row.self_bytes)} by itself` });
}

/* Data that moves between CPUs; for a KMAP, which has no CPUs, data accessed by several tasks. */
function sharingCard(run, map) {
	const s = run.sharing;

	if (s)
		return card("sharing", "What moves between CPUs, and why?", { v: "sharing" },
			    `${brief(s.moves)} cache lines moved; of those with a known reason ${percent(s.true_sharing, s.known)} are ` +
			    `true sharing, ${percent(s.false_sharing, s.known)} false. W writes, R reads.`, firstRows(s.pairs, (row) => row.moves),
			    { name: (row) => row.type ? `${row.type}${row.field ? "." + row.field : ""}` : row.object,
			      much: (row) => row.moves, whole: s.moves,
			      to: (row) => row.type ? { v: "map", g: "types", x: row.type, f: row.field ?? "" } : null,
			      note: (row) => `${row.code} after ${row.before_code}` });
	const key = map.key.replace("sites", "shared"), rows = run.report[key];
	if (!rows)
		return card("sharing", "What moves between CPUs?", null,
			    "Unknown: record a trace with memorizer record --traffic or --access.", [], {});
	return card("sharing", "Which data do several tasks access?", { v: "tables", t: key },
		    `${grouped(total(rows, run.report[key + "_rest"], (row) => row.objects))} objects. Which CPUs share them, ` +
		    "a trace shows (memorizer record --traffic).", firstRows(rows, accesses),
		    { name: (row) => row.type ?? row.name, much: accesses, whole: total(rows, run.report[key + "_rest"], accesses),
		      to: (row) => ({ v: "map", g: "sites", x: row.name }),
		      note: (row) => `${several(row.objects, "object")}, up to ${several(row.most_pids, "task")}; ${row.name}` });
}

/* Objects live at the end: some of them leak, most do not. */
function liveCard(run, map) {
	const trace = map.key === "sites" && run.report.live;
	const rows = trace ? run.report.live : map.sites ?? [];
	const rest = trace ? run.report.live_rest : map.sites_rest;
	const much = trace ? (row) => row.live_bytes : (row) => row.live;
	const sentence = trace ? "Slab objects allocated during the trace: " : "";

	return card("live", "Which objects are live at the end, or leaked?", { v: "tables", t: trace ? "live" : map.key, s: "-live" },
		    sentence + (trace ? bytes(total(rows, rest, much)) : `${grouped(total(rows, rest, much))} objects`) +
		    ". What leaks is live; what is live need not leak.", firstRows(rows, much),
		    { name: (row) => row.name, much, unit: trace ? bytes : brief, whole: total(rows, rest, much),
		      to: (row) => ({ v: "map", g: "sites", x: row.name }),
		      note: (row) => trace ? `${row.type ? row.type + ", " : ""}${several(row.live, "object")}, the oldest ${seconds(row.oldest)}`
				     : `${row.type ? row.type + ", " : ""}${row.live === row.objects ? "none" : grouped(row.objects - row.live)} of ` +
				       `${grouped(row.objects)} freed` });
}

/* The largest changes between two inputs, from the first three of these tables with changes. */
const CHANGES = ["types", "sites", "live", "functions", "pages", "commands"];

function changesCard() {
	const tables = tablesOf(data.diff);
	const list = CHANGES.map((key) => tables.find((t) => t.key === key)).filter(Boolean).map((t) => {
		const rows = t.rows, keys = Object.keys(rows[0] ?? {}).filter((k) => k.endsWith("_change"));
		const key = keys.find((k) => rows.some((row) => row[k] != 0));
		return key ? firstRows(rows, (row) => row[key]).slice(0, 3).map((row) => ({ table: t.key, key, row })) : [];
	}).filter((rows) => rows.length).slice(0, 3).flat();

	return el("section", { class: "card", "data-card": "changes" },
		  el("h2", {}, el("a", { href: linkTo({ v: "changes", q: "", t: "", s: "", x: "", f: "", m: "", g: "" }) },
				  "What changed most?")),
		  el("p", { class: "faint" }, `From ${runs[0].name} to ${runs[1].name}.`, list.length ? "" : " Nothing."),
		  el("table", {}, el("tbody", {}, list.map(({ table, key, row }) => {
			const most = Math.max(...list.filter((o) => o.table === table).map((o) => Math.abs(Number(o.row[o.key]))));
			return cardRow(row, { name: (r) => r.name ?? r.type, much: (r) => r[key], signed: true,
				unit: /bytes/.test(key) ? (n) => (n < 0 ? "\u2212" : "") + bytes(Math.abs(Number(n))) : brief, to: () => ({ v: "changes", t: table }),
				note: (r) => `${label(table)}: ${label(key.replace(/_change$/, "")).toLowerCase()} ` +
					`${shown("", r[key.replace(/_change$/, "_before")])} \u2192 ${shown("", r[key.replace(/_change$/, "")])}` }, most);
		  }))));
}

/* The tasks, or commands, that access most, or else allocate most. */
function tasksCard(run, map) {
	const key = map.key === "kmap_sites" ? "kmap_commands" : map.key === "sites" && run.report.commands ? "commands" : "tasks";
	const rows = run.report[key] ?? [], rest = run.report[key + "_rest"];
	const touch = rows.some((row) => accesses(row) != 0);
	const much = touch ? accesses : (row) => row.bytes_alloc ?? row.bytes ?? 0;

	return card("tasks", touch ? "Which tasks access most?" : "Which tasks allocate most?", { v: "tables", t: key },
		    touch ? `${brief(total(rows, rest, much))} accesses, by command.` : `${bytes(total(rows, rest, much))}, by task.`,
		    firstRows(rows, much),
		    { name: (row) => row.comm, much, unit: touch ? brief : bytes, whole: total(rows, rest, much),
		      note: (row) => "pid" in row ? `pid ${row.pid}` : `${several(row.pids, "task")}, ${bytes(row.bytes)} allocated` });
}

/* Problems: doubtful frees, and missing data. */
function warnings(run) {
	const rows = run.report.suspicious ?? [];

	return [run.report.incomplete ? el("p", { class: "note", id: "incomplete" },
			"Something is missing: events were lost, lines were malformed, or sums were too large.") : null,
		rows.length ? el("p", { class: "note", id: "suspicious" }, "Suspicious: ",
			el("a", { href: linkTo({ v: "tables", t: "suspicious" }) },
			   rows.slice(0, 3).map((row) => row.what + (row.site ? ` (${row.site})` : "")).join("; ")),
			rows.length > 3 ? ` and ${grouped(rows.length - 3)} more` : "") : null];
}

function overview(run) {
	const map = mapOf(run);
	const sums = Object.entries(run.report).filter(([key, value]) =>
		value && typeof value === "object" && !Array.isArray(value) && key !== "filters" &&
		!key.endsWith("_rest"));

	return [...warnings(run), glance(run),
		el("div", { class: "cards" }, data.diff ? changesCard() : null, typesCard(run, map), sitesCard(map),
		   stacksCard(run), functionsCard(run, map), sharingCard(run, map), liveCard(run, map), data.diff ? null : tasksCard(run, map)),
		...(run.timeline?.spans.length ? [panel(PANELS[0], [run])] : []),
		map.types ? treemap(map.types, map.metrics[0], map.types_rest, 260, "Types")
			  : treemap(map.sites, map.metrics[0], map.sites_rest, 260, "Call sites"),
		el("div", { class: "columns" }, sums.map(([key, value]) => figures(key, value)))];
}
