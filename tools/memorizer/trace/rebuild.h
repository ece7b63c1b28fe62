/* SPDX-License-Identifier: GPL-2.0 */
/* Reconstruction of a KMAP from a trace. */
#ifndef REBUILD_H
#define REBUILD_H

#include "kmap/kmap.h"
#include "lib/hash.h"
#include "trace/trace.h"

/* Called for an object and its accesses. */
typedef void rebuild_give(void *data, const struct kmap_object *o,
			  const struct kmap_access *counts, u32 nr);

/**
 * struct rebuild - state of the reconstruction
 * @give: called for each object
 * @data: argument of @give
 * @records: private: struct record by ID
 * @stacks: private: distinct stacks, struct stack_of
 * @cpus: private: CPUs, and whether they are in a gap that may have objects
 * @snapshot: number of the snapshot in progress; 0 if there is none
 * @gap: private: number of such gaps so far
 * @gaps: private: number of CPUs that are in such a gap
 * @orphans: number of counts whose object is missing, or may be missing
 * @bare: number of objects whose stack is missing
 */
struct rebuild {
	rebuild_give *give;
	void *data;
	struct hash records, stacks, cpus;
	u32 snapshot;
	u64 gap, gaps, orphans, bare;
};

void rebuild_init(struct rebuild *b, rebuild_give *give_object, void *data);
void rebuild_event(struct rebuild *b, const struct trace_event *e);
void rebuild_end(struct rebuild *b);
bool rebuild_warn(const struct rebuild *b, const char *dir);

/**
 * rebuild_incomplete - check whether counts, stacks or a snapshot are missing
 * @b: the state, after rebuild_end()
 *
 * Return: true if they are.
 */
static inline bool rebuild_incomplete(const struct rebuild *b)
{
	return b->orphans || b->bare || b->snapshot;
}

#endif
