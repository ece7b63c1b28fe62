// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's hook: find the access entry of (object, ip, pid) on this CPU, and count.
 *
 * Each CPU counts in entries of its own, with one instruction, which interrupts cannot split and
 * no other CPU contends for. The steps, fastest first:
 *
 * - Hit: the thunks find the entry in memorizer_cache (caches.h), hashed by ip and address. They
 *   need neither index nor object.
 * - Miss: memorizer_access_miss() and memorizer_access_group() find the object in memorizer_found,
 *   hashed by address, or in the index, and the entry in the entry table.
 * - Slow path: memorizer_access() handles everything else: several objects, objects counted by
 *   granule, observers, tracked cache lines, an empty batch of the pool, carries.
 *
 * Objects counted by granule are always hidden, so that no fast path matches them; areas are once
 * other objects lie in them.
 */
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/rwsem.h>
#include <linux/sched.h>

#include "access.h"
#include "caches.h"
#include "entry.h"
#include "entry_table.h"
#include "index.h"
#include "lazy.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "regions.h"
#include "tasks.h"
#include "traffic.h"

/* Do accesses reach the observer? */
bool memorizer_accesses_observed __read_mostly;

/* A group's extent, at its place in the word of an entry. */
static __always_inline u64 extent_of(const struct memorizer_group *group)
{
	return (u64)group->extent << 16;
}

static __always_inline void count_lost(unsigned int accesses)
{
	this_cpu_add(memorizer_counters.lost[MEMORIZER_LOST_ENTRY], accesses);
}

/* May an object lie at the address? The thunks skip what lies above the direct map. */
static __always_inline bool may_have_object(unsigned long addr)
{
	unsigned long unused;

	return addr - memorizer_index_base < memorizer_index_bytes ||
		(READ_ONCE(memorizer_reaches_far) && memorizer_root_slot(addr, &unused));
}

/* Count accesses to no object. */
static __always_inline void count_unattributed(unsigned long addr, u64 accesses)
{
	this_cpu_add(memorizer_counters.unattributed, accesses);
	/* Pairs with smp_rmb() in memorizer_sum_unattributed(): the total is never too small. */
	smp_wmb();
	memorizer_count_region(addr, accesses);
}

/* Count an access if this task is left out or paused. Returns false if it is recorded. */
static __always_inline bool count_unrecorded(unsigned long addr, unsigned int kind)
{
	if (!memorizer_is_left_out() && !memorizer_is_paused())
		return false;
	/* For every task alike: the thunks count these without looking at the task. */
	if (!may_have_object(addr))
		count_unattributed(addr, memorizer_kind_count(kind));
	else if (memorizer_is_left_out())
		this_cpu_add(memorizer_counters.left_out, memorizer_kind_count(kind));
	else
		this_cpu_add(memorizer_counters.paused, memorizer_kind_count(kind));
	return true;
}

