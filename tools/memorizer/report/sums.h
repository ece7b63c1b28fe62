/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sums over a trace or a KMAP, by call site, function, size, cache and task. Events of a trace
 * are passed to sums_event(), objects of a KMAP to sums_object() and their accesses to
 * sums_count(). sums_end() completes the sums.
 */
#ifndef SUMS_H
#define SUMS_H

#include "kmap/kmap.h"
#include "lib/hash.h"
#include "report/children.h"
#include "report/contexts.h"
#include "report/filter.h"
#include "report/named.h"
#include "report/skip.h"
#include "symbols/aliases.h"
#include "trace/tracker.h"

/* What is summed up, in total and per row of a table. */
enum metric {
	SUM_OBJECT_SIZE,	/* size of an object of a cache */
	SUM_READS,		/* streamed or counted accesses; an update is both */
	SUM_WRITES,
	SUM_ACCESSES,		/* SUM_READS + SUM_WRITES */
	SUM_MOVES,		/* cache lines moved by accesses, where lines were tracked */
	SUM_HIT,		/* allocations; objects of a KMAP */
	SUM_REQ,		/* bytes requested */
	SUM_ALLOC,		/* bytes allocated */
	SUM_WASTE,		/* bytes allocated beyond those requested */
	SUM_FRAG,		/* SUM_WASTE / SUM_ALLOC, in thousandths of a percent */
	SUM_CALLS,		/* frees */
	SUM_FREES,		/* allocations that were freed */
	SUM_FREED,		/* bytes freed */
	SUM_CROSS_CPU,		/* objects freed on another CPU than allocated on */
	SUM_CROSS_NODE,		/* allocations by a CPU of another node than the memory's */
	SUM_CROSS_NODE_FREES,	/* frees by a CPU of another node than the memory's */
	SUM_UNKNOWN,		/* frees without a known allocation */
	SUM_UNKNOWN_BYTES,
	SUM_UNSEEN,		/* missed frees: the memory was allocated again */
	SUM_LIVE,		/* allocations live at the end */
	SUM_LIVE_BYTES,
	SUM_LIVE_UNCERTAIN,	/* of these, those whose free may be among lost events */
	SUM_OLDEST,		/* age of the oldest live allocation, in ns */
	SUM_YOUNGEST,
	SUM_PAGE_HIT,		/* page allocations */
	SUM_PAGE_BYTES,
	SUM_FIRST,		/* number of the first event */
	SUM_UNKNOWN_FREES,	/* freed objects without a known caller */
	SUM_OVERWRITES,		/* missed frees: closed by an overlapping allocation */
	SUM_LIVES,		/* objects with a known free */
	SUM_JIFFIES,		/* total lifetime of these, in jiffies */
	SUM_LIFE,		/* mean lifetime of these, in tenths of a jiffy */
	SUM_TOUCHED,		/* accessed objects */
	SUM_SITES,		/* call sites of accessed objects */
	SUM_PIDS,		/* pids that allocate */
	SUM_MOST_PIDS,		/* maximum number of pids that access an object */
	SUM_FUNCTIONS,		/* functions that access a member */
	SUM_OFFSET,		/* offset of a member in its record, in bytes */
	SUM_CPUS,		/* CPUs that access it, in a trace */
	SUM_MEMBERS,		/* members of a record that are no records */
	SUM_UNTOUCHED,		/* of these, members without named accesses */
	SUM_UNNAMED,		/* accesses to a record without a known member */
	SUM_METRICS
};

/* Metrics are kept per group: those of a trace, as in enum tracker_group, and objects of a KMAP. */
enum group { GROUP_SLAB, GROUP_PAGES, GROUP_AREAS, GROUP_LOCAL, GROUP_KMAP, GROUPS };
static_assert(GROUP_KMAP == (int)TRACKER_GROUPS);

/* The key of a struct site: ip, kind and typed */
#define SITE_KEY	(3 * sizeof(u64))

#define OBJECT_METRICS	SUM_HIT		/* metrics up to here are per object */
#define STREAM_GROUPS	GROUP_KMAP	/* groups up to here come from a trace */

/* Accesses streamed one by one in a trace, or counted per object in a KMAP. */
enum access_source { ACCESS_STREAMED, ACCESS_COUNTED, ACCESS_SOURCES };

