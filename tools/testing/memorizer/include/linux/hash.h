/* SPDX-License-Identifier: GPL-2.0 */
/* The multiplier of multiplicative hashes. */
#ifndef _TEST_LINUX_HASH_H
#define _TEST_LINUX_HASH_H

#define GOLDEN_RATIO_32	0x61c88647

#endif /* _TEST_LINUX_HASH_H */
