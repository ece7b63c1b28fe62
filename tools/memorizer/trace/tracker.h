/* SPDX-License-Identifier: GPL-2.0 */
/* What is allocated while a trace goes by, and what its reader knows of each allocation. */
#ifndef TRACKER_H
#define TRACKER_H

#include "trace/live.h"
#include "trace/trace.h"

/* Slab allocator and large kmalloc; pages. One lies in the other. */
enum tracker_group { TRACKER_SLAB, TRACKER_PAGES, TRACKER_GROUPS };

#define TRACKER_TAGS	4

/**
 * struct tracked - memory that is allocated
 * @time: when it was allocated, in ns
 * @nr: number of the event that allocated it
 * @ptr: its address
 * @asked: bytes that were asked for
 * @bytes: its size, with what the allocator adds: no code is to use that
 * @left: bytes that were not freed; 0: this one is not in use
 * @tag: what the reader knows of it
 * @group: which memory it is
 * @next: private: the next that is not in use, plus one
 */
struct tracked {
	u64 time, nr, ptr, asked, bytes, left;
	u32 tag[TRACKER_TAGS];
	enum tracker_group group;
	u32 next;
};

/**
 * struct tracker - what is allocated
 * @memory: private: where
 * @items: what; as long as left is not 0
 * @nr: number of @items
 * @room: private: items that there is room for
 * @unused: private: the first that is not in use, plus one
 * @gone: is called when bytes of an allocation are freed, or allocated again although no
 *	  free of them was seen (@freed is false then); @left is what is left of it
 * @data: for @gone
 */
struct tracker {
	struct live memory[TRACKER_GROUPS];
	struct tracked *items;
	u32 nr, room, unused;
	void (*gone)(void *data, const struct tracked *item, u64 bytes, bool freed);
	void *data;
};

void tracker_init(struct tracker *t);
void tracker_free(struct tracker *t);
bool tracker_add(struct tracker *t, const struct trace_event *e, const u32 tag[TRACKER_TAGS]);
void tracker_remove(struct tracker *t, const struct trace_event *e);
const struct tracked *tracker_find(const struct tracker *t, u64 addr);
void tracker_prefetch(const struct tracker *t, const struct trace_event *e);

#endif
