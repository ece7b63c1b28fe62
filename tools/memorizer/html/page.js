// SPDX-License-Identifier: GPL-2.0
/*
 * The page that memorizer html writes. Its data is the --json output of the commands. This script
 * sorts, filters and draws it; the only sums that it computes are labelled as such. The state of
 * the view is in the URL, so it can be shared. Texts come from the kernel and from programs: they
 * become text nodes, never markup.
 */
const ROWS = 200;	/* of a table at once */
const TILES = 120;	/* of a treemap; the others are one tile */
const WIDTH = 1000;	/* of pictures */

/* Integers that a double cannot represent exactly become BigInts. Most data has none. */
function parse(text) {
	let large = false;
	const exact = text.replace(/"(?:[^"\\]|\\.)*"|(?<![\d.])-?\d{16,}(?![\d.])/g, (m) => {
		if (m[0] === '"')
			return m;
		large = true;
		return `"\\u0000${m}"`;
	});

	if (!large)
		return JSON.parse(text);
	return JSON.parse(exact, (key, value) =>
		typeof value === "string" && value.startsWith("\0") ? BigInt(value.slice(1)) : value);
}

const data = parse(document.getElementById("data").textContent);
const runs = data.runs;

/* State: view, run, table, sort, filter, selection, its function or member, metric, group, heat. */
const DEFAULTS = { v: "overview", r: "0", t: "", s: "", q: "", x: "", f: "", m: "", g: "", h: "" };
let state = readState();

function readState() {
	const given = new URLSearchParams(location.hash.slice(1));
	const s = {};

	for (const key of Object.keys(DEFAULTS))
		s[key] = given.get(key) ?? DEFAULTS[key];
	if (!runs[Number(s.r)])
		s.r = "0";
	return s;
}

function linkTo(change) {
	const s = { ...state, ...change };
	const given = new URLSearchParams();

	for (const key of Object.keys(DEFAULTS))
		if (s[key] !== DEFAULTS[key])
			given.set(key, s[key]);
	return "#" + given.toString();
}

/* Put another state into the URL; with @replace, without a history entry. */
function note(change, replace) {
	const link = linkTo(change);

	history[replace ? "replaceState" : "pushState"](null, "", link === "#" ? "#v=overview" : link);
	state = readState();
}

function go(change, replace) {
	note(change, replace);
	draw();
}

/* Elements */

function fill(element, attributes, children) {
	for (const [name, value] of Object.entries(attributes ?? {})) {
		if (name.startsWith("on"))
			element.addEventListener(name.slice(2), value);
		else if (value !== null && value !== undefined && value !== false)
			element.setAttribute(name, value === true ? "" : value);
	}
	element.append(...children.flat().filter((c) => c !== null && c !== undefined));
	return element;
}

function el(tag, attributes, ...children) {
	return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes, ...children) {
	return fill(document.createElementNS("http://www.w3.org/2000/svg", tag), attributes, children);
}

function say(text) {
	document.getElementById("said").textContent = text;
}

/* Numbers and names */

function grouped(n) {
	const [whole, rest] = String(n).split(".");

	return whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") + (rest ? "." + rest : "");
}

function bytes(n) {
	const units = ["B", "KiB", "MiB", "GiB", "TiB"];
	let unit = 0, value = Number(n);

	for (; Math.abs(value) >= 1024 && unit < units.length - 1; unit++)
		value /= 1024;
	return (unit ? value.toFixed(1) : String(value)) + " " + units[unit];
}

function seconds(ns) {
	return (Number(ns) / 1e9).toFixed(6) + " s";
}

const LABELS = {
	bytes_alloc: "Bytes allocated", bytes_req: "Bytes requested", bytes_freed: "Bytes freed",
	hit: "Allocations", pingpong: "Freed by another CPU", cross_node: "Other node",
	frag: "Fragmentation %", who: "Accesses by function", accessed_by: "Accesses by function",
	sites: "Allocation sites", free_sites: "Free sites", site: "Allocated at", ip: "Address",
	ptr: "Address", gfp: "GFP flags", page_gfp: "GFP flags of pages", start: "Address",
	functions: "Accessing functions", shared: "Shared objects", live_pages: "Pages live at the end",
	most_pids: "Most pids per object", commands: "Commands", suspicious: "Suspicious", name: "Name",
	slab_peak: "Live at the peak", pages_peak: "Pages live at the peak", lifetimes: "Lifetimes",
	fields: "Members", accessed_fields: "Accessed members", field: "Member", users: "Member accesses by function",
	layouts: "Layouts", kmap_layouts: "KMAP: Layouts", members: "Members", accesses_change: "Change of accesses",
	field_users: "Member accesses by function", pareto: "Code that shares lines", pairs: "Moves by pair of accesses",
	children: "Allocations by function on the stack", children_bytes: "Bytes with callees",
	children_objects: "Objects with callees", children_live: "Live with callees",
	children_live_bytes: "Live bytes with callees",
	kinds: "Kinds of memory", accessed_objects: "Most accessed objects", page_sites: "Page allocation sites",
	least_psr: "Least PSR %", psr: "PSR %", over: "Overprivilege", better: "Better in", relocations: "Functions to move",
	nr_functions: "Functions", nr_sites: "Call sites and variables", nr_compartments: "Compartments",
	area_sites: "Area allocation sites", live_areas: "Areas live at the end", areas_peak: "Areas live at the peak",
	local_sites: "Stack and per-CPU allocation sites", live_local: "Stacks and per-CPU memory live at the end",
	local_peak: "Stacks and per-CPU memory live at the peak", local: "Stacks and per-CPU memory",
	code_bytes: "Bytes of code", unattributed: "Accesses to unknown memory",
};

