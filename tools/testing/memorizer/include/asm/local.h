/* SPDX-License-Identifier: GPL-2.0 */
/* Counters that only their own CPU changes, with one instruction. */
#ifndef _TEST_ASM_LOCAL_H
#define _TEST_ASM_LOCAL_H

#include <linux/percpu.h>

typedef struct { long counter; } local_t;

#define local_read(l)		READ_ONCE((l)->counter)
#define local_set(l, value)	WRITE_ONCE((l)->counter, value)
#define local_add(n, l)		percpu_add(&(l)->counter, (long)(n))

#define local_try_cmpxchg(l, old, new) ({				\
	__typeof__(old) __expected = (old);				\
	long __want = *__expected;					\
	*__expected = percpu_cmpxchg(&(l)->counter, __want, new);	\
	*__expected == __want;						\
})

#endif /* _TEST_ASM_LOCAL_H */
