// SPDX-License-Identifier: GPL-2.0
/*
 * Sums over the allocations and frees of a trace: by call site, size, cache and task. The
 * memory needed grows with the memory of the traced machine and its call sites, caches and
 * tasks, not with the length of the trace.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/gfp.h"
#include "report/histogram.h"
#include "report/sums.h"
#include "trace/names.h"

#define OBJECT_SUMS	7		/* maximum number of rows that an allocation counts in */
#define FREED		(1ull << 63)	/* flag in a range's nr; the rest is an item of frees */

/**
 * sums_site - look up or add a call site
 * @k: the sums
 * @sites: the table
 * @ip: return address of the call
 * @kind: kind of memory that it allocates, an enum kmap_kind
 * @typed: call site whose note has the type of that memory
 *
 * Return: the number of its item.
 */
u32 sums_site(struct sums *k, struct hash *sites, u64 ip, u64 kind, u64 typed)
{
	u64 key[] = { ip, kind, typed };
	struct site *site;
	bool new;
	u32 i = hash_get(sites, key, &new);

	if (!new)
		return i;
	site = hash_item(sites, i);
	site->chosen = kmem_filter_code(k->filter->site, k->symbols, ip, KMAP_IP_RETURN);
	site->of_type = named_matches(k->filter, sums_type(k, typed, kind), NULL);
	k->named_seen |= site->of_type;
	return i;
}

/* Look up or add a call site of an event, which has no stack. */
static u32 stream_site(struct sums *k, struct hash *sites, u64 ip, u32 kind)
{
	return sums_site(k, sites, ip, trace_kind_memory(kind), ip);
}

/* Look up or add a size or gfp flags. */
static u32 get_number(struct hash *numbers, u64 number)
{
	bool new;

	return hash_get(numbers, &number, &new);
}

/* The item that an address or pid has at this point of the trace. */
struct current {
	u64 key;
	u32 item;
};

/* Look up the current item of @key; @unnamed creates the first one. */
static u32 get_current(struct sums *k, struct hash *h, u64 key,
		       u32 (*unnamed)(struct sums *k, u64 key))
{
	bool new;
	u32 i = hash_get(h, &key, &new);

	if (new)
		((struct current *)hash_item(h, i))->item = unnamed(k, key);
	return ((struct current *)hash_item(h, i))->item;
}

static void set_current(struct hash *h, u64 key, u32 item)
{
	bool new;

	((struct current *)hash_item(h, hash_get(h, &key, &new)))->item = item;
}

/* Add another cache at an address. */
static u32 new_cache(struct sums *k, u64 addr)
{
	u64 key[2] = { addr, k->caches.nr };
	bool new;
	u32 i = hash_get(&k->caches, key, &new);
	struct cache *cache = hash_item(&k->caches, i);

	cache->chosen = kmem_filter_matches(k->filter->cache, addr ? NULL : NAMES_LARGE);
	return i;
}

static u32 get_cache(struct sums *k, u64 addr)
{
	return get_current(k, &k->current_caches, addr, new_cache);
}

/* Look up or add a task with a name. */
static u32 named_task(struct sums *k, u64 pid, const char *comm)
{
	struct task key = { .pid = pid }, *task;
	bool new;
	u32 i;

	names_escape(key.comm, comm);
	i = hash_get(&k->tasks, &key, &new);
	task = hash_item(&k->tasks, i);
	if (new)
		task->chosen = kmem_filter_matches(k->filter->comm, *comm ? task->comm : NULL);
	return i;
}

static u32 new_task(struct sums *k, u64 pid)
{
	return named_task(k, pid, "");
}

static u32 get_task(struct sums *k, u64 pid)
{
	return get_current(k, &k->current_tasks, pid, new_task);
}

/* Name a cache. If the address has a cache with other properties, add a new one. */
static void name_cache(struct sums *k, const struct trace_event *e)
{
	struct cache *cache = hash_item(&k->caches, get_cache(k, e->u.cache.cache));
	char *name = xreallocarray(NULL, 4 * strlen(e->u.cache.name) + 1, 1);
	u32 i;

	names_escape(name, e->u.cache.name);
	if (cache->name && (strcmp(cache->name, name) ||
			    cache->sum[SUM_OBJECT_SIZE] != e->u.cache.object_size)) {
		i = new_cache(k, e->u.cache.cache);
		set_current(&k->current_caches, e->u.cache.cache, i);
		cache = hash_item(&k->caches, i);
	}
	free(cache->name);
	cache->name = name;
	cache->chosen = kmem_filter_matches(k->filter->cache, cache->name);
	cache->sum[SUM_OBJECT_SIZE] = e->u.cache.object_size;
}

