// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of Memorizer's accesses to user memory: known numbers of accesses by each accessor.
 */
#include <kunit/test.h>
#include <linux/err.h>
#include <linux/mman.h>
#include <linux/uaccess.h>

#include "test.h"
#include "user.h"

#define WITH_USER	(BIT(MEMORIZER_KIND_SLAB) | BIT(MEMORIZER_KIND_USER))

static char __user *page;
static char text[64];
static unsigned long word;

/* The accesses of this task to user memory. */
static struct tally user_accesses(void)
{
	struct memorizer_object *counts = memorizer_user_counts();

	return tally_id(counts ? memorizer_id(counts) : 0, current->pid);
}

static void do_get_user(void)
{
	get_user(word, (unsigned long __user *)page);
}

static void do_get_user_byte(void)
{
	u8 byte;

	__get_user(byte, (u8 __user *)page);
	word = byte;
}

static void do_put_user(void)
{
	put_user(1UL, (unsigned long __user *)page);
}

static void do_put_user_byte(void)
{
	__put_user('x', page);
}

static void do_unsafe(void)
{
	unsigned long __user *words = (unsigned long __user *)page;

	if (!user_access_begin(words, 2 * sizeof(*words)))
		return;
	unsafe_get_user(word, words, fault);
	unsafe_put_user(word, words + 1, fault);
	unsafe_put_user(word, words, fault);
fault:
	user_access_end();
}

static void do_copy_from_user(void)
{
	word = copy_from_user(text, page, sizeof(text));
}

static void do_copy_to_user(void)
{
	word = copy_to_user(page, text, sizeof(text));
}

static void do_copy_nothing(void)
{
	size_t none = READ_ONCE(word) & 0;

	word = copy_to_user(page, text, none) + copy_from_user(text, page, none);
}

static void do_clear_user(void)
{
	word = clear_user(page, PAGE_SIZE);
}

static void do_strncpy_from_user(void)
{
	/* The test has put 20 characters there: three words. */
	word = strncpy_from_user(text, page + 64, sizeof(text));
}

static void do_strnlen_user(void)
{
	word = strnlen_user(page + 64, PAGE_SIZE - 64);
}

static void do_refused(void)
{
	word = get_user(word, (unsigned long __user *)&word);
	word = put_user(0UL, (unsigned long __user *)&word);
}

static void do_nofault(void)
{
	unsigned long zero = 0;

	copy_to_kernel_nofault(&word, &zero, sizeof(zero));
}

static const struct accessor {
	const char *name;
	void (*access)(void);
	u64 reads;
	u64 writes;
} accessors[] = {
#define ACCESSOR(name, reads, writes) { #name, do_ ## name, reads, writes }
	ACCESSOR(get_user, 1, 0),
	ACCESSOR(get_user_byte, 1, 0),
	ACCESSOR(put_user, 0, 1),
	ACCESSOR(put_user_byte, 0, 1),
	ACCESSOR(unsafe, 1, 2),
	ACCESSOR(copy_from_user, 1, 0),
	ACCESSOR(copy_to_user, 0, 1),
	ACCESSOR(copy_nothing, 0, 0),
	ACCESSOR(clear_user, 0, 1),
	ACCESSOR(strncpy_from_user, 3, 0),
	ACCESSOR(strnlen_user, 3, 0),
	ACCESSOR(refused, 0, 0),
	ACCESSOR(nofault, 0, 0),
};

