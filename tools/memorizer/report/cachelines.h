/* SPDX-License-Identifier: GPL-2.0 */
/* Which accesses move a cache line, and the access of another CPU that is the cause. */
#ifndef CACHELINES_H
#define CACHELINES_H

#include "lib/hash.h"

/**
 * struct toucher - an access, or the part of one that lies in a line
 * @ip: the instruction
 * @object: number of what it was to, the caller's
 * @data: the caller's
 * @size: of the object in bytes, the caller's
 * @order: private: when
 * @cpu: who made it
 * @first: its first byte in the line, which has at most 2^15
 * @last: its last byte
 * @reads: whether it loads
 * @writes: whether it stores
 */
struct toucher {
	u64 ip, object, order;
	u32 data, size, cpu;
	u32 first : 15, reads : 1, last : 15, writes : 1;
};

/**
 * struct moved - what came of an access
 * @moves: whether it moved the line
 * @hitm: whether it loaded from a line that another CPU had changed, and nobody read since
 * @from: CPU that stored to the line last; -1: none was seen to
 * @by_other: whether another CPU's access made the line move, which is @before then
 * @same: whether both are to the same bytes, at least some of them
 * @before: the last access by another CPU since this CPU's last one that conflicts with it,
 *	    to the same bytes if there is one
 */
struct moved {
	bool moves, hitm, by_other, same;
	int from;
	struct toucher before;
};

/**
 * struct cacheline - a line; what is 0 was not touched
 * @taken: private: when it was stored to so that it moved: 0: all hold it
 * @changed: private: whether it was stored to then and nobody has moved it to read it since
 * @nr_visits: private: number of @visits
 * @nr_touchers: private: number of @touchers
 * @writer: private: the CPU that stored to it last, plus one
 * @visits: private: when each CPU touched it last
 * @touchers: private: the last touch of each range of bytes
 */
struct cacheline {
	u64 taken;
	bool changed;
	u32 nr_visits, nr_touchers;
	int writer;
	struct visit *visits;
	struct toucher *touchers;
};

void cacheline_free(struct cacheline *line);
void cacheline_forget(struct cacheline *line);
void cacheline_touch(struct cacheline *line, bool alone, u64 order, const struct toucher *t,
		     bool told, struct moved *moved);

/**
 * struct cachelines - the lines
 * @alone: whether there is but one CPU, which holds all lines from the beginning
 * @lines: private: by number
 * @order: private: of the last access
 */
struct cachelines {
	bool alone;
	struct hash lines;
	u64 order;
};

void cachelines_init(struct cachelines *c, bool alone);
void cachelines_free(struct cachelines *c);
void cachelines_touch(struct cachelines *c, u64 line, const struct toucher *toucher,
		      struct moved *moved);
void cachelines_move(struct cachelines *c, u64 line, const struct toucher *toucher,
		     struct moved *moved);
void cachelines_prefetch(const struct cachelines *c, u64 line);

#endif
