// SPDX-License-Identifier: GPL-2.0
/* Reads the packets of a kernel stream. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmap/kmap.h"
#include "record/drain.h"
#include "record/packet.h"

/* Two default sub-buffers of the kernel: a read rarely fills it. */
#define BUFFER		(1024 * 1024)
#define PACKET_MAX	(256u << 20)	/* maximum size of a packet in bytes */

#define PACKET_MIN	80		/* size of a packet without events in older kernels */

static enum drain fail(const struct drain_stream *s, const char *what)
{
	fprintf(stderr, "memorizer: %s: %s: the trace ends here\n", s->path, what);
	return DRAIN_FAILED;
}

/**
 * drain_packet_size - get the size of a packet
 * @packet: the beginning of the packet
 * @len: bytes available
 *
 * Return: the size in bytes; 0 if @len is too small for the header; U64_MAX if it is no packet.
 */
u64 drain_packet_size(const char *packet, size_t len)
{
	u32 magic;
	u64 bits;

	if (len < PACKET_SIZE + sizeof(bits))
		return 0;
	memcpy(&magic, packet, sizeof(magic));
	bits = packet_load(packet + PACKET_SIZE);
	if (magic != PACKET_MAGIC || bits % 8 || bits / 8 < PACKET_MIN || bits / 8 > PACKET_MAX)
		return U64_MAX;
	return bits / 8;
}

/**
 * drain_account - account the losses of packets
 * @n: the statistics of the stream
 * @data: whole packets, the next ones of the stream
 * @len: their size in bytes
 * @before: packets have events_discarded_before
 *
 * The readers of traces count losses in the same way, see stream.c.
 */
void drain_account(struct drain_stats *n, const char *data, size_t len, bool before)
{
	const char *end = data + len;
	u64 reported;

	for (; data < end; data += drain_packet_size(data, end - data)) {
		/*
		 * What was lost before the first packet is no loss of this trace. Older
		 * kernels do not report it.
		 */
		if (!n->begun)
			n->reported = before ? packet_load(data + PACKET_LOST_BEFORE) : 0;
		n->begun = true;
		n->end = packet_load(data + PACKET_END);
		reported = packet_load(data + PACKET_LOST);
		if (reported <= n->reported)
			continue;
		n->lost += reported - n->reported;
		n->reported = reported;
	}
}

/* Make room for an incomplete packet, its rest, and another read. */
static void make_room(const struct drain_stream *s, struct drain_buffer *b)
{
	u64 size = drain_packet_size(s->part, s->part_len);
	size_t want = BUFFER + (size > s->part_len && size != U64_MAX ? size : s->part_len);

	if (want <= b->room)
		return;
	b->data = xreallocarray(b->data, want, 1);
	b->room = want;
}

/* Set @b->len to the size of the whole packets and save the rest for the next read. */
static bool split(struct drain_stream *s, struct drain_buffer *b, size_t have)
{
	u64 size = 0;

	for (b->len = 0; b->len < have; b->len += size) {
		size = drain_packet_size(b->data + b->len, have - b->len);
		if (!size || size > have - b->len)
			break;
	}
	s->part_len = have - b->len;
	/* Return the sound packets first; the next call fails on the rest, which is saved. */
	if (size == U64_MAX && !b->len)
		return false;
	if (s->part_len) {
		s->part = xreallocarray(s->part, s->part_len, 1);
		memcpy(s->part, b->data + b->len, s->part_len);
	}
	return true;
}

/**
 * drain_some - read packets of a stream
 * @s: the stream
 * @b: the buffer; its previous content is lost
 *
 * Blocks only if @s->fd is blocking.
 *
 * Return: the result of the read. DRAIN_MORE does not imply that @b has a whole packet.
 */
enum drain drain_some(struct drain_stream *s, struct drain_buffer *b)
{
	ssize_t n;

	b->len = 0;
	if (drain_packet_size(s->part, s->part_len) == U64_MAX)
		return fail(s, "no CTF packet where one is expected");
	make_room(s, b);
	if (s->part_len)
		memcpy(b->data, s->part, s->part_len);
	do
		n = read(s->fd, b->data + s->part_len, b->room - s->part_len);
	while (n < 0 && errno == EINTR);
	if (!n)
		return DRAIN_END;
	if (n < 0)
		return errno == EAGAIN ? DRAIN_NOTHING : fail(s, strerror(errno));
	if (!split(s, b, s->part_len + n))
		return fail(s, "no CTF packet where one is expected");
	return DRAIN_MORE;
}

/**
 * drain_discard - read a stream to its end and discard it
 * @s: the stream
 * @enough: set by a signal handler to stop
 */
void drain_discard(struct drain_stream *s, const atomic_bool *enough)
{
	char buffer[65536];
	ssize_t n;

	do
		n = read(s->fd, buffer, sizeof(buffer));
	while (!*enough && (n > 0 || (n < 0 && errno == EINTR)));
}

/**
 * drain_close - close a stream
 * @s: the stream
 */
void drain_close(struct drain_stream *s)
{
	close(s->fd);
	free(s->path);
	free(s->part);
}

/**
 * drain_free - free a buffer
 * @b: the buffer
 */
void drain_free(struct drain_buffer *b)
{
	free(b->data);
	*b = (struct drain_buffer){ 0 };
}
