/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums over a trace or a KMAP, by call site, function, size, cache and task. A trace feeds
 * sums_event(); a KMAP, or what the objects of a trace amount to, sums_object() and
 * sums_count(). sums_end() completes them.
 */
#ifndef SUMS_H
#define SUMS_H

#include "kmap/kmap.h"
#include "lib/hash.h"
#include "report/filter.h"
#include "report/named.h"
#include "symbols/aliases.h"
#include "trace/tracker.h"

/* What is counted, in all and for each row of a table. */
enum metric {
	SUM_OBJECT_SIZE,	/* of an object; of those of a cache */
	SUM_READS,		/* accesses that were streamed, or counted; an update is both */
	SUM_WRITES,
	SUM_ACCESSES,		/* SUM_READS + SUM_WRITES */
	SUM_MOVES,		/* cache lines that accesses moved, where lines were tracked */
	SUM_HIT,		/* allocations; objects of a KMAP */
	SUM_REQ,		/* bytes requested */
	SUM_ALLOC,		/* bytes allocated */
	SUM_WASTE,		/* bytes allocated beyond what was requested */
	SUM_FRAG,		/* SUM_WASTE / SUM_ALLOC, in thousandths of a percent */
	SUM_CALLS,		/* frees */
	SUM_FREES,		/* allocations that were freed */
	SUM_FREED,		/* bytes freed */
	SUM_CROSS_CPU,		/* freed on another CPU than the one that allocated */
	SUM_CROSS_NODE,		/* allocated by a CPU of another node than the memory's */
	SUM_CROSS_NODE_FREES,	/* freed likewise */
	SUM_UNKNOWN,		/* frees of what was not seen to be allocated */
	SUM_UNKNOWN_BYTES,
	SUM_UNSEEN,		/* frees that were not seen: the memory was allocated again */
	SUM_LIVE,		/* allocations that were not freed by the end */
	SUM_LIVE_BYTES,
	SUM_LIVE_UNCERTAIN,	/* those of SUM_LIVE that may have been freed in a loss */
	SUM_OLDEST,		/* age of the oldest of them, in ns */
	SUM_YOUNGEST,
	SUM_PAGE_HIT,		/* allocations of pages */
	SUM_PAGE_BYTES,
	SUM_FIRST,		/* number of an event */
	SUM_UNKNOWN_FREES,	/* objects freed, but not known from where */
	SUM_OVERWRITES,		/* freed unseen: closed by an allocation over them */
	SUM_LIVES,		/* objects whose free was seen */
	SUM_JIFFIES,		/* how long those lived, all together */
	SUM_LIFE,		/* the same for one, in tenths: SUM_JIFFIES / SUM_LIVES */
	SUM_TOUCHED,		/* objects accessed */
	SUM_SITES,		/* call sites whose objects were accessed */
	SUM_PIDS,		/* pids that allocated */
	SUM_MOST_PIDS,		/* most pids that accessed one object */
	SUM_FUNCTIONS,		/* functions that accessed a member */
	SUM_OFFSET,		/* where a member is in its record, in bytes */
	SUM_CPUS,		/* CPUs that accessed it, of a trace */
	SUM_MEMBERS,		/* members of a record that have none in them */
	SUM_UNTOUCHED,		/* of these, those that no access names */
	SUM_UNNAMED,		/* accesses to a record of which the member is not known */
	SUM_METRICS
};

/* What the metrics are kept for apart: allocations of a trace; objects of a KMAP. */
enum group { GROUP_SLAB, GROUP_PAGES, GROUP_KMAP, GROUPS };

#define OBJECT_METRICS	SUM_HIT		/* the metrics before it are those of one object */
#define STREAM_GROUPS	GROUP_KMAP	/* the groups before it are what a trace streams */

/* Accesses, one by one as a trace streams them, or counted for each object of a KMAP. */
enum access_source { ACCESS_STREAMED, ACCESS_COUNTED, ACCESS_SOURCES };

