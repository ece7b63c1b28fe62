/* SPDX-License-Identifier: GPL-2.0 */
/* Context of the current event: kernel entries, scopes, phase and call stacks. */
#ifndef CONTEXT_H
#define CONTEXT_H

#include "lib/hash.h"
#include "trace/trace.h"

/**
 * struct opened - an open kernel entry or scope
 * @serial: sequence number in the trace, from 1
 * @slot: identifies the task or CPU, and the nesting level; unique among the open ones
 * @time: begin in ns
 * @kind: enum trace_entry; 0 for a scope
 * @number: number of the system call etc.; for a scope, number of its name
 */
struct opened {
	u64 serial, slot, time;
	u32 kind, number;
};

/**
 * struct context - open kernel entries and scopes of all tasks and CPUs
 * @owners: private: tasks and CPUs
 * @texts: private: names of scopes and phases
 * @frames: private: frames of call stacks, by number
 * @serial: private: sequence number of the last entry or scope
 * @phase: number of the current phase's name; 0 if there is none
 * @stray: number of ends whose begin was not seen
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
