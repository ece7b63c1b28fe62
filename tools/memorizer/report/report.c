// SPDX-License-Identifier: GPL-2.0
/* The tables of a report of a trace or a KMAP, and the order of their rows. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/texts.h"
#include "report/columns.h"
#include "report/gfp.h"
#include "report/report.h"
#include "report/table.h"
#include "report/term.h"
#include "trace/names.h"

#define HOTTEST		3	/* members shown per type */

static const char * const suspicions[SUSPICIONS] = {
	[SUSPECT_SLAB_FREE] = "kmalloc memory freed by kmem_cache_free",
	[SUSPECT_KFREE] = "object of a cache freed by kfree",
	[SUSPECT_SHORT] = "allocated less than requested",
	[SUSPECT_DOUBLE_FREE] = "double free",
	[SUSPECT_INSIDE] = "freed from inside an object",
};

/* Texts of rows */
/**
 * report_site - name a call site for a table
 * @k: the sums
 * @ip: return address of the call; 0: unknown
 *
 * Return: the symbol and offset, or the address; NULL if unknown.
 */
char *report_site(const struct sums *k, u64 ip)
{
	char text[KMAP_SYMBOL_MAX];

	if (!ip)
		return NULL;
	kmap_symbols_format(k->symbols, ip, KMAP_IP_RETURN, text);
	return table_text(text);
}

/**
 * report_site_type - name the type that a call site allocates for a table
 * @k: the sums
 * @ip: return address of the call whose note has it
 * @kind: the kind of memory
 *
 * Return: the type; NULL if unknown.
 */
char *report_site_type(const struct sums *k, u64 ip, enum kmap_kind kind)
{
	const char *type = sums_type(k, ip, kind);

	return type ? table_text(type) : NULL;
}

static void name_site(const struct sums *k, const void *item, struct row *row)
{
	const struct site *site = item;

	row->name = report_site(k, site->ip);
	row->texts[0] = report_site_type(k, site->typed, site->kind);
}

static char *kind_text(enum kmap_kind kind)
{
	return kind ? table_text(kmap_kinds[kind]) : NULL;
}

static void name_kind(const struct sums *k, const void *item, struct row *row)
{
	const struct kind_sums *kind = item;

	(void)k;
	row->name = kind_text(kind->kind);
}

static void name_counted_site(const struct sums *k, const void *item, struct row *row)
{
	const struct site *site = item;

	row->name = report_site(k, site->ip);
	row->texts[0] = kind_text(site->kind);
	row->texts[1] = report_site_type(k, site->typed, site->kind);
}

/* Name of a type or member. Number 0 is the unknown one, without a name. */
static char *known_name(const struct sums *k, u32 number)
{
	const char *name = texts_get(&k->names, number);

	return number ? table_text(*name ? name : "[whole]") : NULL;
}

/* The most accessed members of a type, with their accesses. */
static char *hottest(const struct sums *k, enum access_source source, u32 type)
{
	const struct field *fields[HOTTEST];
	u32 nr = sums_hottest(k, source, type, HOTTEST, fields), i;
	char text[HOTTEST * (TEXTS_MAX + 32)];
	size_t len = 0, first;
	const char *path;

	for (i = 0; i < nr; i++) {
		path = texts_get(&k->names, (u32)fields[i]->key);
		first = strcspn(path, "|");
		len += snprintf(text + len, sizeof(text) - len, "%s%.*s%s %llu", i ? ", " : "",
				(int)first, path, path[first] ? "|..." : "",
				fields[i]->sum[SUM_ACCESSES]);
	}
	return nr ? table_text(text) : NULL;
}

static void name_streamed_type(const struct sums *k, const void *item, struct row *row)
{
	const struct type *type = item;

	row->name = known_name(k, type->name);
	row->texts[0] = hottest(k, ACCESS_STREAMED, type->name);
}

static void name_counted_type(const struct sums *k, const void *item, struct row *row)
{
	const struct type *type = item;

	row->name = known_name(k, type->name);
	row->texts[0] = hottest(k, ACCESS_COUNTED, type->name);
}

static void name_field(const struct sums *k, const void *item, struct row *row)
{
	const struct field *field = item;

	row->name = known_name(k, field->key);
	row->texts[0] = known_name(k, field->key >> 32);
}

static void name_size(const struct sums *k, const void *item, struct row *row)
{
	/* The id is the size; there is no name. */
	(void)k;
	(void)item;
	(void)row;
}

static void name_cache(const struct sums *k, const void *item, struct row *row)
{
	const struct cache *cache = item;

	(void)k;
	if (!cache->cache)
		row->name = table_text(NAMES_LARGE);
	else if (cache->name)
		row->name = table_text(cache->name);
}

static void name_gfp(const struct sums *k, const void *item, struct row *row)
{
	const struct gfp *gfp = item;
	char text[GFP_TEXT];

	(void)k;
	gfp_text(gfp->flags, text);
	row->name = table_text(text);
}

static void name_order(const struct sums *k, const void *item, struct row *row)
{
	const struct order *order = item;
	char text[32] = "[other]";

	(void)k;
	if (order->order != SUMS_NO_ORDER)
		snprintf(text, sizeof(text), "%llu", order->order);
	row->name = table_text(text);
}

static void name_zone(const struct sums *k, const void *item, struct row *row)
{
	const struct zone *zone = item;

	(void)k;
	row->name = table_text(zone->name);
}

static void name_object(const struct sums *k, const void *item, struct row *row)
{
	const struct accessed *object = item;
	char text[32];

	snprintf(text, sizeof(text), "%llx", object->ptr);
	row->name = table_text(text);
	row->texts[0] = report_site(k, object->site);
	row->texts[1] = report_site_type(k, object->typed, object->kind);
}

