/* SPDX-License-Identifier: GPL-2.0 */
/* What is allocated while a trace goes by, and what its reader knows of each allocation. */
#ifndef TRACKER_H
#define TRACKER_H

#include "trace/live.h"
#include "trace/trace.h"

/* Slab allocator and large kmalloc; pages. One lies in the other. */
enum tracker_group { TRACKER_SLAB, TRACKER_PAGES, TRACKER_GROUPS };

/**
 * struct tracked - memory that is allocated; the first member of what its reader knows of it
 * @time: when it was allocated, in ns
 * @ptr: its address
 * @asked: bytes that were asked for
 * @left: bytes that were not freed; 0: this one is not in use
 * @kind: what was asked for, enum trace_kind
 * @next: private: the next that is not in use, plus one
 */
struct tracked {
	u64 time, ptr;
	u32 asked, left, kind, next;
};

/**
 * struct tracker - what is allocated
 * @memory: private: where
 * @items: private: struct tracked, each with what the reader knows
 * @size: private: bytes of one
 * @nr: number of @items
 * @room: private: items that there is room for
 * @unused: private: the first that is not in use, plus one
 * @gone: is called when bytes of an allocation are freed, or allocated again although no
 *	  free of them was seen (@freed is false then); @left is what is left of it
 * @again: is called for memory that was free already when it is freed; or NULL
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
bool tracker_is_range(u64 ptr, u64 bytes);
void *tracker_add(struct tracker *t, const struct trace_event *e, u32 period);
void tracker_remove(struct tracker *t, const struct trace_event *e);
void tracker_release(struct tracker *t, enum tracker_group g, u64 start, u64 end, bool freed,
		     u32 period, u64 nr);
const void *tracker_find(const struct tracker *t, u64 addr);
void tracker_prefetch(const struct tracker *t, const struct trace_event *e);

/**
 * tracker_group - find where memory is
 * @kind: what was asked for, enum trace_kind
 *
 * Return: the group.
 */
static inline enum tracker_group tracker_group(u32 kind)
{
	return kind == TRACE_PAGES ? TRACKER_PAGES : TRACKER_SLAB;
}

/**
 * tracker_item - look up an item
 * @t: what is allocated
 * @nr: its number, less than @t->nr, or the nr of a live range
 *
 * Return: the item, valid until the next tracker_add().
 */
static inline void *tracker_item(const struct tracker *t, u64 nr)
{
	return t->items + nr * t->size;
}

/**
 * tracked - describe an allocation
 * @e: the event
 *
 * Return: what the tracker knows of it.
 */
static inline struct tracked tracked(const struct trace_event *e)
{
	return (struct tracked){
		.time = e->time, .ptr = e->u.alloc.ptr, .asked = e->u.alloc.bytes_req,
		.left = e->u.alloc.bytes_alloc, .kind = e->u.alloc.kind,
	};
}

#endif
