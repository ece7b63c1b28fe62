// SPDX-License-Identifier: GPL-2.0
/* Test program for entries of functions: known numbers of calls and jumps while calls count. */
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

static void count_calls(int on)
{
	say_short(MEMORIZER_MSG_LOGGING, 2);
	say_value(MEMORIZER_LOGS_CALLS);
	say_value(on);
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
	/* The only event: "memorizer check" refuses a trace without any. */
	say_short(MEMORIZER_MSG_POINT, 1);
	work();
	count_calls(1);
	work();
	count_calls(0);
	work();
	return 0;
}
