// SPDX-License-Identifier: GPL-2.0
/*
 * Let files behave like a kernel's: linked into memorizer with --wrap=openat64, --wrap=read and
 * --wrap=statfs64. In the environment, FAULT=NAME:ERRNO makes openat(2) of a file fail, and
 * DEBUGFS=NAME puts a file on debugfs. A blocking read of an empty FIFO returns end of file, as
 * with the stream's files.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/vfs.h>
#include <unistd.h>

int __real_openat64(int dir, const char *name, int flags, ...);
int __wrap_openat64(int dir, const char *name, int flags, ...);

int __wrap_openat64(int dir, const char *name, int flags, ...)
{
	const char *fault = getenv("FAULT");
	size_t len = strlen(name);
	mode_t mode = 0;
	va_list args;

	if (fault && !strncmp(fault, name, len) && fault[len] == ':') {
		errno = atoi(fault + len + 1);
		return -1;
	}
	if (flags & O_CREAT) {
		va_start(args, flags);
		mode = va_arg(args, mode_t);
		va_end(args);
	}
	return __real_openat64(dir, name, flags, mode);
}

ssize_t __real_read(int fd, void *buffer, size_t size);
ssize_t __wrap_read(int fd, void *buffer, size_t size);

ssize_t __wrap_read(int fd, void *buffer, size_t size)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;
	ssize_t n;

	if (flags < 0 || flags & O_NONBLOCK || fstat(fd, &st) || !S_ISFIFO(st.st_mode))
		return __real_read(fd, buffer, size);
	fcntl(fd, F_SETFL, flags | O_NONBLOCK);
	n = __real_read(fd, buffer, size);
	fcntl(fd, F_SETFL, flags);
	return n < 0 && errno == EAGAIN ? 0 : n;
}

int __real_statfs64(const char *name, struct statfs *fs);
int __wrap_statfs64(const char *name, struct statfs *fs);

int __wrap_statfs64(const char *name, struct statfs *fs)
{
	const char *in_debugfs = getenv("DEBUGFS");
	int ret = __real_statfs64(name, fs);

	if (!ret && in_debugfs && !strcmp(name, in_debugfs))
		fs->f_type = DEBUGFS_MAGIC;
	return ret;
}
