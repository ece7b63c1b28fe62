// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: by what the kernel is entered, and when it is left.
 *
 * Softirqs and the begin of system calls have tracepoints, as some vectors do, which the
 * architecture knows (arch/x86/kernel/memorizer_entries.c). The entry code calls for the
 * others, and when a system call is over for good: what a task still does on its way to
 * user space, such as closing files, belongs to its system call.
 *
 * When this is switched on, tasks are in system calls, whose end is streamed without a
 * begin; and when it is switched off, it is the other way round.
 */
#include <linux/interrupt.h>
#include <linux/jump_label.h>
#include <linux/tracepoint.h>

#include <trace/events/irq.h>

#include "stream.h"

DEFINE_STATIC_KEY_FALSE(memorizer_entries);

static void enter_softirq(void *unused, unsigned int number)
{
	__memorizer_entry(false, MEMORIZER_SOFTIRQ, number);
}

static void leave_softirq(void *unused, unsigned int number)
{
	__memorizer_entry(true, MEMORIZER_SOFTIRQ, number);
}

static void unregister(void)
{
	memorizer_arch_unregister_entries();
	unregister_trace_softirq_entry(enter_softirq, NULL);
	unregister_trace_softirq_exit(leave_softirq, NULL);
	tracepoint_synchronize_unregister();
}

/**
 * memorizer_stream_entries() - switch the events of entries
 * @on: whether they are to come
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative error code
 */
int memorizer_stream_entries(bool on)
{
	int err;

	if (!on) {
		static_branch_disable(&memorizer_entries);
		unregister();
		return 0;
	}
	err = register_trace_softirq_exit(leave_softirq, NULL);
	err = err ?: register_trace_softirq_entry(enter_softirq, NULL);
	err = err ?: memorizer_arch_register_entries();
	if (err)
		unregister();
	else
		static_branch_enable(&memorizer_entries);
	return err;
}