/* Suspicious allocations and frees. */
enum suspicion {
	SUSPECT_SLAB_FREE,	/* kmalloc memory freed by kmem_cache_free() */
	SUSPECT_KFREE,		/* object of a cache freed by kfree() */
	SUSPECT_SHORT,		/* allocation smaller than requested */
	SUSPECT_DOUBLE_FREE,	/* double free */
	SUSPECT_INSIDE,		/* free of an address inside an object */
	SUSPICIONS
};

/* Room for an escaped comm with its NUL; hash keys need a multiple of 8. */
#define SUMS_TEXT	(4 * (TRACE_COMM_SIZE - 1) + 8)

/* The items of the tables. Each begins with its key. */
struct site {
	u64 ip;
	u64 kind;			/* enum kmap_kind of its objects */
	u64 typed;			/* whose note has their type, see named_site() */
	u64 sum[SUM_METRICS];
	bool chosen;			/* selected by --site */
	bool of_type;			/* selected by --type, and not excluded by --field */
};

/* Objects of a KMAP by kind of memory. */
struct kind_sums {
	u64 kind;			/* enum kmap_kind, not KMAP_UNKNOWN */
	u64 sum[SUM_METRICS];
};

struct size {
	u64 bytes;
	u64 sum[SUM_METRICS];
};

struct gfp {
	u64 flags;
	u64 sum[SUM_METRICS];
};

/* Pages by order; or without order, pieces of larger allocations. */
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
	u64 cache, nr;			/* nr tells apart caches that had the same address */
	u64 sum[SUM_METRICS];
	char *name;			/* NULL: unknown */
	bool chosen;			/* selected by --cache */
	const char *type;		/* type of its objects, set by sums_end() */
	bool types;			/* the objects have several types */
};

/* Slab objects by call site and cache (none for kmalloc()), both as item numbers. */
struct origin {
	u64 key;
	u64 sum[SUM_METRICS];
};

/* A task of a trace, per name that it had. */
struct task {
	u64 pid;
	char comm[SUMS_TEXT];		/* empty: unknown */
	u64 sum[SUM_METRICS];
	bool chosen;			/* selected by --comm */
};

/* A task of a KMAP, with the name at its last allocation: accesses have only the pid. */
struct pid {
	u64 pid;
	u64 sum[SUM_METRICS];
	u64 last;			/* number of the object last accessed */
	u64 comm_jiffies;		/* time of the last allocation and */
	u32 comm;			/* item of comms at that time */
};

struct comm {
	char text[SUMS_TEXT];
	u64 sum[SUM_METRICS];
};

/* A function that accesses memory, or the ip if the function is unknown. */
struct function {
	u64 start;
	u64 sum[SUM_METRICS];
	u64 last;			/* number of the object last accessed */
	bool waits;			/* spins until a lock or another CPU is ready */
};

struct suspect {
	u64 suspicion, alloc_site, free_site;	/* 0 for an unknown site */
	u64 sum[SUM_METRICS];
};

/* Accesses by a function to objects of a call site, both as item numbers. */
struct touch {
	u64 key;
	u64 sum[OBJECT_METRICS];
};

#define SUMS_NO_SITE	U32_MAX		/* in a touch: unknown object */

/*
 * Accesses by an instruction to objects of a call site, both as item numbers. For slab objects
 * of a trace, the latter is an item of origins.
 */
struct noted {
	u64 key;
	u64 part;			/* part that determines the name, see sums_part() */
	u64 sum[OBJECT_METRICS];
	u32 names;			/* set of aliases, set by sums_end() */
};

/* Objects of a type. */
struct type {
	u64 name;			/* number of the name */
	u64 sum[SUM_METRICS];
};

/* A member of a type, both as numbers of names. */
struct field {
	u64 key;
	u64 sum[SUM_METRICS];
};

#define SUMS_NO_CPU	U32_MAX
#define SUMS_NO_ITEM	U32_MAX

/**
 * struct counts - accesses by one instruction
 * @reads: number of loads
 * @writes: number of stores
 * @moves: number of cache lines moved
 * @pid: task
 * @part: part of the object that determines the name, see sums_part()
 * @cpu: CPU; SUMS_NO_CPU if unknown
 */
struct counts {
	u64 reads, writes, moves, pid, part;
	u32 cpu;
};

/* Whether --type and --field select accesses by an instruction to objects of a call site. */
struct named_choice {
	u64 ip, site, part;
	bool chosen;
};

