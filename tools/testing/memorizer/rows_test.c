// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: an object's rows, in order and added up.
 */
#include "test.h"

enum { SMALL = 1 };	/* of heap_caches */

static unsigned long addr;
static struct memorizer_object *object;

static void start(unsigned int blocks)
{
	boot_hashed(POOL_BLOCKS(blocks), 8 * POOL_BLOCKS(blocks));
	heap_init(8);
	addr = heap_alloc(SMALL);
	hook_alloc(addr, 64, IP(1));
	object = shown_at(addr, MEMORIZER_LIVE);
}

static void begin(struct memorizer_rows *rows)
{
	down_write(&memorizer_rwsem);
	memorizer_rows_begin(rows, object, false);
	up_write(&memorizer_rwsem);
}

static bool next(struct memorizer_rows *rows, struct memorizer_row *row)
{
	bool any;

	down_write(&memorizer_rwsem);
	any = memorizer_rows_next(rows, row);
	up_write(&memorizer_rwsem);
	return any;
}

static void end(struct memorizer_rows *rows)
{
	down_write(&memorizer_rwsem);
	memorizer_rows_end(rows);
	up_write(&memorizer_rwsem);
}

/* Rows are in order of ip and pid, with the counts of all CPUs, for any order of accesses. */
static void rows_are_in_order_and_added_up(void)
{
	struct memorizer_rows rows;
	struct memorizer_row row;
	unsigned int i, n, ip, pid;
	u64 seed = 1;

	start(64);
	/* Each of 100 x 7 on each CPU, starting at a random one. */
	n = random_u32(&seed);
	for (i = 0; i < 100 * 7 * TEST_CPUS; i++) {
		ip = (i * 3u + n) % 100;
		pid = 1 + i % 7;
		become(i % TEST_CPUS, pid);
		site(addr, 8, i % 2 ? MEMORIZER_UPDATE : MEMORIZER_READ, IP(ip));
	}
	CHECK_ALL_COUNTS(object, 100 * 7 * TEST_CPUS, 50 * 7 * TEST_CPUS);

	begin(&rows);
	for (ip = 0, n = 0; ip < 100; ip++) {
		for (pid = 1; pid <= 7; pid++) {
			struct counts all = counts_of(object, IP(ip), pid);

			if (!all.reads)
				continue;
			CHECK(next(&rows, &row));
			CHECK_EQ(memorizer_unpack_ip(row.ip), IP(ip));
			CHECK_EQ(row.pid, pid);
			CHECK_EQ(row.reads, all.reads);
			CHECK_EQ(row.writes, all.writes);
			n += row.reads;
		}
	}
	CHECK(!next(&rows, &row));
	CHECK(!next(&rows, &row));
	end(&rows);
	CHECK_EQ(n, 100 * 7 * TEST_CPUS);
}

/*
 * An ip's accesses and moves are in one row per pid. The reader visits each entry once, and
 * those of the last run a second time, to find that no run follows.
 */
static void moves_are_in_the_rows_of_their_accesses(void)
{
	struct memorizer_rows rows;
	struct memorizer_row row;
	const unsigned int per_ip = 2 * 5 * TEST_CPUS;
	unsigned long chances;
	unsigned int i, ip, pid;
	u64 key;

	start(64);
	/* Each ip and pid on each CPU, in descending order of pid, with moves first. */
	for (i = 0; i < 3 * 5 * TEST_CPUS; i++) {
		become(i % TEST_CPUS, 5 - i / TEST_CPUS % 5);
		ip = i / TEST_CPUS / 5;
		key = memorizer_key(memorizer_pack_ip(IP(ip)) & ~MEMORIZER_ACCESS_IP, current->pid);
		preempt_disable_notrace();
		memorizer_count(object, key, memorizer_kind_counts(MEMORIZER_WRITE), 0);
		preempt_enable_notrace();
		site(addr, 8, MEMORIZER_UPDATE, IP(ip));
	}
	begin(&rows);
	chances = chances_to_schedule;
	for (ip = 0; ip < 3; ip++) {
		for (pid = 1; pid <= 5; pid++) {
			CHECK(next(&rows, &row));
			CHECK_EQ(memorizer_unpack_ip(row.ip), IP(ip));
			CHECK_EQ(row.pid, pid);
			CHECK_EQ(row.reads, TEST_CPUS);
			CHECK_EQ(row.writes, TEST_CPUS);
			CHECK_EQ(row.read_moves, 0);
			CHECK_EQ(row.write_moves, TEST_CPUS);
		}
	}
	CHECK(!next(&rows, &row));
	CHECK(chances_to_schedule - chances < 3 * per_ip + per_ip);
	end(&rows);
}

