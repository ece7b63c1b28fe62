// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's index: from an address to the object there.
 *
 * A radix tree over the direct map, where slab and page memory lies, and over ranges above it. The
 * root has one slot for each 4 MiB and is allocated at boot. A slot holds the id of a leaf: a page
 * with one word for each of 1024 pages. A word is 0, or the id of the single object in that page
 * and its neighbours (a large kmalloc(), an area), or, with SLAB_BIT, the id of a slab record,
 * which has the layout of the page's slab and an object id for each of the slab's slots:
 *
 *	root[addr / 4 MiB] -> leaf[addr / 4 KiB] -> slab->object[slot] -> object
 *
 * A record without slots stands for a table of variables, see variable_table.c. In per-CPU memory,
 * an object has all slots that it extends over, see GRAIN.
 *
 * An area is an object in which others may lie: an allocation of pages, or of vmalloc(). Slabs and
 * large allocations lie in pages, stacks in vmalloc areas. An address belongs to the object in the
 * area if there is one, else to the area. The record of a slab names the area below it; a large
 * allocation or a stack in a recorded area is a slab of one slot.
 *
 * Lookups take no lock and need no barrier. They retry only if pages were split meanwhile.
 * Invariants:
 *
 * - A root slot changes once, from 0 to a zeroed leaf, by cmpxchg. This pairs with the address
 *   dependency from the slot to the leaf's words.
 *
 * - The word of a slab's first page determines the slab's record. While a slab has objects, its
 *   record stays, because all insertions have the same geometry. The words of its other pages
 *   have the same value or are stale; insertion stores them before it fills the object's slot.
 *
 * - A slab record is in force only while its pages are a slab of its geometry: from an
 *   insertion until the allocator's hook memorizer_index_end_slab(), which is enabled on all
 *   CPUs before the first object is recorded. Afterwards the record may be used by a later slab
 *   of that geometry.
 *
 * - object[slot] changes from 0 to an id and back by xchg or cmpxchg, so that exactly one of
 *   several CPUs that insert or erase an object gets its id. Several CPUs may bury it; its
 *   state decides.
 *
 * - A word is replaced, by cmpxchg, after all live objects behind it that overlap the page have
 *   been buried. An area is not buried but hidden when an object in it gets a word.
 *
 * - While an area is live, each of its words names it, or a slab record with it below.
 *
 * - No word or slot has the id of an object or slab record when the grace period begins that ends
 *   with the record's reuse.
 *
 * - Words may be stale: a page that left its slab keeps its word until an object claims the
 *   page or the record is discarded.
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
#ifdef CONFIG_MEMORIZER_PAGES
#include "variable_table.h"
#endif

#define LEAF_WORDS	MEMORIZER_LEAF_WORDS
#define LEAF_SHIFT	MEMORIZER_LEAF_SHIFT

static_assert(LEAF_WORDS * sizeof(u32) == PAGE_SIZE);
static_assert((unsigned long)LEAF_WORDS << PAGE_SHIFT == 1UL << LEAF_SHIFT);
/* A slab record counts its slots in 16 bits. */
static_assert(MEMORIZER_BLOCK_SIZE / sizeof(u32) <= U16_MAX);

unsigned long memorizer_index_base __ro_after_init;	/* lowest address */
unsigned long memorizer_index_bytes __ro_after_init;	/* 0: no pool, the index is empty */
struct memorizer_range memorizer_ranges[MEMORIZER_RANGES] __ro_after_init;
u32 *memorizer_index_root __ro_after_init;

/* The thunks skip addresses from here on, see set_thunk_end(). */
unsigned long memorizer_thunk_end __read_mostly;

/* Discarded slab records. Any context pushes to the first list. */
static atomic_t discarded ____cacheline_aligned_in_smp;
/* Those that memorizer_index_collect() took. Guarded by memorizer_rwsem. */
static u32 collected;

static unsigned long slots_for(unsigned long bytes)
{
	return DIV_ROUND_UP(bytes, 1UL << LEAF_SHIFT);
}

/**
 * memorizer_index_init() - allocate the root
 * @reserve: returns zeroed memory, or NULL
 * @base: first address of the direct map
 * @bytes: number of bytes from there on
 * @ranges: MEMORIZER_RANGES other ranges, with @first unset; NULL for none
 *
 * Context: boot, once.
 * Return: 0 or -ENOMEM
 */