/* A new comm gets its own row; earlier events count under the old one. */
static void name_task(struct sums *k, const struct trace_event *e)
{
	set_current(&k->current_tasks, e->u.task.pid,
		    named_task(k, e->u.task.pid, e->u.task.comm));
}

/* The loss period of an event, with a flag: no events are missing at its time. */
static u32 stamp_of(const struct sums *k, const struct trace_event *e)
{
	return 2 * k->period + e->certain;
}

/* Returns true if no events are missing between @stamp and @e. */
static bool holds(const struct sums *k, const struct trace_event *e, u32 stamp)
{
	return e->certain && stamp == stamp_of(k, e);
}

/* Like stamp_of(), but for losses only: switching the stream off and on is ignored. */
static u32 loss_stamp(const struct trace_event *e)
{
	return 2 * e->period + e->certain;
}

/* Returns true if a free of memory live at @stamp may have been lost. */
static bool may_be_gone(const struct sums *k, u32 stamp)
{
	return !(stamp & 1) || stamp != k->loss_stamp;
}

/* If holds() failed: true if losses are the reason. */
static bool is_doubt(const struct sums *k, u32 stamp)
{
	return stamp / 2 >= k->since_switch;
}

static void note_switch(struct sums *k, const struct trace_event *e)
{
	/* While it was off, memory was allocated and freed unseen, unless it is on from boot. */
	if (e->u.switches.allocations && !k->allocations && !e->u.switches.boot)
		k->since_switch = ++k->period;
	k->allocations = e->u.switches.allocations;
}

static enum group group_of(u32 kind)
{
	return (enum group)tracker_group(kind);
}

static void suspect(struct sums *k, const struct trace_event *e, enum suspicion what,
		    u64 alloc_site, u64 free_site)
{
	struct suspect key = { what, alloc_site, free_site, { 0 } }, *suspect;
	bool new;

	suspect = hash_item(&k->suspects, hash_get(&k->suspects, &key, &new));
	suspect->sum[SUM_HIT]++;
	if (new)
		suspect->sum[SUM_FIRST] = e->nr;
}

static u64 object_site(const struct sums *k, const struct allocation *o)
{
	return ((struct site *)hash_item(k->sites + group_of(o->t.kind), o->site))->ip;
}

/* Called for an object that cannot be accessed any more. */
static void end_object(struct sums *k, const struct allocation *o)
{
	struct accessed object = { .ptr = o->t.ptr };

	if (!o->reads && !o->writes)
		return;
	object.site = object_site(k, o);
	object.typed = object.site;
	object.sum[SUM_OBJECT_SIZE] = o->t.asked;
	object.sum[SUM_READS] = o->reads;
	object.sum[SUM_WRITES] = o->writes;
	object.sum[SUM_ACCESSES] = o->reads + o->writes;
	sums_accessed(k, ACCESS_STREAMED, &object);
}

/* Get the rows that an object counts in; the last may be NULL. */
static void object_sums(struct sums *k, const struct allocation *o, u64 *sums[OBJECT_SUMS])
{
	enum group g = group_of(o->t.kind);

	sums[0] = k->total[g];
	sums[1] = ((struct site *)hash_item(k->sites + g, o->site))->sum;
	sums[2] = ((struct size *)hash_item(k->sizes + g, o->size))->sum;
	sums[3] = ((struct gfp *)hash_item(k->gfps + g, o->gfp))->sum;
	sums[4] = NULL;
	sums[5] = NULL;
	sums[6] = NULL;
	if (g != GROUP_SLAB)
		return;
	sums[4] = ((struct cache *)hash_item(&k->caches, o->cache))->sum;
	sums[5] = ((struct task *)hash_item(&k->tasks, o->task))->sum;
	if (o->origin != SUMS_NO_ITEM)
		sums[6] = ((struct origin *)hash_item(&k->origins, o->origin))->sum;
}

static void count(u64 *sums[OBJECT_SUMS], enum metric metric, u64 n)
{
	int i;

	for (i = 0; i < OBJECT_SUMS && sums[i]; i++)
		sums[i][metric] += n;
}

/* Apply the filter to an event of @site, @cache and @task. */
static bool is_chosen(const struct sums *k, const struct trace_event *e, u32 kind,
		      const struct site *site, u32 cache, u32 task)
{
	const struct kmem_filter *f = k->filter;
	const struct cache *c = hash_item(&k->caches, cache);
	const struct task *t = hash_item(&k->tasks, task);

	if (f->cache && group_of(kind) != GROUP_SLAB)
		return false;
	return k->chosen && f->kinds & 1u << kind && site->chosen && t->chosen && c->chosen &&
	       (f->cpu == U64_MAX || f->cpu == e->cpu) && (f->pid == U64_MAX || f->pid == t->pid);
}

