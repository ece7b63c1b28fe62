/* SPDX-License-Identifier: GPL-2.0 */
/* How output for machines begins: what it is of, whether it is all, what was chosen. */
#ifndef HEAD_H
#define HEAD_H

#include "report/filter.h"

#define FORMAT_VERSION	2	/* of JSON and CSV; see the manual page */

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

/**
 * struct head - how a report begins
 * @command: the command that makes it
 * @input: what it is of: kmap or trace
 * @what: what of it was asked for, or NULL
 * @before: the first of two inputs, or NULL if there is one
 * @after: the second
 * @incomplete: whether something is missing: events lost, lines malformed, damage
 * @sort: what tables are ordered by
 * @top: rows of a table, 0 for all
 * @filter: what counts, or NULL if all does
 */
struct head {
	const char *command, *input, *what, *before, *after;
	bool incomplete;
	const char *sort;
	u32 top;
	const struct kmem_filter *filter;
};

void head_print(const struct head *h, enum report_format format);

#endif
