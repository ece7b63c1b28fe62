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
#include "report/cpm.h"
#include "report/domains.h"
#include "report/head.h"
#include "report/named.h"
#include "report/table.h"
#include "report/uses.h"
#include "symbols/namesakes.h"

#define TEXT_ROWS	20	/* rows of a table without --top; JSON and CSV have all */

static const char * const usage[] = {
	"memorizer privilege [OPTION...] [--calls FILE] [KMAP|DIR|-]",
	"memorizer privilege --cpm FILE [--weights FILE] [--wxorx]",
	"",
	"Prints how much a partition of the code into compartments allows, and how little of it",
	"was used: pairs of a function and a byte that it may read, write or free; with --calls,",
	"also pairs of a function and a byte of code that it may call or return to. Each function",
	"may do what any function of its compartment did.",
	NULL
};

/**
 * struct viewer - state of the command
 * @uses: the uses in the input; first, for uses_event()
 * @partition: the partition
 * @calls: argument of --calls, or NULL
 * @cpm: argument of --cpm, or NULL
 * @weights: argument of --weights, or NULL
 * @wxorx: --wxorx was given
 * @filter: the filter
 * @files: where to load symbols from
 * @order: argument of --sort
 * @top: rows of a table; 0: all
 * @top_given: --top was given
 * @format: output format
 * @incomplete: the input has losses
 * @input: kmap or trace
 */
struct viewer {
	struct uses uses;
	struct partition partition;
	const char *calls, *cpm, *weights;
	bool wxorx;
	struct kmem_filter filter;
	struct symbol_files files;
	struct table_order order;
	u32 top;
	bool top_given, incomplete;
	enum report_format format;
	const char *input;
};

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
	static const char * const names[] = { "read", "write", "free", "call", "return" };
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
	u64 sums[PRIVILEGE_OPS + 1][OPERATION_SUMS], least = 0, allowed = 0, monolithic = 0;
	int op, ops = v->calls ? PRIVILEGE_OPS : PRIVILEGE_CALL;

	t.rows = xreallocarray(NULL, ops + 1, sizeof(*t.rows));
	for (op = 0; op < ops; op++) {
		set_operation(sums[op], d->least[op], d->allowed[op], d->monolithic[op]);
		least += d->least[op];
		allowed += d->allowed[op];
		monolithic += d->monolithic[op];
	}
	set_operation(sums[op], least, allowed, monolithic);
	for (t.nr = 0; t.nr <= (u32)ops; t.nr++)
		t.rows[t.nr] = (struct row){
			.name = table_text(t.nr < (u32)ops ? names[t.nr] : "total"),
			.sum = sums[t.nr],
		};
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
			{ "Call over", "call_over", DOMAIN_OVER_OP + PRIVILEGE_CALL, CELL_NUMBER,
			  0 },
			{ "Return over", "return_over", DOMAIN_OVER_OP + PRIVILEGE_RETURN,
			  CELL_NUMBER, 0 },
		},
	};
	struct column *c;
	struct domain *domain;

	/* The columns of calls are the last ones. */
	for (c = t.columns; !v->calls && c->title; c++)
		if (c->shows == DOMAIN_OVER_OP + PRIVILEGE_CALL)
			*c = (struct column){ NULL };
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
		privilege_count(sum + SHARED_READS, use->counts[PRIVILEGE_READ]);
		privilege_count(sum + SHARED_WRITES, use->counts[PRIVILEGE_WRITE]);
		privilege_count(sum + SHARED_FREES, use->counts[PRIVILEGE_FREE]);
	}
	return sums;
}

/* Type that a call site allocates; NULL if unknown. */
static char *type_of(const struct privilege *p, const struct target *target)
{
	const char *type = kmap_kind_is_typed(target->kind) ?
			   named_allocation(p->symbols, target->site) : NULL;

	return type ? table_text(type) : NULL;
}

