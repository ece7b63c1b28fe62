// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer on x86-64: hold all CPUs but one, which patches sites.
 *
 * Held CPUs spin in hold_cpu(), which has no sites, with interrupts off. No CPU executes a site
 * while it is patched, whatever event arrives:
 *
 * - NMIs and machine checks, by IDT or by FRED, call memorizer_nmi_enter() before their first
 *   site, and memorizer_nmi_exit() after their last. On a held CPU, entry waits until the
 *   patching CPU pauses, and that CPU stores nothing before exit. So handlers that rendezvous on
 *   all CPUs, such as those of broadcast machine checks, make progress. On the patching CPU,
 *   they interrupt the patching and let the held CPUs continue. Sites are in either state then.
 * - Debug exceptions: hold_cpu() disables hardware breakpoints, and nothing single-steps it.
 *   Breakpoint exceptions: kprobes are refused (__kprobes).
 * - SEV's #VC and TDX's #VE are raised by instructions that the hypervisor emulates. Neither
 *   hold_cpu() nor memorizer_nmi_enter() has one: both serialize without CPUID. SEV's #HV
 *   doorbell needs restricted injection, which Linux does not use.
 * - Page faults do not occur, since everything that is accessed is mapped. A double fault or an
 *   unknown FRED event is fatal.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/memorizer.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/stop_machine.h>

#include <asm/debugreg.h>
#include <asm/memorizer-hold.h>
#include <asm/sync_core.h>

/* This CPU is held, or it is the one that patches. */
DEFINE_PER_CPU(bool, memorizer_held);

/* The CPU that patches, -1 if none does. */
static int patcher = -1;

/* NMIs and machine checks in progress on held CPUs; the patching CPU pauses for them. */
atomic_t memorizer_hold_nmis = ATOMIC_INIT(0);

/* They may execute sites. Set and cleared by the patching CPU, which stores nothing meanwhile. */
static bool paused;

/**
 * memorizer_hold_pause() - wait for NMIs and machine checks on held CPUs
 *
 * Context: on the patching CPU. An NMI on that CPU itself may clear @paused.
 */
noinstr void memorizer_hold_pause(void)
{
	do {
		/* Pairs with the barrier in __memorizer_nmi_exit(). */
		while (raw_atomic_read_acquire(&memorizer_hold_nmis)) {
			/* Pairs with the acquire in __memorizer_nmi_enter(). */
			smp_store_release(&paused, true);
			cpu_relax();
		}
		WRITE_ONCE(paused, false);
		/* Pairs with the barrier in __memorizer_nmi_enter(): it waits, or is seen here. */
		smp_mb();
	} while (raw_atomic_read(&memorizer_hold_nmis));
}

/**
 * __memorizer_nmi_enter() - begin an NMI or a machine check while sites are patched
 *
 * Context: NMI or machine check, which may nest, on a CPU that is held or patches.
 */
noinstr void __memorizer_nmi_enter(void)
{
	if (READ_ONCE(patcher) == raw_smp_processor_id()) {
		/* Pairs with the acquire below: others see what is stored. */
		smp_store_release(&paused, true);
	} else {
		raw_atomic_inc(&memorizer_hold_nmis);
		/* Pairs with the barrier in memorizer_hold_pause(). */
		smp_mb__after_atomic();
		/* Pairs with the releases in memorizer_hold_pause() and hold_cpu(). */
		while (!smp_load_acquire(&paused) && smp_load_acquire(&patcher) >= 0)
			cpu_relax();
	}
	/* Sites may have changed since this CPU prefetched them. */
	memorizer_serialize();
}

/**
 * __memorizer_nmi_exit() - let the patching CPU continue
 *
 * Context: as __memorizer_nmi_enter(), after the last site.
 */
noinstr void __memorizer_nmi_exit(void)
{
	if (READ_ONCE(patcher) == raw_smp_processor_id()) {
		/* NMIs on held CPUs may be running since this one set paused. */
		memorizer_hold_pause();
	} else {
		/* Pairs with the acquire in memorizer_hold_pause(): the sites were executed. */
		smp_mb__before_atomic();
		raw_atomic_dec(&memorizer_hold_nmis);
	}
}

/**
 * struct hold - one call of memorizer_hold_cpus()
 * @patch: what the patching CPU runs
 * @data: argument of @patch
 * @cpus: CPUs that have arrived; the first one patches
 */
struct hold {
	void (*patch)(void *data);
	void *data;
	atomic_t cpus;
};

/* Runs on all CPUs, with interrupts off: one patches, while the others are held. */
static int __kprobes hold_cpu(void *data)
{
	struct hold *hold = data;
	int me = smp_processor_id(), cpu;
	/* A hardware breakpoint would run a debug handler, which may have sites. */
	unsigned long breakpoints = local_db_save();

	if (atomic_inc_return(&hold->cpus) == 1) {
		WRITE_ONCE(patcher, me);
		/* From here on, NMIs on this CPU call __memorizer_nmi_enter(). */
		this_cpu_write(memorizer_held, true);
		for_each_online_cpu(cpu) {
			/* Pairs with the release below: what the CPU did before is done. */
			while (!smp_load_acquire(per_cpu_ptr(&memorizer_held, cpu))) {
				/* Yields to other virtual CPUs under single-threaded TCG. */
				cpu_relax();
				memorizer_hold_pause();
			}
		}
		hold->patch(hold->data);
		/* Pairs with the acquires: the others continue with new text only. */
		smp_store_release(&patcher, -1);
	} else {
		while (READ_ONCE(patcher) < 0)
			cpu_relax();
		/* Pairs with the acquire above. */
		smp_store_release(this_cpu_ptr(&memorizer_held), true);
		/* Pairs with the release above. */
		while (smp_load_acquire(&patcher) >= 0)
			cpu_relax();
	}
	/* This CPU may have prefetched sites before they were patched. */
	sync_core();
	this_cpu_write(memorizer_held, false);
	/* Last: from here on, debug exceptions may execute sites. */
	local_db_restore(breakpoints);
	return 0;
}

/**
 * memorizer_hold_cpus() - patch sites on one CPU, while all others are held
 * @patch: stores to the sites; has none itself, is not probed, and calls memorizer_hold_poll()
 *	before each store
 * @data: its argument
 *
 * Context: process context, under cpus_read_lock(); or boot, one CPU.
 * Return: 0, or what stop_machine_cpuslocked() returns
 */
int memorizer_hold_cpus(void (*patch)(void *data), void *data)
{
	struct hold hold = { .patch = patch, .data = data };

	return stop_machine_cpuslocked(hold_cpu, &hold, cpu_online_mask);
}
