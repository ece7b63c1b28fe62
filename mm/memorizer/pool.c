// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's pool: all records come from one piece of memory of fixed size.
 *
 * The pool is divided into blocks, each for records of one class. A block is divided into chunks,
 * each owned by one CPU, so that records of different CPUs share no cache line. Free records are
 * moved in batches: chains of free records of one chunk.
 *
 *	spare[class]		chunks without an owner
 *	    |   ^ a new block: all of its chunks
 *	    v
 *	memorizer_cursor	per CPU and class: the batch that it allocates from
 *	    |
 *	    v
 *	a record in use		memorizer_pool_give() adds it to its chunk's batch
 *	    |
 *	    v
 *	returned		per CPU and class: the owner's batches, which refill
 *				its cursor first
 *
 * A CPU that finds no batch there steals one that was returned to another CPU. When there are no
 * blocks left, memorizer_pool_reclaim() finds the blocks whose records are all in batches and
 * makes them available to any class.
 *
 * Invariants of the lock-free parts:
 *
 * - The link of a free record is the distance from the following record to the next record of
 *   the batch, in units of ids, or to id 0 at the end of the batch. So zeroed memory is a batch,
 *   except for its last link.
 *
 * - memorizer_cursor[class] has the id of the batch's first record in its low half, 0 if there is
 *   no batch, and a tag in its high half. Only its own CPU changes it, by this_cpu_cmpxchg(). An
 *   interrupt or NMI in between makes the cmpxchg fail, and the loop starts again
 *   (memorizer_pool_take()). There is no ABA problem: a batch only shrinks, and a new batch has a
 *   new tag.
 *
 * - The head of a list of batches has the id of the first batch's first record in its low half
 *   and a tag in its high half. Batches are linked through the second word of their first
 *   records. Each change increments the tag, so that a CPU fails to store a stale successor if
 *   other CPUs took the batch and returned it meanwhile. Reading the words of a record that has
 *   been taken is harmless: pool memory is never unmapped, and the value is discarded. The
 *   cmpxchg that takes a batch pairs with the cmpxchg that returned it; both are full barriers.
 *
 * - The third word of a batch's first record is the length of the batch while it is in a list.
 *   Both words are 0 while the batch is in a cursor.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "entry.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"

/**
 * struct free_record - the first words of a free record
 * @link: see above
 * @next: in the first record of a batch in a list, id of the next batch
 * @count: in the first record of a batch in a list, number of records of the batch
 */
struct free_record {
	s32 link;
	u32 next;
	u32 count;
};

/**
 * struct chunk - a part of a block, owned by one CPU
 * @given: id of the first record that memorizer_pool_give() has added
 * @count: number of these records
 * @owner: the CPU, or NOBODY
 */
struct chunk {
	u32 given;
	u16 count;
	u16 owner;
};

#define NOBODY		U16_MAX
#define CHUNK_MIN	(1UL << 12)

/* A chunk is 1/64 of a CPU's share of the pool: the CPU holds a chunk of each class. */
#define CHUNK_SHARE	64

void *memorizer_pool_origin __ro_after_init;
static unsigned long pool_blocks __ro_after_init;
static unsigned int chunks_per_block __ro_after_init;	/* a class may have fewer */
static struct chunk *chunks __ro_after_init;		/* chunks_per_block for each block */
static u16 *block_free __ro_after_init;	/* used by memorizer_pool_reclaim() */
static u8 *block_class __ro_after_init;	/* class of each block in use, plus one */

/* Lists of batches, and other data, in cache lines that all CPUs write. */
static struct {
	atomic_long_t next_block;
	atomic64_t free_blocks;			/* zeroed; each is a batch */
	atomic64_t spare[MEMORIZER_CLASSES];
	atomic_long_t returned[MEMORIZER_CLASSES];	/* number of batches in the per-CPU lists */
	bool ran_out;				/* of blocks, since memorizer_pool_reclaim() */
} shared ____cacheline_aligned_in_smp;

