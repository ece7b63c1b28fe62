// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's filter of calls: select the functions whose calls are counted.
 *
 * ftrace gets the addresses of all functions that memorizer_filter selects. A function belongs to
 * the module that contains it, and to the source file of its access sites. The file of a function
 * without sites is unknown.
 */
#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/bsearch.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>

#include <asm/memorizer-sites.h>
#include <asm/sections.h>

#include "calls.h"
#include "filter.h"
#include "memorizer.h"
#include "site_table.h"

/**
 * struct selection - the functions that a filter selects
 * @ips: where they call ftrace; NULL if all functions are selected
 * @nr: number of @ips
 * @room: number of @ips that there is memory for
 */
struct selection {
	unsigned long *ips;
	unsigned int nr;
	unsigned int room;
};

/**
 * struct functions - the functions in a range of text that ftrace can trace
 * @table: the sites of the kernel or the module that has them
 * @start: begin of the text
 * @end: end of the text
 * @ips: where the functions call ftrace, in ascending order
 * @files: their source files, NULL if unknown
 * @nr: number of functions
 */
struct functions {
	const struct site_table *table;
	unsigned long start;
	unsigned long end;
	unsigned long *ips;
	const struct memorizer_file **files;
	unsigned int nr;
};

/* A module that is loaded. */
struct call_module {
	struct list_head list;
	struct module *mod;
};

/* Guards all below. Taken under the mutex that serializes switching, see calls.c. */
static DEFINE_MUTEX(filter_mutex);

static LIST_HEAD(call_modules);

/* Selects functions, NULL for all. Owned by the caller that sets it. */
static const struct memorizer_filter *filter;

/* The hook while calls are counted, else NULL; and the functions that it is called for. */
static struct ftrace_ops *hook;
static struct selection selected;

/* Fault injection for KUnit. */
VISIBLE_IF_KUNIT bool memorizer_calls_fail_alloc(void)
{
	KUNIT_STATIC_STUB_REDIRECT(memorizer_calls_fail_alloc);
	return false;
}

static int add_ip(struct selection *to, unsigned long ip)
{
	unsigned int room = to->room ? 2 * to->room : 1024;
	unsigned long *ips = NULL;

	if (to->nr == to->room) {
		if (!memorizer_calls_fail_alloc())
			ips = kvrealloc(to->ips, room * sizeof(*ips), GFP_KERNEL);
		if (!ips)
			return -ENOMEM;
		to->ips = ips;
		to->room = room;
	}
	to->ips[to->nr++] = ip;
	return 0;
}

/* Add the functions between two addresses that ftrace can trace, in ascending order. */
static int add_functions(struct selection *to, unsigned long start, unsigned long end)
{
	unsigned long addr, size, offset, ip;
	int err = 0;

	for (addr = start; addr < end && !err; addr += size - offset) {
		/* A module's text may begin with padding, which has no symbol. */
		if (!kallsyms_lookup_size_offset(addr, &size, &offset)) {
			size = 1;
			offset = 0;
			continue;
		}
		ip = offset ? 0 : ftrace_location(addr);
		if (ip)
			err = add_ip(to, ip);
		memorizer_may_schedule();
	}
	return err;
}

