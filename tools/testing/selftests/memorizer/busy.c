// SPDX-License-Identifier: GPL-2.0
/*
 * busy CPU FILE: a real-time task that occupies its CPU until FILE exists, or until it has
 * checked that very often.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define LOOKS	5000000

int main(int argc, char **argv)
{
	struct sched_param param = { .sched_priority = 99 };
	cpu_set_t cpus;
	long left = LOOKS;

	if (argc != 3)
		return 2;
	CPU_ZERO(&cpus);
	CPU_SET(atoi(argv[1]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus) ||
	    sched_setscheduler(0, SCHED_FIFO, &param)) {
		perror("busy");
		return 1;
	}
	puts("busy");
	fflush(stdout);
	while (access(argv[2], F_OK) && --left)
		;
	puts(left ? "told to end" : "nobody came");
	return 0;
}