static DEFINE_PER_CPU_SHARED_ALIGNED(atomic64_t [MEMORIZER_CLASSES], returned);
DEFINE_PER_CPU(u64 [MEMORIZER_CLASSES], memorizer_cursor);
DEFINE_PER_CPU(long [MEMORIZER_CLASSES], memorizer_in_use);

static_assert(sizeof(struct memorizer_object) % (1 << MEMORIZER_ID_SHIFT) == 0);
static_assert(sizeof(struct memorizer_entry) % (1 << MEMORIZER_ID_SHIFT) == 0);
static_assert(sizeof(struct memorizer_wide_entry) % (1 << MEMORIZER_ID_SHIFT) == 0);
/* An entry is the smallest record. */
static_assert(sizeof(struct free_record) <= sizeof(struct memorizer_entry));
static_assert(CONFIG_NR_CPUS <= NOBODY);

/**
 * memorizer_class_size() - size of the records of a class
 * @class: an enum memorizer_class, or MEMORIZER_SLAB + n for slab records of the n-th size
 *
 * Return: bytes
 */
unsigned int __kprobes memorizer_class_size(unsigned int class)
{
	switch (class) {
	case MEMORIZER_OBJECT:
		return sizeof(struct memorizer_object);
	case MEMORIZER_ENTRY:
	case MEMORIZER_CALL:
		return sizeof(struct memorizer_entry);
	case MEMORIZER_WIDE_ENTRY:
		return sizeof(struct memorizer_wide_entry);
	case MEMORIZER_LEAF:
		return PAGE_SIZE;
	default:
		return memorizer_slab_size(class - MEMORIZER_SLAB);
	}
}

static_assert(sizeof(struct slab_record) % (1 << MEMORIZER_ID_SHIFT) == 0);
/* The largest record, see memorizer_slab_room(), fits into a block. */
static_assert(MEMORIZER_SLAB_SIZES % 2 == 0);
static_assert(sizeof(struct slab_record) + (6UL << (MEMORIZER_SLAB_SIZES - 1) / 2) * sizeof(u32) <=
	      MEMORIZER_BLOCK_SIZE);

static __kprobes unsigned int id_step(unsigned int class)
{
	return memorizer_class_size(class) >> MEMORIZER_ID_SHIFT;
}

static __kprobes unsigned int records_per_block(unsigned int class)
{
	return MEMORIZER_BLOCK_SIZE / memorizer_class_size(class);
}

/* Rounded up so that each chunk starts at a cache line. */
static __kprobes unsigned int records_per_chunk(unsigned int class)
{
	/* size & -size is the largest power of two that divides the size. */
	unsigned int size = memorizer_class_size(class), lines = size & -size;
	unsigned int multiple = max(SMP_CACHE_BYTES / lines, 1U);

	return round_up(DIV_ROUND_UP(records_per_block(class), chunks_per_block), multiple);
}

/* The pool begins with the tables of chunks and blocks. Records begin at the next block. */
static unsigned long tables_size(unsigned long blocks)
{
	return round_up(blocks * (chunks_per_block * sizeof(*chunks) + sizeof(*block_free) +
				  sizeof(*block_class)), MEMORIZER_BLOCK_SIZE);
}

/* Each CPU keeps a chunk of each class: the more CPUs share the pool, the smaller are chunks. */
static unsigned int chunks_for(unsigned long size)
{
	unsigned long share = size / num_possible_cpus() / CHUNK_SHARE;

	share = clamp(share, CHUNK_MIN, MEMORIZER_BLOCK_SIZE);
	return MEMORIZER_BLOCK_SIZE >> ilog2(share);
}

/**
 * memorizer_pool_init() - set up the pool
 * @base: zeroed memory, page aligned
 * @size: its size in bytes, at least two blocks
 *
 * Context: boot, once, before any other call.
 */
