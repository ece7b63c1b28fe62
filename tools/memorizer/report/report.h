/* SPDX-License-Identifier: GPL-2.0 */
/* How the sums over a trace or a KMAP are printed. */
#ifndef REPORT_H
#define REPORT_H

#include "report/head.h"
#include "report/sums.h"
#include "report/table.h"

struct command;

/**
 * struct report - what to report
 * @trace: whether it is of a trace, which may have a KMAP in it, or of a KMAP alone
 * @incomplete: whether something is missing
 * @cpus: CPUs with a stream, of a trace
 * @command: the command that makes it
 * @what: type, member or function that is asked for, or NULL
 * @all: whether all is asked for instead
 * @brief: print the few tables of report_brief(), not all
 * @maintainers: a MAINTAINERS file, or NULL
 * @order: what --sort asks for
 * @histograms: print histograms, see report-histogram.c, not all
 * @percent: whether to print shares, too
 * @rate: whether to print rates, too, of a trace
 * @usual: what orders tables without that: bytes, accesses, or place, the order of members
 * @top: rows of a table, 0 for all
 * @format: how to print
 */
struct report {
	bool trace, incomplete, all, brief, histograms, percent, rate;
	u32 cpus;
	const char *command, *what, *maintainers;
	struct table_order *order;
	const char *usual;
	u32 top;
	enum report_format format;
};

/**
 * struct report_kind - a command that reads as report does
 * @command: the command
 * @wants: what its first argument is, or NULL: it has none but the input
 * @usual: what orders its tables without --sort, NULL: as report's
 * @takes_all: whether it has the option --all, with which it wants none
 * @takes_maintainers: whether it has the option --maintainers
 * @check: whether that can be told, after a message if not; or NULL
 * @print: prints what it tells, of notes of the compiler's; NULL: all, as report does
 */
struct report_kind {
	const struct command *command;
	const char *wants, *usual;
	bool takes_all, takes_maintainers;
	bool (*check)(const struct report *r, const struct sums *k);
	void (*print)(const struct report *r, const struct sums *k);
};

/* What their help says of the options of report that they take, too. */
#define REPORT_INPUT_OPTIONS \
	"  -k, --vmlinux FILE   the kernel, with the compiler's notes\n" \
	"  -K, --kallsyms FILE  take symbols, modules' too, and the offset of KASLR from\n" \
	"                       this copy of /proc/kallsyms of the traced kernel (default\n" \
	"                       for a trace: the one in it)\n" \
	"  -M, --modules DIR    take notes of modules from the files NAME.ko below DIR\n" \
	"  -s, --sort KEY       largest KEY first, as for report; or by name, type or field\n" \
	"  -n, --top N          print the first N rows of each table (0: all; default 20,\n" \
	"                       with --json and --csv all)\n" \
	"  -j, --json           print JSON\n" \
	"  -c, --csv            print CSV\n" \
	"  -h, --help           print this\n" \
	"\n" \
	"Options of report that say what counts do so here, too.\n"

int report_run(int argc, char **argv, const struct report_kind *kind);
void report_head(const struct report *r, const struct sums *k);
void report_types(const struct report *r, const struct sums *k);
void report_table(const struct report *r, const struct table *t);
void report_drop_moves(const struct sums *k, enum access_source source, struct table *t);
void report_order(const struct report *r, struct table *t);
void report_function(const struct sums *k, enum access_source source, u32 function,
		     char text[KMAP_SYMBOL_MAX]);
void report_print(const struct report *r, const struct sums *k);

/* Private: between the parts of the report. */
void report_summarize(const struct report *r, const struct sums *k);
char *report_site(const struct sums *k, u64 ip);
char *report_site_type(const struct sums *k, u64 ip);
void report_histograms(const struct report *r, const struct sums *k);
void report_summarize_briefly(const struct report *r, const struct sums *k);

#endif
