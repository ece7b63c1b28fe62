/* SPDX-License-Identifier: GPL-2.0 */
/* Finds memory that several parties access in a time window and at least one of them writes. */
#ifndef CLASHES_H
#define CLASHES_H

#include "lib/hash.h"

/* How memory is accessed, as bits. */
enum { CLASH_READS = 1, CLASH_WRITES = 2 };

/**
 * struct clash_access - an access; those of a window are distinct
 * @ptr: address of the first byte
 * @ip: the instruction
 * @what: the caller's number of the memory
 * @offset: offset of @ptr in that memory
 * @size: in bytes
 * @party: who accesses, see clashes_party()
 * @how: mask of CLASH_READS and CLASH_WRITES
 * @name: the caller's number of the name
 */
struct clash_access {
	u64 ptr, ip, what, offset;
	u32 size, party, how, name;
};

/**
 * struct clash - a clash of two scopes
 * @phase: the phase of the windows
 * @first: the caller's number of one scope
 * @second: the caller's number of the other scope
 * @what: the caller's number of the memory
 * @offset: offset of the first byte
 * @bytes: number of bytes
 * @only_line: false sharing: the line clashes, but no byte
 * @windows: number of windows with this clash
 * @last: private: the last of them
 */
struct clash {
	u64 phase, first, second, what, offset;
	u32 bytes, only_line;
	u64 windows, last;
};

/**
 * struct clash_user - code that takes part in a clash
 * @clash: number of the clash
 * @ip: the instruction
 * @what: the memory, as in struct clash_access
 * @offset: offset in the memory
 * @size: bytes
 * @how: as in struct clash_access
 * @second: it belongs to the second scope
 * @name: as in struct clash_access
 */
struct clash_user {
	u64 clash, ip, what, offset;
	u32 size, how, second, name;
};

/**
 * struct clash_phase - sums over the windows of a phase
 * @phase: the phase
 * @windows: number of windows
 * @conflicts: windows in which bytes clash
 * @lines: windows in which only lines clash
 * @nr_conflicts: number of distinct conflicts
 * @nr_lines: number of distinct lines with false sharing
 */
struct clash_phase {
	u64 phase, windows, conflicts, lines, nr_conflicts, nr_lines;
};

/**
 * struct clashes - all clashes
 * @clashes: struct clash
 * @users: struct clash_user
 * @phases: struct clash_phase, in order of appearance
 * @line: private: size of a cache line in bytes
 * @windows: private: number of windows so far
 * @parties: private: struct party
 * @accesses: private: struct clash_access of the current window
 */
struct clashes {
	struct hash clashes, users, phases;
	u32 line;
	u64 windows;
	struct hash parties, accesses;
};

void clashes_init(struct clashes *c, u32 line);
void clashes_free(struct clashes *c);
u32 clashes_party(struct clashes *c, u64 scope, u32 pid, u32 cpu);
void clashes_access(struct clashes *c, const struct clash_access *access);
void clashes_window(struct clashes *c, u64 phase);

#endif