/* The name of a variable; on a CPU, whose idle task the kernel names as its owner. */
static void variable_text(const struct sums *k, const struct accessed *object, const char *comm,
			  char *text, size_t size)
{
	const struct kmap_symbol *symbol = kmap_symbols_find(k->symbols, object->site,
							     KMAP_IP_RETURN);
	bool idle = !strncmp(comm, "swapper/", 8);

	if (symbol)
		snprintf(text, size, "%s%s%s", kmap_symbols_string(k->symbols, symbol->name),
			 idle ? "/cpu" : "", idle ? comm + 8 : "");
}

/* Describe an object, beyond its call site and type; NULL if there is nothing to add. */
static char *object_text(const struct sums *k, const struct accessed *object)
{
	const char *comm = ((const struct comm *)hash_item(&k->comms, object->comm))->text;
	u64 pages = object->sum[SUM_OBJECT_SIZE] / k->page_size;
	char text[KMAP_SYMBOL_MAX] = "";

	if (object->kind == KMAP_STACK)
		snprintf(text, sizeof(text), "stack of %s", comm);
	else if (object->kind == KMAP_USER)
		snprintf(text, sizeof(text), "user memory");
	else if (object->kind == KMAP_STATIC || object->kind == KMAP_PERCPU)
		variable_text(k, object, comm, text, sizeof(text));
	else if (object->kind == KMAP_PAGES && pages && !(pages & (pages - 1)))
		snprintf(text, sizeof(text), "page order %d", __builtin_ctzll(pages));
	else if (object->kind == KMAP_PAGES)
		snprintf(text, sizeof(text), "%llu pages", pages);
	return *text ? table_text(text) : NULL;
}

static void name_counted_object(const struct sums *k, const void *item, struct row *row)
{
	const struct accessed *object = item;
	char text[32];

	snprintf(text, sizeof(text), "%llx", object->ptr);
	row->name = table_text(text);
	row->texts[0] = kind_text(object->kind);
	row->texts[1] = object_text(k, object);
	row->texts[2] = report_site(k, object->site);
	row->texts[3] = report_site_type(k, object->typed, object->kind);
}

static void name_user(const struct sums *k, enum access_source source, const void *item,
		      struct row *row)
{
	const struct touch *user = item;
	const struct field *field = hash_item(k->fields + source, user->key >> 32);
	char text[KMAP_SYMBOL_MAX];

	report_function(k, source, user->key, text);
	row->name = table_text(text);
	row->texts[0] = known_name(k, field->key);
	row->texts[1] = known_name(k, field->key >> 32);
}

static void name_streamed_user(const struct sums *k, const void *item, struct row *row)
{
	name_user(k, ACCESS_STREAMED, item, row);
}

static void name_counted_user(const struct sums *k, const void *item, struct row *row)
{
	name_user(k, ACCESS_COUNTED, item, row);
}

static void name_task(const struct sums *k, const void *item, struct row *row)
{
	const struct task *task = item;

	(void)k;
	if (*task->comm)
		row->name = table_text(task->comm);
}

/**
 * report_function - write the name of a function
 * @k: the sums
 * @source: streamed or counted accesses
 * @function: item of functions
 * @text: set to the name, with the file if it is ambiguous; else to the address
 */
void report_function(const struct sums *k, enum access_source source, u32 function,
		     char text[KMAP_SYMBOL_MAX])
{
	const struct function *f = hash_item(k->functions + source, function);

	kmap_symbols_function(k->symbols, f->start, KMAP_IP_EXACT, text);
}

static void name_function(const struct sums *k, const void *item, struct row *row)
{
	const struct function *function = item;
	char text[KMAP_SYMBOL_MAX];

	kmap_symbols_function(k->symbols, function->start, KMAP_IP_EXACT, text);
	row->name = table_text(text);
}

static void name_touch(const struct sums *k, enum access_source source, const void *item,
		       struct row *row)
{
	const struct site *site = sums_touched(k, source, item);

	name_function(k, sums_toucher(k, source, item), row);
	if (site) {
		row->texts[0] = report_site(k, site->ip);
		row->texts[1] = report_site_type(k, site->typed, site->kind);
	}
}

static void name_streamed(const struct sums *k, const void *item, struct row *row)
{
	name_touch(k, ACCESS_STREAMED, item, row);
}

static void name_counted(const struct sums *k, const void *item, struct row *row)
{
	name_touch(k, ACCESS_COUNTED, item, row);
}

static void name_suspect(const struct sums *k, const void *item, struct row *row)
{
	const struct suspect *suspect = item;

	row->name = table_text(suspicions[suspect->suspicion]);
	row->texts[0] = report_site(k, suspect->alloc_site);
	row->texts[1] = report_site(k, suspect->free_site);
	row->texts[2] = report_site_type(k, suspect->alloc_site, KMAP_UNKNOWN);
}

/* The comm of pids that allocated nothing is unknown. */
static void name_comm(const struct sums *k, const void *item, struct row *row)
{
	const struct comm *comm = item;

	if (comm != hash_item(&k->comms, 0))
		row->name = table_text(comm->text);
}

static void name_pid(const struct sums *k, const void *item, struct row *row)
{
	const struct pid *pid = item;

	name_comm(k, hash_item(&k->comms, pid->comm), row);
}

/**
 * struct view - definition of a table
 * @table: the table, without rows
 * @hash: offset of the items in struct sums
 * @sum: offset of the sums in an item
 * @has: show items for which one of these metrics is not 0
 * @name: names an item
 * @of_trace: title and key of a KMAP's table in the report of a trace; NULL for tables of streamed
 *	allocations and accesses
 * @kind_texts: number of texts in front that depend on kinds of memory, which the input may lack
 * @of_kinds: print only if objects have kinds of memory
 * @of_notes: print only if there are compiler notes
 * @of_types: a table of memorizer types, not of report
 * @of_most: @hash is a struct most, whose first member are the items
 */
