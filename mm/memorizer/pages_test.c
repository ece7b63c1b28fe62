// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of pages: each allocation of the page allocator is an object, and an
 * object in pages has its accesses to itself.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "filter.h"
#include "kinds_test.h"
#include "test.h"

#define ALL	MEMORIZER_KINDS_BUILT_IN
#define WRAPPERS 7

/* The live pages at an address, also below a slab. */
static u32 pages_at(const void *ptr)
{
	u32 id;

	preempt_disable();
	id = memorizer_index_area((unsigned long)ptr);
	preempt_enable();
	return id;
}

static void pages_of_each_order_are_objects(struct kunit *test)
{
	const struct memorizer_object *object;
	unsigned int order;
	size_t size;
	char *ptr;
	u32 id;

	for (order = 0; order <= 5; order++) {
		size = PAGE_SIZE << order;
		ptr = (char *)__get_free_pages(GFP_KERNEL, order);
		KUNIT_ASSERT_NOT_NULL(test, ptr);
		id = object_at(ptr);
		expect_object(test, id, ptr, size, MEMORIZER_LIVE);
		object = memorizer_ptr(id);
		KUNIT_EXPECT_EQ(test, memorizer_object_pid(object), current->pid);
		touch(ptr, 3 + order, 5);
		touch(ptr + size - 8, 1, 2);
		expect_touched(test, id, 4 + order, 7);
		free_pages((unsigned long)ptr, order);
		expect_object(test, id, ptr, size, MEMORIZER_FREED);
	}
}

/* Each page of a bulk allocation, and of a folio. */
static void each_way_to_allocate_makes_objects(struct kunit *test)
{
	struct page *pages[4] = { };
	struct folio *folio = folio_alloc(GFP_KERNEL, 2);
	unsigned int i, n;
	u32 id;

	KUNIT_ASSERT_NOT_NULL(test, folio);
	expect_object(test, object_at(folio_address(folio)), folio_address(folio), 4 * PAGE_SIZE,
		      MEMORIZER_LIVE);
	folio_put(folio);
	n = alloc_pages_bulk_array(GFP_KERNEL, ARRAY_SIZE(pages), pages);
	KUNIT_EXPECT_GT(test, n, 0);
	for (i = 0; i < n; i++) {
		id = object_at(page_to_virt(pages[i]));
		expect_object(test, id, page_to_virt(pages[i]), PAGE_SIZE, MEMORIZER_LIVE);
		__free_page(pages[i]);
		expect_object(test, id, page_to_virt(pages[i]), PAGE_SIZE, MEMORIZER_FREED);
	}
}

/* Allocate and free a page in several ways, and store the page's id for each. */
static noinline void allocate_through_wrappers(u32 ids[WRAPPERS])
{
	struct page *pages[1] = { };
	struct folio *folio;
	void *ptr;

	ptr = (void *)__get_free_page(GFP_KERNEL);
	ids[0] = object_at(ptr);
	free_page((unsigned long)ptr);
	ptr = (void *)get_zeroed_page(GFP_KERNEL);
	ids[1] = object_at(ptr);
	free_page((unsigned long)ptr);
	folio = folio_alloc(GFP_KERNEL, 0);
	ids[2] = object_at(folio_address(folio));
	folio_put(folio);
	ptr = alloc_pages_exact(PAGE_SIZE, GFP_KERNEL);
	ids[3] = object_at(ptr);
	free_pages_exact(ptr, PAGE_SIZE);
	alloc_pages_bulk_array(GFP_KERNEL, 1, pages);
	ids[4] = object_at(page_to_virt(pages[0]));
	__free_page(pages[0]);
	/* Large, so that its pages are allocated for it alone. */
	ptr = kmalloc(2 * KMALLOC_MAX_CACHE_SIZE, GFP_KERNEL);
	ids[5] = pages_at(ptr);
	kfree(ptr);
	/* With pages and area in one call. */
	ptr = vmalloc(PAGE_SIZE);
	ids[6] = pages_at(page_to_virt(vmalloc_to_page(ptr)));
	vfree(ptr);
}

