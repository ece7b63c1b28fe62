// SPDX-License-Identifier: GPL-2.0
/*
 * Sequential access to the input of commands. Compressed files are decompressed on the fly.
 * Only archives and kallsyms, which are accessed at random, go to a temporary file.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/archive.h"
#include "lib/error.h"
#include "lib/parts.h"
#include "lib/source.h"
#include "lib/tar.h"

#define TEXT_MAX	65536	/* max. bytes that source_text() reads */

/**
 * struct source - a file being read
 * @reader: decompresses the bytes
 * @opened: the source owns its file descriptor
 * @cut: message if the archive is truncated within this file, or empty
 */
struct source {
	struct reader reader;
	bool opened;
	char cut[ERROR_MAX];
};

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/* Length of a name without the suffix .zst. */
static size_t plain_len(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && !strcmp(name + len - 4, ".zst") ? len - 4 : len;
}

static void add_name(char ***names, u32 *nr, const char *name)
{
	size_t len = plain_len(name);
	char *copy = memcpy(xreallocarray(NULL, len + 1, 1), name, len);

	copy[len] = '\0';
	*names = xreallocarray(*names, *nr + 1, sizeof(**names));
	(*names)[(*nr)++] = copy;
}

/**
 * source_list - list the files of a trace
 * @path: the trace, or a part of a trace that was mounted by source_mount()
 * @names: set to the names, without .zst, unsorted; the array and each name must be freed
 * @nr: set to the number of names
 * @error: set to a message on failure
 *
 * Return: true on success.
 */
bool source_list(const char *path, char ***names, u32 *nr, char error[ERROR_MAX])
{
	const char *name, *below = "";
	const struct archive *a;
	struct dirent *entry;
	size_t len;
	DIR *d;
	u32 i;

	*names = NULL;
	*nr = 0;
	d = opendir(path);
	if (d) {
		while ((entry = readdir(d)))
			add_name(names, nr, entry->d_name);
		closedir(d);
		return true;
	}
	/* An archive is not a directory, and a directory in an archive does not exist. */
	if (errno != ENOENT && errno != ENOTDIR)
		return set_path_error(error, path, strerror(errno));
	a = archive_of(path, &below);
	if (!a)
		a = archive_open(path, error);
	len = strlen(below);
	for (i = 0; a && i < a->nr; i++) {
		name = a->members[i].name;
		if (!len)
			add_name(names, nr, name);
		else if (!strncmp(name, below, len) && name[len] == '/')
			add_name(names, nr, name + len + 1);
	}
	return a;
}

static bool is_part(const char *name)
{
	size_t len = strspn(name, "0123456789");

	return len && (!name[len] || name[len] == '/');
}

