// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: objects, from allocation to clearing.
 */
#include "test.h"

enum { SMALL = 1, GAPS = 2, STRADDLING = 4 };	/* of heap_caches */

static void start(void)
{
	boot(POOL_BLOCKS(64));
	heap_init(64);
}

static void fill_pool(unsigned int class)
{
	while (memorizer_pool_alloc(class))
		;
}

static void allocation_is_recorded_whole(void)
{
	unsigned long addr;
	struct memorizer_object *object;

	start();
	addr = heap_alloc(SMALL);
	test_jiffies = 4711;
	set_pid(42);
	memcpy(current->comm, "fifteen,letter\n", TASK_COMM_LEN);
	hook_alloc(addr, 60, IP(1));

	CHECK_EQ(shown_objects(), 1);
	object = shown_at(addr, MEMORIZER_LIVE);
	CHECK(object);
	CHECK_EQ(object->size, 60);
	CHECK_EQ(memorizer_alloc_jiffies(object), 4711);
	CHECK_EQ(memorizer_unpack_ip(object->alloc_ip), IP(1));
	CHECK_EQ(memorizer_object_pid(object), 42);
	CHECK_EQ(memcmp(object->comm, "fifteen,letter\n", TASK_COMM_LEN - 1), 0);
	CHECK_EQ(object->free_ip, 0);
	CHECK_EQ(memorizer_free_jiffies(object), 0);
	CHECK_EQ(object->entries, 0);
	CHECK_EQ(sum_counters().allocs, 1);
}

static void free_is_recorded(void)
{
	unsigned long addr;
	struct memorizer_object *object;

	start();
	addr = heap_alloc(STRADDLING);
	hook_alloc(addr, 700, IP(1));
	test_jiffies = 5000;
	hook_free(addr, IP(2));

	CHECK_EQ(shown_objects(), 1);
	object = shown_at(addr, MEMORIZER_FREED);
	CHECK(object);
	CHECK_EQ(memorizer_alloc_jiffies(object), 1000);
	CHECK_EQ(memorizer_free_jiffies(object), 5000);
	CHECK_EQ(memorizer_unpack_ip(object->free_ip), IP(2));
	CHECK_EQ(sum_counters().frees, 1);
	CHECK_EQ(sum_counters().unknown_frees, 0);
}

/* A record has 48 bits of each time; changing one time keeps the other. */
static void times_are_stored_exactly(void)
{
	static const unsigned long times[] = {
		0, 1, U32_MAX, U32_MAX + 1UL, 0x123456789abc, 1UL << (MEMORIZER_JIFFIES - 1),
		(1UL << MEMORIZER_JIFFIES) - 2, (1UL << MEMORIZER_JIFFIES) - 1,
	};
	struct memorizer_object *object;
	unsigned long addr;
	unsigned int i, j;

	start();
	addr = heap_alloc(SMALL);
	for (i = 0; i < ARRAY_SIZE(times); i++) {
		for (j = 0; j < ARRAY_SIZE(times); j++) {
			test_jiffies = times[i];
			hook_alloc(addr, 64, IP(1));
			CHECK_EQ(memorizer_free_jiffies(shown_at(addr, MEMORIZER_LIVE)), 0);
			test_jiffies = times[j];
			hook_free(addr, IP(2));
			object = shown_at(addr, MEMORIZER_FREED);
			CHECK_EQ(memorizer_alloc_jiffies(object), times[i]);
			CHECK_EQ(memorizer_free_jiffies(object), times[j]);
			memorizer_clear();
		}
	}
}

/* A hidden address matches no access, but the object's address can be restored from it. */
static void hidden_address_is_no_address(void)
{
	static const unsigned long addresses[] = {
		0xff11000000001000, 0xff90fffffffffff8, 0xffff888000000000, 0xffffc87fffffff40,
		0x100000000000,
	};
	struct memorizer_object object = { .size = U32_MAX };
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(addresses); i++) {
		object.at = memorizer_hide(addresses[i]);
		CHECK_EQ(memorizer_object_va(&object), addresses[i]);
		for (j = 0; j < ARRAY_SIZE(addresses); j++)
			CHECK(!memorizer_object_contains(&object, addresses[j], 8));
		CHECK(!memorizer_object_contains(&object, 0, 8));
		CHECK(!memorizer_object_contains(&object, 0x7ffffffff000, 8));
		object.at = addresses[i];
		CHECK_EQ(memorizer_object_va(&object), addresses[i]);
		CHECK(memorizer_object_contains(&object, addresses[i], 8));
	}
}

