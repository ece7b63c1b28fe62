// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of subjects: each count is kept for the context of its access.
 */
#include <linux/completion.h>
#include <linux/cred.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kthread.h>
#include <linux/slab.h>
#include <linux/uidgid.h>

#include "kinds_test.h"
#include "subjects.h"
#include "test.h"

/* Kernel entries are known to the stream, whose hooks patch text. */
static void skip_unless_entries_are_known(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_MEMORIZER_STREAM))
		kunit_skip(test, "CONFIG_MEMORIZER_STREAM is not set");
	skip_unless_text_may_be_patched(test);
}

/* Which contexts are added up; ANY matches all. */
struct wanted {
	u32 uid, gid, entry;
};

static bool is_wanted(u32 pid, const struct wanted *wanted)
{
	const struct memorizer_subject *subject;

	if (pid < MEMORIZER_OTHERS)
		return false;
	subject = memorizer_subject_at(pid - MEMORIZER_OTHERS);
	return subject && (wanted->uid == ANY || subject->uid == wanted->uid) &&
		(wanted->gid == ANY || subject->gid == wanted->gid) &&
		(wanted->entry == ANY || subject->entry == wanted->entry);
}

/* Writes of a word by touch_write() in matching contexts. */
static u64 writes_in(void *ptr, struct wanted wanted)
{
	struct memorizer_object *object = memorizer_ptr(object_at(ptr));
	static struct memorizer_row row[64];
	unsigned int n = copy_rows(object, row, ARRAY_SIZE(row)), i;
	u64 writes = 0;

	for (i = 0; i < min_t(unsigned int, n, ARRAY_SIZE(row)); i++)
		if (ip_is_in(row[i].ip, touch_write) && is_wanted(row[i].pid, &wanted))
			writes += row[i].writes;
	return writes;
}

static void be(struct kunit *test, u32 uid, u32 gid)
{
	struct cred *cred = prepare_creds();

	KUNIT_ASSERT_NOT_NULL(test, cred);
	cred->uid = KUIDT_INIT(uid);
	cred->gid = KGIDT_INIT(gid);
	commit_creds(cred);
}

