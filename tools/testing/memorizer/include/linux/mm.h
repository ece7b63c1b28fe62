/* SPDX-License-Identifier: GPL-2.0 */
/* The direct map, pages, and indirect includes of the kernel's header. */
#ifndef _TEST_LINUX_MM_H
#define _TEST_LINUX_MM_H

#include <errno.h>

#include <linux/kernel.h>
#include <linux/mm_types.h>
#include <linux/printk.h>
#include <linux/string.h>

#define PAGE_OFFSET	0xffff888000000000UL
#define __pa(ptr)	((unsigned long)(ptr))
#define SZ_1M		(1UL << 20)
#define SZ_64M		(64UL << 20)
#define SZ_1G		(1UL << 30)
#define SZ_4G		(4UL << 30)
#define SZ_16G		(16ULL << 30)

extern unsigned long max_pfn;

/* A page's struct has the page's address. */
#define page_to_virt(page)	((void *)(page))

#define IS_ENABLED(option)	(option)

#endif /* _TEST_LINUX_MM_H */
