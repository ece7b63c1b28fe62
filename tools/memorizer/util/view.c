// SPDX-License-Identifier: GPL-2.0
/*
 * A view of a damaged trace that libbabeltrace2 takes. It indexes all packets at first and
 * refuses a trace in which that fails, unless there is an index already, in LTTng's
 * format. So the trace is shown to it in a temporary directory, as symbolic links beside
 * such an index. In that the rest of a file from the damage on is one packet; trying to
 * read that, the library fails, having given all that comes before.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "view.h"

#define INDEX_MAGIC	0xc1f1dcc1u
#define INDEX_ENTRY	72		/* bytes */

/* Numbers of an index are big-endian. */
static void put(FILE *file, u64 value, int size)
{
	while (size--)
		putc(value >> 8 * size & 0xff, file);
}

static void put_entry(FILE *file, const struct packets *p, u64 size)
{
	put(file, p->offset, 8);
	put(file, 8 * size, 8);
	put(file, 8 * size, 8);		/* content_size */
	put(file, p->begin, 8);
	put(file, p->begin > p->end ? p->begin : p->end, 8);
	put(file, p->discarded, 8);
	put(file, 0, 8);		/* stream_id */
	put(file, 0, 8);		/* stream_instance_id */
	put(file, p->seq, 8);
}

static bool write_index(FILE *file, const char *path, const struct metadata *m)
{
	enum packet_next next;
	struct packets p;

	if (!packets_open(&p, path, m))
		return false;
	put(file, INDEX_MAGIC, 4);
	put(file, 1, 4);		/* major */
	put(file, 1, 4);		/* minor */
	put(file, INDEX_ENTRY, 4);
	while ((next = packet_next(&p)) == PACKET_FOUND)
		put_entry(file, &p, p.size);
	if (next == PACKET_DAMAGED)
		put_entry(file, &p, p.file_size - p.offset);
	packets_close(&p);
	return !ferror(file);
}

static void index_path(char path[PATH_MAX], const char *view, const char *stream)
{
	snprintf(path, PATH_MAX, "%s/index%s.idx", view, strrchr(stream, '/'));
}

/* Links to the file @path, which has a slash, from the view. */
static bool add_link(const char *view, const char *path)
{
	char name[PATH_MAX], target[PATH_MAX];

	snprintf(name, sizeof(name), "%s%s", view, strrchr(path, '/'));
	return realpath(path, target) && !symlink(target, name);
}

static void drop_link(const char *view, const char *path)
{
	char name[PATH_MAX];

	snprintf(name, sizeof(name), "%s%s", view, strrchr(path, '/'));
	unlink(name);
}

/**
 * view_make - make an empty view
 *
 * Return: the path of its directory, or NULL, see errno.
 */
char *view_make(void)
{
	const char *tmp = getenv("TMPDIR");
	char path[PATH_MAX], *view;

	if (asprintf(&view, "%s/memorizer-XXXXXX", tmp && *tmp ? tmp : "/tmp") < 0)
		return NULL;
	if (!mkdtemp(view)) {
		free(view);
		return NULL;
	}
	snprintf(path, sizeof(path), "%s/index", view);
	if (!mkdir(path, 0700))
		return view;
	view_remove(view);
	return NULL;
}

/**
 * view_add_metadata - show a trace's metadata
 * @view: the view
 * @dir: the trace
 *
 * Return: whether that worked; if not, see errno.
 */
bool view_add_metadata(const char *view, const char *dir)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/metadata", dir);
	return add_link(view, path);
}

/**
 * view_add_stream - show a stream
 * @view: the view
 * @path: the stream's file, in a directory
 * @m: the trace's metadata
 *
 * Return: whether that worked; if not, see errno.
 */
bool view_add_stream(const char *view, const char *path, const struct metadata *m)
{
	char name[PATH_MAX];
	FILE *file;
	bool good;

	index_path(name, view, path);
	file = fopen(name, "we");
	if (!file)
		return false;
	good = write_index(file, path, m);
	return !fclose(file) && good && add_link(view, path);
}

/**
 * view_drop_stream - no longer show a stream
 * @view: the view
 * @path: the stream's file
 */
void view_drop_stream(const char *view, const char *path)
{
	char name[PATH_MAX];

	index_path(name, view, path);
	unlink(name);
	drop_link(view, path);
}

/**
 * view_remove - remove a view without streams
 * @view: the view; it is freed
 */
void view_remove(char *view)
{
	char path[PATH_MAX];

	drop_link(view, "/metadata");
	snprintf(path, sizeof(path), "%s/index", view);
	rmdir(path);
	rmdir(view);
	free(view);
}
