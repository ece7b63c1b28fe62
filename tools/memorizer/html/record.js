// SPDX-License-Identifier: GPL-2.0
/*
 * The layout of a record in cache lines, for the page that memorizer html writes: more accesses
 * give a deeper colour, holes are hatched, and a bar shows the share of writes. These functions
 * use page.js's, which are defined when they are called.
 */

const NOWHERE = { offset: null, size: null, line: null };
const LINE = 64;	/* bytes, as in layout */
const CELL = 38;	/* height of a line in the picture */
const MARGIN = 76;	/* width to the left of lines */

/* Group the rows of layout --all by record. Accesses to no single member have no offset. */
function recordsOf(run) {
	if (!run.records) {
		run.records = new Map();
		for (const { record, ...row } of mapOf(run).layouts ?? []) {
			if (!run.records.has(record))
				run.records.set(record, []);
			run.records.get(record).push(row.type || isHole(row) ? row : { ...row, ...NOWHERE });
		}
	}
	return run.records;
}

function isHole(row) {
	return /^\[hole at/.test(row.field);
}

/* Compute the changes between two runs. A member that only the other run has gets no offset. */
function comparedMembers(run, name) {
	const rows = recordsOf(run).get(name) ?? [], here = new Set(rows.map((row) => row.field));

	return compared(run, (r) => recordsOf(r).get(name) ?? [], (row) => row.field)
		.filter((row) => here.has(row.field) || !isHole(row))
		.map((row) => (here.has(row.field) ? row : { ...row, ...NOWHERE }));
}

/* Return whether a member equals another one or is in it; elements of elements are elements. */
function isIn(path, outer) {
	const [p, o] = [path, outer].map((text) => text.replace(/(\[\])+/g, "[]"));

	return p === o || (p.startsWith(o) && ".[".includes(p[o.length]));
}

/* Return whether one of several members equals another one, is in it, or may be it. */
function isOf(paths, outers) {
	return paths === outers || paths.split("|").some((path) =>
		outers.split("|").some((outer) => isIn(path, outer)));
}

/* Name a member that fills its parent after the parent, such as a lock's counter after the lock. */
function calledAs(list, i) {
	let at = i;

	while (at && list[at - 1].size === list[i].size && isIn(list[i].field, list[at - 1].field))
		at--;
	return list[at].field;
}

/* Leaves that share bytes, as in unions and bit-fields, share a cell. */
function cellsOf(members) {
	const list = members.filter((m) => m.offset !== null);
	const cells = [];

	list.forEach((m, i) => {
		const next = list[i + 1], last = cells[cells.length - 1];
		const begin = Number(m.offset), end = begin + Number(m.size);

		if (m.type && next?.type && next.field !== m.field && isIn(next.field, m.field))
			return;
		if (last && begin < last.end && m.type && last.rows[0].type) {
			last.rows.push(m);
			last.names.push(calledAs(list, i));
			last.end = Math.max(last.end, end);
		} else if (end > begin) {
			cells.push({ begin, end, rows: [m], names: [calledAs(list, i)], hole: !m.type });
		}
	});
	return cells;
}

function summed(rows, key) {
	return rows.reduce((n, row) => plus(n, row[key] ?? 0), 0);
}

/* Select the lines to draw: those with accesses; runs of others are merged. */
function linesOf(cells, size) {
	const lines = [];

	for (let n = 0; n * LINE < size; n++) {
		const used = cells.some((c) => c.begin < (n + 1) * LINE && c.end > n * LINE && c.value != 0);
		const last = lines[lines.length - 1];

		if (!used && last && !last.used)
			last.to = n;
		else
			lines.push({ from: n, to: n, used });
	}
	let y = 0;
	for (const line of lines) {
		line.y = y;
		line.height = line.used || line.from === line.to ? CELL : CELL / 2;
		y += line.height + 4;
	}
	return lines;
}

/* Return the parts of a cell, one for each line drawn in full. */
function partsOf(cell, lines, byte) {
	return lines.filter((l) => l.from === l.to && cell.begin < (l.from + 1) * LINE && cell.end > l.from * LINE)
		.map((l) => {
			const begin = Math.max(cell.begin - l.from * LINE, 0);
			const end = Math.min(cell.end - l.from * LINE, LINE);
			return { x: MARGIN + begin * byte, y: l.y, width: (end - begin) * byte, height: l.height };
		});
}

function drawCell(cell, parts, depth, first) {
	const names = cell.rows.map((row) => row.field);
	const most = cell.rows.reduce((a, b) => (summed([b], state.h || "accesses") > summed([a], state.h || "accesses") ? b : a));
	const reads = summed(cell.rows, "reads"), writes = summed(cell.rows, "writes");
	const signed = (state.h || "") === "accesses_change" && cell.value > 0 ? "+" : "";
	const what = cell.hole ? `${names[0]}: ${cell.end - cell.begin} bytes`
		: `${names.join(" | ")}: offset ${cell.begin}, ${cell.end - cell.begin} bytes, ` +
		  (cell.value != 0 || reads || writes ? `reads ${grouped(reads)}, writes ${grouped(writes)}` : "never accessed") +
		  (signed || cell.value < 0 ? `, change ${signed}${grouped(cell.value)}` : "");
	const chosen = !cell.hole && Boolean(state.f) && names.includes(state.f);
	const colour = `hsl(212 ${(45 + 25 * depth).toFixed(0)}% ${(90 - 62 * depth).toFixed(0)}%)`;
	const kind = cell.hole ? "hole" : cell.value != 0 ? (depth > 0.45 ? "deep" : "pale") : "never";
	const g = svg("g", { class: `tile ${kind}`, role: cell.hole ? "img" : "button", "aria-label": what,
			     tabindex: cell.hole ? null : first ? "0" : "-1", "data-field": cell.hole ? null : most.field,
			     "data-depth": depth.toFixed(3), "data-value": String(cell.value),
			     "aria-pressed": cell.hole ? null : String(chosen),
			     onclick: cell.hole ? null : () => selectMember(most.field) }, svg("title", {}, what));

	parts.forEach((p, i) => {
		const widest = parts.every((q) => q.width <= p.width) && parts.findIndex((q) => q.width === p.width) === i;
		const room = Math.floor((p.width - 4) / 6.6);

		g.append(svg("rect", { ...p, fill: kind === "deep" || kind === "pale" ? colour : null }));
		if (plus(reads, writes) > 0 && !cell.hole)
			g.append(svg("rect", { class: "written", x: p.x + 1, y: p.y + p.height - 5, height: 4,
					       width: Math.max(0, p.width - 2) * Number(writes) / Number(plus(reads, writes)) }));
		if (!widest || room < 3)
			return;
		const full = cell.hole ? "hole" : cell.names.join("|");
		const name = full.length <= room ? full : cell.names.map((n) => n.split(".").pop()).join("|");
		g.append(svg("text", { x: p.x + 3, y: p.y + 13 }, name.length > room ? name.slice(0, room - 1) + "\u2026" : name));
		const text = signed + grouped(cell.value);
		if (kind !== "never" && !cell.hole && text.length <= room + 1)
			g.append(svg("text", { x: p.x + 3, y: p.y + 27 }, text));
	});
	return g;
}

/* Draw a record from members as in layout. */
function recordMap(members, name, metric) {
	const cells = cellsOf(members).map((c) => ({ ...c, value: summed(c.rows, metric) }));
	const size = Math.max(0, ...cells.map((c) => c.end));
	const lines = linesOf(cells, size);
	const byte = (WIDTH - MARGIN) / LINE;
	const most = Math.max(1, ...cells.map((c) => Math.abs(Number(c.value))));
	const height = lines.length ? lines[lines.length - 1].y + lines[lines.length - 1].height + 2 : 0;
	const picture = svg("svg", { viewBox: `0 0 ${WIDTH} ${height}`, role: "group", id: "record",
				     "aria-label": `${name} in lines of ${LINE} bytes, by ${label(metric)}` },
		svg("defs", {}, svg("pattern", { id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse",
						 patternTransform: "rotate(45)" },
				    svg("line", { class: "axis", x1: 0, y1: 0, x2: 0, y2: 6 }))));
	const seen = cells.map((cell) => ({ cell, parts: partsOf(cell, lines, byte) })).filter((c) => c.parts.length);
	const chosen = seen.findIndex(({ cell }) => cell.rows.some((row) => row.field === state.f));
	const first = chosen >= 0 ? chosen : seen.findIndex(({ cell }) => !cell.hole);

	for (const l of lines) {
		const text = l.from === l.to ? `line ${l.from}` : `lines ${l.from}\u2013${l.to}: nothing accessed`;
		picture.append(svg("text", { class: "faint", x: 2, y: l.y + 14 }, text));
	}
	seen.forEach(({ cell, parts }, i) =>
		picture.append(drawCell(cell, parts, Math.log2(1 + Math.abs(Number(cell.value))) / Math.log2(1 + most), i === first)));
	rove(picture);
	return picture;
}

function selectMember(field) {
	go({ f: field });
	[...document.querySelectorAll("#record .tile")].find((t) => t.dataset.field === field)?.focus();
	say(`Selected ${field}`);
}
