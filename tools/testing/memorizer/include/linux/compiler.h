/* SPDX-License-Identifier: GPL-2.0 */
/*
 * READ_ONCE() and WRITE_ONCE(), and macros that the kernel includes everywhere.
 *
 * READ_ONCE() starts address dependencies, such as from an id to its record. C has
 * memory_order_consume for that, which compilers implement as acquire.
 */
#ifndef _TEST_LINUX_COMPILER_H
#define _TEST_LINUX_COMPILER_H

#define likely(x)	__builtin_expect(!!(x), 1)
#define unlikely(x)	__builtin_expect(!!(x), 0)
#define OPTIMIZER_HIDE_VAR(var)	asm("" : "=r" (var) : "0" (var))
#define barrier()	asm volatile("" : : : "memory")

#define __aligned(bytes)	__attribute__((aligned(bytes)))
#define __section(name)		__attribute__((section(name)))
#define __weak			__attribute__((weak))
#define noinline		__attribute__((noinline))
#define __read_mostly

/* Hide the origin of an address from the compiler. */
#define RELOC_HIDE(ptr, offset) ({					\
	unsigned long __ptr;						\
	asm("" : "=r" (__ptr) : "0" (ptr));				\
	(__typeof__(ptr))(__ptr + (offset));				\
})

#define READ_ONCE(x)			__atomic_load_n(&(x), __ATOMIC_CONSUME)
#define WRITE_ONCE(x, value)		__atomic_store_n(&(x), value, __ATOMIC_RELAXED)
#define smp_load_acquire(ptr)		__atomic_load_n(ptr, __ATOMIC_ACQUIRE)
#define smp_store_release(ptr, value)	__atomic_store_n(ptr, value, __ATOMIC_RELEASE)

/* The deterministic scheduler sees other operations by their instrumentation. */
#ifdef TEST_SCHED
void sched_barrier(void);
void sched_local_add(void *ptr, unsigned int size, unsigned long long value);
unsigned long long sched_local_cmpxchg(void *ptr, unsigned int size, unsigned long long old,
				       unsigned long long new);
#endif

#include <linux/kernel.h>

#endif /* _TEST_LINUX_COMPILER_H */
