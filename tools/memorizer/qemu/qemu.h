/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the parts of memorizer-qemu.so know of each other. plugin.c gets accesses, calls
 * and returns from QEMU, lines.c knows who holds a cache line, stack.c who has called,
 * guest.c takes what the guest announces, objects.c counts for announced objects, and
 * writer.c makes a trace of it all.
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

/* Code and data of the kernel lie in the upper half. */
static inline bool is_kernel(u64 addr)
{
	return addr >> 63;
}

/* What is recorded. */
enum mode {
	MODE_ALL,		/* every access */
	MODE_TRAFFIC,		/* those that move a line */
	MODE_OBJECTS,		/* how often each instruction accessed each announced object */
};

#define RANGES	256

/* Addresses, the last included. */
struct range {
	u64 first, last;
};

/**
 * struct ranges - which addresses to take
 * @nr: how many ranges there are; 0: all
 * @range: they
 */
struct ranges {
	u32 nr;
	struct range range[RANGES];
};

/**
 * struct options - what the plugin was asked for
 * @out: directory of the trace
 * @mode: what to record
 * @user: user space's accesses, too
 * @scopes: only within scopes
 * @stacks: tell from where, too
 * @paused: begin when the guest says so
 * @physical: lines are those of physical addresses
 * @sample: one in how many
 * @cpus: how many there can be
 * @line: bytes of a cache line
 * @lines: how many of them there is room for
 * @frames: likewise, of calls
 * @packet: bytes of a packet
 * @limit: bytes of a CPU's file, 0: no limit
 * @data: addresses that are accessed
 * @text: addresses of instructions
 */
struct options {
	char *out;
	enum mode mode;
	bool user, scopes, stacks, paused, physical;
	u32 sample, cpus, line;
	u64 lines, frames, packet, limit;
	struct ranges data, text;
};

extern struct options options;

/* One call that has not returned: where it was, where its return address lies, its node. */
struct frame {
	u64 ip, sp;
	u32 node;
};

/**
 * struct frames - calls, the outermost first
 * @nr: how many
 * @valid: how many of them have the right node
 * @room: how many @frame has room for
 * @base: node that the outermost one's is below
 * @frame: they
 */
struct frames {
	u32 nr, valid, room, base;
	struct frame *frame;
};

/**
 * struct context - a kernel stack, and so a task or an interrupt's
 * @region: its address, in units of a stack's size
 * @next: in its hash bucket
 * @parent: what an interrupt interrupted
 * @kernel: its calls
 * @user: of a task, its calls in user space
 * @scopes: how many scopes the task is in
 */
struct context {
	u64 region;
	struct context *next, *parent;
	struct frames kernel, user;
	u32 scopes;
};

#define VALUES	256

/**
 * struct decoder - a message that comes word by word
 * @type: of the message
 * @left: values that it lacks; 0: there is no message
 * @nr: values that are complete
 * @shift: of the next word in the next value
 * @value: values
 */
struct decoder {
	u32 type, left, nr, shift;
	u64 value[VALUES];
};

/* Events that were not written, by reason; told at the end. */
enum drop {
	DROP_WRITE,		/* the file could not be written, or was as long as it may */
	DROP_LINE,		/* no room for the line */
	DROP_ADDRESS,		/* no physical address was to be had */
	DROP_STACK,		/* no room for a call: written, but not from where */
	DROP_MESSAGE,		/* messages that the guest could not make, or that make no sense */
	DROPS
};

struct insn;

/**
 * struct vcpu - a virtual CPU; only its own thread uses it
 * @nr: its number
 * @fd: its file, -1 before the first packet
 * @packet: the packet that is being filled
 * @used: bytes of it; 0: none is begun
 * @in_packet: events in it
 * @seq: number of the next packet
 * @size: bytes in the file
 * @begin: time of the packet's first event
 * @time: of the last event
 * @events: written
 * @sampled: events that sampling left out
 * @since: events since the last that sampling let pass
 * @drops: events, by reason
 * @pid: of its task
 * @comm: likewise
 * @in_user: it was in user space when last seen
 * @calling: it executes a call, whose store has not come yet
 * @update: the atomic update that it has made last
 * @loads: loads of that, which no store has followed yet
 * @own: its context before it was seen in the kernel
 * @now: its kernel stack
 * @task: that of its task
 * @from: decoders for what user space and the kernel say
 */
struct vcpu {
	u32 nr;
	int fd;
	u8 *packet;
	u64 used, in_packet, seq, size, begin, time;
	u64 events, sampled, since, drops[DROPS];
	u32 pid;
	char comm[16];
	bool in_user, calling;
	const struct insn *update;
	u32 loads;
	struct context own, *now, *task;
	struct decoder from[2];
};

extern struct vcpu *vcpus;

/* How many values the guest announces an object with, and a cache and a lock, beside its name. */
#define OBJECT_VALUES	7
#define CACHE_VALUES	3
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
void write_alloc(struct vcpu *v, const u64 alloc[OBJECT_VALUES], u32 bytes);
void write_free(struct vcpu *v, const u64 alloc[OBJECT_VALUES], u32 bytes, u64 free_ip);
void write_access(struct vcpu *v, u64 ip, u64 addr, u32 size, bool store, u32 stack);
void write_traffic(struct vcpu *v, u64 ip, u64 addr, u32 size, bool store, u32 stack, u64 line,
		   s32 from);
void write_frame(struct vcpu *v, u32 stack, u32 caller, u64 ip);
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
void stack_call(struct vcpu *v, u64 ip, u64 sp);
void stack_return(struct vcpu *v, u64 ip, u64 sp);
u32 stack_now(struct vcpu *v, bool user);

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
