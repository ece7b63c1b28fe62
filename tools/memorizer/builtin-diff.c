// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer diff: compares two KMAPs or two traces.
 *
 * Rows are matched by function name, so that KASLR and new builds do not matter; suffixes of GCC's
 * clones are removed. If both sides have the compiler's notes, rows are also matched by type and
 * member.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "lib/texts.h"
#include "options.h"
#include "report/head.h"
#include "report/named.h"
#include "report/summing.h"
#include "report/table.h"
#include "report/term.h"
#include "symbols/namesakes.h"
#include "trace/names.h"

#define NAME_KEY	(KMAP_SYMBOL_MAX / 2)	/* function and module, a multiple of 8 */
#define MEASURES	2			/* of a table */
#define TEXT_ROWS	20			/* of each table, without --top */

enum side { BEFORE, AFTER, SIDES };

/* Compare numbers, their shares of the total, or rates per second. */
enum relative { ABSOLUTE, PERCENT, RATE };

/* Sums of a row for each measure. */
enum { VALUE_BEFORE, VALUE_AFTER, VALUE_CHANGE, VALUE_SIZE, VALUES };

/* Key for matching rows: name, type and member, empty if unknown. */
struct key {
	char name[NAME_KEY], type[TEXTS_MAX], field[TEXTS_MAX];
};

/* A row: the values of both sides for a key. */
struct item {
	struct key key;
	u64 sum[MEASURES * VALUES];
	bool there[SIDES];
};

struct diff;

struct measure {
	const char *title, *key;
	u32 metric;
};

/**
 * struct view - a table of the comparison
 * @title: its title
 * @key: its name in JSON
 * @name_title: title of the name column
 * @name_key: JSON key of the name column, NULL: name
 * @measures: values to compare; rows are sorted by the change of the first
 * @present: metric that is not 0 in each existing row
 * @hash: offset of the items in struct sums
 * @sum: offset of the sums in an item
 * @name: gets the name of an item
 * @texts: further columns, from the compiler's notes
 * @of_notes: print this table only if there are notes
 */
struct view {
	const char *title, *key, *name_title, *name_key;
	struct measure measures[MEASURES];
	u32 present;
	size_t hash, sum;
	void (*name)(const struct diff *d, enum side side, const void *item, struct key *key);
	struct text_column texts[2];
	bool of_notes;
};

/**
 * struct diff - state of the comparison
 * @vmlinux: for each side, ELF file with the symbols, or NULL
 * @kallsyms: copies of /proc/kallsyms, likewise
 * @modules: directories with module files for notes, likewise
 * @contexts: arguments of --context-file
 * @given: number of arguments of each of these options
 * @paths: the KMAPs or traces
 * @traces: the inputs are traces
 * @top: rows of a table, 0 for all
 * @top_given: --top was given
 * @all: print unchanged rows, too
 * @relative: compare numbers, shares or rates
 * @order: argument of --sort
 * @format: output format
 * @symbols: symbols of each side, once it is open
 * @files: source files of functions are known on both sides
 * @sums: sums of each side, once it is read
 * @filter: selects what is counted
 * @status: exit status so far
 */
struct diff {
	const char *vmlinux[SIDES], *kallsyms[SIDES], *modules[SIDES], *contexts[SIDES];
	int given[4];
	char **paths;
	bool traces, files;
	u32 top;
	bool top_given, all;
	enum relative relative;
	struct table_order *order;
	enum report_format format;
	struct kmap_symbols *symbols[SIDES];
	const struct sums *sums[SIDES];
	struct kmem_filter filter;
	int status;
};

static const char * const usage[] = {
	"memorizer diff [OPTION...] KMAP KMAP",
	"memorizer diff [OPTION...] DIR DIR",
	"",
	"Prints what changed from the first KMAP or trace to the second: functions that",
	"allocate and access, caches and commands; what is new, gone, more and less; for traces",
	"also the changes between their KMAPs. Functions are compared by name, so that boots",
	"and builds may differ.",
	NULL
};

/* Types and members can be compared if both sides have notes. */
static bool is_noted(const struct diff *d)
{
	return kmap_symbols_notes(d->symbols[BEFORE]) && kmap_symbols_notes(d->symbols[AFTER]);
}

/*
 * Get the name of a function without .isra.0, .cold and other suffixes, or its address. The file
 * is added if both sides know files and one of them has several functions of that name.
 */
