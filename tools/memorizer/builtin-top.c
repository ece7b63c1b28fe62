// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer top: live view of the allocations of the running kernel by call site. Records like
 * memorizer record, and sums packets like memorizer report while they arrive.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

#include "builtin.h"
#include "options.h"
#include "record/recorder.h"
#include "report/report.h"
#include "report/rows.h"
#include "symbols/trace-symbols.h"

#define DELAY		2000		/* ms, as in perf top */
#define ROUND		1000		/* ms: maximum time until packets are summed */
#define WAITING		(64 << 20)	/* maximum bytes of pending packets of a CPU */
#define FRAME_LINES	13		/* lines of the screen other than rows */

static const char * const usage[] = {
	"memorizer top [OPTION...]",
	"",
	"Shows the call sites of the running kernel that allocate slab objects and pages: what",
	"is live, the rate of allocations, and sums since the start. In a terminal, q quits,",
	"and < and > or the arrow keys select the column to sort by.",
	NULL
};

/* Sums of a row. */
enum { LIVE_BYTES, LIVE, NEW_BYTES, NEW_OBJECTS, BYTES, OBJECTS, FREES, NUMBERS };

static const struct column columns[] = {
	{ "Live bytes", "live_bytes", LIVE_BYTES, CELL_NUMBER, 0 },
	{ "Live", "live", LIVE, CELL_NUMBER, 0 },
	{ "Bytes/s", "bytes_alloc_rate", NEW_BYTES, CELL_RATE, 0 },
	{ "Hit/s", "hit_rate", NEW_OBJECTS, CELL_RATE, 0 },
	{ "Total_alloc", "bytes_alloc", BYTES, CELL_NUMBER, 0 },
	{ "Hit", "hit", OBJECTS, CELL_NUMBER, 0 },
	{ "Freed", "frees", FREES, CELL_NUMBER, 0 },
};

static const struct table empty = {
	.title = "CALL SITES", .key = "sites", .name_title = "Callsite", .name_key = "name",
	.texts = { { "Memory", "memory" }, NAMED_TYPE }, .then = { BYTES, OBJECTS },
};

/* Sums of a call site at the end of the last interval, and the increase in it. */
struct seen {
	u64 bytes, objects, new_bytes, new_objects;
};

/**
 * struct top - state of the view
 * @vmlinux: ELF file with symbols and types, or NULL
 * @filter: selects what is counted
 * @order: column to sort by
 * @batch: print plain text instead of a screen
 * @iterations: number of remaining tables, 0: unlimited
 * @rows: rows of a table, 0: what fits the screen
 * @name: name of the kernel's files in messages
 * @trace: the recorded trace
 * @symbols: the symbols
 * @sums: the sums
 * @time: end of the last interval in ns; 0: none yet
 * @interval: its length in ns
 * @seen: sums of call sites at its end
 * @nr: number of items in @seen
 * @dropped: number of packets that were dropped
 * @rounds: number of rounds until a table is printed
 * @round: number of rounds since the last table
 * @incomplete: events are missing
 * @unmatched: a filter matched nothing
 */
struct top {
	const char *vmlinux;
	struct kmem_filter filter;
	struct table_order order;
	bool batch;
	u32 iterations, rows;
	const char *name;
	struct trace *trace;
	struct kmap_symbols *symbols;
	struct sums sums;
	u64 time, interval;
	struct seen *seen[STREAM_GROUPS];
	u32 nr[STREAM_GROUPS];
	u64 dropped;
	u32 rounds, round;
	bool incomplete, unmatched;
};

/* Call site of an item: the call sites of one group follow those of another. */
static const struct site *site_of(const struct top *t, u32 *item, enum group *g)
{
	for (*g = GROUP_SLAB; *item >= t->sums.sites[*g].nr; ++*g)
		*item -= t->sums.sites[*g].nr;
	return hash_item(t->sums.sites + *g, *item);
}

static bool sum_site(void *data, u32 item, u64 *sum)
{
	struct top *t = data;
	enum group g;
	const struct site *site = site_of(t, &item, &g);
	const struct seen *seen = t->seen[g] + item;

	sum[LIVE_BYTES] = site->sum[SUM_LIVE_BYTES];
	sum[LIVE] = site->sum[SUM_LIVE];
	sum[BYTES] = site->sum[SUM_ALLOC];
	sum[OBJECTS] = site->sum[SUM_HIT];
	sum[FREES] = site->sum[SUM_FREES];
	sum[NEW_BYTES] = seen->new_bytes;
	sum[NEW_OBJECTS] = seen->new_objects;
	return sum[OBJECTS];
}

