// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's hook: find the access entry of (object, ip, pid) on this CPU, and count.
 *
 * Each CPU counts in entries of its own, with one instruction, which interrupts cannot split and
 * no other CPU contends for. The steps, fastest first:
 *
 * - Hit: the thunks find the entry in memorizer_cache, hashed by ip and address. They need neither
 *   index nor object.
 * - Miss: memorizer_access_miss() and memorizer_access_group() find the object in memorizer_found,
 *   hashed by address, or in the index, and the entry in the entry table.
 * - Slow path: memorizer_access() handles everything else: several objects, objects counted by
 *   granule, observers, tracked cache lines, a full batch of the pool, carries.
 *
 * Objects counted by granule are always hidden, so that no fast path matches them.
 *
 * Invariants of the caches:
 *
 * - An entry in memorizer_cache, or an object in memorizer_found, is not reused by the pool. A
 *   match proves that the object is live, because closing an object hides its address: this
 *   invalidates all its entries with a single store.
 *
 * - A slot is written by its own CPU, and by the collector with cmpxchg against what it removes.
 *   No hook can store that again: its object left the index a grace period ago.
 *
 * - While the slow path is forced (slow_path_users), both caches hold only sentinels.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/rwsem.h>
#include <linux/sched.h>

#include "access.h"
#include "entry.h"
#include "entry_table.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "tasks.h"
#include "traffic.h"

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

DEFINE_PER_CPU(u64, memorizer_current_key);

/* The fast paths handle accesses within one block of this size; 0 disables them. */
static unsigned long fast_path_bytes __read_mostly = PAGE_SIZE;

/* Number of reasons to force the slow path. Written under memorizer_rwsem. */
static unsigned int slow_path_users __read_mostly;

/* Do accesses reach the observer? */
bool memorizer_accesses_observed __read_mostly;

/**
 * memorizer_access_init() - allocate the entry table and initialize the caches
 * @reserve: allocates zeroed memory, NULL if there is none
 * @pool_size: size of the pool in bytes
 *
 * Context: boot, once.
 * Return: 0 or -ENOMEM
 */
int memorizer_access_init(void *(*reserve)(size_t size), unsigned long pool_size)
{
	unsigned int i;
	int cpu;

	for_each_possible_cpu(cpu) {
		for (i = 0; i < MEMORIZER_CACHE_SLOTS; i++)
			per_cpu(memorizer_cache, cpu)[i] = &nothing.entry;
		for (i = 0; i < MEMORIZER_FOUND_SLOTS; i++)
			per_cpu(memorizer_found, cpu)[i] = &nothing.object;
	}
	return memorizer_entry_table_init(reserve, pool_size);
}

void __kprobes memorizer_switch_to(const struct task_struct *next)
{
	this_cpu_write(memorizer_current_key, READ_ONCE(next->memorizer_key));
}

static __always_inline void remember_entry(struct memorizer_entry *entry, unsigned long addr)
{
	u32 slot = memorizer_cache_slot(memorizer_entry_ip(entry), addr);

	this_cpu_write(memorizer_cache[slot], entry);
}

static __always_inline void remember_object(struct memorizer_object *object, unsigned long addr)
{
	this_cpu_write(memorizer_found[memorizer_found_slot(addr)], object);
}

/* A group's extent as it is in the word of its entry. */
static __always_inline u64 extent_of(const struct memorizer_group *group)
{
	return (u64)group->extent << 16;
}

static __always_inline void count_lost(unsigned int accesses)
{
	this_cpu_add(memorizer_counters.lost[MEMORIZER_LOST_ENTRY], accesses);
}

/* Count an access if this task is left out or paused. Returns false if it is recorded. */
static __always_inline bool count_unrecorded(unsigned long addr, unsigned int kind)
{
	if (!memorizer_is_left_out() && !memorizer_is_paused())
		return false;
	if (addr - memorizer_index_base >= memorizer_index_bytes)
		this_cpu_add(memorizer_counters.unattributed, memorizer_kind_count(kind));
	else if (memorizer_is_left_out())
		this_cpu_add(memorizer_counters.left_out, memorizer_kind_count(kind));
	else
		this_cpu_add(memorizer_counters.paused, memorizer_kind_count(kind));
	return true;
}

