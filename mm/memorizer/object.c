// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's objects: the allocator's hooks, and an object's way from
 * allocation to free to being cleared.
 *
 * Hooks run in any context and take no lock. An object is LIVE from the moment
 * that its record is complete; who takes it out of the index, or is about to, closes
 * it; and whoever comes to close it has it match no access any more. Closed
 * objects stay until memorizer_clear(), or until the observer retires them
 * (memorizer_retire()). Records are given back in this order only:
 *
 *	1. closed objects become CLEARED, or RETIRED: no longer shown.
 *	2. grace period: hooks that found such an object in the index while it
 *	   was live are done, so that no entry is added to it any more.
 *	3. its entries leave the CPUs' hash chains and caches.
 *	4. grace period: hooks that found such an entry are done.
 *	5. objects, entries and slab records go back to the pool; if it ran out
 *	   of room, blocks that are free now are for any of them.
 *
 * A grace period waits for every section with preemption disabled, idle code
 * and interrupts included, because a hook is such a section.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/memorizer.h>
#include <linux/rwsem.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "announce.h"
#include "index.h"
#include "memorizer.h"
#include "observer.h"

DEFINE_STATIC_KEY_FALSE(memorizer_tracking);

DEFINE_PER_CPU(struct memorizer_counters, memorizer_counters);

/* Had for reading the records, and by one alone for switching, clearing and retiring. */
DECLARE_RWSEM(memorizer_rwsem);
struct memorizer_cleared memorizer_cleared;
struct memorizer_retired memorizer_retired;

/* What the hooks have to do. Written under memorizer_rwsem. */
u8 memorizer_hooks __read_mostly;

/* When all new objects are recorded, and nobody else is told of them. */
#define RECORD_ALL	(MEMORIZER_DO_RECORD | MEMORIZER_DO_FOLLOW)

/* Describes a new object, which nobody sees yet. */
static __always_inline void describe(struct memorizer_object *object, unsigned long va,
				     size_t size, bool by_granule, unsigned long ip)
{
	WRITE_ONCE(object->entries, 0);
	WRITE_ONCE(object->at, memorizer_hide(va));
	WRITE_ONCE(object->size, size);
	memorizer_set_alloc_jiffies(object, jiffies);
	object->alloc_ip = memorizer_pack_ip(ip);
	WRITE_ONCE(object->free_ip, 0);
	WRITE_ONCE(object->who, current->pid | (by_granule ? MEMORIZER_BY_GRANULE : 0));
	memcpy(object->comm, current->comm, sizeof(object->comm));
}

/* Returns the id of a complete object that nobody sees yet. */
static u32 make_object(unsigned long va, size_t size, bool by_granule, unsigned long ip)
{
	void *record;
	u32 id;

	id = memorizer_pool_take(MEMORIZER_OBJECT, sizeof(struct memorizer_object), &record);
	if (unlikely(!id)) {
		id = memorizer_pool_alloc(MEMORIZER_OBJECT);
		if (!id)
			return 0;
		record = memorizer_ptr(id);
	}
	describe(record, va, size, by_granule, ip);
	return id;
}

/* An allocation that is not recorded takes its place all the same. */
static void make_room(unsigned long va)
{
	u32 id = memorizer_index_erase(va);

	if (id)
		memorizer_object_bury(id);
}

static void lose_alloc(unsigned long va, enum memorizer_loss why)
{
	make_room(va);
	this_cpu_inc(memorizer_counters.lost[why]);
}

/* The object is in the index: hooks find it there, not before it is live. */
static __always_inline void make_live(struct memorizer_object *object, unsigned long va,
				      bool by_granule)
{
	if (likely(!by_granule))
		WRITE_ONCE(object->at, va);
	/* Readers of the KMAP see it, and hooks if it is counted by granule. */
	smp_store_release(&object->state, MEMORIZER_LIVE);
	this_cpu_inc(memorizer_counters.allocs);
}

static void record_alloc(const void *ptr, size_t size, bool by_granule, unsigned long ip)
{
	unsigned long va = (unsigned long)ptr;
	struct memorizer_geometry geo;
	u32 id;
	int err;

	if (size > U32_MAX) {
		lose_alloc(va, MEMORIZER_LOST_RANGE);
		return;
	}
	memorizer_geometry(ptr, size, &geo);
	id = make_object(va, size, by_granule, ip);
	if (!id) {
		lose_alloc(va, MEMORIZER_LOST_OBJECT);
		return;
	}
	err = memorizer_index_insert(&geo, va, id);
	if (err) {
		memorizer_pool_free(MEMORIZER_OBJECT, id);
		lose_alloc(va, err == -ERANGE ? MEMORIZER_LOST_RANGE : MEMORIZER_LOST_INDEX);
		return;
	}
	make_live(memorizer_ptr(id), va, by_granule);
	memorizer_announce_object(id);
}

