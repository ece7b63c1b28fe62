/* SPDX-License-Identifier: GPL-2.0 */
/* Reorders the members of a struct to use cache lines better. */
#ifndef PACK_H
#define PACK_H

#include "lib/types.h"

#define PACK_LINE	64		/* size of a cache line in bytes */

/* Classes of members, in the order in which they are placed. */
enum pack_use { PACK_READ, PACK_UNTOUCHED, PACK_WRITTEN };

/**
 * struct packed - a member, or bit-fields that share bytes
 * @name: name of the first one
 * @offset: present offset in bytes
 * @size: size in bytes; 0: a flexible array, which stays last
 * @reads: number of loads
 * @writes: number of stores
 * @moves: cache lines moved, where lines were tracked; for display only
 * @use: class; mostly read means at least ten loads per store
 * @at: new offset
 */
struct packed {
	const char *name;
	u64 offset, size, reads, writes, moves;
	enum pack_use use;
	u64 at;
};

/**
 * struct pack_figures - properties of an order
 * @bytes: size up to the end of the last member
 * @lines: accessed cache lines
 * @mixed: lines with both mostly read and written members
 */
struct pack_figures {
	u64 bytes, lines, mixed;
};

void pack(struct packed *members, u32 nr, struct pack_figures *before,
	  struct pack_figures *after);

#endif
