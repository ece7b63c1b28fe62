// SPDX-License-Identifier: GPL-2.0
/*
 * Bytes of an open file, read in their order, and decompressed if need be. What has to be looked
 * things up in is copied to a file without a name, so that it takes no memory. Such files are
 * in TMPDIR, or else in /var/tmp, as /tmp may be memory, or in /tmp if that is not there.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/progress.h"
#include "lib/reader.h"

/*
 * Packets shrink to a tenth, idle ones to a fiftieth. A copy that grows beyond these is of no
 * trace, but of what was made to fill the disk.
 */
#define GROWTH_FREE	(64ull << 20)	/* bytes that may come out of whatever goes in */
#define GROWTH_MAX	200		/* bytes more for each that goes in */

#define CHUNK		65536		/* bytes to read at a time */

__printf(2, 3)
static bool fail(char error[ERROR_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, ERROR_MAX, format, args);
	va_end(args);
	return false;
}

/**
 * reader_is_output - check whether standard output goes to a file that is read
 * @fd: the file
 *
 * What is printed would end up in what is still to be read.
 *
 * Return: whether it does.
 */
bool reader_is_output(int fd)
{
	struct stat in, out;

	return !fstat(fd, &in) && !fstat(STDOUT_FILENO, &out) && S_ISREG(in.st_mode) &&
	       in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

/**
 * range_read - read some bytes of a range
 * @range: the range
 * @at: where to begin, in bytes from its begin
 * @buffer: where to put them
 * @size: how many at most
 *
 * Return: how many were there and could be read; fewer than there are: see errno, which else
 *	is 0.
 */
size_t range_read(const struct range *range, u64 at, void *buffer, size_t size)
{
	size_t done = 0;
	ssize_t n = 0;

	errno = 0;
	if (at >= range->size)
		return 0;
	if (size > range->size - at)
		size = range->size - at;
	while (done < size) {
		n = pread(range->fd, (char *)buffer + done, size - done,
			  range->offset + at + done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		done += n;
	}
	return done;
}

/**
 * reader_init - begin to read
 * @r: where to keep how far that is
 * @range: what to read; the file stays the caller's
 */
void reader_init(struct reader *r, const struct range *range)
{
	unsigned char magic[DECOMPRESS_MAGIC] = { 0 };

	*r = (struct reader){ .range = *range };
	range_read(range, 0, magic, sizeof(magic));
	r->packed = decompress_new(magic);
	if (r->packed)
		r->buffer = xreallocarray(NULL, CHUNK, 1);
}

/* Reads stored bytes; negative on error. */
static long long read_stored(struct reader *r, void *to, size_t size)
{
	size_t got = range_read(&r->range, r->at, to, size);

	if (!got && errno)
		return -1;
	r->at += got;
	return got;
}

/* Reads and decompresses. */
static long long read_packed(struct reader *r, void *to, size_t size)
{
	struct pieces p = { r->in, r->in_len, to, size };
	const char *wrong;
	long long got;

	while (p.out_len && !*r->damage) {
		if (!p.in_len) {
			got = read_stored(r, r->buffer, CHUNK);
			if (got < 0)
				return -1;
			p.in = r->buffer;
			p.in_len = got;
			if (!got && decompress_is_within(r->packed))
				fail(r->damage, "its compressed data are cut off");
			if (!got)
				break;
		}
		wrong = decompress_step(r->packed, &p);
		if (wrong)
			fail(r->damage, "its compressed data are damaged: %s", wrong);
	}
	r->in = p.in;
	r->in_len = p.in_len;
	return size - p.out_len;
}

/**
 * reader_read - read the next bytes
 * @r: what is being read
 * @to: where to
 * @size: how many bytes
 *
 * Return: how many there were, less than @size only at the end; negative if they cannot be
 *	read, see errno.
 */
long long reader_read(struct reader *r, void *to, size_t size)
{
	return r->packed ? read_packed(r, to, size) : read_stored(r, to, size);
}

/**
 * reader_free - end
 * @r: what was read
 */
void reader_free(struct reader *r)
{
	decompress_free(r->packed);
	free(r->buffer);
}

/* A file without a name in @dir, negative if that is not possible. */
static int make_in(const char *dir)
{
	int fd = open(dir, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	char *name;

	if (fd >= 0)
		return fd;
	if (asprintf(&name, "%s/memorizer-XXXXXX", dir) < 0)
		abort();
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	free(name);
	return fd;
}

static int make(char error[ERROR_MAX])
{
	const char *dir = getenv("TMPDIR");
	int fd;

	if (dir && *dir) {
		fd = make_in(dir);
	} else {
		fd = make_in("/var/tmp");
		if (fd < 0)
			fd = make_in("/tmp");
	}
	if (fd < 0)
		fail(error, "a temporary file: %s", strerror(errno));
	return fd;
}

static bool put(int fd, const char *data, size_t len, char error[ERROR_MAX])
{
	ssize_t n;

	for (; len; data += n, len -= n) {
		n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			n = 0;
		if (n < 0)
			return fail(error, "a temporary file: %s", strerror(errno));
	}
	return true;
}

/* Ends with a copy that is complete, or with none. */
static int end_copy(int out, bool fine)
{
	if (fine && !lseek(out, 0, SEEK_SET))
		return out;
	close(out);
	return -1;
}

/**
 * reader_spool - copy what is left to a file without a name
 * @r: what is being read; its @damage tells if there should be more of it
 * @path: its name, for messages
 * @size: set to how many bytes there were
 * @error: set to a message when that fails
 *
 * Return: a file descriptor of the copy, at its begin, or -1.
 */
int reader_spool(struct reader *r, const char *path, u64 *size, char error[ERROR_MAX])
{
	static char buffer[CHUNK];
	int out = make(error);
	bool fine = true, alone;
	long long n;

	*size = 0;
	alone = progress_begin_if_idle(path, r->range.size);
	while (out >= 0 && fine) {
		n = reader_read(r, buffer, sizeof(buffer));
		if (alone)
			progress_at(r->at);
		if (n <= 0) {
			fine = !n || fail(error, "%s: %s", path, strerror(errno));
			break;
		}
		*size += n;
		fine = (!r->packed || *size <= GROWTH_FREE + GROWTH_MAX * r->at ||
			fail(error, "%s: grows to more than %d times its size: not a trace", path,
			     GROWTH_MAX)) &&
		       put(out, buffer, n, error);
	}
	if (alone)
		progress_end();
	return out < 0 ? out : end_copy(out, fine);
}

/**
 * reader_spool_fd - copy what can only be read once to a file without a name
 * @fd: where it comes from
 * @path: its name, for messages
 * @size: set to how many bytes there were
 * @error: set to a message when that fails
 *
 * Return: a file descriptor of the copy, or -1.
 */
int reader_spool_fd(int fd, const char *path, u64 *size, char error[ERROR_MAX])
{
	static char buffer[CHUNK];
	int out = make(error);
	bool fine = true, alone;
	ssize_t n;

	*size = 0;
	alone = progress_begin_if_idle(path, 0);
	while (out >= 0 && fine) {
		n = read(fd, buffer, sizeof(buffer));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			fine = !n || fail(error, "%s: %s", path, strerror(errno));
			break;
		}
		fine = put(out, buffer, n, error);
		*size += n;
	}
	if (alone)
		progress_end();
	return out < 0 ? out : end_copy(out, fine);
}
