/* SPDX-License-Identifier: GPL-2.0 */
/* Which allocations and other events of a trace count, as options say it. */
#ifndef FILTER_H
#define FILTER_H

#include "lib/hash.h"
#include "options.h"
#include "symbols/kmap-symbols.h"
#include "trace/names.h"
#include "trace/trace.h"

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

/* Options of a filter. */
#define OPTS_SELECT(f)									\
	OPT_STRING('m', "comm", &(f)->comm, "COMM", "tasks with this name; * and ? match"),	\
	OPT_TAKE('p', "pid", &(f)->pid, "PID", "this task", option_id),			\
	OPT_TAKE('P', "cpu", &(f)->cpu, "CPU", "this CPU", option_id),			\
	OPT_STRING('C', "cache", &(f)->cache, "NAME", "objects of this cache; * and ? match"), \
	OPT_STRING('S', "site", &(f)->site, "NAME",					\
		   "objects that this function or call site allocated; * and ? match")
#define OPTS_FILTER(f)									\
	OPTS_SELECT(f),									\
	OPT_TAKE('f', "from", (f), "TIME", "from this time on: seconds, or the text of a mark", \
		 option_from),								\
	OPT_TAKE('T', "to", (f), "TIME", "before this time: seconds, or the text of a mark", \
		 option_to)
#define OPT_TYPE(f)									\
	OPT_STRING(0, "type", &(f)->type, "TYPE",					\
		   "accesses to this type, by the compiler's notes; * and ? match")
#define OPTS_NAMED(f)									\
	OPT_TYPE(f),									\
	OPT_STRING(0, "field", &(f)->field, "FIELD", "accesses to this member; * and ? match")

/* Options that something in a trace or KMAP matches, as bits; whether it counts or not. */
enum kmem_seen {
	KMEM_SEEN_SITE = 1, KMEM_SEEN_NAMED = 2, KMEM_SEEN_CACHE = 4, KMEM_SEEN_COMM = 8,
	KMEM_SEEN_PID = 16, KMEM_SEEN_CPU = 32,
};

/**
 * struct kmem_choice - what a filter chooses of a trace that is being read
 * @filter: the filter
 * @symbols: names of functions
 * @names: names of tasks and caches, up to the current event
 * @window: how far the time that is chosen has come
 * @seen: mask of enum kmem_seen
 * @within: whether the current event lies in that time
 * @by_whom: whether it is chosen by CPU, pid and comm
 * @chosen: whether it is chosen by all of these
 * @sites: private: struct kmem_site by address
 */
struct kmem_choice {
	const struct kmem_filter *filter;
	const struct kmap_symbols *symbols;
	const struct names *names;
	struct window window;
	u32 seen;
	bool within, by_whom, chosen;
	struct hash sites;
};

u32 event_pid(const struct trace_event *e);

void kmem_choice_init(struct kmem_choice *c, const struct kmem_filter *f,
		      const struct kmap_symbols *symbols, const struct names *names);
void kmem_choice_free(struct kmem_choice *c);
bool kmem_choice_task(struct kmem_choice *c, u64 pid, const char *comm);
bool kmem_choice_event(struct kmem_choice *c, const struct trace_event *e);
bool kmem_choice_object(struct kmem_choice *c, const char *cache, u64 site);
bool kmem_choice_check(const struct kmem_choice *c, const char *dir);

int option_id(const struct option *o, const char *arg, int unset);
int option_from(const struct option *o, const char *arg, int unset);
int option_kind(const struct option *o, const char *arg, int unset);
int option_to(const struct option *o, const char *arg, int unset);

void kmem_filter_init(struct kmem_filter *f);
const char *kmem_filter_trace_only(const struct kmem_filter *f);
const char *kmem_filter_unmatched(const struct kmem_filter *f, u32 seen,
				  const struct kmap_symbols *symbols,
				  char text[ERROR_MAX]);
bool kmem_filter_kinds(const struct kmem_filter *f, char text[KMEM_KINDS_TEXT]);
bool kmem_filter_matches(const char *pattern, const char *name);
bool kmem_filter_code(const char *pattern, const struct kmap_symbols *symbols, u64 ip,
		      enum kmap_ip kind);
bool kmem_filter_within(const struct kmem_filter *f, struct window *w,
			const struct trace_event *e);
bool kmem_filter_check_window(const struct kmem_filter *f, const struct window *w,
			      const char *name);
bool kmem_filter_check(const struct kmem_filter *f, const struct window *w, u32 seen,
		       const struct kmap_symbols *symbols, const char *name);

#endif
