// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stacks: record the stack of each task, from fork() to its end.
 *
 * A stack lies in a vmalloc area, or in pages, which outlive it: stacks are cached for later
 * tasks. The object has the pid and the name of the task that the stack is for.
 */
#include <linux/memorizer-vmalloc.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include "alloc_stack.h"
#include "announce.h"
#include "entry.h"
#include "hooks.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "record.h"
#include "tasks.h"

static void record_stack(unsigned long va, unsigned long ip, u32 from)
{
	struct memorizer_geometry geo = {
		.start = va & PAGE_MASK, .pages = DIV_ROUND_UP(THREAD_SIZE, PAGE_SIZE),
	};
	unsigned int chosen = BIT(MEMORIZER_RECORDED);

	if (READ_ONCE(memorizer_hooks) & MEMORIZER_DO_CHOOSE)
		chosen = memorizer_choose_object((void *)va, MEMORIZER_KIND_STACK, ip);
	if (!(chosen & BIT(MEMORIZER_RECORDED))) {
		this_cpu_inc(memorizer_counters.allocs_left_out);
		return;
	}
	memorizer_index_fit(&geo);
	memorizer_record(&geo, va, THREAD_SIZE,
			 memorizer_who(MEMORIZER_KIND_STACK, chosen & BIT(MEMORIZER_FIELDS)), ip,
			 from);
}

void __memorizer_stack_alloc(const void *stack, unsigned long ip)
{
	u32 from = 0;

	if (memorizer_observes_kinds())
		memorizer_observer_alloc_area(stack, THREAD_SIZE, THREAD_SIZE, ip,
					      MEMORIZER_STACK);
	if (READ_ONCE(memorizer_recorded_kinds) & BIT(MEMORIZER_KIND_STACK))
		from = memorizer_alloc_stack(stack, MEMORIZER_KIND_STACK, ip);
	preempt_disable_notrace();
	/* There is nothing to bury otherwise: each end of a stack has its hook. */
	if (!(READ_ONCE(memorizer_recorded_kinds) & BIT(MEMORIZER_KIND_STACK)))
		;
	else if (memorizer_is_paused())
		this_cpu_inc(memorizer_counters.paused);
	else
		record_stack((unsigned long)stack, ip, from);
	preempt_enable_notrace();
}

void __memorizer_stack_free(const void *stack, unsigned long ip)
{
	if (memorizer_observes_kinds())
		memorizer_observer_free_area(stack, THREAD_SIZE, ip, MEMORIZER_STACK);
	preempt_disable_notrace();
	if (READ_ONCE(memorizer_followed_kinds) & BIT(MEMORIZER_KIND_STACK))
		memorizer_end((unsigned long)stack, ip);
	preempt_enable_notrace();
}

/* Give the object of a stack the pid and the name of its task. */
static void describe_stack(const void *stack, const struct task_struct *task)
{
	struct memorizer_object *object;
	unsigned long unused;
	u32 id;

	preempt_disable_notrace();
	id = memorizer_index_lookup((unsigned long)stack, &unused);
	object = memorizer_ptr(id);
	if (id && memorizer_object_kind(object) == MEMORIZER_KIND_STACK) {
		/* Racy but benign: a reader of the KMAP may see part of the old name. */
		WRITE_ONCE(object->who, (object->who & ~MEMORIZER_PID_MASK) | task->pid);
		memcpy(object->comm, task->comm, sizeof(object->comm));
		memorizer_announce_object(id);
	}
	preempt_enable_notrace();
}

void __memorizer_stack_task(struct task_struct *task)
{
	const void *stack;

	if (!(READ_ONCE(memorizer_followed_kinds) & BIT(MEMORIZER_KIND_STACK)))
		return;
	stack = try_get_task_stack(task);
	/* A task that has exited may be renamed, too. Its stack may be another one's. */
	if (!stack)
		return;
	describe_stack(stack, task);
	put_task_stack(task);
}
