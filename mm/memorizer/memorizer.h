/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: what all of it shares.
 *
 * An access site (sites.c) calls the hook (access.c). The hook looks up the object at the address
 * in the index (index.c), counts the access in that object's entry for (ip, pid)
 * (entry_table.c, caches.c), and follows the cache line (traffic.c). The allocator's hooks
 * (hooks.c) create and close objects. All records live in the pool (pool.c), and have 32-bit ids.
 * rows.c adds up an object's entries, kmap.c shows them. An observer (observer.h) may listen to
 * all of this. Apart from it, calls.c counts calls of functions.
 *
 * Each file has a header of its own. Most files also compile in user space, see
 * tools/testing/memorizer.
 */
#ifndef _MM_MEMORIZER_H
#define _MM_MEMORIZER_H

#include <linux/memorizer.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/types.h>

/* Why an event is not in the KMAP. */
enum memorizer_loss {
	MEMORIZER_LOST_OBJECT,	/* allocation: no room for the object */
	MEMORIZER_LOST_INDEX,	/* allocation: no room in the index */
	MEMORIZER_LOST_RANGE,	/* allocation: outside of the memory known at boot, or too large */
	MEMORIZER_LOST_ENTRY,	/* access: no room for the entry */
	MEMORIZER_LOST_TRAFFIC,	/* move of a cache line: no room for the entry */
	MEMORIZER_LOST_LINE,	/* access to a cache line: no room for the line */
	MEMORIZER_LOST_NESTED,	/* access to a cache line: by an NMI, during another access */
	MEMORIZER_LOST_CALL,	/* call: no room for the record */
	MEMORIZER_LOST_STACK,	/* stack of an allocation: no room in the depot */
	MEMORIZER_LOSSES,
};

/**
 * struct memorizer_counters - what one CPU has seen
 * @allocs: objects recorded
 * @frees: recorded objects that were freed
 * @buried: recorded objects whose free was missed
 * @unknown_frees: frees of objects that are not recorded
 * @unattributed: accesses to memory that belongs to no recorded object
 * @paused: by tasks that read the KMAP: allocations, and accesses within the index's range
 * @left_out: accesses within the index's range by tasks that were not chosen
 * @allocs_left_out: allocations of objects that were not chosen
 * @calls_paused: calls by tasks that read the KMAP
 * @calls_left_out: calls by tasks that were not chosen
 * @traffic: moves of cache lines that were counted in access entries
 * @lost: events that should have been recorded and are not
 */
struct memorizer_counters {
	u64 allocs;
	u64 frees;
	u64 buried;
	u64 unknown_frees;
	u64 unattributed;
	u64 paused;
	u64 left_out;
	u64 allocs_left_out;
	u64 calls_paused;
	u64 calls_left_out;
	u64 traffic;
	u64 lost[MEMORIZER_LOSSES];
};

/* object.c */
DECLARE_PER_CPU(struct memorizer_counters, memorizer_counters);
extern struct rw_semaphore memorizer_rwsem;

/* grace.c */
void memorizer_grace_period(void);

/* main.c */
struct kernel_param_ops;
extern const struct kernel_param_ops memorizer_size_ops;

/**
 * memorizer_may_schedule() - reschedule if needed, in a loop over records
 *
 * An unconditional cond_resched() for each record would take a tenth of the time; with lockdep,
 * which checks for held locks each time, most of it.
 *
 * Context: process context, may sleep.
 */
static inline void memorizer_may_schedule(void)
{
	if (need_resched())
		cond_resched();
}

#endif /* _MM_MEMORIZER_H */
