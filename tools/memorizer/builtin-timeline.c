// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer timeline: live memory over time, its peaks and their call sites, rates and lifetimes.
 *
 * The trace is read twice: first to find its duration and the peaks, then to fill the intervals and
 * to collect the call sites at the peaks.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"
#include "options.h"
#include "report/engine.h"
#include "report/head.h"
#include "report/named.h"
#include "report/output.h"
#include "report/table.h"
#include "report/term.h"
#include "report/timeline.h"
#include "trace/names.h"
#include "trace/wanted.h"

#define SPANS		40		/* without --spans */
#define SPANS_SVG	400		/* likewise, for a picture */
#define SPANS_MAX	100000
#define TEXT_ROWS	20		/* of tables of call sites, without --top */
#define DECADES		13		/* of lifetimes: 10 ns, 100 ns, ... 10000 s, longer */

static const char * const usage[] = {
	"memorizer timeline [OPTION...] DIR",
	"",
	"Prints the live bytes over time of allocations in the trace; the peaks, and the call",
	"sites of what was live then; rates of allocations and frees; and lifetimes of freed",
	"memory.",
	NULL
};

/* An allocated object: its call site, and whether the filter selects it and its allocation. */
struct allocated {
	struct tracked memory;
	u64 site;
	bool is_object, is_chosen;
};

/* Live memory of a call site at a peak; @typed: see named_event_site(). */
enum holder_metric { HELD, HELD_BYTES, HOLDER_METRICS };

struct holder {
	u64 ip, typed, sum[HOLDER_METRICS];
};

enum lifetime_metric { DIED, DIED_BYTES, LIFETIME_METRICS };

/**
 * struct overtime - state of the command
 * @svg: file for the picture, or NULL
 * @spans: number of intervals, 0: default
 * @top: rows of tables of call sites, 0 for all
 * @top_given: --top was given
 * @format: output format
 * @filter: selects what is counted
 * @symbols: the symbols
 * @line: the result
 * @holders: struct holder by call site, at each peak
 * @lifetimes: number of freed allocations by decade of their lifetime
 * @incomplete: events are missing
 * @second: the trace is read for the second time
 * @live: live memory, struct allocated
 * @bytes: live bytes
 * @now: interval of the last event
 * @names: names of tasks and caches
 * @choice: state of @filter
 * @named: state of @filter for types and members
 * @types: mask of enum trace_type: types of events in the trace
 * @event: the current event
 * @peak_nr: number of the event that reaches each peak, 0: at the start
 */
struct overtime {
	const char *svg;
	u32 spans, top;
	bool top_given;
	enum report_format format;
	struct kmem_filter filter;
	struct kmap_symbols *symbols;
	struct timeline line;
	struct hash holders[TRACKER_GROUPS];
	u64 lifetimes[DECADES][LIFETIME_METRICS];
	bool incomplete, second;
	struct tracker live;
	u64 bytes[TRACKER_GROUPS];
	u32 now;
	struct names names;
	struct kmem_choice choice;
	struct named_filter named;
	u32 types;
	const struct trace_event *event;
	u64 peak_nr[TRACKER_GROUPS];
};

static u64 *current(struct overtime *o)
{
	return o->line.sums[o->now];
}

/* Decade of a lifetime: below 10 ns, below 100 ns, ... */
static u32 decade(u64 ns)
{
	u32 d = 0;

	for (; ns >= 10 && d < DECADES - 1; ns /= 10)
		d++;
	return d;
}

static void count_death(struct overtime *o, const struct tracked *item, u64 bytes)
{
	u64 life = o->event->time - item->time, *sum = current(o);

	sum[TIMELINE_FREE_BYTES] += bytes;
	o->lifetimes[decade(life)][DIED_BYTES] += bytes;
	/* Pages may be freed in parts: the last one ends the allocation. */
	if (item->left)
		return;
	sum[TIMELINE_LIVES]++;
	sum[TIMELINE_LIFE] += life;
	o->lifetimes[decade(life)][DIED]++;
}

