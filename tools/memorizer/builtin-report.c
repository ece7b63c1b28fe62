// SPDX-License-Identifier: GPL-2.0
/* memorizer report: who allocates, who accesses, who shares, by name; of a KMAP or a trace. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"
#include "report/report.h"
#include "report/summing.h"

#define TEXT_ROWS	20	/* of each table, without --top; what a machine reads has all */
#define BRIEF_ROWS	10

/**
 * struct settings - what to report
 * @summing: the sums, first for summing_event()
 * @files: where symbols come from
 * @order: what --sort asks for
 * @top_given: whether --top was given
 * @report: how to print it
 * @filter: what counts
 * @kind: which command this is
 */
struct settings {
	struct summing summing;
	struct symbol_files files;
	struct table_order order;
	bool top_given;
	struct report report;
	struct kmem_filter filter;
	const struct report_kind *kind;
};

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

/* Options without letters. */
enum { OPTION_NO_WAIT = 300, OPTION_PERCENT, OPTION_RATE, OPTION_HISTOGRAM };

static const struct option options[] = {
	{ "vmlinux", required_argument, NULL, 'k' },
	{ "kallsyms", required_argument, NULL, 'K' },
	{ "inlines", no_argument, NULL, 'i' },
	{ "modules", required_argument, NULL, 'M' },
	{ "sort", required_argument, NULL, 's' },
	{ "top", required_argument, NULL, 'n' },
	{ "json", no_argument, NULL, 'j' },
	{ "csv", no_argument, NULL, 'c' },
	{ "kind", required_argument, NULL, 't' },
	{ "no-wait", no_argument, NULL, OPTION_NO_WAIT },
	{ "brief", no_argument, NULL, 'b' },
	{ "percent", no_argument, NULL, OPTION_PERCENT },
	{ "rate", no_argument, NULL, OPTION_RATE },
	{ "histogram", no_argument, NULL, OPTION_HISTOGRAM },
	{ "all", no_argument, NULL, 'a' },
	{ "maintainers", required_argument, NULL, 'F' },
	KMEM_FILTER_OPTIONS, KMEM_NAMED_OPTIONS,
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

/* Tells when symbols were given and yet some addresses have none. */
static void tell_unresolved(const struct sums *k, bool kallsyms)
{
	const struct hash *sites = k->sites + GROUP_KMAP, *ips = k->ips + ACCESS_COUNTED;
	const struct access_ip *access;
	const struct site *site;
	u32 i, missing = 0;

	for (i = 0; i < sites->nr; i++) {
		site = hash_item(sites, i);
		missing += !kmap_symbols_find(k->symbols, site->ip, KMAP_IP_RETURN);
	}
	for (i = 0; i < ips->nr; i++) {
		access = hash_item(ips, i);
		missing += !kmap_symbols_find(k->symbols, access->ip, KMAP_IP_EXACT);
	}
	input_unresolved(missing, sites->nr + ips->nr, kallsyms);
}

/* Whether something matches each option; if not there was a message. */
static bool check_filter(const struct sums *k, const char *name)
{
	struct window w = sums_window(k);

	return kmem_filter_check(k->filter, &w, sums_seen(k), k->symbols, name);
}

/* Tells of sums over counts that are too large for what they are kept in. */
static bool tell_overflow(const struct sums *k)
{
	if (k->overflow)
		fprintf(stderr, "memorizer: a sum exceeds 64 bits and stands as %llu\n", U64_MAX);
	return k->overflow;
}

static void print(const struct settings *s, const struct sums *k)
{
	report_head(&s->report, k);
	if (s->kind->print)
		s->kind->print(&s->report, k);
	else
		report_print(&s->report, k);
	if (s->report.format == REPORT_JSON)
		printf("\n}\n");
}

/* Tells if there is nothing of the compiler's, which only report can do without. */
static bool check_notes(const struct settings *s, const struct kmap_symbols *symbols)
{
	if (!s->kind->print || kmap_symbols_noted(symbols))
		return named_usable(&s->filter, symbols, s->kind->command->name);
	fprintf(stderr,
		"memorizer %s: no types are known: want --vmlinux with the compiler's notes\n",
		s->kind->command->name);
	return false;
}

static bool begin(struct engine *g)
{
	struct settings *s = g->data;
	struct sums *k = &s->summing.sums;

	if (!check_notes(s, g->symbols))
		return false;
	summing_begin(&s->summing, g, &s->filter);
	k->histograms = s->report.histograms;
	k->most[ACCESS_COUNTED].keep = s->report.top ? s->report.top : U32_MAX;
	k->most[ACCESS_STREAMED].keep = k->most[ACCESS_COUNTED].keep;
	if (g->trace)
		k->page_size = trace_env_number(g->trace, "page_size", k->page_size);
	return true;
}

/* Returns the exit status. */
static int print_kmap(struct settings *s, const struct sums *k, int status)
{
	s->report.incomplete = status != EXIT_FINE || k->overflow;
	print(s, k);
	if (s->files.vmlinux || s->files.kallsyms)
		tell_unresolved(k, s->files.kallsyms);
	return tell_overflow(k) ? EXIT_MALFORMED : status;
}

/* Returns the exit status. */
static int print_trace(struct settings *s, const struct engine *g, const struct sums *k)
{
	const struct rebuild *kmap = &s->summing.kmap;

	s->report.cpus = trace_streams(g->trace);
	s->report.incomplete = trace_incomplete(g->trace) || rebuild_incomplete(kmap) ||
		k->overflow;
	print(s, k);
	trace_tell(g->trace);
	rebuild_tell(kmap, g->name);
	if (!s->report.incomplete)
		return EXIT_FINE;
	return tell_overflow(k) ? EXIT_MALFORMED : EXIT_INCOMPLETE;
}

static int end(struct engine *g, int status)
{
	struct settings *s = g->data;
	struct sums *k = &s->summing.sums;

	if (status != EXIT_UNABLE) {
		summing_end(&s->summing);
		if (!check_filter(k, g->name) ||
		    (s->kind->check && !s->kind->check(&s->report, k)))
			status = EXIT_UNABLE;
		else if (g->trace)
			status = print_trace(s, g, k);
		else
			status = print_kmap(s, k, status);
	}
	sums_free(k);
	return status;
}

static bool set_top(struct settings *s, const char *text)
{
	unsigned long top;
	char *end;

	errno = 0;
	top = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || top > U32_MAX) {
		fprintf(stderr, "memorizer %s: --top %s: want a number of rows, 0 for all\n",
			s->kind->command->name, text);
		return false;
	}
	s->report.top = top;
	s->top_given = true;
	return true;
}

