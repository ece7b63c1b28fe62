// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's index: from an address to the object there.
 *
 * A radix tree over the direct map, where slab and page memory lives. Its root
 * has one slot for each 4 MiB, made at boot; a slot names a leaf, a page of one
 * word for each of 1024 pages. That word is 0, or the id of the one object in
 * that page and its neighbours (a large kmalloc), or, with SLAB_BIT, the id of
 * a slab record, which tells how the page's slab is divided and has one object
 * id for each of the slab's slots:
 *
 *	root[addr / 4 MiB] -> leaf[addr / 4 KiB] -> slab->object[slot] -> object
 *
 * Who reads needs no lock, no retry and no barrier. Invariants:
 *
 * - A root slot goes from 0 to a leaf once, by cmpxchg, and stays. The leaf's
 *   words were zeroed before; the cmpxchg (a full barrier) pairs with the
 *   address dependency from the slot to the words.
 *
 * - The word of a slab's first page says which slab record is the slab's: it is
 *   replaced by cmpxchg, and the loser takes the winner's record. The words of
 *   the slab's other pages follow it: whoever inserts an object stores them,
 *   always to the same value, before the object's slot. While there is an object
 *   in a slab its record stays: its geometry is that of all who insert one.
 *
 * - A slab record is in force only while its pages are a slab of its geometry: who
 *   inserts an object, which keeps the slab, sets that once the geometry was compared;
 *   the allocator's hook ends it before the pages go (memorizer_index_end_slab()), on
 *   all CPUs since before the first object was recorded. The record stays, for a slab
 *   that has the same geometry.
 *
 *   So an object in a page whose word names a record that is in force is one of that
 *   slab: words name a record in its own pages only, and those are all of one slab
 *   now, the object's. Nothing is left to be compared, and no other word to be stored
 *   where the object's pages all name the record (memorizer_has_slot()). What the
 *   inserting CPU reads is no older than the slab, as whoever freed these pages, or
 *   allocated the slab, handed them on with what was written before.
 *
 * - object[slot] goes from 0 to an id and back by xchg, so that of all that
 *   insert or erase one object just one gets its id. Several may bury one: its
 *   state says who did.
 *
 * - A word is replaced when all is buried that is live behind it and overlaps
 *   the page (bury_word()), by cmpxchg: whoever finds another CPU's word there
 *   may put an object of its own behind it, and access that at once.
 *
 * - Who replaces the word of a slab's first page discards the slab record, and
 *   takes it out of all other words before that: it will be used again, and no
 *   word may name it then. It is, once no reader can see it any more
 *   (memorizer_index_recycle()).
 *
 * - Likewise, who erases or buries an object takes its id out of all words and
 *   slots before a grace period begins that ends with its record free.
 *
 * - Words may be stale: a page that left its slab keeps its word until the page
 *   is an object's again or the record is discarded. So a lookup trusts nothing
 *   on its way: it stays within the slab record, and the object that it finds
 *   must itself be live and contain the address. Objects that do are inserted:
 *   they become live after that, and erasing comes before the end of their life.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/math64.h>

#include "entry.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"

#define LEAF_WORDS	MEMORIZER_LEAF_WORDS
#define LEAF_SHIFT	MEMORIZER_LEAF_SHIFT

static_assert(LEAF_WORDS * sizeof(u32) == PAGE_SIZE);
static_assert((unsigned long)LEAF_WORDS << PAGE_SHIFT == 1UL << LEAF_SHIFT);
/* A slab record counts its slots in 16 bits. */
static_assert(MEMORIZER_BLOCK_SIZE / sizeof(u32) <= U16_MAX);

unsigned long memorizer_index_base __ro_after_init;	/* first address */
unsigned long memorizer_index_bytes __ro_after_init;	/* from there on; 0: nothing is known */
u32 *memorizer_index_root __ro_after_init;

/* From there on the thunks need not look, see memorizer_observe_accesses(). */
unsigned long memorizer_thunk_end __read_mostly;

/*
 * Slab records that were discarded: those of the running epoch, pushed by any
 * context, and those that memorizer_index_collect() took from there.
 */
static atomic_t discarded ____cacheline_aligned_in_smp;
static u32 collected;

/**
 * memorizer_index_init() - make the root
 * @reserve: gives zeroed memory, NULL if there is none
 * @base: first address that can hold objects
 * @bytes: number of bytes from there on
 *
 * Context: boot, once.
 * Return: 0 or -ENOMEM
 */
