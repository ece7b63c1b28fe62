// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's objects: make, close and bury them.
 *
 * An object is LIVE once its record is complete and in the index. Code that removes it from the
 * index also closes it. A closed object matches no access. hooks.c opens and closes objects,
 * clear.c gives their records back.
 */
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/memorizer.h>
#include <linux/rwsem.h>
#include <linux/string.h>

#include "announce.h"
#include "entry.h"
#include "hooks.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"

DEFINE_PER_CPU(struct memorizer_counters, memorizer_counters);

/* Held for reading to read the records, for writing to switch, clear and retire. */
DECLARE_RWSEM(memorizer_rwsem);
struct memorizer_cleared memorizer_cleared;
struct memorizer_retired memorizer_retired;

/* As in memorizer_kinds, and in terms of filters. */
const char * const memorizer_kind_names[MEMORIZER_KINDS] = {
	[MEMORIZER_KIND_SLAB] = "slab",
	[MEMORIZER_KIND_PAGES] = "pages",
	[MEMORIZER_KIND_VMALLOC] = "vmalloc",
	[MEMORIZER_KIND_VMAP] = "vmap",
	[MEMORIZER_KIND_IOREMAP] = "ioremap",
	[MEMORIZER_KIND_MODULES] = "modules",
	[MEMORIZER_KIND_STACK] = "stack",
	[MEMORIZER_KIND_STRUCT_PAGE] = "struct_page",
	[MEMORIZER_KIND_STATIC] = "static",
	[MEMORIZER_KIND_PERCPU] = "percpu",
	[MEMORIZER_KIND_MEMBLOCK] = "memblock",
	[MEMORIZER_KIND_USER] = "user",
};

/* What the allocator's hooks do. Written under memorizer_rwsem. */
u8 memorizer_hooks __read_mostly;

/**
 * memorizer_switch_hooks() - change what the allocator's hooks do
 * @what: MEMORIZER_DO_RECORD or other such bits
 * @on: true to set them, false to clear them
 *
 * Context: process context, under memorizer_rwsem, for writing; or boot, one CPU.
 */
void memorizer_switch_hooks(unsigned int what, bool on)
{
	/* Hooks read it without a lock. */
	WRITE_ONCE(memorizer_hooks, (memorizer_hooks & ~what) | (on ? what : 0));
}

/**
 * memorizer_object_make() - take a record from the pool and describe an object in it
 * @va: address
 * @size: bytes requested
 * @how: memorizer_who()
 * @ip: return address into the caller of the allocator
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: id of the object, which is private until it is in the index; 0 if the pool is full
 */
u32 __kprobes memorizer_object_make(unsigned long va, size_t size, u32 how, unsigned long ip)
{
	void *record;
	u32 id;

	id = memorizer_pool_take(MEMORIZER_OBJECT, sizeof(struct memorizer_object), &record);
	if (unlikely(!id)) {
		id = memorizer_pool_alloc(MEMORIZER_OBJECT);
		if (!id)
			return 0;
		record = memorizer_ptr(id);
	}
	memorizer_object_describe(record, va, size, how, ip);
	return id;
}

/**
 * memorizer_object_copy() - describe a part of an object in a record of its own
 * @id: the object
 * @va: the part's address
 * @size: bytes of it
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: as memorizer_object_make(); the allocation has the same time, caller and task
 */
u32 memorizer_object_copy(u32 id, unsigned long va, size_t size)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	struct memorizer_object *part;

	id = memorizer_object_make(va, size, object->who & ~MEMORIZER_PID_MASK,
				   memorizer_unpack_ip(object->alloc_ip));
	if (!id)
		return 0;
	part = memorizer_ptr(id);
	memorizer_set_alloc_jiffies(part, memorizer_alloc_jiffies(object));
	WRITE_ONCE(part->who, object->who);
	memcpy(part->comm, object->comm, sizeof(part->comm));
	return id;
}

/**
 * memorizer_object_close() - close an object, which invalidates its entries
 * @id: the object
 * @state: MEMORIZER_FREED or MEMORIZER_BURIED
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: false if it was already closed
 */
bool memorizer_object_close(u32 id, enum memorizer_state state)
{
	struct memorizer_object *object = memorizer_ptr(id);
	u8 was = READ_ONCE(object->state);

	/*
	 * Hide the object before its state changes: memorizer_clear() does not wait for hooks that
	 * begin after it has found a closed object, so they must not match. Hide it even if another
	 * CPU closes it first, because this CPU's new object may be accessed next.
	 */
	if (was != MEMORIZER_UNUSED)
		WRITE_ONCE(object->at, memorizer_hide(memorizer_object_va(object)));
	if (was == MEMORIZER_LIVE) {
		/* Before the cmpxchg: the description is complete once the state changes. */
		memorizer_set_free_jiffies(object, jiffies);
		was = cmpxchg(&object->state, MEMORIZER_LIVE, state);
	}
	/* The CPU that closed the object counts and announces it. */
	if (was != MEMORIZER_LIVE)
		return false;
	memorizer_announce_end(id);
	return true;
}

/**
 * memorizer_object_bury() - close an object that another one now overlaps
 * @id: the object
 *
 * Context: any, NMI included, with preemption disabled.
 */
void memorizer_object_bury(u32 id)
{
	if (memorizer_object_close(id, MEMORIZER_BURIED))
		this_cpu_inc(memorizer_counters.buried);
}
