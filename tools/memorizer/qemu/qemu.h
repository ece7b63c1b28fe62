/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Internal interfaces of memorizer-qemu.so. plugin.c gets accesses, calls and returns from QEMU,
 * lines.c tracks the holders of cache lines, stack.c tracks call stacks, calls.c counts entries of
 * functions, guest.c decodes the guest's messages, objects.c counts accesses to the guest's
 * objects, and writer.c writes the trace.
 */
#ifndef QEMU_H
#define QEMU_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef uint8_t u8;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;
typedef uint64_t u64;

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* The kernel's code and data are in the upper half of the address space. */
static inline bool is_kernel(u64 addr)
{
	return addr >> 63;
}

enum mode {
	MODE_ALL,		/* record all accesses */
	MODE_TRAFFIC,		/* record accesses that move a cache line */
	MODE_OBJECTS,		/* count accesses per announced object and instruction */
};

#define RANGES	256

/* A range of addresses, @last inclusive. */
struct range {
	u64 first, last;
};

/**
 * struct ranges - addresses to record
 * @nr: number of ranges; 0 selects all addresses
 * @range: the ranges
 */
struct ranges {
	u32 nr;
	struct range range[RANGES];
};

/**
 * struct options - arguments of the plugin
 * @out: directory of the trace
 * @calls: file of the addresses of functions whose entries are counted; NULL for none
 * @mode: what to record
 * @user: record accesses by user space, too
 * @scopes: record only within scopes
 * @stacks: record call stacks
 * @paused: start when the guest requests it
 * @physical: identify cache lines by physical address
 * @sample: record one of @sample accesses
 * @cpus: max. number of vCPUs
 * @line: size of a cache line in bytes
 * @lines: max. number of tracked cache lines
 * @frames: max. number of nodes in the call tree
 * @packet: size of a packet in bytes
 * @limit: max. size of a CPU's file in bytes; 0 for no limit
 * @data: accessed addresses to record
 * @text: addresses of instructions to record
 */
struct options {
	char *out, *calls;
	enum mode mode;
	bool user, scopes, stacks, paused, physical;
	u32 sample, cpus, line;
	u64 lines, frames, packet, limit;
	struct ranges data, text;
};

extern struct options options;

/* A call that has not returned. */
struct frame {
	u64 ip;			/* address of the call */
	u64 sp;			/* location of its return address */
	u64 back;		/* its return address */
	u32 node;		/* node in the call tree, see @valid of struct frames */
	bool entered;		/* it has entered a function, see calls.c */
};

/**
 * struct frames - calls on a stack, outermost first
 * @nr: number of calls
 * @valid: number of calls whose @node is valid
 * @room: max. number of calls that @frame can hold
 * @base: node of the caller of the outermost call
 * @frame: the calls
 */
struct frames {
	u32 nr, valid, room, base;
	struct frame *frame;
};

/**
 * struct context - a kernel stack, of a task or for interrupts
 * @region: address of the stack, in units of its size
 * @next: next in the hash bucket
 * @parent: the context that an interrupt interrupted; NULL for a task
 * @kernel: calls on this stack
 * @user: the task's calls in user space
 * @scopes: nesting depth of the task's scopes
 */
struct context {
	u64 region;
	struct context *next, *parent;
	struct frames kernel, user;
	u32 scopes;
};

#define VALUES	256

/**
 * struct decoder - state of decoding a message
 * @type: type of the message
 * @left: number of missing values; 0 if no message is in progress
 * @nr: number of complete values
 * @shift: bit position of the next word in the current value
 * @value: the values
 */
struct decoder {
	u32 type, left, nr, shift;
	u64 value[VALUES];
};

/* Reasons for losses, which are counted and reported at exit. */
enum drop {
	DROP_WRITE,		/* write error, or the size limit of the file was reached */
	DROP_LINE,		/* too many cache lines */
	DROP_ADDRESS,		/* unknown physical address */
	DROP_STACK,		/* too many calls: the event is written without its stack */
	DROP_MESSAGE,		/* the guest dropped a message, or sent an invalid one */
	DROPS
};

struct insn;