static void name_site(void *data, u32 item, struct row *row)
{
	const struct top *t = data;
	enum group g;
	const struct site *site = site_of(t, &item, &g);

	row->name = report_site(&t->sums, site->ip);
	row->texts[0] = site->kind ? table_text(kmap_kinds[site->kind]) : NULL;
	row->texts[1] = report_site_type(&t->sums, site->typed, site->kind);
}

/* End an interval. */
static void end_interval(struct top *t, u64 end)
{
	const struct hash *sites;
	const struct site *site;
	struct seen *seen;
	u32 i;
	int g;

	for (g = 0; g < STREAM_GROUPS; g++) {
		sites = t->sums.sites + g;
		t->seen[g] = xreallocarray(t->seen[g], sites->nr + 1, sizeof(*seen));
		for (; t->nr[g] < sites->nr; t->nr[g]++)
			t->seen[g][t->nr[g]] = (struct seen){ 0 };
		for (i = 0; i < sites->nr; i++) {
			site = hash_item(sites, i);
			seen = t->seen[g] + i;
			seen->new_bytes = site->sum[SUM_ALLOC] - seen->bytes;
			seen->new_objects = site->sum[SUM_HIT] - seen->objects;
			seen->bytes = site->sum[SUM_ALLOC];
			seen->objects = site->sum[SUM_HIT];
		}
	}
	if (!t->time)
		t->time = t->sums.begin;
	t->interval = end > t->time ? end - t->time : 0;
	t->time = end > t->time ? end : t->time;
}

static void print_head(const struct top *t)
{
	const struct sums *k = &t->sums;
	u64 since = t->time - k->begin;

	printf("memorizer top: %llu.%06llu s, %llu events, %llu lost", since / 1000000000,
	       since / 1000 % 1000000, k->events, trace_lost(t->trace));
	if (t->dropped)
		printf(", %llu packets missing", t->dropped);
	printf("\n slab: %llu objects, %llu bytes; pages: %llu objects, %llu bytes\n",
	       k->total[GROUP_SLAB][SUM_HIT], k->total[GROUP_SLAB][SUM_ALLOC],
	       k->total[GROUP_PAGES][SUM_HIT], k->total[GROUP_PAGES][SUM_ALLOC]);
	if (k->total[GROUP_AREAS][SUM_HIT] || k->total[GROUP_LOCAL][SUM_HIT])
		printf(" areas: %llu objects, %llu bytes; stacks and per-CPU: %llu objects, %llu bytes\n",
		       k->total[GROUP_AREAS][SUM_HIT], k->total[GROUP_AREAS][SUM_ALLOC],
		       k->total[GROUP_LOCAL][SUM_HIT], k->total[GROUP_LOCAL][SUM_ALLOC]);
}

/* Number of rows to print. */
static u32 rows_of(const struct top *t)
{
	u32 height = t->batch ? 0 : term_height(), room;

	if (!height)
		return t->rows;
	room = height > FRAME_LINES ? height - FRAME_LINES : 1;
	return t->rows && t->rows < room ? t->rows : room;
}

static void draw(struct top *t)
{
	struct row_items items = {
		.metrics = NUMBERS, .sum = sum_site, .name = name_site, .data = t,
	};
	struct table table = empty;
	char title[64];
	size_t i;
	int g;

	for (g = 0; g < STREAM_GROUPS; g++)
		items.nr += t->sums.sites[g].nr;
	memcpy(table.columns, columns, sizeof(columns));
	for (i = 0; i < ARRAY_SIZE(columns); i++)
		if (columns[i].cell == CELL_RATE)
			table.columns[i].of = t->interval;
	if (!t->batch) {
		snprintf(title, sizeof(title), "CALL SITES, by %s (< >: by another column, q: end)",
			 t->order.key);
		table.title = title;
		printf("\033[H\033[J");
	}
	print_head(t);
	/* All rows, because texts may decide the order. */
	rows_fill(&table, &items, NEW_BYTES, 0);
	named_drop(&table, t->symbols);
	table_sort(&table, &t->order, NEW_BYTES);
	table_print(&table, rows_of(t));
	if (t->batch)
		printf("\n");
	table_free(&table);
	fflush(stdout);
}

