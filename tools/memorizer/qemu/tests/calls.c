// SPDX-License-Identifier: GPL-2.0
/* Test program for call stacks: a known call tree, inside and outside of scopes. */
#include "guest.h"

volatile unsigned long watched[512] __attribute__((aligned(4096)));

static __attribute__((noinline)) void leaf(void)
{
	watched[0] = 1;
}

static __attribute__((noinline)) void middle(void)
{
	leaf();
	leaf();
	__asm__ volatile("");
}

static __attribute__((noinline)) void outer(void)
{
	void (*volatile indirect)(void) = middle;

	indirect();
	leaf();
	__asm__ volatile("");
}

/* Returns are skipped by longjmp(). */
static __attribute__((noinline)) void jumper(void)
{
	void *buffer[5];

	if (!__builtin_setjmp(buffer)) {
		leaf();
		__builtin_longjmp(buffer, 1);
	}
	leaf();
	__asm__ volatile("");
}

int main(void)
{
	int i;

	say_short(MEMORIZER_MSG_POINT, 7);
	outer();
	say_short(MEMORIZER_MSG_SCOPE, 3);
	jumper();
	say_short(MEMORIZER_MSG_LEAVE, 3);
	say_short(MEMORIZER_MSG_RECORD, 0);
	leaf();
	say_short(MEMORIZER_MSG_RECORD, 1);
	for (i = 0; i < 1000; i++)
		watched[1] = i;
	return 0;
}
