// SPDX-License-Identifier: GPL-2.0
/*
 * Which memory is allocated and which has been freed. The address space is cut into
 * regions of equal size; each has an array of the ranges in it, in order. A range that
 * spans regions is one in each. Memory that is allocated, freed and allocated again at
 * the same place, as is usual, takes one array element all the time.
 */
#include <stdlib.h>
#include <string.h>

#include "kmap.h"
#include "live.h"

#define REGION	(32 * 1024ull)

struct region {
	u64 base;
	struct live_range *ranges;
	u32 nr, room;
};

/**
 * live_init - begin with nothing known
 * @l: the ranges
 */
void live_init(struct live *l)
{
	hash_init(&l->regions, sizeof(struct region), sizeof(u64));
}

/**
 * live_free - release memory
 * @l: the ranges
 */
void live_free(struct live *l)
{
	struct region *r;
	u32 i;

	for (i = 0; i < l->regions.nr; i++) {
		r = hash_item(&l->regions, i);
		free(r->ranges);
	}
	hash_free(&l->regions);
}

static u64 region_base(u64 addr)
{
	return addr & ~(REGION - 1);
}

static struct region *find_region(const struct live *l, u64 base)
{
	u32 i;

	return hash_find(&l->regions, &base, &i) ? hash_item(&l->regions, i) : NULL;
}

/* Index of the first range that ends behind @offset. */
static u32 find_range(const struct region *r, u32 offset)
{
	u32 low = 0, high = r->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (r->ranges[middle].end > offset)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

/**
 * live_find - find what is known about an address
 * @l: the ranges
 * @addr: the address
 * @start: set to the first byte of the range
 * @end: set to the last byte of all that was allocated or freed with it from there on
 *
 * Return: the range, valid until the next change; NULL if nothing is known.
 */
const struct live_range *live_find(const struct live *l, u64 addr, u64 *start, u64 *end)
{
	const struct region *r = find_region(l, region_base(addr));
	const struct live_range *range, *more;
	u32 i;

	if (!r)
		return NULL;
	i = find_range(r, addr - r->base);
	range = r->ranges + i;
	if (i == r->nr || range->start > addr - r->base)
		return NULL;
	*start = r->base + range->start;
	for (more = range;;) {
		*end = r->base + (more->end - 1);
		if (more->end < REGION || !(r->base + REGION))
			break;
		r = find_region(l, r->base + REGION);
		if (!r || !r->nr || r->ranges->start || r->ranges->nr != range->nr)
			break;
		more = r->ranges;
	}
	return range;
}

/**
 * live_visit - look at all that overlaps a range
 * @l: the ranges
 * @start: first byte
 * @end: last byte
 * @visit: is called for each, in order; it must not change anything
 * @data: for @visit
 */
void live_visit(const struct live *l, u64 start, u64 end, live_visitor *visit, void *data)
{
	u64 base = region_base(start);
	const struct live_range *range;
	const struct region *r;
	u32 i;

	for (;; base += REGION) {
		r = find_region(l, base);
		if (r) {
			i = find_range(r, start > base ? start - base : 0);
			for (; i < r->nr && base + r->ranges[i].start <= end; i++) {
				range = r->ranges + i;
				visit(data, range, base + range->start, base + (range->end - 1));
			}
		}
		if (base == region_base(end))
			break;
	}
}

/* Replaces @old ranges from index @at on by @with, which are @nr. */
static void splice(struct region *r, u32 at, u32 old, const struct live_range *with, u32 nr)
{
	while (r->nr + nr - old > r->room) {
		r->room = r->room ? 2 * r->room : 4;
		r->ranges = kmap_array(r->ranges, r->room, sizeof(*r->ranges));
	}
	memmove(r->ranges + at + nr, r->ranges + at + old, (r->nr - at - old) * sizeof(*with));
	memcpy(r->ranges + at, with, nr * sizeof(*with));
	r->nr += nr - old;
}

static void set_range(struct region *r, const struct live_range *new)
{
	u32 at = find_range(r, new->start), last = at, nr = 0;
	struct live_range with[3];

	if (at < r->nr && r->ranges[at].start == new->start && r->ranges[at].end == new->end) {
		r->ranges[at] = *new;
		return;
	}
	while (last < r->nr && r->ranges[last].start < new->end)
		last++;
	if (last > at && r->ranges[at].start < new->start) {
		with[nr] = r->ranges[at];
		with[nr++].end = new->start;
	}
	with[nr++] = *new;
	if (last > at && r->ranges[last - 1].end > new->end) {
		with[nr] = r->ranges[last - 1];
		with[nr].first = false;
		with[nr++].start = new->end;
	}
	splice(r, at, last - at, with, nr);
}

/**
 * live_set - note that a range has been allocated or freed
 * @l: the ranges
 * @start: first byte
 * @end: last byte, not before @start
 * @live: whether it is allocated
 * @period: when
 * @nr: in which event
 *
 * Whatever was known about these addresses is replaced.
 */
void live_set(struct live *l, u64 start, u64 end, bool live, u32 period, u64 nr)
{
	struct live_range new = { .live = live, .first = true, .period = period, .nr = nr };
	u64 base = region_base(start);
	bool fresh;
	u32 i;

	for (;; base += REGION) {
		new.start = start > base ? start - base : 0;
		new.end = end - base < REGION ? end - base + 1 : REGION;
		i = hash_get(&l->regions, &base, &fresh);
		set_range(hash_item(&l->regions, i), &new);
		new.first = false;
		if (base == region_base(end))
			break;
	}
}
