/* SPDX-License-Identifier: GPL-2.0 */
/* Upper and lower case. */
#ifndef _TEST_LINUX_CTYPE_H
#define _TEST_LINUX_CTYPE_H

#include <ctype.h>

static inline unsigned char __tolower(unsigned char c)
{
	return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c;
}

#endif /* _TEST_LINUX_CTYPE_H */
