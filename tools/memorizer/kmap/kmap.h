/* SPDX-License-Identifier: GPL-2.0 */
/* The objects and accesses of a KMAP, read from its text. */
#ifndef KMAP_H
#define KMAP_H

#include <limits.h>

#include "lib/lines.h"

#define KMAP_COMM_MAX	15		/* bytes in a task's comm */
#define KMAP_COMM_TEXT	(4 * KMAP_COMM_MAX)	/* the same, every byte as \xNN */
#define KMAP_PID_MAX	INT_MAX

/* Values of free_ip that are no address. */
#define KMAP_IP_UNKNOWN		0
#define KMAP_IP_OVERWRITTEN	0xdeadbeef	/* closed by an allocation over it */

/**
 * struct kmap_object - an object line
 * @alloc_ip: return address into the allocator's caller
 * @pid: task that allocated it
 * @addr: address of the object
 * @size: bytes requested
 * @alloc_jiffies: when it was allocated
 * @free_jiffies: when it was freed, 0 while it lives
 * @free_ip: return address into the caller of free, or a KMAP_IP_ value
 * @comm: comm of the task that allocated it, escaped as in the text
 * @comm_len: length of @comm, at most KMAP_COMM_TEXT
 */
struct kmap_object {
	u64 alloc_ip, pid, addr, size, alloc_jiffies, free_jiffies, free_ip;
	const char *comm;
	size_t comm_len;
};

/**
 * struct kmap_access - an access line
 * @ip: address of the instruction that made the accesses
 * @pid: task that made them
 * @writes: how many stores
 * @reads: how many loads
 * @write_moves: how many stores moved a cache line, of the file traffic or a trace; or 0
 * @read_moves: how many loads did
 * @place: which part of the object they are to, see kmap_place(); 0: not known
 */
struct kmap_access {
	u64 ip, pid, writes, reads, write_moves, read_moves, place;
};

/**
 * kmap_place - tell a part of an object
 * @offset: where it begins, in bytes
 * @bytes: its size, not 0
 *
 * Return: both in one number.
 */
static inline u64 kmap_place(u32 offset, u32 bytes)
{
	return (u64)offset << 32 | bytes;
}

/* What kmap_reader_next() found. */
enum kmap_event {
	KMAP_END,		/* the input is over */
	KMAP_FAILED,		/* it cannot be read, see errno */
	KMAP_MALFORMED,		/* reader.error tells what is wrong with the line */
	KMAP_OBJECT,		/* reader.object */
	KMAP_ACCESS,		/* reader.access, an access to the last object */
};

/**
 * struct kmap_reader - a KMAP being read
 * @lines: where it comes from; lines.nr is the number of the current line
 * @object: the last object
 * @access: the last access
 * @traffic: whether access lines are as in the file traffic; set by the first
 * @field: start of each field of the current line; field[i + 1] - 1 is the end
 *	   of field i
 * @malformed: lines that were malformed
 * @orphans: access lines left out because their object's line was malformed
 * @error: message for KMAP_MALFORMED
 * @owner: private: whose accesses an access line would be
 * @accesses: private: whether there was an access line
 */
struct kmap_reader {
	struct lines lines;
	struct kmap_object object;
	struct kmap_access access;
	bool traffic;
	const char *field[9];
	u64 malformed, orphans;
	char error[ERROR_MAX];
	enum { KMAP_NOBODY, KMAP_SOUND_OBJECT, KMAP_BAD_OBJECT } owner;
	bool accesses;
};

void kmap_reader_init(struct kmap_reader *r, int fd);
void kmap_reader_free(struct kmap_reader *r);
enum kmap_event kmap_reader_next(struct kmap_reader *r);

#endif
