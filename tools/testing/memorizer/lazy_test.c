// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: struct pages and variables, which become objects when they are
 * accessed.
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
	memorizer_set_kinds(OBJECT_KINDS);
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
	site(STRUCT_PAGE(0), 8, MEMORIZER_READ, IP(3));
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
	memorizer_choose_lazy(MEMORIZER_KIND_STRUCT_PAGE, 0);
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 1);
	memorizer_choose_lazy(MEMORIZER_KIND_STRUCT_PAGE,
			      BIT(MEMORIZER_RECORDED) | BIT(MEMORIZER_FIELDS));
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
	memorizer_set_kinds(OBJECT_KINDS);
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
	memorizer_set_kinds(OBJECT_KINDS);
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

/*
 * Variables.
 */

#define VARIABLE(n)	(VARIABLES + test_variables[n].offset)

/* The number of the variable that contains an address, or -1. */
static int variable_at(unsigned long addr)
{
	int i;

	for (i = TEST_VARIABLES - 1; i >= 0; i--)
		if (addr - VARIABLE(i) < test_variables[i].size)
			break;
	return i;
}

static void variables_become_objects_when_accessed(void)
{
	const struct memorizer_object *object;
	unsigned int i;

	start();
	set_pid(7);
	for (i = 0; i < TEST_VARIABLES; i++) {
		CHECK(!object_at(VARIABLE(i)));
		/* Its first and its last byte */
		site(VARIABLE(i), 1, MEMORIZER_READ, IP(3));
		site(VARIABLE(i) + test_variables[i].size - 1, 1, MEMORIZER_UPDATE, IP(3));
		object = object_at(VARIABLE(i));
		CHECK(object);
		CHECK_EQ(sum_counters().allocs, i + 1);
		CHECK_COUNTS(object, IP(3), 7, 2, 1);
		CHECK_EQ(memorizer_object_va(object), VARIABLE(i));
		CHECK_EQ(object->size, test_variables[i].size);
		CHECK_EQ(memorizer_object_kind(object), MEMORIZER_KIND_STATIC);
		CHECK_EQ(memorizer_object_pid(object), 0);
		CHECK_EQ(memorizer_alloc_jiffies(object), 0);
		CHECK_EQ(object->alloc_ip, memorizer_pack_ip(VARIABLE(i)));
		CHECK_EQ(strcmp(object->comm, "swapper"), 0);
	}
	CHECK_EQ(sum_counters().unattributed, 0);
}

static void each_byte_belongs_to_its_variable(void)
{
	unsigned long addr, holes = 0;
	int expected;

	start();
	for (addr = VARIABLES; addr < VARIABLES + STATIC_BYTES; addr++) {
		site(addr, 1, MEMORIZER_READ, IP(3));
		expected = variable_at(addr);
		holes += expected < 0;
		CHECK_EQ(sum_counters().unattributed, holes);
		if (expected < 0)
			CHECK(!object_at(addr));
		else
			CHECK_COUNTS(object_at(addr), IP(3), 1, addr - VARIABLE(expected) + 1, 0);
	}
	CHECK_EQ(sum_counters().allocs, TEST_VARIABLES);
}

static void access_counts_for_all_variables_that_it_touches(void)
{
	unsigned int i;

	start();
	range_site(VARIABLES, STATIC_BYTES, MEMORIZER_WRITE, IP(3));
	for (i = 0; i < TEST_VARIABLES; i++)
		CHECK_COUNTS(object_at(VARIABLE(i)), IP(3), 1, 0, 1);
	CHECK_EQ(sum_counters().allocs, TEST_VARIABLES);
	/* From one to the next, and from one into a hole. */
	site(VARIABLES + 8, 8, MEMORIZER_READ, IP(4));
	CHECK_COUNTS(object_at(VARIABLES + 8), IP(4), 1, 1, 0);
	CHECK_COUNTS(object_at(VARIABLES + 12), IP(4), 1, 1, 0);
	CHECK_COUNTS(object_at(VARIABLES + 13), IP(4), 1, 1, 0);
	site(VARIABLES + 14, 2, MEMORIZER_READ, IP(4));
	CHECK_EQ(sum_counters().unattributed, 1);
}

