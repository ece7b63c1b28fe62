/* SPDX-License-Identifier: GPL-2.0 */
#include <stdlib.h>

static inline void sort(void *base, size_t n, size_t size,
			int (*compare)(const void *, const void *), void *swap)
{
	qsort(base, n, size, compare);
}
