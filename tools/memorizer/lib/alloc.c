// SPDX-License-Identifier: GPL-2.0
/* Allocation that cannot fail: the command exits if memory runs out. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/alloc.h"

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
