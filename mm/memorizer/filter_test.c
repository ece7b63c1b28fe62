// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of filters: syntax and matching of terms, and exactly the selected
 * sites are enabled and objects recorded.
 */
#include <kunit/static_stub.h>
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <asm/memorizer-sites.h>
#include <asm/sections.h>

#include "filter.h"
#include "test.h"

static void terms_are_accepted_or_rejected(struct kunit *test)
{
	static const char * const good[] = {
		"", " \n", "a", "*", "vfs_*", "!vfs_*", "function:a", "module:ext4", "!module:*",
		"file:mm/*", "!file:fs/ext[24]/*.c",
		"cache::0001", "alloc:a", "!cache:*",
		"[ab]*", "[]]", "[!]]", "a\\[", "\\*", "a,b c\td\ne", " a ",
	};
	static const char * const bad[] = {
		"!", "module:", "file:", "files:a", ":", ":a", "function:", "modul:a", "modules:a",
		"Module:a", "[a", "[", "[]", "[!", "[!]", "a\\", "!!:a", "a [", "a\x01", "a\xe4",
		"good module:",
	};
	struct memorizer_filter *filter;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		filter = memorizer_make_filter(NULL, good[i]);
		KUNIT_EXPECT_FALSE_MSG(test, IS_ERR(filter), "'%s'", good[i]);
		KUNIT_EXPECT_EQ_MSG(test, !filter, strlen(good[i]) == strspn(good[i], " \n"),
				    "'%s'", good[i]);
		KUNIT_EXPECT_TRUE_MSG(test, memorizer_is_filter(good[i]), "'%s'", good[i]);
		if (!IS_ERR(filter))
			memorizer_free_filter(filter);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		KUNIT_EXPECT_EQ_MSG(test, PTR_ERR(memorizer_make_filter(NULL, bad[i])), -EINVAL,
				    "'%s'", bad[i]);
		KUNIT_EXPECT_FALSE_MSG(test, memorizer_is_filter(bad[i]), "'%s'", bad[i]);
	}
}

/* The limit of 64 KiB includes a separator per term. */
static void length_is_bounded(struct kunit *test)
{
	char *text = kunit_kzalloc(test, SZ_64K + 1, GFP_KERNEL);
	struct memorizer_filter *half, *filter;

	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, 'a', SZ_64K);
	KUNIT_EXPECT_EQ(test, PTR_ERR(memorizer_make_filter(NULL, text)), -EINVAL);
	text[SZ_64K - 1] = '\0';
	filter = memorizer_make_filter(NULL, text);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, filter);
	memorizer_free_filter(filter);

	text[SZ_32K - 1] = '\0';
	half = memorizer_make_filter(NULL, text);
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, half);
	filter = memorizer_make_filter(half, text);
	KUNIT_EXPECT_NOT_ERR_OR_NULL(test, filter);
	if (!IS_ERR(filter))
		memorizer_free_filter(filter);
	text[SZ_32K - 1] = 'a';
	text[SZ_32K] = '\0';
	KUNIT_EXPECT_EQ(test, PTR_ERR(memorizer_make_filter(half, text)), -EINVAL);
	memorizer_free_filter(half);
}

