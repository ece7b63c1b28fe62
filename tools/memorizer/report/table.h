/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of sums: sorted, cut to their first rows, printed as text, JSON or CSV. */
#ifndef TABLE_H
#define TABLE_H

#include "kmap/kmap.h"
#include "report/term.h"

#define TABLE_COLUMNS	48	/* most columns of a table */
#define TABLE_TEXTS	10	/* most texts of a row, beside its name */

/* How a column shows its metric. */
enum cell {
	CELL_NUMBER,
	CELL_PER,		/* total, and the share of one of another metric */
	CELL_TENTHS,		/* a mean of another metric, with one decimal */
	CELL_PERCENT,		/* thousandths of a percent */
	CELL_SECONDS,		/* ns */
	CELL_MEAN_SECONDS,	/* ns, a mean of another metric */
	CELL_THOUSANDTHS,
	CELL_CHANGE,		/* may be negative */
	CELL_CHANGE_THOUSANDTHS,
	CELL_SHARE,		/* of the number @of, in percent */
	CELL_RATE,		/* per second, of @of ns */
	CELL_HEX,		/* an offset: in hex, for machines decimal */
	CELL_OFFSET,		/* of a member in bytes, U32_MAX: not known */
};

/**
 * struct column - a column
 * @title: its head
 * @key: its name in JSON, which is one of those in columns.c
 * @shows: the metric
 * @cell: how
 * @of: the other metric or number, if @cell needs one; a mean or share of nothing is not shown
 */
struct column {
	const char *title, *key;
	u32 shows;
	enum cell cell;
	u64 of;
};

/**
 * column_is_signed - find out whether the numbers of a column may be negative
 * @c: the column
 *
 * Return: whether they may.
 */
static inline bool column_is_signed(const struct column *c)
{
	return c->cell == CELL_CHANGE || c->cell == CELL_CHANGE_THOUSANDTHS;
}

/**
 * struct text_column - a column of texts
 * @title: its head
 * @key: its name in JSON
 */
struct text_column {
	const char *title, *key;
};

/**
 * struct row - a row
 * @id: address or pid
 * @name: its name, NULL when it has none; is freed with the table
 * @texts: its other texts, as @name
 * @sum: its sums, by metric
 * @style: how a terminal shows it
 * @item: the item that it is made of, if it is made of one
 */
struct row {
	u64 id;
	char *name, *texts[TABLE_TEXTS];
	const u64 *sum;
	enum style style;
	u32 item;
};

/**
 * struct table_items - what the rows of a table are made of
 * @order: the item of each row; NULL: the table has its rows
 * @sum: gets the sums of an item
 * @name: sets id, name and texts of an item's row; its sums are set
 * @data: argument of both, the caller's
 */
struct table_items {
	u32 *order;
	const u64 *(*sum)(const void *data, u32 item);
	void (*name)(const void *data, u32 item, struct row *row);
	const void *data;
};

/**
 * struct table - a table
 * @title: its head
 * @key: its name in JSON
 * @id_key: name of the row's id in JSON, NULL when it has none
 * @id_decimal: whether the id is a decimal number, which the text shows too
 * @id_seconds: whether it is a time in ns, which the text shows in seconds
 * @name_title: head of the name's column
 * @name_key: name of the row's name in JSON, NULL when the id is all
 * @texts: columns of other texts
 * @then: metrics that order rows which are equal in what they are sorted by
 * @columns: the columns, ended by one without title
 * @rows: the rows, unless there are items
 * @items: items of which a row is made when it is printed. A row with its texts takes several
 *	   hundred bytes, and there may be millions of rows
 * @nr: number of rows
 * @left_out: how many more there are, that are not counted in @nr
 * @left_sum: their sums, by metric; NULL: not known
 * @sums: memory that is freed with the table, or NULL: where sums of rows are
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
 * struct table_limits - how large what is printed as JSON may become
 * @table: bytes of a table's rows, of which none after them are printed; the tables can be cut
 *	   later, see cut.c. 0: as many as they take
 * @text: characters of a text, 0: all; of a longer one the middle is left out
 */
struct table_limits {
	u64 table;
	u32 text;
};

extern struct table_limits table_limits;

/**
 * struct table_order - what --sort asks for
 * @key: key of a column, or name; NULL: nothing
 * @found: whether a table has it
 */
struct table_order {
	const char *key;
	bool found;
};

struct option;
int option_sort(const struct option *o, const char *arg, int unset);
bool table_order_set(struct table_order *order, const char *command, const char *key);
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
