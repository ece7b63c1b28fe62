// SPDX-License-Identifier: GPL-2.0
/* Test program for entries of functions: known numbers of calls and jumps between two marks. */
#include <string.h>

#include "guest.h"

#define APART	__attribute__((noipa))

static APART void called(void)
{
}

/* Ends in a jump. */
static APART __attribute__((optimize("optimize-sibling-calls"))) void calls_last(void)
{
	called();
}

static APART void recurse(int depth)
{
	if (depth)
		recurse(depth - 1);
	__asm__ volatile("");
}

/* Returns are skipped by longjmp(). */
static APART void jumper(void)
{
	void *buffer[5];

	if (!__builtin_setjmp(buffer)) {
		called();
		__builtin_longjmp(buffer, 1);
	}
	called();
	__asm__ volatile("");
}

static void mark(const char *text)
{
	unsigned long value = 0;

	say_short(MEMORIZER_MSG_MARK, 2);
	say_value(1);
	memcpy(&value, text, strlen(text));
	say_value(value);
}

static APART void work(void)
{
	void (*volatile indirect)(void) = called;
	int i;

	for (i = 0; i < 10; i++)
		called();
	indirect();
	calls_last();
	calls_last();
	recurse(5);
	jumper();
	__asm__ volatile("");
}

int main(void)
{
	work();
	mark("chosen");
	work();
	mark("left out");
	work();
	return 0;
}
