/* SPDX-License-Identifier: GPL-2.0 */
/* Large allocations, and the addresses of areas. */
#ifndef _TEST_LINUX_VMALLOC_H
#define _TEST_LINUX_VMALLOC_H

#include <stdlib.h>

#define VMALLOC_START	0xffffc90000000000UL
#define VMALLOC_END	0xffffe8ffffffffffUL
#define MODULES_VADDR	0xffffffffc0000000UL
#define MODULES_END	0xffffffffff000000UL
#define MODULES_LEN	(MODULES_END - MODULES_VADDR)

#define VMEMMAP_START	0xffffea0000000000UL

#define VM_IOREMAP	0x1
#define VM_ALLOC	0x2
#define VM_MAP		0x4

#ifdef TEST_SCHED

/* Finds accesses after vfree(). */
void *sched_vmalloc(size_t size);
void sched_vfree(void *ptr);

#define __vmalloc(size, gfp)	sched_vmalloc(size)
#define vfree(ptr)		sched_vfree(ptr)

#else

/* Number of allocations until they fail. */
extern unsigned int vmalloc_left;

#define __vmalloc(size, gfp)	(vmalloc_left ? vmalloc_left--, calloc(1, size) : NULL)
#define vfree(ptr)		(vmalloc_left++, free(ptr))

#endif

#endif /* _TEST_LINUX_VMALLOC_H */
