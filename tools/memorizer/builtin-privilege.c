// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer privilege: compares what functions may do to objects, by a partition of the code into
 * compartments, with what they did.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "options.h"
#include "report/domains.h"
#include "report/engine.h"
#include "report/head.h"
#include "report/named.h"
#include "report/table.h"
#include "symbols/namesakes.h"
#include "trace/names.h"
#include "trace/rebuild.h"
#include "trace/tracker.h"
#include "trace/wanted.h"

#define TEXT_ROWS	20	/* rows of a table without --top; JSON and CSV have all */

static const char * const usage[] = {
	"memorizer privilege [OPTION...] [KMAP|DIR|-]",
	"",
	"Prints how much a partition of the code into compartments allows, and how little of it",
	"was used: pairs of a function and a byte that it may read, write or free. Each function",
	"may do what any function of its compartment did.",
	NULL
};

#define NO_TARGET	U32_MAX		/* the filter rejects the object */

/* A live object of a trace. */
struct held {
	struct tracked memory;
	u32 target;
	u32 bytes;		/* that count as live */
};

/**
 * struct viewer - state of the command
 * @by: argument of --by
 * @partition_file: argument of --partition, or NULL
 * @partition: the partition
 * @filter: the filter
 * @files: where to load symbols from
 * @order: argument of --sort
 * @top: rows of a table; 0: all
 * @top_given: --top was given
 * @format: output format
 * @incomplete: the input has losses
 * @input: kmap or trace
 * @streamed: uses by streamed events
 * @counted: uses by the KMAP
 * @choice: state of the filter
 * @names: names of tasks and caches in a trace
 * @live: live memory of a trace, struct held
 * @kmap: the KMAP that a trace contains
 * @types: mask of the event types of a trace
 * @target: target of the current object of a KMAP
 * @unattributed: streamed accesses to unknown memory
 */
struct viewer {
	enum partition_by by;
	const char *partition_file;
	struct partition partition;
	struct kmem_filter filter;
	struct symbol_files files;
	struct table_order order;
	u32 top;
	bool top_given, incomplete;
	enum report_format format;
	const char *input;
	struct privilege streamed, counted;
	struct kmem_choice choice;
	struct names names;
	struct tracker live;
	struct rebuild kmap;
	u32 types, target;
	u64 unattributed;
};

/* KMAP */

static void take_object(void *data, const struct kmap_object *o)
{
	struct viewer *v = data;
	char comm[KMAP_COMM_TEXT + 1];
	struct life life = {
		.addr = o->addr, .size = o->size, .from = o->alloc_jiffies, .to = U64_MAX,
	};
	bool by_task;

	snprintf(comm, sizeof(comm), "%.*s", (int)o->comm_len, o->comm);
	by_task = kmem_choice_task(&v->choice, o->pid, comm);
	v->target = NO_TARGET;
	if (!kmem_choice_object(&v->choice, NULL, o->alloc_ip) || !by_task)
		return;
	v->target = privilege_target(&v->counted, o->alloc_ip);
	if (o->free_jiffies)
		life.to = o->free_jiffies > life.from ? o->free_jiffies : life.from;
	life.target = v->target;
	privilege_life(&v->counted, &life);
	if (o->free_ip != KMAP_IP_UNKNOWN && o->free_ip != KMAP_IP_OVERWRITTEN)
		privilege_use(&v->counted, o->free_ip, KMAP_IP_RETURN, v->target, PRIVILEGE_FREE,
			      1);
}

static void take_access(void *data, const struct kmap_object *o, const struct kmap_access *a)
{
	struct viewer *v = data;

	(void)o;
	if (v->target == NO_TARGET)
		return;
	privilege_use(&v->counted, a->ip, KMAP_IP_EXACT, v->target, PRIVILEGE_READ, a->reads);
	privilege_use(&v->counted, a->ip, KMAP_IP_EXACT, v->target, PRIVILEGE_WRITE, a->writes);
}

/* An object of the KMAP of a trace, see rebuild_give. */
static void give(void *data, const struct kmap_object *o, const struct kmap_access *counts, u32 nr)
{
	struct viewer *v = data;
	u32 i;

	/* A KMAP has no caches, CPUs and times to filter by. */
	if (kmem_filter_trace_only(&v->filter))
		return;
	take_object(v, o);
	for (i = 0; i < nr; i++)
		take_access(v, o, counts + i);
}

