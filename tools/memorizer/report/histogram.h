/* SPDX-License-Identifier: GPL-2.0 */
/* Histograms of sizes and lifetimes of allocations, by call site. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include "report/sums.h"

/* The kinds of histograms. */
enum histogram { HISTOGRAM_SIZES, HISTOGRAM_LIVES, HISTOGRAMS };

/* Buckets that are no ranges; they follow the ranges. */
enum { BUCKET_LIVE = 100, BUCKET_UNSEEN };

#define BUCKET_TEXT	48	/* room for the label of a bucket */

/**
 * struct bucket - the allocations of a call site in a range of sizes or lifetimes
 * @key: private: call site, histogram and range
 * @sum: SUM_HIT and SUM_REQ
 */
struct bucket {
	u64 key;
	u64 sum[SUM_METRICS];
};

void histogram_size(struct sums *k, enum group g, u32 site, u64 bytes);
void histogram_life(struct sums *k, enum group g, u32 site, u64 life, u64 objects, u64 bytes);
void histogram_add(struct sums *k, enum group g, enum histogram h, u32 site, u32 range,
		   u64 objects, u64 bytes);
enum histogram histogram_of(const struct bucket *b);
u32 histogram_site(const struct bucket *b);
u32 histogram_range(const struct bucket *b);
void histogram_text(const struct bucket *b, enum group g, bool human, char text[BUCKET_TEXT]);

#endif
