/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the packets of a kernel stream. */
#ifndef DRAIN_H
#define DRAIN_H

#include <stdatomic.h>

#include "lib/types.h"

/* Result of a read. */
enum drain {
	DRAIN_MORE,		/* data was read, there may be more */
	DRAIN_NOTHING,		/* no finished packet yet */
	DRAIN_END,		/* end of file */
	DRAIN_FAILED,		/* after a message; nothing more can be read */
};

/**
 * struct drain_buffer - a read buffer; each thread has one
 * @data: whole packets
 * @len: their size in bytes
 * @room: private: size of @data
 */
struct drain_buffer {
	char *data;
	size_t len, room;
};

/**
 * struct drain_stream - the stream of a CPU
 * @path: name of the kernel's file, for messages
 * @fd: file descriptor
 * @part: private: beginning of an incomplete packet
 * @part_len: private: its size in bytes
 */
struct drain_stream {
	char *path;
	int fd;
	char *part;
	size_t part_len;
};

/**
 * struct drain_stats - statistics of the packets of a stream
 * @lost: lost events that they report; read by other threads
 * @end: timestamp_end of the last packet, in ns
 * @reported: private: its events_discarded
 * @begun: private: there was a packet
 */
struct drain_stats {
	atomic_ullong lost;
	u64 end, reported;
	bool begun;
};

u64 drain_packet_size(const char *packet, size_t len);
void drain_account(struct drain_stats *n, const char *data, size_t len, bool before);
enum drain drain_some(struct drain_stream *s, struct drain_buffer *b);
void drain_discard(struct drain_stream *s, const atomic_bool *enough);
void drain_close(struct drain_stream *s);
void drain_free(struct drain_buffer *b);

#endif
