/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's names of basic types. */
#ifndef _TEST_LINUX_TYPES_H
#define _TEST_LINUX_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include_next <linux/types.h>

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;
typedef unsigned int gfp_t;
typedef u64 phys_addr_t;

#define __user

#endif /* _TEST_LINUX_TYPES_H */
