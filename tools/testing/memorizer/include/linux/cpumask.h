/* SPDX-License-Identifier: GPL-2.0 */
/* The possible CPUs are the first ones, see percpu.h. */
#ifndef _TEST_LINUX_CPUMASK_H
#define _TEST_LINUX_CPUMASK_H

#include <linux/percpu.h>

#define cpu_possible(cpu)	((cpu) < possible_cpus)

#endif /* _TEST_LINUX_CPUMASK_H */
