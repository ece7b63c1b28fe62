// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: struct pages, which become objects when they are accessed.
 */
#include <linux/mm_types.h>

#include <asm/memorizer.h>

#include "test.h"

#define STRUCT_PAGE(n)	(STRUCT_PAGES + (n) * sizeof(struct page))

static void start(void)
{
	boot(POOL_BLOCKS(40));
	become(0, 1);
	test_jiffies = 1000;
	memorizer_set_kinds(MEMORIZER_KINDS_BUILT_IN);
}

static struct memorizer_object *object_at(unsigned long addr)
{
	u32 id = lookup(addr);

	return id ? memorizer_ptr(id) : NULL;
}

static void each_becomes_an_object_when_accessed(void)
{
	struct memorizer_object *first, *second;
	unsigned int i;

	start();
	set_pid(7);
	CHECK(!object_at(STRUCT_PAGE(3)));
	for (i = 0; i < 3; i++)
		site(STRUCT_PAGE(3) + 8, 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(this_cpu_read(site_hits), 2);
	site(STRUCT_PAGE(4) + 60, 4, MEMORIZER_UPDATE, IP(3));
	first = object_at(STRUCT_PAGE(3));
	second = object_at(STRUCT_PAGE(4));
	CHECK(first && second && first != second);
	CHECK(!object_at(STRUCT_PAGE(5)));
	CHECK_EQ(sum_counters().allocs, 2);
	CHECK_COUNTS(first, IP(3), 7, 3, 0);
	CHECK_COUNTS(second, IP(3), 7, 1, 1);
	CHECK_EQ(memorizer_object_va(first), STRUCT_PAGE(3));
	CHECK_EQ(first->size, sizeof(struct page));
	CHECK_EQ(memorizer_object_kind(first), MEMORIZER_KIND_STRUCT_PAGE);
	/* They exist from boot on, whoever accesses them. */
	CHECK_EQ(memorizer_object_pid(first), 0);
	CHECK_EQ(memorizer_alloc_jiffies(first), 0);
	CHECK_EQ(first->alloc_ip, memorizer_pack_ip(memorizer_struct_page_ip));
	CHECK_EQ(strcmp(first->comm, "swapper"), 0);
	CHECK_EQ(sum_counters().unattributed, 0);
}

/* To one of fixed size, to a range, and by a group of sites. */
static void access_counts_for_all_that_it_touches(void)
{
	static const struct memorizer_member members[] = {
		{ .ip = (s32)IP(4), .offset = 0, .size = 8, .kind = MEMORIZER_READ },
		{ .ip = (s32)IP(5), .offset = 8, .size = 8, .kind = MEMORIZER_WRITE },
	};

	start();
	range_site(STRUCT_PAGE(62), 4 * sizeof(struct page), MEMORIZER_WRITE, IP(3));
	CHECK_EQ(sum_counters().allocs, 4);
	CHECK_COUNTS(object_at(STRUCT_PAGE(62)), IP(3), 1, 0, 1);
	CHECK_COUNTS(object_at(STRUCT_PAGE(65)), IP(3), 1, 0, 1);
	group_site(STRUCT_PAGE(9), make_group(members, 2));
	CHECK_ALL_COUNTS(object_at(STRUCT_PAGE(9)), 1, 1);
	group_site(STRUCT_PAGE(9), make_group(members, 2));
	CHECK_ALL_COUNTS(object_at(STRUCT_PAGE(9)), 2, 2);
	/* The last one, and what lies behind the array. */
	site(STRUCT_PAGES + STRUCT_PAGE_BYTES - 8, 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 0);
	site(STRUCT_PAGES + STRUCT_PAGE_BYTES, 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 1);
}

static void kind_may_be_switched(void)
{
	struct memorizer_object *first, *second;

	start();
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STACK));
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 2);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STRUCT_PAGE));
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	first = object_at(STRUCT_PAGE(3));
	CHECK_COUNTS(first, IP(3), 1, 1, 0);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	CHECK_EQ(first->state, MEMORIZER_FREED);
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 3);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STRUCT_PAGE));
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	second = object_at(STRUCT_PAGE(3));
	CHECK(first != second);
	CHECK_COUNTS(first, IP(3), 1, 1, 0);
	CHECK_COUNTS(second, IP(3), 1, 1, 0);
	memorizer_clear();
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 1);
	/* New ones are not made, but those that exist go on. */
	CHECK_EQ(memorizer_set_enabled(false), 0);
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	site(STRUCT_PAGE(4), 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(second, IP(3), 1, 2, 0);
	CHECK_EQ(sum_counters().unattributed, 4);
}

