// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: string functions count for the bytes that they access.
 *
 * Each byte of an operand is an object, so that the counts show which bytes were accessed. The
 * operand's memory ends after the last byte that the function may read: reading more faults.
 */
#include <linux/memorizer-string.h>

#include <asm/memorizer.h>

#include "test.h"

#define OPERAND_MAX	16

/* The memory of an operand. */
struct operand {
	unsigned long addr;
	const char *bytes;
	unsigned int size;
	unsigned int loads;
};

static struct operand a, b;
static unsigned int faults;

static bool load_operand_byte(const char *ptr, u8 *byte)
{
	struct operand *operand = (unsigned long)ptr - a.addr < PAGE_SIZE ? &a : &b;
	unsigned long offset = (unsigned long)ptr - operand->addr;

	if (offset >= operand->size) {
		faults++;
		return false;
	}
	operand->loads++;
	*byte = operand->bytes[offset];
	return true;
}

static void fill(struct operand *operand, unsigned long addr, const char *bytes, unsigned int size)
{
	const struct memorizer_geometry geo = {
		.start = addr, .base = addr, .stride = 1, .slots = OPERAND_MAX, .pages = 1,
	};
	unsigned int i;

	*operand = (struct operand){ .addr = addr, .bytes = bytes, .size = size };
	for (i = 0; i < OPERAND_MAX; i++)
		insert_object(&geo, addr + i, 1);
}

/* Check that exactly the bytes from @first on were accessed. */
static void check_touched(const struct operand *operand, unsigned int reads, unsigned int first,
			  unsigned int writes)
{
	unsigned int i;

	for (i = 0; i < OPERAND_MAX; i++)
		CHECK_ALL_COUNTS(shown_at(operand->addr + i, MEMORIZER_LIVE), i < reads,
				 i - first < writes);
}

/* Set up the operands of the next call in fresh memory. */
static void start(const char *bytes_a, unsigned int size_a, const char *bytes_b,
		  unsigned int size_b)
{
	static unsigned int pages;

	if (!pages)
		boot(POOL_BLOCKS(256));
	fill(&a, PAGE(pages), bytes_a, size_a);
	fill(&b, PAGE(pages + 2), bytes_b, size_b);
	pages += 4;
	faults = 0;
	load_byte = load_operand_byte;
}

static void call(unsigned int string, unsigned long arg_b, unsigned long n)
{
	preempt_disable_notrace();
	memorizer_access_string((char *)a.addr, (char *)arg_b, n,
				string | MEMORIZER_STRING_A | MEMORIZER_STRING_B, IP(2));
	preempt_enable_notrace();
}

/* A call and its expected accesses. Both strings end after the last byte that is read. */
struct call {
	unsigned int string;
	const char *a, *b;
	unsigned long n;
	unsigned int reads_a, reads_b;
	unsigned int offset, writes;	/* of a */
};

