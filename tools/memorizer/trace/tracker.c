// SPDX-License-Identifier: GPL-2.0
/*
 * Tracks the memory that is live at the current event of a trace. Its own memory grows with what
 * is live, not with the length of the trace.
 */
#include <stdlib.h>

#include "kmap/kmap.h"
#include "trace/tracker.h"

#define BYTES_MAX	(1ull << 30)	/* of an allocation, apart from areas */

/* A visit to the memory from @start to @end, its first and last byte. */
struct visit {
	struct tracker *t;
	u64 start, end;
	bool freed;
};

/**
 * tracker_init - initialize a tracker, with no live memory
 * @t: the tracker; the caller may set @t->gone, @t->again and @t->data after this
 * @size: bytes of an item, which begins with struct tracked
 */
void tracker_init(struct tracker *t, size_t size)
{
	int g;

	*t = (struct tracker){ .size = size };
	for (g = 0; g < TRACKER_GROUPS; g++)
		live_init(t->memory + g);
}

/**
 * tracker_free - free a tracker's memory
 * @t: the tracker
 */
void tracker_free(struct tracker *t)
{
	int g;

	for (g = 0; g < TRACKER_GROUPS; g++)
		live_free(t->memory + g);
	free(t->items);
}

/* Takes from an allocation its bytes within the visit, and frees its item with the last one. */
static void take(void *data, const struct live_range *range)
{
	struct visit *v = data;
	struct tracked *item;
	u64 bytes;

	/* Freed memory has no item. The caller may report a second free of it. */
	if (!range->live) {
		if (v->freed && v->t->again)
			v->t->again(v->t->data, range);
		return;
	}
	item = tracker_item(v->t, range->nr);
	bytes = live_overlap(range, v->start, v->end);
	item->left -= bytes;
	if (v->t->gone)
		v->t->gone(v->t->data, item, bytes, v->freed);
	/* Pages may be freed in several pieces. */
	if (item->left)
		return;
	item->next = v->t->unused;
	v->t->unused = range->nr + 1;
}

static u32 new_item(struct tracker *t)
{
	u32 nr = t->unused;

	if (nr) {
		t->unused = ((struct tracked *)tracker_item(t, nr - 1))->next;
		return nr - 1;
	}
	if (t->nr == t->room) {
		t->room = t->room ? 2 * t->room : 1024;
		t->items = xreallocarray(t->items, t->room, t->size);
	}
	return t->nr++;
}

/**
 * tracker_bytes_max - get the size of the largest allocation that can be tracked
 * @kind: the allocator, enum trace_kind
 *
 * Return: its size in bytes.
 */
u64 tracker_bytes_max(u32 kind)
{
	return tracker_group(kind) == TRACKER_AREAS ? U32_MAX : BYTES_MAX;
}

/**
 * tracker_is_range - check whether memory can be tracked
 * @kind: the allocator, enum trace_kind
 * @ptr: its address
 * @bytes: its size
 *
 * Return: whether it has bytes, does not wrap, and is not larger than any allocation.
 */
bool tracker_is_range(u32 kind, u64 ptr, u64 bytes)
{
	return bytes && bytes <= tracker_bytes_max(kind) && bytes - 1 <= U64_MAX - ptr;
}

/**
 * tracker_add - track an allocation
 * @t: the tracker
 * @e: the event
 * @period: stored in the range of its memory
 *
 * What lies in that memory is gone, because no free of it was seen.
 *
 * Return: the new item, of which struct tracked is set and the rest is the caller's; NULL if
 *	   tracker_is_range() rejects the memory.
 */
void *tracker_add(struct tracker *t, const struct trace_event *e, u32 period)
{
	enum tracker_group g = tracker_group(e->u.alloc.kind);
	u64 ptr = e->u.alloc.ptr, bytes = e->u.alloc.bytes_alloc;
	struct visit v = { t, ptr, ptr + bytes - 1, false };
	struct tracked *item;
	u32 nr;

	if (!tracker_is_range(e->u.alloc.kind, ptr, bytes))
		return NULL;
	/* Before new_item(): the items that this frees can be reused. */
	live_visit(t->memory + g, v.start, v.end, take, &v);
	nr = new_item(t);
	live_set(t->memory + g, v.start, v.end, true, period, nr);
	/* Not before: new_item() may have moved the items. */
	item = tracker_item(t, nr);
	*item = tracked(e);
	return item;
}

/**
 * tracker_release - mark memory as free
 * @t: the tracker
 * @g: the group that the memory is in
 * @start: its first byte
 * @end: its last byte; tracker_is_range() accepts the memory
 * @freed: the memory is freed by an event; else its free was not seen
 * @period: stored in the range of the memory, for @t->again
 * @nr: likewise
 */
void tracker_release(struct tracker *t, enum tracker_group g, u64 start, u64 end, bool freed,
		     u32 period, u64 nr)
{
	struct visit v = { t, start, end, freed };

	live_visit(t->memory + g, start, end, take, &v);
	live_set(t->memory + g, start, end, false, period, nr);
}

/**
 * tracker_remove - track a free
 * @t: the tracker
 * @e: the event
 */
void tracker_remove(struct tracker *t, const struct trace_event *e)
{
	enum tracker_group g = tracker_group(e->u.free.kind);
	u64 ptr = e->u.free.ptr, bytes = e->u.free.bytes, end = ptr + bytes - 1;
	const struct live_range *range;

	if (!tracker_is_range(e->u.free.kind, ptr, bytes))
		return;
	/* Only pages are freed in parts. The free of an area may leave out a guard page. */
	range = g == TRACKER_PAGES ? NULL : live_find(t->memory + g, ptr);
	if (range && range->live && range->start == ptr)
		end = live_end(range);
	tracker_release(t, g, ptr, end, true, 0, 0);
}

/**
 * tracker_find - look up the object at an address
 * @t: the tracker
 * @addr: the address
 *
 * As in the KMAP, the bytes of a slab's slot beyond those requested belong to no object. With
 * SLUB's debugging, they extend into the red zone before the next object. If the trace has the
 * allocation of the slab's pages, they belong to these, as free slots do.
 *
 * Return: the item of the slab object, stack or per-CPU memory, else that of the pages or the
 *	   area, or NULL.
 */
void *tracker_find(const struct tracker *t, u64 addr)
{
	/* What lies in pages and areas comes first. */
	static const enum tracker_group order[] = {
		TRACKER_SLAB, TRACKER_LOCAL, TRACKER_PAGES, TRACKER_AREAS
	};
	const struct live_range *range;
	struct tracked *item;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(order); i++) {
		range = live_find(t->memory + order[i], addr);
		if (!range || !range->live)
			continue;
		item = tracker_item(t, range->nr);
		if (addr - item->ptr < item->asked)
			return item;
	}
	return NULL;
}

/**
 * tracker_prefetch - prefetch what an event needs
 * @t: the tracker
 * @e: an event that comes soon
 */
void tracker_prefetch(const struct tracker *t, const struct trace_event *e)
{
	if (e->type == TRACE_ALLOC)
		live_prefetch(t->memory + tracker_group(e->u.alloc.kind), e->u.alloc.ptr);
	else if (e->type == TRACE_FREE)
		live_prefetch(t->memory + tracker_group(e->u.free.kind), e->u.free.ptr);
	else if (e->type == TRACE_ACCESS)
		live_prefetch(t->memory + TRACKER_SLAB, e->u.access.ptr);
}