static void object_without_accesses_has_no_rows(void)
{
	struct memorizer_rows rows;
	struct memorizer_row row;

	start(20);
	begin(&rows);
	CHECK(!next(&rows, &row));
	end(&rows);
	end(&rows);
	CHECK_EQ(object->entries, 0);
}

/* Two readers, which both sort the entries, and new accesses between any two rows. */
static void readers_get_each_row_once(void)
{
	struct memorizer_rows rows[2];
	struct memorizer_row row;
	unsigned int i, n = 0;
	u32 last = 0;

	start(64);
	for (i = 0; i < 1000; i++)
		site(addr, 8, MEMORIZER_READ, IP(2 * (i * 7 % 1000)));
	begin(&rows[0]);
	while (next(&rows[0], &row)) {
		CHECK(row.ip > last || !last);
		last = row.ip;
		CHECK_EQ(row.writes, 0);
		/* All older rows are read. */
		if (memorizer_unpack_ip(row.ip) % 2 == 0)
			CHECK_EQ(memorizer_unpack_ip(row.ip), IP(2 * n++));
		site(addr, 8, MEMORIZER_READ, IP(2 * ((n * 13) % 1000) + 1));
		begin(&rows[1]);
		if (n % 10 == 0) {
			for (i = 0; next(&rows[1], &row); )
				i++;
			CHECK(i >= 1000 && i <= 2000);
		}
		end(&rows[1]);
	}
	CHECK_EQ(n, 1000);
	end(&rows[0]);
}

bool __real_memorizer_read_carries_retry(const struct memorizer_object *object, u32 begin);
bool __wrap_memorizer_read_carries_retry(const struct memorizer_object *object, u32 begin);

/* If not NULL, carry this entry's count after the next row was added up. */
static struct memorizer_entry *carried_next;

bool __wrap_memorizer_read_carries_retry(const struct memorizer_object *of, u32 begin)
{
	if (carried_next) {
		carried_next->reads = S16_MAX;
		carried_next = NULL;
		become(0, 9);
		site(addr, 8, MEMORIZER_READ, IP(1000));
	}
	return __real_memorizer_read_carries_retry(of, begin);
}

/* After a carry, a row is added up again, be it the first or the last one of an ip. */
static void carry_repeats_the_row(void)
{
	struct memorizer_entry *carried;
	struct memorizer_rows rows;
	struct memorizer_row row;
	unsigned int i, ip, pid;

	start(64);
	become(0, 9);
	site(addr, 8, MEMORIZER_WRITE, IP(1000));
	carried = memorizer_ptr(object->entries);
	for (i = 0; i < 20 * 3 * 2; i++) {
		become(i % 2, 1 + i / 2 % 3);
		site(addr, 8, MEMORIZER_UPDATE, IP(i / 6));
	}
	begin(&rows);
	for (ip = 0; ip < 20; ip++) {
		for (pid = 1; pid <= 3; pid++) {
			carried_next = carried;
			CHECK(next(&rows, &row));
			CHECK(!carried_next);
			CHECK_EQ(memorizer_unpack_ip(row.ip), IP(ip));
			CHECK_EQ(row.pid, pid);
			CHECK_EQ(row.reads, 2);
			CHECK_EQ(row.writes, 2);
		}
	}
	CHECK(next(&rows, &row));
	CHECK_EQ(memorizer_unpack_ip(row.ip), IP(1000));
	CHECK_EQ(row.reads, 20 * 3 * (S16_MAX + 1));
	CHECK_EQ(row.writes, 1);
	CHECK(!next(&rows, &row));
	end(&rows);
}

