// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: areas above the direct map, and the stacks that lie in them.
 */
#include <linux/mm.h>

#include "../../../mm/memorizer/observer.h"
#include "test.h"

#define AREA(n)		(VMALLOC_START + (n) * PAGE_SIZE)
#define STACK_PAGES	4
#define STACK_SIZE	(STACK_PAGES * PAGE_SIZE)

static void start(void)
{
	boot(POOL_BLOCKS(40));
	become(0, 1);
	memorizer_set_kinds(OBJECT_KINDS);
}

static void alloc_area(unsigned long addr, size_t size, unsigned long flags)
{
	memorizer_vmalloc((void *)addr, size, PAGE_ALIGN(size), flags, IP(1));
}

static void free_area(unsigned long addr, unsigned long flags)
{
	memorizer_vfree((void *)addr, PAGE_SIZE, flags, IP(4));
}

static struct memorizer_object *area_at(unsigned long addr)
{
	u32 id = memorizer_index_area(addr);

	return id ? memorizer_ptr(id) : NULL;
}

/* Record a stack as its hook does. */
static struct memorizer_object *alloc_stack(unsigned long addr)
{
	struct memorizer_geometry geo = { .start = addr, .pages = STACK_PAGES };
	unsigned long unused;

	memorizer_index_fit(&geo);
	memorizer_record(&geo, addr, STACK_SIZE, memorizer_who(MEMORIZER_KIND_STACK, false), IP(2),
			 0);
	return memorizer_ptr(memorizer_index_lookup(addr, &unused));
}

static void accesses_to_areas_are_counted(void)
{
	struct memorizer_object *object;
	unsigned int i;

	start();
	/* Not a whole number of pages. */
	alloc_area(AREA(2), 2 * PAGE_SIZE + 100, VM_ALLOC);
	object = area_at(AREA(4));
	CHECK(object);
	CHECK_EQ(object->size, 2 * PAGE_SIZE + 100);
	CHECK_EQ(memorizer_object_kind(object), MEMORIZER_KIND_VMALLOC);
	for (i = 0; i < 3; i++)
		site(AREA(2), 8, MEMORIZER_UPDATE, IP(3));
	CHECK_EQ(this_cpu_read(site_hits), 2);
	site(AREA(4) + 99, 1, MEMORIZER_WRITE, IP(3));
	site(AREA(4) + 100, 1, MEMORIZER_WRITE, IP(3));
	site(AREA(1), 8, MEMORIZER_WRITE, IP(3));
	range_site(AREA(3) - 8, 16, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(object, IP(3), 1, 4, 4);
	CHECK_EQ(sum_counters().unattributed, 2);
	free_area(AREA(2), VM_ALLOC);
	CHECK_EQ(object->state, MEMORIZER_FREED);
	CHECK_EQ(object->free_ip, memorizer_pack_ip(IP(4)));
	site(AREA(2), 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(object, IP(3), 1, 4, 4);
	CHECK_EQ(sum_counters().unattributed, 3);
	CHECK_EQ(sum_counters().unknown_frees, 0);
}

static void areas_are_told_apart(void)
{
	static const struct {
		unsigned long addr, flags;
		unsigned int kind;
	} areas[] = {
		{ AREA(0), VM_ALLOC, MEMORIZER_KIND_VMALLOC },
		{ AREA(4), VM_MAP, MEMORIZER_KIND_VMAP },
		{ AREA(8), 0, MEMORIZER_KIND_VMAP },
		{ AREA(12), VM_IOREMAP, MEMORIZER_KIND_IOREMAP },
		{ MODULES_VADDR, VM_ALLOC, MEMORIZER_KIND_MODULES },
		{ MODULES_END - PAGE_SIZE, VM_ALLOC, MEMORIZER_KIND_MODULES },
		{ VMALLOC_END + 1 - PAGE_SIZE, VM_ALLOC, MEMORIZER_KIND_VMALLOC },
		{ VMALLOC_END + 1 - FAR_BYTES, VM_ALLOC, MEMORIZER_KIND_VMALLOC },
		{ VMALLOC_START + FAR_BYTES - PAGE_SIZE, VM_ALLOC, MEMORIZER_KIND_VMALLOC },
	};
	unsigned int i;

	start();
	for (i = 0; i < ARRAY_SIZE(areas); i++)
		alloc_area(areas[i].addr, PAGE_SIZE, areas[i].flags);
	for (i = 0; i < ARRAY_SIZE(areas); i++) {
		CHECK(area_at(areas[i].addr));
		CHECK_EQ(memorizer_object_va(area_at(areas[i].addr)), areas[i].addr);
		CHECK_EQ(memorizer_object_kind(area_at(areas[i].addr)), areas[i].kind);
		site(areas[i].addr, 8, MEMORIZER_WRITE, IP(i));
	}
	for (i = 0; i < ARRAY_SIZE(areas); i++) {
		CHECK_ALL_COUNTS(area_at(areas[i].addr), 0, 1);
		free_area(areas[i].addr, areas[i].flags);
		CHECK(!area_at(areas[i].addr));
	}
	CHECK_EQ(sum_counters().frees, ARRAY_SIZE(areas));
	CHECK_EQ(sum_counters().unattributed, 0);
}

/* Areas between the ranges, across the end of one, or too large for the hook. */
static void areas_out_of_range_are_lost(void)
{
	start();
	alloc_area(VMALLOC_START + FAR_BYTES, PAGE_SIZE, VM_ALLOC);
	alloc_area(VMALLOC_START + FAR_BYTES - PAGE_SIZE, 2 * PAGE_SIZE, VM_ALLOC);
	alloc_area(VMALLOC_END + 1 - FAR_BYTES - PAGE_SIZE, 2 * PAGE_SIZE, VM_ALLOC);
	alloc_area(-PAGE_SIZE, 2 * PAGE_SIZE, VM_ALLOC);
	alloc_area(AREA(0), SZ_64M + 1, VM_ALLOC);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_RANGE], 5);
	CHECK_EQ(sum_counters().allocs, 0);
	site(VMALLOC_START + FAR_BYTES, 8, MEMORIZER_READ, IP(3));
	site(VMALLOC_START + FAR_BYTES - 4, 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 2);
	alloc_area(AREA(0), SZ_64M, VM_ALLOC);
	CHECK(area_at(AREA(0) + SZ_64M - 1));
	CHECK_EQ(sum_counters().allocs, 1);
}

