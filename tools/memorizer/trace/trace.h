/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The events of a trace, of all CPUs, ordered by time.
 *
 *	t = trace_open(dir, error);
 *	while (trace_next(t, &e))
 *		...
 *	incomplete = trace_warn(t);
 *	trace_close(t);
 *
 * A trace may be incomplete: the kernel dropped events, or packets are damaged or missing.
 * The reader returns everything that is intact, and reports each gap by pseudo events; see
 * also @certain of struct trace_event.
 */
#ifndef TRACE_H
#define TRACE_H

#include "kmap/kmap.h"

#define TRACE_COMM_SIZE	(KMAP_COMM_MAX + 2)	/* 16 bytes and a NUL */
#define TRACE_BUILD_ID	20			/* bytes of a module's build ID */

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
	TRACE_CALL,
	TRACE_DISCARDED,	/* pseudo event: start of a gap in this CPU's events */
	TRACE_UNKNOWN,		/* event of a type that this tool does not know */
	TRACE_PACKET,		/* pseudo event: end of a packet, see trace_show_packets() */
	TRACE_RESUMED,		/* pseudo event: end of a gap */
	TRACE_FAULT,		/* pseudo event: a packet's frame is invalid */
	TRACE_TYPES
};

/* Allocator that an allocation or a free called. */
enum trace_kind {
	TRACE_KMALLOC,
	TRACE_KMEM_CACHE,
	TRACE_PAGES,
	TRACE_VMALLOC,
	TRACE_VMAP,
	TRACE_IOREMAP,
	TRACE_MODULES,
	TRACE_STACK,
	TRACE_PERCPU,
	TRACE_KINDS
};

/* State of an object. */
enum trace_state {
	TRACE_LIVE = 1,
	TRACE_FREED,
	TRACE_BURIED,		/* overwritten by another allocation, its free unseen */
};

enum trace_access_kind {
	TRACE_READ = 1,
	TRACE_WRITE,
	TRACE_UPDATE,
};

/* Reason of a kernel entry. */
enum trace_entry {
	TRACE_SYSCALL = 1,
	TRACE_INTERRUPT,
	TRACE_EXCEPTION,
	TRACE_SOFTIRQ,
	TRACE_NMI,
};

enum trace_lock_op {
	TRACE_ACQUIRE = 1,	/* attempt to acquire: the task may wait */
	TRACE_ACQUIRED,
	TRACE_RELEASE,
};

/* Flags of a lock event. */
#define TRACE_LOCK_SHARED	1u
#define TRACE_LOCK_TRY		2u
#define TRACE_LOCK_CONTENDED	4u

/**
 * struct trace_stack - stack of an allocation
 * @nr: number of frames
 * @ip: return addresses, from the innermost caller outward
 */
struct trace_stack {
	u32 nr;
	u64 ip[KMAP_STACK_MAX];
};

/**
 * struct trace_event - an event
 * @type: type of the event; selects the member of @u
 * @nr: sequence number in the whole trace, from 1; a pseudo event has the number of the event
 *	after it
 * @time: timestamp in ns
 * @cpu: CPU that wrote the event
 * @node: NUMA node of that CPU
 * @period: number of the period, from 1; each start of a gap, on any CPU, begins a new one
 * @certain: no CPU is in a gap. If two events of the same period are both certain, no event
 *	     between them is missing. Any other inconsistency between two events may be caused
 *	     by lost events, and must not be reported as an error.
 * @u: fields, named as in the metadata; values are not validated, strings are valid until the
 *     next call of trace_next(), fields that the trace does not have are 0
 * @u.access.stack: innermost call, see @u.call; 0 if unknown
 * @u.object.kind: kind of memory, an enum kmap_kind
 * @u.object.stack: number of the stack, see @u.frame; 0 if it has none
 * @u.object.frames: that stack, valid until the next call of trace_next(); NULL if unknown
 * @u.module.jiffies: time of the load, even before the trace, or of the unload; 0 if unknown
 * @u.module.build_id: build ID, all zero if unknown
 * @u.traffic.line: address of the cache line
 * @u.traffic.from: CPU that last stored to the line; -1 if none did
 * @u.entry: fields of TRACE_ENTER and TRACE_LEAVE. System calls nest per task, the others
 *	     per CPU.
 * @u.entry.number: number of the system call, the vector or the softirq
 * @u.rcu_free: memory to be freed after an RCU grace period
 * @u.frame.stack: number of the stack to which this frame belongs
 * @u.frame.depth: number of frames within it
 * @u.frame.ip: return address
 * @u.call: a call, from the QEMU plugin
 * @u.call.stack: number of the call, by which other events refer to it
 * @u.call.caller: number of the call that led to it; 0 if none
 * @u.call.ip: address of the call
 * @u.discarded.events: number of lost events; 0 if unknown
 * @u.discarded.packets: number of missing packets; 0 if none or unknown
 * @u.discarded.broken: packets are missing or damaged. An overrun only loses events that the
 *			kernel may drop, this may lose any event.
 * @u.discarded.early: gap before the CPU's first packet: that packet reports losses, or
 *		       another reader consumed earlier packets. Does not count as a loss.
 * @u.packet.begin: timestamp_begin of the packet
 * @u.packet.end: timestamp_end of the packet
 * @u.fault.text: message, with the file and the number of the packet
 * @u.fault.incomplete: the fault makes the trace incomplete
 * @u.unknown.name: name of the event
 * @u.unknown.id: ID of the event
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
			u32 object, snapshot, state, pid, bytes_req, kind, stack;
			char comm[TRACE_COMM_SIZE];
			struct trace_stack *frames;
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
			u32 stack, depth;
		} frame;
		struct {
			u64 ip;
			u32 stack, caller;
		} call;
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

/* Pseudo events come from the reader, not from the kernel. */
static inline bool trace_is_pseudo(enum trace_type type)
{
	return type >= TRACE_DISCARDED && type != TRACE_UNKNOWN;
}

enum kmap_kind trace_kind_memory(u32 kind);

/**
 * trace_object_kind - get the kind of memory of an object
 * @e: its event
 *
 * Return: the kind; KMAP_UNKNOWN if the trace has none, or has one that this tool does not know.
 */
static inline enum kmap_kind trace_object_kind(const struct trace_event *e)
{
	return e->u.object.kind < KMAP_KINDS ? e->u.object.kind : KMAP_UNKNOWN;
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