/* Trace */

/* Requested bytes that are still live: slab objects end as a whole, pages may end in pieces. */
static u32 live_bytes(const struct held *h)
{
	return h->memory.left < h->memory.asked ? h->memory.left : h->memory.asked;
}

static void gone(void *data, struct tracked *item, u64 bytes, bool freed)
{
	struct viewer *v = data;
	struct held *h = (struct held *)item;
	u32 left = live_bytes(h);

	(void)bytes;
	(void)freed;
	if (h->target != NO_TARGET)
		privilege_shrink(&v->streamed, h->target, h->bytes - left);
	h->bytes = left;
}

static void allocate(struct viewer *v, const struct trace_event *e)
{
	const char *cache = names_cache(&v->names, e->u.alloc.kind, e->u.alloc.cache);
	bool chosen = kmem_choice_object(&v->choice, cache, e->u.alloc.call_site) &&
		      v->choice.chosen;
	struct held *h = tracker_add(&v->live, e, 0);

	if (!h)
		return;
	h->target = NO_TARGET;
	if (!chosen)
		return;
	h->target = privilege_target(&v->streamed, e->u.alloc.call_site);
	h->bytes = live_bytes(h);
	privilege_grow(&v->streamed, h->target, h->bytes);
}

static void release(struct viewer *v, const struct trace_event *e)
{
	const struct held *h = tracker_find(&v->live, e->u.free.ptr);

	if (h && h->target != NO_TARGET && e->u.free.call_site)
		privilege_use(&v->streamed, e->u.free.call_site, KMAP_IP_RETURN, h->target,
			      PRIVILEGE_FREE, 1);
	tracker_remove(&v->live, e);
}

static void access_object(struct viewer *v, const struct trace_event *e)
{
	const struct held *h = tracker_find(&v->live, e->u.access.ptr);
	u32 kind = e->u.access.kind;

	if (!h) {
		v->unattributed += v->choice.chosen;
		return;
	}
	if (h->target == NO_TARGET)
		return;
	privilege_use(&v->streamed, e->u.access.ip, KMAP_IP_EXACT, h->target, PRIVILEGE_READ,
		      kind == TRACE_READ || kind == TRACE_UPDATE);
	privilege_use(&v->streamed, e->u.access.ip, KMAP_IP_EXACT, h->target, PRIVILEGE_WRITE,
		      kind == TRACE_WRITE || kind == TRACE_UPDATE);
}

static bool take_event(void *data, const struct trace_event *e)
{
	struct viewer *v = data;

	names_event(&v->names, e);
	kmem_choice_event(&v->choice, e);
	if (v->choice.window.ended)
		return false;
	v->types |= 1u << e->type;
	if (e->type == TRACE_ALLOC)
		allocate(v, e);
	else if (e->type == TRACE_FREE)
		release(v, e);
	else if (e->type == TRACE_ACCESS)
		access_object(v, e);
	rebuild_event(&v->kmap, e);
	return true;
}

/* Output */

static void print_table(struct viewer *v, struct table *t, u32 top)
{
	if (v->format == REPORT_JSON) {
		printf(",\n\t");
		table_json(t, top);
	} else if (v->format == REPORT_CSV) {
		table_csv(t, top);
	} else {
		table_print(t, top);
	}
	table_free(t);
}

static void print_sorted(struct viewer *v, const struct privilege *p, struct table *t, u32 usual)
{
	named_drop(t, p->symbols);
	table_sort(t, &v->order, usual);
	print_table(v, t, v->top);
}

static void print_sum(const struct viewer *v, const char *label, const char *key, u64 sum)
{
	if (v->format == REPORT_JSON)
		printf(",\n\t\"%s\": %llu", key, sum);
	else if (v->format == REPORT_CSV)
		printf("sum,%s,%llu\n", key, sum);
	else
		printf("%-40s %20llu\n", label, sum);
}

/* Sums of an operation. */
enum { LEAST, ALLOWED, MONOLITHIC, LEAST_RATIO, RATIO, FACTOR, OPERATION_SUMS };

