/* SPDX-License-Identifier: GPL-2.0 */
/* Bytes of an open file, read in their order, and decompressed if need be. */
#ifndef READER_H
#define READER_H

#include <zstd.h>

#include "kmap.h"

/**
 * struct range - bytes of an open file
 * @fd: the file
 * @offset: where they begin
 * @size: how many there are
 */
struct range {
	int fd;
	u64 offset, size;
};

size_t range_read(const struct range *range, u64 at, void *buffer, size_t size);

/**
 * struct reader - bytes being read
 * @range: where they are stored
 * @at: how many of the stored ones were read
 * @damage: why there are no more behind the last one, or empty
 * @zstd: private: what decompresses, or NULL
 * @buffer: private: bytes to decompress
 * @in: private: which of them come next
 * @in_frame: private: whether the frame of compressed data goes on
 */
struct reader {
	struct range range;
	u64 at;
	char damage[KMAP_ERROR_MAX];
	ZSTD_DStream *zstd;
	char *buffer;
	ZSTD_inBuffer in;
	bool in_frame;
};

void reader_init(struct reader *r, const struct range *range);
long long reader_read(struct reader *r, void *to, size_t size);
int reader_spool(struct reader *r, const char *path, u64 *size, char error[KMAP_ERROR_MAX]);
void reader_free(struct reader *r);
int reader_spool_fd(int fd, const char *path, u64 *size, char error[KMAP_ERROR_MAX]);

#endif
