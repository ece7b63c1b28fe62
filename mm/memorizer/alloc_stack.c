// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's allocation stacks: save the callers of each allocation in the stack depot.
 *
 * The depot keeps each distinct stack once, until the kernel is rebooted. An object refers to its
 * stack by a handle, in place of its call site, which is the stack's first frame. The depot
 * allocates pages, and the unwinder reads stacks: the task is paused meanwhile, so that neither is
 * recorded. In an interrupt, which memorizer_pause() does not affect, the depot's pages and the
 * unwinder's accesses are recorded.
 */
#include <linux/array_size.h>
#include <linux/gfp.h>
#include <linux/kallsyms.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/stackdepot.h>
#include <linux/stacktrace.h>

#include "alloc_stack.h"
#include "object.h"
#include "tasks.h"

unsigned int memorizer_stack_depth __read_mostly;

/* Frames of hooks and allocators, at most, that precede the call site. */
#define INNER_MAX	16

/*
 * May the depot allocate memory? @paused: the task was already paused. Then this may be a call for
 * the depot's own allocation, which must not allocate in turn.
 */
static bool may_allocate(bool paused)
{
	if (paused || in_nmi())
		return false;
	/* The page allocator takes sleeping locks. */
	return !IS_ENABLED(CONFIG_PREEMPT_RT) || preemptible();
}

/*
 * Find the frame of the call site. alloc_hooks() marks a call site by another address in the same
 * function. Returns @nr if there is none: that function ended in a jump to the allocator.
 */
static unsigned int find_call_site(const unsigned long *frames, unsigned int nr, unsigned long ip)
{
	unsigned long size, offset;
	unsigned int i;

	for (i = 0; i < nr; i++)
		if (frames[i] == ip)
			return i;
	if (!kallsyms_lookup_size_offset(ip, &size, &offset))
		return nr;
	/* A return address may be that of the next function if the call does not return. */
	for (i = 0; i < nr; i++)
		if (frames[i] - 1 - (ip - offset) < size)
			return i;
	return nr;
}

/* At least one frame: stacks may have been switched off meanwhile, and none must be lost. */
static unsigned int depth_now(void)
{
	return max(READ_ONCE(memorizer_stack_depth), 1);
}

/**
 * memorizer_save_stack() - save the current stack, from the call site of an allocation on
 * @ip: the call site
 *
 * Without the call site on the stack, all frames of the stack follow it, including the allocator's.
 *
 * Context: any, NMI included; with preemption enabled if the hook's caller has it enabled.
 * Return: the stack's handle, 0 if the depot has no room
 */
u32 memorizer_save_stack(unsigned long ip)
{
	unsigned long frames[1 + INNER_MAX + MEMORIZER_STACK_MAX], *from = frames;
	bool paused = memorizer_pauses();
	unsigned int nr, site;
	u32 stack;

	memorizer_pause();
	nr = stack_trace_save(frames + 1, ARRAY_SIZE(frames) - 1, 1);
	site = find_call_site(frames + 1, nr, ip);
	if (site < nr) {
		from += 1 + site;
		nr -= 1 + site;
	}
	from[0] = ip;
	/* Neither sleeps nor wakes kswapd: the caller may hold any lock. */
	stack = stack_depot_save_flags(from, min(1 + nr, depth_now()), __GFP_NOWARN,
				       may_allocate(paused) ? STACK_DEPOT_FLAG_CAN_ALLOC : 0);
	memorizer_resume();
	return stack;
}

/**
 * memorizer_fetch_stack() - get the stack of an object's allocation
 * @object: the object
 * @frames: set to the return addresses, from the call site on
 *
 * Context: any, NMI included.
 * Return: number of frames; 0 if the object has no stack
 */
unsigned int memorizer_fetch_stack(const struct memorizer_object *object, unsigned long **frames)
{
	return memorizer_has_stack(object) ? stack_depot_fetch(object->alloc_ip, frames) : 0;
}
