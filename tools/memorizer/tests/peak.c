// SPDX-License-Identifier: GPL-2.0
/* Run a command and print its user time and peak memory to standard error: "MS KB". */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 2) {
		fprintf(stderr, "usage: peak COMMAND...\n");
		return EXIT_FAILURE;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid) {
		perror("peak");
		return EXIT_FAILURE;
	}
	fprintf(stderr, "%lld %ld\n",
		usage.ru_utime.tv_sec * 1000ll + usage.ru_utime.tv_usec / 1000,
		usage.ru_maxrss);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
