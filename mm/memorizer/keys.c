// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's keys: each CPU's copy of its running task's memorizer_key, see tasks.h.
 */
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/memorizer.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "tasks.h"

DEFINE_PER_CPU(u64, memorizer_current_key);

void __kprobes memorizer_switch_to(const struct task_struct *next)
{
	this_cpu_write(memorizer_current_key, READ_ONCE(next->memorizer_key));
}
