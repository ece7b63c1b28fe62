/* SPDX-License-Identifier: GPL-2.0 */
/* A task's stack. */
#ifndef _TEST_LINUX_SCHED_TASK_STACK_H
#define _TEST_LINUX_SCHED_TASK_STACK_H

#define THREAD_SIZE	(4 * PAGE_SIZE)

#define try_get_task_stack(task)	((task)->stack)
#define put_task_stack(task)		((void)(task))

#endif /* _TEST_LINUX_SCHED_TASK_STACK_H */