/* A free, and the state of the memory it frees. */
struct sums_free {
	const struct trace_event *e;
	u64 nr;			/* nr for the freed range */
	u64 found;		/* bytes of live memory */
	u64 again;		/* bytes that were free already */
	bool counts;		/* some of them are selected by the filter */
	bool freed;		/* some were free already */
	bool doubt;		/* some were free already, unless events are missing */
	u64 freed_by;		/* call site of the earlier free */
};

/* Close an object whose memory is allocated again: its free was missed. */
static void close_object(struct sums *k, struct allocation *o, u64 bytes)
{
	u64 *sums[OBJECT_SUMS];

	if (!o->closed && o->chosen) {
		object_sums(k, o, sums);
		count(sums, SUM_UNSEEN, 1);
		histogram_add(k, group_of(o->t.kind), HISTOGRAM_LIVES, o->site, BUCKET_UNSEEN, 1,
			      o->t.left + bytes);
	}
	o->closed = true;
}

static void count_alloc(struct sums *k, const struct trace_event *e, const struct allocation *o)
{
	u64 req = e->u.alloc.bytes_req, bytes = e->u.alloc.bytes_alloc;
	struct task *task;
	u64 *sums[OBJECT_SUMS];

	histogram_size(k, group_of(o->t.kind), o->site, req);
	object_sums(k, o, sums);
	count(sums, SUM_HIT, 1);
	count(sums, SUM_REQ, req);
	count(sums, SUM_ALLOC, bytes);
	if (bytes > req)
		count(sums, SUM_WASTE, bytes - req);
	if (o->node >= 0 && (u32)o->node != e->node)
		count(sums, SUM_CROSS_NODE, 1);
	if (bytes < req)
		suspect(k, e, SUSPECT_SHORT, e->u.alloc.call_site, 0);
	if (o->t.kind == TRACE_PAGES) {
		task = hash_item(&k->tasks, o->task);
		task->sum[SUM_PAGE_HIT]++;
		task->sum[SUM_PAGE_BYTES] += bytes;
	}
}

/*
 * The call site and the cache of an object; no cache for kmalloc(), which allocates all types.
 */
static u32 get_origin(struct sums *k, const struct allocation *o)
{
	u64 key = (u64)o->site << 32 | (o->t.kind == TRACE_CACHE ? o->cache : 0);
	bool new;

	return hash_get(&k->origins, &key, &new);
}

static void alloc(struct sums *k, const struct trace_event *e)
{
	enum group g = group_of(e->u.alloc.kind);
	struct allocation o = {
		.t = tracked(e),
		.site = stream_site(k, k->sites + g, e->u.alloc.call_site, e->u.alloc.kind),
		.size = get_number(k->sizes + g, e->u.alloc.bytes_alloc),
		.gfp = get_number(k->gfps + g, e->u.alloc.gfp_flags),
		.cache = get_cache(k, e->u.alloc.cache),
		.task = get_task(k, e->u.alloc.pid),
		.stamp = loss_stamp(e),
		.cpu = e->cpu,
		.node = e->u.alloc.node,
	};
	const struct site *site;
	struct allocation *item;

	o.origin = g == GROUP_SLAB && kmap_symbols_notes(k->symbols) ? get_origin(k, &o) :
								       SUMS_NO_ITEM;
	site = hash_item(k->sites + g, o.site);
	o.within = is_chosen(k, e, o.t.kind, site, o.cache, o.task);
	o.chosen = o.within && site->of_type;
	if (o.chosen)
		count_alloc(k, e, &o);
	item = tracker_add(&k->live, e, stamp_of(k, e));
	if (item)
		*item = o;
}

/* Look up or add the freeing call site, an item of the group's frees. */
static u32 free_site(struct sums *k, const struct trace_event *e)
{
	return stream_site(k, k->frees + group_of(e->u.free.kind), e->u.free.call_site,
			   e->u.free.kind);
}

static u64 *free_sums(struct sums *k, const struct trace_event *e)
{
	struct hash *frees = k->frees + group_of(e->u.free.kind);

	return ((struct site *)hash_item(frees, free_site(k, e)))->sum;
}

