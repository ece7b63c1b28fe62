// SPDX-License-Identifier: GPL-2.0
/*
 * Sequential reading of an open file, with decompression. Files that are accessed at random are
 * copied to an unnamed temporary file instead of memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/progress.h"
#include "lib/reader.h"

/*
 * Limits of decompression to disk, against decompression bombs. Packets compress to a tenth of
 * their size, mostly empty ones to a fiftieth.
 */
#define GROWTH_FREE	(64ull << 20)	/* bytes of output that are always accepted */
#define GROWTH_MAX	200		/* further bytes of output per byte of input */

#define CHUNK		65536		/* bytes per read */

/**
 * reader_is_output - check whether an input file is also standard output
 * @fd: the input file
 *
 * If it is, the command would read its own output.
 *
 * Return: true if it is.
 */
bool reader_is_output(int fd)
{
	struct stat in, out;

	return !fstat(fd, &in) && !fstat(STDOUT_FILENO, &out) && S_ISREG(in.st_mode) &&
	       in.st_dev == out.st_dev && in.st_ino == out.st_ino;
}

/**
 * range_read - read bytes of a range
 * @range: the range
 * @at: offset in the range
 * @buffer: destination
 * @size: max. number of bytes
 *
 * Return: number of bytes read. On error, errno is set, otherwise it is 0.
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
		/* Several readers may share the file descriptor: do not use its position. */
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
 * reader_init - start to read a range
 * @r: the reader
 * @range: the range; the caller closes its file descriptor, after reader_free()
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

static long long read_stored(struct reader *r, void *to, size_t size)
{
	size_t got = range_read(&r->range, r->at, to, size);

	/* After some bytes, an error is reported by the next call. */
	if (!got && errno)
		return -1;
	r->at += got;
	return got;
}

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
			/* The bytes before are good: a damaged trace is read up to here. */
			if (!got && decompress_is_within(r->packed))
				set_error(r->damage, "compressed data is truncated");
			if (!got)
				break;
		}
		wrong = decompress_step(r->packed, &p);
		if (wrong)
			set_error(r->damage, "compressed data is damaged: %s", wrong);
	}
	r->in = p.in;
	r->in_len = p.in_len;
	return size - p.out_len;
}

/**
 * reader_read - read the next bytes, decompressed
 * @r: the reader
 * @to: destination
 * @size: number of bytes
 *
 * Return: number of bytes read, less than @size only at the end or if @r->damage is set;
 *	   negative on error, with errno set.
 */
long long reader_read(struct reader *r, void *to, size_t size)
{
	return r->packed ? read_packed(r, to, size) : read_stored(r, to, size);
}

/**
 * reader_free - free the memory of a reader
 * @r: the reader
 */
void reader_free(struct reader *r)
{
	decompress_free(r->packed);
	free(r->buffer);
}

/* Create an unnamed file. Not all filesystems support O_TMPFILE. */
static int make_in(const char *dir)
{
	int fd = open(dir, O_RDWR | O_TMPFILE | O_CLOEXEC, 0600);
	char *name;

	if (fd >= 0)
		return fd;
	if (asprintf(&name, "%s/memorizer-XXXXXX", dir) < 0)
		abort();
	fd = mkostemp(name, O_CLOEXEC);
	/* The file disappears when it is closed, even if the command is killed. */
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
		/* /tmp may be a tmpfs: a large copy would fill the memory. */
		fd = make_in("/var/tmp");
		if (fd < 0)
			fd = make_in("/tmp");
	}
	if (fd < 0)
		set_error(error, "cannot create a temporary file: %s", strerror(errno));
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
			return set_error(error, "cannot write a temporary file: %s",
					 strerror(errno));
	}
	return true;
}

/* Rewind a complete copy, or close a failed one. */
static int end_copy(int out, bool fine)
{
	if (fine && !lseek(out, 0, SEEK_SET))
		return out;
	close(out);
	return -1;
}

/**
 * reader_spool - copy the remaining bytes to an unnamed temporary file
 * @r: the reader; @r->damage is set if the compressed data ends early
 * @path: name of the file for messages
 * @size: set to the number of bytes
 * @error: set to a message on failure
 *
 * Return: file descriptor of the copy, at its beginning; -1 on failure.
 */
int reader_spool(struct reader *r, const char *path, u64 *size, char error[ERROR_MAX])
{
	static char buffer[CHUNK];
	int out = make(error);
	bool fine = true, alone;
	long long n;

	*size = 0;
	/* The caller may show the progress of a larger operation. */
	alone = progress_begin_if_idle(path, r->range.size);
	while (out >= 0 && fine) {
		n = reader_read(r, buffer, sizeof(buffer));
		if (alone)
			progress_at(r->at);
		if (n <= 0) {
			fine = !n || set_error(error, "%s: %s", path, strerror(errno));
			break;
		}
		/* Limit what a decompression bomb writes to disk. */
		*size += n;
		fine = (!r->packed || *size <= GROWTH_FREE + GROWTH_MAX * r->at ||
			set_error(error,
				  "%s: decompresses to more than %d times its size: not a trace",
				  path, GROWTH_MAX)) &&
		       put(out, buffer, n, error);
	}
	if (alone)
		progress_end();
	return out < 0 ? out : end_copy(out, fine);
}

/**
 * reader_spool_fd - copy a pipe to an unnamed temporary file
 * @fd: file descriptor of the pipe
 * @path: name of the pipe for messages
 * @size: set to the number of bytes
 * @error: set to a message on failure
 *
 * Return: file descriptor of the copy, at its beginning; -1 on failure.
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
			fine = !n || set_error(error, "%s: %s", path, strerror(errno));
			break;
		}
		fine = put(out, buffer, n, error);
		*size += n;
	}
	if (alone)
		progress_end();
	return out < 0 ? out : end_copy(out, fine);
}
