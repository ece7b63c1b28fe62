/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Per-CPU variables, for threads that act as CPUs.
 *
 * As in the kernel, linked variables are only a template: each CPU has a copy of their section.
 * The address of a CPU's variable is the template's address plus the CPU's offset.
 *
 * this_cpu operations are single instructions, which interrupts (signals) cannot split, but
 * without a lock prefix, so that they are not atomic for other CPUs. ThreadSanitizer sees loads
 * and stores; there are no interrupts under it. Writes are releases, because they may rely on
 * an earlier full barrier: C's atomic operations do not order later plain accesses.
 */
#ifndef _TEST_LINUX_PERCPU_H
#define _TEST_LINUX_PERCPU_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/preempt.h>

#define TEST_CPUS	8
#define CONFIG_NR_CPUS	128

/* TEST_CPUS, unless a test needs more CPUs that do not run concurrently. */
extern unsigned int possible_cpus;

extern char __start_percpu[], __stop_percpu[];
extern char *percpu_areas;

static inline unsigned long percpu_offset(unsigned int cpu)
{
	unsigned long size = round_up(__stop_percpu - __start_percpu, 64);

	return (unsigned long)percpu_areas + cpu * size - (unsigned long)__start_percpu;
}

#define DEFINE_PER_CPU_READ_MOSTLY(type, name)	DEFINE_PER_CPU(type, name)
#define DEFINE_PER_CPU_SHARED_ALIGNED(type, name) \
	DEFINE_PER_CPU(type, name) __aligned(SMP_CACHE_BYTES)

#define DECLARE_PER_CPU(type, name)	extern __typeof__(type) name
#define DECLARE_PER_CPU_READ_MOSTLY(type, name)	DECLARE_PER_CPU(type, name)
#define DEFINE_PER_CPU(type, name) \
	__section("percpu") __typeof__(type) name

#define nr_cpu_ids			possible_cpus
#define num_possible_cpus()		possible_cpus
#define nr_cpu_ids			possible_cpus
#define for_each_possible_cpu(cpu)	for ((cpu) = 0; (cpu) < possible_cpus; (cpu)++)

#define per_cpu_ptr(ptr, cpu)	RELOC_HIDE(ptr, percpu_offset(cpu))
#define per_cpu(var, cpu)	(*per_cpu_ptr(&(var), cpu))
#define this_cpu_ptr(ptr)	per_cpu_ptr(ptr, smp_processor_id())

#define this_cpu_read(var)		READ_ONCE(*this_cpu_ptr(&(var)))
#define __this_cpu_read(var)		this_cpu_read(var)
#ifdef TEST_SCHED
#define this_cpu_write(var, value)	WRITE_ONCE(*this_cpu_ptr(&(var)), value)
#else
#define this_cpu_write(var, value)	smp_store_release(this_cpu_ptr(&(var)), value)
#endif
#define this_cpu_add(var, value)	percpu_add(this_cpu_ptr(&(var)), value)
#define this_cpu_sub(var, value)	this_cpu_add(var, -(value))
#define this_cpu_inc(var)		this_cpu_add(var, 1)
#define this_cpu_dec(var)		this_cpu_sub(var, 1)
#define this_cpu_cmpxchg(var, old, new)	percpu_cmpxchg(this_cpu_ptr(&(var)), old, new)

#define this_cpu_try_cmpxchg(var, old, new) ({				\
	__typeof__(old) __expected = (old);				\
	__typeof__(*__expected) __want = *__expected;			\
	*__expected = this_cpu_cmpxchg(var, __want, new);		\
	*__expected == __want;						\
})

#ifdef TEST_SCHED

#define percpu_add(ptr, value) \
	sched_local_add(ptr, sizeof(*(ptr)), (unsigned long)(__typeof__(*(ptr)))(value))

#define percpu_cmpxchg(ptr, old, new) \
	((__typeof__(*(ptr)))sched_local_cmpxchg(ptr, sizeof(*(ptr)), (unsigned long)(old), \
						 (unsigned long)(new)))

/* clang lacks %z. What it compiles has no interrupts, either. */
#elif defined(__SANITIZE_THREAD__) || defined(__clang__)

#define percpu_add(ptr, value) ({					\
	__typeof__(ptr) __p = (ptr);					\
	WRITE_ONCE(*__p, READ_ONCE(*__p) + (value));			\
})

#define percpu_cmpxchg(ptr, old, new) ({				\
	__typeof__(*(ptr)) __old = (old);				\
	__atomic_compare_exchange_n(ptr, &__old, new, false,		\
				    __ATOMIC_RELAXED, __ATOMIC_RELAXED);\
	__old;								\
})

#else

#define percpu_add(ptr, value) ({					\
	__typeof__(ptr) __p = (ptr);					\
	asm volatile("add%z0 %1, %0"					\
		     : "+m" (*__p) : "re" ((__typeof__(*__p))(value)) : "memory", "cc"); \
})

#define percpu_cmpxchg(ptr, old, new) ({				\
	__typeof__(ptr) __p = (ptr);					\
	__typeof__(*__p) __old = (old);					\
	asm volatile("cmpxchg%z1 %2, %1"				\
		     : "+a" (__old), "+m" (*__p)			\
		     : "r" ((__typeof__(*__p))(new)) : "memory", "cc");	\
	__old;								\
})

#endif

#endif /* _TEST_LINUX_PERCPU_H */