static void count_call(struct sums *k, const struct trace_event *e)
{
	k->total[group_of(e->u.free.kind)][SUM_CALLS]++;
	free_sums(k, e)[SUM_CALLS]++;
}

/* Count the free of @bytes of an object. Returns whether the filter selects it. */
static bool count_free(struct sums *k, const struct trace_event *e, const struct allocation *o,
		       u64 bytes)
{
	bool last = !o->t.left;
	u64 *sums[OBJECT_SUMS], *site;

	if (!o->chosen || o->closed)
		return false;
	site = free_sums(k, e);
	object_sums(k, o, sums);
	count(sums, SUM_FREED, bytes);
	site[SUM_FREED] += bytes;
	histogram_life(k, group_of(o->t.kind), o->site, e->time - o->t.time, last, bytes);
	/* Pages may be freed in parts: the last one counts as the free. */
	if (!last)
		return true;
	count(sums, SUM_FREES, 1);
	if (o->cpu != e->cpu) {
		count(sums, SUM_CROSS_CPU, 1);
		site[SUM_CROSS_CPU]++;
	}
	if (o->node >= 0 && (u32)o->node != e->node) {
		count(sums, SUM_CROSS_NODE_FREES, 1);
		site[SUM_CROSS_NODE_FREES]++;
	}
	return true;
}

/* The call site that frees memory of an unknown type; NULL if the filter does not select it. */
static struct site *chosen_free(struct sums *k, const struct trace_event *e)
{
	u32 cache = get_cache(k, e->u.free.cache), task = get_task(k, e->u.free.pid);
	struct site *site = hash_item(k->frees + group_of(e->u.free.kind), free_site(k, e));

	return is_chosen(k, e, e->u.free.kind, site, cache, task) &&
	       named_matches(k->filter, NULL, NULL) ? site : NULL;
}

/* Count freed bytes without a known allocation. */
static void count_unknown(struct sums *k, const struct trace_event *e, u64 bytes)
{
	struct site *site = chosen_free(k, e);

	if (!site)
		return;
	k->total[group_of(e->u.free.kind)][SUM_UNKNOWN_BYTES] += bytes;
	site->sum[SUM_FREED] += bytes;
}

/* Count a free of memory without a known allocation, or a double free. */
static void free_unknown(struct sums *k, const struct trace_event *e, bool again, u64 freed_by)
{
	struct site *site = chosen_free(k, e);

	if (!site)
		return;
	count_call(k, e);
	if (again) {
		suspect(k, e, SUSPECT_DOUBLE_FREE, freed_by, e->u.free.call_site);
		return;
	}
	k->total[group_of(e->u.free.kind)][SUM_UNKNOWN]++;
	site->sum[SUM_UNKNOWN]++;
	count_unknown(k, e, e->u.free.bytes);
}

/* The nr of a freed range: FREED and the call site. */
static u64 freed_nr(struct sums *k, const struct trace_event *e)
{
	return FREED | free_site(k, e);
}

static u64 freed_by(const struct sums *k, const struct trace_event *e, u64 nr)
{
	const struct hash *frees = k->frees + group_of(e->u.free.kind);

	return ((struct site *)hash_item(frees, nr & ~FREED))->ip;
}

/* Tracker callback: bytes of an object were freed, or allocated again. */
static void gone(void *data, struct tracked *item, u64 bytes, bool freed)
{
	struct allocation *o = (struct allocation *)item;
	struct sums *k = data;

	if (!freed) {
		close_object(k, o, bytes);
	} else {
		/* It is unknown whether these bytes still belonged to a closed object. */
		if (!o->closed)
			k->free->found += bytes;
		k->free->counts |= count_free(k, k->free->e, o, bytes);
	}
	if (!o->t.left)
		end_object(k, o);
}

/* Tracker callback: freed memory was free already. */
static void again(void *data, const struct live_range *range)
{
	struct sums *k = data;
	struct sums_free *f = k->free;

	/* free_object() checks objects before it releases their memory. */
	if (f->e->u.free.kind != TRACE_PAGES)
		return;
	if (!holds(k, f->e, range->period)) {
		f->doubt |= is_doubt(k, range->period);
		return;
	}
	f->again += live_overlap(range, f->e->u.free.ptr,
				 f->e->u.free.ptr + (f->e->u.free.bytes - 1));
	if (f->freed)
		return;
	f->freed = true;
	f->freed_by = freed_by(k, f->e, range->nr);
}

/* Free the range. If !@seen, its free was missed: close the objects in it. */
static void release(struct sums *k, const struct trace_event *e, u64 start, u64 end, bool seen)
{
	tracker_release(&k->live, tracker_group(e->u.free.kind), start, end, seen, stamp_of(k, e),
			k->free->nr);
}

