/* SPDX-License-Identifier: GPL-2.0 */
/* Registry of traces in parts, by their names on the command line. */
#ifndef PARTS_H
#define PARTS_H

#include "lib/types.h"

/**
 * struct parts - a trace in parts
 * @next: next in the list of all traces in parts
 * @name: name of the whole trace
 * @dir: directories of the parts, in order, followed by the directory of common files
 * @nr: number of parts
 * @nr_dirs: number of @dir
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
