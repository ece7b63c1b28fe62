// SPDX-License-Identifier: GPL-2.0
/*
 * What is allocated while a trace goes by. What is kept grows with what is live, not with
 * the length of the trace.
 */
#include <stdlib.h>
#include <string.h>

#include "kmap/kmap.h"
#include "trace/tracker.h"

#define BYTES_MAX	(1ull << 30)	/* of an allocation; what claims more is not tracked */

/* What is being done with the memory from @start to @end, the first and the last byte. */
struct visit {
	struct tracker *t;
	u64 start, end;
	bool freed;
};

/**
 * tracker_init - begin with nothing
 * @t: what is allocated; @t->gone and @t->data may be set after this
 */
void tracker_init(struct tracker *t)
{
	int g;

	*t = (struct tracker){ .nr = 0 };
	for (g = 0; g < TRACKER_GROUPS; g++)
		live_init(t->memory + g);
}

/**
 * tracker_free - release memory
 * @t: what is allocated
 */
void tracker_free(struct tracker *t)
{
	int g;

	for (g = 0; g < TRACKER_GROUPS; g++)
		live_free(t->memory + g);
	free(t->items);
}

/* Takes from an allocation what lies between start and end. */
static void take(void *data, const struct live_range *range)
{
	struct visit *v = data;
	struct tracked *item;
	u64 bytes;

	if (!range->live)
		return;
	item = v->t->items + range->nr;
	bytes = live_overlap(range, v->start, v->end);
	item->left -= bytes;
	if (v->t->gone)
		v->t->gone(v->t->data, item, bytes, v->freed);
	if (item->left)
		return;
	item->next = v->t->unused;
	v->t->unused = range->nr + 1;
}

static u32 new_item(struct tracker *t)
{
	u32 nr = t->unused;

	if (nr) {
		t->unused = t->items[nr - 1].next;
		return nr - 1;
	}
	if (t->nr == t->room) {
		t->room = t->room ? 2 * t->room : 1024;
		t->items = kmap_array(t->items, t->room, sizeof(*t->items));
	}
	return t->nr++;
}

static enum tracker_group group_of(u32 kind)
{
	return kind == TRACE_PAGES ? TRACKER_PAGES : TRACKER_SLAB;
}

static bool is_range(u64 ptr, u64 bytes)
{
	return bytes && bytes <= BYTES_MAX && bytes - 1 <= U64_MAX - ptr;
}

/**
 * tracker_add - take note of an allocation
 * @t: what is allocated
 * @e: the event
 * @tag: what is known of it
 *
 * Return: whether it is tracked: not if it has no bytes or more than can be.
 */
bool tracker_add(struct tracker *t, const struct trace_event *e, const u32 tag[TRACKER_TAGS])
{
	enum tracker_group g = group_of(e->u.alloc.kind);
	u64 ptr = e->u.alloc.ptr, bytes = e->u.alloc.bytes_alloc;
	struct visit v = { t, ptr, ptr + bytes - 1, false };
	u32 nr;

	if (!is_range(ptr, bytes))
		return false;
	live_visit(t->memory + g, v.start, v.end, take, &v);
	nr = new_item(t);
	t->items[nr] = (struct tracked){ .time = e->time, .nr = e->nr, .ptr = ptr,
					   .asked = e->u.alloc.bytes_req,
					   .bytes = bytes, .left = bytes, .group = g };
	memcpy(t->items[nr].tag, tag, sizeof(t->items[nr].tag));
	live_set(t->memory + g, v.start, v.end, true, 0, nr);
	return true;
}

/**
 * tracker_remove - take note of a free
 * @t: what is allocated
 * @e: the event
 */
void tracker_remove(struct tracker *t, const struct trace_event *e)
{
	enum tracker_group g = group_of(e->u.free.kind);
	u64 ptr = e->u.free.ptr, bytes = e->u.free.bytes;
	struct visit v = { t, ptr, ptr + bytes - 1, true };

	if (!is_range(ptr, bytes))
		return;
	live_visit(t->memory + g, v.start, v.end, take, &v);
	live_set(t->memory + g, v.start, v.end, false, 0, 0);
}

/**
 * tracker_find - find what an address belongs to
 * @t: what is allocated
 * @addr: the address
 *
 * What a slab's slot has beyond the bytes that were asked for belongs to no object, as in
 * the KMAP. With SLUB's debugging it ends within the red zone before the next object.
 *
 * Return: the object of the slab allocator that has it within, or else the pages, or NULL.
 */
const struct tracked *tracker_find(const struct tracker *t, u64 addr)
{
	const struct live_range *range;
	const struct tracked *item;
	int g;

	for (g = 0; g < TRACKER_GROUPS; g++) {
		range = live_find(t->memory + g, addr);
		if (!range || !range->live)
			continue;
		item = t->items + range->nr;
		if (addr - item->ptr < item->asked)
			return item;
	}
	return NULL;
}

/**
 * tracker_prefetch - let the processor fetch what an event will need
 * @t: what is allocated
 * @e: the event, which comes soon
 */
void tracker_prefetch(const struct tracker *t, const struct trace_event *e)
{
	if (e->type == TRACE_ALLOC)
		live_prefetch(t->memory + group_of(e->u.alloc.kind), e->u.alloc.ptr);
	else if (e->type == TRACE_FREE)
		live_prefetch(t->memory + group_of(e->u.free.kind), e->u.free.ptr);
	else if (e->type == TRACE_ACCESS)
		live_prefetch(t->memory + TRACKER_SLAB, e->u.access.ptr);
}
