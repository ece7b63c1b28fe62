// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's pool: all records come from one piece of memory of fixed size.
 *
 * The pool is cut into blocks. A block holds records of one class, and each CPU
 * takes its records of a class from a block of its own, one after the other.
 * Records that are given back go to their class's free list. When there were
 * too few blocks, memorizer_pool_reclaim() finds those of which all records were
 * given back, and any class may have them.
 *
 * Invariants of the lock-free parts:
 *
 * - memorizer_cursor[class] of a CPU holds the id of the first record of that
 *   CPU's current block that nobody has in its low half, and how many there are
 *   in its high half. Only its own CPU changes it, with this_cpu_cmpxchg(): an
 *   interrupt or NMI that comes between reading and changing it makes the change
 *   fail, and the loop begins anew (memorizer_pool_take()).
 *
 * - free_list[class] holds the id of the first free record in its low half and
 *   a tag in its high half; records are chained through their first 32 bits.
 *   Every change of the head counts the tag up, so that a CPU that read the head
 *   and its successor, and was then overtaken by others which took the record
 *   and gave it back (ABA), fails to put the stale successor in. Reading the
 *   link of a record that is taken meanwhile is harmless, because pool memory is
 *   never unmapped and the value is then thrown away. The cmpxchg that takes a
 *   record pairs with the one that gave it back: both are full barriers.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "memorizer.h"

/* Never changed after memorizer_pool_init(): */
void *memorizer_pool_origin;
static unsigned long pool_blocks;
static u8 *block_class;		/* class of each block in use, plus one */
static u16 *block_free;		/* its free records; memorizer_pool_reclaim()'s own */

/* Behind the classes' lists of records, that of zeroed blocks. */
#define FREE_BLOCKS	MEMORIZER_CLASSES

static atomic_long_t next_block;
static atomic64_t free_list[MEMORIZER_CLASSES + 1];
static bool ran_out;		/* of blocks, since they were reclaimed */
DEFINE_PER_CPU(u64 [MEMORIZER_CLASSES], memorizer_cursor);
DEFINE_PER_CPU(long [MEMORIZER_CLASSES], memorizer_in_use);

static_assert(sizeof(struct memorizer_object) % (1 << MEMORIZER_ID_SHIFT) == 0);
static_assert(sizeof(struct memorizer_entry) % (1 << MEMORIZER_ID_SHIFT) == 0);

/**
 * memorizer_class_size() - size of the records of a class
 * @class: an enum memorizer_class; MEMORIZER_SLAB + n are its larger sizes
 *
 * Return: bytes
 */
unsigned int memorizer_class_size(unsigned int class)
{
	switch (class) {
	case MEMORIZER_OBJECT:
		return sizeof(struct memorizer_object);
	case MEMORIZER_ENTRY:
		return sizeof(struct memorizer_entry);
	case MEMORIZER_LEAF:
		return PAGE_SIZE;
	default:
		return 128U << (class - MEMORIZER_SLAB);
	}
}

static_assert(128UL << (MEMORIZER_SLAB_SIZES - 1) == MEMORIZER_BLOCK_SIZE);

/* The pool begins with what it knows of each block; records begin at the next block. */
static unsigned long block_table_size(unsigned long blocks)
{
	return round_up(blocks * (sizeof(*block_free) + sizeof(*block_class)),
			MEMORIZER_BLOCK_SIZE);
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
	unsigned long blocks = size >> MEMORIZER_BLOCK_SHIFT;
	unsigned long table = block_table_size(blocks);

	block_free = base;
	block_class = base + blocks * sizeof(*block_free);
	memorizer_pool_origin = base + table - (1UL << MEMORIZER_ID_SHIFT);
	pool_blocks = blocks - (table >> MEMORIZER_BLOCK_SHIFT);
}

/* Bytes from the pool's first record to this one. */
static unsigned long id_to_offset(u32 id)
{
	return (unsigned long)(id - 1) << MEMORIZER_ID_SHIFT;
}

static u32 offset_to_id(unsigned long offset)
{
	return (offset >> MEMORIZER_ID_SHIFT) + 1;
}

static unsigned long block_of(u32 id)
{
	return id_to_offset(id) >> MEMORIZER_BLOCK_SHIFT;
}

static u32 *link_of(u32 id)
{
	return memorizer_ptr(id);
}

static void push_chain(unsigned int class, u32 first, u32 last)
{
	s64 old = atomic64_read(&free_list[class]);
	u64 new;

	do {
		WRITE_ONCE(*link_of(last), (u32)old);
		new = ((old >> 32) + 1) << 32 | first;
	} while (!atomic64_try_cmpxchg(&free_list[class], &old, new));
}

static u32 pop_free(unsigned int class)
{
	s64 old = atomic64_read(&free_list[class]);
	u64 new;

	do {
		if (!(u32)old)
			return 0;
		new = ((old >> 32) + 1) << 32 | READ_ONCE(*link_of(old));
	} while (!atomic64_try_cmpxchg(&free_list[class], &old, new));

	return old;
}

/* A block that was never used; returns the id of its first record, 0 if there is none. */
static u32 next_fresh_block(void)
{
	unsigned long block = atomic_long_read(&next_block);

	do {
		if (block >= pool_blocks)
			return 0;
	} while (!atomic_long_try_cmpxchg_relaxed(&next_block, (long *)&block, block + 1));
	return offset_to_id(block << MEMORIZER_BLOCK_SHIFT);
}

