/* SPDX-License-Identifier: GPL-2.0 */
/* What an event of a trace happens within: entries to the kernel, scopes, phase, calls. */
#ifndef CONTEXT_H
#define CONTEXT_H

#include "lib/hash.h"
#include "trace/trace.h"

/**
 * struct opened - an entry to the kernel, or a scope, that has not been left
 * @serial: its number in the trace, from 1
 * @slot: which of the nested ones of its task or CPU it is; no two that are open have the same
 * @time: when it began, in ns
 * @kind: of an entry, an enum trace_entry; 0: a scope
 * @number: of an entry; of a scope, the number of its name
 */
struct opened {
	u64 serial, slot, time;
	u32 kind, number;
};

/**
 * struct context - what is open
 * @owners: private: of tasks and CPUs, by key
 * @texts: private: names of scopes and phases
 * @frames: private: calls, by number
 * @serial: private: of the last one that was opened
 * @phase: number of the name of the current phase; 0: there is none
 * @stray: ends of entries and scopes whose beginning was not seen
 */
struct context {
	struct hash owners, texts, frames;
	u64 serial;
	u32 phase;
	u64 stray;
};

void context_init(struct context *c);
void context_free(struct context *c);
const struct opened *context_event(struct context *c, const struct trace_event *e);
const struct opened *context_entry(const struct context *c, u32 cpu, u32 pid);
const struct opened *context_scope(const struct context *c, u32 cpu, u32 pid);
u64 context_owner(u32 cpu, u32 pid);
const char *context_text(const struct context *c, u32 number);
u32 context_frame(const struct context *c, u32 stack, u64 *ip);

#endif
