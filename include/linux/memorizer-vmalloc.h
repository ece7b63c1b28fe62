/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's vmalloc areas and stacks: hooks for vmalloc() and fork().
 *
 * A static branch until something is recorded or streamed, and nothing without
 * CONFIG_MEMORIZER_PAGES.
 */
#ifndef _LINUX_MEMORIZER_VMALLOC_H
#define _LINUX_MEMORIZER_VMALLOC_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/memorizer.h>
#include <linux/types.h>

struct task_struct;

#ifdef CONFIG_MEMORIZER_PAGES

/*
 * Kinds whose new objects are recorded, and those that were recorded since boot, a bit for each
 * enum memorizer_object_kind. The latter has MEMORIZER_KINDS_OBSERVED, too. Written under
 * memorizer_rwsem.
 */
extern unsigned int memorizer_recorded_kinds, memorizer_followed_kinds;

/* A flag in memorizer_followed_kinds: the observer receives allocations of all kinds. */
#define MEMORIZER_KINDS_OBSERVED	BIT(31)

void __memorizer_vmalloc(const void *addr, size_t size, size_t bytes, unsigned long flags,
			 unsigned long ip);
void __memorizer_vfree(const void *addr, size_t bytes, unsigned long flags, unsigned long ip);
void __memorizer_stack_alloc(const void *stack, unsigned long ip);
void __memorizer_stack_free(const void *stack, unsigned long ip);
void __memorizer_stack_task(struct task_struct *task);

/**
 * memorizer_follows_kinds() - test whether the hooks of this file do anything
 *
 * Context: any.
 * Return: false until a kind other than slab and pages is recorded, or allocations are observed
 */
static __always_inline bool memorizer_follows_kinds(void)
{
	return static_branch_unlikely(&memorizer_tracking) && READ_ONCE(memorizer_followed_kinds);
}

/* Does the observer receive allocations of kinds other than slab and pages? */
static __always_inline bool memorizer_observes_kinds(void)
{
	return unlikely(READ_ONCE(memorizer_followed_kinds) & MEMORIZER_KINDS_OBSERVED);
}

/**
 * memorizer_vmalloc() - record a vmalloc area
 * @addr: its address
 * @size: bytes requested
 * @bytes: bytes of the area, without a guard page
 * @flags: flags of the area, such as VM_ALLOC
 * @ip: return address into the caller of the allocator
 *
 * Call this before the area is used; it need not be mapped yet.
 *
 * Context: process context. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_vmalloc(const void *addr, size_t size, size_t bytes,
					      unsigned long flags, unsigned long ip)
{
	if (memorizer_follows_kinds())
		__memorizer_vmalloc(addr, size, bytes, flags, ip);
}

/**
 * memorizer_vfree() - record the end of a vmalloc area
 * @addr: its address
 * @bytes: bytes of the area, without a guard page
 * @flags: flags of the area, such as VM_ALLOC
 * @ip: return address into the caller of the allocator
 *
 * Call this before the allocator can reuse the addresses.
 *
 * Context: process context. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_vfree(const void *addr, size_t bytes, unsigned long flags,
					    unsigned long ip)
{
	if (memorizer_follows_kinds())
		__memorizer_vfree(addr, bytes, flags, ip);
}

/**
 * memorizer_vrealloc() - record that vrealloc() resized an area in place
 * @addr: its address
 * @size: bytes requested now
 * @bytes: bytes of the area, without a guard page
 * @flags: flags of the area, such as VM_ALLOC
 * @ip: return address into the caller of the allocator
 *
 * Recorded as the end of an area and a new one, as if vrealloc() had moved it.
 *
 * Context: process context. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_vrealloc(const void *addr, size_t size, size_t bytes,
					       unsigned long flags, unsigned long ip)
{
	if (memorizer_follows_kinds()) {
		__memorizer_vfree(addr, bytes, flags, ip);
		__memorizer_vmalloc(addr, size, bytes, flags, ip);
	}
}

/**
 * memorizer_stack_alloc() - record the stack of a new task
 * @stack: its lowest address
 * @ip: return address into the caller
 *
 * Context: process context. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_stack_alloc(const void *stack, unsigned long ip)
{
	if (memorizer_follows_kinds())
		__memorizer_stack_alloc(stack, ip);
}

/**
 * memorizer_stack_free() - record the end of a task's stack
 * @stack: its lowest address
 * @ip: return address into the caller
 *
 * Call this before the stack can be reused.
 *
 * Context: any but NMI. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_stack_free(const void *stack, unsigned long ip)
{
	if (memorizer_follows_kinds())
		__memorizer_stack_free(stack, ip);
}

/**
 * memorizer_stack_task() - update the pid and the name of a stack's task
 * @task: the task
 *
 * Context: any but NMI.
 */
static __always_inline void memorizer_stack_task(struct task_struct *task)
{
	if (memorizer_follows_kinds())
		__memorizer_stack_task(task);
}

#else /* !CONFIG_MEMORIZER_PAGES */

static inline bool memorizer_follows_kinds(void) { return false; }
static inline void memorizer_vmalloc(const void *addr, size_t size, size_t bytes,
				     unsigned long flags, unsigned long ip) { }
static inline void memorizer_vfree(const void *addr, size_t bytes, unsigned long flags,
				   unsigned long ip) { }
static inline void memorizer_vrealloc(const void *addr, size_t size, size_t bytes,
				      unsigned long flags, unsigned long ip) { }
static inline void memorizer_stack_alloc(const void *stack, unsigned long ip) { }
static inline void memorizer_stack_free(const void *stack, unsigned long ip) { }
static inline void memorizer_stack_task(struct task_struct *task) { }

#endif /* CONFIG_MEMORIZER_PAGES */

#endif /* _LINUX_MEMORIZER_VMALLOC_H */