static void kind_of_variables_may_be_switched(void)
{
	const struct memorizer_object *first, *second;

	boot(POOL_BLOCKS(40));
	become(0, 1);
	site(VARIABLE(0), 8, MEMORIZER_READ, IP(3));
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STRUCT_PAGE));
	site(VARIABLE(0), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 2);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STATIC));
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 3);
	site(VARIABLE(0) + 4096, 8, MEMORIZER_READ, IP(3));
	first = object_at(VARIABLE(0));
	CHECK_COUNTS(first, IP(3), 1, 1, 0);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	CHECK_EQ(first->state, MEMORIZER_FREED);
	/* No table: accesses need no hook. */
	CHECK(!memorizer_index_table(VARIABLE(0)));
	site(VARIABLE(0), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 4);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STATIC));
	site(VARIABLE(0), 8, MEMORIZER_READ, IP(3));
	second = object_at(VARIABLE(0));
	CHECK(first != second);
	CHECK_COUNTS(first, IP(3), 1, 1, 0);
	CHECK_COUNTS(second, IP(3), 1, 1, 0);
	memorizer_clear();
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 1);
}

static void filter_chooses_all_variables_or_none(void)
{
	start();
	memorizer_choose_lazy(MEMORIZER_KIND_STATIC, 0);
	site(VARIABLE(0), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 1);
	memorizer_choose_lazy(MEMORIZER_KIND_STATIC,
			      BIT(MEMORIZER_RECORDED) | BIT(MEMORIZER_FIELDS));
	site(VARIABLE(0) + 8, 4, MEMORIZER_READ, IP(3));
	site(VARIABLE(0) + 8, 4, MEMORIZER_READ, IP(3));
	CHECK(memorizer_counts_granules(object_at(VARIABLE(0))));
	CHECK_COUNTS(object_at(VARIABLE(0)), IP(3), 1, 2, 0);
	site(STRUCT_PAGE(3), 8, MEMORIZER_READ, IP(3));
	CHECK(!memorizer_counts_granules(object_at(STRUCT_PAGE(3))));
}

static void full_pool_has_no_table(void)
{
	unsigned int class;

	boot(POOL_BLOCKS(4));
	become(0, 1);
	for (class = 0; class < MEMORIZER_CLASSES; class++)
		while (memorizer_pool_alloc(class))
			;
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STATIC));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_INDEX], TEST_VARIABLES);
	site(VARIABLE(0), 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 1);
}

static void full_pool_loses_variables(void)
{
	start();
	site(VARIABLE(0), 8, MEMORIZER_READ, IP(3));
	while (memorizer_pool_alloc(MEMORIZER_OBJECT))
		;
	site(VARIABLE(0), 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(object_at(VARIABLE(0)), IP(3), 1, 2, 0);
	site(VARIABLE(1), 8, MEMORIZER_UPDATE, IP(3));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 2);
	CHECK_EQ(sum_counters().unattributed, 0);
}

static void each_cpu_has_its_own_variables(void)
{
	const unsigned long offset = test_variables[3].offset;
	const struct memorizer_object *object;
	unsigned int cpu;

	start();
	for (cpu = 0; cpu < 2; cpu++) {
		site(PERCPU(cpu) + offset, 1, MEMORIZER_WRITE, IP(3));
		/* The last byte of the variable before it, which another one has in this table */
		range_site(PERCPU(cpu) + offset - 1, 2, MEMORIZER_READ, IP(4));
		object = object_at(PERCPU(cpu) + offset);
		CHECK_COUNTS(object, IP(3), 1, 0, 1);
		CHECK_COUNTS(object, IP(4), 1, 1, 0);
		CHECK_EQ(memorizer_object_va(object), PERCPU(cpu) + offset);
		CHECK_EQ(object->size, test_variables[3].size);
		CHECK_EQ(memorizer_object_kind(object), MEMORIZER_KIND_PERCPU);
		/* The address of the symbol */
		CHECK_EQ(object->alloc_ip, memorizer_pack_ip(VARIABLES + offset));
		CHECK_EQ(sum_counters().allocs, 2 * cpu + 2);
	}
	CHECK(object_at(PERCPU(0) + offset) != object_at(PERCPU(1) + offset));
	CHECK(!object_at(VARIABLES + offset));
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STATIC));
	CHECK(!object_at(PERCPU(0) + offset));
	site(PERCPU(0) + offset, 1, MEMORIZER_WRITE, IP(3));
	CHECK_EQ(sum_counters().unattributed, 1);
	site(VARIABLES + offset, 1, MEMORIZER_WRITE, IP(3));
	CHECK_EQ(sum_counters().unattributed, 1);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_PERCPU));
	site(PERCPU(0) + offset, 1, MEMORIZER_WRITE, IP(3));
	CHECK_COUNTS(object_at(PERCPU(0) + offset), IP(3), 1, 0, 1);
	site(VARIABLES + offset, 1, MEMORIZER_WRITE, IP(3));
	CHECK_EQ(sum_counters().unattributed, 2);
}

