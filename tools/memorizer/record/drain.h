/* SPDX-License-Identifier: GPL-2.0 */
/* Reads the packets of one of the kernel's streams. */
#ifndef DRAIN_H
#define DRAIN_H

#include <stdatomic.h>

#include "lib/types.h"

/* What became of an attempt to read some of a stream. */
enum drain {
	DRAIN_MORE,		/* there was something, there may be more */
	DRAIN_NOTHING,		/* there is no finished packet now */
	DRAIN_END,		/* end of file */
	DRAIN_FAILED,		/* there was a message; nothing more can be read */
};

/**
 * struct drain_buffer - where packets are read to; a thread has one
 * @data: whole packets, one after the other
 * @len: how many bytes they have together
 * @room: private: size of @data
 */
struct drain_buffer {
	char *data;
	size_t len, room;
};

/**
 * struct drain_stream - a CPU's stream
 * @path: name of the kernel's file, for messages
 * @fd: file descriptor of it
 * @part: private: the beginning of a packet whose end was not read yet
 * @part_len: private: how much that is
 */
struct drain_stream {
	char *path;
	int fd;
	char *part;
	size_t part_len;
};

/**
 * struct drain_stats - what is known of a stream's packets
 * @lost: events that they report as lost; read by other threads meanwhile
 * @end: when the last one ended, in ns
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
