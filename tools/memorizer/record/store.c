// SPDX-License-Identifier: GPL-2.0
/*
 * A file of a trace: the packets of a CPU, compressed or not. The file always ends with a
 * whole packet: partial writes are truncated. A compressed file consists of independent
 * frames, so that it can be read up to the point where it was cut.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zstd.h>

#include "kmap/kmap.h"
#include "record/drain.h"
#include "record/store.h"

#define FRAME_MAX	(1 << 20)	/* bytes per frame, unless a packet is larger */

/* Levels up to 3 compress faster than the kernel produces events. */
#define LEVEL		3

/**
 * store_create - create the file of a CPU
 * @s: the file
 * @trace: directory to create it in
 * @cpu: number of the CPU
 * @compress: compress the file
 *
 * Return: true on success, false after a message.
 */
bool store_create(struct store *s, const struct save *trace, u32 cpu, bool compress)
{
	char name[24];

	snprintf(name, sizeof(name), "cpu%u%s", cpu, compress ? ".zst" : "");
	*s = (struct store){ .fd = save_create(trace, name) };
	if (s->fd < 0)
		return false;
	if (asprintf(&s->path, "%s/%s", trace->path, name) < 0)
		abort();
	if (!compress)
		return true;
	s->zstd = ZSTD_createCCtx();
	if (!s->zstd)
		abort();
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_compressionLevel, LEVEL);
	/* Packets have no checksum of their own. */
	ZSTD_CCtx_setParameter(s->zstd, ZSTD_c_checksumFlag, 1);
	return true;
}

/* Size of as many packets as fit into @max bytes, but at least one. */
static size_t some_packets(const char *data, size_t len, size_t max, u64 *packets)
{
	size_t size, n = 0;

	*packets = 0;
	while (n < len) {
		size = drain_packet_size(data + n, len - n);
		if (n && n + size > max)
			break;
		n += size;
		++*packets;
	}
	return n;
}

static bool fail(struct store *s)
{
	fprintf(stderr, "memorizer: %s: %s: the trace ends here\n", s->path, strerror(errno));
	return false;
}

/* Write as much as possible. Returns the number of bytes. */
static size_t append(struct store *s, const char *data, size_t len)
{
	size_t done = 0;
	ssize_t n = 0;

	while (done < len) {
		n = write(s->fd, data + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			break;
		done += n;
	}
	return done;
}

/* Truncate the file after the last whole packet or frame. */
static void take_back(struct store *s)
{
	int error = errno;

	if (!ftruncate(s->fd, s->stored))
		lseek(s->fd, s->stored, SEEK_SET);
	errno = error;
}

/* Write @size bytes at @stored, which hold @packets packets of @len bytes. */
static bool put(struct store *s, const char *stored, size_t size, size_t len, u64 packets)
{
	size_t done = append(s, stored, size), whole = done;

	if (done < size) {
		/* A partial frame cannot be read, so none of its packets counts. */
		packets = 0;
		whole = 0;
		if (!s->zstd) {
			while (whole < done &&
			       drain_packet_size(stored + whole, size - whole) <= done - whole) {
				whole += drain_packet_size(stored + whole, size - whole);
				packets++;
			}
		}
		len = whole;
	}
	s->stored += whole;
	s->bytes += len;
	s->packets += packets;
	if (done == size)
		return true;
	take_back(s);
	return fail(s);
}

static bool take_room(struct store_limit *limit, u64 size)
{
	unsigned long long used = limit->used;

	if (!limit->max)
		return true;
	do
		if (used + size > limit->max)
			return false;
	while (!atomic_compare_exchange_weak(&limit->used, &used, used + size));
	return true;
}

/* Compress @len bytes into s->frame. Returns the compressed size. */
static size_t compress(struct store *s, const char *data, size_t len)
{
	size_t size = ZSTD_compressBound(len);

	if (s->frame_room < size) {
		s->frame = xreallocarray(s->frame, size, 1);
		s->frame_room = size;
	}
	size = ZSTD_compress2(s->zstd, s->frame, s->frame_room, data, len);
	if (ZSTD_isError(size))
		abort();		/* the buffer is large enough, so memory is short */
	return size;
}

/**
 * store_write - append packets
 * @s: the file
 * @limit: size limit of all files
 * @data: whole packets
 * @len: their size in bytes
 * @done: set to the number of bytes written; a packet larger than the limit is never written
 *
 * Return: STORE_ALL, STORE_FULL if the limit was reached, or STORE_FAILED after a message.
 */
enum store_wrote store_write(struct store *s, struct store_limit *limit, const char *data,
			     size_t len, size_t *done)
{
	size_t n, size, max = s->zstd ? FRAME_MAX : len;
	u64 packets;

	for (*done = 0; *done < len; *done += n) {
		n = some_packets(data + *done, len - *done, max, &packets);
		size = s->zstd ? compress(s, data + *done, n) : n;
		if (!take_room(limit, size)) {
			if (packets == 1)
				return STORE_FULL;
			/* A smaller frame may still fit. */
			max = n / 2;
			n = 0;
			continue;
		}
		if (!put(s, s->zstd ? s->frame : data + *done, size, n, packets))
			return STORE_FAILED;
	}
	return STORE_ALL;
}

/**
 * store_close - close the file
 * @s: the file; may never have been created
 *
 * Return: true on success, false after a message.
 */
bool store_close(struct store *s)
{
	bool fine = s->fd < 0 || !close(s->fd) || fail(s);

	ZSTD_freeCCtx(s->zstd);
	free(s->frame);
	free(s->path);
	s->path = NULL;
	s->frame = NULL;
	s->zstd = NULL;
	s->fd = -1;
	return fine;
}