static void free_on_behalf_of_somebody_has_their_ip(void)
{
	unsigned long addr;

	start();
	addr = heap_alloc(SMALL);
	hook_alloc(addr, 64, IP(1));
	memorizer_set_free_ip((void *)addr, IP(3));
	CHECK_EQ(memorizer_free_jiffies(shown_at(addr, MEMORIZER_LIVE)), 0);
	hook_free(addr, IP(2));
	CHECK_EQ(memorizer_unpack_ip(shown_at(addr, MEMORIZER_FREED)->free_ip), IP(3));

	/* It applies to one free only. */
	hook_alloc(addr, 64, IP(1));
	memorizer_clear();
	hook_free(addr, IP(2));
	CHECK_EQ(memorizer_unpack_ip(shown_at(addr, MEMORIZER_FREED)->free_ip), IP(2));
}

static void free_without_ip_has_none(void)
{
	unsigned long addr;

	start();
	addr = heap_alloc(SMALL);
	hook_alloc(addr, 64, IP(1));
	hook_free(addr, 0);
	CHECK_EQ(shown_at(addr, MEMORIZER_FREED)->free_ip, 0);
}

static void resizing_makes_a_new_object(void)
{
	unsigned long addr;

	start();
	addr = heap_alloc_large(9000);
	hook_alloc(addr, 9000, IP(1));
	site(addr + 8500, 4, MEMORIZER_READ, IP(5));
	memorizer_realloc((void *)addr, 8192, 0, IP(2));
	site(addr + 8500, 4, MEMORIZER_READ, IP(5));
	site(addr + 8188, 4, MEMORIZER_READ, IP(5));

	CHECK_EQ(shown_objects(), 2);
	CHECK_EQ(shown_at(addr, MEMORIZER_FREED)->size, 9000);
	CHECK_EQ(memorizer_unpack_ip(shown_at(addr, MEMORIZER_FREED)->free_ip), IP(2));
	CHECK_COUNTS(shown_at(addr, MEMORIZER_FREED), IP(5), 1, 1, 0);
	CHECK_EQ(shown_at(addr, MEMORIZER_LIVE)->size, 8192);
	CHECK_COUNTS(shown_at(addr, MEMORIZER_LIVE), IP(5), 1, 1, 0);
	CHECK_EQ(sum_counters().unattributed, 1);
}

static void allocation_over_a_live_object_buries_it(void)
{
	struct memorizer_object *object;
	unsigned long addr;

	start();
	addr = heap_alloc(SMALL);
	hook_alloc(addr, 64, IP(1));
	site(addr, 8, MEMORIZER_WRITE, IP(5));
	test_jiffies = 2000;
	hook_alloc(addr, 32, IP(2));
	site(addr, 8, MEMORIZER_WRITE, IP(5));

	CHECK_EQ(shown_objects(), 2);
	object = shown_at(addr, MEMORIZER_BURIED);
	CHECK(object);
	CHECK_EQ(memorizer_free_jiffies(object), 2000);
	CHECK_COUNTS(object, IP(5), 1, 0, 1);
	object = shown_at(addr, MEMORIZER_LIVE);
	CHECK_EQ(object->size, 32);
	CHECK_COUNTS(object, IP(5), 1, 0, 1);
	CHECK_EQ(sum_counters().buried, 1);
	CHECK_EQ(sum_counters().allocs, 2);

	hook_free(addr, IP(3));
	CHECK_EQ(sum_counters().frees, 1);
	CHECK(shown_at(addr, MEMORIZER_FREED));
}

/* An object that another CPU is burying matches no access once its address is allocated again. */
static void object_that_is_being_buried_matches_no_more(void)
{
	struct memorizer_object *object;
	unsigned long addr;

	start();
	addr = heap_alloc(SMALL);
	hook_alloc(addr, 64, IP(1));
	site(addr, 8, MEMORIZER_WRITE, IP(5));
	object = memorizer_ptr(lookup(addr));
	/* The other CPU has come this far. */
	object->state = MEMORIZER_BURIED;
	hook_alloc(addr, 64, IP(2));
	site(addr, 8, MEMORIZER_WRITE, IP(5));
	CHECK_COUNTS(object, IP(5), 1, 0, 1);
	CHECK_COUNTS(shown_at(addr, MEMORIZER_LIVE), IP(5), 1, 0, 1);
	CHECK_EQ(sum_counters().buried, 0);
}

