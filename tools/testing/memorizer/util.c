// SPDX-License-Identifier: GPL-2.0
/*
 * The core's tests: how they fail, and what random numbers they use.
 */
#include <unistd.h>

#include "test.h"

void (*before_branch)(void);

/**
 * check_fail() - end the case as failed
 * @a: what a check compared
 * @b: with what
 * @what: the check
 * @file: its place
 * @line: its place
 */
void check_fail(unsigned long a, unsigned long b, const char *what, const char *file, int line)
{
	fprintf(stderr, "%s:%d: %s: %#lx is not %#lx\n", file, line, what, a, b);
	_exit(1);
}

/**
 * random_u32() - the next of a sequence of random numbers
 * @state: where the sequence is; its first value is the seed
 *
 * Return: the number
 */
u32 random_u32(u64 *state)
{
	*state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
	return *state >> 33;
}
