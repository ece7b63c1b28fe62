// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's allocator hooks: record allocations and frees.
 *
 * Hooks run in any context, NMI included. They take no lock and allocate nothing but records of
 * the pool. linux/memorizer.h has their static branch; memorizer_hooks selects what they do.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/memorizer.h>
#include <linux/rwsem.h>
#include <linux/slab.h>

#include "alloc_stack.h"
#include "announce.h"
#include "entry.h"
#include "hooks.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "record.h"
#include "tasks.h"

static void record_alloc(const void *ptr, size_t size, bool by_granule, unsigned long ip,
			 u32 stack)
{
	struct memorizer_geometry geo;

	/* struct memorizer_object has 32 bits for it. */
	if (size > U32_MAX) {
		memorizer_index_bury((unsigned long)ptr, size);
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_RANGE]);
		return;
	}
	memorizer_geometry(ptr, size, &geo);
	memorizer_index_fit(&geo);
	memorizer_record(&geo, (unsigned long)ptr, size,
			 memorizer_who(MEMORIZER_KIND_SLAB, by_granule), ip, stack);
}

/* Slow end of record_in_slab(), which left preemption disabled: the slot held an object. */
static noinline void bury_below(u32 id, struct memorizer_object *object, unsigned long va)
{
	/* Before the new object is live: an address belongs to at most one live object. */
	memorizer_object_bury(id);
	memorizer_object_publish(object, va, false);
	preempt_enable_notrace();
}

/* Is the running task paused? The hook may still run in an interrupt, which is not. */
static __always_inline bool may_be_paused(void)
{
	return unlikely(this_cpu_read(memorizer_current_key) >> 32 & MEMORIZER_PAUSES);
}

/*
 * Are new objects still recorded, within the section that memorizer_grace_period() waits for? The
 * hook may have been preempted since it read the flags.
 */
static __always_inline bool still_records(void)
{
#ifdef CONFIG_PREEMPTION
	return likely(READ_ONCE(memorizer_hooks) & MEMORIZER_DO_RECORD);
#else
	return true;
#endif
}

/*
 * Record an object if the index has a slot for it and the CPU's batch has a record. Returns
 * false, with no side effect, otherwise.
 */
static __always_inline bool record_in_slab(unsigned long va, size_t size, bool crosses,
					   unsigned long ip)
{
	u32 id, old, *slot;
	void *record;

	/* memorizer_grace_period() waits for the end of this section. */
	preempt_disable_notrace();
	if (unlikely(!still_records() ||
		     !memorizer_has_slot(va, va + size - 1, crosses, &slot)))
		goto failed;
	id = memorizer_pool_take(MEMORIZER_OBJECT, sizeof(struct memorizer_object), &record);
	if (unlikely(!id))
		goto failed;
	memorizer_object_describe(record, va, size, 0, ip);
	/*
	 * A full barrier: the description is complete. Other CPUs still ignore the hidden
	 * object.
	 */
	old = xchg(slot, id);
	if (unlikely(old)) {
		bury_below(old, record, va);
		return true;
	}
	memorizer_object_publish(record, va, false);
	preempt_enable_notrace();
	return true;
failed:
	preempt_enable_notrace();
	return false;
}

/* Record an object that crosses pages, or that record_in_slab() refused. */
static noinline void record_elsewhere(const void *ptr, size_t size, unsigned long ip)
{
	unsigned long va = (unsigned long)ptr;

	if (memorizer_crosses(va, va + size - 1) && record_in_slab(va, size, true, ip))
		return;
	preempt_disable_notrace();
	if (still_records())
		record_alloc(ptr, size, false, ip, 0);
	preempt_enable_notrace();
}

/* Record an object whose accesses are not counted by granule. */
static noinline void record_object(const void *ptr, size_t size, unsigned long ip)
{
	unsigned long va = (unsigned long)ptr;

	/* Copies of record_in_slab(): the common case does not test for a second page. */
	if (memorizer_crosses(va, va + size - 1) || !record_in_slab(va, size, false, ip))
		record_elsewhere(ptr, size, ip);
}

/* Apply the filters to an allocation. Preemption is disabled. Not inlined, to save stack. */
static noinline void choose_alloc(const void *ptr, size_t size, u8 hooks, unsigned long ip,
				  u32 stack)
{
	unsigned int chosen = BIT(MEMORIZER_RECORDED);

	if (hooks & MEMORIZER_DO_CHOOSE)
		chosen = memorizer_choose_object(ptr, MEMORIZER_KIND_SLAB, ip);
	if (!(chosen & BIT(MEMORIZER_RECORDED))) {
		memorizer_index_bury((unsigned long)ptr, size);
		this_cpu_inc(memorizer_counters.allocs_left_out);
	} else if (chosen & BIT(MEMORIZER_FIELDS) || memorizer_announces || stack) {
		/* record_object() does none of this. */
		record_alloc(ptr, size, chosen & BIT(MEMORIZER_FIELDS), ip, stack);
	} else {
		record_object(ptr, size, ip);
	}
}

/* Record an allocation with every condition checked. */
static noinline void alloc_in_general(const void *ptr, size_t size, unsigned long ip)
{
	u32 stack = 0;
	bool on;
	u8 hooks;

	if (READ_ONCE(memorizer_hooks) & MEMORIZER_DO_RECORD)
		stack = memorizer_alloc_stack(ptr, MEMORIZER_KIND_SLAB, ip);
	preempt_disable_notrace();
	hooks = READ_ONCE(memorizer_hooks);
	on = hooks & MEMORIZER_DO_RECORD;
	if (on && !memorizer_is_paused()) {
		choose_alloc(ptr, size, hooks, ip, stack);
	} else if (hooks & MEMORIZER_DO_FOLLOW) {
		/* Otherwise, nothing was ever recorded. */
		memorizer_index_bury((unsigned long)ptr, size);
		if (on)
			this_cpu_inc(memorizer_counters.paused);
	}
	preempt_enable_notrace();
}