/* Subtract bytes of an allocation that ended, even if its free event is missing. */
static void gone(void *data, struct tracked *memory, u64 bytes, bool freed)
{
	const struct allocated *item = (const struct allocated *)memory;
	struct overtime *o = data;

	if (!item->is_chosen)
		return;
	o->bytes[tracker_group(memory->kind)] -= bytes;
	if (o->second && o->choice.window.begun && freed)
		count_death(o, memory, bytes);
}

/* Advance to the interval of a time; nothing changes in between. */
static void move_on(struct overtime *o, u64 time)
{
	u32 span = (time - o->line.begin) / o->line.width;
	u64 *sum;
	int g;

	for (;;) {
		sum = current(o);
		for (g = 0; g < TRACKER_GROUPS; g++)
			sum[TIMELINE_LIVE + g] = o->bytes[g];
		if (o->now >= span || o->now + 1 == o->line.nr)
			return;
		o->now++;
		for (g = 0; g < TRACKER_GROUPS; g++)
			current(o)[TIMELINE_PEAK + g] = o->bytes[g];
	}
}

/* Collect the call sites of live memory. */
static void note_holders(struct overtime *o, enum tracker_group g)
{
	const struct allocated *item;
	struct holder *holder;
	u64 key[2];
	bool new;
	u32 i;

	for (i = 0; i < o->live.nr; i++) {
		item = tracker_item(&o->live, i);
		if (!item->memory.left || tracker_group(item->memory.kind) != g ||
		    !item->is_chosen)
			continue;
		key[0] = item->site;
		key[1] = named_event_site(item->memory.kind, item->site);
		holder = hash_item(&o->holders[g], hash_get(&o->holders[g], key, &new));
		holder->sum[HELD]++;
		holder->sum[HELD_BYTES] += item->memory.left;
	}
}

/* First pass: update the peaks. Second pass: collect call sites at the events that reached them. */
static void look_at_peaks(struct overtime *o)
{
	int g;

	for (g = 0; g < TRACKER_GROUPS; g++) {
		if (o->second) {
			if (o->bytes[g] > current(o)[TIMELINE_PEAK + g])
				current(o)[TIMELINE_PEAK + g] = o->bytes[g];
			if (o->event->nr == o->peak_nr[g])
				note_holders(o, g);
		} else if (o->bytes[g] > o->line.peak[g]) {
			o->line.peak[g] = o->bytes[g];
			o->line.peak_time[g] = o->event->time;
			o->peak_nr[g] = o->event->nr;
		}
	}
}

/* Rejected allocations are tracked, too: the memory that they reuse is no longer live. */
static void allocate(struct overtime *o, const struct trace_event *e)
{
	enum tracker_group g = tracker_group(e->u.alloc.kind);
	const char *cache = names_cache(&o->names, e->u.alloc.kind, e->u.alloc.cache);
	u64 site = e->u.alloc.call_site;
	bool is_object = kmem_choice_object(&o->choice, cache, site);
	bool is_chosen = is_object && o->choice.by_whom && named_filter_allocation(&o->named, site);
	struct allocated *item = tracker_add(&o->live, e, 0);

	if (item) {
		item->site = site;
		item->is_object = is_object;
		item->is_chosen = is_chosen;
	}
	if (item && is_chosen)
		o->bytes[g] += e->u.alloc.bytes_alloc;
	if (!o->second || !o->choice.within || !is_chosen)
		return;
	current(o)[TIMELINE_ALLOCS]++;
	current(o)[TIMELINE_ALLOC_BYTES] += e->u.alloc.bytes_alloc;
}

