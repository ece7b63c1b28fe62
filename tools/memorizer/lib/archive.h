/* SPDX-License-Identifier: GPL-2.0 */
/* Input files that are not directories: a tar archive or a text. */
#ifndef ARCHIVE_H
#define ARCHIVE_H

#include "lib/reader.h"

/**
 * struct archive_member - a file in an archive
 * @name: name relative to the trace
 * @range: location of its bytes
 * @cut: the archive is truncated within this file
 */
struct archive_member {
	char *name;
	struct range range;
	bool cut;
};

/**
 * struct archive - an archive, or a text
 * @next: next in the list of open archives
 * @path: name on the command line
 * @all: the decompressed bytes
 * @damage: why bytes are missing at the end, or empty
 * @is_tar: it is a tar archive
 * @members: files in the archive
 * @nr: number of @members
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
