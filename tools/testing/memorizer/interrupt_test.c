// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: interrupts of an operation by the same operation.
 *
 * Interrupts are signals. They arrive either after each instruction of a task in turn, or at
 * any time while several CPUs work.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <ucontext.h>

#include "test.h"
#include "workers.h"

#define TRAP_FLAG	0x100	/* in EFLAGS: trap after each instruction */

/* Number of instructions between two tries. */
#ifdef __SANITIZE_ADDRESS__
#define STEP		61
#else
#define STEP		1
#endif

enum { SMALL = 1, FEW = 5, FEWER = 6 };	/* of heap_caches */

static void (*interrupt)(void);
static unsigned long instructions_left;
static bool stepping, was_interrupted;

static void handle_trap(int sig, siginfo_t *info, void *context)
{
	greg_t *flags = &((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL];

	*flags &= ~TRAP_FLAG;
	if (info->si_code == TRAP_TRACE && !--instructions_left) {
		enter_interrupt();
		interrupt();
		leave_interrupt();
		was_interrupted = true;
	} else if (stepping) {
		*flags |= TRAP_FLAG;
	}
}

/* Run a task with an interrupt after @instructions. Returns false if the task had fewer. */
static bool run_interrupted(void (*task)(void), unsigned long instructions)
{
	was_interrupted = false;
	instructions_left = instructions;
	stepping = true;
	asm volatile("int3" : : : "memory");
	task();
	stepping = false;
	asm volatile("int3" : : : "memory");
	return was_interrupted;
}

/* Run a task once per instruction, with an interrupt there. */
static void at_each_instruction(void (*before)(void), void (*task)(void), void (*irq)(void),
				void (*after)(void))
{
	struct sigaction action = { .sa_sigaction = handle_trap, .sa_flags = SA_SIGINFO };
	unsigned long n = 0;
	bool goes_on;

	sigaction(SIGTRAP, &action, NULL);
	interrupt = irq;
	do {
		n += STEP;
		before();
		goes_on = run_interrupted(task, n);
		if (!goes_on)
			interrupt();
		after();
	} while (goes_on);
	CHECK(n > 50);
}

/* Count the instructions of a task. */
static unsigned long instructions_of(void (*task)(void))
{
	struct sigaction action = { .sa_sigaction = handle_trap, .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &action, NULL);
	CHECK(!run_interrupted(task, ULONG_MAX));
	return ULONG_MAX - instructions_left;
}

static unsigned long a, b, try;

static void start(unsigned int blocks)
{
	boot(POOL_BLOCKS(blocks));
	heap_init(8);
}

static void next_try(void)
{
	try++;
}

/* The first access of an ip takes the slow path, the second one hits the cache. */
static void access_a(void)
{
	site(a, 8, MEMORIZER_UPDATE, IP(try));
	site(a, 8, MEMORIZER_UPDATE, IP(try));
}

static void check_accesses_to_a(void)
{
	CHECK_COUNTS(shown_at(a, MEMORIZER_LIVE), IP(try), 1, 4, 4);
}

static void no_access_is_lost_to_the_same_access(void)
{
	start(20);
	a = heap_alloc(SMALL);
	hook_alloc(a, 64, IP(1));
	at_each_instruction(next_try, access_a, access_a, check_accesses_to_a);

	hook_free(a, IP(1));
	memorizer_clear();
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), 0);
}

/* Either the task's or the interrupt's access reaches the limit and carries. */
static void bring_entry_near_a_carry(void)
{
	struct memorizer_entry *entry;

	try++;
	site(a, 8, MEMORIZER_UPDATE, IP(try));
	entry = memorizer_ptr(shown_at(a, MEMORIZER_LIVE)->entries);
	entry->reads = S16_MAX - try % 4;
	entry->writes = S16_MAX - 2;
}

static void check_carries(void)
{
	CHECK_COUNTS(shown_at(a, MEMORIZER_LIVE), IP(try), 1, S16_MAX - try % 4 + 4UL,
		     S16_MAX - 2 + 4UL);
}

static void no_carry_is_lost_to_an_interrupt(void)
{
	start(20);
	a = heap_alloc(SMALL);
	hook_alloc(a, 64, IP(1));
	at_each_instruction(bring_entry_near_a_carry, access_a, access_a, check_carries);
}

static void access_nothing(void)
{
	site(0, 8, MEMORIZER_UPDATE, IP(try));
	range_site(0, 8, MEMORIZER_UPDATE, IP(try));
}

static void check_accesses_to_nothing(void)
{
	CHECK_EQ(sum_counters().unattributed, 8 * try);
}

