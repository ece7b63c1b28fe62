/* SPDX-License-Identifier: GPL-2.0 */
/* Yields, because the CPU that this one waits for may not be running. */
#include <sched.h>

#define cpu_relax()	sched_yield()
