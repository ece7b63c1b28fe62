// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: several CPUs at once.
 *
 * Workers allocate objects, access their own and shared ones, and free them, while one thread
 * clears and one reads the KMAP. The alloc ip identifies an object. Each object has a log of
 * accesses, which is compared with its counts when it is read or cleared after its end, and at
 * the end of the test.
 */
#include <pthread.h>
#include <sched.h>

#include "test.h"
#include "workers.h"

static void start(unsigned int blocks)
{
	boot(POOL_BLOCKS(blocks));
	heap_init(64);
	start_workers(ROUNDS(200000));
}

static unsigned long lost(void)
{
	struct memorizer_counters sum = sum_counters();
	unsigned long all = 0;
	unsigned int i;

	for (i = 0; i < MEMORIZER_LOSSES; i++)
		all += sum.lost[i];
	return all;
}

static void worker_cleaner_or_reader(unsigned int cpu)
{
	if (cpu < WORKERS)
		work(cpu);
	else if (cpu == WORKERS)
		while (working())
			memorizer_clear();
	else
		while (working())
			check_kmap();
}

/* Free all objects, clear, and check that no records are left. */
static void check_end(void)
{
	check_kmap();
	free_all();
	check_kmap();
	memorizer_clear();
	/* At most one is in force per page of the heap. */
	CHECK(slab_records() <= 64);
	CHECK_EQ(memorizer_cleared.objects, cleared_objects());
	CHECK_EQ(memorizer_cleared.accesses, cleared_accesses());
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), shown_objects());
}

/* Two workers. */
static void counts_are_exact_while_cleared_and_read(void)
{
	struct memorizer_counters sum;

	start(256);
	run_threads(WORKERS + 3, worker_cleaner_or_reader);
	check_end();

	sum = sum_counters();
	CHECK_EQ(shown_objects(), 0);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), 0);
	CHECK_EQ(sum.allocs, allocations());
	CHECK_EQ(sum.frees, allocations());
	CHECK_EQ(cleared_objects(), allocations());
	CHECK_EQ(cleared_accesses(), accesses());
	CHECK_EQ(sum.buried + sum.unknown_frees + sum.unattributed + lost(), 0);
}

/* Every second object is counted by granule. */
static void counts_are_exact_by_granule(void)
{
	odd_by_granule = true;
	memorizer_switch_hooks(MEMORIZER_DO_CHOOSE, true);
	counts_are_exact_while_cleared_and_read();
}

static void counts_are_exact_when_frees_are_missed(void)
{
	struct memorizer_counters sum;

	start(256);
	miss_frees();
	run_threads(WORKERS + 2, worker_cleaner_or_reader);
	check_end();

	sum = sum_counters();
	CHECK_EQ(sum.allocs, allocations());
	CHECK_EQ(sum.allocs, sum.frees + sum.buried + shown_objects());
	CHECK_EQ(cleared_objects(), sum.frees + sum.buried);
	CHECK(sum.buried);
	CHECK_EQ(sum.unknown_frees + sum.unattributed + lost(), 0);
}

static unsigned long lost_objects(void)
{
	struct memorizer_counters sum = sum_counters();

	return sum.lost[MEMORIZER_LOST_OBJECT] + sum.lost[MEMORIZER_LOST_INDEX];
}

/* Clear when an object was lost, and switch recording off and on. */
static void worker_or_switcher(unsigned int cpu)
{
	unsigned long seen = 0;

	if (cpu < WORKERS) {
		work(cpu);
		return;
	}
	while (working()) {
		CHECK_EQ(memorizer_set_enabled(false), 0);
		sched_yield();
		CHECK_EQ(memorizer_set_enabled(true), 0);
		while (working() && lost_objects() == seen)
			sched_yield();
		memorizer_clear();
		check_kmap();
		seen = lost_objects();
	}
}

