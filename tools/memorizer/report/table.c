// SPDX-License-Identifier: GPL-2.0
/*
 * Tables of sums: sorted, limited to their first rows, printed as text, JSON or CSV.
 *
 * Written by hand, because libsmartcols cannot print the layout of perf kmem stat, and because
 * rows are printed as they are made, while json-c would keep all of them in memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"
#include "report/cut.h"
#include "options.h"
#include "report/table.h"
#include "symbols/kmap-symbols.h"

#define CELL_MAX	48			/* two numbers of 20 digits and a slash */
#define LABEL_MAX	(KMAP_SYMBOL_MAX + 32)
#define NAME_WIDTH	34			/* as in perf kmem stat */

struct table_limits table_limits;

#define NAME_MIN	20			/* minimum width on a narrow terminal */
#define TEXT_MIN	12			/* minimum width of another text */
#define COLUMNS_MIN	3			/* columns that stay visible while */
#define TEXTS_MIN	2			/* ... there are more texts than this */

/* Widths in characters, longest label, and number of visible columns and texts. */
struct layout {
	int label, longest, rule, columns, texts;
	int text[TABLE_TEXTS], column[TABLE_COLUMNS];
};

/*
 * Sort keys: a text, unless negative; then a column or the sum of two, if set; then metrics,
 * or only the name.
 */
struct order {
	const struct column *by, *plus;
	u32 metrics[3];
	int text;
	bool by_name;
};

static int compare_texts(const char *a, const char *b)
{
	if (a && b)
		return strcmp(a, b);
	/* Missing texts come last. */
	return !a - !b;
}

static int compare_names(const struct row *a, const struct row *b)
{
	int names = compare_texts(a->name, b->name), i;

	for (i = 0; !names && i < TABLE_TEXTS; i++)
		names = compare_texts(a->texts[i], b->texts[i]);
	if (names)
		return names;
	return (a->id > b->id) - (a->id < b->id);
}

/* Returns whether a row has a value in a column. */
static bool is_shown(const struct column *c, const u64 *sum)
{
	switch (c->cell) {
	case CELL_TENTHS:
	case CELL_MEAN_SECONDS:
		return sum[c->of];
	case CELL_SHARE:
		return c->of;
	case CELL_OFFSET:
		return sum[c->shows] < U32_MAX;
	default:
		return true;
	}
}

/* Sort key of a column; empty cells come last. */
static u64 rank(const struct column *c, const u64 *sum)
{
	u64 n = sum[c->shows];

	if (!is_shown(c, sum))
		return 0;
	/* Make negative changes smaller than positive ones. */
	if (column_is_signed(c))
		n ^= 1ULL << 63;
	return n < U64_MAX ? n + 1 : n;
}

static int compare_ranks(const struct order *order, const u64 *a, const u64 *b)
{
	u64 left, right;

	if (!order->by)
		return 0;
	left = rank(order->by, a);
	right = rank(order->by, b);
	if (order->plus && __builtin_add_overflow(left, a[order->plus->shows], &left))
		left = U64_MAX;
	if (order->plus && __builtin_add_overflow(right, b[order->plus->shows], &right))
		right = U64_MAX;
	return (left < right) - (left > right);
}

/* In descending order. */
static int compare_sums(const struct order *order, const u64 *a, const u64 *b)
{
	const u32 *metrics = order->metrics;
	int before = compare_ranks(order, a, b);
	size_t i;

	for (i = 0; !before && !order->by_name && i < ARRAY_SIZE(order->metrics); i++)
		before = (a[metrics[i]] < b[metrics[i]]) - (a[metrics[i]] > b[metrics[i]]);
	return before;
}

static int compare(const void *left, const void *right, void *arg)
{
	const struct order *order = arg;
	const struct row *a = left, *b = right;
	int before = 0;

	if (order->text >= 0)
		before = compare_texts(a->texts[order->text], b->texts[order->text]);
	if (!before)
		before = compare_sums(order, a->sum, b->sum);
	return before ? before : compare_names(a, b);
}

/* Order of items. */
struct item_order {
	const struct table *t;
	const struct order *order;
};

