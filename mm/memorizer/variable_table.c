// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's tables of variables: which variable of the kernel or of a module has an address, or
 * which area of memblock.
 *
 * The compiler emits the address and the size of each variable, file by file. A table has them
 * sorted by address, in four bytes each. They begin in @first, which has one number for each page:
 *
 *	place[first[page]], ... place[first[page + 1] - 1]: offset in the page << 20 | size
 *
 * Sizes of 1 MiB and more, of which there are few, are in a list of their own.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/math.h>
#include <linux/memorizer.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/sort.h>

#include "variable_table.h"

#define SIZE_BITS	20
#define SIZE_LARGE	(BIT(SIZE_BITS) - 1)

static_assert(PAGE_SHIFT + SIZE_BITS == 32);

static unsigned long address_of(const struct memorizer_variable *variable)
{
	/* Relative to itself, which needs no relocation. */
	return (unsigned long)&variable->addr + variable->addr;
}

static bool has(const struct variable_table *table, const struct memorizer_variable *variable)
{
	return address_of(variable) - table->start < table->pages << PAGE_SHIFT;
}

static unsigned long page_of(const struct variable_table *table,
			     const struct memorizer_variable *variable)
{
	return (address_of(variable) - table->start) >> PAGE_SHIFT;
}

static size_t size_of_table(const struct variable_table *table)
{
	return (table->pages + 1 + 2 * table->count) * sizeof(u32) +
		table->large_count * sizeof(*table->large);
}

static void lay_out(struct variable_table *table, void *room)
{
	table->first = room;
	table->place = table->first + table->pages + 1;
	table->id = table->place + table->count;
	table->large = (void *)(table->id + table->count);
}

static u32 place_of(unsigned long addr, u32 size)
{
	return (u32)(addr % PAGE_SIZE) << SIZE_BITS | min_t(u32, size, SIZE_LARGE);
}

/**
 * memorizer_variable_table_size() - get the size of a table
 * @table: its range of pages; the number of variables in it is set
 * @variables: variables, also outside of the range
 * @stop: the end of these
 *
 * Context: any.
 * Return: size of the memory that memorizer_variable_table_fill() needs, in bytes
 */
size_t memorizer_variable_table_size(struct variable_table *table,
				     const struct memorizer_variable *variables,
				     const struct memorizer_variable *stop)
{
	const struct memorizer_variable *variable;

	table->count = 0;
	table->large_count = 0;
	for (variable = variables; variable < stop; variable++) {
		if (!has(table, variable))
			continue;
		table->count++;
		table->large_count += variable->size >= SIZE_LARGE;
	}
	return size_of_table(table);
}

