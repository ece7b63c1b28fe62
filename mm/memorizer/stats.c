// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's statistics: recorded and lost events, memory use.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/errno.h>
#include <linux/math.h>
#include <linux/printk.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/string.h>

#include "calls.h"
#include "entry.h"
#include "hooks.h"
#include "kmap.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "regions.h"
#include "rows.h"
#include "sites.h"
#include "tasks.h"
#include "traffic.h"
#include "user.h"

/* Add up the counters of all CPUs. All members are u64. */
static void sum_counters(struct memorizer_counters *sum)
{
	size_t i;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	/* Racy but benign: the other CPUs go on counting. */
	for_each_possible_cpu(cpu)
		for (i = 0; i < sizeof(*sum) / sizeof(u64); i++)
			((u64 *)sum)[i] += READ_ONCE(((u64 *)&per_cpu(memorizer_counters, cpu))[i]);
}

static u64 object_accesses(const struct memorizer_object *object)
{
	const struct memorizer_entry *entry;
	u64 sum = 0;
	u32 id;

	/* A reader of the KMAP may be sorting the list. */
	memorizer_lock_entries(object);
	for (id = READ_ONCE(object->entries); id; id = READ_ONCE(entry->link)) {
		entry = memorizer_ptr(id);
		sum += memorizer_entry_accesses(entry);
		memorizer_may_schedule();
	}
	memorizer_unlock_entries(object);
	return sum;
}

/* Accesses by kind; those in the KMAP also by region of the object's address. */
struct attributed {
	u64 kind[MEMORIZER_KINDS];
	struct memorizer_regions regions;
};

/*
 * Add up all accesses in the KMAP, and those to user memory. Returns false if the task was killed:
 * this takes long if counts of an object with many entries keep changing.
 */
static bool add_up(struct attributed *sum)
{
	struct memorizer_object *object;
	unsigned long pos = 0;
	u64 accesses;
	u32 state;

	memset(sum, 0, sizeof(*sum));
	while ((object = memorizer_object_from(&pos))) {
		state = READ_ONCE(object->state);
		/* The accesses of LEAVING and RETIRED objects are in accesses_retired already. */
		if (state != MEMORIZER_UNUSED && state != MEMORIZER_LEAVING &&
		    state != MEMORIZER_RETIRED) {
			accesses = object_accesses(object);
			sum->kind[memorizer_object_kind(object)] += accesses;
			memorizer_add_region(&sum->regions, memorizer_object_va(object), accesses);
		}
		if (fatal_signal_pending(current))
			return false;
		memorizer_may_schedule();
	}
	object = memorizer_user_counts();
	if (object)
		sum->kind[MEMORIZER_KIND_USER] = object_accesses(object);
	return true;
}