void memorizer_pool_init(void *base, unsigned long size)
{
	unsigned long blocks = size >> MEMORIZER_BLOCK_SHIFT, table;

	chunks_per_block = chunks_for(size);
	/* The tables also cover the blocks that they occupy themselves. */
	table = tables_size(blocks);
	chunks = base;
	block_free = base + blocks * chunks_per_block * sizeof(*chunks);
	block_class = (u8 *)(block_free + blocks);
	/* The first record has id 1, because 0 is no record. */
	memorizer_pool_origin = base + table - (1UL << MEMORIZER_ID_SHIFT);
	pool_blocks = blocks - (table >> MEMORIZER_BLOCK_SHIFT);
}

/* Bytes from the pool's first record to the record. */
static __always_inline unsigned long id_to_offset(u32 id)
{
	return (unsigned long)(id - 1) << MEMORIZER_ID_SHIFT;
}

static __always_inline u32 offset_to_id(unsigned long offset)
{
	return (offset >> MEMORIZER_ID_SHIFT) + 1;
}

static __always_inline unsigned long block_of(u32 id)
{
	return id_to_offset(id) >> MEMORIZER_BLOCK_SHIFT;
}

static __always_inline struct chunk *chunk_of(unsigned int class, u32 id)
{
	unsigned int in_block = id_to_offset(id) & (MEMORIZER_BLOCK_SIZE - 1);

	return &chunks[block_of(id) * chunks_per_block +
		       in_block / memorizer_class_size(class) / records_per_chunk(class)];
}

static __always_inline struct free_record *free_record(u32 id)
{
	return memorizer_ptr(id);
}

/* Set the next record of the batch, or none. */
static __kprobes void set_link(unsigned int class, u32 id, u32 next)
{
	WRITE_ONCE(free_record(id)->link, next - (id + id_step(class)));
}

/* Add linked batches to the front of a list. */
static __kprobes void push_batches(atomic64_t *list, u32 first, u32 last)
{
	s64 old = atomic64_read(list);
	u64 new;

	/* Publishes the words of the batch: pairs with the cmpxchg in pop_batch(). */
	do {
		WRITE_ONCE(free_record(last)->next, (u32)old);
		new = ((old >> 32) + 1) << 32 | first;
	} while (!atomic64_try_cmpxchg(list, &old, new));
}

static __kprobes void push_batch(atomic64_t *list, u32 id, unsigned int count)
{
	WRITE_ONCE(free_record(id)->count, count);
	push_batches(list, id, id);
}

/* Remove the first batch from a list. Returns 0 if the list is empty. */
static __kprobes u32 pop_batch(atomic64_t *list, unsigned int *count)
{
	s64 old = atomic64_read(list);
	struct free_record *record;
	u64 new;

	do {
		if (!(u32)old)
			return 0;
		record = free_record(old);
		/*
		 * Racy: another CPU may have taken the batch. Then the tag has changed, and
		 * the cmpxchg fails.
		 */
		new = ((old >> 32) + 1) << 32 | READ_ONCE(record->next);
	} while (!atomic64_try_cmpxchg(list, &old, new));

	*count = record->count;
	/* CPUs that lose the race may still read the words of this record. */
	WRITE_ONCE(record->count, 0);
	WRITE_ONCE(record->next, 0);
	return old;
}

/* Remove all batches from a list. Returns the first one. */
static u32 pop_all(atomic64_t *list)
{
	s64 old = atomic64_read(list);

	/* The new tag makes a concurrent pop_batch() fail, even if its batch comes back. */
	while (!atomic64_try_cmpxchg(list, &old, ((old >> 32) + 1) << 32))
		;
	return old;
}

/* Return a batch to the owner of its chunk. */
static noinline __kprobes void put_batch(unsigned int class, u32 id, unsigned int count)
{
	unsigned int cpu = READ_ONCE(chunk_of(class, id)->owner);

	if (cpu == NOBODY) {
		push_batch(&shared.spare[class], id, count);
		return;
	}
	/* Before the push: steal_batch() relies on 0 meaning that all lists are empty. */
	atomic_long_inc(&shared.returned[class]);
	push_batch(&per_cpu(returned, cpu)[class], id, count);
}

