// SPDX-License-Identifier: GPL-2.0
/*
 * Does with a file of the stream what a shell cannot, and says what came of it:
 * stream_reader nonblock|twice|seek|poll FILE.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char buffer[1 << 16];

static int say(long result)
{
	printf("%s\n", result < 0 ? strerror(errno) : "ok");
	return 0;
}

/* Reads without waiting until there is nothing, then says why. */
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

/* Waits for a packet; the shell makes one meanwhile. */
static int do_poll(const char *file)
{
	struct pollfd poller = { .fd = open(file, O_RDONLY | O_NONBLOCK), .events = POLLIN };

	puts(poll(&poller, 1, 0) ? "ready at once" : "not ready");
	fflush(stdout);
	if (poll(&poller, 1, -1) != 1 || !(poller.revents & POLLIN))
		return !puts("poll failed");
	return say(read(poller.fd, buffer, sizeof(buffer)));
}

int main(int argc, char **argv)
{
	const char *what = argc == 3 ? argv[1] : "";

	if (!strcmp(what, "nonblock"))
		return do_nonblock(argv[2]);
	if (!strcmp(what, "twice"))
		return do_twice(argv[2]);
	if (!strcmp(what, "seek"))
		return do_seek(argv[2]);
	if (!strcmp(what, "poll"))
		return do_poll(argv[2]);
	fprintf(stderr, "usage: stream_reader nonblock|twice|seek|poll FILE\n");
	return 2;
}
