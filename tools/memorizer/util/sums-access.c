// SPDX-License-Identifier: GPL-2.0
/*
 * Sums over the accesses of a trace. An access counts with the allocation that it is to,
 * as far as that was seen: an object of the slab allocator, or else pages.
 */
#include "sums.h"

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
	struct access_ip *item;
	u64 start;
	bool new;

	item = hash_item(k->ips + source, hash_get(k->ips + source, &ip, &new));
	if (new) {
		symbol = kmap_symbols_find(k->symbols, ip, KMAP_IP_EXACT);
		start = symbol ? symbol->start : ip;
		item->function = hash_get(k->functions + source, &start, &new);
	}
	return item->function;
}

/* The allocation that an address belongs to, or NULL. */
static const struct allocation *object_at(const struct sums *k, u64 addr, enum group *group)
{
	const struct live_range *range;

	for (*group = GROUP_SLAB; *group < STREAM_GROUPS; (*group)++) {
		range = live_find(k->memory + *group, addr);
		if (range && range->live)
			return k->objects + range->nr;
	}
	return NULL;
}

static void add(u64 *sum, const struct trace_event *e)
{
	u32 kind = e->u.access.kind;

	bool read = kind == TRACE_READ || kind == TRACE_UPDATE;
	bool write = kind == TRACE_WRITE || kind == TRACE_UPDATE;

	sum[SUM_READS] += read;
	sum[SUM_WRITES] += write;
	sum[SUM_ACCESSES] += read + write;
}

/* Whether what belongs to no allocation counts: not if only some allocations do. */
static bool counts_unknown(const struct sums *k)
{
	const struct kmem_filter *f = k->filter;
	char text[KMEM_KINDS_TEXT];

	return k->chosen && !f->cache && !f->site && !f->comm && f->cpu == U64_MAX &&
	       f->pid == U64_MAX && !kmem_filter_kinds(f, text);
}

/**
 * sums_access - count an access
 * @k: the sums
 * @e: the event
 */
void sums_access(struct sums *k, const struct trace_event *e)
{
	enum group g;
	const struct allocation *o = object_at(k, e->u.access.ptr, &g);
	u32 function;

	if (o ? !o->chosen : !counts_unknown(k))
		return;
	add(k->accesses, e);
	function = sums_function(k, ACCESS_STREAMED, e->u.access.ip);
	add(((struct function *)hash_item(k->functions + ACCESS_STREAMED, function))->sum, e);
	if (!o) {
		add(k->unattributed, e);
		return;
	}
	add(((struct site *)hash_item(k->sites + g, o->site))->sum, e);
	if (g == GROUP_SLAB)
		add(((struct cache *)hash_item(&k->caches, o->cache))->sum, e);
}