/* Pages may be freed in other units than they were allocated in. */
static void free_pages(struct sums *k, const struct trace_event *e)
{
	u64 ptr = e->u.free.ptr, unknown;
	const struct sums_free *f = k->free;

	release(k, e, ptr, ptr + (e->u.free.bytes - 1), true);
	unknown = e->u.free.bytes - f->found - f->again;
	if (f->freed || !f->found)
		free_unknown(k, e, f->freed, f->freed_by);
	else if (f->counts)
		count_call(k, e);
	if (unknown && (f->freed || f->found))
		count_unknown(k, e, unknown);
	k->uncertain += f->doubt && !f->freed;
}

/* Free the object of a range that ends at @end. */
static void free_whole(struct sums *k, const struct trace_event *e, const struct allocation *o,
		       u64 end, bool recent, bool doubt)
{
	bool other = o->chosen && group_of(o->t.kind) == GROUP_SLAB &&
		     o->t.kind != e->u.free.kind;

	/* Its free was missed: what is freed here was allocated unseen. */
	if (o->closed)
		free_unknown(k, e, false, 0);
	else if (other && !recent)
		k->uncertain += doubt;
	else if (other)
		suspect(k, e, o->t.kind == TRACE_KMALLOC ? SUSPECT_SLAB_FREE : SUSPECT_KFREE,
			object_site(k, o), e->u.free.call_site);
	release(k, e, e->u.free.ptr, end, true);
	if (k->free->counts)
		count_call(k, e);
}

/* Free memory without a known allocation. Objects in it must have been freed before. */
static void free_unseen(struct sums *k, const struct trace_event *e, bool was_free, u64 nr)
{
	u64 ptr = e->u.free.ptr;

	free_unknown(k, e, was_free, was_free ? freed_by(k, e, nr) : 0);
	release(k, e, ptr, ptr + (e->u.free.bytes - 1), false);
}

static void free_object(struct sums *k, const struct trace_event *e)
{
	const struct live *live = k->live.memory + tracker_group(e->u.free.kind);
	const struct live_range *range = live_find(live, e->u.free.ptr);
	bool recent = range && holds(k, e, range->period);
	bool doubt = range && !recent && is_doubt(k, range->period);
	const struct allocation *o;

	if (!range || !range->live) {
		k->uncertain += doubt;
		free_unseen(k, e, recent, range ? range->nr : 0);
		return;
	}
	o = tracker_item(&k->live, range->nr);
	if (range->first && range->start == e->u.free.ptr) {
		free_whole(k, e, o, live_end(range), recent, doubt);
	} else if (!recent || o->closed) {
		k->uncertain += doubt && !o->closed;
		free_unseen(k, e, false, 0);
	} else if (o->chosen) {
		count_call(k, e);
		suspect(k, e, SUSPECT_INSIDE, object_site(k, o), e->u.free.call_site);
	}
}

static void free_memory(struct sums *k, const struct trace_event *e)
{
	struct sums_free f = { .e = e, .nr = freed_nr(k, e) };

	k->free = &f;
	if (!tracker_is_range(e->u.free.kind, e->u.free.ptr, e->u.free.bytes))
		free_unknown(k, e, false, 0);
	else if (e->u.free.kind == TRACE_PAGES)
		free_pages(k, e);
	else
		free_object(k, e);
}

/**
 * sums_init - initialize the sums
 * @k: the sums
 * @symbols: symbols and notes; must outlive @k
 * @filter: the filter; must outlive @k; NULL: no filter
 */
