// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's choice of objects: apply the filters to allocations.
 *
 * Filters select objects by slab cache and by the allocating function. Matching globs is too
 * slow for each allocation, so the results are cached: one verdict in each kmem_cache, and a
 * table of verdicts for call sites. A verdict is valid only for the generation of the filters
 * that it contains.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/percpu.h>
#include <linux/rwsem.h>
#include <linux/slab.h>

#include "../slab.h"
#include "entry.h"
#include "filter.h"
#include "hooks.h"
#include "lazy.h"
#include "memorizer.h"
#include "object.h"

#define CALL_SITE_BITS	10

/* Read by hooks, with preemption disabled. Changed under memorizer_rwsem. */
static const struct memorizer_filter *filters[MEMORIZER_CHOICES];

/* The choice if there is no filter. */
#define NO_FILTER	BIT(MEMORIZER_RECORDED)

/* Changes with the filters, and, without a lock, when modules are loaded. Never 0. */
static u32 generation = 1;
#define GENERATION_MAX	(U32_MAX >> MEMORIZER_CHOICES)

/* Cached verdicts of call sites: packed ip in the upper half, verdict in the lower. */
static u64 call_sites[1 << CALL_SITE_BITS];

static u32 verdict(u32 of, unsigned int chosen)
{
	return of << MEMORIZER_CHOICES | chosen;
}

static bool is_current(u32 verdict, u32 now)
{
	return verdict >> MEMORIZER_CHOICES == now;
}

static unsigned int verdict_choice(u32 verdict)
{
	return verdict & (BIT(MEMORIZER_CHOICES) - 1);
}

/* Match a cache and a kind against all filters. Returns a bit for each one that selects them. */
static unsigned int match_cache(const char *name, enum memorizer_object_kind kind)
{
	const struct memorizer_filter *by;
	unsigned int chosen = 0, i;

	for (i = 0; i < MEMORIZER_CHOICES; i++) {
		by = READ_ONCE(filters[i]);
		chosen |= by ? memorizer_filter_matches_cache(by, memorizer_kind_names[kind],
							      name) << i : NO_FILTER & BIT(i);
	}
	return chosen;
}

static unsigned int choose_cache(u32 now, const void *ptr, enum memorizer_object_kind kind)
{
	const struct slab *slab = kind == MEMORIZER_KIND_SLAB ? virt_to_slab(ptr) : NULL;
	struct kmem_cache *cache;
	u32 known;

	if (!slab)
		/* Other kinds, and large kmalloc()s, belong to no cache. */
		return match_cache("", kind);
	cache = slab->slab_cache;
	known = READ_ONCE(cache->memorizer_verdict);
	if (!is_current(known, now)) {
		known = verdict(now, match_cache(cache->name, kind));
		/* Racy but benign: a verdict is stored together with its generation. */
		WRITE_ONCE(cache->memorizer_verdict, known);
	}
	return verdict_choice(known);
}

/*
 * Buffers for symbol names, which are too large for the stack of an allocation at any depth.
 * Hooks nest: in a task, a softirq, an interrupt, an NMI and an exception in the NMI. Each
 * takes the next buffer and releases it before it returns.
 */
struct names {
	char function[KSYM_NAME_LEN];
	char part[KSYM_NAME_LEN];
};

static DEFINE_PER_CPU(struct names [6], names);
static DEFINE_PER_CPU(unsigned int, names_in_use);

/* Match the function at a return address. Returns a bit for each filter that selects it. */
static unsigned int match_function(unsigned long ip, struct names *room)
{
	const struct memorizer_filter *by;
	unsigned int chosen = 0, i;
	unsigned long unused;

	/*
	 * Look up the call, not the return address: the call may be the function's last
	 * instruction.
	 */
	if (!kallsyms_lookup(ip - 1, &unused, &unused, NULL, room->function))
		*room->function = '\0';
	for (i = 0; i < MEMORIZER_CHOICES; i++) {
		by = READ_ONCE(filters[i]);
		chosen |= by ? memorizer_filter_matches_allocator(by, room->function,
								  room->part) << i :
			NO_FILTER & BIT(i);
	}
	return chosen;
}

