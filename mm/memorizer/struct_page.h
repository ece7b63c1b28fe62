/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's struct pages, see struct_page.c.
 */
#ifndef _MM_MEMORIZER_STRUCT_PAGE_H
#define _MM_MEMORIZER_STRUCT_PAGE_H

#include <linux/compiler.h>
#include <linux/types.h>

#ifdef CONFIG_MEMORIZER_PAGES

/* The array of struct page; its size is 0 unless struct pages are recorded. */
extern unsigned long memorizer_struct_pages, memorizer_struct_page_bytes;

u32 memorizer_make_struct_page(unsigned long addr, unsigned long *next);
void memorizer_switch_struct_pages(bool on);
void memorizer_choose_struct_pages(unsigned int choice);
void memorizer_struct_page_init(unsigned long base, unsigned long bytes);

/* Is the address one of a struct page that becomes an object when it is accessed? */
static __always_inline bool memorizer_is_struct_page(unsigned long addr)
{
	return addr - memorizer_struct_pages < READ_ONCE(memorizer_struct_page_bytes);
}

#else

static inline u32 memorizer_make_struct_page(unsigned long addr, unsigned long *next)
{
	return 0;
}

static inline bool memorizer_is_struct_page(unsigned long addr) { return false; }
static inline void memorizer_choose_struct_pages(unsigned int choice) { }
static inline void memorizer_struct_page_init(unsigned long base, unsigned long bytes) { }

#endif

#endif /* _MM_MEMORIZER_STRUCT_PAGE_H */
