// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark of Memorizer's core: memory of objects, in huge pages if available, like the
 * kernel's direct map.
 */
#include <sys/mman.h>

#include <asm/memorizer.h>

#include "bench.h"

static size_t object_size = OBJECT_SIZE;

/**
 * bench_map() - map the memory
 */
void bench_map(void)
{
	size_t size = OBJECTS_END - OBJECTS;

	CHECK_EQ(mmap((void *)OBJECTS, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0),
		 OBJECTS);
	madvise((void *)OBJECTS, size, MADV_HUGEPAGE);
}

/**
 * set_object_size() - set the size of new objects
 * @size: bytes; a page holds as many objects as fit
 */
void set_object_size(size_t size)
{
	object_size = size;
}

static unsigned long object_at(unsigned long number)
{
	unsigned long slots = PAGE_SIZE / object_size;

	return OBJECTS + (number / slots << PAGE_SHIFT) + number % slots * object_size;
}

/**
 * make_objects() - allocate objects
 * @first: number of the first object
 * @count: number of objects
 */
void make_objects(unsigned long first, unsigned long count)
{
	unsigned long i;

	for (i = first; i < first + count; i++) {
		*(unsigned long *)object_at(i) = i;
		hook_alloc(object_at(i), object_size, IP(1));
	}
}

/**
 * free_objects() - free objects
 * @first: number of the first object
 * @count: number of objects
 */
void free_objects(unsigned long first, unsigned long count)
{
	unsigned long i;

	for (i = first; i < first + count; i++)
		hook_free(object_at(i), IP(2));
}

void memorizer_geometry(const void *ptr, size_t size, struct memorizer_geometry *geo)
{
	geo->start = (unsigned long)ptr & PAGE_MASK;
	geo->base = geo->start;
	geo->stride = object_size;
	geo->slots = PAGE_SIZE / object_size;
	geo->pages = 1;
}

bool memorizer_load_byte(const char *ptr, u8 *byte)
{
	*byte = *ptr;
	return true;
}
