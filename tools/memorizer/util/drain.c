// SPDX-License-Identifier: GPL-2.0
/* Copies one of the kernel's streams to a file, and knows where its packets end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drain.h"

/* Two of the kernel's default sub-buffers: so a read seldom finds more than it takes. */
#define BUFFER		(1024 * 1024)

/* Where things are in a packet; in the byte order of this machine, which it was made on. */
#define MAGIC		0xc1fc1fc1u
#define SIZE_OFFSET	48		/* packet_size, in bits */

static char buffer[BUFFER];

static enum drain fail(struct drain_stream *s, const char *name, const char *what)
{
	fprintf(stderr, "memorizer: %s: %s: the trace ends here\n", name, what);
	s->failed = true;
	return DRAIN_FAILED;
}

/* Takes the size of the packet whose head is full. */
static bool begin_packet(struct drain_stream *s)
{
	u32 magic;
	u64 bits;

	memcpy(&magic, s->head, sizeof(magic));
	memcpy(&bits, s->head + SIZE_OFFSET, sizeof(bits));
	s->size = bits / 8;
	if (magic != MAGIC || bits % 8 || s->size < PACKET_HEAD)
		return false;
	s->left = s->size - PACKET_HEAD;
	return true;
}

/* Follows the packets through @len bytes that were copied. */
static bool follow(struct drain_stream *s, const char *data, size_t len)
{
	size_t n;

	s->copied += len;
	while (len) {
		if (s->head_len < PACKET_HEAD) {
			n = PACKET_HEAD - s->head_len;
			n = n < len ? n : len;
			memcpy(s->head + s->head_len, data, n);
			s->head_len += n;
			if (s->head_len == PACKET_HEAD && !begin_packet(s))
				return false;
		} else {
			n = s->left < len ? s->left : len;
			s->left -= n;
		}
		if (s->head_len == PACKET_HEAD && !s->left) {
			s->whole += s->size;
			s->packets++;
			s->head_len = 0;
		}
		data += n;
		len -= n;
	}
	return true;
}

static enum drain copy(struct drain_stream *s, const char *data, size_t len)
{
	ssize_t n;

	for (; len; data += n, len -= n) {
		n = write(s->out, data, len);
		if (n < 0 && errno == EINTR)
			n = 0;
		if (n < 0)
			return fail(s, s->to, strerror(errno));
		if (!follow(s, data, n))
			return fail(s, s->from, "no CTF packet where one should begin");
	}
	return DRAIN_MORE;
}

/**
 * drain_some - copy what one read of a stream gives
 * @s: the stream
 *
 * Waits only if @s->in does. Nothing is allocated.
 *
 * Return: what there was.
 */
enum drain drain_some(struct drain_stream *s)
{
	ssize_t n;

	do
		n = read(s->in, buffer, sizeof(buffer));
	while (n < 0 && errno == EINTR);
	if (n > 0)
		return copy(s, buffer, n);
	if (!n)
		return DRAIN_END;
	if (errno == EAGAIN)
		return DRAIN_NOTHING;
	return fail(s, s->from, strerror(errno));
}

/**
 * drain_discard - read a stream to its end without copying it
 * @s: the stream
 * @enough: set by a signal's handler when that shall end
 */
void drain_discard(struct drain_stream *s, const volatile sig_atomic_t *enough)
{
	ssize_t n;

	do
		n = read(s->in, buffer, sizeof(buffer));
	while (!*enough && (n > 0 || (n < 0 && errno == EINTR)));
}

/**
 * drain_close - end the copy behind its last whole packet and release the stream
 * @s: the stream
 *
 * Return: whether the copy is sound up to there; if not there was a message.
 */
bool drain_close(struct drain_stream *s)
{
	bool sound = s->copied == s->whole || !ftruncate(s->out, s->whole);

	if (s->out >= 0 && close(s->out))
		sound = false;
	if (!sound)
		fprintf(stderr, "memorizer: %s: %s\n", s->to, strerror(errno));
	close(s->in);
	free(s->from);
	free(s->to);
	return sound;
}
