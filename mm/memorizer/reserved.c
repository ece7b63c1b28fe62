// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer: which text belongs to access sites and to their stubs.
 *
 * Kprobes and their optimizer ask before they patch text. A table of sites is in the order
 * in which the assembler met them: file by file, and within a file the sections alternate.
 * So each table has an order beside it: runs of sites that are neighbors both in the table
 * and in text, sorted by address. There are some sixty sites in a run.
 *
 * Each section has its stubs behind its functions, in any order, and no site behind its
 * first stub. So text that is a stub's is behind the last run of its section.
 */
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/overflow.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/xarray.h>

#include <asm/memorizer-sites.h>

#include "site_table.h"

/* Sites of one section, in order */
struct site_run {
	u32 first;	/* index in the table */
	u32 count;
	u32 lowest;	/* whose stub begins first, up to here in the section: index in the table */
};

struct memorizer_order {
	u32 nr;
	struct site_run runs[] __counted_by(nr);
};

/* NULL until early_initcall() */
static const struct memorizer_order *kernel_order __ro_after_init;

static unsigned long stub_of(const struct memorizer_site *site)
{
	return memorizer_site_addr(site) + MEMORIZER_SITE_SIZE + memorizer_site_distance(site);
}

/* A section's stubs lie between its sites and those of the next one. */
static bool begins_run(const struct memorizer_site *site)
{
	unsigned long addr = memorizer_site_addr(site);

	return addr < memorizer_site_addr(site - 1) || addr > stub_of(site - 1);
}

static void find_runs(struct memorizer_order *order, const struct memorizer_site *sites, u32 count)
{
	struct site_run *run = order->runs;
	u32 i;

	*run = (struct site_run){ .count = 1 };
	for (i = 1; i < count; i++) {
		if (begins_run(&sites[i]))
			*++run = (struct site_run){ .first = i, .lowest = i };
		run->count++;
		if (stub_of(&sites[i]) < stub_of(&sites[run->lowest]))
			run->lowest = i;
	}
}

static int compare_runs(const void *a, const void *b, const void *table)
{
	const struct site_run *one = a, *other = b;
	const struct memorizer_site *sites = table;

	return memorizer_site_addr(&sites[one->first]) <
		memorizer_site_addr(&sites[other->first]) ? -1 : 1;
}

/* A run whose section began before it takes over the lowest stub. */
static void carry_lowest(struct memorizer_order *order, const struct memorizer_site *sites)
{
	struct site_run *run;
	unsigned long lowest;

	for (run = order->runs + 1; run < order->runs + order->nr; run++) {
		lowest = stub_of(&sites[run[-1].lowest]);
		if (lowest > memorizer_site_addr(&sites[run->first]) &&
		    lowest < stub_of(&sites[run->lowest]))
			run->lowest = run[-1].lowest;
	}
}

/* Return NULL without memory. */
static struct memorizer_order *make_order(const struct site_table *table)
{
	u32 i, count = table->stop - table->start, nr = 1;
	struct memorizer_order *order;

	for (i = 1; i < count; i++)
		nr += begins_run(&table->start[i]);
	order = kvmalloc(struct_size(order, runs, nr), GFP_KERNEL);
	if (!order)
		return NULL;
	order->nr = nr;
	find_runs(order, table->start, count);
	sort_r(order->runs, nr, sizeof(*order->runs), compare_runs, NULL, table->start);
	carry_lowest(order, table->start);
	return order;
}

/* Look up the run of the last site that begins at @addr or before it; NULL: none does. */
static const struct site_run *find_run(const struct memorizer_site *sites,
				       const struct memorizer_order *order, unsigned long addr)
{
	u32 low = 0, high = order->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (memorizer_site_addr(&sites[order->runs[mid].first]) <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low ? &order->runs[low - 1] : NULL;
}

/* Look up that site; the first of the run begins there or before. */
static const struct memorizer_site *find_site(const struct memorizer_site *sites,
					      const struct site_run *run, unsigned long addr)
{
	u32 low = run->first + 1, high = run->first + run->count, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (memorizer_site_addr(&sites[mid]) <= addr)
			low = mid + 1;
		else
			high = mid;
	}
	return &sites[low - 1];
}

