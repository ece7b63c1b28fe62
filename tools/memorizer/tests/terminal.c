// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a command whose standard error is a terminal, with -o its standard output too, and
 * copies what it says there.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(const char *terminal, bool output, char **command)
{
	int fd = open(terminal, O_RDWR | O_NOCTTY);

	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0 || (output && dup2(fd, STDOUT_FILENO) < 0))
		_exit(127);
	close(fd);
	execvp(*command, command);
	_exit(127);
}

int main(int argc, char **argv)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status;
	char buffer[4096];
	ssize_t n;
	bool output = argc > 2 && !strcmp(argv[1], "-o");
	pid_t pid;

	if (argc < 2 || fd < 0 || grantpt(fd) || unlockpt(fd)) {
		perror("terminal");
		return EXIT_FAILURE;
	}
	pid = fork();
	if (!pid)
		run(ptsname(fd), output, argv + 1 + output);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0) {	/* fails when it is closed */
		fwrite(buffer, 1, n, stdout);
		fflush(stdout);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return EXIT_FAILURE;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
