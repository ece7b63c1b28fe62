/* SPDX-License-Identifier: GPL-2.0 */
/* The KMAP that a trace amounts to. */
#ifndef REBUILD_H
#define REBUILD_H

#include "kmap/kmap.h"
#include "lib/hash.h"
#include "trace/trace.h"

/* Called for an object and its access lines. */
typedef void rebuild_give(void *data, const struct kmap_object *o,
			  const struct kmap_access *counts, u32 nr);

/**
 * struct rebuild - a KMAP in the making
 * @give: is called for each object
 * @data: for @give
 * @records: private: struct record by id
 * @cpus: private: CPU and whether it is in a gap
 * @snapshot: number of the snapshot in progress, 0: none
 * @gap: private: is increased by each gap in which any events may be missing, and at its end
 * @gaps: private: how many CPUs are in one
 * @orphans: counts of which the object did not come, or perhaps did not
 */
struct rebuild {
	rebuild_give *give;
	void *data;
	struct hash records, cpus;
	u32 snapshot;
	u64 gap, gaps, orphans;
};

void rebuild_init(struct rebuild *b, rebuild_give *give_object, void *data);
void rebuild_event(struct rebuild *b, const struct trace_event *e);
void rebuild_end(struct rebuild *b);
bool rebuild_warn(const struct rebuild *b, const char *dir);

/**
 * rebuild_incomplete - tell whether something had to be left out
 * @b: the KMAP, after rebuild_end()
 *
 * Return: whether it had.
 */
static inline bool rebuild_incomplete(const struct rebuild *b)
{
	return b->orphans || b->snapshot;
}

#endif
