/* SPDX-License-Identifier: GPL-2.0 */
/* Makes only those rows of a table that are printed. */
#ifndef ROWS_H
#define ROWS_H

#include "report/table.h"

/**
 * struct row_items - the items of a table
 * @nr: number of items
 * @metrics: number of sums per item
 * @sum: sets the sums of an item, initially 0; returns whether the item has a row
 * @name: sets name, texts and id of the row of an item; its sums are set
 * @data: argument of both
 */
struct row_items {
	u32 nr, metrics;
	bool (*sum)(void *data, u32 item, u64 *sum);
	void (*name)(void *data, u32 item, struct row *row);
	void *data;
};

void rows_fill(struct table *t, const struct row_items *items, u32 first, u32 top);

#endif
