/* SPDX-License-Identifier: GPL-2.0 */
/* Reader of tar archives. */
#ifndef TAR_H
#define TAR_H

#include <limits.h>

#include "lib/reader.h"

#define TAR_BLOCK	512

/* Results of tar_next(). */
enum tar_next {
	TAR_MEMBER,
	TAR_END,
	TAR_DAMAGED,		/* see @error of struct tar */
};

/**
 * struct tar - an archive
 * @range: location of the archive
 * @next: private: offset of the next header in bytes
 * @name: name of the current member
 * @regular: the current member is a regular file
 * @offset: offset of the current member's bytes in the archive
 * @size: size of the current member in bytes
 * @error: message for TAR_DAMAGED
 */
struct tar {
	struct range range;
	u64 next;
	char name[PATH_MAX];
	bool regular;
	u64 offset, size;
	char error[ERROR_MAX];
};

bool tar_is_archive(const struct range *range);
enum tar_next tar_next(struct tar *t);

#endif