static int compare_ips(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

/* Look up the file of each function that has a site. */
static void find_files(struct functions *all)
{
	const struct memorizer_file *last = all->table->files;
	unsigned long addr, ip, first = 0, size = 0, offset;
	const struct memorizer_site *site;
	unsigned long *at;

	for (site = all->table->start; site < all->table->stop; site++) {
		addr = memorizer_site_addr(site);
		if (addr - first < size || addr < all->start || addr >= all->end)
			continue;
		size = 0;
		if (!kallsyms_lookup_size_offset(addr, &size, &offset))
			continue;
		first = addr - offset;
		ip = ftrace_location(first);
		at = bsearch(&ip, all->ips, all->nr, sizeof(*at), compare_ips);
		if (at && !all->files[at - all->ips]) {
			all->files[at - all->ips] = memorizer_find_file(all->table, site, last);
			/* The next site is in this file, or in one soon after it. */
			last = all->files[at - all->ips] ?: last;
		}
		memorizer_may_schedule();
	}
}

/* Keep the functions that a filter selects. Returns their number. */
static unsigned int choose(const struct functions *all, const struct memorizer_filter *by)
{
	char buffer[KSYM_NAME_LEN], part[KSYM_NAME_LEN];
	const struct memorizer_file *file;
	unsigned long size, offset;
	unsigned int i, kept = 0;
	const char *name;

	for (i = 0; i < all->nr; i++) {
		name = kallsyms_lookup(all->ips[i], &size, &offset, NULL, buffer);
		file = all->files[i];
		if (memorizer_filter_matches_site(by, all->table->name,
						  file ? memorizer_file_name(file) : "",
						  name ?: "", part))
			all->ips[kept++] = all->ips[i];
		memorizer_may_schedule();
	}
	return kept;
}

/* Select functions between two addresses. */
static int select_range(struct selection *to, const struct memorizer_filter *by,
			const struct site_table *table, const void *start, const void *end)
{
	struct functions all = {
		.table = table,
		.start = (unsigned long)start,
		.end = (unsigned long)end,
	};
	unsigned int before = to->nr;
	int err;

	err = add_functions(to, all.start, all.end);
	if (err || to->nr == before)
		return err;
	all.ips = &to->ips[before];
	all.nr = to->nr - before;
	if (!memorizer_calls_fail_alloc())
		all.files = kvcalloc(all.nr, sizeof(*all.files), GFP_KERNEL);
	if (!all.files)
		return -ENOMEM;
	find_files(&all);
	to->nr = before + choose(&all, by);
	kvfree(all.files);
	return 0;
}

static int select_kernel(struct selection *to, const struct memorizer_filter *by)
{
	struct site_table table = kernel_table();
	int err = select_range(to, by, &table, _stext, _etext);

	if (!err && system_state < SYSTEM_FREEING_INITMEM)
		err = select_range(to, by, &table, _sinittext, _einittext);
	return err;
}

static int select_module(struct selection *to, const struct memorizer_filter *by,
			 struct module *mod)
{
	const struct module_memory *text = &mod->mem[MOD_TEXT], *init = &mod->mem[MOD_INIT_TEXT];
	struct site_table table = module_table(mod);
	int err = select_range(to, by, &table, text->base, text->base + text->size);

	/* Once the module is live, ftrace forgets the functions in its init text. */
	if (!err && module_is_coming(mod))
		err = select_range(to, by, &table, init->base, init->base + init->size);
	return err;
}

/* Select functions of the kernel and of all modules. */
static int select_all(struct selection *to, const struct memorizer_filter *by)
{
	struct call_module *entry;
	int err;

	if (!by)
		return 0;
	/* ftrace takes no functions for all functions. This one is never called. */
	err = add_ip(to, ftrace_location((unsigned long)memorizer_is_never_called)) ?:
		select_kernel(to, by);
	list_for_each_entry(entry, &call_modules, list)
		if (!err)
			err = select_module(to, by, entry->mod);
	return err;
}

/* Drop functions that ftrace has forgotten with their text, and those in a module's memory. */
static bool drop_functions(struct selection *from, const struct module *mod)
{
	unsigned int i, kept = 0, before = from->nr;

	for (i = 0; i < before; i++)
		if (ftrace_location(from->ips[i]) && !(mod && within_module(from->ips[i], mod)))
			from->ips[kept++] = from->ips[i];
	from->nr = kept;
	return kept < before;
}

/* Have ftrace call the hook for these functions. On an error, nothing changes. */
static int apply(struct ftrace_ops *ops, struct selection *to)
{
	int err;

	if (memorizer_calls_fail_alloc())
		return -ENOMEM;
	do {
		err = ftrace_set_filter_ips(ops, to->ips, to->nr, 0, 1);
		/* Init text may have been freed since it was searched. */
	} while (err == -EINVAL && drop_functions(to, NULL));
	return err;
}

/* Replace the selection, which frees the old one, or on an error the new one. */
static int replace(struct ftrace_ops *ops, struct selection *new, int err)
{
	/* Both select all functions: nothing changes. */
	if (!err && (new->ips || selected.ips))
		err = apply(ops, new);
	if (!err)
		swap(selected, *new);
	kvfree(new->ips);
	return err;
}

/**
 * memorizer_filter_calls() - set the filter of calls
 * @new: selects the functions whose calls are counted, NULL for all
 *
 * If calls are being counted, functions are switched one after another: on return, all are.
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, after which the previous filter may be freed and @new is in use; or -ENOMEM, or the
 *	error of ftrace, which change nothing
 */
int memorizer_filter_calls(const struct memorizer_filter *new)
{
	struct selection all = { };
	int err = 0;

	mutex_lock(&filter_mutex);
	if (hook)
		err = replace(hook, &all, select_all(&all, new));
	if (!err)
		filter = new;
	mutex_unlock(&filter_mutex);
	return err;
}

/**
 * memorizer_calls_begin() - select functions for the hook, before it is registered
 * @ops: the hook
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, -ENOMEM or the error of ftrace
 */
int memorizer_calls_begin(struct ftrace_ops *ops)
{
	struct selection all = { };
	int err;

	mutex_lock(&filter_mutex);
	err = replace(ops, &all, select_all(&all, filter));
	if (!err)
		hook = ops;
	mutex_unlock(&filter_mutex);
	return err;
}

/**
 * memorizer_calls_end() - forget the selected functions, after the hook was unregistered
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_calls_end(void)
{
	mutex_lock(&filter_mutex);
	/* Only frees memory. If that fails, the next selection replaces this one. */
	if (selected.ips && !ftrace_set_filter_ips(hook, NULL, 0, 0, 1)) {
		kvfree(selected.ips);
		selected = (struct selection){ };
	}
	hook = NULL;
	mutex_unlock(&filter_mutex);
}

