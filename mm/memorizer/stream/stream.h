/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's stream: layout of events, and how to write one.
 *
 * The structures of events and the metadata that describes them (ctf.c) are both generated from
 * event-fields.h. events.c writes events into packets of buffer.c, files.c passes the packets
 * to the reader, switch.c selects the events. The stream is an observer of the core, see
 * ../observer.h.
 */
#ifndef _MM_MEMORIZER_STREAM_H
#define _MM_MEMORIZER_STREAM_H

#include <linux/build_bug.h>
#include <linux/buildid.h>
#include <linux/irq_work.h>
#include <linux/irqflags.h>
#include <linux/jump_label.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/types.h>
#include <linux/uuid.h>
#include <linux/wait.h>

#include <linux/memorizer.h>
#include <linux/memorizer-context.h>

#include "../memorizer.h"
#include "../observer.h"
#include "event-fields.h"

#define MEMORIZER_C_EVENT(event, EVENT, string)				\
struct memorizer_##event##_event {					\
	u64 header;							\
	MEMORIZER_##EVENT##_FIELDS(MEMORIZER_C_FIELD, MEMORIZER_C_ARRAY)	\
} __packed;

MEMORIZER_EVENTS(MEMORIZER_C_EVENT)

static_assert(sizeof(struct memorizer_task_event) == 8 + 28);
static_assert(sizeof(struct memorizer_cache_event) == 8 + 16);
static_assert(sizeof(struct memorizer_alloc_event) == 8 + 43);
static_assert(sizeof(struct memorizer_free_event) == 8 + 33);
static_assert(sizeof(struct memorizer_object_event) == 8 + 78);
static_assert(sizeof(struct memorizer_counts_event) == 8 + 48);
static_assert(sizeof(struct memorizer_access_event) == 8 + 25);
static_assert(sizeof(struct memorizer_mark_event) == 8 + 4);
static_assert(sizeof(struct memorizer_switch_event) == 8 + 8);
static_assert(sizeof(struct memorizer_snapshot_event) == 8 + 16);
static_assert(sizeof(struct memorizer_module_event) == 8 + 53);
static_assert(sizeof(struct memorizer_traffic_event) == 8 + 37);
static_assert(sizeof(struct memorizer_enter_event) == 8 + 9);
static_assert(sizeof(struct memorizer_leave_event) == 8 + 9);
static_assert(sizeof(struct memorizer_lock_event) == 8 + 22);
static_assert(sizeof(struct memorizer_rcu_free_event) == 8 + 20);
static_assert(sizeof(struct memorizer_frame_event) == 8 + 13);
static_assert(TASK_COMM_LEN == 16);
static_assert(BUILD_ID_SIZE_MAX == 20);

#define MEMORIZER_EVENT_ID(event, EVENT, string)	MEMORIZER_##EVENT##_EVENT,

enum memorizer_event { MEMORIZER_EVENTS(MEMORIZER_EVENT_ID) };

enum memorizer_lock_op {
	MEMORIZER_LOCK_ACQUIRE = 1,	/* about to acquire, may wait */
	MEMORIZER_LOCK_ACQUIRED,
	MEMORIZER_LOCK_RELEASE,
};

/* Flags of an operation. */
#define MEMORIZER_LOCK_SHARED		1
#define MEMORIZER_LOCK_TRY		2
#define MEMORIZER_LOCK_CONTENDED	4

#define MEMORIZER_CTF_MAGIC	0xC1FC1FC1

/* Header of a packet. */
struct memorizer_packet {
	u32 magic;
	u8 uuid[UUID_SIZE];
	u32 stream_id;
	MEMORIZER_PACKET_CONTEXT(MEMORIZER_C_FIELD, MEMORIZER_C_ARRAY)
} __packed;

static_assert(sizeof(struct memorizer_packet) == 88);

