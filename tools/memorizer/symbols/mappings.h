/* SPDX-License-Identifier: GPL-2.0 */
/* Address ranges of modules over time. */
#ifndef MAPPINGS_H
#define MAPPINGS_H

#include "symbols/build-id.h"
#include "trace/trace.h"

#define MAPPINGS_NONE	U32_MAX		/* not in a module that the trace announced */
#define MAPPINGS_UNSURE	0u		/* ambiguous */

/**
 * struct mapping - text of a module
 * @name: name of the module
 * @id: build ID of the module
 * @module: address of the module's core text, which equals @base unless @init
 * @base: address of the text
 * @size: size of the text in bytes
 * @init_base: address of the module's init text; unused if @init
 * @init_size: size of the init text in bytes; 0 if it was freed, or if @init
 * @init: the text is init text
 */
struct mapping {
	char *name;
	struct build_id id;
	u64 module, base, init_base;
	u32 size, init_size;
	bool init;
};

/**
 * struct mapping_span - lifetime of a mapping
 * @mapping: number of the mapping
 * @start: first address
 * @end: last address plus one
 * @from: time of the load, in jiffies; 0 if unknown
 * @until: time of the load of another module there, in jiffies; U64_MAX if none, or unknown
 */
struct mapping_span {
	u32 mapping;
	u64 start, end, from, until;
};

/**
 * struct mappings - mappings of a trace
 * @mapping: all mappings; [0] is reserved for MAPPINGS_UNSURE
 * @nr: number of @mapping
 * @now: current mappings, disjoint, ordered by address
 * @nr_now: number of @now
 * @past: mappings that were replaced
 * @nr_past: number of @past
 * @first: lowest address of all mappings
 * @last: highest address of all mappings plus one
 */
struct mappings {
	struct mapping *mapping;
	u32 nr;
	struct mapping_span *now, *past;
	u32 nr_now, nr_past;
	u64 first, last;
};

void mappings_init(struct mappings *m);
void mappings_free(struct mappings *m);
void mappings_rewind(struct mappings *m);
void mappings_event(struct mappings *m, const struct trace_event *e);
u32 mappings_now(const struct mappings *m, u64 addr);
u32 mappings_between(const struct mappings *m, u64 addr, u64 from, u64 until);

#endif