int memorizer_index_init(void *(*reserve)(size_t size), unsigned long base, unsigned long bytes,
			 const struct memorizer_range *ranges)
{
	unsigned long slots = slots_for(bytes);
	unsigned int i;

	for (i = 0; ranges && i < MEMORIZER_RANGES; i++)
		slots += slots_for(ranges[i].bytes);
	memorizer_index_root = reserve(slots * sizeof(u32));
	if (!memorizer_index_root)
		return -ENOMEM;
	for (i = 0, slots = slots_for(bytes); ranges && i < MEMORIZER_RANGES; i++) {
		memorizer_ranges[i] = ranges[i];
		memorizer_ranges[i].first = slots;
		slots += slots_for(ranges[i].bytes);
	}
	memorizer_index_base = base;
	memorizer_index_bytes = bytes;
	memorizer_thunk_end = base + bytes;
	return 0;
}

/* The word of an address's page. Allocates a missing leaf. NULL if the pool is exhausted. */
static __kprobes u32 *make_word(unsigned long addr)
{
	unsigned long offset;
	u32 *slot = memorizer_root_slot(addr, &offset), leaf, *words;
	unsigned int i;

	if (!READ_ONCE(*slot)) {
		leaf = memorizer_pool_alloc(MEMORIZER_LEAF);
		if (!leaf)
			return NULL;
		words = memorizer_ptr(leaf);
		/* A reused record is not zeroed. */
		for (i = 0; i < LEAF_WORDS; i++)
			WRITE_ONCE(words[i], 0);
		/* If another CPU has been faster, this leaf was never visible. */
		if (cmpxchg(slot, 0, leaf))
			memorizer_pool_free(MEMORIZER_LEAF, leaf);
	}
	return memorizer_find_word(addr);
}

/* Does a live object that is hidden from the fast paths contain the address? */
static __always_inline bool hidden_at(const struct memorizer_object *object, unsigned long addr)
{
	/* Pairs with the release in memorizer_object_publish(). */
	return smp_load_acquire(&object->state) == MEMORIZER_LIVE &&
		memorizer_may_hide(object) &&
		memorizer_contains(memorizer_object_va(object), READ_ONCE(object->size), addr,
				   addr);
}

static __always_inline bool is_live_at(const struct memorizer_object *object, unsigned long addr)
{
	return likely(memorizer_object_contains(object, addr, 1)) || hidden_at(object, addr);
}

/* Is the object a live area that contains the address? */
static __always_inline bool is_area_at(u32 id, unsigned long addr)
{
	const struct memorizer_object *object = memorizer_ptr(id);

	return id && memorizer_is_area(object) && is_live_at(object, addr);
}

/* The live area that contains an address, by the word of its page. 0 if there is none. */
static u32 area_at(u32 word, unsigned long addr)
{
	const struct slab_record *slab = memorizer_ptr(word & ~SLAB_BIT);
	u32 id = word & SLAB_BIT ? READ_ONCE(slab->below) : word;

	return is_area_at(id, addr) ? id : 0;
}

/* Is the object live, and does it overlap the page? */
static bool overlaps(u32 id, unsigned long page)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	unsigned long va = memorizer_object_va(object);

	/* Testing the object at its own address tests only whether it is live. */
	return va < page + PAGE_SIZE && page < va + READ_ONCE(object->size) &&
		is_live_at(object, va);
}

/* The slot at an address, or NULL. Lowers @next to the start of the following slot. */
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

#ifdef CONFIG_MEMORIZER_PAGES
/*
 * Stride of the slots of a page of per-CPU memory. Objects there have no common size and lie at any
 * multiple of this, so an object has all the slots that it extends over.
 */
#define GRAIN	4

/* Does the record stand for a table of variables? */
static __always_inline bool is_table(const struct slab_record *slab)
{
	return !READ_ONCE(slab->slots);
}

/* Is the record that of a page of per-CPU memory? A table's stride means nothing. */
static __always_inline bool is_grains(const struct slab_record *slab)
{
	return READ_ONCE(slab->stride) == GRAIN && !is_table(slab);
}