static const struct call calls[] = {
	{ MEMORIZER_STRNLEN, "abc", "", -1UL, 4, 0 },
	{ MEMORIZER_STRNLEN, "", "", -1UL, 1, 0 },
	{ MEMORIZER_STRNLEN, "abc", "", 2, 2, 0 },
	{ MEMORIZER_STRNLEN, "abc", "", 3, 3, 0 },
	{ MEMORIZER_STRNLEN, "abc", "", 4, 4, 0 },
	{ MEMORIZER_STRNLEN, "abc", "", 0, 0, 0 },

	{ MEMORIZER_STRNCMP, "abc", "abc", -1UL, 4, 4 },
	{ MEMORIZER_STRNCMP, "abc", "abd", -1UL, 3, 3 },
	{ MEMORIZER_STRNCMP, "abc", "ab", -1UL, 3, 3 },
	{ MEMORIZER_STRNCMP, "ab", "abc", -1UL, 3, 3 },
	{ MEMORIZER_STRNCMP, "ab", "xxxxxxxx", 8, 1, 1 },
	{ MEMORIZER_STRNCMP, "abc", "abd", 2, 2, 2 },
	{ MEMORIZER_STRNCMP, "abc", "abd", 0, 0, 0 },
	{ MEMORIZER_STRNCMP, "abc", "ABC", -1UL, 1, 1 },
	{ MEMORIZER_STRNCASECMP, "aBc", "AbC", -1UL, 4, 4 },
	{ MEMORIZER_STRNCASECMP, "aBc", "AbD", -1UL, 3, 3 },
	{ MEMORIZER_STRNCASECMP, "aBc", "AbD", 2, 2, 2 },

	{ MEMORIZER_STRCPY, "", "abc", -1UL, 0, 4, 0, 4 },
	{ MEMORIZER_STRCPY, "", "", -1UL, 0, 1, 0, 1 },
	{ MEMORIZER_STRNCPY, "", "abc", 8, 0, 4, 0, 8 },
	{ MEMORIZER_STRNCPY, "", "abc", 2, 0, 2, 0, 2 },
	{ MEMORIZER_STRNCPY, "", "abc", 0, 0, 0, 0, 0 },
	{ MEMORIZER_STRSCPY, "", "abc", 8, 0, 4, 0, 4 },
	{ MEMORIZER_STRSCPY, "", "abc", 3, 0, 3, 0, 3 },
	{ MEMORIZER_STRSCPY, "", "abc", 0, 0, 0, 0, 0 },
	{ MEMORIZER_STRSCPY, "", "abc", -1UL, 0, 0, 0, 0 },

	{ MEMORIZER_STRNCAT, "ab", "cde", -1UL, 3, 4, 2, 4 },
	{ MEMORIZER_STRNCAT, "ab", "cde", 3, 3, 3, 2, 4 },
	{ MEMORIZER_STRNCAT, "ab", "cde", 2, 3, 2, 2, 3 },
	{ MEMORIZER_STRNCAT, "ab", "cde", 0, 0, 0, 0, 0 },
	{ MEMORIZER_STRNCAT, "", "", -1UL, 1, 1, 0, 1 },
	{ MEMORIZER_STRLCAT, "ab", "cde", 8, 3, 4, 2, 4 },
	{ MEMORIZER_STRLCAT, "ab", "cde", 5, 3, 4, 2, 3 },
	{ MEMORIZER_STRLCAT, "ab", "cde", 3, 3, 4, 2, 1 },

	{ MEMORIZER_STRNCHR, "abc", NULL, 'b', 2, 0 },
	{ MEMORIZER_STRNCHR, "abc", NULL, 'x', 4, 0 },
	{ MEMORIZER_STRNCHR, "abc", NULL, 0, 4, 0 },
	{ MEMORIZER_STRNCHR, "abc", NULL, 0xffffff00 | 'b', 2, 0 },
	{ MEMORIZER_STRNCHR, "\xe9", NULL, -0x17, 1, 0 },

	{ MEMORIZER_STRSTR, "abcd", "bc", -1UL, 5, 3 },
	{ MEMORIZER_STRSTR, "abcd", "", -1UL, 0, 1 },
	{ MEMORIZER_STRNSTR, "abcd", "bc", 4, 3, 3 },
	{ MEMORIZER_STRNSTR, "abcd", "bx", 4, 3, 3 },
	{ MEMORIZER_STRNSTR, "abcd", "cdx", 4, 2, 4 },
	{ MEMORIZER_STRNSTR, "abcd", "bc", 1, 0, 3 },
	{ MEMORIZER_STRNSTR, "abcd", "", 4, 0, 1 },

	{ MEMORIZER_STRSPN, "abc", "ba", -1UL, 3, 3 },
	{ MEMORIZER_STRSPN, "abab", "ba", -1UL, 5, 2 },
	{ MEMORIZER_STRSPN, "abc", "", -1UL, 1, 1 },
	{ MEMORIZER_STRSPN, "", "ab", -1UL, 1, 0 },
	{ MEMORIZER_STRSPN, "a", "\1a", -1UL, 2, 2 },
	{ MEMORIZER_STRCSPN, "abc", "xc", -1UL, 3, 3 },
	{ MEMORIZER_STRCSPN, "abc", "xy", -1UL, 4, 3 },
	{ MEMORIZER_STRCSPN, "abc", "ax", -1UL, 1, 1 },
	{}
};

static void functions_read_no_byte_more(void)
{
	const struct call *c;

	for (c = calls; c->a; c++) {
		start(c->a, c->reads_a, c->b, c->reads_b);
		call(c->string, c->b ? b.addr : -1UL, c->n);
		CHECK_EQ(faults, 0);
		check_touched(&a, c->reads_a, c->offset, c->writes);
		check_touched(&b, c->reads_b, 0, 0);
	}
}

/* Functions whose bound is operand b. */
static void bounded_searches_read_no_byte_more(void)
{
	start("abc", 2, "", 0);
	call(MEMORIZER_STRNCHR, 2, 'c');
	check_touched(&a, 2, 0, 0);
	start("abc", 4, "", 0);
	call(MEMORIZER_STRNCHR, 8, 'x');
	check_touched(&a, 4, 0, 0);
	start("a\0c", 3, "", 0);
	call(MEMORIZER_MEMCHR, 8, 'c');
	check_touched(&a, 3, 0, 0);
	start("abc", 2, "", 0);
	call(MEMORIZER_MEMCHR, 2, 'c');
	check_touched(&a, 2, 0, 0);
	start("aab", 3, "", 0);
	call(MEMORIZER_MEMCHR_INV, 8, 'a');
	check_touched(&a, 3, 0, 0);
	start("aab", 0, "", 0);
	call(MEMORIZER_MEMCHR_INV, 0, 'a');
	check_touched(&a, 0, 0, 0);
	CHECK_EQ(faults, 0);
}

