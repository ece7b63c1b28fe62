// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: pages, and the objects that lie in them.
 */
#include <linux/mmzone.h>

#include "test.h"

static const struct memorizer_geometry slab = {
	.start = PAGE(1), .base = PAGE(1), .stride = 64, .slots = 64, .pages = 1,
};

static void start(void)
{
	boot(POOL_BLOCKS(40));
	become(0, 1);
	memorizer_set_kinds(OBJECT_KINDS);
}

/* Insert a slab object as the hooks do; there is no allocator that knows its geometry. */
static struct memorizer_object *insert(const struct memorizer_geometry *geo, unsigned long addr,
				       size_t size)
{
	u32 id = memorizer_object_make(addr, size, 0, IP(2));
	struct memorizer_geometry fit = *geo;

	memorizer_index_fit(&fit);
	CHECK_EQ(memorizer_index_insert(&fit, addr, id), 0);
	memorizer_object_publish(memorizer_ptr(id), addr, false);
	return memorizer_ptr(id);
}

static struct memorizer_object *pages_at(unsigned long addr)
{
	u32 id = memorizer_index_area(addr);

	return id ? memorizer_ptr(id) : NULL;
}

static void accesses_to_pages_are_counted(void)
{
	struct memorizer_object *object;

	start();
	hook_alloc_pages(PAGE(6), 2, IP(1));
	object = pages_at(PAGE(9));
	CHECK(object);
	CHECK_EQ(object->size, 4 * PAGE_SIZE);
	site(PAGE(6), 8, MEMORIZER_READ, IP(3));
	site(PAGE(10) - 1, 1, MEMORIZER_WRITE, IP(3));
	/* Across two pages of one object, and past its end. */
	range_site(PAGE(7) - 8, 16, MEMORIZER_READ, IP(3));
	range_site(PAGE(10) - 8, 16, MEMORIZER_READ, IP(3));
	site(PAGE(10), 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(object, IP(3), 1, 3, 1);
	CHECK_EQ(sum_counters().unattributed, 1);
	hook_free_pages(PAGE(6), 2, IP(4));
	CHECK_EQ(object->state, MEMORIZER_FREED);
	CHECK_EQ(object->free_ip, memorizer_pack_ip(IP(4)));
	site(PAGE(6), 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(object, IP(3), 1, 3, 1);
	CHECK_EQ(sum_counters().frees, 1);
}

/* Slab objects take their accesses from the pages, whatever was cached before. */
static void objects_come_before_the_pages_they_lie_in(void)
{
	struct memorizer_object *pages, *object;
	unsigned int i;

	start();
	hook_alloc_pages(PAGE(1), 0, IP(1));
	pages = pages_at(PAGE(1));
	for (i = 0; i < 3; i++)
		site(PAGE(1) + 64, 8, MEMORIZER_READ, IP(3));
	object = insert(&slab, PAGE(1) + 64, 64);
	CHECK(pages_at(PAGE(1) + 64) == pages);
	for (i = 0; i < 3; i++) {
		site(PAGE(1) + 64, 8, MEMORIZER_READ, IP(3));
		site(PAGE(1) + 128, 8, MEMORIZER_READ, IP(3));
	}
	CHECK_COUNTS(object, IP(3), 1, 3, 0);
	CHECK_COUNTS(pages, IP(3), 1, 6, 0);

	/* The slot is free again. */
	hook_free(PAGE(1) + 64, IP(4));
	site(PAGE(1) + 64, 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(object, IP(3), 1, 3, 0);
	CHECK_COUNTS(pages, IP(3), 1, 7, 0);
	CHECK_EQ(sum_counters().unattributed, 0);
	memorizer_slab_free((void *)PAGE(1));
	hook_free_pages(PAGE(1), 0, IP(5));
	CHECK_EQ(sum_counters().frees, 2);
	CHECK_EQ(sum_counters().buried, 0);
	CHECK_EQ(slab_records(), 1);
	memorizer_clear();
	CHECK_EQ(slab_records(), 0);
}

/* An access counts once for pages, though an object lies in its middle. */
static void access_counts_once_for_pages_around_an_object(void)
{
	struct memorizer_object *pages, *object;

	start();
	hook_alloc_pages(PAGE(1), 0, IP(1));
	pages = pages_at(PAGE(1));
	object = insert(&slab, PAGE(1) + 64, 64);
	range_site(PAGE(1), 256, MEMORIZER_WRITE, IP(3));
	CHECK_COUNTS(object, IP(3), 1, 0, 1);
	CHECK_COUNTS(pages, IP(3), 1, 0, 1);
	/* Entirely within the object. */
	range_site(PAGE(1) + 64, 64, MEMORIZER_WRITE, IP(3));
	CHECK_COUNTS(object, IP(3), 1, 0, 2);
	CHECK_COUNTS(pages, IP(3), 1, 0, 1);
}

/* A large allocation leaves the rest of its pages to them, and may shrink in place. */
static void large_allocation_lies_in_its_pages(void)
{
	static const struct memorizer_geometry large = { .start = PAGE(6), .pages = 3 };
	static const struct memorizer_geometry small = { .start = PAGE(6), .pages = 1 };
	struct memorizer_object *pages, *object;

	start();
	hook_alloc_pages(PAGE(6), 2, IP(1));
	pages = pages_at(PAGE(6));
	object = insert(&large, PAGE(6), 2 * PAGE_SIZE + 100);
	site(PAGE(8) + 96, 4, MEMORIZER_READ, IP(3));
	site(PAGE(8) + 100, 4, MEMORIZER_READ, IP(3));
	site(PAGE(9), 4, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(object, IP(3), 1, 1, 0);
	CHECK_COUNTS(pages, IP(3), 1, 2, 0);
	hook_free(PAGE(6), IP(4));
	object = insert(&small, PAGE(6), 100);
	site(PAGE(6), 4, MEMORIZER_READ, IP(3));
	site(PAGE(7), 4, MEMORIZER_READ, IP(3));
	site(PAGE(8), 4, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(object, IP(3), 1, 1, 0);
	CHECK_COUNTS(pages, IP(3), 1, 4, 0);
	hook_free(PAGE(6), IP(4));
	hook_free_pages(PAGE(6), 2, IP(5));
	CHECK_EQ(sum_counters().buried, 0);
	CHECK_EQ(sum_counters().unknown_frees, 0);
	CHECK_EQ(sum_counters().unattributed, 0);
}

static void part_that_stays_is_an_object(void)
{
	struct memorizer_object *whole, *lower, *upper;

	start();
	set_pid(7);
	hook_alloc_pages(PAGE(4), 2, IP(1));
	whole = pages_at(PAGE(4));
	set_pid(1);
	site(PAGE(4), 8, MEMORIZER_READ, IP(3));
	test_jiffies += 100;
	hook_free_pages(PAGE(5), 0, IP(4));
	CHECK_EQ(whole->state, MEMORIZER_FREED);
	CHECK(!pages_at(PAGE(5)));
	lower = pages_at(PAGE(4));
	upper = pages_at(PAGE(7));
	CHECK(lower && upper && lower != upper && lower != whole);
	CHECK_EQ(lower->size, PAGE_SIZE);
	CHECK_EQ(memorizer_object_va(upper), PAGE(6));
	CHECK_EQ(upper->size, 2 * PAGE_SIZE);
	/* Of the same allocation. */
	CHECK_EQ(memorizer_object_pid(upper), 7);
	CHECK_EQ(memorizer_alloc_jiffies(upper), memorizer_alloc_jiffies(whole));
	CHECK_EQ(upper->alloc_ip, whole->alloc_ip);
	CHECK_EQ(upper->free_ip, 0);
	site(PAGE(4), 8, MEMORIZER_READ, IP(3));
	site(PAGE(7), 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(whole, IP(3), 1, 1, 0);
	CHECK_COUNTS(lower, IP(3), 1, 1, 0);
	CHECK_COUNTS(upper, IP(3), 1, 1, 0);
	hook_free_pages(PAGE(6), 1, IP(4));
	hook_free_pages(PAGE(4), 0, IP(4));
	CHECK_EQ(sum_counters().allocs, 3);
	CHECK_EQ(sum_counters().frees, 3);
	CHECK_EQ(sum_counters().unknown_frees, 0);
}

/* Two allocations that are freed at once. */
static void free_may_span_allocations(void)
{
	start();
	hook_alloc_pages(PAGE(4), 0, IP(1));
	hook_alloc_pages(PAGE(6), 1, IP(1));
	hook_free_pages(PAGE(4), 2, IP(4));
	CHECK_EQ(sum_counters().frees, 2);
	CHECK(!pages_at(PAGE(4)) && !pages_at(PAGE(6)) && !pages_at(PAGE(7)));
	hook_free_pages(PAGE(4), 2, IP(4));
	CHECK_EQ(sum_counters().unknown_frees, 1);
}

/* The frees of pages, and of the objects in them, were missed. */
static void new_pages_bury_what_is_there(void)
{
	struct memorizer_object *pages, *object;

	start();
	hook_alloc_pages(PAGE(0), 1, IP(1));
	pages = pages_at(PAGE(1));
	object = insert(&slab, PAGE(1) + 64, 64);
	hook_alloc_pages(PAGE(1), 0, IP(1));
	CHECK_EQ(pages->state, MEMORIZER_BURIED);
	CHECK_EQ(object->state, MEMORIZER_BURIED);
	CHECK_EQ(sum_counters().buried, 2);
	CHECK(!pages_at(PAGE(0)));
	/* Unrecorded ones, too. */
	CHECK_EQ(memorizer_set_enabled(false), 0);
	hook_alloc_pages(PAGE(1), 0, IP(1));
	CHECK(!pages_at(PAGE(1)));
	CHECK_EQ(sum_counters().buried, 3);
}

static void kinds_are_switched_alone(void)
{
	struct memorizer_object *pages, *object;

	start();
	hook_alloc_pages(PAGE(1), 0, IP(1));
	pages = pages_at(PAGE(1));
	object = insert(&slab, PAGE(1) + 64, 64);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	CHECK_EQ(pages->state, MEMORIZER_FREED);
	CHECK_EQ(object->state, MEMORIZER_LIVE);
	site(PAGE(1) + 64, 8, MEMORIZER_READ, IP(3));
	site(PAGE(1), 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(object, IP(3), 1, 1, 0);
	CHECK_EQ(sum_counters().unattributed, 1);
	hook_alloc_pages(PAGE(4), 0, IP(1));
	CHECK(!pages_at(PAGE(4)));
	memorizer_set_kinds(BIT(MEMORIZER_KIND_PAGES));
	CHECK_EQ(object->state, MEMORIZER_FREED);
	site(PAGE(1) + 64, 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(object, IP(3), 1, 1, 0);
	/* Frees of either kind are none that were not seen. */
	hook_free(PAGE(1) + 64, IP(4));
	CHECK_EQ(sum_counters().unknown_frees, 0);
	CHECK_EQ(sum_counters().frees, 2);
	/* Its records go back, the slab's too when the page is taken. */
	hook_alloc_pages(PAGE(1), 0, IP(1));
	memorizer_clear();
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 1);
	CHECK_EQ(slab_records(), 0);
}

static void full_pool_loses_pages_and_parts(void)
{
	u64 lost;

	boot(POOL_BLOCKS(4));
	become(0, 1);
	memorizer_set_kinds(OBJECT_KINDS);
	hook_alloc_pages(PAGE(4), 1, IP(1));
	while (memorizer_pool_alloc(MEMORIZER_OBJECT))
		;
	lost = sum_counters().lost[MEMORIZER_LOST_OBJECT];
	hook_alloc_pages(PAGE(6), 0, IP(1));
	CHECK(!pages_at(PAGE(6)));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_OBJECT], lost + 1);
	hook_free_pages(PAGE(5), 0, IP(4));
	CHECK(!pages_at(PAGE(4)));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_OBJECT], lost + 2);
	CHECK_EQ(sum_counters().frees, 1);
	site(PAGE(4), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 1);
}

/* A gigantic page is lost, and its pages are freed one by one. */
static void gigantic_page_is_lost(void)
{
	start();
	hook_alloc_pages(PAGE(0), MAX_PAGE_ORDER + 1, IP(1));
	CHECK(!pages_at(PAGE(0)));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_RANGE], 1);
	CHECK_EQ(sum_counters().allocs, 0);
	hook_free_pages(PAGE(0), 0, IP(4));
	CHECK_EQ(sum_counters().unknown_frees, 1);
	CHECK_EQ(memorizer_set_enabled(false), 0);
	hook_alloc_pages(PAGE(0), MAX_PAGE_ORDER + 1, IP(1));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_RANGE], 1);
}

