// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: per-CPU buffers and their packets.
 *
 * A CPU's buffer consists of sub-buffers. Each holds one packet in the Common Trace Format: a
 * header, completed when the packet is finished, and events. Unread packets are not
 * overwritten: while all sub-buffers are unread, new events are lost and counted.
 *
 * Only the buffer's CPU writes to it, with interrupts disabled. Other code that needs a
 * consistent view of a CPU's counters or packets runs on that CPU, by on_cpu(). Writers call no
 * code with access sites.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/kmemleak.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "stream.h"

DEFINE_PER_CPU(struct memorizer_writer, memorizer_writer);

/* Constant after memorizer_buffers_open(); subbufs is 0 if there are no buffers. */
static size_t subbufs;
static size_t subbuf_size;

/* Serializes on_cpu(). */
static DEFINE_MUTEX(remote_mutex);

/* Writers that can sleep wait here until room_made changes, which counts consumed packets. */
static DECLARE_WAIT_QUEUE_HEAD(room_wait);
static atomic_t room_made;

static struct memorizer_packet *packet_at(const struct memorizer_writer *writer, size_t number)
{
	return (void *)writer->start + number % subbufs * subbuf_size;
}

/* The number of events in a finished packet. */
static u32 *packet_events(const struct memorizer_writer *writer, size_t number)
{
	return (u32 *)(writer->start + subbufs * subbuf_size) + number % subbufs;
}

/* Complete the open packet, if any, and publish it to the reader. */
static void close_packet(struct memorizer_writer *writer)
{
	struct memorizer_packet *packet;
	size_t bytes;

	if (!writer->next)
		return;
	packet = packet_at(writer, writer->finished);
	bytes = writer->next - (u8 *)packet;
	/* An NMI may lose another event meanwhile: the next packet reports it. */
	writer->reported = writer->overrun + READ_ONCE(writer->nested);
	packet->timestamp_end = writer->time;
	packet->content_size = bytes * BITS_PER_BYTE;
	/* The unused end of the sub-buffer is not part of the file. */
	packet->packet_size = packet->content_size;
	packet->events_discarded = writer->reported - writer->reported_before;

	*packet_events(writer, writer->finished) = writer->events;
	writer->events = 0;
	writer->bytes += bytes;
	writer->next = NULL;
	writer->end = NULL;
	writer->wake = true;
	/* Pairs with the acquire in memorizer_stream_packet(): the packet is complete. */
	smp_store_release(&writer->finished, writer->finished + 1);
}

/* The number of finished packets that were not consumed. */
static size_t unread(const struct memorizer_writer *writer)
{
	/* Pairs with the release in consume(): the reader has copied the packet. */
	return writer->finished - smp_load_acquire(&writer->consumed);
}

/**
 * memorizer_stream_open_packet() - finish the open packet and open the next one
 * @writer: this CPU's writer
 *
 * Context: between memorizer_stream_begin() and memorizer_stream_end().
 * Return: false if all sub-buffers are unread
 */
bool memorizer_stream_open_packet(struct memorizer_writer *writer)
{
	struct memorizer_packet *packet;

	/* make_buffer() found no memory: the event is lost, and counted. */
	if (unlikely(!writer->start))
		return false;
	close_packet(writer);
	/* Nothing is overwritten: a full buffer loses the newest events. */
	if (unread(writer) >= subbufs)
		return false;
	if (writer->beginnings != READ_ONCE(memorizer_beginnings)) {
		writer->beginnings = READ_ONCE(memorizer_beginnings);
		/* events_discarded must not decrease while the trace has earlier packets. */
		if (!unread(writer))
			writer->reported_before = writer->reported;
	}

	packet = packet_at(writer, writer->finished);
	packet->magic = MEMORIZER_CTF_MAGIC;
	export_uuid(packet->uuid, &memorizer_stream_uuid);
	packet->stream_id = 0;
	packet->timestamp_begin = writer->time;
	packet->packet_seq_num = writer->finished;
	packet->cpu_id = writer->cpu;
	packet->node_id = cpu_to_node(writer->cpu);
	/* A reader that joins later subtracts earlier losses. */
	packet->events_discarded_before = writer->reported - writer->reported_before;
	writer->next = (u8 *)(packet + 1);
	writer->end = (u8 *)packet + subbuf_size;
	return true;
}

/**
 * memorizer_stream_has_room() - check whether an event that can wait may be written
 * @writer: this CPU's writer
 * @size: the event's size in bytes
 * @all: true to use all sub-buffers, false to leave half of them to events that cannot wait
 *
 * Context: between memorizer_stream_begin() and memorizer_stream_end().
 * Return: true if it may; memorizer_stream_reserve() will succeed
 */
