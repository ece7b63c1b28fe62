/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's tables of variables, see variable_table.c.
 */
#ifndef _MM_MEMORIZER_VARIABLE_TABLE_H
#define _MM_MEMORIZER_VARIABLE_TABLE_H

#include <linux/sched.h>
#include <linux/types.h>

struct memorizer_variable;

/**
 * struct variable_large - a large variable
 * @offset: from the first address of the table's range, in bytes
 * @size: in bytes
 */
struct variable_large {
	u32 offset;
	u32 size;
};

/**
 * struct memorizer_area - an area that memblock allocated
 * @start: its address
 * @end: the address behind it
 * @ip: the call site, packed
 */
struct memorizer_area {
	unsigned long start;
	unsigned long end;
	u32 ip;
};

/**
 * struct variable_table - the variables, or the areas of memblock, in a range of pages
 * @start: first address of the range, page aligned
 * @pages: number of its pages
 * @shift: distance to a variable from the address of its symbol, 0 unless it is per-CPU
 * @kind: an enum memorizer_object_kind
 * @count: number of variables
 * @large_count: number of those whose size is in @large
 * @record: id of the record that the index has for the table, 0 if it is not there
 * @first: for each page, and for the end, the number of variables that begin in earlier pages
 * @place: for each variable, its offset in its page, and its size, see variable_table.c
 * @id: for each variable, the id of its object, 0 if there is none
 * @large: the variables whose size does not fit in @place
 * @ip: for each area, its call site, packed; NULL for variables
 * @comm: name of the task that the variables are for: of the idle task of their CPU if they are
 *	per-CPU
 *
 * Only @id and @record change once the table is built, and the size of an area that ends.
 */
struct variable_table {
	unsigned long start;
	unsigned long pages;
	unsigned long shift;
	u32 kind;
	u32 count;
	u32 large_count;
	u32 record;
	u32 *first;
	u32 *place;
	u32 *id;
	struct variable_large *large;
	u32 *ip;
	char comm[TASK_COMM_LEN];
};

size_t memorizer_variable_table_size(struct variable_table *table,
				     const struct memorizer_variable *variables,
				     const struct memorizer_variable *stop);
void memorizer_variable_table_fill(struct variable_table *table, void *room,
				   const struct memorizer_variable *variables,
				   const struct memorizer_variable *stop);
u32 *memorizer_variable_slot(const struct variable_table *table, unsigned long addr,
			     unsigned long *next);
u32 *memorizer_variable_at(const struct variable_table *table, unsigned long addr,
			   unsigned long *va, u32 *size);

u32 memorizer_variable_take(const struct variable_table *table, unsigned long addr,
			    unsigned long *next);

size_t memorizer_area_table_size(struct variable_table *table, const struct memorizer_area *areas,
				 u32 count);
void memorizer_area_table_fill(struct variable_table *table, void *room,
			       const struct memorizer_area *areas, u32 count);

#endif /* _MM_MEMORIZER_VARIABLE_TABLE_H */
