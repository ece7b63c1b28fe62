/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's areas of memblock: hooks for memory that is allocated before the page allocator is
 * up.
 *
 * Nothing without CONFIG_MEMORIZER_PAGES.
 */
#ifndef _LINUX_MEMORIZER_MEMBLOCK_H
#define _LINUX_MEMORIZER_MEMBLOCK_H

#include <linux/memorizer-vmalloc.h>
#include <linux/types.h>

struct page;

#ifdef CONFIG_MEMORIZER_PAGES

phys_addr_t memorizer_memblock_phys(phys_addr_t base, phys_addr_t size, unsigned long ip);
void *memorizer_memblock_alloc(void *ptr, phys_addr_t size, unsigned long ip);
void memorizer_memblock_free(phys_addr_t base, phys_addr_t size);
void __memorizer_free_reserved(const struct page *page);

/**
 * memorizer_free_reserved() - record the end of areas in a page that was reserved
 * @page: the page, no longer reserved; the page allocator does not have it yet
 *
 * Context: any but NMI. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_free_reserved(const struct page *page)
{
	if (memorizer_follows_kinds())
		__memorizer_free_reserved(page);
}

#else /* !CONFIG_MEMORIZER_PAGES */

static inline phys_addr_t memorizer_memblock_phys(phys_addr_t base, phys_addr_t size,
						  unsigned long ip)
{
	return base;
}

static inline void *memorizer_memblock_alloc(void *ptr, phys_addr_t size, unsigned long ip)
{
	return ptr;
}

static inline void memorizer_memblock_free(phys_addr_t base, phys_addr_t size) { }
static inline void memorizer_free_reserved(const struct page *page) { }

#endif /* CONFIG_MEMORIZER_PAGES */

#endif /* _LINUX_MEMORIZER_MEMBLOCK_H */
