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

/* The tracepoints of a vector. */
struct vector {
	struct tracepoint *entry, *exit;
};

#define VECTOR(name)	{ &__tracepoint_##name##_entry, &__tracepoint_##name##_exit }

static const struct vector vectors[] = {
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

/**
 * memorizer_arch_register_contexts() - register the tracepoints
 *
 * Context: process context, may sleep.
 * Return: 0, or a negative error code; the caller then calls
 *	memorizer_arch_unregister_contexts(), too
 */
int memorizer_arch_register_contexts(void)
{
	int i, err = register_trace_sys_enter(enter_syscall, NULL);

	/* The exit first, so that no entry lacks its exit. */
	for (i = 0; i < ARRAY_SIZE(vectors) && !err; i++)
		err = tracepoint_probe_register(vectors[i].exit, leave_vector, NULL) ?:
			tracepoint_probe_register(vectors[i].entry, enter_vector, NULL);
	return err;
}

/**
 * memorizer_arch_unregister_contexts() - unregister the tracepoints
 *
 * Context: process context, may sleep.
 */
void memorizer_arch_unregister_contexts(void)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(vectors); i++) {
		tracepoint_probe_unregister(vectors[i].entry, enter_vector, NULL);
		tracepoint_probe_unregister(vectors[i].exit, leave_vector, NULL);
	}
	unregister_trace_sys_enter(enter_syscall, NULL);
}
