/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: the kinds of string functions, as the compiler plugin tells them to
 * the hook.
 *
 * Functions of one kind touch their operands in the same way. The operands are
 * a and b, which point to memory, and n; a bound that a function does not have is
 * ULONG_MAX. The plugin includes this, too: there must be nothing else here.
 */
#ifndef _LINUX_MEMORIZER_STRING_H
#define _LINUX_MEMORIZER_STRING_H

enum memorizer_string {
	MEMORIZER_STRNLEN,	/* a, for n bytes at most */
	MEMORIZER_STRNCMP,	/* a and b, to the first difference or the NUL, likewise */
	MEMORIZER_STRNCASECMP,	/* likewise, upper and lower case are the same */
	MEMORIZER_STRCPY,	/* b to a */
	MEMORIZER_STRNCPY,	/* b to a, of which n bytes are written */
	MEMORIZER_STRSCPY,	/* b to a, for n bytes at most, none if n is negative as an int */
	MEMORIZER_STRNCAT,	/* b to the end of a, for n bytes and a NUL at most */
	MEMORIZER_STRLCAT,	/* b to the end of a, which has room for n bytes */
	MEMORIZER_STRNCHR,	/* a, to the character n or the NUL, for b bytes at most */
	MEMORIZER_MEMCHR,	/* a, to the byte n, for b bytes at most */
	MEMORIZER_MEMCHR_INV,	/* a, to a byte other than n, for b bytes at most */
	MEMORIZER_STRSTR,	/* b, and a if b is not empty */
	MEMORIZER_STRNSTR,	/* b, and a to where b was found, for n bytes at most */
	MEMORIZER_STRSPN,	/* a, to the first byte that b has not, or the NUL, and b */
	MEMORIZER_STRCSPN,	/* a, to the first byte that b has, or the NUL, and b */
	MEMORIZER_STRSEP,	/* a, which is a pointer to what is used like that */
};

/* Beside it: which operands count. */
#define MEMORIZER_STRING_A	0x100
#define MEMORIZER_STRING_B	0x200

#endif /* _LINUX_MEMORIZER_STRING_H */
