// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: the pool.
 */
#include "test.h"

#define BLOCK_TABLE	1	/* blocks taken by the pool's tables */
#define UNITS(blocks)	(POOL_BLOCKS(blocks) >> MEMORIZER_ID_SHIFT)

static unsigned int per_block(unsigned int class)
{
	return MEMORIZER_BLOCK_SIZE / memorizer_class_size(class);
}

/* The owner of each unit of the pool, plus one; 0 if it is free. */
static u32 *holder;

static void start(unsigned int blocks)
{
	boot(POOL_BLOCKS(blocks + BLOCK_TABLE));
	holder = reserve(UNITS(blocks) * sizeof(*holder));
}

/* Allocate a record and check that it has no other owner. Returns 0 if there is none. */
static u32 take(unsigned int class)
{
	unsigned int units = memorizer_class_size(class) >> MEMORIZER_ID_SHIFT, i;
	u32 id = memorizer_pool_alloc(class);

	if (!id)
		return 0;
	CHECK(id + units - 1 <= memorizer_pool_size() >> MEMORIZER_ID_SHIFT);
	for (i = 0; i < units; i++) {
		CHECK_EQ(holder[id - 1 + i], 0);
		holder[id - 1 + i] = class + 1;
	}
	CHECK_EQ((id - 1) / UNITS(1), (id - 1 + units - 1) / UNITS(1));
	return id;
}

static void give(unsigned int class, u32 id)
{
	unsigned int units = memorizer_class_size(class) >> MEMORIZER_ID_SHIFT, i;

	for (i = 0; i < units; i++) {
		CHECK_EQ(holder[id - 1 + i], class + 1);
		holder[id - 1 + i] = 0;
	}
	memorizer_pool_free(class, id);
}

static void every_class_has_records(void)
{
	unsigned int class, i;

	start(2 * MEMORIZER_CLASSES);
	for (class = 0; class < MEMORIZER_CLASSES; class++) {
		for (i = 0; i < 2 * per_block(class); i++) {
			u32 id = take(class);
			u8 *record = memorizer_ptr(id);
			unsigned int j;

			CHECK(id);
			CHECK_EQ(memorizer_id(record), id);
			/* The pool used its first word. */
			for (j = sizeof(u32); j < memorizer_class_size(class); j++)
				CHECK_EQ(record[j], 0);
		}
		CHECK_EQ(memorizer_class_used(class), 2 * per_block(class));
	}
	CHECK_EQ(memorizer_pool_alloc(MEMORIZER_OBJECT), 0);
}

static void leaves_are_pages(void)
{
	start(1);
	CHECK_EQ(memorizer_class_size(MEMORIZER_LEAF), PAGE_SIZE);
	CHECK_EQ((unsigned long)memorizer_ptr(take(MEMORIZER_LEAF)) & ~PAGE_MASK, 0);
	CHECK_EQ((unsigned long)memorizer_ptr(take(MEMORIZER_LEAF)) & ~PAGE_MASK, 0);
}

static void exhausted_pool_returns_0_and_recovers(void)
{
	unsigned int class, i;
	u32 id = 0, next;

	for (class = 0; class < MEMORIZER_CLASSES; class++)
		CHECK_EQ(memorizer_class_used(class), 0);
	start(3);
	for (i = 0; (next = take(MEMORIZER_ENTRY)); i++)
		id = next;
	CHECK_EQ(i, 3 * per_block(MEMORIZER_ENTRY));
	for (class = 0; class < MEMORIZER_CLASSES; class++)
		CHECK_EQ(memorizer_pool_alloc(class), 0);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), i);

	give(MEMORIZER_ENTRY, id);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), i - 1);
	CHECK_EQ(memorizer_pool_alloc(MEMORIZER_OBJECT), 0);
	CHECK_EQ(take(MEMORIZER_ENTRY), id);
	CHECK_EQ(memorizer_pool_alloc(MEMORIZER_ENTRY), 0);
}

