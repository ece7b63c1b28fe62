/* SPDX-License-Identifier: GPL-2.0 */
/* Memory and strings. */
#ifndef _TEST_LINUX_STRING_H
#define _TEST_LINUX_STRING_H

#include <errno.h>
#include <string.h>

static inline long strscpy(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size);

	if (length == size)
		return -E2BIG;
	memcpy(to, from, length + 1);
	return length;
}

#endif /* _TEST_LINUX_STRING_H */