static void name_ip(const struct diff *d, enum side side, u64 ip, enum kmap_ip kind,
		    char name[NAME_KEY])
{
	const struct kmap_symbols *s = d->symbols[side];
	const struct kmap_symbol *symbol = kmap_symbols_find(s, ip, kind);
	const char *function, *module;
	enum namesakes_by by = NAMESAKES_NONE, here;
	int i;

	if (!symbol) {
		snprintf(name, NAME_KEY, "%llx", kmap_symbols_address(s, ip));
		return;
	}
	function = kmap_symbols_string(s, symbol->name);
	module = kmap_symbols_string(s, symbol->module);
	for (i = BEFORE; d->files && i < SIDES; i++) {
		here = namesakes_by(d->symbols[i], function, module);
		by = here > by ? here : by;
	}
	if (by == NAMESAKES_PATH && !is_noted(d))
		by = NAMESAKES_FILE;
	namesakes_name(s, symbol, true, by, name, NAME_KEY);
}

static void name_site(const struct diff *d, enum side side, const void *item, struct key *key)
{
	const struct site *site = item;
	const char *type = sums_type(d->sums[side], site->typed, site->kind);

	name_ip(d, side, site->ip, KMAP_IP_RETURN, key->name);
	snprintf(key->type, sizeof(key->type), "%s", type ? type : "");
}

/* Items of functions start with the address. */
static void name_function(const struct diff *d, enum side side, const void *item, struct key *key)
{
	name_ip(d, side, *(const u64 *)item, KMAP_IP_EXACT, key->name);
}

static void name_text(char name[NAME_KEY], const char *text)
{
	snprintf(name, NAME_KEY, "%s", text && *text ? text : "[unknown]");
}

/* Pids without allocations have no comm, see sums_kmap_init(). */
static void name_comm(const struct diff *d, enum side side, const void *item, struct key *key)
{
	const char *text = ((const struct comm *)item)->text;

	(void)d;
	(void)side;
	name_text(key->name, *text == '\n' ? NULL : text);
}

static void name_task(const struct diff *d, enum side side, const void *item, struct key *key)
{
	(void)d;
	(void)side;
	name_text(key->name, ((const struct task *)item)->comm);
}

static void name_cache(const struct diff *d, enum side side, const void *item, struct key *key)
{
	const struct cache *cache = item;

	(void)d;
	(void)side;
	name_text(key->name, cache->cache ? cache->name : NAMES_LARGE);
}

/* Look up a type or member by number; number 0 is the unknown one. */
static const char *known_name(const struct sums *k, u32 number)
{
	return number ? named_path(texts_get(&k->names, number)) : "";
}

static void name_type(const struct diff *d, enum side side, const void *item, struct key *key)
{
	name_text(key->name, known_name(d->sums[side], ((const struct type *)item)->name));
}

static void name_field(const struct diff *d, enum side side, const void *item, struct key *key)
{
	const struct sums *k = d->sums[side];
	const struct field *field = item;

	name_text(key->name, known_name(k, field->key));
	snprintf(key->type, sizeof(key->type), "%s", known_name(k, field->key >> 32));
}

static void name_user(const struct diff *d, enum side side, enum access_source source,
		      const struct touch *user, struct key *key)
{
	const struct sums *k = d->sums[side];
	const struct field *field = hash_item(k->fields + source, user->key >> 32);

	name_function(d, side, hash_item(k->functions + source, (u32)user->key), key);
	snprintf(key->type, sizeof(key->type), "%s", known_name(k, field->key >> 32));
	snprintf(key->field, sizeof(key->field), "%s", known_name(k, field->key));
}

static void name_counted_user(const struct diff *d, enum side side, const void *item,
			      struct key *key)
{
	name_user(d, side, ACCESS_COUNTED, item, key);
}

static void name_streamed_user(const struct diff *d, enum side side, const void *item,
			       struct key *key)
{
	name_user(d, side, ACCESS_STREAMED, item, key);
}

#define BYTES_OBJECTS(bytes, objects)	\
	.measures = { { "Bytes", "bytes", bytes }, { "Objects", "objects", objects } }
#define READS_WRITES(reads, writes)	\
	.measures = { { "Reads", "reads", reads }, { "Writes", "writes", writes } }
