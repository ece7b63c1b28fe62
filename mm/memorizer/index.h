/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's index: what the hook's fast path does of a lookup by itself.
 *
 * index.c says how the index is made and what may be relied on.
 */
#ifndef _MM_MEMORIZER_INDEX_H
#define _MM_MEMORIZER_INDEX_H

#include <linux/bits.h>
#include <linux/limits.h>

#include "memorizer.h"

/* In a page's word: the rest is the id of a slab record. */
#define SLAB_BIT	BIT(31)

/**
 * struct slab_record - the division of a slab into slots
 * @link: id of the next slab record among the discarded; the pool's when it is free
 * @slots: number of slots
 * @stride: bytes from slot to slot
 * @lead: bytes in front of slot 0
 * @base: address of slot 0
 * @object: id of the object in each slot
 */
struct slab_record {
	u32 link;
	u32 slots;
	u32 stride;
	u32 lead;
	unsigned long base;
	u32 object[];
};

/* The object that a page's word knows at an address; it need not be live. 0: none. */
static __always_inline u32 memorizer_object_at(u32 word, unsigned long addr)
{
	struct slab_record *slab = memorizer_ptr(word & ~SLAB_BIT);
	unsigned long offset;
	u32 slot;

	if (unlikely(!(word & SLAB_BIT)))
		return word;
	offset = addr - READ_ONCE(slab->base);
	if (unlikely(offset > U32_MAX))
		return 0;
	slot = (u32)offset / READ_ONCE(slab->stride);
	return likely(slot < READ_ONCE(slab->slots)) ? READ_ONCE(slab->object[slot]) : 0;
}

#endif /* _MM_MEMORIZER_INDEX_H */
