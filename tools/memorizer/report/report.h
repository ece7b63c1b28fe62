/* SPDX-License-Identifier: GPL-2.0 */
/* Prints the sums over a trace or a KMAP. */
#ifndef REPORT_H
#define REPORT_H

#include "report/head.h"
#include "report/sums.h"
#include "report/table.h"

struct command;

/**
 * struct report - what to print, and how
 * @trace: the input is a trace, which may have a KMAP in it, not a KMAP alone
 * @incomplete: events or objects are missing
 * @cpus: CPUs with a stream, of a trace
 * @command: name of the command
 * @what: type, member or function that the command is about, or NULL
 * @all: --all was given in place of @what
 * @brief: print only the tables of report_brief()
 * @maintainers: a MAINTAINERS file, or NULL
 * @order: order of rows, from --sort
 * @histograms: print only histograms, see report-histogram.c
 * @children: print only functions on stacks, see children.h
 * @percent: add shares
 * @rate: add rates, of a trace
 * @usual: order without --sort: bytes, accesses or place (the order of members)
 * @top: rows of a table, 0 for all
 * @format: the output's format
 */
struct report {
	bool trace, incomplete, all, brief, histograms, children, percent, rate;
	u32 cpus;
	const char *command, *what, *maintainers;
	struct table_order *order;
	const char *usual;
	u32 top;
	enum report_format format;
};

#define REPORT_ROWS	20	/* of each table of text, without --top */

/* Options that not all commands take. */
enum report_takes {
	REPORT_ALL = 1,			/* --all, in place of what the command wants */
	REPORT_MAINTAINERS = 2,
	REPORT_BRIEF = 4,		/* --brief, --children, --context-file, --histogram */
	REPORT_RELATIVE = 8,		/* --percent, --rate */
};

/**
 * struct report_kind - a command that prints sums
 * @command: the command
 * @wants: what its first argument is, or NULL: it takes only the input
 * @usual: what orders its tables without --sort; NULL: bytes of a trace, accesses of a KMAP
 * @takes: mask of enum report_takes
 * @rows: rows of each table of text without --top, 0 for all; JSON and CSV have all
 * @needs_notes: it needs the compiler's notes
 * @needs_accesses: it needs accesses
 * @check: returns false, after a message, if there is nothing to print; or NULL
 * @print: prints all but the head
 */
struct report_kind {
	const struct command *command;
	const char *wants, *usual;
	u32 takes, rows;
	bool needs_notes, needs_accesses;
	bool (*check)(const struct report *r, const struct sums *k);
	void (*print)(const struct report *r, const struct sums *k);
};

int report_run(int argc, char **argv, const struct report_kind *kind);
void report_head(const struct report *r, const struct sums *k);
void report_types(const struct report *r, const struct sums *k);
void report_table(const struct report *r, const struct table *t);
void report_drop_moves(const struct sums *k, enum access_source source, struct table *t);
void report_order(const struct report *r, struct table *t);
void report_function(const struct sums *k, enum access_source source, u32 function,
		     char text[KMAP_SYMBOL_MAX]);
void report_print(const struct report *r, const struct sums *k);

/* Private to report*.c. */
void report_summarize(const struct report *r, const struct sums *k);
char *report_site(const struct sums *k, u64 ip);
char *report_site_type(const struct sums *k, u64 ip, enum kmap_kind kind);
void report_histograms(const struct report *r, const struct sums *k);
void report_summarize_briefly(const struct report *r, const struct sums *k);

#endif
