/* SPDX-License-Identifier: GPL-2.0 */
/* 64-bit arithmetic. */
#ifndef _TEST_LINUX_MATH64_H
#define _TEST_LINUX_MATH64_H

#include <linux/kernel.h>

static inline u64 mul_u64_u64_shr(u64 a, u64 b, unsigned int shift)
{
	return (unsigned __int128)a * b >> shift;
}

#endif /* _TEST_LINUX_MATH64_H */
