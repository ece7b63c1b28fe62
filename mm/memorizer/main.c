// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's initialization: boot parameters, pool, and features enabled at boot.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/crash_dump.h>
#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/memblock.h>
#include <linux/memorizer.h>
#include <linux/memorizer-memblock.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/overflow.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "caches.h"
#include "entry_table.h"
#include "filter.h"
#include "hooks.h"
#include "index.h"
#include "lazy.h"
#include "memorizer.h"
#include "observer.h"
#include "pool.h"
#include "sites.h"
#include "traffic.h"
#include "variables.h"

#define POOL_MIN	SZ_1M
/* Ids have 31 bits: SLAB_BIT takes one, and an entry stores a signed distance to its object. */
#define POOL_MAX	(SZ_16G - SZ_1M)
static_assert(POOL_MAX >> MEMORIZER_ID_SHIFT < BIT(31));

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "memorizer."

static bool boot_enabled __initdata = IS_ENABLED(CONFIG_MEMORIZER_DEFAULT_ENABLED);
module_param_named(enabled, boot_enabled, bool, 0);

static bool boot_log_access __initdata;
module_param_named(log_access, boot_log_access, bool, 0);

/* Negative: use prefixes unless the processor stalls at them. */
static int boot_prefixes __initdata = -1;
module_param_named(prefixes, boot_prefixes, bint, 0);

/* 0: the default share. */
#define DEFAULT_POOL	((unsigned long long)CONFIG_MEMORIZER_POOL_MB << 20)
static unsigned long long boot_pool __initdata = DEFAULT_POOL;
module_param_cb(pool, &memorizer_size_ops, &boot_pool, 0);

/* A size in bytes, with a suffix such as M. memparse() would wrap a size of more than 64 bits. */
static int __init set_size(const char *text, const struct kernel_param *param)
{
	static const char suffixes[] __initconst = "KMGTP";
	size_t length = strlen(text);
	const char *suffix = length ? strchr(suffixes, toupper(text[length - 1])) : NULL;
	unsigned long long size;
	char number[24];
	int err;

	if (length >= sizeof(number))
		return -ERANGE;
	strscpy(number, text, sizeof(number));
	if (suffix)
		number[length - 1] = '\0';
	err = kstrtoull(number, 0, &size);
	if (err)
		return err;
	if (suffix && check_shl_overflow(size, 10 * (suffix - suffixes + 1), &size))
		return -ERANGE;
	*(unsigned long long *)param->arg = size;
	return 0;
}

/* Parameters are parsed before the pool and the buffers are set up. */
const struct kernel_param_ops memorizer_size_ops __initconst = {
	.set = set_size,
};

/* Header of each table until all tables are reserved. */
struct reserved {
	struct reserved *next;
	size_t size;
};

static struct reserved *tables __initdata;

/* kmemleak must not take recorded addresses for references. */
static void * __init reserve(size_t size)
{
	struct reserved *table = memblock_alloc_try_nid(max(size, sizeof(*table)), PAGE_SIZE, 0,
							MEMBLOCK_ALLOC_NOLEAKTRACE, NUMA_NO_NODE);

	if (table) {
		/* Not one of the kernel's areas */
		memorizer_memblock_free(__pa(table), max(size, sizeof(*table)));
		/* The tables are still empty: the list is kept in their first bytes. */
		table->next = tables;
		table->size = max(size, sizeof(*table));
		tables = table;
	}
	return table;
}

/* Clear the headers of all tables, which are used from now on; or free the tables if @unwanted. */
static void __init settle_tables(bool unwanted)
{
	struct reserved *table;

	while ((table = tables)) {
		tables = table->next;
		if (unwanted)
			memblock_free(table, table->size);
		else
			memset(table, 0, sizeof(*table));
	}
}

/*
 * Addresses above the direct map that objects may have. vmalloc() takes the lowest that are free,
 * except for per-CPU memory, which it places at the top. Both are bounded by RAM, devices excepted.
 */
