// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: its files in debugfs.
 *
 * A CPU's file contains its finished packets, without the unused ends of sub-buffers, so that a
 * copy of the file is a valid CTF stream. The reader's own work is not recorded, except for
 * allocations.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/poll.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../switch_file.h"
#include "../tasks.h"
#include "stream.h"

/* Maximum length of a mark's text in bytes. */
#define MARK_MAX	255

/**
 * struct stream_reader - an open file of a CPU's packets
 * @cpu: the CPU
 * @mutex: serializes reads
 * @flushed: the open packet was finished for this copy, which ends after it
 * @tgid: the process that opened the file
 */
struct stream_reader {
	int cpu;
	struct mutex mutex;	/* guards flushed, and the CPU's position */
	bool flushed;
	pid_t tgid;
};

static int packets_open(struct inode *inode, struct file *file)
{
	int cpu = (unsigned long)inode->i_private, err;
	struct stream_reader *reader;

	/* Like tracefs, the files reveal kernel addresses. */
	err = security_locked_down(LOCKDOWN_TRACEFS);
	if (err)
		return err;
	reader = kzalloc(sizeof(*reader), GFP_KERNEL);
	if (!reader)
		return -ENOMEM;
	/* One reader per CPU: packets are consumed, so that two would share them. */
	if (test_and_set_bit_lock(0, &per_cpu(memorizer_writer, cpu).reading)) {
		kfree(reader);
		return -EBUSY;
	}
	reader->cpu = cpu;
	mutex_init(&reader->mutex);
	reader->tgid = current->tgid;
	/* One process normally opens the files of all CPUs, so that one tgid suffices. */
	WRITE_ONCE(memorizer_stream_reader, reader->tgid);
	file->private_data = reader;
	return stream_open(inode, file);
}

static int packets_release(struct inode *inode, struct file *file)
{
	struct stream_reader *reader = file->private_data;

	/* The process normally closes the files of all CPUs at once. */
	cmpxchg(&memorizer_stream_reader, reader->tgid, 0);
	clear_bit_unlock(0, &per_cpu(memorizer_writer, reader->cpu).reading);
	kfree(reader);
	return 0;
}

/*
 * Get the next packet to read. Without one, and with @may_flush, finish the open packet. At
 * most once per copy: copying causes events, so that a copy would never end.
 */
static const struct memorizer_packet *next_packet(struct stream_reader *reader,
						  struct memorizer_writer *writer, bool may_flush)
{
	const struct memorizer_packet *packet = memorizer_stream_packet(writer);

	if (packet || !may_flush)
		return packet;
	reader->flushed = true;
	memorizer_stream_flush(writer);
	return memorizer_stream_packet(writer);
}

/* Copy at most @count bytes of one packet. */
static ssize_t read_packet(struct stream_reader *reader, bool may_flush, char __user *to,
			   size_t count)
{
	struct memorizer_writer *writer = &per_cpu(memorizer_writer, reader->cpu);
	const struct memorizer_packet *packet = next_packet(reader, writer, may_flush);
	size_t size, n;

	if (!packet)
		return 0;
	size = packet->packet_size / BITS_PER_BYTE;
	n = min(count, size - writer->position);
	/* The packet stays until it is consumed: a partial copy continues there. */
	n -= copy_to_user(to, (const u8 *)packet + writer->position, n);
	if (!n)
		return -EFAULT;
	writer->position += n;
	if (writer->position == size) {
		writer->position = 0;
		memorizer_stream_consume(writer);
		/* There is room now for descriptions of modules that were lost. */
		memorizer_stream_retry_modules();
	}
	return n;
}

static ssize_t read_packets(struct stream_reader *reader, bool nonblock, char __user *to,
			    size_t count)
{
	size_t done = 0;
	ssize_t n;

	while (done < count) {
		/* Finish the open packet only if there is nothing else to return. */
		n = read_packet(reader, !nonblock && !done && !reader->flushed, to + done,
				count - done);
		/* After some bytes, return these; the next read reports the error. */
		if (n < 0 && !done)
			return n;
		if (n <= 0)
			break;
		done += n;
	}
	if (!done && count) {
		if (nonblock)
			return -EAGAIN;
		/* End of file: the next copy may finish the open packet again. */
		reader->flushed = false;
	}
	return done;
}

static ssize_t packets_read(struct file *file, char __user *to, size_t count, loff_t *pos)
{
	struct stream_reader *reader = file->private_data;
	ssize_t ret = -EINTR;

	/* Copying the stream must not add entries to the KMAP. */
	memorizer_pause();
	if (!mutex_lock_interruptible(&reader->mutex)) {
		ret = read_packets(reader, file->f_flags & O_NONBLOCK, to, count);
		mutex_unlock(&reader->mutex);
	}
	memorizer_resume();
	return ret;
}

