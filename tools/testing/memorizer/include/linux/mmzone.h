/* SPDX-License-Identifier: GPL-2.0 */
/* The largest order of the buddy allocator. */
#ifndef _TEST_LINUX_MMZONE_H
#define _TEST_LINUX_MMZONE_H

#define MAX_PAGE_ORDER	10

#endif /* _TEST_LINUX_MMZONE_H */
