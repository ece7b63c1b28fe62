/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Single loads and stores, and what the kernel has in every file anyway.
 *
 * READ_ONCE() is the head of address dependencies (from an id to the record, for
 * one). That is consume in C's terms, which compilers make an acquire.
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

/* Keeps the compiler from knowing which variable an address came from. */
#define RELOC_HIDE(ptr, offset) ({					\
	unsigned long __ptr;						\
	asm("" : "=r" (__ptr) : "0" (ptr));				\
	(__typeof__(ptr))(__ptr + (offset));				\
})

#define READ_ONCE(x)			__atomic_load_n(&(x), __ATOMIC_CONSUME)
#define WRITE_ONCE(x, value)		__atomic_store_n(&(x), value, __ATOMIC_RELAXED)
#define smp_load_acquire(ptr)		__atomic_load_n(ptr, __ATOMIC_ACQUIRE)
#define smp_store_release(ptr, value)	__atomic_store_n(ptr, value, __ATOMIC_RELEASE)

#include <linux/kernel.h>

#endif /* _TEST_LINUX_COMPILER_H */
