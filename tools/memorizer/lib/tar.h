/* SPDX-License-Identifier: GPL-2.0 */
/* The members of a tar archive. */
#ifndef TAR_H
#define TAR_H

#include <limits.h>

#include "lib/reader.h"

#define TAR_BLOCK	512

/* What tar_next() found. */
enum tar_next {
	TAR_MEMBER,
	TAR_END,
	TAR_DAMAGED,		/* see the error */
};

/**
 * struct tar - an archive
 * @range: where it is
 * @next: private: where the next header is, in bytes
 * @name: name of the current member
 * @regular: whether it is a regular file
 * @offset: where its bytes are in the archive
 * @size: how many there are
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
