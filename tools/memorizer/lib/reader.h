/* SPDX-License-Identifier: GPL-2.0 */
/* Sequential reading of an open file, with decompression. */
#ifndef READER_H
#define READER_H

#include "lib/decompress.h"
#include "lib/lines.h"

/**
 * struct range - range of bytes of an open file
 * @fd: file descriptor
 * @offset: offset of the first byte
 * @size: number of bytes
 */
struct range {
	int fd;
	u64 offset, size;
};

#define READER_OUTPUT	"is also the output file"

bool reader_is_output(int fd);
size_t range_read(const struct range *range, u64 at, void *buffer, size_t size);

/**
 * struct reader - state of reading a range
 * @range: the range
 * @at: number of bytes of @range read so far
 * @damage: why the compressed data ends early, or empty
 * @packed: decompressor; NULL if the range is not compressed
 * @buffer: private: compressed bytes
 * @in: private: next byte in @buffer
 * @in_len: private: number of bytes from @in on
 */
struct reader {
	struct range range;
	u64 at;
	char damage[ERROR_MAX];
	struct decompress *packed;
	char *buffer;
	const char *in;
	size_t in_len;
};

void reader_init(struct reader *r, const struct range *range);
long long reader_read(struct reader *r, void *to, size_t size);
int reader_spool(struct reader *r, const char *path, u64 *size, char error[ERROR_MAX]);
void reader_free(struct reader *r);
int reader_spool_fd(int fd, const char *path, u64 *size, char error[ERROR_MAX]);

#endif