/* Takes an option that says what counts. */
static bool set_filter(struct settings *s, int option, const char *arg)
{
	switch (option) {
	case 't':
		return kmem_filter_kind(&s->filter, s->kind->command->name, arg);
	case OPTION_NO_WAIT:
		s->filter.no_wait = true;
		return true;
	default:
		return kmem_filter_option(&s->filter, "report", option, arg) == KMEM_TAKEN;
	}
}

/* Tells that an option is another command's. */
static int misplaced(const struct settings *s, const char *option, const struct command *c)
{
	fprintf(stderr, "memorizer %s: %s: this is for %s\n", s->kind->command->name, option,
		c->name);
	return usage_error(s->kind->command->name);
}

/* Returns an exit status, or -1 to go on. */
static int parse_options(int argc, char **argv, struct settings *s)
{
	int option;

	while ((option = getopt_long(argc, argv, "abF:k:K:iM:s:n:jct:C:S:m:p:P:f:T:h", options,
				     NULL)) != -1) {
		switch (option) {
		case 'a':
			if (!s->kind->takes_all)
				return misplaced(s, "--all", &command_layout);
			s->report.all = true;
			break;
		case 'b':
			if (s->kind->print)
				return misplaced(s, "--brief", &command_report);
			s->report.brief = true;
			s->filter.no_wait = true;
			break;
		case OPTION_HISTOGRAM:
			if (s->kind->print)
				return misplaced(s, "--histogram", &command_report);
			s->report.histograms = true;
			break;
		case OPTION_PERCENT:
		case OPTION_RATE:
			if (s->kind->wants)
				return misplaced(s, option == OPTION_RATE ? "--rate" : "--percent",
						 &command_report);
			s->report.percent |= option == OPTION_PERCENT;
			s->report.rate |= option == OPTION_RATE;
			break;
		case 'F':
			if (!s->kind->takes_maintainers)
				return misplaced(s, "--maintainers", &command_who);
			s->report.maintainers = optarg;
			break;
		case 's':
			if (!table_order_set(&s->order, s->kind->command->name, optarg))
				return usage_error(s->kind->command->name);
			break;
		case 'n':
			if (!set_top(s, optarg))
				return usage_error(s->kind->command->name);
			break;
		case 'j':
			s->report.format = REPORT_JSON;
			break;
		case 'c':
			s->report.format = REPORT_CSV;
			break;
		case 'h':
			print_usage(s->kind->command);
			return EXIT_FINE;
		default:
			if (!symbol_files_option(&s->files, option, optarg) &&
			    !set_filter(s, option, optarg))
				return usage_error(s->kind->command->name);
		}
	}
	return -1;
}

