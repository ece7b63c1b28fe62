/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: what the rest of the kernel calls.
 *
 * Memorizer records which kernel code touches which kernel object. This is its
 * front door, where the allocators report objects: one static branch until the
 * first object is recorded, and nothing at all without CONFIG_MEMORIZER.
 * Accesses that the compiler cannot see are announced in memorizer-checks.h.
 *
 * See Documentation/dev-tools/memorizer.rst.
 */
#ifndef _LINUX_MEMORIZER_H
#define _LINUX_MEMORIZER_H

#include <linux/types.h>

#ifdef CONFIG_MEMORIZER

#include <linux/jump_label.h>

/* Objects are or have been recorded; see object.c. */
DECLARE_STATIC_KEY_FALSE(memorizer_tracking);

void __memorizer_alloc(const void *ptr, size_t size, unsigned long ip);
void __memorizer_free(const void *ptr, unsigned long ip);
void __memorizer_freeing(const void *ptr, unsigned long ip);

/**
 * memorizer_init_pool() - reserve the memory for all that Memorizer records
 *
 * Also starts to record objects, when the command line or the configuration
 * asks for it.
 *
 * Context: boot, one CPU, once: memblock is up, the page allocator is not.
 */
void memorizer_init_pool(void);

/**
 * memorizer_init_sites() - switch access logging on, if memorizer.log_access is
 *
 * Context: boot, one CPU, once: vmalloc is up.
 */
void memorizer_init_sites(void);

/**
 * memorizer_text_reserved() - does text hold an access site?
 * @start: first byte
 * @end: last byte
 *
 * Sites are patched at run time; nobody else may patch there.
 *
 * Context: preemption disabled.
 * Return: true if a byte of the text is a site's
 */
bool memorizer_text_reserved(const void *start, const void *end);

/**
 * memorizer_alloc() - record that an object came to life
 * @ptr: the object, NULL and ZERO_SIZE_PTR are ignored
 * @size: bytes that the caller asked for
 * @ip: return address into the caller of the allocator
 *
 * Call it once the allocator is done with the object's memory, just before its
 * caller gets it.
 *
 * Context: any, NMI included. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_alloc(const void *ptr, size_t size, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking))
		__memorizer_alloc(ptr, size, ip);
}

/**
 * memorizer_free() - record that an object's life ends
 * @ptr: the object
 * @ip: return address into the caller of the allocator, 0 if it is not known
 *
 * Call it before the allocator can hand the memory out again.
 *
 * Context: any, NMI included. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_free(const void *ptr, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking))
		__memorizer_free(ptr, ip);
}

/**
 * memorizer_freeing() - say on whose behalf an object is about to be freed
 * @ptr: the object, still allocated
 * @ip: return address into that caller
 *
 * For functions of the allocator that free through another of its functions:
 * this @ip is then recorded rather than the one memorizer_free() is given.
 *
 * Context: any, NMI included. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_freeing(const void *ptr, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking))
		__memorizer_freeing(ptr, ip);
}

/**
 * memorizer_realloc() - record that an object was resized where it is
 * @ptr: the object
 * @size: bytes that the caller asked for now
 * @ip: return address into the caller of the allocator
 *
 * It counts as a new object in the place of the old one, as it would had it
 * been moved.
 *
 * Context: any, NMI included. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_realloc(const void *ptr, size_t size, unsigned long ip)
{
	if (static_branch_unlikely(&memorizer_tracking)) {
		__memorizer_free(ptr, ip);
		__memorizer_alloc(ptr, size, ip);
	}
}

#else /* !CONFIG_MEMORIZER */

static inline void memorizer_init_pool(void) { }
static inline void memorizer_init_sites(void) { }
static inline void memorizer_alloc(const void *ptr, size_t size, unsigned long ip) { }
static inline void memorizer_free(const void *ptr, unsigned long ip) { }
static inline void memorizer_freeing(const void *ptr, unsigned long ip) { }
static inline void memorizer_realloc(const void *ptr, size_t size, unsigned long ip) { }
static inline bool memorizer_text_reserved(const void *start, const void *end) { return false; }

#endif /* CONFIG_MEMORIZER */

#endif /* _LINUX_MEMORIZER_H */
