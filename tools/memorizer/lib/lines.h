/* SPDX-License-Identifier: GPL-2.0 */
/* Lines of bounded length, and the arrays of all rooms. */
#ifndef LINES_H
#define LINES_H

#include "lib/types.h"

#define KMAP_LINE_MAX	1024		/* longest line taken, without its newline */
#define KMAP_ERROR_MAX	512		/* room for an error message */

void *kmap_array(void *array, size_t nr, size_t size);

/* What kmap_lines_next() found. */
enum kmap_line {
	KMAP_LINE_END,		/* no more lines */
	KMAP_LINE_FAILED,	/* read(2) failed, see errno */
	KMAP_LINE_LONG,		/* more than KMAP_LINE_MAX bytes, skipped */
	KMAP_LINE_CUT,		/* the input ended before a newline came */
	KMAP_LINE_WHOLE,	/* line[len] is the newline */
};

/**
 * struct kmap_lines - the lines of a file descriptor
 * @nr: number of the line last returned, from 1
 * @line: the line last returned; any bytes, valid until the next call
 * @len: its length without the newline
 * @fd: private: where they come from
 * @read: private: how many bytes were read so far
 * @buf: private: bytes that were read
 * @start: private: where in @buf the next line begins
 * @end: private: how much of @buf is filled
 */
struct kmap_lines {
	u64 nr;
	const char *line;
	size_t len;
	int fd;
	u64 read;
	char *buf;
	size_t start, end;
};

void kmap_lines_init(struct kmap_lines *in, int fd);
void kmap_lines_free(struct kmap_lines *in);
enum kmap_line kmap_lines_next(struct kmap_lines *in);

#endif
