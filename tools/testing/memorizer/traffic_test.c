// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: cache lines that move between CPUs.
 */
#include <sched.h>

#include <linux/vmalloc.h>

#include "test.h"

enum { SMALL = 1, LARGE = 6 };	/* of heap_caches */

static unsigned long addr;
static struct memorizer_object *object;

static void start(void)
{
	boot(POOL_BLOCKS(64));
	heap_init(64);
	CHECK_EQ(memorizer_set_track_lines(true), 0);
	addr = heap_alloc(SMALL);
	hook_alloc(addr, 64, IP(0));
	object = shown_at(addr, MEMORIZER_LIVE);
}

/* Load on a CPU, with its own task and ip. */
static void load_on(unsigned int cpu, unsigned long at)
{
	become(cpu, cpu + 1);
	site(at, 8, MEMORIZER_READ, IP(1));
}

static void store_on(unsigned int cpu, unsigned long at)
{
	become(cpu, cpu + 1);
	site(at, 8, MEMORIZER_WRITE, IP(2));
}

static unsigned long lost(void)
{
	struct memorizer_counters sum = sum_counters();

	return sum.lost[MEMORIZER_LOST_TRAFFIC] + sum.lost[MEMORIZER_LOST_LINE] +
		sum.lost[MEMORIZER_LOST_NESTED];
}

static void ping_pong_moves_each_time(void)
{
	unsigned int i;

	start();
	for (i = 0; i < 100; i++) {
		load_on(i % 2, addr);
		store_on(i % 2, addr);
	}
	/* At first, all CPUs hold the line. */
	CHECK_TRAFFIC(object, IP(1), 1, 49, 0);
	CHECK_TRAFFIC(object, IP(1), 2, 50, 0);
	CHECK_TRAFFIC(object, IP(2), 1, 0, 50);
	CHECK_TRAFFIC(object, IP(2), 2, 0, 50);
	CHECK_COUNTS(object, IP(1), 1, 50, 0);
	CHECK_COUNTS(object, IP(2), 2, 0, 50);
	CHECK_EQ(sum_counters().traffic, 199);
}

static void readers_move_it_once_after_a_store(void)
{
	unsigned int i, cpu;

	possible_cpus = 80;
	start();
	for (i = 0; i < 5; i++) {
		store_on(0, addr);
		for (cpu = 1; cpu < 80; cpu++) {
			load_on(cpu, addr);
			load_on(cpu, addr + 8);
		}
	}
	CHECK_TRAFFIC(object, IP(2), 1, 0, 5);
	for (cpu = 1; cpu < 80; cpu++) {
		CHECK_TRAFFIC(object, IP(1), cpu + 1, 5, 0);
		CHECK_COUNTS(object, IP(1), cpu + 1, 10, 0);
	}
}

static void update_loads_and_stores(void)
{
	start();
	store_on(0, addr);
	become(1, 2);
	range_site(addr, 8, MEMORIZER_UPDATE, IP(3));
	range_site(addr, 8, MEMORIZER_UPDATE, IP(3));
	CHECK_TRAFFIC(object, IP(3), 2, 1, 1);
	CHECK_COUNTS(object, IP(3), 2, 2, 2);
}

/* Two words share a line of 64 bytes, but not of 8 bytes. */
static void false_sharing_goes_away_with_smaller_lines(void)
{
	unsigned int i;

	start();
	for (i = 0; i < 100; i++)
		store_on(i % 2, addr + 8 * (i % 2));
	CHECK_TRAFFIC(object, IP(2), 1, 0, 50);
	CHECK_TRAFFIC(object, IP(2), 2, 0, 50);

	CHECK_EQ(memorizer_set_line_size(8), -EBUSY);
	CHECK_EQ(memorizer_set_track_lines(false), 0);
	CHECK_EQ(memorizer_set_line_size(8), 0);
	CHECK_EQ(memorizer_set_track_lines(true), 0);
	for (i = 0; i < 100; i++)
		store_on(i % 2, addr + 8 * (i % 2));
	CHECK_TRAFFIC(object, IP(2), 1, 0, 51);
	CHECK_TRAFFIC(object, IP(2), 2, 0, 51);
}

