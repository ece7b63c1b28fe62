// SPDX-License-Identifier: GPL-2.0
/* memorizer layout: prints the cache lines of a record and the accesses to each member. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "report/pack.h"
#include "report/report.h"
#include "report/tally.h"
#include "symbols/members.h"
#include "symbols/notes.h"

#define CPU_COLUMN	7	/* in a layout */
#define PATH_DEPTH	64	/* nesting of members */

static u64 sum_of(u64 a, u64 b)
{
	return __builtin_add_overflow(a, b, &a) ? U64_MAX : a;
}

/**
 * struct layout - a record and its accesses
 * @r: the report
 * @k: the sums
 * @part: kind of accesses
 * @record: the record
 * @name: number of its name in the sums, TEXTS_NONE if it is not there
 * @rows: its members in order, holes, and accesses to no known member
 * @elsewhere: sums of accesses to no known member that are not within a single member
 * @holes: number of holes
 * @hole_bytes: their total size in bytes
 */
struct layout {
	const struct report *r;
	const struct sums *k;
	const struct part *part;
	const struct record *record;
	u32 name;
	struct tallies rows;
	struct tally elsewhere;
	u64 holes, hole_bytes;
};

/* Set the position of a row. */
static struct tally *place(struct tallies *rows, const char *name, const char *text, u64 offset,
			   u64 size)
{
	struct tally *tally = tally_row(rows, name, text);

	tally->sum[TALLY_OFFSET] = offset;
	tally->sum[TALLY_SIZE] = size;
	tally->sum[TALLY_LINE] = offset / PACK_LINE;
	return tally;
}

static void place_hole(struct layout *l, u64 from, u64 to)
{
	char hole[32];

	if (from >= to)
		return;
	snprintf(hole, sizeof(hole), "[hole at %llu]", from);
	place(&l->rows, hole, NULL, from, to - from);
	l->holes++;
	l->hole_bytes += to - from;
}

/* Add a separator for the cache line of @offset if it is after @line; returns the line. */
static u64 place_line(struct layout *l, u64 line, u64 offset)
{
	u64 next = offset / PACK_LINE, ago = offset % PACK_LINE;
	char text[96];

	/* Separators make sense only in text, and in the order of the record. */
	if (next <= line || l->r->format != REPORT_TEXT || l->r->all || l->r->order->key)
		return line;
	if (ago)
		snprintf(text, sizeof(text), "--- line %llu began %llu bytes before", next, ago);
	else
		snprintf(text, sizeof(text), "--- line %llu", next);
	place(&l->rows, text, NULL, next * PACK_LINE, 0);
	return next;
}

/* Add the members in order, with holes between outer members. */
static void place_members(struct layout *l)
{
	const struct record *record = l->record;
	const struct member *m;
	u64 end = 0, line = 0;
	u32 i;

	for (i = 0; i < record->nr; i++) {
		m = record->members + i;
		/* Offsets and sizes of members are in bits. */
		place_hole(l, (end + 7) / 8, m->offset / 8);
		line = place_line(l, line, m->offset / 8);
		place(&l->rows, m->path, m->type, m->offset / 8, (m->size + 7) / 8);
		if (m->offset + m->size > end)
			end = m->offset + m->size;
	}
	place_hole(l, (end + 7) / 8, record->size);
}

/* Find a member by path; NULL for the whole record, an unknown member, or several members. */
static const struct member *find_member(const struct record *record, const char *path)
{
	u32 i;

	for (i = 0; path && *path && i < record->nr; i++)
		if (members_is_in(record->members[i].path, path) &&
		    members_is_in(path, record->members[i].path) && !strchr(path, '|'))
			return record->members + i;
	return NULL;
}

/* Does one member contain everything that may be accessed? */
static bool is_contained(const struct record *record, const char *paths)
{
	char rest[TEXTS_MAX];
	u32 i;

	for (i = 0; paths && *paths && i < record->nr; i++)
		if (members_rest(paths, record->members[i].path, rest))
			return true;
	return false;
}