/* Pass an allocation to the observer, if it is switched on, and record it. */
static noinline void observe_and_alloc(const void *ptr, size_t size, unsigned long ip,
				       enum memorizer_source source, gfp_t gfp)
{
	if (memorizer_observes_allocations())
		memorizer_observer_alloc(ptr, size, ip, source, gfp);
	alloc_in_general(ptr, size, ip);
}

void __memorizer_alloc(const void *ptr, size_t size, unsigned long ip,
		       enum memorizer_source source, gfp_t gfp)
{
	u8 hooks = READ_ONCE(memorizer_hooks);

	if (ZERO_OR_NULL_PTR(ptr))
		return;
	/* Only the observer wants allocations: skip the tests for recording. */
	if (hooks == MEMORIZER_DO_OBSERVE)
		memorizer_observer_alloc(ptr, size, ip, source, gfp);
	else if (unlikely(hooks != MEMORIZER_RECORD_ALL) || may_be_paused())
		observe_and_alloc(ptr, size, ip, source, gfp);
	else
		record_object(ptr, size, ip);
}

/* Close any object; recorded ones are followed to their end even while recording is off. */
static noinline void free_in_general(const void *ptr, unsigned long ip)
{
	preempt_disable_notrace();
	/* Otherwise, nothing was ever recorded. */
	if (READ_ONCE(memorizer_hooks) & MEMORIZER_DO_FOLLOW)
		memorizer_end((unsigned long)ptr, ip);
	preempt_enable_notrace();
}

/* Pass a free to the observer, if it is switched on, and close the object. */
static noinline void observe_and_free(const void *ptr, unsigned long ip,
				      enum memorizer_source source)
{
	if (memorizer_observes_allocations())
		memorizer_observer_free(ptr, ip, source);
	free_in_general(ptr, ip);
}

/*
 * Fast version of memorizer_end() for a live object in a slab slot. Returns false, with no side
 * effect, otherwise.
 */
static __always_inline bool end_in_slab(unsigned long va, unsigned long ip)
{
	struct memorizer_object *object;
	u8 state = MEMORIZER_LIVE;
	struct slab_record *slab;
	u32 id, word;
	u64 slot;

	if (!memorizer_has_slab(va, &slab, &word))
		return false;
	slot = memorizer_slot(slab, va);
	if (unlikely(slot >= READ_ONCE(slab->slots)))
		return false;
	id = READ_ONCE(slab->object[slot]);
	object = memorizer_ptr(id);
	/* An object counted by granule is hidden, and left to memorizer_end(). */
	if (unlikely(!id || READ_ONCE(object->at) != va || READ_ONCE(object->state) != state))
		return false;
	/* Another CPU may bury the object; the slot decides which of the two counts the free. */
	if (unlikely(!try_cmpxchg(&slab->object[slot], &id, 0)))
		return false;
	/* As in memorizer_end(). The description is complete before the state changes. */
	if (likely(!object->free_ip))
		WRITE_ONCE(object->free_ip, memorizer_pack_ip(ip));
	memorizer_set_free_jiffies(object, jiffies);
	/* Invalidate all entries before the state changes, see memorizer_object_close(). */
	WRITE_ONCE(object->at, memorizer_hide(va));
	/* Fails if another CPU has buried the object, which it counted. */
	if (likely(try_cmpxchg(&object->state, &state, MEMORIZER_FREED)))
		this_cpu_inc(memorizer_counters.frees);
	else
		this_cpu_inc(memorizer_counters.unknown_frees);
	return true;
}

static noinline void end_recorded(const void *ptr, unsigned long ip)
{
	bool done;

	preempt_disable_notrace();
	done = end_in_slab((unsigned long)ptr, ip);
	preempt_enable_notrace();
	if (unlikely(!done))
		free_in_general(ptr, ip);
}

void __memorizer_free(const void *ptr, unsigned long ip, enum memorizer_source source)
{
	u8 hooks = READ_ONCE(memorizer_hooks);

	if (ZERO_OR_NULL_PTR(ptr))
		return;
	if (hooks == MEMORIZER_DO_OBSERVE)
		memorizer_observer_free(ptr, ip, source);
	else if (unlikely(hooks & (MEMORIZER_DO_OBSERVE | MEMORIZER_DO_ANNOUNCE)))
		/* end_in_slab() does not announce to QEMU. */
		observe_and_free(ptr, ip, source);
	else
		end_recorded(ptr, ip);
}

void __memorizer_slab_free(const void *start)
{
	/* Even while nothing is recorded: a record must not stay in force without its slab. */
	preempt_disable_notrace();
	memorizer_index_end_slab((unsigned long)start);
	preempt_enable_notrace();
}

void __memorizer_set_free_ip(const void *ptr, unsigned long ip)
{
	struct memorizer_object *object;
	unsigned long unused;
	u32 id;

	if (ZERO_OR_NULL_PTR(ptr))
		return;
	preempt_disable_notrace();
	id = memorizer_index_lookup((unsigned long)ptr, &unused);
	object = memorizer_ptr(id);
	/* Not that of the pages that an unrecorded object lies in. */
	if (id && memorizer_object_kind(object) != MEMORIZER_KIND_PAGES)
		WRITE_ONCE(object->free_ip, memorizer_pack_ip(ip));
	preempt_enable_notrace();
}
