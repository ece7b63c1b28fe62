/* SPDX-License-Identifier: GPL-2.0 */
/* The report of a trace. */
#ifndef KMEMSTAT_H
#define KMEMSTAT_H

#include "kmem.h"

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

/**
 * struct kmemstat - what to report
 * @vmlinux: where to take the kernel's symbols from, or NULL
 * @kallsyms: a copy of /proc/kallsyms, or NULL for the one in the trace
 * @sort: what to sort by
 * @by_name: sort by name instead
 * @top: rows of a table, 0 for all
 * @format: how to print
 * @filter: what counts
 */
struct kmemstat {
	const char *vmlinux, *kallsyms;
	enum kmem_metric sort;
	bool by_name;
	u32 top;
	enum report_format format;
	struct kmem_filter filter;
};

bool kmemstat_sort(struct kmemstat *s, const char *key);
int kmemstat(const struct kmemstat *s, const char *dir);

#endif