static bool begin(void *data, const char *dir, const char *name)
{
	char error[ERROR_MAX];
	struct top *t = data;

	t->name = name;
	t->trace = trace_open_fed(dir, name, error);
	if (!t->trace) {
		fprintf(stderr, "memorizer: %s\n", error);
		return false;
	}
	t->symbols = trace_symbols_lines(dir, t->vmlinux, NULL, NULL, false);
	if (!t->symbols || !named_usable(&t->filter, t->symbols, "top"))
		return false;
	sums_init(&t->sums, t->symbols, &t->filter);
	if (!t->batch)
		draw(t);
	return true;
}

static void take_packet(void *data, u32 cpu, const char *packet, size_t size)
{
	struct top *t = data;

	trace_feed(t->trace, cpu, packet, size);
}

static void count(struct top *t, u64 until)
{
	struct trace_event e;

	trace_read_until(t->trace, until);
	while (trace_symbols_next(t->trace, t->symbols, &e)) {
		sums_prefetch(&t->sums, trace_peek(t->trace));
		sums_event(&t->sums, &e);
	}
}

static bool show(void *data, u64 until, u64 end, u64 dropped)
{
	struct top *t = data;
	struct window window;

	count(t, until);
	if (++t->round < t->rounds && until != U64_MAX)
		return true;
	if (t->iterations == 1 && until != U64_MAX)
		return false;		/* the last table includes everything up to now */
	t->round = 0;
	t->dropped = dropped;
	sums_live(&t->sums);
	end_interval(t, end);
	draw(t);
	t->iterations -= t->iterations > 0;
	if (until == U64_MAX) {
		window = sums_window(&t->sums);
		t->incomplete = trace_warn(t->trace) || dropped;
		t->unmatched = !kmem_filter_check(&t->filter, &window, sums_seen(&t->sums),
						  t->symbols, t->name);
	}
	return true;
}

/* Sort by the next or previous column. */
static void order_by(struct top *t, int step)
{
	int nr = ARRAY_SIZE(columns), i;

	for (i = 0; i < nr && strcmp(columns[i].key, t->order.key); i++)
		;
	/* If sorted by a text, go to the first column. */
	i = i < nr ? i + step : 0;
	t->order.key = columns[(i + nr) % nr].key;
}

static bool take_keys(void *data)
{
	struct top *t = data;
	char keys[64];
	ssize_t n = read(STDIN_FILENO, keys, sizeof(keys)), i;

	for (i = 0; i < n; i++) {
		switch (keys[i]) {
		case 'q':
		case 'Q':
			return false;
		case '<':
		case '>':
			order_by(t, keys[i] == '<' ? -1 : 1);
			break;
		case '\033':		/* followed by [ and a letter for each arrow key */
			if (i + 2 < n && keys[i + 1] == '[' && keys[i + 2] == 'C')
				order_by(t, 1);
			else if (i + 2 < n && keys[i + 1] == '[' && keys[i + 2] == 'D')
				order_by(t, -1);
			i += 2;
			break;
		}
	}
	draw(t);
	return n > 0;
}

/* Record to a temporary directory with the symbols; returns the exit status. */
static int watch(struct top *t, struct recording *what)
{
	const char *parent = getenv("TMPDIR") ?: "/tmp";
	struct save in = { .path = (char *)parent };
	int status, g;
	char *dir;

	if (asprintf(&dir, "%s/memorizer-top.XXXXXX", parent) < 0)
		abort();
	if (!mkdtemp(dir)) {
		fprintf(stderr, "memorizer: %s: %s\n", parent, strerror(errno));
		free(dir);
		return EXIT_UNABLE;
	}
	what->output = dir;
	status = record(what);
	in.dir = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (in.dir < 0 || !save_remove(&in, strrchr(dir, '/') + 1))
		status = EXIT_UNABLE;
	if (in.dir >= 0)
		close(in.dir);
	free(dir);
	if (t->sums.symbols)
		sums_free(&t->sums);
	for (g = 0; g < STREAM_GROUPS; g++)
		free(t->seen[g]);
	if (t->symbols)
		kmap_symbols_free(t->symbols);
	if (t->trace)
		trace_close(t->trace);
	if (status == EXIT_FINE && t->unmatched)
		status = EXIT_UNABLE;
	return status == EXIT_FINE && t->incomplete ? EXIT_INCOMPLETE : status;
}