/* Look up a variable. Not inlined, to save stack. */
static noinline __kprobes u32 lookup_variable(const struct slab_record *slab, unsigned long addr,
					      unsigned long *next)
{
	u32 *slot = memorizer_variable_slot(slab->variables, addr, next);
	u32 id = slot ? READ_ONCE(*slot) : 0, below = READ_ONCE(slab->below);
	const struct memorizer_object *object = memorizer_ptr(id);

	if (!id || !is_live_at(object, addr))
		return is_area_at(below, addr) ? below : 0;
	*next = memorizer_object_va(object) + READ_ONCE(object->size);
	return id;
}

static noinline void clear_variable(const struct slab_record *slab, unsigned long addr, u32 id)
{
	unsigned long unused = ULONG_MAX;
	u32 *slot = memorizer_variable_slot(slab->variables, addr, &unused);

	if (slot)
		cmpxchg(slot, id, 0);
}
#endif

/**
 * memorizer_index_lookup() - find the live object that contains an address
 * @addr: the address
 * @next: set to the first address after @addr that may belong to another object
 *
 * Objects may lie in the middle of an area, so that several lookups along an access find the area.
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: id of the object, 0 if there is none
 */
u32 __kprobes memorizer_index_lookup(unsigned long addr, unsigned long *next)
{
	const struct memorizer_object *object;
	u32 *word = memorizer_find_word(addr);
	u32 id, value, *slot, below;
	struct slab_record *slab;
	unsigned long va;

again:
	/* The next page has a word of its own. */
	*next = (addr | ~PAGE_MASK) + 1;
	if (!word)
		return 0;
	value = READ_ONCE(*word);
	id = value;
	below = 0;
	if (value & SLAB_BIT) {
		slab = memorizer_ptr(value & ~SLAB_BIT);
#ifdef CONFIG_MEMORIZER_PAGES
		if (unlikely(is_table(slab)))
			return lookup_variable(slab, addr, next);
#endif
		below = READ_ONCE(slab->below);
		slot = find_slot(slab, addr, next);
		id = slot ? READ_ONCE(*slot) : 0;
	}
	if (!id)
		goto below;
	/*
	 * The word may be stale, so the object may be anywhere. If it is live and contains the
	 * address, it is in the index: objects become live after insertion and are erased
	 * before they are closed.
	 */
	object = memorizer_ptr(id);
	va = memorizer_object_va(object);
	if (is_live_at(object, addr)) {
		/* In the next page of the area, another object may lie. */
		if (!memorizer_is_area(object))
			*next = va + READ_ONCE(object->size);
		return id;
	}
	/*
	 * If a part of pages has been freed, the word names another part. The acquire in
	 * hidden_at() pairs with the cmpxchg that closed the pages, after it changed the word.
	 */
	if (unlikely(memorizer_is_area(object) && READ_ONCE(*word) != value))
		goto again;
	/* In front of the object: KFENCE, for example, places objects at the end of a page. */
	if (addr < va)
		*next = min(*next, va);
below:
	return is_area_at(below, addr) ? below : 0;
}

static bool same_geometry(const struct slab_record *slab, const struct memorizer_geometry *geo)
{
	return READ_ONCE(slab->base) == geo->base && READ_ONCE(slab->stride) == geo->stride &&
		READ_ONCE(slab->slots) == geo->slots &&
		READ_ONCE(slab->lead) == geo->base - geo->start;
}

/* The class of records with room for that many slots, or MEMORIZER_CLASSES. */
static __kprobes unsigned int slab_class(u32 slots)
{
	unsigned int n = 0;

	while (n < MEMORIZER_SLAB_SIZES && memorizer_slab_room(n) < slots)
		n++;
	return MEMORIZER_SLAB + n;
}

static __kprobes u32 make_slab(const struct memorizer_geometry *geo, u32 below)
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
	WRITE_ONCE(slab->below, below);
	return id;
}

