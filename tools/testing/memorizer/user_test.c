// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: accesses to user memory, which have no object.
 */
#include "test.h"
#include "../../../mm/memorizer/user.h"

#define USER	0x7f0000001000UL

static void user_site(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip)
{
	preempt_disable_notrace();
	memorizer_user_access(addr, size, kind, ip);
	preempt_enable_notrace();
}

static void start_with(unsigned int blocks)
{
	boot(POOL_BLOCKS(blocks));
	become(0, 1);
	CHECK_EQ(memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB) | BIT(MEMORIZER_KIND_USER)), 0);
}

static void start(void)
{
	start_with(40);
}

static void accesses_count_by_ip_and_task(void)
{
	start();
	user_site(USER, 8, MEMORIZER_READ, IP(1));
	user_site(USER + 100, 4000, MEMORIZER_WRITE, IP(1));
	user_site(USER, 1, MEMORIZER_READ, IP(2));
	become(1, 2);
	user_site(USER, 8, MEMORIZER_READ, IP(1));
	user_site(USER, 8, MEMORIZER_READ, IP(1));
	CHECK_COUNTS(memorizer_user_counts(), IP(1), 1, 1, 1);
	CHECK_COUNTS(memorizer_user_counts(), IP(2), 1, 1, 0);
	CHECK_COUNTS(memorizer_user_counts(), IP(1), 2, 2, 0);
	CHECK_ALL_COUNTS(memorizer_user_counts(), 4, 1);
	CHECK_EQ(sum_counters().unattributed, 0);
}

static void record_is_no_object(void)
{
	const struct memorizer_object *record;

	test_jiffies = 1000;
	start();
	record = memorizer_user_counts();
	CHECK_EQ(memorizer_object_pid(record), 0);
	CHECK_EQ(memorizer_alloc_jiffies(record), 0);
	CHECK_EQ(record->comm[0], 0);
	CHECK_EQ(memorizer_object_kind(record), MEMORIZER_KIND_USER);
	user_site(USER, 8, MEMORIZER_READ, IP(1));
	CHECK_EQ(shown_objects(), 0);
	CHECK_EQ(sum_counters().allocs, 0);
	memorizer_clear();
	CHECK_EQ(memorizer_cleared.objects, 0);
	CHECK_EQ(memorizer_cleared.accesses, 1);
}

static void kernel_addresses_and_no_bytes_do_not_count(void)
{
	start();
	user_site(MAP_BASE, 8, MEMORIZER_WRITE, IP(1));
	user_site(USER, 0, MEMORIZER_WRITE, IP(1));
	CHECK_ALL_COUNTS(memorizer_user_counts(), 0, 0);
}

static void left_out_and_paused_tasks_do_not_count(void)
{
	start();
	memorizer_pause();
	user_site(USER, 8, MEMORIZER_READ, IP(1));
	memorizer_resume();
	CHECK_EQ(sum_counters().paused, 1);
	memorizer_change_task(current, 0, 0, MEMORIZER_LEFT_OUT);
	user_site(USER, 8, MEMORIZER_READ, IP(1));
	user_site(USER, 8, MEMORIZER_WRITE, IP(1));
	memorizer_change_task(current, 0, MEMORIZER_LEFT_OUT, 0);
	CHECK_EQ(sum_counters().left_out, 2);
	CHECK_ALL_COUNTS(memorizer_user_counts(), 0, 0);
	user_site(USER, 8, MEMORIZER_READ, IP(1));
	CHECK_ALL_COUNTS(memorizer_user_counts(), 1, 0);
}

/* No count is lost when it is carried. */
static void counts_have_64_bits(void)
{
	unsigned int i;

	start();
	for (i = 0; i < 100000; i++)
		user_site(USER, 8, i % 4 ? MEMORIZER_READ : MEMORIZER_WRITE, IP(1));
	CHECK_COUNTS(memorizer_user_counts(), IP(1), 1, 75000, 25000);
}

static void counts_stay_when_the_kind_is_not_selected(void)
{
	start();
	user_site(USER, 8, MEMORIZER_READ, IP(1));
	CHECK_EQ(memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB)), 0);
	CHECK_ALL_COUNTS(memorizer_user_counts(), 1, 0);
	memorizer_clear();
	CHECK_ALL_COUNTS(memorizer_user_counts(), 0, 0);
}

/* Clearing gives all entries back, again and again. */
static void clearing_gives_entries_back(void)
{
	unsigned long used = 0;
	unsigned int round, i;

	start();
	for (round = 0; round < 20; round++) {
		for (i = 0; i < 5000; i++)
			user_site(USER, 8, MEMORIZER_READ, IP(i));
		CHECK_ALL_COUNTS(memorizer_user_counts(), 5000, 0);
		memorizer_clear();
		CHECK_ALL_COUNTS(memorizer_user_counts(), 0, 0);
		if (!round)
			used = memorizer_pool_bytes(0, MEMORIZER_CLASSES - 1);
		CHECK(memorizer_pool_bytes(0, MEMORIZER_CLASSES - 1) <= used);
	}
	CHECK_EQ(memorizer_cleared.accesses, 20 * 5000);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 0);
}