/* Compare items without their texts; 0 if these decide. */
static int compare_items(const void *left, const void *right, void *arg)
{
	const struct item_order *by = arg;
	const struct table_items *items = &by->t->items;

	if (by->order->text >= 0)
		return 0;
	return compare_sums(by->order, items->sum(items->data, *(const u32 *)left),
			    items->sum(items->data, *(const u32 *)right));
}

/* The column of texts with a key, or -1. */
static int text_column(const struct table *t, const char *key)
{
	int c;

	for (c = 0; c < TABLE_TEXTS && t->texts[c].key; c++)
		if (!strcmp(t->texts[c].key, key))
			return c;
	return -1;
}

/**
 * option_sort - handle --sort
 * @o: the option; its value is a struct table_order
 * @arg: its argument
 * @unset: unused
 *
 * Return: 0; exits if no table has such a column.
 */
int option_sort(const struct option *o, const char *arg, int unset)
{
	static const char * const texts[] = { "name", "type", "field" };
	struct table_order *order = o->value;
	size_t i;

	(void)unset;
	*order = (struct table_order){ .key = arg };
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		if (!strcmp(arg, texts[i]))
			return 0;
	if (columns_known(arg))
		return 0;
	return option_refuse(o, arg, "a column, by its key in JSON, or name, type or field");
}

/**
 * table_order_check - check that a printed table had the column of --sort
 * @order: the order, after table_sort() of all tables
 * @command: the command, for the message
 *
 * Return: true if one had it, false after a message.
 */
bool table_order_check(const struct table_order *order, const char *command)
{
	if (!order->key || order->found)
		return true;
	fprintf(stderr, "memorizer %s: --sort %s: no table has this column\n", command,
		order->key);
	return false;
}

/**
 * table_drop - remove a column of texts
 * @t: the table
 * @key: key of the column; may be missing
 */
void table_drop(struct table *t, const char *key)
{
	int c = text_column(t, key), last = TABLE_TEXTS - 1;
	size_t nr = last - c;
	u32 i;

	if (c < 0)
		return;
	memmove(t->texts + c, t->texts + c + 1, nr * sizeof(*t->texts));
	t->texts[last] = (struct text_column){ NULL };
	for (i = 0; i < t->nr; i++) {
		free(t->rows[i].texts[c]);
		memmove(t->rows[i].texts + c, t->rows[i].texts + c + 1,
			nr * sizeof(*t->rows[i].texts));
		t->rows[i].texts[last] = NULL;
	}
}

static void free_texts(struct row *row)
{
	int i;

	free(row->name);
	for (i = 0; i < TABLE_TEXTS; i++)
		free(row->texts[i]);
}

/* Make rows of items. */
static struct row *make_rows(const struct table_items *items, const u32 *order, u32 nr)
{
	struct row *rows = xreallocarray(NULL, nr + 1ull, sizeof(*rows));
	u32 i;

	for (i = 0; i < nr; i++) {
		rows[i] = (struct row){ .sum = items->sum(items->data, order[i]),
					.item = order[i] };
		items->name(items->data, order[i], rows + i);
	}
	return rows;
}

static void free_rows(struct row *rows, u32 nr)
{
	u32 i;

	for (i = 0; i < nr; i++)
		free_texts(rows + i);
	free(rows);
}

/* Sort items with equal sums by their texts, which are made for these only. */
static void sort_by_texts(const struct table_items *items, u32 *order, u32 nr, struct order *o)
{
	struct row *rows = make_rows(items, order, nr);
	u32 i;

	qsort_r(rows, nr, sizeof(*rows), compare, o);
	for (i = 0; i < nr; i++)
		order[i] = rows[i].item;
	free_rows(rows, nr);
}

static void sort_items(const struct table *t, struct order *o)
{
	struct item_order by = { t, o };
	u32 *order = t->items.order, begin, end;

	qsort_r(order, t->nr, sizeof(*order), compare_items, &by);
	for (begin = 0; begin < t->nr; begin = end) {
		for (end = begin + 1; end < t->nr; end++)
			if (compare_items(order + begin, order + end, &by))
				break;
		if (end - begin > 1)
			sort_by_texts(&t->items, order + begin, end - begin, o);
	}
}