static void given_records_are_free_after_give_back(void)
{
	unsigned int i, count;
	u32 ids[UNITS(2) / 4 + 1];

	start(2);
	for (count = 0; (ids[count] = take(MEMORIZER_OBJECT)); count++)
		;
	CHECK_EQ(count, 2 * per_block(MEMORIZER_OBJECT));
	for (i = 0; i < count; i++)
		memorizer_pool_give(MEMORIZER_OBJECT, ids[i]);
	CHECK_EQ(memorizer_pool_alloc(MEMORIZER_OBJECT), 0);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), count);
	memorizer_pool_give_back();
	memset(holder, 0, UNITS(2) * sizeof(*holder));
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 0);

	for (i = 0; i < count; i++)
		CHECK(take(MEMORIZER_OBJECT));
	CHECK_EQ(take(MEMORIZER_OBJECT), 0);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), count);
}

static void empty_give_back_changes_nothing(void)
{
	start(1);
	memorizer_pool_give_back();
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), 0);
	CHECK(take(MEMORIZER_ENTRY));
	CHECK(take(MEMORIZER_ENTRY));
}

static void reused_records_keep_their_contents(void)
{
	struct memorizer_entry *entry;
	u32 id;

	start(1);
	id = take(MEMORIZER_ENTRY);
	entry = memorizer_ptr(id);
	entry->writes = 4711;
	give(MEMORIZER_ENTRY, id);
	while (take(MEMORIZER_ENTRY) != id)
		;
	CHECK_EQ(entry->writes, 4711);
}

static void size_excludes_tables(void)
{
	CHECK_EQ(memorizer_pool_size(), 0);
	start(7);
	CHECK_EQ(memorizer_pool_size(), POOL_BLOCKS(7));
	CHECK_EQ(memorizer_pool_bytes(0, MEMORIZER_CLASSES - 1), 0);
}

/* A CPU steals batches returned to other CPUs when it finds no others. */
static void cpus_steal_returned_batches(void)
{
	u32 a, b = 0, id;

	start(2);
	become(0, 1);
	a = take(MEMORIZER_ENTRY);
	become(1, 1);
	while ((id = take(MEMORIZER_ENTRY)))
		b = id;
	become(2, 1);
	CHECK_EQ(take(MEMORIZER_ENTRY), 0);
	give(MEMORIZER_ENTRY, a);
	give(MEMORIZER_ENTRY, b);
	CHECK(take(MEMORIZER_ENTRY));
	CHECK(take(MEMORIZER_ENTRY));
	CHECK_EQ(take(MEMORIZER_ENTRY), 0);
}

/* A cache line holds records of one CPU only, also after they have been freed and reused. */
static void cpus_never_share_cache_lines(void)
{
	static u8 owner[POOL_BLOCKS(64) / 64];
	static u32 ids[TEST_CPUS][500];
	unsigned int cpu, i, round, size = memorizer_class_size(MEMORIZER_ENTRY);
	unsigned long begin, line;
	u64 seed = 3;

	start(64);
	for (round = 0; round < 20; round++) {
		for (i = 0; i < TEST_CPUS * 500; i++) {
			cpu = random_u32(&seed) % TEST_CPUS;
			become(cpu, 1);
			if (i / TEST_CPUS >= 400 || ids[cpu][i / TEST_CPUS])
				continue;
			ids[cpu][i / TEST_CPUS] = take(MEMORIZER_ENTRY);
			CHECK(ids[cpu][i / TEST_CPUS]);
		}
		memset(owner, 0, sizeof(owner));
		for (i = 0; i < TEST_CPUS * 500; i++) {
			u32 id = ids[i / 500][i % 500];

			if (!id)
				continue;
			begin = (unsigned long)(id - 1) << MEMORIZER_ID_SHIFT;
			for (line = begin / 64; line <= (begin + size - 1) / 64; line++) {
				CHECK(!owner[line] || owner[line] == i / 500 + 1);
				owner[line] = i / 500 + 1;
			}
			if (random_u32(&seed) % 4) {
				/* As memorizer_clear() does, on any CPU. */
				memorizer_pool_give(MEMORIZER_ENTRY, id);
				memset(&holder[id - 1], 0,
				       (size >> MEMORIZER_ID_SHIFT) * sizeof(*holder));
				ids[i / 500][i % 500] = 0;
			}
		}
		become(round % TEST_CPUS, 1);
		memorizer_pool_give_back();
	}
}

