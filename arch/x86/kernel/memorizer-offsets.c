// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer: what the thunks, written in assembly, know of the hook's data.
 *
 * Makes memorizer-offsets.h, as asm-offsets.c does for the rest of the kernel.
 */
#define COMPILE_OFFSETS

#include <linux/kbuild.h>
#include <linux/sched.h>

#include <asm/current.h>

#include "memorizer/memorizer.h"

static void __used common(void)
{
	OFFSET(MEMORIZER_ENTRY_IP, memorizer_entry, ip);
	OFFSET(MEMORIZER_ENTRY_PID, memorizer_entry, pid);
	OFFSET(MEMORIZER_ENTRY_OBJECT, memorizer_entry, object);
	OFFSET(MEMORIZER_ENTRY_START, memorizer_entry, start);
	OFFSET(MEMORIZER_ENTRY_READS, memorizer_entry, reads);
	OFFSET(MEMORIZER_ENTRY_WRITES, memorizer_entry, writes);

	BLANK();
	OFFSET(MEMORIZER_OBJECT_BOUND, memorizer_object, bound);

	BLANK();
	OFFSET(MEMORIZER_UNATTRIBUTED, memorizer_counters, unattributed);

	BLANK();
	DEFINE(MEMORIZER_CACHE_SLOTS, MEMORIZER_CACHE_SLOTS);
	DEFINE(MEMORIZER_CACHE_ADDR, MEMORIZER_CACHE_ADDR);
	DEFINE(MEMORIZER_LEAF_SHIFT, MEMORIZER_LEAF_SHIFT);
	DEFINE(MEMORIZER_LEAF_WORDS, MEMORIZER_LEAF_WORDS);
	DEFINE(MEMORIZER_ID_SHIFT, MEMORIZER_ID_SHIFT);

	BLANK();
	OFFSET(TASK_pid, task_struct, pid);
	OFFSET(TASK_memorizer_paused, task_struct, memorizer_paused);
	OFFSET(X86_preempt_count, pcpu_hot, preempt_count);
}
