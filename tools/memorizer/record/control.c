// SPDX-License-Identifier: GPL-2.0
/* The kernel's files that a recorder reads, writes and saves. */
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

#define LINES_MAX	4095	/* bytes that the kernel takes at once */

static const char * const switches[NR_STREAM_SWITCHES] = {
	[STREAM_ALLOCATIONS] = "stream_allocations",
	[STREAM_RETIREMENTS] = "stream_retirements",
	[STREAM_ACCESSES] = "stream_accesses",
	[STREAM_TRAFFIC] = "stream_traffic",
	[STREAM_ENTRIES] = "stream_entries",
	[STREAM_LOCKS] = "stream_locks",
	[STREAM_SCOPED] = "stream_scoped",
};

/* The kernels that had a stream first did not have all of them. */
static bool is_optional(int which)
{
	return which == STREAM_SCOPED || which == STREAM_TRAFFIC || which == STREAM_ENTRIES ||
	       which == STREAM_LOCKS;
}

/* Says why @file cannot be opened, and what to do about it. */
static void tell(const struct control *c, const char *file)
{
	int error = errno;
	const char *advice = "";

	if (error == EACCES)
		advice = ": only root can record";
	else if (error == EPERM)
		advice = ": lockdown forbids it, want a kernel with lockdown=none or integrity";
	else if (error == EBUSY)
		advice = ": somebody else reads it, end that first";
	else if (error == ENOENT)
		advice = ": not in this kernel's Memorizer, want a later one";
	fprintf(stderr, "memorizer: %s%s%s: %s%s\n", c->path, file ? "/" : "", file ? file : "",
		strerror(error), advice);
}

/* Says why there is no directory memorizer/ in @debugfs. */
static void tell_missing(const struct control *c, const char *debugfs)
{
	struct statfs fs;

	if (errno != ENOENT) {
		tell(c, NULL);
	} else if (statfs(debugfs, &fs) || fs.f_type != DEBUGFS_MAGIC) {
		fprintf(stderr,
			"memorizer: %s: no debugfs: mount it (mount -t debugfs nodev %s) or say with --debugfs where it is\n",
			debugfs, debugfs);
	} else {
		fprintf(stderr, "memorizer: %s: not there: want a kernel with CONFIG_MEMORIZER\n",
			c->path);
	}
}

/**
 * control_open - find the kernel's files
 * @c: where to keep them
 * @debugfs: where debugfs is mounted
 *
 * Return: whether they are there; if not there was a message.
 */
bool control_open(struct control *c, const char *debugfs)
{
	if (asprintf(&c->path, "%s/memorizer", debugfs) < 0)
		abort();
	c->dir = open(c->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (c->dir < 0) {
		tell_missing(c, debugfs);
		free(c->path);
		c->path = NULL;
		return false;
	}
	return true;
}

/**
 * control_close - release the kernel's files
 * @c: the files
 */
void control_close(struct control *c)
{
	close(c->dir);
	free(c->path);
}

/**
 * control_write_quietly - write a file of the kernel
 * @c: the files
 * @file: its name
 * @text: what to write, with one write(2)
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
 * control_write - write a file of the kernel
 * @c: the files
 * @file: its name
 * @text: what to write, with one write(2)
 *
 * Return: whether that worked; if not there was a message.
 */
bool control_write(const struct control *c, const char *file, const char *text)
{
	int error = control_write_quietly(c, file, text);

	errno = error;
	if (error)
		tell(c, file);
	return !error;
}

/* Reads the first bytes of a file, as a string without the newline. */
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
 * control_read - read a file of the kernel
 * @c: the files
 * @file: its name
 *
 * Return: its text, to be freed, or NULL and there was a message.
 */
char *control_read(const struct control *c, const char *file)
{
	int fd = openat(c->dir, file, O_RDONLY | O_CLOEXEC);
	size_t size = 4096, len = 0;
	char *text = NULL;
	ssize_t n = -1;

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
		tell(c, file);
		free(text);
		text = NULL;
	} else {
		text[len] = '\0';
	}
	if (fd >= 0)
		close(fd);
	return text;
}

