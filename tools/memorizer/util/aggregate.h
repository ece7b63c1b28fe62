/* SPDX-License-Identifier: GPL-2.0 */
/* Sums over the objects and accesses of a KMAP: by call site, function, pid and comm. */
#ifndef AGGREGATE_H
#define AGGREGATE_H

#include "hash.h"
#include "kmap.h"

/* What is counted, for the whole KMAP and for each row of a table. */
enum metric {
	OBJECTS,		/* objects allocated */
	BYTES,			/* bytes requested for them */
	LIVE,			/* of them, those not freed */
	LIVE_BYTES,
	UNKNOWN_FREES,		/* freed, but not known from where */
	OVERWRITES,		/* freed unseen: closed by an allocation over them */
	LIVES,			/* objects whose free was seen */
	JIFFIES,		/* how long those lived, all together */
	LIFE,			/* the same for one, in tenths: JIFFIES / LIVES */
	ACCESSES,		/* READS + WRITES */
	READS,
	WRITES,
	TOUCHED,		/* objects accessed */
	SITES,			/* call sites whose objects were accessed */
	PIDS,			/* pids that allocated */
	MOST_PIDS,		/* most pids that accessed one object */
	NR_METRICS
};

#define COMM_KEY	((KMAP_COMM_TEXT + 8) / 8 * 8)	/* hash keys are multiples of 8 */

/*
 * The items of the tables, each beginning with its key. @last is the number of
 * the object that it last touched.
 */
struct site {
	u64 ip;
	u64 sum[NR_METRICS];
	u64 shared[NR_METRICS];	/* the same for its shared objects */
};

struct function {
	u64 start;			/* or the ip, where no function is known */
	u64 sum[NR_METRICS];
	u64 last;
};

struct task {
	u64 pid;
	u64 sum[NR_METRICS];
	u64 last;
	u64 comm_jiffies;		/* when it allocated under ... */
	u32 comm;			/* ... this item of comms */
};

struct comm {
	char text[COMM_KEY];
	u64 sum[NR_METRICS];
};

struct access_site {
	u64 ip;
	u32 function;
};

/* Two numbers of items of other tables. */
struct pair {
	u64 key;
};

/**
 * struct aggregate - the sums
 * @symbols: what knows the functions' names
 * @sites: struct site by alloc_ip
 * @access_sites: struct access_site by access_ip
 * @functions: struct function by start
 * @tasks: struct task by pid
 * @comms: struct comm by name; the first stands for pids that allocated nothing
 * @function_sites: pairs of function and site
 * @task_comms: pairs of task and comm
 * @total: sums over the KMAP
 * @shared: the same over objects that more than one pid accessed
 * @site: site of the last object
 * @size: bytes requested for it
 * @reads: sum over its accesses
 * @writes: sum over its accesses
 * @pids: pids that accessed it
 * @overflow: whether a sum exceeded 64 bits and was left at the largest value
 */
struct aggregate {
	const struct kmap_symbols *symbols;
	struct hash sites, access_sites, functions, tasks, comms;
	struct hash function_sites, task_comms;
	u64 total[NR_METRICS], shared[NR_METRICS];
	u32 site;
	u64 size, reads, writes, pids;
	bool overflow;
};

void aggregate_init(struct aggregate *a, const struct kmap_symbols *symbols);
void aggregate_free(struct aggregate *a);
void aggregate_object(struct aggregate *a, const struct kmap_object *o);
void aggregate_access(struct aggregate *a, const struct kmap_access *access);
void aggregate_end(struct aggregate *a);

#endif
