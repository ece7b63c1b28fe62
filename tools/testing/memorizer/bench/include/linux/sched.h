/* SPDX-License-Identifier: GPL-2.0 */
/* The task that a thread plays, where the kernel looks for it. */
#include_next <linux/sched.h>

#include <linux/percpu.h>

#undef current
#define current		this_cpu_read(pcpu_hot.task)
