// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's accesses by region of addresses, in show_stats.
 */
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>

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
 * memorizer_regions_show() - show attributed and unattributed accesses by region
 * @m: the output
 * @attributed: accesses in the KMAP
 * @unattributed: number of all accesses that belong to no object
 *
 * Context: process context, may sleep.
 */
void memorizer_regions_show(struct seq_file *m, const struct memorizer_regions *attributed,
			    u64 unattributed)
{
	u64 in[MEMORIZER_REGIONS] = { };
	unsigned int i;
	int cpu;

	for (i = 0; i < MEMORIZER_REGIONS; i++) {
		seq_printf(m, "attributed_in_%s: %llu\n", names[i], attributed->in[i]);
		/* Racy but benign: the other CPUs go on counting. */
		for_each_possible_cpu(cpu)
			in[i] += READ_ONCE(per_cpu(memorizer_unattributed, cpu).in[i]);
		unattributed -= in[i];
	}
	/* What remains is in the direct map, or above it while no kind there is recorded. */
	in[MEMORIZER_REGION_DIRECT_MAP] = unattributed;
	for (i = 0; i < MEMORIZER_REGIONS; i++)
		seq_printf(m, "unattributed_in_%s: %llu\n", names[i], in[i]);
}
