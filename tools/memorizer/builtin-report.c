// SPDX-License-Identifier: GPL-2.0
/* memorizer report: who allocates, who accesses, who shares, by name; of a KMAP or a trace. */
#include "builtin.h"
#include "report/report.h"

static const char usage[] =
	"Usage: memorizer report [OPTION...] [KMAP|DIR|-]\n"
	"\n"
	"Of a KMAP, prints sums over it, then the allocation sites, the functions that access\n"
	"objects, the objects that several pids share, tasks and commands. Of the trace in\n"
	"the directory DIR, prints sums, then where memory was allocated and freed, by call\n"
	"site, size, cache and task, what is suspicious, and what was live at the end; and if\n"
	"it has objects that were retired or in a snapshot, what is printed of a KMAP.\n"
	"\n"
	"  -k, --vmlinux FILE   take the kernel's symbols from this ELF file\n"
	"  -K, --kallsyms FILE  take symbols, modules' too, and the offset of KASLR from\n"
	"                       this copy of /proc/kallsyms of the traced kernel (default\n"
	"                       for a trace: the one in it)\n"
	"  -i, --inlines        add source lines and inlined functions\n"
	"  -M, --modules DIR    take lines and notes of modules from the files NAME.ko below DIR\n"
	"  -s, --sort KEY       largest KEY first, of tables that have it (default: bytes of a\n"
	"                       trace, accesses of a KMAP): the key that a column has in JSON, or\n"
	"                       req, objects, freed, age, pids, cross, node and others, see the\n"
	"                       manual page; or by name; or by type or field first\n"
	"  -n, --top N          print the first N rows of each table (0: all; default 20, with\n"
	"                       --json and --csv all)\n"
	"      --percent        add a column of shares behind each number of events or bytes\n"
	"      --rate           of a trace, add one of how many that are per second\n"
	"      --histogram      print how large what each call site allocates is, and how long it\n"
	"                       lives\n"
	"  -j, --json           print JSON\n"
	"  -c, --csv            print CSV\n"
	"  -b, --brief          print one screen: who allocates, who accesses what, which\n"
	"                       members; 10 rows each, and --no-wait\n"
	"  -h, --help           print this\n"
	"\n"
	"What counts. A free counts with its allocation, an access with its object.\n"
	"  -S, --site NAME      count those that this function, call site or address calls for;\n"
	"                       * and ? match others\n"
	"  -m, --comm COMM      count those of this command; * and ?\n"
	"  -p, --pid PID        count those of this task\n"
	"      --type TYPE      count allocations of this type and accesses to it, by the\n"
	"                       compiler's notes; * and ?\n"
	"      --field FIELD    count accesses to this member, and no allocations; * and ?\n"
	"      --no-wait        leave out accesses by functions that spin until a lock or\n"
	"                       another CPU is free; the summary has their sum\n"
	"\n"
	"Of a trace only, and with these nothing of its KMAP:\n"
	"  -t, --kind KIND      count kmalloc, cache, pages, or several: kmalloc,cache\n"
	"  -C, --cache NAME     count allocations from this cache; * and ?\n"
	"  -P, --cpu CPU        count those on this CPU\n"
	"  -f, --from TIME      count those since then: seconds, or the text of a mark\n"
	"  -T, --to TIME        take the trace to end then; what its KMAP is by then counts\n";

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
