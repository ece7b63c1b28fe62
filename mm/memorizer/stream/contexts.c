// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: what the kernel is entered by.
 *
 * Softirqs and the entry of system calls have tracepoints, as have the vectors that the
 * architecture registers (arch/x86/kernel/memorizer_contexts.c). The entry code calls
 * memorizer_enter() and memorizer_leave() for other vectors, and memorizer_leave_syscall() when
 * a task returns to user space: work that it does on its way there, such as closing files,
 * belongs to its system call.
 *
 * A system call that is in progress when this is switched has only one of its two events.
 */
#include <linux/interrupt.h>
#include <linux/jump_label.h>
#include <linux/tracepoint.h>

#include <trace/events/irq.h>

#include "stream.h"

DEFINE_STATIC_KEY_FALSE(memorizer_contexts);

static void enter_softirq(void *unused, unsigned int number)
{
	__memorizer_context(false, MEMORIZER_SOFTIRQ, number);
}

static void leave_softirq(void *unused, unsigned int number)
{
	__memorizer_context(true, MEMORIZER_SOFTIRQ, number);
}

static void unregister(void)
{
	memorizer_arch_unregister_contexts();
	unregister_trace_softirq_entry(enter_softirq, NULL);
	unregister_trace_softirq_exit(leave_softirq, NULL);
	/* Probes may still be running: the switch event must follow their events. */
	tracepoint_synchronize_unregister();
}

/**
 * memorizer_stream_contexts() - switch the events of entering and leaving the kernel
 * @on: true to stream them
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative error code
 */
int memorizer_stream_contexts(bool on)
{
	int err;

	if (!on) {
		static_branch_disable(&memorizer_contexts);
		unregister();
		return 0;
	}
	/* Exit probes first, so that no entry lacks its exit. */
	err = register_trace_softirq_exit(leave_softirq, NULL);
	err = err ?: register_trace_softirq_entry(enter_softirq, NULL);
	err = err ?: memorizer_arch_register_contexts();
	if (err)
		unregister();
	else
		static_branch_enable(&memorizer_contexts);
	return err;
}
