/* SPDX-License-Identifier: GPL-2.0 */
/* Counters that only their own CPU changes, each time with one instruction. */
#ifndef _TEST_ASM_LOCAL_H
#define _TEST_ASM_LOCAL_H

#include <linux/percpu.h>

typedef struct { long counter; } local_t;

#define local_read(l)		READ_ONCE((l)->counter)
#define local_set(l, value)	WRITE_ONCE((l)->counter, value)
#define local_inc(l)		percpu_add(&(l)->counter, 1)

#endif /* _TEST_ASM_LOCAL_H */