/**
 * table_sum - get the sums of a row
 * @t: the table
 * @row: number of the row
 *
 * Return: the sums, by metric.
 */
const u64 *table_sum(const struct table *t, u32 row)
{
	const struct table_items *items = &t->items;

	return items->order ? items->sum(items->data, items->order[row]) : t->rows[row].sum;
}

/**
 * table_sort - sort the rows
 * @t: the table
 * @order: argument of --sort; @found is set if the table has the column
 * @usual: metric to sort by otherwise, in descending order
 */
void table_sort(struct table *t, struct table_order *order, u32 usual)
{
	struct order o = { NULL, NULL, { usual, t->then[0], t->then[1] }, -1, false };
	const char *key = order->key;

	if (key) {
		o.by_name = !strcmp(key, "name") || (t->name_key && !strcmp(t->name_key, key));
		o.text = text_column(t, key);
		o.by = columns_sort(t, key, &o.plus);
		order->found |= o.by_name || o.text >= 0 || o.by;
	}
	if (t->items.order)
		sort_items(t, &o);
	else if (t->nr)
		qsort_r(t->rows, t->nr, sizeof(*t->rows), compare, &o);
}

/**
 * table_ratio - divide two numbers
 * @n: dividend
 * @of: divisor
 * @digits: number of decimals
 *
 * Return: the quotient times 10^@digits, rounded down, at most U64_MAX; 0 if @of is 0.
 */
u64 table_ratio(u64 n, u64 of, int digits)
{
	u64 quotient, rest;

	/* The rest is multiplied by 10 below. */
	for (; of > U64_MAX / 10; of /= 2)
		n /= 2;
	if (!of)
		return 0;
	quotient = n / of;
	for (rest = n % of; digits; digits--) {
		rest *= 10;
		if (__builtin_mul_overflow(quotient, 10, &quotient) ||
		    __builtin_add_overflow(quotient, rest / of, &quotient))
			return U64_MAX;
		rest %= of;
	}
	return quotient;
}

/* Sum of a column over all rows, including omitted ones. */
static u64 column_sum(const struct table *t, const struct column *c)
{
	u64 sum = t->left_sum ? t->left_sum[c->shows] : 0;
	u32 i;

	for (i = 0; i < t->nr; i++)
		if (__builtin_add_overflow(sum, table_sum(t, i)[c->shows], &sum))
			return U64_MAX;
	return sum;
}

/**
 * table_add_relative - add the share or the rate of each column with a sum
 * @t: the table with its rows
 * @percent: add shares
 * @duration: ns that rates refer to; 0: add no rates
 * @total: totals that shares refer to, by metric, 0: unknown; NULL: the sums over the rows
 */
void table_add_relative(struct table *t, bool percent, u64 duration, const u64 *total)
{
	struct column columns[TABLE_COLUMNS + 1], *c;
	u32 nr = 0;
	u64 sum;

	/* A column may become three. */
	for (c = t->columns; c->title && nr + 3 <= TABLE_COLUMNS; c++) {
		columns[nr++] = *c;
		if (!columns_add_up(c->key))
			continue;
		sum = total ? total[c->shows] : column_sum(t, c);
		if (percent && sum)
			columns[nr++] = (struct column){
				"%", columns_percent(c->key), c->shows, CELL_SHARE, sum,
			};
		if (duration && columns_rate(c->key))
			columns[nr++] = (struct column){
				"/s", columns_rate(c->key), c->shows, CELL_RATE, duration,
			};
	}
	columns[nr] = (struct column){ NULL };
	memcpy(t->columns, columns, sizeof(columns));
}

