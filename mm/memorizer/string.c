// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's hook for string functions: which bytes they read and write.
 *
 * The number of bytes that a string function accesses depends on the strings, and callers rely on
 * that: strncmp() with a bound past the object's end, strchr() in a loop. So the hook walks the
 * strings first, byte by byte, and never reads a byte that the function would not read. Functions
 * that access words may read a few more bytes, which are not counted.
 */
#include <linux/ctype.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/memorizer-string.h>
#include <linux/minmax.h>

#include <asm/memorizer.h>

#include "access.h"
#include "memorizer.h"

/* The operands of a call, and how many bytes of each it accesses. */
struct walk {
	const char *operand[2];
	unsigned long reads[2];
	unsigned long writes;	/* to the first operand */
	unsigned long offset;	/* of the first written byte from the first operand */
	unsigned int pointer;	/* kind of the access to the pointer to the first operand */
	bool fault;
};

enum { A, B };

/* Byte @i of operand @k, or -1 if that or an earlier byte cannot be read. */
static __always_inline int byte_at(struct walk *walk, unsigned int k, unsigned long i)
{
	u8 byte;

	/* The function itself will fault there. */
	if (walk->fault || !memorizer_load_byte(walk->operand[k] + i, &byte)) {
		walk->fault = true;
		return -1;
	}
	/* span() and search() read some bytes again. */
	walk->reads[k] = max(walk->reads[k], i + 1);
	return byte;
}

/* The length of the string, at most @bound. */
static __kprobes unsigned long length(struct walk *walk, unsigned int k, unsigned long bound)
{
	unsigned long n = 0;

	while (n < bound && byte_at(walk, k, n) > 0)
		n++;
	return n;
}

/* Read a up to the first @c (with @inverted: the first other byte) or, with @nul, a NUL. */
static __kprobes void find(struct walk *walk, unsigned long bound, u8 c, bool inverted, bool nul)
{
	unsigned long n;
	bool found;
	int byte;

	for (n = 0; n < bound; n++) {
		byte = byte_at(walk, A, n);
		/* Bytes from 0 to 255 only: -1 equals no character, and ends the walk below. */
		found = byte == c;
		if (byte < 0 || found != inverted || (nul && !byte))
			break;
	}
}

/* Read both up to the first difference or a NUL. */
static __kprobes void compare(struct walk *walk, unsigned long bound, bool fold)
{
	unsigned long n;
	int a, b;

	for (n = 0; n < bound; n++) {
		a = byte_at(walk, A, n);
		b = byte_at(walk, B, n);
		if (a <= 0 || b <= 0)
			break;
		if (fold ? __tolower(a) != __tolower(b) : a != b)
			break;
	}
}

/*
 * Read a up to the first byte that is in b (with @inverted: that is not). Returns true if there
 * is one before the NUL.
 */
static __kprobes bool span(struct walk *walk, bool inverted)
{
	unsigned long n, i;
	int c, member;
	bool found;

	for (n = 0; (c = byte_at(walk, A, n)) > 0; n++) {
		i = 0;
		do {
			member = byte_at(walk, B, i++);
		} while (member > 0 && member != c);
		/* b is unreadable: the function faults before it reads more of a. */
		if (member < 0)
			return false;
		found = member == c;
		if (found != inverted)
			return true;
	}
	return false;
}

/* Compare b with a at each offset where it fits into @bound, as strnstr() does. */
static __kprobes void search(struct walk *walk, unsigned long bound)
{
	unsigned long n = length(walk, B, ULONG_MAX), i, j;
	int a, b;

	/* strnstr() finds an empty string at once, and reads nothing of a. */
	for (i = 0; n && i + n <= bound; i++) {
		j = 0;
		do {
			a = byte_at(walk, A, i + j);
			b = byte_at(walk, B, j);
		} while (a == b && a >= 0 && ++j < n);
		if (j == n || walk->fault)
			break;
	}
}

static __kprobes void copy(struct walk *walk, enum memorizer_string string, unsigned long bound)
{
	/* strscpy() returns -E2BIG and accesses nothing. */
	if (string == MEMORIZER_STRSCPY && bound > INT_MAX)
		return;
	length(walk, B, bound);
	/* Each byte that is read is written, the NUL included. */
	walk->writes = walk->reads[B];
	/* strncpy() pads with NULs. */
	if (string == MEMORIZER_STRNCPY && !walk->fault)
		walk->writes = bound;
}