#define FUNCTIONS_OF(member, item, namer)	\
	.name_title = "Function", .name = namer,	\
	.hash = offsetof(struct sums, member), .sum = offsetof(struct item, sum)
#define SITES_OF(group)	\
	FUNCTIONS_OF(sites[group], site, name_site), .texts = { NAMED_TYPE }
#define TYPES_OF(group)	\
	.title = "TYPES", .key = "types", .name_title = "Type", .name_key = "type",	\
	.present = SUM_HIT, .name = name_type, .of_notes = true,	\
	.hash = offsetof(struct sums, types[group]), .sum = offsetof(struct type, sum)
#define FIELDS_OF(source)	\
	.name_title = "Member", .name_key = "field", READS_WRITES(SUM_READS, SUM_WRITES),	\
	.present = SUM_READS, .name = name_field, .texts = { NAMED_TYPE }, .of_notes = true,	\
	.hash = offsetof(struct sums, fields[source]), .sum = offsetof(struct field, sum)
#define USERS_OF(source, namer)	\
	READS_WRITES(SUM_READS, SUM_WRITES), .present = SUM_READS, .of_notes = true,	\
	FUNCTIONS_OF(users[source], touch, namer), .texts = { NAMED_TYPE, NAMED_FIELD }

static const struct view kmap_views[] = {
	{
		.title = "FUNCTIONS THAT ALLOCATE", .key = "sites", BYTES_OBJECTS(SUM_REQ, SUM_HIT),
		.present = SUM_HIT, SITES_OF(GROUP_KMAP),
	}, {
		.title = "LIVE OBJECTS, BY FUNCTION", .key = "live",
		BYTES_OBJECTS(SUM_LIVE_BYTES, SUM_LIVE),
		.present = SUM_LIVE, SITES_OF(GROUP_KMAP),
	}, {
		.title = "FUNCTIONS THAT ACCESS OBJECTS", .key = "functions",
		READS_WRITES(SUM_READS, SUM_WRITES), .present = SUM_TOUCHED,
		FUNCTIONS_OF(functions[ACCESS_COUNTED], function, name_function),
	}, {
		.title = "ACCESSED OBJECTS, BY ALLOCATING FUNCTION", .key = "accessed",
		READS_WRITES(SUM_READS, SUM_WRITES), .present = SUM_TOUCHED,
		SITES_OF(GROUP_KMAP),
	}, {
		.title = "COMMANDS", .key = "commands", .name_title = "Comm",
		.measures = {
			{ "Bytes", "bytes", SUM_REQ }, { "Accesses", "accesses", SUM_ACCESSES },
		},
		.present = SUM_PIDS, .name = name_comm,
		.hash = offsetof(struct sums, comms), .sum = offsetof(struct comm, sum),
	}, {
		TYPES_OF(GROUP_KMAP), BYTES_OBJECTS(SUM_REQ, SUM_HIT),
	}, {
		.title = "MEMBERS", .key = "fields", FIELDS_OF(ACCESS_COUNTED),
	}, {
		.title = "MEMBER ACCESSES, BY FUNCTION", .key = "users",
		USERS_OF(ACCESS_COUNTED, name_counted_user),
	},
};

