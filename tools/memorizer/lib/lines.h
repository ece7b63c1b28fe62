/* SPDX-License-Identifier: GPL-2.0 */
/* Line-by-line reading of a file descriptor. */
#ifndef LINES_H
#define LINES_H

#include "lib/alloc.h"

#define LINES_LENGTH_MAX	1024	/* bytes of a line, without its newline */

/* Results of lines_next(). */
enum lines_status {
	LINES_END,		/* no more lines */
	LINES_FAILED,		/* read(2) failed, see errno */
	LINES_LONG,		/* more than LINES_LENGTH_MAX bytes, skipped */
	LINES_CUT,		/* the last line lacks its newline */
	LINES_WHOLE,		/* line[len] is the newline */
};

/**
 * struct lines - state of reading lines
 * @nr: number of the current line, from 1
 * @line: the current line, any bytes; valid until the next lines_next()
 * @len: length of @line without the newline, in bytes
 * @fd: private: file descriptor
 * @read: private: bytes read so far
 * @buf: private: buffer
 * @start: private: offset of the next line in @buf
 * @end: private: bytes in @buf
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
