/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's stream: hooks for the page allocator and RCU.
 *
 * A static branch until something is recorded or streamed, and nothing without
 * CONFIG_MEMORIZER_STREAM.
 */
#ifndef _LINUX_MEMORIZER_STREAM_H
#define _LINUX_MEMORIZER_STREAM_H

#include <linux/compiler.h>
#include <linux/memorizer.h>
#include <linux/types.h>

struct page;

#ifdef CONFIG_MEMORIZER_STREAM

void __memorizer_alloc_pages(const struct page *page, unsigned int order, gfp_t gfp,
			     unsigned long ip);
void __memorizer_free_pages(const struct page *page, unsigned int order, unsigned long ip);
void __memorizer_rcu_free(const void *ptr, unsigned long ip);

/**
 * memorizer_alloc_pages() - stream an allocation of pages
 * @page: the first page; NULL is ignored
 * @order: log2 of the number of pages
 * @gfp: the caller's flags
 * @ip: return address into the caller of the allocator
 *
 * Context: any. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_alloc_pages(const struct page *page, unsigned int order,
						  gfp_t gfp, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking) && memorizer_observes_allocations())
		__memorizer_alloc_pages(page, order, gfp, ip);
}

/**
 * memorizer_free_pages() - stream a free of pages
 * @page: the first page
 * @order: log2 of the number of pages
 * @ip: return address into the caller of the allocator
 *
 * Call this before the allocator can reuse the pages.
 *
 * Context: any. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_free_pages(const struct page *page, unsigned int order,
						 unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking) && memorizer_observes_allocations())
		__memorizer_free_pages(page, order, ip);
}

/**
 * memorizer_rcu_free() - stream that memory is handed to RCU, which frees it later
 * @ptr: the memory
 * @ip: return address into the caller of RCU
 *
 * Context: any. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_rcu_free(const void *ptr, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking))
		__memorizer_rcu_free(ptr, ip);
}

#else /* !CONFIG_MEMORIZER_STREAM */

static inline void memorizer_alloc_pages(const struct page *page, unsigned int order, gfp_t gfp,
					 unsigned long ip) { }
static inline void memorizer_free_pages(const struct page *page, unsigned int order,
					unsigned long ip) { }
static inline void memorizer_rcu_free(const void *ptr, unsigned long ip) { }

#endif /* CONFIG_MEMORIZER_STREAM */

#endif /* _LINUX_MEMORIZER_STREAM_H */
