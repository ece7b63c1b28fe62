// SPDX-License-Identifier: GPL-2.0
/*
 * Allocations by function: those of the call sites in the function (self), and those of the
 * function and of everything that it called (children), as perf report --children has samples.
 */
#include <string.h>

#include "report/children.h"
#include "report/report.h"

/* Sums of a function over children; SELF is the distance to those over its call sites. */
enum { BYTES, OBJECTS, LIVE_BYTES, LIVE, SELF, METRICS = 2 * SELF };

/* A function, or the ip if that is unknown; NO_STACK for objects without stack. */
struct caller {
	u64 start;
	u64 sum[METRICS];
	u64 last;		/* number of the last object that it counts */
};

#define NO_STACK	0

/* The function of a return address, as item of functions. */
struct caller_ip {
	u64 ip;
	u32 function;
};

/**
 * children_init - start to count
 * @c: set to no allocations
 * @symbols: symbols; must outlive @c
 */
void children_init(struct children *c, const struct kmap_symbols *symbols)
{
	*c = (struct children){ .symbols = symbols };
	hash_init(&c->functions, sizeof(struct caller), sizeof(u64));
	hash_init(&c->ips, sizeof(struct caller_ip), sizeof(u64));
}

/**
 * children_free - free the memory
 * @c: the allocations
 */
void children_free(struct children *c)
{
	hash_free(&c->functions);
	hash_free(&c->ips);
}

static struct caller *function_of(struct children *c, u64 ip)
{
	const struct kmap_symbol *symbol;
	struct caller_ip *found;
	u64 start = ip;
	bool new;

	found = hash_item(&c->ips, hash_get(&c->ips, &ip, &new));
	if (new) {
		symbol = ip == NO_STACK ? NULL : kmap_symbols_find(c->symbols, ip, KMAP_IP_RETURN);
		if (symbol)
			start = symbol->start;
		found->function = hash_get(&c->functions, &start, &new);
	}
	return hash_item(&c->functions, found->function);
}

static void add(struct children *c, u64 *sum, u64 n)
{
	if (__builtin_add_overflow(*sum, n, sum)) {
		*sum = U64_MAX;
		c->overflow = true;
	}
}

static void count(struct children *c, u64 *sum, const struct kmap_object *o)
{
	bool live = !o->free_jiffies;

	add(c, sum + OBJECTS, 1);
	add(c, sum + BYTES, o->size);
	add(c, sum + LIVE, live);
	add(c, sum + LIVE_BYTES, live ? o->size : 0);
}

/* Count an object for a function once, even if the function called itself. */
static void count_once(struct children *c, struct caller *function, const struct kmap_object *o)
{
	if (function->last == c->objects)
		return;
	function->last = c->objects;
	count(c, function->sum, o);
}

/**
 * children_add - count an object
 * @c: the allocations
 * @o: the object
 * @site: its call site, one of its frames
 */
void children_add(struct children *c, const struct kmap_object *o, u64 site)
{
	u32 i;

	c->objects++;
	for (i = 0; i < o->nr_frames; i++)
		count_once(c, function_of(c, o->frames[i]), o);
	if (!o->nr_frames) {
		site = NO_STACK;
		count_once(c, function_of(c, site), o);
	}
	count(c, function_of(c, site)->sum + SELF, o);
}

static char *name_of(const struct children *c, const struct caller *function)
{
	char text[KMAP_SYMBOL_MAX];

	if (function->start == NO_STACK)
		return table_text("[no stack]");
	kmap_symbols_function(c->symbols, function->start, KMAP_IP_EXACT, text);
	return table_text(text);
}

/* Add shares of the sums over all objects. */
static void add_shares(struct table *t, const u64 total[SELF])
{
	static const char * const keys[METRICS] = {
		[BYTES] = "children_bytes_percent", [OBJECTS] = "children_objects_percent",
		[LIVE_BYTES] = "children_live_bytes_percent", [LIVE] = "children_live_percent",
		[SELF + BYTES] = "self_bytes_percent", [SELF + OBJECTS] = "self_objects_percent",
		[SELF + LIVE_BYTES] = "self_live_bytes_percent",
		[SELF + LIVE] = "self_live_percent",
	};
	struct column columns[METRICS];
	u32 m, nr = 0;

	memcpy(columns, t->columns, sizeof(columns));
	for (m = 0; m < METRICS; m++) {
		t->columns[nr++] = columns[m];
		if (total[m % SELF])
			t->columns[nr++] = (struct column){
				"%", keys[m], m, CELL_SHARE, total[m % SELF]
			};
	}
}

/**
 * children_print - print the table
 * @c: the allocations
 * @r: the report
 */
void children_print(const struct children *c, const struct report *r)
{
	struct table t = {
		.title = "ALLOCATIONS, BY FUNCTION ON THE STACK", .key = "children",
		.name_title = "Function", .name_key = "name", .id_key = "start",
		.then = { BYTES, OBJECTS },
		.columns = {
			{ "Bytes", "children_bytes", BYTES, CELL_NUMBER, 0 },
			{ "Hit", "children_objects", OBJECTS, CELL_NUMBER, 0 },
			{ "Live_bytes", "children_live_bytes", LIVE_BYTES, CELL_NUMBER, 0 },
			{ "Live", "children_live", LIVE, CELL_NUMBER, 0 },
			{ "Self_bytes", "self_bytes", SELF + BYTES, CELL_NUMBER, 0 },
			{ "Self_hit", "self_objects", SELF + OBJECTS, CELL_NUMBER, 0 },
			{ "Self_live_bytes", "self_live_bytes", SELF + LIVE_BYTES, CELL_NUMBER, 0 },
			{ "Self_live", "self_live", SELF + LIVE, CELL_NUMBER, 0 },
		},
	};
	const struct caller *function;
	u64 total[SELF] = { 0 };
	u32 i, m;

	t.rows = xreallocarray(NULL, c->functions.nr + 1, sizeof(*t.rows));
	for (; t.nr < c->functions.nr; t.nr++) {
		function = hash_item(&c->functions, t.nr);
		t.rows[t.nr] = (struct row){
			.id = kmap_symbols_address(c->symbols, function->start),
			.name = name_of(c, function), .sum = function->sum,
		};
	}
	/* Each object has one call site. */
	for (i = 0; i < t.nr; i++)
		for (m = 0; m < SELF; m++)
			if (__builtin_add_overflow(total[m], t.rows[i].sum[SELF + m], total + m))
				total[m] = U64_MAX;
	if (r->percent)
		add_shares(&t, total);
	table_sort(&t, r->order, BYTES);
	report_table(r, &t);
	table_free(&t);
}
