// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: groups, whose accesses are counted at once and shown one by one.
 */
#include "test.h"

/* Of heap_caches. */
enum { SMALL = 1 };

#define SIZE	64	/* bytes of an object of SMALL */

#define R	MEMORIZER_READ
#define W	MEMORIZER_WRITE
#define U	MEMORIZER_UPDATE

/* By IP(n), of @size bytes at @offset */
#define ACCESS(n, offset, size, kind)	{ (s32)IP(n), offset, size, kind }

/* A load at 0, an update at 8, a store at 24: an extent of 28 bytes, 4 accesses. */
static const struct memorizer_member three[] = {
	ACCESS(10, 0, 8, R), ACCESS(20, 8, 8, U), ACCESS(30, 24, 4, W),
};

static void start(void)
{
	boot(POOL_BLOCKS(256));
	heap_init(64);
}

static unsigned long alloc(void)
{
	unsigned long addr = heap_alloc(SMALL);

	hook_alloc(addr, SIZE, IP(1));
	return addr;
}

static struct memorizer_object *live(unsigned long addr)
{
	return shown_at(addr, MEMORIZER_LIVE);
}

static struct memorizer_entry *only_entry(unsigned long addr)
{
	struct memorizer_entry *entry = memorizer_ptr(live(addr)->entries);

	CHECK_EQ(entry->link, 0);
	return entry;
}

static unsigned long hits(void)
{
	unsigned long sum = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(site_hits, cpu);
	return sum;
}

static unsigned long entries(void)
{
	return memorizer_class_used(MEMORIZER_ENTRY) + memorizer_class_used(MEMORIZER_WIDE_ENTRY);
}

/* An expected row: ip, pid, stores, loads. */
struct expected {
	unsigned long ip, pid, writes, reads;
};

static void check_rows(struct memorizer_object *object, const struct expected *expected,
		       unsigned int count)
{
	struct memorizer_rows rows;
	struct memorizer_row row;
	unsigned int i;

	down_write(&memorizer_rwsem);
	memorizer_rows_begin(&rows, object, false);
	for (i = 0; i < count; i++) {
		CHECK(memorizer_rows_next(&rows, &row));
		CHECK_EQ(memorizer_unpack_ip(row.ip), expected[i].ip);
		CHECK_EQ(row.pid, expected[i].pid);
		CHECK_EQ(row.writes, expected[i].writes);
		CHECK_EQ(row.reads, expected[i].reads);
	}
	CHECK(!memorizer_rows_next(&rows, &row));
	memorizer_rows_end(&rows);
	up_write(&memorizer_rwsem);
}

#define CHECK_LINES(object, ...) do {					\
	const struct expected __expected[] = { __VA_ARGS__ };			\
									\
	check_rows(object, __expected, ARRAY_SIZE(__expected));		\
} while (0)

static void group_within_an_object_takes_one_entry(void)
{
	const struct memorizer_group *group;
	unsigned long addr;

	start();
	group = make_group(three, 3);
	addr = alloc();
	group_site(addr + 16, group);
	CHECK_EQ(hits(), 0);
	group_site(addr + 16, group);
	group_site(addr + 16, group);
	CHECK_EQ(hits(), 2);
	CHECK_EQ(entries(), 1);
	CHECK_LINES(live(addr), { IP(10), 1, 0, 3 }, { IP(20), 1, 3, 3 }, { IP(30), 1, 3, 0 });
	CHECK_EQ(memorizer_entry_accesses(only_entry(addr)), 3 * 4);
}

/* A group at each offset at which it touches the object. */
static void group_across_objects_counts_for_both(void)
{
	unsigned long a, b, low, high, i, n;
	const struct memorizer_group *group;
	long offset;

	start();
	group = make_group(three, 3);
	a = alloc();
	b = alloc();
	low = min(a, b);
	high = max(a, b);
	CHECK_EQ(high - low, SIZE);
	for (i = 1; i <= 2; i++)
		for (offset = 0; offset < SIZE; offset++)
			group_site(low + offset, group);
	/* Accesses that touch either object are counted. */
	for (n = 0; n < 3; n++) {
		unsigned long ip = IP(10 * (n + 1)), off = three[n].offset, size = three[n].size;
		struct counts in_low = counts_of(live(low), ip, 1);
		struct counts in_high = counts_of(live(high), ip, 1);

		CHECK_EQ(max(in_low.reads, in_low.writes), 2 * (SIZE - off));
		CHECK_EQ(max(in_high.reads, in_high.writes), 2 * (off + size - 1));
	}
	CHECK_EQ(sum_counters().unattributed, 0);
	CHECK(hits());

	/* No object follows the last one. */
	group_site(high + SIZE - 8, group);
	CHECK_EQ(sum_counters().unattributed, 3);
	CHECK_EQ(counts_of(live(high), IP(10), 1).reads, 2 * 7 + 1);
}