struct view {
	struct table table;
	size_t hash, sum;
	enum metric has[2];
	void (*name)(const struct sums *k, const void *item, struct row *row);
	struct text_column of_trace;
	u32 kind_texts;
	bool of_kinds, of_most, of_notes, of_types;
};

#define BYTES_PER	{ "Total_alloc/Per", "bytes_alloc", SUM_ALLOC, CELL_PER, SUM_HIT }
#define REQ_PER		{ "Total_req/Per", "bytes_req", SUM_REQ, CELL_PER, SUM_HIT }
#define FREED		{ "Total_freed", "bytes_freed", SUM_FREED, CELL_NUMBER, 0 }
#define HIT		{ "Hit", "hit", SUM_HIT, CELL_NUMBER, 0 }
#define CALLS		{ "Hit", "hit", SUM_CALLS, CELL_NUMBER, 0 }
#define FREES		{ "Freed", "frees", SUM_FREES, CELL_NUMBER, 0 }
#define PINGPONG	{ "Ping-pong", "pingpong", SUM_CROSS_CPU, CELL_NUMBER, 0 }
#define CROSS_NODE	{ "X-node", "cross_node", SUM_CROSS_NODE, CELL_NUMBER, 0 }
#define FRAG		{ "Frag", "frag", SUM_FRAG, CELL_PERCENT, 0 }
#define CROSS_CPU	{ "Cross-CPU", "cross_cpu", SUM_CROSS_CPU, CELL_NUMBER, 0 }
#define NODE_FREES	{ "X-node", "cross_node", SUM_CROSS_NODE_FREES, CELL_NUMBER, 0 }
#define UNSEEN		{ "Unseen", "unknown", SUM_UNKNOWN, CELL_NUMBER, 0 }
#define LIVE_PER	{ "Total_live/Per", "live_bytes", SUM_LIVE_BYTES, CELL_PER, SUM_LIVE }
#define LIVE		{ "Live", "live", SUM_LIVE, CELL_NUMBER, 0 }
#define UNCERTAIN	{ "Uncertain", "live_uncertain", SUM_LIVE_UNCERTAIN, CELL_NUMBER, 0 }
#define OLDEST		{ "Oldest", "oldest", SUM_OLDEST, CELL_SECONDS, 0 }
#define YOUNGEST	{ "Youngest", "youngest", SUM_YOUNGEST, CELL_SECONDS, 0 }

#define READS		{ "Reads", "reads", SUM_READS, CELL_NUMBER, 0 }
#define WRITES		{ "Writes", "writes", SUM_WRITES, CELL_NUMBER, 0 }
#define ACCESSED	.then = { SUM_READS, SUM_WRITES }, .columns = { READS, WRITES }

#define TYPE		NAMED_TYPE
#define FREE_SITES	.name_title = "Callsite", .name_key = "name", .id_key = "ip"
#define CALL_SITES	FREE_SITES, .texts = { TYPE }
#define KIND		{ "Kind", "kind" }
#define CALL_SITES_KIND	FREE_SITES, .texts = { KIND, TYPE }
#define SITES(which, group)						\
	.hash = offsetof(struct sums, which[group]),			\
	.sum = offsetof(struct site, sum), .name = name_site

/* The tables of areas, and of stacks and per-CPU memory. */
#define KIND_SITES(which, group)					\
	.hash = offsetof(struct sums, which[group]),			\
	.sum = offsetof(struct site, sum), .name = name_counted_site
#define ALLOCATED(group, words, name)					\
	{								\
		.table = {						\
			.title = words " ALLOCATION SITES", .key = name "_sites",	\
			CALL_SITES_KIND, .then = { SUM_ALLOC, SUM_HIT },		\
			.columns = { BYTES_PER, REQ_PER, HIT, FREES, PINGPONG },	\
		},							\
		KIND_SITES(sites, group), .has = { SUM_HIT, SUM_HIT },	\
	}
#define FREED_MEMORY(group, words, name)				\
	{								\
		.table = {						\
			.title = words " FREE SITES", .key = name "_free_sites",	\
			FREE_SITES, .texts = { KIND },			\
			.then = { SUM_FREED, SUM_CALLS },		\
			.columns = { FREED, CALLS, CROSS_CPU, UNSEEN },	\
		},							\
		KIND_SITES(frees, group), .has = { SUM_CALLS, SUM_CALLS },	\
	}
#define STILL_LIVE(group, words, name)					\
	{								\
		.table = {						\
			.title = words " LIVE AT THE END", .key = "live_" name,	\
			CALL_SITES_KIND, .then = { SUM_LIVE_BYTES, SUM_OLDEST },	\
			.columns = { LIVE_PER, LIVE, UNCERTAIN, OLDEST, YOUNGEST },	\
		},							\
		KIND_SITES(sites, group), .has = { SUM_LIVE, SUM_LIVE },	\
	}
#define ACCESSED_MEMORY(group, words, name)				\
	{								\
		.table = {						\
			.title = "ACCESSED " words ", BY ALLOCATION SITE",	\
			.key = "accessed_" name, CALL_SITES_KIND, ACCESSED,	\
		},							\
		KIND_SITES(sites, group), .has = { SUM_READS, SUM_WRITES },	\
	}

#define FLAGS		.name_title = "Flags", .name_key = "gfp_flags"
#define PAGES_BY	.then = { SUM_ALLOC, SUM_HIT }, .columns = { BYTES_PER, HIT, FREES, LIVE }
#define OBJECTS_ACCESSED						\
	.title = "MOST ACCESSED OBJECTS", .key = "accessed_objects",	\
	.name_title = "Address", .name_key = "ptr",			\
	.then = { SUM_ACCESSES, SUM_READS },	\
	.columns = { { "Bytes", "bytes", SUM_OBJECT_SIZE, CELL_NUMBER, 0 }, READS, WRITES }
