// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's callers: the code that asks the page allocator for memory.
 *
 * The return address of the page allocator is in a wrapper such as folio_alloc() often enough. The
 * kernel marks each true call site with alloc_hooks(), which stores its address in the task.
 *
 * The static branch is never disabled again: a call that began with it would not end, and its site
 * would stay. One that began before it was enabled ends without a site, which is right, because no
 * outer call has one.
 */
#include <linux/export.h>
#include <linux/instruction_pointer.h>
#include <linux/memorizer-callers.h>
#include <linux/sched.h>

#include "hooks.h"

DEFINE_STATIC_KEY_FALSE(memorizer_wants_callers);
/* For any module that allocates memory. */
EXPORT_SYMBOL(memorizer_wants_callers);

/* Interrupts allocate as the task that they interrupt, and leave the site as it was. */
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
