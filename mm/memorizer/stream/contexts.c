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
#include <linux/array_size.h>
#include <linux/interrupt.h>
#include <linux/jump_label.h>
#include <linux/mutex.h>
#include <linux/tracepoint.h>

#include <trace/events/irq.h>

#include "../observer.h"
#include "../subjects.h"
#include "stream.h"

DEFINE_STATIC_KEY_FALSE(memorizer_contexts);

/* Entries are streamed. */
static bool streamed;

/* The stream, and contexts as subjects. */
static unsigned int users;
static DEFINE_MUTEX(users_mutex);

static void enter_softirq(void *unused, unsigned int number)
{
	__memorizer_context(false, MEMORIZER_SOFTIRQ, number);
}

static void leave_softirq(void *unused, unsigned int number)
{
	__memorizer_context(true, MEMORIZER_SOFTIRQ, number);
}

/* The exit first, so that no entry lacks its exit. */
static const struct memorizer_probe softirq_probes[] = {
	{ &__tracepoint_softirq_exit, leave_softirq },
	{ &__tracepoint_softirq_entry, enter_softirq },
};

static int register_probes(void)
{
	int err = memorizer_probes_register(softirq_probes, ARRAY_SIZE(softirq_probes));

	if (err)
		return err;
	err = memorizer_probes_register(memorizer_arch_probes, memorizer_arch_probes_nr);
	if (err)
		memorizer_probes_unregister(softirq_probes, ARRAY_SIZE(softirq_probes));
	return err;
}

static int switch_entries(bool on)
{
	int err;

	if (!on) {
		static_branch_disable(&memorizer_contexts);
		memorizer_probes_unregister(memorizer_arch_probes, memorizer_arch_probes_nr);
		memorizer_probes_unregister(softirq_probes, ARRAY_SIZE(softirq_probes));
		return 0;
	}
	err = register_probes();
	if (!err)
		static_branch_enable(&memorizer_contexts);
	return err;
}

/* Have kernel entries reported for one more user, or for one less. */
static int use_entries(bool on)
{
	int err = 0;

	mutex_lock(&users_mutex);
	if (on ? !users : users == 1)
		err = switch_entries(on);
	if (!err)
		users += on ? 1 : -1;
	mutex_unlock(&users_mutex);
	return err;
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
	int err = use_entries(on);

	if (!err)
		WRITE_ONCE(streamed, on);
	return err;
}

int memorizer_observe_entries(bool on)
{
	return use_entries(on);
}

void __memorizer_context(bool leave, enum memorizer_context kind, unsigned int number)
{
	if (READ_ONCE(streamed))
		memorizer_stream_context(leave, kind, number);
	memorizer_subject_entry(leave, kind, number);
}