static void count_member(struct layout *l, const struct field *field)
{
	u32 name = field->key;
	const char *path = name ? texts_get(&l->k->names, name) : NULL;
	const struct member *m = find_member(l->record, path);
	struct tally *tally;

	if (m)
		tally = tally_row(&l->rows, m->path, m->type);
	else
		tally = tally_row(&l->rows, named_path(path) ?: "[unknown]", NULL);
	if (!m && !is_contained(l->record, path))
		tally_add(&l->elsewhere, field->sum);
	tally_add(tally, field->sum);
	tally->sum[TALLY_FUNCTIONS] += field->sum[SUM_FUNCTIONS];
	tally->sum[TALLY_PIDS] += field->sum[SUM_PIDS];
	tally->sum[TALLY_CPUS] += field->sum[SUM_CPUS];
}

/* Is this an access to a member of the record? */
static bool is_of_record(const struct layout *l, const struct field *field)
{
	return field->key >> 32 == l->name &&
	       (field->sum[SUM_ACCESSES] || field->sum[SUM_MOVES]);
}

static void count_members(struct layout *l)
{
	const struct hash *within = l->k->within + l->part->source;
	u32 i;

	for (i = 0; i < within->nr; i++)
		if (is_of_record(l, hash_item(within, i)))
			count_member(l, hash_item(within, i));
}

/*
 * Collect the outer members with the accesses to everything in them; bit-fields that share bytes
 * are one member.
 */
static u32 outer_members(struct layout *l, struct packed *outer, struct tally *placed)
{
	const struct member *m, *around = NULL;
	struct packed *last;
	struct tally *tally;
	u64 begin, end;
	u32 i, nr = 0;

	for (i = 0; i < l->record->nr; i++) {
		m = l->record->members + i;
		if (around && members_is_in(m->path, around->path))
			continue;
		around = m;
		begin = m->offset / 8;
		end = (m->offset + m->size + 7) / 8;
		last = nr ? outer + nr - 1 : NULL;
		if (!last || begin >= last->offset + last->size) {
			last = outer + nr++;
			*last = (struct packed){ .name = m->path, .offset = begin,
						 .size = end - begin };
		} else if (end > last->offset + last->size) {
			last->size = end - last->offset;
		}
		tally = tally_row(&l->rows, m->path, m->type);
		tally_add(placed, tally->sum);
		last->reads = sum_of(last->reads, tally->sum[TALLY_READS]);
		last->writes = sum_of(last->writes, tally->sum[TALLY_WRITES]);
		last->moves = sum_of(last->moves, tally->sum[TALLY_MOVES]);
	}
	return nr;
}

/* Print the figures of an order, before and after. */
static void print_figures(const struct layout *l, const struct pack_figures *before,
			  const struct pack_figures *after)
{
	static const char * const names[] = { "bytes", "lines_accessed", "lines_mixed" };
	const u64 figures[][2] = {
		{ before->bytes, after->bytes }, { before->lines, after->lines },
		{ before->mixed, after->mixed },
	};
	struct table t = {
		.name_title = "What it changes", .name_key = "name",
		.columns = {
			{ "Before", "before", TALLY_FROM, CELL_NUMBER, 0 },
			{ "After", "after", TALLY_OFFSET, CELL_NUMBER, 0 },
		},
	};
	struct tallies rows;
	struct tally *tally;
	size_t i;

	tally_init(&rows);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		tally = place(&rows, names[i], NULL, figures[i][1], 0);
		tally->sum[TALLY_FROM] = figures[i][0];
	}
	tally_print(l->r, l->k, l->part, "EFFECT OF THE NEW ORDER", "changes", &t, &rows, true);
	tally_free(&rows);
}

