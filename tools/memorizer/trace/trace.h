/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a trace: those of all CPUs, in the order of time.
 *
 *	t = trace_open(dir, error);
 *	while (trace_next(t, &e))
 *		...
 *	incomplete = trace_warn(t);
 *	trace_close(t);
 *
 * A trace may lack events: its packets tell of some that the kernel had no room for, or
 * packets are damaged or missing. All that is left is given, and pseudo events tell from
 * when to when what is missing; see also struct trace_event's @certain.
 */
#ifndef TRACE_H
#define TRACE_H

#include "kmap/kmap.h"

#define TRACE_COMM_SIZE	(KMAP_COMM_MAX + 2)	/* 16 bytes and a NUL */
#define TRACE_BUILD_ID	20			/* bytes of a module's build id */

enum trace_type {
	TRACE_TASK,
	TRACE_CACHE,
	TRACE_ALLOC,
	TRACE_FREE,
	TRACE_OBJECT,
	TRACE_COUNTS,
	TRACE_ACCESS,
	TRACE_MARK,
	TRACE_SWITCH,
	TRACE_SNAPSHOT,
	TRACE_MODULE,
	TRACE_TRAFFIC,
	TRACE_ENTER,
	TRACE_LEAVE,
	TRACE_LOCK,
	TRACE_RCU_FREE,
	TRACE_FRAME,
	TRACE_DISCARDED,	/* pseudo event: from here on events of this CPU may be missing */
	TRACE_UNKNOWN,		/* an event that this tool does not know */
	TRACE_PACKET,		/* pseudo event: a packet ends, see trace_show_packets() */
	TRACE_RESUMED,		/* pseudo event: from here on none are missing any more */
	TRACE_FAULT,		/* pseudo event: something is wrong with a packet's frame */
	TRACE_TYPES
};

/* What memory an allocation asked for, or which function a free called. */
enum trace_kind {
	TRACE_KMALLOC,
	TRACE_KMEM_CACHE,
	TRACE_PAGES,
	TRACE_KINDS
};

/* State of an object. */
enum trace_state {
	TRACE_LIVE = 1,
	TRACE_FREED,
	TRACE_BURIED,		/* something else was allocated over it */
};

/* Kind of an access. */
enum trace_access_kind {
	TRACE_READ = 1,
	TRACE_WRITE,
	TRACE_UPDATE,
};

/* What the kernel was entered by. */
enum trace_entry {
	TRACE_SYSCALL = 1,
	TRACE_INTERRUPT,
	TRACE_EXCEPTION,
	TRACE_SOFTIRQ,
	TRACE_NMI,
};

/* What becomes of a lock, and how, in bits. */
enum trace_lock_op {
	TRACE_ACQUIRE = 1,	/* wanted: it may have to be waited for */
	TRACE_ACQUIRED,
	TRACE_RELEASE,
};

#define TRACE_LOCK_SHARED	1u
#define TRACE_LOCK_TRY		2u
#define TRACE_LOCK_CONTENDED	4u

/**
 * struct trace_event - an event
 * @type: what it is, and which member of @u is set
 * @nr: its number in the whole trace, in the order of time, from 1; a pseudo event
 *	has the number of the event after it
 * @time: when, in ns
 * @cpu: CPU that wrote it
 * @node: NUMA node of that CPU
 * @period: is another one after each point from which on events may be missing, from 1
 * @certain: whether no CPU's events may be missing now. What was seen when this was set,
 *	     in the same period, and is seen now when it is set, has nothing missing in
 *	     between; of anything else a loss may be the cause, so that it proves nothing
 * @u: its fields, as the metadata names them; no value is checked, and strings are
 *     valid until the next call of trace_next(); what a trace does not tell is 0
 * @u.access.stack: the innermost caller's frame, see @u.frame; 0: not known
 * @u.module.jiffies: when it was loaded, even before the trace, or unloaded; 0: not known
 * @u.module.build_id: its build id, all 0: not known
 * @u.traffic.line: address of the line's first byte
 * @u.traffic.from: CPU that stored to it last; -1: none has
 * @u.entry: of both TRACE_ENTER and TRACE_LEAVE. System calls nest in a task, the others
 *	     on a CPU
 * @u.entry.number: of the system call, the vector or the softirq
 * @u.rcu_free: memory that is to be freed when a grace period of RCU is over
 * @u.frame.stack: number of this frame, which other events name
 * @u.frame.caller: that of the frame it was called from; 0: none
 * @u.frame.ip: the call
 * @u.discarded.events: how many events were lost; 0: not known
 * @u.discarded.packets: how many packets are missing; 0: none, or not known
 * @u.discarded.broken: whether packets are missing or damaged: unlike overruns, that may
 *			concern any event
 * @u.discarded.early: counts nothing: until the first packet of the CPU, events may be missing
 *		       that it reports as lost, or that others have read
 * @u.packet.begin: time at which the packet says that it begins
 * @u.packet.end: time at which it says that it ends
 * @u.fault.text: what is wrong, with the file and the number of the packet
 * @u.fault.incomplete: whether that makes the trace incomplete
 * @u.unknown.name: name of the event
 * @u.unknown.id: its id
 */