static noinline __kprobes u32 pop_returned(unsigned int class, unsigned int cpu,
					   unsigned int *count)
{
	u32 id = pop_batch(&per_cpu(returned, cpu)[class], count);

	/* After the pop: with too high a count, steal_batch() only searches in vain. */
	if (id)
		atomic_long_dec(&shared.returned[class]);
	return id;
}

/* Take a block that was never used. Returns the id of its first record, or 0. */
static __kprobes u32 next_fresh_block(void)
{
	unsigned long block = atomic_long_read(&shared.next_block);

	/* Relaxed: the block is zeroed since boot, so there is nothing to order. */
	do {
		if (block >= pool_blocks)
			return 0;
	} while (!atomic_long_try_cmpxchg_relaxed(&shared.next_block, (long *)&block, block + 1));
	return offset_to_id(block << MEMORIZER_BLOCK_SHIFT);
}

/* Turn a zeroed block's chunks into linked batches. Returns the id of the last one. */
static noinline __kprobes u32 cut_block(unsigned int class, u32 first)
{
	unsigned int left = records_per_block(class), n = records_per_chunk(class);
	unsigned int step = id_step(class);
	u32 id = first;

	for (;;) {
		n = min(n, left);
		chunk_of(class, id)->owner = NOBODY;
		WRITE_ONCE(free_record(id)->count, n);
		/* All other links are 0, which links each record to the one behind it. */
		set_link(class, id + (n - 1) * step, 0);
		left -= n;
		if (!left)
			return id;
		WRITE_ONCE(free_record(id)->next, id + n * step);
		id += n * step;
	}
}

/*
 * Take a new block and keep its first chunk. Returns 0 if there is no block left. noinline, like
 * others here, so that a hook uses the stack of only one of them at a time.
 */
static noinline __kprobes u32 take_block(unsigned int class, unsigned int *count)
{
	u32 first = next_fresh_block(), last, second;

	if (!first)
		first = pop_batch(&shared.free_blocks, count);
	if (!first) {
		/* Tested first: while the pool is full, all CPUs come here often. */
		if (!READ_ONCE(shared.ran_out))
			WRITE_ONCE(shared.ran_out, true);
		return 0;
	}
	last = cut_block(class, first);
	/* After cut_block(): memorizer_object_from() reads zeroed or complete records. */
	WRITE_ONCE(block_class[block_of(first)], class + 1);
	second = free_record(first)->next;
	if (second)
		push_batches(&shared.spare[class], second, last);
	*count = free_record(first)->count;
	WRITE_ONCE(free_record(first)->count, 0);
	WRITE_ONCE(free_record(first)->next, 0);
	return first;
}

/* Take a batch that was returned to another CPU. */
static noinline __kprobes u32 steal_batch(unsigned int class, unsigned int *count)
{
	unsigned int cpu;
	u32 id;

	/* While the pool is full, each allocation comes here: avoid a search in vain. */
	if (!atomic_long_read(&shared.returned[class]))
		return 0;
	/* for_each_possible_cpu() may call functions with kprobes. */
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		id = cpu_possible(cpu) ? pop_returned(class, cpu, count) : 0;
		if (id)
			return id;
	}
	return 0;
}

/* Take a batch for this CPU from the nearest list that has one. */
static __kprobes u32 take_batch(unsigned int class, unsigned int *count)
{
	unsigned int cpu = smp_processor_id();
	u32 id = pop_returned(class, cpu, count);

	/* First: a batch of this CPU's own chunks does not share cache lines with other CPUs. */
	if (id)
		return id;
	id = pop_batch(&shared.spare[class], count);
	if (!id)
		id = take_block(class, count);
	/* As a last resort: a stolen batch shares cache lines with its owner, and returns there. */
	if (!id)
		return steal_batch(class, count);
	WRITE_ONCE(chunk_of(class, id)->owner, cpu);
	return id;
}

/**
 * memorizer_pool_alloc() - allocate a record
 * @class: an enum memorizer_class
 *
 * A fresh record is zeroed. A reused one has its old contents, except for the first three words.
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: the record's id, 0 if the pool is exhausted
 */
