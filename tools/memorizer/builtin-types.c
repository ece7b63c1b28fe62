// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer types, layout, who and what: what a KMAP or trace tells of types and their members,
 * by the names that the compiler noted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "notes.h"
#include "pack.h"
#include "report.h"
#include "table.h"
#include "texts.h"

#define INPUT_OPTIONS \
	"  -k, --vmlinux FILE   the kernel, with the compiler's notes\n" \
	"  -K, --kallsyms FILE  take symbols, modules' too, and the offset of KASLR from\n" \
	"                       this copy of /proc/kallsyms of the traced kernel (default\n" \
	"                       for a trace: the one in it)\n" \
	"  -M, --modules DIR    take notes of modules from the files NAME.ko below DIR\n" \
	"  -s, --sort KEY       largest KEY first, as for report; or by name\n" \
	"  -n, --top N          print the first N rows of each table (0: all; default 20,\n" \
	"                       with --json and --csv all)\n" \
	"  -j, --json           print JSON\n" \
	"  -c, --csv            print CSV\n" \
	"  -h, --help           print this\n" \
	"\n" \
	"Options of report that say what counts do so here, too.\n"

/* What is told of a row: the metrics that rows are sorted by come as report has them. */
enum tally_metric {
	TALLY_READS = SUM_READS,
	TALLY_WRITES = SUM_WRITES,
	TALLY_ACCESSES = SUM_ACCESSES,
	TALLY_FUNCTIONS,
	TALLY_PIDS,
	TALLY_OFFSET,
	TALLY_SIZE,
	TALLY_LINE,
	TALLY_FROM,		/* offset before */
	TALLY_METRICS
};

/* A row: what has that name, and text beside it. */
struct tally {
	u64 name, text;
	u64 sum[TALLY_METRICS];
};

/* The accesses of one source, and what the tables of them begin with. */
struct part {
	enum access_source source;
	const char *title, *key;
};

/* The parts that there are; returns how many. */
static int parts_of(const struct report *r, struct part parts[ACCESS_SOURCES])
{
	if (!r->trace) {
		parts[0] = (struct part){ ACCESS_COUNTED, "", "" };
		return 1;
	}
	parts[0] = (struct part){ ACCESS_STREAMED, "STREAMED: ", "streamed_" };
	parts[1] = (struct part){ ACCESS_COUNTED, "KMAP: ", "kmap_" };
	return 2;
}

/* Prints rows, sorted if that is wanted, of which names and texts are numbers in @texts. */
static void print_tallies(const struct report *r, const struct part *part, const char *title,
			  const char *key, struct table *t, const struct hash *tallies,
			  const struct hash *texts, bool ordered)
{
	char titles[96], keys[64];
	const struct tally *tally;
	u32 i;

	snprintf(titles, sizeof(titles), "%s%s", part->title, title);
	snprintf(keys, sizeof(keys), "%s%s", part->key, key);
	t->title = titles;
	t->key = keys;
	t->then[0] = TALLY_ACCESSES;
	t->then[1] = TALLY_READS;
	t->rows = kmap_array(NULL, tallies->nr + 1, sizeof(*t->rows));
	for (i = 0; i < tallies->nr; i++) {
		tally = hash_item(tallies, i);
		t->rows[t->nr] = (struct row){ .sum = tally->sum };
		if (tally->name)
			t->rows[t->nr].name = table_text(texts_get(texts, tally->name));
		if (tally->text)
			t->rows[t->nr].texts[0] = table_text(texts_get(texts, tally->text));
		t->nr++;
	}
	if (!ordered)
		table_sort(t, report_metric(r, t), r->by_name);
	report_table(r, t);
	table_free(t);
}

static void add(u64 *sum, u64 n)
{
	if (__builtin_add_overflow(*sum, n, sum))
		*sum = U64_MAX;
}

/* Adds accesses to the row of a name, and a text beside it; number 0 is for none. */
static void count(struct hash *tallies, struct hash *texts, const char *name, const char *text,
		  const struct noted *noted)
{
	u64 key[2] = { name ? texts_number(texts, name) : 0, text ? texts_number(texts, text) : 0 };
	struct tally *tally;
	bool new;
	int m;

	tally = hash_item(tallies, hash_get(tallies, key, &new));
	for (m = SUM_READS; m <= SUM_ACCESSES; m++)
		add(tally->sum + m, noted->sum[m]);
}