/* The walk ends at the first unreadable byte. */
static void fault_ends_the_walk(void)
{
	start("abcdef", 3, "abcdef", 6);
	call(MEMORIZER_STRNCMP, b.addr, -1UL);
	check_touched(&a, 3, 0, 0);
	check_touched(&b, 3, 0, 0);
	CHECK_EQ(faults, 1);

	start("ab", 3, "cdefgh", 2);
	call(MEMORIZER_STRNCAT, b.addr, -1UL);
	check_touched(&a, 3, 2, 2);
	check_touched(&b, 2, 0, 0);
	CHECK_EQ(faults, 1);

	start("ab", 3, "cdefgh", 0);
	call(MEMORIZER_STRSTR, b.addr, -1UL);
	check_touched(&a, 0, 0, 0);
	CHECK_EQ(faults, 1);

	start("abc", 1, "abcdef", 7);
	call(MEMORIZER_STRNSTR, b.addr, 100);
	CHECK_EQ(a.loads, 1);
	CHECK_EQ(faults, 1);

	/* strlcat() reads both strings before it writes. */
	start("ab", 3, "cdefgh", 2);
	call(MEMORIZER_STRLCAT, b.addr, 100);
	check_touched(&a, 3, 0, 0);
	check_touched(&b, 2, 0, 0);
	CHECK_EQ(faults, 1);

	start("", 0, "abcdef", 2);
	call(MEMORIZER_STRNCPY, b.addr, 5);
	check_touched(&a, 0, 0, 2);
	CHECK_EQ(faults, 1);
}

/* strsep() cuts the string that the first operand points to, here in b's page. */
static void strsep_cuts_another_string(void)
{
	unsigned long where = 0;
	unsigned int i;

	/* The delimiters are the first bytes of the string itself. */
	start((char *)&where, 8, ",x,y", 3);
	where = b.addr;
	preempt_disable_notrace();
	memorizer_access_string((char *)a.addr, (char *)b.addr, -1UL,
				MEMORIZER_STRSEP | MEMORIZER_STRING_A, IP(2));
	preempt_enable_notrace();
	CHECK_EQ(faults, 0);
	for (i = 0; i < OPERAND_MAX; i++)
		CHECK_ALL_COUNTS(shown_at(a.addr + i, MEMORIZER_LIVE), i < 8, i < 8);
	check_touched(&b, 1, 0, 1);

	/* The pointer is written after the string is read, so it is only read if that faults. */
	start((char *)&where, 8, ",x,y", 0);
	where = b.addr;
	call(MEMORIZER_STRSEP, b.addr, -1UL);
	check_touched(&a, 8, 0, 0);
	CHECK_EQ(faults, 1);

	/* A NULL pointer is only read. */
	where = 0;
	start((char *)&where, 8, ",x,y", 0);
	call(MEMORIZER_STRSEP, b.addr, -1UL);
	check_touched(&a, 8, 0, 0);
	check_touched(&b, 0, 0, 0);
	CHECK_EQ(faults, 0);
}

/* Only operands with their flag set count. */
static void operands_count_if_they_are_to(void)
{
	start("abc", 3, "abd", 3);
	preempt_disable_notrace();
	memorizer_access_string((char *)a.addr, (char *)b.addr, -1UL,
				MEMORIZER_STRNCMP | MEMORIZER_STRING_B, IP(2));
	preempt_enable_notrace();
	check_touched(&a, 0, 0, 0);
	check_touched(&b, 3, 0, 0);
}

/* strchr() in a loop reads each byte of the string once. */
static void search_in_a_loop_is_linear(void)
{
	static const char text[] = "a,b,c,d,e,f,g,h";
	unsigned long at = 0;

	start(text, sizeof(text), "", 0);
	while (at < sizeof(text)) {
		preempt_disable_notrace();
		memorizer_access_string((char *)a.addr + at, (char *)-1UL, ',',
					MEMORIZER_STRNCHR | MEMORIZER_STRING_A, IP(2));
		preempt_enable_notrace();
		at += strcspn(text + at, ",") + 1;
	}
	CHECK_EQ(a.loads, sizeof(text));
	check_touched(&a, sizeof(text), 0, 0);
}

const struct test_case string_cases[] = {
	CASE(functions_read_no_byte_more),
	CASE(bounded_searches_read_no_byte_more),
	CASE(fault_ends_the_walk),
	CASE(strsep_cuts_another_string),
	CASE(operands_count_if_they_are_to),
	CASE(search_in_a_loop_is_linear),
	{}
};
