// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that spin: the number of their accesses depends on the time a CPU waits, not on
 * its work.
 */
#include <string.h>

#include "kmap/kmap.h"
#include "report/waits.h"

/**
 * waits - check whether a function spins
 * @function: its name
 *
 * Return: true for the kernel's loops that wait for a lock or another CPU.
 */
bool waits(const char *function)
{
	static const char * const names[] = {
		/* kernel/locking */
		"mutex_can_spin_on_owner", "mutex_spin_on_owner", "osq_lock",
		"native_queued_spin_lock_slowpath", "queued_spin_lock_slowpath",
		"__pv_queued_spin_lock_slowpath",
		"queued_read_lock_slowpath", "queued_write_lock_slowpath",
		"rtmutex_spin_on_owner", "rwsem_can_spin_on_owner", "rwsem_spin_on_owner",
		"rwsem_optimistic_spin",
		/* kernel/smp.c, kernel/stop_machine.c: for another CPU */
		"csd_lock_wait", "smp_call_function_many_cond", "multi_cpu_stop",
	};
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		len = strlen(names[i]);
		/* GCC names clones NAME.part.0 and the like. */
		if (!strncmp(function, names[i], len) && (!function[len] || function[len] == '.'))
			return true;
	}
	return false;
}
