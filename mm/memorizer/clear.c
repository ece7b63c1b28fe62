// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's clearing and retiring: give the records of closed objects back to the pool.
 *
 * Closed objects stay until memorizer_clear(), or until the observer retires them with
 * memorizer_retire(). Records are given back in this order:
 *
 *	1. Closed objects become CLEARED or RETIRED: no longer shown.
 *	2. Grace period. Hooks that found such an object in the index while it was live have
 *	   finished: its list of entries is final.
 *	3. Its entries leave the CPUs' hash chains and caches.
 *	4. Grace period. Hooks that found such an entry have finished.
 *	5. Objects, entries and slab records go back to the pool. If the pool ran out of room,
 *	   free blocks become available to records of any class.
 *
 * A grace period waits for all code that runs with preemption disabled, interrupts and idle code
 * included, because a hook does.
 */
#include <linux/memorizer.h>
#include <linux/rwsem.h>

#include "caches.h"
#include "calls.h"
#include "clear.h"
#include "entry.h"
#include "entry_table.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "rows.h"
#include "user.h"

/* Step 1. */
static void clear_objects(void)
{
	struct memorizer_object *object;
	unsigned long pos = 0;
	u32 state;

	while ((object = memorizer_object_from(&pos))) {
		/* Racy but benign: an object closed meanwhile stays until the next clearing. */
		state = READ_ONCE(object->state);
		/*
		 * A reader that stopped within a pinned object's rows continues there. The store
		 * races with nobody: hooks change only the state of LIVE objects.
		 */
		if ((state == MEMORIZER_FREED || state == MEMORIZER_BURIED) &&
		    !memorizer_is_pinned(object))
			WRITE_ONCE(object->state, MEMORIZER_CLEARED);
		memorizer_may_schedule();
	}
}

/* Give all CLEARED and RETIRED objects to the pool. */
static void recycle_objects(void)
{
	struct memorizer_object *object;
	unsigned long pos = 0;
	u32 state;

	while ((object = memorizer_object_from(&pos))) {
		memorizer_may_schedule();
		state = READ_ONCE(object->state);
		/* The observer still reads the rows of LEAVING objects. */
		if (state < MEMORIZER_CLEARED)
			continue;
		WRITE_ONCE(object->state, MEMORIZER_UNUSED);
		memorizer_pool_give(MEMORIZER_OBJECT, memorizer_id(object));
		/* The record of user memory was no allocation. */
		if (state == MEMORIZER_CLEARED &&
		    memorizer_object_kind(object) != MEMORIZER_KIND_USER)
			memorizer_cleared.objects++;
	}
}

/* Steps 2 to 5; under memorizer_rwsem, for writing. */
static void give_back(void)
{
	/* First: a slab record that is discarded from here on waits for the next call. */
	memorizer_index_collect();
	memorizer_grace_period();

	/* No hook adds entries to the objects any more. */
	memorizer_collect_entries();
	memorizer_collect_caches();
	memorizer_grace_period();

	/* No hook refers to the objects, their entries or the slab records any more. */
	recycle_objects();
	memorizer_index_recycle();
	memorizer_pool_give_back();
	memorizer_pool_reclaim();
}

/**
 * memorizer_clear() - forget all closed objects, all calls and all accesses to user memory
 *
 * Context: process context, may sleep.
 */
void memorizer_clear(void)
{
	if (!memorizer_pool_size())
		return;
	down_write(&memorizer_rwsem);
	/* Has the observer discard the ids of closed objects that it collected. */
	memorizer_cleared.clearings++;
	clear_objects();
	memorizer_clear_user();
	memorizer_clear_calls();
	give_back();
	memorizer_refill_user();
	up_write(&memorizer_rwsem);
}

/**
 * memorizer_retire() - take a closed object out of the KMAP, for the observer
 * @object: the object, which was closed a grace period ago and is not pinned; or a record of
 *	memorizer_renew_user(), a grace period later
 *
 * Its counts stay readable until memorizer_retire_done().
 *
 * Context: process context, may sleep, under memorizer_rwsem, for writing.
 */
void memorizer_retire(struct memorizer_object *object)
{
	const struct memorizer_entry *entry;
	u32 id;

	/* Not yet RETIRED: its records must not be given back while the observer reads them. */
	WRITE_ONCE(object->state, MEMORIZER_LEAVING);
	/* The record of user memory was no allocation. */
	if (memorizer_object_kind(object) != MEMORIZER_KIND_USER)
		memorizer_retired.objects++;
	for (id = READ_ONCE(object->entries); id; id = READ_ONCE(entry->link)) {
		entry = memorizer_ptr(id);
		memorizer_retired.accesses += memorizer_entry_accesses(entry);
		memorizer_may_schedule();
	}
}

/**
 * memorizer_retire_done() - release an object whose counts the observer has read
 * @object: the object, which was retired
 *
 * memorizer_give_back() gives its records back to the pool.
 *
 * Context: process context.
 */
void memorizer_retire_done(struct memorizer_object *object)
{
	WRITE_ONCE(object->state, MEMORIZER_RETIRED);
}

/**
 * memorizer_give_back() - give the records of retired objects back to the pool
 *
 * Context: process context, may sleep.
 */
void memorizer_give_back(void)
{
	down_write(&memorizer_rwsem);
	give_back();
	memorizer_refill_user();
	up_write(&memorizer_rwsem);
}

/**
 * memorizer_has_closed() - test whether there are closed objects
 *
 * Context: process context.
 * Return: false if every object that was closed before the call is cleared or retired
 */
bool memorizer_has_closed(void)
{
	u64 closed = 0;
	bool any;
	int cpu;

	down_read(&memorizer_rwsem);
	/* Counters take less time to add up than all objects to search. */
	for_each_possible_cpu(cpu)
		closed += READ_ONCE(per_cpu(memorizer_counters, cpu).frees) +
			READ_ONCE(per_cpu(memorizer_counters, cpu).buried);
	any = closed != memorizer_cleared.objects + memorizer_retired.objects;
	up_read(&memorizer_rwsem);
	return any;
}