static const struct match {
	const char *filter;
	const char *module;
	const char *file;
	const char *function;
	bool takes;
} matches[] = {
	{ "vfs_read", "vmlinux", "fs/read_write.c", "vfs_read", true },
	{ "vfs_read", "vmlinux", "fs/read_write.c", "vfs_readv", false },
	{ "vfs_*", "vmlinux", "fs/read_write.c", "vfs_readv", true },
	{ "vfs_*", "vmlinux", "fs/read_write.c", "do_vfs_readv", false },
	{ "vfs_?ead", "vmlinux", "fs/read_write.c", "vfs_read", true },
	{ "vfs_[rw]*", "vmlinux", "fs/read_write.c", "vfs_open", false },
	{ "function:vfs_read", "vmlinux", "fs/read_write.c", "vfs_read", true },
	/* Clones and split parts of functions */
	{ "foo", "vmlinux", "fs/read_write.c", "foo.cold", true },
	{ "foo", "vmlinux", "fs/read_write.c", "foo.constprop.0.isra.0", true },
	{ "foo.part.0", "vmlinux", "fs/read_write.c", "foo.part.0.cold", true },
	{ "foo.part.0", "vmlinux", "fs/read_write.c", "foo.cold", false },
	{ "foo.cold", "vmlinux", "fs/read_write.c", "foo.cold", true },
	{ "foo.cold", "vmlinux", "fs/read_write.c", "foo", false },
	{ "fo", "vmlinux", "fs/read_write.c", "foo.cold", false },
	{ "cold", "vmlinux", "fs/read_write.c", "foo.cold", false },
	{ "!foo", "vmlinux", "fs/read_write.c", "foo.cold", false },
	/* Several terms of one kind */
	{ "a b", "vmlinux", "fs/read_write.c", "a", true },
	{ "a b", "vmlinux", "fs/read_write.c", "b", true },
	{ "a b", "vmlinux", "fs/read_write.c", "c", false },
	{ "a* !ab", "vmlinux", "fs/read_write.c", "ac", true },
	{ "a* !ab", "vmlinux", "fs/read_write.c", "ab", false },
	{ "!ab a*", "vmlinux", "fs/read_write.c", "ab", false },
	{ "!ab", "vmlinux", "fs/read_write.c", "c", true },
	{ "!ab", "vmlinux", "fs/read_write.c", "ab", false },
	/* Terms of two kinds */
	{ "module:ext4", "ext4", "fs/read_write.c", "vfs_read", true },
	{ "module:ext4", "vmlinux", "fs/read_write.c", "vfs_read", false },
	{ "module:vmlinux", "vmlinux", "fs/read_write.c", "vfs_read", true },
	{ "a* module:ext4", "ext4", "fs/read_write.c", "ab", true },
	{ "a* module:ext4", "ext4", "fs/read_write.c", "b", false },
	{ "a* module:ext4", "vmlinux", "fs/read_write.c", "ab", false },
	{ "a* !module:ext4", "vmlinux", "fs/read_write.c", "ab", true },
	{ "a* !module:ext4", "ext4", "fs/read_write.c", "ab", false },
	/* Terms of files */
	{ "file:fs/*", "vmlinux", "fs/ext4/inode.c", "a", true },
	{ "file:fs/*", "vmlinux", "mm/slub.c", "a", false },
	{ "file:fs", "vmlinux", "fs/ext4/inode.c", "a", false },
	{ "file:fs/*.c", "vmlinux", "fs/ext4/inode.c", "a", true },
	{ "file:s/*", "vmlinux", "fs/ext4/inode.c", "a", false },
	{ "file:fs/ext4/inode.c", "vmlinux", "fs/ext4/inode.c", "a", true },
	{ "file:fs/* !file:fs/ext[24]/*", "vmlinux", "fs/ext4/inode.c", "a", false },
	{ "file:fs/* !file:fs/ext[24]/*", "vmlinux", "fs/open.c", "a", true },
	{ "file:fs/* a*", "vmlinux", "fs/open.c", "b", false },
	{ "file:fs/* module:ext4", "vmlinux", "fs/open.c", "a", false },
	{ "file:*", "vmlinux", "", "a", true },
	{ "file:?*", "vmlinux", "", "a", false },
	/* Terms of objects */
	{ "cache:dentry alloc:b", "vmlinux", "fs/read_write.c", "a", true },
	/* Code without a symbol */
	{ "a", "vmlinux", "fs/read_write.c", "", false },
	{ "module:vmlinux", "vmlinux", "fs/read_write.c", "", true },
};

static void terms_match(struct kunit *test)
{
	char *part = kunit_kzalloc(test, KSYM_NAME_LEN, GFP_KERNEL);
	const struct match *match;
	struct memorizer_filter *filter;

	KUNIT_ASSERT_NOT_NULL(test, part);
	for (match = matches; match < matches + ARRAY_SIZE(matches); match++) {
		filter = memorizer_make_filter(NULL, match->filter);
		KUNIT_ASSERT_NOT_ERR_OR_NULL(test, filter);
		KUNIT_EXPECT_EQ_MSG(test, match->takes,
				    memorizer_filter_matches_site(filter, match->module,
								  match->file, match->function,
								  part),
				    "'%s': %s of %s of %s", match->filter, match->function,
				    match->file, match->module);
		memorizer_free_filter(filter);
	}
}

static unsigned long *object;

static noinline void filter_write_once(void)
{
	WRITE_ONCE(object[0], 1);
}

static noinline void filter_write_twice(void)
{
	WRITE_ONCE(object[1], 1);
	WRITE_ONCE(object[1], 2);
}

