// SPDX-License-Identifier: GPL-2.0
/* The summary at the beginning of a report. */
#include <stdio.h>
#include <string.h>

#include "report/report.h"
#include "report/term.h"

#define TRACE_LABEL	46	/* width of the labels */
#define KMAP_LABEL	42

/* Format of the number in a line. */
enum line_type {
	LINE_NUMBER,
	LINE_DIFFERENCE,	/* may be negative */
	LINE_PERCENT,		/* thousandths of a percent */
	LINE_SECONDS,		/* ns */
};

struct line {
	const char *label, *key;
	u64 n;
	enum line_type type;
};

#define NUMBER_MAX	32

static void write_line(const struct line *line, bool text, char number[NUMBER_MAX])
{
	u64 n = line->n;

	if (line->type == LINE_PERCENT)
		snprintf(number, NUMBER_MAX, "%llu.%03llu%s", n / 1000, n % 1000, text ? "%" : "");
	else if (line->type == LINE_SECONDS && text)
		snprintf(number, NUMBER_MAX, "%llu.%09llu", n / 1000000000, n % 1000000000);
	else if (line->type == LINE_DIFFERENCE && n > U64_MAX / 2)
		snprintf(number, NUMBER_MAX, "-%llu", -n);
	else
		snprintf(number, NUMBER_MAX, "%llu", n);
}

static void print_title(const char *title)
{
	int width = strlen("SUMMARY ()") + strlen(title);

	printf("%sSUMMARY (%s)%s\n%s", term_style(STYLE_TITLE), title, term_plain(),
	       term_style(STYLE_RULE));
	while (width-- > 0)
		putchar('=');
	printf("%s\n", term_plain());
}

static void print_lines(const struct report *r, const char *title, const char *key,
			const struct line *lines, size_t nr)
{
	int width = r->trace ? TRACE_LABEL : KMAP_LABEL;
	char number[NUMBER_MAX];
	size_t i;

	if (r->format == REPORT_TEXT && strcmp(key, r->trace ? "trace" : "summary"))
		putchar('\n');
	if (r->format == REPORT_TEXT)
		print_title(title);
	else if (r->format == REPORT_JSON)
		printf(",\n\t\"%s\": {", key);
	for (i = 0; i < nr; i++) {
		write_line(lines + i, r->format == REPORT_TEXT, number);
		if (r->format == REPORT_TEXT)
			printf("%-*s %20s\n", width, lines[i].label, number);
		else if (r->format == REPORT_JSON)
			printf("%s\n\t\t\"%s\": %s", i ? "," : "", lines[i].key, number);
		else
			printf("%s,%s,%s\n", key, lines[i].key, number);
	}
	if (r->format == REPORT_JSON)
		printf("}");
}

/* What --no-wait leaves out. */
#define WAITING	{ "Excluded, by spinning functions", "waiting", k->waiting[SUM_ACCESSES], \
		  LINE_NUMBER }

static void summarize_trace(const struct sums *k, const struct report *r)
{
	const struct line trace_lines[] = {
		{ "Events", "events", k->events, LINE_NUMBER },
		{ "  lost", "lost", k->lost, LINE_NUMBER },
		{ "Uncertain because of losses", "uncertain", k->uncertain, LINE_NUMBER },
		{ "CPUs", "cpus", r->cpus, LINE_NUMBER },
		{ "Seconds", "duration", k->end - k->begin, LINE_SECONDS },
		{ "  from", "begin", k->begin, LINE_SECONDS },
		{ "  to", "end", k->end, LINE_SECONDS },
	};

	print_lines(r, "TRACE", "trace", trace_lines, ARRAY_SIZE(trace_lines));
}

