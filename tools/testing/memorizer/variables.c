// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: variables, and their table, as the kernel and the compiler make them.
 */
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

static struct variable_table table;

/* A variable of the table's format, and where it is. */
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
}

/* The index finds test_variables from here on. */
void memorizer_insert_variables(void)
{
	static struct memorizer_variable variables[TEST_VARIABLES];
	unsigned int i;

	if (!table.count) {
		for (i = 0; i < TEST_VARIABLES; i++)
			set_variable(&variables[i], VARIABLES + test_variables[i].offset,
				     test_variables[i].size);
		table.start = VARIABLES;
		table.pages = VARIABLE_PAGES;
		build_table(&table, variables, TEST_VARIABLES);
	}
	if (table.record)
		return;
	preempt_disable_notrace();
	if (memorizer_index_insert_variables(&table))
		this_cpu_add(memorizer_counters.lost[MEMORIZER_LOST_INDEX], table.count);
	preempt_enable_notrace();
}

/**
 * slab_records() - count the index's records in use, except for that of test_variables
 *
 * Return: the number
 */
unsigned long slab_records(void)
{
	unsigned long count = 0;
	unsigned int class;

	for (class = MEMORIZER_SLAB; class < MEMORIZER_CLASSES; class++)
		count += memorizer_class_used(class);
	return count - !!table.record;
}