/* The memory of a module, whose variables end before it does. */
static void variables_of_a_module_lie_in_its_memory(void)
{
	static struct memorizer_variable variables[2];
	struct variable_table table = {
		.start = MODULE, .pages = MODULE_PAGES, .kind = MEMORIZER_KIND_STATIC,
	};
	const struct memorizer_object *area, *first;

	boot(POOL_BLOCKS(40));
	become(0, 1);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_VMALLOC) | BIT(MEMORIZER_KIND_STATIC));
	memorizer_vmalloc((void *)MODULE, MODULE_PAGES * PAGE_SIZE, MODULE_PAGES * PAGE_SIZE,
			  VM_ALLOC, IP(1));
	area = object_at(MODULE);
	site(MODULE + 64, 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(area, IP(3), 1, 1, 0);
	set_variable(&variables[0], MODULE + 64, 8);
	set_variable(&variables[1], MODULE + PAGE_SIZE - 4, 8);
	build_table(&table, variables, 2);
	CHECK_EQ(memorizer_index_insert_variables(&table), 0);
	site(MODULE + 64, 8, MEMORIZER_READ, IP(3));
	site(MODULE + 72, 8, MEMORIZER_READ, IP(3));
	first = object_at(MODULE + 64);
	CHECK_COUNTS(first, IP(3), 1, 1, 0);
	CHECK_COUNTS(area, IP(3), 1, 2, 0);
	/* From the area to the variable to the area, once for each. */
	range_site(MODULE + PAGE_SIZE - 8, 16, MEMORIZER_READ, IP(4));
	CHECK_COUNTS(object_at(MODULE + PAGE_SIZE), IP(4), 1, 1, 0);
	CHECK_COUNTS(area, IP(4), 1, 1, 0);
	memorizer_index_remove_variables(&table);
	CHECK_EQ(object_at(MODULE + 64), area);
	memorizer_end_id(memorizer_id(first), IP(2));
	site(MODULE + 64, 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(area, IP(3), 1, 3, 0);
	CHECK_COUNTS(first, IP(3), 1, 1, 0);
	memorizer_vfree((void *)MODULE, MODULE_PAGES * PAGE_SIZE, VM_ALLOC, IP(2));
	CHECK(!object_at(MODULE));
	CHECK_EQ(sum_counters().frees, 2);
	CHECK_EQ(sum_counters().unattributed, 0);
}

static void variables_outlive_the_area_around_them(void)
{
	static struct memorizer_variable variable;
	struct variable_table table = {
		.start = MODULE, .pages = MODULE_PAGES, .kind = MEMORIZER_KIND_STATIC,
	};

	boot(POOL_BLOCKS(40));
	become(0, 1);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_VMALLOC) | BIT(MEMORIZER_KIND_STATIC));
	memorizer_vmalloc((void *)MODULE, MODULE_PAGES * PAGE_SIZE, MODULE_PAGES * PAGE_SIZE,
			  VM_ALLOC, IP(1));
	set_variable(&variable, MODULE + 64, 8);
	build_table(&table, &variable, 1);
	CHECK_EQ(memorizer_index_insert_variables(&table), 0);
	site(MODULE + 64, 8, MEMORIZER_READ, IP(3));
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STATIC));
	memorizer_clear();
	site(MODULE + 64, 8, MEMORIZER_READ, IP(3));
	site(MODULE + 80, 8, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(object_at(MODULE + 64), IP(3), 1, 2, 0);
	CHECK_EQ(sum_counters().unattributed, 1);
}

/* Sizes around those that do not fit in the table's words. */
static void large_variables_have_their_exact_size(void)
{
	static const u32 size[] = { (1 << 20) - 2, (1 << 20) - 1, 1 << 20, (5 << 20) + 3 };
	/* The last one is not in the table. */
	static struct memorizer_variable variables[ARRAY_SIZE(size) + 1];
	struct variable_table table = { .start = VARIABLES, .pages = 3000 };
	unsigned long va = VARIABLES + 24, found;
	unsigned int i;
	u32 bytes;

	for (i = 0; i < ARRAY_SIZE(size); i++) {
		/* In the opposite order */
		set_variable(&variables[ARRAY_SIZE(size) - 1 - i], va, size[i]);
		va += size[i] + 1;
	}
	set_variable(&variables[ARRAY_SIZE(size)], VARIABLES, 8);
	build_table(&table, variables, ARRAY_SIZE(size));
	CHECK_EQ(table.count, ARRAY_SIZE(size));
	CHECK_EQ(table.large_count, 3);
	for (i = 0, va = VARIABLES + 24; i < ARRAY_SIZE(size); i++) {
		CHECK_EQ(memorizer_variable_at(&table, va, &found, &bytes), &table.id[i]);
		CHECK_EQ(found, va);
		CHECK_EQ(bytes, size[i]);
		va += size[i];
		CHECK_EQ(memorizer_variable_at(&table, va - 1, &found, &bytes), &table.id[i]);
		CHECK_EQ(found, va - size[i]);
		CHECK(!memorizer_variable_at(&table, va, &found, &bytes));
		va++;
	}
}