/*
 * The miss: leaf functions with few registers to save. Only their fallbacks call other functions,
 * so these are noinline.
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
	memorizer_cache_entry(entry, addr);
	memorizer_settle(entry);
}

/* Count in the object's entry and cache the entry. Returns false if a leaf cannot. */
static __always_inline bool count_in_object(struct memorizer_object *object, u64 key, u64 counts,
					    u64 extent, unsigned long addr)
{
	struct memorizer_entry *entry;

	if (unlikely(!memorizer_add_counts(object, key, counts, extent, true, &entry)))
		return false;
	memorizer_cache_entry(entry, addr);
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

	/* Bytes in two pages may belong to two objects. With a limit of 0, this is always true. */
	if (unlikely((addr ^ last) >= READ_ONCE(memorizer_fast_path_bytes)))
		return false;
	place = memorizer_find_word(addr);
	word = place ? READ_ONCE(*place) : 0;
	id = memorizer_object_at(word, addr, &slot);
	if (likely(id)) {
		object = memorizer_ptr(id);
		if (unlikely(!memorizer_object_has(object, addr, last) ||
			     !count_in_object(object, key, counts, extent, addr)))
			return false;
		memorizer_cache_object(object, addr);
		return true;
	}
	/* The slow path makes it an object. */
	if (unlikely(memorizer_is_struct_page(addr)))
		return false;
	if (!word)
		memorizer_cache_object(&memorizer_no_object, addr);
	/* The allocator accesses free slots. Past this slot, an object may begin. */
	else if (unlikely(!memorizer_in_slot(word, slot, last)))
		return false;
	count_unattributed(addr, accesses);
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

/* Count a group's accesses one by one, because one entry cannot count them all. */
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

	if (addr % PAGE_SIZE + group->extent > READ_ONCE(memorizer_fast_path_bytes))
		goto members;
	id = memorizer_index_lookup(addr, &next);
	object = memorizer_ptr(id);
	if (!id || !memorizer_object_contains(object, addr, group->extent))
		goto members;
	entry = memorizer_count(object, key, 1, extent_of(group));
	/* The pool is full, but the members may have entries already. */
	if (!entry)
		goto members;
	memorizer_cache_entry(entry, addr);
	memorizer_cache_object(object, addr);
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
 * them all; readers split the count up again.
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_access_group(unsigned long addr, const struct memorizer_group *group,
				      u64 key, struct memorizer_object *object)
{
	/* memorizer_access() counts the members of a paused task's group, too. */
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
	u64 key = memorizer_key(memorizer_pack_ip(ip),
				memorizer_current_subject() | MEMORIZER_BY_GRANULE);
	unsigned long first = addr - memorizer_object_va(object);
	/* The access may go on past the object's end. */
	unsigned long last = first + min(size, object->size - first) - 1;

	return memorizer_count_wide(object, key, memorizer_granules(first, last),
				    kind & MEMORIZER_READ, kind / MEMORIZER_WRITE);
}

static __kprobes bool count_whole(struct memorizer_object *object, unsigned long addr,
				  unsigned long size, unsigned int kind, unsigned long ip)
{
	u64 key = memorizer_key(memorizer_pack_ip(ip), memorizer_current_subject());
	struct memorizer_entry *entry;

	entry = memorizer_count(object, key, memorizer_kind_counts(kind), 0);
	if (!entry)
		return false;
	/* A hidden area would be cached in vain. */
	if (!READ_ONCE(memorizer_slow_path_users) && memorizer_object_contains(object, addr, 1)) {
		/* The thunks look only for accesses of fixed size. */
		if (size <= MEMORIZER_FIXED_MAX)
			memorizer_cache_entry(entry, addr);
		memorizer_cache_object(object, addr);
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
 * Counts the access once in each live object that it touches. Where an object lies in an area, the
 * access touches the object, not the area.
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
	u32 id, area = 0;

	if (!size)
		return;
	if (count_unrecorded(addr, kind))
		return;
	/*
	 * Accesses of variable size have no miss. While accesses are observed, this never matches.
	 */
	object = this_cpu_read(memorizer_found[memorizer_found_slot(addr)]);
	if (memorizer_object_contains(object, addr, size) &&
	    memorizer_add_counts(object, memorizer_key(memorizer_pack_ip(ip),
						       memorizer_current_subject()),
				 memorizer_kind_counts(kind), 0, true, &entry))
		return;
	if (memorizer_observes_accesses())
		memorizer_observer_access(addr, size, kind, ip);
	/* The index has the same answer for all addresses up to @next. */
	do {
		id = memorizer_index_lookup(addr, &next);
		id = memorizer_make_lazy(addr, id, &next);
		if (unlikely(id == MEMORIZER_LAZY_LOST)) {
			count_lost(memorizer_kind_count(kind));
			attributed = true;
			id = 0;
		}
		/* An area goes on behind an object in it, and at the next page. */
		if (id && id != area) {
			attributed = true;
			if (memorizer_is_area(memorizer_ptr(id)))
				area = id;
			count_access(id, addr, size - (addr - start), kind, ip);
		}
		addr = next;
	} while (addr - start < size);
	if (!attributed)
		count_unattributed(start, memorizer_kind_count(kind));
	else if (memorizer_tracks_lines())
		memorizer_traffic(start, size, kind, ip);
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
