// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: start the core, and choose objects as a filter does.
 */
#include "test.h"

/* Number of allocations until vmalloc() fails. */
unsigned int vmalloc_left = 1;

/* Count accesses to objects allocated by odd ips by granule; otherwise, choose CHOSEN_IP. */
bool odd_by_granule;

/* Where areas may lie. */
static struct memorizer_range far_ranges[MEMORIZER_RANGES] = {
	{ .base = VMALLOC_START, .bytes = FAR_BYTES },
	{ .base = VMALLOC_END + 1 - FAR_BYTES, .bytes = FAR_BYTES },
	{ .base = MODULES_VADDR, .bytes = MODULES_LEN },
	{ .base = STRUCT_PAGES, .bytes = STRUCT_PAGE_BYTES },
	{ .bytes = VARIABLE_BYTES },
};

unsigned int memorizer_choose_object(const void *ptr, enum memorizer_object_kind kind,
				     unsigned long ip)
{
	if (odd_by_granule)
		return BIT(MEMORIZER_RECORDED) | (ip & 1) << MEMORIZER_FIELDS;
	return ip == CHOSEN_IP ? BIT(MEMORIZER_RECORDED) : 0;
}

/**
 * boot() - start the core, as memorizer_init_pool() does in the kernel
 * @pool_size: bytes of the pool
 *
 * The hash tables are small, for long chains.
 */
void boot(unsigned long pool_size)
{
	boot_hashed(pool_size, POOL_BLOCKS(8));
}

/**
 * boot_hashed() - start the core with hash tables of another size
 * @pool_size: bytes of the pool
 * @hashed: bytes of the pool for which to size the tables
 */
void boot_hashed(unsigned long pool_size, unsigned long hashed)
{
	memorizer_caches_init();
	CHECK_EQ(memorizer_entry_table_init(reserve, hashed), 0);
	far_ranges[4].base = VARIABLES;
	CHECK_EQ(memorizer_index_init(reserve, MAP_BASE, MAP_BYTES, far_ranges), 0);
	memorizer_lazy_init(MEMORIZER_KIND_STRUCT_PAGE, STRUCT_PAGES, STRUCT_PAGE_BYTES);
	memorizer_lazy_init(MEMORIZER_KIND_STATIC, VARIABLES, STATIC_BYTES);
	memorizer_lazy_init(MEMORIZER_KIND_PERCPU, PERCPU(0), PERCPU_BYTES);
	memorizer_pool_init(reserve(pool_size), pool_size);
	CHECK_EQ(memorizer_set_enabled(true), 0);
}