static void line_sizes_are_powers_of_two(void)
{
	start();
	CHECK_EQ(memorizer_set_track_lines(false), 0);
	CHECK_EQ(memorizer_set_line_size(0), -EINVAL);
	CHECK_EQ(memorizer_set_line_size(4), -EINVAL);
	CHECK_EQ(memorizer_set_line_size(48), -EINVAL);
	CHECK_EQ(memorizer_set_line_size(8192), -EINVAL);
	CHECK_EQ(memorizer_line_size(), 64);
	CHECK_EQ(memorizer_set_line_size(4096), 0);
	CHECK_EQ(memorizer_line_size(), 4096);
}

/* An access across two lines counts for both; one across two objects counts for the first. */
static void each_line_of_an_access_moves(void)
{
	unsigned long neighbour;
	struct memorizer_object *other;

	start();
	addr = heap_alloc(0);
	neighbour = heap_alloc(0);
	CHECK_EQ(neighbour, addr + 8);
	CHECK_EQ(addr % 64, 0);
	hook_alloc(addr, 8, IP(0));
	hook_alloc(neighbour, 8, IP(0));
	object = shown_at(addr, MEMORIZER_LIVE);
	other = shown_at(neighbour, MEMORIZER_LIVE);
	become(0, 1);
	range_site(addr, 16, MEMORIZER_WRITE, IP(2));
	become(1, 2);
	range_site(addr + 4, 8, MEMORIZER_READ, IP(1));
	CHECK_TRAFFIC(object, IP(2), 1, 0, 1);
	CHECK_TRAFFIC(object, IP(1), 2, 1, 0);
	CHECK_TRAFFIC(other, IP(2), 1, 0, 0);
	CHECK_TRAFFIC(other, IP(1), 2, 0, 0);
	CHECK_COUNTS(other, IP(1), 2, 1, 0);

	addr = heap_alloc(LARGE);
	hook_alloc(addr, 3000, IP(0));
	object = shown_at(addr, MEMORIZER_LIVE);
	become(0, 1);
	range_site(addr + 60, 8, MEMORIZER_WRITE, IP(2));
	CHECK_TRAFFIC(object, IP(2), 1, 0, 2);
	become(1, 2);
	range_site(addr, 3000, MEMORIZER_READ, IP(1));
	CHECK_TRAFFIC(object, IP(1), 2, 2, 0);
	range_site(addr, 3000, MEMORIZER_WRITE, IP(2));
	CHECK_TRAFFIC(object, IP(2), 2, 0, 47);
}

static void access_to_no_object_moves_nothing(void)
{
	start();
	store_on(0, addr);
	hook_free(addr, IP(0));
	store_on(1, addr);
	load_on(1, addr);
	CHECK_EQ(sum_counters().traffic, 1);
	/* A new object does not change the line's holders. */
	hook_alloc(addr, 64, IP(0));
	object = shown_at(addr, MEMORIZER_LIVE);
	store_on(0, addr);
	load_on(1, addr);
	CHECK_TRAFFIC(object, IP(2), 1, 0, 0);
	CHECK_TRAFFIC(object, IP(1), 2, 1, 0);
}

static void paused_task_moves_nothing(void)
{
	start();
	store_on(0, addr);
	memorizer_pause();
	load_on(1, addr);
	store_on(1, addr);
	memorizer_resume();
	store_on(0, addr);
	CHECK_EQ(sum_counters().traffic, 1);
}

static void the_only_cpu_moves_nothing(void)
{
	possible_cpus = 1;
	start();
	store_on(0, addr);
	load_on(0, addr);
	CHECK_EQ(sum_counters().traffic, 0);
}