/**
 * struct vcpu - a virtual CPU; only accessed by its own thread, and at exit
 * @nr: number of the vCPU
 * @fd: file descriptor of its file; -1 before the first packet
 * @packet: the current packet
 * @used: bytes used in @packet; 0 if no packet is open
 * @in_packet: number of events in @packet
 * @seq: packet_seq_num of the next packet
 * @size: size of the file in bytes
 * @begin: time of the first event in @packet
 * @time: time of the last event
 * @events: number of events written
 * @sampled: number of events skipped by sampling
 * @since: number of events since the last one that was not skipped
 * @drops: number of losses by reason
 * @pid: PID of the current task
 * @comm: comm of the current task
 * @calls_count: the guest counts calls on the vCPU
 * @in_user: the vCPU was last seen in user space
 * @calling: a call instruction is executing, and has not stored its return address yet
 * @interrupted: instruction to which QEMU attributes the accesses of an interrupt, or NULL
 * @pushes: number of stores that are left of these
 * @update: the last atomic update instruction
 * @loads: number of loads of @update that no store has followed yet
 * @own: initial context, until the vCPU is seen in the kernel
 * @now: context of the current kernel stack
 * @task: context of the current task
 * @from: decoders of the messages from user space [0] and from the kernel [1]
 */
struct vcpu {
	u32 nr;
	int fd;
	u8 *packet;
	u64 used, in_packet, seq, size, begin, time;
	u64 events, sampled, since, drops[DROPS];
	u32 pid;
	char comm[16];
	bool calls_count, in_user, calling;
	const struct insn *interrupted, *update;
	u32 pushes, loads;
	struct context own, *now, *task;
	struct decoder from[2];
};

extern struct vcpu *vcpus;

/* Number of values in messages about objects, caches and locks, without the name. */
#define OBJECT_VALUES	8
#define CACHE_VALUES	4
#define LOCK_VALUES	3

/* plugin.c */
extern bool recording;

/* writer.c */
enum { ACCESS_READ = 1, ACCESS_WRITE };
bool writer_init(void);
void writer_open(struct vcpu *v);
void writer_close(struct vcpu *v);
void write_task(struct vcpu *v);
void write_cache(struct vcpu *v, const u64 cache[CACHE_VALUES], const char *name);
/*
 * Kinds of allocations and frees, see MEMORIZER_TYPES. The guest does not announce which caches
 * are those of kmalloc().
 */
enum { KIND_KMALLOC, KIND_CACHE, KIND_PAGES, KIND_PERCPU = 8 };

void write_alloc(struct vcpu *v, const u64 alloc[OBJECT_VALUES], int kind, u64 bytes);
void write_free(struct vcpu *v, const u64 alloc[OBJECT_VALUES], int kind, u64 ptr, u64 bytes,
		u64 free_ip);
void write_access(struct vcpu *v, u64 ip, u64 addr, u32 size, bool store, u32 stack);
void write_traffic(struct vcpu *v, u64 ip, u64 addr, u32 size, bool store, u32 stack, u64 line,
		   s32 from);
void write_call(struct vcpu *v, u32 stack, u32 caller, u64 ip);
void write_mark(struct vcpu *v, const char *text);
void write_entry(struct vcpu *v, bool leave, u32 kind, u32 number);
void write_rcu_free(struct vcpu *v, u64 addr, u64 ip);
void write_lock(struct vcpu *v, u32 op, u32 flags, u64 lock, u64 ip, const char *name);
void write_switch(struct vcpu *v, bool on);
void write_object(struct vcpu *v, u32 object, u32 snapshot, u32 state,
		  const u64 alloc[OBJECT_VALUES], const char comm[16], u64 free_ip,
		  u64 free_jiffies);
void write_counts(struct vcpu *v, u32 object, u64 ip, u32 pid, u64 writes, u64 reads);
void write_snapshot(struct vcpu *v, u32 snapshot, bool complete, u64 objects);

/* lines.c */
enum line { LINE_STAYS, LINE_MOVES, LINE_NO_ROOM };
enum line line_access(u64 line, u32 cpu, bool store, s32 *from);

/* stack.c */
void stack_call(struct vcpu *v, u64 ip, u64 back, u64 sp);
void stack_return(struct vcpu *v, u64 ip, u64 sp);
struct frame *stack_top(struct vcpu *v, bool user, u64 sp);
u32 stack_now(struct vcpu *v, bool user);

/* calls.c */
bool calls_init(void);
bool calls_is_entry(u64 ip);
void calls_enter(struct vcpu *v, u64 to, u64 sp);
void calls_finish(void);

/* guest.c */
void guest_word(struct vcpu *v, bool user, u32 word);

/* objects.c */
void objects_add(struct vcpu *v, const u64 values[OBJECT_VALUES]);
void objects_cache(struct vcpu *v, const u64 values[CACHE_VALUES], const char *name);
void objects_end(struct vcpu *v, const u64 values[4]);
void objects_logging(bool on);
void objects_access(u64 ip, u64 addr, u32 size, bool store);
void objects_finish(struct vcpu *v);

#endif
