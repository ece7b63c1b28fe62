/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tracks which accesses move a cache line, and the access of another CPU that caused the move.
 */
#ifndef CACHELINES_H
#define CACHELINES_H

#include "lib/hash.h"

/**
 * struct toucher - an access, or the part of it in one line
 * @ip: the instruction
 * @object: the caller's number of the object
 * @data: the caller's data
 * @size: size of the object in bytes, for the caller
 * @order: private: number of the access
 * @cpu: the CPU
 * @first: offset of the first byte in the line, which has at most 2^15 bytes
 * @last: offset of the last byte in the line
 * @reads: the access loads
 * @writes: the access stores
 */
struct toucher {
	u64 ip, object, order;
	u32 data, size, cpu;
	u32 first : 15, reads : 1, last : 15, writes : 1;
};

/**
 * struct moved - the effect of an access
 * @moves: it moved the line
 * @hitm: it loaded a line that another CPU had modified and nobody had read since
 * @from: CPU of the last store to the line; -1: unknown
 * @by_other: the move was caused by the access @before of another CPU
 * @same: both accesses overlap
 * @before: the last conflicting access by another CPU since this CPU's last access, preferably
 *	an overlapping one
 */
struct moved {
	bool moves, hitm, by_other, same;
	int from;
	struct toucher before;
};

/**
 * struct cacheline - a line; zeroed: not accessed yet
 * @taken: private: number of the last store that moved the line; 0: all CPUs hold it
 * @changed: private: modified by that store, and not moved by a load since
 * @nr_visits: private: number of @visits
 * @nr_touchers: private: number of @touchers
 * @writer: private: CPU of the last store, plus one
 * @visits: private: the last access of each CPU
 * @touchers: private: the last accesses to each range of bytes
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
 * struct cachelines - all lines
 * @alone: there is only one CPU, which holds all lines from the start
 * @lines: private: lines by number
 * @order: private: number of the last access
 */
struct cachelines {
	bool alone;
	struct hash lines;
	u64 order;
};

void cachelines_init(struct cachelines *c, bool alone);
void cachelines_free(struct cachelines *c);
u32 cachelines_get(struct cachelines *c, u64 number);
void cachelines_touch(struct cachelines *c, u32 nr, const struct toucher *toucher, bool told,
		      struct moved *moved);
void cachelines_prefetch(const struct cachelines *c, u64 number);

#endif
