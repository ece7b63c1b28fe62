// SPDX-License-Identifier: GPL-2.0
/* Reads lines of bounded length: any bytes, endless lines too, in constant memory. */
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
 * @fd: where they come from; stays the caller's
 */
void lines_init(struct lines *in, int fd)
{
	*in = (struct lines){ .fd = fd, .buf = xreallocarray(NULL, BUF_SIZE, 1) };
}

/**
 * lines_free - release the buffer
 * @in: the lines
 */
void lines_free(struct lines *in)
{
	free(in->buf);
}

/* Moves what is left to the front and reads more behind it. */
static ssize_t fill(struct lines *in)
{
	ssize_t got;

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
 * lines_next - get the next line
 * @in: the lines
 *
 * Return: what was found; @in->line and @in->len are set for a whole line and
 * for one that is cut off.
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
			if (skipping || in->len > LINES_LENGTH_MAX)
				return LINES_LONG;
			return LINES_WHOLE;
		}
		if (in->len > LINES_LENGTH_MAX) {
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
		in->line = in->buf;
		return LINES_CUT;
	}
	in->nr--;
	return LINES_END;
}