/* Unlink a record without objects from pages, and queue it for memorizer_index_collect(). */
static void discard_record(struct slab_record *slab, u32 value, unsigned long page,
			   unsigned long end)
{
	u32 *word, first, below = READ_ONCE(slab->below);

	/*
	 * The other pages' words may still have the record, which is reused after a grace
	 * period. They name the area below it again.
	 */
	for (; page < end; page += PAGE_SIZE) {
		word = memorizer_find_word(page);
		if (word)
			cmpxchg(word, value, is_area_at(below, page) ? below : 0);
	}
	/* No ABA problem: memorizer_index_collect() takes the whole list. */
	first = atomic_read(&discarded);
	do {
		WRITE_ONCE(slab->link, first);
	} while (!atomic_try_cmpxchg(&discarded, (int *)&first, value & ~SLAB_BIT));
}

/* Not inlined, to save stack. */
static noinline void discard_slab(struct slab_record *slab, u32 value)
{
	discard_record(slab, value, slab->base - slab->lead,
		       slab->base + (unsigned long)slab->slots * slab->stride);
}

/* Remove an object that has pages of its own from the word of a page, and from a slab there. */
static void clear_word(u32 *word, u32 id)
{
	u32 value = READ_ONCE(*word);
	struct slab_record *slab;

	/* On failure, another CPU has claimed the page, or inserted an object in the area. */
	if (value == id && try_cmpxchg(word, &value, 0))
		return;
	slab = memorizer_ptr(value & ~SLAB_BIT);
	if (!(value & SLAB_BIT) || READ_ONCE(slab->below) != id)
		return;
	WRITE_ONCE(slab->below, 0);
	/*
	 * Without the area, no hook ends the record of a large allocation. That of a slab is in
	 * force again from its next object on.
	 */
	WRITE_ONCE(slab->in_force, 0);
}

/* Remove an object that has pages of its own from their words. */
static void clear_words(u32 id)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	unsigned long va = memorizer_object_va(object), end = va + object->size, page;

	/* The words are there: insert_in_pages() has made the leaves, which stay. */
	for (page = va & PAGE_MASK; page < end; page += PAGE_SIZE)
		clear_word(memorizer_find_word(page), id);
}

/* Does the slab begin at the page? Stale words of other pages may name it, too. */
static bool begins_at(const struct slab_record *slab, unsigned long page)
{
	return slab->base - slab->lead == page;
}

/* From here on, accesses to the area look for an object in it first. */
static void hide_area(u32 id)
{
	struct memorizer_object *object = memorizer_ptr(id);

	WRITE_ONCE(object->at, memorizer_hide(memorizer_object_va(object)));
}

static void bury_large(u32 id)
{
	memorizer_object_bury(id);
	clear_words(id);
}

/*
 * A page's word is about to be replaced: bury the live objects behind the old word, whose frees
 * were missed, but not the area @below the new word. Several CPUs may do this at once. Each
 * returns when all of the objects have been buried.
 */
static void bury_word(u32 word, unsigned long page, u32 below)
{
	struct slab_record *slab;
	bool whole;
	u32 i, id;

	if (!word)
		return;
	if (word == below) {
		hide_area(below);
		return;
	}
	if (!(word & SLAB_BIT)) {
		/* Otherwise the word is stale, or another CPU has buried the object. */
		if (overlaps(word, page))
			bury_large(word);
		return;
	}
	slab = memorizer_ptr(word & ~SLAB_BIT);
	id = READ_ONCE(slab->below);
	if (id != below && is_area_at(id, page))
		bury_large(id);
	/* Replacing the word of a slab's first page discards its record, so bury all objects. */
	whole = begins_at(slab, page);
	for (i = 0; i < slab->slots; i++) {
		id = READ_ONCE(slab->object[i]);
		if (!id || !(whole || overlaps(id, page)))
			continue;
		/* In this order: other CPUs take an empty slot for one without a live object. */
		memorizer_object_bury(id);
		cmpxchg(&slab->object[i], id, 0);
	}
}

/* Discard the slab that began at the page. Only the CPU that replaced the word does. */
static void discard_word(u32 old, unsigned long page)
{
	struct slab_record *slab = memorizer_ptr(old & ~SLAB_BIT);

	if ((old & SLAB_BIT) && begins_at(slab, page))
		discard_slab(slab, old);
}