/*
 * The miss: leaf functions, in which only the fallbacks call others, and are not inlined, so that
 * the thunks' callers save few registers.
 */

static __kprobes void take_slow_path(unsigned long addr, unsigned long last, u64 counts, u64 key)
{
	memorizer_access(addr, last - addr + 1, memorizer_counts_kind(counts),
			 memorizer_unpack_ip(key));
}

/* The task is left out or paused; or this is an interrupt's access, which is recorded. */
static noinline __kprobes void access_while_paused(unsigned long addr, unsigned long last,
						   u64 counts, u64 key)
{
	if (!count_unrecorded(addr, memorizer_counts_kind(counts)))
		take_slow_path(addr, last, counts, key);
}

/* The object is known, but a carry is pending or this CPU's batch of free records is empty. */
static noinline __kprobes void access_object(unsigned long addr, struct memorizer_object *object,
					     u64 key, u64 counts)
{
	struct memorizer_entry *entry = memorizer_count(object, key, counts, 0);

	if (!entry) {
		count_lost(memorizer_counts_sum(counts));
		return;
	}
	remember_entry(entry, addr);
	memorizer_settle(entry);
}

/* Count in the object's entry and cache the entry. Returns false if a leaf cannot. */
static __always_inline bool count_in_object(struct memorizer_object *object, u64 key, u64 counts,
					    u64 extent, unsigned long addr)
{
	struct memorizer_entry *entry;

	if (unlikely(!memorizer_add_counts(object, key, counts, extent, true, &entry)))
		return false;
	remember_entry(entry, addr);
	return true;
}

/*
 * Look up the object of an access, or of a group's accesses, in the index, and count. Returns
 * false, with nothing counted, unless one object or one free slot contains all of them, or the
 * page never held an object.
 */
static __always_inline bool count_in_page(unsigned long addr, unsigned long last, u64 key,
					  u64 counts, u64 extent, unsigned int accesses)
{
	struct memorizer_object *object;
	const u32 *place;
	u32 word, id;
	u64 slot;

	if (unlikely((addr ^ last) >= READ_ONCE(fast_path_bytes)))
		return false;
	place = memorizer_find_word(addr);
	word = place ? READ_ONCE(*place) : 0;
	id = memorizer_object_at(word, addr, &slot);
	if (likely(id)) {
		object = memorizer_ptr(id);
		if (unlikely(!memorizer_object_has(object, addr, last) ||
			     !count_in_object(object, key, counts, extent, addr)))
			return false;
		remember_object(object, addr);
		return true;
	}
	if (!word)
		remember_object(&memorizer_no_object, addr);
	else if (unlikely(!memorizer_in_slot(word, slot, last)))
		return false;
	this_cpu_add(memorizer_counters.unattributed, accesses);
	return true;
}

static noinline __kprobes void access_in_page(unsigned long addr, unsigned long last, u64 counts,
					      u64 key)
{
	if (!count_in_page(addr, last, key, counts, 0, memorizer_counts_sum(counts)))
		take_slow_path(addr, last, counts, key);
}

/**
 * memorizer_access_miss() - count an access whose entry is not in the cache
 * @object: what memorizer_found has for @addr
 * @last: address of its last byte; the access has 1 to 16 bytes
 * @counts: memorizer_kind_counts() of its kind
 * @addr: address of its first byte
 * @key: memorizer_key() of its ip and the task; bit 63 is clear if the task is paused
 *
 * Counts like memorizer_access(), but faster.
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_access_miss(struct memorizer_object *object, unsigned long last,
				     u64 counts, unsigned long addr, u64 key)
{
	if (unlikely(!(key >> 63)))
		access_while_paused(addr, last, counts, key);
	else if (!memorizer_object_has(object, addr, last))
		access_in_page(addr, last, counts, key);
	else if (unlikely(!count_in_object(object, key, counts, 0, addr)))
		access_object(addr, object, key, counts);
}

/* Count a group's accesses one by one: no single object contains them, or one entry cannot. */
static noinline __kprobes void access_members(unsigned long addr,
					      const struct memorizer_group *group)
{
	const struct memorizer_member *member;
	unsigned int i;

	for (i = 0; i < group->members; i++) {
		member = &group->member[i];
		memorizer_access(addr + member->offset, member->size, member->kind,
				 memorizer_unpack_ip(memorizer_member_ip(member)));
	}
}

