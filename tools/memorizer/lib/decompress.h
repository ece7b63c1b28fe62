/* SPDX-License-Identifier: GPL-2.0 */
/* Decompresses what zstd, gzip or xz made, piece by piece. */
#ifndef DECOMPRESS_H
#define DECOMPRESS_H

#include "lib/types.h"

#define DECOMPRESS_MAGIC	6	/* bytes that decompress_new() looks at */

struct decompress;

/**
 * struct pieces - compressed bytes, and room for what they become
 * @in: next byte to decompress
 * @in_len: how many there are
 * @out: where the next byte goes
 * @out_len: room there
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
