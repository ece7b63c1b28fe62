/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tests of Memorizer's core: shared declarations.
 *
 * Each case runs in a process of its own and starts with an unused core. boot() starts the core.
 * heap.c simulates the slab allocator, cpu.c the CPUs and site.c the access sites. kmap.c here
 * reads the records as mm/memorizer/kmap.c does. insert.c is for cases without an allocator.
 */
#ifndef _MEMORIZER_TEST_H
#define _MEMORIZER_TEST_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/memorizer.h>
#include <linux/memorizer-pages.h>
#include <linux/memorizer-vmalloc.h>
#include <linux/rwsem.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "../../../mm/memorizer/access.h"
#include "../../../mm/memorizer/caches.h"
#include "../../../mm/memorizer/clear.h"
#include "../../../mm/memorizer/entry.h"
#include "../../../mm/memorizer/entry_table.h"
#include "../../../mm/memorizer/group.h"
#include "../../../mm/memorizer/hooks.h"
#include "../../../mm/memorizer/index.h"
#include "../../../mm/memorizer/kmap.h"
#include "../../../mm/memorizer/lazy.h"
#include "../../../mm/memorizer/memorizer.h"
#include "../../../mm/memorizer/object.h"
#include "../../../mm/memorizer/pool.h"
#include "../../../mm/memorizer/record.h"
#include "../../../mm/memorizer/regions.h"
#include "../../../mm/memorizer/rows.h"
#include "../../../mm/memorizer/sites.h"
#include "../../../mm/memorizer/tasks.h"
#include "../../../mm/memorizer/traffic.h"
#include "../../../mm/memorizer/variable_table.h"

/* main.c */
struct test_case {
	const char *name;
	void (*run)(void);
};

#define CASE(function)	{ #function, function }

extern const struct test_case start_cases[], pool_cases[], index_cases[],
	object_cases[], pages_cases[], vmalloc_cases[], lazy_cases[], grain_cases[], user_cases[],
	access_cases[], group_cases[], fields_cases[], traffic_cases[],
	string_cases[], rows_cases[], format_cases[], model_cases[],
	thread_cases[], interrupt_cases[], patch_cases[];