static void replace_word(u32 *word, u32 value, unsigned long page, u32 below)
{
	u32 old = READ_ONCE(*word);

	while (old != value) {
		/*
		 * First: a CPU that sees the new word may at once insert an object and access
		 * it.
		 */
		bury_word(old, page, below);
		if (try_cmpxchg(word, &old, value)) {
			discard_word(old, page);
			break;
		}
	}
}

/* The slab's record, made if necessary. NULL if the pool is exhausted. Inlined, to save stack. */
static __always_inline struct slab_record *get_slab(const struct memorizer_geometry *geo)
{
	u32 *word = make_word(geo->start);
	struct slab_record *slab;
	u32 old, id, below;

	if (!word)
		return NULL;
	old = READ_ONCE(*word);
	for (;;) {
		slab = memorizer_ptr(old & ~SLAB_BIT);
		below = area_at(old, geo->start);
		/*
		 * The record may be an earlier slab's. Objects that it left are buried when
		 * their slots are reused.
		 */
		if ((old & SLAB_BIT) && same_geometry(slab, geo) &&
		    READ_ONCE(slab->below) == below)
			return slab;
		id = make_slab(geo, below);
		if (!id)
			return NULL;
		/* As in replace_word(). If another CPU wins the race, use its record. */
		bury_word(old, geo->start, below);
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
	/* The geometry matches, and the object keeps the slab from being freed. */
	if (!READ_ONCE(slab->in_force))
		WRITE_ONCE(slab->in_force, geo->slots);
	slot = memorizer_slot(slab, addr);
	if (slot >= geo->slots)
		return -ERANGE;
	value = memorizer_id(slab) | SLAB_BIT;
	for (page = addr & PAGE_MASK; page < addr + object->size; page += PAGE_SIZE) {
		/* get_slab() has set this one. */
		if (page == geo->start)
			continue;
		/* On failure, the words that are set may stay: these pages are of this slab. */
		word = make_word(page);
		if (!word)
			return -ENOMEM;
		replace_word(word, value, page, READ_ONCE(slab->below));
	}
	/* After the words: once the object is in its slot, all of its pages lead to it. */
	id = xchg(&slab->object[slot], id);
	/* The free of an object that is still in the slot was missed. */
	if (id)
		memorizer_object_bury(id);
	return 0;
}

/* Have the words of pages name an object, which is part of @whole if that is not 0. */
static int insert_in_pages(unsigned long start, unsigned long end, u32 id, u32 whole)
{
	unsigned long page;

	/* All or nothing: allocate the leaves first. */
	for (page = start; page < end; page += PAGE_SIZE)
		if (!make_word(page))
			return -ENOMEM;
	for (page = start; page < end; page += PAGE_SIZE)
		replace_word(memorizer_find_word(page), id, page, whole);
	return 0;
}

/**
 * memorizer_index_area() - find the live area that contains an address
 * @addr: the address
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: id of the area, also if another object lies at the address; 0 if there is none
 */
u32 memorizer_index_area(unsigned long addr)
{
	u32 *word = memorizer_find_word(addr), value, id;

	if (!word)
		return 0;
	/* As in memorizer_index_lookup(): pages may be split meanwhile. */
	do {
		value = READ_ONCE(*word);
		id = area_at(value, addr);
	} while (!id && READ_ONCE(*word) != value);
	return id;
}

/**
 * memorizer_index_fit() - fit a large allocation or a stack into the area it lies in
 * @geo: its layout, which becomes that of a slab of one slot if the area is recorded
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to the caller.
 */
void memorizer_index_fit(struct memorizer_geometry *geo)
{
	if (geo->slots || !memorizer_index_area(geo->start))
		return;
	geo->base = geo->start;
	geo->stride = geo->pages << PAGE_SHIFT;
	geo->slots = 1;
}

/* Are all pages in one of the ranges? Not inlined, to save stack. */
static noinline bool covers(unsigned long start, unsigned long pages)
{
	unsigned long last = start + (pages << PAGE_SHIFT) - 1, first_offset, last_offset;

	return last >= start && memorizer_root_slot(start, &first_offset) &&
		memorizer_root_slot(last, &last_offset) &&
		last_offset - first_offset == last - start;
}

#ifdef CONFIG_MEMORIZER_PAGES
/* The record of a page of per-CPU memory. NULL if the pool is exhausted. */
static struct slab_record *get_grains(unsigned long page)
{
	const struct memorizer_geometry geo = {
		.start = page, .base = page, .stride = GRAIN,
		.slots = PAGE_SIZE / GRAIN, .pages = 1,
	};

	return get_slab(&geo);
}

/**
 * memorizer_index_insert_grains() - insert an object of per-CPU memory
 * @addr: the object's address, a multiple of GRAIN
 * @id: id of the object, which is complete but not yet live
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to the caller.
 * Return: 0, -ENOMEM if the pool is exhausted, -ERANGE if the index does not cover the address, or
 *	if variables lie in the page
 */
int memorizer_index_insert_grains(unsigned long addr, u32 id)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	unsigned long at, end = addr + object->size;
	struct slab_record *slab;
	u32 old, word;

	/* All or nothing: make the records first. They replace no table of variables. */
	for (at = addr & PAGE_MASK; at < end; at += PAGE_SIZE) {
		if (!covers(at, 1) || (memorizer_has_slab(at, &slab, &word) && is_table(slab)))
			return -ERANGE;
		if (!get_grains(at))
			return -ENOMEM;
	}
	for (at = addr; at < end; at += GRAIN) {
		if (!memorizer_has_slab(at, &slab, &word))
			continue;
		old = xchg(&slab->object[memorizer_slot(slab, at)], id);
		/* The free of an object that is still there was missed. */
		if (old && old != id)
			memorizer_object_bury(old);
	}
	return 0;
}