static void switching_on_forgets_who_held_what(void)
{
	start();
	store_on(0, addr);
	CHECK_EQ(memorizer_lines_tracked(), 1);
	CHECK_EQ(memorizer_set_track_lines(true), 0);
	store_on(0, addr);
	CHECK_EQ(sum_counters().traffic, 1);
	CHECK_EQ(memorizer_set_track_lines(false), 0);
	CHECK_EQ(memorizer_set_track_lines(false), 0);
	store_on(1, addr);
	CHECK_EQ(sum_counters().traffic, 1);
	CHECK_EQ(memorizer_set_track_lines(true), 0);
	CHECK_EQ(memorizer_lines_tracked(), 0);
	store_on(0, addr);
	CHECK_EQ(sum_counters().traffic, 2);
}

/* The fast path is restored when the slow path is no longer required. */
static void fast_path_comes_back(void)
{
	unsigned long hits;

	start();
	memorizer_slow_path_begin();
	CHECK_EQ(memorizer_set_track_lines(false), 0);
	store_on(0, addr);
	store_on(0, addr);
	CHECK_EQ(per_cpu(site_hits, 0), 0);
	memorizer_slow_path_end();
	store_on(0, addr);
	hits = per_cpu(site_hits, 0);
	store_on(0, addr);
	CHECK_EQ(per_cpu(site_hits, 0), hits + 1);
	CHECK_COUNTS(object, IP(2), 1, 0, 4);
}

/* Accesses without an entry are tracked, too. */
static void object_that_was_found_is_tracked(void)
{
	start();
	CHECK_EQ(memorizer_set_track_lines(false), 0);
	/* The first access may refill the CPU's batch of entries. */
	load_on(0, addr);
	site(addr, 8, MEMORIZER_READ, IP(4));
	CHECK_EQ(memorizer_set_track_lines(true), 0);
	store_on(0, addr);
	CHECK_EQ(sum_counters().traffic, 1);
	CHECK_EQ(memorizer_set_track_lines(false), 0);
	site(addr, 8, MEMORIZER_WRITE, IP(3));
	CHECK_EQ(sum_counters().traffic, 1);
}

static void no_memory_for_lines_is_an_error(void)
{
	vmalloc_left = 0;
	boot(POOL_BLOCKS(64));
	CHECK_EQ(memorizer_set_track_lines(true), -ENOMEM);
	CHECK(!memorizer_tracks_lines());
	CHECK_EQ(memorizer_lines_room(), 0);
}

/* Accesses without room for the line or for the entry are counted as lost. */
static void losses_are_counted(void)
{
	const unsigned int lines = 3000 / 64;
	unsigned long n;

	memorizer_lines_wanted = 16;
	start();
	addr = heap_alloc(LARGE);
	hook_alloc(addr, 3000, IP(0));
	object = shown_at(addr, MEMORIZER_LIVE);
	/* In an order that causes collisions in the table. */
	for (n = 0; n < lines; n++) {
		store_on(0, addr + 64 * (n * 29 % lines));
		load_on(1, addr + 64 * (n * 29 % lines));
		CHECK_EQ(lost(), n < 16 ? 0 : 2 * (n - 15));
	}
	CHECK_EQ(memorizer_lines_tracked(), 16);
	CHECK_EQ(memorizer_lines_room(), 16);
	CHECK_TRAFFIC(object, IP(2), 1, 0, 16);
	CHECK_TRAFFIC(object, IP(1), 2, 16, 0);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_LINE], 2 * (lines - 16));
	CHECK_COUNTS(object, IP(2), 1, 0, lines);

	while (memorizer_pool_alloc(MEMORIZER_ENTRY))
		;
	become(2, 3);
	range_site(addr, 8, MEMORIZER_UPDATE, IP(3));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_TRAFFIC], 2);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 2);
	CHECK_EQ(sum_counters().traffic, 32);
}