/* Fill the pool, except for @entries entries and some records of each other class per CPU. */
static void use_up_pool(u32 *held, unsigned int entries)
{
	unsigned int cpu, class, i, n;
	u32 taken[20];

	for (cpu = 0; cpu < TEST_CPUS; cpu++) {
		become(cpu, cpu + 1);
		for (class = 0; class < MEMORIZER_CLASSES; class++) {
			n = class == MEMORIZER_OBJECT ? ARRAY_SIZE(taken) : 3;
			for (i = 0; i < n && class != MEMORIZER_ENTRY; i++)
				taken[i] = memorizer_pool_alloc(class);
			while (i)
				memorizer_pool_free(class, taken[--i]);
		}
	}
	for (n = 0; (held[n] = memorizer_pool_alloc(MEMORIZER_ENTRY)); n++)
		;
	while (entries--) {
		memorizer_pool_free(MEMORIZER_ENTRY, held[--n]);
		held[n] = 0;
	}
}

static void whatever_is_lost_is_counted(void)
{
	static u32 held[POOL_BLOCKS(200) / sizeof(struct memorizer_entry)];
	struct memorizer_counters sum;
	unsigned int i;

	start(200);
	use_up_pool(held, 500);
	lose_events();
	run_threads(WORKERS + 1, worker_or_switcher);
	free_all();
	memorizer_clear();
	for (i = 0; held[i]; i++)
		memorizer_pool_free(MEMORIZER_ENTRY, held[i]);

	sum = sum_counters();
	CHECK_EQ(shown_objects(), 0);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 0);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), 0);
	CHECK_EQ(sum.frees, sum.allocs);
	CHECK_EQ(sum.frees + sum.unknown_frees, allocations());
	CHECK_EQ(memorizer_cleared.objects, sum.allocs);
	CHECK(lost_objects());
	CHECK(sum.lost[MEMORIZER_LOST_ENTRY]);
	CHECK_EQ(memorizer_cleared.accesses + sum.lost[MEMORIZER_LOST_ENTRY] + sum.unattributed,
		 accesses());
}

/* CPU 0 stays within a hook while CPU 1 clears. These synchronize them, in this order. */
static unsigned long object_addr;
static bool hook_goes_on, collecting, cleared;

/* Stores before signal_flag() are visible after is_signaled() returns true. */
static void signal_flag(bool *flag)
{
	/* Pairs with is_signaled(). */
	smp_store_release(flag, true);
}

static bool is_signaled(const bool *flag)
{
	/* Pairs with signal_flag(). */
	return smp_load_acquire(flag);
}

static void wait_for(const bool *flag)
{
	while (!is_signaled(flag))
		sched_yield();
}

static void signal_collecting(void)
{
	signal_flag(&collecting);
}

static void collect_when_hook_goes_on(void)
{
	signal_flag(&collecting);
	wait_for(&hook_goes_on);
}

static void free_and_clear(void)
{
	hook_free(object_addr, IP(1));
	memorizer_clear();
	signal_flag(&cleared);
}

/* Wait until the clearing blocks, or has wrongly continued. */
static void let_clearing_go_on(const bool *must_not)
{
	while (!grace_period_waits() && !is_signaled(must_not))
		sched_yield();
	CHECK(!is_signaled(must_not));
}

static void start_object(void (*hook)(void))
{
	boot(POOL_BLOCKS(20));
	heap_init(1);
	object_addr = heap_alloc(1);
	hook_alloc(object_addr, 64, IP(1));
	site(object_addr, 8, MEMORIZER_READ, IP(2));
	before_collecting = hook;
}

/* CPU 0 has looked up the object when it is freed, and adds an entry to it. */
static void find_object_or_clear(unsigned int cpu)
{
	u32 id;

	if (cpu == 1) {
		wait_for(&hook_goes_on);
		free_and_clear();
		return;
	}
	preempt_disable_notrace();
	id = lookup(object_addr);
	CHECK(id);
	signal_flag(&hook_goes_on);
	let_clearing_go_on(&collecting);
	CHECK_EQ(memorizer_object_va(memorizer_ptr(id)), object_addr);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 1);
	preempt_enable_notrace();
	wait_for(&cleared);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 0);
}