/* Order by number. */
static int compare_parts(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

static void add_below(struct parts *p, const char *name)
{
	char *dir;

	if (asprintf(&dir, "%s/%s", p->name, name) < 0)
		abort();
	parts_add_dir(p, dir);
	free(dir);
}

/* Register a trace in parts, if these are the names in its directory. */
static void add_parts(const char *path, char **names, u32 nr)
{
	struct parts *p;
	u32 i, kept = 0;
	char *name;

	for (i = 0; i < nr; i++) {
		if (!strcmp(names[i], "metadata"))
			return;
		if (!is_part(names[i]))
			continue;
		name = names[i];
		/* An archive lists files, "0/metadata" etc., not directories. */
		name[strspn(name, "0123456789")] = '\0';
		/* Swap: the caller frees all names. */
		names[i] = names[kept];
		names[kept++] = name;
	}
	if (!kept)
		return;
	qsort(names, kept, sizeof(*names), compare_parts);
	p = parts_add(path);
	for (i = 0; i < kept; i++)
		if (!i || strcmp(names[i - 1], names[i]))
			add_below(p, names[i]);
	/* Not a part, but find_file() must search it, too, and first. */
	p->nr = p->nr_dirs;
	add_below(p, "common");
}

/**
 * source_mount - prepare a trace for source_open() and source_list()
 * @path: name of the trace on the command line, or the result of source_join()
 * @error: set to a message on failure
 *
 * Files in the parts of a trace can be opened as if they were in the trace's directory.
 *
 * Return: true on success, or if @path does not exist: opening a file reports that.
 */
bool source_mount(const char *path, char error[ERROR_MAX])
{
	char **names;
	u32 i, nr;

	/* Commands may mount a trace more than once. */
	if (parts_find(path) || (strcmp(path, "-") && access(path, F_OK)))
		return true;
	if (!source_list(path, &names, &nr, error))
		return false;
	add_parts(path, names, nr);
	for (i = 0; i < nr; i++)
		free(names[i]);
	free(names);
	return true;
}

/**
 * source_is_trace - distinguish a trace from a text
 * @path: name on the command line, or the result of source_join()
 *
 * Return: true if it is a directory or a tar archive; false if not, or if it cannot be read.
 */
bool source_is_trace(const char *path)
{
	char error[ERROR_MAX];
	const struct archive *a;

	if (is_dir(path) || parts_find(path)) {
		/*
		 * Errors are ignored here: reading the trace mounts it again, and reports
		 * them.
		 */
		source_mount(path, error);
		return true;
	}
	a = archive_open(path, error);
	return a && a->is_tar && source_mount(path, error);
}

/**
 * source_join - join several traces
 * @paths: names of the traces on the command line, in any order: parts of a recording, or
 *	   recordings of one boot
 * @nr: number of @paths
 *
 * Return: name of the joined trace, for the other functions; NULL if one of @paths is not a
 *	   trace.
 */
const char *source_join(char **paths, u32 nr)
{
	char *name = NULL, *longer;
	struct parts *whole;
	u32 i, j;

	for (i = 0; i < nr; i++) {
		if (!source_is_trace(paths[i])) {
			free(name);
			return NULL;
		}
		if (asprintf(&longer, "%s%s%s", i ? name : "", i ? " " : "", paths[i]) < 0)
			abort();
		free(name);
		name = longer;
	}
	whole = parts_add(name);
	free(name);
	for (i = 0; i < nr; i++)
		for (j = 0; j < source_parts(paths[i]); j++)
			parts_add_dir(whole, source_part(paths[i], j));
	whole->nr = whole->nr_dirs;
	return whole->name;
}

/**
 * source_parts - get the number of parts of a trace
 * @path: the trace, mounted by source_mount()
 *
 * Return: number of parts; 1 if the trace is not split.
 */
u32 source_parts(const char *path)
{
	const struct parts *p = parts_find(path);

	return p ? p->nr : 1;
}

/**
 * source_part - get the name of a part of a trace
 * @path: the trace, mounted by source_mount()
 * @i: index of the part
 *
 * Return: directory of the part, for source_list() and source_open(); @path if the trace is not
 *	   split.
 */
const char *source_part(const char *path, u32 i)
{
	const struct parts *p = parts_find(path);

	return p ? p->dir[i] : path;
}

/* Look up a file in an archive. Sets @cut if the archive is truncated within it. */
static bool find_member(struct range *range, const struct archive *a, const char *name,
			char cut[ERROR_MAX])
{
	const struct archive_member *m;

	for (m = a->members; m < a->members + a->nr; m++) {
		if (strlen(name) != plain_len(m->name) || strncmp(m->name, name, strlen(name)))
			continue;
		*range = m->range;
		if (m->cut)
			snprintf(cut, ERROR_MAX, "the archive ends here: %.400s",
				 *a->damage ? a->damage : "truncated");
		return true;
	}
	return false;
}

/* Open a file in a directory, or its compressed version NAME.zst. */
static bool open_file(const char *path, struct range *range, char error[ERROR_MAX])
{
	char compressed[PATH_MAX + 4];
	struct stat st;

	/* O_NONBLOCK: opening a FIFO would wait for a writer. */
	range->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (range->fd < 0 && errno == ENOENT) {
		snprintf(compressed, sizeof(compressed), "%s.zst", path);
		range->fd = open(compressed, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	if (range->fd < 0 || fstat(range->fd, &st))
		return set_path_error(error, path, strerror(errno));
	/* A FIFO may block forever, and a device has no end. */
	if (!S_ISREG(st.st_mode))
		return set_path_error(error, path, "not a regular file");
	if (reader_is_output(range->fd))
		return set_path_error(error, path, READER_OUTPUT);
	range->size = st.st_size;
	return true;
}

static bool is_there(const char *path)
{
	char compressed[PATH_MAX + 4], cut[ERROR_MAX];
	const struct archive *a;
	struct range range;
	const char *name;

	a = archive_of(path, &name);
	if (a)
		return find_member(&range, a, name, cut);
	snprintf(compressed, sizeof(compressed), "%s.zst", path);
	return !access(path, F_OK) || !access(compressed, F_OK);
}

/*
 * Resolve the name of a file. In a trace in parts, prefer the directory of common files, then the
 * last part that has the file, since it covers the parts before, too.
 */
static const char *find_file(const char *path, char found[PATH_MAX])
{
	const struct parts *p;
	const char *name;
	u32 i;

	p = parts_of(path, &name);
	/* The directory of the parts may have the file itself. */
	if (!p || is_there(path))
		return path;
	/* Backwards: the common directory is last, before it the last part. */
	for (i = p->nr_dirs; i--;) {
		snprintf(found, PATH_MAX, "%s/%s", p->dir[i], name);
		if (is_there(found))
			return found;
	}
	return path;
}

/**
 * source_open - open a file for reading
 * @path: name of the file, prefixed by the trace's
 * @error: set to a message on failure
 *
 * Return: the file, to be closed by source_close(); NULL on failure.
 */
struct source *source_open(const char *path, char error[ERROR_MAX])
{
	char cut[ERROR_MAX] = "", real[PATH_MAX];
	struct range range = { .fd = -1 };
	const struct archive *a;
	struct source *s;
	const char *name;
	bool found;

	path = find_file(path, real);
	a = archive_of(path, &name);
	if (a) {
		found = find_member(&range, a, name, cut) ||
			set_path_error(error, path, *a->damage ? a->damage : strerror(ENOENT));
	} else {
		found = open_file(path, &range, error);
		if (!found && range.fd >= 0)
			close(range.fd);
	}
	if (!found)
		return NULL;
	s = xreallocarray(NULL, 1, sizeof(*s));
	reader_init(&s->reader, &range);
	memcpy(s->cut, cut, sizeof(cut));
	/* All members share the file descriptor of their archive. */
	s->opened = !a;
	return s;
}

/**
 * source_size - get the size of a file
 * @s: the file
 *
 * Return: size in bytes, compressed if the file is.
 */
u64 source_size(const struct source *s)
{
	return s->reader.range.size;
}

/**
 * source_damage - check whether a file is truncated or damaged
 * @s: the file, after a short source_read(); or NULL
 *
 * Return: message; NULL if the file ends properly.
 */
const char *source_damage(const struct source *s)
{
	if (!s)
		return NULL;
	return *s->reader.damage ? s->reader.damage : *s->cut ? s->cut : NULL;
}

/**
 * source_read - read the next bytes of a file
 * @s: the file
 * @to: destination
 * @size: number of bytes
 *
 * Return: number of bytes read, less than @size only at the end of the file; negative on error,
 *	   with errno set.
 */
long long source_read(struct source *s, void *to, size_t size)
{
	return reader_read(&s->reader, to, size);
}

/**
 * source_close - close a file
 * @s: the file, or NULL
 */
void source_close(struct source *s)
{
	if (!s)
		return;
	reader_free(&s->reader);
	if (s->opened)
		close(s->reader.range.fd);
	free(s);
}

/**
 * source_text - read a small text of a trace
 * @dir: the trace
 * @name: name of the file, relative to the trace
 *
 * Return: the first TEXT_MAX bytes, to be freed; NULL if the file cannot be opened.
 */
char *source_text(const char *dir, const char *name)
{
	char path[PATH_MAX], error[ERROR_MAX], *text;
	struct source *file;
	long long len;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = source_open(path, error);
	if (!file)
		return NULL;
	text = xreallocarray(NULL, TEXT_MAX + 1, 1);
	len = source_read(file, text, TEXT_MAX);
	text[len < 0 ? 0 : len] = '\0';
	source_close(file);
	return text;
}

/*
 * Open an uncompressed regular file. Returns -1 for anything else. Bypasses archive_open(), which
 * caches by name: a name like /dev/fd/3 may be another file the next time.
 */
static int open_plain(const char *path)
{
	struct range range = { };
	struct reader r;
	struct stat st;
	bool plain = false;

	/* Do not open a FIFO: closing it would leave its writer without a reader. */
	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return -1;
	range.fd = open(path, O_RDONLY | O_CLOEXEC);
	if (range.fd < 0)
		return -1;
	if (!fstat(range.fd, &st) && S_ISREG(st.st_mode) && !reader_is_output(range.fd)) {
		range.size = st.st_size;
		reader_init(&r, &range);
		plain = !r.packed && !tar_is_archive(&range);
		reader_free(&r);
	}
	if (plain && !lseek(range.fd, 0, SEEK_SET))
		return range.fd;
	close(range.fd);
	return -1;
}

/* Open a text that is not part of a trace. */
static int open_text(const char *path, char error[ERROR_MAX])
{
	int fd = open_plain(path);
	const struct archive *a;

	if (is_dir(path)) {
		set_path_error(error, path, strerror(EISDIR));
		return -1;
	}
	if (fd >= 0)
		return fd;
	a = archive_open(path, error);
	/* A text has no packets to skip: reading a part of it would give wrong results. */
	if (a && *a->damage)
		set_path_error(error, path, a->damage);
	if (!a || *a->damage)
		return -1;
	/* The copy shares its position with those of earlier calls. */
	lseek(a->all.fd, 0, SEEK_SET);
	return fcntl(a->all.fd, F_DUPFD_CLOEXEC, 0);
}

/**
 * source_fd - open a file as a file descriptor
 * @path: name of a text, or of a file prefixed by the trace's name; "-" is standard input
 * @error: set to a message on failure
 *
 * Return: a file descriptor that reads the decompressed bytes; -1 on failure.
 */
int source_fd(const char *path, char error[ERROR_MAX])
{
	char real[PATH_MAX];
	struct source *s;
	const char *name;
	u64 size;
	int fd;

	path = find_file(path, real);
	if (!archive_of(path, &name) && (!strcmp(path, "-") || !access(path, F_OK)))
		return open_text(path, error);
	s = source_open(path, error);
	if (!s)
		return -1;
	/*
	 * A file descriptor cannot decompress, or end with an archive's member: copy the
	 * bytes.
	 */
	fd = reader_spool(&s->reader, path, &size, error);
	if (fd >= 0 && source_damage(s)) {
		set_path_error(error, path, source_damage(s));
		close(fd);
		fd = -1;
	}
	source_close(s);
	return fd;
}