/* The function of an instruction, as item of functions. */
struct access_ip {
	u64 ip;
	u32 function;
};

/* An accessed object. */
struct accessed {
	u64 nr;				/* in the order in which objects end */
	u64 ptr, site, typed;		/* the latter two as in struct site */
	enum kmap_kind kind;		/* KMAP_UNKNOWN in a trace's streamed accesses */
	u32 comm;			/* item of comms, of a KMAP */
	u64 sum[OBJECT_METRICS];
};

/**
 * struct most - the most accessed objects
 * @items: struct accessed; before pruning, up to twice as many as are kept
 * @nr: number of accessed objects
 * @keep: number of objects to keep; U32_MAX: all
 * @left_sum: sums over the other objects
 */
struct most {
	struct hash items;
	u64 nr;
	u32 keep;
	u64 left_sum[OBJECT_METRICS];
};

/**
 * struct allocation - a live allocation
 * @t: the memory, managed by the tracker
 * @site: item of the group's sites
 * @size: item of the group's sizes
 * @cache: item of caches
 * @origin: item of origins; SUMS_NO_ITEM without notes
 * @task: item of tasks
 * @gfp: item of the group's gfps
 * @reads: streamed loads
 * @writes: streamed stores
 * @cpu: allocating CPU
 * @node: NUMA node of the memory; negative if unknown
 * @stamp: loss period of the allocation, see stamp_of()
 * @within: the filter selects accesses to it, before --type and --field
 * @chosen: the filter selects the allocation
 * @closed: part of it was allocated again, its free was missed
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
 * struct counted - the current object of a KMAP
 * @ptr: its address
 * @site: item of the group's sites
 * @nr: its number among the objects whose accesses may be selected
 * @within: the filter selects accesses to it, before --type and --field
 * @kind: its kind of memory
 * @comm: item of comms
 * @size: requested size in bytes
 * @reads: loads
 * @writes: stores
 * @pids: number of pids that accessed it
 */
struct counted {
	u64 ptr;
	u32 site;
	u64 nr;
	bool within;
	enum kmap_kind kind;
	u32 comm;
	u64 size, reads, writes, pids;
};

/**
 * struct sums - the sums
 * @symbols: symbols and notes
 * @filter: the filter
 * @contexts: names of contexts, or NULL; set by the caller before the first object
 * @skip: private: finds the call sites of objects with stacks
 * @sites: struct site by allocating call site
 * @frees: struct site by freeing call site, of a trace
 * @sizes: struct size by allocated bytes, of a trace
 * @gfps: struct gfp by gfp flags
 * @orders: struct order of pages, computed from @sizes by sums_end()
 * @zones: struct zone of pages by zone in the gfp flags, computed from @gfps by sums_end()
 * @total: totals
 * @histograms: collect histograms; set by the caller before the first event
 * @buckets: struct bucket, see histogram.h
 * @children: allocations by functions on their stacks; NULL unless the caller sets it before the
 *	      first event
 * @caches: struct cache by address and number; the first is large kmalloc
 * @origins: struct origin by call site and cache, if there are notes
 * @tasks: struct task by pid and comm
 * @current_caches: private: item of @caches that an address has now
 * @current_tasks: private: item of @tasks that a pid has now
 * @suspects: struct suspect by kind and call sites
 * @functions: struct function by start address
 * @ips: struct access_ip by instruction
 * @touches: struct touch by function and site with its group, see sums_touched()
 * @noted: struct noted by instruction and site, as in @touches, if there are notes
 * @noted_pids: private: pairs of @noted and pid
 * @noted_cpus: private: pairs of @noted and CPU, of a trace
 * @names: names of types and members by number; the first is the unknown one
 * @types: struct type by name, if there are notes
 * @fields: struct field by type and member, if there are notes; an access counts for each name
 * @once: like @fields, but an access counts once: for the member of the object's type or, if that
 *	is unknown, for the outermost member
 * @within: like @fields, but an access also counts for the members around the accessed one
 * @aliases: sets of the names of accesses, by source
 * @untouched: struct field by type and member: members of accessed records without named accesses
 * @moved: some accesses moved cache lines
 * @users: struct touch by field and function, both as item numbers
 * @most: the most accessed objects; not collected if @keep is 0
 * @accesses: totals of streamed accesses
 * @waiting: accesses excluded by --no-wait
 * @unattributed: accesses to memory without a known allocation
 * @kinds: struct kind_sums by kind of memory, of a KMAP whose objects have kinds
 * @shared: struct site by call site, of a KMAP's objects accessed by several pids
 * @all_shared: totals of these
 * @pids: struct pid by pid, of a KMAP
 * @comms: struct comm by name, of a KMAP; the first is for pids without allocations
 * @pid_comms: private: pairs of allocating pid and comm
 * @object: private: the current object of a KMAP
 * @objects_within: private: number of objects whose accesses may be selected
 * @choices: private: struct named_choice, with --type or --field
 * @overflow: a sum over a KMAP saturated
 * @page_size: size of a page in bytes, 4096 unless the caller sets it
 * @events: number of events
 * @lost: number of lost events
 * @uncertain: suspicious events that losses may explain
 * @period: private: incremented where events may be missing, and where allocations were not traced
 * @loss_period: private: the trace's period
 * @loss_stamp: private: loss stamp of the last event, see loss_stamp()
 * @since_switch: private: period since which allocations are traced
 * @since: private: time of the mark from_mark, in ns
 * @begin: time of the first event, in ns
 * @end: time of the last event, in ns
 * @cpu_seen: private: --cpu matched an event
 * @pid_seen: private: --pid matched an object
 * @comm_seen: private: --comm matched an object
 * @kind_seen: private: --kind matched an allocation or an object
 * @named_seen: private: --type or --field matched
 * @chosen: private: --from was reached
 * @from_seen: the mark from_mark was seen
 * @to_seen: the mark to_mark was seen
 * @allocations: private: allocations are traced
 * @live: private: struct allocation of live memory
 * @free: private: the current free
 */