static void clearing_waits_for_hooks_that_found_objects(void)
{
	start_object(signal_collecting);
	run_threads(2, find_object_or_clear);
}

/* CPU 0 has looked up the entry in its cache when it is removed there. */
static void find_entry_or_clear(unsigned int cpu)
{
	struct memorizer_entry *entry;
	unsigned int i, found = 0;

	if (cpu == 1) {
		free_and_clear();
		return;
	}
	wait_for(&collecting);
	preempt_disable_notrace();
	for (i = 0; i < MEMORIZER_CACHE_SLOTS; i++) {
		entry = this_cpu_read(memorizer_cache[i]);
		found += memorizer_object_va(memorizer_entry_object(entry)) == object_addr;
	}
	CHECK_EQ(found, 1);
	signal_flag(&hook_goes_on);
	let_clearing_go_on(&cleared);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), 1);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 1);
	preempt_enable_notrace();
	wait_for(&cleared);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), 0);
	for (i = 0; i < MEMORIZER_CACHE_SLOTS; i++) {
		entry = this_cpu_read(memorizer_cache[i]);
		CHECK_EQ(memorizer_object_va(memorizer_entry_object(entry)), 0);
	}
}

static void clearing_waits_for_hooks_that_found_entries(void)
{
	start_object(collect_when_hook_goes_on);
	run_threads(2, find_entry_or_clear);
}

/*
 * Objects are accessed whether or not they are freed, as under SLAB_TYPESAFE_BY_RCU. The first
 * CPU allocates and frees, the last one clears.
 */
static unsigned long typesafe[16];
static unsigned long typesafe_done[TEST_CPUS];
static bool typesafe_over;

static void alloc_and_free_typesafe(void)
{
	unsigned long addr;
	unsigned int i;
	u64 seed = 0;

	for (i = 0; i < ROUNDS(500000); i++) {
		if (i % 64 == 0)
			wait_for_cleaner();
		addr = typesafe[random_u32(&seed) % ARRAY_SIZE(typesafe)];
		hook_free(addr, IP(1));
		hook_alloc(addr, 64, IP(1));
	}
	signal_flag(&typesafe_over);
}

static void use_typesafe(unsigned int cpu)
{
	unsigned long n;
	u64 seed = cpu;

	if (cpu == 0)
		alloc_and_free_typesafe();
	while (!is_signaled(&typesafe_over)) {
		if (cpu == WORKERS) {
			memorizer_clear();
			continue;
		}
		n = random_u32(&seed) % ARRAY_SIZE(typesafe);
		site(typesafe[n], 8, MEMORIZER_READ, IP(2));
		typesafe_done[cpu]++;
	}
}

static void access_may_meet_a_free(void)
{
	struct memorizer_counters sum;
	unsigned long done = 0;
	unsigned int i, cpu;

	boot(POOL_BLOCKS(256));
	heap_init(1);
	for (i = 0; i < ARRAY_SIZE(typesafe); i++) {
		typesafe[i] = heap_alloc(1);
		hook_alloc(typesafe[i], 64, IP(1));
	}
	run_threads(WORKERS + 1, use_typesafe);

	/* No cache has entries of the old objects. */
	for (i = 0; i < ARRAY_SIZE(typesafe); i++) {
		hook_free(typesafe[i], IP(1));
		hook_alloc(typesafe[i], 64, IP(1));
		for (cpu = 1; cpu < WORKERS; cpu++) {
			become(cpu, cpu + 1);
			site(typesafe[i], 8, MEMORIZER_READ, IP(2));
		}
		CHECK_ALL_COUNTS(shown_at(typesafe[i], MEMORIZER_LIVE), WORKERS - 1, 0);
		hook_free(typesafe[i], IP(1));
	}
	memorizer_clear();
	sum = sum_counters();
	for (cpu = 1; cpu < WORKERS; cpu++)
		done += typesafe_done[cpu] + ARRAY_SIZE(typesafe);
	CHECK_EQ(memorizer_cleared.accesses + sum.unattributed, done);
	CHECK_EQ(memorizer_cleared.objects, sum.allocs);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY) + shown_objects(), 0);
	CHECK_EQ(sum.unknown_frees + sum.buried + lost(), 0);
}