static void __init find_ranges(struct memorizer_range *ranges)
{
	unsigned long ram = (unsigned long)max_pfn << PAGE_SHIFT;
	unsigned long low = min(2 * ram + SZ_4G, VMALLOC_END + 1 - VMALLOC_START);
	unsigned long top = min(ram + SZ_1G, VMALLOC_END + 1 - VMALLOC_START - low);

	ranges[0] = (struct memorizer_range){ .base = VMALLOC_START, .bytes = low };
	ranges[1] = (struct memorizer_range){ .base = VMALLOC_END + 1 - top, .bytes = top };
	ranges[2] = (struct memorizer_range){ .base = MODULES_VADDR, .bytes = MODULES_LEN };
	ranges[3] = (struct memorizer_range){ };
	ranges[4] = (struct memorizer_range){ };
#ifdef CONFIG_SPARSEMEM_VMEMMAP
	ranges[3].base = VMEMMAP_START;
	ranges[3].bytes = max_pfn * sizeof(struct page);
#endif
	memorizer_variables_range(&ranges[4].base, &ranges[4].bytes);
	memorizer_lazy_init(MEMORIZER_KIND_STRUCT_PAGE, ranges[3].base, ranges[3].bytes);
}

/* Reserve at most *@size bytes for the pool, and its tables. Sets @size to the actual size. */
static void * __init reserve_pool(unsigned long long *size)
{
	struct memorizer_range ranges[MEMORIZER_RANGES];
	void *base = NULL;

	/* Memory may be fragmented: a smaller pool is better than none. */
	for (; *size >= POOL_MIN; *size /= 2) {
		*size = round_down(*size, MEMORIZER_BLOCK_SIZE);
		base = memblock_alloc_try_nid_raw(*size, PAGE_SIZE, 0, MEMBLOCK_ALLOC_NOLEAKTRACE,
						  NUMA_NO_NODE);
		if (base)
			break;
	}
	if (!base)
		return NULL;
	memorizer_memblock_free(__pa(base), *size);
	memorizer_caches_init();
	find_ranges(ranges);
	if (memorizer_entry_table_init(reserve, *size) ||
	    memorizer_index_init(reserve, PAGE_OFFSET, (unsigned long)max_pfn << PAGE_SHIFT,
				 IS_ENABLED(CONFIG_MEMORIZER_PAGES) ? ranges : NULL) ||
	    memorizer_reserve_variables(reserve)) {
		/* A pool without its tables is useless: give all of it back. */
		settle_tables(true);
		memblock_free(base, *size);
		return NULL;
	}
	settle_tables(false);
	memorizer_build_variables();
	return base;
}

void __init memorizer_init_pool(void)
{
	unsigned long long ram = memblock_phys_mem_size();
	unsigned long long wanted = boot_pool ?: ram / CONFIG_MEMORIZER_POOL_SHARE;
	unsigned long long size;
	void *base;

	/* A kdump kernel has little memory, which it needs for the dump. */
	if (is_kdump_kernel() && boot_pool == DEFAULT_POOL) {
		pr_info("no pool in a kdump kernel without memorizer.pool=\n");
		return;
	}
	/*
	 * Leave half of RAM to the kernel. reserve_pool() halves the size if it is not
	 * contiguous.
	 */
	size = clamp(wanted, POOL_MIN, min(POOL_MAX, ram / 2));
	base = reserve_pool(&size);
	if (!base) {
		pr_err("no memory for the pool, disabled\n");
		return;
	}
	if (size != round_down(wanted, MEMORIZER_BLOCK_SIZE))
		pr_warn("pool of %llu KiB is not available, using %llu KiB\n",
			wanted >> 10, size >> 10);
	/* Not cleared by memblock_alloc_try_nid_raw(); pool.c relies on zeros. */
	memset(base, 0, size);
	memorizer_pool_init(base, size);
	pr_info("pool of %llu KiB\n", size >> 10);
	memorizer_kinds_init();
	if (boot_enabled)
		memorizer_set_enabled(true);
}

void __init memorizer_init(void)
{
	int err;

	/* First: while all sites are disabled, and no other CPU runs. */
	err = memorizer_choose_form(boot_prefixes);
	if (err)
		pr_err("cannot turn disabled sites into tests: error %d\n", err);
	if (memorizer_pool_size())
		memorizer_build_areas();
	/* Before access logging, so that a stream from boot on misses no access. */
	memorizer_observer_init();
	memorizer_traffic_init();
	err = memorizer_filter_init();
	/* Without the requested filter, do not log all accesses instead. */
	if (!boot_log_access || err)
		return;
	err = memorizer_set_log_access(true);
	if (err)
		pr_err("cannot log accesses: error %d\n", err);
}
