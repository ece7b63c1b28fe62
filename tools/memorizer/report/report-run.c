// SPDX-License-Identifier: GPL-2.0
/*
 * Runs report and the commands that print other tables of the same sums: takes their options,
 * sums up the input, checks what came of it and lets the command print.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>

#include "builtin.h"
#include "report/report.h"
#include "report/summing.h"

#define BRIEF_ROWS	10

/**
 * struct settings - a command and its options
 * @summing: the sums; first, for summing_event()
 * @files: where symbols come from
 * @order: the order of rows, from --sort
 * @top_given: whether --top was given
 * @report: what to print, and how
 * @filter: selects what is counted
 * @kind: the command
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

/* Reports how many addresses have no symbol. */
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

/* Returns false, after a message, if nothing matches one of the options. */
static bool check_filter(const struct sums *k, const char *name)
{
	struct window w = sums_window(k);

	return kmem_filter_check(k->filter, &w, sums_seen(k), k->symbols, name);
}

/* Returns true, after a message, if a sum overflowed. */
static bool tell_overflow(const struct sums *k)
{
	if (k->overflow)
		fprintf(stderr, "memorizer: a sum exceeds 64 bits and stands as %llu\n", U64_MAX);
	return k->overflow;
}

static void print(const struct settings *s, const struct sums *k)
{
	report_head(&s->report, k);
	s->kind->print(&s->report, k);
	if (s->report.format == REPORT_JSON)
		printf("\n}\n");
}

/* Returns false, after a message, if there are no notes of the compiler's where they are needed. */
static bool check_notes(const struct settings *s, const struct kmap_symbols *symbols)
{
	if (!s->kind->needs_notes || kmap_symbols_notes(symbols))
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
	trace_warn(g->trace);
	rebuild_warn(kmap, g->name);
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

/* Takes an option that selects what is counted. */
static bool set_filter(struct settings *s, int option, const char *arg)
{
	switch (option) {
	case 't':
		return kmem_filter_kind(&s->filter, s->kind->command->name, arg);
	case OPTION_NO_WAIT:
		s->filter.no_wait = true;
		return true;
	default:
		return kmem_filter_option(&s->filter, s->kind->command->name, option, arg) ==
			KMEM_TAKEN;
	}
}

/* Returns false, after a message, if only another command takes an option. */
static bool is_taken(const struct settings *s, int option)
{
	static const struct {
		int option;
		enum report_takes takes;
		const char *name, *command;
	} limited[] = {
		{ 'a', REPORT_ALL, "all", "layout" },
		{ 'b', REPORT_BRIEF, "brief", "report" },
		{ 'F', REPORT_MAINTAINERS, "maintainers", "who" },
		{ OPTION_HISTOGRAM, REPORT_BRIEF, "histogram", "report" },
		{ OPTION_PERCENT, REPORT_RELATIVE, "percent", "report" },
		{ OPTION_RATE, REPORT_RELATIVE, "rate", "report" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(limited); i++) {
		if (limited[i].option != option || s->kind->takes & limited[i].takes)
			continue;
		fprintf(stderr, "memorizer %s: --%s: this is for %s\n", s->kind->command->name,
			limited[i].name, limited[i].command);
		return false;
	}
	return true;
}

/* Returns an exit status if the command is done, else -1. */
static int parse_options(int argc, char **argv, struct settings *s)
{
	int option;

	while ((option = getopt_long(argc, argv, "abF:k:K:iM:s:n:jct:C:S:m:p:P:f:T:h", options,
				     NULL)) != -1) {
		if (!is_taken(s, option))
			return usage_error(s->kind->command->name);
		switch (option) {
		case 'a':
			s->report.all = true;
			break;
		case 'b':
			s->report.brief = true;
			s->filter.no_wait = true;
			break;
		case OPTION_HISTOGRAM:
			s->report.histograms = true;
			break;
		case OPTION_PERCENT:
			s->report.percent = true;
			break;
		case OPTION_RATE:
			s->report.rate = true;
			break;
		case 'F':
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
 * report_run - run a command that prints sums
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
		r->top = r->format == REPORT_TEXT ? kind->rows : 0;
	input = argc ? input_name(argc, argv) : "-";
	if (!input) {
		fprintf(stderr, "memorizer: %d input files: expected one, or - for standard input\n",
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