static void stack_comes_before_its_area(void)
{
	struct memorizer_object *area, *stack, *next;

	start();
	alloc_area(AREA(0), STACK_SIZE, VM_ALLOC);
	area = area_at(AREA(0));
	site(AREA(1), 8, MEMORIZER_WRITE, IP(3));
	stack = alloc_stack(AREA(0));
	CHECK(stack != area);
	CHECK_EQ(memorizer_object_kind(stack), MEMORIZER_KIND_STACK);
	site(AREA(1), 8, MEMORIZER_WRITE, IP(3));
	site(AREA(1), 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(area, IP(3), 1, 0, 1);
	CHECK_COUNTS(stack, IP(3), 1, 1, 1);

	/* Cached, and then the stack of another task. */
	memorizer_end(AREA(0), IP(5));
	CHECK_EQ(stack->state, MEMORIZER_FREED);
	CHECK_EQ(stack->free_ip, memorizer_pack_ip(IP(5)));
	site(AREA(1), 8, MEMORIZER_WRITE, IP(3));
	next = alloc_stack(AREA(0));
	site(AREA(1), 8, MEMORIZER_WRITE, IP(3));
	CHECK_COUNTS(area, IP(3), 1, 0, 2);
	CHECK_COUNTS(stack, IP(3), 1, 1, 1);
	CHECK_COUNTS(next, IP(3), 1, 0, 1);
	memorizer_end(AREA(0), IP(5));
	free_area(AREA(0), VM_ALLOC);
	CHECK_EQ(sum_counters().frees, 3);
	CHECK_EQ(sum_counters().buried, 0);
	CHECK_EQ(sum_counters().unattributed, 0);
	memorizer_clear();
	CHECK_EQ(slab_records(), 0);
}

/* A stack, without its area. */
static void stack_may_be_recorded_alone(void)
{
	struct memorizer_object *stack;

	start();
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STACK));
	alloc_area(AREA(0), STACK_SIZE, VM_ALLOC);
	CHECK(!area_at(AREA(0)));
	stack = alloc_stack(AREA(0));
	site(AREA(3), 8, MEMORIZER_WRITE, IP(3));
	CHECK_COUNTS(stack, IP(3), 1, 0, 1);
	free_area(AREA(0), VM_ALLOC);
	CHECK_EQ(stack->state, MEMORIZER_LIVE);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	CHECK_EQ(stack->state, MEMORIZER_FREED);
	site(AREA(3), 8, MEMORIZER_WRITE, IP(3));
	CHECK_COUNTS(stack, IP(3), 1, 0, 1);
	CHECK_EQ(sum_counters().unattributed, 1);
	CHECK_EQ(sum_counters().unknown_frees, 0);
}