/* The first cell of a row. */
static void write_label(const struct table *t, const struct row *r, char text[LABEL_MAX])
{
	const char *name = r->name ? r->name : "[unknown]";

	if (t->id_seconds && r->id == U64_MAX)
		snprintf(text, LABEL_MAX, "any");
	else if (t->id_seconds)
		snprintf(text, LABEL_MAX, "%llu.%09llu", r->id / 1000000000, r->id % 1000000000);
	else if (!t->name_key)
		snprintf(text, LABEL_MAX, "%llu", r->id);
	else if (t->id_decimal)
		snprintf(text, LABEL_MAX, "%7llu %s", r->id, name);
	else
		snprintf(text, LABEL_MAX, "%s", name);
}

/* A change in thousandths, possibly negative. */
static void write_change(u64 n, const char *plus, char text[CELL_MAX])
{
	u64 size = n > U64_MAX / 2 ? -n : n;

	snprintf(text, CELL_MAX, "%s%llu.%03llu", !n ? "" : n > U64_MAX / 2 ? "-" : plus,
		 size / 1000, size % 1000);
}

static void write_cell(const struct column *c, const u64 *sum, char text[CELL_MAX])
{
	u64 n = sum[c->shows];

	if (!is_shown(c, sum)) {
		snprintf(text, CELL_MAX, "-");
		return;
	}
	if (c->cell == CELL_SHARE)
		n = table_ratio(n, c->of, 5);
	else if (c->cell == CELL_RATE)
		n = table_ratio(n, c->of, 12);
	switch (c->cell) {
	case CELL_PER:
		snprintf(text, CELL_MAX, "%llu/%llu", n, sum[c->of] ? n / sum[c->of] : 0);
		break;
	case CELL_SHARE:
	case CELL_PERCENT:
		snprintf(text, CELL_MAX, "%llu.%03llu%%", n / 1000, n % 1000);
		break;
	case CELL_RATE:
	case CELL_THOUSANDTHS:
		snprintf(text, CELL_MAX, "%llu.%03llu", n / 1000, n % 1000);
		break;
	case CELL_CHANGE_THOUSANDTHS:
		write_change(n, "+", text);
		break;
	case CELL_SECONDS:
	case CELL_MEAN_SECONDS:
		snprintf(text, CELL_MAX, "%llu.%06llu", n / 1000000000, n / 1000 % 1000000);
		break;
	case CELL_CHANGE:
		snprintf(text, CELL_MAX, "%s%llu", !n ? "" : n > U64_MAX / 2 ? "-" : "+",
			 n > U64_MAX / 2 ? -n : n);
		break;
	case CELL_HEX:
		snprintf(text, CELL_MAX, "0x%llx", n);
		break;
	case CELL_TENTHS:
		snprintf(text, CELL_MAX, "%llu.%u", n / 10, (unsigned int)(n % 10));
		break;
	default:
		snprintf(text, CELL_MAX, "%llu", n);
	}
}

static int longer(int width, const char *text)
{
	int len = strlen(text);

	return width < len ? len : width;
}

/* Placeholder for a missing text. */
static const char *shown(const char *text)
{
	return text ? text : "-";
}

/* Reduce a column by the excess width, but not below @min. */
static void reduce(struct layout *l, int *width, int min, int terminal)
{
	int excess = l->rule - terminal, most = *width - min;

	if (excess > most)
		excess = most;
	if (excess <= 0)
		return;
	*width -= excess;
	l->rule -= excess;
}

/*
 * Hide the last column or text. With enough room, three columns and two texts stay. Returns
 * false if there is nothing left to hide.
 */
static bool leave_out(struct layout *l)
{
	if (l->columns > COLUMNS_MIN || (l->texts <= TEXTS_MIN && l->columns > 1))
		l->rule -= l->column[--l->columns] + 3;
	else if (l->texts)
		l->rule -= l->text[--l->texts] + 3;
	else
		return false;
	return true;
}

/* Give a text the remaining room, up to the width it wants. */
static void widen(struct layout *l, int *width, int wanted, int terminal)
{
	int room = terminal - l->rule;

	if (room > wanted - *width)
		room = wanted - *width;
	if (room <= 0)
		return;
	*width += room;
	l->rule += room;
}

