/* SPDX-License-Identifier: GPL-2.0 */
/* As in a kernel without preemption: to disable it costs nothing. */
#ifndef _BENCH_LINUX_PREEMPT_H
#define _BENCH_LINUX_PREEMPT_H

#include <linux/compiler.h>

#define SOFTIRQ_OFFSET	0x00000100
#define HARDIRQ_MASK	0x000f0000
#define NMI_MASK	0x00f00000

#define smp_processor_id()	this_cpu_read(pcpu_hot.cpu_number)
#define in_task() \
	(!(this_cpu_read(pcpu_hot.preempt_count) & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)))
#define preempt_disable_notrace()	barrier()
#define preempt_enable_notrace()	barrier()

#endif /* _BENCH_LINUX_PREEMPT_H */
