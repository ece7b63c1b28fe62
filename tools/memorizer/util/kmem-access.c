// SPDX-License-Identifier: GPL-2.0
/*
 * Sums over the accesses of a trace. An access counts with the allocation that it is to,
 * as far as that was seen: an object of the slab allocator, or else pages.
 */
#include "kmem.h"

/* The function of an instruction, as an item of functions. */
struct kmem_ip {
	u64 ip;
	u32 function;
};

/**
 * kmem_access_init - begin with no accesses
 * @k: the sums
 */
void kmem_access_init(struct kmem *k)
{
	hash_init(&k->functions, sizeof(struct kmem_function), sizeof(u64));
	hash_init(&k->ips, sizeof(struct kmem_ip), sizeof(u64));
}

/**
 * kmem_access_free - release memory
 * @k: the sums
 */
void kmem_access_free(struct kmem *k)
{
	hash_free(&k->functions);
	hash_free(&k->ips);
}

static struct kmem_function *get_function(struct kmem *k, u64 ip)
{
	const struct kmap_symbol *symbol;
	struct kmem_ip *item;
	u64 start;
	bool new;

	item = hash_item(&k->ips, hash_get(&k->ips, &ip, &new));
	if (new) {
		symbol = kmap_symbols_find(k->symbols, ip, KMAP_IP_EXACT);
		start = symbol ? symbol->start : ip;
		item->function = hash_get(&k->functions, &start, &new);
	}
	return hash_item(&k->functions, item->function);
}

/* The allocation that an address belongs to, or NULL. */
static const struct kmem_object *object_at(const struct kmem *k, u64 addr, enum kmem_group *group)
{
	const struct live_range *range;

	for (*group = KMEM_SLAB; *group < KMEM_GROUPS; (*group)++) {
		range = live_find(k->memory + *group, addr);
		if (range && range->live)
			return k->objects + range->nr;
	}
	return NULL;
}

static void add(u64 *sum, const struct trace_event *e)
{
	u32 kind = e->u.access.kind;

	sum[KMEM_READS] += kind == TRACE_READ || kind == TRACE_UPDATE;
	sum[KMEM_WRITES] += kind == TRACE_WRITE || kind == TRACE_UPDATE;
}

/* Whether what belongs to no allocation counts: not if only some allocations do. */
static bool counts_unknown(const struct kmem *k)
{
	const struct kmem_filter *f = k->filter;
	char text[KMEM_KINDS_TEXT];

	return k->chosen && !f->cache && !f->site && !f->comm && f->cpu == U64_MAX &&
	       f->pid == U64_MAX && !kmem_filter_kinds(f, text);
}

/**
 * kmem_access - count an access
 * @k: the sums
 * @e: the event
 */
void kmem_access(struct kmem *k, const struct trace_event *e)
{
	enum kmem_group g;
	const struct kmem_object *o = object_at(k, e->u.access.ptr, &g);

	if (o ? !o->chosen : !counts_unknown(k))
		return;
	add(k->accesses, e);
	add(get_function(k, e->u.access.ip)->sum, e);
	if (!o) {
		add(k->unattributed, e);
		return;
	}
	add(((struct kmem_site *)hash_item(k->sites + g, o->site))->sum, e);
	if (g == KMEM_SLAB)
		add(((struct kmem_cache *)hash_item(&k->caches, o->cache))->sum, e);
}