#define MOST(source, namer)						\
	.hash = offsetof(struct sums, most[source].items),		\
	.sum = offsetof(struct accessed, sum), .name = namer,		\
	.has = { SUM_ACCESSES, SUM_ACCESSES }, .of_most = true

#define WHO_ACCESSES							\
	.name_title = "Function", .name_key = "name",			\
	.texts = { { "Callsite", "site" }, TYPE },			\
	.then = { SUM_ACCESSES, SUM_READS }, .columns = { READS, WRITES }
#define TOUCHES(source, namer)						\
	.hash = offsetof(struct sums, touches[source]),			\
	.sum = offsetof(struct touch, sum), .name = namer,		\
	.has = { SUM_ACCESSES, SUM_ACCESSES }

#define TYPES(group, namer)						\
	.hash = offsetof(struct sums, types[group]),			\
	.sum = offsetof(struct type, sum), .name = namer,		\
	.has = { SUM_HIT, SUM_ACCESSES }, .of_notes = true
#define HOTTEST_TEXT	.texts = { { "Hottest members", "hottest" } }
#define MEMBERS		{ "Members", "members", SUM_MEMBERS, CELL_NUMBER, 0 },		\
			{ "Untouched", "untouched", SUM_UNTOUCHED, CELL_NUMBER, 0 },	\
			{ "Unnamed", "unnamed", SUM_UNNAMED, CELL_NUMBER, 0 }
#define MOVES		{ "Moves", "moves", SUM_MOVES, CELL_NUMBER, 0 }
#define PIDS		{ "Pids", "pids", SUM_PIDS, CELL_NUMBER, 0 }
#define CPUS		{ "CPUs", "cpus", SUM_CPUS, CELL_NUMBER, 0 }
#define FIELDS_ACCESSED							\
	.name_title = "Member", .name_key = "field", .texts = { TYPE },	\
	.then = { SUM_ACCESSES, SUM_READS }
#define FIELDS(source)							\
	.hash = offsetof(struct sums, fields[source]),			\
	.sum = offsetof(struct field, sum), .name = name_field,		\
	.has = { SUM_ACCESSES, SUM_MOVES }, .of_notes = true
#define UNTOUCHED(source)						\
	.hash = offsetof(struct sums, untouched[source]),		\
	.sum = offsetof(struct field, sum), .name = name_field,		\
	.has = { SUM_OBJECT_SIZE, SUM_OBJECT_SIZE }, .of_notes = true, .of_types = true
#define NEVER_TOUCHED							\
	.title = "UNTOUCHED MEMBERS", .key = "untouched_fields",	\
	.name_title = "Member", .name_key = "field", .texts = { TYPE },	\
	.then = { SUM_OBJECT_SIZE, SUM_OFFSET },			\
	.columns = { AT, { "Size", "size", SUM_OBJECT_SIZE, CELL_NUMBER, 0 } }
#define USERS(source, namer)						\
	.hash = offsetof(struct sums, users[source]),			\
	.sum = offsetof(struct touch, sum), .name = namer,		\
	.has = { SUM_ACCESSES, SUM_MOVES }, .of_notes = true
#define USE_FIELDS							\
	.name_title = "Function", .name_key = "name",			\
	.texts = { { "Member", "field" }, TYPE },			\
	.then = { SUM_ACCESSES, SUM_READS }, .columns = { READS, WRITES, MOVES }
#define AT		{ "Offset", "offset", SUM_OFFSET, CELL_OFFSET, 0 }
#define FUNCTIONS	{ "Functions", "functions", SUM_FUNCTIONS, CELL_NUMBER, 0 }

#define KMAP_TABLE(text, name)						\
	.title = text, .key = name, .then = { SUM_ACCESSES, SUM_REQ }
#define IN_TRACE(text, name)	.of_trace = { "KMAP: " text, "kmap_" name }
#define PER_OBJECT	{ "Total_req/Per", "bytes", SUM_REQ, CELL_PER, SUM_HIT }
#define OBJECTS		{ "Hit", "objects", SUM_HIT, CELL_NUMBER, 0 }
#define TOUCHED		{ "Touched", "touched", SUM_TOUCHED, CELL_NUMBER, 0 }

