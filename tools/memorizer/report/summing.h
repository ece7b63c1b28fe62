/* SPDX-License-Identifier: GPL-2.0 */
/* Operations of commands that sum up their input, see struct engine_ops. */
#ifndef SUMMING_H
#define SUMMING_H

#include "report/engine.h"
#include "report/sums.h"
#include "trace/rebuild.h"

/**
 * struct summing - sums over an input
 * @sums: the sums
 * @kmap: the KMAP that the events of a trace result in
 * @types: mask of the types of events in the input, see WANTED()
 * @trace: private: the trace, or NULL
 */
struct summing {
	struct sums sums;
	struct rebuild kmap;
	u32 types;
	const struct trace *trace;
};

void summing_begin(struct summing *s, const struct engine *g, const struct kmem_filter *filter);
bool summing_event(void *data, const struct trace_event *e);
void summing_object(void *data, const struct kmap_object *o);
void summing_access(void *data, const struct kmap_object *o, const struct kmap_access *access);
void summing_end(struct summing *s);

#endif
