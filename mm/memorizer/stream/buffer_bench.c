// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: benchmark of its buffers against relay and ftrace's ring buffer.
 *
 * Reading debugfs memorizer_buffer_bench writes the same number of events, marks with a time,
 * to each of them. It shows the time stamp counter's cycles per event, which are instructions
 * under QEMU's -icount shift=0, and bytes per event.
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/relay.h>
#include <linux/ring_buffer.h>
#include <linux/sched/clock.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/timex.h>

#include "stream.h"

/* All events fit into each buffer. */
#define EVENTS		20000
#define TEXT		"an event as large as an allocation: 51"
#define BUFFER_SIZE	SZ_2M

/* An event in the stream's layout. */
struct event {
	struct memorizer_mark_event mark;
	char text[sizeof(TEXT)];
} __packed;

static_assert(sizeof(struct event) == sizeof(struct memorizer_alloc_event));

static void write_stream(void *unused)
{
	struct memorizer_writer *writer;
	struct event *event;
	unsigned long flags;

	writer = memorizer_stream_begin(&flags, 0);
	if (!writer)
		return;
	event = memorizer_stream_reserve(writer, MEMORIZER_MARK_EVENT, sizeof(*event));
	if (event) {
		event->mark.pid = current->pid;
		memcpy(event->text, TEXT, sizeof(TEXT));
	}
	memorizer_stream_end(writer, flags);
}

static void write_relay(void *channel)
{
	struct event event;

	event.mark.header = memorizer_event_header(MEMORIZER_MARK_EVENT, local_clock());
	event.mark.pid = current->pid;
	memcpy(event.text, TEXT, sizeof(TEXT));
	relay_write(channel, &event, sizeof(event));
}

/* The ring buffer adds the time itself, as a delta. The event's id takes a word. */
static void write_ring_buffer(void *buffer)
{
	struct ring_buffer_event *slot;
	struct {
		u32 id;
		u32 pid;
		char text[sizeof(TEXT)];
	} __packed *event;

	slot = ring_buffer_lock_reserve(buffer, sizeof(*event));
	if (!slot)
		return;
	event = ring_buffer_event_data(slot);
	event->id = MEMORIZER_MARK_EVENT;
	event->pid = current->pid;
	memcpy(event->text, TEXT, sizeof(TEXT));
	ring_buffer_unlock_commit(buffer);
}

static u64 measure(void (*write)(void *buffer), void *buffer)
{
	u64 start;
	int i;

	write(buffer);
	start = get_cycles();
	for (i = 0; i < EVENTS; i++)
		write(buffer);
	return div_u64(get_cycles() - start, EVENTS);
}

static struct dentry *create_buf_file(const char *name, struct dentry *parent, umode_t mode,
				      struct rchan_buf *buf, int *is_global)
{
	return debugfs_create_file("buffer_bench_relay", 0400, parent, buf,
				   &relay_file_operations);
}

static int remove_buf_file(struct dentry *file)
{
	debugfs_remove(file);
	return 0;
}

static const struct rchan_callbacks relay_callbacks = {
	.create_buf_file = create_buf_file,
	.remove_buf_file = remove_buf_file,
};

static int buffer_bench_show(struct seq_file *m, void *unused)
{
	struct trace_buffer *ring = ring_buffer_alloc(BUFFER_SIZE, 0);
	struct rchan *relay = relay_open("", NULL, BUFFER_SIZE / 8, 8, &relay_callbacks, NULL);
	unsigned long bytes;
	int cpu;

	if (ring && relay) {
		cpu = get_cpu();
		seq_printf(m, "stream %llu %zu\n", measure(write_stream, NULL),
			   sizeof(struct event));
		seq_printf(m, "relay %llu %zu\n", measure(write_relay, relay),
			   sizeof(struct event));
		seq_printf(m, "ring_buffer %llu ", measure(write_ring_buffer, ring));
		bytes = ring_buffer_bytes_cpu(ring, cpu);
		put_cpu();
		seq_printf(m, "%lu\n", bytes / max(ring_buffer_entries(ring), 1UL));
	}
	if (relay)
		relay_close(relay);
	if (ring)
		ring_buffer_free(ring);
	return ring && relay ? 0 : -ENOMEM;
}

DEFINE_SHOW_ATTRIBUTE(buffer_bench);

static int __init make_file(void)
{
	debugfs_create_file("memorizer_buffer_bench", 0400, NULL, NULL, &buffer_bench_fops);
	return 0;
}
late_initcall(make_file);