static void summarize_slab(const struct sums *k, const struct report *r)
{
	const u64 *slab = k->total[GROUP_SLAB];
	const u64 slab_freed = slab[SUM_FREED] + slab[SUM_UNKNOWN_BYTES];
	const struct line slab_lines[] = {
		{ "Total bytes requested", "bytes_req", slab[SUM_REQ], LINE_NUMBER },
		{ "Total bytes allocated", "bytes_alloc", slab[SUM_ALLOC], LINE_NUMBER },
		{ "Total bytes freed", "bytes_freed", slab_freed, LINE_NUMBER },
		{ "Net total bytes allocated", "net", slab[SUM_ALLOC] - slab_freed,
		  LINE_DIFFERENCE },
		{ "Total bytes wasted on internal fragmentation", "waste", slab[SUM_WASTE],
		  LINE_NUMBER },
		{ "Internal fragmentation", "frag", slab[SUM_FRAG], LINE_PERCENT },
		{ "Allocations", "hit", slab[SUM_HIT], LINE_NUMBER },
		{ "  cross-node", "cross_node", slab[SUM_CROSS_NODE], LINE_NUMBER },
		{ "Frees", "frees", slab[SUM_CALLS], LINE_NUMBER },
		{ "  cross-CPU (ping-pong)", "pingpong", slab[SUM_CROSS_CPU], LINE_NUMBER },
		{ "  cross-node", "cross_node_frees", slab[SUM_CROSS_NODE_FREES], LINE_NUMBER },
		{ "  of unknown memory", "unknown", slab[SUM_UNKNOWN], LINE_NUMBER },
		{ "Missed frees", "unseen", slab[SUM_UNSEEN], LINE_NUMBER },
		{ "Live at the end", "live", slab[SUM_LIVE], LINE_NUMBER },
		{ "  bytes", "live_bytes", slab[SUM_LIVE_BYTES], LINE_NUMBER },
		{ "  possibly freed in a loss", "live_uncertain", slab[SUM_LIVE_UNCERTAIN],
		  LINE_NUMBER },
	};

	print_lines(r, "SLAB", "slab", slab_lines, ARRAY_SIZE(slab_lines));
}

static void summarize_pages(const struct sums *k, const struct report *r)
{
	const u64 *pages = k->total[GROUP_PAGES];
	const u64 pages_freed = pages[SUM_FREED] + pages[SUM_UNKNOWN_BYTES];
	const struct line page_lines[] = {
		{ "Total bytes allocated", "bytes_alloc", pages[SUM_ALLOC], LINE_NUMBER },
		{ "Total bytes freed", "bytes_freed", pages_freed, LINE_NUMBER },
		{ "Net total bytes allocated", "net", pages[SUM_ALLOC] - pages_freed,
		  LINE_DIFFERENCE },
		{ "Allocations", "hit", pages[SUM_HIT], LINE_NUMBER },
		{ "  cross-node", "cross_node", pages[SUM_CROSS_NODE], LINE_NUMBER },
		{ "Frees", "frees", pages[SUM_CALLS], LINE_NUMBER },
		{ "  cross-CPU (ping-pong)", "pingpong", pages[SUM_CROSS_CPU], LINE_NUMBER },
		{ "  cross-node", "cross_node_frees", pages[SUM_CROSS_NODE_FREES], LINE_NUMBER },
		{ "  of unknown memory", "unknown", pages[SUM_UNKNOWN], LINE_NUMBER },
		{ "Missed frees", "unseen", pages[SUM_UNSEEN], LINE_NUMBER },
		{ "Live at the end", "live", pages[SUM_LIVE], LINE_NUMBER },
		{ "  bytes", "live_bytes", pages[SUM_LIVE_BYTES], LINE_NUMBER },
		{ "  possibly freed in a loss", "live_uncertain", pages[SUM_LIVE_UNCERTAIN],
		  LINE_NUMBER },
	};

	print_lines(r, "PAGES", "pages", page_lines, ARRAY_SIZE(page_lines));
}

