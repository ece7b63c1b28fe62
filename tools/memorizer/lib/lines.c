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
 * kmap_array - resize an array
 * @array: the array, or NULL for a new one
 * @nr: number of elements it shall have room for
 * @size: size of an element
 *
 * Ends the program when there is no memory.
 *
 * Return: the array, perhaps elsewhere.
 */
void *kmap_array(void *array, size_t nr, size_t size)
{
	array = reallocarray(array, nr, size);
	if (!array) {
		fprintf(stderr, "memorizer: out of memory: %zu times %zu bytes are not to be had\n",
			nr, size);
		exit(2);
	}
	return array;
}

/**
 * kmap_lines_init - start reading lines
 * @in: the lines
 * @fd: where they come from; stays the caller's
 */
void kmap_lines_init(struct kmap_lines *in, int fd)
{
	*in = (struct kmap_lines){ .fd = fd, .buf = kmap_array(NULL, BUF_SIZE, 1) };
}

/**
 * kmap_lines_free - release the buffer
 * @in: the lines
 */
void kmap_lines_free(struct kmap_lines *in)
{
	free(in->buf);
}

/* Moves what is left to the front and reads more behind it. */
static ssize_t fill(struct kmap_lines *in)
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
 * kmap_lines_next - get the next line
 * @in: the lines
 *
 * Return: what was found; @in->line and @in->len are set for a whole line and
 * for one that is cut off.
 */
enum kmap_line kmap_lines_next(struct kmap_lines *in)
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
			if (skipping || in->len > KMAP_LINE_MAX)
				return KMAP_LINE_LONG;
			return KMAP_LINE_WHOLE;
		}
		if (in->len > KMAP_LINE_MAX) {
			skipping = true;
			in->start = in->end;
		}
		got = fill(in);
		if (got < 0)
			return KMAP_LINE_FAILED;
		if (!got)
			break;
	}
	in->start = in->end;
	if (skipping)
		return KMAP_LINE_LONG;
	if (in->len) {
		in->line = in->buf;
		return KMAP_LINE_CUT;
	}
	in->nr--;
	return KMAP_LINE_END;
}
