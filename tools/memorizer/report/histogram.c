// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms of the sizes and lifetimes of what each call site allocates: sizes by powers of two,
 * lifetimes by powers of ten, of a trace in ns, of a KMAP in jiffies.
 */
#include <stdio.h>

#include "report/histogram.h"

/* The range of a number; 0 has one of its own. */
static u32 range_of(u64 n, u32 base)
{
	u32 range = 0;

	for (; n; n /= base)
		range++;
	return range;
}

/* Where a range begins; U64_MAX if that is beyond all numbers. */
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
 * @k: the sums; nothing is counted if no histograms are wanted
 * @g: the group of the call site
 * @h: which histogram
 * @site: item of the group's sites
 * @range: the range, or BUCKET_LIVE or BUCKET_UNSEEN
 * @objects: how many
 * @bytes: bytes of these
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
 * histogram_size - count an allocation by its size
 * @k: the sums
 * @g: the group of the call site
 * @site: item of the group's sites
 * @bytes: bytes requested
 */
void histogram_size(struct sums *k, enum group g, u32 site, u64 bytes)
{
	if (k->histograms)
		histogram_add(k, g, HISTOGRAM_SIZES, site, range_of(bytes, 2), 1, bytes);
}

/**
 * histogram_life - count what is freed by its lifetime
 * @k: the sums
 * @g: the group of the call site
 * @site: item of the group's sites
 * @life: how long it lived, in ns or jiffies
 * @objects: how many objects were freed, 0 if only a part of one was
 * @bytes: how many bytes
 */
void histogram_life(struct sums *k, enum group g, u32 site, u64 life, u64 objects, u64 bytes)
{
	if (k->histograms)
		histogram_add(k, g, HISTOGRAM_LIVES, site, range_of(life, 10), objects, bytes);
}

/**
 * histogram_of - tell which histogram a bucket is of
 * @b: the bucket
 *
 * Return: the histogram.
 */
enum histogram histogram_of(const struct bucket *b)
{
	return b->key >> 8 & 0xff;
}

/**
 * histogram_site - tell which call site a bucket is of
 * @b: the bucket
 *
 * Return: item of the sites of its group.
 */
u32 histogram_site(const struct bucket *b)
{
	return b->key >> 32;
}

/**
 * histogram_range - tell which range a bucket has
 * @b: the bucket
 *
 * Return: the range, larger ones later; or BUCKET_LIVE or BUCKET_UNSEEN.
 */
u32 histogram_range(const struct bucket *b)
{
	return b->key & 0xff;
}

/* The unit of a time, which is set to how much it is in that. */
static const char *unit_of(u64 *ns)
{
	static const char * const units[] = { "ns", "us", "ms", "s" };
	u32 unit = 0;

	for (; *ns >= 1000 && unit + 1 < ARRAY_SIZE(units); *ns /= 1000)
		unit++;
	return units[unit];
}

/**
 * histogram_text - write what a bucket is called
 * @b: the bucket
 * @g: its group
 * @human: write times in units that are easy to read
 * @text: where to write it
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
	if (human && base == 10 && g != GROUP_KMAP && range) {
		unit = unit_of(&first);
		snprintf(text, BUCKET_TEXT, "%llu-%llu %s", first, 10 * first, unit);
	} else if (next - first <= 1) {
		snprintf(text, BUCKET_TEXT, "%llu", first);
	} else {
		snprintf(text, BUCKET_TEXT, "%llu-%llu", first, next - 1);
	}
}
