// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark of Memorizer's core: threads that act as CPUs.
 */
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <asm/prctl.h>

#include "bench.h"

DEFINE_PER_CPU(struct pcpu_hot, pcpu_hot);

__thread struct task_struct this_task = { .comm = "bench" };
__thread unsigned long chances_to_schedule;
unsigned long test_jiffies = 1000;
char *percpu_areas;
unsigned int possible_cpus = BENCH_CPUS;
static unsigned long tables;

/* Allocate populated, zeroed memory, in huge pages if available, like the kernel's. */
static void *memory(size_t size)
{
	size_t whole = round_up(size, 2UL << 20);
	void *ptr = aligned_alloc(2UL << 20, whole);

	CHECK(ptr);
	madvise(ptr, whole, MADV_HUGEPAGE);
	return memset(ptr, 0, whole);
}

static void *reserve_table(size_t size)
{
	tables += size;
	return memory(size);
}

/**
 * bench_boot() - start the core, as memorizer_init_pool() does in the kernel
 * @pool_size: bytes of the pool
 */
void bench_boot(unsigned long pool_size)
{
	size_t pattern = __stop_percpu - __start_percpu;
	unsigned int cpu;

	percpu_areas = memory(CONFIG_NR_CPUS * round_up(pattern, 64));
	for (cpu = 0; cpu < CONFIG_NR_CPUS; cpu++)
		memcpy(percpu_areas + cpu * round_up(pattern, 64), __start_percpu, pattern);
	memorizer_caches_init();
	CHECK_EQ(memorizer_entry_table_init(reserve_table, pool_size), 0);
	CHECK_EQ(memorizer_index_init(memory, OBJECTS, OBJECTS_END - OBJECTS, NULL), 0);
	memorizer_pool_init(memory(pool_size), pool_size);
	CHECK_EQ(memorizer_set_enabled(true), 0);
	become(0, 1);
}

/**
 * bench_tables() - get the size of all CPUs' hash tables
 *
 * Return: the size in bytes
 */
unsigned long bench_tables(void)
{
	return tables;
}

/**
 * set_pid() - continue as another task
 * @pid: the task
 */
void set_pid(int pid)
{
	WRITE_ONCE(this_task.pid, pid);
	this_cpu_write(memorizer_current_key, (u64)~pid << 32);
}

/**
 * become() - continue as a task on a CPU
 * @cpu: the CPU, which no other thread may use meanwhile
 * @pid: the task
 */
void become(unsigned int cpu, int pid)
{
	CHECK_EQ(syscall(SYS_arch_prctl, ARCH_SET_GS, percpu_offset(cpu)), 0);
	set_pid(pid);
	this_cpu_write(pcpu_hot.task, &this_task);
	this_cpu_write(pcpu_hot.cpu_number, cpu);
}

void memorizer_grace_period(void)
{
}

/* Stub: no filters of objects. */
unsigned int memorizer_choose_object(const void *ptr, enum memorizer_object_kind kind,
				     unsigned long ip)
{
	return BIT(MEMORIZER_RECORDED);
}

/* Stub: cache lines are not tracked. */
struct memorizer_line_table *memorizer_line_table;

void memorizer_traffic(unsigned long addr, unsigned long size, unsigned int kind,
		       unsigned long ip)
{
	CHECK(!addr);
}

static void (*run_on_cpu)(unsigned int cpu);

static void *start_cpu(void *data)
{
	unsigned int cpu = (unsigned long)data;
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu % sysconf(_SC_NPROCESSORS_ONLN), &set);
	sched_setaffinity(0, sizeof(set), &set);
	become(cpu, cpu + 1);
	run_on_cpu(cpu);
	return NULL;
}

/**
 * run_cpus() - run a function on several CPUs at once, pinned to the machine's CPUs
 * @count: number of CPUs, which may be larger than that of the machine
 * @run: the function
 */
void run_cpus(unsigned int count, void (*run)(unsigned int cpu))
{
	pthread_t threads[BENCH_CPUS];
	unsigned long cpu;

	run_on_cpu = run;
	for (cpu = 0; cpu < count; cpu++)
		CHECK_EQ(pthread_create(&threads[cpu], NULL, start_cpu, (void *)cpu), 0);
	for (cpu = 0; cpu < count; cpu++)
		pthread_join(threads[cpu], NULL);
}
