// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's grace period.
 *
 * RCU does not watch all the code that has access sites, idle code above all.
 * So every CPU switches to its stopper thread, one after the other: that cannot
 * happen before the CPU has left the preemption-disabled section it was in. No
 * task can keep a stopper from running, of whatever scheduling class it is;
 * work items, synchronize_rcu_tasks_rude()'s among them, wait for real-time tasks.
 */
#include <linux/cpu.h>
#include <linux/stop_machine.h>

#include "memorizer.h"

static int do_nothing(void *unused)
{
	return 0;
}

/**
 * memorizer_grace_period() - wait until all hooks that run now are done
 *
 * Context: process context, may sleep, under memorizer_rwsem, for writing; there is a scheduler.
 */
void memorizer_grace_period(void)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		stop_one_cpu(cpu, do_nothing, NULL);
	cpus_read_unlock();
}