/* A ratio in thousandths of a percent, rounded to the nearest. */
static u64 percent(u64 n, u64 of)
{
	return (table_ratio(n, of, 6) + 5) / 10;
}

static void set_operation(u64 *sum, u64 least, u64 allowed, u64 monolithic)
{
	sum[LEAST] = least;
	sum[ALLOWED] = allowed;
	sum[MONOLITHIC] = monolithic;
	sum[LEAST_RATIO] = percent(least, monolithic);
	sum[RATIO] = percent(allowed, monolithic);
	sum[FACTOR] = table_ratio(allowed, least, 3);
}

static void print_operations(struct viewer *v, const struct domains *d)
{
	static const char * const names[] = { "read", "write", "free", "total" };
	struct table t = {
		.title = "PRIVILEGES", .key = "privileges",
		.name_title = "Operation", .name_key = "operation",
		.columns = {
			{ "Least", "least", LEAST, CELL_NUMBER, 0 },
			{ "Allowed", "allowed", ALLOWED, CELL_NUMBER, 0 },
			{ "Monolithic", "monolithic", MONOLITHIC, CELL_NUMBER, 0 },
			{ "Least PSR", "least_psr", LEAST_RATIO, CELL_PERCENT, 0 },
			{ "PSR", "psr", RATIO, CELL_PERCENT, 0 },
			{ "Factor", "factor", FACTOR, CELL_THOUSANDTHS, 0 },
		},
	};
	u64 sums[PRIVILEGE_OPS + 1][OPERATION_SUMS], least = 0, allowed = 0;
	int op;

	t.rows = xreallocarray(NULL, PRIVILEGE_OPS + 1, sizeof(*t.rows));
	for (op = 0; op < PRIVILEGE_OPS; op++) {
		set_operation(sums[op], d->least[op], d->allowed[op], d->monolithic);
		least += d->least[op];
		allowed += d->allowed[op];
	}
	set_operation(sums[op], least, allowed, PRIVILEGE_OPS * d->monolithic);
	for (t.nr = 0; t.nr <= PRIVILEGE_OPS; t.nr++)
		t.rows[t.nr] = (struct row){ .name = table_text(names[t.nr]),
					     .sum = sums[t.nr] };
	print_table(v, &t, 0);
}

static char *domain_text(const struct domains *d, u32 domain)
{
	const struct domain *of = hash_item(&d->all, domain);

	return table_text(texts_get(&d->names, of->name));
}

static void print_compartments(struct viewer *v, const struct domains *d)
{
	struct table t = {
		.title = "COMPARTMENTS", .key = "compartments",
		.name_title = "Compartment", .name_key = "compartment",
		.then = { DOMAIN_ALLOWED, DOMAIN_FUNCTIONS },
		.columns = {
			{ "Functions", "functions", DOMAIN_FUNCTIONS, CELL_NUMBER, 0 },
			{ "Call sites", "sites", DOMAIN_TARGETS, CELL_NUMBER, 0 },
			{ "Least", "least", DOMAIN_LEAST, CELL_NUMBER, 0 },
			{ "Allowed", "allowed", DOMAIN_ALLOWED, CELL_NUMBER, 0 },
			{ "Over", "over", DOMAIN_OVER, CELL_NUMBER, 0 },
			{ "Factor", "factor", DOMAIN_FACTOR, CELL_THOUSANDTHS, 0 },
			{ "Read over", "read_over", DOMAIN_OVER_OP + PRIVILEGE_READ, CELL_NUMBER,
			  0 },
			{ "Write over", "write_over", DOMAIN_OVER_OP + PRIVILEGE_WRITE,
			  CELL_NUMBER, 0 },
			{ "Free over", "free_over", DOMAIN_OVER_OP + PRIVILEGE_FREE, CELL_NUMBER,
			  0 },
		},
	};
	struct domain *domain;

	t.rows = xreallocarray(NULL, d->all.nr + 1ull, sizeof(*t.rows));
	for (t.nr = 0; t.nr < d->all.nr; t.nr++) {
		domain = hash_item(&d->all, t.nr);
		t.rows[t.nr] = (struct row){ .name = domain_text(d, t.nr), .sum = domain->sum };
	}
	print_sorted(v, d->p, &t, DOMAIN_OVER);
}