/* Remove an object from all its slots. Not inlined, to save stack. */
static noinline void clear_grains(u32 id)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	unsigned long at = memorizer_object_va(object), end = at + object->size;
	struct slab_record *slab;
	u32 word;

	for (; at < end; at += GRAIN)
		if (memorizer_has_slab(at, &slab, &word) && is_grains(slab))
			cmpxchg(&slab->object[memorizer_slot(slab, at)], id, 0);
}

/**
 * memorizer_index_erase_grains() - remove the object of per-CPU memory that begins at an address
 * @addr: the address
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to the caller.
 * Return: id of the object, which the caller must close, or 0 if there is none
 */
u32 memorizer_index_erase_grains(unsigned long addr)
{
	struct slab_record *slab;
	u32 word, id;

	if (!memorizer_has_slab(addr, &slab, &word) || !is_grains(slab))
		return 0;
	id = READ_ONCE(slab->object[memorizer_slot(slab, addr)]);
	if (!id || !is_live_at(memorizer_ptr(id), addr) ||
	    memorizer_object_va(memorizer_ptr(id)) != addr)
		return 0;
	clear_grains(id);
	return id;
}
#endif

/**
 * memorizer_index_insert() - insert an object
 * @geo: the layout of objects around it, after memorizer_index_fit() unless it is an area
 * @addr: the object's address
 * @id: id of the object, which is complete but not yet live
 *
 * Buries any object that is already there.
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to the caller.
 * Return: 0, -ENOMEM if the pool is exhausted, -ERANGE if the index does not cover the address
 */
int memorizer_index_insert(const struct memorizer_geometry *geo, unsigned long addr, u32 id)
{
	if (!covers(geo->start, geo->pages))
		return -ERANGE;
	return geo->slots ? insert_in_slab(geo, addr, id) :
		insert_in_pages(geo->start, geo->start + (geo->pages << PAGE_SHIFT), id, 0);
}

/* The record of an array that no object but its elements ever lies in. NULL if the pool is full. */
static __kprobes struct slab_record *get_array(const struct memorizer_geometry *geo)
{
	u32 *word = make_word(geo->start), id, old = 0;

	if (!word)
		return NULL;
	if (READ_ONCE(*word))
		return memorizer_ptr(READ_ONCE(*word) & ~SLAB_BIT);
	id = make_slab(geo, 0);
	if (!id)
		return NULL;
	/* A full barrier: the record is complete. */
	if (try_cmpxchg(word, &old, id | SLAB_BIT))
		return memorizer_ptr(id);
	/* Another CPU, or an NMI, has been faster. */
	memorizer_pool_free(slab_class(geo->slots), id);
	return memorizer_ptr(old & ~SLAB_BIT);
}

