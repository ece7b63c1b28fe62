/* SPDX-License-Identifier: GPL-2.0 */
/* Pairs of accesses by two CPUs: the later one moved a line because of the earlier one. */
#ifndef PAIRS_H
#define PAIRS_H

#include "report/analysis.h"

/* Sums of a pair. */
enum pair_sum {
	PAIR_MOVES,		/* moves of a line */
	PAIR_HITM,		/* of these, loads of what the other CPU modified */
	PAIR_TRUE,		/* overlapping accesses to one object: true sharing */
	PAIR_FALSE,		/* accesses without common bytes: false sharing */
	PAIR_REUSED,		/* overlapping accesses, but of different objects */
	PAIR_SUMS
};

void pairs_init(struct hash *pairs);
bool pairs_count(struct hash *pairs, const struct touch *t, u64 total[PAIR_SUMS]);
void pairs_print(struct analysis *a, const struct hash *pairs, const char *title,
		 const char *key, enum pair_sum sum);

#endif
