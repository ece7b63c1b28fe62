// SPDX-License-Identifier: GPL-2.0
/* Sums over the accesses of a trace, by allocation: a slab object, or else pages. */
#include <stdlib.h>
#include <string.h>

#include "report/sums.h"
#include "report/waits.h"

/**
 * sums_function - find the function that makes the accesses at an instruction
 * @k: the sums
 * @source: where accesses come from
 * @ip: the instruction's address
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
 * sums_leaves_out - check whether --no-wait leaves out the accesses of a function
 * @k: the sums
 * @source: where accesses come from
 * @function: item of functions
 *
 * Return: true if they do not count; the caller adds them to @k->waiting.
 */
bool sums_leaves_out(const struct sums *k, enum access_source source, u32 function)
{
	const struct function *f = hash_item(k->functions + source, function);

	return k->filter->no_wait && f->waits;
}

#define PAGE_SITE	0x80000000u	/* in a touch: the site is one of pages */

/**
 * sums_touch - find what is known of a function's accesses to what a call site allocated
 * @k: the sums
 * @source: where accesses come from
 * @function: item of functions
 * @site: item of the group's sites, or SUMS_NO_SITE
 * @new: set to whether nothing was known yet
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
 * sums_site_of - tell what allocated what was accessed
 * @k: the sums
 * @source: where the accesses come from
 * @site: item of the group's sites, as a touch has it
 *
 * Return: the call site, or NULL if it is not known.
 */
const struct site *sums_site_of(const struct sums *k, enum access_source source, u32 site)
{
	if (site == SUMS_NO_SITE)
		return NULL;
	if (source == ACCESS_COUNTED)
		return hash_item(k->sites + GROUP_KMAP, site);
	return hash_item(k->sites + (site & PAGE_SITE ? GROUP_PAGES : GROUP_SLAB),
			 site & ~PAGE_SITE);
}

/**
 * sums_is_page - tell whether what was accessed are pages
 * @source: where the accesses come from
 * @site: item of the group's sites, as a touch has it, or SUMS_NO_SITE
 *
 * Return: whether they are. What is allocated with them is what describes them.
 */
bool sums_is_page(enum access_source source, u32 site)
{
	return source == ACCESS_STREAMED && site != SUMS_NO_SITE && site & PAGE_SITE;
}

/**
 * sums_touched - tell what allocated what was accessed
 * @k: the sums
 * @source: where the accesses come from
 * @touch: the accesses
 *
 * Return: the call site, or NULL if it is not known.
 */
const struct site *sums_touched(const struct sums *k, enum access_source source,
				const struct touch *touch)
{
	return sums_site_of(k, source, touch->key);
}

/**
 * sums_toucher - tell what made accesses
 * @k: the sums
 * @source: where the accesses come from
 * @touch: the accesses
 *
 * Return: the function.
 */
const struct function *sums_toucher(const struct sums *k, enum access_source source,
				    const struct touch *touch)
{
	return hash_item(k->functions + source, touch->key >> 32);
}

/* Most accesses first, then as the report has them; of the same, what ended first. */
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

/* Leaves those that are to be kept. */
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
 * sums_accessed - an object has ended that was accessed
 * @k: the sums
 * @source: where accesses come from
 * @object: the object; its number does not matter
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
	if (m->items.nr / 2 >= m->keep)
		prune(m);
}

/**
 * sums_most_end - no more objects end
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

	*group = o && o->t.kind == TRACE_PAGES ? GROUP_PAGES : GROUP_SLAB;
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

/* Whether what belongs to no allocation counts: not if only some allocations do. */
static bool counts_unknown(const struct sums *k)
{
	const struct kmem_filter *f = k->filter;
	char text[KMEM_KINDS_TEXT];

	return k->chosen && !f->cache && !f->site && !f->comm && f->cpu == U64_MAX &&
	       f->pid == U64_MAX && !kmem_filter_kinds(f, text);
}

/* What allocated what is accessed, as a touch has it. */
static u32 touched_site(const struct allocation *o, enum group g)
{
	return o ? o->site | (g == GROUP_PAGES ? PAGE_SITE : 0) : SUMS_NO_SITE;
}

/* The same as what is noted has it. */
static u32 origin_of(const struct allocation *o, enum group g)
{
	return o && g == GROUP_SLAB ? o->origin : touched_site(o, g);
}

/* Which part of an allocation names what an instruction accesses there. */
static u64 part_of(const struct sums *k, const struct allocation *o, enum group g, u64 ip, u64 ptr,
		   u32 bytes)
{
	if (!o || g != GROUP_SLAB)
		return 0;
	return sums_part(k, ACCESS_STREAMED, ip, o->origin,
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
 * sums_traffic - count the move of a cache line, by instruction
 * @k: the sums
 * @e: the event
 */
void sums_traffic(struct sums *k, const struct trace_event *e)
{
	enum group g;
	struct allocation *o = object_at(k, e->u.traffic.ptr, &g);
	struct counts counts = { .moves = 1, .pid = e->u.traffic.pid, .cpu = e->cpu };
	u32 origin = origin_of(o, g);

	if (!kmap_symbols_notes(k->symbols) || (o ? !o->within : !counts_unknown(k)))
		return;
	counts.part = part_of(k, o, g, e->u.traffic.ip, e->u.traffic.ptr, e->u.traffic.size);
	if (!sums_choose(k, ACCESS_STREAMED, e->u.traffic.ip, origin, counts.part))
		return;
	sums_function(k, ACCESS_STREAMED, e->u.traffic.ip);
	sums_note(k, ACCESS_STREAMED, e->u.traffic.ip, origin, &counts);
}
