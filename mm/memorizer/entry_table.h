/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's entry table: each CPU's access entries by (object, key), and how to count in them.
 *
 * Invariants:
 *
 * - An entry keeps its object, key and granules until it is collected and a grace period has
 *   passed. The object keeps its address as long, and hides it unless it is live.
 *
 * - A bucket's head changes by cmpxchg: its own CPU pushes entries in any context, the collector
 *   unlinks them on any CPU. Only the collector, one at a time, changes a link inside a chain. A
 *   collected entry keeps its chain until a grace period later, so chains are walked without a
 *   lock. An interrupt between a search and a push may push an entry with the same key; readers
 *   add up both.
 *
 * - A hook that finds a 16-bit count's highest bit set after its addition carries 2^15 to a wide
 *   entry, unless an interrupt's hook does it first. Only a leaf leaves that to the next hook. So
 *   a count exceeds 2^15 by little more than the number of nested hooks, and never overflows into
 *   its neighbour, though one addition updates both. A group's extent stays below 2^15.
 *
 * - 64-bit counts do not overflow.
 */
#ifndef _MM_MEMORIZER_ENTRY_TABLE_H
#define _MM_MEMORIZER_ENTRY_TABLE_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "entry.h"
#include "object.h"
#include "pool.h"

/* The highest bit of each 16-bit count. */
#define MEMORIZER_CARRIES	(BIT(31) | BIT(15))

/* This CPU's buckets: the id of the first entry of each. */
DECLARE_PER_CPU_READ_MOSTLY(u32 *, memorizer_buckets);

/* The number of buckets of a CPU, less one. */
extern u32 memorizer_bucket_mask;

/*
 * Multiplying by these hashes a key and an object's address. 8 bytes of code share a bucket, and
 * neighbouring ips have neighbouring buckets, so that the entries of one object and task share
 * cache lines. The low bits of the key's factor scatter pids. The object's factor scatters
 * objects, which are allocated one after the other, and away from the pids.
 */
#define BUCKET_OF_KEY		(BIT_ULL(29) + 0x9e377)
#define BETWEEN_OBJECTS		(GOLDEN_RATIO_64 * GOLDEN_RATIO_64 * 64)
#define BUCKET_OF_TARGET	(BETWEEN_OBJECTS / 8 * 0x6db6db6db6db6db7)

/* Modulo 2^64: the last number above is the inverse of 7. */
static_assert(sizeof(struct memorizer_object) * BUCKET_OF_TARGET == BETWEEN_OBJECTS);

static __always_inline u32 *memorizer_bucket(u64 target, u64 key)
{
	u32 hash = (key * BUCKET_OF_KEY + target * BUCKET_OF_TARGET) >> 32;

	return &this_cpu_read(memorizer_buckets)[hash & memorizer_bucket_mask];
}

/* Does an entry have this key and this object? */
static __always_inline bool memorizer_entry_matches(const struct memorizer_entry *entry,
						    const struct memorizer_object *object, u64 key)
{
	return entry->key == key && memorizer_entry_object(entry) == object;
}

/*
 * Look up an entry that is not wide. Returns false if there is none: testing the pointer as well
 * would cost an instruction, because the compiler does not know that memorizer_ptr() is never
 * NULL.
 */
static __always_inline bool memorizer_find_entry(const u32 *bucket,
						 const struct memorizer_object *object, u64 key,
						 struct memorizer_entry **entry)
{
	u32 id;

	/* The fast paths mostly search for new entries, in empty buckets. */
	for (id = READ_ONCE(*bucket); unlikely(id); id = READ_ONCE((*entry)->chain)) {
		*entry = memorizer_ptr(id);
		if (memorizer_entry_matches(*entry, object, key))
			return true;
	}
	return false;
}

/* Publish a new entry in its object's list and in its bucket. @low: counts, or granules. */
static __always_inline void memorizer_publish_entry(struct memorizer_entry *entry, u32 id,
						    u32 *bucket, struct memorizer_object *object,
						    u64 key, u64 low)
{
	u64 distance = (void *)object - (void *)entry;
	u32 head;

	entry->key = key;
	/* The distance is a multiple of an id's unit, so its shifted-out bits are 0. */
	local_set(&entry->word, distance << (32 - MEMORIZER_ID_SHIFT) | low);

	/* Other CPUs push to the object's list, too. cmpxchg orders the stores above before it. */
	head = READ_ONCE(object->entries);
	do {
		WRITE_ONCE(entry->link, head);
	} while (unlikely(!try_cmpxchg(&object->entries, &head, id)));

	/* Only interrupts push to this CPU's bucket, but the collector may unlink its head. */
	head = READ_ONCE(*bucket);
	do {
		WRITE_ONCE(entry->chain, head);
	} while (unlikely(!try_cmpxchg(bucket, &head, id)));
}

/*
 * Add @counts to the entry of (object, key); a new entry starts with @counts + @extent. Returns
 * false if the pool is full.
 *
 * As a @leaf it calls no function, which saves the thunks' callers registers, and also returns
 * false if a carry is pending or this CPU's batch of free records is empty. Otherwise the caller
 * must call memorizer_settle() on the entry.
 */
static __always_inline bool memorizer_add_counts(struct memorizer_object *object, u64 key,
						 u64 counts, u64 extent, bool leaf,
						 struct memorizer_entry **entry)
{
	u32 *bucket = memorizer_bucket((unsigned long)object, key), id;
	void *record;

	if (memorizer_find_entry(bucket, object, key, entry)) {
		/* A leaf may set the bit, but cannot carry: the next hook does. */
		if (leaf && unlikely(local_read(&(*entry)->word) & MEMORIZER_CARRIES))
			return false;
		local_add(counts, &(*entry)->word);
		return true;
	}
	if (leaf) {
		id = memorizer_pool_take(MEMORIZER_ENTRY, sizeof(**entry), &record);
	} else {
		id = memorizer_pool_alloc(MEMORIZER_ENTRY);
		record = memorizer_ptr(id);
	}
	if (unlikely(!id))
		return false;
	*entry = record;
	memorizer_publish_entry(*entry, id, bucket, object, key, counts + extent);
	return true;
}

int memorizer_entry_table_init(void *(*reserve)(size_t size), unsigned long pool_size);
struct memorizer_entry *memorizer_count(struct memorizer_object *object, u64 key, u64 counts,
					u64 extent);
bool memorizer_count_wide(struct memorizer_object *object, u64 key, u32 granules, u32 reads,
			  u32 writes);
void memorizer_carry(struct memorizer_entry *entry);
u32 memorizer_read_carries_begin(const struct memorizer_object *object);
bool memorizer_read_carries_retry(const struct memorizer_object *object, u32 begin);
void memorizer_collect_entries(void);

/* Carry an entry's counts that have reached 2^15. Not in memorizer_count(): less stack. */
static __always_inline void memorizer_settle(struct memorizer_entry *entry)
{
	if (unlikely(local_read(&entry->word) & MEMORIZER_CARRIES))
		memorizer_carry(entry);
}

#endif /* _MM_MEMORIZER_ENTRY_TABLE_H */
