// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: objects of per-CPU memory, which have no common size and share pages.
 */
#include <linux/mm.h>

#include "test.h"

static u32 alloc_copy(unsigned long va, size_t size)
{
	u32 id;

	preempt_disable_notrace();
	id = memorizer_object_make(va, size, memorizer_who(MEMORIZER_KIND_PERCPU, false), IP(1));
	if (id && memorizer_index_insert_grains(va, id)) {
		memorizer_pool_free(MEMORIZER_OBJECT, id);
		id = 0;
	}
	if (id)
		memorizer_object_publish(memorizer_ptr(id), va, false);
	preempt_enable_notrace();
	return id;
}

static u32 free_copy(unsigned long va)
{
	u32 id;

	preempt_disable_notrace();
	id = memorizer_index_erase_grains(va);
	if (id)
		memorizer_end_id(id, IP(2));
	preempt_enable_notrace();
	return id;
}

static struct memorizer_object *object_at(unsigned long addr)
{
	u32 id = lookup(addr);

	return id ? memorizer_ptr(id) : NULL;
}

static void start(void)
{
	boot(POOL_BLOCKS(40));
	become(0, 1);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_PERCPU) | BIT(MEMORIZER_KIND_PAGES));
}

/* Without a gap, in two pages, and with sizes that are no multiple of a slot's. */
static const struct {
	u32 offset;
	u32 size;
} copies[] = {
	{ 0, 4 }, { 4, 4 }, { 8, 8 }, { 16, 3 }, { 20, 100 }, { 120, 1 },
	{ PAGE_SIZE - 8, 8 }, { PAGE_SIZE, 2 * PAGE_SIZE + 4 }, { 3 * PAGE_SIZE + 4, 4 },
};

static void each_byte_belongs_to_its_object(void)
{
	u32 ids[ARRAY_SIZE(copies)], owner, offset;
	const struct memorizer_object *object;
	unsigned int i;

	start();
	for (i = 0; i < ARRAY_SIZE(copies); i++) {
		ids[i] = alloc_copy(PAGE(0) + copies[i].offset, copies[i].size);
		CHECK(ids[i]);
	}
	for (offset = 0; offset < 4 * PAGE_SIZE; offset++) {
		owner = 0;
		for (i = 0; i < ARRAY_SIZE(copies); i++)
			if (offset - copies[i].offset < copies[i].size)
				owner = ids[i];
		object = object_at(PAGE(0) + offset);
		CHECK_EQ(object ? memorizer_id(object) : 0, owner);
		site(PAGE(0) + offset, 1, MEMORIZER_READ, IP(3));
	}
	for (i = 0; i < ARRAY_SIZE(copies); i++) {
		object = memorizer_ptr(ids[i]);
		CHECK_COUNTS(object, IP(3), 1, copies[i].size, 0);
	}
	CHECK_EQ(sum_counters().frees, 0);
	CHECK_EQ(sum_counters().buried, 0);
	/* To both */
	site(PAGE(0), 8, MEMORIZER_WRITE, IP(4));
	CHECK_COUNTS((struct memorizer_object *)memorizer_ptr(ids[0]), IP(4), 1, 0, 1);
	CHECK_COUNTS((struct memorizer_object *)memorizer_ptr(ids[1]), IP(4), 1, 0, 1);
}

static void free_ends_one_object(void)
{
	u32 ids[ARRAY_SIZE(copies)];
	const struct memorizer_object *object;
	unsigned int i, j;
	unsigned long va;

	start();
	for (i = 0; i < ARRAY_SIZE(copies); i++)
		ids[i] = alloc_copy(PAGE(0) + copies[i].offset, copies[i].size);
	/* A pointer into an object frees nothing, nor does one to no object. */
	CHECK_EQ(free_copy(PAGE(0) + 24), 0);
	CHECK_EQ(free_copy(PAGE(0) + 200), 0);
	CHECK_EQ(free_copy(PAGE(5)), 0);
	for (i = 0; i < ARRAY_SIZE(copies); i++) {
		CHECK_EQ(free_copy(PAGE(0) + copies[i].offset), ids[i]);
		CHECK_EQ(free_copy(PAGE(0) + copies[i].offset), 0);
		for (va = 0; va < copies[i].size; va++)
			CHECK(!object_at(PAGE(0) + copies[i].offset + va));
		for (j = i + 1; j < ARRAY_SIZE(copies); j++) {
			object = object_at(PAGE(0) + copies[j].offset);
			CHECK(object);
			CHECK_EQ(memorizer_id(object), ids[j]);
		}
	}
	CHECK_EQ(sum_counters().frees, ARRAY_SIZE(copies));
	/* The memory is used again, otherwise. */
	memorizer_clear();
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 0);
	CHECK(alloc_copy(PAGE(0) + 4, 200));
	CHECK(object_at(PAGE(0) + 203));
	CHECK(!object_at(PAGE(0)));
}

