/* SPDX-License-Identifier: GPL-2.0 */
/* Arithmetic helpers. */
#ifndef _TEST_LINUX_KERNEL_H
#define _TEST_LINUX_KERNEL_H

#include <linux/types.h>

#define PAGE_SHIFT	12
#define PAGE_SIZE	BIT(PAGE_SHIFT)
#define PAGE_MASK	(~(PAGE_SIZE - 1))
#define PAGE_ALIGN(at)	(((at) + PAGE_SIZE - 1) & PAGE_MASK)

#define BIT(nr)			(1UL << (nr))
#define BITS_PER_LONG		64
#define BITS_TO_LONGS(bits)	DIV_ROUND_UP(bits, BITS_PER_LONG)
#define BIT_ULL(nr)		(1ULL << (nr))
#define hweight32(x)		((unsigned int)__builtin_popcount(x))
#define ilog2(x)		(63 - __builtin_clzl(x))
#define min_t(type, a, b)	({ type __a = (a); type __b = (b); __a < __b ? __a : __b; })
#define min(a, b)		({ __auto_type __a = (a); __auto_type __b = (b); \
				   __a < __b ? __a : __b; })
#define max(a, b)		({ __auto_type __c = (a); __auto_type __d = (b); \
				   __c > __d ? __c : __d; })
#define clamp(x, low, high)	min(max(x, low), high)
#define round_up(x, to)		((((x) - 1) | ((__typeof__(x))(to) - 1)) + 1)
#define round_down(x, to)	((x) & ~((__typeof__(x))(to) - 1))
#define DIV_ROUND_UP(x, by)	(((x) + (by) - 1) / (by))
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))

#define ZERO_SIZE_PTR		((void *)16)
#define ZERO_OR_NULL_PTR(ptr)	((unsigned long)(ptr) <= (unsigned long)ZERO_SIZE_PTR)

#ifndef static_assert
#define static_assert(condition)	_Static_assert(condition, #condition)
#endif

/* Boot is over. */
#define SYSTEM_BOOTING		0
#define system_state		1

#endif /* _TEST_LINUX_KERNEL_H */
