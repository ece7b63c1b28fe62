// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's context-switch hook: updates the CPU's copy of the running task's key.
 */
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/memorizer.h>
#include <linux/percpu.h>
#include <linux/sched.h>

#include "announce.h"
#include "tasks.h"

void __kprobes memorizer_switch_to(const struct task_struct *next)
{
	u64 key = READ_ONCE(next->memorizer_key);

	this_cpu_write(memorizer_current_key, key);
	/* Interrupts are disabled, so that no calls in between count for the wrong choice. */
	memorizer_announce_choice(!memorizer_key_leaves_out(key));
}
