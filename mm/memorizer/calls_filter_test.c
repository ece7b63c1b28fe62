// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of the filter of calls: calls of selected functions are counted.
 */
#include <kunit/static_stub.h>
#include <linux/ftrace.h>
#include <linux/module.h>
#include <linux/string.h>

#include "calls.h"
#include "filter.h"
#include "test.h"

/* Neither inlined, nor cloned, nor merged with equal functions. */
#define CALLED	__attribute__((__noipa__)) void

#define THIS_FILE	"file:*/calls_filter_test.c"

static unsigned long value;

/* Without a site: its file is unknown. */
static CALLED choice_once(void)
{
}

static CALLED choice_twice(void)
{
	WRITE_ONCE(value, 1);
}

static CALLED choice_thrice(void)
{
	WRITE_ONCE(value, 2);
}

/* Sum over the calls of a function, or of all if @to is 0. */
struct sum {
	unsigned long to;
	u64 count;
};

static int add_matching(const struct memorizer_call *call, void *arg)
{
	struct sum *sum = arg;

	if (!sum->to || memorizer_unpack_ip(call->to) == sum->to)
		sum->count += local_read(&call->count);
	return 0;
}

/* How often a function was called, or all functions. */
static u64 calls_of(void *to)
{
	struct sum sum = { .to = to ? ftrace_location((unsigned long)to) : 0 };

	memorizer_pause();
	down_read(&memorizer_rwsem);
	memorizer_visit_calls(add_matching, &sum);
	up_read(&memorizer_rwsem);
	memorizer_resume();
	return sum.count;
}

/*
 * Set a filter, forget all calls, and make 1, 2 and 3. Returns how many were counted, as decimal
 * digits.
 */
static unsigned int counted(struct kunit *test, const char *filter)
{
	KUNIT_EXPECT_EQ_MSG(test, 0, memorizer_set_filter(filter), "'%s'", filter);
	memorizer_clear();
	choice_once();
	choice_twice();
	choice_twice();
	choice_thrice();
	choice_thrice();
	choice_thrice();
	return 100 * calls_of(choice_once) + 10 * calls_of(choice_twice) + calls_of(choice_thrice);
}

/* The filter changes while calls are counted. */
static void calls_of_what_matches_are_counted(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, counted(test, ""), 123);
	KUNIT_EXPECT_EQ(test, counted(test, "choice_once"), 100);
	KUNIT_EXPECT_EQ(test, counted(test, "choice_t*"), 23);
	KUNIT_EXPECT_EQ(test, calls_of(NULL), 2 + 3);
	KUNIT_EXPECT_EQ(test, counted(test, "choice_* !choice_twice"), 103);
	KUNIT_EXPECT_EQ(test, counted(test, "!choice_twice"), 103);
	KUNIT_EXPECT_GT(test, calls_of(NULL), 1 + 3);
	KUNIT_EXPECT_EQ(test, counted(test, "module:vmlinux"), 123);
	KUNIT_EXPECT_EQ(test, counted(test, "choice_* module:vmlinux"), 123);
	KUNIT_EXPECT_EQ(test, calls_of(NULL), 1 + 2 + 3);
	KUNIT_EXPECT_EQ(test, counted(test, "choice_* !module:vmlinux"), 0);
	KUNIT_EXPECT_EQ(test, counted(test, ""), 123);
}

/* For ftrace, no function means all functions. */
static void no_call_is_counted_if_nothing_matches(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, counted(test, "nobody_is_called_so"), 0);
	KUNIT_EXPECT_EQ(test, calls_of(NULL), 0);
	KUNIT_EXPECT_EQ(test, counted(test, "!*"), 0);
	KUNIT_EXPECT_EQ(test, calls_of(NULL), 0);
	KUNIT_EXPECT_EQ(test, memorizer_set_log_calls(false), 0);
	KUNIT_EXPECT_EQ(test, memorizer_set_log_calls(true), 0);
	KUNIT_EXPECT_EQ(test, counted(test, "!*"), 0);
	KUNIT_EXPECT_EQ(test, calls_of(NULL), 0);
	KUNIT_EXPECT_EQ(test, counted(test, ""), 123);
}

static void functions_belong_to_the_file_of_their_sites(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, counted(test, THIS_FILE), 23);
	KUNIT_EXPECT_EQ(test, counted(test, "choice_thrice " THIS_FILE), 3);
	KUNIT_EXPECT_EQ(test, counted(test, "!" THIS_FILE), 100);
	KUNIT_EXPECT_EQ(test, counted(test, "file:mm/memorizer/calls_test.c"), 0);
	KUNIT_EXPECT_EQ(test, counted(test, "file:*"), 123);
}

