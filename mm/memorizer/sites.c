// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's sites: switch access logging.
 *
 * The compiler emits a table of sites for the kernel and for each module. Switching stores five
 * bytes at each site. Text stays read-only: the stores use a temporary alias, which is writable
 * and not executable. All aliases are mapped before the first store, so that either all sites
 * are switched or none.
 *
 * One CPU patches, while the architecture holds all others, see asm/memorizer-hold.h.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <kunit/static_stub.h>
#include <kunit/visibility.h>
#include <linux/bitmap.h>
#include <linux/cpu.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/memorizer.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <asm/memorizer-hold.h>
#include <asm/memorizer-sites.h>
#include <asm/sections.h>

#include "announce.h"
#include "calls.h"
#include "filter.h"
#include "memorizer.h"
#include "pool.h"
#include "site_table.h"
#include "sites.h"

/* A module that is loaded and has sites. */
struct site_module {
	struct list_head list;
	struct module *mod;
};

/* Serializes switching; guards all below. */
static DEFINE_MUTEX(sites_mutex);
static LIST_HEAD(site_modules);
static bool logging;

/* Selects the sites that logging enables, NULL for all. Owned by the caller that sets it. */
static const struct memorizer_filter *filter;

/* Which optional sites logging enables: MEMORIZER_FORM_USER, MEMORIZER_FORM_PERCPU. */
static unsigned int optional_sites;

/* A range of text and its writable alias. */
struct text_alias {
	unsigned long start;
	unsigned long end;
	void *map;
};

/* The sites of the kernel or of a module, and their text. */
struct patch {
	struct list_head list;
	struct site_table table;
	struct module *mod;	/* NULL for the kernel */
	unsigned long *chosen;	/* bitmap of the sites that the filter selects, NULL for all */
	struct text_alias text[2];	/* the second is init text */
};

/* A switch, which is atomic: it applies all of its patches or none. */
struct patches {
	struct list_head list;
	bool on;
	bool announce;		/* access logging itself is switched, not only the filter */
};

bool memorizer_prefixes __ro_after_init = true;

/* Fault injection for KUnit. */
VISIBLE_IF_KUNIT bool memorizer_sites_fail_alloc(void)
{
	KUNIT_STATIC_STUB_REDIRECT(memorizer_sites_fail_alloc);
	return false;
}

static int map_text(struct text_alias *alias, const void *start, const void *end)
{
	unsigned long first = (unsigned long)start & PAGE_MASK, i;
	unsigned long count = DIV_ROUND_UP((unsigned long)end - first, PAGE_SIZE);
	struct page **pages;

	/* A module may lack text of this kind. */
	if (start >= end)
		return 0;
	if (memorizer_sites_fail_alloc())
		return -ENOMEM;
	pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	/* The kernel image is not in vmalloc space, the text of modules is. */
	for (i = 0; i < count; i++) {
		void *addr = (void *)first + i * PAGE_SIZE;

		pages[i] = is_vmalloc_or_module_addr(addr) ? vmalloc_to_page(addr) :
			pfn_to_page(__pa_symbol(addr) >> PAGE_SHIFT);
	}
	if (!memorizer_sites_fail_alloc())
		alias->map = vmap(pages, count, VM_MAP, PAGE_KERNEL);
	kvfree(pages);
	if (!alias->map)
		return -ENOMEM;
	alias->start = first;
	alias->end = (unsigned long)end;
	return 0;
}

/*
 * Apply the filter to the sites of a patch. A site, and the accesses that are joined to it,
 * belong to the function that contains it by kallsyms, and to the compiled source file.
 */
static int choose_sites(struct patch *patch)
{
	unsigned long addr, offset, first = 0, size = 0, i;
	const struct site_table *table = &patch->table;
	unsigned long count = table->stop - table->start;
	const struct memorizer_file *file = NULL, *last = table->files;
	char name[KSYM_NAME_LEN], part[KSYM_NAME_LEN];
	bool selected = false;

	/* No bitmap: all sites are selected. */
	if (!filter)
		return 0;
	if (!memorizer_sites_fail_alloc())
		patch->chosen = kvcalloc(BITS_TO_LONGS(count), sizeof(long), GFP_KERNEL);
	if (!patch->chosen)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		addr = memorizer_site_addr(&table->start[i]);
		/* Look up each function and file once, not once per site. */
		if (addr - first >= size) {
			if (kallsyms_lookup(addr, &size, &offset, NULL, name)) {
				first = addr - offset;
			} else {
				size = 0;
				*name = '\0';
			}
			file = NULL;
		}
		if (!file || !memorizer_file_has(file, &table->start[i])) {
			file = memorizer_find_file(table, &table->start[i], last);
			/* The next site is in this file, or in one soon after it. */
			last = file ?: last;
			selected = memorizer_filter_matches_site(filter, table->name, file ?
								 memorizer_file_name(file) : "",
								 name, part);
			memorizer_may_schedule();
		}
		if (selected)
			__set_bit(i, patch->chosen);
	}
	return 0;
}