/* Partly used chunks of 128 CPUs take a small part of 64 MiB. */
static void each_cpu_holds_a_small_part(void)
{
	unsigned int cpu, class, count = 0;

	possible_cpus = CONFIG_NR_CPUS;
	start(1024);
	for (cpu = 0; cpu < possible_cpus; cpu++) {
		become(cpu, 1);
		for (class = 0; class <= MEMORIZER_SLAB + 4; class++)
			CHECK(take(class));
	}
	become(0, 1);
	while (take(MEMORIZER_ENTRY))
		count++;
	CHECK(count > 1024 * per_block(MEMORIZER_ENTRY) * 3 / 4);
}

/* Random calls on random CPUs, compared with a model of the owners. */
static void records_are_never_handed_out_twice(void)
{
	static const unsigned int classes[] = {
		MEMORIZER_OBJECT, MEMORIZER_ENTRY, MEMORIZER_LEAF,
		MEMORIZER_SLAB, MEMORIZER_SLAB + 6,
	};
	unsigned long used[MEMORIZER_CLASSES] = { }, bytes, fails = 0;
	struct { unsigned int class; u32 id; } held[4000] = { };
	unsigned int i, n, class;
	u64 seed = 1;

	start(24);
	for (i = 0; i < ROUNDS(1000000); i++) {
		become(random_u32(&seed) % TEST_CPUS, 1);
		n = random_u32(&seed) % ARRAY_SIZE(held);
		if (held[n].id) {
			give(held[n].class, held[n].id);
			used[held[n].class]--;
			held[n].id = 0;
			continue;
		}
		class = classes[random_u32(&seed) % ARRAY_SIZE(classes)];
		held[n].class = class;
		held[n].id = take(class);
		if (held[n].id)
			used[class]++;
		else
			fails++;
	}
	/* The pool was full at times, but not most of the time. */
	CHECK(fails && fails < i / 4);

	for (bytes = 0, class = 0; class < MEMORIZER_CLASSES; class++) {
		CHECK_EQ(memorizer_class_used(class), used[class]);
		CHECK_EQ(memorizer_pool_bytes(class, class),
			 used[class] * memorizer_class_size(class));
		bytes += used[class] * memorizer_class_size(class);
	}
	CHECK_EQ(memorizer_pool_bytes(0, MEMORIZER_CLASSES - 1), bytes);
}

static void iteration_visits_each_object_once(void)
{
	unsigned int i, live = 0, walked = 0, blocks = 0;
	unsigned long pos = 0;
	u64 seed = 2;

	start(200);
	CHECK(!memorizer_object_from(&pos));
	for (i = 0; i < 5000; i++) {
		struct memorizer_object *object;

		become(random_u32(&seed) % 3, 1);
		CHECK(take(random_u32(&seed) % 2 ? MEMORIZER_ENTRY : MEMORIZER_LEAF + i % 3));
		object = memorizer_ptr(take(MEMORIZER_OBJECT));
		object->state = MEMORIZER_LIVE;
		object->alloc_ip = ++live;
	}
	while (memorizer_object_from(&pos))
		walked++;
	blocks = DIV_ROUND_UP(walked, per_block(MEMORIZER_OBJECT));
	CHECK_EQ(walked, blocks * per_block(MEMORIZER_OBJECT));

	for (pos = 0; walked; walked--) {
		struct memorizer_object *object = memorizer_object_from(&pos);

		CHECK(object);
		if (object->state == MEMORIZER_LIVE) {
			CHECK(object->alloc_ip);
			CHECK_EQ(holder[memorizer_id(object) - 1], MEMORIZER_OBJECT + 1);
			object->alloc_ip = 0;
			live--;
		} else {
			CHECK_EQ(object->state, MEMORIZER_UNUSED);
		}
	}
	CHECK_EQ(live, 0);
	CHECK(!memorizer_object_from(&pos));
}