#define ROUND_PAGES	32

/* Each CPU frees some pages of one allocation, one by one, and accesses them until then. */
static void free_own_pages(unsigned int cpu)
{
	unsigned int i;

	for (i = cpu; i < ROUND_PAGES; i += 2) {
		site(PAGE(i), 8, MEMORIZER_WRITE, IP(3));
		hook_free_pages(PAGE(i), 0, IP(4));
	}
}

static void parts_may_be_freed_at_once(void)
{
	unsigned int round, rounds = ROUNDS(2000);
	struct memorizer_object *object;
	unsigned long pos, writes;

	start();
	for (round = 0; round < rounds; round++) {
		hook_alloc_pages(PAGE(0), 5, IP(1));
		run_threads(2, free_own_pages);
		become(0, 1);
		pos = 0;
		writes = 0;
		while ((object = next_shown(&pos))) {
			CHECK_EQ(object->state, MEMORIZER_FREED);
			writes += all_counts_of(object).writes;
		}
		CHECK_EQ(writes, ROUND_PAGES);
		CHECK_EQ(sum_counters().unknown_frees, 0);
		CHECK_EQ(sum_counters().unattributed, 0);
		CHECK_EQ(sum_counters().allocs, sum_counters().frees);
		memorizer_clear();
	}
}

const struct test_case pages_cases[] = {
	CASE(accesses_to_pages_are_counted),
	CASE(objects_come_before_the_pages_they_lie_in),
	CASE(access_counts_once_for_pages_around_an_object),
	CASE(large_allocation_lies_in_its_pages),
	CASE(part_that_stays_is_an_object),
	CASE(free_may_span_allocations),
	CASE(new_pages_bury_what_is_there),
	CASE(kinds_are_switched_alone),
	CASE(full_pool_loses_pages_and_parts),
	CASE(gigantic_page_is_lost),
	CASE(parts_may_be_freed_at_once),
	{ }
};
