// SPDX-License-Identifier: GPL-2.0
/*
 * Registry of traces in parts, by their names on the command line: the parent directory of the
 * parts, or a list of traces. Entries are kept until the command exits.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/lines.h"
#include "lib/parts.h"

static struct parts *all;

/**
 * parts_add - register a trace
 * @name: name of the whole trace; copied
 *
 * Return: the trace, without parts.
 */
struct parts *parts_add(const char *name)
{
	struct parts *p = xreallocarray(NULL, 1, sizeof(*p));

	*p = (struct parts){ .next = all, .name = xstrdup(name) };
	all = p;
	return p;
}

/**
 * parts_add_dir - add a directory to a trace
 * @p: the trace
 * @dir: name of the directory; copied. The caller sets @p->nr.
 */
void parts_add_dir(struct parts *p, const char *dir)
{
	p->dir = xreallocarray(p->dir, p->nr_dirs + 1, sizeof(*p->dir));
	p->dir[p->nr_dirs++] = xstrdup(dir);
}

/**
 * parts_find - look up a trace by name
 * @name: name of the whole trace
 *
 * Return: the trace; NULL if it is not registered.
 */
const struct parts *parts_find(const char *name)
{
	const struct parts *p;

	for (p = all; p && strcmp(p->name, name); p = p->next)
		;
	return p;
}

/**
 * parts_of - look up the trace that contains a file
 * @path: name of the file, as if the whole trace were a directory
 * @name: set to the name relative to the trace
 *
 * Return: the trace; NULL if @path is in none.
 */
const struct parts *parts_of(const char *path, const char **name)
{
	const struct parts *p;
	size_t len;

	for (p = all; p; p = p->next) {
		len = strlen(p->name);
		if (!strncmp(path, p->name, len) && path[len] == '/') {
			*name = path + len + 1;
			return p;
		}
	}
	return NULL;
}