static __kprobes void append(struct walk *walk, enum memorizer_string string, unsigned long bound)
{
	unsigned long n;

	/* strncat() returns before it looks for the end of a. */
	if (string == MEMORIZER_STRNCAT && !bound)
		return;
	walk->offset = length(walk, A, ULONG_MAX);
	n = length(walk, B, string == MEMORIZER_STRLCAT ? ULONG_MAX : bound);
	/* One more for the NUL, unless strncat() faults before it. */
	walk->writes = walk->fault ? walk->reads[B] : n + 1;
	/* strlcat() computes both lengths first, and writes nothing to a full buffer. */
	if (string == MEMORIZER_STRLCAT)
		walk->writes = walk->fault ? 0 : min(n + 1, bound - min(bound, walk->offset));
}

/* strsep(): a points to the string, and is written if it is not NULL. */
static __kprobes void separate(struct walk *walk)
{
	union {
		u8 bytes[sizeof(char *)];
		const char *string;
	} pointer;
	unsigned int i;

	/* The pointer may be unmapped, and only loads of bytes tolerate that. */
	for (i = 0; i < sizeof(pointer); i++)
		if (!memorizer_load_byte(walk->operand[A] + i, &pointer.bytes[i]))
			return;
	walk->pointer = MEMORIZER_READ;
	if (!pointer.string)
		return;
	/* strsep() overwrites the delimiter, if it finds one, with a NUL. */
	walk->operand[A] = pointer.string;
	walk->writes = span(walk, false);
	walk->offset = walk->reads[A] - walk->writes;
	/* strsep() writes the pointer last. */
	walk->pointer = walk->fault ? MEMORIZER_READ : MEMORIZER_UPDATE;
}

/* noinline, so that its stack is free again when the accesses are counted. */
static noinline __kprobes void walk_string(struct walk *walk, unsigned long n, unsigned int how)
{
	enum memorizer_string string = how & (MEMORIZER_STRING_A - 1);
	unsigned long size = (unsigned long)walk->operand[B];

	switch (string) {
	case MEMORIZER_STRNLEN:
		length(walk, A, n);
		break;
	case MEMORIZER_STRNCMP:
	case MEMORIZER_STRNCASECMP:
		compare(walk, n, string == MEMORIZER_STRNCASECMP);
		break;
	case MEMORIZER_STRCPY:
	case MEMORIZER_STRNCPY:
	case MEMORIZER_STRSCPY:
		copy(walk, string, n);
		break;
	case MEMORIZER_STRNCAT:
	case MEMORIZER_STRLCAT:
		append(walk, string, n);
		break;
	case MEMORIZER_STRNCHR:
		find(walk, size, n, false, true);
		break;
	case MEMORIZER_MEMCHR:
	case MEMORIZER_MEMCHR_INV:
		find(walk, size, n, string == MEMORIZER_MEMCHR_INV, false);
		break;
	case MEMORIZER_STRSTR:
		/* strstr() computes both lengths first, that of a only if b is not empty. */
		if (length(walk, B, ULONG_MAX))
			length(walk, A, ULONG_MAX);
		break;
	case MEMORIZER_STRNSTR:
		search(walk, n);
		break;
	case MEMORIZER_STRSPN:
	case MEMORIZER_STRCSPN:
		span(walk, string == MEMORIZER_STRSPN);
		break;
	case MEMORIZER_STRSEP:
		separate(walk);
		break;
	}
}

/**
 * memorizer_access_string() - count a string function's accesses
 * @a: the first operand in memory
 * @b: the second operand in memory, or a size in bytes
 * @n: a size in bytes, or a character
 * @how: an enum memorizer_string, with MEMORIZER_STRING_A and _B for the operands to count
 * @ip: the address right after the site
 *
 * Each operand that is read counts as one read of all bytes that are read, and the written bytes
 * count as one write.
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __kprobes memorizer_access_string(const char *a, const char *b, unsigned long n,
				       unsigned int how, unsigned long ip)
{
	struct walk walk = { .operand = { a, b } };

	walk_string(&walk, n, how);
	if (walk.pointer && how & MEMORIZER_STRING_A)
		memorizer_access((unsigned long)a, sizeof(char *), walk.pointer, ip);
	/* strsep()'s string is no operand: always count it. */
	if (walk.pointer)
		how |= MEMORIZER_STRING_A;
	if (how & MEMORIZER_STRING_A)
		memorizer_access((unsigned long)walk.operand[A], walk.reads[A], MEMORIZER_READ, ip);
	if (how & MEMORIZER_STRING_B)
		memorizer_access((unsigned long)b, walk.reads[B], MEMORIZER_READ, ip);
	if (how & MEMORIZER_STRING_A)
		memorizer_access((unsigned long)walk.operand[A] + walk.offset, walk.writes,
				 MEMORIZER_WRITE, ip);
}
