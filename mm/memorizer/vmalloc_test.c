// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of kinds of objects above the direct map: vmalloc areas, stacks, and
 * struct pages.
 */
#include <linux/execmem.h>
#include <linux/gfp.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include <asm/memorizer.h>

#include "filter.h"
#include "kinds_test.h"
#include "test.h"

static void expect_kind(struct kunit *test, u32 id, enum memorizer_object_kind kind)
{
	KUNIT_ASSERT_NE(test, id, 0);
	KUNIT_EXPECT_EQ(test, memorizer_object_kind(memorizer_ptr(id)), kind);
}

static void areas_of_vmalloc_are_objects(struct kunit *test)
{
	static const size_t sizes[] = { 1, PAGE_SIZE, PAGE_SIZE + 1, 5 * PAGE_SIZE + 100, SZ_4M };
	const struct memorizer_object *object;
	unsigned int i;
	char *ptr;
	u32 id;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		ptr = vmalloc(sizes[i]);
		KUNIT_ASSERT_NOT_NULL(test, ptr);
		id = object_at(ptr);
		expect_object(test, id, ptr, sizes[i], MEMORIZER_LIVE);
		expect_kind(test, id, MEMORIZER_KIND_VMALLOC);
		object = memorizer_ptr(id);
		KUNIT_EXPECT_EQ(test, memorizer_object_pid(object), current->pid);
		KUNIT_EXPECT_TRUE(test, ip_is_in(object->alloc_ip, areas_of_vmalloc_are_objects));
		touch(ptr, 3, 5);
		/* The last bytes, and maybe some behind them. */
		touch(ptr + ALIGN_DOWN(sizes[i] - 1, 8), 1, 2);
		expect_touched(test, id, 4, 7);
		vfree(ptr);
		expect_object(test, id, ptr, sizes[i], MEMORIZER_FREED);
		KUNIT_EXPECT_TRUE(test, ip_is_in(object->free_ip, areas_of_vmalloc_are_objects));
		KUNIT_EXPECT_EQ(test, object_at(ptr), 0);
	}
}

/* Accesses count for the area that maps the pages, not for the pages. */
static void mapped_pages_are_areas(struct kunit *test)
{
	struct page *pages[3] = { };
	u32 of_page, of_area, i;
	char *ptr;

	for (i = 0; i < ARRAY_SIZE(pages); i++) {
		pages[i] = alloc_page(GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, pages[i]);
	}
	of_page = object_at(page_to_virt(pages[2]));
	ptr = vmap(pages, ARRAY_SIZE(pages), VM_MAP, PAGE_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ptr);
	of_area = object_at(ptr + 3 * PAGE_SIZE - 1);
	expect_object(test, of_area, ptr, 3 * PAGE_SIZE, MEMORIZER_LIVE);
	expect_kind(test, of_area, MEMORIZER_KIND_VMAP);
	touch(ptr + 2 * PAGE_SIZE, 2, 3);
	touch(page_to_virt(pages[2]), 4, 1);
	expect_touched(test, of_area, 2, 3);
	expect_touched(test, of_page, 4, 1);
	vunmap(ptr);
	expect_object(test, of_area, ptr, 3 * PAGE_SIZE, MEMORIZER_FREED);

	ptr = vm_map_ram(pages, ARRAY_SIZE(pages), NUMA_NO_NODE);
	KUNIT_ASSERT_NOT_NULL(test, ptr);
	of_area = object_at(ptr);
	expect_object(test, of_area, ptr, 3 * PAGE_SIZE, MEMORIZER_LIVE);
	expect_kind(test, of_area, MEMORIZER_KIND_VMAP);
	touch(ptr, 1, 1);
	expect_touched(test, of_area, 1, 1);
	vm_unmap_ram(ptr, ARRAY_SIZE(pages));
	expect_object(test, of_area, ptr, 3 * PAGE_SIZE, MEMORIZER_FREED);
	for (i = 0; i < ARRAY_SIZE(pages); i++)
		__free_page(pages[i]);
}