/* A free is selected if its allocation is; if that is unknown, by itself. */
static void free_memory(struct overtime *o, const struct trace_event *e)
{
	const struct allocated *item = tracker_find(&o->live, e->u.free.ptr);
	const char *cache = names_cache(&o->names, e->u.free.kind, e->u.free.cache);

	if (o->second && o->choice.within)
		current(o)[TIMELINE_FREES] += item ? item->is_chosen :
			kmem_choice_object(&o->choice, cache, e->u.free.call_site) &&
			o->choice.by_whom && named_filter_allocation(&o->named, 0);
	tracker_remove(&o->live, e);
}

/* Count an access that the filter selects together with its object. */
static void count_access(struct overtime *o, const struct trace_event *e)
{
	const struct allocated *item = tracker_find(&o->live, e->u.access.ptr);
	u64 place = 0, size = 0, site = 0, *sum;
	u32 kind = e->u.access.kind;

	if (!o->choice.chosen ||
	    !(item ? item->is_object : kmem_choice_object(&o->choice, NAMES_UNKNOWN, 0)))
		return;
	if (item) {
		site = item->memory.kind == TRACE_PAGES ? 0 : item->site;
		size = item->memory.asked;
		place = named_place(e->u.access.ptr - item->memory.ptr, e->u.access.size, size);
	}
	if (!named_filter_code(&o->named, e->u.access.ip, site, place, size) || !o->second)
		return;
	sum = current(o);
	sum[TIMELINE_READS] += kind == TRACE_READ || kind == TRACE_UPDATE;
	sum[TIMELINE_WRITES] += kind == TRACE_WRITE || kind == TRACE_UPDATE;
}

static void add_mark(struct overtime *o, const struct trace_event *e)
{
	struct timeline *line = &o->line;
	char *text = xreallocarray(NULL, 4 * strlen(e->u.mark.text) + 1, 1);

	names_escape(text, e->u.mark.text);
	line->marks = xreallocarray(line->marks, line->nr_marks + 1, sizeof(*line->marks));
	line->marks[line->nr_marks++] = (struct timeline_mark){
		.time = e->time, .text = text,
	};
}

/* The live memory at the start may be a peak. */
static void begin(struct overtime *o, const struct trace_event *e)
{
	const struct kmem_filter *f = &o->filter;
	int g;

	if (!o->second)
		o->line.begin = f->from && !f->from_mark ? f->from : e->time;
	for (g = 0; g < TRACKER_GROUPS; g++) {
		if (!o->second) {
			o->line.peak[g] = o->bytes[g];
			o->line.peak_time[g] = o->line.begin;
			continue;
		}
		current(o)[TIMELINE_PEAK + g] = o->bytes[g];
		if (!o->peak_nr[g])
			note_holders(o, g);
	}
}

/* The end is that of the trace, a time, or a mark. */
static void set_end(struct overtime *o, const struct trace_event *e)
{
	const struct kmem_filter *f = &o->filter;

	o->line.end = o->choice.window.ended && !f->to_mark ? f->to - 1 : e->time;
}

static void handle(struct overtime *o, const struct trace_event *e)
{
	const struct window *w = &o->choice.window;
	bool begun = w->begun;

	o->event = e;
	o->types |= 1u << e->type;
	if (e->type >= TRACE_DISCARDED)
		return;
	names_event(&o->names, e);
	kmem_choice_event(&o->choice, e);
	if (!begun && w->begun)
		begin(o, e);
	/* Also with the event that ends the time. */
	if (w->begun && !o->second)
		set_end(o, e);
	if (w->ended)
		return;
	if (w->begun && o->second)
		move_on(o, e->time);
	if (e->type == TRACE_ALLOC)
		allocate(o, e);
	else if (e->type == TRACE_FREE)
		free_memory(o, e);
	else if (e->type == TRACE_MARK && w->begun && o->second)
		add_mark(o, e);
	else if (e->type == TRACE_ACCESS && w->begun &&
		 (o->second || o->filter.type || o->filter.field))
		count_access(o, e);
	if (w->begun)
		look_at_peaks(o);
}

