/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's stream: what an event looks like, and how one is written.
 *
 * event-fields.h lists the fields of each event. The structures that are written
 * and the metadata that describes them (ctf.c) both come from that list.
 * events.c fills events in, buffer.c provides the packets that they are written
 * to, files.c hands these to the reader, switch.c says what is streamed. The
 * stream is what observes the core, see ../observer.h.
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
static_assert(sizeof(struct memorizer_object_event) == 8 + 73);
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
static_assert(TASK_COMM_LEN == 16);
static_assert(BUILD_ID_SIZE_MAX == 20);

#define MEMORIZER_EVENT_ID(event, EVENT, string)	MEMORIZER_##EVENT##_EVENT,

enum memorizer_event { MEMORIZER_EVENTS(MEMORIZER_EVENT_ID) };

/* What becomes of a lock, and how, in bits. */
enum memorizer_lock_op {
	MEMORIZER_LOCK_ACQUIRE = 1,	/* somebody wants it, and may have to wait */
	MEMORIZER_LOCK_ACQUIRED,
	MEMORIZER_LOCK_RELEASE,
};

#define MEMORIZER_LOCK_SHARED		1
#define MEMORIZER_LOCK_TRY		2
#define MEMORIZER_LOCK_CONTENDED	4

#define MEMORIZER_CTF_MAGIC	0xC1FC1FC1

/* How a packet begins. */
struct memorizer_packet {
	u32 magic;
	u8 uuid[UUID_SIZE];
	u32 stream_id;
	MEMORIZER_PACKET_CONTEXT(MEMORIZER_C_FIELD, MEMORIZER_C_ARRAY)
} __packed;

static_assert(sizeof(struct memorizer_packet) == 88);

/**
 * struct memorizer_writer - one CPU's buffer, and its end of the stream
 * @cpu: the CPU
 * @start: the sub-buffers, and behind them how many events each finished packet
 *	holds; NULL: there is no memory for them, or the CPU never was online
 * @finished: packets that were finished so far
 * @consumed: packets that were read, and their sub-buffers given back
 * @next: where the next event goes; NULL: no packet is open
 * @end: where the packet's room ends, likewise
 * @time: of the last event, in ns
 * @events: how many events the open packet holds
 * @busy: somebody writes
 * @wake: a packet was finished, and its reader is to be told
 * @produced: events that should have been written
 * @overrun: events that were not because the buffer was full
 * @nested: events that were not because an NMI came while @busy
 * @own: accesses by the stream's reader, and lines that they moved, which are no events
 * @bytes: of all finished packets
 * @reported: events lost since boot, when the last packet was finished
 * @reported_before: likewise, when the stream began; events_discarded counts from there
 * @beginnings: how often the stream had begun when the last packet was opened
 * @read: events in packets that were read to their end; the reader's
 * @position: bytes that were read of the next packet to read; the reader's
 * @reading: the file is open for reading; by bit operations
 * @readers: who waits for a finished packet
 * @wakeup: wakes them
 *
 * All but the reader's fields are changed on their own CPU, with interrupts off,
 * by who has set @busy; @produced, @nested and @own by NMIs also, in one instruction. A
 * CPU that is offline has no writer: then, with CPU hotplug held off, the reader
 * may take its place.
 *
 * The packets from @consumed to @finished are the reader's, with their numbers of
 * events. The writer releases @finished and acquires @consumed, the reader the other
 * way round.
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
 * memorizer_stream_begin() - begin to write on this CPU
 * @flags: interrupts' state, for memorizer_stream_end()
 * @after: the time of an event, in ns, that the next ones must not precede; or 0
 *
 * Context: any, NMI included.
 * Return: the CPU's writer; NULL if it is interrupted in its work: the event is
 *	counted as lost then
 */
static __always_inline struct memorizer_writer *memorizer_stream_begin(unsigned long *flags,
								       u64 after)
{
	struct memorizer_writer *writer;
	u64 now;

	raw_local_irq_save(*flags);
	writer = this_cpu_ptr(&memorizer_writer);
	if (unlikely(writer->busy)) {
		this_cpu_inc(memorizer_writer.produced);
		this_cpu_inc(memorizer_writer.nested);
		raw_local_irq_restore(*flags);
		return NULL;
	}
	WRITE_ONCE(writer->busy, true);
	barrier();
	now = max(local_clock_noinstr(), after);
	if (likely(now > writer->time))
		writer->time = now;
	return writer;
}

/**
 * memorizer_stream_end() - end what memorizer_stream_begin() began
 * @writer: what it returned
 * @flags: what it set
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

/* Id and 56 bits of time, such that the id is the first byte. */
static __always_inline u64 memorizer_event_header(enum memorizer_event id, u64 time)
{
#ifdef __BIG_ENDIAN
	return (u64)id << 56 | (time & GENMASK_ULL(55, 0));
#else
	return time << 8 | id;
#endif
}

/**
 * memorizer_stream_reserve() - make room for an event
 * @writer: this CPU's
 * @id: of the event
 * @size: of the event in bytes
 *
 * Context: between memorizer_stream_begin() and memorizer_stream_end().
 * Return: where to write it, its header is there already; NULL if there is no
 *	room: it is counted as lost then
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

/* The switches. */
enum memorizer_stream_switch {
	MEMORIZER_STREAM_ALLOCATIONS,
	MEMORIZER_STREAM_RETIREMENTS,
	MEMORIZER_STREAM_ACCESSES,
	MEMORIZER_STREAM_TRAFFIC,
	MEMORIZER_STREAM_CONTEXTS,
	MEMORIZER_STREAM_LOCKS,
	MEMORIZER_STREAM_SCOPED,	/* makes no events, but leaves some out */
	MEMORIZER_STREAM_SWITCHES,
};

/* All in events, but @bytes, and @own in accesses and moves of cache lines. */
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
void memorizer_stream_look_again(void);
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

/* contexts.c, locks.c */
int memorizer_stream_contexts(bool on);
int memorizer_stream_locks(bool on);

/* scopes.c */
#define MEMORIZER_SCOPE_SLOTS	256	/* tasks in scopes at a time */
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
void memorizer_stream_modules_again(void);
#else
static inline void memorizer_stream_modules(void) { }
static inline void memorizer_stream_modules_again(void) { }
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