/* Until their objects are closed, the frees of a kind that is switched off are seen. */
static void kind_is_followed_after_it_is_recorded(void)
{
	struct memorizer_object *object;

	start();
	alloc_area(AREA(0), PAGE_SIZE, VM_ALLOC);
	object = area_at(AREA(0));
	down_write(&memorizer_rwsem);
	memorizer_clear_kinds(BIT(MEMORIZER_KIND_VMALLOC), MEMORIZER_DO_RECORD);
	up_write(&memorizer_rwsem);
	alloc_area(AREA(4), PAGE_SIZE, VM_ALLOC);
	CHECK(!area_at(AREA(4)));
	free_area(AREA(0), VM_ALLOC);
	CHECK_EQ(object->state, MEMORIZER_FREED);
	CHECK_EQ(object->free_ip, memorizer_pack_ip(IP(4)));
	down_write(&memorizer_rwsem);
	memorizer_clear_kinds(BIT(MEMORIZER_KIND_VMALLOC), MEMORIZER_DO_FOLLOW);
	up_write(&memorizer_rwsem);
	free_area(AREA(4), VM_ALLOC);
	CHECK_EQ(sum_counters().unknown_frees, 0);
	CHECK_EQ(sum_counters().frees, 1);
}

static void resized_area_is_a_new_object(void)
{
	struct memorizer_object *first, *second;

	start();
	alloc_area(AREA(0), 100, VM_ALLOC);
	first = area_at(AREA(0));
	memorizer_vrealloc((void *)AREA(0), 50, PAGE_SIZE, VM_ALLOC, IP(6));
	second = area_at(AREA(0));
	CHECK(first != second);
	CHECK_EQ(first->state, MEMORIZER_FREED);
	CHECK_EQ(first->free_ip, memorizer_pack_ip(IP(6)));
	CHECK_EQ(second->size, 50);
	CHECK_EQ(second->alloc_ip, memorizer_pack_ip(IP(6)));
	CHECK_EQ(sum_counters().buried, 0);
}

/* What the observer was given last. */
static struct observed {
	unsigned int allocs, frees, source;
	const void *addr;
	size_t size, bytes;
	unsigned long ip;
} observed;

void memorizer_observer_alloc_area(const void *addr, size_t size, size_t bytes, unsigned long ip,
				   enum memorizer_source source)
{
	observed = (struct observed){ observed.allocs + 1, observed.frees, source, addr, size,
				      bytes, ip };
}

void memorizer_observer_free_area(const void *addr, size_t bytes, unsigned long ip,
				  enum memorizer_source source)
{
	observed = (struct observed){ observed.allocs, observed.frees + 1, source, addr, 0, bytes,
				      ip };
}

static void expect_observed(unsigned int allocs, unsigned int frees, unsigned int source)
{
	CHECK_EQ(observed.allocs, allocs);
	CHECK_EQ(observed.frees, frees);
	CHECK_EQ(observed.source, source);
}

/* Whichever kinds are recorded. */
static void observer_receives_areas_of_each_kind(void)
{
	static const unsigned long addr[] = { AREA(0), AREA(0), AREA(0), MODULES_VADDR };
	static const unsigned long flags[] = { VM_ALLOC, VM_MAP, VM_IOREMAP, VM_ALLOC };
	static const unsigned int source[] = { MEMORIZER_VMALLOC, MEMORIZER_VMAP,
					       MEMORIZER_IOREMAP, MEMORIZER_MODULES };
	unsigned int i;

	boot(POOL_BLOCKS(40));
	become(0, 1);
	observed = (struct observed){ };
	alloc_area(AREA(0), 100, VM_ALLOC);
	free_area(AREA(0), VM_ALLOC);
	expect_observed(0, 0, 0);
	memorizer_observe_allocations(true);
	for (i = 0; i < ARRAY_SIZE(addr); i++) {
		alloc_area(addr[i], 100, flags[i]);
		expect_observed(i + 1, i, source[i]);
		CHECK_EQ(observed.size, 100);
		CHECK_EQ(observed.ip, IP(1));
		free_area(addr[i], flags[i]);
		expect_observed(i + 1, i + 1, source[i]);
		CHECK_EQ(observed.ip, IP(4));
		CHECK_EQ((unsigned long)observed.addr, addr[i]);
		CHECK_EQ(observed.bytes, PAGE_SIZE);
		CHECK(!area_at(addr[i]));
	}
	memorizer_observe_allocations(false);
	alloc_area(AREA(0), 100, VM_ALLOC);
	free_area(AREA(0), VM_ALLOC);
	CHECK_EQ(observed.allocs, ARRAY_SIZE(addr));
	CHECK_EQ(observed.frees, ARRAY_SIZE(addr));
	CHECK_EQ(sum_counters().unknown_frees, 0);
}

