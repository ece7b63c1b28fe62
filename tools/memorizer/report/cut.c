// SPDX-License-Identifier: GPL-2.0
/*
 * Limits the size of tables in JSON after they were printed. Their total size is known only
 * after the last one, and printing them again would require another analysis of the input. So
 * printing to a file records where each row ends, and the sums over the rows after it. A copy
 * of the file can then omit the last rows of tables that are too long.
 */
#include <stdlib.h>
#include <string.h>

#include "report/columns.h"
#include "report/cut.h"

/**
 * struct cut - a table in the file
 * @begin: offset of its rows
 * @end: end of its output, with the sums over omitted rows
 * @ends: end of each row
 * @rows: number of rows in the file
 * @left: number of rows that were not printed
 * @key: key of the table
 * @keys: keys of the columns with sums
 * @changes: the column has changes, which may be negative
 * @nr: number of such columns; 0 if the sums over omitted rows are unknown
 * @rest: per row, and after the last one: the sums over the rows from there on
 */
struct cut {
	u64 begin, end, *ends;
	u32 rows;
	u64 left;
	char *key, *keys[TABLE_COLUMNS];
	bool changes[TABLE_COLUMNS];
	u32 nr;
	u64 *rest;
};

static struct cut *cuts;
static u32 nr_cuts;

/* Changes may be negative; other sums saturate. */
static u64 add(bool change, u64 sum, u64 n)
{
	if (change)
		return sum + n;
	return __builtin_add_overflow(sum, n, &sum) ? U64_MAX : sum;
}

static char *copy(const char *text)
{
	char *copied = strdup(text);

	if (!copied)
		abort();
	return copied;
}

/* Returns whether a column has a sum over omitted rows. */
static bool has_sum(const struct table *t, const struct column *c)
{
	return columns_add_up(c->key) && (!t->left_out || t->left_sum);
}

static u64 left_sum(const struct table *t, const struct column *c)
{
	return t->left_out ? t->left_sum[c->shows] : 0;
}

static void print_sum(FILE *to, const char *key, bool change, u64 sum)
{
	fprintf(to, change ? ", \"%s\": %lld" : ", \"%s\": %llu", key, sum);
}

/**
 * cut_print_rest - print the sums over the rows that are not printed
 * @t: the table
 * @printed: number of printed rows
 */
void cut_print_rest(const struct table *t, u32 printed)
{
	const struct column *c;
	bool change;
	u64 sum;
	u32 i;

	printf(",\n\t\"%s_rest\": {\"rows\": %llu", t->key, t->nr - printed + t->left_out);
	for (c = t->columns; c->title; c++) {
		if (!has_sum(t, c))
			continue;
		change = column_is_signed(c);
		sum = left_sum(t, c);
		for (i = printed; i < t->nr; i++)
			sum = add(change, sum, table_sum(t, i)[c->shows]);
		print_sum(stdout, c->key, change, sum);
	}
	printf("}");
}

/**
 * cut_begin - record the start of a table on standard output
 * @t: the table
 *
 * Return: the argument of the next calls; NULL if tables will not be cut.
 */
struct cut *cut_begin(const struct table *t)
{
	struct cut *cut;

	if (!table_limits.table)
		return NULL;
	cuts = xreallocarray(cuts, nr_cuts + 1, sizeof(*cuts));
	cut = cuts + nr_cuts++;
	*cut = (struct cut){ .begin = ftello(stdout), .key = copy(t->key) };
	cut->ends = xreallocarray(NULL, t->nr + 1ull, sizeof(*cut->ends));
	return cut;
}

/**
 * cut_row - record the end of a row
 * @cut: the table, or NULL
 *
 * Return: false if the row does not fit any more, so that no more rows have to be printed.
 */
bool cut_row(struct cut *cut)
{
	if (!cut)
		return true;
	cut->ends[cut->rows] = ftello(stdout);
	return cut->ends[cut->rows++] - cut->begin <= table_limits.table;
}

/* Record the sums of a column from each row on. */
static void note_sums(struct cut *cut, const struct table *t, const struct column *c)
{
	u32 column = cut->nr++, i;
	u64 *rest = cut->rest + column * (cut->rows + 1ull), sum = left_sum(t, c);

	cut->keys[column] = copy(c->key);
	cut->changes[column] = column_is_signed(c);
	/* From the last row on, so that each sum continues the one before. */
	for (i = t->nr; i > cut->rows; i--)
		sum = add(cut->changes[column], sum, table_sum(t, i - 1)[c->shows]);
	rest[i] = sum;
	for (; i; i--)
		rest[i - 1] = add(cut->changes[column], rest[i], table_sum(t, i - 1)[c->shows]);
}

