// SPDX-License-Identifier: GPL-2.0
/*
 * Input files that are not directories: a tar archive or a text. They stay open until the command
 * exits, since standard input can only be read once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/archive.h"
#include "lib/error.h"
#include "lib/tar.h"

static struct archive *archives;

/* Offset of the last component of a path. */
static size_t base(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 - name : 0;
}

static bool is_metadata(const char *name)
{
	return !strcmp(name, "metadata") || !strcmp(name, "metadata.zst");
}

/*
 * Length of the prefix of a metadata file's name that is the trace's directory. Metadata of a
 * part lies one level deeper, in a directory named by a number or "common".
 */
static size_t trace_len(const char *name)
{
	size_t len = base(name), last = len ? len - 1 : 0;

	while (last && name[last - 1] != '/')
		last--;
	return len - last > 1 && (strspn(name + last, "0123456789") == len - last - 1 ||
				  !strncmp(name + last, "common/", len - last)) ? last : len;
}

/* Keep only the files in the trace's directory, and make their names relative to it. */
static bool choose_trace(struct archive *a, char error[ERROR_MAX])
{
	u32 i, traces = 0, nr = 0;
	const char *name;
	char *dir = NULL;
	size_t len = 0;

	for (i = 0; i < a->nr; i++) {
		name = a->members[i].name;
		if (!is_metadata(name + base(name)))
			continue;
		/*
		 * The parts of one trace each have metadata. Any other is that of a
		 * second trace.
		 */
		traces += !dir || trace_len(name) != len || strncmp(name, dir, len) ||
			  base(name) == len;
		len = trace_len(name);
		dir = a->members[i].name;
	}
	if (traces != 1)
		return set_path_error(error, a->path,
				      traces ? "the archive has several traces: unpack it" :
				      "the archive has no trace: expected metadata, cpu0, ...");
	/* Copy it: the name that it points to changes below. */
	dir = memcpy(xreallocarray(NULL, len + 1, 1), dir, len);
	for (i = 0; i < a->nr; i++) {
		if (strncmp(a->members[i].name, dir, len)) {
			free(a->members[i].name);
			continue;
		}
		memmove(a->members[i].name, a->members[i].name + len,
			strlen(a->members[i].name + len) + 1);
		a->members[nr++] = a->members[i];
	}
	a->nr = nr;
	free(dir);
	return true;
}

static void add_member(struct archive *a, const struct tar *t)
{
	/* The archive may be cut within its last member: offer the bytes that are there. */
	u64 left = t->offset < a->all.size ? a->all.size - t->offset : 0;
	struct archive_member *m;

	a->members = xreallocarray(a->members, a->nr + 1, sizeof(*a->members));
	m = a->members + a->nr++;
	m->name = xstrdup(t->name);
	m->cut = t->size > left;
	m->range = (struct range){
		.fd = a->all.fd, .offset = t->offset, .size = m->cut ? left : t->size
	};
}

/* List the files of an archive. If it is damaged, list those before the damage. */
static bool find_members(struct archive *a, char error[ERROR_MAX])
{
	struct tar *t = xreallocarray(NULL, 1, sizeof(*t));
	enum tar_next next;

	*t = (struct tar){ .range = a->all };
	while ((next = tar_next(t)) == TAR_MEMBER)
		if (t->regular)
			add_member(a, t);
	/* Damage of the compressed data is the cause: keep that message. */
	if (next == TAR_DAMAGED && !*a->damage)
		snprintf(a->damage, sizeof(a->damage), "%s", t->error);
	free(t);
	return choose_trace(a, error);
}

/* Decompress the archive to a temporary file: its members are accessed at random. */
static bool decompress(struct archive *a, char error[ERROR_MAX])
{
	struct reader r;
	u64 size;
	int fd;

	reader_init(&r, &a->all);
	if (!r.packed)
		return true;
	fd = reader_spool(&r, a->path, &size, error);
	memcpy(a->damage, r.damage, sizeof(a->damage));
	reader_free(&r);
	close(a->all.fd);
	a->all = (struct range){ .fd = fd, .size = size };
	return fd >= 0;
}

/* Open the file. Copy it to a temporary file if it is a pipe. */
static bool open_bytes(struct archive *a, char error[ERROR_MAX])
{
	int copy, fd = strcmp(a->path, "-") ? open(a->path, O_RDONLY | O_CLOEXEC) :
					      fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0);
	struct stat st;

	if (fd < 0 || fstat(fd, &st)) {
		set_path_error(error, a->path, strerror(errno));
	} else if (reader_is_output(fd)) {
		set_path_error(error, a->path, READER_OUTPUT);
	} else if (S_ISREG(st.st_mode)) {
		a->all = (struct range){ .fd = fd, .size = st.st_size };
		return true;
	} else if (S_ISBLK(st.st_mode)) {
		set_path_error(error, a->path, "is a block device");
	} else {
		/*
		 * A pipe cannot be read twice: detection of the format would consume its
		 * beginning.
		 */
		copy = reader_spool_fd(fd, a->path, &a->all.size, error);
		close(fd);
		a->all.fd = copy;
		return copy >= 0;
	}
	if (fd >= 0)
		close(fd);
	return false;
}

/**
 * archive_open - open an archive or a text
 * @path: name on the command line; "-" is standard input
 * @error: set to a message on failure
 *
 * Opening the same name again returns the same archive.
 *
 * Return: the archive, valid until the command exits; NULL on failure.
 */
struct archive *archive_open(const char *path, char error[ERROR_MAX])
{
	struct archive *a;
	u32 i;

	/* Standard input can only be read once. */
	for (a = archives; a; a = a->next)
		if (!strcmp(a->path, path))
			return a;
	a = xreallocarray(NULL, 1, sizeof(*a));
	*a = (struct archive){ .path = xstrdup(path), .all.fd = -1 };
	if (open_bytes(a, error) && decompress(a, error)) {
		a->is_tar = tar_is_archive(&a->all);
		if (!a->is_tar || find_members(a, error)) {
			a->next = archives;
			archives = a;
			return a;
		}
	}
	for (i = 0; i < a->nr; i++)
		free(a->members[i].name);
	free(a->members);
	if (a->all.fd >= 0)
		close(a->all.fd);
	free(a->path);
	free(a);
	return NULL;
}

/**
 * archive_of - look up the archive that contains a file
 * @path: name of the file, as if the archive were a directory
 * @name: set to the name relative to the archive
 *
 * Return: the archive; NULL if @path is not in an open archive.
 */
const struct archive *archive_of(const char *path, const char **name)
{
	const struct archive *a;
	size_t len;

	for (a = archives; a; a = a->next) {
		len = strlen(a->path);
		if (a->is_tar && !strncmp(path, a->path, len) && path[len] == '/') {
			*name = path + len + 1;
			return a;
		}
	}
	return NULL;
}