static void begin(struct hash *tallies, struct hash *texts)
{
	hash_init(tallies, sizeof(struct tally), 2 * sizeof(u64));
	texts_init(texts);
	texts_number(texts, "\n");
}

static const char *shown_path(const char *path)
{
	return path && !*path ? "[whole]" : path;
}

/* The directory that a file is in, to a depth of two: the subsystem, as far as a path says. */
static const char *subsystem(const char *file, char text[TEXTS_MAX])
{
	const char *slash = file ? strchr(file, '/') : NULL, *second;

	if (!file)
		return NULL;
	second = slash ? strchr(slash + 1, '/') : NULL;
	if (second)
		slash = second;
	snprintf(text, TEXTS_MAX, "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
	return text;
}

/* Whether a member is the one asked for, or in it; paths may have alternatives. */
static bool path_matches(const char *path, const char *want)
{
	size_t len = strlen(want);

	for (; path; path = strchr(path, '|'), path = path ? path + 1 : NULL)
		if (!strncmp(path, want, len) && strchr(".[|", path[len]))
			return true;
	return false;
}

/* Splits TYPE.FIELD; the field is empty if there is none. */
static void split(const char *what, char type[TEXTS_MAX], const char **field)
{
	size_t len = strcspn(what, ".");

	snprintf(type, TEXTS_MAX, "%.*s", (int)len, what);
	*field = what[len] ? what + len + 1 : "";
}

static bool is_asked_for(const struct named *named, const char *type, const char *field)
{
	if (!named->type || strcmp(named->type, type))
		return false;
	return !*field || (named->path && path_matches(named->path, field));
}

#define READS		{ "Reads", "reads", TALLY_READS, CELL_NUMBER, 0 }
#define WRITES		{ "Writes", "writes", TALLY_WRITES, CELL_NUMBER, 0 }

static void print_who(const struct report *r, const struct sums *k)
{
	static const struct {
		const char *title, *key, *name;
	} tables[] = {
		{ "BY FUNCTION", "functions", "Function" }, { "BY FILE", "files", "File" },
		{ "BY SUBSYSTEM", "subsystems", "Subsystem" },
	};
	char type[TEXTS_MAX], text[TEXTS_MAX], function[KMAP_SYMBOL_MAX];
	struct part parts[ACCESS_SOURCES];
	const struct noted *noted;
	struct hash tallies, texts;
	struct named named;
	const char *field, *name;
	int nr = parts_of(r, parts), p;
	size_t i;
	u32 n;

	split(r->what, type, &field);
	for (p = 0; p < nr; p++) {
		for (i = 0; i < ARRAY_SIZE(tables); i++) {
			struct table t = { .name_title = tables[i].name, .name_key = "name",
					   .texts = { { "Member", "field" } },
					   .columns = { READS, WRITES } };

			begin(&tallies, &texts);
			for (n = 0; n < k->noted[parts[p].source].nr; n++) {
				noted = hash_item(k->noted + parts[p].source, n);
				named = sums_named(k, parts[p].source, noted);
				if (!is_asked_for(&named, type, field))
					continue;
				report_function(k, parts[p].source, named.function, function);
				name = i == 0 ? function : i == 1 ? named.file :
					subsystem(named.file, text);
				count(&tallies, &texts, name, shown_path(named.path), noted);
			}
			print_tallies(r, parts + p, tables[i].title, tables[i].key, &t, &tallies,
				      &texts, false);
			hash_free(&tallies);
			hash_free(&texts);
		}
	}
}

/* Whether there is an access to what who is asked for, of a source that is told. */
static bool is_accessed(const struct report *r, const struct sums *k, const char *type,
			const char *field)
{
	struct part parts[ACCESS_SOURCES];
	struct named named;
	int nr = parts_of(r, parts), p;
	u32 n;

	for (p = 0; p < nr; p++) {
		for (n = 0; n < k->noted[parts[p].source].nr; n++) {
			named = sums_named(k, parts[p].source,
					   hash_item(k->noted + parts[p].source, n));
			if (is_asked_for(&named, type, field))
				return true;
		}
	}
	return false;
}

static bool check_who(const struct report *r, const struct sums *k)
{
	char type[TEXTS_MAX];
	struct record record;
	const char *field;

	split(r->what, type, &field);
	if (is_accessed(r, k, type, field))
		return true;
	if (!notes_record(kmap_symbols_noted(k->symbols), type, &record)) {
		fprintf(stderr,
			"memorizer who: no access to '%s', and no struct or union '%s' in the notes\n",
			r->what, type);
		return false;
	}
	notes_record_free(&record);
	fprintf(stderr, "memorizer who: no access to '%s'\n", r->what);
	return false;
}

/* Whether a function that what is asked for accesses anything, in a source that is told. */
static bool check_what(const struct report *r, const struct sums *k)
{
	char function[KMAP_SYMBOL_MAX];
	struct part parts[ACCESS_SOURCES];
	int nr = parts_of(r, parts), p;
	u32 i;

	for (p = 0; p < nr; p++) {
		for (i = 0; i < k->functions[parts[p].source].nr; i++) {
			report_function(k, parts[p].source, i, function);
			if (kmem_filter_matches(r->what, function))
				return true;
		}
	}
	fprintf(stderr, "memorizer what: no access by '%s'%s\n", r->what,
		kmap_symbols_have(k->symbols, r->what) ? "" : ", and no function of that name");
	return false;
}

static void print_what(const struct report *r, const struct sums *k)
{
	char function[KMAP_SYMBOL_MAX];
	struct part parts[ACCESS_SOURCES];
	const struct noted *noted;
	struct hash tallies, texts;
	struct named named;
	int nr = parts_of(r, parts), p;
	u32 n;

	for (p = 0; p < nr; p++) {
		struct table t = { .name_title = "Member", .name_key = "field",
				   .texts = { { "Type", "type" } }, .columns = { READS, WRITES } };

		begin(&tallies, &texts);
		for (n = 0; n < k->noted[parts[p].source].nr; n++) {
			noted = hash_item(k->noted + parts[p].source, n);
			named = sums_named(k, parts[p].source, noted);
			report_function(k, parts[p].source, named.function, function);
			if (kmem_filter_matches(r->what, function))
				count(&tallies, &texts, shown_path(named.path), named.type, noted);
		}
		print_tallies(r, parts + p, "WHAT IT ACCESSES", "members", &t, &tallies, &texts,
			      false);
		hash_free(&tallies);
		hash_free(&texts);
	}
}

/* A row of a layout. */
static struct tally *place(struct hash *tallies, struct hash *texts, const char *name,
			   const char *text, u64 bits, u64 size)
{
	u64 key[2] = { texts_number(texts, name), text ? texts_number(texts, text) : 0 };
	struct tally *tally;
	bool new;

	tally = hash_item(tallies, hash_get(tallies, key, &new));
	tally->sum[TALLY_OFFSET] = bits / 8;
	tally->sum[TALLY_SIZE] = (size + 7) / 8;
	tally->sum[TALLY_LINE] = bits / 8 / PACK_LINE;
	return tally;
}

/* The members in their order, with holes between those that are in no other. */
static void place_members(const struct record *record, struct hash *tallies, struct hash *texts)
{
	const struct member *m;
	u64 end = 0;
	char hole[32];
	u32 i;

	for (i = 0; i < record->nr; i++) {
		m = record->members + i;
		if (m->offset / 8 > (end + 7) / 8) {
			snprintf(hole, sizeof(hole), "[hole at %llu]", (end + 7) / 8);
			place(tallies, texts, hole, NULL, (end + 7) / 8 * 8,
			      m->offset / 8 * 8 - (end + 7) / 8 * 8);
		}
		place(tallies, texts, m->path, m->type, m->offset, m->size);
		if (m->offset + m->size > end)
			end = m->offset + m->size;
	}
	if (record->size > (end + 7) / 8) {
		snprintf(hole, sizeof(hole), "[hole at %llu]", (end + 7) / 8);
		place(tallies, texts, hole, NULL, (end + 7) / 8 * 8,
		      record->size * 8 - (end + 7) / 8 * 8);
	}
}

/* The member of a path; what is not one of the members has a row of its own. */
static struct tally *member_row(const struct record *record, struct hash *tallies,
				struct hash *texts, const char *path)
{
	u32 i;

	for (i = 0; i < record->nr && strcmp(record->members[i].path, path); i++)
		;
	if (i < record->nr)
		return place(tallies, texts, path, record->members[i].type,
			     record->members[i].offset, record->members[i].size);
	return place(tallies, texts, *path ? path : "[whole]", NULL, 0, 0);
}

static void count_members(const struct sums *k, enum access_source source,
			  const struct record *record, struct hash *tallies, struct hash *texts)
{
	const struct field *field;
	struct tally *tally;
	const char *path;
	u32 i;
	int m;

	for (i = 0; i < k->fields[source].nr; i++) {
		field = hash_item(k->fields + source, i);
		if (strcmp(texts_get(&k->names, field->key >> 32), record->name))
			continue;
		path = (u32)field->key ? texts_get(&k->names, (u32)field->key) : "[unknown]";
		tally = member_row(record, tallies, texts, path);
		for (m = SUM_READS; m <= SUM_ACCESSES; m++)
			add(tally->sum + m, field->sum[m]);
		tally->sum[TALLY_FUNCTIONS] += field->sum[SUM_FUNCTIONS];
		tally->sum[TALLY_PIDS] += field->sum[SUM_PIDS];
	}
}

/* The members that are in no other; those with bits of the same bytes are one. */
static u32 outer_members(const struct record *record, struct hash *tallies, struct hash *texts,
			 struct packed *outer)
{
	const struct member *m;
	struct packed *last;
	struct tally *tally;
	u64 begin, end;
	u32 i, nr = 0;

	for (i = 0; i < record->nr; i++) {
		m = record->members + i;
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
		tally = member_row(record, tallies, texts, m->path);
		add(&last->reads, tally->sum[TALLY_READS]);
		add(&last->writes, tally->sum[TALLY_WRITES]);
	}
	return nr;
}

/* What the order amounts to, before and after. */
static void print_figures(const struct report *r, const struct part *part,
			  const struct pack_figures *before, const struct pack_figures *after)
{
	static const char * const names[] = { "bytes", "lines_accessed", "lines_mixed" };
	const u64 figures[][2] = {
		{ before->bytes, after->bytes }, { before->lines, after->lines },
		{ before->mixed, after->mixed },
	};
	struct table t = {
		.name_title = "What it changes", .name_key = "name",
		.columns = {
			{ "Before", "before", TALLY_FROM, CELL_OF_ONE, 0 },
			{ "After", "after", TALLY_OFFSET, CELL_OF_ONE, 0 },
		},
	};
	struct hash tallies, texts;
	struct tally *tally;
	size_t i;

	begin(&tallies, &texts);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		tally = place(&tallies, &texts, names[i], NULL, 8 * figures[i][1], 0);
		tally->sum[TALLY_FROM] = figures[i][0];
	}
	print_tallies(r, part, "WHAT THAT CHANGES", "changes", &t, &tallies, &texts, true);
	hash_free(&tallies);
	hash_free(&texts);
}