static void counters_miss_nothing(void)
{
	start(20);
	at_each_instruction(next_try, access_nothing, access_nothing, check_accesses_to_nothing);
}

/* Insert two objects into a new slab, in the pages of a slab with another layout. */
static void make_slab(void)
{
	try++;
	heap_init(8);
	a = heap_alloc(try % 2 ? FEW : FEWER);
	b = heap_alloc(try % 2 ? FEW : FEWER);
}

static void alloc_a(void)
{
	hook_alloc(a, heap_size(a), IP(try));
}

static void alloc_and_access_b(void)
{
	hook_alloc(b, heap_size(b), IP(try));
	site(b, 8, MEMORIZER_READ, IP(try));
}

static void check_a_and_b(void)
{
	site(a, 8, MEMORIZER_READ, IP(try));
	CHECK_EQ(shown_objects(), 2);
	CHECK_COUNTS(shown_at(a, MEMORIZER_LIVE), IP(try), 1, 1, 0);
	CHECK_COUNTS(shown_at(b, MEMORIZER_LIVE), IP(try), 1, 1, 0);
	hook_free(a, IP(try));
	hook_free(b, IP(try));
	memorizer_clear();
	CHECK_EQ(sum_counters().unknown_frees + sum_counters().buried, 0);
}

static void allocation_may_interrupt_one_in_the_same_slab(void)
{
	start(20);
	at_each_instruction(make_slab, alloc_a, alloc_and_access_b, check_a_and_b);
	CHECK_EQ(memorizer_cleared.objects, 2 * try);
}

/*
 * Slabs in the pages of the first one, and one elsewhere. Task and interrupt insert objects
 * into them concurrently.
 */
static const struct memorizer_geometry all_pages = {
	.start = PAGE(0), .base = PAGE(0), .stride = 1024, .slots = 16, .pages = 4,
};

static const struct memorizer_geometry first_page = {
	.start = PAGE(0), .base = PAGE(0), .stride = 512, .slots = 8, .pages = 1,
};

static const struct memorizer_geometry last_pages = {
	.start = PAGE(2), .base = PAGE(2), .stride = 704, .slots = 11, .pages = 2,
};

static const struct memorizer_geometry elsewhere = {
	.start = PAGE(4), .base = PAGE(4), .stride = 1024, .slots = 16, .pages = 4,
};

static const struct memorizer_geometry elsewhere_again = {
	.start = PAGE(4), .base = PAGE(4), .stride = 512, .slots = 8, .pages = 1,
};

static u32 a_id, b_id;
static unsigned long slabs_in_force;

/* Leave words of freed slabs in all pages. */
static void use_all_pages(void)
{
	erase_object(PAGE(0), insert_object(&all_pages, PAGE(0), 1024));
	erase_object(PAGE(3), insert_object(&all_pages, PAGE(3), 1024));
	erase_object(PAGE(4), insert_object(&elsewhere, PAGE(4), 1024));
}

static void insert_a_in_first_page(void)
{
	a = PAGE(0);
	a_id = insert_object(&first_page, a, 512);
}

static void insert_a_in_last_page(void)
{
	a = PAGE(2) + 6 * 704;
	a_id = insert_object(&last_pages, a, 704);
}

static void insert_b_in_first_page(void)
{
	b = PAGE(0) + 512;
	b_id = insert_object(&first_page, b, 512);
}

static void insert_b_elsewhere(void)
{
	b = PAGE(4);
	b_id = insert_object(&elsewhere_again, b, 512);
}

static void check_inserted(void)
{
	CHECK_EQ(lookup(a), a_id);
	CHECK_EQ(lookup(b), b_id);
	erase_object(a, a_id);
	erase_object(b, b_id);
	memorizer_clear();
	CHECK_EQ(slab_records(), slabs_in_force);
}

static void one_slab_record_is_made_for_both(void)
{
	start(20);
	slabs_in_force = 2;	/* first_page, elsewhere */
	at_each_instruction(use_all_pages, insert_a_in_first_page, insert_b_in_first_page,
			    check_inserted);
}

static void two_slab_records_may_be_discarded_at_once(void)
{
	start(20);
	slabs_in_force = 2;	/* first_page, elsewhere_again */
	at_each_instruction(use_all_pages, insert_a_in_first_page, insert_b_elsewhere,
			    check_inserted);
}

static void slab_record_may_be_discarded_under_an_insertion(void)
{
	start(20);
	slabs_in_force = 3;	/* last_pages, first_page, elsewhere */
	at_each_instruction(use_all_pages, insert_a_in_last_page, insert_b_in_first_page,
			    check_inserted);
}

