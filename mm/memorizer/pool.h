/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's pool: records and their ids.
 */
#ifndef _MM_MEMORIZER_POOL_H
#define _MM_MEMORIZER_POOL_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct memorizer_object;

/* A record's id is its distance from the pool's origin in units of 8 bytes; 0 is no record. */
#define MEMORIZER_ID_SHIFT	3

/* A block holds records of one class. */
#define MEMORIZER_BLOCK_SHIFT	16
#define MEMORIZER_BLOCK_SIZE	(1UL << MEMORIZER_BLOCK_SHIFT)

/* Number of classes of slab records, see memorizer_slab_room(). */
#define MEMORIZER_SLAB_SIZES	24

/* All records of a class have the same size. */
enum memorizer_class {
	MEMORIZER_OBJECT,
	MEMORIZER_ENTRY,
	MEMORIZER_WIDE_ENTRY,
	MEMORIZER_CALL,
	MEMORIZER_LEAF,
	MEMORIZER_SLAB,		/* the smallest of MEMORIZER_SLAB_SIZES classes */
	MEMORIZER_CLASSES = MEMORIZER_SLAB + MEMORIZER_SLAB_SIZES,
};

extern void *memorizer_pool_origin;

static __always_inline void *memorizer_ptr(u32 id)
{
	return memorizer_pool_origin + ((unsigned long)id << MEMORIZER_ID_SHIFT);
}

static __always_inline u32 memorizer_id(const void *ptr)
{
	return (ptr - memorizer_pool_origin) >> MEMORIZER_ID_SHIFT;
}

/* This CPU's batch of free records, see pool.c. */
DECLARE_PER_CPU(u64 [MEMORIZER_CLASSES], memorizer_cursor);
DECLARE_PER_CPU(long [MEMORIZER_CLASSES], memorizer_in_use);

/* Take a record of @size bytes from this CPU's batch. Returns 0 if the batch is empty. */
static __always_inline u32 memorizer_pool_take(unsigned int class, unsigned int size, void **ptr)
{
	u64 old = this_cpu_read(memorizer_cursor[class]), new;
	unsigned long place;
	u32 id;

	do {
		id = old;
		if (unlikely(!id))
			return 0;
		place = id;
		OPTIMIZER_HIDE_VAR(place);
		*ptr = memorizer_pool_origin + (place << MEMORIZER_ID_SHIFT);
		/*
		 * The low halves add up to an id, without a carry into the tag. If an interrupt has
		 * taken the record and overwritten its link, the cmpxchg fails.
		 */
		new = old + (size >> MEMORIZER_ID_SHIFT) + (s64)READ_ONCE(*(const s32 *)*ptr);
	} while (unlikely(!this_cpu_try_cmpxchg(memorizer_cursor[class], &old, new)));
	this_cpu_inc(memorizer_in_use[class]);
	return id;
}

void memorizer_pool_init(void *base, unsigned long size);
u32 memorizer_pool_alloc(unsigned int class);
void memorizer_pool_free(unsigned int class, u32 id);
void memorizer_pool_give(unsigned int class, u32 id);
void memorizer_pool_give_back(void);
void memorizer_pool_reclaim(void);
unsigned int memorizer_class_size(unsigned int class);
unsigned long memorizer_pool_size(void);
unsigned long memorizer_pool_bytes(unsigned int first, unsigned int last);
unsigned long memorizer_class_used(unsigned int class);
struct memorizer_object *memorizer_object_from(unsigned long *pos);

#endif /* _MM_MEMORIZER_POOL_H */