static void areas_of_devices_are_told_apart(struct kunit *test)
{
	struct vm_struct *area = get_vm_area(3 * PAGE_SIZE, VM_IOREMAP);
	const void *addr;
	u32 id;

	KUNIT_ASSERT_NOT_NULL(test, area);
	addr = area->addr;
	id = object_at(addr);
	expect_object(test, id, addr, 3 * PAGE_SIZE, MEMORIZER_LIVE);
	expect_kind(test, id, MEMORIZER_KIND_IOREMAP);
	/* The guard page is nobody's. */
	KUNIT_EXPECT_EQ(test, object_at(addr + 3 * PAGE_SIZE), 0);
	free_vm_area(area);
	expect_object(test, id, addr, 3 * PAGE_SIZE, MEMORIZER_FREED);
}

#ifdef CONFIG_EXECMEM
static void memory_of_modules_is_told_apart(struct kunit *test)
{
	void *ptr = execmem_alloc(EXECMEM_MODULE_DATA, PAGE_SIZE);
	u32 id;

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	id = object_at(ptr);
	expect_object(test, id, ptr, PAGE_SIZE, MEMORIZER_LIVE);
	expect_kind(test, id, MEMORIZER_KIND_MODULES);
	touch(ptr, 2, 1);
	expect_touched(test, id, 2, 1);
	execmem_free(ptr);
	expect_object(test, id, ptr, PAGE_SIZE, MEMORIZER_FREED);
}
#endif

static void resized_area_is_a_new_object(struct kunit *test)
{
	void *ptr = vmalloc(2 * PAGE_SIZE), *resized;
	u32 first, second;

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	first = object_at(ptr);
	touch(ptr, 1, 0);
	resized = vrealloc(ptr, PAGE_SIZE, GFP_KERNEL);
	KUNIT_ASSERT_PTR_EQ(test, resized, ptr);
	second = object_at(ptr);
	touch(ptr, 0, 1);
	expect_object(test, first, ptr, 2 * PAGE_SIZE, MEMORIZER_FREED);
	expect_object(test, second, ptr, PAGE_SIZE, MEMORIZER_LIVE);
	expect_touched(test, first, 1, 0);
	expect_touched(test, second, 0, 1);
	vfree(ptr);
}

static void kind_that_is_switched_off_ends(struct kunit *test)
{
	void *ptr = vmalloc(100);
	u32 id;

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	id = object_at(ptr);
	touch(ptr, 1, 1);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB) | BIT(MEMORIZER_KIND_PAGES));
	touch(ptr, 1, 1);
	expect_object(test, id, ptr, 100, MEMORIZER_FREED);
	expect_touched(test, id, 1, 1);
	KUNIT_EXPECT_EQ(test, object_at(ptr), 0);
	vfree(ptr);
	ptr = vmalloc(100);
	KUNIT_ASSERT_NOT_NULL(test, ptr);
	KUNIT_EXPECT_EQ(test, object_at(ptr), 0);
	memorizer_set_kinds(MEMORIZER_KINDS_BUILT_IN);
	vfree(ptr);
}

#ifdef CONFIG_MEMORIZER_FILTER
static void filter_selects_kinds(struct kunit *test)
{
	void *ptr;

	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter("kind:vmalloc"));
	ptr = vmalloc(100);
	KUNIT_EXPECT_NE(test, object_at(ptr), 0);
	vfree(ptr);
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_filter("!kind:vm*"));
	ptr = vmalloc(100);
	KUNIT_EXPECT_EQ(test, object_at(ptr), 0);
	vfree(ptr);
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_filter(""));
}
#endif