static const struct view views[] = {
	{
		.table = {
			.title = "ALLOCATION SITES", .key = "sites", CALL_SITES,
			.then = { SUM_ALLOC, SUM_HIT },
			.columns = { BYTES_PER, REQ_PER, HIT, FREES, PINGPONG, CROSS_NODE, FRAG },
		},
		SITES(sites, GROUP_SLAB), .has = { SUM_HIT, SUM_HIT },
	}, {
		.table = {
			.title = "FREE SITES", .key = "free_sites", FREE_SITES,
			.then = { SUM_FREED, SUM_CALLS },
			.columns = { FREED, CALLS, CROSS_CPU, NODE_FREES, UNSEEN },
		},
		SITES(frees, GROUP_SLAB), .has = { SUM_CALLS, SUM_CALLS },
	}, {
		.table = {
			.title = "ALLOCATION SIZES", .key = "sizes",
			.name_title = "Bytes", .id_key = "bytes", .id_decimal = true,
			.then = { SUM_ALLOC, SUM_HIT },
			.columns = { BYTES_PER, REQ_PER, HIT, FREES, PINGPONG, CROSS_NODE, FRAG },
		},
		.hash = offsetof(struct sums, sizes[GROUP_SLAB]),
		.sum = offsetof(struct size, sum), .name = name_size,
		.has = { SUM_HIT, SUM_HIT },
	}, {
		.table = {
			.title = "CACHES", .key = "caches",
			.name_title = "Cache", .name_key = "name", .id_key = "cache",
			.then = { SUM_ALLOC, SUM_HIT },
			.columns = {
				{ "Object", "object_size", SUM_OBJECT_SIZE, CELL_NUMBER, 0 },
				BYTES_PER, REQ_PER, HIT, FREES, PINGPONG, CROSS_NODE, FRAG,
			},
		},
		.hash = offsetof(struct sums, caches),
		.sum = offsetof(struct cache, sum), .name = name_cache,
		.has = { SUM_HIT, SUM_HIT },
	}, {
		.table = {
			.title = "PAGE ALLOCATION SITES", .key = "page_sites", CALL_SITES,
			.then = { SUM_ALLOC, SUM_HIT },
			.columns = { BYTES_PER, HIT, FREES, PINGPONG, CROSS_NODE },
		},
		SITES(sites, GROUP_PAGES), .has = { SUM_HIT, SUM_HIT },
	}, {
		.table = {
			.title = "PAGE FREE SITES", .key = "page_free_sites", FREE_SITES,
			.then = { SUM_FREED, SUM_CALLS },
			.columns = { FREED, CALLS, CROSS_CPU, NODE_FREES, UNSEEN },
		},
		SITES(frees, GROUP_PAGES), .has = { SUM_CALLS, SUM_CALLS },
	}, {
		.table = {
			.title = "PAGE ALLOCATION SIZES", .key = "page_sizes",
			.name_title = "Bytes", .id_key = "bytes", .id_decimal = true,
			.then = { SUM_ALLOC, SUM_HIT },
			.columns = { BYTES_PER, HIT, FREES, PINGPONG, CROSS_NODE },
		},
		.hash = offsetof(struct sums, sizes[GROUP_PAGES]),
		.sum = offsetof(struct size, sum), .name = name_size,
		.has = { SUM_HIT, SUM_HIT },
	}, {
		.table = {
			.title = "GFP FLAGS", .key = "gfp", FLAGS,
			.then = { SUM_ALLOC, SUM_HIT },
			.columns = { BYTES_PER, REQ_PER, HIT, FREES, LIVE },
		},
		.hash = offsetof(struct sums, gfps[GROUP_SLAB]),
		.sum = offsetof(struct gfp, sum), .name = name_gfp,
		.has = { SUM_HIT, SUM_HIT },
	}, {
		.table = {
			.title = "PAGE GFP FLAGS", .key = "page_gfp", FLAGS, PAGES_BY,
		},
		.hash = offsetof(struct sums, gfps[GROUP_PAGES]),
		.sum = offsetof(struct gfp, sum), .name = name_gfp,
		.has = { SUM_HIT, SUM_HIT },
	}, {
		.table = {
			.title = "PAGE ORDERS", .key = "page_orders",
			.name_title = "Order", .name_key = "order", PAGES_BY,
		},
		.hash = offsetof(struct sums, orders),
		.sum = offsetof(struct order, sum), .name = name_order,
		.has = { SUM_HIT, SUM_HIT },
	}, {
		.table = {
			.title = "PAGE ZONES", .key = "page_zones",
			.name_title = "Zone", .name_key = "zone", PAGES_BY,
		},
		.hash = offsetof(struct sums, zones),
		.sum = offsetof(struct zone, sum), .name = name_zone,
		.has = { SUM_HIT, SUM_HIT },
	},
	ALLOCATED(GROUP_AREAS, "AREA", "area"),
	FREED_MEMORY(GROUP_AREAS, "AREA", "area"),
	ALLOCATED(GROUP_LOCAL, "STACK AND PER-CPU", "local"),
	FREED_MEMORY(GROUP_LOCAL, "STACK AND PER-CPU", "local"),
	{
		.table = {
			.title = "TASKS", .key = "tasks", .id_key = "pid", .id_decimal = true,
			.name_title = "    Pid Comm", .name_key = "comm",
			.then = { SUM_ALLOC, SUM_PAGE_BYTES },
			.columns = {
				BYTES_PER, REQ_PER, HIT, FREES, PINGPONG, FRAG,
				{ "Total_pages", "page_bytes", SUM_PAGE_BYTES, CELL_NUMBER, 0 },
				{ "Page_hit", "page_hit", SUM_PAGE_HIT, CELL_NUMBER, 0 },
			},
		},
		.hash = offsetof(struct sums, tasks),
		.sum = offsetof(struct task, sum), .name = name_task,
		.has = { SUM_HIT, SUM_PAGE_HIT },
	}, {
		.table = {
			.title = "SUSPICIOUS", .key = "suspicious",
			.name_title = "What", .name_key = "what",
			.texts = { { "Callsite", "site" }, { "Freed by", "free_site" }, TYPE },
			.then = { SUM_HIT, SUM_FIRST },
			.columns = {
				HIT, { "First event", "first", SUM_FIRST, CELL_NUMBER, 0 },
			},
		},
		.hash = offsetof(struct sums, suspects),
		.sum = offsetof(struct suspect, sum), .name = name_suspect,
		.has = { SUM_HIT, SUM_HIT },
	}, {
		.table = {
			.title = "LIVE AT THE END", .key = "live", CALL_SITES,
			.then = { SUM_LIVE_BYTES, SUM_OLDEST },
			.columns = { LIVE_PER, LIVE, UNCERTAIN, OLDEST, YOUNGEST },
		},
		SITES(sites, GROUP_SLAB), .has = { SUM_LIVE, SUM_LIVE },
	}, {
		.table = {
			.title = "PAGES LIVE AT THE END", .key = "live_pages", CALL_SITES,
			.then = { SUM_LIVE_BYTES, SUM_OLDEST },
			.columns = { LIVE_PER, LIVE, UNCERTAIN, OLDEST, YOUNGEST },
		},
		SITES(sites, GROUP_PAGES), .has = { SUM_LIVE, SUM_LIVE },
	},
	STILL_LIVE(GROUP_AREAS, "AREAS", "areas"),
	STILL_LIVE(GROUP_LOCAL, "STACKS AND PER-CPU MEMORY", "local"),
	{
		.table = {
			.title = "FUNCTIONS THAT ACCESS MEMORY", .key = "functions",
			.name_title = "Function", .name_key = "name", .id_key = "start",
			ACCESSED,
		},
		.hash = offsetof(struct sums, functions[ACCESS_STREAMED]),
		.sum = offsetof(struct function, sum), .name = name_function,
		.has = { SUM_READS, SUM_WRITES },
	}, {
		.table = {
			.title = "ACCESSED OBJECTS, BY ALLOCATION SITE",
			.key = "accessed_sites", CALL_SITES, ACCESSED,
		},
		SITES(sites, GROUP_SLAB), .has = { SUM_READS, SUM_WRITES },
	}, {
		.table = {
			.title = "ACCESSED OBJECTS, BY CACHE", .key = "accessed_caches",
			.name_title = "Cache", .name_key = "name", .id_key = "cache", ACCESSED,
		},
		.hash = offsetof(struct sums, caches),
		.sum = offsetof(struct cache, sum), .name = name_cache,
		.has = { SUM_READS, SUM_WRITES },
	}, {
		.table = {
			.title = "ACCESSED PAGES, BY ALLOCATION SITE",
			.key = "accessed_pages", CALL_SITES, ACCESSED,
		},
		SITES(sites, GROUP_PAGES), .has = { SUM_READS, SUM_WRITES },
	},
	ACCESSED_MEMORY(GROUP_AREAS, "AREAS", "areas"),
	ACCESSED_MEMORY(GROUP_LOCAL, "STACKS AND PER-CPU MEMORY", "local"),
	{
		.table = {
			.title = "TYPES", .key = "types",
			.name_title = "Type", .name_key = "type", HOTTEST_TEXT,
			.then = { SUM_ALLOC, SUM_HIT },
			.columns = {
				BYTES_PER, REQ_PER, HIT, FREES, LIVE_PER, LIVE, READS, WRITES,
				CPUS, MEMBERS, MOVES,
			},
		},
		TYPES(GROUP_SLAB, name_streamed_type),
	}, {
		.table = {
			.title = "ACCESSED MEMBERS", .key = "accessed_fields", FIELDS_ACCESSED,
			.columns = { AT, READS, WRITES, FUNCTIONS, PIDS, CPUS, MOVES },
		},
		FIELDS(ACCESS_STREAMED),
	}, {
		.table = { NEVER_TOUCHED },
		UNTOUCHED(ACCESS_STREAMED),
	}, {
		.table = {
			.title = "MEMBER ACCESSES, BY FUNCTION", .key = "field_users", USE_FIELDS,
		},
		USERS(ACCESS_STREAMED, name_streamed_user),
	}, {
		.table = {
			.title = "ACCESSES, BY FUNCTION AND ALLOCATION SITE",
			.key = "accessed_by", WHO_ACCESSES,
		},
		TOUCHES(ACCESS_STREAMED, name_streamed),
	}, {
		.table = { OBJECTS_ACCESSED, .texts = { { "Callsite", "site" }, TYPE } },
		MOST(ACCESS_STREAMED, name_object),
	}, {
		.table = {
			KMAP_TABLE("KINDS OF MEMORY", "kinds"),
			.name_title = "Kind", .name_key = "kind",
			.columns = { PER_OBJECT, OBJECTS, LIVE, TOUCHED, READS, WRITES },
		},
		.hash = offsetof(struct sums, kinds),
		.sum = offsetof(struct kind_sums, sum), .name = name_kind,
		.has = { SUM_HIT, SUM_TOUCHED }, .of_kinds = true,
		IN_TRACE("KINDS OF MEMORY", "kinds"),
	}, {
		.table = {
			KMAP_TABLE("ALLOCATION SITES", "sites"), CALL_SITES_KIND,
			.columns = {
				PER_OBJECT, OBJECTS, LIVE,
				{ "Life", "life", SUM_LIFE, CELL_TENTHS, SUM_LIVES },
				TOUCHED, READS, WRITES,
			},
		},
		.hash = offsetof(struct sums, sites[GROUP_KMAP]),
		.sum = offsetof(struct site, sum), .name = name_counted_site,
		.has = { SUM_HIT, SUM_TOUCHED }, .kind_texts = 1,
		IN_TRACE("ALLOCATION SITES", "sites"),
	}, {
		.table = {
			KMAP_TABLE("FUNCTIONS THAT ACCESS OBJECTS", "functions"),
			.name_title = "Function", .name_key = "name", .id_key = "start",
			.columns = {
				READS, WRITES, TOUCHED,
				{ "Callsites", "sites", SUM_SITES, CELL_NUMBER, 0 },
			},
		},
		.hash = offsetof(struct sums, functions[ACCESS_COUNTED]),
		.sum = offsetof(struct function, sum), .name = name_function,
		.has = { SUM_TOUCHED, SUM_TOUCHED },
		IN_TRACE("FUNCTIONS THAT ACCESS OBJECTS", "functions"),
	}, {
		.table = {
			KMAP_TABLE("SHARED OBJECTS (accessed by several pids)", "shared"),
			CALL_SITES_KIND,
			.columns = {
				PER_OBJECT, OBJECTS,
				{ "Pids", "most_pids", SUM_MOST_PIDS, CELL_NUMBER, 0 },
				READS, WRITES,
			},
		},
		.hash = offsetof(struct sums, shared),
		.sum = offsetof(struct site, sum), .name = name_counted_site,
		.has = { SUM_HIT, SUM_HIT }, .kind_texts = 1,
		IN_TRACE("SHARED OBJECTS (accessed by several pids)", "shared"),
	}, {
		.table = {
			KMAP_TABLE("TASKS", "tasks"), .id_key = "pid", .id_decimal = true,
			.name_title = "    Pid Comm", .name_key = "comm",
			.columns = { PER_OBJECT, OBJECTS, TOUCHED, READS, WRITES },
		},
		.hash = offsetof(struct sums, pids),
		.sum = offsetof(struct pid, sum), .name = name_pid,
		.has = { SUM_HIT, SUM_TOUCHED },
		IN_TRACE("TASKS", "tasks"),
	}, {
		.table = {
			KMAP_TABLE("COMMANDS", "commands"),
			.name_title = "Comm", .name_key = "comm",
			.columns = {
				{ "Pids", "pids", SUM_PIDS, CELL_NUMBER, 0 },
				PER_OBJECT, OBJECTS, READS, WRITES,
			},
		},
		.hash = offsetof(struct sums, comms),
		.sum = offsetof(struct comm, sum), .name = name_comm,
		.has = { SUM_HIT, SUM_PIDS },
		IN_TRACE("COMMANDS", "commands"),
	}, {
		.table = {
			KMAP_TABLE("TYPES", "types"), .name_title = "Type", .name_key = "type",
			HOTTEST_TEXT,
			.columns = {
				PER_OBJECT, OBJECTS, LIVE_PER, LIVE, TOUCHED, READS, WRITES,
				MEMBERS, MOVES,
			},
		},
		TYPES(GROUP_KMAP, name_counted_type),
		IN_TRACE("TYPES", "types"),
	}, {
		.table = {
			.title = "MEMBERS", .key = "fields", FIELDS_ACCESSED,
			.columns = { AT, READS, WRITES, FUNCTIONS, PIDS, MOVES },
		},
		FIELDS(ACCESS_COUNTED),
		IN_TRACE("MEMBERS", "fields"),
	}, {
		.table = { NEVER_TOUCHED },
		UNTOUCHED(ACCESS_COUNTED),
		IN_TRACE("UNTOUCHED MEMBERS", "untouched_fields"),
	}, {
		.table = { .title = "MEMBER ACCESSES, BY FUNCTION", .key = "users", USE_FIELDS },
		USERS(ACCESS_COUNTED, name_counted_user),
		IN_TRACE("MEMBER ACCESSES, BY FUNCTION", "users"),
	}, {
		.table = {
			.title = "ACCESSES, BY FUNCTION AND ALLOCATION SITE", .key = "who",
			WHO_ACCESSES
		},
		TOUCHES(ACCESS_COUNTED, name_counted),
		IN_TRACE("ACCESSES, BY FUNCTION AND ALLOCATION SITE", "who"),
	}, {
		.table = {
			OBJECTS_ACCESSED,
			.texts = { KIND, { "Object", "object" }, { "Callsite", "site" }, TYPE },
		},
		MOST(ACCESS_COUNTED, name_counted_object), .kind_texts = 2,
		IN_TRACE("MOST ACCESSED OBJECTS", "accessed_objects"),
	},
};

