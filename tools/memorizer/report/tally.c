// SPDX-License-Identifier: GPL-2.0
/* Tables of accesses by name, for layout, who and what. */
#include <stdio.h>

#include "report/tally.h"

/**
 * tally_parts - get the sources of accesses of a report
 * @r: the report
 * @parts: set to the sources
 *
 * Return: the number of sources.
 */
int tally_parts(const struct report *r, struct part parts[ACCESS_SOURCES])
{
	if (!r->trace) {
		parts[0] = (struct part){ ACCESS_COUNTED, "", "" };
		return 1;
	}
	parts[0] = (struct part){ ACCESS_STREAMED, "STREAMED: ", "streamed_" };
	parts[1] = (struct part){ ACCESS_COUNTED, "KMAP: ", "kmap_" };
	return 2;
}

/**
 * tally_init - initialize a table
 * @t: the rows
 */
void tally_init(struct tallies *t)
{
	hash_init(&t->rows, sizeof(struct tally), 2 * sizeof(u64));
	texts_init(&t->texts);
	/* Not a valid name: number 0 stands for none. */
	texts_number(&t->texts, "\n");
}

/**
 * tally_free - free a table
 * @t: the rows
 */
void tally_free(struct tallies *t)
{
	hash_free(&t->rows);
	hash_free(&t->texts);
}

/**
 * tally_row - look up or add a row
 * @t: the rows
 * @name: its name, or NULL
 * @text: its text, or NULL
 *
 * Return: the row, valid until the next call.
 */
struct tally *tally_row(struct tallies *t, const char *name, const char *text)
{
	u64 key[2] = { name ? texts_number(&t->texts, name) : 0,
		       text ? texts_number(&t->texts, text) : 0 };
	bool new;

	return hash_item(&t->rows, hash_get(&t->rows, key, &new));
}

/**
 * tally_add - add accesses to a row
 * @tally: the row
 * @sum: the accesses, by metric
 */
void tally_add(struct tally *tally, const u64 *sum)
{
	int m;

	for (m = SUM_READS; m <= SUM_MOVES; m++)
		if (__builtin_add_overflow(tally->sum[m], sum[m], tally->sum + m))
			tally->sum[m] = U64_MAX;
}

/**
 * tally_print - print a table
 * @r: the report
 * @k: the sums
 * @part: the source of the accesses
 * @title: title of the table
 * @key: key of the table
 * @table: the other fields of the table, without rows
 * @t: the rows
 * @ordered: the rows are already sorted
 */
void tally_print(const struct report *r, const struct sums *k, const struct part *part,
		 const char *title, const char *key, struct table *table,
		 const struct tallies *t, bool ordered)
{
	char titles[TEXTS_MAX], keys[64];
	const struct tally *tally;
	u32 i;

	snprintf(titles, sizeof(titles), "%s%s", part->title, title);
	snprintf(keys, sizeof(keys), "%s%s", part->key, key);
	table->title = titles;
	table->key = keys;
	table->then[0] = TALLY_ACCESSES;
	table->then[1] = TALLY_READS;
	table->rows = xreallocarray(NULL, t->rows.nr + 1, sizeof(*table->rows));
	for (i = 0; i < t->rows.nr; i++) {
		tally = hash_item(&t->rows, i);
		table->rows[i] = (struct row){ .sum = tally->sum };
		if (tally->name)
			table->rows[i].name = table_text(texts_get(&t->texts, tally->name));
		if (tally->text)
			table->rows[i].texts[0] = table_text(texts_get(&t->texts, tally->text));
	}
	table->nr = t->rows.nr;
	report_drop_moves(k, part->source, table);
	if (!ordered)
		report_order(r, table);
	report_table(r, table);
	table_free(table);
}
