/* SPDX-License-Identifier: GPL-2.0 */
/* Which memory several parties access within a window of time, one of which writes it. */
#ifndef CLASHES_H
#define CLASHES_H

#include "lib/hash.h"

/* How memory is accessed, in bits. */
enum { CLASH_READS = 1, CLASH_WRITES = 2 };

/**
 * struct clash_access - an access; no two of a window are equal
 * @ptr: its first byte
 * @ip: the instruction
 * @what: what memory it is; the caller's
 * @offset: of @ptr in that
 * @size: in bytes
 * @party: whose it is, see clashes_party()
 * @how: whether it reads and writes
 * @name: what it is called; the caller's
 */
struct clash_access {
	u64 ptr, ip, what, offset;
	u32 size, party, how, name;
};

/**
 * struct clash - two scopes clash
 * @phase: in which phases
 * @first: one scope
 * @second: the other; their numbers are the caller's
 * @what: what memory it is
 * @offset: of the first byte
 * @bytes: how many
 * @only_line: no byte is both written by one and accessed by the other, but the line is
 * @windows: in how many windows
 * @last: private: the last of them
 */
struct clash {
	u64 phase, first, second, what, offset;
	u32 bytes, only_line;
	u64 windows, last;
};

/**
 * struct clash_user - code that has a part in a clash
 * @clash: number of the clash
 * @ip: the instruction
 * @what: what memory it accesses
 * @offset: where in that
 * @size: bytes
 * @how: as in struct clash_access
 * @second: whether it is the second scope's
 * @name: as in struct clash_access
 */
struct clash_user {
	u64 clash, ip, what, offset;
	u32 size, how, second, name;
};

/**
 * struct clash_phase - sums over all windows of a phase
 * @phase: which
 * @windows: how many there are
 * @conflicts: in how many of them the same bytes clash
 * @lines: in how many of them only a line does
 * @nr_conflicts: different conflicts
 * @nr_lines: different lines that are shared for nothing
 */
struct clash_phase {
	u64 phase, windows, conflicts, lines, nr_conflicts, nr_lines;
};

/**
 * struct clashes - what clashes
 * @clashes: struct clash
 * @users: struct clash_user
 * @phases: struct clash_phase, in the order they came
 * @line: private: bytes of a line
 * @windows: private: how many there were
 * @parties: private: struct party
 * @accesses: private: struct clash_access, of the window
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