static bool begin_reading(struct engine *g)
{
	struct overtime *o = g->data;

	if (!named_usable(&o->filter, g->symbols, "timeline"))
		return false;
	o->symbols = g->symbols;
	names_init(&o->names);
	kmem_choice_init(&o->choice, &o->filter, o->symbols, &o->names);
	named_filter_init(&o->named, &o->choice);
	memset(o->bytes, 0, sizeof(o->bytes));
	tracker_init(&o->live, sizeof(struct allocated));
	o->live.gone = gone;
	o->live.data = o;
	/* The second pass starts with the modules of the first event again. */
	kmap_symbols_rewind(o->symbols);
	return true;
}

static bool take(void *data, const struct trace_event *e)
{
	struct overtime *o = data;

	handle(o, e);
	return !o->choice.window.ended;
}

/* Check that all filters match in the trace; returns false after a message. */
static bool check(const struct overtime *o, const char *dir)
{
	if (!o->second && (!wanted_check(dir, o->types, o->filter.field ? WANTED(ACCESS) : 0) ||
			   !kmem_choice_check(&o->choice, dir)))
		return false;
	if (o->choice.window.begun && o->line.begin <= o->line.end)
		return true;
	fprintf(stderr, "memorizer: %s: no events in that time\n", dir);
	return false;
}

static int end_reading(struct engine *g, int status)
{
	struct overtime *o = g->data;

	/* The intervals after the last event are not empty: memory stays live. */
	if (o->second && o->choice.window.begun)
		move_on(o, o->line.end);
	if (o->second ? trace_warn(g->trace) : trace_incomplete(g->trace))
		status = EXIT_INCOMPLETE;
	if (!check(o, g->name))
		status = EXIT_UNABLE;
	tracker_free(&o->live);
	named_filter_free(&o->named);
	kmem_choice_free(&o->choice);
	names_free(&o->names);
	return status;
}

static void make_spans(struct overtime *o)
{
	struct timeline *line = &o->line;
	u32 spans = o->spans ? o->spans : o->svg ? SPANS_SVG : SPANS;
	u64 length = line->end - line->begin + 1;
	u32 i;

	line->width = length / spans + (length % spans != 0);
	line->nr = length / line->width + (length % line->width != 0);
	line->sums = xreallocarray(NULL, line->nr, sizeof(*line->sums));
	memset(line->sums, 0, line->nr * sizeof(*line->sums));
	for (i = 0; i < line->nr; i++)
		line->sums[i][TIMELINE_BEGIN] = line->begin + i * line->width;
	o->now = 0;
}

/* Compute derived sums. */
static void finish(struct overtime *o)
{
	u64 *sum;
	u32 i;

	for (i = 0; i < o->line.nr; i++) {
		sum = o->line.sums[i];
		sum[TIMELINE_ALLOC_RATE] = sum[TIMELINE_ALLOCS] * 1e9 / o->line.width;
		sum[TIMELINE_FREE_RATE] = sum[TIMELINE_FREES] * 1e9 / o->line.width;
		if (sum[TIMELINE_LIVES])
			sum[TIMELINE_MEAN_LIFE] = sum[TIMELINE_LIFE] / sum[TIMELINE_LIVES];
	}
}

/* Output */

static void print_table(const struct overtime *o, struct table *t, u32 top)
{
	if (o->format == REPORT_JSON) {
		printf(",\n\t");
		table_json(t, top);
	} else if (o->format == REPORT_CSV) {
		table_csv(t, top);
	} else {
		table_print(t, top);
	}
	table_free(t);
}

