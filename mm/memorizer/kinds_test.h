/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers of Memorizer's KUnit tests of kinds of objects: make known accesses, and check what was
 * recorded.
 */
#ifndef _MM_MEMORIZER_KINDS_TEST_H
#define _MM_MEMORIZER_KINDS_TEST_H

#include "test.h"

static u64 sink;

static noinline void touch_read(const void *ptr)
{
	sink = READ_ONCE(*(u64 *)ptr);
}

static noinline void touch_write(void *ptr)
{
	WRITE_ONCE(*(u64 *)ptr, 1);
}

/* Read a word @reads times and write it @writes times. */
static void touch(void *ptr, unsigned int reads, unsigned int writes)
{
	while (reads--)
		touch_read(ptr);
	while (writes--)
		touch_write(ptr);
}

/* The accesses to an object by the two functions above. */
static struct tally touches_of(u32 id)
{
	const struct memorizer_object *object = memorizer_ptr(id);
	const struct memorizer_entry *entry;
	struct tally tally = { };
	u32 next;

	if (!id)
		return tally;
	for (next = READ_ONCE(object->entries); next; next = READ_ONCE(entry->link)) {
		entry = memorizer_ptr(next);
		if (ip_is_in(memorizer_entry_ip(entry), touch_read) ||
		    ip_is_in(memorizer_entry_ip(entry), touch_write))
			add_to_tally(&tally, entry);
	}
	return tally;
}

static inline void expect_touched(struct kunit *test, u32 id, u64 reads, u64 writes)
{
	struct tally tally = touches_of(id);

	KUNIT_ASSERT_NE(test, id, 0);
	KUNIT_EXPECT_EQ(test, tally.reads, reads);
	KUNIT_EXPECT_EQ(test, tally.writes, writes);
}

static inline void expect_object(struct kunit *test, u32 id, const void *ptr, size_t size, u8 state)
{
	const struct memorizer_object *object = memorizer_ptr(id);

	KUNIT_ASSERT_NE(test, id, 0);
	KUNIT_EXPECT_EQ(test, memorizer_object_va(object), (unsigned long)ptr);
	KUNIT_EXPECT_EQ(test, object->size, size);
	KUNIT_EXPECT_EQ(test, object->state, state);
}

#endif /* _MM_MEMORIZER_KINDS_TEST_H */
