/* SPDX-License-Identifier: GPL-2.0 */
/* What libmemorizer offers: lines of bounded length, KMAP text, kernel symbols. */
#ifndef KMAP_H
#define KMAP_H

#include <limits.h>

#include "types.h"

#define KMAP_LINE_MAX	1024		/* longest line taken, without its newline */
#define KMAP_COMM_MAX	15		/* bytes in a task's comm */
#define KMAP_COMM_TEXT	(4 * KMAP_COMM_MAX)	/* the same, every byte as \xNN */
#define KMAP_PID_MAX	INT_MAX
#define KMAP_ERROR_MAX	512

/* Values of free_ip that are no address. */
#define KMAP_IP_UNKNOWN		0
#define KMAP_IP_OVERWRITTEN	0xdeadbeef	/* closed by an allocation over it */

void *kmap_array(void *array, size_t nr, size_t size);

/* What kmap_lines_next() found. */
enum kmap_line {
	KMAP_LINE_END,		/* no more lines */
	KMAP_LINE_FAILED,	/* read(2) failed, see errno */
	KMAP_LINE_LONG,		/* more than KMAP_LINE_MAX bytes, skipped */
	KMAP_LINE_CUT,		/* the input ended before a newline came */
	KMAP_LINE_WHOLE,	/* line[len] is the newline */
};

/**
 * struct kmap_lines - the lines of a file descriptor
 * @nr: number of the line last returned, from 1
 * @line: the line last returned; any bytes, valid until the next call
 * @len: its length without the newline
 * @fd: private: where they come from
 * @read: private: how many bytes were read so far
 * @buf: private: bytes that were read
 * @start: private: where in @buf the next line begins
 * @end: private: how much of @buf is filled
 */
struct kmap_lines {
	u64 nr;
	const char *line;
	size_t len;
	int fd;
	u64 read;
	char *buf;
	size_t start, end;
};

void kmap_lines_init(struct kmap_lines *in, int fd);
void kmap_lines_free(struct kmap_lines *in);
enum kmap_line kmap_lines_next(struct kmap_lines *in);

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
	struct kmap_lines lines;
	struct kmap_object object;
	struct kmap_access access;
	bool traffic;
	const char *field[9];
	u64 malformed, orphans;
	char error[KMAP_ERROR_MAX];
	enum { KMAP_NOBODY, KMAP_SOUND_OBJECT, KMAP_BAD_OBJECT } owner;
	bool accesses;
};

void kmap_reader_init(struct kmap_reader *r, int fd);
void kmap_reader_free(struct kmap_reader *r);
enum kmap_event kmap_reader_next(struct kmap_reader *r);

/* What an instruction address is: the instruction meant, or the one after it. */
enum kmap_ip {
	KMAP_IP_EXACT,		/* access_ip */
	KMAP_IP_RETURN,		/* alloc_ip, free_ip */
};

#define KMAP_SYMBOL_MAX	1024	/* room for anything kmap_symbols_format() writes */

/**
 * struct kmap_symbol - a function, or data
 * @start: address of its first byte in the traced kernel
 * @size: its length in bytes
 * @name: its name, see kmap_symbols_string()
 * @module: name of its module, the empty string for the kernel itself
 * @file: name of its source file without directory, empty if it is global or that is not known
 * @rank: private: which of several names of one address is taken
 */
struct kmap_symbol {
	u64 start, size;
	u32 name, module, file;
	u32 rank;
};

struct kmap_symbols;
struct trace_event;
struct note;
struct notes;

struct kmap_symbols *kmap_symbols_load(const char *vmlinux, const char *kallsyms,
				       bool lines, char error[KMAP_ERROR_MAX]);
struct kmap_symbols *kmap_symbols_load_data(const char *kallsyms, char error[KMAP_ERROR_MAX]);
bool kmap_symbols_files(struct kmap_symbols *s, const char *modules, const char *running,
			bool inlines, char error[KMAP_ERROR_MAX]);
void kmap_symbols_follow(struct kmap_symbols *s, const char *dir);
void kmap_symbols_event(struct kmap_symbols *s, struct trace_event *e);
bool kmap_symbols_is_there(struct kmap_symbols *s, const char *module);
void kmap_symbols_rewind(struct kmap_symbols *s);
u64 kmap_symbols_address(const struct kmap_symbols *s, u64 ip);
void kmap_symbols_free(struct kmap_symbols *s);
const struct kmap_symbol *kmap_symbols_find(const struct kmap_symbols *s, u64 ip,
					    enum kmap_ip kind);
bool kmap_symbols_have(const struct kmap_symbols *s, const char *pattern);
bool kmap_symbols_notes(struct kmap_symbols *s, const char *vmlinux, char error[KMAP_ERROR_MAX]);
const struct notes *kmap_symbols_noted(const struct kmap_symbols *s);
const struct note *kmap_symbols_note(const struct kmap_symbols *s, u64 ip, enum kmap_ip kind);
const char *kmap_symbols_string(const struct kmap_symbols *s, u32 string);
void kmap_symbols_function(const struct kmap_symbols *s, u64 ip, enum kmap_ip kind,
			   char text[KMAP_SYMBOL_MAX]);
size_t kmap_symbols_format(const struct kmap_symbols *s, u64 ip, enum kmap_ip kind,
			   char text[KMAP_SYMBOL_MAX]);

#endif