function label(key) {
	if (Object.hasOwn(LABELS, key))
		return LABELS[key];
	if (key.startsWith("kmap_"))
		return "KMAP: " + label(key.slice(5));
	return key[0].toUpperCase() + key.slice(1).replaceAll("_", " ");
}

const TIMES = new Set(["oldest", "youngest", "mean_life", "begin", "end", "duration", "time", "below"]);

const PLACES = new Set(["offset", "line", "index", "cpu"]);

function shown(key, value) {
	if (value === null || value === undefined)
		return "-";
	if (typeof value === "boolean")
		return value ? "yes" : "no";
	if (typeof value === "string")
		return value;
	return TIMES.has(key) ? seconds(value) : grouped(value);
}

/* Add without losing digits; numbers that are not BigInts are small. */
function plus(a, b) {
	return typeof a === typeof b ? a + b : BigInt(a) + BigInt(b);
}

function isNumber(value) {
	return typeof value === "number" || typeof value === "bigint";
}

function larger(a, b) {
	return a > b ? 1 : a < b ? -1 : 0;
}

/* Tables */

/* Return the tables of an object: [key, rows, rest]. */
function tablesOf(object) {
	return Object.entries(object ?? {}).filter(([, value]) => Array.isArray(value))
		.map(([key, rows]) => ({ key, rows, rest: object[key + "_rest"] ?? null }));
}

function allTables(run) {
	return [...tablesOf(run.report).map((t) => ({ ...t, id: t.key, of: "" })),
		...tablesOf(run.layout).map((t) => ({ ...t, id: "layout." + t.key, of: "" })),
		...tablesOf(run.sharing).map((t) => ({ ...t, id: "sharing." + t.key, of: "Sharing: " })),
		...tablesOf(run.privilege).map((t) => ({ ...t, id: "privilege." + t.key, of: "Privilege: " })),
		...tablesOf(run.timeline).map((t) => ({ ...t, id: "time." + t.key, of: "Over time: " }))];
}

/* The filter: words that a row must have, and comparisons of its numbers. */
function readFilter(text) {
	return text.trim().split(/\s+/).filter(Boolean).map((word) => {
		const parts = /^([a-z_]+)(>=|<=|>|<|=)(-?\d+(?:\.\d+)?)$/i.exec(word);

		if (!parts)
			return { word: word.toLowerCase() };
		return { key: parts[1].toLowerCase(), op: parts[2],
			 value: /^-?\d+$/.test(parts[3]) ? BigInt(parts[3]) : Number(parts[3]) };
	});
}

const COMPARE = {
	">": (a, b) => a > b, "<": (a, b) => a < b, ">=": (a, b) => a >= b,
	"<=": (a, b) => a <= b, "=": (a, b) => a == b,
};

function matches(row, filter) {
	return filter.every((f) => {
		if (f.key && Object.hasOwn(row, f.key))
			return isNumber(row[f.key]) && COMPARE[f.op](row[f.key], f.value);
		const word = f.word ?? `${f.key}${f.op}${f.value}`;
		return Object.values(row).some((v) => String(v ?? "").toLowerCase().includes(word));
	});
}

