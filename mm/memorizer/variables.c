// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's variables: the tables of the kernel and of modules, and those of areas of memblock.
 *
 * The kernel has one table, and one for the per-CPU variables of each CPU; a module has one for
 * each kind of its memory. They are built when the kernel boots or the module is loaded, and are in
 * the index while their kind is recorded. Init data ends when it is freed, as do all variables of a
 * module that is unloaded.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/init.h>
#include <linux/list.h>
#include <linux/memorizer-variables.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include <asm/sections.h>

#include "index.h"
#include "lazy.h"
#include "memorizer.h"
#include "record.h"
#include "variable_table.h"
#include "variables.h"

/* A part of a module's memory, and its variables. */
struct module_part {
	struct list_head list;
	const struct module *mod;
	bool init;
	struct variable_table table;
};

/*
 * Guards all below, and the records of the tables. Taken under memorizer_rwsem, or without it:
 * loading a module does not wait for a reader of the KMAP.
 */
static DEFINE_MUTEX(variables_mutex);
static LIST_HEAD(parts);
/* A bit for each enum memorizer_object_kind whose tables are in the index, or have been. */
static unsigned int inserted, ever_inserted;

static struct variable_table kernel_variables;
/* For each possible CPU; only the ids of objects differ. NULL without a pool or without SMP. */
static struct variable_table *percpu_variables;
/* Of areas of memblock */
static struct variable_table *memblock_tables;
static int nr_memblock_tables;
static void *room __initdata;
static void *percpu_room __initdata, *percpu_ids __initdata, *percpu_tables __initdata;

/* Is all memory of the table still that of its variables? */
static bool is_intact(const struct variable_table *table)
{
	return table->kind != MEMORIZER_KIND_MEMBLOCK || memorizer_memblock_stays(table);
}

/* Close the objects of some variables. */
static void end_variables(struct variable_table *table, u32 first, u32 end, unsigned long ip)
{
	u32 i, id;

	for (i = first; i < end; i++) {
		preempt_disable_notrace();
		id = xchg(&table->id[i], 0);
		if (id)
			memorizer_end_id(id, ip);
		preempt_enable_notrace();
		memorizer_may_schedule();
	}
}

static void remove_table(struct variable_table *table)
{
	if (!table->record)
		return;
	preempt_disable_notrace();
	memorizer_index_remove_variables(table);
	preempt_enable_notrace();
}

static void insert_table(struct variable_table *table)
{
	int err;

	if (table->record || !table->count || !(inserted & BIT(table->kind)) || !is_intact(table))
		return;
	preempt_disable_notrace();
	err = memorizer_index_insert_variables(table);
	if (err)
		this_cpu_add(memorizer_counters.lost[MEMORIZER_LOST_INDEX], table->count);
	preempt_enable_notrace();
	if (likely(is_intact(table)))
		return;
	/* Its page was not reserved any more before memorizer_free_reserved() could find it. */
	remove_table(table);
	memorizer_grace_period();
	end_variables(table, 0, table->count, 0);
}

static void apply_to_tables(void (*apply)(struct variable_table *table))
{
	struct module_part *part;
	unsigned int cpu;
	int i;

	apply(&kernel_variables);
	for (i = 0; i < nr_memblock_tables; i++)
		apply(&memblock_tables[i]);
	if (percpu_variables)
		for_each_possible_cpu(cpu)
			apply(&percpu_variables[cpu]);
	list_for_each_entry(part, &parts, list)
		apply(&part->table);
}

/**
 * memorizer_insert_variables() - have the index find variables
 * @kinds: a bit for each enum memorizer_object_kind
 *
 * What the pool has no room for is counted as lost, and tried again the next time.
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_insert_variables(unsigned int kinds)
{
	mutex_lock(&variables_mutex);
	inserted |= kinds & MEMORIZER_VARIABLE_KINDS;
	ever_inserted |= inserted;
	apply_to_tables(insert_table);
	mutex_unlock(&variables_mutex);
}

/* Remove tables of kinds that are no longer inserted. */
static void remove_unwanted(struct variable_table *table)
{
	if (!(inserted & BIT(table->kind)))
		remove_table(table);
}

