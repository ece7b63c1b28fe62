// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's hook for string functions: how far they read and write.
 *
 * How many bytes a string function touches depends on what is there, and its
 * callers rely on that: strncmp() with a bound beyond the object's end, strchr()
 * in a loop. So the hook walks as the function is about to do, byte by byte, and
 * never looks at a byte that the function would not read. Where a byte cannot be
 * read the walk ends: the function itself will fault there.
 *
 * Functions that read or write words rather than bytes may touch a few bytes
 * behind what they are defined to; these do not count.
 */
#include <linux/ctype.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/memorizer-string.h>
#include <linux/minmax.h>

#include <asm/memorizer.h>

#include "access.h"
#include "memorizer.h"

/* The operands of one call, and the bytes of them that it has touched. */
struct walk {
	const char *operand[2];
	unsigned long reads[2];
	unsigned long writes;	/* of the first operand */
	unsigned long offset;	/* from the first operand to what is written */
	unsigned int pointer;	/* what kind of access the pointer to the first operand gets */
	bool fault;
};

enum { A, B };

/* Byte @i of operand @k; -1 if it cannot be read, and for all bytes after that. */
static __always_inline int byte_at(struct walk *walk, unsigned int k, unsigned long i)
{
	u8 byte;

	if (walk->fault || !memorizer_load_byte(walk->operand[k] + i, &byte)) {
		walk->fault = true;
		return -1;
	}
	walk->reads[k] = max(walk->reads[k], i + 1);
	return byte;
}

/* Its length, but @bound at most. */
static __kprobes unsigned long length(struct walk *walk, unsigned int k, unsigned long bound)
{
	unsigned long n = 0;

	while (n < bound && byte_at(walk, k, n) > 0)
		n++;
	return n;
}

/* Up to the first byte of a that is @c (or with @inverted is not), or a NUL if @nul. */
static __kprobes void find(struct walk *walk, unsigned long bound, u8 c, bool inverted, bool nul)
{
	unsigned long n;
	bool found;
	int byte;

	for (n = 0; n < bound; n++) {
		byte = byte_at(walk, A, n);
		found = byte == c;
		if (byte < 0 || found != inverted || (nul && !byte))
			break;
	}
}

/* Up to the first difference or a NUL. */
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
 * Up to the first byte of a that b has (or with @inverted has not). Was there one
 * before the NUL?
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
		if (member < 0)
			return false;
		found = member == c;
		if (found != inverted)
			return true;
	}
	return false;
}

/* Compares b with each place of a, as strnstr() does, for as long as it fits into @bound. */
static __kprobes void search(struct walk *walk, unsigned long bound)
{
	unsigned long n = length(walk, B, ULONG_MAX), i, j;
	int a, b;

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
	/* strscpy() refuses such a size. */
	if (string == MEMORIZER_STRSCPY && bound > INT_MAX)
		return;
	length(walk, B, bound);
	walk->writes = walk->reads[B];
	if (string == MEMORIZER_STRNCPY && !walk->fault)
		walk->writes = bound;
}

static __kprobes void append(struct walk *walk, enum memorizer_string string, unsigned long bound)
{
	unsigned long n;

	if (string == MEMORIZER_STRNCAT && !bound)
		return;
	walk->offset = length(walk, A, ULONG_MAX);
	n = length(walk, B, string == MEMORIZER_STRLCAT ? ULONG_MAX : bound);
	if (string == MEMORIZER_STRLCAT && walk->offset >= bound)
		return;
	if (string == MEMORIZER_STRLCAT)
		n = min(n, bound - walk->offset - 1);
	walk->writes = walk->fault ? walk->reads[B] : n + 1;
}

/* Goes on to where the pointer leads that a is. It is written, too, if it is not NULL. */
static __kprobes void separate(struct walk *walk)
{
	union {
		u8 bytes[sizeof(char *)];
		const char *string;
	} pointer;
	unsigned int i;

	for (i = 0; i < sizeof(pointer); i++)
		if (!memorizer_load_byte(walk->operand[A] + i, &pointer.bytes[i]))
			return;
	walk->pointer = pointer.string ? MEMORIZER_UPDATE : MEMORIZER_READ;
	if (!pointer.string)
		return;
	walk->operand[A] = pointer.string;
	walk->writes = span(walk, false);
	walk->offset = walk->reads[A] - walk->writes;
}

/* Counts nothing, so that what it has on the stack is gone when the accesses are counted. */
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
 * @a: its first operand that is memory
 * @b: its second, or a size in bytes
 * @n: a size in bytes, or a character
 * @how: an enum memorizer_string, with MEMORIZER_STRING_A and _B for the operands that count
 * @ip: the address right behind the site
 *
 * Each operand that the function reads is one read, for as many bytes as it
 * reads; what it writes is one write.
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
	/* The string was not an operand: it always counts. */
	if (walk.operand[A] != a)
		how |= MEMORIZER_STRING_A;
	if (how & MEMORIZER_STRING_A)
		memorizer_access((unsigned long)walk.operand[A], walk.reads[A], MEMORIZER_READ, ip);
	if (how & MEMORIZER_STRING_B)
		memorizer_access((unsigned long)b, walk.reads[B], MEMORIZER_READ, ip);
	if (how & MEMORIZER_STRING_A)
		memorizer_access((unsigned long)walk.operand[A] + walk.offset, walk.writes,
				 MEMORIZER_WRITE, ip);
}