/* Moves are in the rows, in order of ip, and do not count as accesses. */
static void moves_are_in_the_rows(void)
{
	struct memorizer_rows rows;
	struct memorizer_row row;
	unsigned int i;

	start();
	for (i = 0; i < 20; i++) {
		become(i % 2, 1);
		site(addr, 8, MEMORIZER_UPDATE, IP(i % 5));
	}
	down_write(&memorizer_rwsem);
	memorizer_rows_begin(&rows, object, false);
	for (i = 0; i < 5; i++) {
		CHECK(memorizer_rows_next(&rows, &row));
		CHECK_EQ(memorizer_unpack_ip(row.ip), IP(i));
		CHECK_EQ(row.reads, 4);
		CHECK_EQ(row.writes, 4);
		CHECK_EQ(row.read_moves, i ? 4 : 3);
		CHECK_EQ(row.write_moves, 4);
	}
	CHECK(!memorizer_rows_next(&rows, &row));
	memorizer_rows_end(&rows);
	up_write(&memorizer_rwsem);
	hook_free(addr, IP(0));
	memorizer_clear();
	CHECK_EQ(memorizer_cleared.accesses, 40);
	CHECK_EQ(sum_counters().traffic, 39);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), 0);
}

/* A model of the holders of each line, as in the QEMU plugin. */
#define MODEL_LINES	(16 * PAGE_SIZE / 8)

static struct {
	bool known;
	bool holds[CONFIG_NR_CPUS];
} model[MODEL_LINES];

static bool model_moves(unsigned long n, unsigned int cpu, bool store)
{
	bool alone = true, moves;
	unsigned int i;

	for (i = 0; i < possible_cpus; i++) {
		if (!model[n].known)
			model[n].holds[i] = true;
		alone &= model[n].holds[i] == (i == cpu);
	}
	model[n].known = true;
	moves = store ? !alone : !model[n].holds[cpu];
	for (i = 0; store && i < possible_cpus; i++)
		model[n].holds[i] = false;
	model[n].holds[cpu] = true;
	return moves;
}

/* Random accesses to adjacent objects, also across lines and objects. */
static void model_agrees(unsigned int cpus, unsigned long size)
{
	unsigned long base, at, bytes, n, last;
	unsigned int i, kind, cpu;
	struct counts moves = { };
	u64 seed = cpus;

	possible_cpus = cpus;
	memset(model, 0, sizeof(model));
	boot(POOL_BLOCKS(600));
	heap_init(16);
	CHECK_EQ(memorizer_set_line_size(size), 0);
	CHECK_EQ(memorizer_set_track_lines(true), 0);
	base = heap_alloc_large(8 * PAGE_SIZE);
	hook_alloc(base, 8 * PAGE_SIZE - 100, IP(0));
	object = shown_at(base, MEMORIZER_LIVE);
	for (i = 0; i < ROUNDS(200000); i++) {
		cpu = random_u32(&seed) % cpus;
		kind = 1 + random_u32(&seed) % 3;
		bytes = 1 + random_u32(&seed) % (random_u32(&seed) % 8 ? 16 : 300);
		at = base + random_u32(&seed) % (random_u32(&seed) % 4 ? 256 : 8 * PAGE_SIZE - 400);
		become(cpu, 1);
		if (bytes <= 16)
			site(at, bytes, kind, IP(i % 3));
		else
			range_site(at, bytes, kind, IP(i % 3));
		last = (at + bytes - 1 - base) / size;
		for (n = (at - base) / size; n <= last; n++) {
			if (kind & MEMORIZER_READ)
				moves.reads += model_moves(n, cpu, false);
			if (kind & MEMORIZER_WRITE)
				moves.writes += model_moves(n, cpu, true);
		}
	}
	for (i = 0; i < 3; i++) {
		moves.reads -= traffic_of(object, IP(i), 1).reads;
		moves.writes -= traffic_of(object, IP(i), 1).writes;
	}
	CHECK_EQ(moves.reads, 0);
	CHECK_EQ(moves.writes, 0);
	CHECK_EQ(lost(), 0);
}

static void model_of_two_cpus_agrees(void)
{
	model_agrees(2, 64);
}

static void model_of_many_cpus_agrees(void)
{
	model_agrees(CONFIG_NR_CPUS, 64);
}

static void model_of_small_lines_agrees(void)
{
	model_agrees(TEST_CPUS, 8);
}

