// SPDX-License-Identifier: GPL-2.0
/*
 * Runs report and the commands that print other tables of the same sums: takes their options,
 * sums up the input, checks what came of it and lets the command print.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "builtin.h"
#include "options.h"
#include "report/report.h"
#include "report/summing.h"
#include "trace/wanted.h"

#define BRIEF_ROWS	10

/**
 * struct settings - a command and its options
 * @summing: the sums; first, for summing_event()
 * @files: where symbols come from
 * @order: the order of rows, from --sort
 * @top_given: whether --top was given
 * @children: functions on stacks, for report
 * @report: what to print, and how
 * @filter: selects what is counted
 * @kind: the command
 */
struct settings {
	struct summing summing;
	struct symbol_files files;
	struct table_order order;
	bool top_given;
	struct children children;
	struct report report;
	struct kmem_filter filter;
	const struct report_kind *kind;
};

/* Print the number of addresses without symbol. A call site that allocates several kinds is one. */
static void print_unresolved(const struct sums *k, bool kallsyms)
{
	const struct hash *sites = k->sites + GROUP_KMAP, *ips = k->ips + ACCESS_COUNTED;
	const struct access_ip *access;
	const struct site *site;
	u32 i, missing = 0;
	struct hash seen;
	bool new;

	hash_init(&seen, sizeof(u64), sizeof(u64));
	for (i = 0; i < sites->nr; i++) {
		site = hash_item(sites, i);
		hash_get(&seen, &site->ip, &new);
		missing += new && !kmap_symbols_find(k->symbols, site->ip, KMAP_IP_RETURN);
	}
	for (i = 0; i < ips->nr; i++) {
		access = hash_item(ips, i);
		missing += !kmap_symbols_find(k->symbols, access->ip, KMAP_IP_EXACT);
	}
	input_unresolved(missing, seen.nr + ips->nr, kallsyms);
	hash_free(&seen);
}

/* Returns false, after a message, if nothing matches one of the options. */
static bool check_filter(const struct sums *k, const char *name)
{
	struct window w = sums_window(k);

	return kmem_filter_check(k->filter, &w, sums_seen(k), k->symbols, name);
}

/* Returns true, after a message, if a sum overflowed. */
static bool print_overflow(const struct sums *k)
{
	if (k->overflow)
		fprintf(stderr, "memorizer: a sum exceeds 64 bits and is printed as %llu\n",
			U64_MAX);
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
		"memorizer %s: types are unknown: want --vmlinux with compiler notes\n",
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
	children_init(&s->children, g->symbols);
	k->children = s->kind->takes & REPORT_BRIEF ? &s->children : NULL;
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
		print_unresolved(k, s->files.kallsyms);
	return print_overflow(k) ? EXIT_MALFORMED : status;
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
	return print_overflow(k) ? EXIT_MALFORMED : EXIT_INCOMPLETE;
}

/* Returns false, after a message, if there are no accesses where they are needed. */
static bool check_accesses(const struct settings *s, const struct engine *g)
{
	u32 types = s->summing.types;

	if (!s->kind->needs_accesses)
		return true;
	if (!g->trace)
		return wanted_lines(g->name, true, types);
	return wanted_check(g->name, types, WANTED_TOUCHES | WANTED(COUNTS));
}

static int end(struct engine *g, int status)
{
	struct settings *s = g->data;
	struct sums *k = &s->summing.sums;

	if (status != EXIT_UNABLE) {
		summing_end(&s->summing);
		if (!check_accesses(s, g) || !check_filter(k, g->name) ||
		    (s->report.children && !wanted_stacks(g->name, k->skip.stacks)) ||
		    (s->kind->check && !s->kind->check(&s->report, k)))
			status = EXIT_UNABLE;
		else if (g->trace)
			status = print_trace(s, g, k);
		else
			status = print_kmap(s, k, status);
	}
	children_free(&s->children);
	sums_free(k);
	return status;
}

