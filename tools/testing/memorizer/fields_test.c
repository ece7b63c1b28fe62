// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: objects whose accesses are counted by granule.
 */
#include "test.h"

enum { SMALL = 1 };	/* of heap_caches */

#define SIZE	64	/* bytes of an object of SMALL */

/* Call sites of selected objects and of others. */
#define FIELDS_IP	IP(1)
#define PLAIN_IP	IP(2)

#define R	MEMORIZER_READ
#define W	MEMORIZER_WRITE
#define U	MEMORIZER_UPDATE

static void start(void)
{
	boot(POOL_BLOCKS(256));
	heap_init(64);
	odd_by_granule = true;
	memorizer_switch_hooks(MEMORIZER_DO_CHOOSE, true);
}

static unsigned long alloc(unsigned long ip)
{
	unsigned long addr = heap_alloc(SMALL);

	hook_alloc(addr, SIZE, ip);
	return addr;
}

static struct memorizer_object *live(unsigned long addr)
{
	return shown_at(addr, MEMORIZER_LIVE);
}

/* An expected row by granule: first and last byte. */
struct expected {
	unsigned long ip, pid, first, last, writes, reads;
};

static void check_rows(struct memorizer_object *object, bool by_granule,
		       const struct expected *expected, unsigned int count)
{
	struct memorizer_rows rows;
	struct memorizer_row row;
	unsigned int i;

	down_write(&memorizer_rwsem);
	memorizer_rows_begin(&rows, object, by_granule);
	for (i = 0; i < count; i++) {
		CHECK(memorizer_rows_next(&rows, &row));
		CHECK_EQ(memorizer_unpack_ip(row.ip), expected[i].ip);
		CHECK_EQ(row.pid, expected[i].pid);
		CHECK_EQ(row.granules,
			 by_granule ? memorizer_granules(expected[i].first, expected[i].last) :
				      MEMORIZER_NO_GRANULES);
		CHECK_EQ(row.writes, expected[i].writes);
		CHECK_EQ(row.reads, expected[i].reads);
	}
	CHECK(!memorizer_rows_next(&rows, &row));
	memorizer_rows_end(&rows);
	up_write(&memorizer_rwsem);
}

#define CHECK_LINES(object, by_granule, ...) do {			\
	const struct expected __expected[] = { __VA_ARGS__ };			\
									\
	check_rows(object, by_granule, __expected, ARRAY_SIZE(__expected));	\
} while (0)

static unsigned long entries(void)
{
	return memorizer_class_used(MEMORIZER_ENTRY) + memorizer_class_used(MEMORIZER_WIDE_ENTRY);
}

static unsigned long hits(void)
{
	unsigned long sum = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(site_hits, cpu);
	return sum;
}

/* Accesses at each offset and of each size add up to one row of the KMAP. */
static void granules_add_up(void)
{
	static const unsigned int sizes[] = { 1, 2, 4, 8, 16 };
	unsigned int offset, i, n = 0;
	struct memorizer_rows rows;
	struct memorizer_row row;
	u64 reads = 0, writes = 0;
	unsigned long addr;
	u32 last = 0;

	start();
	addr = alloc(FIELDS_IP);
	for (i = 0; i < 3 * ARRAY_SIZE(sizes); i++)
		for (offset = 0; offset + sizes[i / 3] <= SIZE; offset++)
			site(addr + offset, sizes[i / 3], i % 3 ? R : U, IP(10));
	CHECK_EQ(hits(), 0);
	/* The row of the KMAP */
	n = (64 + 63 + 61 + 57 + 49);
	CHECK_LINES(live(addr), false, { IP(10), 1, 0, 0, n, 3 * n });
	CHECK_COUNTS(live(addr), IP(10), 1, 3 * n, n);

	down_write(&memorizer_rwsem);
	memorizer_rows_begin(&rows, live(addr), true);
	for (n = 0; memorizer_rows_next(&rows, &row); n++) {
		CHECK(!n || row.granules > last);
		CHECK((row.granules >> 16) <= (row.granules & 0xffff));
		last = row.granules;
		reads += row.reads;
		writes += row.writes;
	}
	memorizer_rows_end(&rows);
	up_write(&memorizer_rwsem);
	CHECK_EQ(reads, 3 * writes);
	CHECK_EQ(writes, 64 + 63 + 61 + 57 + 49);
	/* Within one granule, across one border, and across all borders in 5, 8 and 16 bytes */
	CHECK_EQ(n, 16 + 15 + 14 + 13 + 12);
	CHECK_EQ(entries(), n);
}