/**
 * memorizer_index_claim() - insert an element of an array unless it is there already
 * @geo: the layout of the elements in its page; in this page, nothing but they is ever inserted
 * @addr: the element's address
 * @id: id of the object, which is complete but not yet live
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: @id, or the id of the object that is there, which another CPU may be about to publish; 0
 *	if the pool is exhausted
 */
u32 __kprobes memorizer_index_claim(const struct memorizer_geometry *geo, unsigned long addr,
				    u32 id)
{
	struct slab_record *slab = get_array(geo);

	if (!slab)
		return 0;
	return cmpxchg(&slab->object[memorizer_slot(slab, addr)], 0, id) ?: id;
}

#ifdef CONFIG_MEMORIZER_PAGES
/**
 * memorizer_index_insert_variables() - insert a table of variables
 * @table: the table, without objects
 *
 * It stays until memorizer_index_remove_variables().
 *
 * Context: process context or boot, with preemption disabled.
 * Return: 0, or -ENOMEM if the pool is exhausted
 */
int memorizer_index_insert_variables(struct variable_table *table)
{
	unsigned long end = table->start + (table->pages << PAGE_SHIFT), page;
	struct slab_record *slab;
	u32 id, below;

	for (page = table->start; page < end; page += PAGE_SIZE)
		if (!make_word(page))
			return -ENOMEM;
	id = memorizer_pool_alloc(slab_class(0));
	if (!id)
		return -ENOMEM;
	/* The memory of a module is an area, or is not recorded. */
	below = memorizer_index_area(table->start);
	slab = memorizer_ptr(id);
	WRITE_ONCE(slab->slots, 0);
	WRITE_ONCE(slab->in_force, 0);
	/* Matches no page: begins_at() is false, so that replacing a word does not discard it. */
	WRITE_ONCE(slab->base, 0);
	WRITE_ONCE(slab->lead, 1);
	slab->variables = table;
	WRITE_ONCE(slab->below, below);
	table->record = id;
	for (page = table->start; page < end; page += PAGE_SIZE)
		replace_word(memorizer_find_word(page), id | SLAB_BIT, page, below);
	return 0;
}

/**
 * memorizer_index_remove_variables() - remove a table of variables
 * @table: the table; hooks may use it, and add objects, until a grace period has passed
 *
 * Context: process context, with preemption disabled.
 */
void memorizer_index_remove_variables(struct variable_table *table)
{
	u32 id = table->record;

	table->record = 0;
	discard_record(memorizer_ptr(id), id | SLAB_BIT, table->start,
		       table->start + (table->pages << PAGE_SHIFT));
}

/**
 * memorizer_index_leave_table() - remove a page from the table of variables there
 * @page: address of the page, which a table has
 *
 * Context: any, NMI included, with preemption disabled.
 */
void memorizer_index_leave_table(unsigned long page)
{
	u32 *word = memorizer_find_word(page);

	WRITE_ONCE(*word, 0);
}

/**
 * memorizer_index_table() - find the table of the variables around an address
 * @addr: the address
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: the table, valid until preemption is enabled; NULL if there is none
 */
const struct variable_table __kprobes *memorizer_index_table(unsigned long addr)
{
	struct slab_record *slab;
	u32 word;

	return memorizer_has_slab(addr, &slab, &word) && is_table(slab) ? slab->variables : NULL;
}
#endif

/**
 * memorizer_index_end_slab() - mark a slab's record as no longer in force
 * @start: the slab's first address; the pages still belong to the slab
 *
 * Context: any, NMI included, with preemption disabled.
 */
void memorizer_index_end_slab(unsigned long start)
{
	struct slab_record *slab;
	u32 word;

	/* Another slab's stale record is not in force. */
	if (memorizer_has_slab(start, &slab, &word) && READ_ONCE(slab->in_force))
		WRITE_ONCE(slab->in_force, 0);
}

