/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of bounded length. */
#ifndef LINES_H
#define LINES_H

#include "lib/alloc.h"

#define LINES_LENGTH_MAX	1024	/* bytes of a line, without its newline */

/* What lines_next() found. */
enum lines_status {
	LINES_END,		/* no more lines */
	LINES_FAILED,		/* read(2) failed, see errno */
	LINES_LONG,		/* more than LINES_LENGTH_MAX bytes, skipped */
	LINES_CUT,		/* the input ended before a newline came */
	LINES_WHOLE,		/* line[len] is the newline */
};

/**
 * struct lines - the lines of a file descriptor
 * @nr: number of the line last returned, from 1
 * @line: the line last returned; any bytes, valid until the next call
 * @len: its length without the newline
 * @fd: private: where they come from
 * @read: private: how many bytes were read so far
 * @buf: private: bytes that were read
 * @start: private: where in @buf the next line begins
 * @end: private: how much of @buf is filled
 */
struct lines {
	u64 nr;
	const char *line;
	size_t len;
	int fd;
	u64 read;
	char *buf;
	size_t start, end;
};

void lines_init(struct lines *in, int fd);
void lines_free(struct lines *in);
enum lines_status lines_next(struct lines *in);

#endif