/* Ends what record_in_slab() began, where an object was known. */
static noinline void bury_below(u32 id, struct memorizer_object *object, unsigned long va)
{
	memorizer_object_bury(id);
	make_live(object, va, false);
	preempt_enable_notrace();
}

/* Is the running task paused? Perhaps this is an interrupt. */
static __always_inline bool may_be_paused(void)
{
	return unlikely(this_cpu_read(memorizer_current_key) >> 32 & MEMORIZER_PAUSES);
}

/* Records an object if little is to be done for it, see memorizer_has_slot(). */
static __always_inline bool record_in_slab(unsigned long va, size_t size, bool crosses,
					   unsigned long ip)
{
	u32 id, old, *slot;
	void *record;

	preempt_disable_notrace();
	if (unlikely(!memorizer_has_slot(va, va + size - 1, crosses, &slot)))
		goto failed;
	id = memorizer_pool_take(MEMORIZER_OBJECT, sizeof(struct memorizer_object), &record);
	if (unlikely(!id))
		goto failed;
	describe(record, va, size, false, ip);
	old = xchg(slot, id);
	if (unlikely(old)) {
		bury_below(old, record, va);
		return true;
	}
	make_live(record, va, false);
	preempt_enable_notrace();
	return true;
failed:
	preempt_enable_notrace();
	return false;
}

/* Records an object that lies across pages, or for which more is to be done. */
static noinline void record_elsewhere(const void *ptr, size_t size, unsigned long ip)
{
	unsigned long va = (unsigned long)ptr;

	if (memorizer_crosses(va, va + size - 1) && record_in_slab(va, size, true, ip))
		return;
	preempt_disable_notrace();
	record_alloc(ptr, size, false, ip);
	preempt_enable_notrace();
}

/* Records an object, of which all accesses are counted wherever they are. */
static noinline void record_object(const void *ptr, size_t size, unsigned long ip)
{
	unsigned long va = (unsigned long)ptr;

	if (memorizer_crosses(va, va + size - 1) || !record_in_slab(va, size, false, ip))
		record_elsewhere(ptr, size, ip);
}

/* Records an object, or not, in the way that is chosen for it. */
static void choose_alloc(const void *ptr, size_t size, unsigned long ip)
{
	unsigned int chosen = BIT(MEMORIZER_RECORDED);

	preempt_disable_notrace();
	if (READ_ONCE(memorizer_hooks) & MEMORIZER_DO_CHOOSE)
		chosen = memorizer_choose_object(ptr, ip);
	if (!(chosen & BIT(MEMORIZER_RECORDED))) {
		make_room((unsigned long)ptr);
		this_cpu_inc(memorizer_counters.allocs_left_out);
	} else if (chosen & BIT(MEMORIZER_FIELDS) || memorizer_announces) {
		record_alloc(ptr, size, chosen & BIT(MEMORIZER_FIELDS), ip);
	} else {
		record_object(ptr, size, ip);
	}
	preempt_enable_notrace();
}

/* Whatever there is to be done, but not to tell the observer. */
static noinline void alloc_in_general(const void *ptr, size_t size, unsigned long ip)
{
	if (!memorizer_is_enabled())
		return;
	if (memorizer_is_paused())
		this_cpu_inc(memorizer_counters.paused);
	else
		choose_alloc(ptr, size, ip);
}

/* Likewise, and before that the observer is told, if it is to be. */
static noinline void tell_and_alloc(const void *ptr, size_t size, unsigned long ip,
				    enum memorizer_source source, gfp_t gfp)
{
	if (memorizer_tells_allocations())
		memorizer_observer_alloc(ptr, size, ip, source, gfp);
	alloc_in_general(ptr, size, ip);
}

void __memorizer_alloc(const void *ptr, size_t size, unsigned long ip,
		       enum memorizer_source source, gfp_t gfp)
{
	u8 hooks = READ_ONCE(memorizer_hooks);

	if (ZERO_OR_NULL_PTR(ptr))
		return;
	if (hooks == MEMORIZER_DO_TELL)
		memorizer_observer_alloc(ptr, size, ip, source, gfp);
	else if (unlikely(hooks != RECORD_ALL) || may_be_paused())
		tell_and_alloc(ptr, size, ip, source, gfp);
	else
		record_object(ptr, size, ip);
}

