/* SPDX-License-Identifier: GPL-2.0 */
/* Pairs of accesses by two CPUs, of which the later moved a line because of the earlier. */
#ifndef PAIRS_H
#define PAIRS_H

#include "report/analysis.h"

/* What is counted of a pair. */
enum pair_sum {
	PAIR_MOVES,		/* how often a line moved */
	PAIR_HITM,		/* of these, loads of what the other CPU had changed */
	PAIR_TRUE,		/* both accessed the same bytes of one object */
	PAIR_FALSE,		/* they accessed other bytes */
	PAIR_REUSED,		/* the same bytes, but of an object that had gone */
	PAIR_SUMS
};

void pairs_init(struct hash *pairs);
bool pairs_count(struct hash *pairs, const struct touch *t, u64 total[PAIR_SUMS]);
void pairs_print(struct analysis *a, const struct hash *pairs, const char *title,
		 const char *key, enum pair_sum sum);

#endif