/* Counts that are carried while a reader is within the object's rows are in later rows. */
static void concurrent_carries_are_in_later_rows(void)
{
	struct memorizer_rows rows;
	struct memorizer_entry *entry;
	struct memorizer_row row;
	unsigned int i, cpu;

	start(64);
	for (i = 0; i < 100; i++) {
		for (cpu = 0; cpu < 2; cpu++) {
			become(cpu, 1 + i % 3);
			site(addr, 8, MEMORIZER_UPDATE, IP(i));
			entry = memorizer_ptr(object->entries);
			entry->reads = S16_MAX;
			entry->writes = S16_MAX - cpu;
		}
	}
	begin(&rows);
	for (i = 0; i < 100; i++) {
		for (cpu = 0; cpu < 2; cpu++) {
			become(cpu, 1 + i % 3);
			site(addr, 8, MEMORIZER_UPDATE, IP(i));
			site(addr, 8, MEMORIZER_READ, IP(99 - i % 10));
		}
		CHECK(next(&rows, &row));
		CHECK_EQ(memorizer_unpack_ip(row.ip), IP(i));
		if (i < 90) {
			CHECK_EQ(row.pid, 1 + i % 3);
			CHECK_EQ(row.reads, 2 * (S16_MAX + 1));
			CHECK_EQ(row.writes, 2 * (S16_MAX + 1) - 1);
			continue;
		}
		/* These have rows of three tasks. */
		CHECK_EQ(row.pid, 1);
		CHECK(next(&rows, &row));
		CHECK(next(&rows, &row));
	}
	CHECK(!next(&rows, &row));
	end(&rows);
}

/* An object stays until its readers have finished, even if it is cleared. */
static void object_is_complete_although_it_is_cleared(void)
{
	struct memorizer_rows rows;
	struct memorizer_row row;
	unsigned int i;

	start(64);
	for (i = 0; i < 1000; i++)
		site(addr, 8, MEMORIZER_WRITE, IP(i));
	begin(&rows);
	for (i = 0; i < 10; i++)
		CHECK(next(&rows, &row));
	hook_free(addr, IP(2));
	memorizer_clear();
	CHECK_EQ(memorizer_cleared.objects, 0);
	/* The reader does not see new objects and records. */
	hook_alloc(addr, 64, IP(3));
	site(addr, 8, MEMORIZER_READ, IP(5000));
	for (; i < 1000; i++) {
		CHECK(next(&rows, &row));
		CHECK_EQ(memorizer_unpack_ip(row.ip), IP(i));
		CHECK_EQ(row.writes, 1);
	}
	CHECK(!next(&rows, &row));
	end(&rows);
	memorizer_clear();
	CHECK_EQ(memorizer_cleared.objects, 1);
	CHECK_EQ(memorizer_cleared.accesses, 1000);
	CHECK_EQ(shown_objects(), 1);
}

/*
 * Reading and clearing two million entries allocates no memory and offers to reschedule
 * frequently.
 */
static void many_rows_take_many_small_steps(void)
{
	const unsigned int count = ROUNDS(2000000);
	struct memorizer_rows rows;
	struct memorizer_row row;
	unsigned long chances, n;

	start(1700);
	for (n = 0; n < count; n++)
		site(addr, 8, MEMORIZER_READ, IP(n * 7919 % count));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 0);

	chances = chances_to_schedule;
	begin(&rows);
	CHECK(chances_to_schedule - chances >= count);
	for (n = 0; next(&rows, &row); n++) {
		CHECK_EQ(memorizer_unpack_ip(row.ip), IP(n));
		CHECK_EQ(row.reads, 1);
	}
	CHECK_EQ(n, count);
	end(&rows);

	/* Already sorted: one pass is enough. */
	chances = chances_to_schedule;
	begin(&rows);
	CHECK_EQ(chances_to_schedule - chances, count - 1);
	end(&rows);

	hook_free(addr, IP(2));
	chances = chances_to_schedule;
	memorizer_clear();
	CHECK(chances_to_schedule - chances >= count);
	CHECK_EQ(memorizer_cleared.accesses, count);
}

const struct test_case rows_cases[] = {
	CASE(rows_are_in_order_and_added_up),
	CASE(moves_are_in_the_rows_of_their_accesses),
	CASE(object_without_accesses_has_no_rows),
	CASE(readers_get_each_row_once),
	CASE(carry_repeats_the_row),
	CASE(concurrent_carries_are_in_later_rows),
	CASE(object_is_complete_although_it_is_cleared),
	CASE(many_rows_take_many_small_steps),
	{ }
};