/* A better order, if the record is a struct of which something is accessed. */
static void print_order(const struct report *r, const struct part *part,
			const struct record *record, struct hash *tallies, struct hash *texts)
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
			{ "Before", "offset_before", TALLY_FROM, CELL_NUMBER, 0 }, READS, WRITES,
		},
	};
	struct packed *outer = kmap_array(NULL, record->nr + 1, sizeof(*outer));
	u32 nr = outer_members(record, tallies, texts, outer), i;
	struct pack_figures before, after;
	struct hash rows, names;
	struct tally *tally;

	pack(outer, nr, &before, &after);
	if (before.lines && !strcmp(record->kind, "struct")) {
		begin(&rows, &names);
		for (i = 0; i < nr; i++) {
			tally = place(&rows, &names, outer[i].name, uses[outer[i].use],
				      8 * outer[i].at, 8 * outer[i].size);
			tally->sum[TALLY_FROM] = outer[i].offset;
			tally->sum[TALLY_READS] = outer[i].reads;
			tally->sum[TALLY_WRITES] = outer[i].writes;
		}
		print_tallies(r, part, "A BETTER ORDER, PERHAPS", "order", &t, &rows, &names, true);
		print_figures(r, part, &before, &after);
		hash_free(&rows);
		hash_free(&names);
	}
	free(outer);
}

