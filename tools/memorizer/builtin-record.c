// SPDX-License-Identifier: GPL-2.0
/* memorizer record: what the recorder is asked for. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "record/recorder.h"
#include "record/settings.h"

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
	"  -T, --traffic        also record each move of a cache line, where they are tracked\n"
	"  -e, --entries        also record system calls, interrupts, page faults, softirqs\n"
	"  -l, --locks          also record what becomes of locks, as far as the kernel tells\n"
	"  -c, --scoped         accesses and traffic in scopes only, which marks open and close\n"
	"  -n, --function GLOB,...  log accesses by these functions only, or, with ! in front,\n"
	"                       not by them; logging is switched on for that\n"
	"  -M, --module GLOB,...  likewise by modules; vmlinux is what is built in\n"
	"  -I, --file GLOB,...  likewise by what source files have, as fs/ext4/*\n"
	"  -C, --cache GLOB,...  record objects of these slab caches only\n"
	"  -A, --alloc GLOB,...  record objects that these functions allocate only\n"
	"      --fields TERM,...  count accesses to objects that cache:GLOB or alloc:GLOB match by\n"
	"                       the place in them, too, and put kmap_fields beside the trace\n"
	"  -G, --cgroup PATH,...  accesses by members of these control groups only, and of\n"
	"                       those below them: /user.slice\n"
	"  -p, --pid PID,...    accesses by these tasks only\n"
	"  -k, --children       and by their children; without --pid, by COMMAND and its children\n"
	"  -s, --snapshot       at the end also record what the kernel's kmap shows then\n"
	"  -m, --mark TEXT      begin with a mark\n"
	"  -t, --kind KIND      allocations and frees of slab or of pages only\n"
	"  -P, --cpu CPU,...    accesses on these CPUs only\n"
	"  -z, --compress       compress the files of the CPUs by zstd\n"
	"  -S, --max-size SIZE  end when they have this size together: a number and K, M, G\n"
	"  -R, --rotate N       go on then in another part; keep the last N, DIR/0, DIR/1, ...\n"
	"  -F, --flight SIZE    keep the last SIZE of each CPU in memory; SIGUSR2 and the end\n"
	"                       write it to DIR/0, DIR/1, ...\n"
	"      --restore DIR    record nothing; restore the switches and filters that a killed\n"
	"                       recorder left changed (DIR is its trace)\n"
	"  -D, --debugfs DIR    where debugfs is mounted (default /sys/kernel/debug)\n"
	"  -h, --help           print this\n";

#define SIZE	"a size like 100M"
#define MARK_MAX	255		/* bytes that the kernel takes */
#define OPTION_FIELDS	256		/* have no letters */
#define OPTION_RESTORE	257
#define SHORT	"+o:f:raTelcn:M:I:C:A:G:ksm:t:p:P:zS:R:F:D:h"

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "for", required_argument, NULL, 'f' },
	{ "retirements", no_argument, NULL, 'r' },
	{ "accesses", no_argument, NULL, 'a' },
	{ "traffic", no_argument, NULL, 'T' },
	{ "entries", no_argument, NULL, 'e' },
	{ "locks", no_argument, NULL, 'l' },
	{ "scoped", no_argument, NULL, 'c' },
	{ "function", required_argument, NULL, 'n' },
	{ "module", required_argument, NULL, 'M' },
	{ "file", required_argument, NULL, 'I' },
	{ "cache", required_argument, NULL, 'C' },
	{ "alloc", required_argument, NULL, 'A' },
	{ "fields", required_argument, NULL, OPTION_FIELDS },
	{ "cgroup", required_argument, NULL, 'G' },
	{ "children", no_argument, NULL, 'k' },
	{ "snapshot", no_argument, NULL, 's' },
	{ "mark", required_argument, NULL, 'm' },
	{ "kind", required_argument, NULL, 't' },
	{ "pid", required_argument, NULL, 'p' },
	{ "cpu", required_argument, NULL, 'P' },
	{ "compress", no_argument, NULL, 'z' },
	{ "max-size", required_argument, NULL, 'S' },
	{ "rotate", required_argument, NULL, 'R' },
	{ "flight", required_argument, NULL, 'F' },
	{ "restore", required_argument, NULL, OPTION_RESTORE },
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

