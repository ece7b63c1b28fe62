// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's sites: switching access logging on and off.
 *
 * The compiler leaves a table of all sites, one for the kernel and one for each
 * module. Switching stores one byte at each of them, while all other CPUs wait
 * with interrupts off; a CPU that an NMI takes out of the wait may execute sites
 * all the same, see asm/memorizer.h for why it may. Text stays read-only: the
 * bytes are stored through a second, temporary mapping, writable and not
 * executable.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/kallsyms.h>
#include <linux/list.h>
#include <linux/memorizer.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/stop_machine.h>
#include <linux/vmalloc.h>

#include <asm/memorizer.h>
#include <asm/sections.h>
#include <asm/sync_core.h>

#include "announce.h"
#include "memorizer.h"

extern const s32 __start_memorizer_sites[], __stop_memorizer_sites[];

/* A module that is loaded and has sites. */
struct site_module {
	struct list_head list;
	struct module *mod;
};

/* Serializes switching; guards all below. */
static DEFINE_MUTEX(sites_mutex);
static LIST_HEAD(site_modules);
static bool logging;

/* A piece of text and its writable mapping. */
struct text_alias {
	unsigned long start;
	unsigned long end;
	void *map;
};

/* What is to be patched: a table of sites, and the text that they lie in. */
struct patch {
	const s32 *start;
	const s32 *stop;
	u8 opcode;
	struct text_alias text[2];
	atomic_t patcher;	/* the first CPU to take it patches */
	bool done;
};

static unsigned long site_addr(const s32 *site)
{
	return (unsigned long)site + *site;
}

static int map_text(struct text_alias *alias, const void *start, const void *end)
{
	unsigned long first = (unsigned long)start & PAGE_MASK, i;
	unsigned long count = DIV_ROUND_UP((unsigned long)end - first, PAGE_SIZE);
	struct page **pages;

	if (start >= end)
		return 0;
	pages = kvmalloc_array(count, sizeof(*pages), GFP_KERNEL);
	if (!pages)
		return -ENOMEM;
	for (i = 0; i < count; i++) {
		void *addr = (void *)first + i * PAGE_SIZE;

		pages[i] = is_vmalloc_or_module_addr(addr) ? vmalloc_to_page(addr) :
			pfn_to_page(__pa_symbol(addr) >> PAGE_SHIFT);
	}
	alias->map = vmap(pages, count, VM_MAP, PAGE_KERNEL);
	kvfree(pages);
	if (!alias->map)
		return -ENOMEM;
	alias->start = first;
	alias->end = (unsigned long)end;
	return 0;
}

static void unmap_text(struct patch *patch)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(patch->text); i++)
		if (patch->text[i].map)
			vunmap(patch->text[i].map);
	/* Leave no writable mapping behind in any TLB. */
	vm_unmap_aliases();
}

/* Sites in text that is not mapped are those of init text that is gone. */
static void patch_site(const struct patch *patch, unsigned long addr)
{
	const struct text_alias *alias;
	unsigned int i;
	u8 *opcode;

	for (i = 0; i < ARRAY_SIZE(patch->text); i++) {
		alias = &patch->text[i];
		if (addr < alias->start || addr >= alias->end)
			continue;
		opcode = alias->map + (addr - alias->start);
		if (*opcode == MEMORIZER_SITE_OFF || *opcode == MEMORIZER_SITE_ON)
			WRITE_ONCE(*opcode, patch->opcode);
		else
			WARN_ONCE(1, "no site at %pS\n", (void *)addr);
		return;
	}
}

/* Runs on all CPUs, interrupts off: one patches, the others wait for it. */
static int patch_sites(void *data)
{
	struct patch *patch = data;
	const s32 *site;

	if (atomic_inc_return(&patch->patcher) == 1) {
		for (site = patch->start; site < patch->stop; site++)
			patch_site(patch, site_addr(site));
		if (patch->start == __start_memorizer_sites)
			memorizer_announce_logging(patch->opcode == MEMORIZER_SITE_ON);
		/* Pairs with the other CPUs' acquire: they go on to new text only. */
		smp_store_release(&patch->done, true);
	} else {
		/* Pairs with the release above. */
		while (!smp_load_acquire(&patch->done))
			cpu_relax();
	}
	sync_core();
	return 0;
}

static int apply_patch(struct patch *patch)
{
	int err;

	cpus_read_lock();
	mutex_lock(&text_mutex);
	err = stop_machine_cpuslocked(patch_sites, patch, cpu_online_mask);
	mutex_unlock(&text_mutex);
	cpus_read_unlock();
	return err;
}