/**
 * cut_end - record the end of a table
 * @cut: the table, or NULL
 * @t: the table with its rows
 * @rows: number of printed rows
 */
void cut_end(struct cut *cut, const struct table *t, u32 rows)
{
	const struct column *c;

	if (!cut)
		return;
	cut->end = ftello(stdout);
	cut->left = t->nr - rows + t->left_out;
	cut->rest = xreallocarray(NULL, TABLE_COLUMNS * (rows + 1ull), sizeof(*cut->rest));
	for (c = t->columns; c->title; c++)
		if (has_sum(t, c))
			note_sums(cut, t, c);
}

static int compare(const void *left, const void *right)
{
	const u64 *a = left, *b = right;

	return (*a > *b) - (*a < *b);
}

/* The maximum size of a table so that all fit; small tables leave their rest to the others. */
static u64 fair_share(u64 room)
{
	u64 *wanted = xreallocarray(NULL, nr_cuts + 1ull, sizeof(*wanted)), share = U64_MAX;
	u32 i;

	for (i = 0; i < nr_cuts; i++)
		wanted[i] = cuts[i].rows ? cuts[i].ends[cuts[i].rows - 1] - cuts[i].begin : 0;
	/* The small tables first: what they leave is shared by the larger ones. */
	qsort(wanted, nr_cuts, sizeof(*wanted), compare);
	for (i = 0; i < nr_cuts && share == U64_MAX; i++) {
		if (wanted[i] > room / (nr_cuts - i))
			share = room / (nr_cuts - i);
		room -= wanted[i];
	}
	free(wanted);
	return share;
}

static bool copy_bytes(FILE *from, FILE *to, u64 bytes)
{
	char buffer[65536];
	size_t n = 1;

	for (; bytes && n; bytes -= n) {
		n = fread(buffer, 1, bytes < sizeof(buffer) ? bytes : sizeof(buffer), from);
		fwrite(buffer, 1, n, to);
	}
	return !bytes;
}

/* Copy a table with at most @share bytes of rows. */
static bool copy_table(FILE *from, FILE *to, const struct cut *cut, u64 share)
{
	u32 rows = cut->rows, i;

	while (rows && cut->ends[rows - 1] - cut->begin > share)
		rows--;
	if (rows == cut->rows)
		return copy_bytes(from, to, cut->end - cut->begin);
	if (rows && !copy_bytes(from, to, cut->ends[rows - 1] - cut->begin))
		return false;
	fprintf(to, "],\n\t\"%s_rest\": {\"rows\": %llu", cut->key, cut->rows - rows + cut->left);
	for (i = 0; i < cut->nr; i++)
		print_sum(to, cut->keys[i], cut->changes[i],
			  cut->rest[i * (cut->rows + 1ull) + rows]);
	fputc('}', to);
	return !fseeko(from, cut->end, SEEK_SET);
}

/**
 * cut_copy - copy a file with tables and limit their size
 * @from: the file that the tables were printed to
 * @to: the copy
 * @room: maximum size of the rows of all tables in bytes; U64_MAX: unlimited
 *
 * Return: true if the whole file could be read.
 */
bool cut_copy(FILE *from, FILE *to, u64 room)
{
	u64 share = fair_share(room), at = 0;
	bool fine = true;
	off_t size = 0;
	u32 i;

	fine = !fseeko(from, 0, SEEK_END) && (size = ftello(from)) >= 0;
	rewind(from);
	for (i = 0; i < nr_cuts && fine; i++) {
		fine = copy_bytes(from, to, cuts[i].begin - at) &&
		       copy_table(from, to, cuts + i, share);
		at = cuts[i].end;
	}
	return fine && copy_bytes(from, to, size - at);
}

/**
 * cut_free - forget the recorded tables
 */
void cut_free(void)
{
	struct cut *cut;
	u32 i;

	for (cut = cuts; cut < cuts + nr_cuts; cut++) {
		for (i = 0; i < cut->nr; i++)
			free(cut->keys[i]);
		free(cut->key);
		free(cut->ends);
		free(cut->rest);
	}
	free(cuts);
	cuts = NULL;
	nr_cuts = 0;
}
