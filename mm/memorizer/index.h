/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's index: from an address to the object there, see index.c.
 */
#ifndef _MM_MEMORIZER_INDEX_H
#define _MM_MEMORIZER_INDEX_H

#include <linux/align.h>
#include <linux/bits.h>
#include <linux/limits.h>
#include <linux/math64.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include "pool.h"

/* A leaf has one word for each page of 4 MiB. */
#define MEMORIZER_LEAF_SHIFT	22
#define MEMORIZER_LEAF_WORDS	1024

/**
 * struct memorizer_geometry - the layout of the objects in a slab or a large allocation
 * @start: first address of its pages, page aligned
 * @base: address of slot 0
 * @stride: bytes from slot to slot
 * @slots: number of slots, 0 if the pages hold a single object
 * @pages: number of pages
 */
struct memorizer_geometry {
	unsigned long start;
	unsigned long base;
	unsigned int stride;
	unsigned int slots;
	unsigned long pages;
};

/* The direct map. The thunks read these, too: they skip unknown pages and what lies above. */
extern unsigned long memorizer_index_base, memorizer_index_bytes, memorizer_thunk_end;
extern u32 *memorizer_index_root;

/**
 * struct memorizer_range - addresses above the direct map that the index covers
 * @base: first address
 * @bytes: number of bytes from there on
 * @first: number of its first slot in the root
 */
struct memorizer_range {
	unsigned long base;
	unsigned long bytes;
	unsigned long first;
};

/* Both ends of the vmalloc area, the memory of modules, struct pages, and the kernel's data. */
#define MEMORIZER_RANGES	5

extern struct memorizer_range memorizer_ranges[MEMORIZER_RANGES];

int memorizer_index_init(void *(*reserve)(size_t size), unsigned long base, unsigned long bytes,
			 const struct memorizer_range *ranges);
u32 memorizer_index_lookup(unsigned long addr, unsigned long *next);
void memorizer_index_fit(struct memorizer_geometry *geo);
int memorizer_index_insert(const struct memorizer_geometry *geo, unsigned long addr, u32 id);
u32 memorizer_index_claim(const struct memorizer_geometry *geo, unsigned long addr, u32 id);
u32 memorizer_index_erase(unsigned long addr);
void memorizer_index_bury(unsigned long addr, unsigned long size);
u32 memorizer_index_area(unsigned long addr);
int memorizer_index_split_pages(unsigned long start, unsigned long end, u32 id, u32 whole);
void memorizer_index_end_area(unsigned long start, unsigned long end, u32 id);
void memorizer_index_remove(u32 id);
void memorizer_index_end_slab(unsigned long start);
void memorizer_index_collect(void);
void memorizer_index_recycle(void);

#ifdef CONFIG_MEMORIZER_PAGES
struct variable_table;

int memorizer_index_insert_variables(struct variable_table *table);
void memorizer_index_remove_variables(struct variable_table *table);
void memorizer_index_leave_table(unsigned long page);
int memorizer_index_insert_grains(unsigned long addr, u32 id);
u32 memorizer_index_erase_grains(unsigned long addr);
const struct variable_table *memorizer_index_table(unsigned long addr);
#endif

/* geometry.c */
void memorizer_geometry(const void *ptr, size_t size, struct memorizer_geometry *geo);

/* Set in a page's word that holds the id of a slab record. */
#define SLAB_BIT	BIT(31)

/**
 * struct slab_record - the layout and the objects of a slab
 * @link: id of the next discarded slab record; used by the pool while the record is free
 * @slots: number of slots
 * @in_force: @slots while the record is in force, see index.c; else 0
 * @stride: bytes from slot to slot
 * @lead: bytes before slot 0
 * @base: address of slot 0
 * @reciprocal: 2^63 / @stride, rounded up
 * @variables: if @slots is 0, the variables that lie in the pages, in place of a slab
 * @below: id of the area that the slab lies in, 0 if it is not recorded
 * @object: id of the object in each slot
 */
struct slab_record {
	u32 link;
	u16 slots;
	u16 in_force;
	u32 stride;
	u32 lead;
	unsigned long base;
	union {
		u64 reciprocal;
		const struct variable_table *variables;
	};
	u32 below;
	u32 object[];
};

/* Slots in a record of the n-th size: 4, 6, 8, 12, 16, 24 and so on. */
static __always_inline u32 memorizer_slab_room(unsigned int n)
{
	return (n % 2 ? 6 : 4) << n / 2;
}

static __always_inline unsigned int memorizer_slab_size(unsigned int n)
{
	return ALIGN(offsetof(struct slab_record, object[memorizer_slab_room(n)]),
		     1 << MEMORIZER_ID_SHIFT);
}

/*
 * The number of the slot at an address; at least @slots if the address is in no slot. Exact,
 * because a slab is smaller than 2^31 bytes. Addresses before slot 0 yield at least 2^31.
 */
static __always_inline u64 memorizer_slot(const struct slab_record *slab, unsigned long addr)
{
	return mul_u64_u64_shr(addr - READ_ONCE(slab->base), READ_ONCE(slab->reciprocal), 63);
}

static __always_inline void memorizer_set_stride(struct slab_record *slab, u32 stride)
{
	WRITE_ONCE(slab->stride, stride);
	WRITE_ONCE(slab->reciprocal, (BIT_ULL(63) - 1) / stride + 1);
}

