// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: the buffers, and the packets in them.
 *
 * Each CPU has a buffer of sub-buffers. A sub-buffer is a packet of a trace in the
 * Common Trace Format: it begins with a header, which is completed when the packet
 * is finished, and then holds events, one after the other. Nothing is overwritten:
 * while all sub-buffers wait to be read, events are lost, and counted.
 *
 * Writing happens on the buffer's CPU only, with interrupts off. Whatever else
 * must see a CPU's counters or packets as they are at one instant does so there,
 * too (on_cpu()). Nothing that a writer calls has access sites.
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

/* Never changed after memorizer_buffers_open(); 0 if there is no memory for them: */
static size_t subbufs;
static size_t subbuf_size;

/* Serializes on_cpu(). */
static DEFINE_MUTEX(remote_mutex);

/* Who can wait for the reader to make room does it here; counts packets read. */
static DECLARE_WAIT_QUEUE_HEAD(room_wait);
static atomic_t room_made;

static struct memorizer_packet *packet_at(const struct memorizer_writer *writer, size_t number)
{
	return (void *)writer->start + number % subbufs * subbuf_size;
}

/* How many events a finished packet holds. */
static u32 *packet_events(const struct memorizer_writer *writer, size_t number)
{
	return (u32 *)(writer->start + subbufs * subbuf_size) + number % subbufs;
}

/* Completes the open packet, if there is one, and hands it to the reader. */
static void close_packet(struct memorizer_writer *writer)
{
	struct memorizer_packet *packet;
	size_t bytes;

	if (!writer->next)
		return;
	packet = packet_at(writer, writer->finished);
	bytes = writer->next - (u8 *)packet;
	writer->reported = writer->overrun + READ_ONCE(writer->nested);
	packet->timestamp_end = writer->time;
	packet->content_size = bytes * BITS_PER_BYTE;
	packet->packet_size = packet->content_size;
	packet->events_discarded = writer->reported - writer->reported_before;

	*packet_events(writer, writer->finished) = writer->events;
	writer->events = 0;
	writer->bytes += bytes;
	writer->next = NULL;
	writer->end = NULL;
	writer->wake = true;
	/* Pairs with the reader's acquire: the packet is complete. */
	smp_store_release(&writer->finished, writer->finished + 1);
}

/* The packets that are finished and not yet read. */
static size_t unread(const struct memorizer_writer *writer)
{
	/* Pairs with consume(): the reader is done with what it gave back. */
	return writer->finished - smp_load_acquire(&writer->consumed);
}

/**
 * memorizer_stream_open_packet() - go on to the next packet
 * @writer: this CPU's
 *
 * Context: between memorizer_stream_begin() and memorizer_stream_end().
 * Return: false if all sub-buffers wait to be read
 */
