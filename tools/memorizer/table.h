/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of sums: sorted, cut to their first rows, printed as text or as JSON. */
#ifndef TABLE_H
#define TABLE_H

#include "aggregate.h"

#define TABLE_COLUMNS	8	/* most columns of a table */

/* How a column shows its metric. */
enum cell {
	CELL_NUMBER,
	CELL_PER,		/* total, and its share of one object */
	CELL_TENTHS,		/* a mean with one decimal */
};

/**
 * struct column - a column
 * @title: its head
 * @key: its name in JSON
 * @shows: the metric
 * @cell: how
 */
struct column {
	const char *title, *key;
	enum metric shows;
	enum cell cell;
};

/**
 * struct row - a row
 * @id: address or pid
 * @name: its name, NULL when it has none; is freed with the table
 * @sum: its sums
 */
struct row {
	u64 id;
	char *name;
	const u64 *sum;
};

/**
 * struct table - a table
 * @title: its head
 * @key: its name in JSON
 * @id_key: name of the row's id in JSON, NULL when it has none
 * @id_decimal: whether the id is a decimal number, which the text shows too
 * @name_title: head of the name's column
 * @name_key: name of the row's name in JSON
 * @columns: the columns, ended by one without title
 * @rows: the rows
 * @nr: number of rows
 */
struct table {
	const char *title, *key, *id_key;
	bool id_decimal;
	const char *name_title, *name_key;
	struct column columns[TABLE_COLUMNS + 1];
	struct row *rows;
	u32 nr;
};

void table_sort(struct table *t, enum metric first, bool by_name);
void table_print(const struct table *t, u32 top);
void table_json(const struct table *t, u32 top);
void table_free(struct table *t);
void json_string(const char *text);

#endif
