// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: the index, called directly with the tests' own geometries.
 */
#include "test.h"
#include "../../../mm/memorizer/index.h"

#define LEAF_BYTES	(4UL << 20)

static void start(void)
{
	boot(POOL_BLOCKS(64));
}

/* Slabs of all kinds around the boundary between two leaves. */
static const struct memorizer_geometry slabs[] = {
	{ .start = PAGE(0), .base = PAGE(0), .stride = 8, .slots = 512, .pages = 1 },
	{ .start = PAGE(1), .base = PAGE(1), .stride = 192, .slots = 21, .pages = 1 },
	{ .start = PAGE(2), .base = PAGE(2) + 8, .stride = 48, .slots = 85, .pages = 1 },
	{ .start = PAGE(4), .base = PAGE(4), .stride = 704, .slots = 11, .pages = 2 },
	{ .start = PAGE(6), .base = PAGE(6), .stride = 1280, .slots = 12, .pages = 4 },
	{ .start = PAGE(16), .base = PAGE(17), .stride = 12288, .slots = 2, .pages = 8 },
	{ .start = PAGE(24), .base = PAGE(24), .stride = 8192, .slots = 4, .pages = 8 },
};

static u32 state_of(u32 id)
{
	return ((struct memorizer_object *)memorizer_ptr(id))->state;
}

static u32 insert_large(unsigned long va, size_t size)
{
	struct memorizer_geometry geo = {
		.start = va & PAGE_MASK,
		.pages = DIV_ROUND_UP((va & ~PAGE_MASK) + size, PAGE_SIZE),
	};

	return insert_object(&geo, va, size);
}

static u32 insert_slot(const struct memorizer_geometry *geo, unsigned int slot, size_t size)
{
	return insert_object(geo, geo->base + slot * geo->stride, size);
}

static unsigned long next_of(unsigned long addr)
{
	unsigned long next;

	memorizer_index_lookup(addr, &next);
	return next;
}

/* Check that each address of a range belongs to the object @id, or to none if @id is 0. */
static void check_range(unsigned long from, unsigned long to, u32 id)
{
	unsigned long addr;

	for (addr = from; addr < to; addr++)
		CHECK_EQ(lookup(addr), id);
}

static void each_byte_of_a_slot_names_its_object(void)
{
	const struct memorizer_geometry *geo;
	unsigned int slot, size, i;
	u32 id[512];

	start();
	for (i = 0; i < ARRAY_SIZE(slabs); i++) {
		geo = &slabs[i];
		size = geo->stride - geo->stride / 8;
		for (slot = 0; slot < geo->slots; slot++)
			id[slot] = insert_slot(geo, slot, size);
		check_range(geo->start, geo->base, 0);
		for (slot = 0; slot < geo->slots; slot++) {
			unsigned long va = geo->base + slot * geo->stride;

			check_range(va, va + size, id[slot]);
			check_range(va + size, va + geo->stride, 0);
		}
		check_range(geo->base + slot * geo->stride,
			    geo->start + geo->pages * PAGE_SIZE, 0);
	}
}

static void neighbours_do_not_matter(void)
{
	const struct memorizer_geometry *geo;
	unsigned int i;
	u32 id;

	start();
	for (i = 0; i < ARRAY_SIZE(slabs); i++) {
		geo = &slabs[i];
		id = insert_slot(geo, 1, geo->stride);
		CHECK_EQ(lookup(geo->base + geo->stride - 1), 0);
		check_range(geo->base + geo->stride, geo->base + 2 * geo->stride, id);
		CHECK_EQ(lookup(geo->base + 2 * geo->stride), 0);
	}
}

static void large_objects_have_all_their_pages(void)
{
	u32 id[3];

	start();
	CHECK_EQ(lookup(PAGE(1)), 0);
	id[0] = insert_large(PAGE(0), 1);
	/* across the boundary between leaves */
	id[1] = insert_large(PAGE(2), 12 * PAGE_SIZE + 100);
	id[2] = insert_large(PAGE(15), PAGE_SIZE);

	CHECK_EQ(lookup(PAGE(0) - 1), 0);
	CHECK_EQ(lookup(PAGE(0)), id[0]);
	CHECK_EQ(lookup(PAGE(0) + 1), 0);
	CHECK_EQ(lookup(PAGE(2) - 1), 0);
	check_range(PAGE(2), PAGE(14) + 100, id[1]);
	check_range(PAGE(14) + 100, PAGE(15), 0);
	check_range(PAGE(15), PAGE(16), id[2]);
	CHECK_EQ(lookup(PAGE(16)), 0);
}

