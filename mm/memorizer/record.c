// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's objects in the index: record them, and end them.
 */
#include <linux/memorizer.h>

#include "alloc_stack.h"
#include "announce.h"
#include "entry.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"
#include "record.h"

static void lose_object(unsigned long va, size_t size, u32 how, enum memorizer_loss why)
{
	/* Otherwise, accesses to the new object would be counted for an earlier one. */
	if (how & MEMORIZER_AREA)
		memorizer_index_end_area(va, va + size, 0);
	else
		memorizer_index_bury(va, size);
	this_cpu_inc(memorizer_counters.lost[why]);
}

/* Insert an object, which is still private, into the index, and publish it. */
static noinline void insert_object(const struct memorizer_geometry *geo, unsigned long va,
				   u32 how, u32 id)
{
	struct memorizer_object *object = memorizer_ptr(id);
	int err = memorizer_index_insert(geo, va, id);
	size_t size = object->size;

	if (err) {
		/* Never visible: a failed insertion puts the id nowhere. */
		memorizer_pool_free(MEMORIZER_OBJECT, id);
		lose_object(va, size, how,
			    err == -ERANGE ? MEMORIZER_LOST_RANGE : MEMORIZER_LOST_INDEX);
		return;
	}
	memorizer_object_publish(object, va, how & MEMORIZER_BY_GRANULE);
	memorizer_announce_object(id);
}

/**
 * memorizer_record() - record an object
 * @geo: the layout of objects around it
 * @va: its address
 * @size: bytes requested, less than 4 GiB
 * @how: memorizer_who()
 * @ip: return address into the caller of the allocator
 * @stack: memorizer_alloc_stack()
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to the caller.
 */
void memorizer_record(const struct memorizer_geometry *geo, unsigned long va, size_t size,
		      u32 how, unsigned long ip, u32 stack)
{
	u32 id = memorizer_object_make(va, size, how, ip);

	if (!id) {
		lose_object(va, size, how, MEMORIZER_LOST_OBJECT);
		return;
	}
	memorizer_object_set_stack(memorizer_ptr(id), stack);
	insert_object(geo, va, how, id);
}

/**
 * memorizer_end_id() - close an object that was removed from the index
 * @id: the object
 * @ip: return address into the caller of the allocator
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to the caller.
 */
void memorizer_end_id(u32 id, unsigned long ip)
{
	struct memorizer_object *object = memorizer_ptr(id);

	/* memorizer_set_free_ip() takes precedence. */
	if (!object->free_ip)
		WRITE_ONCE(object->free_ip, memorizer_pack_ip(ip));
	/* Fails if another CPU has buried it, or if its kind has just been switched off. */
	if (memorizer_object_close(id, MEMORIZER_FREED))
		this_cpu_inc(memorizer_counters.frees);
	else
		this_cpu_inc(memorizer_counters.unknown_frees);
}

/**
 * memorizer_end() - end the object that begins at an address, unless it is an area
 * @va: the address
 * @ip: return address into the caller of the allocator
 *
 * Context: any, NMI included, with preemption disabled; the memory belongs to the caller.
 */
void memorizer_end(unsigned long va, unsigned long ip)
{
	u32 id = memorizer_index_erase(va);

	if (id)
		memorizer_end_id(id, ip);
	else
		this_cpu_inc(memorizer_counters.unknown_frees);
}