static bool is_code(const struct table *t)
{
	return t->id_key && (!strcmp(t->id_key, "ip") || !strcmp(t->id_key, "start"));
}

/**
 * struct shown - the input of a table
 * @v: its view
 * @k: the sums
 * @h: the items
 * @t: the table
 * @drop: number of texts in front that are not shown
 */
struct shown {
	const struct view *v;
	const struct sums *k;
	const struct hash *h;
	const struct table *t;
	u32 drop;
};

static const u64 *item_sum(const void *data, u32 item)
{
	const struct shown *shown = data;

	return (const void *)((const char *)hash_item(shown->h, item) + shown->v->sum);
}

/* Remove texts in front. */
static void drop_texts(struct row *row, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		free(row->texts[i]);
	memmove(row->texts, row->texts + nr, (TABLE_TEXTS - nr) * sizeof(*row->texts));
	memset(row->texts + TABLE_TEXTS - nr, 0, nr * sizeof(*row->texts));
}

static void name_item(const void *data, u32 item, struct row *row)
{
	const struct shown *shown = data;
	const struct table *t = shown->t;

	shown->v->name(shown->k, hash_item(shown->h, item), row);
	drop_texts(row, shown->drop);
	if (t->id_key)
		memcpy(&row->id, hash_item(shown->h, item), sizeof(row->id));
	if (is_code(t))
		row->id = kmap_symbols_address(shown->k->symbols, row->id);
}

