// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of groups: the KMAP has the same rows for grouped accesses as for
 * single ones.
 */
#include <linux/completion.h>
#include <linux/kthread.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "test.h"

/* An object whose words are accessed one by one. */
struct words {
	u64 word[8];
};

/* A group of a store, a load and a store. */
static noinline void touch_three(void *data)
{
	struct words *w = data;

	WRITE_ONCE(w->word[0], 1);
	WRITE_ONCE(w->word[2], READ_ONCE(w->word[1]));
}

static struct words *make_words(struct kunit *test)
{
	struct words *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, w);
	return w;
}

static const struct memorizer_entry *entry_at(const void *ptr)
{
	const struct memorizer_object *object = memorizer_ptr(object_at(ptr));

	return memorizer_ptr(object->entries);
}

/* The number of accesses that were counted in groups. */
static u64 accesses_of_groups(const void *ptr)
{
	const struct memorizer_object *object = memorizer_ptr(object_at(ptr));
	const struct memorizer_entry *entry;
	u64 sum = 0;
	u32 id;

	for (id = READ_ONCE(object->entries); id; id = READ_ONCE(entry->link)) {
		entry = memorizer_ptr(id);
		sum += memorizer_entry_group(entry) ? memorizer_entry_accesses(entry) : 0;
	}
	return sum;
}

static void expect_row(struct kunit *test, const struct memorizer_row *row, u32 pid,
		       u64 reads, u64 writes)
{
	KUNIT_EXPECT_TRUE(test, ip_is_in(row->ip, touch_three));
	KUNIT_EXPECT_EQ(test, row->pid, pid);
	KUNIT_EXPECT_EQ(test, row->reads, reads);
	KUNIT_EXPECT_EQ(test, row->writes, writes);
}

static void group_within_an_object_takes_one_entry(struct kunit *test)
{
	struct words *w = make_words(test);
	struct memorizer_row row[4];
	unsigned int i;

	for (i = 0; i < 5; i++)
		touch_three(w);
	KUNIT_ASSERT_NOT_NULL(test, memorizer_entry_group(entry_at(w)));
	KUNIT_EXPECT_EQ(test, entry_at(w)->link, 0);
	KUNIT_EXPECT_EQ(test, memorizer_entry_accesses(entry_at(w)), 3 * 5);

	KUNIT_ASSERT_EQ(test, copy_rows(memorizer_ptr(object_at(w)), row, 4), 3);
	expect_row(test, &row[0], current->pid, 0, 5);
	expect_row(test, &row[1], current->pid, 5, 0);
	expect_row(test, &row[2], current->pid, 0, 5);
	KUNIT_EXPECT_LT(test, row[0].ip, row[1].ip);
	KUNIT_EXPECT_LT(test, row[1].ip, row[2].ip);
}

/* Find two adjacent objects. Returns the second one. */
static struct words *next_to_another(struct words **object, unsigned int count)
{
	unsigned int i, j;

	for (i = 0; i < count; i++)
		for (j = 0; j < count; j++)
			if (object[i] + 1 == object[j])
				return object[j];
	return NULL;
}

/* A group that starts in one object and ends in the next. */
static void group_across_objects_counts_for_both(struct kunit *test)
{
	/* Without red zones, objects are adjacent. */
	struct kmem_cache *cache = kmem_cache_create("memorizer_test_group", 64, 64,
						     SLAB_NO_MERGE | SLAB_NO_USER_FLAGS, NULL);
	struct words *object[8], *high;
	struct memorizer_row row[4];
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, cache);
	for (i = 0; i < ARRAY_SIZE(object); i++)
		object[i] = kmem_cache_alloc(cache, GFP_KERNEL | __GFP_ZERO);
	high = next_to_another(object, ARRAY_SIZE(object));
	KUNIT_EXPECT_NOT_NULL(test, high);
	if (high) {
		for (i = 0; i < 2; i++)
			touch_three(&high[-1].word[6]);
		KUNIT_EXPECT_EQ(test, copy_rows(memorizer_ptr(object_at(high - 1)), row, 4), 2);
		expect_row(test, &row[0], current->pid, 0, 2);
		expect_row(test, &row[1], current->pid, 2, 0);
		KUNIT_EXPECT_EQ(test, copy_rows(memorizer_ptr(object_at(high)), row, 4), 1);
		expect_row(test, &row[0], current->pid, 0, 2);
	}
	for (i = 0; i < ARRAY_SIZE(object); i++)
		kmem_cache_free(cache, object[i]);
	kmem_cache_destroy(cache);
}