static void addresses_that_are_no_objects_are_ignored(void)
{
	struct memorizer_counters sum;

	start();
	memorizer_alloc(MEMORIZER_KMALLOC, NULL, 8, 0, IP(1));
	memorizer_alloc(MEMORIZER_KMALLOC, ZERO_SIZE_PTR, 0, 0, IP(1));
	memorizer_set_free_ip(NULL, IP(1));
	memorizer_free(MEMORIZER_KMALLOC, NULL, IP(1));
	memorizer_free(MEMORIZER_KMALLOC, ZERO_SIZE_PTR, IP(1));
	CHECK_EQ(shown_objects(), 0);
	sum = sum_counters();
	CHECK_EQ(memcmp(&sum, &(struct memorizer_counters) { }, sizeof(sum)), 0);
}

static void frees_of_unknown_objects_are_counted(void)
{
	unsigned long addr;

	start();
	addr = heap_alloc(SMALL);
	hook_free(addr, IP(1));
	hook_alloc(addr, 64, IP(1));
	hook_free(addr + 64, IP(1));
	hook_free(addr + 8, IP(1));
	hook_free(MAP_BASE - 8, IP(1));
	memorizer_set_free_ip((void *)(addr + 64), IP(1));
	CHECK_EQ(sum_counters().unknown_frees, 4);
	CHECK_EQ(sum_counters().frees, 0);
	CHECK_EQ(shown_objects(), 1);
}

static void reused_address_is_another_object(void)
{
	unsigned long addr, n;
	unsigned int i;

	start();
	addr = heap_alloc(SMALL);
	for (i = 0; i < 100; i++) {
		hook_alloc(addr, 64, IP(i));
		for (n = 0; n < i; n++)
			site(addr + n % 8, 1, MEMORIZER_READ, IP(1000));
		hook_free(addr, IP(i));
	}
	CHECK_EQ(shown_objects(), 100);
	for (i = 0, n = 0; i < 100; i++) {
		struct memorizer_object *object = next_shown(&n);

		CHECK_EQ(memorizer_unpack_ip(object->alloc_ip), IP(i));
		CHECK_EQ(memorizer_unpack_ip(object->free_ip), IP(i));
		CHECK_ALL_COUNTS(object, i, 0);
	}
}

static void nothing_is_recorded_before_it_is_enabled(void)
{
	CHECK_EQ(memorizer_set_enabled(true), -ENOMEM);
	CHECK(!memorizer_is_enabled());
	CHECK_EQ(memorizer_set_enabled(false), 0);
	memorizer_clear();
	hook_alloc(MAP_BASE, 8, IP(1));
	hook_free(MAP_BASE, IP(1));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_OBJECT], 0);
	CHECK_EQ(sum_counters().unknown_frees, 0);
}

static void disabled_follows_known_objects_only(void)
{
	unsigned long a, b;

	start();
	a = heap_alloc(SMALL);
	b = heap_alloc(SMALL);
	hook_alloc(a, 64, IP(1));
	CHECK(memorizer_is_enabled());
	CHECK_EQ(memorizer_set_enabled(false), 0);
	CHECK(!memorizer_is_enabled());

	hook_alloc(b, 64, IP(1));
	site(a, 8, MEMORIZER_READ, IP(2));
	site(b, 8, MEMORIZER_READ, IP(2));
	hook_free(a, IP(3));
	site(a, 8, MEMORIZER_READ, IP(2));
	hook_free(b, IP(3));
	CHECK_EQ(shown_objects(), 1);
	CHECK_COUNTS(shown_at(a, MEMORIZER_FREED), IP(2), 1, 1, 0);
	CHECK_EQ(sum_counters().unattributed, 2);
	CHECK_EQ(sum_counters().unknown_frees, 1);

	CHECK_EQ(memorizer_set_enabled(true), 0);
	hook_alloc(b, 64, IP(1));
	CHECK(shown_at(b, MEMORIZER_LIVE));
}