/* Add a row for each item that is not empty. */
static void fill(struct table *t, const struct shown *shown)
{
	const struct most *most = (const void *)shown->h;
	const struct view *v = shown->v;
	const u64 *sum;
	u32 i;

	if (v->of_most) {
		t->left_out = most->nr - most->items.nr;
		t->left_sum = most->left_sum;
	}
	t->items = (struct table_items){
		.order = xreallocarray(NULL, shown->h->nr + 1ull, sizeof(*t->items.order)),
		.sum = item_sum, .name = name_item, .data = shown,
	};
	for (i = 0; i < shown->h->nr; i++) {
		sum = item_sum(shown, i);
		if (sum[v->has[0]] || sum[v->has[1]])
			t->items.order[t->nr++] = i;
	}
}

/* The default order: bytes or accesses if the table has them, else its own. */
static u32 usual_metric(const struct report *r, const struct table *t)
{
	const struct column *c, *plus;

	if (r->order->key)
		return t->then[0];
	if (!strcmp(r->usual, "accesses") && columns_sort(t, r->usual, &plus))
		return SUM_ACCESSES;
	for (c = t->columns; !strcmp(r->usual, "bytes") && c->title; c++)
		if (c->shows == SUM_ALLOC || c->shows == SUM_REQ)
			return c->shows;
	return t->then[0];
}

/**
 * report_order - sort the rows of a table
 * @r: the report
 * @t: the table
 */
void report_order(const struct report *r, struct table *t)
{
	table_sort(t, r->order, usual_metric(r, t));
}

