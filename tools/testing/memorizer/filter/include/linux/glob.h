/* SPDX-License-Identifier: GPL-2.0 */
/* Implemented by the kernel's lib/glob.c. */
#ifndef _TEST_LINUX_GLOB_H
#define _TEST_LINUX_GLOB_H

#include <linux/types.h>

#define __pure		__attribute__((pure))
#define fallthrough	__attribute__((fallthrough))

bool glob_match(const char *pat, const char *str);
bool glob_match_len(const char *pat, const char *str, size_t len);

#endif /* _TEST_LINUX_GLOB_H */