/**
 * struct memorizer_writer - a CPU's buffer and the state of writing to it
 * @cpu: the CPU
 * @start: the sub-buffers, followed by the number of events in each finished packet; NULL if
 *	there was no memory, or if the CPU was never online
 * @finished: number of finished packets so far
 * @consumed: number of packets that were read, and whose sub-buffers may be reused
 * @next: address of the next event, NULL if no packet is open
 * @end: end of the open packet's space, NULL if no packet is open
 * @time: time of the last event in ns
 * @events: number of events in the open packet
 * @busy: an event is being written
 * @wake: a packet was finished since the readers were woken
 * @produced: number of events, including lost ones
 * @overrun: number of events lost because the buffer was full
 * @nested: number of events lost because they came in an NMI while @busy was set
 * @own: number of the stream reader's own accesses and moves of cache lines, which are not
 *	streamed
 * @bytes: size of all finished packets
 * @reported: number of events lost since boot, when the last packet was finished
 * @reported_before: value of @reported when the stream began: base of events_discarded
 * @beginnings: memorizer_beginnings when the last packet was opened
 * @read: number of events in consumed packets; owned by the reader
 * @position: bytes read of the oldest finished packet; owned by the reader
 * @reading: bit 0 is set while the file is open
 * @readers: readers that wait for a finished packet
 * @wakeup: wakes @readers
 *
 * A CPU changes its own fields, with interrupts disabled and @busy set. Exceptions: the reader
 * owns some, and NMIs change @produced, @nested and @own with one instruction. While a CPU is
 * offline and CPU hotplug is locked, the reader may change all fields.
 *
 * The reader owns the packets from @consumed to @finished, and their numbers of events. The
 * writer releases @finished and acquires @consumed, the reader does the reverse.
 */
struct memorizer_writer {
	int cpu;
	u8 *start;
	size_t finished;
	size_t consumed;
	u8 *next;
	u8 *end;
	u64 time;
	u64 events;
	bool busy;
	bool wake;
	u64 produced;
	u64 overrun;
	u64 nested;
	u64 own;
	u64 bytes;
	u64 reported;
	u64 reported_before;
	u32 beginnings;
	u64 read;
	size_t position;
	unsigned long reading;
	wait_queue_head_t readers;
	struct irq_work wakeup;
};

DECLARE_PER_CPU(struct memorizer_writer, memorizer_writer);

extern u32 memorizer_session;
extern u32 memorizer_beginnings;
extern pid_t memorizer_stream_reader;
extern uuid_t memorizer_stream_uuid;
extern bool memorizer_stream_is_scoped;

bool memorizer_stream_open_packet(struct memorizer_writer *writer);
void memorizer_stream_wake(void);

/**
 * memorizer_stream_begin() - begin to write an event on this CPU
 * @flags: set to the interrupt state, for memorizer_stream_end()
 * @after: lower bound for the event's time in ns, or 0
 *
 * Context: any, NMI included.
 * Return: the CPU's writer; NULL if this interrupts another write, which counts the event as lost
 */
static __always_inline struct memorizer_writer *memorizer_stream_begin(unsigned long *flags,
								       u64 after)
{
	struct memorizer_writer *writer;
	u64 now;

	raw_local_irq_save(*flags);
	writer = this_cpu_ptr(&memorizer_writer);
	/* Interrupts are disabled: only an NMI can get here while another event is written. */
	if (unlikely(writer->busy)) {
		this_cpu_inc(memorizer_writer.produced);
		this_cpu_inc(memorizer_writer.nested);
		raw_local_irq_restore(*flags);
		return NULL;
	}
	WRITE_ONCE(writer->busy, true);
	barrier();
	/* CTF requires that times do not decrease within a stream. */
	now = max(local_clock_noinstr(), after);
	if (likely(now > writer->time))
		writer->time = now;
	return writer;
}

/**
 * memorizer_stream_end() - finish writing
 * @writer: result of memorizer_stream_begin()
 * @flags: interrupt state from memorizer_stream_begin()
 */
static __always_inline void memorizer_stream_end(struct memorizer_writer *writer,
						 unsigned long flags)
{
	barrier();
	WRITE_ONCE(writer->busy, false);
	if (unlikely(writer->wake))
		memorizer_stream_wake();
	raw_local_irq_restore(flags);
}

/* Id in the first byte, then 56 bits of time. */
static __always_inline u64 memorizer_event_header(enum memorizer_event id, u64 time)
{
#ifdef __BIG_ENDIAN
	return (u64)id << 56 | (time & GENMASK_ULL(55, 0));
#else
	return time << 8 | id;
#endif
}

/**
 * memorizer_stream_reserve() - reserve space for an event
 * @writer: this CPU's writer
 * @id: the event's id
 * @size: the event's size in bytes
 *
 * Context: between memorizer_stream_begin() and memorizer_stream_end().
 * Return: the event, with its header filled in; NULL if there is no space, which counts the event
 *	as lost
 */