/* The instruction behind prefixes is reserved, too: it begins with them when the site is off. */
static unsigned long reserved_bytes(const struct memorizer_site *site)
{
	return MEMORIZER_SITE_SIZE + (memorizer_site_form(site) != MEMORIZER_FORM_TEST);
}

/* Stubs have no symbol: they are taken for the end of the section's last function. */
static bool is_in_stub(unsigned long addr, unsigned long stub)
{
	unsigned long size, offset;

	return stub <= addr && kallsyms_lookup_size_offset(addr, &size, &offset) &&
		addr - offset <= stub;
}

static bool order_reserves(const struct memorizer_site *sites,
			   const struct memorizer_order *order,
			   unsigned long first, unsigned long last)
{
	const struct site_run *run = find_run(sites, order, last);
	const struct memorizer_site *site;

	if (!run)
		return false;
	site = find_site(sites, run, last);
	return first < memorizer_site_addr(site) + reserved_bytes(site) ||
		is_in_stub(last, stub_of(&sites[run->lowest]));
}

#ifdef CONFIG_MODULES
/* The order of each module that has sites, by the address of its struct module */
static DEFINE_XARRAY(module_orders);

/* A module that goes has no order any more: all its text is reserved. */
static bool module_reserves(const struct module *mod, unsigned long first, unsigned long last)
{
	const struct memorizer_order *order;

	if (!mod->num_memorizer_sites)
		return false;
	order = xa_load(&module_orders, (unsigned long)mod);
	return !order || order_reserves(mod->memorizer_sites, order, first, last);
}

static int add_module_order(struct module *mod)
{
	const struct site_table table = module_table(mod);
	struct memorizer_order *order = make_order(&table);
	int err;

	if (!order)
		return -ENOMEM;
	err = xa_err(xa_store(&module_orders, (unsigned long)mod, order, GFP_KERNEL));
	if (err)
		kvfree(order);
	return err;
}

static int notify_module(struct notifier_block *nb, unsigned long event, void *data)
{
	struct memorizer_order *order;
	struct module *mod = data;
	int err = 0;

	switch (event) {
	case MODULE_STATE_COMING:
		if (mod->num_memorizer_sites)
			err = add_module_order(mod);
		break;
	case MODULE_STATE_GOING:
		order = xa_erase(&module_orders, (unsigned long)mod);
		/* memorizer_text_reserved() may use it on another CPU. */
		if (order)
			kvfree_rcu_mightsleep(order);
		break;
	}
	return notifier_from_errno(err);
}

static struct notifier_block module_nb = {
	.notifier_call = notify_module,
	.priority = INT_MAX,	/* before those who put probes into a new module */
};

static int __init register_orders(void)
{
	return register_module_notifier(&module_nb);
}
#else
static bool module_reserves(const struct module *mod, unsigned long first, unsigned long last)
{
	return false;
}

static int __init register_orders(void)
{
	return 0;
}
#endif /* CONFIG_MODULES */

static int __init sort_kernel_sites(void)
{
	const struct site_table table = kernel_table();

	kernel_order = make_order(&table);
	if (!kernel_order)
		pr_err("Memorizer: no memory to sort the access sites: kprobes are refused\n");
	return register_orders();
}
early_initcall(sort_kernel_sites);

bool memorizer_text_reserved(const void *start, const void *end)
{
	unsigned long first = (unsigned long)start, last = (unsigned long)end;
	const struct module *mod;

	/* A module that is found now is not freed before this ends. */
	guard(preempt)();
	mod = __module_text_address(first);
	if (mod)
		return module_reserves(mod, first, last);
	return !kernel_order || order_reserves(__start_memorizer_sites, kernel_order, first, last);
}