/* No variables are there while their kinds are not recorded. */
#define AREAS	VARIABLES

/* As memblock allocates: without a gap, in parts of a page, and across pages. */
static struct memorizer_area areas[] = {
	{ AREAS + 64, AREAS + 100, 0x81000001 },
	{ AREAS + 100, AREAS + PAGE_SIZE + 8, 0x81000002 },
	{ AREAS + PAGE_SIZE + 64, AREAS + PAGE_SIZE + 65, 0x81000003 },
	{ AREAS + 2 * PAGE_SIZE - 64, AREAS + 3 * PAGE_SIZE, 0x81000002 },
};

static void insert_areas(struct variable_table *table)
{
	static char memory[4096];

	boot(POOL_BLOCKS(40));
	become(0, 1);
	memorizer_lazy_init(MEMORIZER_KIND_MEMBLOCK, AREAS, 3 * PAGE_SIZE);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_MEMBLOCK));
	table->kind = MEMORIZER_KIND_MEMBLOCK;
	CHECK(memorizer_area_table_size(table, areas, ARRAY_SIZE(areas)) <= sizeof(memory));
	CHECK_EQ(table->start, AREAS);
	CHECK_EQ(table->pages, 3);
	memorizer_area_table_fill(table, memory, areas, ARRAY_SIZE(areas));
	CHECK_EQ(memorizer_index_insert_variables(table), 0);
}

static void areas_become_objects_when_accessed(void)
{
	const struct memorizer_object *object;
	struct variable_table table = { };
	unsigned long va;
	unsigned int i;

	insert_areas(&table);
	for (i = 0; i < ARRAY_SIZE(areas); i++) {
		for (va = areas[i].start; va < areas[i].end; va++)
			site(va, 1, MEMORIZER_READ, IP(3));
		object = object_at(areas[i].start);
		CHECK_EQ(object_at(areas[i].end - 1), object);
		CHECK_EQ(memorizer_object_va(object), areas[i].start);
		CHECK_EQ(object->size, areas[i].end - areas[i].start);
		CHECK_EQ(object->alloc_ip, areas[i].ip);
		CHECK_EQ(memorizer_object_kind(object), MEMORIZER_KIND_MEMBLOCK);
		CHECK_COUNTS(object, IP(3), 1, object->size, 0);
	}
	CHECK_EQ(sum_counters().unattributed, 0);
	CHECK(!object_at(AREAS + 63));
	CHECK(!object_at(AREAS + PAGE_SIZE + 8));
	CHECK(!object_at(AREAS + PAGE_SIZE + 65));
	site(AREAS + PAGE_SIZE + 63, 1, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 1);
	/* From the first to the second */
	site(AREAS + 96, 8, MEMORIZER_WRITE, IP(4));
	CHECK_COUNTS(object_at(areas[0].start), IP(4), 1, 0, 1);
	CHECK_COUNTS(object_at(areas[1].start), IP(4), 1, 0, 1);
}

/* Sizes around those that do not fit in the table's words */
static void large_areas_have_their_exact_size(void)
{
	static const u32 size[] = { (1 << 20) - 1, (1 << 20) - 2, 1 << 20 };
	struct variable_table table = { .kind = MEMORIZER_KIND_MEMBLOCK };
	struct memorizer_area large[ARRAY_SIZE(size)];
	unsigned long va = AREAS, found, next;
	static char memory[16384];
	unsigned int i, room;
	u32 bytes;

	for (i = 0; i < ARRAY_SIZE(size); i++) {
		large[i] = (struct memorizer_area){ va, va + size[i], 0x81000001 + i };
		va += (1 << 20) + 1;
	}
	room = memorizer_area_table_size(&table, large, ARRAY_SIZE(size));
	CHECK(room < sizeof(memory));
	CHECK_EQ(table.large_count, 2);
	memorizer_area_table_fill(&table, memory, large, ARRAY_SIZE(size));
	for (i = room; i < sizeof(memory); i++)
		CHECK_EQ(memory[i], 0);
	for (i = 0; i < ARRAY_SIZE(size); i++) {
		va = large[i].end;
		CHECK_EQ(memorizer_variable_at(&table, va - 1, &found, &bytes), &table.id[i]);
		CHECK_EQ(found, large[i].start);
		CHECK_EQ(bytes, size[i]);
		CHECK_EQ(table.ip[i], large[i].ip);
		CHECK(!memorizer_variable_at(&table, va, &found, &bytes));
		CHECK_EQ(memorizer_variable_take(&table, va, &next), 0);
	}
}