/* Fit the table to the terminal: shorten texts, then hide columns and texts. */
static void fit(struct layout *l)
{
	struct layout wanted = *l;
	int terminal = term_width(), c;

	if (!terminal)
		return;
	reduce(l, &l->label, l->longest < NAME_MIN ? l->longest : NAME_MIN, terminal);
	for (c = 0; c < l->texts; c++)
		reduce(l, l->text + c, TEXT_MIN, terminal);
	while (l->rule > terminal && leave_out(l))
		;
	for (c = 0; c < l->texts; c++)
		widen(l, l->text + c, wanted.text[c], terminal);
	widen(l, &l->label, wanted.label, terminal);
}

/* Shorten a text: drop the size of a function first, then the middle. */
static void cut(char *text, int width)
{
	int len = strlen(text), size, tail;
	char *slash = strstr(text, "/0x");

	if (len > width && slash) {
		size = strcspn(slash, " ");
		memmove(slash, slash + size, strlen(slash + size) + 1);
		len -= size;
	}
	if (len <= width)
		return;
	tail = (width - 2) / 2;
	memmove(text + width - tail, text + len - tail, tail + 1);
	memcpy(text + width - tail - 2, "..", 2);
}

static void measure(const struct table *t, const struct row *rows, u32 nr, struct layout *l)
{
	char text[LABEL_MAX];
	u32 i;
	int c;

	l->longest = strlen(t->name_title);
	for (i = 0; i < nr; i++) {
		write_label(t, rows + i, text);
		l->longest = longer(l->longest, text);
	}
	l->label = l->longest > NAME_WIDTH ? l->longest : NAME_WIDTH;
	l->rule = l->label + 2;
	for (c = 0; c < TABLE_TEXTS && t->texts[c].title; c++) {
		l->text[c] = strlen(t->texts[c].title);
		for (i = 0; i < nr; i++)
			l->text[c] = longer(l->text[c], shown(rows[i].texts[c]));
		l->rule += l->text[c] + 3;
	}
	l->texts = c;
	for (c = 0; t->columns[c].title; c++) {
		l->column[c] = strlen(t->columns[c].title);
		for (i = 0; i < nr; i++) {
			write_cell(t->columns + c, rows[i].sum, text);
			l->column[c] = longer(l->column[c], text);
		}
		l->rule += l->column[c] + 3;
	}
	l->columns = c;
}

static void print_rule(const struct layout *l)
{
	int i;

	printf("%s", term_style(STYLE_RULE));
	for (i = 0; i < l->rule; i++)
		putchar('-');
	printf("%s\n", term_plain());
}

/* Width of a text; the last one on a line is not padded. */
static int text_width(const struct layout *l, int c)
{
	return !l->columns && c + 1 == l->texts ? 0 : l->text[c];
}

static void print_head(const struct table *t, const struct layout *l)
{
	char title[LABEL_MAX];
	int c;

	printf("\n%s%s%s\n", term_style(STYLE_TITLE), t->title, term_plain());
	print_rule(l);
	printf("%s %-*s", term_style(STYLE_HEAD), l->label, t->name_title);
	for (c = 0; c < l->texts; c++) {
		snprintf(title, sizeof(title), "%s", t->texts[c].title);
		cut(title, l->text[c]);
		printf(" | %-*s", text_width(l, c), title);
	}
	for (c = 0; c < l->columns; c++)
		printf(" | %*s", l->column[c], t->columns[c].title);
	printf("%s\n", term_plain());
	print_rule(l);
}

static void print_row(const struct table *t, const struct row *r, const struct layout *l)
{
	char text[LABEL_MAX];
	int c;

	write_label(t, r, text);
	cut(text, l->label);
	printf("%s %-*s", term_style(r->style), l->label, text);
	for (c = 0; c < l->texts; c++) {
		snprintf(text, sizeof(text), "%s", shown(r->texts[c]));
		cut(text, l->text[c]);
		printf(" | %-*s", text_width(l, c), text);
	}
	for (c = 0; c < l->columns; c++) {
		write_cell(t->columns + c, r->sum, text);
		printf(" | %*s", l->column[c], text);
	}
	printf("%s\n", r->style ? term_plain() : "");
}

