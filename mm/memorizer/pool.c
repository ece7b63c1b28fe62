// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's pool: all records come from one piece of memory of fixed size.
 *
 * The pool is cut into blocks, each for records of one class. A block's records
 * go to the CPUs in chunks, so that records of two CPUs lie in different cache
 * lines: whoever takes a chunk owns its records, and gets them back. Records
 * travel in batches, chains of free records of one chunk:
 *
 *	spare[class]		chunks that nobody owns yet
 *	    |   ^ a new block, all chunks of it
 *	    v
 *	memorizer_cursor	of a CPU and class: the batch that it takes from
 *	    |
 *	    v
 *	a record in use		memorizer_pool_give() adds it to its chunk's batch
 *	    |
 *	    v
 *	returned		of the CPU that owns the chunk, and class: its
 *				batches, which go to its cursor first
 *
 * A CPU that finds nothing there takes what was returned to another one. When
 * there were too few blocks, memorizer_pool_reclaim() finds those of which all
 * records are in batches, and any class may have them.
 *
 * Invariants of the lock-free parts:
 *
 * - A free record's link is the distance from the record behind it to the next
 *   one of its batch, in units of ids; where the batch ends, the distance to id
 *   0. So zeroed memory is a batch already, but for its last link.
 *
 * - memorizer_cursor[class] of a CPU holds the id of the first record of its
 *   batch in the low half, 0 if it has none, and a tag in the high half. Only its
 *   own CPU changes it, with this_cpu_cmpxchg(): an interrupt or NMI that comes
 *   between reading and changing it makes the change fail, and the loop begins
 *   anew (memorizer_pool_take()). Could it restore the value, but not the link
 *   (ABA)? A batch only shrinks, and a new one has a new tag.
 *
 * - The head of a list of batches holds the id of the first one's first record in
 *   its low half and a tag in its high half; batches are chained through the
 *   second word of their first records. Every change of the head counts the tag
 *   up, so that a CPU that read the head and its successor, and was then overtaken
 *   by others which took the batch and gave it back, fails to put the stale
 *   successor in. Reading the words of a record that is taken meanwhile is
 *   harmless, because pool memory is never unmapped and the value is then thrown
 *   away. The cmpxchg that takes a batch pairs with the one that gave it back:
 *   both are full barriers.
 *
 * - A batch in a list has its length in the third word of its first record; that
 *   and the second word are 0 when it is in a cursor.
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
 * struct free_record - the first words of a record that nobody uses
 * @link: see above
 * @next: if it is the first one of a batch in a list, id of the next batch
 * @count: likewise, number of records in its batch
 */
struct free_record {
	s32 link;
	u32 next;
	u32 count;
};

/**
 * struct chunk - a part of a block whose records are in the hands of one CPU
 * @given: id of the first record that memorizer_pool_give() got of it
 * @count: number of these records
 * @owner: the CPU
 */
struct chunk {
	u32 given;
	u16 count;
	u16 owner;
};

#define NOBODY		U16_MAX
#define CHUNK_MIN	(1UL << 12)

/* Of the pool, for all CPUs, classes and what they have begun: one part in so many. */
#define CHUNK_SHARE	64

void *memorizer_pool_origin __ro_after_init;
static unsigned long pool_blocks __ro_after_init;
static unsigned int chunks_per_block __ro_after_init;	/* at most */
static struct chunk *chunks __ro_after_init;		/* so many for each block */
static u16 *block_free __ro_after_init;	/* memorizer_pool_reclaim()'s own */
static u8 *block_class __ro_after_init;	/* class of each block in use, plus one */

/* Lists of batches, and what is beside them, in lines that all CPUs write. */
static struct {
	atomic_long_t next_block;
	atomic64_t free_blocks;			/* zeroed ones; each is a batch */
	atomic64_t spare[MEMORIZER_CLASSES];
	atomic_long_t returned[MEMORIZER_CLASSES];	/* number of batches in the CPUs' lists */
	bool ran_out;				/* of blocks, since they were reclaimed */
} shared ____cacheline_aligned_in_smp;

static DEFINE_PER_CPU_SHARED_ALIGNED(atomic64_t [MEMORIZER_CLASSES], returned);
DEFINE_PER_CPU(u64 [MEMORIZER_CLASSES], memorizer_cursor);
DEFINE_PER_CPU(long [MEMORIZER_CLASSES], memorizer_in_use);