static struct patch *add_patch(struct patches *patches, struct module *mod)
{
	struct patch *patch = NULL;

	if (!memorizer_sites_fail_alloc())
		patch = kzalloc(sizeof(*patch), GFP_KERNEL);
	if (!patch)
		return NULL;
	patch->table = mod ? module_table(mod) : kernel_table();
	patch->mod = mod;
	/* On the list at once, so that free_patches() finds it whatever fails later. */
	list_add(&patch->list, &patches->list);
	return patch;
}

static void free_patches(struct patches *patches)
{
	struct patch *patch, *next;
	unsigned int i;

	list_for_each_entry_safe(patch, next, &patches->list, list) {
		for (i = 0; i < ARRAY_SIZE(patch->text); i++)
			if (patch->text[i].map)
				vunmap(patch->text[i].map);
		kvfree(patch->chosen);
		kfree(patch);
	}
	/* vunmap() is lazy: leave no writable alias in any TLB. */
	vm_unmap_aliases();
}

/* Is the init text of a module still mapped, or that of the kernel if @mod is NULL? */
static bool has_init_text(struct module *mod)
{
	return mod ? module_is_coming(mod) : system_state < SYSTEM_FREEING_INITMEM;
}

/* Patch a site. Ignores sites outside of the aliases: their init text has been freed. */
static void __kprobes patch_site(const struct patch *patch, const struct memorizer_site *site,
				 bool on)
{
	u64 to = memorizer_site_text(site, on), is;
	unsigned long addr = memorizer_site_addr(site);
	const struct text_alias *alias;
	unsigned int i;
	u8 *text;

	for (i = 0; i < ARRAY_SIZE(patch->text); i++) {
		alias = &patch->text[i];
		if (addr < alias->start || addr >= alias->end)
			continue;
		text = alias->map + (addr - alias->start);
		is = memorizer_load_site(text);
		/* Leave other text alone: it would be corrupted if the table were wrong. */
		if (is != to && !WARN_ONCE(!memorizer_site_may_be(site, is), "no site at %pS\n",
					   (void *)addr))
			memorizer_store_site(text, is, to);
		return;
	}
}

/* For KUnit: called by the patching CPU while the others are held. */
VISIBLE_IF_KUNIT void (*memorizer_sites_patch_hook)(void);

static void __kprobes patch_sites(void *data)
{
	const struct patches *patches = data;
	const struct memorizer_site *site;
	struct patch *patch;
	unsigned long i;
	bool on;

	if (IS_ENABLED(CONFIG_MEMORIZER_KUNIT_TEST) && memorizer_sites_patch_hook)
		memorizer_sites_patch_hook();
	list_for_each_entry(patch, &patches->list, list) {
		/* Init text may have been freed since it was mapped. Now no CPU can free it. */
		if (!has_init_text(patch->mod))
			patch->text[1].end = patch->text[1].start;
		for (i = 0; i < patch->table.stop - patch->table.start; i++) {
			site = &patch->table.start[i];
			on = patches->on && (!patch->chosen || test_bit(i, patch->chosen)) &&
				!(memorizer_site_optional(site) & ~optional_sites);
			/* NMIs on held CPUs execute sites: store nothing until they end. */
			memorizer_hold_poll();
			patch_site(patch, site, on);
		}
	}
	/* This CPU may have prefetched sites of the code that follows. */
	memorizer_serialize();
	/* No CPU executes a site now, so this lies between two accesses. */
	if (patches->announce)
		memorizer_announce_logging(patches->on);
}

/* Apply all patches. On an error, no site has been patched. */
static int apply_patches(struct patches *patches, bool on)
{
	int err;

	patches->on = on;
	cpus_read_lock();
	/* Stores write whole words back: exclude patching of the bytes next to a site. */
	mutex_lock(&text_mutex);
	err = memorizer_hold_cpus(patch_sites, patches);
	mutex_unlock(&text_mutex);
	cpus_read_unlock();
	return err;
}

static int add_kernel(struct patches *patches)
{
	struct patch *patch = add_patch(patches, NULL);
	int err;

	if (!patch)
		return -ENOMEM;
	err = choose_sites(patch) ?: map_text(&patch->text[0], _stext, _etext);
	/* patch_sites() checks again: init text may be freed before the CPUs are held. */
	if (!err && has_init_text(NULL))
		err = map_text(&patch->text[1], _sinittext, _einittext);
	return err;
}