static __always_inline void *memorizer_stream_reserve(struct memorizer_writer *writer,
						      enum memorizer_event id, size_t size)
{
	u8 *event;

	this_cpu_inc(memorizer_writer.produced);
	if (unlikely(size > writer->end - writer->next) &&
	    !memorizer_stream_open_packet(writer)) {
		writer->overrun++;
		return NULL;
	}
	event = writer->next;
	writer->next = event + size;
	writer->events++;
	*(u64 *)event = memorizer_event_header(id, writer->time);
	return event;
}

/* Switches; the order is that of memorizer_stream_names. */
enum memorizer_stream_switch {
	MEMORIZER_STREAM_ALLOCATIONS,
	MEMORIZER_STREAM_RETIREMENTS,
	MEMORIZER_STREAM_ACCESSES,
	MEMORIZER_STREAM_TRAFFIC,
	MEMORIZER_STREAM_CONTEXTS,
	MEMORIZER_STREAM_LOCKS,
	MEMORIZER_STREAM_SCOPED,	/* restricts other events, has none of its own */
	MEMORIZER_STREAM_SWITCHES,
};

/* Sums over all CPUs; see struct memorizer_writer. */
struct memorizer_stream_sums {
	u64 produced;
	u64 read;
	u64 overrun;
	u64 nested;
	u64 own;
	u64 buffered;
	u64 bytes;
};

/* state.c */
extern bool memorizer_stream_switches[MEMORIZER_STREAM_SWITCHES];
extern const char *const memorizer_stream_names[MEMORIZER_STREAM_SWITCHES];
bool memorizer_stream_is_on(unsigned int which);
bool memorizer_stream_any_is_on(void);

/* switch.c */
int memorizer_stream_set(unsigned int which, bool on);

/* buffer.c */
bool memorizer_buffers_open(size_t count, size_t size);
bool memorizer_stream_is_open(void);
bool memorizer_stream_has_room(struct memorizer_writer *writer, size_t size, bool all);
void memorizer_stream_wake_waiters(void);
int memorizer_stream_room_made(void);
bool memorizer_stream_wait_room(int before, bool killable);
void memorizer_stream_flush(struct memorizer_writer *writer);
const struct memorizer_packet *memorizer_stream_packet(const struct memorizer_writer *writer);
void memorizer_stream_consume(struct memorizer_writer *writer);
void memorizer_stream_size(size_t *count, size_t *size);
void memorizer_stream_sum(struct memorizer_stream_sums *sums);

/* events.c */
int memorizer_stream_mark(const char *text, size_t length);
void memorizer_stream_switched(bool boot);
void memorizer_stream_lock(enum memorizer_lock_op op, unsigned int flags, const void *lock,
			   const char *name, unsigned long ip);

/* probes.c */
int memorizer_probes_register(const struct memorizer_probe *probes, unsigned int nr);
void memorizer_probes_unregister(const struct memorizer_probe *probes, unsigned int nr);

/* contexts.c, locks.c */
int memorizer_stream_contexts(bool on);
void memorizer_stream_context(bool leave, enum memorizer_context kind, unsigned int number);
int memorizer_stream_locks(bool on);

/* scopes.c */
#define MEMORIZER_SCOPE_SLOTS	256	/* maximum number of tasks with open scopes */
bool memorizer_in_scope(void);
bool memorizer_scope_reserve(void);
void memorizer_scope_enter(void);
bool memorizer_scope_leave(void);
void memorizer_scope_release(void);

/* marks.c */
int memorizer_stream_mark_scope(const char *text, size_t length);

/* modules.c */
struct module;
void memorizer_stream_module(const struct module *mod, bool loaded, u64 when);
#ifdef CONFIG_MODULES
void memorizer_stream_modules(void);
void memorizer_stream_retry_modules(void);
#else
static inline void memorizer_stream_modules(void) { }
static inline void memorizer_stream_retry_modules(void) { }
#endif

/* retire.c */
void memorizer_retire_wake(void);
void memorizer_retire_stop(void);
int memorizer_snapshot(void);
u32 memorizer_last_snapshot(void);

/* ctf.c */
struct seq_file;
int memorizer_ctf_show(struct seq_file *m, void *unused);

#endif /* _MM_MEMORIZER_STREAM_H */
