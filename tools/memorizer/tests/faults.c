// SPDX-License-Identifier: GPL-2.0
/*
 * Makes the opening of a file fail as only a kernel can: linked into memorizer with
 * --wrap=openat64. The environment says which file and how: FAULT=NAME:ERRNO.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

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
