/* SPDX-License-Identifier: GPL-2.0 */
/* Bytes of an open file, read in their order, and decompressed if need be. */
#ifndef READER_H
#define READER_H

#include "lib/decompress.h"
#include "lib/lines.h"

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

#define READER_OUTPUT	"is the output, too: want another file"

bool reader_is_output(int fd);
size_t range_read(const struct range *range, u64 at, void *buffer, size_t size);

/**
 * struct reader - bytes being read
 * @range: where they are stored
 * @at: how many of the stored ones were read
 * @damage: why there are no more behind the last one, or empty
 * @packed: what decompresses them, NULL: they are not compressed
 * @buffer: private: bytes to decompress
 * @in: private: which of them come next
 * @in_len: private: how many there are
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
