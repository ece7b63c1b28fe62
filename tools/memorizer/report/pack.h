/* SPDX-License-Identifier: GPL-2.0 */
/* In which order the members of a struct would share cache lines better. */
#ifndef PACK_H
#define PACK_H

#include "lib/types.h"

#define PACK_LINE	64		/* bytes of a cache line */

/* What is done with a member; members are ordered by it. */
enum pack_use { PACK_READ, PACK_UNTOUCHED, PACK_WRITTEN };

/**
 * struct packed - a member, or several that have bits of the same bytes
 * @name: the name of the first
 * @offset: where it is, in bytes
 * @size: its size in bytes; 0: a flexible array, which stays last
 * @reads: how often it is read
 * @writes: how often it is written
 * @moves: how often that moved a cache line, where lines were tracked; is not looked at
 * @use: what is done with it: mostly read is what is read ten times as often as written
 * @at: where it would be
 */
struct packed {
	const char *name;
	u64 offset, size, reads, writes, moves;
	enum pack_use use;
	u64 at;
};

/**
 * struct pack_figures - what an order amounts to
 * @bytes: bytes up to the end of the last member
 * @lines: cache lines of which something is accessed
 * @mixed: those that have something mostly read and something written
 */
struct pack_figures {
	u64 bytes, lines, mixed;
};

void pack(struct packed *members, u32 nr, struct pack_figures *before,
	  struct pack_figures *after);

#endif