/* Allocate all records of a class. */
static unsigned int take_all(unsigned int class, u32 *ids)
{
	unsigned int count = 0;

	while ((ids[count] = take(class)))
		count++;
	return count;
}

static void give_all(unsigned int class, const u32 *ids, unsigned int count)
{
	while (count)
		give(class, ids[--count]);
}

static void free_blocks_are_reclaimed_for_every_class(void)
{
	static u32 ids[UNITS(3)];
	unsigned int from, to, count, i, j;

	start(3);
	for (from = 0; from < MEMORIZER_CLASSES; from++) {
		for (to = 0; to < MEMORIZER_CLASSES; to++) {
			count = take_all(from, ids);
			CHECK_EQ(count, 3 * per_block(from));
			for (i = 0; i < count; i++)
				memset(memorizer_ptr(ids[i]), 0xff, memorizer_class_size(from));
			give_all(from, ids, count);
			CHECK(from == to || !memorizer_pool_alloc(to));

			memorizer_pool_reclaim();
			count = take_all(to, ids);
			CHECK_EQ(count, 3 * per_block(to));
			for (i = 0; i < count; i++)
				for (j = sizeof(u32); j < memorizer_class_size(to); j++)
					CHECK_EQ(((u8 *)memorizer_ptr(ids[i]))[j], 0);
			give_all(to, ids, count);
			memorizer_pool_reclaim();
		}
	}
}

static void blocks_in_use_are_not_reclaimed(void)
{
	static u32 ids[UNITS(4)];
	struct memorizer_entry *entry;
	unsigned int count, kept;

	start(4);
	count = take_all(MEMORIZER_ENTRY, ids);
	CHECK_EQ(count, 4 * per_block(MEMORIZER_ENTRY));
	kept = per_block(MEMORIZER_ENTRY) * 5 / 2;
	entry = memorizer_ptr(ids[kept]);
	entry->writes = 4711;
	give_all(MEMORIZER_ENTRY, ids, kept);
	give_all(MEMORIZER_ENTRY, ids + kept + 1, count - kept - 1);
	memorizer_pool_reclaim();

	CHECK_EQ(take_all(MEMORIZER_OBJECT, ids), 3 * per_block(MEMORIZER_OBJECT));
	CHECK_EQ(take_all(MEMORIZER_ENTRY, ids), per_block(MEMORIZER_ENTRY) - 1);
	CHECK_EQ(entry->writes, 4711);
}

static void reclaim_needs_a_failed_allocation(void)
{
	static u32 ids[UNITS(1)];
	struct memorizer_entry *entry;
	unsigned int i;

	start(2);
	for (i = 0; i < per_block(MEMORIZER_ENTRY); i++)
		ids[i] = take(MEMORIZER_ENTRY);
	entry = memorizer_ptr(ids[0]);
	entry->writes = 4711;
	give_all(MEMORIZER_ENTRY, ids, i);
	memorizer_pool_reclaim();
	while (take(MEMORIZER_ENTRY) != ids[0])
		;
	CHECK_EQ(entry->writes, 4711);
}

const struct test_case pool_cases[] = {
	CASE(every_class_has_records),
	CASE(leaves_are_pages),
	CASE(exhausted_pool_returns_0_and_recovers),
	CASE(given_records_are_free_after_give_back),
	CASE(empty_give_back_changes_nothing),
	CASE(reused_records_keep_their_contents),
	CASE(size_excludes_tables),
	CASE(cpus_steal_returned_batches),
	CASE(cpus_never_share_cache_lines),
	CASE(each_cpu_holds_a_small_part),
	CASE(records_are_never_handed_out_twice),
	CASE(iteration_visits_each_object_once),
	CASE(free_blocks_are_reclaimed_for_every_class),
	CASE(blocks_in_use_are_not_reclaimed),
	CASE(reclaim_needs_a_failed_allocation),
	{ }
};
