/* SPDX-License-Identifier: GPL-2.0 */
/* Boot memory allocator, see start_test.c. */
#ifndef _TEST_LINUX_MEMBLOCK_H
#define _TEST_LINUX_MEMBLOCK_H

#include <linux/types.h>

#define MEMBLOCK_ALLOC_NOLEAKTRACE	1
#define NUMA_NO_NODE			(-1)

unsigned long memblock_phys_mem_size(void);
void *memblock_alloc_try_nid(size_t size, size_t align, unsigned long from, unsigned long to,
			     int nid);
void *memblock_alloc_try_nid_raw(size_t size, size_t align, unsigned long from, unsigned long to,
				 int nid);
void memblock_free(void *ptr, size_t size);

#endif /* _TEST_LINUX_MEMBLOCK_H */