static void paused_task_records_no_new_objects(void)
{
	unsigned long a, b;

	start();
	a = heap_alloc(SMALL);
	b = heap_alloc(SMALL);
	hook_alloc(a, 64, IP(1));
	memorizer_pause();
	memorizer_pause();
	memorizer_resume();
	hook_alloc(b, 64, IP(1));
	hook_free(a, IP(2));
	CHECK(shown_at(a, MEMORIZER_FREED));
	CHECK(!shown_at(b, MEMORIZER_LIVE));
	CHECK_EQ(sum_counters().paused, 1);

	/* Interrupts of a paused task are recorded. */
	enter_interrupt();
	hook_alloc(b, 64, IP(3));
	leave_interrupt();
	CHECK(shown_at(b, MEMORIZER_LIVE));
	CHECK_EQ(sum_counters().paused, 1);

	memorizer_resume();
	hook_alloc(a, 64, IP(4));
	CHECK(shown_at(a, MEMORIZER_LIVE));
	CHECK_EQ(sum_counters().paused, 1);
}

static void objects_that_are_left_out_are_counted(void)
{
	unsigned long a, b;

	start();
	a = heap_alloc(SMALL);
	b = heap_alloc(SMALL);
	hook_alloc(a, 64, IP(1));
	memorizer_switch_hooks(MEMORIZER_DO_CHOOSE, true);
	hook_alloc(b, 64, CHOSEN_IP);
	CHECK(shown_at(b, MEMORIZER_LIVE));
	/* It still buries the object at its address. */
	hook_alloc(a, 64, IP(1));
	memorizer_switch_hooks(MEMORIZER_DO_CHOOSE, false);
	CHECK(shown_at(a, MEMORIZER_BURIED));
	CHECK(!shown_at(a, MEMORIZER_LIVE));
	CHECK_EQ(sum_counters().allocs, 2);
	CHECK_EQ(sum_counters().allocs_left_out, 1);
	hook_free(a, IP(2));
	CHECK_EQ(sum_counters().unknown_frees, 1);
	hook_alloc(a, 64, IP(1));
	CHECK(shown_at(a, MEMORIZER_LIVE));
	CHECK_EQ(sum_counters().allocs_left_out, 1);
}

/* An object whose free was missed gets no accesses of a later one that is not recorded. */
static void unrecorded_allocation_buries_the_object(void)
{
	unsigned long a, b;

	start();
	a = heap_alloc(SMALL);
	b = heap_alloc(SMALL);
	hook_alloc(a, 64, IP(1));
	hook_alloc(b, 64, IP(1));
	memorizer_pause();
	hook_alloc(a, 64, IP(1));
	memorizer_resume();
	CHECK(shown_at(a, MEMORIZER_BURIED));
	CHECK(!shown_at(a, MEMORIZER_LIVE));
	CHECK_EQ(sum_counters().paused, 1);
	memorizer_set_enabled(false);
	hook_alloc(b, 64, IP(1));
	CHECK(shown_at(b, MEMORIZER_BURIED));
	CHECK_EQ(sum_counters().paused, 1);
	CHECK_EQ(sum_counters().buried, 2);
	CHECK_EQ(sum_counters().allocs, 2);
}

static void full_pool_loses_objects_until_cleared(void)
{
	unsigned long addr[20];
	unsigned int i;

	start();
	for (i = 0; i < ARRAY_SIZE(addr); i++)
		addr[i] = heap_alloc(SMALL);
	for (i = 0; i < 10; i++)
		hook_alloc(addr[i], 64, IP(i));
	fill_pool(MEMORIZER_OBJECT);
	for (i = 10; i < 20; i++)
		hook_alloc(addr[i], 64, IP(i));
	/* A lost allocation still buries the object at its address. */
	hook_alloc(addr[9], 64, IP(99));
	site(addr[9], 8, MEMORIZER_READ, IP(1));
	CHECK_EQ(shown_objects(), 10);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_OBJECT], 11);
	CHECK_EQ(sum_counters().allocs, 10);
	CHECK_EQ(sum_counters().unattributed, 1);
	CHECK_ALL_COUNTS(shown_at(addr[9], MEMORIZER_BURIED), 0, 0);

	for (i = 0; i < 9; i++)
		hook_free(addr[i], IP(i));
	CHECK_EQ(sum_counters().frees, 9);
	memorizer_clear();
	CHECK_EQ(shown_objects(), 0);
	for (i = 0; i < 11; i++)
		hook_alloc(addr[i], 64, IP(i));
	CHECK_EQ(shown_objects(), 10);
	CHECK_EQ(sum_counters().allocs, 20);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_OBJECT], 12);
}

