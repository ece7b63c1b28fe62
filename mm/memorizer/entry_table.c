// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's entry table: making, carrying and collecting access entries.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/percpu.h>

#include "entry.h"
#include "entry_table.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"

DEFINE_PER_CPU_READ_MOSTLY(u32 *, memorizer_buckets);
u32 memorizer_bucket_mask __ro_after_init;

/**
 * memorizer_entry_table_init() - allocate the CPUs' hash tables
 * @reserve: allocates zeroed memory, NULL if there is none
 * @pool_size: size of the pool in bytes
 *
 * Context: boot, once.
 * Return: 0 or -ENOMEM
 */
int memorizer_entry_table_init(void *(*reserve)(size_t size), unsigned long pool_size)
{
	/* Half a bucket per entry, if the whole pool were entries of equally busy CPUs. */
	unsigned long entries = pool_size / sizeof(struct memorizer_entry) / num_possible_cpus();
	unsigned int cpu;
	u32 *buckets;

	memorizer_bucket_mask = (1U << (clamp(ilog2(entries | 1), 8, 24) - 1)) - 1;
	for_each_possible_cpu(cpu) {
		buckets = reserve(sizeof(*buckets) * (memorizer_bucket_mask + 1UL));
		if (!buckets)
			return -ENOMEM;
		per_cpu(memorizer_buckets, cpu) = buckets;
	}
	return 0;
}

/**
 * memorizer_count() - count accesses to an object in this CPU's entry
 * @object: the object
 * @key: memorizer_key() of the accesses' ip or group, and the task
 * @counts: memorizer_kind_counts() of the accesses; for a group, 1
 * @extent: for a group, its extent as it is in an entry's word; else 0
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: the entry, for memorizer_settle(); NULL if the pool is full
 */
struct memorizer_entry __kprobes *memorizer_count(struct memorizer_object *object, u64 key,
						  u64 counts, u64 extent)
{
	struct memorizer_entry *entry;

	return memorizer_add_counts(object, key, counts, extent, false, &entry) ? entry : NULL;
}

static __always_inline struct memorizer_wide_entry *
find_wide(const u32 *bucket, const struct memorizer_object *object, u64 key, u32 granules)
{
	struct memorizer_entry *entry;
	u32 id;

	for (id = READ_ONCE(*bucket); id; id = READ_ONCE(entry->chain)) {
		entry = memorizer_ptr(id);
		if (memorizer_entry_matches(entry, object, key) && entry->granules == granules)
			return memorizer_wide(entry);
	}
	return NULL;
}

/**
 * memorizer_count_wide() - count accesses to an object in this CPU's wide entry
 * @object: the object
 * @key: key of a wide entry, see memorizer_is_wide()
 * @granules: memorizer_granules() of the accesses, or MEMORIZER_NO_GRANULES
 * @reads: number of loads, or of times that a group's accesses were made
 * @writes: number of stores
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: false if the pool is full
 */
bool __kprobes memorizer_count_wide(struct memorizer_object *object, u64 key, u32 granules,
				    u32 reads, u32 writes)
{
	u32 *bucket = memorizer_bucket((unsigned long)object + granules * GOLDEN_RATIO_64, key), id;
	struct memorizer_wide_entry *wide = find_wide(bucket, object, key, granules);

	if (wide) {
		local_add(reads, &wide->reads);
		local_add(writes, &wide->writes);
		return true;
	}
	id = memorizer_pool_alloc(MEMORIZER_WIDE_ENTRY);
	if (!id)
		return false;
	wide = memorizer_ptr(id);
	local_set(&wide->reads, reads);
	local_set(&wide->writes, writes);
	memorizer_publish_entry(&wide->entry, id, bucket, object, key, granules);
	return true;
}

/*
 * A carry moves counts between two entries of an object. To see each count once, a reader repeats
 * if a carry overlapped its reading. This is a sequence count, but with several writers at a
 * time: carries of different CPUs, and of an NMI inside a carry. A seqcount_t has one writer, so
 * carries count their beginnings and their ends apart.
 *
 *   memorizer_carry()               reader
 *     begun++                         read done
 *     smp_mb__after_atomic()    A     smp_rmb()    B
 *     move the counts                 read the entries
 *     smp_mb__before_atomic()   B     smp_rmb()    A
 *     done++                          read begun
 *
 * A: a reader that saw part of a carry sees it begun. B: a reader that saw a carry done sees all
 * of it. If begun equals the earlier done, no carry overlapped.
 *
 * Objects that hash to one element share it. All CPUs write here, each at most once in 2^15
 * accesses by one ip.
 */
