/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting for another CPU, which may not run just now. */
#include <sched.h>

#define cpu_relax()	sched_yield()
