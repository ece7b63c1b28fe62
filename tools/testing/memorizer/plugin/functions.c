// SPDX-License-Identifier: GPL-2.0
/*
 * Cases of the plugin's test: calls of memory and string functions, which count the
 * accesses of the function. Defines the functions that only the kernel has.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "plugin_test.h"

void *__memcpy(void *to, const void *from, size_t n)
{
	return memcpy(to, from, n);
}

void *__memcpy_flushcache(void *to, const void *from, size_t n)
{
	return memcpy(to, from, n);
}

size_t copy_to_nontemporal(void *to, const void *from, size_t n)
{
	memcpy(to, from, n);
	return 0;
}

long __copy_user_nocache(void *to, const void *from, unsigned int n)
{
	return copy_to_nontemporal(to, from, n);
}

void *__memmove(void *to, const void *from, size_t n)
{
	return memmove(to, from, n);
}

void *__memset(void *p, int c, size_t n)
{
	return memset(p, c, n);
}

void *memchr_inv(const char *p, int c, size_t n)
{
	for (; n; p++, n--)
		if (*p != c)
			return (void *)p;
	return NULL;
}

void *memscan(const void *p, int c, size_t n)
{
	return memchr(p, c, n) ?: (void *)p + n;
}

ssize_t sized_strscpy(char *to, const char *from, size_t n)
{
	return snprintf(to, n, "%s", from);
}

size_t strlcat(char *to, const char *from, size_t n)
{
	return strlen(strncat(to, from, n - strlen(to) - 1));
}

char *strnchrnul(const char *s, size_t n, int c)
{
	while (n-- && *s && *s != c)
		s++;
	return (char *)s;
}

char *strnchr(const char *s, size_t n, int c)
{
	s = strnchrnul(s, n, c);
	return *s == c ? (char *)s : NULL;
}

char *strnstr(const char *s, const char *find, size_t n)
{
	return memmem(s, n, find, strlen(find));
}

/* Accesses of a function to a = "abc" and b = "defgh" with n = 4 */
struct function {
	const char *name;
	long (*call)(char *a, char *b, size_t n);
	struct {
		char kind, operand;
		int size, offset;
	} uses[3];
};

static long run_function(const void *data)
{
	const struct function *function = data;
	static char a[16], b[16];
	unsigned int i;

	strcpy(a, "abc");
	strcpy(b, "defgh");
	for (i = 0; i < ARRAY_SIZE(function->uses); i++)
		if (function->uses[i].kind)
			expect(function->name, function->uses[i].kind,
			       (function->uses[i].operand == 'a' ? a : b) +
			       function->uses[i].offset, function->uses[i].size);
	return function->call(a, b, 4);
}

/* Split "abc" at the characters of @data. The pointer to the string counts, too. */
static long run_strsep(const void *data)
{
	static char a[16];
	static char *string;
	const char *set = data;

	strcpy(a, "abc");
	string = a;
	expect("call_strsep", 'u', &string, sizeof(string));
	if (*set == 'b') {
		expect("call_strsep", 'r', a, 2);
		expect("call_strsep", 'w', a + 1, 1);
	} else {
		expect("call_strsep", 'r', a, 4);
	}
	expect("call_strsep", 'r', set, strlen(set) + 1);
	return call_strsep(&string, set) - a;
}

/* One operand is the stack pointer. */
static long run_string_on_stack(const void *data)
{
	static char a[16] = "a stray";

	(void)data;
	expect("stack_string", 'r', a, 6);
	return stack_string(a) > 0;
}

#define FUNCTION(name, ...) {						\
	"call_" #name, run_function,					\
	&(const struct function){ "call_" #name, call_##name, { __VA_ARGS__ } }, NULL \
}

