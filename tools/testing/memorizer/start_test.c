// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: boot parameters, and reserving memory at boot.
 */
#include <linux/crash_dump.h>
#include <linux/memblock.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>

#include "../../../mm/memorizer/filter.h"
#include "test.h"

#define RAM		(256UL << 20)
#define MAX_PIECES	(TEST_CPUS + 4)

unsigned long max_pfn = RAM >> PAGE_SHIFT;

static bool kdump_kernel;
static unsigned long largest_piece = RAM;
static unsigned int allocations_left = UINT_MAX;
static int logging_asked_for, filtering_asked_for, tracking_asked_for, filter_error;

/* Reserved memory. */
static struct {
	void *ptr;
	size_t size;
} pieces[MAX_PIECES];

bool is_kdump_kernel(void)
{
	return kdump_kernel;
}

unsigned long memblock_phys_mem_size(void)
{
	return RAM;
}

void *memblock_alloc_try_nid_raw(size_t size, size_t align, unsigned long from, unsigned long to,
				 int nid)
{
	unsigned int i;

	CHECK_EQ(align, PAGE_SIZE);
	CHECK_EQ(to, MEMBLOCK_ALLOC_NOLEAKTRACE);
	if (!allocations_left || size > largest_piece)
		return NULL;
	allocations_left--;
	for (i = 0; pieces[i].ptr; i++)
		CHECK(i + 1 < MAX_PIECES);
	pieces[i].ptr = reserve(size);
	pieces[i].size = size;
	return memset(pieces[i].ptr, 0xa5, size);
}

void *memblock_alloc_try_nid(size_t size, size_t align, unsigned long from, unsigned long to,
			     int nid)
{
	void *ptr = memblock_alloc_try_nid_raw(size, align, from, to, nid);

	return ptr ? memset(ptr, 0, size) : NULL;
}

void memblock_free(void *ptr, size_t size)
{
	unsigned int i;

	for (i = 0; pieces[i].ptr != ptr; i++)
		CHECK(i + 1 < MAX_PIECES);
	CHECK_EQ(pieces[i].size, size);
	free(ptr);
	pieces[i].ptr = NULL;
	pieces[i].size = 0;
}

/* Check that the form of sites is chosen before the first one is enabled. */
int memorizer_choose_form(int prefixes)
{
	CHECK(prefixes < 0);
	CHECK_EQ(logging_asked_for, 0);
	return 0;
}

int memorizer_set_log_access(bool on)
{
	CHECK(on);
	logging_asked_for++;
	return memorizer_pool_size() ? 0 : -ENOMEM;
}

int memorizer_filter_init(void)
{
	CHECK_EQ(logging_asked_for, 0);
	filtering_asked_for++;
	return filter_error;
}

void memorizer_kinds_init(void)
{
	CHECK(!memorizer_is_enabled());
}

void memorizer_traffic_init(void)
{
	CHECK_EQ(logging_asked_for, 0);
	tracking_asked_for++;
}

static unsigned long taken(void)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < MAX_PIECES; i++)
		sum += pieces[i].size;
	return sum;
}

/* Check that the largest reservation is the pool, and is fully used, and that others are empty. */
static void check_pool(unsigned long size)
{
	unsigned long largest = 0, records = memorizer_pool_size();
	static const char empty[64];
	unsigned int i;

	for (i = 0; i < MAX_PIECES; i++)
		largest = max(largest, pieces[i].size);
	CHECK_EQ(largest, size);
	for (i = 0; i < MAX_PIECES; i++)
		if (pieces[i].ptr && pieces[i].size < size)
			CHECK(!memcmp(pieces[i].ptr, empty, sizeof(empty)));
	CHECK(variables_are_built);
	CHECK(records < size && records > size - size / 16);
	CHECK(memorizer_is_enabled());
	CHECK(memorizer_pool_alloc(MEMORIZER_OBJECT));
}

static void set_pool(const char *text)
{
	CHECK_EQ(param_pool.ops->set(text, &param_pool), 0);
}

static void nothing_is_on_without_a_pool(void)
{
	CHECK_EQ(taken(), 0);
	CHECK_EQ(memorizer_pool_size(), 0);
	CHECK(!memorizer_is_enabled());
	CHECK_EQ(memorizer_set_enabled(true), -ENOMEM);
	CHECK_EQ(memorizer_pool_alloc(MEMORIZER_OBJECT), 0);
}

static void pool_is_a_share_of_ram(void)
{
	memorizer_init_pool();
	check_pool(RAM / CONFIG_MEMORIZER_POOL_SHARE);
}

static void pool_is_what_was_asked_for(void)
{
	set_pool("3M");
	memorizer_init_pool();
	check_pool(3 << 20);
}

static void bad_size_changes_nothing(void)
{
	CHECK_EQ(param_pool.ops->set("banana", &param_pool), -EINVAL);
	CHECK_EQ(param_pool.ops->set("3Mx", &param_pool), -EINVAL);
	memorizer_init_pool();
	check_pool(RAM / CONFIG_MEMORIZER_POOL_SHARE);
}

