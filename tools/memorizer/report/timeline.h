/* SPDX-License-Identifier: GPL-2.0 */
/* What happened in each of equal spans of time. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "trace/tracker.h"

/* What is known of a span; of slab and pages the order is that of enum tracker_group. */
enum timeline_metric {
	TIMELINE_LIVE,				/* bytes live at its end */
	TIMELINE_PEAK = TIMELINE_LIVE + TRACKER_GROUPS,	/* most bytes live at a time */
	TIMELINE_ALLOCS = TIMELINE_PEAK + TRACKER_GROUPS,
	TIMELINE_FREES,
	TIMELINE_ALLOC_BYTES,
	TIMELINE_FREE_BYTES,
	TIMELINE_READS,
	TIMELINE_WRITES,
	TIMELINE_ALLOC_RATE,			/* per second */
	TIMELINE_FREE_RATE,
	TIMELINE_LIVES,				/* allocations that were freed, to the last byte */
	TIMELINE_LIFE,				/* how long those lived, all together, in ns */
	TIMELINE_MEAN_LIFE,			/* and one, in ns */
	TIMELINE_BEGIN,				/* when it begins, in ns */
	TIMELINE_METRICS
};

/**
 * struct timeline_mark - a mark
 * @time: when, in ns
 * @text: what it says, escaped as in a KMAP
 */
struct timeline_mark {
	u64 time;
	char *text;
};

/**
 * struct timeline - spans of time
 * @begin: when the first begins, in ns
 * @end: when the last ends, in ns
 * @width: how long each is, in ns
 * @sums: what is known of each
 * @nr: number of spans
 * @marks: the marks in that time
 * @nr_marks: number of marks
 * @peak: most bytes live at a time
 * @peak_time: when that was, in ns
 */
struct timeline {
	u64 begin, end, width;
	u64 (*sums)[TIMELINE_METRICS];
	u32 nr;
	struct timeline_mark *marks;
	u32 nr_marks;
	u64 peak[TRACKER_GROUPS], peak_time[TRACKER_GROUPS];
};

bool timeline_svg(const struct timeline *t, int fd, const char *title);

#endif
