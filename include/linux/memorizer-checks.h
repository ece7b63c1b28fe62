/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: access sites for what the compiler plugin cannot see.
 *
 * For headers that access memory in a way that is hidden in assembly. A site
 * tells of the access and does nothing else; it is one harmless instruction
 * while access logging is off, and nothing in files that are not instrumented.
 */
#ifndef _LINUX_MEMORIZER_CHECKS_H
#define _LINUX_MEMORIZER_CHECKS_H

#include <linux/compiler.h>
#include <linux/types.h>

/* scripts/Makefile.memorizer defines it for the files that are instrumented. */
#ifdef __MEMORIZER_SITES__

#include <asm/memorizer.h>

/**
 * memorizer_site_read() - memory is about to be read
 * @ptr: first address
 * @size: bytes
 *
 * Context: any, NMI included.
 */
static __always_inline void memorizer_site_read(const volatile void *ptr, size_t size)
{
	MEMORIZER_SITE_RANGE("memorizer_thunk_rn", ptr, size);
}

/**
 * memorizer_site_read_word() - a word is about to be read
 * @ptr: address of its sizeof(long) bytes
 *
 * Context: any, NMI included.
 */
static __always_inline void memorizer_site_read_word(const volatile void *ptr)
{
	MEMORIZER_SITE_FIXED("r8", ptr, sizeof(long));
}

/**
 * memorizer_site_write() - memory is about to be written
 * @ptr: first address
 * @size: bytes
 *
 * Context: any, NMI included.
 */
static __always_inline void memorizer_site_write(const volatile void *ptr, size_t size)
{
	MEMORIZER_SITE_RANGE("memorizer_thunk_wn", ptr, size);
}

#else /* !__MEMORIZER_SITES__ */

static inline void memorizer_site_read(const volatile void *ptr, size_t size) { }
static inline void memorizer_site_read_word(const volatile void *ptr) { }
static inline void memorizer_site_write(const volatile void *ptr, size_t size) { }

#endif /* __MEMORIZER_SITES__ */

#endif /* _LINUX_MEMORIZER_CHECKS_H */
