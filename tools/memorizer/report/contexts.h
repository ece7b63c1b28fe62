/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Contexts: what the kernel keeps counts for in place of pids after a write to memorizer_context,
 * by their numbers; see Documentation/dev-tools/memorizer/contexts.rst.
 */
#ifndef CONTEXTS_H
#define CONTEXTS_H

#include "lib/hash.h"

#define CONTEXT_OTHERS	4194304	/* number that contexts without room in the kernel's table share */
#define CONTEXT_NAME_MAX	96	/* bytes of a name, with its NUL */

/**
 * struct count_context - a line of the kernel's file
 * @number: number, greater than all pids and CONTEXT_OTHERS
 * @uid: user, or 0
 * @gid: group, or 0
 * @entry: enum trace_entry or, beyond these, a kernel thread; 0: none
 * @entry_number: number of the system call or softirq, or vector
 * @first: number of the first context that equals this one
 * @line: its line
 */
struct count_context {
	u64 number, uid, gid, entry, entry_number, first, line;
};

/**
 * struct contexts - the contexts of an input
 * @all: struct count_context by number
 * @uids: some context has a user other than root
 * @gids: some context has such a group
 * @distinct: private: first number of each uid, gid and entry
 */
struct contexts {
	struct hash all, distinct;
	bool uids, gids;
};

int contexts_open(struct contexts *c, const char *path, const char *input);
void contexts_free(struct contexts *c);
const char *contexts_name(const struct contexts *c, u64 number, char text[CONTEXT_NAME_MAX]);
const struct count_context *contexts_find(const struct contexts *c, u64 number);
const char *contexts_entry(const struct count_context *context, char text[CONTEXT_NAME_MAX]);

/**
 * contexts_is - check whether a count is kept for a context
 * @pid: what an access line has as its pid
 *
 * Return: false for a pid.
 */
static inline bool contexts_is(u64 pid)
{
	return pid >= CONTEXT_OTHERS;
}

#endif
