// SPDX-License-Identifier: GPL-2.0
/*
 * What commands read, as bytes in their order. In a trace only what is a regular file is
 * read: a FIFO would let its reader wait for ever, and a device has no end. Compressed files
 * are decompressed while they are read; to a temporary file only what has to be looked things
 * up in, a compressed archive and a copy of kallsyms.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "archive.h"
#include "source.h"
#include "tar.h"

#define TEXT_MAX	65536	/* bytes that source_text() reads */

/**
 * struct source - a file being read
 * @reader: what reads it
 * @opened: whether its file is its own
 * @cut: why the archive ends within it, or empty
 */
struct source {
	struct reader reader;
	bool opened;
	char cut[KMAP_ERROR_MAX];
};

static bool fail(char error[KMAP_ERROR_MAX], const char *path, const char *why)
{
	snprintf(error, KMAP_ERROR_MAX, "%.300s: %.200s", path, why);
	return false;
}

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

/**
 * source_mount - make the files of a trace available
 * @path: the trace, as it is named on the command line
 * @error: set to a message when it cannot be read
 *
 * Return: whether source_open() and source_list() know of its files now, if it is a trace.
 */
bool source_mount(const char *path, char error[KMAP_ERROR_MAX])
{
	return is_dir(path) || (strcmp(path, "-") && access(path, F_OK)) ||
	       archive_open(path, error);
}

/**
 * source_is_trace - tell a trace from a text
 * @path: what is named on the command line
 *
 * Return: whether it is a directory or an archive; not if it cannot be read.
 */
bool source_is_trace(const char *path)
{
	char error[KMAP_ERROR_MAX];
	const struct archive *a;

	if (is_dir(path))
		return true;
	a = archive_open(path, error);
	return a && a->is_tar;
}

/* Length of a name without .zst. */
static size_t plain_len(const char *name)
{
	size_t len = strlen(name);

	return len > 4 && !strcmp(name + len - 4, ".zst") ? len - 4 : len;
}

static void add_name(char ***names, u32 *nr, const char *name)
{
	size_t len = plain_len(name);
	char *copy = memcpy(kmap_array(NULL, len + 1, 1), name, len);

	copy[len] = '\0';
	*names = kmap_array(*names, *nr + 1, sizeof(**names));
	(*names)[(*nr)++] = copy;
}

/**
 * source_list - list the files of a trace
 * @path: the trace, which source_mount() was called for
 * @names: set to their names, without .zst, in no order; to be freed, and each of them
 * @nr: set to how many there are
 * @error: set to a message when that is not possible
 *
 * Return: whether that worked.
 */
bool source_list(const char *path, char ***names, u32 *nr, char error[KMAP_ERROR_MAX])
{
	const struct archive *a;
	struct dirent *entry;
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
	if (errno == ENOENT || errno == ENOTDIR)
		a = archive_open(path, error);
	else
		return fail(error, path, strerror(errno));
	for (i = 0; a && i < a->nr; i++)
		add_name(names, nr, a->members[i].name);
	return a;
}

/* Finds a file in an archive; @cut is set if that ends within it. */
static bool find_member(struct range *range, const struct archive *a, const char *name,
			char cut[KMAP_ERROR_MAX])
{
	const struct archive_member *m;

	for (m = a->members; m < a->members + a->nr; m++) {
		if (strlen(name) != plain_len(m->name) || strncmp(m->name, name, strlen(name)))
			continue;
		*range = m->range;
		if (m->cut)
			snprintf(cut, KMAP_ERROR_MAX, "the archive ends here: %.400s",
				 *a->damage ? a->damage : "it is cut off");
		return true;
	}
	return false;
}

