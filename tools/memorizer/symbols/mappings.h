/* SPDX-License-Identifier: GPL-2.0 */
/* Which module lies where, and when. */
#ifndef MAPPINGS_H
#define MAPPINGS_H

#include "symbols/build-id.h"
#include "trace/trace.h"

#define MAPPINGS_NONE	U32_MAX		/* no module that a trace announced */
#define MAPPINGS_UNSURE	0u		/* one of several */

/**
 * struct mapping - the text of a module at an address
 * @name: name of the module
 * @id: its build id, unknown if the kernel does not say it
 * @module: where the module's own text is, which is this or belongs to this init text
 * @base: address of its first byte
 * @size: bytes of it
 * @init_base: address of the module's init text, as long as that is there; not of init text
 * @init_size: bytes of that
 * @init: whether it is init text
 */
struct mapping {
	char *name;
	struct build_id id;
	u64 module, base, init_base;
	u32 size, init_size;
	bool init;
};

/**
 * struct mapping_span - from when to when a mapping is there
 * @mapping: number of the mapping
 * @start: address of its first byte
 * @end: address behind its last byte
 * @from: when it was loaded, in jiffies; 0: not known
 * @until: when something else was loaded there, in jiffies; U64_MAX: not yet, or not known
 */
struct mapping_span {
	u32 mapping;
	u64 start, end, from, until;
};

/**
 * struct mappings - the mappings of a trace
 * @mapping: each that there was; the first stands for MAPPINGS_UNSURE
 * @nr: how many
 * @now: those that are there now, by address; they do not overlap
 * @nr_now: how many
 * @past: those that others replaced
 * @nr_past: how many
 * @first: least address of any
 * @last: address behind the last byte of any
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