#ifdef CONFIG_MODULES
static int map_module_text(struct text_alias *alias, struct module *mod, enum mod_mem_type type)
{
	const struct module_memory *mem = &mod->mem[type];

	return map_text(alias, mem->base, mem->base + mem->size);
}

/* Is an address in text of a module on the list that is still mapped? */
static bool is_module_text(const struct module *mod, unsigned long addr)
{
	return within_module_mem_type(addr, mod, MOD_TEXT) ||
		(mod->state == MODULE_STATE_COMING &&
		 within_module_mem_type(addr, mod, MOD_INIT_TEXT));
}

static int add_module_text(struct patches *patches, struct module *mod)
{
	struct patch *patch = add_patch(patches, mod);
	int err;

	if (!patch)
		return -ENOMEM;
	err = choose_sites(patch) ?: map_module_text(&patch->text[0], mod, MOD_TEXT);
	/* The module frees its init text once it is live; see notify_module(). */
	if (!err && has_init_text(mod))
		err = map_module_text(&patch->text[1], mod, MOD_INIT_TEXT);
	return err;
}

/* Patch a module that is being loaded. */
static int switch_module(struct module *mod, bool on)
{
	struct patches patches = { .list = LIST_HEAD_INIT(patches.list) };
	int err;

	err = add_module_text(&patches, mod) ?: apply_patches(&patches, on);
	free_patches(&patches);
	return err;
}

static int add_module(struct module *mod)
{
	struct site_module *entry;
	int err;

	if (!mod->num_memorizer_sites)
		return 0;
	entry = kmalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	entry->mod = mod;
	/* The compiler emits disabled sites, as prefixes where possible. */
	err = logging || !memorizer_prefixes ? switch_module(mod, logging) : 0;
	/* An error makes the module loader reject the module. */
	if (err)
		kfree(entry);
	else
		list_add(&entry->list, &site_modules);
	return err;
}

static void remove_module(struct module *mod)
{
	struct site_module *entry, *next;

	list_for_each_entry_safe(entry, next, &site_modules, list) {
		if (entry->mod == mod) {
			list_del(&entry->list);
			kfree(entry);
		}
	}
}

static int notify_module(struct notifier_block *nb, unsigned long event, void *data)
{
	int err = 0;

	/* The module may be loaded where another one was: cached verdicts are stale. */
	if (event == MODULE_STATE_COMING)
		memorizer_forget_call_sites();
	mutex_lock(&sites_mutex);
	switch (event) {
	case MODULE_STATE_COMING:
		err = add_module(data);
		break;
	case MODULE_STATE_LIVE:
		/* Taking sites_mutex waited for patches of its init text, which is freed next. */
		break;
	case MODULE_STATE_GOING:
		/* From here on, no switch maps the text, which is freed next. */
		remove_module(data);
		break;
	}
	mutex_unlock(&sites_mutex);
	return notifier_from_errno(err);
}

static struct notifier_block module_nb = {
	.notifier_call = notify_module,
};

static int __init register_sites(void)
{
	return register_module_notifier(&module_nb);
}
early_initcall(register_sites);
#else
static bool is_module_text(const struct module *mod, unsigned long addr)
{
	return false;
}

static int add_module_text(struct patches *patches, struct module *mod)
{
	return 0;
}
#endif /* CONFIG_MODULES */

/* Allocate and map everything first: while the CPUs are held, nothing may fail. */
static int add_all(struct patches *patches)
{
	struct site_module *entry;
	int err = add_kernel(patches);

	list_for_each_entry(entry, &site_modules, list)
		if (!err)
			err = add_module_text(patches, entry->mod);
	return err;
}

static int switch_all(bool on, bool announce)
{
	struct patches patches = { .list = LIST_HEAD_INIT(patches.list), .announce = announce };
	int err = add_all(&patches) ?: apply_patches(&patches, on);

	free_patches(&patches);
	return err;
}

/**
 * memorizer_choose_form() - choose the form of disabled sites
 * @prefixes: 1 for prefixes where possible, 0 for tests, negative for prefixes unless this
 *	processor stalls at them
 *
 * Applies to modules, too.
 *
 * Context: boot, one CPU, before access logging is switched on.
 * Return: 0, or -ENOMEM, which leaves prefixes
 */