const struct test_case function_cases[] = {
	FUNCTION(memcpy, { 'r', 'b', 4 }, { 'w', 'a', 4 }),
	FUNCTION(__memcpy, { 'r', 'b', 4 }, { 'w', 'a', 4 }),
	FUNCTION(__memcpy_flushcache, { 'r', 'b', 4 }, { 'w', 'a', 4 }),
	FUNCTION(copy_to_nontemporal, { 'r', 'b', 4 }, { 'w', 'a', 4 }),
	FUNCTION(__copy_user_nocache, { 'w', 'a', 4 }),
	FUNCTION(memmove, { 'r', 'b', 4 }, { 'w', 'a', 4 }),
	FUNCTION(__memmove, { 'r', 'b', 4 }, { 'w', 'a', 4 }),
	FUNCTION(mempcpy, { 'r', 'b', 4 }, { 'w', 'a', 4 }),
	FUNCTION(__builtin___memcpy_chk, { 'r', 'b', 4 }, { 'w', 'a', 4 }),
	FUNCTION(memset, { 'w', 'a', 4 }),
	FUNCTION(__memset, { 'w', 'a', 4 }),
	FUNCTION(memcmp, { 'r', 'a', 4 }, { 'r', 'b', 4 }),
	FUNCTION(bcmp, { 'r', 'a', 4 }, { 'r', 'b', 4 }),
	FUNCTION(memchr, { 'r', 'a', 3 }),
	FUNCTION(memchr_inv, { 'r', 'a', 2 }),
	FUNCTION(memscan, { 'r', 'a', 2 }),
	FUNCTION(strlen, { 'r', 'a', 4 }),
	FUNCTION(strnlen, { 'r', 'b', 4 }),
	FUNCTION(strcmp, { 'r', 'a', 1 }, { 'r', 'b', 1 }),
	FUNCTION(strcasecmp, { 'r', 'a', 1 }, { 'r', 'b', 1 }),
	FUNCTION(strncmp, { 'r', 'a', 1 }, { 'r', 'b', 1 }),
	FUNCTION(strncasecmp, { 'r', 'a', 1 }, { 'r', 'b', 1 }),
	FUNCTION(strcpy, { 'r', 'b', 6 }, { 'w', 'a', 6 }),
	FUNCTION(stpcpy, { 'r', 'b', 6 }, { 'w', 'a', 6 }),
	FUNCTION(strncpy, { 'r', 'b', 4 }, { 'w', 'a', 4 }),
	FUNCTION(stpncpy, { 'r', 'b', 4 }, { 'w', 'a', 4 }),
	FUNCTION(__builtin___strncpy_chk, { 'r', 'b', 4 }, { 'w', 'a', 4 }),
	FUNCTION(sized_strscpy, { 'r', 'b', 4 }, { 'w', 'a', 4 }),
	FUNCTION(strcat, { 'r', 'a', 4 }, { 'r', 'b', 6 }, { 'w', 'a', 6, 3 }),
	FUNCTION(strncat, { 'r', 'a', 4 }, { 'r', 'b', 6 }, { 'w', 'a', 6, 3 }),
	FUNCTION(strlcat, { 'r', 'a', 4 }, { 'r', 'b', 6 }, { 'w', 'a', 6, 3 }),
	FUNCTION(strchr, { 'r', 'a', 2 }),
	FUNCTION(strchrnul, { 'r', 'a', 4 }),
	FUNCTION(strrchr, { 'r', 'a', 4 }),
	FUNCTION(index, { 'r', 'a', 2 }),
	FUNCTION(rindex, { 'r', 'a', 4 }),
	FUNCTION(strnchr, { 'r', 'b', 3 }),
	FUNCTION(strnchrnul, { 'r', 'b', 4 }),
	FUNCTION(strstr, { 'r', 'a', 4 }, { 'r', 'b', 6 }),
	FUNCTION(strnstr, { 'r', 'b', 2 }, { 'r', 'a', 4 }),
	FUNCTION(strspn, { 'r', 'a', 1 }, { 'r', 'b', 6 }),
	FUNCTION(strcspn, { 'r', 'a', 4 }, { 'r', 'b', 6 }),
	FUNCTION(strpbrk, { 'r', 'a', 4 }, { 'r', 'b', 6 }),
	{ "strsep", run_strsep, "bd" },
	{ "strsep at the end", run_strsep, "xyz" },
	{ "a string on the stack", run_string_on_stack },
	{}
};
