/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Benchmark of Memorizer's core: the cost of an access on this machine.
 *
 * It uses the kernel's core and thunks. loops.c and chain.S contain sites as the compiler plugin
 * emits them. Threads act as CPUs. Objects are in real memory, so that loops run with and without
 * sites. Differences from the kernel:
 *
 * - There are no preemption, no interrupts and no grace periods: clearing happens while no other
 *   thread runs.
 * - The upper half of an ip is 0, where the thunks expect ones. To compensate, the pid is
 *   inverted, see become(). Bit 31 of an ip is set as in the kernel, by the sites' link
 *   address.
 * - Returns are not patched to return thunks.
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

/* Objects of one size, in slabs of one page. */
#define OBJECT_SIZE	256UL
#define MAX_OBJECTS	1000000UL

/* Addresses of objects, and of pages without objects. */
#define OBJECTS		0x100000000000UL
#define NO_OBJECTS	(OBJECTS + (1UL << 29))
#define OBJECTS_END	(OBJECTS + (1UL << 30))

void bench_map(void);
void set_object_size(size_t size);
void make_objects(unsigned long first, unsigned long count);
void free_objects(unsigned long first, unsigned long count);

/* loops.c */

/**
 * struct walk - a sequence of accesses
 * @loop: functions that make the accesses, without and with sites
 * @first: address of place 0
 * @stride: bytes from place to place
 * @places: number of places
 * @order: order of the places to visit, NULL for ascending order
 * @count: number of visits, rounds or accesses, depending on the loop
 * @accesses: number of accesses in total
 * @again: number of turns of each task
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

#define VISIT_IPS	8	/* number of ips that access a place in a visit */

void in_turn(struct walk *walk, unsigned long count);
void in_visits(struct walk *walk, unsigned long count);
void by_tasks(struct walk *walk, unsigned long rounds, unsigned long again);

/* Length of straight-line code: 64, 12,000 or 60,000 accesses. */
enum bench_text { BENCH_HOT, BENCH_LARGE, BENCH_HUGE, BENCH_TEXTS };

/* Forms of disabled sites. */
enum bench_form { BENCH_PREFIXES, BENCH_TEST, BENCH_NOP, BENCH_FORMS };

void past_sites(struct walk *walk, enum bench_text text, enum bench_form form);

/* chain.S */
#define MAX_IPS		10000

typedef void chain_t(unsigned long addr);
extern chain_t *const chain_off[MAX_IPS], *const chain_on[MAX_IPS];

/* measure.c */

/**
 * struct cost - cost of an access
 * @ns: nanoseconds without a site and with one
 * @instructions: number of instructions without a site and with one
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