/* Check that exactly the sites in two functions are enabled. Returns their number. */
static unsigned long check_sites(struct kunit *test, void (*one)(void), void (*other)(void))
{
	unsigned long addr, first = (unsigned long)_stext, last = (unsigned long)_etext;
	unsigned long ones, others, unused, on = 0, wrong = 0;
	const struct memorizer_site *site;
	bool wanted;

	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset((unsigned long)one, &ones, &unused));
	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset((unsigned long)other, &others,
							    &unused));
	for (site = __start_memorizer_sites; site < __stop_memorizer_sites; site++) {
		addr = memorizer_site_addr(site);
		if (addr < first || addr >= last)
			continue;
		wanted = addr - (unsigned long)one < ones || addr - (unsigned long)other < others;
		on += memorizer_site_is(site, true);
		wrong += !memorizer_site_is(site, wanted);
	}
	KUNIT_EXPECT_EQ(test, wrong, 0);
	return on;
}

/* Check the number of enabled sites in the kernel and its modules. */
static void expect_patched(struct kunit *test, unsigned long on)
{
	struct memorizer_site_counts counts;

	memorizer_count_sites(&counts);
	KUNIT_EXPECT_EQ(test, counts.on, on);
}

#define BOTH	"filter_write_once module:vmlinux, filter_write_twice"

/* Changing the filter while accesses are logged switches sites at once. */
static void sites_of_what_matches_are_on(struct kunit *test)
{
	unsigned long one, both;
	struct tally tally;

	object = kunit_kzalloc(test, 64, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter("filter_write_once"));
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_log_access(true));
	one = check_sites(test, filter_write_once, filter_write_once);
	KUNIT_EXPECT_GT(test, one, 0);
	expect_patched(test, one);
	filter_write_once();
	filter_write_twice();
	tally = tally_of(object, ANY);
	KUNIT_EXPECT_EQ(test, tally.writes, 1);
	KUNIT_EXPECT_EQ(test, tally.reads, 0);

	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter(BOTH));
	both = check_sites(test, filter_write_once, filter_write_twice);
	KUNIT_EXPECT_GT(test, both, one);
	expect_patched(test, both);
	filter_write_once();
	filter_write_twice();
	tally = tally_of(object, ANY);
	KUNIT_EXPECT_EQ(test, tally.writes, 1 + 3);

	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter("filter_write_twice"));
	KUNIT_EXPECT_EQ(test, both - one,
			check_sites(test, filter_write_twice, filter_write_twice));
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter("nobody_is_called_so"));
	expect_patched(test, 0);
	filter_write_once();
	tally = tally_of(object, ANY);
	KUNIT_EXPECT_EQ(test, tally.writes, 1 + 3);
}

/* file: selects the sites of all functions in this file, and none of another file's function. */
static void sites_of_a_file_are_on(struct kunit *test)
{
	struct memorizer_site_counts own, others, all;
	unsigned long both;
	struct tally tally;

	object = kunit_kzalloc(test, 64, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, object);
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter("module:vmlinux"));
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_log_access(true));
	memorizer_count_sites(&all);
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter(BOTH));
	both = check_sites(test, filter_write_once, filter_write_twice);
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter(BOTH ", file:mm/memorizer/filter_test.c"));
	KUNIT_EXPECT_EQ(test, both, check_sites(test, filter_write_once, filter_write_twice));
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter(BOTH ", file:mm/memorizer/filter.c"));
	expect_patched(test, 0);

	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter("file:mm/memorizer/filter_test.c"));
	memorizer_count_sites(&own);
	filter_write_twice();
	tally = tally_of(object, ANY);
	KUNIT_EXPECT_EQ(test, tally.writes, 2);
	KUNIT_ASSERT_EQ(test, 0,
			memorizer_set_filter("module:vmlinux !file:mm/memorizer/filter_test.c"));
	memorizer_count_sites(&others);
	filter_write_twice();
	tally = tally_of(object, ANY);
	KUNIT_EXPECT_EQ(test, tally.writes, 2);
	KUNIT_EXPECT_EQ(test, own.on + others.on, all.on);
	KUNIT_EXPECT_GT(test, others.on, own.on);
}

static void bad_filter_changes_nothing(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter(BOTH));
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_log_access(true));
	KUNIT_EXPECT_EQ(test, memorizer_set_filter("filter_write_once module:"), -EINVAL);
	expect_patched(test, check_sites(test, filter_write_once, filter_write_twice));
}

