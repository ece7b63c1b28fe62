// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's grace period.
 *
 * RCU does not watch all the code that has access sites, idle code above all.
 * So every CPU runs a work item: the context switch to it cannot happen before
 * the CPU has left the preemption-disabled section it was in.
 */
#include <linux/cpu.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

#include "memorizer.h"

static DEFINE_PER_CPU(struct work_struct, grace_work);

static void grace_work_fn(struct work_struct *unused)
{
}

/**
 * memorizer_grace_period() - wait until all hooks that run now are done
 *
 * Context: process context, may sleep, under memorizer_mutex.
 */
void memorizer_grace_period(void)
{
	int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu) {
		INIT_WORK(per_cpu_ptr(&grace_work, cpu), grace_work_fn);
		schedule_work_on(cpu, per_cpu_ptr(&grace_work, cpu));
	}
	for_each_online_cpu(cpu)
		flush_work(per_cpu_ptr(&grace_work, cpu));
	cpus_read_unlock();
}
