// SPDX-License-Identifier: GPL-2.0
/* memorizer record: what the recorder is asked for. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "recorder.h"

static const char usage[] =
	"Usage: memorizer record [OPTION...] [--for TIME | -- COMMAND...]\n"
	"\n"
	"Records the kernel's stream of allocations and frees to a directory, until the\n"
	"TIME is over, the COMMAND has ended, or Ctrl-C is pressed.\n"
	"\n"
	"  -o, --output DIR     a new or empty directory (default memorizer-trace, or the first\n"
	"                       free one of memorizer-trace.1, memorizer-trace.2, ...)\n"
	"  -f, --for TIME       how long: a number and s (default), ms, m or h\n"
	"  -r, --retirements    also record freed objects with their counts, which leave\n"
	"                       the kernel's memory then\n"
	"  -a, --accesses       also record every single access: for short times\n"
	"  -s, --snapshot       at the end also record what the kernel's kmap shows then\n"
	"  -m, --mark TEXT      begin with a mark\n"
	"  -D, --debugfs DIR    where debugfs is mounted (default /sys/kernel/debug)\n"
	"  -h, --help           print this\n";

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "for", required_argument, NULL, 'f' },
	{ "retirements", no_argument, NULL, 'r' },
	{ "accesses", no_argument, NULL, 'a' },
	{ "snapshot", no_argument, NULL, 's' },
	{ "mark", required_argument, NULL, 'm' },
	{ "debugfs", required_argument, NULL, 'D' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

/* Milliseconds of a time like 60s, 0 for what is none. */
static u64 parse_time(const char *text)
{
	static const struct {
		const char *name;
		u64 ms;
	} units[] = { { "", 1000 }, { "s", 1000 }, { "ms", 1 },
		      { "m", 60 * 1000 }, { "h", 3600 * 1000 } };
	unsigned long n;
	char *end;
	size_t i;

	errno = 0;
	n = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || n > U32_MAX)
		return 0;
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].name))
			return n * units[i].ms;
	return 0;
}

/* Returns an exit status, or -1 to go on. */
static int parse_options(int argc, char **argv, struct recording *what)
{
	int option;

	while ((option = getopt_long(argc, argv, "+o:f:rasm:D:h", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			what->output = optarg;
			break;
		case 'f':
			what->ms = parse_time(optarg);
			if (what->ms)
				break;
			fprintf(stderr,
				"memorizer record: --for %s: want a time like 60s, 500ms, 5m or 2h\n",
				optarg);
			return usage_error("record");
		case 'r':
			what->on[STREAM_RETIREMENTS] = true;
			break;
		case 'a':
			what->on[STREAM_ACCESSES] = true;
			break;
		case 's':
			what->snapshot = true;
			break;
		case 'm':
			what->mark = optarg;
			break;
		case 'D':
			what->debugfs = optarg;
			break;
		case 'h':
			print_usage(&command_record);
			return EXIT_FINE;
		default:
			return usage_error("record");
		}
	}
	if (optind < argc)
		what->command = argv + optind;
	if (what->command && what->ms) {
		fprintf(stderr, "memorizer record: --for and a command: want one of them\n");
		return usage_error("record");
	}
	return -1;
}

static int run(int argc, char **argv)
{
	struct recording what = {
		.debugfs = "/sys/kernel/debug",
		.on = { [STREAM_ALLOCATIONS] = true },
	};
	int status = parse_options(argc, argv, &what);

	return status < 0 ? record(&what) : status;
}

const struct command command_record = {
	.name = "record",
	.summary = "record the kernel's stream of allocations as a trace",
	.usage = usage,
	.run = run,
};