/* Disable the options that only other commands have, and hide those that only report shows. */
static void limit_options(struct option *options, const struct report_kind *kind)
{
	static const struct {
		enum report_takes takes;
		const char *name;
	} limited[] = {
		{ REPORT_ALL, "all" }, { REPORT_BRIEF, "brief" }, { REPORT_BRIEF, "histogram" },
		{ REPORT_BRIEF, "children" }, { REPORT_BRIEF, "context-file" },
		{ REPORT_MAINTAINERS, "maintainers" }, { REPORT_RELATIVE, "percent" },
		{ REPORT_RELATIVE, "rate" },
	};
	struct option *o;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(limited); i++)
		if (!(kind->takes & limited[i].takes))
			set_option_flag(options, 0, limited[i].name, PARSE_OPT_DISABLED);
	if (kind->takes & REPORT_BRIEF)
		return;
	set_option_flag(options, 'i', "inlines", PARSE_OPT_HIDDEN);
	set_option_flag(options, 0, "percent", PARSE_OPT_HIDDEN);
	set_option_flag(options, 0, "rate", PARSE_OPT_HIDDEN);
	for (o = options; o->type != OPTION_GROUP; o++)
		;
	o->help = "The options of report that select what is counted are accepted as well.";
	while ((++o)->type != OPTION_END)
		o->flags |= PARSE_OPT_HIDDEN;
}

static int report(struct settings *s, const char *input)
{
	static const struct engine_ops ops = {
		.begin = begin, .event = summing_event, .object = summing_object,
		.access = summing_access, .end = end,
	};
	const char *trace_only = kmem_filter_trace_only(&s->filter) ?:
				 s->report.rate ? "rate" : NULL;
	struct engine g = {
		.ops = &ops, .data = s, .files = s->files,
		.by_context = s->kind->takes & REPORT_BRIEF,
	};
	int status;

	if (!s->report.trace && trace_only) {
		fprintf(stderr, "memorizer %s: --%s: only for the directory of a trace\n",
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
	struct option options[] = {
		OPTS_SYMBOLS(&s.files),
		OPT_INLINES(&s.files),
		OPT_CONTEXTS(&s.files),
		OPT_BOOLEAN('a', "all", &r->all,
			    "print the members of all accessed records, except embedded ones"),
		OPT_STRING('F', "maintainers", &r->maintainers, "FILE",
			   "take subsystems from this MAINTAINERS of the kernel's source"),
		OPT_TAKE('s', "sort", &s.order, "KEY",
			 "sort tables by the column with this key in JSON, or by name, type or field",
			 option_sort),
		OPT_NUMBER('n', "top", &r->top, "N", 0, U32_MAX,
			   "rows of each table, 0 for all (default: 20; all with --json and --csv)",
			   .set = &s.top_given),
		OPT_BOOLEAN(0, "percent", &r->percent,
			    "add a column of shares to each number of events or bytes"),
		OPT_BOOLEAN(0, "rate", &r->rate, "add columns of rates per second, for a trace"),
		OPT_BOOLEAN(0, "children", &r->children,
			    "print only what functions on stacks and their callees allocated"),
		OPT_BOOLEAN(0, "histogram", &r->histograms,
			    "print sizes and lifetimes of the allocations of each call site"),
		OPT_SET_UINT('j', "json", &r->format, "print JSON", REPORT_JSON),
		OPT_SET_UINT('c', "csv", &r->format, "print CSV", REPORT_CSV),
		OPT_BOOLEAN('b', "brief", &r->brief,
			    "print one screen: call sites, accesses, members; implies --no-wait"),
		OPT_HELP(),
		OPT_GROUP("Count only (a free with its allocation, an access with its object):"),
		OPTS_FILTER(&s.filter),
		OPTS_NAMED(&s.filter),
		OPT_KIND(&s.filter),
		OPT_SKIP(&s.filter),
		OPT_BOOLEAN(0, "no-wait", &s.filter.no_wait,
			    "accesses by functions that do not spin for a lock or another CPU"),
		OPT_END()
	};
	const char *input;
	int status;

	kmem_filter_init(&s.filter);
	limit_options(options, kind);
	argc = options_parse(kind->command, argc, argv, options, 0);
	if (r->brief + r->histograms + r->children > 1) {
		fprintf(stderr,
			"memorizer %s: want only one of --brief, --children and --histogram\n",
			kind->command->name);
		return usage_error(kind->command->name);
	}
	s.filter.no_wait |= r->brief;
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
	r->usual = kind->usual ?: r->trace || r->children ? "bytes" : "accesses";
	status = report(&s, input);
	/* Only the printed tables show whether any has the column. */
	if (status != EXIT_UNABLE && !table_order_check(&s.order, kind->command->name))
		return EXIT_UNABLE;
	return status;
}
