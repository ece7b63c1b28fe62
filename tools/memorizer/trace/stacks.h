/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks of allocations, which the kernel writes frame by frame. */
#ifndef STACKS_H
#define STACKS_H

#include "lib/hash.h"
#include "trace/trace.h"

/**
 * struct stacks - the stacks of a trace
 * @known: private: struct known_stack by id
 * @current: private: the stack of the current event's object
 */
struct stacks {
	struct hash known;
	struct trace_stack current;
};

void stacks_init(struct stacks *s);
void stacks_free(struct stacks *s);
void stacks_event(struct stacks *s, struct trace_event *e);

#endif
