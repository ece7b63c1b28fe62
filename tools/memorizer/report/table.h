/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of sums: sorted, limited to their first rows, printed as text, JSON or CSV. */
#ifndef TABLE_H
#define TABLE_H

#include "kmap/kmap.h"
#include "report/term.h"

#define TABLE_COLUMNS	48	/* maximum number of columns */
#define TABLE_TEXTS	10	/* maximum number of texts in a row, besides its name */

/* Format of the cells in a column. */
enum cell {
	CELL_NUMBER,
	CELL_PER,		/* total, and the average per unit of another metric */
	CELL_TENTHS,		/* average per unit of another metric, with one decimal */
	CELL_PERCENT,		/* thousandths of a percent */
	CELL_SECONDS,		/* ns */
	CELL_MEAN_SECONDS,	/* ns, average per unit of another metric */
	CELL_THOUSANDTHS,
	CELL_CHANGE,		/* may be negative */
	CELL_CHANGE_THOUSANDTHS,
	CELL_SHARE,		/* percentage of @of */
	CELL_RATE,		/* per second, over @of ns */
	CELL_HEX,		/* offset: hexadecimal in text, decimal in JSON and CSV */
	CELL_OFFSET,		/* offset of a member in bytes; U32_MAX: unknown */
};

/**
 * struct column - a column
 * @title: its title
 * @key: its key in JSON and CSV, one of those in columns.c
 * @shows: the metric
 * @cell: the format
 * @of: other metric or number that @cell needs; the cell is empty if that is 0
 */
struct column {
	const char *title, *key;
	u32 shows;
	enum cell cell;
	u64 of;
};

/**
 * column_is_signed - check whether the numbers of a column may be negative
 * @c: the column
 *
 * Return: true if they may.
 */
static inline bool column_is_signed(const struct column *c)
{
	return c->cell == CELL_CHANGE || c->cell == CELL_CHANGE_THOUSANDTHS;
}

/**
 * struct text_column - a column of texts
 * @title: its title
 * @key: its key in JSON and CSV
 */
struct text_column {
	const char *title, *key;
};

/**
 * struct row - a row
 * @id: address, pid or other number
 * @name: its name, or NULL; freed with the table
 * @texts: its other texts, or NULL; freed with the table
 * @sum: its sums, by metric
 * @style: style on a terminal
 * @item: number of its item, if the table has items
 */
struct row {
	u64 id;
	char *name, *texts[TABLE_TEXTS];
	const u64 *sum;
	enum style style;
	u32 item;
};

/**
 * struct table_items - items that rows are made of when they are printed
 * @order: the item of each row; NULL: the table has rows
 * @sum: gets the sums of an item
 * @name: sets id, name and texts of the row of an item; its sums are set
 * @data: argument of both
 */
struct table_items {
	u32 *order;
	const u64 *(*sum)(const void *data, u32 item);
	void (*name)(const void *data, u32 item, struct row *row);
	const void *data;
};

/**
 * struct table - a table
 * @title: its title
 * @key: its key in JSON and CSV
 * @id_key: key of the row's id; NULL if rows have none
 * @id_decimal: the id is a decimal number and shown in text
 * @id_seconds: the id is a time in ns, shown in seconds in text
 * @name_title: title of the column of names
 * @name_key: key of the row's name; NULL if rows have only an id
 * @texts: columns of other texts
 * @then: metrics that decide the order among equal rows
 * @columns: the columns, terminated by one without title
 * @rows: the rows, unless there are items
 * @items: items; a row with its texts needs several hundred bytes, and there may be millions
 * @nr: number of rows
 * @left_out: number of further rows, not included in @nr
 * @left_sum: their sums, by metric; NULL: unknown
 * @sums: memory for the sums of rows, freed with the table; or NULL
 */
struct table {
	const char *title, *key, *id_key;
	bool id_decimal, id_seconds;
	const char *name_title, *name_key;
	struct text_column texts[TABLE_TEXTS];
	u32 then[2];
	struct column columns[TABLE_COLUMNS + 1];
	struct row *rows;
	struct table_items items;
	u32 nr;
	u64 left_out;
	const u64 *left_sum;
	u64 *sums;
};

/**
 * struct table_limits - limits of JSON output
 * @table: bytes of rows after which no more are printed, because the table will be cut, see cut.c;
 *	0: unlimited
 * @text: characters of a text; longer ones lose their middle; 0: unlimited
 */
struct table_limits {
	u64 table;
	u32 text;
};

extern struct table_limits table_limits;

/**
 * struct table_order - the argument of --sort
 * @key: key or other name of a column; NULL: not given
 * @found: a table has the column
 */
struct table_order {
	const char *key;
	bool found;
};

struct option;
int option_sort(const struct option *o, const char *arg, int unset);
bool table_order_check(const struct table_order *order, const char *command);
void table_drop(struct table *t, const char *key);
const u64 *table_sum(const struct table *t, u32 row);
void table_sort(struct table *t, struct table_order *order, u32 usual);
u64 table_ratio(u64 n, u64 of, int digits);
void table_add_relative(struct table *t, bool percent, u64 duration, const u64 *total);
void table_print(const struct table *t, u32 top);
void table_json(const struct table *t, u32 top);
void table_csv(const struct table *t, u32 top);
char *table_text(const char *text);
void table_free(struct table *t);
void json_string(const char *text);
void csv_string(const char *text);

#endif
