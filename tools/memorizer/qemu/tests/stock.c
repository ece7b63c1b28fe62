// SPDX-License-Identifier: GPL-2.0
/*
 * Test program for a guest with a stock kernel: two processes on two CPUs pass a byte back and
 * forth through pipes, each in its own scope.
 */
#include <sched.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define ROUNDS	100

static int there[2], back[2];

static void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static __attribute__((noinline)) void give(int fd)
{
	char byte = 1;

	if (write(fd, &byte, 1) != 1)
		_exit(1);
	__asm__ volatile("");
}

static __attribute__((noinline)) void take(int fd)
{
	char byte;

	if (read(fd, &byte, 1) != 1)
		_exit(1);
	__asm__ volatile("");
}

/* Spin long enough to be interrupted, without calls or returns. */
static inline void spin(void)
{
	unsigned long left = 200000000;

	__asm__ volatile("1: dec %0; jnz 1b" : "+r" (left));
}

int main(void)
{
	pid_t child;
	int i;

	if (pipe(there) || pipe(back))
		return 1;
	/* Fault in the page before messages use it. */
	window[0] = 1;
	child = fork();
	if (child < 0)
		return 1;
	run_on(child ? 0 : 1);
	if (child) {
		give(there[1]);
		take(back[0]);
		say_short(MEMORIZER_MSG_RECORD, 1);
	} else {
		take(there[0]);
		give(back[1]);
	}
	say_short(MEMORIZER_MSG_SCOPE, !child);
	spin();
	for (i = 0; i < ROUNDS; i++) {
		if (child) {
			give(there[1]);
			take(back[0]);
		} else {
			take(there[0]);
			give(back[1]);
		}
	}
	say_short(MEMORIZER_MSG_LEAVE, !child);
	if (!child)
		_exit(0);
	say_short(MEMORIZER_MSG_RECORD, 0);
	wait(NULL);
	puts("stock: done");
	return 0;
}