/* Ends a live object's life, its entries stop to match; false if it has ended already. */
static bool close_object(u32 id, enum memorizer_state state)
{
	struct memorizer_object *object = memorizer_ptr(id);
	u8 was = READ_ONCE(object->state);

	if (was == MEMORIZER_LIVE) {
		memorizer_set_free_jiffies(object, jiffies);
		was = cmpxchg(&object->state, MEMORIZER_LIVE, state);
	}
	/*
	 * Whoever comes second has it match no more, too: the first one may not have got here,
	 * and what the second one allocates may be accessed next.
	 */
	if (was != MEMORIZER_UNUSED)
		WRITE_ONCE(object->at, memorizer_hide(memorizer_object_va(object)));
	if (was != MEMORIZER_LIVE)
		return false;
	memorizer_announce_end(id);
	return true;
}

/**
 * memorizer_object_bury() - close an object that another one now lies over
 * @id: the object
 *
 * Context: any, NMI included, with preemption disabled.
 */
void memorizer_object_bury(u32 id)
{
	if (close_object(id, MEMORIZER_BURIED))
		this_cpu_inc(memorizer_counters.buried);
}

static void end_object(unsigned long va, unsigned long ip)
{
	u32 id = memorizer_index_erase(va);
	struct memorizer_object *object = memorizer_ptr(id);

	if (id && !object->free_ip)
		WRITE_ONCE(object->free_ip, memorizer_pack_ip(ip));
	if (id && close_object(id, MEMORIZER_FREED))
		this_cpu_inc(memorizer_counters.frees);
	else
		this_cpu_inc(memorizer_counters.unknown_frees);
}

/* Ends the life of any object, if there can be one. */
static noinline void free_in_general(const void *ptr, unsigned long ip)
{
	if (!(READ_ONCE(memorizer_hooks) & MEMORIZER_DO_FOLLOW))
		return;
	preempt_disable_notrace();
	end_object((unsigned long)ptr, ip);
	preempt_enable_notrace();
}

/* Likewise, and before that the observer is told, if it is to be. */
static noinline void tell_and_free(const void *ptr, unsigned long ip, enum memorizer_source source)
{
	if (memorizer_tells_allocations())
		memorizer_observer_free(ptr, ip, source);
	free_in_general(ptr, ip);
}

/*
 * Ends the life of an object that is a slab's: as memorizer_index_erase() and close_object()
 * do. False if it is none, or not live; then nothing was done.
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
	if (unlikely(!id || READ_ONCE(object->at) != va || READ_ONCE(object->state) != state))
		return false;
	if (unlikely(!try_cmpxchg(&slab->object[slot], &id, 0)))
		return false;
	if (likely(!object->free_ip))
		WRITE_ONCE(object->free_ip, memorizer_pack_ip(ip));
	memorizer_set_free_jiffies(object, jiffies);
	if (likely(try_cmpxchg(&object->state, &state, MEMORIZER_FREED)))
		this_cpu_inc(memorizer_counters.frees);
	else
		this_cpu_inc(memorizer_counters.unknown_frees);
	WRITE_ONCE(object->at, memorizer_hide(va));
	return true;
}

/* Ends the life of any object that was recorded. */
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
	if (hooks == MEMORIZER_DO_TELL)
		memorizer_observer_free(ptr, ip, source);
	else if (unlikely(hooks & (MEMORIZER_DO_TELL | MEMORIZER_DO_ANNOUNCE)))
		tell_and_free(ptr, ip, source);
	else
		end_recorded(ptr, ip);
}

void __memorizer_slab_free(const void *start)
{
	preempt_disable_notrace();
	memorizer_index_end_slab((unsigned long)start);
	preempt_enable_notrace();
}

void __memorizer_freeing(const void *ptr, unsigned long ip)
{
	struct memorizer_object *object;
	unsigned long unused;
	u32 id;

	if (ZERO_OR_NULL_PTR(ptr))
		return;
	preempt_disable_notrace();
	id = memorizer_index_lookup((unsigned long)ptr, &unused);
	if (id) {
		object = memorizer_ptr(id);
		WRITE_ONCE(object->free_ip, memorizer_pack_ip(ip));
	}
	preempt_enable_notrace();
}

/**
 * memorizer_switch_hooks() - change what the allocator's hooks do
 * @what: MEMORIZER_DO_RECORD or another bit, or several
 * @on: whether they are to do that
 *
 * Context: process context, under memorizer_rwsem, for writing; or boot, one CPU.
 */
void memorizer_switch_hooks(unsigned int what, bool on)
{
	WRITE_ONCE(memorizer_hooks, (memorizer_hooks & ~what) | (on ? what : 0));
}

/**
 * memorizer_set_enabled() - switch the recording of new objects
 * @on: whether they are to be recorded
 *
 * Objects that are recorded already are followed to their end in any case:
 * otherwise accesses to whatever comes to lie there would be counted as theirs.
 *
 * Context: process context, may sleep.
 * Return: 0, or -ENOMEM if there is no pool
 */
