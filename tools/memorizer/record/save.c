// SPDX-License-Identifier: GPL-2.0
/* Directory of a trace that is being recorded. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record/save.h"

#define DEFAULT_PATH	"memorizer-trace"
#define NEW		"kernel/new"	/* temporary name of an incomplete file */

static bool fail(const struct save *s, const char *name)
{
	fprintf(stderr, "memorizer: %s%s%s: %s\n", s->path, name ? "/" : "", name ? name : "",
		strerror(errno));
	return false;
}

static bool is_empty(int dir)
{
	/* closedir() closes the descriptor that it gets. */
	DIR *d = fdopendir(dup(dir));
	struct dirent *entry;
	bool empty = d;

	while (empty && (entry = readdir(d)))
		empty = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..");
	if (d)
		closedir(d);
	return empty;
}

/* Reject directories in which others could place symlinks to the user's files. */
static bool is_ours(const struct save *s)
{
	const char *why = NULL;
	struct stat st;

	if (fstat(s->dir, &st))
		return fail(s, NULL);
	if (st.st_uid != geteuid())
		why = "owned by another user";
	else if (st.st_mode & (0022))
		why = "writable by others";
	if (why)
		fprintf(stderr,
			"memorizer: %s: %s: want a new directory, or an empty one of your own\n",
			s->path, why);
	return !why;
}

/* Create memorizer-trace, or memorizer-trace.1, ... */
static bool make_default(struct save *s)
{
	unsigned int i;

	for (i = 0; ; i++) {
		if ((i ? asprintf(&s->path, DEFAULT_PATH ".%u", i) :
			 asprintf(&s->path, DEFAULT_PATH)) < 0)
			abort();
		/* mkdir(2) both tests and claims the name. */
		s->made = !mkdir(s->path, 0700);
		if (s->made)
			return true;
		if (errno != EEXIST)
			return false;
		free(s->path);
	}
}

static bool make(struct save *s, const char *path)
{
	if (!path)
		return make_default(s);
	s->path = strdup(path);
	if (!s->path)
		abort();
	s->made = !mkdir(path, 0700);
	return s->made || errno == EEXIST;
}

/**
 * save_open - create the directory of a trace
 * @s: the directory
 * @path: its name; NULL: the first free one of memorizer-trace, memorizer-trace.1, ...
 *
 * A trace contains kernel addresses, so only its owner may read it.
 *
 * Return: true if it exists and is empty, false after a message.
 */