u32 __kprobes memorizer_pool_alloc(unsigned int class)
{
	unsigned int size = memorizer_class_size(class), count;
	u64 empty, full;
	void *unused;
	u32 id;

	for (;;) {
		id = memorizer_pool_take(class, size, &unused);
		if (id)
			return id;
		empty = this_cpu_read(memorizer_cursor[class]);
		/* An interrupt has refilled the cursor. */
		if ((u32)empty)
			continue;
		id = take_batch(class, &count);
		if (!id)
			return 0;
		/* A new tag: the cmpxchg of an interrupted memorizer_pool_take() fails. */
		full = ((empty >> 32) + 1) << 32 | id;
		/* Fails if an interrupt has refilled the cursor meanwhile. */
		if (this_cpu_cmpxchg(memorizer_cursor[class], empty, full) != empty)
			put_batch(class, id, count);
	}
}

/**
 * memorizer_pool_free() - free a record that was never visible to others
 * @class: an enum memorizer_class
 * @id: the record
 *
 * Context: any, NMI included.
 */
void __kprobes memorizer_pool_free(unsigned int class, u32 id)
{
	this_cpu_dec(memorizer_in_use[class]);
	set_link(class, id, 0);
	put_batch(class, id, 1);
}

/**
 * memorizer_pool_give() - queue a record for memorizer_pool_give_back()
 * @class: an enum memorizer_class
 * @id: the record; the pool overwrites its first word
 *
 * Context: process context, under memorizer_rwsem, for writing.
 */
void memorizer_pool_give(unsigned int class, u32 id)
{
	struct chunk *chunk = chunk_of(class, id);

	set_link(class, id, chunk->given);
	chunk->given = id;
	chunk->count++;
}

static void give_back_chunk(unsigned int class, struct chunk *chunk)
{
	u32 id = chunk->given;
	unsigned int count = chunk->count;

	if (!id)
		return;
	chunk->given = 0;
	chunk->count = 0;
	/* Other CPUs may have counted these records: only the sum of all CPUs matters. */
	this_cpu_sub(memorizer_in_use[class], (long)count);
	put_batch(class, id, count);
}

/**
 * memorizer_pool_give_back() - free all queued records
 *
 * The caller guarantees that they have no users left, see memorizer_clear().
 *
 * Context: process context, may sleep, under memorizer_rwsem, for writing.
 */
void memorizer_pool_give_back(void)
{
	unsigned long blocks = atomic_long_read(&shared.next_block), block;
	unsigned int class, i;

	for (block = 0; block < blocks; block++) {
		/* A hook may put a new block to use meanwhile; it has no queued records. */
		class = READ_ONCE(block_class[block]);
		for (i = 0; class && i < chunks_per_block; i++)
			give_back_chunk(class - 1, &chunks[block * chunks_per_block + i]);
		memorizer_may_schedule();
	}
}

/* Move a list's batches to @batches and add their records to block_free. */
static long take_batches(atomic64_t *list, u32 *batches)
{
	struct free_record *record;
	long taken = 0;
	u32 id, next;

	for (id = pop_all(list); id; id = next) {
		record = free_record(id);
		next = record->next;
		block_free[block_of(id)] += record->count;
		WRITE_ONCE(record->next, *batches);
		*batches = id;
		taken++;
		memorizer_may_schedule();
	}
	return taken;
}

/* Remove the batches of completely free blocks from their class's lists. */
static void detach_blocks(unsigned int class)
{
	const unsigned int capacity = records_per_block(class);
	u32 batches = 0, id;
	unsigned int cpu;

	take_batches(&shared.spare[class], &batches);
	for_each_possible_cpu(cpu)
		atomic_long_sub(take_batches(&per_cpu(returned, cpu)[class], &batches),
				&shared.returned[class]);
	while ((id = batches)) {
		batches = free_record(id)->next;
		/*
		 * The batches of free blocks stay detached, as free_block() clears these
		 * blocks. Records in a CPU's cursor are in no list, so that their block
		 * counts as used.
		 */
		if (block_free[block_of(id)] < capacity)
			put_batch(class, id, free_record(id)->count);
		memorizer_may_schedule();
	}
}

