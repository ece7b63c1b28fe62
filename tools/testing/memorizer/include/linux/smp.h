/* SPDX-License-Identifier: GPL-2.0 */
/* CPUs. */
#include <linux/preempt.h>
