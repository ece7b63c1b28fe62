// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of sizes and lifetimes of allocations, by call site: sizes by powers of two,
 * lifetimes by powers of ten, in ns for a trace and in jiffies for a KMAP.
 */
#include <stdio.h>

#include "report/histogram.h"

/* The range of a number; 0 has its own. */
static u32 range_of(u64 n, u32 base)
{
	u32 range = 0;

	for (; n; n /= base)
		range++;
	return range;
}

/* Start of a range; saturates. */
static u64 range_begin(u32 range, u32 base)
{
	u64 n = range ? 1 : 0;

	for (; range > 1; range--)
		if (__builtin_mul_overflow(n, base, &n))
			return U64_MAX;
	return n;
}

/**
 * histogram_add - count objects in a bucket
 * @k: the sums; nothing is counted without @k->histograms
 * @g: group of the call site
 * @h: the histogram
 * @site: item of the group's sites
 * @range: the range, BUCKET_LIVE or BUCKET_UNSEEN
 * @objects: number of objects
 * @bytes: their size in bytes
 */
void histogram_add(struct sums *k, enum group g, enum histogram h, u32 site, u32 range,
		   u64 objects, u64 bytes)
{
	u64 key = (u64)site << 32 | h << 8 | range;
	struct bucket *b;
	bool new;

	if (!k->histograms)
		return;
	b = hash_item(k->buckets + g, hash_get(k->buckets + g, &key, &new));
	sums_add(k, b->sum + SUM_HIT, objects);
	sums_add(k, b->sum + SUM_REQ, bytes);
}

/**
 * histogram_size - count an allocation by size
 * @k: the sums
 * @g: group of the call site
 * @site: item of the group's sites
 * @bytes: requested size
 */
void histogram_size(struct sums *k, enum group g, u32 site, u64 bytes)
{
	if (k->histograms)
		histogram_add(k, g, HISTOGRAM_SIZES, site, range_of(bytes, 2), 1, bytes);
}

/**
 * histogram_life - count a free by lifetime
 * @k: the sums
 * @g: group of the call site
 * @site: item of the group's sites
 * @life: lifetime, in ns or jiffies
 * @objects: number of freed objects; 0 if only a part was freed
 * @bytes: freed bytes
 */
void histogram_life(struct sums *k, enum group g, u32 site, u64 life, u64 objects, u64 bytes)
{
	if (k->histograms)
		histogram_add(k, g, HISTOGRAM_LIVES, site, range_of(life, 10), objects, bytes);
}

/**
 * histogram_of - get the histogram of a bucket
 * @b: the bucket
 *
 * Return: the histogram.
 */
enum histogram histogram_of(const struct bucket *b)
{
	return b->key >> 8 & 0xff;
}

/**
 * histogram_site - get the call site of a bucket
 * @b: the bucket
 *
 * Return: item of its group's sites.
 */
u32 histogram_site(const struct bucket *b)
{
	return b->key >> 32;
}

/**
 * histogram_range - get the range of a bucket
 * @b: the bucket
 *
 * Return: the range, in ascending order; or BUCKET_LIVE or BUCKET_UNSEEN.
 */
u32 histogram_range(const struct bucket *b)
{
	return b->key & 0xff;
}

/* Choose a unit for a time in ns, and convert @ns to it. */
static const char *unit_of(u64 *ns)
{
	static const char * const units[] = { "ns", "us", "ms", "s" };
	u32 unit = 0;

	for (; *ns >= 1000 && unit + 1 < ARRAY_SIZE(units); *ns /= 1000)
		unit++;
	return units[unit];
}

/**
 * histogram_text - write the label of a bucket
 * @b: the bucket
 * @g: its group
 * @human: choose units of time that are easy to read
 * @text: set to the label
 */
void histogram_text(const struct bucket *b, enum group g, bool human, char text[BUCKET_TEXT])
{
	u32 range = histogram_range(b), base = histogram_of(b) == HISTOGRAM_SIZES ? 2 : 10;
	const char *unit;
	u64 first, next;

	if (range >= BUCKET_LIVE) {
		snprintf(text, BUCKET_TEXT, range == BUCKET_LIVE ? "[live]" : "[freed unseen]");
		return;
	}
	first = range_begin(range, base);
	next = range_begin(range + 1, base);
	/* The lifetimes of a KMAP are in jiffies, not in ns. */
	if (human && base == 10 && g != GROUP_KMAP && range) {
		unit = unit_of(&first);
		snprintf(text, BUCKET_TEXT, "%llu-%llu %s", first, 10 * first, unit);
	} else if (next - first <= 1) {
		snprintf(text, BUCKET_TEXT, "%llu", first);
	} else {
		snprintf(text, BUCKET_TEXT, "%llu-%llu", first, next - 1);
	}
}
