// SPDX-License-Identifier: GPL-2.0
/* Sums over the accesses of a trace, by allocation: a slab object, or else pages. */
#include <stdlib.h>
#include <string.h>

#include "report/sums.h"
#include "report/waits.h"

/**
 * sums_function - look up or add the function of an instruction
 * @k: the sums
 * @source: streamed or counted accesses
 * @ip: address of the instruction
 *
 * Return: the number of the item of functions.
 */
u32 sums_function(struct sums *k, enum access_source source, u64 ip)
{
	const struct kmap_symbol *symbol;
	struct function *function;
	struct access_ip *item;
	u64 start;
	bool new;

	item = hash_item(k->ips + source, hash_get(k->ips + source, &ip, &new));
	if (new) {
		symbol = kmap_symbols_find(k->symbols, ip, KMAP_IP_EXACT);
		start = symbol ? symbol->start : ip;
		item->function = hash_get(k->functions + source, &start, &new);
		if (symbol) {
			function = hash_item(k->functions + source, item->function);
			function->waits = waits(kmap_symbols_string(k->symbols, symbol->name));
		}
	}
	return item->function;
}

/**
 * sums_leaves_out - check whether --no-wait excludes the accesses of a function
 * @k: the sums
 * @source: streamed or counted accesses
 * @function: item of functions
 *
 * Return: true if it does; the caller adds them to @k->waiting.
 */
bool sums_leaves_out(const struct sums *k, enum access_source source, u32 function)
{
	const struct function *f = hash_item(k->functions + source, function);

	return k->filter->no_wait && f->waits;
}

/* Above the number of a site in a touch is its group. SUMS_NO_SITE has none of them. */
#define SITE_GROUP	29

/**
 * sums_touch - look up or add the accesses by a function to objects of a call site
 * @k: the sums
 * @source: streamed or counted accesses
 * @function: item of functions
 * @site: item of the group's sites, or SUMS_NO_SITE
 * @new: set to whether the item was added
 *
 * Return: the item, valid until the next call.
 */
struct touch *sums_touch(struct sums *k, enum access_source source, u32 function, u32 site,
			 bool *new)
{
	u64 key = (u64)function << 32 | site;

	return hash_item(k->touches + source, hash_get(k->touches + source, &key, new));
}

/**
 * sums_site_of - get the call site that allocated accessed objects
 * @k: the sums
 * @source: streamed or counted accesses
 * @site: item of the group's sites, as in a touch
 *
 * Return: the call site; NULL if unknown.
 */
const struct site *sums_site_of(const struct sums *k, enum access_source source, u32 site)
{
	if (site == SUMS_NO_SITE)
		return NULL;
	if (source == ACCESS_COUNTED)
		return hash_item(k->sites + GROUP_KMAP, site);
	return hash_item(k->sites + (site >> SITE_GROUP), site & ((1u << SITE_GROUP) - 1));
}

/**
 * sums_is_slab - check whether a streamed access is to a slab object
 * @source: streamed or counted accesses
 * @site: item of the group's sites, as in a touch, or SUMS_NO_SITE
 *
 * Return: true if it is: a struct noted then has an item of origins in place of the site.
 */
bool sums_is_slab(enum access_source source, u32 site)
{
	return source == ACCESS_STREAMED && site >> SITE_GROUP == GROUP_SLAB;
}

/**
 * sums_touched - get the call site that allocated accessed objects
 * @k: the sums
 * @source: streamed or counted accesses
 * @touch: the accesses
 *
 * Return: the call site; NULL if unknown.
 */
const struct site *sums_touched(const struct sums *k, enum access_source source,
				const struct touch *touch)
{
	return sums_site_of(k, source, touch->key);
}

/**
 * sums_toucher - get the function that made accesses
 * @k: the sums
 * @source: streamed or counted accesses
 * @touch: the accesses
 *
 * Return: the function.
 */