static void show(struct seq_file *m, const struct attributed *attributed)
{
	const u64 *accesses = attributed->kind;
	struct memorizer_regions unattributed;
	struct memorizer_counters sum;
	struct memorizer_site_counts sites;
	u64 closed, all = 0;
	unsigned int kind;

	memorizer_sum_unattributed(&unattributed);
	sum_counters(&sum);
	closed = sum.frees + sum.buried;

	seq_printf(m, "enabled: %u\n", memorizer_is_enabled());
	seq_printf(m, "allocations: %llu\n", sum.allocs);
	seq_printf(m, "frees: %llu\n", sum.frees);
	seq_printf(m, "frees_missed: %llu\n", sum.buried);
	seq_printf(m, "frees_unknown: %llu\n", sum.unknown_frees);
	seq_printf(m, "objects_live: %llu\n", sum.allocs - closed);
	seq_printf(m, "objects_freed: %llu\n",
		   closed - memorizer_cleared.objects - memorizer_retired.objects);
	seq_printf(m, "objects_cleared: %llu\n", memorizer_cleared.objects);
	seq_printf(m, "objects_retired: %llu\n", memorizer_retired.objects);
	/* Not those to user memory, which are in no object. */
	for (kind = 0; kind < MEMORIZER_KIND_USER; kind++)
		all += accesses[kind];
	seq_printf(m, "accesses_attributed: %llu\n", all);
	for (kind = 0; kind < MEMORIZER_KINDS; kind++)
		seq_printf(m, "accesses_%s: %llu\n", memorizer_kind_names[kind], accesses[kind]);
	seq_printf(m, "accesses_cleared: %llu\n", memorizer_cleared.accesses);
	seq_printf(m, "accesses_retired: %llu\n", memorizer_retired.accesses);
	seq_printf(m, "accesses_unattributed: %llu\n", sum.unattributed);
	memorizer_regions_show(m, &attributed->regions, &unattributed, sum.unattributed);
	seq_printf(m, "paused: %llu\n", sum.paused);
	seq_printf(m, "accesses_left_out: %llu\n", sum.left_out);
	seq_printf(m, "allocations_left_out: %llu\n", sum.allocs_left_out);
	seq_printf(m, "lost_objects_pool_full: %llu\n", sum.lost[MEMORIZER_LOST_OBJECT]);
	seq_printf(m, "lost_objects_index_full: %llu\n", sum.lost[MEMORIZER_LOST_INDEX]);
	seq_printf(m, "lost_objects_out_of_range: %llu\n", sum.lost[MEMORIZER_LOST_RANGE]);
	seq_printf(m, "lost_stacks: %llu\n", sum.lost[MEMORIZER_LOST_STACK]);
	seq_printf(m, "lost_accesses_pool_full: %llu\n", sum.lost[MEMORIZER_LOST_ENTRY]);
	memorizer_traffic_stats(m, &sum);
	memorizer_calls_stats(m, &sum);
	seq_printf(m, "access_entries: %lu\n", memorizer_class_used(MEMORIZER_ENTRY) +
		   memorizer_class_used(MEMORIZER_WIDE_ENTRY));
	seq_printf(m, "pool_objects: %lu\n",
		   memorizer_pool_bytes(MEMORIZER_OBJECT, MEMORIZER_OBJECT));
	seq_printf(m, "pool_entries: %lu\n",
		   memorizer_pool_bytes(MEMORIZER_ENTRY, MEMORIZER_WIDE_ENTRY));
	seq_printf(m, "pool_index: %lu\n",
		   memorizer_pool_bytes(MEMORIZER_LEAF, MEMORIZER_CLASSES - 1));
	seq_printf(m, "pool_used: %lu\n", memorizer_pool_bytes(0, MEMORIZER_CLASSES - 1));
	seq_printf(m, "pool_size: %lu\n", memorizer_pool_size());
	memorizer_count_sites(&sites);
	seq_printf(m, "sites: %lu\n", sites.all);
	seq_printf(m, "sites_patched: %lu\n", sites.on);
	seq_printf(m, "sites_on: %u\n", memorizer_is_logging());
	seq_printf(m, "sites_prefixes: %lu\n", sites.prefixes);
	seq_printf(m, "sites_user: %lu\n", sites.user);
	seq_printf(m, "sites_percpu: %lu\n", sites.percpu);
	memorizer_observer_stats(m);
}

/**
 * memorizer_stats_show() - show debugfs memorizer/show_stats
 * @m: the output
 * @unused: not used
 *
 * Context: process context, may sleep.
 * Return: 0, or -EINTR if the task was killed
 */
int memorizer_stats_show(struct seq_file *m, void *unused)
{
	struct attributed attributed;
	int err = -EINTR;

	/* Keep the accesses of the reader out of the KMAP that it adds up. */
	memorizer_pause();
	if (!down_read_killable(&memorizer_rwsem)) {
		if (add_up(&attributed)) {
			show(m, &attributed);
			err = 0;
		}
		up_read(&memorizer_rwsem);
	}
	memorizer_resume();
	return err;
}

/**
 * memorizer_warn_full() - log what was lost because the pool was full
 *
 * Reports each loss once, with the size of a pool that would have had room for it.
 *
 * Context: process context.
 */
void memorizer_warn_full(void)
{
	static u64 reported[MEMORIZER_LOSSES];
	struct memorizer_counters sum;
	u64 new[MEMORIZER_LOSSES], size;
	unsigned int i;

	sum_counters(&sum);
	for (i = 0; i < MEMORIZER_LOSSES; i++) {
		new[i] = sum.lost[i] - reported[i];
		/* Racy but benign: two writers of switches may report the same loss. */
		reported[i] = sum.lost[i];
	}
	if (!new[MEMORIZER_LOST_OBJECT] && !new[MEMORIZER_LOST_INDEX] &&
	    !new[MEMORIZER_LOST_ENTRY] && !new[MEMORIZER_LOST_CALL])
		return;
	/* At most: an object, also with a page of the index, a call, or the largest entry. */
	size = new[MEMORIZER_LOST_OBJECT] * sizeof(struct memorizer_object) +
		new[MEMORIZER_LOST_INDEX] * (sizeof(struct memorizer_object) + PAGE_SIZE) +
		new[MEMORIZER_LOST_ENTRY] * sizeof(struct memorizer_wide_entry) +
		new[MEMORIZER_LOST_CALL] * sizeof(struct memorizer_call);
	pr_warn("the pool of %lu KiB was full: %llu objects, %llu accesses and %llu calls are lost; memorizer.pool=%lluM would have had room\n",
		memorizer_pool_size() >> 10,
		new[MEMORIZER_LOST_OBJECT] + new[MEMORIZER_LOST_INDEX], new[MEMORIZER_LOST_ENTRY],
		new[MEMORIZER_LOST_CALL],
		DIV_ROUND_UP_ULL(memorizer_pool_size() + size, SZ_1M));
}