/* Their call sites are in the caller of the wrapper, and differ. */
static void call_site_is_the_callers(struct kunit *test)
{
	const struct memorizer_object *object;
	u32 ids[WRAPPERS] = { }, ips[WRAPPERS];
	unsigned int i, j;

	allocate_through_wrappers(ids);
	for (i = 0; i < WRAPPERS; i++) {
		KUNIT_ASSERT_NE(test, ids[i], 0);
		object = memorizer_ptr(ids[i]);
		ips[i] = object->alloc_ip;
		KUNIT_EXPECT_EQ(test, memorizer_object_kind(object), MEMORIZER_KIND_PAGES);
		KUNIT_EXPECT_TRUE_MSG(test, ip_is_in(ips[i], allocate_through_wrappers),
				      "wrapper %u: %pS", i, (void *)memorizer_unpack_ip(ips[i]));
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, ips[j], ips[i]);
	}
	KUNIT_EXPECT_EQ(test, current->memorizer_caller, 0);
}

static void slab_objects_come_before_pages(struct kunit *test)
{
	struct kmem_cache *cache = kmem_cache_create("memorizer_pages_test", 64, 64,
						     SLAB_NO_MERGE, NULL);
	void *first, *second;
	u32 pages, id;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	first = kmem_cache_alloc(cache, GFP_KERNEL);
	second = kmem_cache_alloc(cache, GFP_KERNEL);
	KUNIT_EXPECT_NOT_NULL(test, first);
	KUNIT_EXPECT_NOT_NULL(test, second);
	pages = pages_at(first);
	id = object_at(first);
	KUNIT_EXPECT_NE(test, pages, 0);
	KUNIT_EXPECT_NE(test, id, pages);
	touch(first, 4, 6);
	expect_touched(test, id, 4, 6);
	expect_touched(test, pages, 0, 0);

	/* A free slot belongs to the pages. */
	kmem_cache_free(cache, first);
	KUNIT_EXPECT_EQ(test, object_at(first), pages);
	touch(first, 3, 0);
	expect_touched(test, id, 4, 6);
	expect_touched(test, pages, 3, 0);
	kmem_cache_free(cache, second);
	kmem_cache_destroy(cache);
	KUNIT_EXPECT_NE(test, pages_at(first), pages);
}

static void large_kmalloc_comes_before_its_pages(struct kunit *test)
{
	size_t size = 2 * KMALLOC_MAX_CACHE_SIZE + PAGE_SIZE;
	char *ptr = kmalloc(size, GFP_KERNEL);
	u32 pages, id;

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	pages = pages_at(ptr);
	id = object_at(ptr);
	expect_object(test, id, ptr, size, MEMORIZER_LIVE);
	expect_object(test, pages, ptr, 4 * KMALLOC_MAX_CACHE_SIZE, MEMORIZER_LIVE);
	touch(ptr + size - 8, 2, 3);
	touch(ptr + size, 5, 0);
	expect_touched(test, id, 2, 3);
	expect_touched(test, pages, 5, 0);
	kfree(ptr);
	expect_object(test, id, ptr, size, MEMORIZER_FREED);
	expect_object(test, pages, ptr, 4 * KMALLOC_MAX_CACHE_SIZE, MEMORIZER_FREED);
}

/* An access to two pages, of which an object has the end of the first, is one to each. */
static void access_across_an_object_counts_once_for_its_pages(struct kunit *test)
{
	size_t size = KMALLOC_MAX_CACHE_SIZE + PAGE_SIZE;
	char *ptr = kmalloc(size, GFP_KERNEL);
	struct tally before, after;
	u32 pages;

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	pages = pages_at(ptr);
	KUNIT_EXPECT_NE(test, pages, 0);
	before = tally_id(pages, current->pid);
	/* To the end of the four pages. */
	memset(ptr + size - 8, 0, 8 + PAGE_SIZE);
	after = tally_id(pages, current->pid);
	KUNIT_EXPECT_EQ(test, after.writes - before.writes, 1);
	KUNIT_EXPECT_EQ(test, after.reads, before.reads);
	kfree(ptr);
}