static_assert(sizeof(struct memorizer_object) % (1 << MEMORIZER_ID_SHIFT) == 0);
static_assert(sizeof(struct memorizer_entry) % (1 << MEMORIZER_ID_SHIFT) == 0);
static_assert(sizeof(struct memorizer_wide_entry) % (1 << MEMORIZER_ID_SHIFT) == 0);
/* The smallest record. */
static_assert(sizeof(struct free_record) <= sizeof(struct memorizer_entry));
static_assert(CONFIG_NR_CPUS <= NOBODY);

/**
 * memorizer_class_size() - size of the records of a class
 * @class: an enum memorizer_class; MEMORIZER_SLAB + n are its larger sizes
 *
 * Return: bytes
 */
unsigned int __kprobes memorizer_class_size(unsigned int class)
{
	switch (class) {
	case MEMORIZER_OBJECT:
		return sizeof(struct memorizer_object);
	case MEMORIZER_ENTRY:
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
/* The largest, see memorizer_slab_room(), goes into a block. */
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

/* So many that chunks begin with a cache line. */
static __kprobes unsigned int records_per_chunk(unsigned int class)
{
	unsigned int size = memorizer_class_size(class), lines = size & -size;
	unsigned int multiple = max(SMP_CACHE_BYTES / lines, 1U);

	return round_up(DIV_ROUND_UP(records_per_block(class), chunks_per_block), multiple);
}

/* The pool begins with what it knows of each block; records begin at the next block. */
static unsigned long tables_size(unsigned long blocks)
{
	return round_up(blocks * (chunks_per_block * sizeof(*chunks) + sizeof(*block_free) +
				  sizeof(*block_class)), MEMORIZER_BLOCK_SIZE);
}

/*
 * The more CPUs there are for each byte of the pool, the smaller are chunks, as
 * each CPU keeps a part of one to itself, of each class.
 */
static unsigned int chunks_for(unsigned long size)
{
	unsigned long share = size / num_possible_cpus() / CHUNK_SHARE;

	share = clamp(share, CHUNK_MIN, MEMORIZER_BLOCK_SIZE);
	return MEMORIZER_BLOCK_SIZE >> ilog2(share);
}

/**
 * memorizer_pool_init() - hand the pool its memory
 * @base: zeroed memory, page aligned
 * @size: its size in bytes, at least two blocks
 *
 * Context: boot, once, before any other call.
 */
void memorizer_pool_init(void *base, unsigned long size)
{
	unsigned long blocks = size >> MEMORIZER_BLOCK_SHIFT, table;

	chunks_per_block = chunks_for(size);
	table = tables_size(blocks);
	chunks = base;
	block_free = base + blocks * chunks_per_block * sizeof(*chunks);
	block_class = (u8 *)(block_free + blocks);
	memorizer_pool_origin = base + table - (1UL << MEMORIZER_ID_SHIFT);
	pool_blocks = blocks - (table >> MEMORIZER_BLOCK_SHIFT);
}

/* Bytes from the pool's first record to this one. */
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

/* Has the record be followed by another one in its batch, or by none. */
static __kprobes void set_link(unsigned int class, u32 id, u32 next)
{
	WRITE_ONCE(free_record(id)->link, next - (id + id_step(class)));
}

/* Puts batches, which are chained already, before those of a list. */
static __kprobes void push_batches(atomic64_t *list, u32 first, u32 last)
{
	s64 old = atomic64_read(list);
	u64 new;

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

/* Takes the first batch of a list; 0 if there is none. */
static __kprobes u32 pop_batch(atomic64_t *list, unsigned int *count)
{
	s64 old = atomic64_read(list);
	struct free_record *record;
	u64 new;

	do {
		if (!(u32)old)
			return 0;
		record = free_record(old);
		new = ((old >> 32) + 1) << 32 | READ_ONCE(record->next);
	} while (!atomic64_try_cmpxchg(list, &old, new));

	*count = record->count;
	WRITE_ONCE(record->count, 0);
	WRITE_ONCE(record->next, 0);
	return old;
}

/* Takes all batches of a list; returns the first. */
static u32 pop_all(atomic64_t *list)
{
	s64 old = atomic64_read(list);

	while (!atomic64_try_cmpxchg(list, &old, ((old >> 32) + 1) << 32))
		;
	return old;
}

/* Puts a batch where its chunk's owner finds it. */
static noinline __kprobes void put_batch(unsigned int class, u32 id, unsigned int count)
{
	unsigned int cpu = READ_ONCE(chunk_of(class, id)->owner);

	if (cpu == NOBODY) {
		push_batch(&shared.spare[class], id, count);
		return;
	}
	/* Before it can be taken: who reads 0 finds nothing indeed. */
	atomic_long_inc(&shared.returned[class]);
	push_batch(&per_cpu(returned, cpu)[class], id, count);
}

static noinline __kprobes u32 pop_returned(unsigned int class, unsigned int cpu,
					   unsigned int *count)
{
	u32 id = pop_batch(&per_cpu(returned, cpu)[class], count);

	if (id)
		atomic_long_dec(&shared.returned[class]);
	return id;
}

/* A block that was never used; returns the id of its first record, 0 if there is none. */
static __kprobes u32 next_fresh_block(void)
{
	unsigned long block = atomic_long_read(&shared.next_block);

	do {
		if (block >= pool_blocks)
			return 0;
	} while (!atomic_long_try_cmpxchg_relaxed(&shared.next_block, (long *)&block, block + 1));
	return offset_to_id(block << MEMORIZER_BLOCK_SHIFT);
}

/* Makes a zeroed block's chunks batches, chained; returns the id of the last one. */
static noinline __kprobes u32 cut_block(unsigned int class, u32 first)
{
	unsigned int left = records_per_block(class), n = records_per_chunk(class);
	unsigned int step = id_step(class);
	u32 id = first;

	for (;;) {
		n = min(n, left);
		chunk_of(class, id)->owner = NOBODY;
		WRITE_ONCE(free_record(id)->count, n);
		set_link(class, id + (n - 1) * step, 0);
		left -= n;
		if (!left)
			return id;
		WRITE_ONCE(free_record(id)->next, id + n * step);
		id += n * step;
	}
}

/*
 * Cuts a new block and keeps its first chunk; 0 if there is no block left. Not inlined, as others
 * below: a hook takes the stack of one of them at a time.
 */
static noinline __kprobes u32 take_block(unsigned int class, unsigned int *count)
{
	u32 first = next_fresh_block(), last, second;

	if (!first)
		first = pop_batch(&shared.free_blocks, count);
	if (!first) {
		if (!READ_ONCE(shared.ran_out))
			WRITE_ONCE(shared.ran_out, true);
		return 0;
	}
	last = cut_block(class, first);
	/* Whoever scans the blocks finds zeroed records, or complete ones. */
	WRITE_ONCE(block_class[block_of(first)], class + 1);
	second = free_record(first)->next;
	if (second)
		push_batches(&shared.spare[class], second, last);
	*count = free_record(first)->count;
	WRITE_ONCE(free_record(first)->count, 0);
	WRITE_ONCE(free_record(first)->next, 0);
	return first;
}

/* A batch of another CPU's. */
static noinline __kprobes u32 steal_batch(unsigned int class, unsigned int *count)
{
	unsigned int cpu;
	u32 id;

	if (!atomic_long_read(&shared.returned[class]))
		return 0;
	/* for_each_possible_cpu() may call what can be probed. */
	for (cpu = 0; cpu < nr_cpu_ids; cpu++) {
		id = cpu_possible(cpu) ? pop_returned(class, cpu, count) : 0;
		if (id)
			return id;
	}
	return 0;
}

/* A batch for this CPU, from the nearest place that has one. */
static __kprobes u32 take_batch(unsigned int class, unsigned int *count)
{
	unsigned int cpu = smp_processor_id();
	u32 id = pop_returned(class, cpu, count);

	if (id)
		return id;
	id = pop_batch(&shared.spare[class], count);
	if (!id)
		id = take_block(class, count);
	if (!id)
		return steal_batch(class, count);
	WRITE_ONCE(chunk_of(class, id)->owner, cpu);
	return id;
}

/**
 * memorizer_pool_alloc() - take a record
 * @class: an enum memorizer_class
 *
 * The record is zeroed if it is fresh, and as its last owner left it, but for
 * three words at its beginning, if not.
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: its id, 0 if the pool is full
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
		if ((u32)empty)
			continue;
		id = take_batch(class, &count);
		if (!id)
			return 0;
		full = ((empty >> 32) + 1) << 32 | id;
		/* Did an interrupt get this CPU a batch meanwhile? */
		if (this_cpu_cmpxchg(memorizer_cursor[class], empty, full) != empty)
			put_batch(class, id, count);
	}
}

/**
 * memorizer_pool_free() - give back a record that nobody ever saw
 * @class: an enum memorizer_class
 * @id: the record
 *
 * Context: any, NMI included.
 */
void memorizer_pool_free(unsigned int class, u32 id)
{
	this_cpu_dec(memorizer_in_use[class]);
	set_link(class, id, 0);
	put_batch(class, id, 1);
}

/**
 * memorizer_pool_give() - add a record to those that are to be given back
 * @class: an enum memorizer_class
 * @id: the record; its first word is the pool's from now on
 *
 * memorizer_pool_give_back() gives them back.
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
	this_cpu_sub(memorizer_in_use[class], (long)count);
	put_batch(class, id, count);
}

/**
 * memorizer_pool_give_back() - give all records back that memorizer_pool_give() got
 *
 * Nobody may still use them: see memorizer_clear() for how that is made sure.
 *
 * Context: process context, may sleep, under memorizer_rwsem, for writing.
 */
void memorizer_pool_give_back(void)
{
	unsigned long blocks = atomic_long_read(&shared.next_block), block;
	unsigned int class, i;

	for (block = 0; block < blocks; block++) {
		class = READ_ONCE(block_class[block]);
		for (i = 0; class && i < chunks_per_block; i++)
			give_back_chunk(class - 1, &chunks[block * chunks_per_block + i]);
		memorizer_may_schedule();
	}
}

/* Adds a list's batches to those at @batches, and their records to block_free. */
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

/* Takes the blocks of which all records are free out of their class. */
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
		if (block_free[block_of(id)] < capacity)
			put_batch(class, id, free_record(id)->count);
		memorizer_may_schedule();
	}
}

