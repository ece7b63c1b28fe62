// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's choice of objects: which allocations are recorded.
 *
 * The filter says it, by the name of the slab cache and by the function that allocates. To
 * match globs for each allocation would take long: what came out is kept, in each cache,
 * and for call sites in a table, with the number of the filter that it is of.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include "../slab.h"
#include "filter.h"
#include "memorizer.h"

#define SITE_BITS	10

/* Whether objects are filtered at all: it is asked for each allocation. */
bool memorizer_chooses_objects __read_mostly;

/* Read by hooks, with preemption disabled. Changed under memorizer_mutex. */
static const struct memorizer_filter *filter;

/* Changes with it, and when there may be other functions: 31 bits, never 0. */
static u32 generation = 1;

/* What came out for a call site: its packed ip above, as a verdict below. */
static u64 sites[1 << SITE_BITS];

static u32 verdict(u32 of, bool takes)
{
	return of << 1 | takes;
}

static bool takes_cache(const struct memorizer_filter *by, u32 now, const void *ptr)
{
	const struct slab *slab = virt_to_slab(ptr);
	struct kmem_cache *cache;
	u32 known;

	if (!slab)
		return memorizer_filter_takes_cache(by, "");
	cache = slab->slab_cache;
	known = READ_ONCE(cache->memorizer_verdict);
	if (known >> 1 != now) {
		known = verdict(now, memorizer_filter_takes_cache(by, cache->name));
		WRITE_ONCE(cache->memorizer_verdict, known);
	}
	return known & 1;
}

/* The function's name, for the byte before the return address: a call may be its last. */
static bool takes_function(const struct memorizer_filter *by, unsigned long ip)
{
	char name[KSYM_NAME_LEN];
	unsigned long unused;

	if (!kallsyms_lookup(ip - 1, &unused, &unused, NULL, name))
		*name = '\0';
	return memorizer_filter_takes_allocator(by, name);
}

static bool takes_site(const struct memorizer_filter *by, u32 now, unsigned long ip)
{
	u32 packed = memorizer_pack_ip(ip);
	u64 *slot = &sites[hash_32(packed, SITE_BITS)];
	u64 known = READ_ONCE(*slot);

	if (known >> 32 != packed || (u32)known >> 1 != now) {
		known = (u64)packed << 32 | verdict(now, takes_function(by, ip));
		WRITE_ONCE(*slot, known);
	}
	return known & 1;
}

/**
 * memorizer_takes_object() - is an object to be recorded?
 * @ptr: the object, which is allocated
 * @ip: return address into the caller of the allocator
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: true if the filter takes it
 */
bool memorizer_takes_object(const void *ptr, unsigned long ip)
{
	u32 now = READ_ONCE(generation);
	const struct memorizer_filter *by;

	/* Pairs with begin_anew(). */
	smp_rmb();
	by = READ_ONCE(filter);
	return !by || (takes_cache(by, now, ptr) && takes_site(by, now, ip));
}

/* What came out so far holds no longer. */
static void begin_anew(void)
{
	/* Who sees this number sees the filter, too: pairs with memorizer_takes_object(). */
	smp_wmb();
	WRITE_ONCE(generation, ((generation + 1) & S32_MAX) ?: 1);
}

/**
 * memorizer_filter_objects() - change which objects are recorded from now on
 * @new: says which; NULL: all
 *
 * Context: process context, may sleep; or boot, one CPU. Nobody looks at the filter that
 *	was there before any more when it returns.
 */
void memorizer_filter_objects(const struct memorizer_filter *new)
{
	const struct memorizer_filter *old;

	if (new && !memorizer_filter_has_objects(new))
		new = NULL;
	mutex_lock(&memorizer_mutex);
	old = filter;
	WRITE_ONCE(filter, new);
	begin_anew();
	WRITE_ONCE(memorizer_chooses_objects, new);
	if (old)
		memorizer_grace_period();
	mutex_unlock(&memorizer_mutex);
}

/**
 * memorizer_functions_come() - say that functions come, where others may have been
 *
 * Context: process context, may sleep.
 */
void memorizer_functions_come(void)
{
	mutex_lock(&memorizer_mutex);
	begin_anew();
	mutex_unlock(&memorizer_mutex);
}