/* The thunk's 16-bit subtraction of the extent must not wrap for objects of more than 64 KiB. */
static void group_at_the_end_of_a_large_object_is_in_or_out(struct kunit *test)
{
	static const unsigned int sizes[] = { SZ_64K + 8, SZ_64K + 40, 3 * SZ_64K + 16 };
	struct memorizer_row row[4];
	unsigned int i, j, at;
	char *p;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		p = kunit_kzalloc(test, sizes[i], GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, p);
		/* The second and third access find the entry in the cache. */
		for (at = sizes[i] - 64; at <= sizes[i] - 8; at += 8)
			for (j = 0; j < 3; j++)
				touch_three(p + at);
		KUNIT_ASSERT_EQ(test, copy_rows(memorizer_ptr(object_at(p)), row, 4), 3);
		expect_row(test, &row[0], current->pid, 0, 3 * 8);
		expect_row(test, &row[1], current->pid, 3 * 7, 0);
		expect_row(test, &row[2], current->pid, 0, 3 * 6);
		KUNIT_EXPECT_EQ(test, accesses_of_groups(p), 3 * 3 * 6);
		kunit_kfree(test, p);
	}
}

struct task_work {
	struct words *words;
	struct completion done;
};

static int touch_in_a_task(void *data)
{
	struct task_work *work = data;

	touch_three(work->words);
	touch_three(work->words);
	complete(&work->done);
	return 0;
}

static void tasks_have_rows_of_their_own(struct kunit *test)
{
	struct task_work work = { make_words(test) };
	struct memorizer_row row[8];
	struct task_struct *task;
	unsigned int i, other;
	u32 pid;

	init_completion(&work.done);
	touch_three(work.words);
	task = kthread_create(touch_in_a_task, &work, "memorizer_group");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	pid = task->pid;
	wake_up_process(task);
	wait_for_completion(&work.done);

	KUNIT_ASSERT_EQ(test, copy_rows(memorizer_ptr(object_at(work.words)), row, 8), 6);
	other = pid > current->pid;
	for (i = 0; i < 3; i++) {
		expect_row(test, &row[2 * i + other], pid, i == 1 ? 2 : 0, i == 1 ? 0 : 2);
		expect_row(test, &row[2 * i + !other], current->pid, i == 1, i != 1);
	}
}

static void freed_object_is_counted_no_more(struct kunit *test)
{
	struct words *w = kzalloc(sizeof(*w), GFP_KERNEL);
	struct memorizer_row row[4];
	u32 id;

	KUNIT_ASSERT_NOT_NULL(test, w);
	touch_three(w);
	id = object_at(w);
	memorizer_pause();
	kfree(w);
	memorizer_resume();
	KUNIT_EXPECT_EQ(test, object_at(w), 0);
	KUNIT_EXPECT_EQ(test, copy_rows(memorizer_ptr(id), row, 4), 3);
}

static void counts_have_64_bits(struct kunit *test)
{
	struct words *w = make_words(test);
	struct memorizer_row row[4];

	touch_three(w);
	WRITE_ONCE(((struct memorizer_entry *)entry_at(w))->times, S16_MAX);
	touch_three(w);
	touch_three(w);
	KUNIT_ASSERT_EQ(test, copy_rows(memorizer_ptr(object_at(w)), row, 4), 3);
	expect_row(test, &row[0], current->pid, 0, BIT(15) + 1);
	expect_row(test, &row[1], current->pid, BIT(15) + 1, 0);
	expect_row(test, &row[2], current->pid, 0, BIT(15) + 1);
}

/* The slow path passes the accesses of a group on one by one. */
static void slow_path_sees_each_access(struct kunit *test)
{
	struct words *w = make_words(test);
	struct memorizer_row row[4];
	unsigned int i;

	touch_three(w);
	memorizer_slow_path_begin();
	touch_three(w);
	memorizer_slow_path_end();
	touch_three(w);
	KUNIT_ASSERT_EQ(test, copy_rows(memorizer_ptr(object_at(w)), row, 4), 3);
	for (i = 0; i < 3; i++)
		expect_row(test, &row[i], current->pid, i == 1 ? 3 : 0, i == 1 ? 0 : 3);
	/* The slow path has counted them in entries of their own. */
	KUNIT_EXPECT_NE(test, tally_of(w, ANY).reads, 0);
	KUNIT_EXPECT_NE(test, entry_at(w)->link, 0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(group_within_an_object_takes_one_entry),
	KUNIT_CASE(group_across_objects_counts_for_both),
	KUNIT_CASE(group_at_the_end_of_a_large_object_is_in_or_out),
	KUNIT_CASE(tasks_have_rows_of_their_own),
	KUNIT_CASE(freed_object_is_counted_no_more),
	KUNIT_CASE(counts_have_64_bits),
	KUNIT_CASE(slow_path_sees_each_access),
	{}
};

static struct kunit_suite suite = {
	.name = "memorizer_group",
	.suite_init = switch_on,
	.suite_exit = switch_off,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Memorizer's KUnit tests of groups");
MODULE_LICENSE("GPL");
