/* SPDX-License-Identifier: GPL-2.0 */
/* Cache lines, and placement of variables, which is ignored here. */
#ifndef _TEST_LINUX_CACHE_H
#define _TEST_LINUX_CACHE_H

#include <linux/compiler.h>

#define SMP_CACHE_BYTES			64
#define ____cacheline_aligned_in_smp	__aligned(SMP_CACHE_BYTES)
#define __read_mostly
#define __ro_after_init

#endif /* _TEST_LINUX_CACHE_H */
