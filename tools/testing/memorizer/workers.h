/* SPDX-License-Identifier: GPL-2.0 */
/* Tests of Memorizer's core: concurrent workers, see workers.c. */
#ifndef _MEMORIZER_WORKERS_H
#define _MEMORIZER_WORKERS_H

#include "test.h"

/* The workers run on CPUs 0 to WORKERS - 1. */
#define WORKERS	4

void start_workers(unsigned int rounds);
void miss_frees(void);
void lose_events(void);
void wait_for_cleaner(void);
void work(unsigned int cpu);
bool working(void);
void start_interrupt_work(void);
void want_interrupts(void);
void work_in_interrupt(void);
void check_kmap(void);
void free_all(void);
unsigned long allocations(void);
unsigned long accesses(void);
unsigned long cleared_objects(void);
unsigned long cleared_accesses(void);

/* Called by memorizer_clear() after its first grace period, unless NULL. */
extern void (*before_collecting)(void);

/* The linker replaces calls of the function by calls of __wrap_..., see the Makefile. */
void __wrap_memorizer_collect_entries(void);
void __real_memorizer_collect_entries(void);

#endif /* _MEMORIZER_WORKERS_H */