static const struct view trace_views[] = {
	{
		.title = "FUNCTIONS THAT ALLOCATE", .key = "sites",
		BYTES_OBJECTS(SUM_ALLOC, SUM_HIT), .present = SUM_HIT,
		SITES_OF(GROUP_SLAB),
	}, {
		.title = "LIVE AT THE END, BY FUNCTION", .key = "live",
		BYTES_OBJECTS(SUM_LIVE_BYTES, SUM_LIVE), .present = SUM_LIVE,
		SITES_OF(GROUP_SLAB),
	}, {
		.title = "CACHES", .key = "caches", .name_title = "Cache",
		BYTES_OBJECTS(SUM_ALLOC, SUM_HIT), .present = SUM_HIT, .name = name_cache,
		.hash = offsetof(struct sums, caches), .sum = offsetof(struct cache, sum),
	}, {
		.title = "FUNCTIONS THAT ALLOCATE PAGES", .key = "page_sites",
		BYTES_OBJECTS(SUM_ALLOC, SUM_HIT), .present = SUM_HIT,
		SITES_OF(GROUP_PAGES),
	}, {
		.title = "PAGES LIVE AT THE END, BY FUNCTION", .key = "live_pages",
		BYTES_OBJECTS(SUM_LIVE_BYTES, SUM_LIVE), .present = SUM_LIVE,
		SITES_OF(GROUP_PAGES),
	}, {
		.title = "FUNCTIONS THAT ALLOCATE AREAS", .key = "area_sites",
		BYTES_OBJECTS(SUM_ALLOC, SUM_HIT), .present = SUM_HIT,
		SITES_OF(GROUP_AREAS),
	}, {
		.title = "AREAS LIVE AT THE END, BY FUNCTION", .key = "live_areas",
		BYTES_OBJECTS(SUM_LIVE_BYTES, SUM_LIVE), .present = SUM_LIVE,
		SITES_OF(GROUP_AREAS),
	}, {
		.title = "FUNCTIONS THAT ALLOCATE STACKS AND PER-CPU MEMORY", .key = "local_sites",
		BYTES_OBJECTS(SUM_ALLOC, SUM_HIT), .present = SUM_HIT,
		SITES_OF(GROUP_LOCAL),
	}, {
		.title = "STACKS AND PER-CPU MEMORY LIVE AT THE END, BY FUNCTION",
		.key = "live_local",
		BYTES_OBJECTS(SUM_LIVE_BYTES, SUM_LIVE), .present = SUM_LIVE,
		SITES_OF(GROUP_LOCAL),
	}, {
		.title = "FUNCTIONS THAT ACCESS MEMORY", .key = "functions",
		READS_WRITES(SUM_READS, SUM_WRITES), .present = SUM_READS,
		FUNCTIONS_OF(functions[ACCESS_STREAMED], function, name_function),
	}, {
		.title = "COMMANDS", .key = "commands", .name_title = "Comm",
		BYTES_OBJECTS(SUM_ALLOC, SUM_HIT), .present = SUM_HIT, .name = name_task,
		.hash = offsetof(struct sums, tasks), .sum = offsetof(struct task, sum),
	}, {
		TYPES_OF(GROUP_SLAB), BYTES_OBJECTS(SUM_ALLOC, SUM_HIT),
	}, {
		.title = "ACCESSED MEMBERS", .key = "accessed_fields", FIELDS_OF(ACCESS_STREAMED),
	}, {
		.title = "MEMBER ACCESSES, BY FUNCTION", .key = "field_users",
		USERS_OF(ACCESS_STREAMED, name_streamed_user),
	},
};

/* Add the rows of one side. */
static void add_side(struct hash *items, const struct view *v, const struct diff *d,
		     enum side side)
{
	const struct sums *sums = d->sums[side];
	const struct hash *h = (const void *)((const char *)sums + v->hash);
	struct item *item;
	struct key key;
	const u64 *sum;
	bool new;
	u32 i;
	int m;

	for (i = 0; i < h->nr; i++) {
		sum = (const void *)((const char *)hash_item(h, i) + v->sum);
		if (!sum[v->present] && !sum[v->measures[1].metric])
			continue;
		/* The hash compares all bytes of a key. */
		memset(&key, 0, sizeof(key));
		v->name(d, side, hash_item(h, i), &key);
		/* If only one side knows types, rows must match without them. */
		if (!is_noted(d))
			memset(key.type, 0, sizeof(key.type));
		item = hash_item(items, hash_get(items, &key, &new));
		item->there[side] = true;
		for (m = 0; m < MEASURES; m++)
			item->sum[m * VALUES + side] += sum[v->measures[m].metric];
	}
}

/* Sum a measure over all rows of a side. */
static u64 sum_up(const struct hash *items, u32 value)
{
	const struct item *item;
	u64 sum = 0;
	u32 i;

	for (i = 0; i < items->nr; i++) {
		item = hash_item(items, i);
		if (__builtin_add_overflow(sum, item->sum[value], &sum))
			return U64_MAX;
	}
	return sum;
}

/* Replace numbers by thousandths of a percent of the total, or by rates per second. */
static void make_relative(const struct diff *d, const struct view *v, enum side side,
			  enum access_source source, struct hash *items)
{
	u64 total[SUM_METRICS], of;
	struct item *item;
	int m, digits = d->relative == RATE ? 12 : 5;
	u32 i, value;

