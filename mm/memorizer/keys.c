// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's keys: each CPU's copy of its running task's memorizer_key, see tasks.h.
 */
#include <linux/percpu.h>
#include <linux/types.h>

#include "tasks.h"

DEFINE_PER_CPU(u64, memorizer_current_key);