/* Return the link target of a row: a call site, a function, a type or a member in the map. */
function target(table, key, row) {
	const record = table.record ?? row.record, run = runs[Number(state.r)];

	if (record && key === "type")
		return recordsOf(run).has(row.type) ? { v: "map", g: "types", x: row.type, f: "" } : null;
	if (record && (key === "record" || (key === "field" && !/^\[hole/.test(row.field))))
		return { v: "map", g: "types", x: record, f: key === "field" ? row.field : "" };
	if (key === "name" && "field" in row && "type" in row)
		return { v: "map", g: "types", x: "", f: row.name };
	if (key === "site" && row.site)
		return { v: "map", g: "sites", x: row.site, f: "" };
	if (key === "type" && row.type)
		return { v: "map", g: "types", x: row.type, f: "" };
	if (key === "field" && row.field && row.type)
		return { v: "map", g: "types", x: row.type, f: row.field };
	if (key !== "name" || typeof row.name !== "string")
		return null;
	if ("ip" in row)
		return { v: "map", g: "sites", x: row.name, f: "" };
	if ("start" in row || /(^|_)(who|accessed_by)$/.test(table.key))
		return { v: "map", g: "sites", x: "", f: row.name };
	return null;
}

function cell(table, key, row, most, numbers) {
	const value = row[key];

	if (isNumber(value)) {
		const share = most[key] && !TIMES.has(key) && !PLACES.has(key) ? 100 * Number(value) / most[key] : 0;
		return el("td", { class: "bar", "data-key": key, "data-value": String(value),
				  style: `--share:${Math.max(0, share).toFixed(2)}%` },
			  shown(key, value));
	}
	const to = target(table, key, row);
	const text = shown(key, value);

	return el("td", { class: numbers ? null : "text", "data-key": key, title: text.length > 60 ? text : null },
		  to ? el("a", { href: linkTo({ ...to, q: "", t: "", s: "" }) }, text) : text);
}

function head(keys, first, sort, onSort) {
	return el("thead", {}, el("tr", {}, keys.map((key) => {
		const at = sort.key === key;
		const direction = at ? (sort.down ? "descending" : "ascending") : null;

		return el("th", { class: isNumber(first[key]) ? null : "text", scope: "col",
				  "data-key": key, "aria-sort": direction, title: key },
			  el("button", { type: "button", onclick: () => onSort(key) },
			     label(key), at ? (sort.down ? " \u25bc" : " \u25b2") : ""));
	})));
}

function readSort(text, fallback) {
	return text ? { key: text.replace(/^-/, ""), down: text.startsWith("-") } : fallback;
}

function sorted(rows, sort) {
	if (!sort.key)
		return rows;
	return [...rows].sort((a, b) => {
		const x = a[sort.key], y = b[sort.key];

		if ((x ?? null) === null || (y ?? null) === null)
			return ((x ?? null) === null) - ((y ?? null) === null);
		return sort.down ? larger(y, x) : larger(x, y);
	});
}

function foot(table, keys) {
	if (!table.rest)
		return null;
	return el("tfoot", {}, el("tr", { "data-folded": String(table.rest.rows) }, keys.map((key, i) =>
		el("td", { class: i ? null : "text", "data-key": key,
			   "data-value": String(table.rest[key] ?? "") },
		   i ? (key in table.rest ? shown(key, table.rest[key]) : "")
		     : `and ${grouped(table.rest.rows)} more rows, folded into these sums`))));
}

/* Draw a table with its rows sorted and filtered according to the state. */
function drawTable(table, options) {
	const keys = [...new Set(table.rows.slice(0, 50).flatMap((row) => Object.keys(row)))];
	const sort = options.sort ?? { key: "", down: false };
	const filter = readFilter(options.filter ?? "");
	const rows = sorted(table.rows.filter((row) => matches(row, filter)), sort);
	const first = {}, most = { ...options.most };

	for (const key of keys) {
		const row = table.rows.find((r) => (r[key] ?? null) !== null);
		first[key] = row ? row[key] : "";
		if (isNumber(first[key]) && !options.most)
			most[key] = table.rows.reduce((m, r) => Math.max(m, Number(r[key] ?? 0)), 0);
	}
	const body = el("tbody", {});
	const more = el("button", { type: "button", class: "more" });
	let drawn = 0;

	function drawRows() {
		const next = Math.min(rows.length, drawn + ROWS);

		body.append(...rows.slice(drawn, next).map((row) =>
			el("tr", { "aria-selected": options.selected?.(row) ? "true" : null }, keys.map((key) => cell(table, key, row, most, isNumber(first[key]))))));
		drawn = next;
		more.textContent = `Show ${grouped(Math.min(ROWS, rows.length - drawn))} more of ` +
			`${grouped(rows.length - drawn)}`;
		more.hidden = drawn === rows.length;
	}
	more.addEventListener("click", drawRows);
	drawRows();
	const count = filter.length ? `${grouped(rows.length)} of ${grouped(table.rows.length)} rows`
				    : `${grouped(rows.length)} rows`;

	return el("section", { "data-table": table.key, "data-rows": String(rows.length) },
		  el("div", { class: "scroll" },
		     el("table", {}, el("caption", {}, options.caption ?? label(table.key), ": ", count),
			keys.length ? head(keys, first, sort, options.onSort ?? (() => {})) : null,
			body, foot(table, keys))), more);
}

/* Sort by a column, of the table @of if several are shown. */
function sortBy(key, rows, of = "") {
	const was = readSort(state.s, { key: "" });
	const row = rows.find((r) => (r[key] ?? null) !== null);
	const down = was.key === key ? !was.down : Boolean(row && isNumber(row[key]));

	go({ s: (down ? "-" : "") + key }, true);
	document.querySelector(`${of && `[data-table="${of}"]`} th[data-key="${key}"] button`)?.focus();
	say(`Sorted by ${label(key)}, ${down ? "largest" : "smallest"} first`);
}

function tablesView(tables) {
	const table = tables.find((t) => t.id === state.t) ??
		tables.find((t) => t.rows.length) ?? tables[0];
	const choice = el("select", { id: "table", onchange: (e) => go({ t: e.target.value, s: "" }) },
		tables.map((t) => el("option", { value: t.id, selected: t === table },
				     `${t.of}${label(t.key)} (${grouped(t.rows.length)}${t.rest ? "+" : ""})`)));

	if (!table)
		return [el("p", {}, "There are no tables.")];
	return [el("div", { class: "tools" }, el("label", { for: "table" }, "Table"), choice),
		drawTable(table, { sort: readSort(state.s), filter: state.q,
				   onSort: (key) => sortBy(key, table.rows) })];
}

/* The map: call sites by size or accesses, and the functions that access their objects */

/* Return a run's tables of call sites and of accesses; the KMAP's, if it has one. */
function mapOf(run) {
	const r = run.report;
	const kmap = r.input === "kmap" ? "" : (r.kmap_sites ?? []).length ? "kmap_" : null;

	if (kmap !== null)
		return { sites: r[kmap + "sites"], sites_rest: r[kmap + "sites_rest"],
			 who: r[kmap + "who"], who_rest: r[kmap + "who_rest"], key: kmap + "sites",
			 metrics: ["bytes", "objects", "live", "reads", "writes"],
			 types: typed(r, kmap + "types"), types_rest: r[kmap + "types_rest"],
			 fields: r[kmap + "fields"], fields_rest: r[kmap + "fields_rest"],
			 users: r[kmap + "users"], users_rest: r[kmap + "users_rest"],
			 layouts: run.layout?.[kmap + "layouts"], layouts_rest: run.layout?.[kmap + "layouts_rest"] };
	return { sites: r.sites, sites_rest: r.sites_rest, who: r.accessed_by, key: "sites",
		 who_rest: r.accessed_by_rest, metrics: ["bytes_alloc", "hit", "frees"],
		 types: typed(r, "types"), types_rest: r.types_rest, fields: r.accessed_fields,
		 fields_rest: r.accessed_fields_rest, users: r.field_users, users_rest: r.field_users_rest,
		 layouts: run.layout?.streamed_layouts, layouts_rest: run.layout?.streamed_layouts_rest };
}

/* Return the table of types, with their names in the same column as call sites' names. */
function typed(report, key) {
	return report[key]?.map((row) => ({ name: row.type ?? "[unknown]", ...row }));
}

/* Return a table's rows with the accesses of both runs, and those that only the other run has. */
function compared(run, rowsOf, key) {
	const rows = rowsOf(run), other = runs.find((r) => r !== run);

	if (!other || !rows)
		return rows;
	const others = new Map((rowsOf(other) ?? []).map((row) => [key(row), row]));
	const both = rows.map((row) => {
		const there = others.get(key(row));
		others.delete(key(row));
		return withChange(row, row, there, run);
	});

	return [...both, ...[...others.values()].map((there) => withChange({ ...there, ...Object.fromEntries(
		Object.keys(there).filter((k) => isNumber(there[k]) && !PLACES.has(k) && k !== "size").map((k) => [k, 0])) },
		null, there, run))];
}

function withChange(row, here, there, run) {
	const n = (r) => r ? plus(r.reads ?? 0, r.writes ?? 0) : 0;
	const before = n(run === runs[0] ? here : there), after = n(run === runs[0] ? there : here);

	return { ...row, accesses_before: before, accesses_after: after,
		 accesses_change: typeof before === typeof after ? after - before : BigInt(after) - BigInt(before) };
}

/* Squarified treemap: place tiles of @values, largest first, in a rectangle. */
function squarify(values, x, y, width, height) {
	const tiles = [];
	let left = values.reduce((a, b) => a + b, 0), i = 0;

	function worst(sum, least, most, side) {
		const scale = width * height / left;

		return Math.max(side * side * most * scale / (sum * scale) ** 2,
				(sum * scale) ** 2 / (side * side * least * scale));
	}
	while (i < values.length && left > 0) {
		const side = Math.min(width, height);
		let sum = 0, j = i;

		for (; j < values.length; j++) {
			const more = sum + values[j];
			if (j > i && worst(more, values[j], values[i], side) >
				     worst(sum, values[j - 1], values[i], side))
				break;
			sum = more;
		}
		const wide = width >= height;
		const depth = (wide ? width : height) * sum / left;
		let at = wide ? y : x;

		for (; i < j; i++) {
			const length = (wide ? height : width) * values[i] / sum;
			tiles.push(wide ? { x, y: at, width: depth, height: length }
					: { x: at, y, width: length, height: depth });
			at += length;
		}
		if (wide) {
			x += depth;
			width -= depth;
		} else {
			y += depth;
			height -= depth;
		}
		left -= sum;
	}
	return tiles;
}

/* More accesses per byte give a deeper colour, of a single hue. */
function heat(row, metric) {
	const size = Number(row.bytes ?? row.bytes_alloc ?? 0);
	const uses = "reads" in row ? Number(row.reads) + Number(row.writes) : Number(row[metric]);
	const depth = Math.min(1, Math.max(0, Math.log10(1 + 100 * uses / (size || 1)) / 4));

	return { depth, colour: `hsl(212 ${(45 + 25 * depth).toFixed(0)}% ${(90 - 62 * depth).toFixed(0)}%)` };
}

/* Arrow keys move between tiles, Enter selects one. */
function rove(picture) {
	picture.addEventListener("keydown", (e) => {
		const list = [...picture.querySelectorAll(".tile[tabindex]")];
		const at = list.indexOf(e.target.closest(".tile"));
		const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[e.key];

		if (step && list[at + step]) {
			list[at].setAttribute("tabindex", "-1");
			list[at + step].setAttribute("tabindex", "0");
			list[at + step].focus();
		} else if (e.key === "Enter" || e.key === " ") {
			list[at].dispatchEvent(new MouseEvent("click", { bubbles: true }));
		} else if (!step) {
			return;
		}
		e.preventDefault();
	});
}

function treemap(rows, metric, rest, height, what) {
	const filter = readFilter(state.q);
	const much = (row) => Math.abs(Number(row[metric]));
	const all = rows.filter((row) => much(row) > 0 && matches(row, filter))
		.sort((a, b) => much(b) - much(a));
	const items = all.slice(0, TILES).map((row) => ({ row, value: much(row) }));
	const others = all.slice(TILES);

	if (others.length)
		items.push({ others: `${grouped(others.length)} others`,
			     value: others.reduce((n, row) => n + much(row), 0) });
	if (rest && Number(rest[metric] ?? 0) > 0)
		items.push({ others: `${grouped(rest.rows)} folded away`, value: Number(rest[metric]) });
	items.sort((a, b) => b.value - a.value);
	const tiles = squarify(items.map((i) => i.value), 0, 0, WIDTH, height);
	const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "group", id: "treemap",
				     "aria-label": `${what} by ${label(metric)}` });

	rove(picture);
	tiles.forEach((tile, i) => {
		const { row, others: name } = items[i];
		const { depth, colour } = row ? heat(row, metric) : { depth: 0, colour: "hsl(0 0% 80%)" };
		const text = row ? row.name ?? "[unknown]" : name;
		const sign = row && metric === "accesses_change" && row[metric] > 0 ? "+" : "";
		const what = `${text}: ${label(metric)} ${sign}${grouped(row ? row[metric] : items[i].value)}` +
			(row && "reads" in row ? `, reads ${grouped(row.reads)}, writes ${grouped(row.writes)}` : "");
		const room = Math.floor((tile.width - 8) / 7);
		const g = svg("g", { class: "tile " + (depth > 0.45 ? "deep" : "pale"), role: row ? "button" : "img",
				     tabindex: row ? (state.x ? (row.name === state.x ? "0" : "-1") : i ? "-1" : "0") : null,
				     "aria-label": what, "data-name": row ? text : null,
				     "aria-pressed": row ? String(row.name === state.x) : null,
				     onclick: row ? () => select(row.name) : null },
			svg("title", {}, what),
			svg("rect", { x: tile.x, y: tile.y, width: tile.width, height: tile.height, fill: colour }));

		if (room > 3 && tile.height > 16)
			g.append(svg("text", { x: tile.x + 5, y: tile.y + 14 },
				     text.length > room ? text.slice(0, room - 1) + "\u2026" : text));
		if (room > 6 && tile.height > 32)
			g.append(svg("text", { x: tile.x + 5, y: tile.y + 29 },
				     /bytes/.test(metric) ? bytes(items[i].value)
						   : sign + grouped(row ? row[metric] : items[i].value)));
		picture.append(g);
	});
	return picture;
}