/* The record may be reused: no word may name it. */
static void freed_large_object_leaves_all_of_its_pages(void)
{
	unsigned int n;
	u32 id;

	start();
	id = insert_large(PAGE(2), 12 * PAGE_SIZE + 100);
	erase_object(PAGE(2), id);
	for (n = 2; n <= 14; n++)
		CHECK_EQ(*memorizer_find_word(PAGE(n)), 0);
}

static void guarded_objects_begin_within_a_page(void)
{
	u32 id;

	start();
	id = insert_large(PAGE(4) - 40, 40);
	check_range(PAGE(3), PAGE(4) - 40, 0);
	check_range(PAGE(4) - 40, PAGE(4), id);
	CHECK_EQ(lookup(PAGE(4)), 0);
	erase_object(PAGE(4) - 40, id);
	check_range(PAGE(3), PAGE(4), 0);
}

static void erase_takes_the_start_only_and_once(void)
{
	unsigned int i;
	u32 id;

	start();
	for (i = 0; i < ARRAY_SIZE(slabs); i++) {
		unsigned long va = slabs[i].base + slabs[i].stride;

		CHECK_EQ(memorizer_index_erase(va), 0);
		id = insert_object(&slabs[i], va, slabs[i].stride);
		CHECK_EQ(memorizer_index_erase(va - 1), 0);
		CHECK_EQ(memorizer_index_erase(va + 1), 0);
		CHECK_EQ(memorizer_index_erase(va + slabs[i].stride), 0);
		erase_object(va, id);
		CHECK_EQ(memorizer_index_erase(va), 0);
		CHECK_EQ(lookup(va), 0);
	}
	id = insert_large(PAGE(0), 3 * PAGE_SIZE);
	CHECK_EQ(memorizer_index_erase(PAGE(0) + 1), 0);
	CHECK_EQ(memorizer_index_erase(PAGE(1)), 0);
	erase_object(PAGE(0), id);
	CHECK_EQ(memorizer_index_erase(PAGE(0)), 0);
	check_range(PAGE(0), PAGE(3), 0);
}

/* Lookups find an object only while it is live. */
static void only_live_objects_are_found(void)
{
	struct memorizer_object *object;
	u32 id;

	start();
	id = insert_slot(&slabs[3], 5, 704);
	object = memorizer_ptr(id);
	CHECK_EQ(lookup(memorizer_object_va(object)), id);
	object->at = memorizer_hide(object->at);
	CHECK_EQ(lookup(memorizer_object_va(object)), 0);
	CHECK_EQ(memorizer_index_erase(memorizer_object_va(object)), 0);
}

/* The result of a lookup includes the end of the object, gap or free slot. */
static void next_is_where_another_object_may_begin(void)
{
	const struct memorizer_geometry *odd = &slabs[2];	/* base at 8, 48 to 48 */
	const struct memorizer_geometry *straddling = &slabs[3];

	start();
	/* Without a leaf: end of the page. */
	CHECK_EQ(next_of(PAGE(2)), PAGE(3));
	CHECK_EQ(next_of(PAGE(3) - 1), PAGE(3));

	insert_slot(odd, 0, 24);
	CHECK_EQ(next_of(odd->start), odd->base);
	CHECK_EQ(next_of(odd->base - 1), odd->base);
	CHECK_EQ(next_of(odd->base), odd->base + 24);
	CHECK_EQ(next_of(odd->base + 23), odd->base + 24);
	CHECK_EQ(next_of(odd->base + 24), odd->base + 48);
	CHECK_EQ(next_of(odd->base + 47), odd->base + 48);
	CHECK_EQ(next_of(odd->base + 48), odd->base + 96);
	CHECK_EQ(next_of(odd->base + 85 * 48), PAGE(3));

	/* Slot 5, from 3520 to 4224, crosses the page's end. */
	insert_slot(straddling, 5, 704);
	CHECK_EQ(next_of(straddling->base + 3520), straddling->base + 4224);
	CHECK_EQ(next_of(straddling->base + 4095), straddling->base + 4224);
	CHECK_EQ(next_of(straddling->base + 4096), straddling->base + 4224);
	/* Slot 11 does not exist. */
	CHECK_EQ(next_of(straddling->base + 11 * 704), PAGE(6));

	insert_large(PAGE(10), 2 * PAGE_SIZE + 5);
	CHECK_EQ(next_of(PAGE(10)), PAGE(12) + 5);
	CHECK_EQ(next_of(PAGE(11) + 7), PAGE(12) + 5);
	CHECK_EQ(next_of(PAGE(12) + 4), PAGE(12) + 5);
	CHECK_EQ(next_of(PAGE(12) + 5), PAGE(13));

	insert_large(PAGE(21) - 40, 40);
	CHECK_EQ(next_of(PAGE(20)), PAGE(21) - 40);
	CHECK_EQ(next_of(PAGE(21) - 41), PAGE(21) - 40);
	CHECK_EQ(next_of(PAGE(21) - 40), PAGE(21));
}