static void parts_of_pages_are_freed_alone(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 2);
	u32 whole, rest, last;
	char *ptr;

	KUNIT_ASSERT_NOT_NULL(test, page);
	ptr = page_to_virt(page);
	whole = object_at(ptr);
	touch(ptr, 1, 0);
	split_page(page, 2);
	__free_page(page + 1);
	expect_object(test, whole, ptr, 4 * PAGE_SIZE, MEMORIZER_FREED);
	rest = object_at(ptr);
	expect_object(test, rest, ptr, PAGE_SIZE, MEMORIZER_LIVE);
	last = object_at(ptr + 3 * PAGE_SIZE);
	expect_object(test, last, ptr + 2 * PAGE_SIZE, 2 * PAGE_SIZE, MEMORIZER_LIVE);
	KUNIT_EXPECT_EQ(test, ((struct memorizer_object *)memorizer_ptr(last))->alloc_ip,
			((struct memorizer_object *)memorizer_ptr(whole))->alloc_ip);
	touch(ptr, 0, 2);
	touch(ptr + 4 * PAGE_SIZE - 8, 0, 3);
	expect_touched(test, whole, 1, 0);
	expect_touched(test, rest, 0, 2);
	expect_touched(test, last, 0, 3);
	__free_page(page);
	expect_object(test, rest, ptr, PAGE_SIZE, MEMORIZER_FREED);
	__free_page(page + 2);
	__free_page(page + 3);
	expect_object(test, last, ptr + 2 * PAGE_SIZE, 2 * PAGE_SIZE, MEMORIZER_FREED);
	KUNIT_EXPECT_EQ(test, pages_at(ptr + 3 * PAGE_SIZE), 0);
}

static void exact_pages_are_one_object(struct kunit *test)
{
	char *ptr = alloc_pages_exact(3 * PAGE_SIZE, GFP_KERNEL);
	u32 id;

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	id = object_at(ptr + 3 * PAGE_SIZE - 1);
	expect_object(test, id, ptr, 3 * PAGE_SIZE, MEMORIZER_LIVE);
	free_pages_exact(ptr, 3 * PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, pages_at(ptr), 0);
}

