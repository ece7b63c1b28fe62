/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's callers: the code that asks for memory, for what allocators allocate on its behalf.
 *
 * A static branch until pages are recorded or streamed, and nothing without
 * CONFIG_MEMORIZER_PAGES.
 */
#ifndef _LINUX_MEMORIZER_CALLERS_H
#define _LINUX_MEMORIZER_CALLERS_H

#include <linux/compiler.h>
#include <linux/static_key.h>

#ifdef CONFIG_MEMORIZER_PAGES

/* Pages are or were recorded, or the observer receives allocations. */
DECLARE_STATIC_KEY_FALSE(memorizer_wants_callers);

unsigned long __memorizer_caller_begin(void);
void __memorizer_caller_end(unsigned long outer);

/**
 * memorizer_caller_begin() - begin a call of an allocator
 *
 * Until memorizer_caller_end(), pages that this task allocates have their call site here. Calls
 * nest; the innermost counts.
 *
 * Context: any.
 * Return: the outer call site, for memorizer_caller_end()
 */
static __always_inline unsigned long memorizer_caller_begin(void)
{
	return static_branch_unlikely(&memorizer_wants_callers) ? __memorizer_caller_begin() : 0;
}

/**
 * memorizer_caller_end() - end a call of an allocator
 * @outer: what memorizer_caller_begin() returned
 *
 * Context: any.
 */
static __always_inline void memorizer_caller_end(unsigned long outer)
{
	if (static_branch_unlikely(&memorizer_wants_callers))
		__memorizer_caller_end(outer);
}

#else /* !CONFIG_MEMORIZER_PAGES */

static inline unsigned long memorizer_caller_begin(void) { return 0; }
static inline void memorizer_caller_end(unsigned long outer) { }

#endif /* CONFIG_MEMORIZER_PAGES */

#endif /* _LINUX_MEMORIZER_CALLERS_H */