/*
 * Print the title of a hidden column, wrapping lines; @at: current position. Returns the new
 * one.
 */
static size_t print_title(const char *title, size_t at)
{
	if (!at)
		return printf(" no room for %s", title);
	if (at + strlen(title) + 3 > term_width())
		/* The comma and the newline do not count for the position. */
		return printf(",\n %s", title) - 2;
	return at + printf(", %s", title);
}

/* Print which texts and columns are hidden. */
static void print_left_out(const struct table *t, const struct layout *l)
{
	size_t at = 0;
	int c;

	for (c = l->texts; c < TABLE_TEXTS && t->texts[c].title; c++)
		at = print_title(t->texts[c].title, at);
	for (c = l->columns; t->columns[c].title; c++)
		at = print_title(t->columns[c].title, at);
	if (at)
		putchar('\n');
}

/**
 * table_print - print a table as text, fitted to the terminal
 * @t: the table; nothing is printed without rows
 * @top: number of rows, 0: all
 */
void table_print(const struct table *t, u32 top)
{
	u32 nr = top && top < t->nr ? top : t->nr, i;
	struct row *rows = t->rows;
	struct layout l;

	if (!t->nr)
		return;
	if (t->items.order)
		rows = make_rows(&t->items, t->items.order, nr);
	measure(t, rows, nr, &l);
	fit(&l);
	print_head(t, &l);
	for (i = 0; i < nr; i++)
		print_row(t, rows + i, &l);
	if (nr < t->nr || t->left_out)
		printf(" ... and %llu more\n", t->nr - nr + t->left_out);
	print_left_out(t, &l);
	print_rule(&l);
	if (t->items.order)
		free_rows(rows, nr);
}

/*
 * Characters that need no escape in JSON. < does, because a page may embed the string in a
 * script.
 */
static bool is_plain(char c)
{
	return c >= ' ' && c <= '~' && c != '"' && c != '\\' && c != '<';
}

/* Print part of a JSON string. */
static void print_json_part(const char *text, size_t len)
{
	const char *end = text + len, *begin;

	while (text < end) {
		for (begin = text; text < end && is_plain(*text); text++)
			;
		fwrite_unlocked(begin, 1, text - begin, stdout);
		if (text == end)
			break;
		if (*text == '"' || *text == '\\')
			printf("\\%c", *text++);
		else
			printf("\\u%04x", (unsigned char)*text++);
	}
}

/**
 * json_string - print a JSON string
 * @text: any text, or NULL for null; unprintable bytes are escaped one by one
 */
void json_string(const char *text)
{
	size_t len = text ? strlen(text) : 0, most = table_limits.text;

	if (!text) {
		fputs_unlocked("null", stdout);
		return;
	}
	putchar_unlocked('"');
	if (most && len > most) {
		print_json_part(text, most / 2);
		fputs_unlocked("..", stdout);
		text += len - most / 2;
		len = most / 2;
	}
	print_json_part(text, len);
	putchar_unlocked('"');
}

/* A cell as a number; empty if there is no value. */
static void write_number(const struct column *c, const u64 *sum, char text[CELL_MAX])
{
	if (!is_shown(c, sum))
		*text = '\0';
	else if (c->cell == CELL_SECONDS || c->cell == CELL_MEAN_SECONDS || c->cell == CELL_HEX)
		snprintf(text, CELL_MAX, "%llu", sum[c->shows]);
	else if (c->cell == CELL_CHANGE)
		snprintf(text, CELL_MAX, "%lld", (long long)sum[c->shows]);
	else if (c->cell == CELL_CHANGE_THOUSANDTHS)
		write_change(sum[c->shows], "", text);
	else
		write_cell(c, sum, text);
	/* Without the mean of CELL_PER, and without the percent sign. */
	if (*text)
		text[1 + strcspn(text + 1, "/%")] = '\0';
}