int memorizer_index_init(void *(*reserve)(size_t size), unsigned long base, unsigned long bytes)
{
	memorizer_index_root = reserve(DIV_ROUND_UP(bytes, 1UL << LEAF_SHIFT) * sizeof(u32));
	if (!memorizer_index_root)
		return -ENOMEM;
	memorizer_index_base = base;
	memorizer_index_bytes = bytes;
	memorizer_thunk_end = base + bytes;
	return 0;
}

/* The word of an address's page; makes the leaf that is missing. NULL if the pool is full. */
static u32 *make_word(unsigned long addr)
{
	u32 *slot = &memorizer_index_root[(addr - memorizer_index_base) >> LEAF_SHIFT];
	u32 leaf, *words;
	unsigned int i;

	if (!READ_ONCE(*slot)) {
		leaf = memorizer_pool_alloc(MEMORIZER_LEAF);
		if (!leaf)
			return NULL;
		words = memorizer_ptr(leaf);
		for (i = 0; i < LEAF_WORDS; i++)
			WRITE_ONCE(words[i], 0);
		if (cmpxchg(slot, 0, leaf))
			memorizer_pool_free(MEMORIZER_LEAF, leaf);
	}
	return memorizer_find_word(addr);
}

/* Is the address one of a live object's that is counted by granule? */
static __always_inline bool by_granule_at(const struct memorizer_object *object,
					  unsigned long addr)
{
	/* Pairs with the release in record_alloc(). */
	return smp_load_acquire(&object->state) == MEMORIZER_LIVE &&
		memorizer_counts_granules(object) &&
		memorizer_contains(memorizer_object_va(object), READ_ONCE(object->size), addr,
				   addr);
}

static __always_inline bool is_live_at(const struct memorizer_object *object, unsigned long addr)
{
	return likely(memorizer_object_contains(object, addr, 1)) || by_granule_at(object, addr);
}

/* Is the object live and has memory in the page? */
static bool overlaps(u32 id, unsigned long page)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	unsigned long va = memorizer_object_va(object);

	return va < page + PAGE_SIZE && page < va + READ_ONCE(object->size) &&
		is_live_at(object, va);
}

/*
 * The slot that an address lies in, NULL if it is in none. @next is set to
 * where the following slot begins, if that comes before it.
 */
static __kprobes u32 *find_slot(struct slab_record *slab, unsigned long addr, unsigned long *next)
{
	unsigned long base = READ_ONCE(slab->base);
	u64 slot = memorizer_slot(slab, addr);

	if (unlikely(slot >= READ_ONCE(slab->slots))) {
		if (addr < base)
			*next = min(*next, base);
		return NULL;
	}
	*next = min(*next, base + (slot + 1) * READ_ONCE(slab->stride));
	return &slab->object[slot];
}

/**
 * memorizer_index_lookup() - find the live object that contains an address
 * @addr: the address
 * @next: set to the first address behind @addr that may belong to another object
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: id of the object, 0 if there is none
 */
u32 __kprobes memorizer_index_lookup(unsigned long addr, unsigned long *next)
{
	const struct memorizer_object *object;
	u32 *word = memorizer_find_word(addr);
	unsigned long va;
	u32 id, *slot;

	*next = (addr | ~PAGE_MASK) + 1;
	if (!word)
		return 0;
	id = READ_ONCE(*word);
	if (id & SLAB_BIT) {
		slot = find_slot(memorizer_ptr(id & ~SLAB_BIT), addr, next);
		if (!slot)
			return 0;
		id = READ_ONCE(*slot);
	}
	if (!id)
		return 0;
	object = memorizer_ptr(id);
	va = memorizer_object_va(object);
	if (is_live_at(object, addr)) {
		*next = va + READ_ONCE(object->size);
		return id;
	}
	if (addr < va)
		*next = min(*next, va);
	return 0;
}

static bool same_geometry(const struct slab_record *slab, const struct memorizer_geometry *geo)
{
	return READ_ONCE(slab->base) == geo->base && READ_ONCE(slab->stride) == geo->stride &&
		READ_ONCE(slab->slots) == geo->slots &&
		READ_ONCE(slab->lead) == geo->base - geo->start;
}

/* The class of records with room for that many slots, MEMORIZER_CLASSES if there is none. */
static unsigned int slab_class(u32 slots)
{
	unsigned int n = 0;

	while (n < MEMORIZER_SLAB_SIZES && memorizer_slab_room(n) < slots)
		n++;
	return MEMORIZER_SLAB + n;
}