static __poll_t packets_poll(struct file *file, struct poll_table_struct *wait)
{
	struct stream_reader *reader = file->private_data;
	struct memorizer_writer *writer = &per_cpu(memorizer_writer, reader->cpu);
	__poll_t ready = 0;

	memorizer_pause();
	poll_wait(file, &writer->readers, wait);
	/* Queue, then check for a packet. Pairs with the barrier in memorizer_stream_wake(). */
	smp_mb();
	if (memorizer_stream_packet(writer))
		ready = EPOLLIN | EPOLLRDNORM;
	memorizer_resume();
	return ready;
}

static const struct file_operations packets_fops = {
	.owner = THIS_MODULE,
	.open = packets_open,
	.read = packets_read,
	.poll = packets_poll,
	.release = packets_release,
};

DEFINE_SHOW_ATTRIBUTE(memorizer_ctf);

static struct memorizer_switch switches[MEMORIZER_STREAM_SWITCHES];

static int snapshot_get(void *unused, u64 *number)
{
	*number = memorizer_last_snapshot();
	return 0;
}

static int snapshot_set(void *unused, u64 wanted)
{
	if (wanted > 1)
		return -EINVAL;
	return wanted ? memorizer_snapshot() : 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(snapshot_fops, snapshot_get, snapshot_set, "%llu\n");

static ssize_t marker_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	char text[MARK_MAX + 1];
	size_t length = count;
	int err;

	/* One byte more than a mark may have: echo adds a newline. */
	if (count > sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	if (length && text[length - 1] == '\n')
		length--;
	/* The stream has NUL-terminated text. */
	if (!length || length > MARK_MAX || memchr(text, '\0', length))
		return -EINVAL;
	err = memorizer_stream_mark_scope(text, length);
	return err ?: count;
}

static const struct file_operations marker_fops = {
	.owner = THIS_MODULE,
	.write = marker_write,
	.llseek = noop_llseek,
};

static int overruns_get(void *unused, u64 *events)
{
	struct memorizer_stream_sums sums;

	memorizer_stream_sum(&sums);
	*events = sums.overrun + sums.nested;
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(overruns_fops, overruns_get, NULL, "%llu\n");

void memorizer_observer_stats(struct seq_file *m)
{
	struct memorizer_stream_sums sums;
	size_t subbufs, subbuf_size;
	int which;

	memorizer_stream_sum(&sums);
	memorizer_stream_size(&subbufs, &subbuf_size);
	seq_printf(m, "stream_produced: %llu\n", sums.produced);
	seq_printf(m, "stream_read: %llu\n", sums.read);
	seq_printf(m, "stream_lost: %llu\n", sums.overrun + sums.nested);
	seq_printf(m, "stream_buffered: %llu\n", sums.buffered);
	seq_printf(m, "stream_lost_overrun: %llu\n", sums.overrun);
	seq_printf(m, "stream_lost_nested: %llu\n", sums.nested);
	seq_printf(m, "stream_reader_accesses: %llu\n", sums.own);
	seq_printf(m, "stream_bytes: %llu\n", sums.bytes);
	seq_printf(m, "stream_subbufs: %zu\n", subbufs);
	seq_printf(m, "stream_subbuf_size: %zu\n", subbuf_size);
	for (which = 0; which < MEMORIZER_STREAM_SWITCHES; which++)
		seq_printf(m, "stream_%s: %u\n", memorizer_stream_names[which],
			   memorizer_stream_is_on(which));
}

void __init memorizer_observer_files(struct dentry *dir)
{
	unsigned int which;
	char name[32];
	long cpu;

	for_each_possible_cpu(cpu) {
		snprintf(name, sizeof(name), "cpu%ld", cpu);
		debugfs_create_file(name, 0400, dir, (void *)cpu, &packets_fops);
	}
	for (which = 0; which < MEMORIZER_STREAM_SWITCHES; which++) {
		snprintf(name, sizeof(name), "stream_%s", memorizer_stream_names[which]);
		switches[which].is_on = memorizer_stream_is_on;
		switches[which].set = memorizer_stream_set;
		switches[which].id = which;
		debugfs_create_file(name, 0600, dir, &switches[which], &memorizer_switch_fops);
	}
	debugfs_create_file("metadata", 0400, dir, NULL, &memorizer_ctf_fops);
	debugfs_create_file_unsafe("stream_snapshot", 0600, dir, NULL, &snapshot_fops);
	debugfs_create_file("marker", 0200, dir, NULL, &marker_fops);
	debugfs_create_file_unsafe("total_overruns", 0400, dir, NULL, &overruns_fops);
}