/* Opens a file of a directory, or what has .zst behind its name. */
static bool open_file(const char *path, struct range *range, char error[KMAP_ERROR_MAX])
{
	char compressed[PATH_MAX + 4];
	struct stat st;

	range->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (range->fd < 0 && errno == ENOENT) {
		snprintf(compressed, sizeof(compressed), "%s.zst", path);
		range->fd = open(compressed, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	}
	if (range->fd < 0 || fstat(range->fd, &st))
		return fail(error, path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail(error, path, "not a regular file");
	if (reader_is_output(range->fd))
		return fail(error, path, READER_OUTPUT);
	range->size = st.st_size;
	return true;
}

/**
 * source_open - begin to read a file
 * @path: its name, that of a trace before it
 * @error: set to a message when that is not possible
 *
 * Return: the file, or NULL.
 */
struct source *source_open(const char *path, char error[KMAP_ERROR_MAX])
{
	char cut[KMAP_ERROR_MAX] = "";
	struct range range = { .fd = -1 };
	const struct archive *a;
	struct source *s;
	const char *name;
	bool found;

	a = archive_of(path, &name);
	if (a) {
		found = find_member(&range, a, name, cut) ||
			fail(error, path, *a->damage ? a->damage : strerror(ENOENT));
	} else {
		found = open_file(path, &range, error);
		if (!found && range.fd >= 0)
			close(range.fd);
	}
	if (!found)
		return NULL;
	s = kmap_array(NULL, 1, sizeof(*s));
	reader_init(&s->reader, &range);
	memcpy(s->cut, cut, sizeof(cut));
	s->opened = !a;
	return s;
}

/**
 * source_size - tell how large a file is
 * @s: the file
 *
 * Return: its size in bytes as it is stored; 0 if there is nothing in it.
 */
u64 source_size(const struct source *s)
{
	return s->reader.range.size;
}

/**
 * source_damage - tell why a file ends where it does
 * @s: the file, after source_read() gave less than was asked for; or NULL
 *
 * Return: why there should be more of it, NULL if there should not.
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
 * @to: where to
 * @size: how many bytes
 *
 * Return: how many bytes there were, less than @size only at the end; negative if they
 * cannot be read, see errno.
 */
long long source_read(struct source *s, void *to, size_t size)
{
	return reader_read(&s->reader, to, size);
}

/**
 * source_close - end with a file
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
 * @name: the file's name in it
 *
 * Return: its first TEXT_MAX bytes, to be freed; NULL if it cannot be read.
 */
char *source_text(const char *dir, const char *name)
{
	char path[PATH_MAX], error[KMAP_ERROR_MAX], *text;
	struct source *file;
	long long len;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = source_open(path, error);
	if (!file)
		return NULL;
	text = kmap_array(NULL, TEXT_MAX + 1, 1);
	len = source_read(file, text, TEXT_MAX);
	text[len < 0 ? 0 : len] = '\0';
	source_close(file);
	return text;
}

/*
 * Opens a file whose bytes are the text; -1 if it is something else. It is not kept: the
 * next file of that name may be another, as /dev/fd/3 is.
 */
static int open_plain(const char *path)
{
	struct range range = { .fd = strcmp(path, "-") ? open(path, O_RDONLY | O_CLOEXEC) : -1 };
	struct reader r;
	struct stat st;
	bool plain = false;

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

/* Opens a text that is a file of its own. */
static int open_text(const char *path, char error[KMAP_ERROR_MAX])
{
	int fd = open_plain(path);
	const struct archive *a;

	if (is_dir(path)) {
		fail(error, path, strerror(EISDIR));
		return -1;
	}
	if (fd >= 0)
		return fd;
	a = archive_open(path, error);
	if (a && *a->damage)
		fail(error, path, a->damage);
	if (!a || *a->damage)
		return -1;
	lseek(a->all.fd, 0, SEEK_SET);
	return fcntl(a->all.fd, F_DUPFD_CLOEXEC, 0);
}

/**
 * source_fd - open a file for something that reads file descriptors
 * @path: its name, that of a trace before it, or of a text; "-" is standard input
 * @error: set to a message when that is not possible
 *
 * Return: a file descriptor of what is in it, not compressed; or -1.
 */
int source_fd(const char *path, char error[KMAP_ERROR_MAX])
{
	struct source *s;
	const char *name;
	u64 size;
	int fd;

	if (!archive_of(path, &name) && (!strcmp(path, "-") || !access(path, F_OK)))
		return open_text(path, error);
	s = source_open(path, error);
	if (!s)
		return -1;
	fd = reader_spool(&s->reader, path, &size, error);
	if (fd >= 0 && source_damage(s)) {
		fail(error, path, source_damage(s));
		close(fd);
		fd = -1;
	}
	source_close(s);
	return fd;
}