/* Those that the page has a part of, whether they are objects or not. */
static void areas_end_with_a_page(void)
{
	const struct memorizer_object *first, *second;
	struct variable_table table = { };

	insert_areas(&table);
	site(areas[0].start, 4, MEMORIZER_READ, IP(3));
	site(areas[1].start, 4, MEMORIZER_READ, IP(3));
	first = object_at(areas[0].start);
	second = object_at(areas[1].start);
	preempt_disable_notrace();
	memorizer_index_leave_table(AREAS + PAGE_SIZE);
	memorizer_end_areas(&table, AREAS + PAGE_SIZE, AREAS + 2 * PAGE_SIZE);
	preempt_enable_notrace();
	CHECK_EQ(first->state, MEMORIZER_LIVE);
	CHECK_EQ(second->state, MEMORIZER_FREED);
	CHECK_EQ(table.id[1], 0);
	CHECK_EQ(sum_counters().frees, 1);
	site(areas[0].start, 4, MEMORIZER_READ, IP(3));
	CHECK_COUNTS(first, IP(3), 1, 2, 0);
	/* In each page that the others lie in */
	site(areas[1].start, 4, MEMORIZER_READ, IP(3));
	site(areas[1].end - 1, 1, MEMORIZER_READ, IP(3));
	site(areas[2].start, 1, MEMORIZER_READ, IP(3));
	site(areas[3].start, 4, MEMORIZER_READ, IP(3));
	site(areas[3].end - 1, 1, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 5);
	CHECK_COUNTS(second, IP(3), 1, 1, 0);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 2);
	/* The kind's tables are removed like others. */
	memorizer_index_remove_variables(&table);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	CHECK_EQ(first->state, MEMORIZER_FREED);
	CHECK(!object_at(areas[0].start));
}

/* The pool does not clear what a record of another class left. */
static void table_in_a_used_record_lets_go_of_its_objects(void)
{
	struct variable_table table = { };

	insert_areas(&table);
	((struct slab_record *)memorizer_ptr(table.record))->stride = 4;
	site(areas[0].start, 4, MEMORIZER_READ, IP(3));
	CHECK(table.id[0]);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	CHECK_EQ(table.id[0], 0);
}

static void touch_variables(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < TEST_VARIABLES; i++)
		site(VARIABLE(i), 1, MEMORIZER_WRITE, IP(3));
}

static void cpus_make_one_object_of_a_variable(void)
{
	unsigned int round, i, rounds = ROUNDS(500);

	start();
	for (round = 0; round < rounds; round++) {
		memorizer_set_kinds(BIT(MEMORIZER_KIND_STATIC));
		run_threads(3, touch_variables);
		become(0, 1);
		for (i = 0; i < TEST_VARIABLES; i++)
			CHECK_ALL_COUNTS(object_at(VARIABLE(i)), 0, 3);
		CHECK_EQ(sum_counters().unattributed, 0);
		CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), TEST_VARIABLES);
		memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
		memorizer_clear();
	}
}

const struct test_case lazy_cases[] = {
	CASE(each_becomes_an_object_when_accessed),
	CASE(access_counts_for_all_that_it_touches),
	CASE(kind_may_be_switched),
	CASE(filter_chooses_all_or_none),
	CASE(tasks_that_are_not_recorded_make_none),
	CASE(full_pool_loses_accesses),
	CASE(full_index_loses_accesses),
	CASE(cpus_make_one_object),
	CASE(variables_become_objects_when_accessed),
	CASE(each_byte_belongs_to_its_variable),
	CASE(access_counts_for_all_variables_that_it_touches),
	CASE(kind_of_variables_may_be_switched),
	CASE(filter_chooses_all_variables_or_none),
	CASE(full_pool_has_no_table),
	CASE(full_pool_loses_variables),
	CASE(each_cpu_has_its_own_variables),
	CASE(variables_of_a_module_lie_in_its_memory),
	CASE(variables_outlive_the_area_around_them),
	CASE(large_variables_have_their_exact_size),
	CASE(areas_become_objects_when_accessed),
	CASE(large_areas_have_their_exact_size),
	CASE(areas_end_with_a_page),
	CASE(table_in_a_used_record_lets_go_of_its_objects),
	CASE(cpus_make_one_object_of_a_variable),
	{ }
};
