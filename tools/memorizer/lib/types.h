/* SPDX-License-Identifier: GPL-2.0 */
/* Types and macros named as in the kernel. */
#ifndef TYPES_H
#define TYPES_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>

/* Unlike uint64_t and uint32_t, printed by %llu and %u on every architecture. */
typedef unsigned long long u64;
typedef unsigned int u32;

static_assert(sizeof(u64) == 8 && sizeof(u32) == 4, "u64 has 64 bits, u32 has 32");

#define U64_MAX		(~0ULL)
#define U32_MAX		(~0U)

#define ERROR_MAX	512	/* bytes of an error message, with its NUL */

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))
#define __printf(a, b)	__attribute((format(printf, a, b)))

#endif
