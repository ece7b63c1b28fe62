// SPDX-License-Identifier: GPL-2.0
/*
 * Do a known amount of work on one CPU, in scopes. tests/context.sh compares the analyses of its
 * trace with that.
 *
 * Usage: context-calls known | guarded
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PARAMETER(module, name) "/sys/module/memorizer_test_" module "/parameters/" name

static int marker;

static void check(int ok, const char *what)
{
	if (!ok) {
		perror(what);
		exit(1);
	}
}

static int open_to_write(const char *path)
{
	int fd = open(path, O_WRONLY);

	check(fd >= 0, path);
	return fd;
}

static void say(int fd, const char *text)
{
	check(write(fd, text, strlen(text)) == (ssize_t)strlen(text), text);
}

static void calls(void)
{
	struct stat st;
	int i;

	for (i = 0; i < 1000; i++)
		syscall(SYS_getppid);
	for (i = 0; i < 700; i++)
		check(!syscall(SYS_stat, "/", &st), "stat");
}

/* 17 calls of write(), including those to the marker */
static void known(void)
{
	int locks = open_to_write(PARAMETER("context", "locks"));
	int pattern = open_to_write(PARAMETER("sharing", "pattern"));
	int i;

	say(marker, "scope calls");
	calls();
	say(marker, "leave calls");
	say(marker, "scope locks");
	say(locks, "500");
	say(marker, "leave locks");
	say(marker, "scope sharing");
	for (i = 0; i < 10; i++)
		say(pattern, "false_sharing 3");
	say(marker, "leave sharing");
}

static void guarded(void)
{
	int fd = open_to_write(PARAMETER("context", "guarded"));

	say(marker, "scope guarded");
	say(fd, "30 20");
	say(marker, "leave guarded");
}

int main(int argc, char **argv)
{
	cpu_set_t first;

	CPU_ZERO(&first);
	CPU_SET(0, &first);
	check(!sched_setaffinity(0, sizeof(first), &first), "sched_setaffinity");
	marker = open_to_write("/sys/kernel/debug/memorizer/marker");
	if (argc == 2 && !strcmp(argv[1], "known"))
		known();
	else if (argc == 2 && !strcmp(argv[1], "guarded"))
		guarded();
	else
		return 2;
	return 0;
}
