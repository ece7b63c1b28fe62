/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's accesses by region of addresses.
 */
#ifndef _MM_MEMORIZER_REGIONS_H
#define _MM_MEMORIZER_REGIONS_H

#include <linux/compiler.h>
#include <linux/types.h>

struct memorizer_object;
struct seq_file;

#ifdef CONFIG_MEMORIZER_PAGES
#include <linux/percpu.h>

#include <asm/memorizer-regions.h>

#include "caches.h"
#include "index.h"

/* Accesses by region of addresses, an enum memorizer_region. */
struct memorizer_regions {
	u64 in[MEMORIZER_REGIONS];
};

/* Unattributed accesses above the direct map, while a kind of object there is recorded. */
DECLARE_PER_CPU(struct memorizer_regions, memorizer_unattributed);

/* Count accesses to no object, in addition to their total. */
static __always_inline void memorizer_count_region(unsigned long addr, u64 accesses)
{
	/* The thunks count only accesses within the direct map, or all above it. */
	if (addr - memorizer_index_base >= memorizer_index_bytes &&
	    READ_ONCE(memorizer_reaches_far))
		this_cpu_add(memorizer_unattributed.in[memorizer_region(addr)], accesses);
}

static inline void memorizer_add_region(struct memorizer_regions *regions, unsigned long va,
					u64 accesses)
{
	regions->in[memorizer_region(va)] += accesses;
}

void memorizer_sum_unattributed(struct memorizer_regions *sum);
void memorizer_regions_show(struct seq_file *m, const struct memorizer_regions *attributed,
			    struct memorizer_regions *unattributed, u64 total);
#else
struct memorizer_regions { };

static __always_inline void memorizer_count_region(unsigned long addr, u64 accesses) { }
static inline void memorizer_add_region(struct memorizer_regions *regions, unsigned long va,
					u64 accesses) { }
static inline void memorizer_sum_unattributed(struct memorizer_regions *sum) { }
static inline void memorizer_regions_show(struct seq_file *m,
					  const struct memorizer_regions *attributed,
					  struct memorizer_regions *unattributed, u64 total) { }
#endif /* CONFIG_MEMORIZER_PAGES */

#endif /* _MM_MEMORIZER_REGIONS_H */
