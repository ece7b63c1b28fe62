// SPDX-License-Identifier: GPL-2.0
/* Tables of sums: sorted, cut to their first rows, printed as text, JSON or CSV. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "table.h"

#define CELL_MAX	48			/* two numbers of 20 digits and a slash */
#define LABEL_MAX	(KMAP_SYMBOL_MAX + 32)
#define NAME_WIDTH	34			/* as perf kmem stat has it */

/* Widths, in characters. */
struct layout {
	int label, rule;
	int text[TABLE_TEXTS], column[TABLE_COLUMNS];
};

struct order {
	u32 metrics[3];
	bool by_name;
};

static int compare_texts(const char *a, const char *b)
{
	if (a && b)
		return strcmp(a, b);
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

/* Largest first. */
static int compare(const void *left, const void *right, void *arg)
{
	const struct order *order = arg;
	const u32 *metrics = order->metrics;
	const struct row *a = left, *b = right;
	size_t i;

	for (i = 0; !order->by_name && i < ARRAY_SIZE(order->metrics); i++)
		if (a->sum[metrics[i]] != b->sum[metrics[i]])
			return a->sum[metrics[i]] > b->sum[metrics[i]] ? -1 : 1;
	return compare_names(a, b);
}

/**
 * table_sort - order the rows
 * @t: the table
 * @first: by what, largest first
 * @by_name: order by name instead
 */
void table_sort(struct table *t, u32 first, bool by_name)
{
	struct order order = { { first, t->then[0], t->then[1] }, by_name };

	qsort_r(t->rows, t->nr, sizeof(*t->rows), compare, &order);
}

/* What stands in a row's first column. */
static void write_label(const struct table *t, const struct row *r, char text[LABEL_MAX])
{
	const char *name = r->name ? r->name : "[unknown]";

	if (!t->name_key)
		snprintf(text, LABEL_MAX, "%llu", r->id);
	else if (t->id_decimal)
		snprintf(text, LABEL_MAX, "%7llu %s", r->id, name);
	else
		snprintf(text, LABEL_MAX, "%s", name);
}

static void write_cell(const struct column *c, const u64 *sum, char text[CELL_MAX])
{
	u64 n = sum[c->shows];

	switch (c->cell) {
	case CELL_PER:
		snprintf(text, CELL_MAX, "%llu/%llu", n, sum[c->of] ? n / sum[c->of] : 0);
		break;
	case CELL_PERCENT:
		snprintf(text, CELL_MAX, "%llu.%03llu%%", n / 1000, n % 1000);
		break;
	case CELL_SECONDS:
		snprintf(text, CELL_MAX, "%llu.%06llu", n / 1000000000, n / 1000 % 1000000);
		break;
	case CELL_TENTHS:
		if (sum[c->of])
			snprintf(text, CELL_MAX, "%llu.%u", n / 10, (unsigned int)(n % 10));
		else
			snprintf(text, CELL_MAX, "-");
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

/* What stands for a text. */
static const char *shown(const char *text)
{
	return text ? text : "-";
}

static void measure(const struct table *t, u32 rows, struct layout *l)
{
	char text[LABEL_MAX];
	u32 i;
	int c;

	l->label = NAME_WIDTH;
	for (i = 0; i < rows; i++) {
		write_label(t, t->rows + i, text);
		l->label = longer(l->label, text);
	}
	l->rule = l->label + 2;
	for (c = 0; c < TABLE_TEXTS && t->texts[c].title; c++) {
		l->text[c] = strlen(t->texts[c].title);
		for (i = 0; i < rows; i++)
			l->text[c] = longer(l->text[c], shown(t->rows[i].texts[c]));
		l->rule += l->text[c] + 3;
	}
	for (c = 0; t->columns[c].title; c++) {
		l->column[c] = strlen(t->columns[c].title);
		for (i = 0; i < rows; i++) {
			write_cell(t->columns + c, t->rows[i].sum, text);
			l->column[c] = longer(l->column[c], text);
		}
		l->rule += l->column[c] + 3;
	}
}

static void print_rule(const struct layout *l)
{
	int i;

	for (i = 0; i < l->rule; i++)
		putchar('-');
	putchar('\n');
}

static void print_head(const struct table *t, const struct layout *l)
{
	int c;

	printf("\n%s\n", t->title);
	print_rule(l);
	printf(" %-*s", l->label, t->name_title);
	for (c = 0; c < TABLE_TEXTS && t->texts[c].title; c++)
		printf(" | %-*s", l->text[c], t->texts[c].title);
	for (c = 0; t->columns[c].title; c++)
		printf(" | %*s", l->column[c], t->columns[c].title);
	putchar('\n');
	print_rule(l);
}

static void print_row(const struct table *t, const struct row *r, const struct layout *l)
{
	char text[LABEL_MAX];
	int c;

	write_label(t, r, text);
	printf(" %-*s", l->label, text);
	for (c = 0; c < TABLE_TEXTS && t->texts[c].title; c++)
		printf(" | %-*s", l->text[c], shown(r->texts[c]));
	for (c = 0; t->columns[c].title; c++) {
		write_cell(t->columns + c, r->sum, text);
		printf(" | %*s", l->column[c], text);
	}
	putchar('\n');
}

/**
 * table_print - print a table as text
 * @t: the table; nothing is printed when it has no rows
 * @top: how many rows, 0 for all
 */
void table_print(const struct table *t, u32 top)
{
	u32 rows = top && top < t->nr ? top : t->nr, i;
	struct layout l;

	if (!t->nr)
		return;
	measure(t, rows, &l);
	print_head(t, &l);
	for (i = 0; i < rows; i++)
		print_row(t, t->rows + i, &l);
	if (rows < t->nr)
		printf(" ... and %u more\n", t->nr - rows);
	print_rule(&l);
}

/**
 * json_string - print a JSON string
 * @text: any text, or NULL for null; what is unprintable is escaped byte by byte
 */
void json_string(const char *text)
{
	if (!text) {
		printf("null");
		return;
	}
	putchar('"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			putchar('\\');
		if (*text >= ' ' && *text <= '~')
			putchar(*text);
		else
			printf("\\u%04x", (unsigned char)*text);
	}
	putchar('"');
}

/* A cell as a number, the empty string where there is none. */
static void write_number(const struct column *c, const u64 *sum, char text[CELL_MAX])
{
	if (c->cell == CELL_SECONDS)
		snprintf(text, CELL_MAX, "%llu", sum[c->shows]);
	else
		write_cell(c, sum, text);
	text[strcspn(text, "/%-")] = '\0';
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

/**
 * table_json - print a table as a member of a JSON object
 * @t: the table
 * @top: how many rows, 0 for all
 */
void table_json(const struct table *t, u32 top)
{
	u32 rows = top && top < t->nr ? top : t->nr, i;

	printf("\"%s\": [", t->key);
	for (i = 0; i < rows; i++) {
		printf(i ? ",\n\t\t" : "\n\t\t");
		json_row(t, t->rows + i);
	}
	printf("]");
}

/**
 * csv_string - print a text as a field of CSV
 * @text: any text, or NULL for nothing
 */
void csv_string(const char *text)
{
	if (!text)
		return;
	if (!text[strcspn(text, ",\"\r\n")]) {
		printf("%s", text);
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
 * @t: the table; nothing is printed when it has no rows
 * @top: how many rows, 0 for all
 *
 * Each line but the keys' begins with the table's own key, theirs with "table".
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
		csv_row(t, t->rows + i);
}

/**
 * table_free - release the rows
 * @t: the table
 */
void table_free(struct table *t)
{
	u32 i;
	int j;

	for (i = 0; i < t->nr; i++) {
		free(t->rows[i].name);
		for (j = 0; j < TABLE_TEXTS; j++)
			free(t->rows[i].texts[j]);
	}
	free(t->rows);
}
