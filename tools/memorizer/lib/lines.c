// SPDX-License-Identifier: GPL-2.0
/* Line-by-line reading of a file descriptor, in constant memory: longer lines are skipped. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/lines.h"
#include "lib/progress.h"

#define BUF_SIZE	(128 * 1024)

/**
 * lines_init - start reading lines
 * @in: the lines
 * @fd: file descriptor; the caller closes it
 */
void lines_init(struct lines *in, int fd)
{
	*in = (struct lines){ .fd = fd, .buf = xreallocarray(NULL, BUF_SIZE, 1) };
}

/**
 * lines_free - free the buffer
 * @in: the lines
 */
void lines_free(struct lines *in)
{
	free(in->buf);
}

/* Move the unread bytes to the start of the buffer, and read more after them. */
static ssize_t fill(struct lines *in)
{
	ssize_t got;

	/* There is room: lines_next() never keeps more than LINES_LENGTH_MAX bytes. */
	memmove(in->buf, in->buf + in->start, in->end - in->start);
	in->end -= in->start;
	in->start = 0;
	do {
		got = read(in->fd, in->buf + in->end, BUF_SIZE - in->end);
	} while (got < 0 && errno == EINTR);
	if (got > 0) {
		in->end += got;
		in->read += got;
		progress_at(in->read);
	}
	return got;
}

/**
 * lines_next - read the next line
 * @in: the lines
 *
 * Return: the result; @in->line and @in->len are set for LINES_WHOLE and LINES_CUT.
 */
enum lines_status lines_next(struct lines *in)
{
	bool skipping = false;
	const char *newline;
	ssize_t got;

	in->nr++;
	for (;;) {
		in->line = in->buf + in->start;
		in->len = in->end - in->start;
		newline = memchr(in->line, '\n', in->len);
		if (newline) {
			in->len = newline - in->line;
			in->start += in->len + 1;
			/*
			 * The rest of a long line, or a line that fits the buffer but not
			 * the limit.
			 */
			if (skipping || in->len > LINES_LENGTH_MAX)
				return LINES_LONG;
			return LINES_WHOLE;
		}
		if (in->len > LINES_LENGTH_MAX) {
			/* Drop the line piecewise, in constant memory. */
			skipping = true;
			in->start = in->end;
		}
		got = fill(in);
		if (got < 0)
			return LINES_FAILED;
		if (!got)
			break;
	}
	in->start = in->end;
	if (skipping)
		return LINES_LONG;
	if (in->len) {
		/* fill() moved the line to the start. */
		in->line = in->buf;
		return LINES_CUT;
	}
	/* There was no further line: @nr is the number of lines. */
	in->nr--;
	return LINES_END;
}