static void alloc_both(void)
{
	make_slab();
	alloc_a();
	alloc_and_access_b();
	access_a();
}

static void free_a(void)
{
	hook_free(a, IP(try));
}

static void free_b_and_alloc_it_again(void)
{
	hook_free(b, IP(try));
	alloc_and_access_b();
}

static void check_freed(void)
{
	CHECK_EQ(shown_objects(), 3);
	CHECK_COUNTS(shown_at(a, MEMORIZER_FREED), IP(try), 1, 2, 2);
	CHECK_COUNTS(shown_at(b, MEMORIZER_FREED), IP(try), 1, 1, 0);
	CHECK_COUNTS(shown_at(b, MEMORIZER_LIVE), IP(try), 1, 1, 0);
	hook_free(b, IP(try));
	memorizer_clear();
	CHECK_EQ(sum_counters().unknown_frees + sum_counters().buried, 0);
}

static void allocation_may_interrupt_a_free_in_the_same_slab(void)
{
	start(20);
	at_each_instruction(alloc_both, free_a, free_b_and_alloc_it_again, check_freed);
}

static void alloc_again(void)
{
	try++;
	hook_alloc(a, 64, IP(0));
}

static void check_one_free(void)
{
	CHECK_EQ(sum_counters().frees, try);
	CHECK_EQ(sum_counters().unknown_frees, try);
}

static void double_free_frees_once(void)
{
	start(20);
	a = heap_alloc(SMALL);
	at_each_instruction(alloc_again, free_a, free_a, check_one_free);
	CHECK_EQ(shown_objects(), try);
}

/* A large object is freed and buried concurrently: it is closed once. */
static void alloc_two_pages(void)
{
	try++;
	hook_alloc(a, 2 * PAGE_SIZE, IP(0));
}

static void alloc_in_second_page(void)
{
	hook_alloc(a + PAGE_SIZE, 100, IP(1));
}

static void check_end_of_both(void)
{
	struct memorizer_counters sum;

	hook_free(a + PAGE_SIZE, IP(1));
	sum = sum_counters();
	CHECK_EQ(sum.allocs, 2 * try);
	CHECK_EQ(sum.frees + sum.buried, 2 * try);
	CHECK_EQ(sum.frees + sum.unknown_frees, 2 * try);
	memorizer_clear();
}

static void object_ends_once(void)
{
	start(20);
	a = heap_alloc_large(2 * PAGE_SIZE);
	at_each_instruction(alloc_two_pages, free_a, alloc_in_second_page, check_end_of_both);
	CHECK(sum_counters().buried);
}

/* Freeing takes the same time for any number of entries. */
static void free_takes_the_same_steps_for_every_object(void)
{
	unsigned long steps, n;

	boot_hashed(POOL_BLOCKS(1700), POOL_BLOCKS(13000));
	heap_init(8);
	a = heap_alloc(SMALL);
	hook_alloc(a, 64, IP(0));
	site(a, 8, MEMORIZER_READ, IP(0));
	hook_free(a, IP(0));
	hook_alloc(a, 64, IP(0));
	site(a, 8, MEMORIZER_READ, IP(0));
	steps = instructions_of(free_a);
	hook_alloc(a, 64, IP(0));
	for (n = 0; n < 2000000; n++)
		site(a, 8, MEMORIZER_READ, IP(n));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 0);
	CHECK_EQ(instructions_of(free_a), steps);
	CHECK_EQ(sum_counters().frees, 3);
	site(a, 8, MEMORIZER_READ, IP(n - 1));
	CHECK_EQ(sum_counters().unattributed, 1);
}

/*
 * An access races with the object's free, as under SLAB_TYPESAFE_BY_RCU. It counts for the
 * object or as unattributed. Later accesses count for the next object at the address.
 */
static void access_a_once(void)
{
	site(a, 8, MEMORIZER_READ, IP(try % 2));
}

static void check_next_object(void)
{
	unsigned long found = all_counts_of(shown_at(a, MEMORIZER_FREED)).reads;

	CHECK_EQ(found + sum_counters().unattributed, 1);
	hook_alloc(a, 64, IP(0));
	access_a_once();
	access_a_once();
	CHECK_ALL_COUNTS(shown_at(a, MEMORIZER_LIVE), 2, 0);
	CHECK_ALL_COUNTS(shown_at(a, MEMORIZER_FREED), found, 0);
	hook_free(a, IP(0));
	memorizer_clear();
	this_cpu_write(memorizer_counters.unattributed, 0);
}

