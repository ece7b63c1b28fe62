/* SPDX-License-Identifier: GPL-2.0 */
/* How the sums over a trace or a KMAP are printed. */
#ifndef REPORT_H
#define REPORT_H

#include "head.h"
#include "sums.h"

/**
 * struct report - what to report
 * @trace: whether it is of a trace, which may have a KMAP in it, or of a KMAP alone
 * @incomplete: whether something is missing
 * @cpus: CPUs with a stream, of a trace
 * @sort_key: what to order tables by, as --sort has it
 * @sort: private: the same, by number
 * @by_name: private: whether to order by name instead
 * @top: rows of a table, 0 for all
 * @format: how to print
 */
struct report {
	bool trace, incomplete;
	u32 cpus;
	const char *sort_key;
	u32 sort;
	bool by_name;
	u32 top;
	enum report_format format;
};

bool report_sort(struct report *r, const char *key);
void report_print(const struct report *r, const struct sums *k);

/* Private: between the parts of the report. */
void report_summarize(const struct report *r, const struct sums *k);

#endif