function select(name) {
	go({ v: "map", x: name, f: "" });
	[...document.querySelectorAll("#treemap .tile")].find((t) => t.dataset.name === name)?.focus();
	say(`Selected ${name}`);
}

/* Draw the details of a call site or function. */
function detail(map) {
	const who = (map.who ?? []).filter((row) => state.f ? row.name === state.f : row.site === state.x);
	const site = map.sites.find((row) => row.name === state.x);
	const list = site ? Object.entries(site).filter(([key]) => key !== "name") : [];

	return el("section", { id: "detail", "data-of": state.f || state.x },
		  el("h2", {}, state.f || state.x),
		  el("dl", { class: "figures" }, list.map(([key, value]) =>
			el("div", {}, el("dt", {}, label(key)), el("dd", { "data-key": key,
				"data-value": String(value) }, shown(key, value))))),
		  who.length ? drawTable({ key: "who", rows: who, rest: null },
			{ caption: state.f ? "What it accesses" : "Who accesses it", sort: readSort(state.s),
			  onSort: (key) => sortBy(key, who) })
			     : el("p", {}, "No known accesses."),
		  map.who_rest ? el("p", { class: "note" }, `${grouped(map.who_rest.rows)} pairs of functions and ` +
			"call sites with fewer accesses are folded away, some perhaps of this.") : null);
}

