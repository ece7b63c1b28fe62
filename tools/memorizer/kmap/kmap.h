/* SPDX-License-Identifier: GPL-2.0 */
/* Parser of KMAP text. */
#ifndef KMAP_H
#define KMAP_H

#include <limits.h>

#include "lib/lines.h"

#define KMAP_COMM_MAX	15		/* bytes in a task's comm */
#define KMAP_COMM_TEXT	(4 * KMAP_COMM_MAX)	/* with every byte escaped as \xNN */
#define KMAP_PID_MAX	INT_MAX
#define KMAP_STACK_MAX	16		/* frames of a stack */

/* Values of free_ip that are not addresses. */
#define KMAP_IP_UNKNOWN		0
#define KMAP_IP_OVERWRITTEN	0xdeadbeef	/* closed by an overlapping allocation */

/* Kinds of memory; the kernel's are one less. New ones are appended, as the trace has numbers. */
enum kmap_kind {
	KMAP_UNKNOWN,
	KMAP_SLAB,
	KMAP_PAGES,
	KMAP_VMALLOC,
	KMAP_VMAP,
	KMAP_IOREMAP,
	KMAP_MODULES,
	KMAP_STACK,
	KMAP_STRUCT_PAGE,
	KMAP_STATIC,
	KMAP_PERCPU,
	KMAP_MEMBLOCK,
	KMAP_USER,		/* all user memory */
	KMAP_KINDS
};

/* Kinds of areas, in which other objects may lie. */
#define KMAP_AREAS	(1u << KMAP_PAGES | 1u << KMAP_VMALLOC | 1u << KMAP_VMAP | \
			 1u << KMAP_IOREMAP | 1u << KMAP_MODULES)

/**
 * kmap_kind_is_typed - check whether the notes of call sites have the types of memory
 * @kind: the kind of memory that they allocate
 *
 * Return: false if they have another type: that of the page descriptors, or of the stack's task.
 */
static inline bool kmap_kind_is_typed(enum kmap_kind kind)
{
	return kind != KMAP_PAGES && kind != KMAP_STACK && kind != KMAP_USER;
}

extern const char * const kmap_kinds[KMAP_KINDS];
enum kmap_kind kmap_kind_find(const char *name, size_t len);

/**
 * struct kmap_object - an object line
 * @alloc_ip: return address into the allocator's caller
 * @pid: PID of the allocating task
 * @addr: address of the object
 * @size: requested size in bytes
 * @alloc_jiffies: time of the allocation
 * @free_jiffies: time of the free; 0 if the object is live
 * @free_ip: return address into the caller of free, or a KMAP_IP_* value
 * @comm: comm of the allocating task, escaped as in the text
 * @comm_len: length of @comm, at most KMAP_COMM_TEXT
 * @kind: kind of memory; KMAP_UNKNOWN unless the text is that of kmap_kinds or kmap_stacks
 * @frames: stack of the allocation: return addresses from the innermost caller outward, of which
 *	    the first is @alloc_ip
 * @nr_frames: number of @frames, at most KMAP_STACK_MAX; 0 without a stack
 */
struct kmap_object {
	u64 alloc_ip, pid, addr, size, alloc_jiffies, free_jiffies, free_ip;
	const char *comm;
	size_t comm_len;
	enum kmap_kind kind;
	u32 nr_frames;
	const u64 *frames;
};

/**
 * struct kmap_access - an access line
 * @ip: address of the accessing instruction
 * @pid: PID of the accessing task
 * @writes: number of stores
 * @reads: number of loads
 * @write_moves: number of stores that moved a cache line, if the input is the file traffic or a
 *		 trace; otherwise 0
 * @read_moves: number of loads that moved a cache line, likewise
 * @place: accessed part of the object, see kmap_place(); 0 if unknown
 */
struct kmap_access {
	u64 ip, pid, writes, reads, write_moves, read_moves, place;
};

/**
 * kmap_place - encode a part of an object
 * @offset: offset of the part in bytes
 * @bytes: size of the part in bytes, not 0
 *
 * Return: both in one number.
 */
static inline u64 kmap_place(u32 offset, u32 bytes)
{
	return (u64)offset << 32 | bytes;
}

/* Results of kmap_reader_next(). */
enum kmap_event {
	KMAP_END,		/* end of the input */
	KMAP_FAILED,		/* read(2) failed, see errno */
	KMAP_MALFORMED,		/* malformed line, described by reader.error */
	KMAP_OBJECT,		/* reader.object is set */
	KMAP_ACCESS,		/* reader.access is set, an access to reader.object */
	KMAP_FRAMES,		/* the stack of reader.object, whose comm is no longer valid */
};

/**
 * struct kmap_reader - state of reading a KMAP
 * @lines: input; lines.nr is the number of the current line
 * @object: the last object
 * @access: the last access
 * @frames: memory for the last object's stack
 * @traffic: access lines have the format of the file traffic; set by the first access line
 * @field: start of each field of the current line, after the kind or the @ of a stack;
 *	   field[i + 1] - 1 is the end of field i
 * @malformed: number of malformed lines
 * @orphans: number of lines skipped because their object's line was malformed
 * @error: message for KMAP_MALFORMED
 * @owner: private: object to which the next access line belongs
 * @stack_line: private: number of the line after the last object, which may be its stack
 * @accesses: private: an access line was seen
 */
struct kmap_reader {
	struct lines lines;
	struct kmap_object object;
	struct kmap_access access;
	u64 frames[KMAP_STACK_MAX];
	bool traffic;
	const char *field[KMAP_STACK_MAX + 1];
	u64 malformed, orphans;
	char error[ERROR_MAX];
	enum { KMAP_NOBODY, KMAP_SOUND_OBJECT, KMAP_BAD_OBJECT } owner;
	u64 stack_line;
	bool accesses;
};

void kmap_reader_init(struct kmap_reader *r, int fd);
void kmap_reader_free(struct kmap_reader *r);
enum kmap_event kmap_reader_next(struct kmap_reader *r);

#endif