/* Areas, or stacks and per-CPU memory: in text, if the trace has any. */
static void summarize_other(const struct sums *k, const struct report *r, enum group g)
{
	const u64 *sum = k->total[g], freed = sum[SUM_FREED] + sum[SUM_UNKNOWN_BYTES];
	const struct line lines[] = {
		{ "Total bytes requested", "bytes_req", sum[SUM_REQ], LINE_NUMBER },
		{ "Total bytes allocated", "bytes_alloc", sum[SUM_ALLOC], LINE_NUMBER },
		{ "Total bytes freed", "bytes_freed", freed, LINE_NUMBER },
		{ "Net total bytes allocated", "net", sum[SUM_ALLOC] - freed, LINE_DIFFERENCE },
		{ "Allocations", "hit", sum[SUM_HIT], LINE_NUMBER },
		{ "Frees", "frees", sum[SUM_CALLS], LINE_NUMBER },
		{ "  cross-CPU (ping-pong)", "pingpong", sum[SUM_CROSS_CPU], LINE_NUMBER },
		{ "  of unknown memory", "unknown", sum[SUM_UNKNOWN], LINE_NUMBER },
		{ "Missed frees", "unseen", sum[SUM_UNSEEN], LINE_NUMBER },
		{ "Live at the end", "live", sum[SUM_LIVE], LINE_NUMBER },
		{ "  bytes", "live_bytes", sum[SUM_LIVE_BYTES], LINE_NUMBER },
		{ "  possibly freed in a loss", "live_uncertain", sum[SUM_LIVE_UNCERTAIN],
		  LINE_NUMBER },
	};
	bool areas = g == GROUP_AREAS;

	if (r->format != REPORT_TEXT || sum[SUM_HIT] || sum[SUM_CALLS])
		print_lines(r, areas ? "AREAS" : "STACKS AND PER-CPU MEMORY",
			    areas ? "areas" : "local", lines, ARRAY_SIZE(lines));
}

static void summarize_accesses(const struct sums *k, const struct report *r)
{
	const struct line access_lines[] = {
		{ "Reads", "reads", k->accesses[SUM_READS], LINE_NUMBER },
		{ "  to unknown memory", "unknown_reads",
		  k->unattributed[SUM_READS], LINE_NUMBER },
		{ "Writes", "writes", k->accesses[SUM_WRITES], LINE_NUMBER },
		{ "  to unknown memory", "unknown_writes",
		  k->unattributed[SUM_WRITES], LINE_NUMBER },
		{ "Accessing functions", "functions", k->functions[ACCESS_STREAMED].nr,
		  LINE_NUMBER },
		{ "Accessed objects", "touched", k->most[ACCESS_STREAMED].nr, LINE_NUMBER },
		WAITING,
	};
	/* The last line is for --no-wait only. */
	size_t nr = ARRAY_SIZE(access_lines) - !k->filter->no_wait;

	if (r->format != REPORT_TEXT || k->functions[ACCESS_STREAMED].nr)
		print_lines(r, "ACCESSES", "accesses", access_lines, nr);
}

/*
 * Number of items from @first on for which a metric is not 0. @sum: offset of the sums in an
 * item.
 */
static u64 used(const struct hash *h, u32 first, size_t sum, enum metric one, enum metric other)
{
	const u64 *sums;
	u64 nr = 0;
	u32 i;

	for (i = first; i < h->nr; i++) {
		sums = (const void *)((const char *)hash_item(h, i) + sum);
		nr += sums[one] || sums[other];
	}
	return nr;
}