static void addresses_outside_have_no_object(void)
{
	static const unsigned long outside[] = {
		0, 1, PAGE_SIZE - 1, MAP_BASE - 1, MAP_BASE - PAGE_SIZE, MAP_BASE + MAP_BYTES,
		MAP_BASE + (8UL << 30), ULONG_MAX, ULONG_MAX & PAGE_MASK, IP(0),
	};
	unsigned int i;
	u32 first, last;

	start();
	first = insert_large(MAP_BASE, PAGE_SIZE);
	last = insert_large(MAP_BASE + MAP_BYTES - PAGE_SIZE, PAGE_SIZE);
	CHECK_EQ(lookup(MAP_BASE), first);
	CHECK_EQ(lookup(MAP_BASE + MAP_BYTES - 1), last);
	for (i = 0; i < ARRAY_SIZE(outside); i++) {
		CHECK_EQ(lookup(outside[i]), 0);
		CHECK_EQ(next_of(outside[i]), (outside[i] & PAGE_MASK) + PAGE_SIZE);
		CHECK_EQ(memorizer_index_erase(outside[i]), 0);
	}
}

static int try_insert(unsigned long start, unsigned long pages)
{
	struct memorizer_geometry geo = { .start = start, .pages = pages };
	u32 id = make_object(start, pages * PAGE_SIZE);

	return memorizer_index_insert(&geo, start, id);
}

static void objects_outside_are_refused(void)
{
	start();
	CHECK_EQ(try_insert(MAP_BASE - PAGE_SIZE, 1), -ERANGE);
	CHECK_EQ(try_insert(MAP_BASE - PAGE_SIZE, 2), -ERANGE);
	CHECK_EQ(try_insert(MAP_BASE + MAP_BYTES, 1), -ERANGE);
	CHECK_EQ(try_insert(MAP_BASE + MAP_BYTES - PAGE_SIZE, 2), -ERANGE);
	CHECK_EQ(try_insert(MAP_BASE, (MAP_BYTES >> PAGE_SHIFT) + 1), -ERANGE);
	CHECK_EQ(try_insert(0, 1), -ERANGE);
	CHECK_EQ(try_insert(MAP_BASE + MAP_BYTES - PAGE_SIZE, 1), 0);
}

/* Objects outside of the geometry's slots. */
static void objects_between_slots_are_refused(void)
{
	const struct memorizer_geometry *geo = &slabs[2];
	unsigned long before = geo->base - 8, behind = geo->base + 85 * 48;

	start();
	CHECK_EQ(memorizer_index_insert(geo, before, make_object(before, 8)), -ERANGE);
	CHECK_EQ(memorizer_index_insert(geo, behind, make_object(behind, 8)), -ERANGE);
}

static void object_in_its_place_is_buried(void)
{
	u32 a, b;

	start();
	a = insert_slot(&slabs[4], 3, 1280);
	b = insert_slot(&slabs[4], 3, 1000);
	CHECK_EQ(state_of(a), MEMORIZER_BURIED);
	CHECK_EQ(lookup(slabs[4].base + 3 * 1280), b);

	a = insert_large(PAGE(30), 3 * PAGE_SIZE);
	b = insert_large(PAGE(32), PAGE_SIZE);
	CHECK_EQ(state_of(a), MEMORIZER_BURIED);
	CHECK_EQ(state_of(b), MEMORIZER_LIVE);
	check_range(PAGE(30), PAGE(32), 0);
	check_range(PAGE(32), PAGE(33), b);
	CHECK_EQ(sum_counters().buried, 2);
}

