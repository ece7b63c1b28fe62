/* SPDX-License-Identifier: GPL-2.0 */
/* Sums over equal time spans. */
#ifndef TIMELINE_H
#define TIMELINE_H

#include "trace/tracker.h"

/* Metrics of a span. Pairs for slab and pages have the order of enum tracker_group. */
enum timeline_metric {
	TIMELINE_LIVE,				/* live bytes at the end */
	TIMELINE_PEAK = TIMELINE_LIVE + TRACKER_GROUPS,	/* maximum of live bytes */
	TIMELINE_ALLOCS = TIMELINE_PEAK + TRACKER_GROUPS,
	TIMELINE_FREES,
	TIMELINE_ALLOC_BYTES,
	TIMELINE_FREE_BYTES,
	TIMELINE_READS,
	TIMELINE_WRITES,
	TIMELINE_ALLOC_RATE,			/* per second */
	TIMELINE_FREE_RATE,
	TIMELINE_LIVES,				/* allocations that were completely freed */
	TIMELINE_LIFE,				/* total lifetime of these, in ns */
	TIMELINE_MEAN_LIFE,			/* mean lifetime, in ns */
	TIMELINE_BEGIN,				/* start, in ns */
	TIMELINE_METRICS
};

/**
 * struct timeline_mark - a mark
 * @time: in ns
 * @text: its text, escaped as in a KMAP
 */
struct timeline_mark {
	u64 time;
	char *text;
};

/**
 * struct timeline - the time spans
 * @begin: start of the first span, in ns
 * @end: end of the last span, in ns
 * @width: duration of a span, in ns
 * @sums: sums of each span
 * @nr: number of spans
 * @marks: marks in the range
 * @nr_marks: number of marks
 * @peak: maximum of live bytes
 * @peak_time: time of the maximum, in ns
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