static void full_pool_loses_objects_of_unindexed_memory(void)
{
	unsigned long known, addr;

	start();
	known = heap_alloc(SMALL);
	hook_alloc(known, 64, IP(1));
	addr = heap_alloc(STRADDLING);
	fill_pool(MEMORIZER_ENTRY);
	hook_alloc(addr, 700, IP(1));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_INDEX], 1);
	CHECK_EQ(sum_counters().allocs, 1);
	CHECK_EQ(shown_objects(), 1);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 1);
	hook_free(addr, IP(1));
	CHECK_EQ(sum_counters().unknown_frees, 1);
}

/* An allocation that the index has no room for buries an object whose free was missed. */
static void object_lost_to_the_index_buries_what_was_there(void)
{
	unsigned long addr;

	start();
	heap_init(1);
	addr = heap_alloc_large(64);
	hook_alloc(addr, 64, IP(1));
	heap_free(addr);
	CHECK_EQ(heap_alloc(SMALL), addr);
	fill_pool(MEMORIZER_ENTRY);
	hook_alloc(addr, 64, IP(2));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_INDEX], 1);
	CHECK(shown_at(addr, MEMORIZER_BURIED));
	site(addr, 8, MEMORIZER_READ, IP(1));
	CHECK_EQ(sum_counters().unattributed, 1);
}

static void object_out_of_range_is_lost(void)
{
	unsigned long addr;

	start();
	addr = heap_alloc_large(5);
	hook_alloc(addr, 1UL << 32, IP(1));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_RANGE], 1);
	hook_alloc(addr, U32_MAX, IP(1));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_RANGE], 2);
	CHECK_EQ(shown_objects(), 0);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 0);
	hook_alloc(addr, 5, IP(1));
	CHECK_EQ(shown_objects(), 1);
}

static void clearing_forgets_closed_objects_only(void)
{
	unsigned long live, freed, buried, used;

	start();
	live = heap_alloc(SMALL);
	freed = heap_alloc(SMALL);
	buried = heap_alloc(SMALL);
	hook_alloc(live, 64, IP(1));
	site(live, 8, MEMORIZER_READ, IP(2));
	used = memorizer_pool_bytes(0, MEMORIZER_CLASSES - 1);

	hook_alloc(freed, 64, IP(1));
	site(freed, 8, MEMORIZER_READ, IP(2));
	range_site(freed, 8, MEMORIZER_UPDATE, IP(3));
	hook_free(freed, IP(1));
	hook_alloc(buried, 64, IP(1));
	site(buried, 8, MEMORIZER_WRITE, IP(2));
	hook_alloc(buried, 64, IP(1));
	hook_free(buried, IP(1));
	CHECK_EQ(shown_objects(), 4);

	memorizer_clear();
	CHECK_EQ(shown_objects(), 1);
	CHECK_COUNTS(shown_at(live, MEMORIZER_LIVE), IP(2), 1, 1, 0);
	CHECK_EQ(memorizer_pool_bytes(0, MEMORIZER_CLASSES - 1), used);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 1);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), 1);
	CHECK_EQ(memorizer_cleared.objects, 3);
	CHECK_EQ(memorizer_cleared.accesses, 4);

	site(live, 8, MEMORIZER_READ, IP(2));
	CHECK_COUNTS(shown_at(live, MEMORIZER_LIVE), IP(2), 1, 2, 0);
	memorizer_clear();
	CHECK_EQ(memorizer_cleared.objects, 3);
	CHECK_EQ(memorizer_cleared.accesses, 4);
}