/* Pages are reused with another geometry; the old object is gone. */
static void page_may_change_its_geometry(void)
{
	static const struct memorizer_geometry order[] = {
		{ .start = PAGE(8), .base = PAGE(8), .stride = 1280, .slots = 12, .pages = 4 },
		{ .start = PAGE(8), .base = PAGE(8), .stride = 64, .slots = 64, .pages = 1 },
		{ .start = PAGE(8), .base = PAGE(8) + 8, .stride = 64, .slots = 63, .pages = 1 },
		{ .start = PAGE(8), .base = PAGE(8), .stride = 4096, .slots = 2, .pages = 2 },
		{ .start = PAGE(8), .pages = 4 },
		{ .start = PAGE(8), .base = PAGE(9), .stride = 12288, .slots = 2, .pages = 8 },
	};
	const struct memorizer_geometry *geo;
	unsigned int round;
	unsigned long va;
	u32 old = 0, id;

	start();
	for (round = 0; round < 3 * ARRAY_SIZE(order); round++) {
		geo = &order[round % ARRAY_SIZE(order)];
		va = geo->slots ? geo->base : geo->start;
		id = insert_object(geo, va, 64);
		/* Miss every second free. */
		if (old && round % 2)
			CHECK_EQ(state_of(old), MEMORIZER_BURIED);
		check_range(geo->start, va, 0);
		check_range(va, va + 64, id);
		check_range(va + 64, geo->start + 2 * PAGE_SIZE, 0);
		if (round % 2)
			erase_object(va, id);
		old = id;
	}
}

/* The second page of a slab becomes the first page of another slab, and vice versa. */
static void slabs_may_overlap_older_ones(void)
{
	static const struct memorizer_geometry big = {
		.start = PAGE(8), .base = PAGE(8), .stride = 1024, .slots = 16, .pages = 4,
	};
	static const struct memorizer_geometry small = {
		.start = PAGE(10), .base = PAGE(10), .stride = 64, .slots = 128, .pages = 2,
	};
	u32 first, inner, id;

	start();
	first = insert_slot(&big, 0, 1024);
	inner = insert_slot(&big, 9, 1024);
	/* Without missed frees, page 10 could become a slab, but not page 8. */
	id = insert_slot(&small, 20, 64);
	CHECK_EQ(state_of(inner), MEMORIZER_BURIED);
	CHECK_EQ(state_of(first), MEMORIZER_LIVE);
	CHECK_EQ(lookup(PAGE(10) + 20 * 64), id);
	check_range(PAGE(8), PAGE(8) + 1024, first);

	inner = insert_slot(&big, 8, 1024);
	CHECK_EQ(state_of(id), MEMORIZER_BURIED);
	CHECK_EQ(state_of(first), MEMORIZER_LIVE);
	check_range(PAGE(10), PAGE(10) + 1024, inner);
}

/* A slot does not keep the id of a buried object, because the record will be reused. */
static void slot_of_a_buried_object_is_empty(void)
{
	static const struct memorizer_geometry big = {
		.start = PAGE(8), .base = PAGE(8), .stride = 1024, .slots = 16, .pages = 4,
	};
	u32 missed, other;

	start();
	missed = insert_slot(&big, 8, 1024);
	insert_large(PAGE(10), 100);
	CHECK_EQ(state_of(missed), MEMORIZER_BURIED);
	memorizer_clear();
	/* Ends when the record is reused. */
	do {
		other = insert_large(PAGE(30), 100);
	} while (other != missed);
	insert_slot(&big, 8, 1024);
	CHECK_EQ(state_of(other), MEMORIZER_LIVE);
}

/* Pages of several large objects become a slab, and pages of slabs become a large object. */
static void pages_of_several_owners_may_become_one(void)
{
	const struct memorizer_geometry *slab = &slabs[4];	/* pages 6 to 9 */
	u32 id[4], all;
	unsigned int i;

	start();
	for (i = 0; i < 4; i++)
		id[i] = insert_large(PAGE(6 + i), PAGE_SIZE);
	all = insert_slot(slab, 0, 1280);
	CHECK_EQ(state_of(id[0]), MEMORIZER_BURIED);
	all = insert_slot(slab, 3, 1280);		/* in pages 6 and 7 */
	CHECK_EQ(state_of(id[1]), MEMORIZER_BURIED);
	CHECK_EQ(lookup(PAGE(7)), all);

	all = insert_large(PAGE(5), 5 * PAGE_SIZE);
	for (i = 2; i < 4; i++)
		CHECK_EQ(state_of(id[i]), MEMORIZER_BURIED);
	check_range(PAGE(5), PAGE(10), all);
	CHECK_EQ(sum_counters().buried, 6);
}