void sums_init(struct sums *k, const struct kmap_symbols *symbols,
	       const struct kmem_filter *filter)
{
	static const struct kmem_filter all = KMEM_FILTER_ALL;
	int g;

	*k = (struct sums){ .symbols = symbols, .filter = filter ? filter : &all };
	filter = k->filter;
	skip_init(&k->skip, filter, symbols);
	for (g = 0; g < STREAM_GROUPS; g++) {
		hash_init(k->sites + g, sizeof(struct site), SITE_KEY);
		hash_init(k->frees + g, sizeof(struct site), SITE_KEY);
		hash_init(k->sizes + g, sizeof(struct size), sizeof(u64));
		hash_init(k->gfps + g, sizeof(struct gfp), sizeof(u64));
	}
	for (g = 0; g < GROUPS; g++)
		hash_init(k->buckets + g, sizeof(struct bucket), sizeof(u64));
	hash_init(&k->caches, sizeof(struct cache), 2 * sizeof(u64));
	hash_init(&k->origins, sizeof(struct origin), sizeof(u64));
	hash_init(&k->tasks, sizeof(struct task), offsetof(struct task, sum));
	hash_init(&k->current_caches, sizeof(struct current), sizeof(u64));
	hash_init(&k->current_tasks, sizeof(struct current), sizeof(u64));
	for (g = 0; g < ACCESS_SOURCES; g++) {
		hash_init(k->functions + g, sizeof(struct function), sizeof(u64));
		hash_init(k->ips + g, sizeof(struct access_ip), sizeof(u64));
		hash_init(k->touches + g, sizeof(struct touch), sizeof(u64));
		hash_init(&k->most[g].items, sizeof(struct accessed), sizeof(u64));
	}
	hash_init(&k->orders, sizeof(struct order), sizeof(u64));
	hash_init(&k->zones, sizeof(struct zone), sizeof(u64));
	sums_kmap_init(k);
	sums_types_init(k);
	hash_init(&k->suspects, sizeof(struct suspect), 3 * sizeof(u64));
	tracker_init(&k->live, sizeof(struct allocation));
	k->live.gone = gone;
	k->live.again = again;
	k->live.data = k;
	/* Item 0 is for memory that is not a slab's, see get_origin(). */
	get_cache(k, 0);
	k->page_size = 4096;
	k->period = 1;
	k->loss_period = 1;
	k->chosen = !filter->from && !filter->from_mark;
}

/**
 * sums_free - free the sums
 * @k: the sums
 */
void sums_free(struct sums *k)
{
	struct cache *cache;
	u32 i;
	int g;

	for (i = 0; i < k->caches.nr; i++) {
		cache = hash_item(&k->caches, i);
		free(cache->name);
	}
	skip_free(&k->skip);
	for (g = 0; g < STREAM_GROUPS; g++) {
		hash_free(k->sites + g);
		hash_free(k->frees + g);
		hash_free(k->sizes + g);
		hash_free(k->gfps + g);
	}
	for (g = 0; g < GROUPS; g++)
		hash_free(k->buckets + g);
	hash_free(&k->caches);
	hash_free(&k->origins);
	hash_free(&k->tasks);
	hash_free(&k->current_caches);
	hash_free(&k->current_tasks);
	for (g = 0; g < ACCESS_SOURCES; g++) {
		hash_free(k->functions + g);
		hash_free(k->ips + g);
		hash_free(k->touches + g);
		hash_free(&k->most[g].items);
	}
	hash_free(&k->orders);
	hash_free(&k->zones);
	sums_kmap_free(k);
	sums_types_free(k);
	hash_free(&k->suspects);
	tracker_free(&k->live);
}

/* Handle a mark for --from or --to. Returns false after --to. */
static bool mark(struct sums *k, const struct trace_event *e)
{
	const struct kmem_filter *f = k->filter;
	const char *text = e->u.mark.text;

	if (f->from_mark && !k->from_seen && !strcmp(text, f->from_mark)) {
		k->from_seen = true;
		k->chosen = true;
		k->since = e->time;
	} else if (f->to_mark && (k->from_seen || !f->from_mark) && !strcmp(text, f->to_mark)) {
		k->to_seen = true;
	}
	return !k->to_seen;
}

/**
 * sums_event - count an event
 * @k: the sums
 * @e: the event, in order of time
 *
 * Return: false if the filter's time range has ended.
 */
bool sums_event(struct sums *k, const struct trace_event *e)
{
	k->cpu_seen |= e->cpu == k->filter->cpu;
	if (e->period != k->loss_period) {
		/* State from before the loss proves nothing any more, see holds(). */
		k->loss_period = e->period;
		k->period++;
	}
	if (e->type == TRACE_DISCARDED)
		k->lost += e->u.discarded.events;
	if (e->time < k->filter->to)
		k->loss_stamp = loss_stamp(e);
	if (trace_is_pseudo(e->type))
		return true;
	if (e->time >= k->filter->to)
		return false;
	if (!k->events++)
		k->begin = e->time;
	k->end = e->time;
	if (!k->filter->from_mark && e->time >= k->filter->from)
		k->chosen = true;
	switch (e->type) {
	case TRACE_TASK:
		name_task(k, e);
		break;
	case TRACE_CACHE:
		name_cache(k, e);
		break;
	case TRACE_ALLOC:
		if (e->u.alloc.kind >= TRACE_KINDS)
			break;
		k->kind_seen |= k->filter->kinds & 1u << e->u.alloc.kind;
		alloc(k, e);
		break;
	case TRACE_FREE:
		if (e->u.free.kind >= TRACE_KINDS)
			break;
		k->kind_seen |= k->filter->kinds & 1u << e->u.free.kind;
		free_memory(k, e);
		break;
	case TRACE_ACCESS:
		sums_access(k, e);
		break;
	case TRACE_TRAFFIC:
		sums_traffic(k, e);
		break;
	case TRACE_SWITCH:
		note_switch(k, e);
		break;
	case TRACE_MARK:
		return mark(k, e);
	default:
		break;
	}
	return true;
}