static void free_block(unsigned long block)
{
	u32 id = offset_to_id(block << MEMORIZER_BLOCK_SHIFT);

	/* From here on memorizer_object_from() passes over it. */
	WRITE_ONCE(block_class[block], 0);
	memset(memorizer_ptr(id), 0, MEMORIZER_BLOCK_SIZE);
	push_batch(&shared.free_blocks, id, 0);
}

/**
 * memorizer_pool_reclaim() - let any class have the blocks that nobody uses
 *
 * Does nothing unless somebody lacked a block since it was called last. While it
 * looks, what is in the lists cannot be had.
 *
 * Context: process context, may sleep, under memorizer_rwsem, for writing.
 */
void memorizer_pool_reclaim(void)
{
	unsigned long block;
	unsigned int class;

	if (!READ_ONCE(shared.ran_out))
		return;
	WRITE_ONCE(shared.ran_out, false);
	memset(block_free, 0, pool_blocks * sizeof(*block_free));
	for (class = 0; class < MEMORIZER_CLASSES; class++)
		detach_blocks(class);
	/* Nobody reads the words of a record that was in a list, in vain, after this. */
	memorizer_grace_period();
	for (block = 0; block < pool_blocks; block++) {
		class = block_class[block];
		if (class && block_free[block] == records_per_block(class - 1))
			free_block(block);
		memorizer_may_schedule();
	}
}

/**
 * memorizer_pool_size() - bytes that can hold records
 *
 * Return: 0 if there is no pool
 */
unsigned long memorizer_pool_size(void)
{
	return pool_blocks << MEMORIZER_BLOCK_SHIFT;
}

/**
 * memorizer_class_used() - number of records of a class in use
 * @class: an enum memorizer_class
 *
 * Return: the number; exact when nobody allocates meanwhile
 */
unsigned long memorizer_class_used(unsigned int class)
{
	long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(memorizer_in_use, cpu)[class]);
	return max(sum, 0L);
}

/**
 * memorizer_pool_bytes() - bytes of all records in use, of a range of classes
 * @first: the first class
 * @last: the last class
 *
 * Return: the bytes; exact when nobody allocates meanwhile
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
 * memorizer_object_from() - walk over all object records, used or not
 * @pos: where to go on; 0 at first, then as this function left it
 *
 * Context: process context.
 * Return: the first object record at or behind *@pos, NULL if there is none
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
		*pos = offset - in_block + MEMORIZER_BLOCK_SIZE;
	}
	return NULL;
}