static void kind_that_is_switched_off_ends(struct kunit *test)
{
	char *pages = (char *)__get_free_pages(GFP_KERNEL, 1);
	void *object = kmalloc(64, GFP_KERNEL);
	u32 of_pages, below, of_object;

	KUNIT_ASSERT_NOT_NULL(test, pages);
	KUNIT_ASSERT_NOT_NULL(test, object);
	of_pages = object_at(pages);
	of_object = object_at(object);
	touch(pages, 1, 1);
	touch(object, 2, 2);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	expect_object(test, of_pages, pages, 2 * PAGE_SIZE, MEMORIZER_FREED);
	expect_object(test, of_object, object, 64, MEMORIZER_LIVE);
	KUNIT_EXPECT_EQ(test, pages_at(object), 0);
	touch(pages, 1, 1);
	touch(object, 2, 2);

	memorizer_set_kinds(BIT(MEMORIZER_KIND_PAGES));
	expect_object(test, of_object, object, 64, MEMORIZER_FREED);
	touch(object, 2, 2);
	expect_touched(test, of_pages, 1, 1);
	expect_touched(test, of_object, 4, 4);
	free_pages((unsigned long)pages, 1);
	kfree(object);

	/* Without slab objects, pages have the accesses to them. */
	object = kmalloc(2 * KMALLOC_MAX_CACHE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	below = object_at(object);
	expect_object(test, below, object, 2 * KMALLOC_MAX_CACHE_SIZE, MEMORIZER_LIVE);
	touch(object, 3, 4);
	expect_touched(test, below, 3, 4);
	kfree(object);
	memorizer_set_kinds(ALL);
}

#ifdef CONFIG_MEMORIZER_FILTER
static void filter_selects_kinds(struct kunit *test)
{
	char *pages, *large;

	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter("kind:pages"));
	pages = (char *)__get_free_pages(GFP_KERNEL, 1);
	large = kmalloc(2 * KMALLOC_MAX_CACHE_SIZE, GFP_KERNEL);
	KUNIT_EXPECT_NE(test, object_at(pages), 0);
	/* The pages have the accesses to what is not recorded. */
	KUNIT_EXPECT_NE(test, object_at(large), 0);
	KUNIT_EXPECT_EQ(test, object_at(large), pages_at(large));
	kfree(large);
	free_pages((unsigned long)pages, 1);

	KUNIT_EXPECT_EQ(test, 0, memorizer_set_filter("!kind:pages"));
	pages = (char *)__get_free_pages(GFP_KERNEL, 1);
	large = kmalloc(2 * KMALLOC_MAX_CACHE_SIZE, GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, object_at(pages), 0);
	KUNIT_EXPECT_NE(test, object_at(large), 0);
	KUNIT_EXPECT_EQ(test, pages_at(large), 0);
	kfree(large);
	free_pages((unsigned long)pages, 1);
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_filter(""));
}
#endif

/* What the manual says of the statistics: the sums hold over all kinds. */
static void frees_of_pages_are_not_missed(struct kunit *test)
{
	u64 buried = 0, now = 0;
	unsigned int i, order;
	void *ptr;
	int cpu;

	for_each_possible_cpu(cpu)
		buried += per_cpu(memorizer_counters, cpu).buried;
	for (i = 0; i < 200; i++) {
		order = i % 4;
		ptr = i % 3 ? kmalloc(PAGE_SIZE << order, GFP_KERNEL) :
			(void *)__get_free_pages(GFP_KERNEL, order);
		KUNIT_ASSERT_NOT_NULL(test, ptr);
		if (i % 3)
			kfree(ptr);
		else
			free_pages((unsigned long)ptr, order);
	}
	for_each_possible_cpu(cpu)
		now += per_cpu(memorizer_counters, cpu).buried;
	KUNIT_EXPECT_EQ(test, now, buried);
}

static unsigned int kinds_before;

static int pages_on(struct kunit_suite *suite)
{
	kinds_before = memorizer_get_kinds();
	memorizer_set_kinds(ALL);
	return switch_on(suite);
}

static void pages_off(struct kunit_suite *suite)
{
	switch_off(suite);
	memorizer_set_kinds(kinds_before);
	memorizer_clear();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(pages_of_each_order_are_objects),
	KUNIT_CASE(each_way_to_allocate_makes_objects),
	KUNIT_CASE(call_site_is_the_callers),
	KUNIT_CASE(slab_objects_come_before_pages),
	KUNIT_CASE(large_kmalloc_comes_before_its_pages),
	KUNIT_CASE(access_across_an_object_counts_once_for_its_pages),
	KUNIT_CASE(parts_of_pages_are_freed_alone),
	KUNIT_CASE(exact_pages_are_one_object),
	KUNIT_CASE(kind_that_is_switched_off_ends),
#ifdef CONFIG_MEMORIZER_FILTER
	KUNIT_CASE(filter_selects_kinds),
#endif
	KUNIT_CASE(frees_of_pages_are_not_missed),
	{ }
};

static struct kunit_suite suite = {
	.name = "memorizer_pages",
	.suite_init = pages_on,
	.suite_exit = pages_off,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Memorizer's KUnit tests of pages");
MODULE_LICENSE("GPL");
