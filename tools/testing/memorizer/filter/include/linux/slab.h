/* SPDX-License-Identifier: GPL-2.0 */
/* Allocation of arrays. */
#ifndef _TEST_LINUX_SLAB_H
#define _TEST_LINUX_SLAB_H

#include <stdlib.h>

#define GFP_KERNEL		0
#define kvzalloc(size, gfp)	calloc(1, size)
#define kvfree(ptr)		free(ptr)
#define struct_size(ptr, member, nr)	(sizeof(*(ptr)) + (nr) * sizeof(*(ptr)->member))

#endif /* _TEST_LINUX_SLAB_H */