/* What should not be. */
enum suspicion {
	SUSPECT_SLAB_FREE,	/* kmalloc memory freed by kmem_cache_free */
	SUSPECT_KFREE,		/* a cache's object freed by kfree */
	SUSPECT_SHORT,		/* allocated less than requested */
	SUSPECT_DOUBLE_FREE,	/* freed what was free */
	SUSPECT_INSIDE,		/* freed from inside an object */
	SUSPICIONS
};

/* Room for a comm, all of it escaped, and a NUL; a multiple of 8, as hash keys are. */
#define SUMS_TEXT	(4 * (TRACE_COMM_SIZE - 1) + 8)

/* The items of the tables, each beginning with its key. */
struct site {
	u64 ip;
	u64 sum[SUM_METRICS];
	bool chosen;			/* by the filter's --site */
	bool of_type;			/* by --type, and not left out by --field */
};

struct size {
	u64 bytes;
	u64 sum[SUM_METRICS];
};

struct gfp {
	u64 flags;
	u64 sum[SUM_METRICS];
};

/* Pages by their order, or of no order: pieces of what was larger. */
struct order {
	u64 order;
	u64 sum[SUM_METRICS];
};

#define SUMS_NO_ORDER	U64_MAX

struct zone {
	char name[8];
	u64 sum[SUM_METRICS];
};

struct cache {
	u64 cache, nr;			/* nr: several may have had one address */
	u64 sum[SUM_METRICS];
	char *name;			/* NULL: not known */
	bool chosen;			/* by the filter's --cache */
	const char *type;		/* of its objects, once sums_end() has found that out */
	bool types;			/* whether they are of several */
};

/* Objects of the slab allocator by call site and, but for kmalloc(), cache, as items of both. */
struct origin {
	u64 key;
	u64 sum[SUM_METRICS];
};

/* A task of a trace, under each name that it had. */
struct task {
	u64 pid;
	char comm[SUMS_TEXT];		/* empty: not known */
	u64 sum[SUM_METRICS];
	bool chosen;			/* by the filter's --comm */
};

/* A task of a KMAP, under the name of its last allocation: accesses come without one. */
struct pid {
	u64 pid;
	u64 sum[SUM_METRICS];
	u64 last;			/* number of the object that it last touched */
	u64 comm_jiffies;		/* when it allocated under ... */
	u32 comm;			/* ... this item of comms */
};

struct comm {
	char text[SUMS_TEXT];
	u64 sum[SUM_METRICS];
};

/* The function that accesses, or the ip where no function is known. */
struct function {
	u64 start;
	u64 sum[SUM_METRICS];
	u64 last;			/* number of the object that it last touched */
	bool waits;			/* it spins until a lock or another CPU is free */
};

struct suspect {
	u64 suspicion, alloc_site, free_site;	/* 0 for a site that is not known */
	u64 sum[SUM_METRICS];
};

/* Accesses by a function to what a call site allocated, as items of both. */
struct touch {
	u64 key;
	u64 sum[OBJECT_METRICS];
};

#define SUMS_NO_SITE	U32_MAX		/* of a touch: what was accessed is not known */

/*
 * Accesses by an instruction to what a call site allocated, as items of both; of what a trace tells
 * of the slab allocator's objects, the latter is one of origins.
 */
struct noted {
	u64 key;
	u64 part;			/* which part, if that tells what; see sums_part() */
	u64 sum[OBJECT_METRICS];
	u32 names;			/* set of the aliases, once sums_end() has found them */
};

/* What is of a type that call sites allocated. */
struct type {
	u64 name;			/* number in the names */
	u64 sum[SUM_METRICS];
};

/* A member of a type, by the numbers of both in the names. */
struct field {
	u64 key;
	u64 sum[SUM_METRICS];
};

#define SUMS_NO_CPU	U32_MAX
#define SUMS_NO_ITEM	U32_MAX

