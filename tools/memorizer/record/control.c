// SPDX-License-Identifier: GPL-2.0
/* The kernel's control files in debugfs. */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "kmap/kmap.h"
#include "lib/stats.h"
#include "record/control.h"

#define LINES_MAX	4095	/* maximum size of a write in bytes */

static const char * const switches[NR_STREAM_SWITCHES] = {
	[STREAM_ALLOCATIONS] = "stream_allocations",
	[STREAM_RETIREMENTS] = "stream_retirements",
	[STREAM_ACCESSES] = "stream_accesses",
	[STREAM_TRAFFIC] = "stream_traffic",
	[STREAM_ENTRIES] = "stream_entries",
	[STREAM_LOCKS] = "stream_locks",
	[STREAM_SCOPED] = "stream_scoped",
};

/* Older kernels lack these. */
static bool is_optional(int which)
{
	return which == STREAM_SCOPED || which == STREAM_TRAFFIC || which == STREAM_ENTRIES ||
	       which == STREAM_LOCKS;
}

/* Print why @file cannot be opened, with advice. */
static void print_error(const struct control *c, const char *file)
{
	int error = errno;
	const char *advice = "";

	if (error == EACCES)
		advice = ": only root can record";
	else if (error == EPERM)
		advice = ": lockdown forbids it, want a kernel with lockdown=none or integrity";
	else if (error == EBUSY)
		advice = ": another process reads it, end that first";
	else if (error == ENOENT)
		advice = ": not in this kernel, want a later one";
	fprintf(stderr, "memorizer: %s%s%s: %s%s\n", c->path, file ? "/" : "", file ? file : "",
		strerror(error), advice);
}

/* Print why there is no directory memorizer/ in @debugfs. */
static void print_missing(const struct control *c, const char *debugfs)
{
	struct statfs fs;

	if (errno != ENOENT) {
		print_error(c, NULL);
	} else if (statfs(debugfs, &fs) || fs.f_type != DEBUGFS_MAGIC) {
		fprintf(stderr,
			"memorizer: %s: no debugfs: mount it (mount -t debugfs nodev %s) or specify its directory with --debugfs\n",
			debugfs, debugfs);
	} else {
		fprintf(stderr, "memorizer: %s: missing: want a kernel with CONFIG_MEMORIZER\n",
			c->path);
	}
}

/**
 * control_open - open the directory of the control files
 * @c: the files
 * @debugfs: mount point of debugfs
 *
 * Return: true on success, false after a message.
 */
bool control_open(struct control *c, const char *debugfs)
{
	if (asprintf(&c->path, "%s/memorizer", debugfs) < 0)
		abort();
	c->dir = open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->dir < 0) {
		print_missing(c, debugfs);
		free(c->path);
		c->path = NULL;
		return false;
	}
	return true;
}

/**
 * control_close - close the directory
 * @c: the files
 */
void control_close(struct control *c)
{
	close(c->dir);
	free(c->path);
}

/**
 * control_write_quietly - write to a file, without error messages
 * @c: the files
 * @file: name of the file
 * @text: the text, for one write(2)
 *
 * Return: 0 or an errno.
 */
int control_write_quietly(const struct control *c, const char *file, const char *text)
{
	int fd = openat(c->dir, file, O_WRONLY | O_CLOEXEC), error = 0;

	if (fd < 0)
		return errno;
	if (write(fd, text, strlen(text)) < 0)
		error = errno;
	close(fd);
	return error;
}

/**
 * control_write - write to a file
 * @c: the files
 * @file: name of the file
 * @text: the text, for one write(2)
 *
 * Return: true on success, false after a message.
 */
bool control_write(const struct control *c, const char *file, const char *text)
{
	int error = control_write_quietly(c, file, text);

	errno = error;
	if (error)
		print_error(c, file);
	return !error;
}

