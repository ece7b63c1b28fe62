/* SPDX-License-Identifier: GPL-2.0 */
/* A file of a trace that is being recorded: a CPU's packets, compressed or not. */
#ifndef STORE_H
#define STORE_H

#include <stdatomic.h>

#include "record/save.h"

/* How many bytes all files of a trace may have together; shared by the threads that write them. */
struct store_limit {
	u64 max;		/* 0: no limit */
	atomic_ullong used;
};

/**
 * struct store - a file
 * @path: its name, for messages
 * @fd: its descriptor, -1: there is none
 * @stored: its size in bytes; all are of whole packets
 * @bytes: of packets in it, before they were compressed
 * @packets: how many packets it has
 * @zstd: private: what compresses, or NULL
 * @frame: private: what it compresses to
 * @frame_room: private: size of that
 */
struct store {
	char *path;
	int fd;
	atomic_ullong stored, bytes;
	u64 packets;
	struct ZSTD_CCtx_s *zstd;
	char *frame;
	size_t frame_room;
};

/* What store_write() did. */
enum store_wrote {
	STORE_ALL,
	STORE_FULL,		/* the limit was reached: not all, see how much */
	STORE_FAILED,		/* there was a message */
};

bool store_create(struct store *s, const struct save *trace, u32 cpu, bool compress);
enum store_wrote store_write(struct store *s, struct store_limit *limit, const char *data,
			     size_t len, size_t *done);
bool store_close(struct store *s);

#endif