/* Print the targets that are used by several compartments. */
static void print_shared(struct viewer *v, const struct domains *d)
{
	struct table t = {
		.title = "OBJECTS THAT COMPARTMENTS SHARE", .key = "shared",
		.name_title = "Callsite", .name_key = "site",
		.texts = { { "Kind", "kind" }, NAMED_TYPE },
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
	struct row *row;
	u32 i;

	t.rows = xreallocarray(NULL, p->targets.nr + 1ull, sizeof(*t.rows));
	for (i = 0; i < p->targets.nr; i++) {
		if (sums[i][SHARED_COMPARTMENTS] < 2 || domains_is_code(d, i))
			continue;
		target = hash_item(&p->targets, i);
		kmap_symbols_format(p->symbols, target->site, KMAP_IP_RETURN, text);
		row = t.rows + t.nr++;
		*row = (struct row){ .name = table_text(text), .sum = sums[i] };
		row->texts[0] = target->kind ? table_text(kmap_kinds[target->kind]) : NULL;
		row->texts[1] = type_of(p, target);
	}
	if (!p->kinds)
		table_drop(&t, "kind");
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
	print_sum(v, "Call sites and variables", "nr_sites", d->p->targets.nr - d->p->nr_code);
	print_sum(v, "  most bytes live at once", "bytes", d->bytes);
	if (v->calls)
		print_sum(v, "Bytes of code that calls or is called", "code_bytes", d->code);
	print_sum(v, "Compartments", "nr_compartments", d->all.nr);
	if (d->p == &v->uses.streamed)
		print_sum(v, "Accesses to unknown memory", "unattributed", v->uses.unattributed);
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

	v->incomplete = status != EXIT_FINE;
	if (domains_sum(&d, p, &v->partition)) {
		print(v, &d);
	} else {
		fprintf(stderr, "memorizer privilege: functions times bytes exceed 63 bits\n");
		status = EXIT_MALFORMED;
	}
	domains_free(&d);
	return status;
}

/* CPM interchange format */

static char *operation_name(int op)
{
	return table_text(op < CPM_OPS ? cpm_ops[op] : "total");
}

/* Sizes may be weighted with fractions: rounded to whole units. */
static u64 whole(double units)
{
	return units + .5;
}

static void print_cpm_operations(struct viewer *v, const struct cpm *cpm)
{
	struct table t = {
		.title = "PRIVILEGES", .key = "privileges",
		.name_title = "Operation", .name_key = "operation",
		.columns = {
			{ "Allowed", "allowed", ALLOWED, CELL_NUMBER, 0 },
			{ "Monolithic", "monolithic", MONOLITHIC, CELL_NUMBER, 0 },
			{ "PSR", "psr", RATIO, CELL_PERCENT, 0 },
		},
	};
	u64 sums[CPM_OPS + 1][OPERATION_SUMS];
	double allowed = 0, monolithic = 0, a, m;
	int op;

	t.rows = xreallocarray(NULL, CPM_OPS + 1, sizeof(*t.rows));
	for (op = 0; op <= CPM_OPS; op++) {
		a = op < CPM_OPS ? cpm->allowed[op] : allowed;
		m = op < CPM_OPS ? cpm->monolithic[op] : monolithic;
		sums[op][ALLOWED] = whole(a);
		sums[op][MONOLITHIC] = whole(m);
		sums[op][RATIO] = m ? whole(a / m * 100000) : 0;
		allowed += a;
		monolithic += m;
		t.rows[t.nr++] = (struct row){ .name = operation_name(op), .sum = sums[op] };
	}
	print_table(v, &t, 0);
}

static void print_cpm_compartments(struct viewer *v, const struct cpm *cpm)
{
	enum { CPM_FUNCTIONS, CPM_ALLOWED, CPM_SUMS };
	struct table t = {
		.title = "COMPARTMENTS", .key = "compartments",
		.name_title = "Compartment", .name_key = "compartment",
		.then = { CPM_FUNCTIONS, CPM_FUNCTIONS },
		.columns = {
			{ "Functions", "functions", CPM_FUNCTIONS, CELL_NUMBER, 0 },
			{ "Allowed", "allowed", CPM_ALLOWED, CELL_NUMBER, 0 },
		},
	};
	u64 (*sums)[CPM_SUMS] = xreallocarray(NULL, cpm->nr + 1ull, sizeof(*sums));
	const struct cpm_subject *s;
	double allowed;
	int op;

	t.rows = xreallocarray(NULL, cpm->nr + 1ull, sizeof(*t.rows));
	for (t.nr = 0; t.nr < cpm->nr; t.nr++) {
		s = cpm->subjects + t.nr;
		allowed = 0;
		for (op = 0; op < CPM_OPS; op++)
			allowed += s->allowed[op];
		sums[t.nr][CPM_FUNCTIONS] = s->functions;
		sums[t.nr][CPM_ALLOWED] = whole(allowed);
		t.rows[t.nr] = (struct row){ .name = table_text(s->name), .sum = sums[t.nr] };
	}
	table_sort(&t, &v->order, CPM_ALLOWED);
	print_table(v, &t, v->top);
	free(sums);
}

/* Returns the exit status. */
static int show_cpm(struct viewer *v)
{
	struct head head = {
		.command = "privilege", .input = "cpm", .sort = v->order.key ?: "allowed",
		.top = v->top,
	};
	char error[ERROR_MAX];
	int status = EXIT_UNABLE;
	struct cpm cpm;

	if (cpm_read(&cpm, v->cpm, v->weights, v->wxorx, error)) {
		head_print(&head, v->format);
		print_cpm_operations(v, &cpm);
		print_cpm_compartments(v, &cpm);
		if (v->format == REPORT_JSON)
			printf("\n}\n");
		status = table_order_check(&v->order, "privilege") ? EXIT_FINE : EXIT_UNABLE;
	} else {
		fprintf(stderr, "memorizer privilege: %s\n", error);
	}
	cpm_free(&cpm);
	return status;
}

/* Input */

static bool begin(struct engine *g)
{
	struct viewer *v = g->data;

	if (!partition_usable(&v->partition, g->symbols, "privilege"))
		return false;
	v->input = g->trace ? "trace" : "kmap";
	uses_begin(&v->uses, g, &v->filter);
	return true;
}

static int end(struct engine *g, int status)
{
	struct viewer *v = g->data;
	struct privilege *p = uses_end(&v->uses, g, v->calls, &status);

	if (p)
		status = show(v, p, status);
	if (p && !g->trace && (v->files.vmlinux || v->files.kallsyms))
		privilege_warn(p, v->files.kallsyms);
	uses_free(&v->uses);
	namesakes_warn(g->symbols, "privilege");
	return status;
}

static int view(struct viewer *v, const char *input)
{
	static const struct engine_ops ops = {
		.begin = begin, .event = uses_event, .object = uses_object, .access = uses_access,
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
	if (!partition_open(&v->partition, "privilege"))
		return EXIT_UNABLE;
	status = engine_run(&g, input);
	engine_free(&g);
	partition_free(&v->partition);
	/* Only the printed tables show whether any has the column. */
	if (status != EXIT_UNABLE && !table_order_check(&v->order, "privilege"))
		return EXIT_UNABLE;
	return status;
}

/* Returns false after a message if other options do not go with --cpm, or without it. */
static bool check_cpm(const struct viewer *v, int argc)
{
	bool wrong = v->cpm ? argc || v->partition.file || v->calls : v->weights || v->wxorx;

	if (wrong)
		fprintf(stderr, "memorizer privilege: %s\n",
			v->cpm ? "--cpm: want no input, no --partition and no --calls" :
				 "--weights, --wxorx: only with --cpm");
	return !wrong;
}

static int run(int argc, char **argv)
{
	struct viewer v = { .partition.by = PARTITION_MODULE };
	const struct option options[] = {
		OPTS_PARTITION(&v.partition, "module"),
		OPT_STRING(0, "calls", &v.calls, "FILE",
			   "calls and returns, too: a copy of memorizer/calls in debugfs"),
		OPT_STRING(0, "cpm", &v.cpm, "FILE",
			   "privileges of a compartmentalization in the CPM interchange format"),
		OPT_STRING(0, "weights", &v.weights, "FILE",
			   "with --cpm: lines ID,READ,WRITE,CALL,RETURN of factors or =SIZE"),
		OPT_BOOLEAN(0, "wxorx", &v.wxorx,
			    "with --cpm: no memory is both writable and executable"),
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
		OPT_KIND(&v.filter),
		OPTS_FILTER(&v.filter),
		OPT_END()
	};
	const char *input;

	kmem_filter_init(&v.filter);
	argc = options_parse(&command_privilege, argc, argv, options, 0);
	if (!check_cpm(&v, argc))
		return usage_error("privilege");
	input = argc ? input_name(argc, argv) : "-";
	if (!input) {
		fprintf(stderr,
			"memorizer privilege: %d inputs: want one directory, or the parts of one, or a KMAP\n",
			argc);
		return usage_error("privilege");
	}
	if (!v.top_given)
		v.top = v.format == REPORT_TEXT ? TEXT_ROWS : 0;
	return v.cpm ? show_cpm(&v) : view(&v, input);
}

const struct command command_privilege = {
	.name = "privilege",
	.summary = "compare what code may do to objects with what it did",
	.usage = usage,
	.run = run,
};
