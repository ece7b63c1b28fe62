/* SPDX-License-Identifier: GPL-2.0 */
/* A file of a trace: the packets of a CPU, compressed or not. */
#ifndef STORE_H
#define STORE_H

#include <stdatomic.h>

#include "record/save.h"

/* Size limit of all files of a part, in bytes. Threads share it. */
struct store_limit {
	u64 max;		/* 0: unlimited */
	atomic_ullong used;
};

/**
 * struct store - a file
 * @path: its name, for messages
 * @fd: file descriptor; -1: none
 * @stored: size of the file in bytes, whole packets or frames
 * @bytes: size of its packets in bytes, uncompressed
 * @packets: number of packets
 * @zstd: private: compression context; NULL: uncompressed
 * @frame: private: buffer for a compressed frame
 * @frame_room: private: size of the buffer
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

/* Results of store_write(). */
enum store_wrote {
	STORE_ALL,
	STORE_FULL,		/* the limit was reached, some packets may have been written */
	STORE_FAILED,		/* after a message */
};

bool store_create(struct store *s, const struct save *trace, u32 cpu, bool compress);
enum store_wrote store_write(struct store *s, struct store_limit *limit, const char *data,
			     size_t len, size_t *done);
bool store_close(struct store *s);

#endif