bool memorizer_stream_has_room(struct memorizer_writer *writer, size_t size, bool all)
{
	size_t used;

	if (size <= writer->end - writer->next)
		return true;
	if (!writer->start)
		return false;
	/* The event needs a new packet. The open one will be unread then, too. */
	used = unread(writer) + !!writer->next;
	return all ? used < subbufs : used <= subbufs / 2;
}

/**
 * memorizer_stream_room_made() - read the counter of consumed packets
 *
 * Call this before memorizer_stream_has_room(), so that memorizer_stream_wait_room() misses no
 * wakeup.
 *
 * Return: argument for memorizer_stream_wait_room()
 */
int memorizer_stream_room_made(void)
{
	return atomic_read(&room_made);
}

/**
 * memorizer_stream_wait_room() - wait until the reader consumes a packet
 * @before: result of memorizer_stream_room_made()
 * @killable: true to return when the task is killed
 *
 * Context: process context, may sleep.
 * Return: false if the task was killed
 */
bool memorizer_stream_wait_room(int before, bool killable)
{
	if (killable)
		return !wait_event_killable(room_wait, atomic_read(&room_made) != before);
	wait_event_idle(room_wait, atomic_read(&room_made) != before);
	return true;
}

/**
 * memorizer_stream_wake() - wake the readers of this CPU's buffer
 *
 * Context: any, with interrupts disabled.
 */
void __kprobes memorizer_stream_wake(void)
{
	struct memorizer_writer *writer = this_cpu_ptr(&memorizer_writer);

	writer->wake = false;
	/* Publish the packet, then check for readers. Pairs with the barrier in packets_poll(). */
	smp_mb();
	/* The queue's lock has access sites, so wake from an irq_work. */
	if (waitqueue_active(&writer->readers))
		irq_work_queue(&writer->wakeup);
}

/* Call @function on a CPU with interrupts disabled, so that it excludes that CPU's writer. */
static void on_cpu(int cpu, smp_call_func_t function, void *info)
{
	unsigned long flags;

	mutex_lock(&remote_mutex);
	cpus_read_lock();
	/* It fails if the CPU is offline, and then has no writer. */
	if (smp_call_function_single(cpu, function, info, true)) {
		local_irq_save(flags);
		function(info);
		local_irq_restore(flags);
	}
	cpus_read_unlock();
	mutex_unlock(&remote_mutex);
}

static void flush(void *info)
{
	struct memorizer_writer *writer = info;

	/* Interrupts are off, but an NMI must not write into a packet that is being finished. */
	WRITE_ONCE(writer->busy, true);
	barrier();
	/* Losses without an open packet need an empty packet to report them. */
	if (writer->next || writer->reported != writer->overrun + READ_ONCE(writer->nested)) {
		/* The clock of an offline CPU cannot be read: use the time of its last event. */
		if (writer->cpu == smp_processor_id())
			writer->time = max(writer->time, local_clock_noinstr());
		if (writer->next || memorizer_stream_open_packet(writer))
			close_packet(writer);
	}
	/* The caller is the reader, and needs no wakeup. */
	writer->wake = false;
	barrier();
	WRITE_ONCE(writer->busy, false);
}

/**
 * memorizer_stream_flush() - finish a CPU's open packet
 * @writer: the CPU's writer
 *
 * Context: process context, may sleep.
 */
void memorizer_stream_flush(struct memorizer_writer *writer)
{
	on_cpu(writer->cpu, flush, writer);
}

/**
 * memorizer_stream_wake_waiters() - wake all callers of memorizer_stream_wait_room()
 *
 * Context: process context.
 */
void memorizer_stream_wake_waiters(void)
{
	/* First: a waiter that checks after the wakeup must see the new value. */
	atomic_inc(&room_made);
	wake_up_all(&room_wait);
}

static void consume(void *info)
{
	struct memorizer_writer *writer = info;

	/* Before the release: the writer may reuse the sub-buffer from then on. */
	writer->read += *packet_events(writer, writer->consumed);
	/* Pairs with the acquire in unread(): the sub-buffer may be reused. */
	smp_store_release(&writer->consumed, writer->consumed + 1);
}

/**
 * memorizer_stream_consume() - free the sub-buffer of the oldest finished packet
 * @writer: a CPU's writer
 *
 * Context: process context, may sleep; the file's reader.
 */
void memorizer_stream_consume(struct memorizer_writer *writer)
{
	on_cpu(writer->cpu, consume, writer);
	memorizer_stream_wake_waiters();
}

/**
 * memorizer_stream_packet() - get the oldest finished packet
 * @writer: a CPU's writer
 *
 * Context: the file's reader.
 * Return: the packet, NULL if there is none
 */