static void json_row(const struct table *t, const struct row *r)
{
	const char *comma = "";
	const struct column *c;
	char text[CELL_MAX];
	int i;

	printf("{");
	if (t->id_key) {
		printf(t->id_decimal ? "\"%s\": %llu" : "\"%s\": \"%llx\"", t->id_key, r->id);
		comma = ", ";
	}
	if (t->name_key) {
		printf("%s\"%s\": ", comma, t->name_key);
		json_string(r->name);
	}
	for (i = 0; i < TABLE_TEXTS && t->texts[i].title; i++) {
		printf(", \"%s\": ", t->texts[i].key);
		json_string(r->texts[i]);
	}
	for (c = t->columns; c->title; c++) {
		write_number(c, r->sum, text);
		printf(", \"%s\": %s", c->key, *text ? text : "null");
	}
	printf("}");
}

/* Print a row, which may have to be made first. */
static void machine_row(const struct table *t, u32 i,
			void (*print)(const struct table *t, const struct row *r))
{
	struct row *made;

	if (!t->items.order) {
		print(t, t->rows + i);
		return;
	}
	made = make_rows(&t->items, t->items.order + i, 1);
	print(t, made);
	free_rows(made, 1);
}

/**
 * table_json - print a table as a JSON member, and the sums over omitted rows as another
 * @t: the table
 * @top: number of rows, 0: all
 */
void table_json(const struct table *t, u32 top)
{
	u32 most = top && top < t->nr ? top : t->nr, rows = 0;
	struct cut *cut;

	printf("\"%s\": [", t->key);
	cut = cut_begin(t);
	while (rows < most) {
		printf(rows ? ",\n\t\t" : "\n\t\t");
		machine_row(t, rows++, json_row);
		if (!cut_row(cut))
			break;
	}
	printf("]");
	if (rows < t->nr || t->left_out)
		cut_print_rest(t, rows);
	cut_end(cut, t, rows);
}

/**
 * csv_string - print a CSV field
 * @text: any text, or NULL for an empty field
 */
void csv_string(const char *text)
{
	if (!text)
		return;
	if (!text[strcspn(text, ",\"\r\n")]) {
		fputs_unlocked(text, stdout);
		return;
	}
	putchar('"');
	for (; *text; text++) {
		if (*text == '"')
			putchar('"');
		putchar(*text);
	}
	putchar('"');
}

static void csv_row(const struct table *t, const struct row *r)
{
	const struct column *c;
	char text[CELL_MAX];
	int i;

	printf("%s", t->key);
	if (t->id_key)
		printf(t->id_decimal ? ",%llu" : ",%llx", r->id);
	if (t->name_key) {
		putchar(',');
		csv_string(r->name);
	}
	for (i = 0; i < TABLE_TEXTS && t->texts[i].title; i++) {
		putchar(',');
		csv_string(r->texts[i]);
	}
	for (c = t->columns; c->title; c++) {
		write_number(c, r->sum, text);
		printf(",%s", text);
	}
	putchar('\n');
}

/**
 * table_csv - print a table as CSV: an empty line, the keys, the rows
 * @t: the table; nothing is printed without rows
 * @top: number of rows, 0: all
 *
 * Rows begin with the key of the table, the line of keys with "table".
 */
void table_csv(const struct table *t, u32 top)
{
	u32 rows = top && top < t->nr ? top : t->nr, i;
	const struct column *c;

	if (!t->nr)
		return;
	printf("\ntable");
	if (t->id_key)
		printf(",%s", t->id_key);
	if (t->name_key)
		printf(",%s", t->name_key);
	for (i = 0; i < TABLE_TEXTS && t->texts[i].title; i++)
		printf(",%s", t->texts[i].key);
	for (c = t->columns; c->title; c++)
		printf(",%s", c->key);
	putchar('\n');
	for (i = 0; i < rows; i++)
		machine_row(t, i, csv_row);
}

/**
 * table_text - copy a text for a row
 * @text: the text
 *
 * Return: the copy, freed with the table.
 */
char *table_text(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(xreallocarray(NULL, size, 1), text, size);
}

/**
 * table_free - free the rows
 * @t: the table
 */
void table_free(struct table *t)
{
	if (t->items.order)
		free(t->items.order);
	else
		free_rows(t->rows, t->nr);
	free(t->sums);
}
