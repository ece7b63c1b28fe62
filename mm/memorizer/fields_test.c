// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of fields: accesses to selected objects are counted by granule and
 * add up to the KMAP; accesses to others are counted as usual.
 */
#include <linux/slab.h>
#include <linux/string.h>

#include "filter.h"
#include "test.h"

struct words {
	u64 word[8];
};

/*
 * OPTIMIZER_HIDE_VAR() prevents tail calls, which would hide the functions from the allocator.
 * The functions differ, so that GCC does not merge them.
 */
static noinline struct words *fields_alloc_chosen(void)
{
	struct words *w = kmalloc(sizeof(*w), GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(w);
	return w;
}

static noinline struct words *fields_alloc_other(void)
{
	struct words *w = kmalloc(sizeof(*w), GFP_KERNEL | __GFP_NOWARN);

	OPTIMIZER_HIDE_VAR(w);
	return w;
}

/* One site accesses all words: the compiler does not know the index. */
static noinline void fields_read(struct words *w, unsigned int i)
{
	READ_ONCE(w->word[i]);
}

static noinline void fields_write_half(struct words *w, unsigned int i)
{
	WRITE_ONCE(((u32 *)w)[i], 1);
}

static noinline void fields_clear(struct words *w, unsigned int from, unsigned int bytes)
{
	memset((u8 *)w + from, 0, bytes);
}

/* A group of three accesses. */
static noinline void fields_touch_three(struct words *w)
{
	WRITE_ONCE(w->word[0], 1);
	WRITE_ONCE(w->word[2], READ_ONCE(w->word[1]));
}

static void touch(struct words *w)
{
	unsigned int i, n;

	for (i = 0; i < 8; i++)
		for (n = 0; n <= i; n++)
			fields_read(w, i);
	for (i = 0; i < 5; i++)
		fields_write_half(w, 3);
	for (i = 0; i < 3; i++)
		fields_clear(w, 10, 21);
	fields_touch_three(w);
	fields_touch_three(w);
}

/* Copy the rows of one function, by granule or not. Returns their number. */
static unsigned int rows_by(struct words *w, void *function, bool by_granule,
			    struct memorizer_row *row, unsigned int size)
{
	struct memorizer_rows rows;
	struct memorizer_row more;
	unsigned int n = 0;

	memorizer_pause();
	down_write(&memorizer_rwsem);
	memorizer_rows_begin(&rows, memorizer_ptr(object_at(w)), by_granule);
	while (memorizer_rows_next(&rows, &more))
		if (ip_is_in(more.ip, function) && n++ < size)
			row[n - 1] = more;
	memorizer_rows_end(&rows);
	up_write(&memorizer_rwsem);
	memorizer_resume();
	return n;
}

static void expect_row(struct kunit *test, const struct memorizer_row *row, unsigned int from,
		       unsigned int bytes, u64 reads, u64 writes)
{
	KUNIT_EXPECT_EQ(test, row->pid, current->pid);
	KUNIT_EXPECT_EQ(test, row->granules, memorizer_granules(from, from + bytes - 1));
	KUNIT_EXPECT_EQ(test, row->reads, reads);
	KUNIT_EXPECT_EQ(test, row->writes, writes);
}

static struct words *make_chosen(struct kunit *test)
{
	struct words *w;

	KUNIT_ASSERT_EQ(test, 0, memorizer_set_fields("alloc:fields_alloc_chosen"));
	w = fields_alloc_chosen();
	KUNIT_ASSERT_NOT_NULL(test, w);
	return w;
}

static void each_granule_has_its_row(struct kunit *test)
{
	struct words *w = make_chosen(test);
	struct memorizer_row row[10];
	unsigned int i;

	touch(w);
	KUNIT_ASSERT_EQ(test, rows_by(w, fields_read, true, row, 10), 8);
	for (i = 0; i < 8; i++)
		expect_row(test, &row[i], 8 * i, 8, i + 1, 0);
	KUNIT_ASSERT_EQ(test, rows_by(w, fields_write_half, true, row, 10), 1);
	expect_row(test, &row[0], 12, 4, 0, 5);
	/* A range extends from the granule of its first byte to that of its last byte. */
	KUNIT_ASSERT_EQ(test, rows_by(w, fields_clear, true, row, 10), 1);
	expect_row(test, &row[0], 8, 24, 0, 3);
	KUNIT_ASSERT_EQ(test, rows_by(w, fields_touch_three, true, row, 10), 3);
	expect_row(test, &row[0], 0, 8, 0, 2);
	expect_row(test, &row[1], 8, 8, 2, 0);
	expect_row(test, &row[2], 16, 8, 0, 2);
	kfree(w);
}

static void granules_add_up(struct kunit *test)
{
	struct words *w = make_chosen(test);
	struct memorizer_row row[10];
	struct tally tally;

	touch(w);
	KUNIT_ASSERT_EQ(test, rows_by(w, fields_read, false, row, 10), 1);
	KUNIT_EXPECT_EQ(test, row[0].granules, MEMORIZER_NO_GRANULES);
	KUNIT_EXPECT_EQ(test, row[0].reads, 8 * 9 / 2);
	KUNIT_EXPECT_EQ(test, row[0].writes, 0);
	tally = tally_of(w, current->pid);
	KUNIT_EXPECT_EQ(test, tally.reads, 8 * 9 / 2 + 2);
	KUNIT_EXPECT_EQ(test, tally.writes, 5 + 3 + 4);
	kfree(w);
}

/* Other objects have the same rows, and are counted by the fast paths. */
static void others_are_counted_without_granules(struct kunit *test)
{
	struct words *chosen = make_chosen(test), *w = fields_alloc_other();
	struct memorizer_row row[8], as_chosen[8];
	unsigned int i, n;

	KUNIT_ASSERT_NOT_NULL(test, w);
	touch(w);
	touch(chosen);
	n = copy_rows(memorizer_ptr(object_at(w)), row, 8);
	KUNIT_EXPECT_EQ(test, n, 6);
	KUNIT_ASSERT_EQ(test, copy_rows(memorizer_ptr(object_at(chosen)), as_chosen, 8), n);
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_EQ(test, row[i].ip, as_chosen[i].ip);
		KUNIT_EXPECT_EQ(test, row[i].reads, as_chosen[i].reads);
		KUNIT_EXPECT_EQ(test, row[i].writes, as_chosen[i].writes);
	}
	KUNIT_EXPECT_EQ(test, ((struct memorizer_object *)memorizer_ptr(object_at(w)))->at,
			(unsigned long)w);
	KUNIT_EXPECT_EQ(test, rows_by(w, fields_read, true, row, 8), 1);
	KUNIT_EXPECT_EQ(test, row[0].granules, MEMORIZER_NO_GRANULES);
	kfree(w);
	kfree(chosen);
}