static unsigned int choose_function(unsigned long ip)
{
	unsigned int place = this_cpu_inc_return(names_in_use) - 1, chosen = NO_FILTER;

	if (!WARN_ON_ONCE(place >= ARRAY_SIZE(names)))
		chosen = match_function(ip, this_cpu_ptr(&names[place]));
	this_cpu_dec(names_in_use);
	return chosen;
}

static unsigned int choose_call_site(u32 now, unsigned long ip)
{
	u32 packed = memorizer_pack_ip(ip);
	u64 *slot = &call_sites[hash_32(packed, CALL_SITE_BITS)];
	u64 known = READ_ONCE(*slot);

	if (known >> 32 != packed || !is_current(known, now)) {
		known = (u64)packed << 32 | verdict(now, choose_function(ip));
		/* Racy but benign: one store replaces call site, generation and choice. */
		WRITE_ONCE(*slot, known);
	}
	return verdict_choice(known);
}

/**
 * memorizer_choose_object() - apply the filters to an allocation
 * @ptr: the new object
 * @kind: its kind
 * @ip: return address into the caller of the allocator
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: a bit for each enum memorizer_choice that applies
 */
unsigned int memorizer_choose_object(const void *ptr, enum memorizer_object_kind kind,
				     unsigned long ip)
{
	u32 now = READ_ONCE(generation);
	unsigned int chosen;

	/* Pairs with the cmpxchg in invalidate_verdicts(): filters are at least as new as @now. */
	smp_rmb();
	chosen = choose_cache(now, ptr, kind);
	/* Do not look up the symbol if no filter selects the cache. */
	return chosen ? chosen & choose_call_site(now, ip) : 0;
}

/* Invalidate all cached verdicts. */
static void invalidate_verdicts(void)
{
	u32 now = READ_ONCE(generation);

	/*
	 * Orders the change of the filters before; pairs with the barrier in
	 * memorizer_choose_object(). Skips 0, the verdict of a new cache.
	 */
	while (!try_cmpxchg(&generation, &now, ((now + 1) & GENERATION_MAX) ?: 1))
		;
}

/* At once: the hook of an access must not look up symbols. No function allocates them. */
static void choose_lazy(void)
{
	unsigned int kind;

	preempt_disable_notrace();
	for (kind = 0; kind < MEMORIZER_KINDS; kind++)
		if (BIT(kind) & MEMORIZER_LAZY_KINDS)
			memorizer_choose_lazy(kind, memorizer_choose_object(NULL, kind, 0));
	preempt_enable_notrace();
}

/**
 * memorizer_filter_objects() - set a filter of new objects
 * @which: the choice that it applies to
 * @new: the filter, NULL for the default: record all objects, count none by granule
 *
 * The previous filter is unused on return.
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_filter_objects(enum memorizer_choice which, const struct memorizer_filter *new)
{
	const struct memorizer_filter *old;
	bool any = false;
	unsigned int i;

	if (new && !memorizer_filter_has_objects(new))
		/* Without terms for objects, hooks stay on their fast path. */
		new = NULL;
	down_write(&memorizer_rwsem);
	old = filters[which];
	WRITE_ONCE(filters[which], new);
	invalidate_verdicts();
	for (i = 0; i < MEMORIZER_CHOICES; i++)
		any |= !!filters[i];
	memorizer_switch_hooks(MEMORIZER_DO_CHOOSE, any);
	choose_lazy();
	if (old)
		/* Hooks may still match against it. */
		memorizer_grace_period();
	up_write(&memorizer_rwsem);
}

/**
 * memorizer_forget_call_sites() - invalidate cached verdicts when a module is loaded
 *
 * Takes no lock, so that loading a module does not wait for a reader of the KMAP.
 *
 * Context: any.
 */
void memorizer_forget_call_sites(void)
{
	invalidate_verdicts();
}