static void object_may_be_freed_under_an_access(void)
{
	start(20);
	a = heap_alloc(SMALL);
	at_each_instruction(alloc_again, access_a_once, free_a, check_next_object);
}

static void object_may_be_accessed_under_its_free(void)
{
	start(20);
	a = heap_alloc(SMALL);
	at_each_instruction(alloc_again, free_a, access_a_once, check_next_object);
}

/* An object whose slab has no room in the index is never visible. */
static void see_nothing(void)
{
	CHECK_EQ(shown_objects(), 0);
	site(a, 8, MEMORIZER_READ, IP(try));
}

static void check_lost(void)
{
	CHECK_EQ(shown_objects(), 0);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_INDEX], try);
	CHECK_EQ(sum_counters().unattributed, try);
}

static void lost_object_is_never_seen(void)
{
	start(20);
	heap_init(8);
	a = heap_alloc(SMALL);
	CHECK(memorizer_pool_alloc(MEMORIZER_OBJECT));
	while (memorizer_pool_alloc(MEMORIZER_ENTRY))
		;
	at_each_instruction(next_try, alloc_a, see_nothing, check_lost);
}

static u32 ids[3];

/* The interrupt changes the free list under the task (ABA). */
static void take_one(void)
{
	ids[0] = memorizer_pool_alloc(MEMORIZER_ENTRY);
}

static void take_two_and_give_one(void)
{
	ids[1] = memorizer_pool_alloc(MEMORIZER_ENTRY);
	ids[2] = memorizer_pool_alloc(MEMORIZER_ENTRY);
	memorizer_pool_free(MEMORIZER_ENTRY, ids[1]);
}

static void check_taken(void)
{
	u32 next = memorizer_pool_alloc(MEMORIZER_ENTRY);

	CHECK(ids[0] && ids[2] && next);
	CHECK(ids[0] != ids[2] && ids[0] != next && ids[2] != next);
	memorizer_pool_free(MEMORIZER_ENTRY, next);
	memorizer_pool_free(MEMORIZER_ENTRY, ids[0]);
	memorizer_pool_free(MEMORIZER_ENTRY, ids[2]);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), 0);
}

static void free_list_may_change_under_an_allocation(void)
{
	u32 id[5];
	unsigned int i;

	start(20);
	for (i = 0; i < 5; i++)
		id[i] = memorizer_pool_alloc(MEMORIZER_ENTRY);
	for (i = 0; i < 5; i++)
		memorizer_pool_free(MEMORIZER_ENTRY, id[i]);
	at_each_instruction(next_try, take_one, take_two_and_give_one, check_taken);
}

/* Two records of this class fill a block. */
enum { HALF_BLOCK = MEMORIZER_SLAB + MEMORIZER_SLAB_SIZES - 3, HALF_BLOCKS = 4000 };
static bool taken[HALF_BLOCKS];
static unsigned long all_taken;

static u32 take_half(void)
{
	u32 id = memorizer_pool_alloc(HALF_BLOCK);
	unsigned long offset = (id - 1UL) << MEMORIZER_ID_SHIFT;
	unsigned long n = offset / MEMORIZER_BLOCK_SIZE * 2 + !!(offset % MEMORIZER_BLOCK_SIZE);

	if (!id)
		return 0;
	CHECK_EQ(MEMORIZER_BLOCK_SIZE / memorizer_class_size(HALF_BLOCK), 2);
	CHECK(!taken[n]);
	taken[n] = true;
	all_taken++;
	return id;
}

static void use_up_block(void)
{
	while (take_half() % (MEMORIZER_BLOCK_SIZE >> MEMORIZER_ID_SHIFT) == 1)
		;
}

static void begin_block(void)
{
	take_half();
}

static void check_nothing(void)
{
}

static void no_block_is_lost_to_an_interrupt(void)
{
	start(1 + HALF_BLOCKS / 2);
	at_each_instruction(use_up_block, begin_block, begin_block, check_nothing);
	CHECK(all_taken < HALF_BLOCKS);
	while (take_half())
		;
	CHECK_EQ(all_taken, HALF_BLOCKS);
}

/*
 * CPU 1 and an NMI on it access a line that CPU 0 stored to. Exactly one of the accesses moves
 * it, and undecided ones are counted.
 */
static void store_elsewhere(void)
{
	try++;
	become(0, 1);
	range_site(a, 8, MEMORIZER_WRITE, IP(0));
	become(1, 2);
	this_cpu_write(memorizer_counters.lost[MEMORIZER_LOST_NESTED], 0);
}