int __init memorizer_choose_form(int prefixes)
{
	int err;

	if (prefixes < 0)
		prefixes = !memorizer_prefixes_stall();
	if (prefixes)
		return 0;
	mutex_lock(&sites_mutex);
	/* From here on, memorizer_site_text() encodes disabled sites as tests. */
	memorizer_prefixes = false;
	err = switch_all(false, false);
	/* On an error no site was patched: all of them still are prefixes. */
	memorizer_prefixes = err < 0;
	mutex_unlock(&sites_mutex);
	if (!err)
		pr_info("disabled sites are tests, not prefixes\n");
	return err;
}

/**
 * memorizer_set_log_access() - switch access logging
 * @on: true to log accesses
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, or -ENOMEM, which changes nothing
 */
int memorizer_set_log_access(bool on)
{
	int err = 0;

	/* Without a pool there are no objects that accesses could belong to. */
	if (on && !memorizer_pool_size())
		return -ENOMEM;
	mutex_lock(&sites_mutex);
	if (on != logging) {
		err = switch_all(on, true);
		if (!err)
			WRITE_ONCE(logging, on);
	}
	mutex_unlock(&sites_mutex);
	return err;
}

/**
 * memorizer_filter_code() - set the filter of sites and calls
 * @new: selects the sites that access logging enables, and the functions whose calls are counted,
 *	NULL for all
 *
 * If accesses are being logged, all sites change at once.
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, after which the previous filter may be freed and @new is in use; or -ENOMEM, or the
 *	error of ftrace, which change nothing
 */
int memorizer_filter_code(const struct memorizer_filter *new)
{
	struct patches patches = { .list = LIST_HEAD_INIT(patches.list) };
	const struct memorizer_filter *old;
	int err = 0;

	mutex_lock(&sites_mutex);
	old = filter;
	/* Both are NULL: all code is selected, as before. */
	if (new == old)
		goto unlock;
	filter = new;
	/* While no site is enabled, the next switch applies the filter. */
	if (logging)
		err = add_all(&patches);
	/* Between what can fail and what cannot, so that both filters change or none. */
	if (!err)
		err = memorizer_filter_calls(new);
	if (err) {
		filter = old;
	} else if (logging) {
		/* Fails only if no CPU is online. */
		WARN_ON_ONCE(apply_patches(&patches, true));
	}
	free_patches(&patches);
unlock:
	mutex_unlock(&sites_mutex);
	return err;
}

/**
 * memorizer_select_sites() - select the sites that access logging enables only on request
 * @user: true to enable those of accesses to user memory
 * @percpu: true to enable those of accesses to per-CPU data relative to %gs
 *
 * If accesses are being logged, all these sites change at once.
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, or -ENOMEM, which changes nothing
 */
int memorizer_select_sites(bool user, bool percpu)
{
	unsigned int old, new = (user ? MEMORIZER_FORM_USER : 0) |
				(percpu ? MEMORIZER_FORM_PERCPU : 0);
	int err = 0;

	mutex_lock(&sites_mutex);
	old = optional_sites;
	optional_sites = new;
	/* While no site is enabled, the next switch applies it. */
	if (logging && new != old)
		err = switch_all(true, false);
	if (err)
		optional_sites = old;
	mutex_unlock(&sites_mutex);
	return err;
}

/**
 * memorizer_is_logging() - test whether accesses are logged
 *
 * Return: true if they are
 */
bool memorizer_is_logging(void)
{
	return READ_ONCE(logging);
}

/* Add up a table's sites, by state. */
static void count_states(const struct site_table *table, const struct module *mod,
			 struct memorizer_site_counts *counts)
{
	const struct memorizer_site *site;
	unsigned long addr;

	counts->all += table->stop - table->start;
	for (site = table->start; site < table->stop; site++) {
		counts->user += memorizer_site_optional(site) == MEMORIZER_FORM_USER;
		counts->percpu += memorizer_site_optional(site) == MEMORIZER_FORM_PERCPU;
		addr = memorizer_site_addr(site);
		/* Skip text that was freed. */
		if (mod ? is_module_text(mod, addr) : core_kernel_text(addr)) {
			counts->on += memorizer_site_is(site, true);
			counts->prefixes += memorizer_site_has_prefixes(site);
		}
	}
}

/**
 * memorizer_count_sites() - count the sites of the kernel and of all modules
 * @counts: set to the numbers of sites
 *
 * Context: process context, may sleep.
 */
void memorizer_count_sites(struct memorizer_site_counts *counts)
{
	struct site_table table = kernel_table();
	const struct site_module *entry;

	*counts = (struct memorizer_site_counts) { };
	mutex_lock(&sites_mutex);
	count_states(&table, NULL, counts);
	list_for_each_entry(entry, &site_modules, list) {
		table = module_table(entry->mod);
		count_states(&table, entry->mod, counts);
	}
	mutex_unlock(&sites_mutex);
}