/**
 * struct counts - accesses by one instruction
 * @reads: how many loads
 * @writes: how many stores
 * @moves: how many cache lines they moved
 * @pid: on whose behalf
 * @part: which part of what was allocated names them, see sums_part()
 * @cpu: on which CPU, SUMS_NO_CPU if that is not known
 */
struct counts {
	u64 reads, writes, moves, pid, part;
	u32 cpu;
};

/* Whether the filter chooses accesses by an instruction to what a call site allocated, by name. */
struct named_choice {
	u64 ip, site, part;
	bool chosen;
};

/* Which function an instruction is in, as an item of functions. */
struct access_ip {
	u64 ip;
	u32 function;
};

/* An object that was accessed. */
struct accessed {
	u64 nr;				/* in the order that they end */
	u64 ptr, site;
	u64 sum[OBJECT_METRICS];
};

/**
 * struct most - the objects that were accessed most
 * @items: struct accessed, these and perhaps as many others
 * @nr: objects that were accessed
 * @keep: how many shall be kept, U32_MAX for all
 * @left_sum: sums over those that were not kept
 */
struct most {
	struct hash items;
	u64 nr;
	u32 keep;
	u64 left_sum[OBJECT_METRICS];
};

/**
 * struct allocation - memory that is allocated
 * @t: what the tracker knows of it
 * @site: item of the group's sites
 * @size: item of the group's sizes
 * @cache: item of the caches
 * @origin: item of the origins, SUMS_NO_ITEM if there are no notes
 * @task: item of the tasks
 * @gfp: item of the group's gfps
 * @reads: how often it was read, as far as that was streamed
 * @writes: how often it was written
 * @cpu: CPU that allocated it
 * @node: node of the memory, negative if not known
 * @stamp: when, as to losses
 * @within: whether the filter lets accesses to it count, but for what it says of their names
 * @chosen: whether it lets the allocation count
 * @closed: whether part of it was allocated again, and its free not seen
 */
struct allocation {
	struct tracked t;
	u64 reads, writes;
	u32 site, size, cache, origin, task, gfp;
	u32 cpu, stamp;
	int node;
	bool within, chosen, closed;
};

/**
 * struct counted - the last object of a KMAP, while its accesses come
 * @ptr: its address
 * @site: item of the group's sites
 * @nr: its number among those of which accesses may count
 * @within: whether the filter lets accesses to it count, but for what it says of their names
 * @size: bytes requested for it
 * @reads: sum over its accesses
 * @writes: sum over its accesses
 * @pids: pids that accessed it
 */
struct counted {
	u64 ptr;
	u32 site;
	u64 nr;
	bool within;
	u64 size, reads, writes, pids;
};

