/* SPDX-License-Identifier: GPL-2.0 */
/* The head of JSON and CSV output: command, input, filters, completeness. */
#ifndef HEAD_H
#define HEAD_H

#include "report/filter.h"

#define FORMAT_VERSION	2	/* of JSON and CSV; see memorizer-formats(5) */

enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV };

/**
 * struct head - the head of a report
 * @command: the command
 * @input: kmap or trace
 * @what: type, member or function that the command is about; or NULL
 * @before: the first of two inputs; or NULL
 * @after: the second input
 * @incomplete: events were lost, or the input is damaged
 * @sort: key that tables are sorted by
 * @top: rows of a table, 0: all
 * @filter: the filter, or NULL
 * @stacks: the input has stacks, to which the filter's patterns of functions apply
 */
struct head {
	const char *command, *input, *what, *before, *after;
	bool incomplete;
	const char *sort;
	u32 top;
	const struct kmem_filter *filter;
	bool stacks;
};

void head_print(const struct head *h, enum report_format format);

#endif
