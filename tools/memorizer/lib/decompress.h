/* SPDX-License-Identifier: GPL-2.0 */
/* Incremental decompression of zstd, gzip and xz. */
#ifndef DECOMPRESS_H
#define DECOMPRESS_H

#include "lib/types.h"

#define DECOMPRESS_MAGIC	6	/* bytes needed to detect a format */

struct decompress;

/**
 * struct pieces - input and output buffer of a step
 * @in: next compressed byte
 * @in_len: number of compressed bytes
 * @out: destination of the next byte
 * @out_len: room at @out in bytes
 */
struct pieces {
	const char *in;
	size_t in_len;
	char *out;
	size_t out_len;
};

struct decompress *decompress_new(const unsigned char magic[DECOMPRESS_MAGIC]);
const char *decompress_step(struct decompress *d, struct pieces *p);
bool decompress_is_within(const struct decompress *d);
void decompress_free(struct decompress *d);

#endif