static void counts_are_kept_by_user_and_group(struct kunit *test)
{
	void *ptr = kzalloc(64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	KUNIT_ASSERT_EQ(test, memorizer_set_subject_mode(MEMORIZER_BY_UID | MEMORIZER_BY_GID), 0);
	touch(ptr, 0, 3);
	be(test, 1000, 0);
	touch(ptr, 0, 5);
	be(test, 1000, 4294967294U);
	touch(ptr, 0, 7);
	be(test, 0, 0);
	touch(ptr, 0, 11);
	KUNIT_EXPECT_EQ(test, writes_in(ptr, (struct wanted){ 0, 0, ANY }), 14);
	KUNIT_EXPECT_EQ(test, writes_in(ptr, (struct wanted){ 1000, 0, ANY }), 5);
	KUNIT_EXPECT_EQ(test, writes_in(ptr, (struct wanted){ 1000, 4294967294U, ANY }), 7);
	KUNIT_EXPECT_EQ(test, writes_in(ptr, (struct wanted){ ANY, ANY, 0 }), 26);
	KUNIT_EXPECT_EQ(test, touches_of(object_at(ptr)).writes, 26);
	kfree(ptr);
}

/* What is not selected does not make contexts differ. */
static void contexts_have_what_is_selected(struct kunit *test)
{
	void *ptr = kzalloc(64, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	be(test, 77, 88);
	KUNIT_ASSERT_EQ(test, memorizer_set_subject_mode(MEMORIZER_BY_UID), 0);
	touch(ptr, 0, 3);
	KUNIT_ASSERT_EQ(test, memorizer_set_subject_mode(MEMORIZER_BY_GID), 0);
	touch(ptr, 0, 5);
	KUNIT_ASSERT_EQ(test, memorizer_set_subject_mode(0), 0);
	touch(ptr, 0, 7);
	be(test, 0, 0);
	KUNIT_EXPECT_EQ(test, writes_in(ptr, (struct wanted){ 77, 0, 0 }), 3);
	KUNIT_EXPECT_EQ(test, writes_in(ptr, (struct wanted){ 0, 88, 0 }), 5);
	KUNIT_EXPECT_EQ(test, tally_of(ptr, current->pid).writes, 7);
	kfree(ptr);
}

static void *touched;

static void touch_in_tasklet(struct tasklet_struct *unused)
{
	touch(touched, 0, 13);
}

static void touch_in_interrupt(struct irq_work *unused)
{
	touch(touched, 0, 17);
}

static int touch_in_thread(void *done)
{
	touch(touched, 0, 19);
	complete(done);
	return 0;
}

/* The test is a kernel thread, and starts another one. */
static void counts_are_kept_by_kernel_entry(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(touch_in_interrupt);
	u32 thread = MEMORIZER_KTHREAD << 16, kind = MEMORIZER_SOFTIRQ << 16;
	DECLARE_COMPLETION_ONSTACK(done);
	struct tasklet_struct tasklet;
	struct wanted in_interrupt = { 0, 0, MEMORIZER_INTERRUPT << 16 };
	u64 in_interrupts = 0;

	skip_unless_entries_are_known(test);
	touched = kzalloc(64, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, touched);
	KUNIT_ASSERT_EQ(test, memorizer_set_subject_mode(MEMORIZER_BY_ENTRY), 0);
	touch(touched, 0, 3);
	tasklet_setup(&tasklet, touch_in_tasklet);
	tasklet_schedule(&tasklet);
	tasklet_kill(&tasklet);
	irq_work_queue(&work);
	irq_work_sync(&work);
	KUNIT_ASSERT_FALSE(test, IS_ERR(kthread_run(touch_in_thread, &done, "subject")));
	wait_for_completion(&done);
	touch(touched, 0, 5);
	memorizer_set_subject_mode(0);

	KUNIT_EXPECT_EQ(test, writes_in(touched, (struct wanted){ 0, 0, thread }), 3 + 5 + 19);
	KUNIT_EXPECT_EQ(test, writes_in(touched, (struct wanted){ 0, 0, kind | TASKLET_SOFTIRQ }),
			13);
	/* The interrupt's vector is the architecture's. */
	for (; in_interrupt.entry < (MEMORIZER_INTERRUPT << 16) + 256; in_interrupt.entry++)
		in_interrupts += writes_in(touched, in_interrupt);
	KUNIT_EXPECT_EQ(test, in_interrupts, 17);
	KUNIT_EXPECT_EQ(test, writes_in(touched, (struct wanted){ ANY, ANY, ANY }),
			3 + 5 + 13 + 17 + 19);
	kfree(touched);
}

/* Entries nest, and a level that is left without having been entered changes nothing. */
static void entries_nest(struct kunit *test)
{
	static const enum memorizer_context kinds[] = {
		MEMORIZER_EXCEPTION, MEMORIZER_SOFTIRQ, MEMORIZER_INTERRUPT, MEMORIZER_EXCEPTION,
	};
	u32 before, seen[ARRAY_SIZE(kinds)];
	int i;

	skip_unless_entries_are_known(test);
	KUNIT_ASSERT_EQ(test, memorizer_set_subject_mode(MEMORIZER_BY_ENTRY), 0);
	/* Interrupts, which nest as well, leave all as it was. */
	__memorizer_subject_entry(true, MEMORIZER_EXCEPTION, 14);
	before = memorizer_current_subject();
	KUNIT_EXPECT_GE(test, before, MEMORIZER_OTHERS);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		__memorizer_subject_entry(false, kinds[i], i);
		seen[i] = memorizer_current_subject();
		KUNIT_EXPECT_NE(test, seen[i], i ? seen[i - 1] : before);
		__memorizer_subject_entry(false, MEMORIZER_NMI, 2);
		KUNIT_EXPECT_EQ(test, memorizer_current_subject(), seen[i]);
		__memorizer_subject_entry(true, MEMORIZER_NMI, 2);
	}
	while (i--) {
		KUNIT_EXPECT_EQ(test, memorizer_current_subject(), seen[i]);
		__memorizer_subject_entry(true, kinds[i], i);
	}
	KUNIT_EXPECT_EQ(test, memorizer_current_subject(), before);
	memorizer_set_subject_mode(0);
	KUNIT_EXPECT_EQ(test, memorizer_current_subject(), current->pid);
}

/* User space chooses the number of a system call. */
static void numbers_of_system_calls_are_bounded(struct kunit *test)
{
	u32 subjects[3];

	skip_unless_entries_are_known(test);
	KUNIT_ASSERT_EQ(test, memorizer_set_subject_mode(MEMORIZER_BY_ENTRY), 0);
	__memorizer_subject_entry(false, MEMORIZER_SYSCALL, 5000);
	subjects[0] = memorizer_current_subject();
	__memorizer_subject_entry(false, MEMORIZER_SYSCALL, 0x7fffffff);
	subjects[1] = memorizer_current_subject();
	__memorizer_subject_entry(false, MEMORIZER_SYSCALL, 0xffffffff);
	subjects[2] = memorizer_current_subject();
	__memorizer_subject_entry(true, MEMORIZER_SYSCALL, 0xffffffff);
	memorizer_set_subject_mode(0);
	KUNIT_EXPECT_EQ(test, subjects[0], subjects[1]);
	KUNIT_EXPECT_NE(test, subjects[0], subjects[2]);
	KUNIT_EXPECT_EQ(test, MEMORIZER_ENTRY_KIND(memorizer_subject_at(subjects[0] -
			MEMORIZER_OTHERS)->entry), MEMORIZER_SYSCALL);
}

static int pids_again(struct kunit_suite *suite)
{
	return switch_on(suite) ?: memorizer_set_subject_mode(0);
}

static void pids_after(struct kunit *test)
{
	memorizer_set_subject_mode(0);
}

static struct kunit_case cases[] = {
	KUNIT_CASE(counts_are_kept_by_user_and_group),
	KUNIT_CASE(contexts_have_what_is_selected),
	KUNIT_CASE(counts_are_kept_by_kernel_entry),
	KUNIT_CASE(entries_nest),
	KUNIT_CASE(numbers_of_system_calls_are_bounded),
	{ }
};

static struct kunit_suite suite = {
	.name = "memorizer_subjects",
	.exit = pids_after,
	.suite_init = pids_again,
	.suite_exit = switch_off,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Memorizer's KUnit tests of subjects");
MODULE_LICENSE("GPL");