bool memorizer_stream_open_packet(struct memorizer_writer *writer)
{
	struct memorizer_packet *packet;

	if (unlikely(!writer->start))
		return false;
	close_packet(writer);
	if (unread(writer) >= subbufs)
		return false;
	if (writer->beginnings != READ_ONCE(memorizer_beginnings)) {
		writer->beginnings = READ_ONCE(memorizer_beginnings);
		/* Packets that follow another must not tell less than that. */
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
	/* Lets a reader that joins later count only the losses of its own trace. */
	packet->events_discarded_before = writer->reported - writer->reported_before;
	writer->next = (u8 *)(packet + 1);
	writer->end = (u8 *)packet + subbuf_size;
	return true;
}

/**
 * memorizer_stream_has_room() - may an event that can wait be written now?
 * @writer: this CPU's
 * @size: of the event in bytes
 * @all: it may take the last sub-buffer
 *
 * If not, such events leave half of the sub-buffers to those that cannot wait.
 *
 * Context: between memorizer_stream_begin() and memorizer_stream_end().
 * Return: true if memorizer_stream_reserve() will find room
 */
bool memorizer_stream_has_room(struct memorizer_writer *writer, size_t size, bool all)
{
	size_t used;

	if (size <= writer->end - writer->next)
		return true;
	if (!writer->start)
		return false;
	used = unread(writer) + !!writer->next;
	return all ? used < subbufs : used <= subbufs / 2;
}

/**
 * memorizer_stream_room_made() - how often the reader made room so far
 *
 * Return: a number for memorizer_stream_wait_room(), to be had before
 *	memorizer_stream_has_room() is asked
 */
int memorizer_stream_room_made(void)
{
	return atomic_read(&room_made);
}

/**
 * memorizer_stream_wait_room() - wait until the reader made room
 * @before: what memorizer_stream_room_made() returned
 * @killable: end the wait when the task is killed
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
 * memorizer_stream_wake() - tell the reader of this CPU's buffer of a new packet
 *
 * Context: interrupts off.
 */
void __kprobes memorizer_stream_wake(void)
{
	struct memorizer_writer *writer = this_cpu_ptr(&memorizer_writer);

	writer->wake = false;
	/* A reader queues itself, then looks for a packet; this is the reverse. */
	smp_mb();
	/* Without the lock, which has access sites. */
	if (waitqueue_active(&writer->readers))
		irq_work_queue(&writer->wakeup);
}

/* Calls @function where no writer can come in between. */
static void on_cpu(int cpu, smp_call_func_t function, void *info)
{
	unsigned long flags;

	mutex_lock(&remote_mutex);
	cpus_read_lock();
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

	WRITE_ONCE(writer->busy, true);
	barrier();
	if (writer->next || writer->reported != writer->overrun + READ_ONCE(writer->nested)) {
		/* An offline CPU's clock cannot be read: its last event's time has to do. */
		if (writer->cpu == smp_processor_id())
			writer->time = max(writer->time, local_clock_noinstr());
		if (writer->next || memorizer_stream_open_packet(writer))
			close_packet(writer);
	}
	writer->wake = false;
	barrier();
	WRITE_ONCE(writer->busy, false);
}

/**
 * memorizer_stream_flush() - finish a CPU's open packet
 * @writer: the CPU's
 *
 * Context: process context, may sleep.
 */
void memorizer_stream_flush(struct memorizer_writer *writer)
{
	on_cpu(writer->cpu, flush, writer);
}

/**
 * memorizer_stream_look_again() - let those who wait for room see whether there is some
 *
 * Context: process context.
 */
void memorizer_stream_look_again(void)
{
	atomic_inc(&room_made);
	wake_up_all(&room_wait);
}

static void consume(void *info)
{
	struct memorizer_writer *writer = info;

	writer->read += *packet_events(writer, writer->consumed);
	/* Pairs with unread(): it may be written again. */
	smp_store_release(&writer->consumed, writer->consumed + 1);
}

/**
 * memorizer_stream_consume() - give the oldest finished packet's sub-buffer back
 * @writer: a CPU's
 *
 * Context: process context, may sleep; the file's reader.
 */
void memorizer_stream_consume(struct memorizer_writer *writer)
{
	on_cpu(writer->cpu, consume, writer);
	memorizer_stream_look_again();
}

/**
 * memorizer_stream_packet() - the oldest finished packet
 * @writer: a CPU's
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
 * memorizer_stream_size() - how large the buffers are
 * @count: is set to the number of sub-buffers of each CPU
 * @size: is set to their size in bytes
 */
void memorizer_stream_size(size_t *count, size_t *size)
{
	*count = subbufs;
	*size = subbuf_size;
}

/* What add_sums() adds, and to what. */
struct sum_call {
	const struct memorizer_writer *writer;
	struct memorizer_stream_sums *sums;
};

static void add_sums(void *info)
{
	const struct sum_call *call = info;
	const struct memorizer_writer *writer = call->writer;
	struct memorizer_stream_sums *sums = call->sums;
	u64 produced, nested;
	size_t i;

	/* NMIs come all the same. */
	do {
		produced = READ_ONCE(writer->produced);
		nested = READ_ONCE(writer->nested);
	} while (produced != READ_ONCE(writer->produced));

	sums->produced += produced;
	sums->nested += nested;
	sums->own += READ_ONCE(writer->own);
	sums->overrun += writer->overrun;
	sums->read += writer->read;
	sums->bytes += writer->bytes;
	sums->buffered += writer->events;
	for (i = writer->consumed; i != writer->finished; i++)
		sums->buffered += *packet_events(writer, i);
}

/**
 * memorizer_stream_sum() - what became of the events so far
 * @sums: is filled in
 *
 * Each CPU's counters are those of one instant: produced events were read, lost,
 * or are still in the buffer, at any time.
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
 * Gives a CPU its buffer before it is online; it keeps it when it goes offline.
 * Without, its events are lost, and counted.
 */
static int make_buffer(unsigned int cpu)
{
	struct memorizer_writer *writer = &per_cpu(memorizer_writer, cpu);

	if (writer->start)
		return 0;
	writer->start = vzalloc_node(subbufs * (subbuf_size + sizeof(u32)), cpu_to_node(cpu));
	if (writer->start)
		/* Events name objects, and keep none of them alive. */
		kmemleak_no_scan(writer->start);
	else
		pr_warn("stream: no memory for the buffer of CPU %u\n", cpu);
	return 0;
}

/**
 * memorizer_buffers_open() - make the buffers
 * @count: number of sub-buffers of each CPU
 * @size: their size in bytes, a multiple of the page size
 *
 * Context: boot, one CPU, once: slab and vmalloc are up.
 * Return: false if there is no memory for this CPU's
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
	if (cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "mm/memorizer:prepare", make_buffer,
			      NULL) < 0 ||
	    !per_cpu(memorizer_writer, smp_processor_id()).start)
		subbufs = 0;
	return subbufs;
}

/**
 * memorizer_stream_is_open() - are there buffers?
 *
 * Return: true if the stream can be switched on
 */
bool memorizer_stream_is_open(void)
{
	return subbufs;
}