/* Accesses within and across granules, by site and by range, of two tasks and two CPUs. */
static void each_granule_has_its_row(void)
{
	unsigned long addr;
	unsigned int i;

	start();
	addr = alloc(FIELDS_IP);
	for (i = 0; i < 3; i++) {
		become(i % 2, 7);
		site(addr, 4, R, IP(10));
		site(addr + 3, 1, W, IP(10));
		site(addr + 4, 4, U, IP(10));
		site(addr + 6, 4, R, IP(10));
		site(addr + 60, 4, W, IP(20));
		range_site(addr + 8, 20, W, IP(15));
		range_site(addr, SIZE, R, IP(15));
	}
	become(1, 5);
	site(addr, 8, R, IP(10));
	CHECK_LINES(live(addr), true,
		    { IP(10), 5, 0, 7, 0, 1 },
		    { IP(10), 7, 0, 3, 3, 3 }, { IP(10), 7, 4, 7, 3, 3 }, { IP(10), 7, 4, 9, 0, 3 },
		    { IP(15), 7, 0, 63, 0, 3 }, { IP(15), 7, 8, 27, 3, 0 },
		    { IP(20), 7, 60, 63, 3, 0 });
	CHECK_LINES(live(addr), false,
		    { IP(10), 5, 0, 0, 0, 1 }, { IP(10), 7, 0, 0, 6, 9 },
		    { IP(15), 7, 0, 0, 3, 3 }, { IP(20), 7, 0, 0, 3, 0 });
}

/* Other objects use the fast paths and have one entry per ip. */
static void others_are_counted_without_granules(void)
{
	unsigned long chosen, plain;
	unsigned int i;

	start();
	chosen = alloc(FIELDS_IP);
	plain = alloc(PLAIN_IP);
	for (i = 0; i < 16; i++) {
		site(chosen + 4 * i, 4, R, IP(10));
		site(plain + 4 * i, 4, R, IP(10));
	}
	CHECK_EQ(hits(), 15);
	CHECK_EQ(entries(), 16 + 1);
	CHECK_LINES(live(plain), false, { IP(10), 1, 0, 0, 0, 16 });
	down_write(&memorizer_rwsem);
	CHECK_EQ(memorizer_entry_granules(memorizer_ptr(live(plain)->entries)),
		 MEMORIZER_NO_GRANULES);
	up_write(&memorizer_rwsem);
	CHECK_EQ(memorizer_object_pid(live(chosen)), 1);
}

/* The access counts for the granules that it touches in each object. */
static void access_across_two_objects_counts_in_both(void)
{
	unsigned long a, b, low, high;

	start();
	a = alloc(FIELDS_IP);
	b = alloc(FIELDS_IP);
	low = min(a, b);
	high = max(a, b);
	CHECK_EQ(high - low, SIZE);
	site(low + 62, 8, W, IP(10));
	range_site(low + 40, 64, R, IP(20));
	CHECK_LINES(live(low), true, { IP(10), 1, 60, 63, 1, 0 }, { IP(20), 1, 40, 63, 0, 1 });
	CHECK_LINES(live(high), true, { IP(10), 1, 0, 7, 1, 0 }, { IP(20), 1, 0, 39, 0, 1 });
}

