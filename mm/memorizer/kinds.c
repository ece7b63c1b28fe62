// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's kinds of objects: switch what the allocators' hooks record.
 *
 * Objects that are recorded are followed to their end even while recording is off. Otherwise,
 * accesses to their successors in memory would be counted as theirs. When a kind is switched off,
 * its objects end.
 */
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/memorizer.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rwsem.h>

#include "announce.h"
#include "caches.h"
#include "hooks.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "user.h"
#include "variables.h"

DEFINE_STATIC_KEY_FALSE(memorizer_tracking);

/* Serializes the selection of kinds. Taken before memorizer_rwsem. */
static DEFINE_MUTEX(kinds_mutex);

/* Changed under memorizer_rwsem. */
static bool enabled;
static unsigned int kinds = BIT(MEMORIZER_KIND_SLAB);

static void switch_slab(bool on)
{
	unsigned int what = MEMORIZER_RECORD_ALL;

	if (memorizer_announces)
		what |= MEMORIZER_DO_ANNOUNCE;
	/* MEMORIZER_DO_FOLLOW stays: frees of recorded objects must be seen. */
	memorizer_switch_hooks(on ? what : MEMORIZER_DO_RECORD, on);
}

static void switch_pages(bool on)
{
	memorizer_switch_pages(on ? MEMORIZER_RECORD_ALL : MEMORIZER_DO_RECORD, on);
}

static void switch_kinds(void)
{
	/* Before the first object: no slab with objects is freed without its hook. */
	if (enabled)
		static_branch_enable(&memorizer_tracking);
	if (enabled && kinds & MEMORIZER_FAR_KINDS)
		memorizer_reach_far(true);
	if (enabled)
		memorizer_insert_variables(kinds);
	switch_slab(enabled && kinds & BIT(MEMORIZER_KIND_SLAB));
	switch_pages(enabled && kinds & BIT(MEMORIZER_KIND_PAGES));
	memorizer_switch_kinds(enabled ? kinds : 0);
}

/**
 * memorizer_set_enabled() - switch the recording of new objects
 * @on: true to record them
 *
 * Context: process context, may sleep.
 * Return: 0, or -ENOMEM if there is no pool
 */
int memorizer_set_enabled(bool on)
{
	if (on && !memorizer_pool_size())
		return -ENOMEM;
	down_write(&memorizer_rwsem);
	WRITE_ONCE(enabled, on);
	switch_kinds();
	up_write(&memorizer_rwsem);
	return 0;
}

/**
 * memorizer_is_enabled() - test whether new objects are recorded
 *
 * Return: true if they are
 */
bool memorizer_is_enabled(void)
{
	return READ_ONCE(enabled);
}

static bool is_of(const struct memorizer_object *object, unsigned int which)
{
	return which & BIT(memorizer_object_kind(object));
}

/* Close the live objects of some kinds. */
static void close_kinds(unsigned int which)
{
	struct memorizer_object *object;
	unsigned long pos = 0;

	while ((object = memorizer_object_from(&pos))) {
		preempt_disable_notrace();
		if (is_of(object, which) &&
		    memorizer_object_close(memorizer_id(object), MEMORIZER_FREED))
			this_cpu_inc(memorizer_counters.frees);
		preempt_enable_notrace();
		memorizer_may_schedule();
	}
}

/* Remove the closed objects of some kinds from the index. */
static void unlink_kinds(unsigned int which)
{
	struct memorizer_object *object;
	unsigned long pos = 0;

	while ((object = memorizer_object_from(&pos))) {
		preempt_disable_notrace();
		if (is_of(object, which) && READ_ONCE(object->state) == MEMORIZER_FREED)
			memorizer_index_remove(memorizer_id(object));
		preempt_enable_notrace();
		memorizer_may_schedule();
	}
}

/* Clear flags of the hooks of some kinds, and wait for the hooks that saw them set. */
static void clear_flags(unsigned int which, unsigned int flags)
{
	if (which & BIT(MEMORIZER_KIND_SLAB))
		memorizer_switch_hooks(flags, false);
	if (which & BIT(MEMORIZER_KIND_PAGES))
		memorizer_switch_pages(flags, false);
	memorizer_clear_kinds(which, flags);
	memorizer_grace_period();
}

/* End the objects of some kinds. */
static void end_kinds(unsigned int which)
{
	clear_flags(which, MEMORIZER_DO_RECORD);
	/* Until they are closed, their frees must not be missed. */
	close_kinds(which);
	clear_flags(which, MEMORIZER_DO_FOLLOW);
	/* No hook that saw an area live puts a slab on it any more. */
	unlink_kinds(which);
	memorizer_remove_variables(which);
}

static void select_kinds(unsigned int new)
{
	unsigned int old;

	down_write(&memorizer_rwsem);
	old = kinds;
	WRITE_ONCE(kinds, new);
	if (old & ~new)
		end_kinds(old & ~new);
	if (!(new & MEMORIZER_FAR_KINDS))
		memorizer_reach_far(false);
	switch_kinds();
	up_write(&memorizer_rwsem);
}

/**
 * memorizer_set_kinds() - select the kinds of objects to record
 * @new: a bit for each enum memorizer_object_kind, of MEMORIZER_KINDS_BUILT_IN
 *
 * Allocations from now on are recorded of a kind that is new. The objects of a kind that is no
 * longer selected end; they are shown as freed until they are cleared.
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, or -ENOMEM, which changes nothing
 */
int memorizer_set_kinds(unsigned int new)
{
	int err;

	mutex_lock(&kinds_mutex);
	/* First: this can fail. It patches sites, which waits for all CPUs. */
	err = memorizer_switch_optional(new & BIT(MEMORIZER_KIND_USER),
					new & BIT(MEMORIZER_KIND_PERCPU));
	if (!err)
		select_kinds(new);
	mutex_unlock(&kinds_mutex);
	return err;
}

/**
 * memorizer_get_kinds() - get the selected kinds of objects
 *
 * Return: a bit for each enum memorizer_object_kind
 */
unsigned int memorizer_get_kinds(void)
{
	return READ_ONCE(kinds);
}

/**
 * memorizer_observe_allocations() - switch the observer's allocation events
 * @on: true to pass allocations and frees to the observer
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_observe_allocations(bool on)
{
	down_write(&memorizer_rwsem);
	memorizer_switch_hooks(MEMORIZER_DO_OBSERVE, on);
	memorizer_switch_pages(MEMORIZER_DO_OBSERVE, on);
	memorizer_observe_kinds(on);
	if (on)
		static_branch_enable(&memorizer_tracking);
	else
		/* Wait for hooks that saw it on; preempted ones may still come. */
		memorizer_grace_period();
	up_write(&memorizer_rwsem);
}