static void load_a(void)
{
	range_site(a, 8, MEMORIZER_READ, IP(1));
}

static void store_a(void)
{
	range_site(a, 8, MEMORIZER_WRITE, IP(1));
}

static unsigned long undecided;

static void check_one_load_moved(void)
{
	CHECK_TRAFFIC(shown_at(a, MEMORIZER_LIVE), IP(1), 2, try, 0);
	CHECK(sum_counters().lost[MEMORIZER_LOST_NESTED] <= 1);
	undecided += sum_counters().lost[MEMORIZER_LOST_NESTED];
}

static void check_one_store_moved(void)
{
	CHECK_TRAFFIC(shown_at(a, MEMORIZER_LIVE), IP(1), 2, 0, try);
	CHECK(sum_counters().lost[MEMORIZER_LOST_NESTED] <= 1);
	undecided += sum_counters().lost[MEMORIZER_LOST_NESTED];
}

static void start_tracking(unsigned int cpus)
{
	possible_cpus = cpus;
	start(20);
	CHECK_EQ(memorizer_set_track_lines(true), 0);
	a = heap_alloc(SMALL);
	hook_alloc(a, 64, IP(0));
}

static void line_moves_once_though_a_load_is_interrupted(void)
{
	start_tracking(TEST_CPUS);
	at_each_instruction(store_elsewhere, load_a, load_a, check_one_load_moved);
	CHECK(undecided);
}

static void line_moves_once_though_a_store_is_interrupted(void)
{
	start_tracking(100);
	at_each_instruction(store_elsewhere, store_a, store_a, check_one_store_moved);
	CHECK(undecided);
}

static void handle_interrupt(int sig)
{
	if (interrupts_disabled())
		return;
	enter_interrupt();
	work_in_interrupt();
	leave_interrupt();
}

/* Workers, a thread that clears, one that reads, and one that interrupts all. */
static void work_clear_read_or_interrupt(unsigned int cpu)
{
	unsigned int target;

	start_interrupt_work();
	if (cpu < WORKERS)
		work(cpu);
	while (cpu == WORKERS && working())
		memorizer_clear();
	while (cpu == WORKERS + 1 && working())
		check_kmap();
	while (cpu == WORKERS + 2 && working())
		for (target = 0; target < cpu; target++)
			interrupt_cpu(target, SIGUSR1);
}

static void counts_are_exact_while_interrupted(void)
{
	struct sigaction action = { .sa_handler = handle_interrupt };
	struct memorizer_counters sum;

	boot(POOL_BLOCKS(256));
	heap_init(64);
	start_workers(ROUNDS(200000));
	want_interrupts();
	sigaction(SIGUSR1, &action, NULL);
	run_threads(WORKERS + 3, work_clear_read_or_interrupt);
	check_kmap();
	free_all();
	memorizer_clear();

	sum = sum_counters();
	CHECK_EQ(shown_objects(), 0);
	CHECK_EQ(sum.allocs, allocations());
	CHECK_EQ(sum.frees, allocations());
	CHECK_EQ(cleared_objects(), allocations());
	CHECK_EQ(cleared_accesses(), accesses());
	CHECK_EQ(memorizer_cleared.accesses, accesses());
	CHECK_EQ(sum.buried + sum.unknown_frees + sum.unattributed, 0);
}

const struct test_case interrupt_cases[] = {
	CASE(no_access_is_lost_to_the_same_access),
	CASE(no_carry_is_lost_to_an_interrupt),
	CASE(counters_miss_nothing),
	CASE(allocation_may_interrupt_one_in_the_same_slab),
	CASE(allocation_may_interrupt_a_free_in_the_same_slab),
	CASE(one_slab_record_is_made_for_both),
	CASE(two_slab_records_may_be_discarded_at_once),
	CASE(slab_record_may_be_discarded_under_an_insertion),
	CASE(double_free_frees_once),
	CASE(object_ends_once),
	CASE(free_takes_the_same_steps_for_every_object),
	CASE(object_may_be_freed_under_an_access),
	CASE(object_may_be_accessed_under_its_free),
	CASE(lost_object_is_never_seen),
	CASE(free_list_may_change_under_an_allocation),
	CASE(no_block_is_lost_to_an_interrupt),
	CASE(line_moves_once_though_a_load_is_interrupted),
	CASE(line_moves_once_though_a_store_is_interrupted),
	CASE(counts_are_exact_while_interrupted),
	{ }
};