/* Print how many accesses the order is based on, and how many are to unknown members. */
static void print_basis(const struct layout *l, const struct tally *placed)
{
	struct table t = {
		.name_title = "Accesses", .name_key = "name",
		.columns = { TALLY_COLUMN_READS, TALLY_COLUMN_WRITES, TALLY_COLUMN_MOVES },
	};
	struct tallies rows;

	tally_init(&rows);
	tally_add(tally_row(&rows, "to_members", NULL), placed->sum);
	tally_add(tally_row(&rows, "elsewhere", NULL), l->elsewhere.sum);
	tally_print(l->r, l->k, l->part, "ACCESSES THAT DETERMINE THE ORDER", "basis", &t,
		    &rows, true);
	tally_free(&rows);
}

/* Propose an order if the record is a struct with accesses. */
static void print_order(struct layout *l)
{
	static const char * const uses[] = {
		[PACK_READ] = "read", [PACK_UNTOUCHED] = "untouched", [PACK_WRITTEN] = "written",
	};
	struct table t = {
		.name_title = "Member", .name_key = "field", .texts = { { "Use", "use" } },
		.columns = {
			{ "Offset", "offset", TALLY_OFFSET, CELL_NUMBER, 0 },
			{ "Size", "size", TALLY_SIZE, CELL_NUMBER, 0 },
			{ "Line", "line", TALLY_LINE, CELL_NUMBER, 0 },
			{ "Before", "offset_before", TALLY_FROM, CELL_NUMBER, 0 },
			TALLY_COLUMN_READS, TALLY_COLUMN_WRITES, TALLY_COLUMN_MOVES,
		},
	};
	struct packed *outer = xreallocarray(NULL, l->record->nr + 1, sizeof(*outer));
	struct tally placed = { .name = 0 }, *tally;
	u32 nr = outer_members(l, outer, &placed), i;
	struct pack_figures before, after;
	struct tallies rows;

	pack(outer, nr, &before, &after);
	if (before.lines && !strcmp(l->record->kind, "struct")) {
		tally_init(&rows);
		for (i = 0; i < nr; i++) {
			tally = place(&rows, outer[i].name, uses[outer[i].use], outer[i].at,
				      outer[i].size);
			tally->sum[TALLY_FROM] = outer[i].offset;
			tally->sum[TALLY_READS] = outer[i].reads;
			tally->sum[TALLY_WRITES] = outer[i].writes;
			tally->sum[TALLY_MOVES] = outer[i].moves;
		}
		tally_print(l->r, l->k, l->part, "A BETTER ORDER, PERHAPS", "order", &t, &rows,
			    true);
		print_figures(l, &before, &after);
		print_basis(l, &placed);
		tally_free(&rows);
	}
	free(outer);
}

/* Table of members without title and rows. */
static struct table member_table(const struct part *part)
{
	struct table t = {
		.name_title = "Member", .name_key = "field", .texts = { { "Type", "type" } },
		.columns = {
			{ "Offset", "offset", TALLY_OFFSET, CELL_NUMBER, 0 },
			{ "Size", "size", TALLY_SIZE, CELL_NUMBER, 0 },
			{ "Line", "line", TALLY_LINE, CELL_NUMBER, 0 },
			TALLY_COLUMN_READS, TALLY_COLUMN_WRITES,
			{ "Functions", "functions", TALLY_FUNCTIONS, CELL_NUMBER, 0 },
			{ "Pids", "pids", TALLY_PIDS, CELL_NUMBER, 0 },
			{ "CPUs", "cpus", TALLY_CPUS, CELL_NUMBER, 0 },
			TALLY_COLUMN_MOVES,
		},
	};

	/* A KMAP has no CPUs. */
	if (part->source == ACCESS_COUNTED) {
		t.columns[CPU_COLUMN] = t.columns[CPU_COLUMN + 1];
		t.columns[CPU_COLUMN + 1] = (struct column){ NULL };
	}
	return t;
}

static void print_members(struct layout *l)
{
	struct table t = member_table(l->part);
	const struct record *record = l->record;
	u64 lines = (record->size + PACK_LINE - 1) / PACK_LINE;
	char title[TEXTS_MAX];

	snprintf(title, sizeof(title), "%s %s, %llu BYTES IN %llu LINE%s, %llu OF THEM IN %llu HOLE%s",
		 record->kind, record->name, record->size, lines, lines == 1 ? "" : "S",
		 l->hole_bytes, l->holes, l->holes == 1 ? "" : "S");
	tally_print(l->r, l->k, l->part, title, "layout", &t, &l->rows, !l->r->order->key);
}

