/* SPDX-License-Identifier: GPL-2.0 */
/* Large allocations. */
#include <stdlib.h>

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