static void terms_for_objects_select_all_calls(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, counted(test, "cache:dentry"), 123);
	KUNIT_EXPECT_EQ(test, counted(test, "cache:dentry choice_twice"), 20);
}

static void filter_applies_to_calls_that_are_switched_on_later(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, memorizer_set_log_calls(false), 0);
	KUNIT_EXPECT_EQ(test, counted(test, "choice_twice"), 0);
	KUNIT_ASSERT_EQ(test, memorizer_set_log_calls(true), 0);
	choice_once();
	choice_twice();
	KUNIT_EXPECT_EQ(test, calls_of(NULL), 1);
	KUNIT_EXPECT_EQ(test, calls_of(choice_twice), 1);
	KUNIT_ASSERT_EQ(test, memorizer_set_log_calls(false), 0);
	KUNIT_EXPECT_EQ(test, counted(test, ""), 0);
	KUNIT_ASSERT_EQ(test, memorizer_set_log_calls(true), 0);
	choice_once();
	KUNIT_EXPECT_EQ(test, calls_of(choice_once), 1);
}

/* Number of allocations until one fails; negative if none does. */
static int allocations_left;

static bool lack_memory(void)
{
	return allocations_left-- == 0;
}

/* Neither for sites nor for calls, whichever fails. */
static void filter_without_memory_changes_nothing(struct kunit *test)
{
	struct memorizer_site_counts before, now;
	int failing, err;

	KUNIT_ASSERT_EQ(test, 0, memorizer_set_log_access(true));
	KUNIT_EXPECT_EQ(test, counted(test, "choice_twice"), 20);
	memorizer_count_sites(&before);
	kunit_activate_static_stub(test, memorizer_sites_fail_alloc, lack_memory);
	kunit_activate_static_stub(test, memorizer_calls_fail_alloc, lack_memory);
	for (failing = 0; failing < 100; failing++) {
		allocations_left = failing;
		err = memorizer_set_filter("choice_t*");
		if (!err)
			break;
		KUNIT_EXPECT_EQ(test, err, -ENOMEM);
		memorizer_clear();
		choice_once();
		choice_twice();
		choice_thrice();
		KUNIT_EXPECT_EQ(test, calls_of(NULL), 1);
		memorizer_count_sites(&now);
		KUNIT_EXPECT_EQ(test, now.on, before.on);
	}
	kunit_deactivate_static_stub(test, memorizer_sites_fail_alloc);
	kunit_deactivate_static_stub(test, memorizer_calls_fail_alloc);
	memorizer_set_log_access(false);
	KUNIT_EXPECT_GE(test, failing, 8);
	KUNIT_EXPECT_LT(test, failing, 100);
	memorizer_clear();
	choice_twice();
	choice_thrice();
	KUNIT_EXPECT_EQ(test, calls_of(NULL), 2);
}

static void invalid_filter_changes_nothing(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, counted(test, "choice_twice"), 20);
	KUNIT_EXPECT_EQ(test, memorizer_set_filter("choice_once module:"), -EINVAL);
	choice_once();
	choice_twice();
	KUNIT_EXPECT_EQ(test, calls_of(NULL), 2 + 1);
}

static int calls_begin(struct kunit *test)
{
	/* QEMU 7.2's TCG may execute text that another CPU has patched, unless CPUs take turns. */
	if (num_possible_cpus() > 1 && !strstr(saved_command_line, "turns=1") &&
	    strstr(boot_cpu_data.x86_model_id, "QEMU TCG"))
		kunit_skip(test, "TCG may execute text that another CPU has patched");
	memorizer_clear();
	return memorizer_set_log_calls(true);
}

static void calls_end(struct kunit *test)
{
	memorizer_set_log_calls(false);
	memorizer_set_filter("");
}

static struct kunit_case calls_filter_cases[] = {
	KUNIT_CASE(calls_of_what_matches_are_counted),
	KUNIT_CASE(no_call_is_counted_if_nothing_matches),
	KUNIT_CASE(functions_belong_to_the_file_of_their_sites),
	KUNIT_CASE(terms_for_objects_select_all_calls),
	KUNIT_CASE(filter_applies_to_calls_that_are_switched_on_later),
	KUNIT_CASE(filter_without_memory_changes_nothing),
	KUNIT_CASE(invalid_filter_changes_nothing),
	{}
};

static struct kunit_suite calls_filter_suite = {
	.name = "memorizer_calls_filter",
	.init = calls_begin,
	.exit = calls_end,
	.test_cases = calls_filter_cases,
};

kunit_test_suite(calls_filter_suite);