static void group_is_counted_one_by_one(void)
{
	static const struct memorizer_member pair[] = {
		{ (s32)IP(10), 0, 8, R }, { (s32)IP(20), 8, 4, W },
	};
	const struct memorizer_group *group;
	unsigned long addr, plain;

	start();
	group = make_group(pair, 2);
	addr = alloc(FIELDS_IP);
	plain = alloc(PLAIN_IP);
	group_site(addr + 16, group);
	group_site(addr + 32, group);
	group_site(addr + 16, group);
	CHECK_LINES(live(addr), true, { IP(10), 1, 16, 23, 0, 2 }, { IP(10), 1, 32, 39, 0, 1 },
		    { IP(20), 1, 24, 27, 2, 0 }, { IP(20), 1, 40, 43, 1, 0 });
	CHECK_EQ(hits(), 0);
	group_site(plain, group);
	group_site(plain, group);
	CHECK_EQ(hits(), 1);
}

/* Accesses past the last numbered granule count for that one. */
static void large_object_ends_in_its_last_granule(void)
{
	const unsigned long end = (MEMORIZER_GRANULE_MAX + 1UL) * MEMORIZER_GRANULE;
	unsigned long addr;

	start();
	heap_init(1024);
	addr = heap_alloc_large(2 * end);
	hook_alloc(addr, 2 * end, FIELDS_IP);
	site(addr + end - 4, 4, R, IP(10));
	site(addr + end, 4, R, IP(10));
	site(addr + 2 * end - 1, 1, R, IP(10));
	site(addr + end - 8, 4, R, IP(10));
	range_site(addr, 2 * end, W, IP(20));
	CHECK_LINES(live(addr), true, { IP(10), 1, end - 8, end - 5, 0, 1 },
		    { IP(10), 1, end - 4, end - 1, 0, 3 }, { IP(20), 1, 0, end - 1, 1, 0 });
}

static void freed_object_is_counted_no_more(void)
{
	struct memorizer_object *freed;
	unsigned long addr;

	start();
	addr = alloc(FIELDS_IP);
	site(addr, 4, R, IP(10));
	freed = live(addr);
	hook_free(addr, IP(3));
	site(addr, 4, R, IP(10));
	CHECK_EQ(sum_counters().unattributed, 1);
	CHECK_LINES(freed, true, { IP(10), 1, 0, 3, 0, 1 });
	/* At the same address, first an object that is not selected, then one that is. */
	hook_alloc(addr, SIZE, PLAIN_IP);
	site(addr + 4, 4, R, IP(10));
	site(addr + 8, 4, R, IP(10));
	CHECK_LINES(live(addr), false, { IP(10), 1, 0, 0, 0, 2 });
	hook_free(addr, IP(3));
	hook_alloc(addr, SIZE, FIELDS_IP);
	site(addr + 4, 4, R, IP(10));
	CHECK_LINES(live(addr), true, { IP(10), 1, 4, 7, 0, 1 });
	hook_free(addr, IP(3));
	memorizer_clear();
	CHECK_EQ(memorizer_cleared.objects, 3);
	CHECK_EQ(memorizer_cleared.accesses, 4);
	CHECK_EQ(entries(), 0);
}

/* It buries an object whose free was missed, and is buried itself. */
static void object_takes_anothers_place(void)
{
	unsigned long addr;

	start();
	addr = alloc(FIELDS_IP);
	hook_alloc(addr, SIZE, FIELDS_IP);
	CHECK_EQ(sum_counters().buried, 1);
	hook_alloc(addr, SIZE, PLAIN_IP);
	CHECK_EQ(sum_counters().buried, 2);
	CHECK_EQ(shown_objects(), 3);
}

/* A slab reuses the pages of an object whose free was missed. */
static void pages_that_are_reused_bury_it(void)
{
	struct memorizer_geometry slab = { .stride = 64, .slots = 64, .pages = 1 };
	unsigned long addr;

	start();
	addr = heap_alloc_large(3 * PAGE_SIZE);
	hook_alloc(addr, 3 * PAGE_SIZE, FIELDS_IP);
	site(addr + 2 * PAGE_SIZE, 4, R, IP(10));
	slab.start = addr;
	slab.base = addr;
	insert_object(&slab, addr, 64);
	CHECK_EQ(sum_counters().buried, 1);
	CHECK_EQ(lookup(addr + 2 * PAGE_SIZE), 0);
	CHECK_LINES(shown_at(addr, MEMORIZER_BURIED), true,
		    { IP(10), 1, 2 * PAGE_SIZE, 2 * PAGE_SIZE + 3, 0, 1 });
}

