/* SPDX-License-Identifier: GPL-2.0 */
/* The report of a trace. */
#ifndef KMEMSTAT_H
#define KMEMSTAT_H

#include "head.h"
#include "kmem.h"

/**
 * struct kmemstat - what to report
 * @vmlinux: where to take the kernel's symbols from, or NULL
 * @kallsyms: a copy of /proc/kallsyms, or NULL for the one in the trace
 * @modules: directory with the files of modules below it, for their lines, or NULL
 * @inlines: whether to give lines and inlined functions
 * @sort: what to sort by
 * @by_name: sort by name instead
 * @sort_key: the same as --sort has it
 * @top: rows of a table, 0 for all
 * @format: how to print
 * @filter: what counts
 */
struct kmemstat {
	const char *vmlinux, *kallsyms, *modules;
	bool inlines;
	enum kmem_metric sort;
	bool by_name;
	const char *sort_key;
	u32 top;
	enum report_format format;
	struct kmem_filter filter;
};

bool kmemstat_sort(struct kmemstat *s, const char *key);
int kmemstat(const struct kmemstat *s, const char *dir);

#endif
