/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's stream: what the page allocator and RCU call.
 *
 * The stream tells of pages as well as of objects, and of what RCU is to free. One
 * static branch while nothing is recorded or streamed, and nothing at all without
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
 * memorizer_alloc_pages() - stream that pages were allocated
 * @page: the first of them, NULL is ignored
 * @order: how many they are, as a power of two
 * @gfp: the flags that the caller gave
 * @ip: return address into the caller of the allocator
 *
 * Context: any. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_alloc_pages(const struct page *page, unsigned int order,
						  gfp_t gfp, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking) && memorizer_tells_allocations())
		__memorizer_alloc_pages(page, order, gfp, ip);
}

/**
 * memorizer_free_pages() - stream that pages are given back
 * @page: the first of them
 * @order: how many they are, as a power of two
 * @ip: return address into the caller of the allocator
 *
 * Call it before the allocator can hand them out again.
 *
 * Context: any. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_free_pages(const struct page *page, unsigned int order,
						 unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking) && memorizer_tells_allocations())
		__memorizer_free_pages(page, order, ip);
}

/**
 * memorizer_rcu_free() - stream that memory is handed to RCU, to be freed later
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
