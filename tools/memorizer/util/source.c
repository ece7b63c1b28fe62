// SPDX-License-Identifier: GPL-2.0
/*
 * The files of a trace, as bytes in their order. Only what is a regular file is read: a
 * FIFO would let its reader wait for ever, and a device has no end.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "source.h"

/**
 * struct source - a file being read
 * @fd: its descriptor
 * @size: its size in bytes
 */
struct source {
	int fd;
	u64 size;
};

/**
 * source_open - begin to read a file
 * @path: its name
 * @error: set to a message when that is not possible
 *
 * Return: the file, or NULL.
 */
struct source *source_open(const char *path, char error[KMAP_ERROR_MAX])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct source *s;
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		snprintf(error, KMAP_ERROR_MAX, "%s: %s", path, strerror(errno));
	} else if (!S_ISREG(st.st_mode)) {
		snprintf(error, KMAP_ERROR_MAX, "%s: not a regular file", path);
	} else {
		s = kmap_array(NULL, 1, sizeof(*s));
		*s = (struct source){ .fd = fd, .size = st.st_size };
		return s;
	}
	if (fd >= 0)
		close(fd);
	return NULL;
}

/**
 * source_size - tell how large a file is
 * @s: the file
 *
 * Return: its size in bytes; 0 if there is nothing in it.
 */
u64 source_size(const struct source *s)
{
	return s->size;
}

/**
 * source_read - read the next bytes of a file
 * @s: the file
 * @to: where to
 * @size: how many bytes
 *
 * Return: how many bytes there were, less than @size only at the end; negative if they
 * cannot be read, see errno.
 */
long long source_read(struct source *s, void *to, size_t size)
{
	size_t done = 0;
	ssize_t got;

	while (done < size) {
		got = read(s->fd, (char *)to + done, size - done);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -1;
		if (!got)
			break;
		done += got;
	}
	return done;
}

/**
 * source_close - end with a file
 * @s: the file, or NULL
 */
void source_close(struct source *s)
{
	if (!s)
		return;
	close(s->fd);
	free(s);
}
