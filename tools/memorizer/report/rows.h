/* SPDX-License-Identifier: GPL-2.0 */
/* Rows of a table, made of items: only of those that are among its first rows. */
#ifndef ROWS_H
#define ROWS_H

#include "report/table.h"

/**
 * struct row_items - the items that a table may show
 * @nr: number of items
 * @metrics: number of sums that an item has
 * @sum: sets the sums of an item, which are all 0; returns whether the item has a row
 * @name: sets the name, texts and id of an item's row; its sums are set
 * @data: argument of both, the caller's
 */
struct row_items {
	u32 nr, metrics;
	bool (*sum)(void *data, u32 item, u64 *sum);
	void (*name)(void *data, u32 item, struct row *row);
	void *data;
};

void rows_fill(struct table *t, const struct row_items *items, u32 first, u32 top);

#endif