static void recycled_records_begin_anew(void)
{
	struct memorizer_object *object;
	unsigned long addr;
	unsigned int i;

	start();
	addr = heap_alloc(SMALL);
	for (i = 0; i < 1000; i++) {
		hook_alloc(addr, 64 - i % 8, IP(i));
		object = shown_at(addr, MEMORIZER_LIVE);
		CHECK_EQ(memorizer_unpack_ip(object->alloc_ip), IP(i));
		CHECK_EQ(object->free_ip, 0);
		CHECK_EQ(memorizer_free_jiffies(object), 0);
		CHECK_ALL_COUNTS(object, 0, 0);
		site(addr, 8, MEMORIZER_READ, IP(i % 3));
		site(addr, 8, MEMORIZER_READ, IP(i % 3));
		site(addr, 8, MEMORIZER_WRITE, IP(7));
		CHECK_COUNTS(object, IP(i % 3), 1, 2, 0);
		CHECK_ALL_COUNTS(object, 2, 1);
		hook_free(addr, IP(i));
		memorizer_clear();
	}
	CHECK_EQ(memorizer_cleared.objects, 1000);
	CHECK_EQ(memorizer_cleared.accesses, 3000);
	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), 0);
	CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY), 0);
	CHECK(object->size);
}

static void room_of_objects_serves_accesses_once_cleared(void)
{
	unsigned long addr;
	unsigned int i;

	start();
	addr = heap_alloc(SMALL);
	while (!sum_counters().lost[MEMORIZER_LOST_OBJECT]) {
		hook_alloc(addr, 64, IP(1));
		hook_free(addr, IP(1));
	}
	memorizer_clear();
	hook_alloc(addr, 64, IP(1));
	for (i = 0; i < 10000; i++)
		site(addr, 8, MEMORIZER_READ, IP(i));
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_OBJECT], 1);
	CHECK_EQ(sum_counters().lost[MEMORIZER_LOST_ENTRY], 0);
	CHECK_ALL_COUNTS(shown_at(addr, MEMORIZER_LIVE), 10000, 0);
}

/* The index's word of an address's page. */
static u32 word_of(unsigned long addr)
{
	unsigned long offset = addr - memorizer_index_base;
	const u32 *words = memorizer_ptr(memorizer_index_root[offset >> MEMORIZER_LEAF_SHIFT]);

	return words[(offset >> PAGE_SHIFT) % MEMORIZER_LEAF_WORDS];
}

/*
 * The free of a large object was missed. When one of its pages is reused, the index must forget
 * the id in all of its pages, because the record will be reused as well.
 */
static void buried_object_leaves_all_of_its_pages(void)
{
	unsigned long first, second, old, round;

	start();
	for (round = 0; round < 10; round++) {
		heap_init(2);
		first = heap_alloc_large(2 * PAGE_SIZE);
		hook_alloc(first, 2 * PAGE_SIZE, IP(1));
		heap_free(first);

		old = first;
		CHECK_EQ(word_of(old), word_of(old + PAGE_SIZE));
		first = heap_alloc_large(100);
		hook_alloc(first, 100, IP(2));
		CHECK_EQ(word_of(old + (first == old) * PAGE_SIZE), 0);
		memorizer_clear();
		second = round % 2 ? heap_alloc(SMALL) : heap_alloc_large(100);
		hook_alloc(second, 64, IP(3));
		CHECK(shown_at(second, MEMORIZER_LIVE));
		site(second, 8, MEMORIZER_READ, IP(4));
		CHECK_ALL_COUNTS(shown_at(second, MEMORIZER_LIVE), 1, 0);
		hook_free(first, IP(1));
		hook_free(second, IP(1));
		CHECK_EQ(sum_counters().unknown_frees, 0);
		heap_free(first);
		heap_free(second);
		memorizer_clear();
		CHECK_EQ(shown_objects(), 0);
	}
}

/*
 * An object whose free was missed gets no accesses of an allocation that is not recorded, even if
 * that begins elsewhere, because the page was divided differently before.
 */