/* Mark accessed members, the members in them, and those that contain them. */
static bool *accessed_members(const struct layout *l)
{
	const struct hash *fields = l->k->fields + l->part->source;
	bool *marks = xreallocarray(NULL, l->record->nr + 1, sizeof(*marks));
	const struct field *field;
	u32 i;

	memset(marks, 0, (l->record->nr + 1) * sizeof(*marks));
	for (i = 0; i < fields->nr; i++) {
		field = hash_item(fields, i);
		if (is_of_record(l, field) && (u32)field->key)
			members_mark(l->record, texts_get(&l->k->names, (u32)field->key), marks);
	}
	return marks;
}

/* Mark members of an embedded record that is not accessed: its row stands for them. */
static bool *hidden_members(const struct layout *l)
{
	const struct record *record = l->record;
	bool *accessed = accessed_members(l);
	bool *hidden = xreallocarray(NULL, record->nr + 1, sizeof(*hidden));
	u32 outer[PATH_DEPTH], depth = 0, i;

	for (i = 0; i < record->nr; i++) {
		while (depth && !members_is_in(record->members[i].path,
					       record->members[outer[depth - 1]].path))
			depth--;
		hidden[i] = depth && !accessed[outer[depth - 1]];
		if (depth < PATH_DEPTH)
			outer[depth++] = i;
	}
	free(accessed);
	return hidden;
}

/* Is the row of a hidden member? Rows are in the order of members; @m is the next member. */
static bool is_hidden(const struct layout *l, const bool *hidden, const struct tally *tally, u32 *m)
{
	const char *path = texts_get(&l->rows.texts, tally->name);
	const struct record *record = l->record;

	if (!tally->text)
		return false;
	while (*m < record->nr && strcmp(record->members[*m].path, path))
		++*m;
	return *m < record->nr && hidden[(*m)++];
}

/* Append the rows of a record to a table of several records. */
static void add_rows(struct table *t, const struct layout *l)
{
	bool *hidden = hidden_members(l);
	const struct tally *tally;
	struct row *row;
	u32 i, m = 0;

	t->rows = xreallocarray(t->rows, t->nr + l->rows.rows.nr + 1, sizeof(*t->rows));
	for (i = 0; i < l->rows.rows.nr; i++) {
		tally = hash_item(&l->rows.rows, i);
		if (is_hidden(l, hidden, tally, &m))
			continue;
		row = t->rows + t->nr++;
		*row = (struct row){ .sum = tally->sum };
		row->name = table_text(texts_get(&l->rows.texts, tally->name));
		row->texts[0] = table_text(l->record->name);
		if (tally->text)
			row->texts[1] = table_text(texts_get(&l->rows.texts, tally->text));
	}
	free(hidden);
}

/* Sort types by accesses, descending. */
static int compare_types(const void *left, const void *right)
{
	const struct type *a = *(const struct type * const *)left;
	const struct type *b = *(const struct type * const *)right;

	if (a->sum[SUM_ACCESSES] != b->sum[SUM_ACCESSES])
		return a->sum[SUM_ACCESSES] > b->sum[SUM_ACCESSES] ? -1 : 1;
	return (a->name > b->name) - (a->name < b->name);
}