/* OPTIMIZER_HIDE_VAR() prevents tail calls, which would hide the functions from the allocator. */
static noinline void *filter_alloc_64(void)
{
	void *ptr = kmalloc(64, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(ptr);
	return ptr;
}

static noinline void *filter_alloc_200(void)
{
	void *ptr = kmalloc(200, GFP_KERNEL);

	OPTIMIZER_HIDE_VAR(ptr);
	return ptr;
}

/* Allocate by two functions. Returns a bit for each object that is recorded. */
static unsigned int recorded(struct kunit *test, const char *filter)
{
	void *small, *large;
	unsigned int bits;

	KUNIT_EXPECT_EQ_MSG(test, 0, memorizer_set_filter(filter), "'%s'", filter);
	small = filter_alloc_64();
	large = filter_alloc_200();
	bits = (object_at(small) ? 1 : 0) + (object_at(large) ? 2 : 0);
	kfree(small);
	kfree(large);
	return bits;
}

static void objects_that_match_are_recorded(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, recorded(test, ""), 3);
	KUNIT_EXPECT_EQ(test, recorded(test, "alloc:filter_alloc_64"), 1);
	KUNIT_EXPECT_EQ(test, recorded(test, "alloc:filter_alloc_2*"), 2);
	KUNIT_EXPECT_EQ(test, recorded(test, "alloc:filter_alloc_*"), 3);
	KUNIT_EXPECT_EQ(test, recorded(test, "!alloc:filter_alloc_64"), 2);
	KUNIT_EXPECT_EQ(test, recorded(test, "cache:kmalloc-*64"), 1);
	KUNIT_EXPECT_EQ(test, recorded(test, "cache:kmalloc-*"), 3);
	KUNIT_EXPECT_EQ(test, recorded(test, "cache:kmalloc-* !cache:*64"), 2);
	KUNIT_EXPECT_EQ(test, recorded(test, "cache:dentry"), 0);
	KUNIT_EXPECT_EQ(test, recorded(test, "cache:kmalloc-*64 alloc:filter_alloc_200"), 0);
	KUNIT_EXPECT_EQ(test, recorded(test, "cache:kmalloc-*64 alloc:filter_alloc_64"), 1);
	KUNIT_EXPECT_EQ(test, recorded(test, "kind:slab"), 3);
	KUNIT_EXPECT_EQ(test, recorded(test, "kind:pages"), 0);
	KUNIT_EXPECT_EQ(test, recorded(test, "!kind:s*"), 0);
	KUNIT_EXPECT_EQ(test, recorded(test, "kind:* cache:kmalloc-*64"), 1);
	KUNIT_EXPECT_EQ(test, recorded(test, "filter_write_once"), 3);
	KUNIT_EXPECT_EQ(test, recorded(test, ""), 3);
}

/* An unselected object erases the old one at its address. No interrupt may reuse it in between. */
static void unselected_object_erases_the_old_one(struct kunit *test)
{
	u64 left_out, buried;
	unsigned long flags;
	void *ptr = kunit_kzalloc(test, 64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	KUNIT_ASSERT_NE(test, object_at(ptr), 0);
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter("alloc:nobody_is_called_so"));
	local_irq_save(flags);
	left_out = this_cpu_read(memorizer_counters.allocs_left_out);
	buried = this_cpu_read(memorizer_counters.buried);
	memorizer_alloc(MEMORIZER_KMALLOC, ptr, 64, GFP_KERNEL, _THIS_IP_);
	left_out = this_cpu_read(memorizer_counters.allocs_left_out) - left_out;
	buried = this_cpu_read(memorizer_counters.buried) - buried;
	local_irq_restore(flags);
	KUNIT_EXPECT_EQ(test, left_out, 1);
	KUNIT_EXPECT_EQ(test, buried, 1);
	KUNIT_EXPECT_EQ(test, object_at(ptr), 0);
}

/* Number of allocations until one fails; negative if none does. */
static int allocations_left;

static bool lack_memory(void)
{
	return allocations_left-- == 0;
}