/**
 * sums_prefetch - prefetch the state that an event needs
 * @k: the sums
 * @e: one of the next events, or NULL
 */
void sums_prefetch(const struct sums *k, const struct trace_event *e)
{
	if (e)
		tracker_prefetch(&k->live, e);
}

static void count_live(struct sums *k, const struct allocation *o)
{
	u64 age = k->end - o->t.time, *sums[OBJECT_SUMS];
	int i;

	object_sums(k, o, sums);
	for (i = 0; i < OBJECT_SUMS && sums[i]; i++) {
		if (!sums[i][SUM_LIVE] || age < sums[i][SUM_YOUNGEST])
			sums[i][SUM_YOUNGEST] = age;
		if (age > sums[i][SUM_OLDEST])
			sums[i][SUM_OLDEST] = age;
	}
	count(sums, SUM_LIVE, 1);
	count(sums, SUM_LIVE_BYTES, o->t.left);
	histogram_add(k, group_of(o->t.kind), HISTOGRAM_LIVES, o->site, BUCKET_LIVE, 1, o->t.left);
	count(sums, SUM_LIVE_UNCERTAIN, may_be_gone(k, o->stamp));
}

/**
 * sums_live - compute the sums of live allocations by call site
 * @k: the sums, before sums_end(); counting may continue
 */
void sums_live(struct sums *k)
{
	const struct allocation *o;
	struct site *site;
	u32 i;
	int g;

	for (g = 0; g < STREAM_GROUPS; g++) {
		for (i = 0; i < k->sites[g].nr; i++) {
			site = hash_item(k->sites + g, i);
			site->sum[SUM_LIVE] = 0;
			site->sum[SUM_LIVE_BYTES] = 0;
		}
	}
	for (i = 0; i < k->live.nr; i++) {
		o = tracker_item(&k->live, i);
		if (!o->t.left || !o->chosen || o->closed)
			continue;
		site = hash_item(k->sites + group_of(o->t.kind), o->site);
		site->sum[SUM_LIVE]++;
		site->sum[SUM_LIVE_BYTES] += o->t.left;
	}
}

static bool any_site(const struct hash *sites)
{
	const struct site *site;
	u32 i;

	for (i = 0; i < sites->nr; i++) {
		site = hash_item(sites, i);
		if (site->chosen)
			return true;
	}
	return false;
}

static bool site_is_there(const struct sums *k)
{
	int g;

	for (g = 0; g < STREAM_GROUPS; g++)
		if (any_site(k->sites + g) || any_site(k->frees + g))
			return true;
	return any_site(k->sites + GROUP_KMAP);
}

static bool cache_is_there(const struct sums *k)
{
	const struct cache *cache;
	u32 i;

	for (i = 0; i < k->caches.nr; i++) {
		cache = hash_item(&k->caches, i);
		if (cache->chosen)
			return true;
	}
	return false;
}

static bool comm_is_there(const struct sums *k)
{
	const struct task *task;
	u32 i;

	for (i = 0; i < k->tasks.nr; i++) {
		task = hash_item(&k->tasks, i);
		if (task->chosen)
			return true;
	}
	return false;
}

/**
 * sums_seen - find the filter options that matched
 * @k: the sums, complete
 *
 * Return: mask of enum kmem_seen.
 */
u32 sums_seen(const struct sums *k)
{
	u64 pid = k->filter->pid;
	u32 i;

	return (site_is_there(k) ? KMEM_SEEN_SITE : 0) |
	       (k->named_seen ? KMEM_SEEN_NAMED : 0) |
	       (cache_is_there(k) ? KMEM_SEEN_CACHE : 0) |
	       (k->comm_seen || comm_is_there(k) ? KMEM_SEEN_COMM : 0) |
	       (k->pid_seen || hash_find(&k->current_tasks, &pid, &i) ? KMEM_SEEN_PID : 0) |
	       (k->cpu_seen ? KMEM_SEEN_CPU : 0) | (k->kind_seen ? KMEM_SEEN_KIND : 0);
}