static void filter_chooses_all_or_none(void)
{
	start();
	memorizer_choose_struct_pages(0);
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 1);
	memorizer_choose_struct_pages(BIT(MEMORIZER_RECORDED) | BIT(MEMORIZER_FIELDS));
	site(STRUCT_PAGE(3) + 8, 4, MEMORIZER_READ, IP(3));
	site(STRUCT_PAGE(3) + 8, 4, MEMORIZER_READ, IP(3));
	CHECK(memorizer_counts_granules(object_at(STRUCT_PAGE(3))));
	CHECK_COUNTS(object_at(STRUCT_PAGE(3)), IP(3), 1, 2, 0);
}

static void tasks_that_are_not_recorded_make_none(void)
{
	start();
	memorizer_change_task(current, 0, 0, MEMORIZER_LEFT_OUT);
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().left_out, 1);
	memorizer_change_task(current, 0, MEMORIZER_LEFT_OUT, 0);
	memorizer_pause();
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	memorizer_resume();
	CHECK_EQ(sum_counters().paused, 1);
	CHECK_EQ(sum_counters().allocs, 0);
}

static void full_pool_loses_accesses(void)
{
	boot(POOL_BLOCKS(8));
	become(0, 1);
	memorizer_set_kinds(MEMORIZER_KINDS_BUILT_IN);
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	while (memorizer_pool_alloc(MEMORIZER_OBJECT))
		;
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(object_at(STRUCT_PAGE(3)), IP(3), 1, 2, 0);
	site(STRUCT_PAGE(4), 8, MEMORIZER_UPDATE, IP(3));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 2);
	CHECK_EQ(sum_counters().unattributed, 0);
}

/* A record that is full of free slots: no room in the index. */
static void full_index_loses_accesses(void)
{
	unsigned int class;

	boot(POOL_BLOCKS(4));
	become(0, 1);
	memorizer_set_kinds(MEMORIZER_KINDS_BUILT_IN);
	hook_alloc_pages(MAP_BASE, 0, IP(1));
	for (class = 0; class < MEMORIZER_CLASSES; class++)
		if (class != MEMORIZER_OBJECT)
			while (memorizer_pool_alloc(class))
				;
	site(STRUCT_PAGE(4), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 1);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 1);
}

#define ROUND	64

static void touch_all(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < ROUND; i++)
		site(STRUCT_PAGE(i), 8, MEMORIZER_WRITE, IP(3));
}

static void cpus_make_one_object(void)
{
	unsigned int round, i, rounds = ROUNDS(500);

	start();
	for (round = 0; round < rounds; round++) {
		memorizer_set_kinds(BIT(MEMORIZER_KIND_STRUCT_PAGE));
		run_threads(3, touch_all);
		become(0, 1);
		for (i = 0; i < ROUND; i++)
			CHECK_ALL_COUNTS(object_at(STRUCT_PAGE(i)), 0, 3);
		CHECK_EQ(sum_counters().unattributed, 0);
		CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), ROUND);
		CHECK_EQ(sum_counters().allocs, (round + 1) * ROUND);
		memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
		memorizer_clear();
	}
}

const struct test_case struct_page_cases[] = {
	CASE(each_becomes_an_object_when_accessed),
	CASE(access_counts_for_all_that_it_touches),
	CASE(kind_may_be_switched),
	CASE(filter_chooses_all_or_none),
	CASE(tasks_that_are_not_recorded_make_none),
	CASE(full_pool_loses_accesses),
	CASE(full_index_loses_accesses),
	CASE(cpus_make_one_object),
	{ }
};