/**
 * memorizer_remove_variables() - have the index no longer find variables
 * @kinds: a bit for each enum memorizer_object_kind; none of these has objects in the index
 *
 * Otherwise, each access to a variable would call the hook.
 *
 * Context: process context, may sleep.
 */
void memorizer_remove_variables(unsigned int kinds)
{
	mutex_lock(&variables_mutex);
	inserted &= ~kinds;
	apply_to_tables(remove_unwanted);
	mutex_unlock(&variables_mutex);
}

void memorizer_free_image(const void *begin, const void *end, unsigned long ip)
{
	struct variable_table *table = &kernel_variables;
	unsigned long first = ((unsigned long)begin - table->start) >> PAGE_SHIFT;
	unsigned long last = ((unsigned long)end - table->start) >> PAGE_SHIFT;

	/* There is no table, or this is text. */
	if (!table->first || first >= table->pages || last > table->pages)
		return;
	end_variables(table, table->first[first], table->first[last], ip);
}

/**
 * memorizer_variables_range() - get the addresses of the kernel's variables
 * @base: set to the first one, page aligned
 * @bytes: set to the number of bytes from there on
 *
 * Context: any.
 */
void __init memorizer_variables_range(unsigned long *base, unsigned long *bytes)
{
	*base = (unsigned long)__start_rodata & PAGE_MASK;
	*bytes = PAGE_ALIGN((unsigned long)_end) - *base;
}

static size_t __init size_of_table(struct variable_table *table, const void *start, const void *end)
{
	table->start = (unsigned long)start & PAGE_MASK;
	table->pages = (PAGE_ALIGN((unsigned long)end) - table->start) >> PAGE_SHIFT;
	return memorizer_variable_table_size(table, __start_memorizer_variables,
					     __stop_memorizer_variables);
}

/**
 * memorizer_reserve_variables() - reserve memory for the tables of the kernel's variables
 * @reserve: returns zeroed memory, or NULL
 *
 * Context: boot, once, after per-CPU areas were set up.
 * Return: 0 or -ENOMEM
 */
int __init memorizer_reserve_variables(void *(*reserve)(size_t size))
{
	struct variable_table table = { };

	room = reserve(size_of_table(&kernel_variables, __start_rodata, _end));
	if (!room || !IS_ENABLED(CONFIG_SMP))
		return room ? 0 : -ENOMEM;
	percpu_room = reserve(size_of_table(&table, __per_cpu_start, __per_cpu_end));
	percpu_ids = reserve(nr_cpu_ids * table.count * sizeof(u32));
	percpu_tables = reserve(nr_cpu_ids * sizeof(table));
	return percpu_room && percpu_ids && percpu_tables ? 0 : -ENOMEM;
}

/* The symbol of a per-CPU variable is its offset from the start of each CPU's area. */
static void __init build_percpu_variables(void)
{
	struct variable_table table = { .kind = MEMORIZER_KIND_PERCPU };
	unsigned long first = ULONG_MAX, end = 0;
	unsigned int cpu;

	size_of_table(&table, __per_cpu_start, __per_cpu_end);
	memorizer_variable_table_fill(&table, percpu_room, __start_memorizer_variables,
				      __stop_memorizer_variables);
	percpu_variables = percpu_tables;
	for_each_possible_cpu(cpu) {
		percpu_variables[cpu] = table;
		percpu_variables[cpu].shift = per_cpu_offset(cpu);
		percpu_variables[cpu].start += per_cpu_offset(cpu);
		percpu_variables[cpu].id = (u32 *)percpu_ids + cpu * table.count;
		snprintf(percpu_variables[cpu].comm, TASK_COMM_LEN, "swapper/%u", cpu);
		first = min(first, percpu_variables[cpu].start);
		end = max(end, percpu_variables[cpu].start + (table.pages << PAGE_SHIFT));
	}
	memorizer_lazy_init(MEMORIZER_KIND_PERCPU, first, end - first);
}

/**
 * memorizer_build_variables() - build the tables of the kernel's variables
 *
 * Context: boot, once, after memorizer_reserve_variables().
 */
