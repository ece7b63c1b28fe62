// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: variables, and their table, as the kernel and the compiler make them.
 */
#include <linux/memorizer-memblock.h>

#include "test.h"
#include "../../../mm/memorizer/variables.h"

char variable_memory[VARIABLE_BYTES] __aligned(PAGE_SIZE);

/* In no order, as the linker has them. */
const struct test_variable test_variables[TEST_VARIABLES] = {
	{ 4000, 5000 },				/* three pages, the second whole */
	{ 0, 8 }, { 16, 64 }, { 12, 1 }, { 13, 1 }, { 8, 4 },
	{ 3 * PAGE_SIZE - 8, 8 },		/* the last of its page */
	{ 9024, 8 }, { 9008, 16 },
	{ 4 * PAGE_SIZE + 100, 1 },		/* the page before has none */
};

/* See memorizer_build_variables(). */
bool variables_are_built;

/* Of the kernel, and of two CPUs. */
#define TABLES	3
static struct variable_table tables[TABLES];
static unsigned int inserted;

/* Fill in an entry of the compiler's table. */
void set_variable(struct memorizer_variable *variable, unsigned long va, u32 size)
{
	variable->addr = va - (unsigned long)&variable->addr;
	variable->size = size;
}

/* Build a table, in memory that is never freed. */
void build_table(struct variable_table *table, const struct memorizer_variable *variables,
		 unsigned int count)
{
	size_t size = memorizer_variable_table_size(table, variables, variables + count);
	static char memory[1 << 16];
	static size_t used;

	CHECK(used + size <= sizeof(memory));
	memorizer_variable_table_fill(table, memory + used, variables, variables + count);
	used += round_up(size, 8);
}

void memorizer_variables_range(unsigned long *base, unsigned long *bytes)
{
	*base = VARIABLES;
	*bytes = VARIABLE_BYTES;
}

int memorizer_reserve_variables(void *(*reserve)(size_t size))
{
	return 0;
}

void memorizer_build_variables(void)
{
	variables_are_built = true;
}

void memorizer_build_areas(void)
{
}

void memorizer_memblock_free(phys_addr_t base, phys_addr_t size)
{
}

static void insert(struct variable_table *table)
{
	if (table->record || !(inserted & BIT(table->kind)))
		return;
	preempt_disable_notrace();
	if (memorizer_index_insert_variables(table))
		this_cpu_add(memorizer_counters.lost[MEMORIZER_LOST_INDEX], table->count);
	preempt_enable_notrace();
}

static void build_tables(void)
{
	static struct memorizer_variable variables[TEST_VARIABLES];
	static u32 ids[2][TEST_VARIABLES];
	unsigned int i;

	for (i = 0; i < TEST_VARIABLES; i++)
		set_variable(&variables[i], VARIABLES + test_variables[i].offset,
			     test_variables[i].size);
	tables[0] = (struct variable_table){
		.start = VARIABLES, .pages = VARIABLE_PAGES, .kind = MEMORIZER_KIND_STATIC,
	};
	tables[1] = (struct variable_table){
		.start = VARIABLES, .pages = PERCPU_PAGES, .kind = MEMORIZER_KIND_PERCPU,
	};
	build_table(&tables[0], variables, TEST_VARIABLES);
	build_table(&tables[1], variables, TEST_VARIABLES);
	tables[2] = tables[1];
	for (i = 0; i < 2; i++) {
		tables[1 + i].start = PERCPU(i);
		tables[1 + i].shift = PERCPU(i) - VARIABLES;
		tables[1 + i].id = ids[i];
	}
}

/* The index finds test_variables from here on. */
void memorizer_insert_variables(unsigned int kinds)
{
	unsigned int i;

	inserted |= kinds;
	if (!tables[0].count)
		build_tables();
	for (i = 0; i < TABLES; i++)
		insert(&tables[i]);
}

void memorizer_remove_variables(unsigned int kinds)
{
	unsigned int i;

	inserted &= ~kinds;
	preempt_disable_notrace();
	for (i = 0; i < TABLES; i++)
		if (tables[i].record && !(inserted & BIT(tables[i].kind)))
			memorizer_index_remove_variables(&tables[i]);
	preempt_enable_notrace();
}

/**
 * slab_records() - count the index's records in use, except for those of test_variables
 *
 * Return: the number
 */
unsigned long slab_records(void)
{
	unsigned long count = 0;
	unsigned int class;

	for (class = MEMORIZER_SLAB; class < MEMORIZER_CLASSES; class++)
		count += memorizer_class_used(class);
	for (class = 0; class < TABLES; class++)
		count -= !!tables[class].record;
	return count;
}

/* No call of an allocator is marked. */
unsigned long memorizer_caller(unsigned long ip)
{
	return ip;
}

void memorizer_want_callers(void)
{
}