/* Return the members of a record as in layout; without a record, the accessed ones. */
function membersOf(run) {
	if (recordsOf(run).has(state.x) || runs.some((r) => recordsOf(r).has(state.x)))
		return { record: state.x, rows: comparedMembers(run, state.x) };
	return { rows: compared(run, (r) => (mapOf(r).fields ?? []).filter((row) =>
			(row.type ?? "[unknown]") === state.x).map(({ type, field, offset, ...rest }) =>
			({ field, type, offset, line: offset === null ? null : Math.floor(Number(offset) / LINE), ...rest })),
		(row) => row.field) };
}

/* Return the functions that access the type or its member, without GCC's suffixes, as in diff. */
function usersOf(run) {
	return compared(run, (r) => (mapOf(r).users ?? []).filter((row) =>
		(row.type ?? "[unknown]") === state.x &&
		(!state.f || row.field === state.f || (row.field && isOf(row.field, state.f)))),
		(row) => JSON.stringify([row.name.replace(/^(.[^.\s]*)\.\S*/, "$1"), row.type, row.field]));
}

/* Draw the record's layout in lines, with a choice of the metric for the colours. */
function recordDetail(members) {
	const heats = ["accesses", "reads", "writes",
		       ...["moves", "accesses_change"].filter((key) => members.rows.some((row) => key in row))];
	const metric = heats.includes(state.h) ? state.h : "accesses";
	const rows = members.rows.map((row) => ({ ...row, accesses: plus(row.reads, row.writes) }));
	const holes = rows.filter(isHole);
	const elsewhere = summed(rows.filter((row) => row.offset === null), "accesses");

	return [el("div", { class: "tools" }, el("label", { for: "heat" }, "Deeper: more"),
		   el("select", { id: "heat", onchange: (e) => go({ h: e.target.value }) },
		      heats.map((h) => el("option", { value: h, selected: h === metric }, label(h)))),
		   el("span", { class: "faint" }, "The bar below a member: its share of writes. Hatched: holes. " +
			"White: none. Arrow keys move, Enter selects.")),
		recordMap(rows, state.x, metric),
		el("p", {}, `${grouped(holes.length)} holes of ${grouped(summed(holes, "size"))} bytes` +
			(elsewhere ? `; ${grouped(elsewhere)} accesses to no single member.` : "."))];
}