struct sums {
	const struct kmap_symbols *symbols;
	const struct kmem_filter *filter;
	const struct contexts *contexts;
	struct skip skip;
	struct hash sites[GROUPS], frees[STREAM_GROUPS], sizes[STREAM_GROUPS];
	struct hash gfps[STREAM_GROUPS], orders, zones;
	u64 total[GROUPS][SUM_METRICS];
	bool histograms;
	struct hash buckets[GROUPS];
	struct children *children;
	struct hash caches, origins, tasks, current_caches, current_tasks, suspects;
	struct hash functions[ACCESS_SOURCES], ips[ACCESS_SOURCES], touches[ACCESS_SOURCES];
	struct hash noted[ACCESS_SOURCES], noted_pids[ACCESS_SOURCES], noted_cpus;
	struct hash names, types[GROUPS], fields[ACCESS_SOURCES], users[ACCESS_SOURCES];
	struct hash once[ACCESS_SOURCES], within[ACCESS_SOURCES], untouched[ACCESS_SOURCES];
	struct aliases aliases[ACCESS_SOURCES];
	bool moved[ACCESS_SOURCES];
	struct most most[ACCESS_SOURCES];
	u64 accesses[SUM_METRICS], unattributed[SUM_METRICS], waiting[SUM_METRICS];
	struct hash kinds, shared, pids, comms, pid_comms;
	u64 all_shared[SUM_METRICS];
	struct counted object;
	u64 objects_within;
	struct hash choices[ACCESS_SOURCES];
	bool overflow;
	u64 page_size;
	u64 events, lost, uncertain, since, begin, end;
	u32 period, loss_period, loss_stamp, since_switch;
	bool cpu_seen, pid_seen, comm_seen, kind_seen, named_seen;
	bool chosen, from_seen, to_seen, allocations;
	struct tracker live;
	struct sums_free *free;
};

/**
 * sums_add - add to a sum; saturates
 * @k: the sums; @overflow is set on saturation
 * @sum: the sum
 * @n: the summand
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

/* Private to sums*.c. */
u32 sums_site(struct sums *k, struct hash *sites, u64 ip, u64 kind, u64 typed);
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
const char *sums_type(const struct sums *k, u64 alloc_ip, enum kmap_kind kind);
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
bool sums_is_slab(enum access_source source, u32 site);
const char *sums_object_type(const struct sums *k, enum access_source source, u32 origin);
const struct site *sums_site_of(const struct sums *k, enum access_source source, u32 site);
void sums_kmap_init(struct sums *k);
void sums_kmap_free(struct sums *k);
void sums_kmap_end(struct sums *k);

#endif