/* Sums of a target. */
enum {
	SHARED_COMPARTMENTS, SHARED_FUNCTIONS, SHARED_SIZE, SHARED_READS, SHARED_WRITES,
	SHARED_FREES, SHARED_SUMS
};

static void add_count(u64 *sum, u64 count)
{
	if (__builtin_add_overflow(*sum, count, sum))
		*sum = U64_MAX;
}

/* Returns sums by target. */
static u64 (*sum_targets(const struct domains *d))[SHARED_SUMS]
{
	const struct privilege *p = d->p;
	u64 (*sums)[SHARED_SUMS] = xreallocarray(NULL, p->targets.nr + 1ull, sizeof(*sums)), *sum;
	const struct use *use;
	u32 i;

	memset(sums, 0, p->targets.nr * sizeof(*sums));
	for (i = 0; i < p->targets.nr; i++)
		sums[i][SHARED_SIZE] = privilege_size(p, i);
	for (i = 0; i < d->grants.nr; i++)
		sums[(u32)*(u64 *)hash_item(&d->grants, i)][SHARED_COMPARTMENTS]++;
	for (i = 0; i < p->uses.nr; i++) {
		use = hash_item(&p->uses, i);
		sum = sums[(u32)use->key];
		sum[SHARED_FUNCTIONS]++;
		add_count(sum + SHARED_READS, use->counts[PRIVILEGE_READ]);
		add_count(sum + SHARED_WRITES, use->counts[PRIVILEGE_WRITE]);
		add_count(sum + SHARED_FREES, use->counts[PRIVILEGE_FREE]);
	}
	return sums;
}

/* Print the targets that are used by several compartments. */
static void print_shared(struct viewer *v, const struct domains *d)
{
	struct table t = {
		.title = "OBJECTS THAT COMPARTMENTS SHARE", .key = "shared",
		.name_title = "Callsite", .name_key = "site", .texts = { NAMED_TYPE },
		.then = { SHARED_FUNCTIONS, SHARED_SIZE },
		.columns = {
			{ "Compartments", "compartments", SHARED_COMPARTMENTS, CELL_NUMBER, 0 },
			{ "Functions", "functions", SHARED_FUNCTIONS, CELL_NUMBER, 0 },
			{ "Size", "size", SHARED_SIZE, CELL_NUMBER, 0 },
			{ "Reads", "reads", SHARED_READS, CELL_NUMBER, 0 },
			{ "Writes", "writes", SHARED_WRITES, CELL_NUMBER, 0 },
			{ "Frees", "frees", SHARED_FREES, CELL_NUMBER, 0 },
		},
	};
	const struct privilege *p = d->p;
	u64 (*sums)[SHARED_SUMS] = sum_targets(d);
	const struct target *target;
	char text[KMAP_SYMBOL_MAX];
	const char *type;
	struct row *row;
	u32 i;

	t.rows = xreallocarray(NULL, p->targets.nr + 1ull, sizeof(*t.rows));
	for (i = 0; i < p->targets.nr; i++) {
		if (sums[i][SHARED_COMPARTMENTS] < 2)
			continue;
		target = hash_item(&p->targets, i);
		kmap_symbols_format(p->symbols, target->site, KMAP_IP_RETURN, text);
		type = named_allocation(p->symbols, target->site);
		row = t.rows + t.nr++;
		*row = (struct row){ .name = table_text(text), .sum = sums[i] };
		row->texts[0] = type ? table_text(type) : NULL;
	}
	print_sorted(v, p, &t, SHARED_COMPARTMENTS);
	free(sums);
}