/* memorizer_set_free_ip() takes precedence. */
static void free_ip_may_be_set_before(void)
{
	struct memorizer_object *object;

	start();
	alloc_area(AREA(0), 100, VM_ALLOC);
	object = area_at(AREA(0));
	memorizer_set_free_ip((void *)AREA(0), IP(7));
	free_area(AREA(0), VM_ALLOC);
	CHECK_EQ(object->free_ip, memorizer_pack_ip(IP(7)));
}

static void objects_in_an_area_are_buried_with_it(void)
{
	struct memorizer_object *area, *stack;

	start();
	alloc_area(AREA(0), 8 * PAGE_SIZE, VM_ALLOC);
	area = area_at(AREA(0));
	stack = alloc_stack(AREA(4));
	alloc_area(AREA(6), PAGE_SIZE, VM_MAP);
	CHECK_EQ(area->state, MEMORIZER_BURIED);
	CHECK_EQ(stack->state, MEMORIZER_BURIED);
	CHECK_EQ(sum_counters().buried, 2);
	site(AREA(0), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 1);
}

/* As long as no kind there is recorded, the thunks skip all addresses above the direct map. */
static void accesses_of_tasks_left_out_are_counted_by_range(void)
{
	start();
	alloc_area(AREA(0), PAGE_SIZE, VM_ALLOC);
	memorizer_change_task(current, 0, 0, MEMORIZER_LEFT_OUT);
	site(AREA(0), 8, MEMORIZER_READ, IP(3));
	site(AREA(9), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().left_out, 2);
	site(VMALLOC_START + FAR_BYTES, 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 1);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB) | BIT(MEMORIZER_KIND_PAGES));
	CHECK_EQ(memorizer_thunk_end, MAP_BASE + MAP_BYTES);
	site(AREA(0), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 2);
	/* Also on the slow path. */
	memorizer_slow_path_begin();
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	CHECK_EQ(memorizer_thunk_end, ULONG_MAX);
	site(AREA(0), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 3);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STACK));
	memorizer_slow_path_end();
	CHECK_EQ(memorizer_thunk_end, ULONG_MAX);
	site(AREA(0), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().left_out, 3);
}

static void reader_and_filter_leave_areas_out(void)
{
	start();
	memorizer_pause();
	alloc_area(AREA(0), PAGE_SIZE, VM_ALLOC);
	CHECK_EQ(sum_counters().paused, 1);
	memorizer_resume();
	CHECK(!area_at(AREA(0)));
	memorizer_switch_hooks(MEMORIZER_DO_CHOOSE, true);
	alloc_area(AREA(0), PAGE_SIZE, VM_ALLOC);
	CHECK(!area_at(AREA(0)));
	CHECK_EQ(sum_counters().allocs_left_out, 1);
	memorizer_vmalloc((void *)AREA(0), PAGE_SIZE, PAGE_SIZE, VM_ALLOC, CHOSEN_IP);
	CHECK(area_at(AREA(0)));
}

const struct test_case vmalloc_cases[] = {
	CASE(accesses_to_areas_are_counted),
	CASE(areas_are_told_apart),
	CASE(areas_out_of_range_are_lost),
	CASE(stack_comes_before_its_area),
	CASE(stack_may_be_recorded_alone),
	CASE(kind_is_followed_after_it_is_recorded),
	CASE(resized_area_is_a_new_object),
	CASE(observer_receives_areas_of_each_kind),
	CASE(free_ip_may_be_set_before),
	CASE(objects_in_an_area_are_buried_with_it),
	CASE(accesses_of_tasks_left_out_are_counted_by_range),
	CASE(reader_and_filter_leave_areas_out),
	{ }
};