static void print_spans(const struct overtime *o)
{
	struct table t = {
		.title = "OVER TIME", .key = "spans", .name_title = "From", .id_key = "begin",
		.id_decimal = true, .id_seconds = true,
		.columns = {
			{ "Slab_live", "slab_live", TIMELINE_LIVE + TRACKER_SLAB, CELL_NUMBER, 0 },
			{ "Slab_peak", "slab_peak", TIMELINE_PEAK + TRACKER_SLAB, CELL_NUMBER, 0 },
			{ "Pages_live", "pages_live", TIMELINE_LIVE + TRACKER_PAGES,
			  CELL_NUMBER, 0 },
			{ "Pages_peak", "pages_peak", TIMELINE_PEAK + TRACKER_PAGES,
			  CELL_NUMBER, 0 },
			{ "Alloc/s", "alloc_rate", TIMELINE_ALLOC_RATE, CELL_NUMBER, 0 },
			{ "Free/s", "free_rate", TIMELINE_FREE_RATE, CELL_NUMBER, 0 },
			{ "Life", "mean_life", TIMELINE_MEAN_LIFE, CELL_MEAN_SECONDS,
			  TIMELINE_LIVES },
			{ "Allocs", "allocs", TIMELINE_ALLOCS, CELL_NUMBER, 0 },
			{ "Frees", "frees", TIMELINE_FREES, CELL_NUMBER, 0 },
			{ "Alloc_bytes", "bytes_alloc", TIMELINE_ALLOC_BYTES, CELL_NUMBER, 0 },
			{ "Free_bytes", "bytes_freed", TIMELINE_FREE_BYTES, CELL_NUMBER, 0 },
			{ "Reads", "reads", TIMELINE_READS, CELL_NUMBER, 0 },
			{ "Writes", "writes", TIMELINE_WRITES, CELL_NUMBER, 0 },
			{ "Areas_live", "areas_live", TIMELINE_LIVE + TRACKER_AREAS,
			  CELL_NUMBER, 0 },
			{ "Areas_peak", "areas_peak", TIMELINE_PEAK + TRACKER_AREAS,
			  CELL_NUMBER, 0 },
			{ "Local_live", "local_live", TIMELINE_LIVE + TRACKER_LOCAL,
			  CELL_NUMBER, 0 },
			{ "Local_peak", "local_peak", TIMELINE_PEAK + TRACKER_LOCAL,
			  CELL_NUMBER, 0 },
		},
		.nr = o->line.nr,
	};
	u32 i;

	/* The last columns are about memory that a trace may not have. */
	for (i = 0; t.columns[i].title; i++)
		if (o->format == REPORT_TEXT && !o->line.peak[TRACKER_AREAS] &&
		    !o->line.peak[TRACKER_LOCAL] &&
		    t.columns[i].shows == TIMELINE_LIVE + TRACKER_AREAS)
			t.columns[i] = (struct column){ 0 };
	t.rows = xreallocarray(NULL, t.nr, sizeof(*t.rows));
	for (i = 0; i < t.nr; i++)
		t.rows[i] = (struct row){ .id = o->line.sums[i][TIMELINE_BEGIN],
					  .sum = o->line.sums[i] };
	print_table(o, &t, 0);
}

static void print_lifetimes(const struct overtime *o)
{
	struct table t = {
		.title = "LIFETIMES OF FREED ALLOCATIONS", .key = "lifetimes",
		.name_title = "Shorter than", .id_key = "below",
		.id_decimal = true, .id_seconds = true,
		.columns = {
			{ "Freed", "frees", DIED, CELL_NUMBER, 0 },
			{ "Bytes", "bytes_freed", DIED_BYTES, CELL_NUMBER, 0 },
		},
	};
	u64 below = 10;
	u32 i;

	t.rows = xreallocarray(NULL, DECADES, sizeof(*t.rows));
	for (i = 0; i < DECADES; i++) {
		if (o->lifetimes[i][DIED_BYTES])
			t.rows[t.nr++] = (struct row){
				.id = i < DECADES - 1 ? below : U64_MAX, .sum = o->lifetimes[i],
			};
		below *= 10;
	}
	print_table(o, &t, 0);
}