static void filter_without_memory_changes_nothing(struct kunit *test)
{
	int failing, err;

	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter("filter_write_once"));
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_log_access(true));
	kunit_activate_static_stub(test, memorizer_sites_fail_alloc, lack_memory);
	for (failing = 0; failing < 100; failing++) {
		allocations_left = failing;
		err = memorizer_set_filter(BOTH);
		if (!err)
			break;
		KUNIT_EXPECT_EQ(test, err, -ENOMEM);
		check_sites(test, filter_write_once, filter_write_once);
	}
	KUNIT_EXPECT_GE(test, failing, 4);
	KUNIT_EXPECT_LT(test, failing, 100);
	check_sites(test, filter_write_once, filter_write_twice);
}

/* Without memory, choosing sites fails: a filter that succeeds has not chosen any. */
static void terms_for_objects_leave_sites_alone(struct kunit *test)
{
	struct memorizer_site_counts all;

	KUNIT_ASSERT_EQ(test, 0, memorizer_set_log_access(true));
	memorizer_count_sites(&all);
	/* They enable sites that a filter for code has disabled. */
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter("filter_write_once"));
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_filter("cache:dentry, kind:slab"));
	expect_patched(test, all.on);

	kunit_activate_static_stub(test, memorizer_sites_fail_alloc, lack_memory);
	allocations_left = 0;
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_filter("alloc:vfs_*"));
	KUNIT_EXPECT_EQ(test, 0, memorizer_set_filter(""));
	KUNIT_EXPECT_EQ(test, memorizer_set_filter("filter_write_once"), -ENOMEM);
	expect_patched(test, all.on);
}

static void hook_alloc(void *ptr)
{
	memorizer_alloc(MEMORIZER_KMALLOC, ptr, 64, GFP_KERNEL, _THIS_IP_);
}

/*
 * Symbol names, of 1 KiB, are not on the allocating task's stack. The lookup makes accesses, whose
 * hook takes more or less, depending on what it finds in its caches.
 */
static void unknown_call_site_takes_little_stack(struct kunit *test)
{
	void *ptr = kunit_kzalloc(test, 64, GFP_KERNEL);
	unsigned int used;

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	KUNIT_ASSERT_EQ(test, 0, memorizer_set_filter("alloc:nobody_is_called_so"));
	used = stack_used(hook_alloc, ptr);
	kunit_info(test, "%u bytes", used);
	KUNIT_EXPECT_LE(test, used, 640);
}

static int forget_call_sites(void *done)
{
	memorizer_forget_call_sites();
	complete(done);
	return 0;
}

/* Loading a module must not wait for a reader of the KMAP. */
static void modules_are_loaded_while_the_kmap_is_read(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *thread;

	thread = kthread_create(forget_call_sites, &done, "forget_call_sites");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, thread);
	down_read(&memorizer_rwsem);
	wake_up_process(thread);
	/* Wait until the task is done, or blocked on the lock. */
	while (!completion_done(&done) && !rwsem_is_contended(&memorizer_rwsem))
		schedule_timeout_uninterruptible(1);
	KUNIT_EXPECT_FALSE(test, rwsem_is_contended(&memorizer_rwsem));
	up_read(&memorizer_rwsem);
	wait_for_completion(&done);
}

static int filter_test_init(struct kunit *test)
{
	memorizer_clear();
	return memorizer_set_enabled(true);
}

static void filter_test_exit(struct kunit *test)
{
	memorizer_set_log_access(false);
	memorizer_set_filter("");
}

static struct kunit_case filter_cases[] = {
	KUNIT_CASE(terms_are_accepted_or_rejected),
	KUNIT_CASE(length_is_bounded),
	KUNIT_CASE(terms_match),
	KUNIT_CASE(sites_of_what_matches_are_on),
	KUNIT_CASE(sites_of_a_file_are_on),
	KUNIT_CASE(bad_filter_changes_nothing),
	KUNIT_CASE(filter_without_memory_changes_nothing),
	KUNIT_CASE(terms_for_objects_leave_sites_alone),
	KUNIT_CASE(unknown_call_site_takes_little_stack),
	KUNIT_CASE(modules_are_loaded_while_the_kmap_is_read),
	KUNIT_CASE(objects_that_match_are_recorded),
	KUNIT_CASE(unselected_object_erases_the_old_one),
	{ }
};

static struct kunit_suite filter_suite = {
	.name = "memorizer_filter",
	.init = filter_test_init,
	.exit = filter_test_exit,
	.test_cases = filter_cases,
};

kunit_test_suite(filter_suite);

MODULE_DESCRIPTION("KUnit tests of Memorizer's filter");
MODULE_LICENSE("GPL");