static void print_layout(const struct report *r, const struct sums *k)
{
	struct part parts[ACCESS_SOURCES];
	struct hash tallies, texts;
	struct record record;
	char title[TEXTS_MAX];
	int nr = parts_of(r, parts), p;

	if (!notes_record(kmap_symbols_noted(k->symbols), r->what, &record))
		return;
	snprintf(title, sizeof(title), "%s %s, %llu BYTES", record.kind, record.name, record.size);
	for (p = 0; p < nr; p++) {
		struct table t = {
			.name_title = "Member", .name_key = "field",
			.texts = { { "Type", "type" } },
			.columns = {
				{ "Offset", "offset", TALLY_OFFSET, CELL_NUMBER, 0 },
				{ "Size", "size", TALLY_SIZE, CELL_NUMBER, 0 },
				{ "Line", "line", TALLY_LINE, CELL_NUMBER, 0 },
				READS, WRITES,
				{ "Functions", "functions", TALLY_FUNCTIONS, CELL_NUMBER, 0 },
				{ "Pids", "pids", TALLY_PIDS, CELL_NUMBER, 0 },
			},
		};

		begin(&tallies, &texts);
		place_members(&record, &tallies, &texts);
		count_members(k, parts[p].source, &record, &tallies, &texts);
		print_tallies(r, parts + p, title, "layout", &t, &tallies, &texts, true);
		print_order(r, parts + p, &record, &tallies, &texts);
		hash_free(&tallies);
		hash_free(&texts);
	}
	notes_record_free(&record);
}

