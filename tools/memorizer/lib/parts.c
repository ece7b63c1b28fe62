// SPDX-License-Identifier: GPL-2.0
/*
 * Traces that were recorded in parts, by the names that the command line has for them: the
 * directory above the parts, or several parts. They are known until the command ends.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/lines.h"
#include "lib/parts.h"

static struct parts *all;

/**
 * parts_add - add a trace
 * @name: name of the whole
 *
 * Return: the trace, which has no parts yet.
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
 * @dir: name of the directory; the caller counts it if it is a part
 */
void parts_add_dir(struct parts *p, const char *dir)
{
	p->dir = xreallocarray(p->dir, p->nr_dirs + 1, sizeof(*p->dir));
	p->dir[p->nr_dirs++] = xstrdup(dir);
}

/**
 * parts_find - find a trace
 * @name: name of the whole
 *
 * Return: the trace; NULL if none with that name was added.
 */
const struct parts *parts_find(const char *name)
{
	const struct parts *p;

	for (p = all; p && strcmp(p->name, name); p = p->next)
		;
	return p;
}

/**
 * parts_of - find the trace that a file is in
 * @path: the file's name, as if the whole were a directory
 * @name: set to what is behind the trace's name and a slash
 *
 * Return: the trace; NULL if it is in none that was added.
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
