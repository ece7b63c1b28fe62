/* SPDX-License-Identifier: GPL-2.0 */
/* Sums over the allocations and frees of a trace: by call site, size, cache and task. */
#ifndef KMEM_H
#define KMEM_H

#include "filter.h"
#include "hash.h"
#include "kmap.h"
#include "live.h"
#include "trace.h"

/* What is counted, for the whole trace and for each row of a table. */
enum kmem_metric {
	KMEM_HIT,		/* allocations */
	KMEM_REQ,		/* bytes requested */
	KMEM_ALLOC,		/* bytes allocated */
	KMEM_WASTE,		/* bytes allocated beyond what was requested */
	KMEM_FRAG,		/* KMEM_WASTE / KMEM_ALLOC, in thousandths of a percent */
	KMEM_CALLS,		/* frees */
	KMEM_FREES,		/* allocations that were freed */
	KMEM_FREED,		/* bytes freed */
	KMEM_CROSS_CPU,		/* freed on another CPU than the one that allocated */
	KMEM_CROSS_NODE,	/* allocated by a CPU of another node than the memory's */
	KMEM_CROSS_NODE_FREES,	/* freed likewise */
	KMEM_UNKNOWN,		/* frees of what was not seen to be allocated */
	KMEM_UNKNOWN_BYTES,
	KMEM_UNSEEN,		/* frees that were not seen: the memory was allocated again */
	KMEM_LIVE,		/* allocations that were not freed by the end */
	KMEM_LIVE_BYTES,
	KMEM_OLDEST,		/* age of the oldest of them, in ns */
	KMEM_YOUNGEST,
	KMEM_PAGE_HIT,		/* allocations of pages */
	KMEM_PAGE_BYTES,
	KMEM_FIRST,		/* number of an event */
	KMEM_OBJECT_SIZE,	/* of a cache */
	KMEM_READS,		/* accesses that were streamed; an update is both */
	KMEM_WRITES,
	KMEM_METRICS
};

/* What the metrics are kept for apart. */
enum kmem_group { KMEM_SLAB, KMEM_PAGES, KMEM_GROUPS };

/* What should not be. */
enum kmem_suspicion {
	KMEM_SLAB_FREE,		/* kmalloc memory freed by kmem_cache_free */
	KMEM_KFREE,		/* a cache's object freed by kfree */
	KMEM_SHORT,		/* allocated less than requested */
	KMEM_DOUBLE_FREE,	/* freed what was free */
	KMEM_INSIDE,		/* freed from inside an object */
	KMEM_SUSPICIONS
};

#define KMEM_LARGE	"[large kmalloc]"	/* stands for the cache that it has none of */
#define KMEM_TEXT_KEY	((KMAP_COMM_TEXT + 8) / 8 * 8)

/* The items of the tables, each beginning with its key. */
struct kmem_site {
	u64 ip;
	u64 sum[KMEM_METRICS];
	bool chosen;			/* by the filter's --site */
};

struct kmem_size {
	u64 bytes;
	u64 sum[KMEM_METRICS];
};

struct kmem_cache {
	u64 cache, nr;			/* nr: several may have had one address */
	u64 sum[KMEM_METRICS];
	char *name;			/* NULL: not known */
	bool chosen;			/* by the filter's --cache */
};

struct kmem_task {
	u64 pid;
	char comm[KMEM_TEXT_KEY];	/* empty: not known */
	u64 sum[KMEM_METRICS];
	bool chosen;			/* by the filter's --comm */
};

/* The function that accesses, or the ip where no function is known. */
struct kmem_function {
	u64 start;
	u64 sum[KMEM_METRICS];
};

struct kmem_suspect {
	u64 suspicion, alloc_site, free_site;	/* 0 for a site that is not known */
	u64 sum[KMEM_METRICS];
};

/**
 * struct kmem_object - memory that is allocated
 * @time: when it was allocated, in ns
 * @site: item of the group's sites
 * @size: item of the group's sizes
 * @cache: item of the caches
 * @task: item of the tasks
 * @left: bytes that were not freed; 0: this one is not in use
 * @next: the next one that is not in use, plus one
 * @cpu: CPU that allocated it
 * @node: node of the memory, negative if not known
 * @kind: what was asked for
 * @chosen: whether the filter lets it count
 * @closed: whether part of it was allocated again, and its free not seen
 */
struct kmem_object {
	u64 time;
	u32 site, size, cache, task;
	u32 left, next, cpu;
	int node;
	unsigned char kind;
	bool chosen, closed;
};

/**
 * struct kmem - the sums
 * @symbols: what knows the functions' names
 * @filter: what counts
 * @sites: struct kmem_site by call site that allocates
 * @frees: struct kmem_site by call site that frees
 * @sizes: struct kmem_size by bytes allocated
 * @total: sums over the trace
 * @caches: struct kmem_cache by address and number; the first is large kmalloc
 * @tasks: struct kmem_task by pid and comm
 * @current_caches: private: item of @caches by address, the one that is there now
 * @current_tasks: private: item of @tasks by pid, the name that it has now
 * @suspects: struct kmem_suspect by what and where
 * @functions: struct kmem_function by start
 * @ips: private: which function an ip is in
 * @accesses: sums over the accesses
 * @unattributed: those to what was not seen to be allocated
 * @events: number of events
 * @lost: number of events lost
 * @uncertain: what would be suspicious, but for losses that may explain it
 * @period: private: is increased where events may be missing, or allocations were not
 *	    traced for a while
 * @loss_period: private: the trace's period
 * @since_switch: private: the period since which allocations are traced
 * @begin: time of the first event, in ns
 * @end: time of the last one, in ns
 * @cpu_seen: private: whether there was an event of the CPU that the filter is for
 * @chosen: private: whether from_mark and from are past
 * @from_seen: whether the mark from_mark was seen
 * @to_seen: whether the mark to_mark was seen
 * @allocations: private: whether allocations are traced
 * @memory: private: which memory is live, of the slab allocator and of pages
 * @objects: private: struct kmem_object of live memory
 * @nr: private: objects that were ever in use
 * @room: private: number of objects that @objects has room for
 * @unused: private: the first that is not in use any more, plus one
 */
struct kmem {
	const struct kmap_symbols *symbols;
	const struct kmem_filter *filter;
	struct hash sites[KMEM_GROUPS], frees[KMEM_GROUPS], sizes[KMEM_GROUPS];
	u64 total[KMEM_GROUPS][KMEM_METRICS];
	struct hash caches, tasks, current_caches, current_tasks, suspects;
	struct hash functions, ips;
	u64 accesses[KMEM_METRICS], unattributed[KMEM_METRICS];
	u64 events, lost, uncertain, begin, end;
	u32 period, loss_period, since_switch;
	bool cpu_seen;
	bool chosen, from_seen, to_seen, allocations;
	struct live memory[KMEM_GROUPS];
	struct kmem_object *objects;
	u32 nr, room, unused;
};

void kmem_access_init(struct kmem *k);
void kmem_access_free(struct kmem *k);
void kmem_access(struct kmem *k, const struct trace_event *e);
void kmem_init(struct kmem *k, const struct kmap_symbols *symbols,
	       const struct kmem_filter *filter);
void kmem_free(struct kmem *k);
bool kmem_event(struct kmem *k, const struct trace_event *e);
void kmem_prefetch(const struct kmem *k, const struct trace_event *e);
void kmem_end(struct kmem *k);
const char *kmem_unmatched(const struct kmem *k, char text[KMAP_ERROR_MAX]);

#endif
