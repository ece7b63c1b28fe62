// SPDX-License-Identifier: GPL-2.0
/*
 * Generates memorizer-offsets.h for Memorizer's thunks, as asm-offsets.c does for the rest of the
 * kernel's assembly.
 */
#define COMPILE_OFFSETS

#include <linux/kbuild.h>
#include <linux/preempt.h>

#include <asm/current.h>

#include "memorizer/access.h"
#include "memorizer/caches.h"
#include "memorizer/entry.h"
#include "memorizer/index.h"
#include "memorizer/memorizer.h"
#include "memorizer/object.h"

static void __used common(void)
{
	OFFSET(MEMORIZER_ENTRY_KEY, memorizer_entry, key);
	OFFSET(MEMORIZER_ENTRY_OBJECT, memorizer_entry, object);
	OFFSET(MEMORIZER_ENTRY_READS, memorizer_entry, reads);
	OFFSET(MEMORIZER_ENTRY_WRITES, memorizer_entry, writes);
	OFFSET(MEMORIZER_ENTRY_TIMES, memorizer_entry, times);
	OFFSET(MEMORIZER_ENTRY_EXTENT, memorizer_entry, extent);
	OFFSET(MEMORIZER_GROUP_EXTENT, memorizer_group, extent);
	OFFSET(MEMORIZER_GROUP_ACCESSES, memorizer_group, accesses);

	BLANK();
	OFFSET(MEMORIZER_OBJECT_AT, memorizer_object, at);
	OFFSET(MEMORIZER_OBJECT_SIZE, memorizer_object, size);

	BLANK();
	OFFSET(MEMORIZER_UNATTRIBUTED, memorizer_counters, unattributed);

	BLANK();
	DEFINE(MEMORIZER_CACHE_SLOTS, MEMORIZER_CACHE_SLOTS);
	DEFINE(MEMORIZER_CACHE_ADDR, MEMORIZER_CACHE_ADDR);
	DEFINE(MEMORIZER_FOUND_SLOTS, MEMORIZER_FOUND_SLOTS);
	DEFINE(MEMORIZER_FOUND_ADDR, MEMORIZER_FOUND_ADDR);
	DEFINE(MEMORIZER_LEAF_SHIFT, MEMORIZER_LEAF_SHIFT);
	DEFINE(MEMORIZER_LEAF_WORDS, MEMORIZER_LEAF_WORDS);
	DEFINE(MEMORIZER_ID_SHIFT, MEMORIZER_ID_SHIFT);

	BLANK();
	OFFSET(X86_preempt_count, pcpu_hot, preempt_count);
}