static u32 make_slab(const struct memorizer_geometry *geo)
{
	unsigned int class = slab_class(geo->slots);
	struct slab_record *slab;
	u32 id, i;

	if (class == MEMORIZER_CLASSES)
		return 0;
	id = memorizer_pool_alloc(class);
	if (!id)
		return 0;
	slab = memorizer_ptr(id);
	for (i = 0; i < geo->slots; i++)
		WRITE_ONCE(slab->object[i], 0);
	WRITE_ONCE(slab->in_force, 0);
	WRITE_ONCE(slab->base, geo->base);
	memorizer_set_stride(slab, geo->stride);
	WRITE_ONCE(slab->lead, geo->base - geo->start);
	WRITE_ONCE(slab->slots, geo->slots);
	return id;
}

/* Takes a slab record, which has no objects any more, out of use. */
static void discard_slab(struct slab_record *slab, u32 value)
{
	unsigned long page = slab->base - slab->lead;
	unsigned long end = slab->base + (unsigned long)slab->slots * slab->stride;
	u32 *word, first;

	for (; page < end; page += PAGE_SIZE) {
		word = memorizer_find_word(page);
		if (word)
			cmpxchg(word, value, 0);
	}
	first = atomic_read(&discarded);
	do {
		WRITE_ONCE(slab->link, first);
	} while (!atomic_try_cmpxchg(&discarded, (int *)&first, value & ~SLAB_BIT));
}

/* Takes an object that has its pages for itself out of their words. */
static void clear_words(u32 id)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	unsigned long va = memorizer_object_va(object), end = va + object->size, page;
	u32 *word;

	for (page = va & PAGE_MASK; page < end; page += PAGE_SIZE) {
		word = memorizer_find_word(page);
		if (READ_ONCE(*word) == id)
			cmpxchg(word, id, 0);
	}
}

/* Does a slab begin there? Stale words of other pages name it, too. */
static bool begins_at(const struct slab_record *slab, unsigned long page)
{
	return slab->base - slab->lead == page;
}

/*
 * A page has another owner than its word says: bury what is still live behind it, whose frees were
 * not seen. This comes before the word says so: whoever sees the new word may have memory there,
 * and access it next. Several CPUs may do it at once; each is done when all is buried.
 */
static void bury_word(u32 word, unsigned long page)
{
	struct slab_record *slab;
	bool whole;
	u32 i, id;

	if (!word)
		return;
	if (!(word & SLAB_BIT)) {
		if (overlaps(word, page)) {
			memorizer_object_bury(word);
			clear_words(word);
		}
		return;
	}
	slab = memorizer_ptr(word & ~SLAB_BIT);
	whole = begins_at(slab, page);
	for (i = 0; i < slab->slots; i++) {
		id = READ_ONCE(slab->object[i]);
		if (!id || !(whole || overlaps(id, page)))
			continue;
		/* In this order: what is in no slot is buried. */
		memorizer_object_bury(id);
		cmpxchg(&slab->object[i], id, 0);
	}
}

/* This CPU replaced a page's word: if a slab began there, nobody else discards its record. */
static void discard_word(u32 old, unsigned long page)
{
	struct slab_record *slab = memorizer_ptr(old & ~SLAB_BIT);

	if ((old & SLAB_BIT) && begins_at(slab, page))
		discard_slab(slab, old);
}

static void replace_word(u32 *word, u32 value, unsigned long page)
{
	u32 old = READ_ONCE(*word);

	while (old != value) {
		bury_word(old, page);
		if (try_cmpxchg(word, &old, value)) {
			discard_word(old, page);
			break;
		}
	}
}

/* The slab's record, NULL if there is no room for a new one. */
static struct slab_record *get_slab(const struct memorizer_geometry *geo)
{
	u32 *word = make_word(geo->start);
	struct slab_record *slab;
	u32 old, id;

	if (!word)
		return NULL;
	old = READ_ONCE(*word);
	for (;;) {
		slab = memorizer_ptr(old & ~SLAB_BIT);
		if ((old & SLAB_BIT) && same_geometry(slab, geo))
			return slab;
		id = make_slab(geo);
		if (!id)
			return NULL;
		bury_word(old, geo->start);
		if (try_cmpxchg(word, &old, id | SLAB_BIT)) {
			discard_word(old, geo->start);
			return memorizer_ptr(id);
		}
		memorizer_pool_free(slab_class(geo->slots), id);
	}
}