/* A slot that kept the id of a freed object would bury the object that has this id next. */
static void free_leaves_no_id(void)
{
	unsigned long va = PAGE(3);
	u32 id, again;

	start();
	id = alloc_copy(PAGE(0), 100);
	CHECK_EQ(free_copy(PAGE(0)), id);
	memorizer_clear();
	do {
		again = alloc_copy(va, 4);
		va += 4;
	} while (again && again != id);
	CHECK_EQ(again, id);
	CHECK(alloc_copy(PAGE(0) + 48, 8));
	CHECK_EQ(sum_counters().buried, 0);
	CHECK_EQ(((struct memorizer_object *)memorizer_ptr(again))->state, MEMORIZER_LIVE);
}

static void kind_that_is_switched_off_leaves_nothing(void)
{
	u32 id;

	start();
	id = alloc_copy(PAGE(1) - 100, 200);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_PAGES));
	CHECK_EQ(((struct memorizer_object *)memorizer_ptr(id))->state, MEMORIZER_FREED);
	CHECK(!object_at(PAGE(1) - 100));
	CHECK(!object_at(PAGE(1) + 99));
	memorizer_clear();
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 0);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_PERCPU));
	/* No slot has the id that is used again. */
	CHECK(alloc_copy(PAGE(2), 8));
	CHECK(!object_at(PAGE(1) + 4));
}

/* As for the pages of a chunk, which lie in recorded pages or in an area. */
static void objects_lie_in_pages(void)
{
	const struct memorizer_object *pages;
	u32 id;

	start();
	hook_alloc_pages(PAGE(0), 1, IP(5));
	pages = object_at(PAGE(0));
	id = alloc_copy(PAGE(1) - 4, 8);
	site(PAGE(1) - 4, 4, MEMORIZER_READ, IP(3));
	site(PAGE(1) + 4, 4, MEMORIZER_READ, IP(3));
	CHECK_COUNTS((struct memorizer_object *)memorizer_ptr(id), IP(3), 1, 1, 0);
	CHECK_COUNTS(pages, IP(3), 1, 1, 0);
	CHECK_EQ(free_copy(PAGE(1) - 4), id);
	site(PAGE(1) - 4, 4, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(pages, IP(3), 1, 2, 0);
	CHECK_EQ(sum_counters().unattributed, 0);
}

static void full_index_takes_no_object(void)
{
	unsigned int class;

	start();
	CHECK(alloc_copy(PAGE(0), 4));
	for (class = 0; class < MEMORIZER_CLASSES; class++)
		if (class != MEMORIZER_OBJECT)
			while (memorizer_pool_alloc(class))
				;
	/* The first page has a record, the second has none. */
	CHECK_EQ(alloc_copy(PAGE(1) - 8, 16), 0);
	CHECK(!object_at(PAGE(1) - 8));
	CHECK(object_at(PAGE(0)));
	CHECK_EQ(alloc_copy(MAP_BASE - PAGE_SIZE, 8), 0);
}

#define OWN	64

/* Objects of a CPU lie between those of the others. */
static void alloc_and_free(unsigned int cpu)
{
	unsigned int i, n;
	unsigned long va;

	for (n = 0; n < ROUNDS(50); n++) {
		for (i = 0; i < OWN; i++) {
			va = PAGE(0) + 12 * (3 * i + cpu);
			CHECK(alloc_copy(va, 12));
			site(va + 8, 4, MEMORIZER_WRITE, IP(3));
		}
		for (i = 0; i < OWN; i++)
			CHECK(free_copy(PAGE(0) + 12 * (3 * i + cpu)));
	}
}

static void cpus_share_a_page(void)
{
	start();
	run_threads(3, alloc_and_free);
	CHECK_EQ(sum_counters().frees, 3 * ROUNDS(50) * OWN);
	CHECK_EQ(sum_counters().buried, 0);
	CHECK_EQ(sum_counters().unattributed, 0);
	memorizer_clear();
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 0);
}

const struct test_case grain_cases[] = {
	CASE(each_byte_belongs_to_its_object),
	CASE(free_ends_one_object),
	CASE(free_leaves_no_id),
	CASE(kind_that_is_switched_off_leaves_nothing),
	CASE(objects_lie_in_pages),
	CASE(full_index_takes_no_object),
	CASE(cpus_share_a_page),
	{ }
};
