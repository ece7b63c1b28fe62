// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's caches: emptying them, and keeping them empty for the slow path.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rwsem.h>

#include "caches.h"
#include "entry.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"

/* Sentinels for empty cache slots. One struct, because an entry stores its object's distance. */
static struct {
	struct memorizer_entry entry;
	struct memorizer_object object;
} nothing __ro_after_init = {
	.entry.object = sizeof(struct memorizer_entry) >> MEMORIZER_ID_SHIFT,
};

/* Cached for pages that hold no object. The thunks check in the index that this is still so. */
struct memorizer_object memorizer_no_object __ro_after_init;

DEFINE_PER_CPU(struct memorizer_entry *[MEMORIZER_CACHE_SLOTS], memorizer_cache);
DEFINE_PER_CPU(struct memorizer_object *[MEMORIZER_FOUND_SLOTS], memorizer_found);

/* The fast paths handle accesses within one block of this size; 0 disables them. */
unsigned long memorizer_fast_path_bytes __read_mostly = PAGE_SIZE;

/* Number of reasons to force the slow path. Written under memorizer_rwsem. */
unsigned int memorizer_slow_path_users __read_mostly;

/* Objects above the direct map are recorded. Written under memorizer_rwsem. */
bool memorizer_reaches_far __read_mostly;

static void empty_found(void)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu)
		for (i = 0; i < MEMORIZER_FOUND_SLOTS; i++)
			WRITE_ONCE(per_cpu(memorizer_found, cpu)[i], &nothing.object);
}

static void empty_cache(void)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu)
		for (i = 0; i < MEMORIZER_CACHE_SLOTS; i++)
			WRITE_ONCE(per_cpu(memorizer_cache, cpu)[i], &nothing.entry);
}

/**
 * memorizer_caches_init() - fill the caches with sentinels
 *
 * Context: boot, once.
 */
void memorizer_caches_init(void)
{
	empty_found();
	empty_cache();
}

/**
 * memorizer_collect_caches() - empty the slots of CLEARED and RETIRED objects
 *
 * The pool must not reuse the records before a grace period has passed.
 *
 * Context: process context, under memorizer_rwsem, for writing, a grace period after the objects
 *	left the index.
 */
void memorizer_collect_caches(void)
{
	struct memorizer_object **found, *object;
	struct memorizer_entry **cache, *entry;
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		cache = per_cpu(memorizer_cache, cpu);
		for (i = 0; i < MEMORIZER_CACHE_SLOTS; i++) {
			entry = READ_ONCE(cache[i]);
			if (READ_ONCE(memorizer_entry_object(entry)->state) >= MEMORIZER_CLEARED)
				cmpxchg(&cache[i], entry, &nothing.entry);
		}
		found = per_cpu(memorizer_found, cpu);
		for (i = 0; i < MEMORIZER_FOUND_SLOTS; i++) {
			object = READ_ONCE(found[i]);
			if (READ_ONCE(object->state) >= MEMORIZER_CLEARED)
				cmpxchg(&found[i], object, &nothing.object);
		}
	}
}

/* Wait for all running hooks and thunks. */
static void wait_for_hooks(void)
{
	/* At boot there are no other CPUs and no stopper threads yet. */
	if (system_state != SYSTEM_BOOTING)
		memorizer_grace_period();
}

/* Have the thunks skip what lies above the direct map, unless objects there are recorded. */
static void set_thunk_end(bool skip)
{
	WRITE_ONCE(memorizer_thunk_end, skip && !memorizer_reaches_far ?
		   memorizer_index_base + memorizer_index_bytes : ULONG_MAX);
}

/**
 * memorizer_reach_far() - have accesses above the direct map reach the hook, or not
 * @far: true if objects there are recorded
 *
 * Context: process context, under memorizer_rwsem, for writing; or boot, one CPU.
 */
void memorizer_reach_far(bool far)
{
	WRITE_ONCE(memorizer_reaches_far, far);
	set_thunk_end(!memorizer_slow_path_users);
}

/**
 * memorizer_slow_path_begin() - force each access to call memorizer_access()
 *
 * A check in the thunks would slow down each hit. Instead, the caches are emptied and stay empty,
 * and the thunks' limit for addresses outside of the index is lifted, so that each access is a
 * miss.
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_slow_path_begin(void)
{
	down_write(&memorizer_rwsem);
	WRITE_ONCE(memorizer_slow_path_users, memorizer_slow_path_users + 1);
	if (memorizer_slow_path_users == 1) {
		/* Stop filling memorizer_found, then filling memorizer_cache from it. */
		WRITE_ONCE(memorizer_fast_path_bytes, 0);
		wait_for_hooks();
		empty_found();
		wait_for_hooks();
		set_thunk_end(false);
		empty_cache();
	}
	up_write(&memorizer_rwsem);
}

/**
 * memorizer_slow_path_end() - undo memorizer_slow_path_begin()
 *
 * Waits for the hooks that were running.
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_slow_path_end(void)
{
	bool last;

	down_write(&memorizer_rwsem);
	last = memorizer_slow_path_users == 1;
	if (last)
		set_thunk_end(true);
	wait_for_hooks();
	if (last)
		WRITE_ONCE(memorizer_fast_path_bytes, PAGE_SIZE);
	WRITE_ONCE(memorizer_slow_path_users, memorizer_slow_path_users - 1);
	up_write(&memorizer_rwsem);
}
