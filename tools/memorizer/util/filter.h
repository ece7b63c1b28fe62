/* SPDX-License-Identifier: GPL-2.0 */
/* Which allocations and other events of a trace count, as options say it. */
#ifndef FILTER_H
#define FILTER_H

#include "trace.h"

#define KMEM_KINDS_TEXT	32	/* room for the names of all kinds */

/* Lets all count. */
#define KMEM_FILTER_ALL	{ .kinds = (1u << TRACE_KINDS) - 1, .cpu = U64_MAX, .pid = U64_MAX, \
			  .to = U64_MAX }

/**
 * struct kmem_filter - which allocations count; a free counts with its allocation, or
 *			if that is not known by itself
 * @kinds: mask of enum trace_kind
 * @cache: pattern of names of caches, or NULL
 * @site: pattern of names of the functions that allocate, or NULL
 * @comm: pattern of comms, or NULL
 * @type: pattern of types that are allocated or accessed, or NULL; see named.h
 * @field: pattern of members that are accessed, or NULL
 * @cpu: CPU that allocates, U64_MAX for all
 * @pid: task that allocates, U64_MAX for all
 * @from: time from which on, in ns
 * @to: time at which the trace ends, in ns
 * @from_mark: text of the mark from which on, or NULL
 * @to_mark: text of the mark at which the trace ends, or NULL
 * @no_wait: accesses of functions that spin do not count
 */
struct kmem_filter {
	u32 kinds;
	const char *cache, *site, *comm, *type, *field;
	u64 cpu, pid, from, to;
	const char *from_mark, *to_mark;
	bool no_wait;
};

/**
 * struct window - how far the time that a filter chooses has come
 * @begun: whether it has begun
 * @ended: whether it has ended
 */
struct window {
	bool begun, ended;
};

void kmem_filter_init(struct kmem_filter *f);
bool kmem_filter_kind(struct kmem_filter *f, const char *text);
bool kmem_filter_kinds(const struct kmem_filter *f, char text[KMEM_KINDS_TEXT]);
bool kmem_filter_matches(const char *pattern, const char *name);
bool kmem_filter_code(const char *pattern, const struct kmap_symbols *symbols, u64 ip,
		      enum kmap_ip kind);
bool kmem_filter_within(const struct kmem_filter *f, struct window *w,
			const struct trace_event *e);
bool kmem_filter_check_marks(const struct kmem_filter *f, const struct window *w,
			     const char *dir);
bool kmem_filter_number(u64 *number, const char *command, const char *option, const char *text);
void kmem_filter_point(u64 *time, const char **mark, const char *text);

#endif
