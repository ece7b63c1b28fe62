/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: explicit access sites, for accesses that the compiler plugin cannot see.
 *
 * For headers with inline assembly that accesses memory. A site logs the access. It is a no-op
 * instruction while access logging is off, and compiles to nothing in uninstrumented files.
 */
#ifndef _LINUX_MEMORIZER_CHECKS_H
#define _LINUX_MEMORIZER_CHECKS_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Defined by scripts/Makefile.memorizer for instrumented files. */
#ifdef __MEMORIZER_SITES__

#include <asm/memorizer.h>

/**
 * memorizer_site_read() - log a read that follows
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
 * memorizer_site_read_word() - log a read of a word that follows
 * @ptr: address of sizeof(long) bytes
 *
 * Context: any, NMI included.
 */
static __always_inline void memorizer_site_read_word(const volatile void *ptr)
{
	MEMORIZER_SITE_FIXED("r8", ptr, sizeof(long));
}

/**
 * memorizer_site_write() - log a write that follows
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

#if defined(__MEMORIZER_SITES__) && defined(CONFIG_MEMORIZER_PAGES)

/**
 * memorizer_site_user_read() - log a read of user memory
 * @ptr: first address, in user space
 * @size: bytes
 *
 * Context: any, NMI included.
 */
static __always_inline void memorizer_site_user_read(const volatile void __user *ptr, size_t size)
{
	MEMORIZER_SITE_USER("memorizer_thunk_rn_user", ptr, size);
}

/**
 * memorizer_site_user_write() - log a write to user memory
 * @ptr: first address, in user space
 * @size: bytes
 *
 * Context: any, NMI included.
 */
static __always_inline void memorizer_site_user_write(const volatile void __user *ptr, size_t size)
{
	MEMORIZER_SITE_USER("memorizer_thunk_wn_user", ptr, size);
}

#else /* !__MEMORIZER_SITES__ || !CONFIG_MEMORIZER_PAGES */

static inline void memorizer_site_user_read(const volatile void __user *ptr, size_t size) { }
static inline void memorizer_site_user_write(const volatile void __user *ptr, size_t size) { }

#endif /* __MEMORIZER_SITES__ && CONFIG_MEMORIZER_PAGES */

#endif /* _LINUX_MEMORIZER_CHECKS_H */