/* Allocate by two functions. Returns a bit for each object that is counted by granule. */
static unsigned int chosen(struct kunit *test, const char *text)
{
	struct words *a, *b;
	unsigned int bits;

	KUNIT_EXPECT_EQ_MSG(test, 0, memorizer_set_fields(text), "'%s'", text);
	a = fields_alloc_chosen();
	b = fields_alloc_other();
	bits = memorizer_counts_granules(memorizer_ptr(object_at(a))) |
		memorizer_counts_granules(memorizer_ptr(object_at(b))) << 1;
	kfree(a);
	kfree(b);
	return bits;
}

static void objects_are_chosen_as_by_a_filter(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, chosen(test, ""), 0);
	KUNIT_EXPECT_EQ(test, chosen(test, "alloc:fields_alloc_chosen"), 1);
	KUNIT_EXPECT_EQ(test, chosen(test, "alloc:fields_alloc_o*"), 2);
	KUNIT_EXPECT_EQ(test, chosen(test, "cache:kmalloc-*64"), 3);
	KUNIT_EXPECT_EQ(test, chosen(test, "cache:kmalloc-*64 !alloc:fields_alloc_other"), 1);
	KUNIT_EXPECT_EQ(test, chosen(test, "cache:dentry"), 0);
	KUNIT_EXPECT_EQ(test, chosen(test, "!cache:dentry"), 3);
	/* The filter of recorded objects is independent. */
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter("alloc:fields_alloc_*"));
	KUNIT_EXPECT_EQ(test, chosen(test, "alloc:fields_alloc_other"), 2);
	KUNIT_EXPECT_EQ(test, chosen(test, ""), 0);
}

static void bad_terms_change_nothing(struct kunit *test)
{
	static const char * const bad[] = {
		"vfs_*", "function:vfs_*", "module:ext4", "!vfs_*", "cache:", "cache:[a",
		"type:inode",
		"alloc:fields_alloc_other vfs_*",
	};
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 0, memorizer_set_fields("alloc:fields_alloc_chosen"));
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		struct words *a, *b;

		KUNIT_EXPECT_EQ_MSG(test, memorizer_set_fields(bad[i]), -EINVAL, "'%s'", bad[i]);
		a = fields_alloc_chosen();
		b = fields_alloc_other();
		KUNIT_EXPECT_TRUE(test, memorizer_counts_granules(memorizer_ptr(object_at(a))));
		KUNIT_EXPECT_FALSE(test, memorizer_counts_granules(memorizer_ptr(object_at(b))));
		kfree(a);
		kfree(b);
	}
}

/* Changing the filter does not affect existing objects. */
static void filter_applies_to_new_objects_only(struct kunit *test)
{
	struct words *w = make_chosen(test);
	struct memorizer_row row[10];
	u32 id = object_at(w);

	KUNIT_ASSERT_EQ(test, 0, memorizer_set_fields(""));
	fields_read(w, 2);
	fields_read(w, 4);
	KUNIT_ASSERT_EQ(test, rows_by(w, fields_read, true, row, 10), 2);
	memorizer_pause();
	kfree(w);
	memorizer_resume();
	KUNIT_EXPECT_EQ(test, tally_id(id, ANY).reads, 2);
}

static void fields_exit(struct kunit *test)
{
	memorizer_set_fields("");
	memorizer_set_filter("");
}

static struct kunit_case cases[] = {
	KUNIT_CASE(each_granule_has_its_row),
	KUNIT_CASE(granules_add_up),
	KUNIT_CASE(others_are_counted_without_granules),
	KUNIT_CASE(objects_are_chosen_as_by_a_filter),
	KUNIT_CASE(bad_terms_change_nothing),
	KUNIT_CASE(filter_applies_to_new_objects_only),
	{}
};

static struct kunit_suite suite = {
	.name = "memorizer_fields",
	.suite_init = switch_on,
	.suite_exit = switch_off,
	.exit = fields_exit,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Memorizer's KUnit tests of fields");
MODULE_LICENSE("GPL");
