/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The core's bench: what one access costs on this machine.
 *
 * It has the core as the kernel has it, and the kernel's own thunks; loops.c and
 * chain.S play the compiler, which puts sites into code. Threads play CPUs, and the
 * objects lie in real memory, so that a loop can be run with sites and without.
 * What differs from the kernel:
 *
 * - There is no preemption, there are no interrupts, and grace periods have nobody
 *   to wait for: who clears does so while nobody else runs.
 * - The upper half of an ip is zeros, where the thunks expect ones. So they are
 *   shown the pid inverted, see become(). Bit 31 is set as in the kernel: the sites
 *   are linked to addresses that have it.
 * - Returns are not patched to go through a thunk of their own.
 */
#ifndef _MEMORIZER_BENCH_H
#define _MEMORIZER_BENCH_H

#include "../test.h"

/* cpu.c */
#define BENCH_CPUS	4

void bench_boot(unsigned long pool_size);
unsigned long bench_tables(void);
void run_cpus(unsigned int count, void (*run)(unsigned int cpu));

/* memory.c */

/* Objects of one size, side by side in slabs of one page. */
#define OBJECT_SIZE	256UL
#define MAX_OBJECTS	1000000UL

/* Where they are, and pages where none ever are. */
#define OBJECTS		0x100000000000UL
#define NO_OBJECTS	(OBJECTS + (1UL << 29))
#define OBJECTS_END	(OBJECTS + (1UL << 30))

void bench_map(void);
void set_object_size(size_t size);
void make_objects(unsigned long first, unsigned long count);
void free_objects(unsigned long first, unsigned long count);

/* loops.c */

/**
 * struct walk - accesses to be made
 * @loop: makes them: without sites, with sites
 * @first: address of place 0
 * @stride: bytes from place to place
 * @places: number of places
 * @order: the places in the order in which they are to be visited, NULL: in turn
 * @count: visits, rounds, or accesses, whatever the loop counts
 * @accesses: number of accesses that this makes
 * @again: how often all tasks have their turns
 * @tasks: number of tasks in turn
 * @ips: number of ips in turn
 * @warm: execute each loop once before it is measured, so that its code is in the caches
 */
struct walk {
	void (*loop[2])(const struct walk *walk);
	unsigned long first;
	unsigned long stride;
	unsigned long places;
	const u32 *order;
	unsigned long count;
	unsigned long accesses;
	unsigned long again;
	unsigned long tasks;
	unsigned long ips;
	bool warm;
};

#define VISIT_IPS	8	/* a visit is an access by each of so many ips */

void in_turn(struct walk *walk, unsigned long count);
void in_visits(struct walk *walk, unsigned long count);
void by_tasks(struct walk *walk, unsigned long rounds, unsigned long again);

/* How much code there is in a row: 64, 12,000, or 60,000 accesses. */
enum bench_text { BENCH_HOT, BENCH_LARGE, BENCH_HUGE, BENCH_TEXTS };

/* What a site is when it is off. */
enum bench_form { BENCH_PREFIXES, BENCH_TEST, BENCH_NOP, BENCH_FORMS };

void past_sites(struct walk *walk, enum bench_text text, enum bench_form form);

/* chain.S */
#define MAX_IPS		10000

typedef void chain_t(unsigned long addr);
extern chain_t *const chain_off[MAX_IPS], *const chain_on[MAX_IPS];

/* measure.c */

/**
 * struct cost - of one access
 * @ns: nanoseconds of one without a site, of one with
 * @instructions: likewise
 */
struct cost {
	double ns[2];
	double instructions[2];
};

void measure_init(void);
void measure(struct walk *walk, unsigned int windows, struct cost *cost);
void count_instructions(struct walk *walk, struct cost *cost);
void measure_together(unsigned int cpus, struct walk *walks, struct cost *cost);
extern unsigned long accesses_made;

#endif /* _MEMORIZER_BENCH_H */
