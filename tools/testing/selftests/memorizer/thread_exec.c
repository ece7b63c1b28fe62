// SPDX-License-Identifier: GPL-2.0
/*
 * A thread other than the main thread executes this program again, and thereby takes over the
 * pid of the main thread. It writes to pipes and prints its current and previous pid.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PIPES	10

static void *execute(void *program)
{
	char had[16];

	snprintf(had, sizeof(had), "%ld", syscall(SYS_gettid));
	execl("/proc/self/exe", program, had, NULL);
	perror("thread_exec");
	exit(1);
}

static int write_to_pipes(const char *had)
{
	int ends[2], i;

	for (i = 0; i < PIPES; i++) {
		if (pipe(ends) || write(ends[1], had, 1) != 1) {
			perror("thread_exec: pipe");
			return 1;
		}
		close(ends[0]);
		close(ends[1]);
	}
	printf("%d %s\n", getpid(), had);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	if (argc > 1)
		return write_to_pipes(argv[1]);
	if (pthread_create(&thread, NULL, execute, argv[0])) {
		fputs("thread_exec: no thread\n", stderr);
		return 1;
	}
	for (;;)
		pause();
}
