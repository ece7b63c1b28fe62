// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: a model of string functions, which are counted "for the bytes they
 * access by definition".
 *
 * Each function is its definition in C, with load() and store() for the accesses. As on a CPU, an
 * unreadable byte ends the function at once.
 */
#include <setjmp.h>

#include <linux/ctype.h>
#include <linux/memorizer-string.h>

#include "model.h"

/* The call that is modelled, and where it continues after a fault. */
static struct model_string *call;
static jmp_buf fault;

enum { A, B };

static u8 load_from(unsigned long addr)
{
	u8 byte;

	if (!model_load_byte((const char *)addr, &byte))
		longjmp(fault, 1);
	return byte;
}

static u8 load(unsigned int operand, unsigned long i)
{
	u8 byte = load_from((operand == A ? call->a : call->b) + i);

	call->reads[operand] = max(call->reads[operand], i + 1);
	return byte;
}

/* The bytes that a function stores are adjacent. The model changes none of them. */
static void store(unsigned long i)
{
	if (!call->writes)
		call->offset = i;
	call->writes = i + 1 - call->offset;
}

static unsigned long strlen_of(unsigned int operand)
{
	unsigned long n = 0;

	while (load(operand, n))
		n++;
	return n;
}

static void strnlen_call(unsigned long n)
{
	unsigned long i;

	for (i = 0; i < n && load(A, i); i++)
		;
}

static void strncmp_call(unsigned long n, bool fold)
{
	unsigned long i;
	u8 a, b;

	for (i = 0; i < n; i++) {
		a = load(A, i);
		b = load(B, i);
		if (!a || !b || (fold ? tolower(a) != tolower(b) : a != b))
			return;
	}
}

static void strncpy_call(unsigned long n, bool pad)
{
	bool ended = false;
	unsigned long i;

	for (i = 0; i < n && (!ended || pad); i++) {
		ended = ended || !load(B, i);
		store(i);
	}
}

static void strncat_call(unsigned long n)
{
	unsigned long at, i;
	u8 byte;

	if (!n)
		return;
	at = strlen_of(A);
	for (i = 0; i < n; i++) {
		byte = load(B, i);
		store(at + i);
		if (!byte)
			return;
	}
	store(at + n);
}

static void strlcat_call(unsigned long n)
{
	unsigned long at = strlen_of(A), length = strlen_of(B), i;

	for (i = 0; at + i < n && i <= length; i++)
		store(at + i);
}

static void strnchr_call(unsigned long n, u8 c)
{
	unsigned long i;
	u8 byte;

	for (i = 0; i < n; i++) {
		byte = load(A, i);
		if (byte == c || !byte)
			return;
	}
}

static void memchr_call(unsigned long n, u8 c, bool inverted)
{
	unsigned long i;

	for (i = 0; i < n; i++)
		if ((load(A, i) == c) != inverted)
			return;
}

static void strstr_call(void)
{
	if (strlen_of(B))
		strlen_of(A);
}

static void strnstr_call(unsigned long n)
{
	unsigned long length = strlen_of(B), i, j;

	for (i = 0; length && i + length <= n; i++) {
		for (j = 0; j < length; j++)
			if (load(A, i + j) != load(B, j))
				break;
		if (j == length)
			return;
	}
}

static bool strchr_of_b(u8 c)
{
	unsigned long i;
	u8 byte;

	for (i = 0; (byte = load(B, i)); i++)
		if (byte == c)
			return true;
	return false;
}

/*
 * strspn(), or strcspn() and strpbrk(). Returns the length; @found is set if it ends before a
 * NUL.
 */
static unsigned long strspn_call(bool accept, bool *found)
{
	unsigned long i;
	u8 c;

	for (i = 0; (c = load(A, i)); i++) {
		if (strchr_of_b(c) == accept)
			continue;
		*found = true;
		break;
	}
	return i;
}

static void strsep_call(void)
{
	unsigned long pointer = 0, end;
	bool found = false;
	unsigned int i;

	for (i = 0; i < sizeof(pointer); i++)
		pointer |= (unsigned long)load_from(call->a + i) << 8 * i;
	call->pointer = MEMORIZER_READ;
	if (!pointer)
		return;
	call->a = pointer;
	end = strspn_call(false, &found);
	if (found)
		store(end);
	call->pointer = MEMORIZER_UPDATE;
}

static void do_call(unsigned int string, unsigned long n)
{
	bool found = false;

	switch (string) {
	case MEMORIZER_STRNLEN:
		return strnlen_call(n);
	case MEMORIZER_STRNCMP:
	case MEMORIZER_STRNCASECMP:
		return strncmp_call(n, string == MEMORIZER_STRNCASECMP);
	case MEMORIZER_STRSCPY:
		return strncpy_call(n > INT_MAX ? 0 : n, false);
	case MEMORIZER_STRCPY:
	case MEMORIZER_STRNCPY:
		return strncpy_call(n, string == MEMORIZER_STRNCPY);
	case MEMORIZER_STRNCAT:
		return strncat_call(n);
	case MEMORIZER_STRLCAT:
		return strlcat_call(n);
	case MEMORIZER_STRNCHR:
		return strnchr_call(call->b, n);
	case MEMORIZER_MEMCHR:
	case MEMORIZER_MEMCHR_INV:
		return memchr_call(call->b, n, string == MEMORIZER_MEMCHR_INV);
	case MEMORIZER_STRSTR:
		return strstr_call();
	case MEMORIZER_STRNSTR:
		return strnstr_call(n);
	case MEMORIZER_STRSPN:
	case MEMORIZER_STRCSPN:
		strspn_call(string == MEMORIZER_STRSPN, &found);
		return;
	case MEMORIZER_STRSEP:
		return strsep_call();
	}
}

/**
 * model_string() - call a string function
 * @string: an enum memorizer_string
 * @a: the first operand
 * @b: the second operand, or a size in bytes
 * @n: a size in bytes, or a character
 * @effect: set to the accesses
 */
void model_string(unsigned int string, unsigned long a, unsigned long b, unsigned long n,
		  struct model_string *effect)
{
	*effect = (struct model_string) { .a = a, .b = b };
	call = effect;
	if (!setjmp(fault))
		do_call(string, n);
}
