/* SPDX-License-Identifier: GPL-2.0 */
/* Map from addresses to their last allocation or free. */
#ifndef LIVE_H
#define LIVE_H

#include "lib/types.h"

struct live_node;

/**
 * struct live_range - an allocated or freed range of addresses
 * @start: first byte
 * @nr: number passed to live_set(), such as that of the event
 * @size: size in bytes, minus one
 * @period: period passed to live_set()
 * @live: the range is allocated; otherwise it is freed
 * @first: the range has the first byte of the allocation or free; otherwise that was overwritten
 * @used: private: the slot is in use
 */
struct live_range {
	u64 start, nr;
	u32 size, period;
	bool live, first, used;
};

/**
 * struct live - disjoint ranges of addresses
 * @slots: hash table of ranges, by start
 * @nr: number of ranges
 * @mask: number of slots minus one
 * @root: B+ tree of the starts
 */
struct live {
	struct live_range *slots;
	u32 nr, mask;
	struct live_node *root;
};

typedef void live_visitor(void *data, const struct live_range *range);

void live_init(struct live *l);
void live_free(struct live *l);
const struct live_range *live_find(const struct live *l, u64 addr);
void live_visit(const struct live *l, u64 start, u64 end, live_visitor *visit, void *data);
void live_set(struct live *l, u64 start, u64 end, bool live, u32 period, u64 nr);

/**
 * live_end - get the end of a range
 * @range: the range
 *
 * Return: address of the last byte.
 */
static inline u64 live_end(const struct live_range *range)
{
	return range->start + range->size;
}

/**
 * live_overlap - get the size of an overlap
 * @range: the range
 * @start: first byte of another range, which overlaps with @range
 * @end: last byte of that range
 *
 * Return: number of bytes in both.
 */
static inline u64 live_overlap(const struct live_range *range, u64 start, u64 end)
{
	u64 last = live_end(range);

	return (last < end ? last : end) - (range->start > start ? range->start : start) + 1;
}

/* Private: first slot to probe for a range that starts at @start. */
static inline u32 live_home(const struct live *l, u64 start)
{
	return (start * 0x9e3779b97f4a7c15u >> 32) & l->mask;
}

/**
 * live_prefetch - prefetch the slot of a range
 * @l: the ranges
 * @start: first byte of the range
 */
static inline void live_prefetch(const struct live *l, u64 start)
{
	__builtin_prefetch(l->slots + live_home(l, start), 1);
}

#endif