bool save_open(struct save *s, const char *path)
{
	s->dir = -1;
	if (!make(s, path))
		goto fail;
	s->dir = open(s->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (s->dir < 0)
		goto fail;
	/* Check what was opened: the name may point to another directory by now. */
	if (!is_ours(s))
		goto free;
	if (!is_empty(s->dir)) {
		fprintf(stderr, "memorizer: %s: not empty: want a new or an empty directory\n",
			s->path);
		goto free;
	}
	return true;
fail:
	fail(s, NULL);
free:
	save_close(s);
	return false;
}

/**
 * save_begin - create the subdirectory kernel/
 * @s: the directory
 *
 * Return: true on success, false after a message.
 */
bool save_begin(const struct save *s)
{
	return !mkdirat(s->dir, "kernel", 0700) || fail(s, "kernel");
}

/**
 * save_part - create a subdirectory with its kernel/
 * @s: the directory
 * @name: name of the subdirectory
 * @part: the subdirectory, to be closed with save_close()
 *
 * Return: true on success, false after a message.
 */
bool save_part(const struct save *s, const char *name, struct save *part)
{
	if (asprintf(&part->path, "%s/%s", s->path, name) < 0)
		abort();
	part->dir = -1;
	if (!mkdirat(s->dir, name, 0700))
		part->dir = openat(s->dir, name,
				   O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (part->dir >= 0 && save_begin(part))
		return true;
	if (part->dir < 0)
		fail(part, NULL);
	save_close(part);
	return false;
}

/* Remove everything in the directory @name of @dir. */
static bool empty(int dir, const char *name)
{
	int fd = openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	bool fine = d;

	while (fine && (entry = readdir(d)))
		fine = !strcmp(entry->d_name, ".") || !strcmp(entry->d_name, "..") ||
		       !unlinkat(fd, entry->d_name, 0) ||
		       (errno == EISDIR && empty(fd, entry->d_name) &&
			!unlinkat(fd, entry->d_name, AT_REMOVEDIR));
	if (d)
		closedir(d);
	else if (fd >= 0)
		close(fd);
	return fine;
}

/**
 * save_remove - remove a subdirectory and its contents
 * @s: the directory
 * @name: name of the subdirectory
 *
 * Return: true on success, false after a message.
 */
bool save_remove(const struct save *s, const char *name)
{
	return (empty(s->dir, name) && !unlinkat(s->dir, name, AT_REMOVEDIR)) || fail(s, name);
}

/**
 * save_discard - remove a trace that was not begun
 * @s: the directory, still to be closed with save_close()
 *
 * Removes the contents, and the directory if save_open() created it. Errors print a message.
 */
void save_discard(const struct save *s)
{
	if (!empty(s->dir, ".") || (s->made && rmdir(s->path)))
		fail(s, NULL);
}

/**
 * save_link - link a file into another directory
 * @from: directory of the file
 * @to: the other directory, where it replaces a file of the same name
 * @name: name of the file
 *
 * Return: true on success or if there is no such file, false after a message.
 */
bool save_link(const struct save *from, const struct save *to, const char *name)
{
	/* linkat(2) does not replace a file. Not all traces have all files. */
	unlinkat(to->dir, name, 0);
	return !linkat(from->dir, name, to->dir, name, 0) || errno == ENOENT || fail(to, name);
}

/**
 * save_close - close a directory
 * @s: the directory
 */
void save_close(struct save *s)
{
	if (s->dir >= 0)
		close(s->dir);
	free(s->path);
	s->path = NULL;
}

static bool put(int fd, const char *data, size_t len)
{
	ssize_t n;

	for (; len; data += n, len -= n) {
		n = write(fd, data, len);
		if (n < 0 && errno == EINTR)
			n = 0;
		if (n < 0)
			return false;
	}
	return true;
}

/**
 * save_create - create a file in the trace
 * @s: the directory
 * @name: its name; must not exist
 *
 * Return: a file descriptor, or -1 after a message.
 */
int save_create(const struct save *s, const char *name)
{
	int fd = openat(s->dir, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			0600);

	if (fd < 0)
		fail(s, name);
	return fd;
}

/* Rename NEW to @to if it is complete, else remove it. */
static bool end_new(const struct save *s, int fd, bool complete, const char *to)
{
	/* close(2) reports delayed errors, such as those of a quota. */
	if (complete && !close(fd) && !renameat(s->dir, NEW, s->dir, to))
		return true;
	fail(s, to);
	if (!complete)
		close(fd);
	unlinkat(s->dir, NEW, 0);
	return false;
}

/* Copy @in, the file @from, up to its end. */
static bool copy(const struct save *s, int in, const char *from, const char *to)
{
	static char buffer[1 << 16];
	int out = save_create(s, NEW);
	bool fine = true;
	ssize_t n = 0;

	if (out < 0)
		return false;
	while (fine && (n = read(in, buffer, sizeof(buffer))) > 0)
		fine = put(out, buffer, n);
	if (n >= 0)
		return end_new(s, out, fine, to);
	fprintf(stderr, "memorizer: %s: %s\n", from, strerror(errno));
	close(out);
	unlinkat(s->dir, NEW, 0);
	return false;
}

/**
 * save_copy - copy a file of the kernel
 * @s: the directory
 * @dir: directory file descriptor that @from is relative to
 * @from: name of the file
 * @to: name of the copy; replaces an existing file once it is complete
 *
 * Return: true on success, false after a message.
 */
bool save_copy(const struct save *s, int dir, const char *from, const char *to)
{
	int in = openat(dir, from, O_RDONLY | O_CLOEXEC);
	bool fine;

	if (in < 0) {
		fprintf(stderr, "memorizer: %s: %s\n", from, strerror(errno));
		return false;
	}
	fine = copy(s, in, from, to);
	close(in);
	return fine;
}

/**
 * save_text - write a text to a file
 * @s: the directory
 * @text: the text
 * @to: name of the file; replaces an existing file once it is complete
 *
 * Return: true on success, false after a message.
 */
bool save_text(const struct save *s, const char *text, const char *to)
{
	int out = save_create(s, NEW);

	return out >= 0 && end_new(s, out, put(out, text, strlen(text)), to);
}
