// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's grace period.
 *
 * RCU does not watch all code that has access sites, such as idle code. Instead, each CPU
 * switches to its stopper thread.
 */
#include <linux/cpu.h>
#include <linux/stop_machine.h>

#include "memorizer.h"

static int do_nothing(void *unused)
{
	return 0;
}

/**
 * memorizer_grace_period() - wait for all hooks that are running
 *
 * Context: process context, may sleep; the scheduler is up.
 */
void memorizer_grace_period(void)
{
	int cpu;

	/* Offline CPUs run no hooks, and none comes online meanwhile. */
	cpus_read_lock();
	/*
	 * No CPU switches to its stopper within a preemption-disabled section, such as a hook.
	 * Stoppers preempt tasks of all scheduling classes; work items, which
	 * synchronize_rcu_tasks_rude() uses, would wait for real-time tasks.
	 */
	for_each_online_cpu(cpu)
		stop_one_cpu(cpu, do_nothing, NULL);
	cpus_read_unlock();
}