/* In each round, one CPU stores and the others load concurrently. */
static unsigned int arrived, round;

static void meet(unsigned int n)
{
	unsigned int now = READ_ONCE(round);

	if (__atomic_add_fetch(&arrived, 1, __ATOMIC_SEQ_CST) == n) {
		WRITE_ONCE(arrived, 0);
		smp_store_release(&round, now + 1);
	}
	while (smp_load_acquire(&round) == now)
		sched_yield();
}

static void store_then_load(unsigned int cpu)
{
	unsigned int i, j;

	for (i = 0; i < ROUNDS(2000); i++) {
		if (cpu == i % TEST_CPUS)
			store_on(cpu, addr);
		meet(TEST_CPUS);
		for (j = 0; j < 5; j++)
			load_on(cpu, addr + 8 * j);
		meet(TEST_CPUS);
	}
}

static void readers_at_once_move_it_once_each(void)
{
	unsigned int cpu, rounds = ROUNDS(2000);
	unsigned long loads = 0, stores = 0;

	start();
	run_threads(TEST_CPUS, store_then_load);
	for (cpu = 0; cpu < TEST_CPUS; cpu++) {
		loads += traffic_of(object, IP(1), cpu + 1).reads;
		stores += traffic_of(object, IP(2), cpu + 1).writes;
	}
	CHECK_EQ(stores, rounds);
	CHECK_EQ(loads, rounds * (TEST_CPUS - 1));
	CHECK_EQ(lost(), 0);
}

/* One CPU stores and another one loads as fast as possible. */
static void store_or_load(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < ROUNDS(300000); i++) {
		if (cpu)
			load_on(cpu, addr);
		else
			store_on(cpu, addr);
	}
}

static void line_goes_to_and_fro(void)
{
	unsigned long loads, stores;

	start();
	store_on(0, addr);
	run_threads(2, store_or_load);
	loads = traffic_of(object, IP(1), 2).reads;
	stores = traffic_of(object, IP(2), 1).writes;
	CHECK(loads && (stores == loads || stores == loads + 1));
	CHECK_EQ(lost(), 0);
}

/* Tracking is switched on and off during accesses. */
static void switch_or_access(unsigned int cpu)
{
	unsigned int i;

	for (i = 0; i < ROUNDS(2000); i++) {
		if (!cpu) {
			CHECK_EQ(memorizer_set_track_lines(i % 2), 0);
			continue;
		}
		load_on(cpu, addr);
		store_on(cpu, addr);
		range_site(addr, 8, MEMORIZER_UPDATE, IP(2));
	}
}

static void tracking_may_be_switched_at_any_time(void)
{
	unsigned int cpu;

	start();
	run_threads(4, switch_or_access);
	for (cpu = 1; cpu < 4; cpu++)
		CHECK_COUNTS(object, IP(2), cpu + 1, ROUNDS(2000), 2 * ROUNDS(2000));
	CHECK_EQ(lost(), 0);
}

const struct test_case traffic_cases[] = {
	CASE(ping_pong_moves_each_time),
	CASE(readers_move_it_once_after_a_store),
	CASE(update_loads_and_stores),
	CASE(false_sharing_goes_away_with_smaller_lines),
	CASE(line_sizes_are_powers_of_two),
	CASE(each_line_of_an_access_moves),
	CASE(access_to_no_object_moves_nothing),
	CASE(paused_task_moves_nothing),
	CASE(the_only_cpu_moves_nothing),
	CASE(switching_on_forgets_who_held_what),
	CASE(fast_path_comes_back),
	CASE(object_that_was_found_is_tracked),
	CASE(no_memory_for_lines_is_an_error),
	CASE(losses_are_counted),
	CASE(moves_are_in_the_rows),
	CASE(model_of_two_cpus_agrees),
	CASE(model_of_many_cpus_agrees),
	CASE(model_of_small_lines_agrees),
	CASE(readers_at_once_move_it_once_each),
	CASE(line_goes_to_and_fro),
	CASE(tracking_may_be_switched_at_any_time),
	{ }
};