/* Whether the record is known that layout is asked for. */
static bool check_layout(const struct report *r, const struct sums *k)
{
	struct record record;

	if (!notes_record(kmap_symbols_noted(k->symbols), r->what, &record)) {
		fprintf(stderr, "memorizer layout: no struct or union '%s' in the notes\n",
			r->what);
		return false;
	}
	notes_record_free(&record);
	return true;
}

static int run_types(int argc, char **argv)
{
	static const struct report_kind kind = { &command_types, NULL, NULL, report_types };

	return report_run(argc, argv, &kind);
}

static int run_layout(int argc, char **argv)
{
	static const struct report_kind kind = {
		&command_layout, "TYPE", check_layout, print_layout,
	};

	return report_run(argc, argv, &kind);
}

static int run_who(int argc, char **argv)
{
	static const struct report_kind kind = { &command_who, "TYPE[.FIELD]", check_who, print_who };

	return report_run(argc, argv, &kind);
}

static int run_what(int argc, char **argv)
{
	static const struct report_kind kind = { &command_what, "FUNCTION", check_what, print_what };

	return report_run(argc, argv, &kind);
}

const struct command command_types = {
	.name = "types",
	.summary = "tell which types are allocated, and which members are accessed",
	.usage = "Usage: memorizer types --vmlinux FILE [OPTION...] [KMAP|DIR|-]\n"
		"\n"
		"Prints which types were allocated, how much of them and how much is live; and which\n"
		"members of types were accessed, how often, by how many functions and pids.\n"
		"\n" INPUT_OPTIONS,
	.run = run_types,
};

const struct command command_layout = {
	.name = "layout",
	.summary = "tell how a struct is laid out, and how often each member is accessed",
	.usage = "Usage: memorizer layout --vmlinux FILE [OPTION...] TYPE [KMAP|DIR|-]\n"
		"\n"
		"Prints the members of a struct or union in their order, with offset, size and cache\n"
		"line, and holes between them; how often each was read and written, by how many\n"
		"functions and pids. And an order that keeps what is mostly read apart from what is\n"
		"written, with what that would change.\n"
		"\n" INPUT_OPTIONS,
	.run = run_layout,
};

const struct command command_who = {
	.name = "who",
	.summary = "tell who reads and writes a type or a member of it",
	.usage = "Usage: memorizer who --vmlinux FILE [OPTION...] TYPE[.FIELD] [KMAP|DIR|-]\n"
		"\n"
		"Prints which code read and wrote a type, or a member and what is in it: by function,\n"
		"source file and subsystem, which is the file's directory.\n"
		"\n" INPUT_OPTIONS,
	.run = run_who,
};

const struct command command_what = {
	.name = "what",
	.summary = "tell which members a function reads and writes",
	.usage = "Usage: memorizer what --vmlinux FILE [OPTION...] FUNCTION [KMAP|DIR|-]\n"
		"\n"
		"Prints which members of which types a function read and wrote; in its name, * and ?\n"
		"match others.\n"
		"\n" INPUT_OPTIONS,
	.run = run_what,
};