/* Replaced slab records are recycled when pages are reused many times. */
static void replaced_slab_records_are_recycled(void)
{
	unsigned int i, round;
	u32 id;

	start();
	for (i = 0; i < ARRAY_SIZE(slabs); i++) {
		for (round = 0; round < 1000; round++) {
			id = insert_slot(&slabs[i], 0, 8);
			CHECK_EQ(slab_records(), round % 10 + 1);
			erase_object(slabs[i].base, id);
			id = insert_large(slabs[i].start, slabs[i].pages * PAGE_SIZE);
			erase_object(slabs[i].start, id);
			if (round % 10 == 9) {
				memorizer_clear();
				CHECK_EQ(slab_records(), 0);
			}
		}
	}
}

/*
 * The padding of a slab may be several pages long. Its later pages are reused while the word of
 * its first page still refers to its record.
 */
static void record_lives_as_long_as_its_first_page(void)
{
	const struct memorizer_geometry *padded = &slabs[5];	/* slot 0 in page 17 */
	const struct memorizer_geometry other = {
		.start = PAGE(40), .base = PAGE(41), .stride = 12288, .slots = 2, .pages = 8,
	};
	unsigned long next;
	u32 a, b;

	start();
	a = insert_slot(padded, 0, 4096);
	erase_object(padded->base, a);
	a = insert_large(PAGE(17), PAGE_SIZE);
	erase_object(PAGE(17), a);
	memorizer_clear();

	a = insert_slot(padded, 1, 4096);
	b = insert_slot(&other, 0, 4096);
	CHECK_EQ(memorizer_index_lookup(padded->base + 12288, &next), a);
	CHECK_EQ(memorizer_index_lookup(other.base, &next), b);

	/* Now it is freed. */
	erase_object(padded->base + 12288, a);
	erase_object(other.base, b);
	insert_large(PAGE(16), PAGE_SIZE);
	insert_large(PAGE(40), PAGE_SIZE);
	memorizer_clear();
	CHECK_EQ(slab_records(), 0);
}

/* No word refers to a reused record, even if it is reused for the same page. */
static void recycled_record_may_come_to_its_old_pages(void)
{
	static const struct memorizer_geometry big = {
		.start = PAGE(8), .base = PAGE(8), .stride = 1024, .slots = 16, .pages = 4,
	};
	static const struct memorizer_geometry small = {
		.start = PAGE(10), .base = PAGE(10), .stride = 256, .slots = 16, .pages = 1,
	};
	u32 id;

	start();
	erase_object(PAGE(8), insert_slot(&big, 0, 1024));
	erase_object(PAGE(10), insert_slot(&big, 8, 1024));
	erase_object(PAGE(8), insert_large(PAGE(8), 1));
	memorizer_clear();
	CHECK_EQ(slab_records(), 0);

	id = insert_slot(&small, 3, 256);
	memorizer_clear();
	CHECK_EQ(slab_records(), 1);
	CHECK_EQ(lookup(PAGE(10) + 3 * 256), id);
}

/* Can an object be stored in a slot on the fast path? */
static bool has_slot(const struct memorizer_geometry *geo, unsigned int slot, size_t size)
{
	unsigned long va = geo->base + slot * geo->stride, last = va + size - 1;
	bool crosses = memorizer_crosses(va, last);
	u32 *known;

	return memorizer_has_slot(va, last, crosses, &known);
}

/* The fast path works once all of the object's pages refer to the slab, until it is freed. */
static void slot_is_known_in_known_pages_of_a_slab(void)
{
	const struct memorizer_geometry *geo = &slabs[3];	/* pages 4 and 5, slot 5 in both */
	unsigned int round;

	start();
	CHECK(!has_slot(geo, 0, 704));
	for (round = 0; round < 2; round++) {
		erase_object(geo->base, insert_slot(geo, 0, 704));
		CHECK(has_slot(geo, 0, 704));
		CHECK(has_slot(geo, 4, 704));
		CHECK_EQ(has_slot(geo, 5, 704), round);
		CHECK(has_slot(geo, 5, PAGE_SIZE - 5 * 704));
		CHECK_EQ(has_slot(geo, 6, 704), round);
		erase_object(geo->base + 5 * 704, insert_slot(geo, 5, 704));
		CHECK(has_slot(geo, 5, 704));
		CHECK(has_slot(geo, 6, 704));
		CHECK(!has_slot(geo, 11, 1));

		/* The end of another slab does not matter. */
		memorizer_index_end_slab(slabs[4].start);
		CHECK(has_slot(geo, 0, 704));
		memorizer_index_end_slab(geo->start);
		CHECK(!has_slot(geo, 0, 704));
		CHECK(!has_slot(geo, 5, 704));
		CHECK(!has_slot(geo, 6, 704));
		CHECK_EQ(slab_records(), 1);
	}
}

