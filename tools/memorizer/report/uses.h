/* SPDX-License-Identifier: GPL-2.0 */
/* Uses of objects in a KMAP or a trace, for commands with struct engine_ops. */
#ifndef USES_H
#define USES_H

#include "report/engine.h"
#include "report/filter.h"
#include "report/privilege.h"
#include "trace/rebuild.h"
#include "trace/tracker.h"

/**
 * struct uses - the uses in an input
 * @streamed: uses by streamed events
 * @counted: uses by a KMAP
 * @unattributed: streamed accesses to unknown memory
 * @choice: private: state of the filter
 * @names: private: names of tasks and caches in a trace
 * @live: private: live memory of a trace
 * @kmap: private: the KMAP that a trace contains
 * @types: private: mask of the event types of a trace
 * @target: private: target of the current object of a KMAP
 */
struct uses {
	struct privilege streamed, counted;
	u64 unattributed;
	struct kmem_choice choice;
	struct names names;
	struct tracker live;
	struct rebuild kmap;
	u32 types, target;
};

void uses_begin(struct uses *u, const struct engine *g, const struct kmem_filter *filter);
bool uses_event(void *data, const struct trace_event *e);
void uses_object(void *data, const struct kmap_object *o);
void uses_access(void *data, const struct kmap_object *o, const struct kmap_access *a);
struct privilege *uses_end(struct uses *u, const struct engine *g, const char *calls, int *status);
void uses_free(struct uses *u);

#endif