/* One object may contain the group, but counting it is more than a leaf can do. */
static noinline __kprobes void access_group_slowly(unsigned long addr,
						   const struct memorizer_group *group, u64 key)
{
	struct memorizer_object *object;
	struct memorizer_entry *entry;
	unsigned long next;
	u32 id;

	if (addr % PAGE_SIZE + group->extent > READ_ONCE(fast_path_bytes))
		goto members;
	id = memorizer_index_lookup(addr, &next);
	object = memorizer_ptr(id);
	if (!id || !memorizer_object_contains(object, addr, group->extent))
		goto members;
	entry = memorizer_count(object, key, 1, extent_of(group));
	/* The pool is full, but the members may have entries already. */
	if (!entry)
		goto members;
	remember_entry(entry, addr);
	remember_object(object, addr);
	memorizer_settle(entry);
	return;
members:
	access_members(addr, group);
}

static noinline __kprobes void access_group_in_page(unsigned long addr,
						    const struct memorizer_group *group, u64 key)
{
	if (!count_in_page(addr, addr + group->extent - 1, key, 1, extent_of(group),
			   group->accesses))
		access_group_slowly(addr, group, key);
}

/**
 * memorizer_access_group() - count the accesses of a group whose entry is not in the cache
 * @addr: address of their first byte
 * @group: the group
 * @key: memorizer_key() of the group's address, in place of an ip, and the task
 * @object: what memorizer_found has for @addr
 *
 * Counts like memorizer_access() for each member. One entry counts them all if one object contains
 * them all; readers of the counts divide it up again.
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_access_group(unsigned long addr, const struct memorizer_group *group,
				      u64 key, struct memorizer_object *object)
{
	if (unlikely(!(key >> 63)))
		access_members(addr, group);
	else if (!memorizer_object_contains(object, addr, group->extent) ||
		 unlikely(!count_in_object(object, key, 1, extent_of(group), addr)))
		access_group_in_page(addr, group, key);
}

/*
 * The slow path.
 */

/* Count the part of an access from @addr on that is in the object, in a wide entry. */
static __kprobes bool count_granules(struct memorizer_object *object, unsigned long addr,
				     unsigned long size, unsigned int kind, unsigned long ip)
{
	u64 key = memorizer_key(memorizer_pack_ip(ip), current->pid | MEMORIZER_BY_GRANULE);
	unsigned long first = addr - memorizer_object_va(object);
	unsigned long last = first + min(size, object->size - first) - 1;

	return memorizer_count_wide(object, key, memorizer_granules(first, last),
				    kind & MEMORIZER_READ, kind / MEMORIZER_WRITE);
}

static __kprobes bool count_whole(struct memorizer_object *object, unsigned long addr,
				  unsigned long size, unsigned int kind, unsigned long ip)
{
	u64 key = memorizer_key(memorizer_pack_ip(ip), current->pid);
	struct memorizer_entry *entry;

	entry = memorizer_count(object, key, memorizer_kind_counts(kind), 0);
	if (!entry)
		return false;
	if (!READ_ONCE(slow_path_users)) {
		/* The thunks look only for accesses of fixed size. */
		if (size <= MEMORIZER_FIXED_MAX)
			remember_entry(entry, addr);
		remember_object(object, addr);
	}
	memorizer_settle(entry);
	return true;
}

/* Count an access to one object, of which it may access only a part. */
static __kprobes void count_access(u32 id, unsigned long addr, unsigned long size,
				   unsigned int kind, unsigned long ip)
{
	struct memorizer_object *object = memorizer_ptr(id);
	bool counted;

	if (unlikely(memorizer_counts_granules(object)))
		counted = count_granules(object, addr, size, kind, ip);
	else
		counted = count_whole(object, addr, size, kind, ip);
	if (!counted)
		count_lost(memorizer_kind_count(kind));
}