/* The fast path does not check pages in the middle of an object. */
static void slot_of_many_pages_is_not_known(void)
{
	static const struct memorizer_geometry geo = {
		.start = PAGE(8), .base = PAGE(8), .stride = 8704, .slots = 3, .pages = 8,
	};

	start();
	insert_slot(&geo, 0, 8704);
	insert_slot(&geo, 2, 8704);
	CHECK(has_slot(&geo, 0, PAGE_SIZE + 1));
	CHECK(!has_slot(&geo, 1, 8704));
	CHECK(!has_slot(&geo, 0, U32_MAX + 1UL));
	/* An empty object at the start of a page. */
	CHECK(!has_slot(&geo, 0, 0));
}

static void full_pool_is_reported(void)
{
	struct memorizer_geometry geo = slabs[1];
	u32 id, unused;

	start();
	id = insert_slot(&slabs[0], 7, 8);
	while (memorizer_pool_alloc(MEMORIZER_ENTRY))
		;
	while (memorizer_pool_alloc(MEMORIZER_SLAB + 1))
		;
	unused = make_object(geo.base, 192);
	CHECK_EQ(memorizer_index_insert(&geo, geo.base, unused), -ENOMEM);
	CHECK_EQ(lookup(geo.base), 0);

	/* The leaf exists, but this slab record is too large for any class. */
	geo.slots = 1 << 20;
	CHECK_EQ(memorizer_index_insert(&geo, geo.base, unused), -ENOMEM);
	/* There is no leaf. */
	while (memorizer_pool_alloc(MEMORIZER_LEAF))
		;
	CHECK_EQ(try_insert(MAP_BASE + 3 * LEAF_BYTES - PAGE_SIZE, 1), -ENOMEM);
	/* A part of a large object is not inserted either. */
	CHECK_EQ(try_insert(PAGE(0), 2048), -ENOMEM);
	CHECK_EQ(lookup(slabs[0].base + 7 * 8), id);
	CHECK_EQ(state_of(id), MEMORIZER_LIVE);
}

/* memorizer_slot() equals a division for all strides, up to the end of the largest slab. */
static void each_byte_is_in_its_slot(void)
{
	struct slab_record slab = { .base = MAP_BASE };
	u64 offset, step, last = BIT(31) - 1;
	u32 stride;

	for (stride = 1; stride < 100000; stride += stride < 3000 ? 1 : 977) {
		memorizer_set_stride(&slab, stride);
		for (step = stride; step <= last; step = step * 3 / 2 + stride) {
			offset = step / stride * stride;
			CHECK_EQ(memorizer_slot(&slab, MAP_BASE + offset - 1),
				 (offset - 1) / stride);
			CHECK_EQ(memorizer_slot(&slab, MAP_BASE + offset), offset / stride);
		}
		CHECK_EQ(memorizer_slot(&slab, MAP_BASE + last), last / stride);
		CHECK(memorizer_slot(&slab, MAP_BASE - 1) >= BIT(31));
		CHECK(memorizer_slot(&slab, MAP_BASE - BIT(46)) >= BIT(31));
	}
}

const struct test_case index_cases[] = {
	CASE(each_byte_is_in_its_slot),
	CASE(each_byte_of_a_slot_names_its_object),
	CASE(neighbours_do_not_matter),
	CASE(large_objects_have_all_their_pages),
	CASE(freed_large_object_leaves_all_of_its_pages),
	CASE(guarded_objects_begin_within_a_page),
	CASE(erase_takes_the_start_only_and_once),
	CASE(only_live_objects_are_found),
	CASE(next_is_where_another_object_may_begin),
	CASE(addresses_outside_have_no_object),
	CASE(objects_outside_are_refused),
	CASE(objects_between_slots_are_refused),
	CASE(object_in_its_place_is_buried),
	CASE(page_may_change_its_geometry),
	CASE(slabs_may_overlap_older_ones),
	CASE(slot_of_a_buried_object_is_empty),
	CASE(pages_of_several_owners_may_become_one),
	CASE(replaced_slab_records_are_recycled),
	CASE(record_lives_as_long_as_its_first_page),
	CASE(recycled_record_may_come_to_its_old_pages),
	CASE(slot_is_known_in_known_pages_of_a_slab),
	CASE(slot_of_many_pages_is_not_known),
	CASE(full_pool_is_reported),
	{ }
};
