// SPDX-License-Identifier: GPL-2.0
/* memorizer report of a trace: who allocates and frees what where, and what should not be. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"
#include "kmemstat.h"
#include "table.h"
#include "term.h"
#include "trace-symbols.h"
#include "trace.h"

#define BAR_WIDTH	50
#define BAR_EVENTS	(1u << 16)	/* between two looks at how far it is */

/* How a line of a summary shows its number. */
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

static const char * const suspicions[KMEM_SUSPICIONS] = {
	[KMEM_SLAB_FREE] = "kmalloc memory freed by kmem_cache_free",
	[KMEM_KFREE] = "object of a cache freed by kfree",
	[KMEM_SHORT] = "allocated less than requested",
	[KMEM_DOUBLE_FREE] = "double free",
	[KMEM_INSIDE] = "freed from inside an object",
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

static void print_lines(const char *title, const char *key, const struct line *lines, size_t nr,
			enum report_format format)
{
	char number[NUMBER_MAX];
	size_t i;

	if (format == REPORT_TEXT)
		print_title(title);
	else if (format == REPORT_JSON)
		printf(",\n\t\"%s\": {", key);
	for (i = 0; i < nr; i++) {
		write_line(lines + i, format == REPORT_TEXT, number);
		if (format == REPORT_TEXT)
			printf("%-46s %20s\n", lines[i].label, number);
		else if (format == REPORT_JSON)
			printf("%s\n\t\t\"%s\": %s", i ? "," : "", lines[i].key, number);
		else
			printf("%s,%s,%s\n", key, lines[i].key, number);
	}
	if (format == REPORT_JSON)
		printf("}");
}

static void summarize(const struct kmem *k, u32 cpus, enum report_format format)
{
	const u64 *slab = k->total[KMEM_SLAB], *pages = k->total[KMEM_PAGES];
	const u64 slab_freed = slab[KMEM_FREED] + slab[KMEM_UNKNOWN_BYTES];
	const u64 pages_freed = pages[KMEM_FREED] + pages[KMEM_UNKNOWN_BYTES];
	const struct line trace_lines[] = {
		{ "Events", "events", k->events, LINE_NUMBER },
		{ "  lost", "lost", k->lost, LINE_NUMBER },
		{ "Uncertain because of losses", "uncertain", k->uncertain, LINE_NUMBER },
		{ "CPUs", "cpus", cpus, LINE_NUMBER },
		{ "Seconds", "duration", k->end - k->begin, LINE_SECONDS },
		{ "  from", "begin", k->begin, LINE_SECONDS },
		{ "  to", "end", k->end, LINE_SECONDS },
	};
	const struct line slab_lines[] = {
		{ "Total bytes requested", "bytes_req", slab[KMEM_REQ], LINE_NUMBER },
		{ "Total bytes allocated", "bytes_alloc", slab[KMEM_ALLOC], LINE_NUMBER },
		{ "Total bytes freed", "bytes_freed", slab_freed, LINE_NUMBER },
		{ "Net total bytes allocated", "net", slab[KMEM_ALLOC] - slab_freed,
		  LINE_DIFFERENCE },
		{ "Total bytes wasted on internal fragmentation", "waste", slab[KMEM_WASTE],
		  LINE_NUMBER },
		{ "Internal fragmentation", "frag", slab[KMEM_FRAG], LINE_PERCENT },
		{ "Allocations", "hit", slab[KMEM_HIT], LINE_NUMBER },
		{ "  cross-node", "cross_node", slab[KMEM_CROSS_NODE], LINE_NUMBER },
		{ "Frees", "frees", slab[KMEM_CALLS], LINE_NUMBER },
		{ "  cross-CPU (ping-pong)", "pingpong", slab[KMEM_CROSS_CPU], LINE_NUMBER },
		{ "  cross-node", "cross_node_frees", slab[KMEM_CROSS_NODE_FREES], LINE_NUMBER },
		{ "  allocated unseen", "unknown", slab[KMEM_UNKNOWN], LINE_NUMBER },
		{ "Frees unseen", "unseen", slab[KMEM_UNSEEN], LINE_NUMBER },
		{ "Live at the end", "live", slab[KMEM_LIVE], LINE_NUMBER },
		{ "  bytes", "live_bytes", slab[KMEM_LIVE_BYTES], LINE_NUMBER },
	};
	const struct line page_lines[] = {
		{ "Total bytes allocated", "bytes_alloc", pages[KMEM_ALLOC], LINE_NUMBER },
		{ "Total bytes freed", "bytes_freed", pages_freed, LINE_NUMBER },
		{ "Net total bytes allocated", "net", pages[KMEM_ALLOC] - pages_freed,
		  LINE_DIFFERENCE },
		{ "Allocations", "hit", pages[KMEM_HIT], LINE_NUMBER },
		{ "  cross-node", "cross_node", pages[KMEM_CROSS_NODE], LINE_NUMBER },
		{ "Frees", "frees", pages[KMEM_CALLS], LINE_NUMBER },
		{ "  cross-CPU (ping-pong)", "pingpong", pages[KMEM_CROSS_CPU], LINE_NUMBER },
		{ "  cross-node", "cross_node_frees", pages[KMEM_CROSS_NODE_FREES], LINE_NUMBER },
		{ "  allocated unseen", "unknown", pages[KMEM_UNKNOWN], LINE_NUMBER },
		{ "Frees unseen", "unseen", pages[KMEM_UNSEEN], LINE_NUMBER },
		{ "Live at the end", "live", pages[KMEM_LIVE], LINE_NUMBER },
		{ "  bytes", "live_bytes", pages[KMEM_LIVE_BYTES], LINE_NUMBER },
	};

	const struct line access_lines[] = {
		{ "Reads", "reads", k->accesses[KMEM_READS], LINE_NUMBER },
		{ "  of what was allocated unseen", "unknown_reads",
		  k->unattributed[KMEM_READS], LINE_NUMBER },
		{ "Writes", "writes", k->accesses[KMEM_WRITES], LINE_NUMBER },
		{ "  of what was allocated unseen", "unknown_writes",
		  k->unattributed[KMEM_WRITES], LINE_NUMBER },
		{ "Functions that access", "functions", k->functions.nr, LINE_NUMBER },
	};

	print_lines("TRACE", "trace", trace_lines, ARRAY_SIZE(trace_lines), format);
	if (format == REPORT_TEXT)
		putchar('\n');
	print_lines("SLAB", "slab", slab_lines, ARRAY_SIZE(slab_lines), format);
	if (format == REPORT_TEXT)
		putchar('\n');
	print_lines("PAGES", "pages", page_lines, ARRAY_SIZE(page_lines), format);
	if (format == REPORT_TEXT && !k->functions.nr)
		return;
	if (format == REPORT_TEXT)
		putchar('\n');
	print_lines("ACCESSES", "accesses", access_lines, ARRAY_SIZE(access_lines), format);
}

/* The texts of rows. */
static char *ip_name(const struct kmem *k, u64 ip)
{
	char text[KMAP_SYMBOL_MAX];

	if (!ip)
		return NULL;
	kmap_symbols_format(k->symbols, ip, KMAP_IP_RETURN, text);
	return table_text(text);
}

static void name_site(const struct kmem *k, const void *item, struct row *row)
{
	const struct kmem_site *site = item;

	row->name = ip_name(k, site->ip);
}

static void name_size(const struct kmem *k, const void *item, struct row *row)
{
	(void)k;
	(void)item;
	(void)row;
}

static void name_cache(const struct kmem *k, const void *item, struct row *row)
{
	const struct kmem_cache *cache = item;

	(void)k;
	if (!cache->cache)
		row->name = table_text(KMEM_LARGE);
	else if (cache->name)
		row->name = table_text(cache->name);
}

static void name_task(const struct kmem *k, const void *item, struct row *row)
{
	const struct kmem_task *task = item;

	(void)k;
	if (*task->comm)
		row->name = table_text(task->comm);
}

static void name_function(const struct kmem *k, const void *item, struct row *row)
{
	const struct kmem_function *function = item;
	const struct kmap_symbol *symbol;
	char text[KMAP_SYMBOL_MAX];
	const char *module;

	symbol = kmap_symbols_find(k->symbols, function->start, KMAP_IP_EXACT);
	snprintf(text, sizeof(text), "%llx", function->start);
	if (symbol) {
		module = kmap_symbols_string(k->symbols, symbol->module);
		snprintf(text, sizeof(text), "%s%s%s%s",
			 kmap_symbols_string(k->symbols, symbol->name), *module ? " [" : "",
			 module, *module ? "]" : "");
	}
	row->name = table_text(text);
}

static void name_suspect(const struct kmem *k, const void *item, struct row *row)
{
	const struct kmem_suspect *suspect = item;

	row->name = table_text(suspicions[suspect->suspicion]);
	row->texts[0] = ip_name(k, suspect->alloc_site);
	row->texts[1] = ip_name(k, suspect->free_site);
}

/**
 * struct view - a table of the report
 * @table: the table, still without rows
 * @hash: offset of the items in struct kmem
 * @sum: offset of the sums in an item
 * @has: the items to show are those that have one of these metrics
 * @name: names an item
 */
struct view {
	struct table table;
	size_t hash, sum;
	enum kmem_metric has[2];
	void (*name)(const struct kmem *k, const void *item, struct row *row);
};

#define BYTES_PER	{ "Total_alloc/Per", "bytes_alloc", KMEM_ALLOC, CELL_PER, KMEM_HIT }
#define REQ_PER		{ "Total_req/Per", "bytes_req", KMEM_REQ, CELL_PER, KMEM_HIT }
#define FREED		{ "Total_freed", "bytes_freed", KMEM_FREED, CELL_NUMBER, 0 }
#define HIT		{ "Hit", "hit", KMEM_HIT, CELL_NUMBER, 0 }
#define CALLS		{ "Hit", "hit", KMEM_CALLS, CELL_NUMBER, 0 }
#define FREES		{ "Freed", "frees", KMEM_FREES, CELL_NUMBER, 0 }
#define PINGPONG	{ "Ping-pong", "pingpong", KMEM_CROSS_CPU, CELL_NUMBER, 0 }
#define CROSS_NODE	{ "X-node", "cross_node", KMEM_CROSS_NODE, CELL_NUMBER, 0 }
#define FRAG		{ "Frag", "frag", KMEM_FRAG, CELL_PERCENT, 0 }
#define CROSS_CPU	{ "Cross-CPU", "cross_cpu", KMEM_CROSS_CPU, CELL_NUMBER, 0 }
#define NODE_FREES	{ "X-node", "cross_node", KMEM_CROSS_NODE_FREES, CELL_NUMBER, 0 }
#define UNSEEN		{ "Unseen", "unknown", KMEM_UNKNOWN, CELL_NUMBER, 0 }
#define LIVE_PER	{ "Total_live/Per", "live_bytes", KMEM_LIVE_BYTES, CELL_PER, KMEM_LIVE }
#define LIVE		{ "Live", "live", KMEM_LIVE, CELL_NUMBER, 0 }
#define OLDEST		{ "Oldest", "oldest", KMEM_OLDEST, CELL_SECONDS, 0 }
#define YOUNGEST	{ "Youngest", "youngest", KMEM_YOUNGEST, CELL_SECONDS, 0 }

#define READS		{ "Reads", "reads", KMEM_READS, CELL_NUMBER, 0 }
#define WRITES		{ "Writes", "writes", KMEM_WRITES, CELL_NUMBER, 0 }
#define ACCESSED	.then = { KMEM_READS, KMEM_WRITES }, .columns = { READS, WRITES }

#define CALL_SITES	.name_title = "Callsite", .name_key = "name", .id_key = "ip"
#define SITES(which, group)						\
	.hash = offsetof(struct kmem, which[group]),			\
	.sum = offsetof(struct kmem_site, sum), .name = name_site

static const struct view views[] = {
	{
		.table = {
			.title = "ALLOCATION SITES", .key = "sites", CALL_SITES,
			.then = { KMEM_ALLOC, KMEM_HIT },
			.columns = { BYTES_PER, REQ_PER, HIT, FREES, PINGPONG, CROSS_NODE, FRAG },
		},
		SITES(sites, KMEM_SLAB), .has = { KMEM_HIT, KMEM_HIT },
	}, {
		.table = {
			.title = "FREE SITES", .key = "free_sites", CALL_SITES,
			.then = { KMEM_FREED, KMEM_CALLS },
			.columns = { FREED, CALLS, CROSS_CPU, NODE_FREES, UNSEEN },
		},
		SITES(frees, KMEM_SLAB), .has = { KMEM_CALLS, KMEM_CALLS },
	}, {
		.table = {
			.title = "ALLOCATION SIZES", .key = "sizes",
			.name_title = "Bytes", .id_key = "bytes", .id_decimal = true,
			.then = { KMEM_ALLOC, KMEM_HIT },
			.columns = { BYTES_PER, REQ_PER, HIT, FREES, PINGPONG, CROSS_NODE, FRAG },
		},
		.hash = offsetof(struct kmem, sizes[KMEM_SLAB]),
		.sum = offsetof(struct kmem_size, sum), .name = name_size,
		.has = { KMEM_HIT, KMEM_HIT },
	}, {
		.table = {
			.title = "CACHES", .key = "caches",
			.name_title = "Cache", .name_key = "name", .id_key = "cache",
			.then = { KMEM_ALLOC, KMEM_HIT },
			.columns = {
				{ "Object", "object_size", KMEM_OBJECT_SIZE, CELL_NUMBER, 0 },
				BYTES_PER, REQ_PER, HIT, FREES, PINGPONG, CROSS_NODE, FRAG,
			},
		},
		.hash = offsetof(struct kmem, caches),
		.sum = offsetof(struct kmem_cache, sum), .name = name_cache,
		.has = { KMEM_HIT, KMEM_HIT },
	}, {
		.table = {
			.title = "PAGE ALLOCATION SITES", .key = "page_sites", CALL_SITES,
			.then = { KMEM_ALLOC, KMEM_HIT },
			.columns = { BYTES_PER, HIT, FREES, PINGPONG, CROSS_NODE },
		},
		SITES(sites, KMEM_PAGES), .has = { KMEM_HIT, KMEM_HIT },
	}, {
		.table = {
			.title = "PAGE FREE SITES", .key = "page_free_sites", CALL_SITES,
			.then = { KMEM_FREED, KMEM_CALLS },
			.columns = { FREED, CALLS, CROSS_CPU, NODE_FREES, UNSEEN },
		},
		SITES(frees, KMEM_PAGES), .has = { KMEM_CALLS, KMEM_CALLS },
	}, {
		.table = {
			.title = "PAGE ALLOCATION SIZES", .key = "page_sizes",
			.name_title = "Bytes", .id_key = "bytes", .id_decimal = true,
			.then = { KMEM_ALLOC, KMEM_HIT },
			.columns = { BYTES_PER, HIT, FREES, PINGPONG, CROSS_NODE },
		},
		.hash = offsetof(struct kmem, sizes[KMEM_PAGES]),
		.sum = offsetof(struct kmem_size, sum), .name = name_size,
		.has = { KMEM_HIT, KMEM_HIT },
	}, {
		.table = {
			.title = "TASKS", .key = "tasks", .id_key = "pid", .id_decimal = true,
			.name_title = "    Pid Comm", .name_key = "comm",
			.then = { KMEM_ALLOC, KMEM_PAGE_BYTES },
			.columns = {
				BYTES_PER, REQ_PER, HIT, FREES, PINGPONG, FRAG,
				{ "Total_pages", "page_bytes", KMEM_PAGE_BYTES, CELL_NUMBER, 0 },
				{ "Page_hit", "page_hit", KMEM_PAGE_HIT, CELL_NUMBER, 0 },
			},
		},
		.hash = offsetof(struct kmem, tasks),
		.sum = offsetof(struct kmem_task, sum), .name = name_task,
		.has = { KMEM_HIT, KMEM_PAGE_HIT },
	}, {
		.table = {
			.title = "SUSPICIOUS", .key = "suspicious",
			.name_title = "What", .name_key = "what",
			.texts = { { "Callsite", "site" }, { "Freed by", "free_site" } },
			.then = { KMEM_HIT, KMEM_FIRST },
			.columns = {
				HIT, { "First event", "first", KMEM_FIRST, CELL_NUMBER, 0 },
			},
		},
		.hash = offsetof(struct kmem, suspects),
		.sum = offsetof(struct kmem_suspect, sum), .name = name_suspect,
		.has = { KMEM_HIT, KMEM_HIT },
	}, {
		.table = {
			.title = "LIVE AT THE END", .key = "live", CALL_SITES,
			.then = { KMEM_LIVE_BYTES, KMEM_OLDEST },
			.columns = { LIVE_PER, LIVE, OLDEST, YOUNGEST },
		},
		SITES(sites, KMEM_SLAB), .has = { KMEM_LIVE, KMEM_LIVE },
	}, {
		.table = {
			.title = "PAGES LIVE AT THE END", .key = "live_pages", CALL_SITES,
			.then = { KMEM_LIVE_BYTES, KMEM_OLDEST },
			.columns = { LIVE_PER, LIVE, OLDEST, YOUNGEST },
		},
		SITES(sites, KMEM_PAGES), .has = { KMEM_LIVE, KMEM_LIVE },
	}, {
		.table = {
			.title = "FUNCTIONS THAT ACCESS MEMORY", .key = "functions",
			.name_title = "Function", .name_key = "name", .id_key = "start",
			ACCESSED,
		},
		.hash = offsetof(struct kmem, functions),
		.sum = offsetof(struct kmem_function, sum), .name = name_function,
		.has = { KMEM_READS, KMEM_WRITES },
	}, {
		.table = {
			.title = "ACCESSED OBJECTS, BY CALL SITE THAT ALLOCATED",
			.key = "accessed_sites", CALL_SITES, ACCESSED,
		},
		SITES(sites, KMEM_SLAB), .has = { KMEM_READS, KMEM_WRITES },
	}, {
		.table = {
			.title = "ACCESSED OBJECTS, BY CACHE", .key = "accessed_caches",
			.name_title = "Cache", .name_key = "name", .id_key = "cache", ACCESSED,
		},
		.hash = offsetof(struct kmem, caches),
		.sum = offsetof(struct kmem_cache, sum), .name = name_cache,
		.has = { KMEM_READS, KMEM_WRITES },
	}, {
		.table = {
			.title = "ACCESSED PAGES, BY CALL SITE THAT ALLOCATED",
			.key = "accessed_pages", CALL_SITES, ACCESSED,
		},
		SITES(sites, KMEM_PAGES), .has = { KMEM_READS, KMEM_WRITES },
	},
};

/* Makes a row of each item that has something to say. */
static void fill(struct table *t, const struct view *v, const struct kmem *k)
{
	const struct hash *h = (const void *)((const char *)k + v->hash);
	const u64 *sum;
	struct row *row;
	u32 i;
	char *item;

	*t = v->table;
	t->rows = kmap_array(NULL, h->nr + 1, sizeof(*t->rows));
	for (i = 0; i < h->nr; i++) {
		item = hash_item(h, i);
		sum = (const void *)(item + v->sum);
		if (!sum[v->has[0]] && !sum[v->has[1]])
			continue;
		row = t->rows + t->nr++;
		*row = (struct row){ .sum = sum };
		v->name(k, item, row);
		if (t->id_key)
			memcpy(&row->id, item, sizeof(row->id));
	}
}

/* What to sort a table by: what was asked for, or its bytes if it does not have that. */
static u32 sort_metric(const struct table *t, const struct kmemstat *s)
{
	const struct column *c;

	for (c = t->columns; c->title; c++)
		if (c->shows == s->sort || (s->sort == KMEM_HIT && c->shows == KMEM_CALLS))
			return c->shows;
	return t->then[0];
}

static void print(const struct kmem *k, u32 cpus, const struct kmemstat *s, bool incomplete)
{
	struct head head = {
		.command = "report", .input = "trace", .incomplete = incomplete,
		.sort = s->sort_key, .top = s->top, .filter = &s->filter,
	};
	struct table t;
	size_t i;

	if (s->format == REPORT_TEXT)
		term_pager();
	head_print(&head, s->format);
	summarize(k, cpus, s->format);
	for (i = 0; i < ARRAY_SIZE(views); i++) {
		fill(&t, views + i, k);
		table_sort(&t, sort_metric(&t, s), s->by_name);
		if (s->format == REPORT_JSON) {
			printf(",\n\t");
			table_json(&t, s->top);
		} else if (s->format == REPORT_CSV) {
			table_csv(&t, s->top);
		} else {
			table_print(&t, s->top);
		}
		table_free(&t);
	}
	if (s->format == REPORT_JSON)
		printf("\n}\n");
}

/* A bar on the terminal, which overwrites itself. */
static void show_progress(const struct trace *t)
{
	u64 total = trace_bytes_total(t), done = trace_bytes_done(t);
	u32 percent = total >= 100 ? done / (total / 100) : 100;
	char bar[BAR_WIDTH + 1];

	percent = percent < 100 ? percent : 100;
	memset(bar, ' ', BAR_WIDTH);
	memset(bar, '=', percent * BAR_WIDTH / 100);
	bar[BAR_WIDTH] = '\0';
	fprintf(stderr, "\r[%s] %3u%%", bar, percent);
}

static void count(struct kmem *k, struct trace *t)
{
	bool bar = isatty(STDERR_FILENO), shown = false;
	struct trace_event e;

	while (trace_next(t, &e)) {
		kmem_prefetch(k, trace_ahead(t));
		if (!kmem_event(k, &e))
			break;
		if (bar && !(e.nr % BAR_EVENTS)) {
			show_progress(t);
			shown = true;
		}
	}
	if (shown)
		fprintf(stderr, "\r\033[K");
	kmem_end(k);
}

/* Tells of what was asked for and did not come. */
static bool check_filter(const struct kmem *k, const char *dir)
{
	const struct kmem_filter *f = k->filter;
	char text[KMAP_ERROR_MAX];
	const char *option = kmem_unmatched(k, text);

	if (f->from_mark && !k->from_seen)
		fprintf(stderr, "memorizer: %s: no mark '%s'\n", dir, f->from_mark);
	else if (f->to_mark && !k->to_seen)
		fprintf(stderr, "memorizer: %s: no mark '%s'%s%s%s\n", dir, f->to_mark,
			f->from_mark ? " after '" : "", f->from_mark ? f->from_mark : "",
			f->from_mark ? "'" : "");
	else if (f->from && !f->from_mark && !k->chosen)
		fprintf(stderr, "memorizer: %s: ends before --from %llu.%09llu\n", dir,
			f->from / 1000000000, f->from % 1000000000);
	else if (option)
		fprintf(stderr, "memorizer: %s: nothing in it matches --%s %s\n", dir, option,
			text);
	else
		return true;
	return false;
}

static int report(const struct kmemstat *s, const char *dir, struct trace *t,
		  const struct kmap_symbols *symbols)
{
	int status = EXIT_FINE;
	struct kmem k;

	kmem_init(&k, symbols, &s->filter);
	count(&k, t);
	if (!check_filter(&k, dir)) {
		status = EXIT_UNABLE;
	} else {
		print(&k, trace_streams(t), s, trace_incomplete(t));
		if (trace_tell(t))
			status = EXIT_INCOMPLETE;
	}
	kmem_free(&k);
	return status;
}

/**
 * kmemstat_sort - set what to sort by
 * @s: what to report
 * @key: the argument of --sort
 *
 * Return: whether there is such a key; if not there was a message.
 */
bool kmemstat_sort(struct kmemstat *s, const char *key)
{
	static const struct {
		const char *key;
		enum kmem_metric metric;
	} keys[] = {
		{ "bytes", KMEM_ALLOC }, { "req", KMEM_REQ }, { "hit", KMEM_HIT },
		{ "frag", KMEM_FRAG }, { "pingpong", KMEM_CROSS_CPU },
		{ "cross", KMEM_CROSS_CPU }, { "node", KMEM_CROSS_NODE },
		{ "freed", KMEM_FREED }, { "live", KMEM_LIVE_BYTES }, { "age", KMEM_OLDEST },
	};
	size_t i;

	s->by_name = !strcmp(key, "name");
	for (i = 0; i < ARRAY_SIZE(keys); i++) {
		if (!strcmp(keys[i].key, key)) {
			s->sort = keys[i].metric;
			return true;
		}
	}
	if (!s->by_name)
		fprintf(stderr,
			"memorizer report: --sort %s: of a trace, want bytes, req, hit, frag, pingpong, cross, node, freed, live, age or name\n",
			key);
	return s->by_name;
}

/**
 * kmemstat - report a trace
 * @s: what to report
 * @dir: the directory of the trace
 *
 * Return: the exit status.
 */
int kmemstat(const struct kmemstat *s, const char *dir)
{
	char error[KMAP_ERROR_MAX];
	struct trace *t = trace_open(dir, error);
	struct kmap_symbols *symbols;
	int status = EXIT_UNABLE;

	if (!t) {
		fprintf(stderr, "memorizer: %s\n", error);
		return EXIT_UNABLE;
	}
	symbols = trace_symbols_lines(dir, s->vmlinux, s->kallsyms, s->modules, s->inlines);
	if (symbols) {
		status = report(s, dir, t, symbols);
		kmap_symbols_free(symbols);
	}
	trace_close(t);
	return status;
}
