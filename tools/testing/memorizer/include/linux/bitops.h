/* SPDX-License-Identifier: GPL-2.0 */
/* Bit searches. */
#ifndef _TEST_LINUX_BITOPS_H
#define _TEST_LINUX_BITOPS_H

#define fls64(x)	((x) ? 64 - __builtin_clzll(x) : 0)

#endif /* _TEST_LINUX_BITOPS_H */