static struct carries {
	atomic_t begun;
	atomic_t done;
} carries_of[64];

static __always_inline struct carries *find_carries(const struct memorizer_object *object)
{
	return &carries_of[(unsigned long)object / sizeof(*object) % ARRAY_SIZE(carries_of)];
}

/**
 * memorizer_read_carries_begin() - begin to read an object's entries
 * @object: the object
 *
 * Context: any.
 * Return: the argument for memorizer_read_carries_retry()
 */
u32 memorizer_read_carries_begin(const struct memorizer_object *object)
{
	u32 done = atomic_read(&find_carries(object)->done);

	/* Pairs with smp_mb__before_atomic() in memorizer_carry(). */
	smp_rmb();
	return done;
}

/**
 * memorizer_read_carries_retry() - test whether a carry overlapped the reading of entries
 * @object: the object
 * @begin: what memorizer_read_carries_begin() returned
 *
 * Context: any.
 * Return: true if the counts that were read may be inconsistent
 */
bool memorizer_read_carries_retry(const struct memorizer_object *object, u32 begin)
{
	/* Pairs with smp_mb__after_atomic() in memorizer_carry(). */
	smp_rmb();
	return atomic_read(&find_carries(object)->begun) != begin;
}

static __always_inline void carry(struct memorizer_entry *entry, struct memorizer_object *object)
{
	const struct memorizer_group *group = memorizer_entry_group(entry);
	long old = local_read(&entry->word);
	u32 bits, reads, writes;

	do {
		bits = old & MEMORIZER_CARRIES;
		/* An interrupt's hook carried them. */
		if (!bits)
			return;
	} while (!local_try_cmpxchg(&entry->word, &old, old - bits));
	/* The value of each bit within its count is the number to carry. */
	reads = (u16)bits;
	writes = bits >> 16;
	if (!memorizer_count_wide(object, memorizer_carry_key(entry->key), MEMORIZER_NO_GRANULES,
				  reads, writes))
		this_cpu_add(memorizer_counters.lost[memorizer_is_traffic(entry) ?
						     MEMORIZER_LOST_TRAFFIC : MEMORIZER_LOST_ENTRY],
			     group ? reads * group->accesses : reads + writes);
}

/**
 * memorizer_carry() - move 2^15 of each count that has reached it to the wide entry
 * @entry: this CPU's entry
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_carry(struct memorizer_entry *entry)
{
	struct memorizer_object *object = memorizer_entry_object(entry);
	struct carries *carries = find_carries(object);

	atomic_inc(&carries->begun);
	/* Pairs with smp_rmb() in memorizer_read_carries_retry(). */
	smp_mb__after_atomic();
	carry(entry, object);
	/* Pairs with smp_rmb() in memorizer_read_carries_begin(). */
	smp_mb__before_atomic();
	atomic_inc(&carries->done);
}

/* Move the entries of CLEARED and RETIRED objects from one chain to the pool. */
static void collect_chain(u32 *bucket)
{
	struct memorizer_entry *entry, *before;
	u32 id, next, state;

again:
	before = NULL;
	for (id = READ_ONCE(*bucket); id; id = next) {
		entry = memorizer_ptr(id);
		next = READ_ONCE(entry->chain);
		state = READ_ONCE(memorizer_entry_object(entry)->state);
		if (state < MEMORIZER_CLEARED) {
			before = entry;
			continue;
		}
		if (before)
			WRITE_ONCE(before->chain, next);
		else if (cmpxchg(bucket, id, next) != id)
			/* The bucket's CPU pushed an entry, which now comes before this one. */
			goto again;
		if (state == MEMORIZER_CLEARED)
			memorizer_cleared.accesses += memorizer_entry_accesses(entry);
		/* Nobody walks the object's list any more, so the pool may overwrite the link. */
		memorizer_pool_give(memorizer_is_wide(entry) ? MEMORIZER_WIDE_ENTRY :
				    MEMORIZER_ENTRY, id);
		memorizer_may_schedule();
	}
}

/**
 * memorizer_collect_entries() - unlink the entries of CLEARED and RETIRED objects
 *
 * The pool must not reuse the entries before a grace period has passed.
 *
 * Context: process context, under memorizer_rwsem, for writing, a grace period after the objects
 *	left the index.
 */
void memorizer_collect_entries(void)
{
	unsigned long i;
	int cpu;

	for_each_possible_cpu(cpu)
		for (i = 0; i <= memorizer_bucket_mask; i++) {
			collect_chain(&per_cpu(memorizer_buckets, cpu)[i]);
			memorizer_may_schedule();
		}
}