void __init memorizer_build_variables(void)
{
	kernel_variables.kind = MEMORIZER_KIND_STATIC;
	memorizer_variable_table_fill(&kernel_variables, room, __start_memorizer_variables,
				      __stop_memorizer_variables);
	/* Variables of modules lie above the kernel's. */
	memorizer_lazy_init(MEMORIZER_KIND_STATIC, kernel_variables.start,
			    MODULES_END - kernel_variables.start);
	if (IS_ENABLED(CONFIG_SMP))
		build_percpu_variables();
}

/**
 * memorizer_build_areas() - build the tables of areas of memblock, and insert them
 *
 * Context: boot, one CPU, once: slab and vmalloc are up.
 */
void __init memorizer_build_areas(void)
{
	struct variable_table *tables;
	int nr = memorizer_memblock_tables(&tables), i;

	if (nr < 0)
		pr_err("no memory for the tables of areas of memblock\n");
	if (nr <= 0)
		return;
	memblock_tables = tables;
	nr_memblock_tables = nr;
	for (i = 0; i < nr; i++)
		insert_table(&tables[i]);
}

#ifdef CONFIG_MODULES
static int add_part(const struct module *mod, enum mod_mem_type type)
{
	const struct memorizer_variable *stop = mod->memorizer_variables +
						mod->num_memorizer_variables;
	struct module_part *part;
	size_t size;
	void *memory;

	part = kzalloc(sizeof(*part), GFP_KERNEL);
	if (!part)
		return -ENOMEM;
	part->mod = mod;
	part->init = mod_mem_type_is_init(type);
	part->table.kind = MEMORIZER_KIND_STATIC;
	part->table.start = (unsigned long)mod->mem[type].base;
	part->table.pages = DIV_ROUND_UP(mod->mem[type].size, PAGE_SIZE);
	size = memorizer_variable_table_size(&part->table, mod->memorizer_variables, stop);
	if (!part->table.count) {
		kfree(part);
		return 0;
	}
	memory = kvzalloc(size, GFP_KERNEL);
	if (!memory) {
		kfree(part);
		return -ENOMEM;
	}
	memorizer_variable_table_fill(&part->table, memory, mod->memorizer_variables, stop);
	list_add(&part->list, &parts);
	insert_table(&part->table);
	return 0;
}

/* End the variables of a module, or those of its init data. */
static void remove_parts(const struct module *mod, bool init)
{
	struct module_part *part, *next;
	LIST_HEAD(removed);

	list_for_each_entry_safe(part, next, &parts, list) {
		if (part->mod != mod || (init && !part->init))
			continue;
		list_move(&part->list, &removed);
		remove_table(&part->table);
	}
	if (list_empty(&removed))
		return;
	/* Hooks that found a table may still add objects to it. */
	if (ever_inserted)
		memorizer_grace_period();
	list_for_each_entry_safe(part, next, &removed, list) {
		end_variables(&part->table, 0, part->table.count, 0);
		kvfree(part->table.first);
		kfree(part);
	}
}

static int add_module(const struct module *mod)
{
	int err = 0;

	for_each_mod_mem_type(type)
		if (!err && mod->num_memorizer_variables)
			err = add_part(mod, type);
	if (err)
		remove_parts(mod, false);
	return err;
}

static int notify_module(struct notifier_block *nb, unsigned long event, void *mod)
{
	int err = 0;

	mutex_lock(&variables_mutex);
	switch (event) {
	case MODULE_STATE_COMING:
		err = add_module(mod);
		break;
	case MODULE_STATE_LIVE:
		remove_parts(mod, true);
		break;
	case MODULE_STATE_GOING:
		remove_parts(mod, false);
		break;
	}
	mutex_unlock(&variables_mutex);
	return notifier_from_errno(err);
}

static struct notifier_block module_nb = {
	.notifier_call = notify_module,
};

static int __init register_variables(void)
{
	/* Without a pool there is no table of the kernel's either. */
	return kernel_variables.first ? register_module_notifier(&module_nb) : 0;
}
early_initcall(register_variables);
#endif
