// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: failing checks and random numbers.
 */
#include <unistd.h>

#include "test.h"

void (*before_branch)(void);
void (*before_failure)(void);

/**
 * check_fail() - fail and end the case
 * @a: first value compared
 * @b: second value compared
 * @what: the check's text
 * @file: the check's file
 * @line: the check's line
 */
void check_fail(unsigned long a, unsigned long b, const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: %s: %#lx is not %#lx\n", file, line, what, a, b);
	if (before_failure)
		before_failure();
	_exit(1);
}

/**
 * random_u32() - get the next number of a random sequence
 * @state: state of the sequence, initially the seed
 *
 * Return: the number
 */
u32 random_u32(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}