static int compare_places(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static void add_variable(struct variable_table *table, const struct memorizer_variable *variable,
			 struct variable_large *large)
{
	u32 *end = &table->first[page_of(table, variable)];

	table->place[--*end] = place_of(address_of(variable), variable->size);
	if (variable->size >= SIZE_LARGE)
		*large = (struct variable_large){
			.offset = address_of(variable) - table->start, .size = variable->size,
		};
}

/**
 * memorizer_variable_table_fill() - build a table
 * @table: its range, after memorizer_variable_table_size()
 * @room: zeroed memory of that size, which the table takes over
 * @variables: as for memorizer_variable_table_size()
 * @stop: likewise
 *
 * A counting sort by page, then a sort within each page.
 *
 * Context: any.
 */
void memorizer_variable_table_fill(struct variable_table *table, void *room,
				   const struct memorizer_variable *variables,
				   const struct memorizer_variable *stop)
{
	const struct memorizer_variable *variable;
	struct variable_large *large;
	unsigned long page;

	lay_out(table, room);
	for (variable = variables; variable < stop; variable++)
		if (has(table, variable))
			table->first[page_of(table, variable)]++;
	/* Up to the end of each page's variables; adding them moves that to the beginning. */
	for (page = 1; page <= table->pages; page++)
		table->first[page] += table->first[page - 1];
	for (variable = variables, large = table->large; variable < stop; variable++) {
		if (!has(table, variable))
			continue;
		add_variable(table, variable, large);
		large += variable->size >= SIZE_LARGE;
	}
	for (page = 0; page < table->pages; page++)
		sort(&table->place[table->first[page]],
		     table->first[page + 1] - table->first[page], sizeof(*table->place),
		     compare_places, NULL);
}

/**
 * memorizer_area_table_size() - get the size of a table of areas
 * @table: its range of pages, and the number of areas, are set
 * @areas: the areas, sorted by address; at most 4 GiB from the first address to the last
 * @count: their number
 *
 * Context: any.
 * Return: size of the memory that memorizer_area_table_fill() needs, in bytes
 */
size_t __init memorizer_area_table_size(struct variable_table *table,
					const struct memorizer_area *areas, u32 count)
{
	u32 i;

	table->start = areas[0].start & PAGE_MASK;
	table->pages = DIV_ROUND_UP(areas[count - 1].end - table->start, PAGE_SIZE);
	table->count = count;
	table->large_count = 0;
	for (i = 0; i < count; i++)
		table->large_count += areas[i].end - areas[i].start >= SIZE_LARGE;
	return size_of_table(table) + count * sizeof(u32);
}

/**
 * memorizer_area_table_fill() - build a table of areas
 * @table: its range, after memorizer_area_table_size()
 * @room: zeroed memory of that size, which the table takes over
 * @areas: as for memorizer_area_table_size()
 * @count: likewise
 *
 * Context: any.
 */
void __init memorizer_area_table_fill(struct variable_table *table, void *room,
				      const struct memorizer_area *areas, u32 count)
{
	struct variable_large *large;
	unsigned long offset, page;
	u32 i, size;

	lay_out(table, room);
	large = table->large;
	table->ip = (u32 *)(large + table->large_count);
	for (i = 0; i < count; i++) {
		offset = areas[i].start - table->start;
		size = areas[i].end - areas[i].start;
		table->place[i] = place_of(offset, size);
		table->ip[i] = areas[i].ip;
		table->first[(offset >> PAGE_SHIFT) + 1]++;
		if (size >= SIZE_LARGE)
			*large++ = (struct variable_large){ .offset = offset, .size = size };
	}
	/* So far, the number in the page before; from now on, in all pages before. */
	for (page = 1; page <= table->pages; page++)
		table->first[page] += table->first[page - 1];
}

/* The number of variables that begin at the address or below it. Lowers @next, too. */
static __kprobes u32 count_up_to(const struct variable_table *table, unsigned long addr,
				 unsigned long *next)
{
	unsigned long page = (addr - table->start) >> PAGE_SHIFT;
	u32 offset = addr % PAGE_SIZE, low = table->first[page], end = table->first[page + 1];
	u32 high = end, middle;

	while (low < high) {
		middle = (low + high) / 2;
		if (table->place[middle] >> SIZE_BITS <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < end)
		*next = min(*next, (addr & PAGE_MASK) + (table->place[low] >> SIZE_BITS));
	return low;
}

/**
 * memorizer_variable_slot() - find the id of the object that may contain an address
 * @table: the table
 * @addr: the address, in the table's range
 * @next: lowered to the beginning of the next variable in the page
 *
 * Context: any, NMI included.
 * Return: where the table has the id of the last variable that begins at the address or below it;
 *	NULL if there is none
 */
u32 __kprobes *memorizer_variable_slot(const struct variable_table *table, unsigned long addr,
				       unsigned long *next)
{
	u32 count = count_up_to(table, addr, next);

	return count ? &table->id[count - 1] : NULL;
}

/* The page that a variable begins in, which is not above @last. */
static __kprobes u32 page_with(const struct variable_table *table, u32 number, u32 last)
{
	u32 low = 0, high = last, middle;

	/* Mostly, no page has to be searched for. */
	if (table->first[last] <= number)
		return last;
	while (low < high) {
		middle = (low + high + 1) / 2;
		if (table->first[middle] <= number)
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static __kprobes u32 size_of_large(const struct variable_table *table, unsigned long va)
{
	const struct variable_large *large = table->large;

	while (large->offset != va - table->start)
		large++;
	return large->size;
}

/**
 * memorizer_variable_at() - find the variable that contains an address
 * @table: the table
 * @addr: the address, in the table's range
 * @va: set to the variable's address
 * @size: set to its size in bytes
 *
 * Context: any, NMI included.
 * Return: where the table has the id of its object; NULL if no variable contains the address
 */
u32 __kprobes *memorizer_variable_at(const struct variable_table *table, unsigned long addr,
				     unsigned long *va, u32 *size)
{
	unsigned long unused = ULONG_MAX;
	u32 count = count_up_to(table, addr, &unused), page, place;

	if (!count)
		return NULL;
	page = page_with(table, count - 1, (addr - table->start) >> PAGE_SHIFT);
	place = READ_ONCE(table->place[count - 1]);
	*va = table->start + ((unsigned long)page << PAGE_SHIFT) + (place >> SIZE_BITS);
	*size = place & SIZE_LARGE;
	if (unlikely(*size == SIZE_LARGE))
		*size = size_of_large(table, *va);
	return addr - *va < *size ? &table->id[count - 1] : NULL;
}

/**
 * memorizer_variable_take() - take an object that contains an address out of its table
 * @table: the table
 * @addr: the address, in the table's range
 * @next: lowered to the beginning of the next variable in the page
 *
 * No further object is made there.
 *
 * Context: any, NMI included.
 * Return: id of the object, 0 if there is none
 */
u32 memorizer_variable_take(const struct variable_table *table, unsigned long addr,
			    unsigned long *next)
{
	unsigned long va;
	u32 *slot, size;

	memorizer_variable_slot(table, addr, next);
	slot = memorizer_variable_at(table, addr, &va, &size);
	if (!slot)
		return 0;
	/* An area of size 0 contains no address. */
	WRITE_ONCE(table->place[slot - table->id], place_of(va, 0));
	return xchg(slot, 0);
}
