/* SPDX-License-Identifier: GPL-2.0 */
/* The task that a thread acts as. */
#ifndef _TEST_LINUX_SCHED_H
#define _TEST_LINUX_SCHED_H

#include <linux/types.h>

#define TASK_COMM_LEN	16

struct task_struct {
	int pid;
	char comm[TASK_COMM_LEN];
	u64 memorizer_key;
	void *stack;
};

#ifdef TEST_SCHED

/* All tasks are in one thread. */
extern struct task_struct *sched_task;
#define current		sched_task

#define need_resched()	false
#define cond_resched()	((void)0)

#else

extern __thread struct task_struct this_task;
#define current		(&this_task)

/* Number of calls of cond_resched(). */
extern __thread unsigned long chances_to_schedule;

#define need_resched()	true
#define cond_resched()	((void)chances_to_schedule++)

#endif

#endif /* _TEST_LINUX_SCHED_H */