/*
 * The slot of an address in the root, NULL if the index does not cover the address. @offset: from
 * the start of its range.
 */
static __always_inline u32 *memorizer_root_slot(unsigned long addr, unsigned long *offset)
{
	const struct memorizer_range *range;

	*offset = addr - memorizer_index_base;
	/* Not for addresses below the base, either, whose offset wraps around. */
	if (likely(*offset < memorizer_index_bytes))
		return &memorizer_index_root[*offset >> MEMORIZER_LEAF_SHIFT];
	for (range = memorizer_ranges; range < memorizer_ranges + MEMORIZER_RANGES; range++) {
		*offset = addr - range->base;
		if (*offset < range->bytes)
			return &memorizer_index_root[range->first +
						     (*offset >> MEMORIZER_LEAF_SHIFT)];
	}
	return NULL;
}

/* Look up the word of an address's page. Returns false if the page has no leaf. */
static __always_inline bool memorizer_has_word(unsigned long addr, u32 **word)
{
	unsigned long offset;
	u32 *slot = memorizer_root_slot(addr, &offset), leaf;

	if (unlikely(!slot))
		return false;
	/* An address dependency; pairs with the cmpxchg in make_word(): the leaf is zeroed. */
	leaf = READ_ONCE(*slot);
	if (unlikely(!leaf))
		return false;
	*word = (u32 *)memorizer_ptr(leaf) + (offset >> PAGE_SHIFT) % MEMORIZER_LEAF_WORDS;
	return true;
}

/* The word of an address's page, NULL if the page has no leaf. */
static __always_inline u32 *memorizer_find_word(unsigned long addr)
{
	u32 *word;

	return memorizer_has_word(addr, &word) ? word : NULL;
}

/* Look up the slab record of an address's page, and its word. Returns false if there is none. */
static __always_inline bool memorizer_has_slab(unsigned long addr, struct slab_record **slab,
					       u32 *word)
{
	u32 *at;

	if (!memorizer_has_word(addr, &at))
		return false;
	/* An address dependency; pairs with the cmpxchg in get_slab(): the record is complete. */
	*word = READ_ONCE(*at);
	if (unlikely(!(*word & SLAB_BIT)))
		return false;
	*slab = memorizer_ptr(*word & ~SLAB_BIT);
	return true;
}

/* Does an object from @addr to @last cross a page boundary? */
static __always_inline bool memorizer_crosses(unsigned long addr, unsigned long last)
{
	return unlikely((addr ^ last) >> PAGE_SHIFT);
}

/* Does an object that crosses a page lie in two pages, the second of which has this word? */
static __always_inline bool memorizer_continues(u32 word, unsigned long addr, unsigned long last)
{
	u32 *next;

	/* Three or more pages would need a loop, which insert_in_slab() has. */
	return (last >> PAGE_SHIFT) - (addr >> PAGE_SHIFT) == 1 &&
		memorizer_has_word(last, &next) && READ_ONCE(*next) == word;
}

/*
 * Look up the slot for a new object, provided that the slab record is in force and all of the
 * object's pages have it: then storing the object in the slot completes its insertion.
 * @crosses: memorizer_crosses() of the object.
 *
 * No geometry has to be compared: only pages of the record's own slab have it, and while it is in
 * force, these are pages of one slab, which is the object's. This CPU does not read values from
 * before the slab was allocated, because it got the object from the allocator later.
 */
static __always_inline bool memorizer_has_slot(unsigned long addr, unsigned long last,
					       bool crosses, u32 **slot)
{
	struct slab_record *slab;
	u32 word;
	u64 n;

	if (!memorizer_has_slab(addr, &slab, &word))
		return false;
	n = memorizer_slot(slab, addr);
	/* Two tests in one: in_force is 0 unless the record is in force. */
	if (unlikely(n >= READ_ONCE(slab->in_force)))
		return false;
	if (crosses && !memorizer_continues(word, addr, last))
		return false;
	*slot = &slab->object[n];
	return true;
}

/* The address is in no slot of a slab. */
#define MEMORIZER_NO_SLOT	U64_MAX

/*
 * The id of the object at an address, by the word of its page; 0 if there is none. The object
 * need not be live. Sets @slot to the number of its slot, if the word names a slab.
 */
static __always_inline u32 memorizer_object_at(u32 word, unsigned long addr, u64 *slot)
{
	struct slab_record *slab = memorizer_ptr(word & ~SLAB_BIT);

	*slot = MEMORIZER_NO_SLOT;
	if (unlikely(!(word & SLAB_BIT)))
		return word;
	*slot = memorizer_slot(slab, addr);
	if (likely(*slot < READ_ONCE(slab->slots)))
		return READ_ONCE(slab->object[*slot]);
	*slot = MEMORIZER_NO_SLOT;
	return 0;
}

/*
 * Is an address in the given slot of the slab that the word names, and in no recorded area?
 * That would have the accesses to free slots.
 */
static __always_inline bool memorizer_in_slot(u32 word, u64 slot, unsigned long addr)
{
	const struct slab_record *slab = memorizer_ptr(word & ~SLAB_BIT);

	return slot != MEMORIZER_NO_SLOT && memorizer_slot(slab, addr) == slot &&
		!READ_ONCE(slab->below);
}

#endif /* _MM_MEMORIZER_INDEX_H */