const struct function *sums_toucher(const struct sums *k, enum access_source source,
				    const struct touch *touch)
{
	return hash_item(k->functions + source, touch->key >> 32);
}

/* Order by accesses, then by the other columns of the report, then by end of the object. */
static int compare(const void *left, const void *right)
{
	const struct accessed *a = left, *b = right;

	if (a->sum[SUM_ACCESSES] != b->sum[SUM_ACCESSES])
		return a->sum[SUM_ACCESSES] > b->sum[SUM_ACCESSES] ? -1 : 1;
	if (a->sum[SUM_READS] != b->sum[SUM_READS])
		return a->sum[SUM_READS] > b->sum[SUM_READS] ? -1 : 1;
	if (a->ptr != b->ptr)
		return a->ptr < b->ptr ? -1 : 1;
	return a->nr < b->nr ? -1 : a->nr > b->nr;
}

/* Drop all but the first @m->keep objects. */
static void prune(struct most *m)
{
	struct hash all = m->items;
	struct accessed *object;
	bool new;
	u32 i, nr;
	int metric;

	if (all.nr <= m->keep)
		return;
	hash_init(&m->items, sizeof(struct accessed), sizeof(u64));
	qsort(all.items, all.nr, sizeof(struct accessed), compare);
	for (i = 0; i < m->keep; i++) {
		object = hash_item(&all, i);
		nr = hash_get(&m->items, &object->nr, &new);
		memcpy(hash_item(&m->items, nr), object, sizeof(*object));
	}
	for (; i < all.nr; i++) {
		object = hash_item(&all, i);
		for (metric = 0; metric < OBJECT_METRICS; metric++)
			if (__builtin_add_overflow(m->left_sum[metric], object->sum[metric],
						   m->left_sum + metric))
				m->left_sum[metric] = U64_MAX;
	}
	hash_free(&all);
}

/**
 * sums_accessed - add an accessed object that has ended
 * @k: the sums
 * @source: streamed or counted accesses
 * @object: the object; its @nr is ignored
 */
void sums_accessed(struct sums *k, enum access_source source, const struct accessed *object)
{
	struct most *m = k->most + source;
	struct accessed item = *object;
	bool new;
	u32 i;

	item.nr = m->nr++;
	if (!m->keep)
		return;
	i = hash_get(&m->items, &item.nr, &new);
	memcpy(hash_item(&m->items, i), &item, sizeof(item));
	/* Sort only now and then, so that an object costs little on average. */
	if (m->items.nr / 2 >= m->keep)
		prune(m);
}

/**
 * sums_most_end - finish the list of the most accessed objects
 * @k: the sums
 */
void sums_most_end(struct sums *k)
{
	int source;

	for (source = 0; source < ACCESS_SOURCES; source++) {
		prune(k->most + source);
		hash_seal(&k->most[source].items);
	}
}

/* The allocation at an address, or NULL. */
static struct allocation *object_at(const struct sums *k, u64 addr, enum group *group)
{
	struct allocation *o = tracker_find(&k->live, addr);

	*group = o ? tracker_group(o->t.kind) : GROUP_SLAB;
	return o;
}

static bool is_read(const struct trace_event *e)
{
	return e->u.access.kind == TRACE_READ || e->u.access.kind == TRACE_UPDATE;
}

static bool is_write(const struct trace_event *e)
{
	return e->u.access.kind == TRACE_WRITE || e->u.access.kind == TRACE_UPDATE;
}

static void add(u64 *sum, const struct trace_event *e)
{
	sum[SUM_READS] += is_read(e);
	sum[SUM_WRITES] += is_write(e);
	sum[SUM_ACCESSES] += is_read(e) + is_write(e);
}

