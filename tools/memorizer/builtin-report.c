// SPDX-License-Identifier: GPL-2.0
/* memorizer report: sums a KMAP or a trace by call site, function and task. */
#include "builtin.h"
#include "report/report.h"

static const char * const usage[] = {
	"memorizer report [OPTION...] [KMAP|DIR|-]",
	"",
	"Prints sums over a KMAP, then its allocation sites, the functions that access objects,",
	"the objects shared by several pids, tasks and commands. For a trace, prints sums, then",
	"where memory was allocated and freed, by call site, size, cache and task, suspicious",
	"patterns, and the objects that were live at the end; for retired objects and those of",
	"a snapshot also the tables of a KMAP.",
	NULL
};

static int run(int argc, char **argv)
{
	static const struct report_kind kind = {
		.command = &command_report, .takes = REPORT_BRIEF | REPORT_RELATIVE,
		.rows = REPORT_ROWS, .print = report_print,
	};

	return report_run(argc, argv, &kind);
}

const struct command command_report = {
	.name = "report",
	.summary = "sum up a KMAP or a trace by call site, function and task",
	.usage = usage,
	.run = run,
};
