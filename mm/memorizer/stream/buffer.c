// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: the buffers, the packets in them, and the switches.
 *
 * Each CPU has a relay buffer. A sub-buffer is a packet of a trace in the Common
 * Trace Format: it begins with a header, which is completed when the packet is
 * finished, and then holds events, one after the other. Nothing is overwritten:
 * while all sub-buffers wait to be read, events are lost, and counted.
 *
 * Of relay come the buffers, and that they are there before a CPU is. Finding
 * room in them is our own work, because relay.c has access sites of its own and
 * must not be entered from where accesses are written; so are the files, because
 * relay_late_setup_files() sleeps with preemption disabled.
 *
 * Writing happens on the buffer's CPU only, with interrupts off. Whatever else
 * must see a CPU's counters or packets as they are at one instant does so there,
 * too (on_cpu()).
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/cpu.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/kstrtox.h>
#include <linux/memorizer.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/wait.h>

#include "stream.h"

#define SUBBUFS_MIN	2
#define SUBBUFS_MAX	4096
#define SUBBUF_SIZE_MIN	SZ_4K
#define SUBBUF_SIZE_MAX	SZ_16M
/* The buffers of all CPUs take no more than this part of RAM. */
#define RAM_SHARE	8

DEFINE_PER_CPU(struct memorizer_writer, memorizer_writer);
u32 memorizer_session;

/* How often the stream began: the first switch was turned on. */
static u32 beginnings;

/* Never changed after memorizer_stream_init(); NULL if there is no memory for it: */
static struct rchan *channel;

/* Serializes switching; guards the switches. */
static DEFINE_MUTEX(switch_mutex);
static bool switches[MEMORIZER_STREAM_SWITCHES];

/* Serializes on_cpu(). */
static DEFINE_MUTEX(remote_mutex);

/* Who can wait for the reader to make room does it here; counts packets read. */
static DECLARE_WAIT_QUEUE_HEAD(room_wait);
static atomic_t room_made;

const char *const memorizer_stream_names[MEMORIZER_STREAM_SWITCHES] = {
	"allocations", "retirements", "accesses",
};

/* memorizer.stream=, memorizer.subbufs=, memorizer.subbuf_size= */
static bool boot_switches[MEMORIZER_STREAM_SWITCHES] __initdata;
static unsigned long long boot_subbufs __initdata = 16;
static unsigned long long boot_subbuf_size __initdata = SZ_512K;

static int __init parse_stream(char *arg)
{
	char *word;
	int which;

	while ((word = strsep(&arg, ","))) {
		which = match_string(memorizer_stream_names, MEMORIZER_STREAM_SWITCHES, word);
		if (which >= 0)
			boot_switches[which] = true;
		else
			pr_err("memorizer.stream=%s: not one of allocations, retirements, accesses, ignored\n",
			       word);
	}
	return 0;
}
early_param("memorizer.stream", parse_stream);

static int __init parse_subbufs(char *arg)
{
	unsigned int value;

	if (arg && !kstrtouint(arg, 0, &value))
		boot_subbufs = value;
	else
		pr_err("memorizer.subbufs=%s: not a number, ignored\n", arg ?: "");
	return 0;
}
early_param("memorizer.subbufs", parse_subbufs);

static int __init parse_subbuf_size(char *arg)
{
	unsigned long long size;
	char *end = arg;

	if (arg)
		size = memparse(arg, &end);
	if (!arg || end == arg || *end)
		pr_err("memorizer.subbuf_size=%s: not a size such as 512K, ignored\n", arg ?: "");
	else
		boot_subbuf_size = size;
	return 0;
}
early_param("memorizer.subbuf_size", parse_subbuf_size);

/**
 * memorizer_stream_buf() - the buffer of a CPU
 * @cpu: the CPU
 *
 * Return: the buffer, NULL if the CPU never was online
 */
struct rchan_buf *memorizer_stream_buf(int cpu)
{
	return channel ? READ_ONCE(*per_cpu_ptr(channel->buf, cpu)) : NULL;
}