static void group_in_no_object_is_nobodys(void)
{
	const struct memorizer_group *group;
	unsigned long addr;

	start();
	group = make_group(three, 3);
	addr = alloc();
	group_site(MAP_BASE + MAP_BYTES, group);
	CHECK_EQ(sum_counters().unattributed, 4);
	group_site(MAP_BASE + MAP_BYTES - 8, group);
	CHECK_EQ(sum_counters().unattributed, 8);
	group_site(addr + 4096 * 40, group);
	CHECK_EQ(sum_counters().unattributed, 12);
	group_site(0, group);
	CHECK_EQ(sum_counters().unattributed, 16);
	CHECK_EQ(entries(), 0);
}

static void freed_object_is_counted_no_more(void)
{
	const struct memorizer_group *group;
	struct memorizer_object *freed;
	unsigned long addr;

	start();
	group = make_group(three, 3);
	addr = alloc();
	group_site(addr, group);
	group_site(addr, group);
	freed = live(addr);
	hook_free(addr, IP(2));
	group_site(addr, group);
	CHECK_EQ(sum_counters().unattributed, 4);
	CHECK_LINES(freed, { IP(10), 1, 0, 2 }, { IP(20), 1, 2, 2 }, { IP(30), 1, 2, 0 });

	/* A new object at the address, while the freed object's entry is cached. */
	hook_alloc(addr, SIZE, IP(1));
	group_site(addr, group);
	CHECK_LINES(freed, { IP(10), 1, 0, 2 }, { IP(20), 1, 2, 2 }, { IP(30), 1, 2, 0 });
	CHECK_LINES(live(addr), { IP(10), 1, 0, 1 }, { IP(20), 1, 1, 1 }, { IP(30), 1, 1, 0 });
}

static void tasks_have_rows_of_their_own(void)
{
	const struct memorizer_group *group;
	unsigned long addr, i;

	start();
	group = make_group(three, 3);
	addr = alloc();
	for (i = 0; i < 3; i++) {
		become(i % 2, 7);
		group_site(addr, group);
		become(1, 5);
		group_site(addr, group);
		group_site(addr, group);
	}
	CHECK_LINES(live(addr), { IP(10), 5, 0, 6 }, { IP(10), 7, 0, 3 },
		    { IP(20), 5, 6, 6 }, { IP(20), 7, 3, 3 },
		    { IP(30), 5, 6, 0 }, { IP(30), 7, 3, 0 });
}

/* Members share an ip with each other, with another group, and with single accesses. */
static void rows_are_in_order_and_unique(void)
{
	static const struct memorizer_member wide[] = {
		ACCESS(50, 8, 8, R), ACCESS(10, 0, 8, R), ACCESS(50, 8, 8, W), ACCESS(25, 16, 8, R),
	};
	static const struct memorizer_member late[] = { ACCESS(15, 0, 8, W), ACCESS(30, 8, 8, R) };
	static const struct memorizer_member last[] = { ACCESS(60, 0, 8, W), ACCESS(61, 8, 8, R) };
	unsigned long addr;

	start();
	addr = alloc();
	site(addr, 8, R, IP(30));
	group_site(addr, make_group(last, 2));
	group_site(addr, make_group(late, 2));
	site(addr, 8, U, IP(12));
	group_site(addr, make_group(wide, 4));
	group_site(addr, make_group(three, 3));
	site(addr, 8, W, IP(5));
	become(1, 3);
	site(addr, 8, R, IP(30));
	site(addr, 8, R, IP(61));
	site(addr, 8, W, IP(10));
	CHECK_LINES(live(addr), { IP(5), 1, 1, 0 }, { IP(10), 1, 0, 2 }, { IP(10), 3, 1, 0 },
		    { IP(12), 1, 1, 1 }, { IP(15), 1, 1, 0 }, { IP(20), 1, 1, 1 },
		    { IP(25), 1, 0, 1 }, { IP(30), 1, 1, 2 }, { IP(30), 3, 0, 1 },
		    { IP(50), 1, 1, 1 }, { IP(60), 1, 1, 0 }, { IP(61), 1, 0, 1 },
		    { IP(61), 3, 0, 1 });
}

