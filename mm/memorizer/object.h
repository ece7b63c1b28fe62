/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's object record.
 */
#ifndef _MM_MEMORIZER_OBJECT_H
#define _MM_MEMORIZER_OBJECT_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/jiffies.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/threads.h>
#include <linux/types.h>

#include "entry.h"
#include "hooks.h"
#include "memorizer.h"

/* An object's life: down this list, then from the top again. */
enum memorizer_state {
	MEMORIZER_UNUSED,	/* never used, or given back to the pool */
	MEMORIZER_LIVE,
	MEMORIZER_FREED,
	MEMORIZER_BURIED,	/* a later allocation overlaps it: its free was missed */
	MEMORIZER_LEAVING,	/* the observer reads it; no longer shown */
	MEMORIZER_CLEARED,	/* cleared; a hook may still see it */
	MEMORIZER_RETIRED,	/* the observer has read it; a hook may still see it */
};

/**
 * struct memorizer_object - one allocation, live or closed
 * @entries: id of its first access entry
 * @link: used by the pool while the record is free
 * @size: bytes requested
 * @at: its address while it is live, see memorizer_hide() otherwise; always hidden if its
 *	accesses are counted by granule, and for an area from the first object in it on, so that the
 *	fast paths do not match it
 * @times: jiffies of its free in the upper 48 bits, bits 32 to 47 of those of its allocation
 * @alloc_jiffies: jiffies of its allocation, lower 32 bits
 * @alloc_ip: call site of its allocation, see memorizer_pack_ip(); or its stack's handle, see
 *	alloc_stack.h
 * @free_ip: call site of its free, also while that is still in progress
 * @who: pid of the task that allocated it, or whose stack it is; flags, see memorizer_who()
 * @comm: that task's name, without a NUL if it is that long
 * @state: an enum memorizer_state
 *
 * The description of the allocation is complete before @state is LIVE, that of the free before
 * @state is FREED or BURIED. An access belongs to the object if it lies within @size bytes from
 * @at on; or, if it may be live and hidden, from memorizer_object_va() on while @state is LIVE.
 */
struct memorizer_object {
	union {
		u32 entries;
		u32 link;
	};
	u32 size;
	unsigned long at;
	u64 times;
	u32 alloc_jiffies;
	u32 alloc_ip;
	u32 free_ip;
	u32 who;
	char comm[TASK_COMM_LEN - 1];
	u8 state;
};

static_assert(sizeof(struct memorizer_object) == 56);

/* In memorizer_object.who: an area, in which slabs and other objects may lie. */
#define MEMORIZER_AREA	BIT(28)

/* In memorizer_object.who: @alloc_ip is a handle. */
#define MEMORIZER_HAS_STACK	BIT(30)

/* The bits below MEMORIZER_AREA: the kind, and the pid. */
#define MEMORIZER_KIND_SHIFT	24
#define MEMORIZER_PID_MASK	(BIT(MEMORIZER_KIND_SHIFT) - 1)

static_assert(PID_MAX_LIMIT <= MEMORIZER_PID_MASK);
static_assert(MEMORIZER_KINDS << MEMORIZER_KIND_SHIFT <= MEMORIZER_AREA);

/* The flags of memorizer_object.who for an object of a kind. */
static __always_inline u32 memorizer_who(enum memorizer_object_kind kind, bool by_granule)
{
	return kind << MEMORIZER_KIND_SHIFT |
		(BIT(kind) & MEMORIZER_AREA_KINDS ? MEMORIZER_AREA : 0) |
		(by_granule ? MEMORIZER_BY_GRANULE : 0);
}

static __always_inline u32 memorizer_object_pid(const struct memorizer_object *object)
{
	return READ_ONCE(object->who) & MEMORIZER_PID_MASK;
}

static __always_inline bool memorizer_is_area(const struct memorizer_object *object)
{
	return READ_ONCE(object->who) & MEMORIZER_AREA;
}

/* An enum memorizer_object_kind. */
static __always_inline unsigned int memorizer_object_kind(const struct memorizer_object *object)
{
	return READ_ONCE(object->who) % MEMORIZER_AREA >> MEMORIZER_KIND_SHIFT;
}

/* May its address be hidden while it is live? */
static __always_inline bool memorizer_may_hide(const struct memorizer_object *object)
{
	return READ_ONCE(object->who) & (MEMORIZER_BY_GRANULE | MEMORIZER_AREA);
}

static __always_inline bool memorizer_counts_granules(const struct memorizer_object *object)
{
	return READ_ONCE(object->who) & MEMORIZER_BY_GRANULE;
}

/*
 * Map an address to one that matches no access: no memory is within 2^57 bytes of it. The two
 * highest bits of an address are the same, so that memorizer_object_va() restores it.
 */