/* Bytes of a size like 64M, 0 for what is none. */
static u64 parse_size(const char *text)
{
	static const char units[] = "KMG";
	const char *unit;
	u64 n, shift = 0;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit)
		shift = 10 * (unit - units + 1);
	if (errno || *text < '0' || *text > '9' || (*end && (!unit || end[1])) ||
	    n > U64_MAX >> shift)
		return 0;
	return n << shift;
}

/* A number that fits into 32 bits, 0 for what is none. */
static u32 parse_count(const char *text)
{
	u64 n = text[strspn(text, "0123456789")] ? 0 : parse_size(text);

	return n > U32_MAX ? 0 : n;
}

/* Takes an argument that is a number or size; 0 is none. */
static u64 take_number(const char *option, const char *want, const char *text, u64 number)
{
	if (!number)
		fprintf(stderr, "memorizer record: --%s %s: want %s\n", option, text, want);
	return number;
}

/* Takes one of the two kinds of memory that can be told apart by themselves. */
static bool parse_kind(struct packet_selection *choice, const char *text)
{
	choice->slab = !strcmp(text, "slab");
	choice->pages = !strcmp(text, "pages");
	if (choice->slab || choice->pages)
		return true;
	fprintf(stderr, "memorizer record: --kind %s: want slab or pages\n", text);
	return false;
}

static bool parse_list(const char *option, struct number_list *list, const char *text)
{
	if (number_list_parse(list, text))
		return true;
	fprintf(stderr, "memorizer record: --%s %s: want numbers with commas between\n", option,
		text);
	return false;
}

static bool parse_globs(struct kernel_filter *n, const char *kind, const char *text)
{
	if (kernel_filter_add(n, kind, text))
		return true;
	fprintf(stderr, "memorizer record: --%s %s: want globs with commas between\n", kind, text);
	return false;
}

static bool parse_fields(struct kernel_filter *n, const char *text)
{
	if (kernel_filter_add_fields(n, text))
		return true;
	fprintf(stderr,
		"memorizer record: --fields %s: want cache:GLOB or alloc:GLOB, with commas between\n",
		text);
	return false;
}

static bool parse_cgroups(struct kernel_filter *n, const char *text)
{
	if (kernel_filter_add_cgroups(n, text))
		return true;
	fprintf(stderr,
		"memorizer record: --cgroup %s: want paths of control groups, which begin with /, with commas between\n",
		text);
	return false;
}

/* Takes the text of a mark, which the kernel would refuse without saying why. */
static bool parse_mark(struct recording *what, const char *text)
{
	const char *want = NULL;

	what->mark = text;
	if (!*text || !strcmp(text, "\n") || strlen(text) > MARK_MAX)
		want = "1 to 255 bytes";
	else if (!strncmp(text, "leave ", 6) && text[6])
		want = "a text that does not leave a scope: none is open yet";
	if (want)
		fprintf(stderr, "memorizer record: --mark %.20s%s: want %s\n", text,
			strlen(text) > 20 ? "..." : "", want);
	return !want;
}

/* Whether options go together; if not there was a message. */
static bool fit_together(const struct recording *what)
{
	const char *message = NULL;

	if (what->command && what->ms)
		message = "--for and a command: want one of them";
	else if (what->options.parts && !what->options.max_size)
		message = "--rotate: want --max-size, too, which says when";
	else if (what->options.flight && what->options.max_size)
		message = "--flight and --max-size: want one of them";
	else if (what->options.select.cpus.nr && !what->on[STREAM_ACCESSES])
		message = "--cpu: want --accesses, which it chooses from";
	else if (what->on[STREAM_SCOPED] && !what->on[STREAM_ACCESSES] &&
		 !what->on[STREAM_TRAFFIC])
		message = "--scoped: want --accesses or --traffic, which it chooses from";
	else if (what->filter.children && !what->options.select.pids.nr && !what->command)
		message = "--children: want --pid or a command, whose they are";
	else if (what->filter.fields && what->on[STREAM_RETIREMENTS])
		message = "--fields and --retirements: want one of them, what is retired has no places";
	else if (kernel_filter_is_needed(&what->filter) && !what->on[STREAM_ACCESSES] &&
		 !what->on[STREAM_TRAFFIC] && !what->on[STREAM_RETIREMENTS] && !what->snapshot)
		message = "filters: want --accesses, --traffic, --retirements or --snapshot, which they choose from";
	if (message)
		fprintf(stderr, "memorizer record: %s\n", message);
	return !message;
}