/* Fail and end the case unless both are equal. */
#define CHECK_EQ(a, b) \
	check_eq((unsigned long)(a), (unsigned long)(b), #a " == " #b, __FILE__, __LINE__)
#define CHECK(condition)	CHECK_EQ(!!(condition), true)

void check_fail(unsigned long a, unsigned long b, const char *what, const char *file, int line);

static inline void check_eq(unsigned long a, unsigned long b, const char *what,
			    const char *file, int line)
{
	if (a != b)
		check_fail(a, b, what, file, line);
}

/* All kinds but user memory, which has no objects. */
#define OBJECT_KINDS	(MEMORIZER_KINDS_BUILT_IN & ~BIT(MEMORIZER_KIND_USER))

/* The address range of objects. No memory is mapped there. */
#define MAP_BASE	0xffff888000000000UL
#define MAP_BYTES	((4UL << 30) + 5 * PAGE_SIZE)

/* Bytes of the vmalloc area at each end that the index covers. */
#define FAR_BYTES	((1UL << 30) + 3 * PAGE_SIZE)

/* The array of struct page. */
#define STRUCT_PAGES		0xffffea0000000000UL
#define STRUCT_PAGE_BYTES	(8UL << 20)

/* Addresses of code that allocates, frees and accesses. */
#define IP(n)		(0xffffffff81000000UL + (n))

#define POOL_BLOCKS(n)	((unsigned long)(n) << MEMORIZER_BLOCK_SHIFT)

void *reserve(size_t size);

/* variables.c */
struct test_variable {
	u32 offset;
	u32 size;
};

#define TEST_VARIABLES	10
#define VARIABLES	((unsigned long)variable_memory)
#define VARIABLE_PAGES	6
/* Memory of a module, which may be an area, follows. */
#define MODULE		(VARIABLES + VARIABLE_PAGES * PAGE_SIZE)
#define MODULE_PAGES	2
#define STATIC_BYTES	((VARIABLE_PAGES + MODULE_PAGES) * PAGE_SIZE)
/* Each CPU's copy of the variables that begin in the first pages. */
#define PERCPU_PAGES	3
#define PERCPU(cpu)	(VARIABLES + STATIC_BYTES + (cpu) * PERCPU_PAGES * PAGE_SIZE)
#define PERCPU_BYTES	(2 * PERCPU_PAGES * PAGE_SIZE)
#define VARIABLE_BYTES	(STATIC_BYTES + PERCPU_BYTES)

extern char variable_memory[];
extern const struct test_variable test_variables[TEST_VARIABLES];

extern bool variables_are_built;
void set_variable(struct memorizer_variable *variable, unsigned long va, u32 size);
void build_table(struct variable_table *table, const struct memorizer_variable *variables,
		 unsigned int count);

/* boot.c */
void boot(unsigned long pool_size);
void boot_hashed(unsigned long pool_size, unsigned long hashed);

extern bool odd_by_granule;

/* Call site of the objects that the filter selects. */
#define CHOSEN_IP	IP(77)

/* util.c */
/* Called before a failed check ends the program, unless NULL. */
extern void (*before_failure)(void);

u32 random_u32(u64 *state);

/* Fewer rounds in slow builds. */
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define ROUNDS(n)	((n) / 10)
#else
#define ROUNDS(n)	(n)
#endif

/* Set in the build for gcov. */
#ifndef TEST_COVER
#define TEST_COVER	0
#endif

/* Defined by the linker: the bounds of writable data. */
extern const char __data_start[], _end[];

/* cpu.c */
void become(unsigned int cpu, int pid);
void set_pid(int pid);
void enter_interrupt(void);
void leave_interrupt(void);
void disable_interrupts(void);
void enable_interrupts(void);
bool interrupts_disabled(void);
bool grace_period_waits(void);
void interrupt_cpu(unsigned int cpu, int sig);
void run_threads(unsigned int count, void (*run)(unsigned int cpu));

/* heap.c */

/**
 * struct heap_cache - a slab cache
 * @size: bytes of an object
 * @stride: bytes from object to object
 * @pad: bytes before the first object
 * @order: a slab has 2^order pages
 */
struct heap_cache {
	unsigned int size;
	unsigned int stride;
	unsigned int pad;
	unsigned int order;
};

extern const struct heap_cache heap_caches[];
extern unsigned long heap_questions;
#define HEAP_CACHES	8

void heap_init(unsigned long pages);
unsigned long heap_alloc(unsigned int cache);
unsigned long heap_alloc_large(size_t size);
unsigned long heap_alloc_guarded(size_t size);
void heap_free(unsigned long addr);
unsigned long heap_alloc_pages(unsigned int order);
void heap_free_pages(unsigned long addr, unsigned int order);
extern void (*heap_pages_taken)(unsigned long addr, unsigned int order);
extern void (*heap_pages_given)(unsigned long addr, unsigned int order);
size_t heap_size(unsigned long addr);

static inline void hook_alloc(unsigned long addr, size_t size, unsigned long ip)
{
	memorizer_alloc(MEMORIZER_KMALLOC, (void *)addr, size, 0, ip);
}

static inline void hook_free(unsigned long addr, unsigned long ip)
{
	memorizer_free(MEMORIZER_KMALLOC, (void *)addr, ip);
}

static inline void hook_alloc_pages(unsigned long addr, unsigned int order, unsigned long ip)
{
	memorizer_alloc_pages((struct page *)addr, order, 0, ip);
}

static inline void hook_free_pages(unsigned long addr, unsigned int order, unsigned long ip)
{
	memorizer_free_pages((struct page *)addr, order, ip);
}

/* insert.c */

/* Pages around the boundary between two leaves of the index. */
#define PAGE(n)		(MAP_BASE + (4UL << 20) - 8 * PAGE_SIZE + (n) * PAGE_SIZE)

u32 make_object(unsigned long va, size_t size);
u32 insert_object(const struct memorizer_geometry *geo, unsigned long va, size_t size);
void erase_object(unsigned long va, u32 id);
u32 lookup(unsigned long addr);

/* site.c */

DECLARE_PER_CPU(unsigned long, site_hits);

/* The memory that string functions read. */
extern bool (*load_byte)(const char *ptr, u8 *byte);

void site(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip);
void range_site(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip);
const struct memorizer_group *make_group(const struct memorizer_member *members,
					 unsigned int count);
void group_site(unsigned long addr, const struct memorizer_group *group);

/* kmap.c */

/**
 * struct counts - accesses
 * @reads: loads
 * @writes: stores
 */
struct counts {
	unsigned long reads;
	unsigned long writes;
};

bool is_shown(const struct memorizer_object *object);
struct memorizer_object *next_shown(unsigned long *pos);
struct memorizer_object *shown_at(unsigned long addr, u32 state);
unsigned long shown_objects(void);
struct counts counts_of(const struct memorizer_object *object, unsigned long ip, int pid);
struct counts traffic_of(const struct memorizer_object *object, unsigned long ip, int pid);
struct counts all_counts_of(const struct memorizer_object *object);
struct memorizer_counters sum_counters(void);
#ifdef CONFIG_MEMORIZER_PAGES
u64 sum_unattributed_in(enum memorizer_region region);
#endif
unsigned long slab_records(void);

/* Check an object's counts for (ip, pid). */
#define CHECK_COUNTS(object, ip, pid, r, w) do {			\
	struct counts __counts = counts_of(object, ip, pid);		\
									\
	CHECK_EQ(__counts.reads, r);					\
	CHECK_EQ(__counts.writes, w);					\
} while (0)

/* Check how many cache lines an object's loads and stores by (ip, pid) moved. */
#define CHECK_TRAFFIC(object, ip, pid, r, w) do {			\
	struct counts __moves = traffic_of(object, ip, pid);		\
									\
	CHECK_EQ(__moves.reads, r);					\
	CHECK_EQ(__moves.writes, w);					\
} while (0)

/* Check the sum of all of an object's counts. */
#define CHECK_ALL_COUNTS(object, r, w) do {				\
	struct counts __counts = all_counts_of(object);			\
									\
	CHECK_EQ(__counts.reads, r);					\
	CHECK_EQ(__counts.writes, w);					\
} while (0)

#endif /* _MEMORIZER_TEST_H */
