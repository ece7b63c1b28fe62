/* SPDX-License-Identifier: GPL-2.0 */
/* Tables of accesses by name, for layout, who and what. */
#ifndef TALLY_H
#define TALLY_H

#include "lib/texts.h"
#include "report/report.h"

/* Metrics of a row. Those of report come first: rows are sorted by them. */
enum tally_metric {
	TALLY_READS = SUM_READS,
	TALLY_WRITES = SUM_WRITES,
	TALLY_ACCESSES = SUM_ACCESSES,
	TALLY_MOVES = SUM_MOVES,
	TALLY_FUNCTIONS,
	TALLY_PIDS,
	TALLY_CPUS,
	TALLY_OFFSET,
	TALLY_SIZE,
	TALLY_LINE,
	TALLY_FROM,		/* previous offset */
	TALLY_METRICS
};

/* A row, by the numbers of its name and text; 0: none. */
struct tally {
	u64 name, text;
	u64 sum[TALLY_METRICS];
};

/**
 * struct tallies - the rows of a table
 * @rows: struct tally, in order of appearance
 * @texts: private: names and texts
 */
struct tallies {
	struct hash rows, texts;
};

/**
 * struct part - accesses of one source
 * @source: streamed or counted
 * @title: prefix of the titles of their tables
 * @key: prefix of the keys of their tables
 */
struct part {
	enum access_source source;
	const char *title, *key;
};

#define TALLY_COLUMN_READS	{ "Reads", "reads", TALLY_READS, CELL_NUMBER, 0 }
#define TALLY_COLUMN_WRITES	{ "Writes", "writes", TALLY_WRITES, CELL_NUMBER, 0 }
#define TALLY_COLUMN_MOVES	{ "Moves", "moves", TALLY_MOVES, CELL_NUMBER, 0 }

int tally_parts(const struct report *r, struct part parts[ACCESS_SOURCES]);
void tally_init(struct tallies *t);
void tally_free(struct tallies *t);
struct tally *tally_row(struct tallies *t, const char *name, const char *text);
void tally_add(struct tally *tally, const u64 *sum);
void tally_print(const struct report *r, const struct sums *k, const struct part *part,
		 const char *title, const char *key, struct table *table,
		 const struct tallies *t, bool ordered);

#endif
