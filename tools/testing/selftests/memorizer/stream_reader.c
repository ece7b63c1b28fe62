// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on the stream's files that a shell cannot do, with a printed result:
 * stream_reader nonblock|twice|seek|poll FILE, stream_reader modules COPY. Also makes
 * system calls and finds their events: stream_reader calls N,
 * stream_reader entries COPIES PID [CALL].
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static char buffer[1 << 16];

static int say(long result)
{
	printf("%s\n", result < 0 ? strerror(errno) : "ok");
	return 0;
}

/* Read without blocking until read(2) fails; print the reason. */
static int do_nonblock(const char *file)
{
	int fd = open(file, O_RDONLY | O_NONBLOCK);
	ssize_t n;

	if (fd < 0)
		return say(fd);
	while ((n = read(fd, buffer, sizeof(buffer))) > 0)
		;
	return n ? say(n) : !puts("end of file");
}

static int do_twice(const char *file)
{
	int fd = open(file, O_RDONLY);

	if (fd < 0)
		return say(fd);
	return say(open(file, O_RDONLY));
}

static int do_seek(const char *file)
{
	return say(lseek(open(file, O_RDONLY), 0, SEEK_CUR));
}

/* Wait for a packet, which the shell causes meanwhile. */
static int do_poll(const char *file)
{
	struct pollfd poller = { .fd = open(file, O_RDONLY | O_NONBLOCK), .events = POLLIN };

	puts(poll(&poller, 1, 0) ? "ready at once" : "not ready");
	fflush(stdout);
	if (poll(&poller, 1, -1) != 1 || !(poller.revents & POLLIN))
		return !puts("poll failed");
	return say(read(poller.fd, buffer, sizeof(buffer)));
}

/* The event module, without its header. */
struct module_event {
	unsigned char loaded;
	unsigned long base;
	unsigned int size;
	unsigned long init_base;
	unsigned int init_size;
	unsigned long jiffies;
	unsigned char build_id[20];
	char name[];
} __attribute__((packed));

#define MODULE_EVENT	10

/* Print the events of the test module in a copy of the file. */
static int do_modules(const char *file)
{
	static const char name[] = "memorizer_test_module";
	size_t lead = 8 + sizeof(struct module_event), size, i;
	static unsigned char copy[1 << 24];
	const struct module_event *event;
	const unsigned char *at = copy;
	FILE *f = fopen(file, "r");

	if (!f)
		return say(-1);
	size = fread(copy, 1, sizeof(copy), f);
	while ((at = memmem(at, copy + size - at, name, sizeof(name)))) {
		event = (const void *)(at - sizeof(*event));
		if (at - copy >= (long)lead && at[-(long)lead] == MODULE_EVENT) {
			printf("%s %lx %x %d %lu ", event->loaded ? "load" : "unload",
			       event->base, event->size, event->init_size != 0,
			       event->jiffies);
			for (i = 0; i < sizeof(event->build_id); i++)
				printf("%02x", event->build_id[i]);
			puts("");
		}
		at++;
	}
	return 0;
}

/* Make N calls that libc does not make by itself; print the pid. */
static int do_calls(const char *number)
{
	long n = atol(number);

	while (n--)
		syscall(SYS_getpgid, 0);
	printf("%d\n", getpid());
	return 0;
}

/* The events enter and leave, with their headers. */
struct entry_event {
	unsigned char id;
	unsigned char time[7];
	unsigned char kind;
	unsigned int number;
	unsigned int pid;
} __attribute__((packed));

#define ENTER_EVENT	12
#define LEAVE_EVENT	13
#define ENTRY_SYSCALL	1

/*
 * Count a task's events of one system call. The bytes after id and time (kind, number and
 * pid) occur nowhere else in a copy.
 */
static int do_entries(const char *file, unsigned int pid, unsigned int call)
{
	struct entry_event want = { .kind = ENTRY_SYSCALL, .number = call, .pid = pid };
	size_t size, left = offsetof(struct entry_event, kind);
	static unsigned char copy[1 << 24];
	const unsigned char *at = copy;
	const char *order = "in turn";
	long entered = 0, gone = 0;
	FILE *f = fopen(file, "r");
	int id;

	if (!f)
		return say(-1);
	size = fread(copy, 1, sizeof(copy), f);
	while ((at = memmem(at, copy + size - at, (char *)&want + left, sizeof(want) - left))) {
		id = at - copy >= (long)left ? at[-(long)left] : 0;
		if (id == LEAVE_EVENT && gone++ >= entered)
			order = "leave first";
		else if (id == ENTER_EVENT && entered++ != gone && !strcmp(order, "in turn"))
			order = "mixed up";
		at++;
	}
	return !printf("%ld enter, %ld leave, %s\n", entered, gone, order);
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";

	if ((argc == 4 || argc == 5) && !strcmp(argv[1], "entries"))
		return do_entries(argv[2], atoi(argv[3]), argc == 5 ? atoi(argv[4]) : SYS_getpgid);
	if (!strcmp(what, "calls"))
		return do_calls(argv[2]);
	if (!strcmp(what, "nonblock"))
		return do_nonblock(argv[2]);
	if (!strcmp(what, "twice"))
		return do_twice(argv[2]);
	if (!strcmp(what, "seek"))
		return do_seek(argv[2]);
	if (!strcmp(what, "poll"))
		return do_poll(argv[2]);
	if (!strcmp(what, "modules"))
		return do_modules(argv[2]);
	fprintf(stderr, "usage: stream_reader nonblock|twice|seek|poll|modules|calls|entries FILE\n");
	return 2;
}
