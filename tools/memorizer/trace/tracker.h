/* SPDX-License-Identifier: GPL-2.0 */
/* The memory that is live at the current event of a trace. */
#ifndef TRACKER_H
#define TRACKER_H

#include "trace/live.h"
#include "trace/trace.h"

/* Memory of different groups may overlap. */
enum tracker_group {
	TRACKER_SLAB,	/* with large kmalloc; lies in pages */
	TRACKER_PAGES,
	TRACKER_AREAS,	/* of vmalloc, vmap, ioremap and modules */
	TRACKER_LOCAL,	/* stacks and per-CPU memory; lie in pages and areas */
	TRACKER_GROUPS
};

/**
 * struct tracked - an allocation; the first member of a reader's items
 * @time: time of the allocation in ns
 * @ptr: its address
 * @asked: bytes requested
 * @left: bytes not freed yet; 0: the item is unused
 * @kind: the allocator, enum trace_kind
 * @next: private: the next unused item plus one, 0: none
 */
struct tracked {
	u64 time, ptr;
	u32 asked, left, kind, next;
};

/**
 * struct tracker - live memory
 * @memory: private: ranges by group; the nr of a live one is the number of its item
 * @items: private: the reader's items, each beginning with struct tracked
 * @size: private: bytes of an item
 * @nr: number of items, used or not
 * @room: private: number of items that fit into @items
 * @unused: private: the first unused item plus one, 0: none
 * @gone: called after bytes of an allocation were freed, or, with @freed false, allocated again
 *	  although no free of them was seen; NULL: nothing is called
 * @again: called for memory that is freed and was free already; NULL: nothing is called
 * @data: for @gone and @again
 */
struct tracker {
	struct live memory[TRACKER_GROUPS];
	char *items;
	size_t size;
	u32 nr, room, unused;
	void (*gone)(void *data, struct tracked *item, u64 bytes, bool freed);
	void (*again)(void *data, const struct live_range *range);
	void *data;
};

void tracker_init(struct tracker *t, size_t size);
void tracker_free(struct tracker *t);
u64 tracker_bytes_max(u32 kind);
bool tracker_is_range(u32 kind, u64 ptr, u64 bytes);
void *tracker_add(struct tracker *t, const struct trace_event *e, u32 period);
void tracker_remove(struct tracker *t, const struct trace_event *e);
void tracker_release(struct tracker *t, enum tracker_group g, u64 start, u64 end, bool freed,
		     u32 period, u64 nr);
void *tracker_find(const struct tracker *t, u64 addr);
void tracker_prefetch(const struct tracker *t, const struct trace_event *e);

/**
 * tracker_group - get the group of an allocator's memory
 * @kind: the allocator, enum trace_kind
 *
 * Return: the group.
 */
static inline enum tracker_group tracker_group(u32 kind)
{
	if (kind <= TRACE_KMEM_CACHE)
		return TRACKER_SLAB;
	if (kind == TRACE_PAGES)
		return TRACKER_PAGES;
	return kind < TRACE_STACK ? TRACKER_AREAS : TRACKER_LOCAL;
}

/**
 * tracker_item - get an item by its number
 * @t: the tracker
 * @nr: its number, less than @t->nr, or the nr of a live range
 *
 * Return: the item, valid until the next tracker_add().
 */
static inline void *tracker_item(const struct tracker *t, u64 nr)
{
	return t->items + nr * t->size;
}

/**
 * tracked - describe an allocation for the tracker
 * @e: the event
 *
 * Return: the description.
 */
static inline struct tracked tracked(const struct trace_event *e)
{
	return (struct tracked){
		.time = e->time, .ptr = e->u.alloc.ptr, .asked = e->u.alloc.bytes_req,
		.left = e->u.alloc.bytes_alloc, .kind = e->u.alloc.kind,
	};
}

#endif