#ifdef CONFIG_MODULES
/* Select functions of a module that is being loaded. */
static int extend_selection(struct module *mod)
{
	struct selection all = { .nr = selected.nr, .room = selected.nr };

	/* Without a selection, all functions are traced. */
	if (!hook || !selected.ips)
		return 0;
	if (!memorizer_calls_fail_alloc())
		all.ips = kvmemdup(selected.ips, selected.nr * sizeof(*all.ips), GFP_KERNEL);
	if (!all.ips)
		return -ENOMEM;
	/* Another module was there before. */
	drop_functions(&all, mod);
	return replace(hook, &all, select_module(&all, filter, mod));
}

static int add_module(struct module *mod)
{
	struct call_module *entry = kmalloc(sizeof(*entry), GFP_KERNEL);
	int err;

	if (!entry)
		return -ENOMEM;
	entry->mod = mod;
	/* An error makes the module loader reject the module. */
	err = extend_selection(mod);
	if (err)
		kfree(entry);
	else
		list_add(&entry->list, &call_modules);
	return err;
}

static void remove_module(struct module *mod)
{
	struct call_module *entry, *next;

	list_for_each_entry_safe(entry, next, &call_modules, list) {
		if (entry->mod == mod) {
			list_del(&entry->list);
			kfree(entry);
		}
	}
}

static int notify_module(struct notifier_block *nb, unsigned long event, void *data)
{
	int err = 0;

	mutex_lock(&filter_mutex);
	if (event == MODULE_STATE_COMING)
		err = add_module(data);
	else if (event == MODULE_STATE_GOING)
		remove_module(data);
	mutex_unlock(&filter_mutex);
	return notifier_from_errno(err);
}

static struct notifier_block module_nb = {
	.notifier_call = notify_module,
};

static int __init register_calls(void)
{
	return register_module_notifier(&module_nb);
}
early_initcall(register_calls);
#endif /* CONFIG_MODULES */