	sums_total(d->sums[side], source, total);
	for (m = 0; m < MEASURES; m++) {
		value = m * VALUES + side;
		of = d->relative == RATE ? sums_duration(d->sums[side]) :
		     v->of_notes ? total[v->measures[m].metric] : sum_up(items, value);
		for (i = 0; i < items->nr; i++) {
			item = hash_item(items, i);
			item->sum[value] = table_ratio(item->sum[value], of, digits);
		}
	}
}

/* Compare the sides of a row; returns true if any value changed. */
static bool compare(struct item *item)
{
	bool changed = item->there[BEFORE] != item->there[AFTER];
	u64 *value;
	int m;

	for (m = 0; m < MEASURES; m++) {
		value = item->sum + m * VALUES;
		value[VALUE_CHANGE] = value[VALUE_AFTER] - value[VALUE_BEFORE];
		value[VALUE_SIZE] = value[VALUE_AFTER] > value[VALUE_BEFORE] ?
			value[VALUE_CHANGE] : -value[VALUE_CHANGE];
		changed |= value[VALUE_SIZE];
	}
	return changed;
}

/* Describe a row's change, by the first measure that changed. */
static const char *fate(const struct item *item, enum style *style)
{
	int m;

	*style = item->there[AFTER] ? STYLE_MORE : STYLE_LESS;
	if (!item->there[BEFORE])
		return "new";
	if (!item->there[AFTER])
		return "gone";
	for (m = 0; m < MEASURES; m++) {
		if (!item->sum[m * VALUES + VALUE_SIZE])
			continue;
		if (item->sum[m * VALUES + VALUE_AFTER] > item->sum[m * VALUES + VALUE_BEFORE])
			return "more";
		*style = STYLE_LESS;
		return "less";
	}
	*style = STYLE_NONE;
	return "same";
}

/* Titles and keys of a measure's columns. */
struct heads {
	char title[32], before[32], after[32], change[32];
};

static void make_columns(struct table *t, const struct view *v, enum relative relative,
			 struct heads heads[MEASURES])
{
	static const struct {
		const char *title, *key;
		enum cell cell, change;
	} kinds[] = {
		[ABSOLUTE] = { "", "", CELL_NUMBER, CELL_CHANGE },
		[PERCENT] = { " %", "_percent", CELL_PERCENT, CELL_CHANGE_THOUSANDTHS },
		[RATE] = { "/s", "_rate", CELL_THOUSANDTHS, CELL_CHANGE_THOUSANDTHS },
	};
	typeof(*kinds) *kind = kinds + relative;
	struct column *c = t->columns;
	const char *key;
	struct heads *h;
	int m;

	for (m = 0; m < MEASURES; m++) {
		h = heads + m;
		key = v->measures[m].key;
		snprintf(h->title, sizeof(h->title), "%s%s", v->measures[m].title, kind->title);
		snprintf(h->before, sizeof(h->before), "%s%s_before", key, kind->key);
		snprintf(h->after, sizeof(h->after), "%s%s", key, kind->key);
		snprintf(h->change, sizeof(h->change), "%s%s_change", key, kind->key);
		*c++ = (struct column){ "Before", h->before, m * VALUES + VALUE_BEFORE,
					kind->cell, 0 };
		*c++ = (struct column){ h->title, h->after, m * VALUES + VALUE_AFTER,
					kind->cell, 0 };
		*c++ = (struct column){ "Change", h->change, m * VALUES + VALUE_CHANGE,
					kind->change, 0 };
	}
}

static void print_rows(const struct diff *d, const struct table *t)
{
	if (d->format == REPORT_JSON) {
		printf(",\n\t");
		table_json(t, d->top);
	} else if (d->format == REPORT_CSV) {
		table_csv(t, d->top);
	} else {
		table_print(t, d->top);
	}
}

/* Title and key of a table; the KMAP of a trace has its own. */
struct heading {
	char title[64], key[32];
};

static void name_table(struct heading *h, bool in_trace, const char *title, const char *key)
{
	snprintf(h->title, sizeof(h->title), "%s%s", in_trace ? "KMAP: " : "", title);
	snprintf(h->key, sizeof(h->key), "%s%s", in_trace ? "kmap_" : "", key);
}

