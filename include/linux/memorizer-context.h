/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's stream: hooks for the entry code.
 *
 * A static branch while "stream_entries" is off, and nothing without CONFIG_MEMORIZER_STREAM.
 */
#ifndef _LINUX_MEMORIZER_CONTEXT_H
#define _LINUX_MEMORIZER_CONTEXT_H

#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <linux/kconfig.h>
#include <linux/types.h>

struct pt_regs;
struct tracepoint;

/* Kinds of kernel entry. */
enum memorizer_context {
	MEMORIZER_SYSCALL = 1,
	MEMORIZER_INTERRUPT,
	MEMORIZER_EXCEPTION,
	MEMORIZER_SOFTIRQ,
	MEMORIZER_NMI,
};

#if IS_ENABLED(CONFIG_MEMORIZER_STREAM)

void __memorizer_context(bool leave, enum memorizer_context kind, unsigned int number);
void __memorizer_leave_syscall(struct pt_regs *regs);

/**
 * struct memorizer_probe - a function that a tracepoint calls
 * @tracepoint: the tracepoint
 * @function: the function, with the tracepoint's arguments
 */
struct memorizer_probe {
	struct tracepoint *tracepoint;
	void *function;
};

/* Defined by the architecture: the probes of system calls and vectors */
extern const struct memorizer_probe memorizer_arch_probes[];
extern const unsigned int memorizer_arch_probes_nr;

/* The switch "entries" of the stream is on. */
DECLARE_STATIC_KEY_FALSE(memorizer_contexts);

/**
 * memorizer_enter() - stream a kernel entry
 * @kind: kind of the entry
 * @number: number of the vector
 *
 * Context: any in which instrumentation is allowed. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_enter(enum memorizer_context kind, unsigned int number)
{
	if (static_branch_unlikely(&memorizer_contexts))
		__memorizer_context(false, kind, number);
}

/**
 * memorizer_leave() - stream a kernel exit
 * @kind: kind of the entry
 * @number: number of the vector
 *
 * Context: as for memorizer_enter().
 */
static __always_inline void memorizer_leave(enum memorizer_context kind, unsigned int number)
{
	if (static_branch_unlikely(&memorizer_contexts))
		__memorizer_context(true, kind, number);
}

/**
 * memorizer_leave_syscall() - stream the end of a system call
 * @regs: the task's registers
 *
 * Context: process context, instrumentation is allowed.
 */
static __always_inline void memorizer_leave_syscall(struct pt_regs *regs)
{
	if (static_branch_unlikely(&memorizer_contexts))
		__memorizer_leave_syscall(regs);
}

#else /* !CONFIG_MEMORIZER_STREAM */

static __always_inline void memorizer_enter(enum memorizer_context kind, unsigned int number) { }
static __always_inline void memorizer_leave(enum memorizer_context kind, unsigned int number) { }
static __always_inline void memorizer_leave_syscall(struct pt_regs *regs) { }

#endif /* CONFIG_MEMORIZER_STREAM */

#endif /* _LINUX_MEMORIZER_CONTEXT_H */
