// SPDX-License-Identifier: GPL-2.0
/* Allocation that cannot fail: the command exits if memory runs out. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "lib/alloc.h"

/* Arrays from this size on use huge pages. */
#define HUGE_FROM	(8u << 20)

/* Random accesses to a large table would miss the TLB nearly each time. Best effort. */
static void use_huge_pages(void *array, size_t size)
{
	uintptr_t page = sysconf(_SC_PAGESIZE);
	uintptr_t start = (uintptr_t)array & -page;

	/* All pages of the mapping: realloc() can only move a mapping of one kind of pages. */
	madvise((void *)start, ((uintptr_t)array + size - start + page - 1) & -page, MADV_HUGEPAGE);
}

/**
 * xreallocarray - resize an array
 * @array: the array, or NULL to allocate a new one
 * @nr: new number of elements
 * @size: size of an element in bytes
 *
 * Return: the array, which may have moved; to be freed.
 */
void *xreallocarray(void *array, size_t nr, size_t size)
{
	array = reallocarray(array, nr, size);
	if (!array) {
		fprintf(stderr, "memorizer: out of memory: cannot allocate %zu elements of %zu bytes\n",
			nr, size);
		exit(2);
	}
	if (nr * size >= HUGE_FROM)
		use_huge_pages(array, nr * size);
	return array;
}

/**
 * xstrdup - duplicate a string
 * @text: the string
 *
 * Return: the copy, to be freed.
 */
char *xstrdup(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(xreallocarray(NULL, size, 1), text, size);
}