/* Draw the details of a type: its members in order, and the functions that access one. */
function typeDetail(run) {
	const map = mapOf(run), members = membersOf(run);
	const users = usersOf(run);
	const title = state.f ? `${state.x}.${state.f}` : state.x;
	const type = Object.entries((map.types ?? []).find((row) => row.name === state.x) ?? {})
		.filter(([key]) => key !== "name" && key !== "type");
	const folded = [map.layouts_rest, map.fields_rest, map.users_rest].filter(Boolean)
		.reduce((n, rest) => n + rest.rows, 0);

	return el("section", { id: "detail", "data-of": title },
		  el("h2", {}, title),
		  el("dl", { class: "figures" }, type.map(([key, value]) =>
			el("div", {}, el("dt", {}, label(key)), el("dd", { "data-key": key,
				"data-value": String(value) }, shown(key, value))))),
		  members.record ? recordDetail(members) : null,
		  members.rows.length ? drawTable({ key: "members", rows: members.rows, rest: null, record: members.record },
			{ caption: "Its members, in lines of 64 bytes", selected: (row) => row.field === state.f,
			  sort: readSort(state.s, { key: "offset", down: false }), onSort: (key) => sortBy(key, members.rows) })
				: el("p", {}, "No known accesses."),
		  users.length ? el("div", { id: "users" }, drawTable({ key: "users", rows: users, rest: null },
			{ caption: `Who accesses ${state.f || "them"}`, sort: { key: "reads", down: true } })) : null,
		  folded ? el("p", { class: "note" }, `${grouped(folded)} members and users with fewer accesses are ` +
			"folded away, some perhaps of this.") : null);
}

/* Draw the accesses of a function. */
function functionDetail(run) {
	const map = mapOf(run);
	const rows = compared(run, (r) => (mapOf(r).users ?? []).filter((row) => row.name === state.f),
			      (row) => JSON.stringify([row.type, row.field]));

	return el("section", { id: "detail", "data-of": state.f },
		  el("h2", {}, state.f),
		  rows.length ? drawTable({ key: "users", rows, rest: null },
			{ caption: "What it accesses", sort: readSort(state.s, { key: "reads", down: true }),
			  onSort: (key) => sortBy(key, rows) })
			      : el("p", {}, "No known accesses."),
		  map.users_rest ? el("p", { class: "note" }, `${grouped(map.users_rest.rows)} members and users with ` +
			"fewer accesses are folded away, some perhaps of this.") : null);
}

/* Draw the map, by type if the compiler's notes are known. */
function mapView(run) {
	const map = mapOf(run);
	const byType = map.types && state.g !== "sites";
	const rows = byType ? compared(run, (r) => mapOf(r).types, (row) => row.name) : map.sites, rest = byType ? map.types_rest : map.sites_rest;
	const groups = !map.types ? [] : [el("label", { for: "group" }, "By"),
		el("select", { id: "group", onchange: (e) => go({ g: e.target.value, x: "", f: "" }) },
		   [["types", "Type"], ["sites", "Call site"]].map(([value, text]) =>
			el("option", { value, selected: byType === (value === "types") }, text)))];
	const metrics = byType && runs.length > 1 ? [...map.metrics, "accesses_change"] : map.metrics;
	const metric = metrics.includes(state.m) ? state.m : metrics[0];
	const sort = readSort(state.s, { key: metric, down: true });
	const choice = el("select", { id: "metric", onchange: (e) => go({ m: e.target.value }) },
		metrics.map((m) => el("option", { value: m, selected: m === metric }, label(m))));

	return [el("div", { class: "tools" }, groups, el("label", { for: "metric" }, "Area"), choice,
		   el("span", { class: "faint" }, "Deeper: more accesses to a byte. " +
			(byType ? "An access counts for each record that contains its target. " : "") + "Arrow keys move, Enter selects.")),
		treemap(rows, metric, rest, byType && (state.x || state.f) ? 160 : 420, byType ? "Types" : "Call sites"),
		byType && state.x ? typeDetail(run) : byType && state.f ? functionDetail(run) : !byType && (state.x || state.f) ? detail(map)
			: drawTable({ key: byType ? "types" : map.key, rest,
				      rows: byType ? rows.map(({ name, ...row }) => ({ ...row, type: name })) : rows },
				    { sort, filter: state.q, onSort: (key) => sortBy(key, rows) })];
}

/* Over time */

const PANELS = [
	{ title: "Slab allocator: bytes live", key: "slab_live", style: "slab" },
	{ title: "Pages: bytes live", key: "pages_live", style: "pages" },
];

function ticks(most) {
	const step = 2 ** Math.max(0, Math.ceil(Math.log2(most / 5 || 1)));
	const list = [];

	for (let n = 0; n <= most; n += step)
		list.push(n);
	return list;
}

function path(spans, key, x, y) {
	return spans.map((s, i) => `${i ? "L" : "M"}${x(s, i).toFixed(1)} ${y(Number(s[key])).toFixed(1)}`).join("");
}