/**
 * sums_window - get the state of the filter's time range
 * @k: the sums, complete
 *
 * Return: whether it began and ended.
 */
struct window sums_window(const struct sums *k)
{
	return (struct window){
		.begun = k->filter->from_mark ? k->from_seen : k->chosen, .ended = k->to_seen,
	};
}

/* Set SUM_FRAG, avoiding overflow of 64 bits. */
static void set_frag(u64 *sum)
{
	u64 waste = sum[SUM_WASTE], all = sum[SUM_ALLOC];

	while (waste > U64_MAX / 100000) {
		waste /= 2;
		all /= 2;
	}
	sum[SUM_FRAG] = all ? waste * 100000 / all : 0;
}

/* @sum: offset of the sums in an item */
static void set_frags(const struct hash *h, size_t sum)
{
	u32 i;

	for (i = 0; i < h->nr; i++)
		set_frag((u64 *)((char *)hash_item(h, i) + sum));
}

static void add_sums(u64 *to, const u64 *from)
{
	int i;

	for (i = 0; i < SUM_METRICS; i++)
		to[i] += from[i];
}

/* Sum up pages by order. A size is one order or, if no power of two, none. */
static void count_orders(struct sums *k)
{
	const struct size *size;
	u64 order;
	u32 i, nr;

	for (i = 0; i < k->sizes[GROUP_PAGES].nr; i++) {
		size = hash_item(k->sizes + GROUP_PAGES, i);
		for (order = 0; order < 32 && size->bytes != k->page_size << order; order++)
			;
		nr = get_number(&k->orders, order < 32 ? order : SUMS_NO_ORDER);
		add_sums(((struct order *)hash_item(&k->orders, nr))->sum, size->sum);
	}
}

static void count_zones(struct sums *k)
{
	const struct gfp *gfp;
	struct zone key, *zone;
	bool new;
	u32 i;

	for (i = 0; i < k->gfps[GROUP_PAGES].nr; i++) {
		gfp = hash_item(k->gfps + GROUP_PAGES, i);
		memset(&key, 0, sizeof(key));
		snprintf(key.name, sizeof(key.name), "%s", gfp_zone(gfp->flags));
		zone = hash_item(&k->zones, hash_get(&k->zones, &key, &new));
		add_sums(zone->sum, gfp->sum);
	}
}

/**
 * sums_duration - get the duration of the filtered trace
 * @k: the sums
 *
 * Return: ns from the start of the filter's range, or the first event, to the last event counted.
 */
u64 sums_duration(const struct sums *k)
{
	u64 since = k->filter->from_mark ? k->since : k->filter->from;

	if (since < k->begin)
		since = k->begin;
	return k->end > since ? k->end - since : 0;
}

/**
 * sums_total - get the totals for the percentages of types, members and their users
 * @k: the sums
 * @source: streamed or counted accesses, and the allocations that belong to them
 * @total: set to the totals, by metric; 0 if a metric has none
 */
void sums_total(const struct sums *k, enum access_source source, u64 total[SUM_METRICS])
{
	int m;

	if (source == ACCESS_COUNTED) {
		memcpy(total, k->total[GROUP_KMAP], sizeof(k->total[GROUP_KMAP]));
		return;
	}
	for (m = 0; m < SUM_METRICS; m++)
		total[m] = k->total[GROUP_SLAB][m] + k->total[GROUP_AREAS][m] +
			k->total[GROUP_LOCAL][m];
	for (m = SUM_READS; m <= SUM_ACCESSES; m++)
		total[m] = k->accesses[m];
}

/**
 * sums_end - compute the sums of live allocations, and derived metrics
 * @k: the sums; nothing can be counted afterwards
 */
void sums_end(struct sums *k)
{
	const struct allocation *o;
	u32 i;
	int g;

	for (i = 0; i < k->live.nr; i++) {
		o = tracker_item(&k->live, i);
		if (!o->t.left)
			continue;
		end_object(k, o);
		if (o->chosen && !o->closed)
			count_live(k, o);
	}
	count_orders(k);
	count_zones(k);
	for (g = 0; g < STREAM_GROUPS; g++) {
		set_frag(k->total[g]);
		set_frags(k->sites + g, offsetof(struct site, sum));
		set_frags(k->sizes + g, offsetof(struct size, sum));
	}
	set_frags(&k->caches, offsetof(struct cache, sum));
	set_frags(&k->tasks, offsetof(struct task, sum));
	sums_kmap_end(k);
	sums_types_end(k);
	sums_most_end(k);
}