static void free_block(unsigned long block)
{
	u32 id = offset_to_id(block << MEMORIZER_BLOCK_SHIFT);

	/* From now on memorizer_object_from() skips the block. */
	WRITE_ONCE(block_class[block], 0);
	memset(memorizer_ptr(id), 0, MEMORIZER_BLOCK_SIZE);
	/* The count is unused: cut_block() divides the block again. */
	push_batch(&shared.free_blocks, id, 0);
}

/**
 * memorizer_pool_reclaim() - make completely free blocks available to any class
 *
 * Does nothing unless an allocation found no free block since the last call. Allocations cannot
 * use the batches in the lists while this function scans them.
 *
 * Context: process context, may sleep, under memorizer_rwsem, for writing.
 */
void memorizer_pool_reclaim(void)
{
	unsigned long block;
	unsigned int class;

	if (!READ_ONCE(shared.ran_out))
		return;
	/* Before the scan, which may let allocations fail: these ask for another one. */
	WRITE_ONCE(shared.ran_out, false);
	memset(block_free, 0, pool_blocks * sizeof(*block_free));
	for (class = 0; class < MEMORIZER_CLASSES; class++)
		detach_blocks(class);
	/* Wait for pop_batch(), which may still read the words of records that were in lists. */
	memorizer_grace_period();
	for (block = 0; block < pool_blocks; block++) {
		class = block_class[block];
		if (class && block_free[block] == records_per_block(class - 1))
			free_block(block);
		memorizer_may_schedule();
	}
}

/**
 * memorizer_pool_size() - size of the pool
 *
 * Return: bytes that can hold records, 0 if there is no pool
 */
unsigned long memorizer_pool_size(void)
{
	return pool_blocks << MEMORIZER_BLOCK_SHIFT;
}

/**
 * memorizer_class_used() - count the records of a class that are in use
 * @class: an enum memorizer_class
 *
 * Return: the number, exact unless records are allocated or freed meanwhile
 */
unsigned long memorizer_class_used(unsigned int class)
{
	long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(memorizer_in_use, cpu)[class]);
	/* Racy: a free may be seen without its allocation. */
	return max(sum, 0L);
}

/**
 * memorizer_pool_bytes() - sum up the sizes of all records in use of some classes
 * @first: the first class
 * @last: the last class
 *
 * Return: the bytes, exact unless records are allocated or freed meanwhile
 */
unsigned long memorizer_pool_bytes(unsigned int first, unsigned int last)
{
	unsigned long sum = 0;
	unsigned int class;

	for (class = first; class <= last; class++)
		sum += memorizer_class_used(class) * memorizer_class_size(class);
	return sum;
}

/**
 * memorizer_object_from() - iterate over all object records, in use or not
 * @pos: position of the iteration, initially 0
 *
 * Context: process context.
 * Return: the first object record at or after *@pos, NULL if there is none
 */
struct memorizer_object *memorizer_object_from(unsigned long *pos)
{
	const unsigned int size = sizeof(struct memorizer_object);
	unsigned long end = atomic_long_read(&shared.next_block) << MEMORIZER_BLOCK_SHIFT;

	while (*pos < end) {
		unsigned long offset = *pos;
		unsigned long in_block = offset & (MEMORIZER_BLOCK_SIZE - 1);

		if (READ_ONCE(block_class[offset >> MEMORIZER_BLOCK_SHIFT]) ==
		    MEMORIZER_OBJECT + 1 && in_block + size <= MEMORIZER_BLOCK_SIZE) {
			*pos = offset + size;
			return memorizer_ptr(offset_to_id(offset));
		}
		/* Not a block of objects, or only the unused rest of one. */
		*pos = offset - in_block + MEMORIZER_BLOCK_SIZE;
	}
	return NULL;
}
