// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer on x86: events of entering and leaving the kernel that have tracepoints.
 *
 * These are system calls and the kernel's own vectors. exc_page_fault(), common_interrupt() and
 * default_do_nmi() call memorizer_enter() and memorizer_leave() themselves.
 */
#include <linux/array_size.h>
#include <linux/bits.h>
#include <linux/memorizer-context.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>

#include <trace/events/syscalls.h>

#include <asm/compat.h>
#include <asm/syscall.h>
#include <asm/trace/irq_vectors.h>

/* Set in the number of a system call of i386's table. */
#define I386_CALL	BIT(31)

static unsigned int syscall_number(long number)
{
	return (u32)number | (in_ia32_syscall() ? I386_CALL : 0);
}

static void enter_syscall(void *unused, struct pt_regs *regs, long number)
{
	__memorizer_context(false, MEMORIZER_SYSCALL, syscall_number(number));
}

void __memorizer_leave_syscall(struct pt_regs *regs)
{
	/* No tracepoint: sys_exit comes before signals and task work. */
	__memorizer_context(true, MEMORIZER_SYSCALL, syscall_number(syscall_get_nr(current, regs)));
}

static void enter_vector(void *unused, int vector)
{
	__memorizer_context(false, MEMORIZER_INTERRUPT, vector);
}

static void leave_vector(void *unused, int vector)
{
	__memorizer_context(true, MEMORIZER_INTERRUPT, vector);
}

/* The exit first, so that no entry lacks its exit. */
#define VECTOR(name)					\
	{ &__tracepoint_##name##_exit, leave_vector },	\
	{ &__tracepoint_##name##_entry, enter_vector }

const struct memorizer_probe memorizer_arch_probes[] = {
	{ &__tracepoint_sys_enter, enter_syscall },
	VECTOR(local_timer),
	VECTOR(spurious_apic),
	VECTOR(error_apic),
	VECTOR(x86_platform_ipi),
#ifdef CONFIG_SMP
	VECTOR(reschedule),
	VECTOR(call_function),
	VECTOR(call_function_single),
#endif
#ifdef CONFIG_IRQ_WORK
	VECTOR(irq_work),
#endif
#ifdef CONFIG_X86_MCE_THRESHOLD
	VECTOR(threshold_apic),
#endif
#ifdef CONFIG_X86_MCE_AMD
	VECTOR(deferred_error_apic),
#endif
#ifdef CONFIG_X86_THERMAL_VECTOR
	VECTOR(thermal_apic),
#endif
};

const unsigned int memorizer_arch_probes_nr = ARRAY_SIZE(memorizer_arch_probes);