/* The CPU that holds each record of the pool, plus one; 0 if the record is free. */
static u32 *holder;
static unsigned int held_at_end;

static void take_and_give(unsigned int cpu)
{
	static const unsigned int classes[] = { MEMORIZER_OBJECT, MEMORIZER_ENTRY, MEMORIZER_SLAB };
	u32 held[ARRAY_SIZE(classes)][50] = { }, *id;
	unsigned int i, class, count = 0;
	u64 seed = cpu;

	for (i = 0; i < ROUNDS(2000000); i++) {
		class = random_u32(&seed) % ARRAY_SIZE(classes);
		id = &held[class][random_u32(&seed) % ARRAY_SIZE(held[0])];
		preempt_disable_notrace();
		if (*id) {
			/* The owner may overwrite it. */
			memset(memorizer_ptr(*id) + 4, cpu, 20);
			CHECK_EQ(xchg(&holder[*id], 0), cpu + 1);
			memorizer_pool_free(classes[class], *id);
			*id = 0;
			count--;
		} else {
			*id = memorizer_pool_alloc(classes[class]);
			CHECK(*id);
			CHECK_EQ(xchg(&holder[*id], cpu + 1), 0);
			memset(memorizer_ptr(*id) + 4, cpu, 20);
			count++;
		}
		preempt_enable_notrace();
	}
	__atomic_add_fetch(&held_at_end, count, __ATOMIC_RELAXED);
}

static void records_have_one_owner_at_a_time(void)
{
	boot(POOL_BLOCKS(64));
	holder = reserve(POOL_BLOCKS(64) >> MEMORIZER_ID_SHIFT << 2);
	run_threads(WORKERS, take_and_give);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT) + memorizer_class_used(MEMORIZER_ENTRY) +
		 memorizer_class_used(MEMORIZER_SLAB), held_at_end);
}

/* Lower and upper bound of the number of accesses. */
static unsigned long accesses_done, accesses_begun;

/* CPUs 0 and 1 access an object while the last one reads its row. */
static void count_or_read(unsigned int cpu)
{
	unsigned long i, least, most, reads = 0;
	struct memorizer_rows rows;
	struct memorizer_row row;

	if (cpu < 2) {
		set_pid(1);
		for (i = 0; i < ROUNDS(20000000); i++) {
			if (i % 32 == 0)
				__atomic_add_fetch(&accesses_begun, 32, __ATOMIC_SEQ_CST);
			site(object_addr, 8, MEMORIZER_READ, IP(2));
			if (i % 32 == 31)
				__atomic_add_fetch(&accesses_done, 32, __ATOMIC_SEQ_CST);
		}
		signal_flag(cpu ? &collecting : &hook_goes_on);
		return;
	}
	while (!is_signaled(&collecting) || !is_signaled(&hook_goes_on)) {
		down_write(&memorizer_rwsem);
		least = max(__atomic_load_n(&accesses_done, __ATOMIC_SEQ_CST), reads);
		memorizer_rows_begin(&rows, shown_at(object_addr, MEMORIZER_LIVE), false);
		CHECK(memorizer_rows_next(&rows, &row));
		reads = row.reads;
		memorizer_rows_end(&rows);
		most = __atomic_load_n(&accesses_begun, __ATOMIC_SEQ_CST) + 1;
		up_write(&memorizer_rwsem);
		CHECK(reads >= least);
		CHECK(reads <= most);
	}
}

