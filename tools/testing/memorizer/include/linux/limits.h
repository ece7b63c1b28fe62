/* SPDX-License-Identifier: GPL-2.0 */
/* Limits of the kernel's types. */
#ifndef _TEST_LINUX_LIMITS_H
#define _TEST_LINUX_LIMITS_H

#include <limits.h>

#include_next <linux/limits.h>

#define U16_MAX	((u16)~0U)
#define U32_MAX	((u32)~0U)
#define S16_MAX	((s16)(U16_MAX >> 1))
#define S64_MAX	((s64)(~0ULL >> 1))
#define U64_MAX		(~0ULL)

#endif /* _TEST_LINUX_LIMITS_H */