function panel(which, shownRuns) {
	const left = 80, top = 34, height = 170, width = WIDTH - left - 20;
	const most = Math.max(1, ...shownRuns.flatMap((r) => r.timeline.spans.map((s) => Number(s[which.key]))));
	const lengths = shownRuns.map((r) => {
		const s = r.timeline.spans;
		return s.length > 1 ? (Number(s[1].begin) - Number(s[0].begin)) * s.length : 1;
	});
	const longest = Math.max(...lengths);
	const y = (n) => top + height - n / most * height;
	const at = (time, r) => left + (Number(time) - Number(r.timeline.spans[0].begin)) / longest * width;
	const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${top + height + 24}`, role: "img",
				     "data-key": which.key, "aria-label": which.title },
		svg("text", { x: left, y: 12, "font-weight": 600 }, which.title));

	for (const n of ticks(most)) {
		picture.append(svg("line", { class: "grid", x1: left, x2: left + width, y1: y(n), y2: y(n) }),
			       svg("text", { class: "faint", x: left - 6, y: y(n) + 4, "text-anchor": "end" }, bytes(n)));
	}
	shownRuns.forEach((r, i) => {
		picture.append(svg("path", { class: `${which.style} ${i ? "other" : ""}`, "data-run": String(i),
					     d: path(r.timeline.spans, which.key, (s) => at(s.begin, r), y) }));
		(i ? [] : r.timeline.marks).forEach((mark, m) => {
			const x = at(mark.time, r);
			picture.append(svg("line", { class: "mark", x1: x, x2: x, y1: top - 4, y2: top + height }),
				       svg("text", { class: "mark", x: x + 3, y: top - 6 - 12 * (m % 2) / 2 },
					   svg("title", {}, mark.text), mark.text.slice(0, 28)));
		});
	});
	for (let i = 0; i <= 5; i++)
		picture.append(svg("text", { class: "faint", x: left + i * width / 5, y: top + height + 18,
					     "text-anchor": i === 5 ? "end" : i ? "middle" : "start" },
				   (i * longest / 5e9).toFixed(3) + " s"));
	return picture;
}

/* Return a slider that shows the live bytes at a time. Arrow keys move it, too. */
function reader(run) {
	const spans = run.timeline.spans;
	const said = el("output", { id: "at", for: "span" });
	const slider = el("input", { id: "span", type: "range", min: "0", max: String(spans.length - 1), step: "1",
				     value: state.x && spans[Number(state.x)] ? state.x : "0",
				     oninput: (e) => {
					     tell();
					     note({ x: e.target.value === "0" ? "" : e.target.value }, true);
				     } });

	function tell() {
		const s = spans[Number(slider.value)];
		const text = `from ${seconds(s.begin)}: slab ${bytes(s.slab_live)}, pages ${bytes(s.pages_live)}, ` +
			`${grouped(s.allocs)} allocations, ${grouped(s.frees)} frees`;

		said.textContent = text;
		slider.setAttribute("aria-valuetext", text);
		for (const key of ["begin", "slab_live", "pages_live", "allocs", "frees"])
			said.dataset[key] = String(s[key]);
	}
	tell();
	return el("div", { class: "tools" }, el("label", { for: "span" }, "Look at"), slider, said);
}

function timeView(run) {
	const shownRuns = [run, ...runs.filter((r) => r !== run)].filter((r) => r.timeline?.spans.length);

	if (!run.timeline?.spans.length)
		return [el("p", {}, "A KMAP has no times; use a trace to see changes over time.")];
	const tables = tablesOf(run.timeline).filter((t) => t.key !== "spans");
	return [shownRuns.length > 1 ? el("p", {}, `Full: ${run.name}. Faint: ${shownRuns[1].name}. `,
					  "Both start at the left.") : null,
		...PANELS.map((p) => panel(p, shownRuns)), reader(run),
		el("div", { class: "columns" }, tables.map((t) => drawTable(t, { filter: state.q })))];
}

/* Overview */

function figures(title, object) {
	return el("section", { "data-sums": title }, el("h2", {}, label(title)),
		  el("dl", { class: "figures" }, Object.entries(object).map(([key, value]) =>
			el("div", {}, el("dt", {}, label(key)),
			   el("dd", { "data-key": key, "data-value": String(value) }, shown(key, value))))));
}

/* Moving cache lines: accesses by CPU to lines that several CPUs access */

function sharingView(run) {
	const metrics = ["moves", "loads", "stores"];
	const metric = metrics.includes(state.m) ? state.m : "moves";
	const cpus = [...new Set(run.sharing.addresses.map((row) => row.cpu))].sort((a, b) => a - b);
	const places = new Map();

	for (const row of run.sharing.addresses) {
		const key = JSON.stringify([row.object, row.site]);
		const place = places.get(key) ?? { object: row.object, site: row.site, all: 0,
						    ...Object.fromEntries(cpus.map((cpu) => ["cpu_" + cpu, 0])) };

		place["cpu_" + row.cpu] += Number(row[metric]);
		place.all += Number(row[metric]);
		places.set(key, place);
	}
	const rows = [...places.values()];
	const most = Math.max(0, ...rows.flatMap((row) => cpus.map((cpu) => row["cpu_" + cpu])));
	const scale = Object.fromEntries(cpus.map((cpu) => ["cpu_" + cpu, most]));
	const choice = el("select", { id: "metric", onchange: (e) => go({ m: e.target.value }) },
		metrics.map((m) => el("option", { value: m, selected: m === metric }, label(m))));
	const rest = run.sharing.addresses_rest;

	return [el("div", { class: "tools" }, el("label", { for: "metric" }, "Count"), choice),
		el("div", { id: "matrix" }, drawTable({ key: "matrix", rows, rest: null },
			{ caption: "Accesses to lines that one CPU writes and another accesses, by CPU", most: scale,
			  filter: state.q, sort: readSort(state.s, { key: "all", down: true }),
			  onSort: (key) => sortBy(key, rows) })),
		rest ? el("p", { class: "note" }, `${grouped(rest.rows)} addresses that move less are folded away: ` +
			  `${grouped(rest[metric])} ${label(metric).toLowerCase()}.`) : null,
		...tablesOf(run.sharing).filter((t) => t.key !== "addresses").map((t) => drawTable(t, { filter: state.q }))];
}

/* Privileges: what functions may do by a partition into compartments, and what they did */

function privilegeView(run) {
	const p = run.privilege, best = p.relocations[0];
	const allowed = p.privileges.find((row) => row.operation === "total").allowed;
	const sums = Object.fromEntries(Object.entries(p).filter(([key, value]) => isNumber(value) && !["version", "top"].includes(key)));

	return [el("p", {}, "Pairs of a function and a byte that it may use. Least: it may do what it did. " +
			    "Allowed: what any function of its compartment did. Monolithic: everything."),
		figures("privilege", sums),
		el("p", { id: "best" }, best ? `Best move: ${best.function} from ${best.compartment} to ${best.better} saves ` +
				`${grouped(best.saved)}, ${percent(best.saved, allowed)} of what is allowed.`
			: "No function would be better in another compartment."),
		...tablesOf(p).map((t) => drawTable(t, { filter: state.q, sort: readSort(state.t === t.key ? state.s : ""),
			onSort: (key) => {
				if (state.t !== t.key)
					note({ t: t.key, s: "" }, true);
				sortBy(key, t.rows, t.key);
			} }))];
}

/* Changes between two runs */

function changesView() {
	const tables = tablesOf(data.diff).map((t) => ({ ...t, id: t.key, of: "" }));

	return [el("p", {}, `From ${runs[0].name} to ${runs[1].name}.`),
		...(runs[0].timeline && runs[1].timeline ? [panel(PANELS[0], runs)] : []), ...tablesView(tables)];
}

/* The page */

const VIEWS = [
	{ id: "overview", title: "Overview", draw: overview },
	{ id: "map", title: "Map", draw: mapView },
	{ id: "time", title: "Time", draw: timeView },
	...(runs.some((r) => r.sharing?.addresses.length) ?
		[{ id: "sharing", title: "Sharing", draw: (run) => run.sharing ? sharingView(run) : [] }] : []),
	...(runs.some((r) => r.privilege) ?
		[{ id: "privilege", title: "Privilege", draw: (run) => run.privilege ? privilegeView(run) : [] }] : []),
	{ id: "tables", title: "Tables", draw: (run) => tablesView(allTables(run)) },
	...(data.diff ? [{ id: "changes", title: "Changes", draw: changesView }] : []),
];

function draw() {
	const run = runs[Number(state.r)];
	const view = VIEWS.find((v) => v.id === state.v) ?? VIEWS[0];
	const main = document.getElementById("main");
	const search = document.getElementById("search");

	document.title = `${view.title} - ${run.name} - Memorizer`;
	document.getElementById("views").replaceChildren(...VIEWS.map((v) =>
		el("a", { href: linkTo({ v: v.id, t: "", s: "", x: "", f: "", m: "", g: "" }),
			  "aria-current": v === view ? "page" : null }, v.title)));
	document.getElementById("runs").replaceChildren(...runs.map((r, i) =>
		runs.length === 1 ? document.createTextNode(r.name)
			: el("a", { href: linkTo({ r: String(i) }), style: "margin-right:1em",
				    "aria-current": r === run ? "true" : null },
			     `${r === run ? "\u25cf" : "\u25cb"} ${r.name}`)));
	if (search.value !== state.q && document.activeElement !== search)
		search.value = state.q;
	main.replaceChildren(...view.draw(run).filter(Boolean));
	document.getElementById("foot").textContent = `Made by memorizer ${data.memorizer}.`;
}

function theme(next) {
	const root = document.documentElement;
	const dark = matchMedia("(prefers-color-scheme: dark)").matches;
	const now = root.dataset.theme ?? (dark ? "dark" : "light");

	if (next)
		root.dataset.theme = now === "dark" ? "light" : "dark";
}

document.getElementById("theme").addEventListener("click", () => theme(true));
document.getElementById("search").addEventListener("input", (e) => go({ q: e.target.value }, true));
document.getElementById("find").addEventListener("submit", (e) => e.preventDefault());
document.getElementById("skip").addEventListener("click", (e) => {
	e.preventDefault();
	document.getElementById("main").focus();
});
document.addEventListener("keydown", (e) => {
	if (e.key === "/" && !/^(input|select|textarea)$/i.test(e.target.tagName)) {
		e.preventDefault();
		document.getElementById("search").focus();
	} else if (e.key === "Escape" && (state.q || state.x || state.f)) {
		document.getElementById("search").value = "";
		go({ q: "", x: "", f: "" });
	}
});
addEventListener("popstate", () => {
	state = readState();
	document.getElementById("search").value = state.q;
	draw();
});
addEventListener("hashchange", () => {
	state = readState();
	document.getElementById("search").value = state.q;
	draw();
});
draw();
document.documentElement.dataset.ready = String(Math.round(performance.now()));