static void rows_are_exact_while_counts_are_carried(void)
{
	start_object(NULL);
	run_threads(3, count_or_read);
	CHECK_COUNTS(shown_at(object_addr, MEMORIZER_LIVE), IP(2), 1, accesses_done + 1, 0);
}

static pthread_barrier_t barrier;

/* All CPUs insert objects into one new slab at a time, in pages of an older slab. */
static void enter_slabs(unsigned int cpu)
{
	unsigned long addr[4];
	unsigned int round, i;

	for (round = 0; round < ROUNDS(5000); round++) {
		pthread_barrier_wait(&barrier);
		for (i = 0; i < 4; i++) {
			addr[i] = heap_alloc(round % (HEAP_CACHES - 1));
			CHECK(addr[i]);
			hook_alloc(addr[i], heap_size(addr[i]), IP(round * 4 + i));
			site(addr[i], 8, MEMORIZER_WRITE, IP(1));
		}
		pthread_barrier_wait(&barrier);
		for (i = 0; i < 4; i++) {
			site(addr[i], 8, MEMORIZER_WRITE, IP(1));
			hook_free(addr[i], IP(2));
			heap_free(addr[i]);
		}
		if (cpu == 0 && round % 4 == 0)
			memorizer_clear();
	}
}

static void slab_may_be_entered_by_all_at_once(void)
{
	struct memorizer_counters sum;
	unsigned long n = ROUNDS(5000) * 4 * WORKERS;

	boot(POOL_BLOCKS(40));
	heap_init(32);
	pthread_barrier_init(&barrier, NULL, WORKERS);
	run_threads(WORKERS, enter_slabs);
	memorizer_clear();

	sum = sum_counters();
	CHECK_EQ(sum.allocs, n);
	CHECK_EQ(sum.frees, n);
	CHECK_EQ(memorizer_cleared.objects, n);
	CHECK_EQ(memorizer_cleared.accesses, 2 * n);
	CHECK_EQ(sum.buried + sum.unknown_frees + sum.unattributed + lost(), 0);
	CHECK_EQ(memorizer_pool_bytes(MEMORIZER_OBJECT, MEMORIZER_ENTRY), 0);
	CHECK(slab_records() <= 32);
}

/* All CPUs insert objects into each leaf of the index concurrently. */
static void enter_leaves(unsigned int cpu)
{
	unsigned long addr = MAP_BASE + cpu * PAGE_SIZE;
	struct memorizer_geometry geo = { .pages = 1 };
	u32 id;

	for (; addr < MAP_BASE + MAP_BYTES; addr += 4UL << 20) {
		pthread_barrier_wait(&barrier);
		preempt_disable_notrace();
		geo.start = addr;
		id = insert_object(&geo, addr, PAGE_SIZE);
		CHECK_EQ(lookup(addr), id);
		preempt_enable_notrace();
	}
}

static void leaf_may_be_entered_by_all_at_once(void)
{
	boot(POOL_BLOCKS(256));
	pthread_barrier_init(&barrier, NULL, WORKERS);
	run_threads(WORKERS, enter_leaves);
	CHECK_EQ(memorizer_class_used(MEMORIZER_LEAF), DIV_ROUND_UP(MAP_BYTES, 4UL << 20));
}

const struct test_case thread_cases[] = {
	CASE(counts_are_exact_while_cleared_and_read),
	CASE(counts_are_exact_by_granule),
	CASE(counts_are_exact_when_frees_are_missed),
	CASE(whatever_is_lost_is_counted),
	CASE(clearing_waits_for_hooks_that_found_objects),
	CASE(clearing_waits_for_hooks_that_found_entries),
	CASE(access_may_meet_a_free),
	CASE(rows_are_exact_while_counts_are_carried),
	CASE(records_have_one_owner_at_a_time),
	CASE(slab_may_be_entered_by_all_at_once),
	CASE(leaf_may_be_entered_by_all_at_once),
	{ }
};