static void print_holders(const struct overtime *o, enum tracker_group g)
{
	static const struct {
		const char *title, *key;
	} heads[TRACKER_GROUPS] = {
		[TRACKER_SLAB] = { "LIVE AT THE PEAK", "slab_peak" },
		[TRACKER_PAGES] = { "PAGES LIVE AT THE PEAK", "pages_peak" },
		[TRACKER_AREAS] = { "AREAS LIVE AT THE PEAK", "areas_peak" },
		[TRACKER_LOCAL] = { "STACKS AND PER-CPU MEMORY LIVE AT THE PEAK", "local_peak" },
	};
	struct table t = {
		.title = heads[g].title, .key = heads[g].key,
		.name_title = "Callsite", .name_key = "name", .id_key = "ip",
		.texts = { NAMED_TYPE }, .then = { HELD_BYTES, HELD },
		.columns = {
			{ "Total_live/Per", "live_bytes", HELD_BYTES, CELL_PER, HELD },
			{ "Live", "live", HELD, CELL_NUMBER, 0 },
		},
		.nr = o->holders[g].nr,
	};
	char text[KMAP_SYMBOL_MAX];
	const struct holder *holder;
	const char *type;
	u32 i;

	t.rows = xreallocarray(NULL, t.nr + 1, sizeof(*t.rows));
	for (i = 0; i < t.nr; i++) {
		holder = hash_item(&o->holders[g], i);
		kmap_symbols_format(o->symbols, holder->ip, KMAP_IP_RETURN, text);
		t.rows[i] = (struct row){ .id = kmap_symbols_address(o->symbols, holder->ip),
					  .name = table_text(text),
					  .sum = holder->sum };
		type = named_allocation(o->symbols, holder->typed);
		t.rows[i].texts[0] = type ? table_text(type) : NULL;
	}
	named_drop(&t, o->symbols);
	table_sort(&t, &(struct table_order){ .key = NULL }, HELD_BYTES);
	print_table(o, &t, o->top);
}

static void print_marks(const struct overtime *o)
{
	struct table t = {
		.title = "MARKS", .key = "marks", .name_title = "At", .id_key = "time",
		.id_decimal = true, .id_seconds = true, .texts = { { "Text", "text" } },
		.nr = o->line.nr_marks,
	};
	static const u64 none;
	u32 i;

	t.rows = xreallocarray(NULL, t.nr + 1, sizeof(*t.rows));
	for (i = 0; i < t.nr; i++) {
		t.rows[i] = (struct row){ .id = o->line.marks[i].time, .sum = &none };
		t.rows[i].texts[0] = table_text(o->line.marks[i].text);
	}
	print_table(o, &t, 0);
}

static void print_peak(const struct overtime *o, const char *label, const char *key,
		       enum tracker_group g)
{
	u64 bytes = o->line.peak[g], time = o->line.peak_time[g];

	if (o->format == REPORT_JSON)
		printf(",\n\t\"%s_most\": {\"bytes\": %llu, \"time\": %llu}", key, bytes, time);
	else if (o->format == REPORT_CSV)
		printf("%s_most,bytes,%llu\n%s_most,time,%llu\n", key, bytes, key, time);
	else if (bytes || g <= TRACKER_PAGES)
		printf("%-20s %20llu bytes, at %llu.%09llu\n", label, bytes, time / 1000000000,
		       time % 1000000000);
}

static void print(const struct overtime *o)
{
	struct head head = {
		.command = "timeline", .input = "trace", .incomplete = o->incomplete,
		.sort = "time", .top = o->top, .filter = &o->filter,
	};
	int g;

	if (o->format == REPORT_TEXT)
		term_pager();
	head_print(&head, o->format);
	print_peak(o, "Peak of the slab", "slab", TRACKER_SLAB);
	print_peak(o, "Peak of pages", "pages", TRACKER_PAGES);
	print_peak(o, "Peak of areas", "areas", TRACKER_AREAS);
	print_peak(o, "Peak of local memory", "local", TRACKER_LOCAL);
	print_spans(o);
	print_marks(o);
	for (g = 0; g < TRACKER_GROUPS; g++)
		print_holders(o, g);
	print_lifetimes(o);
	if (o->format == REPORT_JSON)
		printf("\n}\n");
}

