/* SPDX-License-Identifier: GPL-2.0 */
/* The size of a struct page. */
#ifndef _TEST_LINUX_MM_TYPES_H
#define _TEST_LINUX_MM_TYPES_H

struct page {
	char byte[64];
};

#endif /* _TEST_LINUX_MM_TYPES_H */
