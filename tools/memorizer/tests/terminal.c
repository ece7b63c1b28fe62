// SPDX-License-Identifier: GPL-2.0
/*
 * Run a command with a terminal as its standard error, with -o also as its standard output, and
 * with -i also as its standard input, where standard input is typed. Copy the terminal's output.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static void run(const char *terminal, bool output, bool input, char **command)
{
	int fd = open(terminal, O_RDWR | O_NOCTTY);

	if (fd < 0 || dup2(fd, STDERR_FILENO) < 0 || (output && dup2(fd, STDOUT_FILENO) < 0) ||
	    (input && dup2(fd, STDIN_FILENO) < 0))
		_exit(127);
	close(fd);
	execvp(*command, command);
	_exit(127);
}

/* Type standard input, in a child process. */
static void type(int fd)
{
	char buffer[4096];
	ssize_t n;

	if (fork())
		return;
	while ((n = read(STDIN_FILENO, buffer, sizeof(buffer))) > 0)
		if (write(fd, buffer, n) != n)
			break;
	_exit(0);
}

int main(int argc, char **argv)
{
	int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC), status;
	char buffer[4096];
	ssize_t n;
	bool input = argc > 2 && !strcmp(argv[1], "-i");
	bool output = input || (argc > 2 && !strcmp(argv[1], "-o"));
	pid_t pid;

	if (argc < 2 || fd < 0 || grantpt(fd) || unlockpt(fd)) {
		perror("terminal");
		return EXIT_FAILURE;
	}
	pid = fork();
	if (!pid)
		run(ptsname(fd), output, input, argv + 1 + output);
	if (input)
		type(fd);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0) {	/* fails on hangup */
		fwrite(buffer, 1, n, stdout);
		fflush(stdout);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return EXIT_FAILURE;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
