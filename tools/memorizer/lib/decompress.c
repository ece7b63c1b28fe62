// SPDX-License-Identifier: GPL-2.0
/*
 * Incremental decompression of zstd, gzip and xz, by one interface to the three libraries. A file
 * may consist of several concatenated streams.
 */
#include <lzma.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "lib/decompress.h"
#include "lib/lines.h"

#define GZIP_ONLY	(16 + MAX_WBITS)	/* for inflateInit2(): expect a gzip header */

/**
 * struct format - a compressed format
 * @magic: magic number
 * @len: length of @magic in bytes
 * @start: initialize the library's state; returns false on failure
 * @step: see decompress_step(); also updates @d->within
 * @end: free the library's state
 */
struct format {
	unsigned char magic[DECOMPRESS_MAGIC];
	size_t len;
	bool (*start)(struct decompress *d);
	const char *(*step)(struct decompress *d, struct pieces *p);
	void (*end)(struct decompress *d);
};

/**
 * struct decompress - state of decompressing a file
 * @format: format of the file
 * @within: the current stream is incomplete
 * @zstd: state of zstd
 * @gzip: state of zlib
 * @xz: state of liblzma
 */
struct decompress {
	const struct format *format;
	bool within;
	union {
		ZSTD_DStream *zstd;
		z_stream gzip;
		lzma_stream xz;
	};
};

static bool start_zstd(struct decompress *d)
{
	d->zstd = ZSTD_createDStream();
	return d->zstd;
}

static const char *step_zstd(struct decompress *d, struct pieces *p)
{
	ZSTD_inBuffer in = { p->in, p->in_len, 0 };
	ZSTD_outBuffer out = { p->out, p->out_len, 0 };
	size_t left = ZSTD_decompressStream(d->zstd, &out, &in);

	p->in += in.pos;
	p->in_len -= in.pos;
	p->out += out.pos;
	p->out_len -= out.pos;
	/* 0 at the end of a frame, which may be followed by another one. */
	d->within = left;
	return ZSTD_isError(left) ? ZSTD_getErrorName(left) : NULL;
}

static void end_zstd(struct decompress *d)
{
	ZSTD_freeDStream(d->zstd);
}

static bool start_gzip(struct decompress *d)
{
	d->gzip = (z_stream){ .next_in = NULL };
	return inflateInit2(&d->gzip, GZIP_ONLY) == Z_OK;
}

static const char *step_gzip(struct decompress *d, struct pieces *p)
{
	int code;

	/* zlib stops at the end of a stream: another one may follow. */
	if (!d->within && inflateReset(&d->gzip) != Z_OK)
		return zError(Z_STREAM_ERROR);
	d->gzip.next_in = (Bytef *)p->in;
	d->gzip.avail_in = p->in_len;
	d->gzip.next_out = (Bytef *)p->out;
	d->gzip.avail_out = p->out_len;
	code = inflate(&d->gzip, Z_NO_FLUSH);
	p->in += p->in_len - d->gzip.avail_in;
	p->in_len = d->gzip.avail_in;
	p->out += p->out_len - d->gzip.avail_out;
	p->out_len = d->gzip.avail_out;
	d->within = code != Z_STREAM_END;
	/* Z_BUF_ERROR only asks for more input, or for more room. */
	return code == Z_OK || code == Z_STREAM_END || code == Z_BUF_ERROR ? NULL : zError(code);
}

static void end_gzip(struct decompress *d)
{
	inflateEnd(&d->gzip);
}

static bool start_xz(struct decompress *d)
{
	d->xz = (lzma_stream)LZMA_STREAM_INIT;
	return lzma_stream_decoder(&d->xz, U64_MAX, 0) == LZMA_OK;
}

static const char *step_xz(struct decompress *d, struct pieces *p)
{
	lzma_ret code;

	/* liblzma stops at the end of a stream: another one may follow. */
	if (!d->within && lzma_stream_decoder(&d->xz, U64_MAX, 0) != LZMA_OK)
		return "out of memory";
	d->xz.next_in = (const uint8_t *)p->in;
	d->xz.avail_in = p->in_len;
	d->xz.next_out = (uint8_t *)p->out;
	d->xz.avail_out = p->out_len;
	code = lzma_code(&d->xz, LZMA_RUN);
	p->in += p->in_len - d->xz.avail_in;
	p->in_len = d->xz.avail_in;
	p->out += p->out_len - d->xz.avail_out;
	p->out_len = d->xz.avail_out;
	d->within = code != LZMA_STREAM_END;
	switch (code) {
	case LZMA_OK:
	case LZMA_STREAM_END:
	case LZMA_BUF_ERROR:
		return NULL;
	case LZMA_FORMAT_ERROR:
		return "not an xz stream";
	case LZMA_OPTIONS_ERROR:
		return "unsupported xz options";
	case LZMA_MEM_ERROR:
		return "out of memory";
	default:
		return "corrupt";
	}
}

static void end_xz(struct decompress *d)
{
	lzma_end(&d->xz);
}

static const struct format formats[] = {
	{ { 0x28, 0xb5, 0x2f, 0xfd }, 4, start_zstd, step_zstd, end_zstd },
	{ { 0x1f, 0x8b }, 2, start_gzip, step_gzip, end_gzip },
	{ { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, start_xz, step_xz, end_xz },
};

/**
 * decompress_new - detect the format of a file, and start to decompress it
 * @magic: first bytes of the file, padded with zeros
 *
 * Return: the state, to be freed by decompress_free(); NULL if the file is not compressed.
 */
struct decompress *decompress_new(const unsigned char magic[DECOMPRESS_MAGIC])
{
	struct decompress *d;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		if (memcmp(magic, formats[i].magic, formats[i].len))
			continue;
		d = xreallocarray(NULL, 1, sizeof(*d));
		*d = (struct decompress){ .format = formats + i };
		/* Only fails if memory runs out. */
		if (!d->format->start(d))
			abort();
		return d;
	}
	return NULL;
}

/**
 * decompress_step - decompress some bytes
 * @d: the state
 * @p: input and output; advanced past what was consumed and produced
 *
 * Return: NULL on success, a message if the compressed data is damaged.
 */
const char *decompress_step(struct decompress *d, struct pieces *p)
{
	return d->format->step(d, p);
}

/**
 * decompress_is_within - check whether the data ends within a compressed stream
 * @d: the state
 *
 * Return: true if the current stream is incomplete.
 */
bool decompress_is_within(const struct decompress *d)
{
	return d->within;
}

/**
 * decompress_free - free the state
 * @d: the state, or NULL
 */
void decompress_free(struct decompress *d)
{
	if (d)
		d->format->end(d);
	free(d);
}
