/* SPDX-License-Identifier: GPL-2.0 */
/* Large allocations. */
#include <stdlib.h>

/* Number of allocations until they fail. */
extern unsigned int vmalloc_left;

#define __vmalloc(size, gfp)	(vmalloc_left ? vmalloc_left--, calloc(1, size) : NULL)
#define vfree(ptr)		(vmalloc_left++, free(ptr))
