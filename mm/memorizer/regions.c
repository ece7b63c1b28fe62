// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's accesses by region of addresses, in show_stats.
 */
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include <asm/barrier.h>

#include "regions.h"

DEFINE_PER_CPU(struct memorizer_regions, memorizer_unattributed);

static const char * const names[MEMORIZER_REGIONS] = {
	[MEMORIZER_REGION_DIRECT_MAP] = "direct_map",
	[MEMORIZER_REGION_VMALLOC] = "vmalloc",
	[MEMORIZER_REGION_VMEMMAP] = "vmemmap",
	[MEMORIZER_REGION_KERNEL] = "kernel",
	[MEMORIZER_REGION_OTHER] = "other",
};

/**
 * memorizer_sum_unattributed() - add up the unattributed accesses of all CPUs by region
 * @sum: where to put the sums; the direct map has 0, see memorizer_regions_show()
 *
 * Context: process context.
 */
void memorizer_sum_unattributed(struct memorizer_regions *sum)
{
	unsigned int i;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		for (i = 0; i < MEMORIZER_REGIONS; i++)
			sum->in[i] += READ_ONCE(per_cpu(memorizer_unattributed, cpu).in[i]);
	/* Pairs with smp_wmb() in count_unattributed(): totals read from here on include these. */
	smp_rmb();
}

/**
 * memorizer_regions_show() - show attributed and unattributed accesses by region
 * @m: the output
 * @attributed: accesses in the KMAP
 * @unattributed: from memorizer_sum_unattributed()
 * @total: number of all unattributed accesses, read after @unattributed
 *
 * Context: process context, may sleep.
 */
void memorizer_regions_show(struct seq_file *m, const struct memorizer_regions *attributed,
			    struct memorizer_regions *unattributed, u64 total)
{
	unsigned int i;

	for (i = 0; i < MEMORIZER_REGIONS; i++) {
		seq_printf(m, "attributed_in_%s: %llu\n", names[i], attributed->in[i]);
		total -= unattributed->in[i];
	}
	/* What remains is in the direct map, or above it while no kind there is recorded. */
	unattributed->in[MEMORIZER_REGION_DIRECT_MAP] += total;
	for (i = 0; i < MEMORIZER_REGIONS; i++)
		seq_printf(m, "unattributed_in_%s: %llu\n", names[i], unattributed->in[i]);
}