static void print_view(const struct diff *d, const struct view *v, enum access_source source)
{
	bool in_trace = d->traces && source == ACCESS_COUNTED;
	/* A KMAP has no duration, and live objects have no rate. */
	bool no_rate = in_trace || v->present == SUM_LIVE;
	enum relative relative = no_rate && d->relative == RATE ? ABSOLUTE : d->relative;
	struct heading heading;
	struct table t = {
		.title = heading.title, .key = heading.key,
		.name_title = v->name_title, .name_key = v->name_key ? v->name_key : "name",
		.texts = { { "What", "what" } },
		.then = { VALUE_SIZE, VALUES + VALUE_SIZE },
	};
	struct heads heads[MEASURES];
	struct hash items;
	struct item *item;
	struct row *row;
	int side;
	u32 i;

	if (v->of_notes && !is_noted(d))
		return;
	name_table(&heading, in_trace, v->title, v->key);
	hash_init(&items, sizeof(struct item), sizeof(struct key));
	for (side = 0; side < SIDES; side++)
		add_side(&items, v, d, side);
	for (side = 0; relative && side < SIDES; side++)
		make_relative(d, v, side, source, &items);
	if (is_noted(d))
		memcpy(t.texts + 1, v->texts, sizeof(v->texts));
	make_columns(&t, v, relative, heads);
	t.rows = xreallocarray(NULL, items.nr + 1, sizeof(*t.rows));
	for (i = 0; i < items.nr; i++) {
		item = hash_item(&items, i);
		if (!compare(item) && !d->all)
			continue;
		row = t.rows + t.nr++;
		*row = (struct row){ .sum = item->sum };
		row->texts[0] = table_text(fate(item, &row->style));
		row->name = table_text(item->key.name);
		row->texts[1] = *item->key.type ? table_text(item->key.type) : NULL;
		row->texts[2] = *item->key.field ? table_text(item->key.field) : NULL;
	}
	table_sort(&t, d->order, VALUE_SIZE);
	print_rows(d, &t);
	table_free(&t);
	hash_free(&items);
}

/* Print the totals as a table. */
static void print_sums(const struct diff *d, const struct measure *measures, size_t nr,
		       enum group g)
{
	const u64 *before = d->sums[BEFORE]->total[g], *after = d->sums[AFTER]->total[g];
	struct heading heading;
	struct table t = {
		.title = heading.title, .key = heading.key, .name_title = "", .name_key = "name",
		.columns = {
			{ "Before", "before", VALUE_BEFORE, CELL_NUMBER, 0 },
			{ "After", "after", VALUE_AFTER, CELL_NUMBER, 0 },
			{ "Change", "change", VALUE_CHANGE, CELL_CHANGE, 0 },
		},
	};
	u64 (*sums)[VALUES] = xreallocarray(NULL, nr, sizeof(*sums));
	bool text = d->format == REPORT_TEXT;
	/* All rows, whatever --top is. */
	struct diff all = { .format = d->format };
	const struct measure *m;
	size_t i;

	name_table(&heading, d->traces && g == GROUP_KMAP, "SUMS", "sums");
	t.rows = xreallocarray(NULL, nr, sizeof(*t.rows));
	for (i = 0; i < nr; i++) {
		m = measures + i;
		sums[i][VALUE_BEFORE] = before[m->metric];
		sums[i][VALUE_AFTER] = after[m->metric];
		sums[i][VALUE_CHANGE] = after[m->metric] - before[m->metric];
		t.rows[t.nr++] = (struct row){ .name = table_text(text ? m->title : m->key),
					       .sum = sums[i] };
	}
	print_rows(&all, &t);
	table_free(&t);
	free(sums);
}

/* Is there a KMAP to compare? The KMAP of a trace may have no objects. */
static bool has_kmap(const struct diff *d)
{
	return !d->traces || d->sums[BEFORE]->total[GROUP_KMAP][SUM_HIT] ||
	       d->sums[AFTER]->total[GROUP_KMAP][SUM_HIT];
}

static void print_kmap(const struct diff *d)
{
	static const struct measure totals[] = {
		{ "Objects", "objects", SUM_HIT }, { "  live", "live", SUM_LIVE },
		{ "  accessed", "touched", SUM_TOUCHED }, { "Bytes requested", "bytes", SUM_REQ },
		{ "  live", "live_bytes", SUM_LIVE_BYTES },
		{ "Accesses", "accesses", SUM_ACCESSES },
		{ "  reads", "reads", SUM_READS }, { "  writes", "writes", SUM_WRITES },
	};
	size_t i;

	if (d->format != REPORT_JSON && !has_kmap(d))
		return;
	print_sums(d, totals, ARRAY_SIZE(totals), GROUP_KMAP);
	for (i = 0; i < ARRAY_SIZE(kmap_views); i++)
		print_view(d, kmap_views + i, ACCESS_COUNTED);
}