static void full_pool_loses_what_has_no_entry(void)
{
	unsigned long addr;

	start();
	addr = alloc(FIELDS_IP);
	site(addr, 4, R, IP(10));
	while (memorizer_pool_alloc(MEMORIZER_WIDE_ENTRY))
		;
	site(addr, 4, R, IP(10));
	site(addr + 4, 4, U, IP(10));
	range_site(addr, 64, W, IP(10));
	CHECK_LINES(live(addr), true, { IP(10), 1, 0, 3, 0, 2 });
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 3);
}

static void counts_have_64_bits(void)
{
	struct memorizer_wide_entry *entry;
	unsigned long addr;

	start();
	addr = alloc(FIELDS_IP);
	site(addr + 8, 4, U, IP(10));
	entry = memorizer_ptr(live(addr)->entries);
	local_set(&entry->reads, U32_MAX);
	local_set(&entry->writes, U32_MAX);
	site(addr + 8, 4, U, IP(10));
	site(addr + 12, 4, R, IP(10));
	CHECK_LINES(live(addr), true, { IP(10), 1, 8, 11, BIT(32), BIT(32) },
		    { IP(10), 1, 12, 15, 0, 1 });
	CHECK_LINES(live(addr), false, { IP(10), 1, 0, 0, BIT(32), BIT(32) + 1 });
}

static void paused_task_is_not_counted(void)
{
	unsigned long addr;

	start();
	addr = alloc(FIELDS_IP);
	memorizer_pause();
	site(addr, 4, R, IP(10));
	memorizer_resume();
	memorizer_change_task(current, 0, 0, MEMORIZER_LEFT_OUT);
	site(addr, 4, R, IP(10));
	memorizer_change_task(current, 0, MEMORIZER_LEFT_OUT, 0);
	CHECK_EQ(sum_counters().paused, 1);
	CHECK_EQ(sum_counters().left_out, 1);
	CHECK_EQ(entries(), 0);
}

/* While all accesses take the slow path. */
static void slow_path_counts_the_same(void)
{
	unsigned long addr;

	start();
	addr = alloc(FIELDS_IP);
	site(addr, 4, R, IP(10));
	memorizer_slow_path_begin();
	site(addr, 4, R, IP(10));
	memorizer_slow_path_end();
	site(addr, 4, R, IP(10));
	CHECK_LINES(live(addr), true, { IP(10), 1, 0, 3, 0, 3 });
}

/* Moves of cache lines are counted by object, not by granule. */
static void traffic_is_the_objects(void)
{
	unsigned long addr;

	start();
	CHECK_EQ(memorizer_set_track_lines(true), 0);
	addr = alloc(FIELDS_IP);
	become(0, 1);
	site(addr + 4, 4, W, IP(10));
	become(1, 1);
	site(addr + 8, 4, W, IP(10));
	CHECK_TRAFFIC(live(addr), IP(10), 1, 0, 2);
	CHECK_LINES(live(addr), false, { IP(10), 1, 0, 0, 2, 0 });
	CHECK_EQ(memorizer_set_track_lines(false), 0);
}

const struct test_case fields_cases[] = {
	CASE(granules_add_up),
	CASE(each_granule_has_its_row),
	CASE(others_are_counted_without_granules),
	CASE(access_across_two_objects_counts_in_both),
	CASE(group_is_counted_one_by_one),
	CASE(large_object_ends_in_its_last_granule),
	CASE(freed_object_is_counted_no_more),
	CASE(object_takes_anothers_place),
	CASE(pages_that_are_reused_bury_it),
	CASE(full_pool_loses_what_has_no_entry),
	CASE(counts_have_64_bits),
	CASE(paused_task_is_not_counted),
	CASE(slow_path_counts_the_same),
	CASE(traffic_is_the_objects),
	{ }
};
