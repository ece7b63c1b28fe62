/* SPDX-License-Identifier: GPL-2.0 */
/* Multiplicative hashes. */
#ifndef _TEST_LINUX_HASH_H
#define _TEST_LINUX_HASH_H

#define GOLDEN_RATIO_32	0x61c88647
#define GOLDEN_RATIO_64	0x61c8864680b583ebUL

#define hash_64(value, bits)	((value) * GOLDEN_RATIO_64 >> (64 - (bits)))

#define hash_long(value, bits)	hash_64(value, bits)

#endif /* _TEST_LINUX_HASH_H */
