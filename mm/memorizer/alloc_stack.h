/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's allocation stacks: the callers of an allocation. Stubs without
 * CONFIG_MEMORIZER_STACKS.
 */
#ifndef _MM_MEMORIZER_ALLOC_STACK_H
#define _MM_MEMORIZER_ALLOC_STACK_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/memorizer.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>

#include "entry.h"
#include "hooks.h"
#include "memorizer.h"
#include "object.h"
#include "tasks.h"

struct dentry;

/* Frames of a stack, at most. */
#define MEMORIZER_STACK_MAX	16

/* Does @alloc_ip have the handle of a stack? */
static __always_inline bool memorizer_has_stack(const struct memorizer_object *object)
{
	return READ_ONCE(object->who) & MEMORIZER_HAS_STACK;
}

/* Replace the call site of an object, which is still private, by its stack, if there is one. */
static __always_inline void memorizer_object_set_stack(struct memorizer_object *object, u32 stack)
{
	if (!stack)
		return;
	object->alloc_ip = stack;
	WRITE_ONCE(object->who, object->who | MEMORIZER_HAS_STACK);
}

#ifdef CONFIG_MEMORIZER_STACKS

/* Frames to save, 0: none. Written under memorizer_rwsem. */
extern unsigned int memorizer_stack_depth;

/* alloc_stack.c */
u32 memorizer_save_stack(unsigned long ip);
unsigned int memorizer_fetch_stack(const struct memorizer_object *object, unsigned long **frames);

/* alloc_stack_set.c */
int memorizer_set_stack_depth(unsigned int depth);
void memorizer_stack_files(struct dentry *dir);

/* Do the filters choose an allocation, which is not recorded yet? */
static inline bool memorizer_chooses(const void *ptr, enum memorizer_object_kind kind,
				     unsigned long ip)
{
	bool chooses = true;

	preempt_disable_notrace();
	if (READ_ONCE(memorizer_hooks) & MEMORIZER_DO_CHOOSE)
		chooses = memorizer_choose_object(ptr, kind, ip) & BIT(MEMORIZER_RECORDED);
	preempt_enable_notrace();
	return chooses;
}

/**
 * memorizer_alloc_stack() - save the stack of an allocation, if stacks are switched on
 * @ptr: the object
 * @kind: its kind
 * @ip: return address into the caller of the allocator
 *
 * Call this with preemption enabled if the hook's caller has it enabled: it may allocate memory.
 *
 * Context: any, NMI included.
 * Return: the stack's handle; 0 if there is none: not switched on, left out or lost
 */
static inline u32 memorizer_alloc_stack(const void *ptr, enum memorizer_object_kind kind,
					unsigned long ip)
{
	u32 stack;

	/* A paused task's allocation is not recorded. memorizer_save_stack() pauses the task. */
	if (likely(!READ_ONCE(memorizer_stack_depth)) || memorizer_is_paused() ||
	    !memorizer_chooses(ptr, kind, ip))
		return 0;
	stack = memorizer_save_stack(ip);
	if (unlikely(!stack))
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_STACK]);
	return stack;
}

/* The call site of an object's allocation. */
static inline unsigned long memorizer_alloc_ip(const struct memorizer_object *object)
{
	unsigned long *frames;

	if (likely(!memorizer_has_stack(object)))
		return memorizer_unpack_ip(object->alloc_ip);
	return memorizer_fetch_stack(object, &frames) ? frames[0] : 0;
}

#else

static inline u32 memorizer_alloc_stack(const void *ptr, enum memorizer_object_kind kind,
					unsigned long ip)
{
	return 0;
}

static inline unsigned int memorizer_fetch_stack(const struct memorizer_object *object,
						 unsigned long **frames)
{
	return 0;
}

static inline unsigned long memorizer_alloc_ip(const struct memorizer_object *object)
{
	return memorizer_unpack_ip(object->alloc_ip);
}

static inline void memorizer_stack_files(struct dentry *dir) { }

#endif

#endif /* _MM_MEMORIZER_ALLOC_STACK_H */