static struct memorizer_packet *packet_at(const struct rchan_buf *buf, size_t number)
{
	return buf->start + number % channel->n_subbufs * channel->subbuf_size;
}

/* Completes the open packet, if there is one, and hands it to the reader. */
static void close_packet(struct memorizer_writer *writer, struct rchan_buf *buf)
{
	struct memorizer_packet *packet;
	size_t bytes;

	if (!writer->next)
		return;
	packet = packet_at(buf, buf->subbufs_produced);
	bytes = writer->next - (u8 *)packet;
	writer->reported = writer->overrun + READ_ONCE(writer->nested);
	packet->timestamp_end = writer->time;
	packet->content_size = bytes * BITS_PER_BYTE;
	packet->packet_size = packet->content_size;
	packet->events_discarded = writer->reported - writer->reported_before;

	writer->sub_buffer_events[buf->subbufs_produced % channel->n_subbufs] = writer->events;
	writer->events = 0;
	writer->bytes += bytes;
	writer->next = NULL;
	writer->end = NULL;
	writer->wake = true;
	/* Pairs with the reader's acquire: the packet is complete. */
	smp_store_release(&buf->subbufs_produced, buf->subbufs_produced + 1);
}

/* The packets that are finished and not yet read. */
static size_t unread(struct rchan_buf *buf)
{
	/* Pairs with consume(): the reader is done with what it gave back. */
	return buf->subbufs_produced - smp_load_acquire(&buf->subbufs_consumed);
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
	struct rchan_buf *buf = *this_cpu_ptr(channel->buf);
	struct memorizer_packet *packet;

	if (unlikely(!buf))
		return false;
	close_packet(writer, buf);
	if (unread(buf) >= channel->n_subbufs)
		return false;
	if (writer->beginnings != READ_ONCE(beginnings)) {
		writer->beginnings = READ_ONCE(beginnings);
		/* Packets that follow another must not tell less than that. */
		if (!unread(buf))
			writer->reported_before = writer->reported;
	}

	packet = packet_at(buf, buf->subbufs_produced);
	packet->magic = MEMORIZER_CTF_MAGIC;
	export_uuid(packet->uuid, &memorizer_stream_uuid);
	packet->stream_id = 0;
	packet->timestamp_begin = writer->time;
	packet->packet_seq_num = buf->subbufs_produced;
	packet->cpu_id = buf->cpu;
	packet->node_id = cpu_to_node(buf->cpu);
	writer->next = (u8 *)(packet + 1);
	writer->end = (u8 *)packet + channel->subbuf_size;
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
	struct rchan_buf *buf = *this_cpu_ptr(channel->buf);

	size_t used;

	if (size <= writer->end - writer->next)
		return true;
	if (!buf)
		return false;
	used = unread(buf) + !!writer->next;
	return all ? used < channel->n_subbufs : used <= channel->n_subbufs / 2;
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
void memorizer_stream_wake(void)
{
	struct rchan_buf *buf = *this_cpu_ptr(channel->buf);

	this_cpu_write(memorizer_writer.wake, false);
	/* A reader queues itself, then looks for a packet; this is the reverse. */
	smp_mb();
	/* Without the lock: see above. */
	if (waitqueue_active(&buf->read_wait))
		irq_work_queue(&buf->wakeup_work);
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
	struct rchan_buf *buf = info;
	struct memorizer_writer *writer = &per_cpu(memorizer_writer, buf->cpu);

	if (buf->cpu != smp_processor_id()) {
		/* Offline: what it lost since its last packet stays in show_stats. */
		if (writer->events)
			close_packet(writer, buf);
		return;
	}
	WRITE_ONCE(writer->busy, true);
	barrier();
	if (writer->next || writer->reported != writer->overrun + READ_ONCE(writer->nested)) {
		writer->time = max(writer->time, local_clock_noinstr());
		if (writer->next || memorizer_stream_open_packet(writer))
			close_packet(writer, buf);
	}
	writer->wake = false;
	barrier();
	WRITE_ONCE(writer->busy, false);
}

/**
 * memorizer_stream_flush() - finish a CPU's open packet
 * @buf: the CPU's buffer
 *
 * Context: process context, may sleep.
 */
void memorizer_stream_flush(struct rchan_buf *buf)
{
	on_cpu(buf->cpu, flush, buf);
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
	struct rchan_buf *buf = info;
	struct memorizer_writer *writer = &per_cpu(memorizer_writer, buf->cpu);

	writer->read += writer->sub_buffer_events[buf->subbufs_consumed % channel->n_subbufs];
	/* Pairs with unread(): it may be written again. */
	smp_store_release(&buf->subbufs_consumed, buf->subbufs_consumed + 1);
}

/**
 * memorizer_stream_consume() - give the oldest finished packet's sub-buffer back
 * @buf: a CPU's buffer
 *
 * Context: process context, may sleep; the file's reader.
 */
void memorizer_stream_consume(struct rchan_buf *buf)
{
	on_cpu(buf->cpu, consume, buf);
	memorizer_stream_look_again();
}

/**
 * memorizer_stream_packet() - the oldest finished packet
 * @buf: a CPU's buffer
 *
 * Context: the file's reader.
 * Return: the packet, NULL if there is none
 */
const struct memorizer_packet *memorizer_stream_packet(struct rchan_buf *buf)
{
	/* Pairs with the release in close_packet(). */
	if (smp_load_acquire(&buf->subbufs_produced) == buf->subbufs_consumed)
		return NULL;
	return packet_at(buf, buf->subbufs_consumed);
}

/**
 * memorizer_stream_size() - how large the buffers are
 * @subbufs: is set to the number of sub-buffers of each CPU
 * @subbuf_size: is set to their size in bytes
 */
void memorizer_stream_size(size_t *subbufs, size_t *subbuf_size)
{
	*subbufs = channel ? channel->n_subbufs : 0;
	*subbuf_size = channel ? channel->subbuf_size : 0;
}

/* What add_sums() adds, and to what. */
struct sum_call {
	int cpu;
	struct memorizer_stream_sums *sums;
};

static void add_sums(void *info)
{
	const struct sum_call *call = info;
	struct memorizer_writer *writer = &per_cpu(memorizer_writer, call->cpu);
	const struct rchan_buf *buf = memorizer_stream_buf(call->cpu);
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
	for (i = buf->subbufs_consumed; i != buf->subbufs_produced; i++)
		sums->buffered += writer->sub_buffer_events[i % channel->n_subbufs];
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

	memset(sums, 0, sizeof(*sums));
	for_each_possible_cpu(call.cpu)
		if (memorizer_stream_buf(call.cpu))
			on_cpu(call.cpu, add_sums, &call);
}

/**
 * memorizer_stream_is_open() - are there buffers?
 *
 * Return: true if the stream can be switched on
 */
bool memorizer_stream_is_open(void)
{
	return channel;
}

/**
 * memorizer_stream_is_on() - is a switch on?
 * @which: an enum memorizer_stream_switch
 *
 * Return: true if it is
 */
bool memorizer_stream_is_on(enum memorizer_stream_switch which)
{
	return READ_ONCE(switches[which]);
}

static bool any_is_on(void)
{
	return switches[MEMORIZER_STREAM_ALLOCATIONS] ||
		switches[MEMORIZER_STREAM_RETIREMENTS] || switches[MEMORIZER_STREAM_ACCESSES];
}

/* Lets the events of a switch come, or not. */
static void switch_hooks(enum memorizer_stream_switch which, bool on)
{
	switch (which) {
	case MEMORIZER_STREAM_ALLOCATIONS:
		memorizer_observe_allocations(on);
		break;
	case MEMORIZER_STREAM_RETIREMENTS:
		if (on)
			memorizer_retire_wake();
		else
			memorizer_retire_stop();
		break;
	case MEMORIZER_STREAM_ACCESSES:
		memorizer_observe_accesses(on);
		break;
	default:
		break;
	}
}

/**
 * memorizer_stream_set() - turn a switch
 * @which: an enum memorizer_stream_switch
 * @on: whether such events are to be streamed
 *
 * Context: process context, may sleep.
 * Return: 0, or -ENOMEM if there are no buffers
 */
int memorizer_stream_set(enum memorizer_stream_switch which, bool on)
{
	if (!channel)
		return -ENOMEM;
	mutex_lock(&switch_mutex);
	if (switches[which] != on) {
		if (!any_is_on())
			WRITE_ONCE(beginnings, beginnings + 1);
		if (on)
			WRITE_ONCE(memorizer_session, memorizer_session + 1);
		WRITE_ONCE(switches[which], on);
		if (!on)
			switch_hooks(which, false);
		memorizer_stream_switched(false);
		if (on)
			switch_hooks(which, true);
	}
	mutex_unlock(&switch_mutex);
	return 0;
}

/*
 * relay asks for a file only to learn whether there is one buffer for all CPUs,
 * and takes any dentry for success; see above why there is no file of relay's.
 */
static struct dentry *create_no_file(const char *name, struct dentry *parent, umode_t mode,
				     struct rchan_buf *buf, int *is_global)
{
	*is_global = 0;
	return (struct dentry *)buf;
}

static int remove_no_file(struct dentry *unused)
{
	return 0;
}

static const struct rchan_callbacks callbacks = {
	.create_buf_file = create_no_file,
	.remove_buf_file = remove_no_file,
};

static bool __init open_channel(size_t subbufs, size_t subbuf_size)
{
	u32 *events;
	int cpu;

	channel = relay_open(NULL, NULL, subbuf_size, subbufs, &callbacks, NULL);
	if (!channel)
		return false;
	for_each_possible_cpu(cpu) {
		events = kcalloc(subbufs, sizeof(*events), GFP_KERNEL);
		if (!events) {
			relay_close(channel);
			channel = NULL;
			return false;
		}
		per_cpu(memorizer_writer, cpu).sub_buffer_events = events;
	}
	return true;
}

/* Opens the stream, and switches on what the command line asks for. */
void __init memorizer_observer_init(void)
{
	unsigned long long room = (totalram_pages() << PAGE_SHIFT) / RAM_SHARE;
	unsigned long long subbufs, subbuf_size;
	int which;

	subbufs = clamp(boot_subbufs, SUBBUFS_MIN, SUBBUFS_MAX);
	subbuf_size = clamp(boot_subbuf_size, SUBBUF_SIZE_MIN, SUBBUF_SIZE_MAX);
	subbuf_size = round_up(subbuf_size, PAGE_SIZE);
	room = min_t(unsigned long long, room / num_possible_cpus(), U32_MAX);
	if (subbufs * subbuf_size > room)
		subbufs = max(room / subbuf_size, SUBBUFS_MIN);
	if (subbufs * subbuf_size > room)
		subbuf_size = max(round_down(room / subbufs, PAGE_SIZE), SUBBUF_SIZE_MIN);

	generate_random_uuid(memorizer_stream_uuid.b);
	if (!open_channel(subbufs, subbuf_size)) {
		pr_err("no memory for the stream's buffers, it cannot be switched on\n");
		return;
	}
	if (subbufs != boot_subbufs || subbuf_size != boot_subbuf_size)
		pr_warn("stream: %llu sub-buffers of %llu bytes cannot be had, taking %llu of %llu\n",
			boot_subbufs, boot_subbuf_size, subbufs, subbuf_size);

	memcpy(switches, boot_switches, sizeof(switches));
	if (!any_is_on())
		return;
	beginnings++;
	memorizer_session++;
	memorizer_stream_switched(true);
	for (which = 0; which < MEMORIZER_STREAM_SWITCHES; which++)
		if (switches[which])
			switch_hooks(which, true);
}
