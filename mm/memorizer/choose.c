// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's choice of objects: which allocations are recorded, and which by granule.
 *
 * A filter for each of these says it, by the name of the slab cache and by the function that
 * allocates. To match globs for each allocation would take long: what came out is kept, in
 * each cache, and for call sites in a table, with the number of the filters that it is of.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/kallsyms.h>
#include <linux/rwsem.h>
#include <linux/slab.h>

#include "../slab.h"
#include "filter.h"
#include "memorizer.h"

#define SITE_BITS	10

/* Read by hooks, with preemption disabled. Changed under memorizer_rwsem. */
static const struct memorizer_filter *filters[MEMORIZER_CHOICES];

/* Of an object, if there is no filter. */
#define NO_FILTER	BIT(MEMORIZER_RECORDED)

/* Changes with them, and when there may be other functions: so many bits, never 0. */
static u32 generation = 1;
#define GENERATION_MAX	(U32_MAX >> MEMORIZER_CHOICES)

/* What came out for a call site: its packed ip above, as a verdict below. */
static u64 sites[1 << SITE_BITS];

static u32 verdict(u32 of, unsigned int chosen)
{
	return of << MEMORIZER_CHOICES | chosen;
}

static bool is_of(u32 verdict, u32 now)
{
	return verdict >> MEMORIZER_CHOICES == now;
}

static unsigned int chosen_by(u32 verdict)
{
	return verdict & (BIT(MEMORIZER_CHOICES) - 1);
}

/* A bit for each filter that takes the name. */
static unsigned int ask(bool (*takes)(const struct memorizer_filter *by, const char *name),
			const char *name)
{
	const struct memorizer_filter *by;
	unsigned int chosen = 0, i;

	for (i = 0; i < MEMORIZER_CHOICES; i++) {
		by = READ_ONCE(filters[i]);
		chosen |= by ? takes(by, name) << i : NO_FILTER & BIT(i);
	}
	return chosen;
}

static unsigned int choose_cache(u32 now, const void *ptr)
{
	const struct slab *slab = virt_to_slab(ptr);
	struct kmem_cache *cache;
	u32 known;

	if (!slab)
		return ask(memorizer_filter_takes_cache, "");
	cache = slab->slab_cache;
	known = READ_ONCE(cache->memorizer_verdict);
	if (!is_of(known, now)) {
		known = verdict(now, ask(memorizer_filter_takes_cache, cache->name));
		WRITE_ONCE(cache->memorizer_verdict, known);
	}
	return chosen_by(known);
}

/* The function's name, for the byte before the return address: a call may be its last. */
static unsigned int choose_function(unsigned long ip)
{
	char name[KSYM_NAME_LEN];
	unsigned long unused;

	if (!kallsyms_lookup(ip - 1, &unused, &unused, NULL, name))
		*name = '\0';
	return ask(memorizer_filter_takes_allocator, name);
}

static unsigned int choose_site(u32 now, unsigned long ip)
{
	u32 packed = memorizer_pack_ip(ip);
	u64 *slot = &sites[hash_32(packed, SITE_BITS)];
	u64 known = READ_ONCE(*slot);

	if (known >> 32 != packed || !is_of(known, now)) {
		known = (u64)packed << 32 | verdict(now, choose_function(ip));
		WRITE_ONCE(*slot, known);
	}
	return chosen_by(known);
}

/**
 * memorizer_choose_object() - what is an object chosen for?
 * @ptr: the object, which is allocated
 * @ip: return address into the caller of the allocator
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: a bit for each enum memorizer_choice
 */
unsigned int memorizer_choose_object(const void *ptr, unsigned long ip)
{
	u32 now = READ_ONCE(generation);
	unsigned int chosen;

	/* Pairs with begin_anew(). */
	smp_rmb();
	chosen = choose_cache(now, ptr);
	return chosen ? chosen & choose_site(now, ip) : 0;
}

/* What came out so far holds no longer. */
static void begin_anew(void)
{
	/* Who sees this number sees the filters, too: pairs with memorizer_choose_object(). */
	smp_wmb();
	WRITE_ONCE(generation, ((generation + 1) & GENERATION_MAX) ?: 1);
}

/**
 * memorizer_filter_objects() - change which objects are chosen from now on
 * @which: for what
 * @new: says which; NULL: all are recorded, none by granule
 *
 * Context: process context, may sleep; or boot, one CPU. Nobody looks at the filter that
 *	was there before any more when it returns.
 */
void memorizer_filter_objects(enum memorizer_choice which, const struct memorizer_filter *new)
{
	const struct memorizer_filter *old;
	bool any = false;
	unsigned int i;

	if (new && !memorizer_filter_has_objects(new))
		new = NULL;
	down_write(&memorizer_rwsem);
	old = filters[which];
	WRITE_ONCE(filters[which], new);
	begin_anew();
	for (i = 0; i < MEMORIZER_CHOICES; i++)
		any |= !!filters[i];
	memorizer_switch_hooks(MEMORIZER_DO_CHOOSE, any);
	if (old)
		memorizer_grace_period();
	up_write(&memorizer_rwsem);
}

/**
 * memorizer_functions_come() - say that functions come, where others may have been
 *
 * Context: process context, may sleep.
 */
void memorizer_functions_come(void)
{
	down_write(&memorizer_rwsem);
	begin_anew();
	up_write(&memorizer_rwsem);
}
