// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's callers: the code that asks the page allocator for memory.
 *
 * The return address of the page allocator is in a wrapper such as folio_alloc() often enough. The
 * kernel marks each true call site with alloc_hooks(), which stores its address in the task.
 *
 * The static branch is never disabled again, because a call in progress would not restore the site
 * of its outer call. A call that began before the branch was enabled restores 0: no outer call has
 * a site.
 */
#include <linux/export.h>
#include <linux/instruction_pointer.h>
#include <linux/memorizer-callers.h>
#include <linux/sched.h>

#include "hooks.h"

DEFINE_STATIC_KEY_FALSE(memorizer_wants_callers);
/* For any module that allocates memory. */
EXPORT_SYMBOL(memorizer_wants_callers);

/* An interrupt uses the interrupted task's site, and restores it. */
unsigned long __memorizer_caller_begin(void)
{
	unsigned long outer = current->memorizer_caller;

	WRITE_ONCE(current->memorizer_caller, _RET_IP_);
	return outer;
}
EXPORT_SYMBOL(__memorizer_caller_begin);

void __memorizer_caller_end(unsigned long outer)
{
	WRITE_ONCE(current->memorizer_caller, outer);
}
EXPORT_SYMBOL(__memorizer_caller_end);

/**
 * memorizer_caller() - get the call site of an allocation
 * @ip: return address into the caller of the allocator
 *
 * Context: any.
 * Return: the return address of the call that alloc_hooks() marks; @ip outside of such calls
 */
unsigned long memorizer_caller(unsigned long ip)
{
	return READ_ONCE(current->memorizer_caller) ?: ip;
}

/**
 * memorizer_want_callers() - have calls of allocators store their sites
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_want_callers(void)
{
	static_branch_enable(&memorizer_wants_callers);
}