static void release(struct overtime *o)
{
	u32 i;
	int g;

	for (i = 0; i < o->line.nr_marks; i++)
		free(o->line.marks[i].text);
	free(o->line.marks);
	free(o->line.sums);
	for (g = 0; g < TRACKER_GROUPS; g++)
		hash_free(o->holders + g);
}

/* Draw the picture; returns false after a message. */
static bool draw(const struct overtime *o, struct output *output, const char *dir)
{
	/* timeline_svg() closes its descriptor; output_end() needs one, too. */
	if (timeline_svg(&o->line, dup(output->fd), dir))
		return output_end(output);
	fprintf(stderr, "memorizer: %s: %s\n", o->svg, strerror(errno));
	output_drop(output);
	return false;
}

static int timeline(struct overtime *o, struct engine *g, const char *dir)
{
	const char *inputs[] = { dir, g->files.vmlinux, g->files.kallsyms };
	struct output output = { .fd = -1 };
	int status = EXIT_UNABLE, i;

	if (o->svg && !output_begin(&output, o->svg, inputs, ARRAY_SIZE(inputs)))
		return EXIT_UNABLE;
	for (i = 0; i < TRACKER_GROUPS; i++)
		hash_init(o->holders + i, sizeof(struct holder), offsetof(struct holder, sum));
	if (engine_run(g, dir) == EXIT_UNABLE)
		goto out;
	make_spans(o);
	o->second = true;
	status = engine_run(g, dir);
	if (status == EXIT_UNABLE)
		goto out;
	o->incomplete = status == EXIT_INCOMPLETE;
	finish(o);
	print(o);
	if (o->svg && !draw(o, &output, dir))
		status = EXIT_UNABLE;
out:
	output_drop(&output);
	release(o);
	engine_free(g);
	return status;
}

static int run(int argc, char **argv)
{
	static const struct engine_ops ops = {
		.begin = begin_reading, .event = take, .end = end_reading,
	};
	struct overtime o = { .format = REPORT_TEXT };
	struct engine g = { .ops = &ops, .data = &o };
	const struct option options[] = {
		OPT_NUMBER('b', "spans", &o.spans, "N", 1, SPANS_MAX,
			   "number of equal intervals (default: 40, or 400 with --svg)"),
		OPT_STRING('o', "svg", &o.svg, "FILE", "draw a picture, too"),
		OPTS_SYMBOLS(&g.files),
		OPT_NUMBER('n', "top", &o.top, "N", 0, U32_MAX,
			   "number of call sites, 0 for all (default: 20; all with --json and --csv)",
			   .set = &o.top_given),
		OPT_SET_UINT('j', "json", &o.format, "print JSON", REPORT_JSON),
		OPT_SET_UINT('c', "csv", &o.format, "print CSV", REPORT_CSV),
		OPT_HELP(),
		OPT_GROUP("Count only (a free counts with its allocation):"),
		OPTS_FILTER(&o.filter),
		OPTS_NAMED(&o.filter),
		OPT_END()
	};
	const char *dir;

	kmem_filter_init(&o.filter);
	argc = options_parse(&command_timeline, argc, argv, options, 0);
	dir = input_name(argc, argv);
	if (!dir) {
		fprintf(stderr,
			"memorizer timeline: %d traces: want one directory, or the parts of one\n",
			argc);
		return usage_error("timeline");
	}
	if (!o.top_given)
		o.top = o.format == REPORT_TEXT ? TEXT_ROWS : 0;
	return timeline(&o, &g, dir);
}

const struct command command_timeline = {
	.name = "timeline",
	.summary = "show live memory over time, and draw it",
	.usage = usage,
	.run = run,
};
