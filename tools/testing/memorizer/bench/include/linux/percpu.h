/* SPDX-License-Identifier: GPL-2.0 */
/* The own CPU's variables, by the segment register that the kernel has for it, too. */
#ifndef _BENCH_LINUX_PERCPU_H
#define _BENCH_LINUX_PERCPU_H

#include_next <linux/percpu.h>

#define my_cpu(var)	(*(volatile __seg_gs __typeof__(var) *)(unsigned long)&(var))

#undef this_cpu_ptr
#undef this_cpu_read
#undef this_cpu_write
#undef this_cpu_add
#undef this_cpu_cmpxchg
#undef this_cpu_try_cmpxchg

#define this_cpu_read(var)		my_cpu(var)
#define this_cpu_write(var, value)	((void)(my_cpu(var) = (value)))

#define this_cpu_add(var, value)					\
	asm volatile("add%z0 %1, %0"					\
		     : "+m" (my_cpu(var)) : "re" ((__typeof__(var))(value)) : "cc")

#define this_cpu_cmpxchg(var, old, new) ({				\
	__typeof__(var) __old = (old);					\
	asm volatile("cmpxchg%z1 %2, %1"				\
		     : "+a" (__old), "+m" (my_cpu(var))			\
		     : "r" ((__typeof__(var))(new)) : "memory", "cc");	\
	__old;								\
})

#define this_cpu_try_cmpxchg(var, old, new) ({				\
	__typeof__(old) __old = (old);					\
	bool __done;							\
									\
	asm volatile("cmpxchg%z2 %3, %2"				\
		     : "=@ccz" (__done), "+a" (*__old), "+m" (my_cpu(var))	\
		     : "r" ((__typeof__(var))(new)) : "memory");	\
	__done;								\
})

/* What the thunks and <linux/sched.h> look for there. */
struct pcpu_hot {
	struct task_struct *task;
	unsigned int preempt_count;
	unsigned int cpu_number;
};

DECLARE_PER_CPU(struct pcpu_hot, pcpu_hot);

#endif /* _BENCH_LINUX_PERCPU_H */
