// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's areas: objects that consist of whole pages, in which others may lie.
 *
 * Also the selection of kinds other than slab and pages, whose hooks have flags of their own.
 */
#include <linux/cache.h>
#include <linux/memorizer-vmalloc.h>

#include "entry.h"
#include "hooks.h"
#include "index.h"
#include "lazy.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"
#include "record.h"
#include "tasks.h"

unsigned int memorizer_recorded_kinds __read_mostly;
unsigned int memorizer_followed_kinds __read_mostly;

/* Apply the filters to an allocation, and record it. */
static void choose_area(enum memorizer_object_kind kind, unsigned long va, size_t size,
			unsigned long ip, u32 stack)
{
	const struct memorizer_geometry geo = {
		.start = va, .pages = DIV_ROUND_UP(size, PAGE_SIZE),
	};
	unsigned int chosen = BIT(MEMORIZER_RECORDED);

	if (READ_ONCE(memorizer_hooks) & MEMORIZER_DO_CHOOSE)
		chosen = memorizer_choose_object((void *)va, kind, ip);
	if (chosen & BIT(MEMORIZER_RECORDED)) {
		memorizer_record(&geo, va, size,
				 memorizer_who(kind, chosen & BIT(MEMORIZER_FIELDS)), ip, stack);
	} else {
		memorizer_index_end_area(va, va + size, 0);
		this_cpu_inc(memorizer_counters.allocs_left_out);
	}
}

/**
 * memorizer_alloc_area() - record an area, or bury what lies there
 * @kind: its kind, one of MEMORIZER_AREA_KINDS
 * @va: its address, page aligned
 * @size: bytes requested, less than 4 GiB
 * @ip: return address into the caller of the allocator
 * @stack: memorizer_alloc_stack()
 * @on: areas of this kind are recorded
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to the caller.
 */
void memorizer_alloc_area(enum memorizer_object_kind kind, unsigned long va, size_t size,
			  unsigned long ip, u32 stack, bool on)
{
	if (on && !memorizer_is_paused()) {
		choose_area(kind, va, size, ip, stack);
		return;
	}
	memorizer_index_end_area(va, va + size, 0);
	if (on)
		this_cpu_inc(memorizer_counters.paused);
}

/**
 * memorizer_switch_kinds() - select what the hooks record, except those of slabs and pages
 * @kinds: a bit for each enum memorizer_object_kind to record
 *
 * Context: process context, under memorizer_rwsem, for writing; or boot, one CPU.
 */
void memorizer_switch_kinds(unsigned int kinds)
{
	/* Hooks read these without a lock. First: what is recorded must be followed. */
	WRITE_ONCE(memorizer_followed_kinds, memorizer_followed_kinds | kinds);
	WRITE_ONCE(memorizer_recorded_kinds, kinds);
	memorizer_switch_lazy(kinds);
}

/**
 * memorizer_observe_kinds() - switch the observer's events of all kinds but slab and pages
 * @on: true to pass allocations and frees to the observer
 *
 * Context: process context, under memorizer_rwsem, for writing; or boot, one CPU.
 */
void memorizer_observe_kinds(bool on)
{
	unsigned int kinds = memorizer_followed_kinds & ~MEMORIZER_KINDS_OBSERVED;

	/* Hooks read it without a lock. */
	WRITE_ONCE(memorizer_followed_kinds, kinds | (on ? MEMORIZER_KINDS_OBSERVED : 0));
}

/**
 * memorizer_clear_kinds() - no longer record or follow objects of some kinds
 * @kinds: a bit for each enum memorizer_object_kind
 * @flags: MEMORIZER_DO_RECORD, MEMORIZER_DO_FOLLOW, or both
 *
 * Context: process context, under memorizer_rwsem, for writing; or boot, one CPU.
 */
void memorizer_clear_kinds(unsigned int kinds, unsigned int flags)
{
	if (flags & MEMORIZER_DO_RECORD)
		memorizer_switch_kinds(memorizer_recorded_kinds & ~kinds);
	if (flags & MEMORIZER_DO_FOLLOW)
		WRITE_ONCE(memorizer_followed_kinds, memorizer_followed_kinds & ~kinds);
}
