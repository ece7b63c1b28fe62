// SPDX-License-Identifier: GPL-2.0
/*
 * Atomic replacement of an output file: writes go to an unnamed file, which replaces the old
 * one at the end. A command that fails or is killed leaves the old file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "report/output.h"

static bool fail(const char *path, const char *why)
{
	fprintf(stderr, "memorizer: %s: %s\n", path, why);
	return false;
}

/* Resolve symbolic links; the last component need not exist. NULL: see errno. */
static char *resolve(const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dir, *real, *full = realpath(path, NULL);

	if (full || errno != ENOENT || (slash && !slash[1]))
		return full;
	dir = slash ? strndup(path, slash + 1 - path) : strdup(".");
	real = realpath(dir, NULL);
	if (real && asprintf(&full, "%s/%s", real, slash ? slash + 1 : path) < 0)
		abort();
	free(dir);
	free(real);
	return full;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Returns whether @path is @input, or lies in it. */
static bool is_part(const char *path, const struct stat *input)
{
	char *at = strdup(path), *slash;
	struct stat st;
	bool part = !stat(at, &st) && is_same(&st, input);

	while (!part && S_ISDIR(input->st_mode) && (slash = strrchr(at, '/')) && at[1]) {
		/* Keep the slash of the root directory. */
		slash[slash == at] = '\0';
		part = !stat(at, &st) && is_same(&st, input);
	}
	free(at);
	return part;
}

/* Returns false after a message if @path is an input, or lies in one. */
static bool check_inputs(const char *path, const char *const *inputs, u32 nr)
{
	struct stat st;
	u32 i;

	for (i = 0; i < nr; i++) {
		/* What is not there cannot be overwritten. */
		if (!inputs[i] ||
		    (strcmp(inputs[i], "-") ? stat(inputs[i], &st) : fstat(STDIN_FILENO, &st)))
			continue;
		if (!is_part(path, &st))
			continue;
		return fail(path, S_ISDIR(st.st_mode) ?
			    "lies in an input: want a file outside of it" :
			    "is an input, too: want another file");
	}
	return true;
}

/* Generate the next temporary name beside @path. */
static void next_name(struct output *o, u32 try)
{
	free(o->name);
	if (asprintf(&o->name, "%s.%d.%u", o->path, (int)getpid(), try) < 0)
		abort();
}

/* Create a file in the directory of @path, unnamed if the file system supports O_TMPFILE. */
static int open_new(struct output *o)
{
	char *dir = strndup(o->path, strrchr(o->path, '/') + 1 - o->path);
	int fd = open(dir, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
	u32 try;

	free(dir);
	/* The errors of file systems and of kernels without O_TMPFILE. */
	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
		return fd;
	for (try = 0; fd < 0 && (!try || errno == EEXIST); try++) {
		next_name(o, try);
		fd = open(o->name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	}
	return fd;
}

/* Open the output. A file that is replaced keeps its mode. */
static int open_output(struct output *o)
{
	struct stat st;
	bool old = !stat(o->path, &st);
	int fd;

	/* A pipe or a device, such as /dev/stdout, cannot be replaced. */
	o->direct = old && !S_ISREG(st.st_mode);
	if (o->direct)
		return open(o->path, O_WRONLY | O_CLOEXEC);
	/* rename() needs no permission to write to the file. */
	if (old && access(o->path, W_OK))
		return -1;
	fd = open_new(o);
	if (fd >= 0 && old)
		fchmod(fd, st.st_mode & 0777);
	return fd;
}

static void release(struct output *o)
{
	free(o->path);
	free(o->name);
	*o = (struct output){ .fd = -1 };
}

/**
 * output_begin - start to write a file
 * @o: the output
 * @path: name of the file; output_end() replaces an existing one
 * @inputs: the command's inputs, which must not be overwritten: files, directories, "-"; NULLs are
 *	ignored
 * @nr: number of @inputs
 *
 * Return: true on success, false after a message; nothing has changed then.
 */
bool output_begin(struct output *o, const char *path, const char *const *inputs, u32 nr)
{
	*o = (struct output){ .fd = -1, .path = resolve(path) };
	if (!o->path)
		return fail(path, strerror(errno));
	if (check_inputs(o->path, inputs, nr)) {
		o->fd = open_output(o);
		if (o->fd >= 0)
			return true;
		fail(path, strerror(errno));
	}
	release(o);
	return false;
}

/* Link an unnamed file, because rename() needs a name. */
static bool name_new(struct output *o)
{
	char self[40];
	u32 try;

	if (o->name)
		return true;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", o->fd);
	for (try = 0; !try || errno == EEXIST; try++) {
		next_name(o, try);
		if (!linkat(AT_FDCWD, self, AT_FDCWD, o->name, AT_SYMLINK_FOLLOW))
			return true;
	}
	free(o->name);
	o->name = NULL;
	return false;
}

/**
 * output_end - replace the file
 * @o: the output
 *
 * Return: true on success, false after a message; the old file is unchanged then.
 */
bool output_end(struct output *o)
{
	bool fine = o->direct || (name_new(o) && !rename(o->name, o->path));

	/* output_drop() would unlink the new file. */
	if (fine && !o->direct) {
		free(o->name);
		o->name = NULL;
	}
	if (!fine)
		fail(o->path, strerror(errno));
	output_drop(o);
	return fine;
}

/**
 * output_drop - discard the output and keep the old file
 * @o: the output
 */
void output_drop(struct output *o)
{
	if (o->name)
		unlink(o->name);
	if (o->fd >= 0)
		close(o->fd);
	release(o);
}