/* Sizes with suffixes are limited to 2^64 - 1 and do not wrap. */
static void size_of_more_than_64_bits_is_refused(void)
{
	static const struct {
		const char *text;
		unsigned long long size;
	} good[] = {
		{ "18446744073709551615", ULLONG_MAX }, { "18014398509481983K", -1ULL << 10 },
		{ "17179869183G", -1ULL << 30 }, { "16383P", -1ULL << 50 }, { "0x10k", 1 << 14 },
		{ "1m", 1 << 20 }, { "1T", 1ULL << 40 }, { "0", 0 },
	};
	static const char * const bad[] = {
		"18446744073709551616", "18014398509481984K", "17179869184G", "16384P",
		"17592186044417M", "100000000000000000000000000000", "K", "", "-1", "1KM",
	};
	unsigned long long *size = param_pool.arg;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(good); i++) {
		CHECK_EQ(param_pool.ops->set(good[i].text, &param_pool), 0);
		CHECK_EQ(*size, good[i].size);
	}
	for (i = 0; i < ARRAY_SIZE(bad); i++) {
		CHECK(param_pool.ops->set(bad[i], &param_pool) < 0);
		CHECK_EQ(*size, 0);
	}
}

/* The table has a power of two of 32-byte records, and takes at most a quarter of RAM. */
static void room_for_lines_is_bounded(void)
{
	const unsigned long most = RAM / 4 / 32;

	memorizer_lines_init(0, RAM);
	CHECK_EQ(memorizer_lines_wanted, RAM >> 10);
	memorizer_lines_init(2305843009213693952, RAM);
	CHECK_EQ(memorizer_lines_wanted, most);
	memorizer_lines_init(ULONG_MAX, RAM);
	CHECK_EQ(memorizer_lines_wanted, most);
	memorizer_lines_init(most, RAM);
	CHECK_EQ(memorizer_lines_wanted, most);
	memorizer_lines_init(5000, RAM);
	CHECK_EQ(memorizer_lines_wanted, 5000);
}

static void pool_is_at_most_half_of_ram(void)
{
	set_pool("100000M");
	memorizer_init_pool();
	check_pool(RAM / 2);
}

static void pool_is_halved_until_it_can_be_had(void)
{
	largest_piece = 5 << 20;
	memorizer_init_pool();
	check_pool(4 << 20);
}

static void records_begin_zeroed(void)
{
	struct memorizer_entry *entry;
	unsigned int i;

	set_pool("1M");
	memorizer_init_pool();
	for (i = 0; i < 1000; i++) {
		entry = memorizer_ptr(memorizer_pool_alloc(MEMORIZER_ENTRY));
		CHECK_EQ(entry->key, 0);
		CHECK_EQ(local_read(&entry->word), 0);
	}
}

/* If the n-th and all later allocations fail, the earlier ones are freed. */
static void pool_that_cannot_be_completed_is_given_back(void)
{
	unsigned int there;

	for (there = 0; there < MAX_PIECES; there++) {
		allocations_left = there;
		memorizer_init_pool();
		if (memorizer_pool_size())
			break;
		nothing_is_on_without_a_pool();
	}
	/* The pool, a hash table per CPU, and the root of the index. */
	CHECK_EQ(there, 1 + TEST_CPUS + 1);
	check_pool(RAM / CONFIG_MEMORIZER_POOL_SHARE);
}

static void page_descriptors_are_in_range(void)
{
	unsigned long end = VMEMMAP_START + max_pfn * sizeof(struct page);

	memorizer_init_pool();
	become(0, 1);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STRUCT_PAGE));
	site(VMEMMAP_START, 8, MEMORIZER_READ, IP(3));
	site(end - 8, 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 0);
	CHECK(lookup(VMEMMAP_START) && lookup(end - 8));
	site(end, 8, MEMORIZER_READ, IP(3));
	CHECK_EQ(sum_counters().unattributed, 1);
}

static void kdump_kernel_takes_nothing(void)
{
	kdump_kernel = true;
	memorizer_init_pool();
	nothing_is_on_without_a_pool();
}

static void kdump_kernel_takes_what_is_asked_for(void)
{
	kdump_kernel = true;
	set_pool("2M");
	memorizer_init_pool();
	check_pool(2 << 20);
}

static void parameters_say_what_is_on(void)
{
	*param_enabled = false;
	memorizer_init_pool();
	memorizer_init();
	CHECK(!memorizer_is_enabled());
	CHECK_EQ(logging_asked_for, 0);
	*param_log_access = true;
	memorizer_init();
	CHECK_EQ(logging_asked_for, 1);
}

/* The stubs check the order. */
static void all_else_is_set_before_logging(void)
{
	memorizer_init_pool();
	*param_log_access = true;
	memorizer_init();
	CHECK_EQ(filtering_asked_for, 1);
	CHECK_EQ(tracking_asked_for, 1);
	CHECK_EQ(logging_asked_for, 1);
}

static void nothing_is_logged_if_it_cannot_be_filtered(void)
{
	memorizer_init_pool();
	*param_log_access = true;
	filter_error = -ENOMEM;
	memorizer_init();
	CHECK_EQ(filtering_asked_for, 1);
	CHECK_EQ(logging_asked_for, 0);
}

const struct test_case start_cases[] = {
	CASE(nothing_is_on_without_a_pool),
	CASE(pool_is_a_share_of_ram),
	CASE(pool_is_what_was_asked_for),
	CASE(bad_size_changes_nothing),
	CASE(size_of_more_than_64_bits_is_refused),
	CASE(room_for_lines_is_bounded),
	CASE(pool_is_at_most_half_of_ram),
	CASE(pool_is_halved_until_it_can_be_had),
	CASE(records_begin_zeroed),
	CASE(pool_that_cannot_be_completed_is_given_back),
	CASE(page_descriptors_are_in_range),
	CASE(kdump_kernel_takes_nothing),
	CASE(kdump_kernel_takes_what_is_asked_for),
	CASE(parameters_say_what_is_on),
	CASE(all_else_is_set_before_logging),
	CASE(nothing_is_logged_if_it_cannot_be_filtered),
	{ }
};