/* For a KMAP, this is the whole summary; for a trace, the part about its objects. */
static void summarize_kmap(const struct sums *k, const struct report *r)
{
	const u64 *t = k->total[GROUP_KMAP], *shared = k->all_shared;
	const struct line lines[] = {
		{ "Objects", "objects", t[SUM_HIT], LINE_NUMBER },
		{ "  live", "live", t[SUM_LIVE], LINE_NUMBER },
		{ "  freed", "freed", t[SUM_HIT] - t[SUM_LIVE], LINE_NUMBER },
		{ "    by an unknown caller", "unknown_frees", t[SUM_UNKNOWN_FREES], LINE_NUMBER },
		{ "    missed, allocated over", "overwrites", t[SUM_OVERWRITES], LINE_NUMBER },
		{ "  accessed", "touched", t[SUM_TOUCHED], LINE_NUMBER },
		{ "Bytes requested", "bytes", t[SUM_REQ], LINE_NUMBER },
		{ "  live", "live_bytes", t[SUM_LIVE_BYTES], LINE_NUMBER },
		{ "Accesses", "accesses", t[SUM_ACCESSES], LINE_NUMBER },
		{ "  reads", "reads", t[SUM_READS], LINE_NUMBER },
		{ "  writes", "writes", t[SUM_WRITES], LINE_NUMBER },
		{ "Allocation sites", "allocation_sites", used(k->sites + GROUP_KMAP, 0,
		  offsetof(struct site, sum), SUM_HIT, SUM_HIT), LINE_NUMBER },
		{ "Access sites", "access_sites", k->ips[ACCESS_COUNTED].nr, LINE_NUMBER },
		{ "  functions", "functions", k->functions[ACCESS_COUNTED].nr, LINE_NUMBER },
		{ "Pids", "pids", used(&k->pids, 0, offsetof(struct pid, sum), SUM_HIT,
		  SUM_TOUCHED), LINE_NUMBER },
		{ "Comms", "comms", used(&k->comms, 1, offsetof(struct comm, sum), SUM_HIT,
		  SUM_PIDS), LINE_NUMBER },
		{ "Shared objects (accessed by several pids)", "shared_objects",
		  shared[SUM_HIT], LINE_NUMBER },
		{ "  bytes requested", "shared_bytes", shared[SUM_REQ], LINE_NUMBER },
		{ "  reads", "shared_reads", shared[SUM_READS], LINE_NUMBER },
		{ "  writes", "shared_writes", shared[SUM_WRITES], LINE_NUMBER },
		{ "  most pids per object", "most_pids", shared[SUM_MOST_PIDS], LINE_NUMBER },
		WAITING,
	};
	/* the last line is for --no-wait only */
	size_t nr = ARRAY_SIZE(lines) - !k->filter->no_wait;

	if (r->format != REPORT_TEXT || !r->trace || t[SUM_HIT] || t[SUM_TOUCHED])
		print_lines(r, "KMAP", r->trace ? "kmap" : "summary", lines, nr);
}

/**
 * report_summarize - print the totals
 * @r: the report
 * @k: the sums
 */
void report_summarize(const struct report *r, const struct sums *k)
{
	if (r->trace) {
		summarize_trace(k, r);
		summarize_slab(k, r);
		summarize_pages(k, r);
		summarize_other(k, r, GROUP_AREAS);
		summarize_other(k, r, GROUP_LOCAL);
		summarize_accesses(k, r);
	}
	summarize_kmap(k, r);
}

/**
 * report_summarize_briefly - print the most important totals in two lines of text
 * @r: the report
 * @k: the sums
 */
void report_summarize_briefly(const struct report *r, const struct sums *k)
{
	const u64 *slab = k->total[GROUP_SLAB], *t = k->total[GROUP_KMAP];
	const u64 *accesses = r->trace ? k->accesses : t;

	if (r->format != REPORT_TEXT) {
		report_summarize(r, k);
		return;
	}
	printf("%llu objects allocated, %llu live at the end; %llu reads and %llu writes.\n",
	       r->trace ? slab[SUM_HIT] : t[SUM_HIT], r->trace ? slab[SUM_LIVE] : t[SUM_LIVE],
	       accesses[SUM_READS], accesses[SUM_WRITES]);
	printf("Left out: %llu accesses by functions that spin until a lock or a CPU is free.\n",
	       k->waiting[SUM_ACCESSES]);
}
