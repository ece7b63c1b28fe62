// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's areas of memblock: memory that was allocated at boot, before the page allocator was
 * up, and that stays allocated, such as hash tables.
 *
 * memblock allocates before there is a pool, so its hooks keep a list of allocated areas. Once slab
 * is up, areas that share pages, or have adjacent ones, become a table (variable_table.c), and
 * their objects are made like those of variables. No page of a table is free, so that no other
 * object lies there. If a page is freed to the page allocator later, its areas end, and the table
 * is not inserted again, because others may own the page.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/init.h>
#include <linux/kfence.h>
#include <linux/memblock.h>
#include <linux/memorizer-memblock.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "entry.h"
#include "index.h"
#include "lazy.h"
#include "memorizer.h"
#include "variable_table.h"
#include "variables.h"

/* Few: every boot tests how the list grows. */
#define FIRST_AREAS	16
/* As for areas of vmalloc. Gigantic pages of hugetlb, which may be freed, are larger. */
#define AREA_MAX	SZ_64M
/* Offsets in a table have 32 bits. */
#define SPAN_MAX	SZ_1G

static struct memorizer_area first_areas[FIRST_AREAS] __initdata_memblock;

/* What is allocated now, in no order. @areas is NULL once the tables are built. */
static struct {
	struct memorizer_area *areas;
	u32 count;
	u32 room;
	unsigned long lost;
	bool growing;
} list __initdata_memblock = { .areas = first_areas, .room = FIRST_AREAS };

/* Double the list. The new one is an area, too, and takes the last place of the old one. */
static void __init_memblock grow(void)
{
	struct memorizer_area *old = list.areas, *new;
	size_t size = list.room * sizeof(*list.areas);

	if (list.growing)
		return;
	list.growing = true;
	new = memblock_alloc(2 * size, sizeof(*new));
	list.growing = false;
	if (!new)
		return;
	memcpy(new, old, list.count * sizeof(*old));
	list.areas = new;
	list.room *= 2;
	if (old != first_areas)
		memblock_free(old, size);
}

static void __init_memblock add_area(unsigned long start, unsigned long end, u32 ip)
{
	if (start >= end)
		return;
	if (list.count + 1 == list.room)
		grow();
	if (list.count == list.room) {
		list.lost++;
		return;
	}
	list.areas[list.count++] = (struct memorizer_area){
		.start = start, .end = end, .ip = ip,
	};
}

static void __init_memblock remove_areas(unsigned long start, unsigned long end)
{
	struct memorizer_area area;
	u32 i = 0;

	while (i < list.count) {
		area = list.areas[i];
		if (area.end <= start || area.start >= end) {
			i++;
			continue;
		}
		list.areas[i] = list.areas[--list.count];
		add_area(area.start, start, area.ip);
		add_area(end, area.end, area.ip);
	}
}

/**
 * memorizer_memblock_alloc() - record an area
 * @ptr: its address; NULL is ignored
 * @size: its size in bytes
 * @ip: return address into the caller of the allocator
 *
 * Context: boot, one CPU.
 * Return: @ptr
 */
void __init *memorizer_memblock_alloc(void *ptr, phys_addr_t size, unsigned long ip)
{
	unsigned long va = (unsigned long)ptr;

	/* memblock is a wrapper of kmalloc() then. */
	if (ptr && list.areas && !slab_is_available())
		add_area(va, va + size, memorizer_pack_ip(ip));
	return ptr;
}

/**
 * memorizer_memblock_phys() - record an area, by physical address
 * @base: its address; 0 is ignored
 * @size: its size in bytes
 * @ip: return address into the caller of the allocator
 *
 * Context: boot, one CPU.
 * Return: @base
 */
phys_addr_t __init memorizer_memblock_phys(phys_addr_t base, phys_addr_t size, unsigned long ip)
{
	if (base)
		memorizer_memblock_alloc(phys_to_virt(base), size, ip);
	return base;
}

/**
 * memorizer_memblock_free() - record a free, also of a part of an area
 * @base: physical address
 * @size: bytes from there on
 *
 * Context: boot, one CPU.
 */
void __init_memblock memorizer_memblock_free(phys_addr_t base, phys_addr_t size)
{
	unsigned long va = (unsigned long)phys_to_virt(base);

	if (list.areas)
		remove_areas(va, va + size);
}

