/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's pages: hooks for the page allocator.
 *
 * A static branch until something is recorded or streamed, and nothing without
 * CONFIG_MEMORIZER_PAGES.
 */
#ifndef _LINUX_MEMORIZER_PAGES_H
#define _LINUX_MEMORIZER_PAGES_H

#include <linux/compiler.h>
#include <linux/memorizer.h>
#include <linux/types.h>

struct page;

#ifdef CONFIG_MEMORIZER_PAGES

/* What the hooks do, 0 for nothing; see mm/memorizer/pages.c. */
extern u8 memorizer_page_hooks;

void __memorizer_alloc_pages(const struct page *page, unsigned int order, gfp_t gfp,
			     unsigned long ip);
void __memorizer_free_pages(const struct page *page, unsigned int order, unsigned long ip);

/**
 * memorizer_alloc_pages() - record an allocation of pages
 * @page: the first page; NULL is ignored
 * @order: log2 of the number of pages
 * @gfp: the caller's flags
 * @ip: return address into the caller of the allocator, for calls without alloc_hooks()
 *
 * Context: any. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_alloc_pages(const struct page *page, unsigned int order,
						  gfp_t gfp, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking) && READ_ONCE(memorizer_page_hooks))
		__memorizer_alloc_pages(page, order, gfp, ip);
}

/**
 * memorizer_free_pages() - record a free of pages
 * @page: the first page; the pages may be a part of what was allocated
 * @order: log2 of the number of pages
 * @ip: return address into the caller of the allocator
 *
 * Call this before the allocator can reuse the pages.
 *
 * Context: any but NMI. Allocates nothing; to free a part takes a spinlock.
 */
static __always_inline void memorizer_free_pages(const struct page *page, unsigned int order,
						 unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking) && READ_ONCE(memorizer_page_hooks))
		__memorizer_free_pages(page, order, ip);
}

#else /* !CONFIG_MEMORIZER_PAGES */

static inline void memorizer_alloc_pages(const struct page *page, unsigned int order, gfp_t gfp,
					 unsigned long ip) { }
static inline void memorizer_free_pages(const struct page *page, unsigned int order,
					unsigned long ip) { }

#endif /* CONFIG_MEMORIZER_PAGES */

#endif /* _LINUX_MEMORIZER_PAGES_H */
