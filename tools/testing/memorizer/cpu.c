// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: threads that act as CPUs, and grace periods between them.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <linux/atomic.h>
#include <linux/percpu.h>

#include "test.h"

__thread struct task_struct this_task = { .pid = 1, .memorizer_key = 1UL << 32, .comm = "test" };
__thread unsigned long chances_to_schedule;
unsigned long test_jiffies = 1000;
char *percpu_areas;
unsigned int possible_cpus = TEST_CPUS;

/* Interrupts (signal handlers) restore these. */
static __thread unsigned int this_cpu;
static __thread bool in_interrupt;
static __thread bool no_interrupts;
static __thread unsigned int preempt_depth[2];

/*
 * Odd while preemption is disabled on the CPU. One for tasks and one for interrupts, because an
 * interrupt may arrive between any two instructions of a task. Only its own CPU writes it.
 */
static struct {
	unsigned long section[2];
} __aligned(64) cpus[CONFIG_NR_CPUS];

static __attribute__((constructor)) void make_percpu_areas(void)
{
	size_t size = round_up(__stop_percpu - __start_percpu, 64);
	unsigned int cpu;

	percpu_areas = aligned_alloc(64, CONFIG_NR_CPUS * size);
	for (cpu = 0; cpu < CONFIG_NR_CPUS; cpu++)
		memcpy(percpu_areas + cpu * size, __start_percpu, __stop_percpu - __start_percpu);
}

/**
 * set_pid() - continue as another task
 * @pid: the task
 */
void set_pid(int pid)
{
	current->pid = pid;
	memorizer_change_task(current, 0, MEMORIZER_PIDS, pid);
}

/**
 * become() - continue as a task on a CPU
 * @cpu: the CPU, which no other thread may use meanwhile
 * @pid: the task
 */
void become(unsigned int cpu, int pid)
{
	this_cpu = cpu;
	set_pid(pid);
}

unsigned int smp_processor_id(void)
{
	return this_cpu;
}

bool in_task(void)
{
	return !in_interrupt;
}

void preempt_disable_notrace(void)
{
	if (!preempt_depth[in_interrupt]++)
		__atomic_fetch_add(&cpus[this_cpu].section[in_interrupt], 1, __ATOMIC_SEQ_CST);
}

void preempt_enable_notrace(void)
{
	CHECK(preempt_depth[in_interrupt]);
	if (!--preempt_depth[in_interrupt])
		__atomic_fetch_add(&cpus[this_cpu].section[in_interrupt], 1, __ATOMIC_RELEASE);
}

/**
 * enter_interrupt() - start acting as an interrupt, in a signal handler
 */
void enter_interrupt(void)
{
	in_interrupt = true;
}

/**
 * leave_interrupt() - undo enter_interrupt()
 */
void leave_interrupt(void)
{
	in_interrupt = false;
}

/**
 * disable_interrupts() - make signal handlers return at once
 */
void disable_interrupts(void)
{
	no_interrupts = true;
	barrier();
}

/**
 * enable_interrupts() - undo disable_interrupts()
 */
void enable_interrupts(void)
{
	barrier();
	no_interrupts = false;
}

/**
 * interrupts_disabled() - check whether a signal handler must return at once
 *
 * Return: true if it must
 */
bool interrupts_disabled(void)
{
	return no_interrupts;
}

static bool grace_waits;

/**
 * grace_period_waits() - check whether a grace period is waiting
 *
 * Return: true if one is
 */
bool grace_period_waits(void)
{
	return READ_ONCE(grace_waits);
}

void memorizer_grace_period(void)
{
	unsigned int cpu, i;

	/* This sleeps in the kernel. */
	CHECK(in_task());
	CHECK_EQ(preempt_depth[0], 0);
	for_each_possible_cpu(cpu) {
		for (i = 0; i < 2; i++) {
			unsigned long *section = &cpus[cpu].section[i];
			/* Full barrier. Pairs with the barrier at the start of the section. */
			unsigned long seen = __atomic_fetch_add(section, 0, __ATOMIC_SEQ_CST);

			/* Pairs with the release at the end of the section. */
			while (seen & 1 && smp_load_acquire(section) == seen) {
				WRITE_ONCE(grace_waits, true);
				sched_yield();
			}
			WRITE_ONCE(grace_waits, false);
		}
	}
}

static pthread_t threads[TEST_CPUS];
static void (*run_on_cpu)(unsigned int cpu);
static pthread_barrier_t all_there, all_done;

static void *start_cpu(void *data)
{
	unsigned int cpu = (unsigned long)data;

	become(cpu, cpu + 1);
	pthread_barrier_wait(&all_there);
	run_on_cpu(cpu);
	CHECK_EQ(preempt_depth[0], 0);
	pthread_barrier_wait(&all_done);
	return NULL;
}

/**
 * interrupt_cpu() - run a signal handler on a CPU
 * @cpu: a CPU that run_threads() runs
 * @sig: the signal
 */
void interrupt_cpu(unsigned int cpu, int sig)
{
	pthread_kill(threads[cpu], sig);
}

/**
 * run_threads() - run a function on several CPUs at once
 * @count: number of CPUs
 * @run: the function, called on each CPU, as the task whose pid is the CPU's number plus one
 */
void run_threads(unsigned int count, void (*run)(unsigned int cpu))
{
	unsigned long cpu;

	run_on_cpu = run;
	pthread_barrier_init(&all_there, NULL, count);
	pthread_barrier_init(&all_done, NULL, count);
	for (cpu = 0; cpu < count; cpu++)
		CHECK_EQ(pthread_create(&threads[cpu], NULL, start_cpu, (void *)cpu), 0);
	for (cpu = 0; cpu < count; cpu++)
		pthread_join(threads[cpu], NULL);
}