/* Returns the id of a zeroed block's first record, 0 if there is no block left. */
static u32 take_block(unsigned int class)
{
	u32 first = next_fresh_block();

	if (!first) {
		first = pop_free(FREE_BLOCKS);
		if (!first) {
			WRITE_ONCE(ran_out, true);
			return 0;
		}
		WRITE_ONCE(*link_of(first), 0);
	}
	/* Whoever scans the blocks finds zeroed records, or complete ones. */
	WRITE_ONCE(block_class[block_of(first)], class + 1);
	return first;
}

/* An interrupt gave this CPU a block while it fetched one: put ours in the list. */
static void free_block(unsigned int class, u32 first)
{
	unsigned int size = memorizer_class_size(class);
	u32 id = first, left = MEMORIZER_BLOCK_SIZE / size, step = size >> MEMORIZER_ID_SHIFT;

	while (--left) {
		WRITE_ONCE(*link_of(id), id + step);
		id += step;
	}
	push_chain(class, first, id);
}

/**
 * memorizer_pool_alloc() - take a record
 * @class: an enum memorizer_class
 *
 * The record is zeroed if it is fresh, and as its last owner left it if not.
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: its id, 0 if the pool is full
 */
u32 memorizer_pool_alloc(unsigned int class)
{
	unsigned int size = memorizer_class_size(class);
	u32 id, fresh;
	u64 block;

	for (;;) {
		id = pop_free(class);
		if (id) {
			this_cpu_inc(memorizer_in_use[class]);
			return id;
		}
		id = memorizer_pool_take(class, size);
		if (id)
			return id;
		block = this_cpu_read(memorizer_cursor[class]);
		if (block >> 32)
			continue;
		fresh = take_block(class);
		if (!fresh)
			return 0;
		if (this_cpu_cmpxchg(memorizer_cursor[class], block,
				     (u64)(MEMORIZER_BLOCK_SIZE / size) << 32 | fresh) != block)
			free_block(class, fresh);
	}
}

/**
 * memorizer_pool_free() - give records back
 * @class: an enum memorizer_class
 * @first: id of the first of them, 0: none
 * @last: id of the last of them; each links to the next with its first 32 bits
 *
 * Nobody may still use them: see memorizer_clear() for how that is made sure.
 *
 * Context: any, NMI included.
 */
void memorizer_pool_free(unsigned int class, u32 first, u32 last)
{
	long count = 1;
	u32 id;

	if (!first)
		return;
	for (id = first; id != last; id = READ_ONCE(*link_of(id)))
		count++;
	this_cpu_sub(memorizer_in_use[class], count);
	push_chain(class, first, last);
}

/* Takes all records out of a free list; returns the id of the first. */
static u32 pop_all(unsigned int class)
{
	s64 old = atomic64_read(&free_list[class]);

	while (!atomic64_try_cmpxchg(&free_list[class], &old, ((old >> 32) + 1) << 32))
		;
	return old;
}

/* Takes the blocks of which all records are free out of their class, to the list at @blocks. */
static void detach_blocks(unsigned int class, u32 *blocks)
{
	const unsigned int capacity = MEMORIZER_BLOCK_SIZE / memorizer_class_size(class);
	u32 all = pop_all(class), first = 0, last = 0, id, next;

	memset(block_free, 0, pool_blocks * sizeof(*block_free));
	for (id = all; id; id = READ_ONCE(*link_of(id))) {
		block_free[block_of(id)]++;
		cond_resched();
	}
	for (id = all; id; id = next) {
		cond_resched();
		next = READ_ONCE(*link_of(id));
		if (block_free[block_of(id)] < capacity) {
			WRITE_ONCE(*link_of(id), first);
			if (!first)
				last = id;
			first = id;
		} else if (!(id_to_offset(id) & (MEMORIZER_BLOCK_SIZE - 1))) {
			WRITE_ONCE(*link_of(id), *blocks);
			*blocks = id;
		}
	}
	if (first)
		push_chain(class, first, last);
}

/**
 * memorizer_pool_reclaim() - let any class have the blocks that nobody uses
 *
 * Does nothing unless somebody lacked a block since it was called last. While it
 * looks, what is in the free lists cannot be had.
 *
 * Context: process context, may sleep, under memorizer_mutex.
 */
void memorizer_pool_reclaim(void)
{
	unsigned int class;
	u32 blocks = 0, id;

	if (!READ_ONCE(ran_out))
		return;
	WRITE_ONCE(ran_out, false);
	for (class = 0; class < MEMORIZER_CLASSES; class++)
		detach_blocks(class, &blocks);
	/* Nobody reads the link of a record that was in a free list, in vain, after this. */
	memorizer_grace_period();
	while ((id = blocks)) {
		blocks = READ_ONCE(*link_of(id));
		/* From here on memorizer_object_from() passes over it. */
		WRITE_ONCE(block_class[block_of(id)], 0);
		memset(memorizer_ptr(id), 0, MEMORIZER_BLOCK_SIZE);
		push_chain(FREE_BLOCKS, id, id);
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
	unsigned long end = atomic_long_read(&next_block) << MEMORIZER_BLOCK_SHIFT;

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