/* The maximum number of groups with a common ip, by some tasks on some CPUs. */
static void groups_with_one_ip_share_rows(void)
{
	static const struct memorizer_member pair[] = { ACCESS(10, 0, 8, R), ACCESS(20, 8, 8, W) };
	const struct memorizer_group *group[MEMORIZER_GROUPS_AT_ONCE];
	struct expected expected[2 * 50];
	unsigned long addr;
	unsigned int i, n;

	start();
	addr = alloc();
	for (i = 0; i < ARRAY_SIZE(group); i++)
		group[i] = make_group(pair, 2);
	for (i = 0; i < 100; i++)
		expected[i] = (struct expected){ i < 50 ? IP(10) : IP(20), 1 + i % 50 };
	for (i = 0; i < 5000; i++) {
		n = i * 7 % 50;
		become(i % 3, 1 + n);
		group_site(addr, group[i * 13 % 11 % ARRAY_SIZE(group)]);
		site(addr, 8, R, IP(10));
		expected[n].reads += 2;
		expected[50 + n].writes++;
	}
	check_rows(live(addr), expected, 100);
}

static void counts_have_64_bits(void)
{
	const struct memorizer_group *group;
	struct memorizer_object *object;
	unsigned long addr;

	start();
	group = make_group(three, 3);
	addr = alloc();
	object = live(addr);
	group_site(addr, group);
	only_entry(addr)->times = S16_MAX;
	group_site(addr, group);
	group_site(addr, group);
	CHECK_EQ(entries(), 2);
	CHECK_LINES(object, { IP(10), 1, 0, BIT(15) + 1 }, { IP(20), 1, BIT(15) + 1, BIT(15) + 1 },
		    { IP(30), 1, BIT(15) + 1, 0 });
	/* The extent is intact. */
	group_site(addr + SIZE - 8, group);
	CHECK_EQ(counts_of(object, IP(30), 1).writes, BIT(15) + 1);
	CHECK_EQ(sum_counters().unattributed, 3);
}

static void carry_in_a_full_pool_is_lost(void)
{
	const struct memorizer_group *group;
	unsigned long addr;

	start();
	group = make_group(three, 3);
	addr = alloc();
	group_site(addr, group);
	only_entry(addr)->times = S16_MAX;
	while (memorizer_pool_alloc(MEMORIZER_ENTRY))
		;
	group_site(addr, group);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 4UL << 15);
	group_site(addr, group);
	CHECK_LINES(live(addr), { IP(10), 1, 0, 1 }, { IP(20), 1, 1, 1 }, { IP(30), 1, 1, 0 });
}

/* Accesses with existing entries are counted. */
static void full_pool_loses_each_access(void)
{
	unsigned long addr;

	start();
	addr = alloc();
	site(addr + 8, 8, U, IP(20));
	while (memorizer_pool_alloc(MEMORIZER_ENTRY))
		;
	group_site(addr, make_group(three, 3));
	CHECK_LINES(live(addr), { IP(20), 1, 2, 2 });
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 2);
}

static void paused_task_is_not_counted(void)
{
	const struct memorizer_group *group;
	unsigned long addr;

	start();
	group = make_group(three, 3);
	addr = alloc();
	group_site(addr, group);
	memorizer_pause();
	group_site(addr, group);
	CHECK_EQ(sum_counters().paused, 4);
	memorizer_resume();
	memorizer_change_task(current, 0, 0, MEMORIZER_LEFT_OUT);
	group_site(addr, group);
	CHECK_EQ(sum_counters().left_out, 4);
	memorizer_change_task(current, 0, MEMORIZER_LEFT_OUT, 0);
	CHECK_EQ(sum_counters().unattributed, 0);
	CHECK_LINES(live(addr), { IP(10), 1, 0, 1 }, { IP(20), 1, 1, 1 }, { IP(30), 1, 1, 0 });
}

