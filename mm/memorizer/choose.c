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
#include <linux/percpu.h>
#include <linux/rwsem.h>
#include <linux/slab.h>

#include "../slab.h"
#include "entry.h"
#include "filter.h"
#include "hooks.h"
#include "memorizer.h"
#include "object.h"

#define CALL_SITE_BITS	10

/* Read by hooks, with preemption disabled. Changed under memorizer_rwsem. */
static const struct memorizer_filter *filters[MEMORIZER_CHOICES];

/* Of an object, if there is no filter. */
#define NO_FILTER	BIT(MEMORIZER_RECORDED)

/* Changes with them, and when there may be other functions, without a lock. Never 0. */
static u32 generation = 1;
#define GENERATION_MAX	(U32_MAX >> MEMORIZER_CHOICES)

/* What came out for a call site: its packed ip above, as a verdict below. */
static u64 call_sites[1 << CALL_SITE_BITS];

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

/* A bit for each filter that takes the cache's name. */
static unsigned int ask_for_cache(const char *name)
{
	const struct memorizer_filter *by;
	unsigned int chosen = 0, i;

	for (i = 0; i < MEMORIZER_CHOICES; i++) {
		by = READ_ONCE(filters[i]);
		chosen |= by ? memorizer_filter_takes_cache(by, name) << i : NO_FILTER & BIT(i);
	}
	return chosen;
}

static unsigned int choose_cache(u32 now, const void *ptr)
{
	const struct slab *slab = virt_to_slab(ptr);
	struct kmem_cache *cache;
	u32 known;

	if (!slab)
		return ask_for_cache("");
	cache = slab->slab_cache;
	known = READ_ONCE(cache->memorizer_verdict);
	if (!is_of(known, now)) {
		known = verdict(now, ask_for_cache(cache->name));
		WRITE_ONCE(cache->memorizer_verdict, known);
	}
	return chosen_by(known);
}

/*
 * Room for names, as the stack has none: an allocation may come at any depth. A hook may
 * interrupt another one's use of it: that of a task, by those of a softirq, an interrupt, an NMI
 * and an exception in the NMI. Each takes the next room, and gives it back before it returns.
 */
struct names {
	char function[KSYM_NAME_LEN];
	char part[KSYM_NAME_LEN];
};

static DEFINE_PER_CPU(struct names [6], names);
static DEFINE_PER_CPU(unsigned int, names_in_use);

/* A bit for each filter that takes the function's name. */
static unsigned int ask_for_function(unsigned long ip, struct names *room)
{
	const struct memorizer_filter *by;
	unsigned int chosen = 0, i;
	unsigned long unused;

	/* For the byte before the return address: a call may be a function's last instruction. */
	if (!kallsyms_lookup(ip - 1, &unused, &unused, NULL, room->function))
		*room->function = '\0';
	for (i = 0; i < MEMORIZER_CHOICES; i++) {
		by = READ_ONCE(filters[i]);
		chosen |= by ? memorizer_filter_takes_allocator(by, room->function,
								room->part) << i :
			NO_FILTER & BIT(i);
	}
	return chosen;
}

static unsigned int choose_function(unsigned long ip)
{
	unsigned int place = this_cpu_inc_return(names_in_use) - 1, chosen = NO_FILTER;

	if (!WARN_ON_ONCE(place >= ARRAY_SIZE(names)))
		chosen = ask_for_function(ip, this_cpu_ptr(&names[place]));
	this_cpu_dec(names_in_use);
	return chosen;
}

static unsigned int choose_call_site(u32 now, unsigned long ip)
{
	u32 packed = memorizer_pack_ip(ip);
	u64 *slot = &call_sites[hash_32(packed, CALL_SITE_BITS)];
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
	return chosen ? chosen & choose_call_site(now, ip) : 0;
}

/* What came out so far holds no longer. */
static void begin_anew(void)
{
	u32 now = READ_ONCE(generation);

	/* After the filters, which it orders before: pairs with memorizer_choose_object(). */
	while (!try_cmpxchg(&generation, &now, ((now + 1) & GENERATION_MAX) ?: 1))
		;
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
 * memorizer_forget_call_sites() - forget which call sites were chosen, as others may be there now
 *
 * Takes no lock: a module's load must not wait for a reader of the KMAP.
 *
 * Context: any.
 */
void memorizer_forget_call_sites(void)
{
	begin_anew();
}
