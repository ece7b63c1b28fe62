/* SPDX-License-Identifier: GPL-2.0 */
/* The task that a thread plays. */
#ifndef _TEST_LINUX_SCHED_H
#define _TEST_LINUX_SCHED_H

#include <linux/types.h>

#define TASK_COMM_LEN	16

struct task_struct {
	int pid;
	char comm[TASK_COMM_LEN];
	unsigned int memorizer_paused;
};

extern __thread struct task_struct this_task;
#define current		(&this_task)

#define cond_resched()	do { } while (0)

#endif /* _TEST_LINUX_SCHED_H */