/* Bytes of the lines at the beginning of a text that the kernel takes at once. */
static size_t some_lines(const char *text)
{
	size_t len = strlen(text);
	const char *end = len > LINES_MAX ? memrchr(text, '\n', LINES_MAX) : NULL;

	return end ? (size_t)(end + 1 - text) : len;
}

/**
 * control_write_lines - write a file of the kernel that adds lines to those before
 * @c: the files
 * @file: its name
 * @text: the lines, which take the place of those that are there
 *
 * Return: 0 or an errno.
 */
int control_write_lines(const struct control *c, const char *file, const char *text)
{
	int fd = openat(c->dir, file, O_WRONLY | O_TRUNC | O_CLOEXEC), error = 0;
	size_t len;

	if (fd < 0)
		return errno;
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
 * control_get_switches - read the stream's switches
 * @c: the files
 * @on: set to what they are
 *
 * Return: whether that worked; if not there was a message.
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
			tell(c, switches[i]);
			return false;
		}
		if (strcmp(text, "0") && strcmp(text, "1")) {
			fprintf(stderr, "memorizer: %s/%s: '%s': want 0 or 1\n", c->path, switches[i],
				text);
			return false;
		}
		on[i] = *text == '1';
	}
	return true;
}

/**
 * control_set_switches - change the stream's switches
 * @c: the files
 * @from: what they are
 * @to: what they shall be
 *
 * Return: whether that worked; if not there was a message, and the others are changed.
 */
bool control_set_switches(const struct control *c, const bool from[NR_STREAM_SWITCHES],
			  const bool to[NR_STREAM_SWITCHES])
{
	bool fine = true;
	int i;

	for (i = 0; i < NR_STREAM_SWITCHES; i++)
		if (!from[i] && to[i])
			fine &= control_write(c, switches[i], "1\n");
	while (i--)
		if (from[i] && !to[i])
			fine &= control_write(c, switches[i], "0\n");
	return fine;
}

/**
 * control_print_switches - print what switches are, a line for each
 * @to: where to
 * @on: what they are
 */
void control_print_switches(FILE *to, const bool on[NR_STREAM_SWITCHES])
{
	int i;

	for (i = 0; i < NR_STREAM_SWITCHES; i++)
		fprintf(to, "%s: %d\n", switches[i], on[i]);
}

/**
 * control_parse_switches - read what control_print_switches() printed
 * @text: what was printed
 * @on: set to what they are, but for those that @text does not have
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
 * control_say_on - say which switches are on already
 * @c: the files
 * @on: what they are
 */
void control_say_on(const struct control *c, const bool on[NR_STREAM_SWITCHES])
{
	int i;

	for (i = 0; i < NR_STREAM_SWITCHES; i++)
		if (on[i])
			fprintf(stderr,
				"memorizer: %s/%s: already on, and stays on: 'memorizer record --restore' restores it if a killed recorder left it on, echo 0 there ends it\n",
				c->path, switches[i]);
}

/**
 * control_is_off - tell whether nothing is streamed
 * @c: the files
 *
 * Return: whether all switches are off, as far as they can be read.
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
 * control_stat - read a number of the kernel's statistics
 * @c: the files
 * @name: its name in show_stats
 * @value: set to it
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
 * control_buffer_size - tell how much a CPU's buffer holds
 * @c: the files
 * @otherwise: what to return when the kernel does not tell
 *
 * Return: its size in bytes.
 */
u64 control_buffer_size(const struct control *c, u64 otherwise)
{
	u64 subbufs, size;

	return control_stat(c, "stream_subbufs", &subbufs) &&
	       control_stat(c, "stream_subbuf_size", &size) && subbufs && size ?
	       subbufs * size : otherwise;
}

/**
 * control_open_stream - open a CPU's stream
 * @c: the files
 * @file: its name
 *
 * Return: a file descriptor that does not block, or -1 and there was a message.
 */
int control_open_stream(const struct control *c, const char *file)
{
	int fd = openat(c->dir, file, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		tell(c, file);
	return fd;
}