const struct memorizer_packet *memorizer_stream_packet(const struct memorizer_writer *writer)
{
	/* Pairs with the release in close_packet(). */
	if (smp_load_acquire(&writer->finished) == writer->consumed)
		return NULL;
	return packet_at(writer, writer->consumed);
}

/**
 * memorizer_stream_size() - get the size of the buffers
 * @count: set to the number of sub-buffers per CPU
 * @size: set to the size of a sub-buffer in bytes
 */
void memorizer_stream_size(size_t *count, size_t *size)
{
	*count = subbufs;
	*size = subbuf_size;
}

/* Arguments of add_sums(). */
struct sum_call {
	const struct memorizer_writer *writer;
	struct memorizer_stream_sums *sums;
};

static void add_sums(void *info)
{
	const struct sum_call *call = info;
	const struct memorizer_writer *writer = call->writer;
	struct memorizer_stream_sums *sums = call->sums;
	u64 produced, nested, overrun, buffered;
	size_t i;

	/* Every event increments @produced. Retry if an NMI wrote or lost one in between. */
	do {
		produced = READ_ONCE(writer->produced);
		barrier();
		nested = writer->nested;
		overrun = writer->overrun;
		buffered = writer->events;
		for (i = writer->consumed; i != READ_ONCE(writer->finished); i++)
			buffered += *packet_events(writer, i);
		barrier();
	} while (produced != READ_ONCE(writer->produced));

	sums->produced += produced;
	sums->nested += nested;
	sums->overrun += overrun;
	sums->buffered += buffered;
	/* Packets are consumed on this CPU with interrupts disabled, never in an NMI. */
	sums->read += writer->read;
	/* No part of the balance: an NMI may change these at any time. */
	sums->own += READ_ONCE(writer->own);
	sums->bytes += READ_ONCE(writer->bytes);
}

/**
 * memorizer_stream_sum() - add up the counters of all CPUs
 * @sums: the result
 *
 * The counters of each CPU are consistent: every produced event was read, was lost, or is in the
 * buffer.
 *
 * Context: process context, may sleep.
 */
void memorizer_stream_sum(struct memorizer_stream_sums *sums)
{
	struct sum_call call = { .sums = sums };
	int cpu;

	memset(sums, 0, sizeof(*sums));
	for_each_possible_cpu(cpu) {
		call.writer = &per_cpu(memorizer_writer, cpu);
		on_cpu(cpu, add_sums, &call);
	}
}

static void wake_readers(struct irq_work *work)
{
	wake_up_interruptible(&container_of(work, struct memorizer_writer, wakeup)->readers);
}

/*
 * Allocate a CPU's buffer before it comes online. It keeps the buffer when it goes offline.
 * Without memory, all of its events are counted as lost.
 */
static int make_buffer(unsigned int cpu)
{
	struct memorizer_writer *writer = &per_cpu(memorizer_writer, cpu);

	/* The CPU was online before: its buffer may have unread packets. */
	if (writer->start)
		return 0;
	writer->start = vzalloc_node(subbufs * (subbuf_size + sizeof(u32)), cpu_to_node(cpu));
	if (writer->start)
		/* Events contain addresses of objects, but do not reference them. */
		kmemleak_no_scan(writer->start);
	else
		pr_warn("stream: no memory for the buffer of CPU %u\n", cpu);
	/* An error would keep the CPU from coming online. */
	return 0;
}

/**
 * memorizer_buffers_open() - allocate the buffers
 * @count: number of sub-buffers per CPU
 * @size: size of a sub-buffer in bytes, a multiple of the page size
 *
 * Context: boot, one CPU, once: slab and vmalloc are up.
 * Return: false if there is no memory for this CPU's buffer
 */
bool __init memorizer_buffers_open(size_t count, size_t size)
{
	struct memorizer_writer *writer;
	int cpu;

	for_each_possible_cpu(cpu) {
		writer = &per_cpu(memorizer_writer, cpu);
		writer->cpu = cpu;
		init_waitqueue_head(&writer->readers);
		init_irq_work(&writer->wakeup, wake_readers);
	}
	subbufs = count;
	subbuf_size = size;
	/* This CPU is online already: its buffer is made by the call itself. */
	if (cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "mm/memorizer:prepare", make_buffer,
			      NULL) < 0 ||
	    !per_cpu(memorizer_writer, smp_processor_id()).start)
		subbufs = 0;
	return subbufs;
}

/**
 * memorizer_stream_is_open() - test whether there are buffers
 *
 * Return: true if the stream can be switched on
 */
bool memorizer_stream_is_open(void)
{
	return subbufs;
}