/* Watch on a terminal in non-canonical mode; Ctrl-Z is disabled as it would lose events. */
static int watch_terminal(struct top *t, struct recording *what)
{
	static char buffer[1 << 16];
	struct termios before, keys;
	int status;

	if (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &before)) {
		fprintf(stderr, "memorizer top: standard %s: no terminal: want one, or --batch\n",
			isatty(STDOUT_FILENO) ? "input" : "output");
		return usage_error("top");
	}
	/* Write a screen at once, to avoid flicker. */
	setvbuf(stdout, buffer, _IOFBF, sizeof(buffer));
	keys = before;
	keys.c_lflag &= ~(ICANON | ECHO);
	keys.c_cc[VSUSP] = _POSIX_VDISABLE;
	tcsetattr(STDIN_FILENO, TCSANOW, &keys);
	status = watch(t, what);
	tcsetattr(STDIN_FILENO, TCSANOW, &before);
	return status;
}

static int option_delay(const struct option *o, const char *arg, int unset)
{
	double seconds;
	char *end;

	(void)unset;
	seconds = strtod(arg, &end);
	if (*arg < '0' || *arg > '9' || *end || seconds < 0.001 || seconds > 1e6)
		return option_refuse(o, arg, "seconds, 0.001 to 1000000");
	*(u64 *)o->value = seconds * 1000;
	return 0;
}

static int option_order(const struct option *o, const char *arg, int unset)
{
	struct table_order *order = o->value;
	struct table table = empty;

	(void)unset;
	memcpy(table.columns, columns, sizeof(columns));
	order->key = arg;
	/* Sorting a table without rows shows whether it has the column. */
	table_sort(&table, order, NEW_BYTES);
	if (!table_order_check(order, "top"))
		exit(usage_error("top"));
	return 0;
}

static int run(int argc, char **argv)
{
	struct top t = { .order.key = "bytes_alloc_rate" };
	struct recorder_view view = {
		.ms = DELAY, .keys = -1, .data = &t, .begin = begin, .packet = take_packet,
		.show = show, .key = take_keys,
	};
	struct recording what = {
		.debugfs = "/sys/kernel/debug", .on = { [STREAM_ALLOCATIONS] = true },
		.options = { .flight = WAITING, .select = { .memory = PACKET_MEMORY_ALL } },
		.view = &view,
	};
	const struct option options[] = {
		OPT_TAKE('d', "delay", &view.ms, "SECONDS", "refresh interval (default: 2)",
			 option_delay),
		OPT_BOOLEAN('b', "batch", &t.batch, "print plain text, one table after the other"),
		OPT_NUMBER('n', "iterations", &t.iterations, "N", 1, U32_MAX,
			   "exit after N tables (default: on a signal or q)"),
		OPT_NUMBER('r', "rows", &t.rows, "N", 1, U32_MAX,
			   "print the first N rows (default: one screen; all with --batch)"),
		OPT_TAKE('s', "sort", &t.order, "KEY",
			 "sort by live_bytes, live, bytes_alloc_rate (default), hit_rate, bytes_alloc, hit,\n"
			 "                          frees, name, memory or type", option_order),
		OPT_STRING('k', "vmlinux", &t.vmlinux, "FILE",
			   "ELF file with the kernel's symbols and types"),
		OPT_STRING('D', "debugfs", &what.debugfs, "DIR",
			   "mount point of debugfs (default: /sys/kernel/debug)"),
		OPT_HELP(),
		OPT_GROUP("Count only (a free counts with its allocation):"),
		OPT_TAKE('t', "kind", &t.filter, "KIND",
			 "a comma-separated list of kmalloc, cache and pages", option_kind),
		OPTS_SELECT(&t.filter),
		OPT_TYPE(&t.filter),
		OPT_END()
	};

	kmem_filter_init(&t.filter);
	what.filter.pids = &what.options.select.pids;
	argc = options_parse(&command_top, argc, argv, options, 0);
	if (argc) {
		fprintf(stderr, "memorizer top: unexpected argument '%s'\n", argv[0]);
		return usage_error("top");
	}
	/* Several rounds per table, so that few packets wait in memory. */
	t.rounds = (view.ms + ROUND - 1) / ROUND;
	view.ms /= t.rounds;
	if (t.batch)
		return watch(&t, &what);
	view.keys = STDIN_FILENO;
	return watch_terminal(&t, &what);
}

const struct command command_top = {
	.name = "top",
	.summary = "show live which call sites allocate",
	.usage = usage,
	.run = run,
};