static int report(struct settings *s, const char *input)
{
	static const struct engine_ops ops = {
		.begin = begin, .event = summing_event, .object = summing_object,
		.access = summing_access, .end = end,
	};
	const char *trace_only = kmem_filter_trace_only(&s->filter) ?:
				 s->report.rate ? "rate" : NULL;
	struct engine g = { .ops = &ops, .data = s, .files = s->files };
	int status;

	if (!s->report.trace && trace_only) {
		fprintf(stderr, "memorizer %s: --%s: this is for the directory of a trace\n",
			s->kind->command->name, trace_only);
		return usage_error(s->kind->command->name);
	}
	status = engine_run(&g, input);
	engine_free(&g);
	return status;
}

/**
 * report_run - run report, or a command that reads as it does
 * @argc: number of arguments
 * @argv: the arguments
 * @kind: the command
 *
 * Return: the exit status.
 */
int report_run(int argc, char **argv, const struct report_kind *kind)
{
	struct settings s = { .kind = kind, .report.command = kind->command->name };
	struct report *r = &s.report;
	const char *input;
	int status;

	kmem_filter_init(&s.filter);
	status = parse_options(argc, argv, &s);
	if (status >= 0)
		return status;
	argc -= optind;
	argv += optind;
	if (kind->wants && !r->all && argc) {
		r->what = *argv++;
		argc--;
	} else if (kind->wants && !r->all) {
		fprintf(stderr, "memorizer %s: want %s\n", kind->command->name, kind->wants);
		return usage_error(kind->command->name);
	}
	if (!s.top_given && r->brief)
		r->top = BRIEF_ROWS;
	else if (!s.top_given)
		r->top = r->format == REPORT_TEXT && kind->command != &command_layout ?
			TEXT_ROWS : 0;
	input = argc ? input_name(argc, argv) : "-";
	if (!input) {
		fprintf(stderr, "memorizer: %d input files: want one, or - for standard input\n",
			argc);
		return EXIT_UNABLE;
	}
	r->trace = input_is_trace(input);
	r->order = &s.order;
	r->usual = kind->usual ?: r->trace ? "bytes" : "accesses";
	status = report(&s, input);
	if (status != EXIT_UNABLE && !table_order_check(&s.order, kind->command->name))
		return EXIT_UNABLE;
	return status;
}

static int run(int argc, char **argv)
{
	static const struct report_kind kind = { .command = &command_report };

	return report_run(argc, argv, &kind);
}

const struct command command_report = {
	.name = "report",
	.summary = "sum up a KMAP or a trace by call site, function and task",
	.usage = usage,
	.run = run,
};
