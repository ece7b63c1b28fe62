// SPDX-License-Identifier: GPL-2.0
/*
 * Workloads of the bench: commands, and those that busybox has no command for: many small
 * files, echo through a socket, and messages through pipes as in hackbench.
 *
 * Under QEMU's -icount shift=0, the run time of processes is their guest instructions;
 * idle time does not count.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MESSAGE 100

static char buffer[4096];

static void check(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static pid_t start(void)
{
	pid_t child = fork();

	check(child >= 0, "fork");
	return child;
}

/* Keep two communicating tasks on one CPU; otherwise, their placement is random. */
static void bind_pair(int pair)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(pair % cpus, &set);
	check(!sched_setaffinity(0, sizeof(set), &set), "sched_setaffinity");
}

static void await(pid_t child)
{
	int status;

	check(waitpid(child, &status, 0) > 0 && !status, "wait for a child");
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Run a command; print @name, its run time and the elapsed time, both in us. */
static int time_command(const char *name, char **command)
{
	struct rusage children;
	double begin = now();
	pid_t child = start();

	if (!child) {
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	await(child);
	begin = now() - begin;
	check(!getrusage(RUSAGE_CHILDREN, &children), "getrusage");
	printf("%s %.0f %.0f\n", name,
	       (children.ru_utime.tv_sec + children.ru_stime.tv_sec) * 1e6 +
	       children.ru_utime.tv_usec + children.ru_stime.tv_usec, begin * 1e6);
	return 0;
}

/* Create @count files of one page in /tmp, read and remove them. */
static int small_files(int count)
{
	char name[64];
	int i, fd;

	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "/tmp/small.%d", i);
		fd = open(name, O_CREAT | O_EXCL | O_WRONLY, 0600);
		check(fd >= 0 && write(fd, buffer, sizeof(buffer)) == sizeof(buffer), name);
		close(fd);
	}
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "/tmp/small.%d", i);
		fd = open(name, O_RDONLY);
		check(fd >= 0 && read(fd, buffer, sizeof(buffer)) == sizeof(buffer), name);
		close(fd);
	}
	for (i = 0; i < count; i++) {
		snprintf(name, sizeof(name), "/tmp/small.%d", i);
		check(!unlink(name), name);
	}
	return 0;
}

/* Read @size bytes, or up to the end of the file. */
static int read_all(int fd, size_t size)
{
	size_t done = 0;
	ssize_t n;

	while (done < size && (n = read(fd, buffer + done, size - done)) > 0)
		done += n;
	return done == size;
}

/* A client sends @count messages to a server and waits for each answer. */
static int echo(int count)
{
	pid_t server;
	int fd[2], i;

	check(!socketpair(AF_UNIX, SOCK_STREAM, 0, fd), "socketpair");
	bind_pair(0);
	server = start();
	if (!server) {
		close(fd[0]);
		while (read_all(fd[1], MESSAGE))
			check(write(fd[1], buffer, MESSAGE) == MESSAGE, "answer");
		_exit(0);
	}
	close(fd[1]);
	for (i = 0; i < count; i++)
		check(write(fd[0], buffer, MESSAGE) == MESSAGE && read_all(fd[0], MESSAGE), "echo");
	close(fd[0]);
	await(server);
	return 0;
}

/* Half of @tasks send @count messages each to the other half, through a pipe. */
static int pipes(int tasks, int count)
{
	pid_t child[64];
	int fd[2], i, n;

	check(tasks >= 2 && tasks <= 64 && tasks % 2 == 0, "an even number of tasks");
	for (i = 0; i < tasks; i += 2) {
		check(!pipe(fd), "pipe");
		child[i] = start();
		if (!child[i]) {
			bind_pair(i / 2);
			for (n = 0; n < count; n++)
				check(write(fd[1], buffer, MESSAGE) == MESSAGE, "send");
			_exit(0);
		}
		child[i + 1] = start();
		if (!child[i + 1]) {
			bind_pair(i / 2);
			for (n = 0; n < count; n++)
				check(read_all(fd[0], MESSAGE), "receive");
			_exit(0);
		}
		close(fd[0]);
		close(fd[1]);
	}
	for (i = 0; i < tasks; i++)
		await(child[i]);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && !strcmp(argv[1], "time"))
		return time_command(argv[2], argv + 3);
	if (argc == 3 && !strcmp(argv[1], "files"))
		return small_files(atoi(argv[2]));
	if (argc == 3 && !strcmp(argv[1], "echo"))
		return echo(atoi(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "pipes"))
		return pipes(atoi(argv[2]), atoi(argv[3]));
	fputs("usage: bench-work time NAME COMMAND... | files COUNT | echo COUNT | pipes TASKS COUNT\n", stderr);
	return 2;
}