/* Accesses to unknown memory count, unless the filter selects allocations. */
static bool counts_unknown(const struct sums *k)
{
	const struct kmem_filter *f = k->filter;
	char text[KMEM_KINDS_TEXT];

	return k->chosen && !f->cache && !f->site && !f->comm && f->cpu == U64_MAX &&
	       f->pid == U64_MAX && !kmem_filter_kinds(f, text);
}

/* The site of an access, as in a touch. */
static u32 touched_site(const struct allocation *o, enum group g)
{
	return o ? o->site | g << SITE_GROUP : SUMS_NO_SITE;
}

/* The origin of an access, as in struct noted. */
static u32 origin_of(const struct allocation *o, enum group g)
{
	return o && g == GROUP_SLAB ? o->origin : touched_site(o, g);
}

/* The part of the object that determines the name of what an instruction accesses. */
static u64 part_of(const struct sums *k, const struct allocation *o, enum group g, u64 ip, u64 ptr,
		   u32 bytes)
{
	if (!o)
		return 0;
	return sums_part(k, ACCESS_STREAMED, ip, origin_of(o, g),
			 named_place(ptr - o->t.ptr, bytes, o->t.asked), o->t.asked);
}

/**
 * sums_access - count an access
 * @k: the sums
 * @e: the event
 */
void sums_access(struct sums *k, const struct trace_event *e)
{
	enum group g;
	struct allocation *o = object_at(k, e->u.access.ptr, &g);
	struct counts counts = {
		.reads = is_read(e), .writes = is_write(e), .pid = e->u.access.pid, .cpu = e->cpu,
	};
	u32 function, site;
	bool new;

	if (o ? !o->within : !counts_unknown(k))
		return;
	site = touched_site(o, g);
	counts.part = part_of(k, o, g, e->u.access.ip, e->u.access.ptr, e->u.access.size);
	if (!sums_choose(k, ACCESS_STREAMED, e->u.access.ip, origin_of(o, g), counts.part))
		return;
	function = sums_function(k, ACCESS_STREAMED, e->u.access.ip);
	if (sums_leaves_out(k, ACCESS_STREAMED, function)) {
		add(k->waiting, e);
		return;
	}
	add(k->accesses, e);
	add(((struct function *)hash_item(k->functions + ACCESS_STREAMED, function))->sum, e);
	add(sums_touch(k, ACCESS_STREAMED, function, site, &new)->sum, e);
	sums_note(k, ACCESS_STREAMED, e->u.access.ip, origin_of(o, g), &counts);
	if (!o) {
		add(k->unattributed, e);
		return;
	}
	o->reads += is_read(e);
	o->writes += is_write(e);
	add(((struct site *)hash_item(k->sites + g, o->site))->sum, e);
	if (g == GROUP_SLAB)
		add(((struct cache *)hash_item(&k->caches, o->cache))->sum, e);
}

/**
 * sums_traffic - count a moved cache line
 * @k: the sums
 * @e: the event
 */
void sums_traffic(struct sums *k, const struct trace_event *e)
{
	enum group g;
	struct allocation *o = object_at(k, e->u.traffic.ptr, &g);
	struct counts counts = { .moves = 1, .pid = e->u.traffic.pid, .cpu = e->cpu };
	u32 origin = origin_of(o, g), function;

	if (!kmap_symbols_notes(k->symbols) || (o ? !o->within : !counts_unknown(k)))
		return;
	counts.part = part_of(k, o, g, e->u.traffic.ip, e->u.traffic.ptr, e->u.traffic.size);
	if (!sums_choose(k, ACCESS_STREAMED, e->u.traffic.ip, origin, counts.part))
		return;
	/* sums_note() needs the instruction to be known. */
	function = sums_function(k, ACCESS_STREAMED, e->u.traffic.ip);
	/* As for a KMAP, whose rows of waiting functions are left out with their moves. */
	if (sums_leaves_out(k, ACCESS_STREAMED, function))
		return;
	sums_note(k, ACCESS_STREAMED, e->u.traffic.ip, origin, &counts);
}