static void print_relocations(struct viewer *v, const struct domains *d)
{
	struct table t = {
		.title = "FUNCTIONS TO MOVE", .key = "relocations",
		.name_title = "Function", .name_key = "function",
		.texts = { { "Compartment", "compartment" }, { "Better in", "better" } },
		.columns = { { "Saved", "saved", 0, CELL_NUMBER, 0 } },
	};
	struct relocation *all = domains_relocations(d);
	const struct actor *actor;
	struct row *row;
	u32 i;

	t.rows = xreallocarray(NULL, d->p->actors.nr + 1ull, sizeof(*t.rows));
	for (i = 0; i < d->p->actors.nr; i++) {
		if (all[i].to == TEXTS_NONE)
			continue;
		actor = privilege_actor(d->p, i);
		row = t.rows + t.nr++;
		*row = (struct row){ .name = table_text(texts_get(&d->p->texts, actor->name)),
				     .sum = &all[i].saved };
		row->texts[0] = domain_text(d, actor->domain);
		row->texts[1] = domain_text(d, all[i].to);
	}
	print_sorted(v, d->p, &t, 0);
	free(all);
}

static void print(struct viewer *v, const struct domains *d)
{
	struct head head = {
		.command = "privilege", .input = v->input, .incomplete = v->incomplete,
		.sort = v->order.key ?: "over", .top = v->top, .filter = &v->filter,
	};

	head_print(&head, v->format);
	print_sum(v, "Functions", "nr_functions", d->p->actors.nr);
	print_sum(v, "Call sites and variables", "nr_sites", d->p->targets.nr);
	print_sum(v, "  most bytes live at once", "bytes", d->bytes);
	print_sum(v, "Compartments", "nr_compartments", d->all.nr);
	if (d->p == &v->streamed)
		print_sum(v, "Accesses to unknown memory", "unattributed", v->unattributed);
	print_operations(v, d);
	print_compartments(v, d);
	print_shared(v, d);
	print_relocations(v, d);
	if (v->format == REPORT_JSON)
		printf("\n}\n");
}

/* Returns the exit status. */
static int show(struct viewer *v, struct privilege *p, int status)
{
	struct domains d;

	privilege_end(p);
	if (domains_sum(&d, p, &v->partition)) {
		print(v, &d);
	} else {
		fprintf(stderr, "memorizer privilege: functions times bytes exceed 63 bits\n");
		status = EXIT_MALFORMED;
	}
	domains_free(&d);
	return status;
}

/* Input */

/* Returns false after a message if the partition needs files of functions that are unknown. */
static bool check_files(const struct viewer *v, const struct kmap_symbols *symbols)
{
	if (!partition_needs_files(&v->partition) || kmap_symbols_notes(symbols))
		return true;
	fprintf(stderr,
		"memorizer privilege: source files are unknown: want --vmlinux with compiler notes\n");
	return false;
}

static bool begin(struct engine *g)
{
	struct viewer *v = g->data;

	if (!check_files(v, g->symbols))
		return false;
	v->input = g->trace ? "trace" : "kmap";
	privilege_init(&v->streamed, g->symbols);
	privilege_init(&v->counted, g->symbols);
	names_init(&v->names);
	kmem_choice_init(&v->choice, &v->filter, g->symbols, &v->names);
	tracker_init(&v->live, sizeof(struct held));
	v->live.gone = gone;
	v->live.data = v;
	rebuild_init(&v->kmap, give, v);
	return true;
}

static int end_kmap(struct viewer *v, const struct engine *g, int status)
{
	static const struct window all = { .begun = true, .ended = true };

	if (!wanted_lines(g->name, false, v->counted.targets.nr || v->choice.seen) ||
	    !kmem_filter_check(&v->filter, &all, v->choice.seen, v->choice.symbols, g->name))
		return EXIT_UNABLE;
	v->incomplete = status != EXIT_FINE;
	status = show(v, &v->counted, status);
	if (v->files.vmlinux || v->files.kallsyms)
		privilege_warn(&v->counted, v->files.kallsyms);
	return status;
}

static int end_trace(struct viewer *v, const struct engine *g)
{
	/* As fold does: without access events, the counts of retired objects. */
	bool streamed = v->types & WANTED(ACCESS);
	int status = EXIT_FINE;

	if (!wanted_check(g->name, v->types, WANTED(ACCESS) | WANTED(COUNTS)) ||
	    !kmem_choice_check(&v->choice, g->name))
		return EXIT_UNABLE;
	if (trace_warn(g->trace) | (!streamed && rebuild_warn(&v->kmap, g->name)))
		status = EXIT_INCOMPLETE;
	v->incomplete = status != EXIT_FINE;
	return show(v, streamed ? &v->streamed : &v->counted, status);
}