struct trace_event {
	enum trace_type type;
	bool certain;
	u64 nr, time;
	u32 cpu, node, period;
	union {
		struct {
			u32 pid;
			char comm[TRACE_COMM_SIZE];
		} task;
		struct {
			u64 cache;
			u32 object_size, size;
			const char *name;
		} cache;
		struct {
			u64 call_site, ptr, cache;
			u32 kind, bytes_req, bytes_alloc, gfp_flags, pid;
			int node;
		} alloc;
		struct {
			u64 call_site, ptr, cache;
			u32 kind, bytes, pid;
		} free;
		struct {
			u64 alloc_site, ptr, alloc_jiffies, free_jiffies, free_site;
			u32 object, snapshot, state, pid, bytes_req;
			char comm[TRACE_COMM_SIZE];
		} object;
		struct {
			u64 ip, writes, reads, write_moves, read_moves;
			u32 object, pid;
		} counts;
		struct {
			u64 ip, ptr;
			u32 size, kind, pid, stack;
		} access;
		struct {
			u32 pid;
			const char *text;
		} mark;
		struct {
			u32 allocations, retirements, accesses, boot;
			u32 traffic, scoped, entries, locks;
		} switches;
		struct {
			u32 snapshot, complete;
			u64 objects;
		} snapshot;
		struct {
			u64 base, init_base, jiffies;
			u32 loaded, size, init_size;
			unsigned char build_id[TRACE_BUILD_ID];
			const char *name;
		} module;
		struct {
			u64 ip, ptr, line;
			u32 size, kind, pid, stack;
			int from;
		} traffic;
		struct {
			u32 kind, number, pid;
		} entry;
		struct {
			u64 lock, ip;
			u32 op, flags, pid;
			const char *name;
		} lock;
		struct {
			u64 ptr, ip;
			u32 pid;
		} rcu_free;
		struct {
			u64 ip;
			u32 stack, caller;
		} frame;
		struct {
			u64 events, packets;
			bool broken, early;
		} discarded;
		struct {
			u64 begin, end;
		} packet;
		struct {
			const char *text;
			bool incomplete;
		} fault;
		struct {
			const char *name;
			u64 id;
		} unknown;
	} u;
};

/* Whether it is no event of the kernel's, but what the reader says about the trace. */
static inline bool trace_is_pseudo(enum trace_type type)
{
	return type >= TRACE_DISCARDED && type != TRACE_UNKNOWN;
}

struct trace;

struct trace *trace_open(const char *dir, char error[ERROR_MAX]);
struct trace *trace_open_fed(const char *dir, const char *name, char error[ERROR_MAX]);
void trace_feed(struct trace *t, u32 cpu, const char *data, size_t len);
void trace_read_until(struct trace *t, u64 until);
bool trace_next(struct trace *t, struct trace_event *e);
const struct trace_event *trace_peek(const struct trace *t);
void trace_show_packets(struct trace *t);
const char *trace_type_name(enum trace_type type);
u64 trace_env_number(const struct trace *t, const char *name, u64 otherwise);
const char *trace_env_text(const struct trace *t, const char *name);
u32 trace_streams(const struct trace *t);
u64 trace_packets(const struct trace *t);
u64 trace_lost(const struct trace *t);
bool trace_unfinished(const struct trace *t);
bool trace_incomplete(const struct trace *t);
void trace_warn_unfinished(const struct trace *t);
bool trace_warn(const struct trace *t);
bool trace_from_start(const struct trace *t);
bool trace_is_part(const struct trace *t);
bool trace_is_whole(const struct trace *t);
bool trace_is_joined(const struct trace *t);
u64 trace_bytes_total(const struct trace *t);
u64 trace_bytes_done(const struct trace *t);
void trace_close(struct trace *t);

#endif