static void accessor_desc(const struct accessor *accessor, char *desc)
{
	strscpy(desc, accessor->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(accessor, accessors, accessor_desc);

static void map_page(struct kunit *test)
{
	page = (char __user *)kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ | PROT_WRITE,
					    MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_NE(test, (unsigned long)page, 0);
	KUNIT_ASSERT_EQ(test, 0, copy_to_user(page + 64, "twenty characters...", 21));
}

/* Each accessor counts, the first and later times, in this task's rows. */
static void accesses_are_counted_once(struct kunit *test)
{
	const struct accessor *accessor = test->param_value;
	struct tally before, now;
	unsigned int i;

	map_page(test);
	before = user_accesses();
	for (i = 1; i <= 3; i++) {
		accessor->access();
		now = user_accesses();
		KUNIT_EXPECT_EQ(test, now.reads - before.reads, i * accessor->reads);
		KUNIT_EXPECT_EQ(test, now.writes - before.writes, i * accessor->writes);
	}
}

/* They are in no object. */
static void accesses_are_not_in_the_kmap(struct kunit *test)
{
	struct memorizer_object *object;
	unsigned long pos = 0;

	map_page(test);
	down_read(&memorizer_rwsem);
	while ((object = memorizer_kmap_next(&pos)))
		if (memorizer_object_kind(object) == MEMORIZER_KIND_USER)
			break;
	up_read(&memorizer_rwsem);
	KUNIT_EXPECT_NULL(test, object);
}

static void paused_task_counts_nothing(struct kunit *test)
{
	struct tally before, now;

	map_page(test);
	before = user_accesses();
	memorizer_pause();
	do_put_user();
	do_copy_from_user();
	memorizer_resume();
	now = user_accesses();
	KUNIT_EXPECT_EQ(test, now.reads, before.reads);
	KUNIT_EXPECT_EQ(test, now.writes, before.writes);
}

/* Sites are enabled only while the kind is selected; the counts stay until they are cleared. */
static void kind_that_is_not_selected_counts_nothing(struct kunit *test)
{
	struct tally before, now;

	map_page(test);
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB)));
	before = user_accesses();
	KUNIT_EXPECT_GT(test, before.writes, 0);
	do_put_user();
	now = user_accesses();
	KUNIT_EXPECT_EQ(test, now.writes, before.writes);
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_kinds(WITH_USER));
	do_put_user();
	now = user_accesses();
	KUNIT_EXPECT_EQ(test, now.writes, before.writes + 1);
}

/* Clearing forgets the counts, and counts them. */
static void clearing_forgets_the_counts(struct kunit *test)
{
	struct tally now;
	u64 cleared;

	map_page(test);
	memorizer_clear();
	do_put_user();
	do_get_user();
	now = user_accesses();
	KUNIT_EXPECT_EQ(test, now.reads, 1);
	KUNIT_EXPECT_EQ(test, now.writes, 1);
	cleared = memorizer_cleared.accesses;
	memorizer_clear();
	/* Other tasks access user memory, too, and objects are freed. */
	KUNIT_EXPECT_GE(test, memorizer_cleared.accesses - cleared, 2);
	now = user_accesses();
	KUNIT_EXPECT_EQ(test, now.reads + now.writes, 0);
	do_put_user();
	now = user_accesses();
	KUNIT_EXPECT_EQ(test, now.writes, 1);
}

/* Counts of 16 bits are carried. */
static void counts_have_64_bits(struct kunit *test)
{
	struct memorizer_entry *entry;
	struct tally now;
	u32 id;

	map_page(test);
	memorizer_clear();
	do_put_user();
	down_read(&memorizer_rwsem);
	for (id = memorizer_user_counts()->entries; id; id = READ_ONCE(entry->link)) {
		entry = memorizer_ptr(id);
		if (memorizer_entry_pid(entry) == current->pid)
			WRITE_ONCE(entry->writes, S16_MAX);
	}
	up_read(&memorizer_rwsem);
	do_put_user();
	now = user_accesses();
	KUNIT_EXPECT_EQ(test, now.writes, 1UL << 15);
}

static unsigned int kinds_before;

static int user_on(struct kunit_suite *suite)
{
	int err;

	kinds_before = memorizer_get_kinds();
	err = memorizer_set_kinds(WITH_USER);
	return err ?: switch_on(suite);
}

static void user_off(struct kunit_suite *suite)
{
	switch_off(suite);
	memorizer_set_kinds(kinds_before);
	memorizer_clear();
}

static struct kunit_case cases[] = {
	KUNIT_CASE_PARAM(accesses_are_counted_once, accessor_gen_params),
	KUNIT_CASE(accesses_are_not_in_the_kmap),
	KUNIT_CASE(paused_task_counts_nothing),
	KUNIT_CASE(kind_that_is_not_selected_counts_nothing),
	KUNIT_CASE(clearing_forgets_the_counts),
	KUNIT_CASE(counts_have_64_bits),
	{}
};

static struct kunit_suite suite = {
	.name = "memorizer_user",
	.suite_init = user_on,
	.suite_exit = user_off,
	.test_cases = cases,
};

kunit_test_suite(suite);