int memorizer_set_enabled(bool on)
{
	unsigned int what = RECORD_ALL;

	if (on && !memorizer_pool_size())
		return -ENOMEM;
	down_write(&memorizer_rwsem);
	if (on) {
		/* Before the first object: none of its slabs goes without its hook. */
		static_branch_enable(&memorizer_tracking);
		if (memorizer_announces)
			what |= MEMORIZER_DO_ANNOUNCE;
		memorizer_switch_hooks(what, true);
	} else {
		memorizer_switch_hooks(MEMORIZER_DO_RECORD, false);
	}
	up_write(&memorizer_rwsem);
	return 0;
}

/**
 * memorizer_is_enabled() - are new objects recorded?
 *
 * Return: true if they are
 */
bool memorizer_is_enabled(void)
{
	return READ_ONCE(memorizer_hooks) & MEMORIZER_DO_RECORD;
}

/* Takes all closed objects out of sight, but for those whose lines somebody is at. */
static void clear_objects(void)
{
	struct memorizer_object *object;
	unsigned long pos = 0;
	u32 state;

	while ((object = memorizer_object_from(&pos))) {
		state = READ_ONCE(object->state);
		if ((state == MEMORIZER_FREED || state == MEMORIZER_BURIED) &&
		    !memorizer_is_pinned(object))
			WRITE_ONCE(object->state, MEMORIZER_CLEARED);
		memorizer_may_schedule();
	}
}

/* Gives all objects that are out of sight to the pool. */
static void recycle_objects(void)
{
	struct memorizer_object *object;
	unsigned long pos = 0;
	u32 state;

	while ((object = memorizer_object_from(&pos))) {
		state = READ_ONCE(object->state);
		if (state < MEMORIZER_CLEARED)
			continue;
		WRITE_ONCE(object->state, MEMORIZER_UNUSED);
		memorizer_pool_give(MEMORIZER_OBJECT, memorizer_id(object));
		if (state == MEMORIZER_CLEARED)
			memorizer_cleared.objects++;
		memorizer_may_schedule();
	}
}

/* Steps 2 to 5; under memorizer_rwsem, for writing. */
static void give_back(void)
{
	memorizer_index_collect();
	memorizer_grace_period();

	memorizer_access_collect();
	memorizer_grace_period();

	recycle_objects();
	memorizer_index_recycle();
	memorizer_pool_give_back();
	memorizer_pool_reclaim();
}

/**
 * memorizer_clear() - forget all objects that are no longer live
 *
 * Context: process context, may sleep.
 */
void memorizer_clear(void)
{
	if (!memorizer_pool_size())
		return;
	down_write(&memorizer_rwsem);
	memorizer_cleared.clearings++;
	clear_objects();
	give_back();
	up_write(&memorizer_rwsem);
}

/**
 * memorizer_retire() - take a closed object out of the KMAP, for the observer
 * @object: the object, which was closed a grace period ago
 *
 * Its lines stay, for the observer to take them, until memorizer_let_go().
 *
 * Nobody else may be at them: see memorizer_is_pinned().
 *
 * Context: process context, may sleep, under memorizer_rwsem, for writing.
 */
void memorizer_retire(struct memorizer_object *object)
{
	const struct memorizer_entry *entry;
	u32 id;

	WRITE_ONCE(object->state, MEMORIZER_LEAVING);
	memorizer_retired.objects++;
	for (id = READ_ONCE(object->entries); id; id = READ_ONCE(entry->link)) {
		entry = memorizer_ptr(id);
		memorizer_retired.accesses += memorizer_entry_accesses(entry);
		memorizer_may_schedule();
	}
}

/**
 * memorizer_let_go() - say that the observer has all of an object
 * @object: the object, which was retired
 *
 * memorizer_give_back() gives its records back to the pool.
 *
 * Context: process context.
 */
void memorizer_let_go(struct memorizer_object *object)
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
	up_write(&memorizer_rwsem);
}

/**
 * memorizer_has_closed() - are there objects that are no longer live?
 *
 * Context: process context.
 * Return: false if there are none that were closed before the call
 */
bool memorizer_has_closed(void)
{
	u64 closed = 0;
	bool any;
	int cpu;

	down_read(&memorizer_rwsem);
	for_each_possible_cpu(cpu)
		closed += READ_ONCE(per_cpu(memorizer_counters, cpu).frees) +
			READ_ONCE(per_cpu(memorizer_counters, cpu).buried);
	any = closed != memorizer_cleared.objects + memorizer_retired.objects;
	up_read(&memorizer_rwsem);
	return any;
}
