/* SPDX-License-Identifier: GPL-2.0 */
/* Which memory is allocated and which has been freed, as a trace tells it. */
#ifndef LIVE_H
#define LIVE_H

#include "hash.h"

/**
 * struct live_range - a range of addresses
 * @start: its first byte, from the start of the region it lies in
 * @end: the byte behind it, from there
 * @live: whether it is allocated, else it has been freed
 * @first: whether the allocation or free began with this range; else it goes on from
 *	   the region before
 * @period: when it was allocated or freed; the caller's
 * @nr: in which event; the caller's
 */
struct live_range {
	u32 start, end;
	bool live, first;
	u32 period;
	u64 nr;
};

/**
 * struct live - ranges of addresses, none of which overlaps another
 * @regions: what there is in each region
 */
struct live {
	struct hash regions;
};

/* Called for a range, of which [@start, @end] are the first and last byte. */
typedef void live_visitor(void *data, const struct live_range *range, u64 start, u64 end);

void live_init(struct live *l);
void live_free(struct live *l);
const struct live_range *live_find(const struct live *l, u64 addr, u64 *start, u64 *end);
void live_visit(const struct live *l, u64 start, u64 end, live_visitor *visit, void *data);
void live_set(struct live *l, u64 start, u64 end, bool live, u32 period, u64 nr);

#endif