static void print_trace(const struct diff *d)
{
	static const struct measure totals[] = {
		{ "Allocations", "hit", SUM_HIT }, { "  live at the end", "live", SUM_LIVE },
		{ "Bytes allocated", "bytes_alloc", SUM_ALLOC },
		{ "  requested", "bytes_req", SUM_REQ },
		{ "  live at the end", "live_bytes", SUM_LIVE_BYTES },
		{ "Frees", "frees", SUM_CALLS },
	};
	size_t i;

	print_sums(d, totals, ARRAY_SIZE(totals), GROUP_SLAB);
	for (i = 0; i < ARRAY_SIZE(trace_views); i++)
		print_view(d, trace_views + i, ACCESS_STREAMED);
}

static void print(const struct diff *d)
{
	struct head head = {
		.command = "diff", .input = d->traces ? "trace" : "kmap",
		.incomplete = d->status != EXIT_FINE,
		.before = d->paths[BEFORE], .after = d->paths[AFTER],
		.sort = d->order->key ?: "change", .top = d->top,
		.filter = &d->filter,
		.stacks = d->sums[BEFORE]->skip.stacks || d->sums[AFTER]->skip.stacks,
	};

	if (d->format == REPORT_TEXT)
		term_pager();
	head_print(&head, d->format);
	if (d->traces)
		print_trace(d);
	print_kmap(d);
	if (d->format == REPORT_JSON)
		printf("\n}\n");
}

/* A side while it is read. */
struct reading {
	struct summing summing;		/* first, for summing_event() */
	struct engine engine;
	struct diff *d;
	enum side side;
};

static bool begin(struct engine *g)
{
	struct reading *r = g->data;

	if (!named_usable(&r->d->filter, g->symbols, "diff"))
		return false;
	summing_begin(&r->summing, g, &r->d->filter);
	r->d->sums[r->side] = &r->summing.sums;
	r->d->symbols[r->side] = g->symbols;
	return true;
}

static int end(struct engine *g, int status)
{
	struct reading *r = g->data;

	summing_end(&r->summing);
	/* No ||: print both warnings. */
	if (g->trace && trace_warn(g->trace) | rebuild_warn(&r->summing.kmap, g->name))
		status = EXIT_INCOMPLETE;
	return r->summing.sums.overflow ? EXIT_MALFORMED : status;
}

/* Sum one side; returns false after a message. */
static bool add_up(struct diff *d, struct reading *r, enum side side)
{
	static const struct engine_ops ops = {
		.begin = begin, .event = summing_event, .object = summing_object,
		.access = summing_access, .end = end,
	};
	int status;

	r->d = d;
	r->side = side;
	r->engine = (struct engine){
		.ops = &ops, .data = r,
		.files = { d->vmlinux[side], d->kallsyms[side], d->modules[side], false,
			   d->contexts[side] },
		.by_context = true,
	};
	status = engine_run(&r->engine, d->paths[side]);
	if (status == EXIT_MALFORMED || d->status == EXIT_FINE)
		d->status = status;
	return status != EXIT_UNABLE;
}

/* Check that each filter option matches in one of the inputs; returns false after a message. */
static bool check_filter(const struct diff *d)
{
	char text[ERROR_MAX];
	const char *option;
	struct window w;
	u32 seen = 0;
	int side;

	for (side = 0; side < SIDES; side++) {
		w = sums_window(d->sums[side]);
		seen |= sums_seen(d->sums[side]);
		if (d->filter.site && kmap_symbols_have(d->symbols[side], d->filter.site))
			seen |= KMEM_SEEN_SITE;
		if (!kmem_filter_check_window(&d->filter, &w, d->paths[side]))
			return false;
	}
	option = kmem_filter_unmatched(&d->filter, seen, d->symbols[AFTER], text);
	if (option)
		fprintf(stderr, "memorizer: %s and %s: nothing matches --%s %s\n",
			d->paths[BEFORE], d->paths[AFTER], option, text);
	return !option;
}