static void unrecorded_allocation_buries_what_it_overlaps(void)
{
	unsigned long old, addr, first, second;

	start();
	heap_init(2);
	old = heap_alloc_large(2 * PAGE_SIZE);
	hook_alloc(old, 2 * PAGE_SIZE, IP(1));
	heap_free(old);
	first = heap_alloc(SMALL);
	second = heap_alloc(SMALL);
	CHECK(second != old);
	memorizer_pause();
	hook_alloc(second, 64, IP(1));
	memorizer_resume();
	CHECK(shown_at(old, MEMORIZER_BURIED));
	CHECK_EQ(word_of(old), 0);
	CHECK_EQ(word_of(old + PAGE_SIZE), 0);
	site(second, 8, MEMORIZER_READ, IP(2));
	CHECK_EQ(sum_counters().unattributed, 1);
	CHECK_EQ(sum_counters().buried, 1);

	memorizer_clear();
	hook_alloc(first, 64, IP(1));
	hook_alloc(second, 64, IP(1));
	CHECK_EQ(sum_counters().buried, 1);
	heap_free(first);
	heap_free(second);
	addr = heap_alloc_large(2 * PAGE_SIZE);
	memorizer_set_enabled(false);
	hook_alloc(addr, 2 * PAGE_SIZE, IP(1));
	CHECK(shown_at(first, MEMORIZER_BURIED));
	CHECK(shown_at(second, MEMORIZER_BURIED));
	CHECK_EQ(sum_counters().buried, 3);
	range_site(addr, 2 * PAGE_SIZE, MEMORIZER_WRITE, IP(2));
	CHECK_EQ(sum_counters().unattributed, 2);
	memorizer_clear();
	CHECK_EQ(shown_objects(), 0);
	hook_free(addr, IP(1));
	hook_free(second, IP(1));
	CHECK_EQ(sum_counters().unknown_frees, 2);
}

void __real_memorizer_object_bury(u32 id);
void __wrap_memorizer_object_bury(u32 id);

/* Called once, right before the index buries an object. */
static void (*before_burying)(void);

void __wrap_memorizer_object_bury(u32 id)
{
	void (*now)(void) = before_burying;

	if (now) {
		before_burying = NULL;
		now();
	}
	__real_memorizer_object_bury(id);
}

/* Fill the heap with objects of a cache and check each one. */
static unsigned int fill_heap(unsigned int cache, unsigned long *addr)
{
	size_t size = heap_caches[cache].size;
	unsigned int n, i;

	for (n = 0; (addr[n] = heap_alloc(cache)); n++) {
		hook_alloc(addr[n], size, IP(n));
		CHECK(lookup(addr[n]));
		CHECK_EQ(lookup(addr[n] + size - 1), lookup(addr[n]));
	}
	for (i = 0; i < n; i++) {
		const struct memorizer_object *object = shown_at(addr[i], MEMORIZER_LIVE);

		CHECK(object);
		CHECK_EQ(memorizer_unpack_ip(object->alloc_ip), IP(i));
		CHECK_EQ(lookup(addr[i]), memorizer_id(object));
		CHECK_EQ(lookup(addr[i] + size - 1), memorizer_id(object));
		CHECK(lookup(addr[i] + size) != memorizer_id(object));
	}
	return n;
}

static void empty_heap(unsigned int n, const unsigned long *addr)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		hook_free(addr[i], IP(i));
		CHECK(!lookup(addr[i]));
		heap_free(addr[i]);
	}
}

/* The index forgets a slab's layout when the slab is freed. */
static void pages_of_freed_slabs_are_divided_anew(void)
{
	static const unsigned int caches[] = { SMALL, GAPS, STRADDLING, GAPS, STRADDLING, SMALL };
	unsigned int round, n;
	unsigned long addr[512];

	start();
	heap_init(2);
	for (round = 0; round < 10 * ARRAY_SIZE(caches); round++) {
		n = fill_heap(caches[round % ARRAY_SIZE(caches)], addr);
		CHECK(n);
		empty_heap(n, addr);
		memorizer_clear();
	}
	CHECK_EQ(sum_counters().unknown_frees, 0);
	CHECK_EQ(sum_counters().buried, 0);
}

/* The geometry of a slab is looked up once per page until the slab is freed. */
static void geometry_is_asked_once_for_each_page(void)
{
	unsigned int round, n;
	unsigned long addr[512];

	start();
	heap_init(2);
	for (round = 0; round < 10; round++) {
		heap_questions = 0;
		n = fill_heap(STRADDLING, addr);
		CHECK_EQ(n, 11);
		/* From the second round on, the index has the slab in both pages. */
		CHECK_EQ(heap_questions, round ? 1 : 2);
		empty_heap(n, addr);
		CHECK_EQ(slab_records(), 1);
		memorizer_slab_free((void *)(addr[0] & PAGE_MASK));
	}
	CHECK_EQ(sum_counters().unknown_frees, 0);
}