/**
 * memorizer_index_erase() - remove the object that begins at an address
 * @addr: the address
 *
 * An area is no such object, see memorizer_index_end_area().
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to the caller.
 * Return: id of the object, which the caller must close, or 0 if there is none
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
	if (!id || !is_live_at(object, addr) || memorizer_is_area(object))
		return 0;
	/* A pointer into an object frees nothing. */
	if (memorizer_object_va(object) != addr)
		return 0;
	/* Another CPU may erase or bury the object concurrently. */
	if (cmpxchg(slot, id, 0) != id)
		return 0;
	/* The object has pages of its own: the words of the other ones still name it. */
	if (slot == word)
		clear_words(id);
	return id;
}

/* Remove an object from its slot in the slab that a word names, if it names one. */
static void clear_slot(u32 word, unsigned long addr, u32 id)
{
	struct slab_record *slab = memorizer_ptr(word & ~SLAB_BIT);
	u64 slot;

	if (!(word & SLAB_BIT))
		return;
#ifdef CONFIG_MEMORIZER_PAGES
	if (is_grains(slab)) {
		clear_grains(id);
		return;
	}
#endif
	slot = memorizer_slot(slab, addr);
	if (slot < READ_ONCE(slab->slots))
		cmpxchg(&slab->object[slot], id, 0);
#ifdef CONFIG_MEMORIZER_PAGES
	else if (is_table(slab))
		clear_variable(slab, addr, id);
#endif
}

/* Bury the object that a lookup of the address has found. */
static noinline void bury_at(unsigned long addr, u32 id)
{
	u32 *word = memorizer_find_word(addr), old = READ_ONCE(*word);

	/* First, as in bury_word(). */
	memorizer_object_bury(id);
	/* If another CPU has replaced the word meanwhile, it has erased the object, too. */
	if (old == id)
		clear_words(id);
	else
		clear_slot(old, addr, id);
}

/**
 * memorizer_index_bury() - bury the objects that a new, unrecorded allocation overlaps
 * @addr: the allocation's address
 * @size: its size in bytes
 *
 * Their frees were missed. They may start at other addresses, if the pages were a slab before.
 * The area that the allocation lies in stays.
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to the caller.
 */
void memorizer_index_bury(unsigned long addr, unsigned long size)
{
	unsigned long at = addr, next;
	u32 id;

	/* The lookup has the same answer for all addresses up to @next: mostly a single step. */
	do {
		id = memorizer_index_lookup(at, &next);
		if (unlikely(id) && !memorizer_is_area(memorizer_ptr(id)))
			bury_at(at, id);
		at = next;
	} while (at - addr < size);
}

/**
 * memorizer_index_split_pages() - replace a part of pages by an object of its own
 * @start: first address of the part
 * @end: address after the part
 * @id: id of the part, which is live already: an access finds the part or the whole
 * @whole: id of the pages
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: 0, or -ENOMEM if the pool is exhausted
 */
int memorizer_index_split_pages(unsigned long start, unsigned long end, u32 id, u32 whole)
{
	return insert_in_pages(start, end, id, whole);
}

/**
 * memorizer_index_end_area() - remove an area, or a part of it
 * @start: first address to remove
 * @end: address after the last one
 * @id: id of the area, which the caller closes; 0 to bury all that is there, whose frees were
 *	missed
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to the caller.
 */
void memorizer_index_end_area(unsigned long start, unsigned long end, u32 id)
{
	unsigned long page;
	u32 *word;

	for (page = start; page < end; page += PAGE_SIZE) {
		word = memorizer_find_word(page);
		if (word)
			replace_word(word, 0, page, id);
	}
}

/**
 * memorizer_index_remove() - remove a closed object whose memory is still allocated
 * @id: the object
 *
 * Context: any, NMI included, with preemption disabled.
 */
void memorizer_index_remove(u32 id)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	unsigned long va = memorizer_object_va(object);
	u32 *word = memorizer_find_word(va), value = READ_ONCE(*word);

	/* An area may have a slab in its word. */
	if (value == id || memorizer_is_area(object))
		clear_words(id);
	else
		clear_slot(value, va, id);
}

/**
 * memorizer_index_collect() - collect the slab records that have been discarded
 *
 * memorizer_index_recycle() gives them to the pool a grace period later.
 *
 * Context: process context, under memorizer_rwsem, for writing.
 */
void memorizer_index_collect(void)
{
	collected = atomic_xchg(&discarded, 0);
}

/**
 * memorizer_index_recycle() - give the collected slab records to the pool
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