/**
 * memorizer_access() - count an access
 * @addr: address of its first byte
 * @size: its size in bytes; nothing is counted for 0
 * @kind: an enum memorizer_kind
 * @ip: address of the instruction after the site
 *
 * Counts the access once in each live object that it touches.
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_access(unsigned long addr, unsigned long size, unsigned int kind,
				unsigned long ip)
{
	struct memorizer_object *object;
	unsigned long start = addr, next;
	struct memorizer_entry *entry;
	bool attributed = false;
	u32 id;

	if (!size)
		return;
	if (count_unrecorded(addr, kind))
		return;
	/* Accesses of variable size come here first. While observed, the cache is empty. */
	object = this_cpu_read(memorizer_found[memorizer_found_slot(addr)]);
	if (memorizer_object_contains(object, addr, size) &&
	    memorizer_add_counts(object, memorizer_key(memorizer_pack_ip(ip), current->pid),
				 memorizer_kind_counts(kind), 0, true, &entry))
		return;
	if (memorizer_observes_accesses())
		memorizer_observer_access(addr, size, kind, ip);
	do {
		id = memorizer_index_lookup(addr, &next);
		if (id) {
			attributed = true;
			count_access(id, addr, size - (addr - start), kind, ip);
		}
		addr = next;
	} while (addr - start < size);
	if (!attributed)
		this_cpu_add(memorizer_counters.unattributed, memorizer_kind_count(kind));
	else if (memorizer_tracks_lines())
		memorizer_traffic(start, size, kind, ip);
}

/**
 * memorizer_count_traffic() - count an access that moves a cache line
 * @id: id of the object
 * @kind: MEMORIZER_READ or MEMORIZER_WRITE
 * @ip: address of the instruction after the site
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_count_traffic(u32 id, unsigned int kind, unsigned long ip)
{
	u64 key = memorizer_key(memorizer_pack_ip(ip) & ~MEMORIZER_ACCESS_IP, current->pid);
	struct memorizer_entry *entry;

	entry = memorizer_count(memorizer_ptr(id), key, memorizer_kind_counts(kind), 0);
	if (!entry) {
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_TRAFFIC]);
		return;
	}
	this_cpu_inc(memorizer_counters.traffic);
	memorizer_settle(entry);
}

/*
 * Emptying the caches.
 */

/**
 * memorizer_access_collect() - unlink the entries of CLEARED and RETIRED objects
 *
 * The pool must not reuse the entries before a grace period has passed.
 *
 * Context: process context, under memorizer_rwsem, for writing, a grace period after the objects
 *	left the index.
 */
void memorizer_access_collect(void)
{
	struct memorizer_object **found, *object;
	struct memorizer_entry **cache, *entry;
	unsigned int i;
	int cpu;

	memorizer_collect_entries();
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

/* Wait for all running hooks and thunks. */
static void wait_for_hooks(void)
{
	/* At boot there are no other CPUs and no stopper threads yet. */
	if (system_state != SYSTEM_BOOTING)
		memorizer_grace_period();
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
	WRITE_ONCE(slow_path_users, slow_path_users + 1);
	if (slow_path_users == 1) {
		/* Stop filling memorizer_found, then filling memorizer_cache from it. */
		WRITE_ONCE(fast_path_bytes, 0);
		wait_for_hooks();
		empty_found();
		wait_for_hooks();
		WRITE_ONCE(memorizer_thunk_end, ULONG_MAX);
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
	last = slow_path_users == 1;
	if (last)
		WRITE_ONCE(memorizer_thunk_end, memorizer_index_base + memorizer_index_bytes);
	wait_for_hooks();
	if (last)
		WRITE_ONCE(fast_path_bytes, PAGE_SIZE);
	WRITE_ONCE(slow_path_users, slow_path_users - 1);
	up_write(&memorizer_rwsem);
}

/**
 * memorizer_observe_accesses() - switch the observer's access events
 * @on: true to pass accesses to the observer
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_observe_accesses(bool on)
{
	if (on) {
		WRITE_ONCE(memorizer_accesses_observed, true);
		memorizer_slow_path_begin();
	} else {
		memorizer_slow_path_end();
		WRITE_ONCE(memorizer_accesses_observed, false);
	}
}