static bool branch_was_enabled;

static void check_not_recording(void)
{
	CHECK_EQ(memorizer_hooks | memorizer_page_hooks, 0);
	branch_was_enabled = true;
}

/*
 * Recording starts after the static branch is enabled on all CPUs: otherwise a CPU could free a
 * slab with recorded objects without its hook.
 */
static void recording_begins_when_hooks_are_on(void)
{
	before_branch = check_not_recording;
	start();
	CHECK(branch_was_enabled);
	CHECK_EQ(memorizer_hooks, MEMORIZER_RECORD_ALL);
}

static unsigned long neighbour;

static void allocate_neighbour(void)
{
	hook_alloc(neighbour, 64, IP(3));
	site(neighbour, 8, MEMORIZER_WRITE, IP(5));
}

/*
 * The page of an object whose free was missed becomes a slab. While the slab's first object is
 * inserted, another one is, too, and accesses count for the new objects.
 */
static void object_below_a_new_slab_matches_no_more(void)
{
	struct memorizer_object *object;
	unsigned long old, addr, at;

	start();
	heap_init(1);
	old = heap_alloc_large(PAGE_SIZE);
	hook_alloc(old, PAGE_SIZE, IP(1));
	object = shown_at(old, MEMORIZER_LIVE);
	for (at = old; at < old + PAGE_SIZE; at += 64)
		site(at, 8, MEMORIZER_WRITE, IP(5));
	heap_free(old);
	addr = heap_alloc(SMALL);
	neighbour = heap_alloc(SMALL);
	before_burying = allocate_neighbour;
	hook_alloc(addr, 64, IP(2));
	CHECK(!before_burying);
	site(addr, 8, MEMORIZER_WRITE, IP(5));

	CHECK_COUNTS(object, IP(5), 1, 0, PAGE_SIZE / 64);
	CHECK_COUNTS(shown_at(addr, MEMORIZER_LIVE), IP(5), 1, 0, 1);
	CHECK_COUNTS(shown_at(neighbour, MEMORIZER_LIVE), IP(5), 1, 0, 1);
	CHECK_EQ(sum_counters().buried, 1);
	CHECK_EQ(sum_counters().unattributed, 0);
	CHECK_EQ(slab_records(), 1);
	hook_free(addr, IP(1));
	hook_free(neighbour, IP(1));
	CHECK_EQ(sum_counters().unknown_frees, 0);
}

const struct test_case object_cases[] = {
	CASE(allocation_is_recorded_whole),
	CASE(free_is_recorded),
	CASE(times_are_stored_exactly),
	CASE(hidden_address_is_no_address),
	CASE(free_on_behalf_of_somebody_has_their_ip),
	CASE(free_without_ip_has_none),
	CASE(resizing_makes_a_new_object),
	CASE(allocation_over_a_live_object_buries_it),
	CASE(object_that_is_being_buried_matches_no_more),
	CASE(addresses_that_are_no_objects_are_ignored),
	CASE(frees_of_unknown_objects_are_counted),
	CASE(reused_address_is_another_object),
	CASE(nothing_is_recorded_before_it_is_enabled),
	CASE(disabled_follows_known_objects_only),
	CASE(paused_task_records_no_new_objects),
	CASE(objects_that_are_left_out_are_counted),
	CASE(unrecorded_allocation_buries_the_object),
	CASE(unrecorded_allocation_buries_what_it_overlaps),
	CASE(full_pool_loses_objects_until_cleared),
	CASE(full_pool_loses_objects_of_unindexed_memory),
	CASE(object_lost_to_the_index_buries_what_was_there),
	CASE(object_out_of_range_is_lost),
	CASE(clearing_forgets_closed_objects_only),
	CASE(recycled_records_begin_anew),
	CASE(room_of_objects_serves_accesses_once_cleared),
	CASE(buried_object_leaves_all_of_its_pages),
	CASE(object_below_a_new_slab_matches_no_more),
	CASE(pages_of_freed_slabs_are_divided_anew),
	CASE(geometry_is_asked_once_for_each_page),
	CASE(recording_begins_when_hooks_are_on),
	{ }
};
