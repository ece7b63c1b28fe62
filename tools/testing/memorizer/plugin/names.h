/* SPDX-License-Identifier: GPL-2.0 */
/* Functions called by names.c */
#ifndef NAMES_H
#define NAMES_H

#include <stddef.h>

void *allocate_bytes(size_t size) __attribute__((malloc, alloc_size(1)));
int kmem_cache_alloc_bulk(void *cache, int flags, size_t nr, void **objects);
void remember(void *object);

#endif