/* Print the layouts of all accessed records. */
static void print_part(const struct report *r, const struct sums *k, const struct part *part)
{
	const struct hash *types = k->types +
		(part->source == ACCESS_COUNTED ? GROUP_KMAP : GROUP_SLAB);
	const struct type **order = xreallocarray(NULL, types->nr + 1, sizeof(*order));
	struct layout *layouts = xreallocarray(NULL, types->nr + 1, sizeof(*layouts)), *l;
	struct record *records = xreallocarray(NULL, types->nr + 1, sizeof(*records));
	struct table t = member_table(part);
	char title[TEXTS_MAX], key[64];
	u32 i, nr = 0;

	t.texts[1] = t.texts[0];
	t.texts[0] = (struct text_column){ "Record", "record" };
	for (i = 0; i < types->nr; i++)
		order[i] = hash_item(types, i);
	qsort(order, types->nr, sizeof(*order), compare_types);
	/* They are sorted: the rest has no accesses. */
	for (i = 0; i < types->nr && order[i]->sum[SUM_ACCESSES]; i++) {
		if (!order[i]->name ||
		    !notes_record(kmap_symbols_notes(k->symbols),
				  texts_get(&k->names, order[i]->name), records + nr))
			continue;
		l = layouts + nr;
		*l = (struct layout){ .r = r, .k = k, .part = part, .record = records + nr++,
				      .name = order[i]->name };
		tally_init(&l->rows);
		place_members(l);
		count_members(l);
		add_rows(&t, l);
	}
	snprintf(title, sizeof(title), "%sHOW ALL THAT IS ACCESSED IS LAID OUT", part->title);
	snprintf(key, sizeof(key), "%slayouts", part->key);
	t.title = title;
	t.key = key;
	report_drop_moves(k, part->source, &t);
	if (r->order->key)
		report_order(r, &t);
	report_table(r, &t);
	table_free(&t);
	/* After the table, whose rows point to these sums. */
	for (i = 0; i < nr; i++) {
		tally_free(&layouts[i].rows);
		notes_record_free(records + i);
	}
	free(records);
	free(layouts);
	free(order);
}

static void print_all(const struct report *r, const struct sums *k)
{
	struct part parts[ACCESS_SOURCES];
	int nr = tally_parts(r, parts), p;

	for (p = 0; p < nr; p++)
		print_part(r, k, parts + p);
}

static void print_layout(const struct report *r, const struct sums *k)
{
	struct part parts[ACCESS_SOURCES];
	struct record record;
	int nr = tally_parts(r, parts), p;

	if (r->all) {
		print_all(r, k);
		return;
	}
	if (!notes_record(kmap_symbols_notes(k->symbols), r->what, &record))
		return;
	for (p = 0; p < nr; p++) {
		struct layout l = {
			.r = r, .k = k, .part = parts + p, .record = &record,
			.name = texts_find(&k->names, record.name),
		};

		tally_init(&l.rows);
		place_members(&l);
		count_members(&l);
		print_members(&l);
		print_order(&l);
		tally_free(&l.rows);
	}
	notes_record_free(&record);
}

/* Check that the requested record is known; returns false after a message. */
static bool check_layout(const struct report *r, const struct sums *k)
{
	struct record record;

	if (r->all)
		return true;
	if (!notes_record(kmap_symbols_notes(k->symbols), r->what, &record)) {
		fprintf(stderr, "memorizer layout: no struct or union '%s' in the notes\n",
			r->what);
		return false;
	}
	notes_record_free(&record);
	return true;
}

static int run_layout(int argc, char **argv)
{
	static const struct report_kind kind = {
		.command = &command_layout, .wants = "TYPE", .usual = "place", .takes = REPORT_ALL,
		.needs_notes = true, .check = check_layout, .print = print_layout,
	};

	return report_run(argc, argv, &kind);
}

static const char * const usage[] = {
	"memorizer layout --vmlinux FILE [OPTION...] TYPE [KMAP|DIR|-]",
	"memorizer layout --vmlinux FILE [OPTION...] --all [KMAP|DIR|-]",
	"",
	"Prints the members of a struct or union in order, with offset, size, cache line and",
	"holes; how often each was read and written, and by how many functions and pids. Then",
	"proposes an order that separates members that are mostly read from those that are",
	"written, and prints what it would change.",
	NULL
};

const struct command command_layout = {
	.name = "layout",
	.summary = "show the layout of a struct with the accesses to each member",
	.usage = usage,
	.run = run_layout,
};