static int insert_in_slab(const struct memorizer_geometry *geo, unsigned long addr, u32 id)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	struct slab_record *slab = get_slab(geo);
	unsigned long page;
	u32 *word, value;
	u64 slot;

	if (!slab)
		return -ENOMEM;
	if (!READ_ONCE(slab->in_force))
		WRITE_ONCE(slab->in_force, geo->slots);
	slot = memorizer_slot(slab, addr);
	if (slot >= geo->slots)
		return -ERANGE;
	value = memorizer_id(slab) | SLAB_BIT;
	for (page = addr & PAGE_MASK; page < addr + object->size; page += PAGE_SIZE) {
		/* That one says so. */
		if (page == geo->start)
			continue;
		word = make_word(page);
		if (!word)
			return -ENOMEM;
		replace_word(word, value, page);
	}
	id = xchg(&slab->object[slot], id);
	if (id)
		memorizer_object_bury(id);
	return 0;
}

static int insert_in_pages(const struct memorizer_geometry *geo, u32 id)
{
	unsigned long page, end = geo->start + (geo->pages << PAGE_SHIFT);

	/* All or nothing: make the leaves first. */
	for (page = geo->start; page < end; page += PAGE_SIZE)
		if (!make_word(page))
			return -ENOMEM;
	for (page = geo->start; page < end; page += PAGE_SIZE)
		replace_word(memorizer_find_word(page), id, page);
	return 0;
}

/**
 * memorizer_index_insert() - make an object known
 * @geo: how objects lie there
 * @addr: the object's address
 * @id: the object, complete but not yet live
 *
 * An object that is known in its place is buried.
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to
 *	the caller.
 * Return: 0, -ENOMEM if the pool is full, -ERANGE if the index cannot name it
 */
int memorizer_index_insert(const struct memorizer_geometry *geo, unsigned long addr, u32 id)
{
	unsigned long offset = geo->start - memorizer_index_base;

	if (offset >= memorizer_index_bytes ||
	    geo->pages > (memorizer_index_bytes - offset) >> PAGE_SHIFT)
		return -ERANGE;
	return geo->slots ? insert_in_slab(geo, addr, id) : insert_in_pages(geo, id);
}

/**
 * memorizer_index_end_slab() - end the time in which a slab's record is in force
 * @start: the slab's first address; its pages are still its own
 *
 * Context: any, NMI included, with preemption disabled.
 */
void memorizer_index_end_slab(unsigned long start)
{
	struct slab_record *slab;
	u32 word;

	/* If it is not this slab's, it is not in force. */
	if (memorizer_has_slab(start, &slab, &word) && READ_ONCE(slab->in_force))
		WRITE_ONCE(slab->in_force, 0);
}

/**
 * memorizer_index_erase() - forget the object that begins at an address
 * @addr: the address
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to
 *	the caller.
 * Return: id of the object, now the caller's to close, 0 if none was known
 */
u32 memorizer_index_erase(unsigned long addr)
{
	const struct memorizer_object *object;
	u32 id, *word = memorizer_find_word(addr);
	struct slab_record *slab;
	u32 *slot = word;
	u64 number;

	if (!word)
		return 0;
	id = READ_ONCE(*word);
	if (id & SLAB_BIT) {
		slab = memorizer_ptr(id & ~SLAB_BIT);
		number = memorizer_slot(slab, addr);
		if (number >= READ_ONCE(slab->slots))
			return 0;
		slot = &slab->object[number];
		id = READ_ONCE(*slot);
	}
	object = memorizer_ptr(id);
	if (!id || !is_live_at(object, addr))
		return 0;
	if (memorizer_object_va(object) != addr)
		return 0;
	if (cmpxchg(slot, id, 0) != id)
		return 0;
	if (slot == word)
		clear_words(id);
	return id;
}

/**
 * memorizer_index_collect() - take the slab records that were discarded so far
 *
 * A grace period later memorizer_index_recycle() gives them to the pool.
 *
 * Context: process context, under memorizer_rwsem, for writing.
 */
void memorizer_index_collect(void)
{
	collected = atomic_xchg(&discarded, 0);
}

/**
 * memorizer_index_recycle() - have the pool get the collected slab records back
 *
 * Context: process context, under memorizer_rwsem, for writing, a grace period after
 *	memorizer_index_collect().
 */
void memorizer_index_recycle(void)
{
	struct slab_record *slab;
	u32 id;

	while ((id = collected)) {
		slab = memorizer_ptr(id);
		collected = slab->link;
		memorizer_pool_give(slab_class(slab->slots), id);
	}
}
