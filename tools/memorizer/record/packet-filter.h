/* SPDX-License-Identifier: GPL-2.0 */
/* Filters events from packets before they are written. */
#ifndef PACKET_FILTER_H
#define PACKET_FILTER_H

#include "trace/metadata.h"

/* A set of numbers; an empty one matches everything. */
struct number_list {
	u32 *number;
	u32 nr;
};

/**
 * struct packet_selection - events to keep
 * @pids: keep accesses of these tasks
 * @cpus: keep accesses on these CPUs
 * @pids_in_kernel: the kernel filters by task, possibly with children; ignore @pids
 * @memory: keep allocations and frees of these kinds, a mask of enum kmap_kind
 */
struct packet_selection {
	struct number_list pids, cpus;
	bool pids_in_kernel;
	u32 memory;
};

#define PACKET_MEMORY_ALL	U32_MAX

bool number_list_parse(struct number_list *list, const char *text);
void packet_selection_free(struct packet_selection *select);

/**
 * struct event_layout - layout of an event
 * @known: the size can be computed
 * @text: a string follows the fields
 * @size: size of the header and the fields in bytes, without the string
 * @what: how the event is filtered, or, from EVENT_TASK on, which state it announces
 * @at: offset of the key field
 */
struct event_layout {
	bool known, text;
	u32 size;
	enum { EVENT_KEEP, EVENT_ACCESS, EVENT_MEMORY, EVENT_TASK, EVENT_CACHE,
	       EVENT_MODULE, EVENT_FRAME } what;
	u32 at;
};

/**
 * struct packet_filter - a filter for the packets of a trace
 * @select: the events to keep
 * @head: size of the packet header and context in bytes
 * @content: offset of content_size in a packet
 * @events: the layouts, by event id
 */
struct packet_filter {
	const struct packet_selection *select;
	u32 head, content;
	struct event_layout events[256];
};

bool packet_filter_is_needed(const struct packet_selection *select);
bool packet_filter_init(struct packet_filter *f, const struct packet_selection *select,
			const char *dir);
size_t event_layout_size(const struct event_layout *e, const char *p, size_t left);
size_t packet_filter_apply(const struct packet_filter *f, u32 cpu, char *data, size_t len,
			   u64 *left_out);

#endif