static int patch_kernel(bool on)
{
	struct patch patch = {
		.start = __start_memorizer_sites,
		.stop = __stop_memorizer_sites,
		.opcode = on ? MEMORIZER_SITE_ON : MEMORIZER_SITE_OFF,
	};
	int err;

	err = map_text(&patch.text[0], _stext, _etext);
	if (!err && system_state < SYSTEM_FREEING_INITMEM)
		err = map_text(&patch.text[1], _sinittext, _einittext);
	if (!err)
		err = apply_patch(&patch);
	unmap_text(&patch);
	return err;
}

#ifdef CONFIG_MODULES
static int map_module_text(struct text_alias *alias, struct module *mod, enum mod_mem_type type)
{
	const struct module_memory *mem = &mod->mem[type];

	return map_text(alias, mem->base, mem->base + mem->size);
}

static int patch_module(struct module *mod, bool on)
{
	struct patch patch = {
		.start = mod->memorizer_sites,
		.stop = mod->memorizer_sites + mod->num_memorizer_sites,
		.opcode = on ? MEMORIZER_SITE_ON : MEMORIZER_SITE_OFF,
	};
	int err;

	err = map_module_text(&patch.text[0], mod, MOD_TEXT);
	/* Its init text goes once it is live; see notify_module(). */
	if (!err && mod->state == MODULE_STATE_COMING)
		err = map_module_text(&patch.text[1], mod, MOD_INIT_TEXT);
	if (!err)
		err = apply_patch(&patch);
	unmap_text(&patch);
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
	err = logging ? patch_module(mod, true) : 0;
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

	mutex_lock(&sites_mutex);
	switch (event) {
	case MODULE_STATE_COMING:
		err = add_module(data);
		break;
	case MODULE_STATE_LIVE:
		/* Whoever patches its init text is done: it may be freed now. */
		break;
	case MODULE_STATE_GOING:
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
static int patch_module(struct module *mod, bool on)
{
	return 0;
}
#endif /* CONFIG_MODULES */

static int patch_all(bool on)
{
	struct site_module *entry;
	int err;

	err = patch_kernel(on);
	list_for_each_entry(entry, &site_modules, list)
		if (!err)
			err = patch_module(entry->mod, on);
	return err;
}

/**
 * memorizer_set_log_access() - switch access logging
 * @on: whether accesses are to be logged
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, or -ENOMEM: then nothing is logged
 */
int memorizer_set_log_access(bool on)
{
	int err = 0;

	if (on && !memorizer_pool_size())
		return -ENOMEM;
	mutex_lock(&sites_mutex);
	if (on != logging) {
		err = patch_all(on);
		if (!err)
			logging = on;
		else if (on)
			patch_all(false);
	}
	mutex_unlock(&sites_mutex);
	return err;
}

/**
 * memorizer_is_logging() - are accesses logged?
 *
 * Return: true if they are
 */
bool memorizer_is_logging(void)
{
	return READ_ONCE(logging);
}

/**
 * memorizer_site_count() - number of sites, modules included
 *
 * Context: process context, may sleep.
 * Return: the number
 */
unsigned long memorizer_site_count(void)
{
	unsigned long count = __stop_memorizer_sites - __start_memorizer_sites;

#ifdef CONFIG_MODULES
	struct site_module *entry;

	mutex_lock(&sites_mutex);
	list_for_each_entry(entry, &site_modules, list)
		count += entry->mod->num_memorizer_sites;
	mutex_unlock(&sites_mutex);
#endif
	return count;
}

static bool table_reserved(const s32 *start, const s32 *stop, unsigned long first,
			   unsigned long last)
{
	const s32 *site;

	for (site = start; site < stop; site++)
		if (site_addr(site) <= last && first < site_addr(site) + MEMORIZER_SITE_SIZE)
			return true;
	return false;
}

bool memorizer_text_reserved(const void *start, const void *end)
{
	unsigned long first = (unsigned long)start, last = (unsigned long)end;
#ifdef CONFIG_MODULES
	const struct module *mod = __module_text_address(first);

	if (mod)
		return table_reserved(mod->memorizer_sites,
				      mod->memorizer_sites + mod->num_memorizer_sites, first, last);
#endif
	return table_reserved(__start_memorizer_sites, __stop_memorizer_sites, first, last);
}
