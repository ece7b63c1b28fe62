/* SPDX-License-Identifier: GPL-2.0 */
/* Which memory is allocated and which has been freed, as a trace tells it. */
#ifndef LIVE_H
#define LIVE_H

#include "lib/types.h"

struct live_node;

/**
 * struct live_range - a range of addresses
 * @start: its first byte
 * @nr: in which event it was allocated or freed; the caller's
 * @size: its size in bytes, less one
 * @period: when it was allocated or freed; the caller's
 * @live: whether it is allocated, else it has been freed
 * @first: whether the allocation or free began with this range; else what it began with
 *	   has been replaced
 * @used: private: else this is an empty slot
 */
struct live_range {
	u64 start, nr;
	u32 size, period;
	bool live, first, used;
};

/**
 * struct live - ranges of addresses, none of which overlaps another
 * @slots: hash table of ranges by their start
 * @nr: how many there are
 * @mask: number of slots minus one
 * @root: their starts, in order
 */
struct live {
	struct live_range *slots;
	u32 nr, mask;
	struct live_node *root;
};

/* Called for a range. */
typedef void live_visitor(void *data, const struct live_range *range);

void live_init(struct live *l);
void live_free(struct live *l);
const struct live_range *live_find(const struct live *l, u64 addr);
void live_visit(const struct live *l, u64 start, u64 end, live_visitor *visit, void *data);
void live_set(struct live *l, u64 start, u64 end, bool live, u32 period, u64 nr);

/**
 * live_end - tell where a range ends
 * @range: the range
 *
 * Return: the address of its last byte.
 */
static inline u64 live_end(const struct live_range *range)
{
	return range->start + range->size;
}

/**
 * live_overlap - tell how much of a range lies within others
 * @range: the range
 * @start: first byte of those
 * @end: last byte of those, which overlap with @range
 *
 * Return: that many bytes.
 */
static inline u64 live_overlap(const struct live_range *range, u64 start, u64 end)
{
	u64 last = live_end(range);

	return (last < end ? last : end) - (range->start > start ? range->start : start) + 1;
}

/* Private: the slot where a range that starts at @start is, or not far behind it. */
static inline u32 live_home(const struct live *l, u64 start)
{
	return (start * 0x9e3779b97f4a7c15u >> 32) & l->mask;
}

/**
 * live_prefetch - let the processor fetch what is known of a range that is needed soon
 * @l: the ranges
 * @start: its first byte
 */
static inline void live_prefetch(const struct live *l, u64 start)
{
	__builtin_prefetch(l->slots + live_home(l, start), 1);
}

#endif