/**
 * report_table - print a table of a report
 * @r: the report
 * @t: the table
 */
void report_table(const struct report *r, const struct table *t)
{
	if (r->format == REPORT_JSON) {
		printf(",\n\t");
		table_json(t, r->top);
	} else if (r->format == REPORT_CSV) {
		table_csv(t, r->top);
	} else {
		table_print(t, r->top);
	}
}

/**
 * report_drop_moves - remove the column of moves if no cache line moved
 * @k: the sums
 * @source: streamed or counted accesses
 * @t: the table; the column is the last one, if there is one
 */
void report_drop_moves(const struct sums *k, enum access_source source, struct table *t)
{
	struct column *c;

	for (c = t->columns; c->title; c++)
		if (c->shows == SUM_MOVES && !k->moved[source])
			*c = (struct column){ NULL };
}

/* Keep the columns with these keys. */
static void keep_columns(struct table *t, const char * const *keys)
{
	const char * const *key;
	struct column *c, *to = t->columns;

	for (c = t->columns; c->title; c++) {
		for (key = keys; *key && strcmp(*key, c->key); key++)
			;
		if (*key)
			*to++ = *c;
	}
	*to = (struct column){ NULL };
}

/* Accesses count for several types and members, so shares are relative to all accesses. */
static void add_relative(const struct report *r, const struct view *v, const struct sums *k,
			 struct table *t)
{
	enum access_source source = v->of_trace.key ? ACCESS_COUNTED : ACCESS_STREAMED;
	u64 total[SUM_METRICS], duration = 0;

	if (r->rate && source == ACCESS_STREAMED)
		duration = sums_duration(k);
	sums_total(k, source, total);
	if (r->percent || duration)
		table_add_relative(t, r->percent, duration, v->of_notes ? total : NULL);
}

/* Print the table of a view, or only the columns with these keys. */
static void print_table(const struct report *r, const struct view *v, const struct sums *k,
			const char * const *columns)
{
	bool noted = kmap_symbols_notes(k->symbols);
	struct table t = v->table;
	struct shown shown = { v, k, (const void *)((const char *)k + v->hash), &t, 0 };

	if ((v->of_notes && !noted) || (v->of_kinds && !k->kinds.nr))
		return;
	for (; !k->kinds.nr && shown.drop < v->kind_texts; shown.drop++)
		table_drop(&t, t.texts[0].key);
	if (r->trace && v->of_trace.key) {
		t.title = v->of_trace.title;
		t.key = v->of_trace.key;
	}
	named_drop(&t, k->symbols);
	report_drop_moves(k, v->of_trace.key ? ACCESS_COUNTED : ACCESS_STREAMED, &t);
	if (columns)
		keep_columns(&t, columns);
	fill(&t, &shown);
	add_relative(r, v, k, &t);
	report_order(r, &t);
	report_table(r, &t);
	table_free(&t);
}

/**
 * report_head - print the head of a report
 * @r: the report
 * @k: the sums
 */
void report_head(const struct report *r, const struct sums *k)
{
	struct head head = {
		.command = r->command, .input = r->trace ? "trace" : "kmap", .what = r->what,
		.incomplete = r->incomplete, .sort = r->order->key ?: r->usual, .top = r->top,
		.filter = k->filter, .stacks = k->skip.stacks,
	};

	if (r->format == REPORT_TEXT)
		term_pager();
	head_print(&head, r->format);
}

/**
 * report_types - print the tables of types and members
 * @r: the report
 * @k: the sums, after sums_end()
 */
void report_types(const struct report *r, const struct sums *k)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(views); i++)
		if (views[i].of_notes && (r->trace || views[i].of_trace.key))
			print_table(r, views + i, k, NULL);
}

/* Print what fits on one screen: who allocates, who accesses what, and which members. */
static void report_brief(const struct report *r, const struct sums *k)
{
	static const struct {
		const char *of_kmap, *of_trace, *sort;
		size_t from_full;	/* from the items of the full table, in struct sums */
		const char *columns[6];
	} brief[] = {
		{ "sites", "sites", "bytes", 0,
		  { "bytes", "objects", "live", "bytes_alloc", "hit" } },
		{ "who", "accessed_by", "accesses", 0, { "reads", "writes" } },
		{ "fields", "accessed_fields", "accesses",
		  offsetof(struct sums, once) - offsetof(struct sums, fields),
		  { "reads", "writes", "functions" } },
	};
	struct report sorted = *r;
	const struct view *v;
	struct view view;
	const char *key;
	size_t i;

	report_summarize_briefly(r, k);
	for (i = 0; i < ARRAY_SIZE(brief); i++) {
		key = r->trace ? brief[i].of_trace : brief[i].of_kmap;
		sorted.usual = brief[i].sort;
		for (v = views; v < views + ARRAY_SIZE(views); v++) {
			if (r->trace != !v->of_trace.key || strcmp(v->table.key, key))
				continue;
			view = *v;
			view.hash += brief[i].from_full;
			print_table(&sorted, &view, k, brief[i].columns);
		}
	}
}

static void print_tables(const struct report *r, const struct sums *k)
{
	size_t i;

	report_summarize(r, k);
	for (i = 0; i < ARRAY_SIZE(views); i++)
		if (!views[i].of_types && (r->trace || views[i].of_trace.key))
			print_table(r, views + i, k, NULL);
}

/**
 * report_print - print all tables of a report
 * @r: the report
 * @k: the sums, after sums_end()
 */
void report_print(const struct report *r, const struct sums *k)
{
	if (r->brief) {
		report_brief(r, k);
		return;
	}
	if (r->histograms) {
		report_histograms(r, k);
		return;
	}
	if (!r->children)
		print_tables(r, k);
	if (k->skip.stacks)
		children_print(k->children, r);
}
