/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's per-CPU memory: hooks for its allocator.
 *
 * A static branch until something is recorded or streamed, and nothing without
 * CONFIG_MEMORIZER_PAGES.
 */
#ifndef _LINUX_MEMORIZER_PERCPU_H
#define _LINUX_MEMORIZER_PERCPU_H

#include <linux/memorizer-vmalloc.h>

#ifdef CONFIG_MEMORIZER_PAGES

void __memorizer_percpu_alloc(void __percpu *ptr, size_t size, unsigned long ip);
void __memorizer_percpu_free(void __percpu *ptr, size_t bytes, unsigned long ip);

/**
 * memorizer_percpu_alloc() - record an allocation, an object on each CPU
 * @ptr: its address
 * @size: bytes requested
 * @ip: return address into the caller of the allocator
 *
 * Context: any but NMI. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_percpu_alloc(void __percpu *ptr, size_t size,
						   unsigned long ip)
{
	if (memorizer_follows_kinds())
		__memorizer_percpu_alloc(ptr, size, ip);
}

#else /* !CONFIG_MEMORIZER_PAGES */

static inline void memorizer_percpu_alloc(void __percpu *ptr, size_t size, unsigned long ip) { }
static inline void __memorizer_percpu_free(void __percpu *ptr, size_t bytes, unsigned long ip) { }

#endif /* CONFIG_MEMORIZER_PAGES */

#endif /* _LINUX_MEMORIZER_PERCPU_H */
