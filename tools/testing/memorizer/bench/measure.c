// SPDX-License-Identifier: GPL-2.0
/*
 * Benchmark of Memorizer's core: time and instructions of an access.
 *
 * Time is the median over windows of about ten microseconds, alternately without and with
 * sites, so that other load on the machine disturbs only some of them. Several runs show the
 * remaining spread. Instructions are counted by single-stepping.
 */
#include <signal.h>
#include <time.h>
#include <pthread.h>

#include <x86intrin.h>

#include "bench.h"

#define MAX_WINDOWS	1000

/* Number of accesses with sites since measure_init(). */
unsigned long accesses_made;

static double cycles_per_ns;

static u64 cycles(void)
{
	unsigned int cpu;
	u64 now;

	_mm_lfence();
	now = __rdtscp(&cpu);
	_mm_lfence();
	return now;
}

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1e9 + now.tv_nsec;
}

/**
 * measure_init() - calibrate the time stamp counter
 */
void measure_init(void)
{
	double begin = now_ns(), end;
	u64 first = cycles();

	do
		end = now_ns();
	while (end - begin < 2e7);
	cycles_per_ns = (cycles() - first) / (end - begin);
	accesses_made = 0;
}

static void run(struct walk *walk, bool on)
{
	walk->loop[on](walk);
	if (walk->order)
		walk->order += walk->count;
	if (on)
		__atomic_fetch_add(&accesses_made, walk->accesses, __ATOMIC_RELAXED);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static double median(double *values, unsigned int count)
{
	qsort(values, count, sizeof(*values), by_value);
	return values[count / 2];
}

/**
 * measure() - measure the time of an access
 * @walk: the accesses; with an order, each window continues where the previous one ended
 * @windows: number of windows without sites, and with sites
 * @cost: its @ns is set
 */
void measure(struct walk *walk, unsigned int windows, struct cost *cost)
{
	double ns[2][MAX_WINDOWS];
	unsigned int i, on;
	u64 begin;

	CHECK(windows <= MAX_WINDOWS);
	for (i = 0; i < windows; i++) {
		for (on = 0; on < 2; on++) {
			if (walk->warm)
				run(walk, on);
			begin = cycles();
			run(walk, on);
			ns[on][i] = (cycles() - begin) / cycles_per_ns / walk->accesses;
		}
	}
	for (on = 0; on < 2; on++)
		cost->ns[on] = median(ns[on], windows);
}

#define TRAP_FLAG	"$0x100"

static volatile unsigned long traps;

static void count_trap(int sig)
{
	traps++;
}

/**
 * count_instructions() - count the instructions of an access
 * @walk: the accesses
 * @cost: its @instructions is set
 */
void count_instructions(struct walk *walk, struct cost *cost)
{
	struct sigaction action = { .sa_handler = count_trap };
	unsigned int on;

	sigaction(SIGTRAP, &action, NULL);
	for (on = 0; on < 2; on++) {
		traps = 0;
		asm volatile("pushfq; orq " TRAP_FLAG ", (%%rsp); popfq" : : : "memory", "cc");
		run(walk, on);
		asm volatile("pushfq; andq $~0x100, (%%rsp); popfq" : : : "memory", "cc");
		cost->instructions[on] = (double)traps / walk->accesses;
	}
}

/* A window on one of several CPUs. */
struct window {
	u64 begin;
	u64 end;
};

static struct window windows[2][BENCH_CPUS][MAX_WINDOWS];
static struct walk *walks;
static pthread_barrier_t barrier;

static void run_windows(unsigned int cpu)
{
	struct walk *walk = &walks[cpu];
	unsigned int i, on;

	for (i = 0; i < 10; i++)
		run(walk, true);
	for (on = 0; on < 2; on++) {
		pthread_barrier_wait(&barrier);
		for (i = 0; i < MAX_WINDOWS; i++) {
			windows[on][cpu][i].begin = cycles();
			run(walk, on);
			windows[on][cpu][i].end = cycles();
		}
	}
}

static u64 length(const struct window *w)
{
	return w->end - w->begin;
}

static u64 usual_length(const struct window *w)
{
	double lengths[MAX_WINDOWS];
	unsigned int i;

	for (i = 0; i < MAX_WINDOWS; i++)
		lengths[i] = length(&w[i]);
	return median(lengths, MAX_WINDOWS);
}

/* Was another CPU making accesses, uninterrupted, during a whole window? */
static bool is_covered(const struct window *window, const struct window *by, u64 usual)
{
	unsigned int i;

	if (window->begin < by[0].begin || window->end > by[MAX_WINDOWS - 1].end)
		return false;
	for (i = 0; i < MAX_WINDOWS; i++)
		if (by[i].end > window->begin && by[i].begin < window->end &&
		    length(&by[i]) > 3 * usual)
			return false;
	return true;
}

/**
 * measure_together() - measure the time of an access that several CPUs make concurrently
 * @cpus: number of CPUs, at most BENCH_CPUS
 * @each: the accesses of each CPU
 * @cost: its @ns is set, per access of one CPU
 *
 * With two CPUs, only windows of the first count during which the second was running. With
 * more, all windows count, because the machine may have fewer CPUs.
 */
void measure_together(unsigned int cpus, struct walk *each, struct cost *cost)
{
	double ns[MAX_WINDOWS];
	unsigned int on, i, count;

	walks = each;
	pthread_barrier_init(&barrier, NULL, cpus);
	run_cpus(cpus, run_windows);
	for (on = 0; on < 2; on++) {
		const struct window *second = windows[on][1];
		u64 usual = cpus == 2 ? usual_length(second) : 0;

		count = 0;
		for (i = 0; i < MAX_WINDOWS; i++) {
			const struct window *w = &windows[on][0][i];

			if (cpus != 2 || is_covered(w, second, usual))
				ns[count++] = length(w) / cycles_per_ns / walks[0].accesses;
		}
		/* Too few windows overlapped. */
		cost->ns[on] = count >= MAX_WINDOWS / 50 ? median(ns, count) : 0;
	}
}
