/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: kinds of string functions, which the compiler plugin passes to the
 * hook.
 *
 * Functions of one kind access their operands in the same way. The operands are
 * a and b, which point to memory, and n. A bound that a function lacks is
 * ULONG_MAX. The plugin includes this header: keep it free of other includes.
 */
#ifndef _LINUX_MEMORIZER_STRING_H
#define _LINUX_MEMORIZER_STRING_H

enum memorizer_string {
	MEMORIZER_STRNLEN,	/* a, at most n bytes */
	MEMORIZER_STRNCMP,	/* a and b, up to the first difference or NUL, at most n bytes */
	MEMORIZER_STRNCASECMP,	/* likewise, ignoring case */
	MEMORIZER_STRCPY,	/* copies b to a */
	MEMORIZER_STRNCPY,	/* copies b to a, writes n bytes */
	MEMORIZER_STRSCPY,	/* copies b to a, at most n bytes, none if (int)n < 0 */
	MEMORIZER_STRNCAT,	/* appends b to a, at most n bytes and a NUL */
	MEMORIZER_STRLCAT,	/* appends b to a, a buffer of n bytes */
	MEMORIZER_STRNCHR,	/* a, up to the character n or NUL, at most b bytes */
	MEMORIZER_MEMCHR,	/* a, up to the byte n, at most b bytes */
	MEMORIZER_MEMCHR_INV,	/* a, up to a byte other than n, at most b bytes */
	MEMORIZER_STRSTR,	/* b, and a unless b is empty */
	MEMORIZER_STRNSTR,	/* b, and a up to the end of the match, at most n bytes */
	MEMORIZER_STRSPN,	/* b, and a up to the first byte not in b or NUL */
	MEMORIZER_STRCSPN,	/* b, and a up to the first byte in b or NUL */
	MEMORIZER_STRSEP,	/* like STRCSPN, a is a pointer to the string */
};

/* Flags in addition to the kind: operands that count */
#define MEMORIZER_STRING_A	0x100
#define MEMORIZER_STRING_B	0x200

#endif /* _LINUX_MEMORIZER_STRING_H */