static int __init compare_areas(const void *a, const void *b)
{
	const struct memorizer_area *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool __init overlaps(const struct memorizer_area *area, unsigned long start,
			    unsigned long bytes)
{
	return area->start < start + bytes && start < area->end;
}

static bool __init has_percpu_memory(const struct memorizer_area *area)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		if (overlaps(area, (unsigned long)per_cpu_ptr(&memorizer_counters, cpu), 1))
			return true;
	return false;
}

/* Areas in which other objects may lie, and large ones, are not recorded. */
static bool __init is_unwanted(const struct memorizer_area *area)
{
#ifdef CONFIG_KFENCE
	if (__kfence_pool && overlaps(area, (unsigned long)__kfence_pool, KFENCE_POOL_SIZE))
		return true;
#endif
	return has_percpu_memory(area) || area->end - area->start > AREA_MAX;
}

static void __init remove_unwanted(void)
{
	u32 i = 0;

	while (i < list.count) {
		if (is_unwanted(&list.areas[i]))
			list.areas[i] = list.areas[--list.count];
		else
			i++;
	}
}

/* The number of areas from the @first on that are a table's. */
static u32 __init areas_of_table(u32 first)
{
	unsigned long page, last;
	u32 next;

	for (next = first + 1; next < list.count; next++) {
		last = (list.areas[next - 1].end - 1) >> PAGE_SHIFT;
		page = list.areas[next].start >> PAGE_SHIFT;
		if (page > last + 1 ||
		    (page > last && list.areas[next].end - list.areas[first].start > SPAN_MAX))
			break;
	}
	return next - first;
}

static int __init build_table(struct variable_table *table, const struct memorizer_area *first,
			      u32 nr)
{
	void *memory = kvzalloc(memorizer_area_table_size(table, first, nr), GFP_KERNEL);

	table->kind = MEMORIZER_KIND_MEMBLOCK;
	if (!memory)
		return -ENOMEM;
	memorizer_area_table_fill(table, memory, first, nr);
	return 0;
}

static int __init build_tables(struct variable_table **tables)
{
	unsigned long start, end;
	u32 first, nr = 0, i;
	int err = 0;

	for (first = 0; first < list.count; first += areas_of_table(first))
		nr++;
	*tables = kvcalloc(nr, sizeof(**tables), GFP_KERNEL);
	if (!*tables)
		return -ENOMEM;
	for (first = 0, i = 0; !err && i < nr; first += areas_of_table(first), i++)
		err = build_table(&(*tables)[i], &list.areas[first], areas_of_table(first));
	if (err)
		return err;
	start = list.areas[0].start;
	end = list.areas[list.count - 1].end;
	memorizer_lazy_init(MEMORIZER_KIND_MEMBLOCK, start, end - start);
	return nr;
}

/**
 * memorizer_memblock_tables() - build the tables of areas
 * @tables: set to their array, which stays allocated
 *
 * Context: boot, one CPU, once: slab and vmalloc are up.
 * Return: their number, or -ENOMEM
 */
int __init memorizer_memblock_tables(struct variable_table **tables)
{
	int nr = 0;

	if (list.lost)
		pr_warn("%lu areas of memblock are not recorded\n", list.lost);
	if (list.areas != first_areas)
		memorizer_memblock_free(__pa(list.areas), list.room * sizeof(*list.areas));
	remove_unwanted();
	sort(list.areas, list.count, sizeof(*list.areas), compare_areas, NULL);
	if (list.count)
		nr = build_tables(tables);
	if (list.areas != first_areas)
		memblock_free_late(__pa(list.areas), list.room * sizeof(*list.areas));
	list.areas = NULL;
	return nr;
}

/**
 * memorizer_memblock_stays() - test whether all pages of a table are still reserved
 * @table: the table
 *
 * Context: any.
 * Return: true if they are
 */
bool memorizer_memblock_stays(const struct variable_table *table)
{
	unsigned long i;

	for (i = 0; i < table->pages; i++)
		if (!PageReserved(virt_to_page(table->start + (i << PAGE_SHIFT))))
			return false;
	return true;
}

void __memorizer_free_reserved(const struct page *page)
{
	unsigned long va = (unsigned long)page_to_virt(page);
	const struct variable_table *table;

	preempt_disable_notrace();
	table = memorizer_index_table(va);
	if (table && table->kind == MEMORIZER_KIND_MEMBLOCK) {
		memorizer_index_leave_table(va);
		memorizer_end_areas(table, va, va + PAGE_SIZE);
	}
	preempt_enable_notrace();
}