/* Without room for entries, and for a new record, accesses are lost and counted. */
static void full_pool_is_usable_again_after_clearing(void)
{
	unsigned long lost, kept, i;

	start_with(3);
	for (i = 0; i < 100000; i++)
		user_site(USER, 8, MEMORIZER_READ, IP(i));
	lost = sum_counters().lost[MEMORIZER_LOST_ENTRY];
	kept = all_counts_of(memorizer_user_counts()).reads;
	CHECK(lost && kept);
	CHECK_EQ(lost + kept, 100000);
	while (memorizer_pool_alloc(MEMORIZER_OBJECT))
		;
	memorizer_clear();
	CHECK_EQ(memorizer_cleared.accesses, kept);
	CHECK(memorizer_user_counts());
	user_site(USER, 8, MEMORIZER_READ, IP(1));
	CHECK_ALL_COUNTS(memorizer_user_counts(), 1, 0);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], lost);
}

/* A record that the pool had no room for is made when retired objects leave room. */
static void retiring_makes_room_for_the_record(void)
{
	struct memorizer_object *object;
	unsigned long pos = 0;

	boot(POOL_BLOCKS(3));
	become(0, 1);
	CHECK_EQ(memorizer_set_kinds(BIT(MEMORIZER_KIND_PAGES)), 0);
	hook_alloc_pages(PAGE(1), 0, IP(1));
	hook_free_pages(PAGE(1), 0, IP(1));
	while (memorizer_pool_alloc(MEMORIZER_OBJECT))
		;
	CHECK_EQ(memorizer_set_kinds(BIT(MEMORIZER_KIND_USER)), 0);
	CHECK(!memorizer_user_counts());
	object = next_shown(&pos);
	CHECK(object && object->state == MEMORIZER_FREED);
	down_write(&memorizer_rwsem);
	memorizer_retire(object);
	memorizer_retire_done(object);
	up_write(&memorizer_rwsem);
	memorizer_give_back();
	CHECK(memorizer_user_counts());
}

/* A reader that stopped between two rows keeps the record. */
static void clearing_leaves_what_is_read(void)
{
	struct memorizer_object *before;
	struct memorizer_rows rows;
	struct memorizer_row row;
	unsigned int i, n = 0;

	start();
	for (i = 0; i < 10; i++)
		user_site(USER, 8, MEMORIZER_READ, IP(i));
	before = memorizer_user_counts();
	down_write(&memorizer_rwsem);
	memorizer_rows_begin(&rows, before, false);
	CHECK(memorizer_rows_next(&rows, &row));
	up_write(&memorizer_rwsem);
	memorizer_clear();
	CHECK(memorizer_user_counts() == before);
	down_write(&memorizer_rwsem);
	while (memorizer_rows_next(&rows, &row))
		n++;
	memorizer_rows_end(&rows);
	up_write(&memorizer_rwsem);
	CHECK_EQ(n, 9);
	memorizer_clear();
	CHECK_ALL_COUNTS(memorizer_user_counts(), 0, 0);
}

/* A retired record is no retired object, but its accesses are retired ones. */
static void retired_record_is_no_object(void)
{
	struct memorizer_object *old;

	start();
	user_site(USER, 8, MEMORIZER_READ, IP(1));
	down_write(&memorizer_rwsem);
	old = memorizer_renew_user();
	CHECK(old && old != memorizer_user_counts());
	memorizer_grace_period();
	memorizer_retire(old);
	memorizer_retire_done(old);
	up_write(&memorizer_rwsem);
	user_site(USER, 8, MEMORIZER_READ, IP(1));
	memorizer_give_back();
	CHECK_EQ(old->state, MEMORIZER_UNUSED);
	CHECK_EQ(memorizer_retired.objects, 0);
	CHECK_EQ(memorizer_retired.accesses, 1);
	CHECK_EQ(memorizer_cleared.objects, 0);
	CHECK_EQ(memorizer_cleared.accesses, 0);
	CHECK_ALL_COUNTS(memorizer_user_counts(), 1, 0);
}

const struct test_case user_cases[] = {
	CASE(accesses_count_by_ip_and_task),
	CASE(record_is_no_object),
	CASE(kernel_addresses_and_no_bytes_do_not_count),
	CASE(left_out_and_paused_tasks_do_not_count),
	CASE(counts_have_64_bits),
	CASE(counts_stay_when_the_kind_is_not_selected),
	CASE(clearing_gives_entries_back),
	CASE(full_pool_is_usable_again_after_clearing),
	CASE(retiring_makes_room_for_the_record),
	CASE(clearing_leaves_what_is_read),
	CASE(retired_record_is_no_object),
	{}
};
