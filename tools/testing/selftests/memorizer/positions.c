// SPDX-License-Identifier: GPL-2.0
/*
 * Seek in a file: only the beginning is possible.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define PIECE	40
#define FAR	1000000000

static int fail(const char *what)
{
	printf("# %s: %s\n", what, strerror(errno));
	return 1;
}

static int is_refused(const char *what, long result)
{
	if (result >= 0)
		errno = 0;
	return result < 0 && errno == ESPIPE ? 0 : fail(what);
}

int main(int argc, char **argv)
{
	char first[PIECE], again[PIECE];
	int fd = argc == 2 ? open(argv[1], O_RDONLY) : -1;
	off_t at;
	ssize_t n;

	if (fd < 0)
		return fail("positions FILE");
	n = read(fd, first, sizeof(first));
	if (n <= 0)
		return fail("read");
	at = n;
	if (lseek(fd, 0, SEEK_CUR) != at)
		return fail("lseek to where it is");
	if (is_refused("lseek into the file", lseek(fd, FAR, SEEK_SET)) ||
	    is_refused("pread amid the file", pread(fd, again, sizeof(again), FAR)) ||
	    is_refused("pread before the position", pread(fd, again, sizeof(again), at - 1)))
		return 1;
	/* The current position is valid, too. */
	if (pread(fd, again, sizeof(again), at) <= 0)
		return fail("pread where it is");
	if (lseek(fd, 0, SEEK_SET) || read(fd, again, sizeof(again)) != n)
		return fail("read from the beginning again");
	if (memcmp(first, again, n))
		return fail("the beginning has changed");
	return 0;
}