/**
 * struct sums - the sums
 * @symbols: what knows the functions' names
 * @filter: what counts
 * @sites: struct site by call site that allocates
 * @frees: struct site by call site that frees, of a trace
 * @sizes: struct size by bytes allocated, of a trace
 * @gfps: struct gfp by gfp flags
 * @orders: struct order of pages, once sums_end() has made them of sizes
 * @zones: struct zone by zone that the flags ask for, of pages; likewise of gfps
 * @total: sums over all
 * @histograms: whether histograms are wanted; the caller's, before anything is counted
 * @buckets: struct bucket, see histogram.h
 * @caches: struct cache by address and number; the first is large kmalloc
 * @origins: struct origin by call site and cache, if there are notes
 * @tasks: struct task by pid and comm
 * @current_caches: private: item of @caches by address, the one that is there now
 * @current_tasks: private: item of @tasks by pid, the name that it has now
 * @suspects: struct suspect by what and where
 * @functions: struct function by start
 * @ips: struct access_ip by instruction that accesses
 * @touches: struct touch by function and site; pages' sites come after those of the slab
 *	     allocator, see sums_touched()
 * @noted: struct noted by instruction and site, as in @touches, if there are notes
 * @noted_pids: private: which of @noted there were on behalf of which pid
 * @noted_cpus: private: which of @noted there were on which CPU, of a trace
 * @names: names of types and members, numbered; the first is for those not known
 * @types: struct type by name, if there are notes
 * @fields: struct field by type and member, likewise; an access counts for each of its names
 * @once: the same, but an access counts only for the member of its object's type, or if that is
 *	  unknown, for the outermost member
 * @within: the same as @fields, but what is accessed of a member counts for the members around it,
 *	    too
 * @aliases: all names that accesses have, by source
 * @untouched: struct field by type and member: those that no access names, of records that are
 *	       accessed
 * @moved: whether there are accesses that moved cache lines
 * @users: struct touch by field and function, as items of both
 * @most: the objects with most accesses; none if their number is not set
 * @accesses: sums over the accesses that were streamed
 * @waiting: accesses by functions that spin, which the filter leaves out
 * @unattributed: those to what was not seen to be allocated
 * @shared: struct site by call site, over a KMAP's objects that several pids accessed
 * @all_shared: sums over those
 * @pids: struct pid by pid, of a KMAP
 * @comms: struct comm by name, of a KMAP; the first is for pids that allocated nothing
 * @pid_comms: private: which pid allocated under which comm
 * @object: private: the last object of a KMAP
 * @objects_within: private: how many of its objects there were of which accesses may count
 * @choices: private: struct named_choice, if the filter is for types or members
 * @overflow: whether a sum over a KMAP exceeded 64 bits and was left at the largest value
 * @page_size: bytes of a page of order 0, 4096 unless the caller knows better
 * @events: number of events
 * @lost: number of events lost
 * @uncertain: what would be suspicious, but for losses that may explain it
 * @period: private: is increased where events may be missing, or allocations were not
 *	    traced for a while
 * @loss_period: private: the trace's period
 * @loss_stamp: private: when the last event was, as to losses
 * @since_switch: private: the period since which allocations are traced
 * @since: private: time of the mark from_mark, in ns
 * @begin: time of the first event, in ns
 * @end: time of the last one, in ns
 * @cpu_seen: private: whether there was an event of the CPU that the filter is for
 * @pid_seen: private: whether there was an object of the pid that the filter is for
 * @comm_seen: private: whether there was an object of a comm that the filter is for
 * @named_seen: private: whether there was a type or member that the filter is for
 * @chosen: private: whether from_mark and from are past
 * @from_seen: whether the mark from_mark was seen
 * @to_seen: whether the mark to_mark was seen
 * @allocations: private: whether allocations are traced
 * @live: private: struct allocation of live memory, of the slab allocator and of pages
 * @free: private: the free that is being counted
 */
struct sums {
	const struct kmap_symbols *symbols;
	const struct kmem_filter *filter;
	struct hash sites[GROUPS], frees[STREAM_GROUPS], sizes[STREAM_GROUPS];
	struct hash gfps[STREAM_GROUPS], orders, zones;
	u64 total[GROUPS][SUM_METRICS];
	bool histograms;
	struct hash buckets[GROUPS];
	struct hash caches, origins, tasks, current_caches, current_tasks, suspects;
	struct hash functions[ACCESS_SOURCES], ips[ACCESS_SOURCES], touches[ACCESS_SOURCES];
	struct hash noted[ACCESS_SOURCES], noted_pids[ACCESS_SOURCES], noted_cpus;
	struct hash names, types[GROUPS], fields[ACCESS_SOURCES], users[ACCESS_SOURCES];
	struct hash once[ACCESS_SOURCES], within[ACCESS_SOURCES], untouched[ACCESS_SOURCES];
	struct aliases aliases[ACCESS_SOURCES];
	bool moved[ACCESS_SOURCES];
	struct most most[ACCESS_SOURCES];
	u64 accesses[SUM_METRICS], unattributed[SUM_METRICS], waiting[SUM_METRICS];
	struct hash shared, pids, comms, pid_comms;
	u64 all_shared[SUM_METRICS];
	struct counted object;
	u64 objects_within;
	struct hash choices[ACCESS_SOURCES];
	bool overflow;
	u64 page_size;
	u64 events, lost, uncertain, since, begin, end;
	u32 period, loss_period, loss_stamp, since_switch;
	bool cpu_seen, pid_seen, comm_seen, named_seen;
	bool chosen, from_seen, to_seen, allocations;
	struct tracker live;
	struct sums_free *free;
};

