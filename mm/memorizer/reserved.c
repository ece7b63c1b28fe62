// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's reserved text: look up sites and stubs by address, for kprobes.
 *
 * A table of sites is in the order in which the assembler met them: file by file, with
 * alternating sections within a file. Each table has an index: runs of sites that are adjacent
 * both in the table and in text, sorted by address. A run has about sixty sites.
 *
 * A section has its stubs, in any order, after its functions, and no site after its first stub.
 * So the text of a stub follows the last run of its section.
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
	u32 lowest;	/* index of the site with the lowest stub so far in the section */
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

/* Sites on both sides of a stub belong to different sections. */
static bool begins_run(const struct memorizer_site *site)
{
	unsigned long addr = memorizer_site_addr(site);

	return addr < memorizer_site_addr(site - 1) || addr > stub_of(site - 1);
}

static void find_runs(struct memorizer_order *order, const struct memorizer_site *sites, u32 count)
{
	struct site_run *run = order->runs;
	u32 i;

	/* There is a first site: tables without sites have no index. */
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

	/* Runs do not overlap: no two begin at one address. */
	return memorizer_site_addr(&sites[one->first]) <
		memorizer_site_addr(&sites[other->first]) ? -1 : 1;
}

/* Pass the lowest stub on from run to run within a section. */
static void carry_lowest(struct memorizer_order *order, const struct memorizer_site *sites)
{
	struct site_run *run;
	unsigned long lowest;

	for (run = order->runs + 1; run < order->runs + order->nr; run++) {
		lowest = stub_of(&sites[run[-1].lowest]);
		/* A stub behind the sites of this run: both runs belong to one section. */
		if (lowest > memorizer_site_addr(&sites[run->first]) &&
		    lowest < stub_of(&sites[run->lowest]))
			run->lowest = run[-1].lowest;
	}
}

/* Build the index of a table. Returns NULL without memory. */
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

/* Look up the run with the last site at or before @addr. Returns NULL if there is none. */
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

/* Look up the last site of a run at or before @addr; the run's first site qualifies. */
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

/* Disabled prefixes are part of the instruction that follows: reserve its opcode, too. */
static unsigned long reserved_bytes(const struct memorizer_site *site)
{
	return MEMORIZER_SITE_SIZE + (memorizer_site_form(site) != MEMORIZER_FORM_TEST);
}

/* Stubs have no symbols: kallsyms attributes them to the last function of their section. */
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

	/* The text precedes all sites, and stubs follow sites. */
	if (!run)
		return false;
	/* The text overlaps this site, or one of the stubs after the section's last site. */
	site = find_site(sites, run, last);
	return first < memorizer_site_addr(site) + reserved_bytes(site) ||
		is_in_stub(last, stub_of(&sites[run->lowest]));
}

#ifdef CONFIG_MODULES
/* The order of each module that has sites, by the address of its struct module */
static DEFINE_XARRAY(module_orders);

/* While a module is being removed, it has no index, and all of its text is reserved. */
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
		/* memorizer_text_reserved() may still use it on another CPU. */
		if (order)
			kvfree_rcu_mightsleep(order);
		break;
	}
	return notifier_from_errno(err);
}

static struct notifier_block module_nb = {
	.notifier_call = notify_module,
	.priority = INT_MAX,	/* before notifiers that place probes in a new module */
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
		pr_err("memorizer: no memory to sort the access sites, kprobes are refused\n");
	return register_orders();
}
early_initcall(sort_kernel_sites);

bool memorizer_text_reserved(const void *start, const void *end)
{
	unsigned long first = (unsigned long)start, last = (unsigned long)end;
	const struct module *mod;

	/* Keeps the module and its index from being freed. */
	guard(preempt)();
	mod = __module_text_address(first);
	if (mod)
		return module_reserves(mod, first, last);
	/* Without an index it is not known where sites are: reserve everything. */
	return !kernel_order || order_reserves(__start_memorizer_sites, kernel_order, first, last);
}
