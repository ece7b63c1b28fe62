// SPDX-License-Identifier: GPL-2.0
/* memorizer types: prints allocations by type, and accesses by member. */
#include "builtin.h"
#include "report/report.h"

static int run_types(int argc, char **argv)
{
	static const struct report_kind kind = {
		.command = &command_types, .usual = "accesses", .takes = REPORT_RELATIVE,
		.rows = REPORT_ROWS, .needs_notes = true, .print = report_types,
	};

	return report_run(argc, argv, &kind);
}

static const char * const usage[] = {
	"memorizer types --vmlinux FILE [OPTION...] [KMAP|DIR|-]",
	"",
	"Prints which types were allocated, how much of them, and how much is live; and which",
	"members of types were accessed, how often, and by how many functions and pids.",
	NULL
};

const struct command command_types = {
	.name = "types",
	.summary = "list types by allocations, and members by accesses",
	.usage = usage,
	.run = run_types,
};