/**
 * sums_add - add to a sum, which saturates
 * @k: the sums, which note an overflow
 * @sum: the sum
 * @n: what to add
 */
static inline void sums_add(struct sums *k, u64 *sum, u64 n)
{
	if (__builtin_add_overflow(*sum, n, sum)) {
		*sum = U64_MAX;
		k->overflow = true;
	}
}

void sums_init(struct sums *k, const struct kmap_symbols *symbols,
	       const struct kmem_filter *filter);
void sums_free(struct sums *k);
bool sums_event(struct sums *k, const struct trace_event *e);
void sums_prefetch(const struct sums *k, const struct trace_event *e);
void sums_object(struct sums *k, const struct kmap_object *o);
void sums_count(struct sums *k, const struct kmap_access *access);
void sums_give(void *k, const struct kmap_object *o, const struct kmap_access *counts, u32 nr);
void sums_live(struct sums *k);
void sums_end(struct sums *k);
u64 sums_duration(const struct sums *k);
void sums_total(const struct sums *k, enum access_source source, u64 total[SUM_METRICS]);
u32 sums_seen(const struct sums *k);
struct window sums_window(const struct sums *k);

/* Private: between the parts of the engine. */
u32 sums_site(struct sums *k, struct hash *sites, u64 ip);
void sums_accessed(struct sums *k, enum access_source source, const struct accessed *object);
void sums_most_end(struct sums *k);
u32 sums_function(struct sums *k, enum access_source source, u64 ip);
bool sums_leaves_out(const struct sums *k, enum access_source source, u32 function);
struct touch *sums_touch(struct sums *k, enum access_source source, u32 function, u32 site,
			 bool *new);
const struct site *sums_touched(const struct sums *k, enum access_source source,
				const struct touch *touch);
const struct function *sums_toucher(const struct sums *k, enum access_source source,
				    const struct touch *touch);
void sums_access(struct sums *k, const struct trace_event *e);
void sums_traffic(struct sums *k, const struct trace_event *e);
void sums_note(struct sums *k, enum access_source source, u64 ip, u32 origin,
	       const struct counts *counts);
struct named sums_named(const struct sums *k, enum access_source source,
			const struct noted *noted);
const char *sums_type(const struct sums *k, u64 alloc_ip);
bool sums_choose(struct sums *k, enum access_source source, u64 ip, u32 origin, u64 part);
u64 sums_part(const struct sums *k, enum access_source source, u64 ip, u32 origin, u64 place,
	      u64 size);
void sums_types_init(struct sums *k);
void sums_types_free(struct sums *k);
void sums_types_end(struct sums *k);
void sums_records(struct sums *k, enum access_source source);
u32 sums_hottest(const struct sums *k, enum access_source source, u32 type, u32 nr,
		 const struct field **hottest);
u32 sums_aliases(struct sums *k, enum access_source source, const struct named *named,
		 const char *object);
u32 sums_name(struct sums *k, const char *name);
bool sums_is_page(enum access_source source, u32 site);
const char *sums_object_type(const struct sums *k, enum access_source source, u32 origin);
const struct site *sums_site_of(const struct sums *k, enum access_source source, u32 site);
void sums_kmap_init(struct sums *k);
void sums_kmap_free(struct sums *k);
void sums_kmap_end(struct sums *k);

#endif
