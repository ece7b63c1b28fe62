// SPDX-License-Identifier: GPL-2.0
/* A function with nested inlined functions at known lines. */
extern volatile int inlined_counter;
volatile int inlined_counter;

static inline __attribute__((always_inline)) void count(int by)
{
	inlined_counter += by;
}

static inline __attribute__((always_inline)) void count_twice(int by)
{
	count(by);
	count(by + 1);
}

int outer(int by);
int outer(int by)
{
	inlined_counter = 1;
	count_twice(by);
	return by;
}