static int diff(struct diff *d)
{
	struct reading readings[SIDES] = { };
	int side, done = 0;

	while (done < SIDES && add_up(d, readings + done, done))
		done++;
	if (done == SIDES && check_filter(d)) {
		d->files = namesakes_files(d->symbols[BEFORE]) &&
			   namesakes_files(d->symbols[AFTER]);
		print(d);
		if (!namesakes_warn(d->symbols[BEFORE], "diff"))
			namesakes_warn(d->symbols[AFTER], "diff");
	} else {
		d->status = EXIT_UNABLE;
	}
	for (side = 0; side < SIDES; side++) {
		if (d->sums[side])
			sums_free(&readings[side].summing.sums);
		engine_free(&readings[side].engine);
	}
	return d->status;
}

static int option_change(const struct option *o, const char *arg, int unset)
{
	struct table_order *order = o->value;

	if (strcmp(arg, "change"))
		return option_sort(o, arg, unset);
	/* The default order, which is that of no single column. */
	order->key = NULL;
	return 0;
}

static int run(int argc, char **argv)
{
	struct table_order order = { .key = NULL };
	struct diff d = { .format = REPORT_TEXT, .order = &order };
	const struct option options[] = {
		OPT_FILES('k', "vmlinux", d.vmlinux, &d.given[0], "FILE",
			  "ELF file with the kernel's symbols; the second is for the second input"),
		OPT_FILES('K', "kallsyms", d.kallsyms, &d.given[1], "FILE",
			  "copy of /proc/kallsyms, likewise (default: those in the traces)"),
		OPT_FILES('M', "modules", d.modules, &d.given[2], "DIR",
			  "directory with the files NAME.ko of modules, for notes, likewise"),
		OPT_FILES(0, "context-file", d.contexts, &d.given[3], "FILE",
			  "copy of memorizer/contexts, likewise (default: beside the input)"),
		OPT_TAKE('s', "sort", &order, "KEY",
			 "sort tables by change (default), by the column with this key in JSON, or by\n"
			 "                          name, type or field", option_change),
		OPT_NUMBER('n', "top", &d.top, "N", 0, U32_MAX,
			   "rows of each table, 0 for all (default: 20; all with --json and --csv)",
			   .set = &d.top_given),
		OPT_BOOLEAN('a', "all", &d.all, "print unchanged rows, too"),
		OPT_SET_UINT(0, "percent", &d.relative, "compare shares of the total", PERCENT),
		OPT_SET_UINT(0, "rate", &d.relative, "compare rates per second, for traces", RATE),
		OPT_SET_UINT('j', "json", &d.format, "print JSON", REPORT_JSON),
		OPT_SET_UINT('c', "csv", &d.format, "print CSV", REPORT_CSV),
		OPT_HELP(),
		OPT_GROUP("Count only, in both inputs:"),
		OPT_KIND(&d.filter),
		OPT_SKIP(&d.filter),
		OPTS_FILTER(&d.filter),
		OPTS_NAMED(&d.filter),
		OPT_END()
	};
	const char *trace_only;

	kmem_filter_init(&d.filter);
	argc = options_parse(&command_diff, argc, argv, options, 0);
	if (argc != SIDES) {
		fprintf(stderr, "memorizer diff: %d inputs: want two KMAPs or two traces\n", argc);
		return usage_error("diff");
	}
	d.paths = argv;
	d.traces = input_is_trace(d.paths[BEFORE]);
	if (d.traces != input_is_trace(d.paths[AFTER])) {
		fprintf(stderr, "memorizer diff: a trace and a KMAP: want two of a kind\n");
		return usage_error("diff");
	}
	trace_only = kmem_filter_trace_only(&d.filter) ?: d.relative == RATE ? "rate" : NULL;
	if (!d.traces && trace_only) {
		fprintf(stderr, "memorizer diff: --%s: only for the directory of a trace\n",
			trace_only);
		return usage_error("diff");
	}
	if (!d.top_given)
		d.top = d.format == REPORT_TEXT ? TEXT_ROWS : 0;
	if (!d.traces && !d.given[0] && !d.given[1])
		fprintf(stderr,
			"memorizer diff: no symbols: addresses are compared, which only one boot has in common\n");
	if (diff(&d) != EXIT_UNABLE && !table_order_check(&order, "diff"))
		return EXIT_UNABLE;
	return d.status;
}

const struct command command_diff = {
	.name = "diff",
	.summary = "compare two KMAPs or two traces",
	.usage = usage,
	.run = run,
};