/* Returns an exit status, or -1 to go on. */
static int parse_options(int argc, char **argv, struct recording *what)
{
	int option;

	while ((option = getopt_long(argc, argv, SHORT, options, NULL)) != -1) {
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
		case 'T':
			what->on[STREAM_TRAFFIC] = true;
			break;
		case 'e':
			what->on[STREAM_ENTRIES] = true;
			break;
		case 'l':
			what->on[STREAM_LOCKS] = true;
			break;
		case 'c':
			what->on[STREAM_SCOPED] = true;
			break;
		case 'n':
			if (parse_globs(&what->filter, "function", optarg))
				break;
			return usage_error("record");
		case 'M':
			if (parse_globs(&what->filter, "module", optarg))
				break;
			return usage_error("record");
		case 'I':
			if (parse_globs(&what->filter, "file", optarg))
				break;
			return usage_error("record");
		case 'C':
			if (parse_globs(&what->filter, "cache", optarg))
				break;
			return usage_error("record");
		case 'A':
			if (parse_globs(&what->filter, "alloc", optarg))
				break;
			return usage_error("record");
		case OPTION_FIELDS:
			if (parse_fields(&what->filter, optarg))
				break;
			return usage_error("record");
		case 'G':
			if (parse_cgroups(&what->filter, optarg))
				break;
			return usage_error("record");
		case 'k':
			what->filter.children = true;
			break;
		case 's':
			what->snapshot = true;
			break;
		case 'm':
			if (parse_mark(what, optarg))
				break;
			return usage_error("record");
		case 't':
			if (parse_kind(&what->options.select, optarg))
				break;
			return usage_error("record");
		case 'p':
			if (parse_list("pid", &what->options.select.pids, optarg))
				break;
			return usage_error("record");
		case 'P':
			if (parse_list("cpu", &what->options.select.cpus, optarg))
				break;
			return usage_error("record");
		case 'z':
			what->options.compress = true;
			break;
		case 'S':
			what->options.max_size = take_number("max-size", SIZE, optarg,
							  parse_size(optarg));
			if (what->options.max_size)
				break;
			return usage_error("record");
		case 'R':
			what->options.parts = take_number("rotate", "a number of parts", optarg,
						       parse_count(optarg));
			if (what->options.parts)
				break;
			return usage_error("record");
		case 'F':
			what->options.flight = take_number("flight", SIZE, optarg,
							parse_size(optarg));
			if (what->options.flight)
				break;
			return usage_error("record");
		case OPTION_RESTORE:
			what->restore = optarg;
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
	return fit_together(what) ? -1 : usage_error("record");
}

static int run(int argc, char **argv)
{
	struct recording what = {
		.debugfs = "/sys/kernel/debug",
		.on = { [STREAM_ALLOCATIONS] = true },
		.options.select = { .slab = true, .pages = true },
	};
	int status;

	what.filter.pids = &what.options.select.pids;
	status = parse_options(argc, argv, &what);
	if (status < 0)
		status = what.restore ? settings_restore(what.debugfs, what.restore) : record(&what);
	packet_selection_free(&what.options.select);
	kernel_filter_free(&what.filter);
	return status;
}

const struct command command_record = {
	.name = "record",
	.summary = "record a trace of the running kernel",
	.usage = usage,
	.run = run,
};
