/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's stream: what the entry code calls.
 *
 * One static branch while entries are not streamed, and nothing at all without
 * CONFIG_MEMORIZER_STREAM.
 */
#ifndef _LINUX_MEMORIZER_ENTRY_H
#define _LINUX_MEMORIZER_ENTRY_H

#include <linux/compiler.h>
#include <linux/jump_label.h>
#include <linux/kconfig.h>
#include <linux/types.h>

struct pt_regs;

/* What the kernel is entered by. */
enum memorizer_entered {
	MEMORIZER_SYSCALL = 1,
	MEMORIZER_INTERRUPT,
	MEMORIZER_EXCEPTION,
	MEMORIZER_SOFTIRQ,
	MEMORIZER_NMI,
};

#if IS_ENABLED(CONFIG_MEMORIZER_STREAM)

void __memorizer_entry(bool leave, enum memorizer_entered kind, unsigned int number);
void __memorizer_leave_syscall(struct pt_regs *regs);

/* The architecture's, see memorizer_entries.c there. */
int memorizer_arch_register_entries(void);
void memorizer_arch_unregister_entries(void);

/* Entries to the kernel are streamed. */
DECLARE_STATIC_KEY_FALSE(memorizer_entries);

/**
 * memorizer_enter() - stream that the kernel is entered
 * @kind: by what
 * @number: of the vector
 *
 * Context: any in which instrumentation is allowed. Takes no lock, allocates nothing.
 */
static __always_inline void memorizer_enter(enum memorizer_entered kind, unsigned int number)
{
	if (static_branch_unlikely(&memorizer_entries))
		__memorizer_entry(false, kind, number);
}

/**
 * memorizer_leave() - stream the end of what memorizer_enter() told of
 * @kind: as there
 * @number: likewise
 *
 * Context: as there.
 */
static __always_inline void memorizer_leave(enum memorizer_entered kind, unsigned int number)
{
	if (static_branch_unlikely(&memorizer_entries))
		__memorizer_entry(true, kind, number);
}

/**
 * memorizer_leave_syscall() - stream that a system call is over
 * @regs: the task's registers
 *
 * Context: process context, instrumentation is allowed.
 */
static __always_inline void memorizer_leave_syscall(struct pt_regs *regs)
{
	if (static_branch_unlikely(&memorizer_entries))
		__memorizer_leave_syscall(regs);
}

#else /* !CONFIG_MEMORIZER_STREAM */

static __always_inline void memorizer_enter(enum memorizer_entered kind, unsigned int number) { }
static __always_inline void memorizer_leave(enum memorizer_entered kind, unsigned int number) { }
static __always_inline void memorizer_leave_syscall(struct pt_regs *regs) { }

#endif /* CONFIG_MEMORIZER_STREAM */

#endif /* _LINUX_MEMORIZER_ENTRY_H */