/* The slow path counts the accesses of a group one by one. */
static void slow_path_sees_each_access(void)
{
	const struct memorizer_group *group, *other;
	unsigned long addr;

	start();
	group = make_group(three, 3);
	other = make_group(three, 3);
	addr = alloc();
	group_site(addr, group);
	CHECK_EQ(entries(), 1);
	memorizer_slow_path_begin();
	group_site(addr, other);
	CHECK_EQ(entries(), 4);
	group_site(MAP_BASE + MAP_BYTES, group);
	CHECK_EQ(sum_counters().unattributed, 4);
	memorizer_slow_path_end();
	group_site(addr, group);
	CHECK_EQ(entries(), 4);
	CHECK_LINES(live(addr), { IP(10), 1, 0, 3 }, { IP(20), 1, 3, 3 }, { IP(30), 1, 3, 0 });
}

static void clearing_takes_each_access(void)
{
	const struct memorizer_group *group;
	unsigned long addr, kept;

	start();
	group = make_group(three, 3);
	addr = alloc();
	kept = alloc();
	group_site(addr, group);
	group_site(addr, group);
	group_site(kept, group);
	hook_free(addr, IP(2));
	memorizer_clear();
	CHECK_EQ(memorizer_cleared.accesses, 2 * 4);
	CHECK_EQ(entries(), 1);
	group_site(kept, group);
	CHECK_LINES(live(kept), { IP(10), 1, 0, 2 }, { IP(20), 1, 2, 2 }, { IP(30), 1, 2, 0 });
}

/* Random accesses, by groups and one by one, have the same rows. */
static void random_groups_have_the_rows_of_single_accesses(void)
{
	const struct memorizer_group *group[12];
	struct memorizer_member member[12][4];
	unsigned long addr[2][20], at;
	struct memorizer_rows rows[2];
	struct memorizer_row row[2];
	unsigned int i, j, g, n;
	u64 seed = 3;

	start();
	for (i = 0; i < 2; i++)
		for (j = 0; j < 20; j++)
			addr[i][j] = alloc();
	for (g = 0; g < 12; g++) {
		for (j = 0; j < 4; j++)
			member[g][j] = (struct memorizer_member){
				(s32)IP(g / 4 * 100 + random_u32(&seed) % 30),
				j ? random_u32(&seed) % 40 : 0,
				1 << random_u32(&seed) % 4, 1 + random_u32(&seed) % 3,
			};
		group[g] = make_group(member[g], 4);
	}
	for (i = 0; i < ROUNDS(100000); i++) {
		g = random_u32(&seed) % 12;
		n = random_u32(&seed) % 20;
		at = random_u32(&seed) % 4 * 8;
		become(random_u32(&seed) % TEST_CPUS, 1 + random_u32(&seed) % 5);
		/* Stay within objects, because their neighbours differ. */
		if (at + group[g]->extent > SIZE)
			at = 0;
		group_site(addr[0][n] + at, group[g]);
		for (j = 0; j < 4; j++)
			site(addr[1][n] + at + member[g][j].offset, member[g][j].size,
			     member[g][j].kind, memorizer_unpack_ip(member[g][j].ip));
	}
	for (n = 0; n < 20; n++) {
		down_write(&memorizer_rwsem);
		for (i = 0; i < 2; i++)
			memorizer_rows_begin(&rows[i], live(addr[i][n]), false);
		while (memorizer_rows_next(&rows[0], &row[0])) {
			CHECK(memorizer_rows_next(&rows[1], &row[1]));
			CHECK_EQ(memcmp(&row[0], &row[1], sizeof(row[0])), 0);
		}
		CHECK(!memorizer_rows_next(&rows[1], &row[1]));
		for (i = 0; i < 2; i++)
			memorizer_rows_end(&rows[i]);
		up_write(&memorizer_rwsem);
	}
}

const struct test_case group_cases[] = {
	CASE(group_within_an_object_takes_one_entry),
	CASE(group_across_objects_counts_for_both),
	CASE(group_in_no_object_is_nobodys),
	CASE(freed_object_is_counted_no_more),
	CASE(tasks_have_rows_of_their_own),
	CASE(rows_are_in_order_and_unique),
	CASE(groups_with_one_ip_share_rows),
	CASE(counts_have_64_bits),
	CASE(carry_in_a_full_pool_is_lost),
	CASE(full_pool_loses_each_access),
	CASE(paused_task_is_not_counted),
	CASE(slow_path_sees_each_access),
	CASE(clearing_takes_each_access),
	CASE(random_groups_have_the_rows_of_single_accesses),
	{ }
};
