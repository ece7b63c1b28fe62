/* SPDX-License-Identifier: GPL-2.0 */
/* What was named on the command line and is no directory: a tar archive, or a text. */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include "lib/reader.h"

/**
 * struct archive_member - a file in an archive
 * @name: its name, below the trace
 * @range: where its bytes are
 * @cut: the archive ends within it
 */
struct archive_member {
	char *name;
	struct range range;
	bool cut;
};

/**
 * struct archive - an archive, or a text if it has no members
 * @next: the next one that was opened
 * @path: what it was called
 * @all: all of its bytes, not compressed
 * @damage: why some are missing at the end, or empty
 * @is_tar: whether it is an archive
 * @members: the files in it
 * @nr: how many
 */
struct archive {
	struct archive *next;
	char *path;
	struct range all;
	char damage[ERROR_MAX];
	bool is_tar;
	struct archive_member *members;
	u32 nr;
};

struct archive *archive_open(const char *path, char error[ERROR_MAX]);
const struct archive *archive_of(const char *path, const char **name);

#endif