static __always_inline unsigned long memorizer_hide(unsigned long va)
{
	return va ^ BIT(63);
}

/* The object's address, hidden or not. */
static __always_inline unsigned long memorizer_object_va(const struct memorizer_object *object)
{
	/* Copies bit 62 to bit 63, which memorizer_hide() may have inverted. */
	return (long)(READ_ONCE(object->at) << 1) >> 1;
}

/* 48 bits of jiffies last 8,900 years at 1,000 a second. */
#define MEMORIZER_JIFFIES	48

static __always_inline void memorizer_set_alloc_jiffies(struct memorizer_object *object,
							unsigned long now)
{
	object->alloc_jiffies = now;
	/* Also clears the time of the free. */
	object->times = (u16)(now >> 32);
}

static inline unsigned long memorizer_alloc_jiffies(const struct memorizer_object *object)
{
	return (unsigned long)(u16)object->times << 32 | object->alloc_jiffies;
}

/* Several CPUs may race to close the object; each value is correct. */
static __always_inline void memorizer_set_free_jiffies(struct memorizer_object *object,
						       unsigned long now)
{
	u64 times = READ_ONCE(object->times);

	WRITE_ONCE(object->times, (u64)now << (64 - MEMORIZER_JIFFIES) | (u16)times);
}

/* 0 while the object is live. */
static inline unsigned long memorizer_free_jiffies(const struct memorizer_object *object)
{
	return READ_ONCE(object->times) >> (64 - MEMORIZER_JIFFIES);
}

/* Are all bytes from @addr to @last among the @bytes from @start on? The thunks test the same. */
static __always_inline bool memorizer_contains(unsigned long start, u32 bytes,
					       unsigned long addr, unsigned long last)
{
	return addr >= start && last - start < bytes;
}

/* Is the object live, and does it contain all bytes from @addr to @last? */
static __always_inline bool memorizer_object_has(const struct memorizer_object *object,
						 unsigned long addr, unsigned long last)
{
	return memorizer_contains(READ_ONCE(object->at), READ_ONCE(object->size), addr, last);
}

/* Is the object live, and does it contain @size bytes at @addr? */
static __always_inline bool memorizer_object_contains(const struct memorizer_object *object,
						      unsigned long addr, unsigned long size)
{
	return memorizer_object_has(object, addr, addr + size - 1);
}

/* Describe a new object, which is still private. @how: the flags of @who. */
static __always_inline void memorizer_object_describe(struct memorizer_object *object,
						      unsigned long va, size_t size, u32 how,
						      unsigned long ip)
{
	/* The state stays UNUSED until the object is published, so that readers skip it. */
	WRITE_ONCE(object->entries, 0);
	/* Hidden: a hook that finds it in the index must not match it before it is published. */
	WRITE_ONCE(object->at, memorizer_hide(va));
	WRITE_ONCE(object->size, size);
	memorizer_set_alloc_jiffies(object, jiffies);
	object->alloc_ip = memorizer_pack_ip(ip);
	WRITE_ONCE(object->free_ip, 0);
	WRITE_ONCE(object->who, current->pid | how);
	/*
	 * In an interrupt, the name of the interrupted task. Racy: it may be renamed
	 * meanwhile.
	 */
	memcpy(object->comm, current->comm, sizeof(object->comm));
}

/* Publish an object that is in the index: it becomes live. */
static __always_inline void memorizer_object_publish(struct memorizer_object *object,
						     unsigned long va, bool by_granule)
{
	/* Objects that are counted by granule stay hidden: no fast path matches them. */
	if (likely(!by_granule))
		WRITE_ONCE(object->at, va);
	/*
	 * Pairs with the acquire in hidden_at(). Readers of the KMAP also see a complete
	 * description once it is LIVE.
	 */
	smp_store_release(&object->state, MEMORIZER_LIVE);
	this_cpu_inc(memorizer_counters.allocs);
}

/* What memorizer_clear() has cleared so far, and how often. Guarded by memorizer_rwsem. */
struct memorizer_cleared {
	u64 objects;
	u64 accesses;
	u64 calls;
	u64 clearings;
};

extern struct memorizer_cleared memorizer_cleared;

/* What memorizer_retire() has retired so far. Guarded by memorizer_rwsem. */
struct memorizer_retired {
	u64 objects;
	u64 accesses;
};

extern struct memorizer_retired memorizer_retired;

void memorizer_switch_hooks(unsigned int what, bool on);
u32 memorizer_object_make(unsigned long va, size_t size, u32 how, unsigned long ip);
u32 memorizer_object_copy(u32 id, unsigned long va, size_t size);
bool memorizer_object_close(u32 id, enum memorizer_state state);
void memorizer_object_bury(u32 id);

#endif /* _MM_MEMORIZER_OBJECT_H */
