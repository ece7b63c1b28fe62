// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: addresses of modules.
 *
 * The stream describes modules when they are loaded and unloaded while a switch is on, and all
 * loaded modules when a switch is turned on. So a reader can resolve each address at the time of
 * its event, even if two modules occupied it one after the other.
 */
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "stream.h"

/* A loaded module, and when it was loaded, in jiffies */
struct loaded_module {
	struct list_head list;
	const struct module *mod;
	u64 when;
};

/* Guards all below. */
static DEFINE_MUTEX(modules_mutex);
static LIST_HEAD(modules);
/* A description was lost. Also read without the mutex. */
static bool lost;

static void fill_in(struct memorizer_module_event *event, const struct module *mod, bool loaded,
		    u64 when)
{
	event->loaded = loaded;
	/* Retired objects have times in jiffies, which may precede this event. */
	event->jiffies = when;
	event->base = (unsigned long)mod->mem[MOD_TEXT].base;
	event->size = mod->mem[MOD_TEXT].size;
	event->init_base = (unsigned long)mod->mem[MOD_INIT_TEXT].base;
	event->init_size = mod->mem[MOD_INIT_TEXT].size;
#ifdef CONFIG_STACKTRACE_BUILD_ID
	memcpy(event->build_id, mod->build_id, sizeof(event->build_id));
#else
	memset(event->build_id, 0, sizeof(event->build_id));
#endif
}

static bool write_module(const struct module *mod, bool loaded, u64 when)
{
	size_t length = strnlen(mod->name, MODULE_NAME_LEN - 1);
	struct memorizer_module_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;
	char *name;

	writer = memorizer_stream_begin(&flags, 0);
	if (!writer)
		return false;
	event = memorizer_stream_reserve(writer, MEMORIZER_MODULE_EVENT,
					 sizeof(*event) + length + 1);
	if (event) {
		fill_in(event, mod, loaded, when);
		name = (char *)(event + 1);
		memcpy(name, mod->name, length);
		name[length] = '\0';
	}
	memorizer_stream_end(writer, flags);
	return event;
}

/**
 * memorizer_stream_module() - describe a module that is loaded or unloaded
 * @mod: the module
 * @loaded: true if it is loaded
 * @when: when it was loaded or unloaded, in jiffies
 *
 * Context: process context, may sleep.
 */
void memorizer_stream_module(const struct module *mod, bool loaded, u64 when)
{
	/* While the stream is off, turning it on describes all modules. */
	if (memorizer_stream_any_is_on() && !write_module(mod, loaded, when))
		WRITE_ONCE(lost, true);
}

/**
 * memorizer_stream_modules() - describe all loaded modules
 *
 * Context: process context, may sleep.
 */
void memorizer_stream_modules(void)
{
	struct loaded_module *entry;

	mutex_lock(&modules_mutex);
	/* First: a description that is lost below sets it again. */
	WRITE_ONCE(lost, false);
	list_for_each_entry(entry, &modules, list)
		memorizer_stream_module(entry->mod, true, entry->when);
	mutex_unlock(&modules_mutex);
}

/**
 * memorizer_stream_retry_modules() - describe all modules again if a description was lost
 *
 * Context: process context, may sleep; after the reader has made room.
 */
void memorizer_stream_retry_modules(void)
{
	/* Racy but benign: the next packet that is consumed retries. */
	if (READ_ONCE(lost))
		memorizer_stream_modules();
}

static int add_module(const struct module *mod)
{
	struct loaded_module *entry = kmalloc(sizeof(*entry), GFP_KERNEL);

	if (!entry)
		return -ENOMEM;
	entry->mod = mod;
	entry->when = get_jiffies_64();
	list_add_tail(&entry->list, &modules);
	memorizer_stream_module(mod, true, entry->when);
	return 0;
}

static void remove_module(const struct module *mod)
{
	struct loaded_module *entry, *next;

	list_for_each_entry_safe(entry, next, &modules, list) {
		if (entry->mod == mod) {
			/* Before its text is freed, and after all of it ran. */
			memorizer_stream_module(mod, false, get_jiffies_64());
			list_del(&entry->list);
			kfree(entry);
		}
	}
}

static int notify_module(struct notifier_block *nb, unsigned long event, void *mod)
{
	int err = 0;

	mutex_lock(&modules_mutex);
	/* An error rejects the module: its addresses could not be resolved. */
	if (event == MODULE_STATE_COMING)
		err = add_module(mod);
	else if (event == MODULE_STATE_GOING)
		remove_module(mod);
	mutex_unlock(&modules_mutex);
	return notifier_from_errno(err);
}

static struct notifier_block module_nb = {
	.notifier_call = notify_module,
};

static int __init register_modules(void)
{
	return register_module_notifier(&module_nb);
}
early_initcall(register_modules);
