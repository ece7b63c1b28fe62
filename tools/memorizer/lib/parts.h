/* SPDX-License-Identifier: GPL-2.0 */
/* Traces that were recorded in parts, by the names that the command line has for them. */
#ifndef PARTS_H
#define PARTS_H

#include "lib/types.h"

/**
 * struct parts - a trace in parts
 * @next: the next one that is known
 * @name: name of the whole
 * @dir: names of the parts, in order, and then of the directory with what they have in common
 * @nr: how many parts
 * @nr_dirs: how many names
 */
struct parts {
	struct parts *next;
	char *name;
	char **dir;
	u32 nr, nr_dirs;
};

struct parts *parts_add(const char *name);
void parts_add_dir(struct parts *p, const char *dir);
const struct parts *parts_find(const char *name);
const struct parts *parts_of(const char *path, const char **name);

#endif
