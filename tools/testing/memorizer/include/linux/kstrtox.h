/* SPDX-License-Identifier: GPL-2.0 */
/* Parsing of numbers. */
#ifndef _TEST_LINUX_KSTRTOX_H
#define _TEST_LINUX_KSTRTOX_H

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

static inline int kstrtoull(const char *text, unsigned int base, unsigned long long *number)
{
	char *end;

	if (!isdigit((unsigned char)*text))
		return -EINVAL;
	errno = 0;
	*number = strtoull(text, &end, base);
	return errno ? -errno : *end ? -EINVAL : 0;
}

#endif /* _TEST_LINUX_KSTRTOX_H */
