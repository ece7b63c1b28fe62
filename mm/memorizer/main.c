// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's start: command line, pool, and what is on from boot.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/memblock.h>
#include <linux/memorizer.h>
#include <linux/mm.h>

#include "memorizer.h"
#include "observer.h"

#define POOL_MIN	SZ_1M
/* Ids are 32 bits of which one is taken, in units of 16 bytes. */
#define POOL_MAX	(SZ_32G - SZ_1M)

/* memorizer.enabled=, memorizer.log_access=, memorizer.pool= (0: the default share) */
static bool boot_enabled __initdata = IS_ENABLED(CONFIG_MEMORIZER_DEFAULT_ENABLED);
static bool boot_log_access __initdata;
static unsigned long long boot_pool __initdata =
	(unsigned long long)CONFIG_MEMORIZER_POOL_MB << 20;

/* These are asked long before module parameters are parsed. */
static int __init parse_bool(char *arg, const char *name, bool *value)
{
	if (arg && !kstrtobool(arg, value))
		return 0;
	pr_err("%s=%s: not a boolean (0 or 1), ignored\n", name, arg ?: "");
	return 0;
}

static int __init parse_enabled(char *arg)
{
	return parse_bool(arg, "memorizer.enabled", &boot_enabled);
}
early_param("memorizer.enabled", parse_enabled);

static int __init parse_log_access(char *arg)
{
	return parse_bool(arg, "memorizer.log_access", &boot_log_access);
}
early_param("memorizer.log_access", parse_log_access);

static int __init parse_pool(char *arg)
{
	unsigned long long size;
	char *end = arg;

	if (arg)
		size = memparse(arg, &end);
	if (!arg || end == arg || *end)
		pr_err("memorizer.pool=%s: not a size such as 64M, ignored\n", arg ?: "");
	else
		boot_pool = size;
	return 0;
}
early_param("memorizer.pool", parse_pool);

static void * __init reserve(size_t size)
{
	return memblock_alloc(size, PAGE_SIZE);
}

void __init memorizer_init_pool(void)
{
	unsigned long long ram = memblock_phys_mem_size();
	unsigned long long wanted = boot_pool ?: ram / CONFIG_MEMORIZER_POOL_SHARE;
	unsigned long long size;
	void *base = NULL;

	/* Leave the kernel half of RAM; more may not be there in one piece. */
	size = clamp(wanted, POOL_MIN, min(POOL_MAX, ram / 2));
	for (; size >= POOL_MIN; size /= 2) {
		size = round_down(size, MEMORIZER_BLOCK_SIZE);
		base = memblock_alloc_try_nid_raw(size, PAGE_SIZE, 0, MEMBLOCK_ALLOC_ACCESSIBLE,
						  NUMA_NO_NODE);
		if (base)
			break;
	}
	if (!base || memorizer_access_init(reserve, size) ||
	    memorizer_index_init(reserve, PAGE_OFFSET, (unsigned long)max_pfn << PAGE_SHIFT)) {
		pr_err("no memory for the pool, switched off\n");
		return;
	}
	if (size != round_down(wanted, MEMORIZER_BLOCK_SIZE))
		pr_warn("pool of %llu KiB cannot be had, taking %llu KiB\n",
			wanted >> 10, size >> 10);
	memset(base, 0, size);
	memorizer_pool_init(base, size);
	pr_info("pool of %llu KiB\n", size >> 10);
	if (boot_enabled)
		memorizer_set_enabled(true);
}

void __init memorizer_init(void)
{
	int err;

	memorizer_observer_init();
	if (!boot_log_access)
		return;
	err = memorizer_set_log_access(true);
	if (err)
		pr_err("cannot log accesses: error %d\n", err);
}
