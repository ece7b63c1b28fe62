// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's vmalloc areas: record what vmalloc(), vmap(), ioremap() and execmem_alloc() hand
 * out.
 */
#include <linux/build_bug.h>
#include <linux/memorizer-vmalloc.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/vmalloc.h>

#include "alloc_stack.h"
#include "entry.h"
#include "hooks.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "record.h"

/* The index takes up to a millisecond for so many bytes, with preemption disabled. */
#define AREA_MAX	SZ_64M

static enum memorizer_object_kind kind_of(unsigned long va, unsigned long flags)
{
	if (va >= MODULES_VADDR && va < MODULES_END)
		return MEMORIZER_KIND_MODULES;
	if (flags & VM_IOREMAP)
		return MEMORIZER_KIND_IOREMAP;
	return flags & VM_ALLOC ? MEMORIZER_KIND_VMALLOC : MEMORIZER_KIND_VMAP;
}

/* The kind of the allocator's function, for the observer. */
static enum memorizer_source source_of(enum memorizer_object_kind kind)
{
	static_assert(MEMORIZER_MODULES - MEMORIZER_VMALLOC ==
		      MEMORIZER_KIND_MODULES - MEMORIZER_KIND_VMALLOC);

	return MEMORIZER_VMALLOC + (kind - MEMORIZER_KIND_VMALLOC);
}

static bool is_followed(enum memorizer_object_kind kind)
{
	return READ_ONCE(memorizer_followed_kinds) & BIT(kind);
}

void __memorizer_vmalloc(const void *addr, size_t size, size_t bytes, unsigned long flags,
			 unsigned long ip)
{
	unsigned long va = (unsigned long)addr;
	enum memorizer_object_kind kind = kind_of(va, flags);
	u32 stack = 0;
	bool on;

	if (memorizer_observes_kinds())
		memorizer_observer_alloc_area(addr, size, bytes, ip, source_of(kind));
	if (READ_ONCE(memorizer_recorded_kinds) & BIT(kind))
		stack = memorizer_alloc_stack(addr, kind, ip);
	preempt_disable_notrace();
	on = READ_ONCE(memorizer_recorded_kinds) & BIT(kind);
	/* There is nothing to bury otherwise: each end of an area has its hook. */
	if (size <= AREA_MAX && is_followed(kind))
		memorizer_alloc_area(kind, va, size, ip, stack, on);
	else if (on)
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_RANGE]);
	preempt_enable_notrace();
}

void __memorizer_vfree(const void *addr, size_t bytes, unsigned long flags, unsigned long ip)
{
	unsigned long va = (unsigned long)addr;
	enum memorizer_object_kind kind = kind_of(va, flags);
	const struct memorizer_object *object;
	u32 id;

	if (memorizer_observes_kinds())
		memorizer_observer_free_area(addr, bytes, ip, source_of(kind));
	preempt_disable_notrace();
	if (!is_followed(kind))
		goto out;
	id = memorizer_index_area(va);
	object = memorizer_ptr(id);
	if (id && memorizer_object_va(object) == va) {
		memorizer_index_end_area(va, va + READ_ONCE(object->size), id);
		memorizer_end_id(id, ip);
	} else {
		this_cpu_inc(memorizer_counters.unknown_frees);
	}
out:
	preempt_enable_notrace();
}
