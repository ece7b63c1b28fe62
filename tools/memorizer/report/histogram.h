/* SPDX-License-Identifier: GPL-2.0 */
/* Histograms of the sizes and lifetimes of what each call site allocates. */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#include "report/sums.h"

/* What there are histograms of. */
enum histogram { HISTOGRAM_SIZES, HISTOGRAM_LIVES, HISTOGRAMS };

/* Buckets that are no range, behind those that are. */
enum { BUCKET_LIVE = 100, BUCKET_UNSEEN };

#define BUCKET_TEXT	48	/* room for what a bucket is called */

/**
 * struct bucket - what a call site allocates, of a range of sizes or lifetimes
 * @key: private: the call site, the histogram and the range
 * @sum: how much of it there is: SUM_HIT, SUM_REQ
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
