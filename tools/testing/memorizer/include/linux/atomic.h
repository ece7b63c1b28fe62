/* SPDX-License-Identifier: GPL-2.0 */
/* Atomic operations: fully ordered, unless their name says otherwise. */
#ifndef _TEST_LINUX_ATOMIC_H
#define _TEST_LINUX_ATOMIC_H

#include <linux/compiler.h>

typedef struct { int counter; } atomic_t;
typedef struct { long counter; } atomic_long_t;
typedef struct { s64 counter; } atomic64_t;

/* Sufficient on x86 next to the operations above. */
#define smp_rmb()			barrier()
#define smp_wmb()			barrier()
#ifdef TEST_SCHED
#define smp_mb__before_atomic()		sched_barrier()
#define smp_mb__after_atomic()		sched_barrier()
#else
#define smp_mb__before_atomic()		barrier()
#define smp_mb__after_atomic()		barrier()
#endif

#define xchg(ptr, new)	__atomic_exchange_n(ptr, new, __ATOMIC_SEQ_CST)

#define try_cmpxchg(ptr, old, new) \
	__atomic_compare_exchange_n(ptr, old, new, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)

#define cmpxchg(ptr, old, new) ({					\
	__typeof__(*(ptr)) __old = (old);				\
	try_cmpxchg(ptr, &__old, new);					\
	__old;								\
})

#ifdef TEST_SCHED
#define ATOMIC_VOID	__ATOMIC_RELAXED
#else
#define ATOMIC_VOID	__ATOMIC_SEQ_CST
#endif
#define atomic_inc(v)	((void)__atomic_fetch_add(&(v)->counter, 1, ATOMIC_VOID))
#define atomic_read(v)				READ_ONCE((v)->counter)
#define atomic_xchg(v, new)			xchg(&(v)->counter, new)
#define atomic_try_cmpxchg(v, old, new)		try_cmpxchg(&(v)->counter, old, new)
#define atomic64_read(v)			READ_ONCE((v)->counter)
#define atomic64_try_cmpxchg(v, old, new)	try_cmpxchg(&(v)->counter, old, new)
#define atomic_long_read(v)			READ_ONCE((v)->counter)
#define atomic_long_set(v, n)			WRITE_ONCE((v)->counter, n)
#define atomic_long_sub(n, v)	((void)__atomic_fetch_sub(&(v)->counter, n, __ATOMIC_RELAXED))
#define atomic_long_dec(v)			atomic_long_sub(1, v)
#define atomic_long_inc(v)			atomic_long_sub(-1, v)

#define atomic_long_try_cmpxchg_relaxed(v, old, new) \
	__atomic_compare_exchange_n(&(v)->counter, old, new, false, \
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED)

#endif /* _TEST_LINUX_ATOMIC_H */