static int end(struct engine *g, int status)
{
	struct viewer *v = g->data;

	/* Frees what it holds, too. */
	rebuild_end(&v->kmap);
	if (status != EXIT_UNABLE)
		status = g->trace ? end_trace(v, g) : end_kmap(v, g, status);
	tracker_free(&v->live);
	kmem_choice_free(&v->choice);
	names_free(&v->names);
	privilege_free(&v->streamed);
	privilege_free(&v->counted);
	namesakes_warn(g->symbols, "privilege");
	return status;
}

static int option_by(const struct option *o, const char *arg, int unset)
{
	static const char * const names[] = {
		[PARTITION_FUNCTION] = "function", [PARTITION_FILE] = "file",
		[PARTITION_DIRECTORY] = "directory", [PARTITION_MODULE] = "module",
	};
	size_t i;

	(void)unset;
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		if (!strcmp(arg, names[i])) {
			*(enum partition_by *)o->value = i;
			return 0;
		}
	}
	return option_refuse(o, arg, "function, file, directory or module");
}

/* Returns false after a message. */
static bool set_partition(struct viewer *v)
{
	char error[ERROR_MAX];

	v->partition.by = v->by;
	if (!v->partition_file || partition_read(&v->partition, v->partition_file, error))
		return true;
	fprintf(stderr, "memorizer privilege: %s\n", error);
	return false;
}

static int view(struct viewer *v, const char *input)
{
	static const struct engine_ops ops = {
		.begin = begin, .event = take_event, .object = take_object, .access = take_access,
		.end = end,
	};
	struct engine g = { .ops = &ops, .data = v, .files = v->files };
	const char *trace_only = kmem_filter_trace_only(&v->filter);
	int status;

	if (trace_only && !input_is_trace(input)) {
		fprintf(stderr, "memorizer privilege: --%s: only for the directory of a trace\n",
			trace_only);
		return usage_error("privilege");
	}
	if (!set_partition(v)) {
		partition_free(&v->partition);
		return EXIT_UNABLE;
	}
	status = engine_run(&g, input);
	engine_free(&g);
	partition_free(&v->partition);
	/* Only the printed tables show whether any has the column. */
	if (status != EXIT_UNABLE && !table_order_check(&v->order, "privilege"))
		return EXIT_UNABLE;
	return status;
}

static int run(int argc, char **argv)
{
	struct viewer v = { .by = PARTITION_MODULE };
	const struct option options[] = {
		OPT_TAKE('b', "by", &v.by, "WHAT",
			 "compartments: function, file, directory or module (default)", option_by),
		OPT_STRING(0, "partition", &v.partition_file, "FILE",
			   "compartments: lines NAME GLOB of functions, or of files with a slash"),
		OPTS_SYMBOLS(&v.files),
		OPT_TAKE('s', "sort", &v.order, "KEY",
			 "sort tables by the column with this key in JSON, or by name or type",
			 option_sort),
		OPT_NUMBER('n', "top", &v.top, "N", 0, U32_MAX,
			   "rows of each table, 0 for all (default: 20; all with --json and --csv)",
			   .set = &v.top_given),
		OPT_SET_UINT('j', "json", &v.format, "print JSON", REPORT_JSON),
		OPT_SET_UINT('c', "csv", &v.format, "print CSV", REPORT_CSV),
		OPT_HELP(),
		OPT_GROUP("Count only (a free and an access with the object's allocation):"),
		OPTS_FILTER(&v.filter),
		OPT_END()
	};
	const char *input;

	kmem_filter_init(&v.filter);
	argc = options_parse(&command_privilege, argc, argv, options, 0);
	input = argc ? input_name(argc, argv) : "-";
	if (!input) {
		fprintf(stderr,
			"memorizer privilege: %d inputs: want one directory, or the parts of one, or a KMAP\n",
			argc);
		return usage_error("privilege");
	}
	if (!v.top_given)
		v.top = v.format == REPORT_TEXT ? TEXT_ROWS : 0;
	return view(&v, input);
}

const struct command command_privilege = {
	.name = "privilege",
	.summary = "compare what code may do to objects with what it did",
	.usage = usage,
	.run = run,
};
