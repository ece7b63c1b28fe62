/* SPDX-License-Identifier: GPL-2.0 */
/* Sizes in bytes. */
#define SZ_64K	0x10000