/* Read the first line of a file, without the newline. */
static bool read_text(const struct control *c, const char *file, char *text, size_t size)
{
	int fd = openat(c->dir, file, O_RDONLY | O_CLOEXEC), error;
	ssize_t len;

	if (fd < 0)
		return false;
	len = read(fd, text, size - 1);
	error = errno;
	close(fd);
	errno = error;
	if (len < 0)
		return false;
	text[len] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

/**
 * control_read - read a file
 * @c: the files
 * @file: name of the file
 *
 * Return: its content, to be freed; NULL after a message.
 */
char *control_read(const struct control *c, const char *file)
{
	int fd = openat(c->dir, file, O_RDONLY | O_CLOEXEC);
	size_t size = 4096, len = 0;
	char *text = NULL;
	ssize_t n = -1;

	/* Files in debugfs have no size: read up to the end. */
	while (fd >= 0) {
		text = xreallocarray(text, size, 1);
		n = read(fd, text + len, size - len - 1);
		if (n <= 0)
			break;
		len += n;
		if (len == size - 1)
			size *= 2;
	}
	if (n < 0) {
		print_error(c, file);
		free(text);
		text = NULL;
	} else {
		text[len] = '\0';
	}
	if (fd >= 0)
		close(fd);
	return text;
}

/* Size of the lines that fit into one write. */
static size_t some_lines(const char *text)
{
	size_t len = strlen(text);
	const char *end = len > LINES_MAX ? memrchr(text, '\n', LINES_MAX) : NULL;

	return end ? (size_t)(end + 1 - text) : len;
}

/**
 * control_write_lines - replace the lines of a file that appends on write(2)
 * @c: the files
 * @file: name of the file
 * @text: the lines
 *
 * Return: 0 or an errno.
 */
int control_write_lines(const struct control *c, const char *file, const char *text)
{
	int fd = openat(c->dir, file, O_WRONLY | O_TRUNC | O_CLOEXEC), error = 0;
	size_t len;

	if (fd < 0)
		return errno;
	/*
	 * The kernel replaces the content on a write at offset 0, and
	 * appends at later ones.
	 */
	do {
		len = some_lines(text);
		if (write(fd, text, len) < 0)
			error = errno;
		text += len;
	} while (*text && !error);
	close(fd);
	return error;
}

/**
 * control_get_switches - read the switches of the stream
 * @c: the files
 * @on: set to their state
 *
 * Return: true on success, false after a message.
 */
bool control_get_switches(const struct control *c, bool on[NR_STREAM_SWITCHES])
{
	char text[16];
	int i;

	for (i = 0; i < NR_STREAM_SWITCHES; i++) {
		on[i] = false;
		if (!read_text(c, switches[i], text, sizeof(text))) {
			if (errno == ENOENT && is_optional(i))
				continue;
			print_error(c, switches[i]);
			return false;
		}
		if (strcmp(text, "0") && strcmp(text, "1")) {
			fprintf(stderr, "memorizer: %s/%s: '%s': want 0 or 1\n", c->path,
				switches[i], text);
			return false;
		}
		on[i] = *text == '1';
	}
	return true;
}

/**
 * control_set_switches - change the switches of the stream
 * @c: the files
 * @from: their state
 * @to: the new state
 *
 * Tries all switches even if one fails.
 *
 * Return: true on success, false after a message.
 */
bool control_set_switches(const struct control *c, const bool from[NR_STREAM_SWITCHES],
			  const bool to[NR_STREAM_SWITCHES])
{
	bool fine = true;
	int i;

	for (i = 0; i < NR_STREAM_SWITCHES; i++)
		if (!from[i] && to[i])
			fine &= control_write(c, switches[i], "1\n");
	/*
	 * In reverse order, so that STREAM_SCOPED restricts the others as
	 * long as they are on.
	 */
	while (i--)
		if (from[i] && !to[i])
			fine &= control_write(c, switches[i], "0\n");
	return fine;
}

/**
 * control_print_switches - print the state of the switches, one per line
 * @to: the output
 * @on: their state
 */
void control_print_switches(FILE *to, const bool on[NR_STREAM_SWITCHES])
{
	int i;

	for (i = 0; i < NR_STREAM_SWITCHES; i++)
		fprintf(to, "%s: %d\n", switches[i], on[i]);
}

/**
 * control_parse_switches - parse the output of control_print_switches()
 * @text: the output
 * @on: set to the state of the switches that @text has
 */
void control_parse_switches(const char *text, bool on[NR_STREAM_SWITCHES])
{
	u64 value;
	int i;

	for (i = 0; i < NR_STREAM_SWITCHES; i++)
		if (find_stat(text, switches[i], &value))
			on[i] = value;
}

/**
 * control_warn_on - warn about switches that are already enabled
 * @c: the files
 * @on: their state
 */
void control_warn_on(const struct control *c, const bool on[NR_STREAM_SWITCHES])
{
	int i;

	for (i = 0; i < NR_STREAM_SWITCHES; i++)
		if (on[i])
			fprintf(stderr,
				"memorizer: %s/%s: already on, and stays on: 'memorizer record --restore' restores it after a killed recorder, echo 0 disables it\n",
				c->path, switches[i]);
}

/**
 * control_is_off - check whether the stream is disabled
 * @c: the files
 *
 * Return: true if all switches can be read and are off.
 */
bool control_is_off(const struct control *c)
{
	char text[16];
	int i;

	for (i = 0; i < NR_STREAM_SWITCHES; i++)
		if (!read_text(c, switches[i], text, sizeof(text)) ?
		    errno != ENOENT || !is_optional(i) : strcmp(text, "0"))
			return false;
	return true;
}

/**
 * control_stat - read a value of show_stats
 * @c: the files
 * @name: name of the value
 * @value: set to the value
 *
 * Return: whether the kernel has it.
 */
bool control_stat(const struct control *c, const char *name, u64 *value)
{
	int fd = openat(c->dir, "show_stats", O_RDONLY | O_CLOEXEC);
	ssize_t len = -1;
	char text[8192];

	if (fd >= 0) {
		len = read(fd, text, sizeof(text) - 1);
		close(fd);
	}
	text[len < 0 ? 0 : len] = '\0';
	return find_stat(text, name, value);
}

/**
 * control_buffer_size - get the size of a CPU's buffer
 * @c: the files
 * @otherwise: default for kernels that do not report it
 *
 * Return: the size in bytes.
 */
u64 control_buffer_size(const struct control *c, u64 otherwise)
{
	u64 subbufs, size;

	return control_stat(c, "stream_subbufs", &subbufs) &&
	       control_stat(c, "stream_subbuf_size", &size) && subbufs && size ?
	       subbufs * size : otherwise;
}

/**
 * control_open_stream - open the stream of a CPU
 * @c: the files
 * @file: its name
 *
 * Return: a non-blocking file descriptor, or -1 after a message.
 */
int control_open_stream(const struct control *c, const char *file)
{
	int fd = openat(c->dir, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		print_error(c, file);
	return fd;
}