/* Through a pointer: the compiler does not instrument accesses to locals. */
static int touch_own_stack(void *id)
{
	u64 local[4] = { };

	OPTIMIZER_HIDE_VAR(id);
	*(u32 *)id = object_at(local);
	touch(&local[1], 6, 4);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static void stack_is_that_of_its_task(struct kunit *test)
{
	const struct memorizer_object *object;
	struct task_struct *task;
	unsigned int tries = 0;
	u32 id = 0, seen = 0;
	const void *stack;

	task = kthread_create(touch_own_stack, &seen, "stack_test/%u", 1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	stack = task_stack_page(task);
	id = object_at(stack);
	expect_object(test, id, stack, THREAD_SIZE, MEMORIZER_LIVE);
	expect_kind(test, id, MEMORIZER_KIND_STACK);
	object = memorizer_ptr(id);
	KUNIT_EXPECT_EQ(test, memorizer_object_pid(object), task->pid);
	KUNIT_EXPECT_EQ(test, strncmp(object->comm, "stack_test/1", sizeof(object->comm)), 0);
	wake_up_process(task);
	while (!READ_ONCE(seen))
		schedule_timeout_uninterruptible(1);
	kthread_stop(task);
	/* The last one to switch away from the task frees the stack. */
	while (READ_ONCE(object->state) == MEMORIZER_LIVE && tries++ < 10000)
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_EQ(test, seen, id);
	expect_object(test, id, stack, THREAD_SIZE, MEMORIZER_FREED);
	expect_touched(test, id, 6, 4);
}

#ifdef CONFIG_SPARSEMEM_VMEMMAP
/* The allocator accesses struct pages, too: only known functions are counted. */
static void struct_pages_become_objects(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 1);
	const struct memorizer_object *object;
	u32 first, second, again;

	KUNIT_ASSERT_NOT_NULL(test, page);
	touch(&page[0].private, 3, 2);
	touch(&page[1].private, 1, 4);
	first = object_at(&page[0]);
	second = object_at(&page[1].private);
	expect_object(test, first, &page[0], sizeof(*page), MEMORIZER_LIVE);
	expect_object(test, second, &page[1], sizeof(*page), MEMORIZER_LIVE);
	expect_kind(test, first, MEMORIZER_KIND_STRUCT_PAGE);
	object = memorizer_ptr(first);
	KUNIT_EXPECT_EQ(test, memorizer_object_pid(object), 0);
	KUNIT_EXPECT_EQ(test, memorizer_alloc_jiffies(object), 0);
	KUNIT_EXPECT_EQ(test, memorizer_unpack_ip(object->alloc_ip), memorizer_struct_page_ip);
	expect_touched(test, first, 3, 2);
	expect_touched(test, second, 1, 4);

	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	touch(&page[0].private, 1, 1);
	expect_object(test, first, &page[0], sizeof(*page), MEMORIZER_FREED);
	memorizer_set_kinds(MEMORIZER_KINDS_BUILT_IN);
	touch(&page[0].private, 0, 1);
	again = object_at(&page[0]);
	KUNIT_EXPECT_NE(test, again, first);
	expect_touched(test, first, 3, 2);
	expect_touched(test, again, 0, 1);
	page[0].private = 0;
	page[1].private = 0;
	__free_pages(page, 1);
}
#endif

static unsigned int kinds_before;

static int kinds_on(struct kunit_suite *suite)
{
	kinds_before = memorizer_get_kinds();
	memorizer_set_kinds(MEMORIZER_KINDS_BUILT_IN);
	return switch_on(suite);
}

static void kinds_off(struct kunit_suite *suite)
{
	switch_off(suite);
	memorizer_set_kinds(kinds_before);
	memorizer_clear();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(areas_of_vmalloc_are_objects),
	KUNIT_CASE(mapped_pages_are_areas),
	KUNIT_CASE(areas_of_devices_are_told_apart),
#ifdef CONFIG_EXECMEM
	KUNIT_CASE(memory_of_modules_is_told_apart),
#endif
	KUNIT_CASE(resized_area_is_a_new_object),
	KUNIT_CASE(kind_that_is_switched_off_ends),
#ifdef CONFIG_MEMORIZER_FILTER
	KUNIT_CASE(filter_selects_kinds),
#endif
	KUNIT_CASE(stack_is_that_of_its_task),
#ifdef CONFIG_SPARSEMEM_VMEMMAP
	KUNIT_CASE(struct_pages_become_objects),
#endif
	{ }
};

static struct kunit_suite suite = {
	.name = "memorizer_vmalloc",
	.suite_init = kinds_on,
	.suite_exit = kinds_off,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Memorizer's KUnit tests of vmalloc areas and stacks");
MODULE_LICENSE("GPL");
