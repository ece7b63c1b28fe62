// SPDX-License-Identifier: GPL-2.0
/* memorizer calls: lists which functions called which, and how often. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "kmap/calls-text.h"
#include "lib/texts.h"
#include "options.h"
#include "report/contexts.h"
#include "report/head.h"
#include "report/table.h"
#include "report/term.h"
#include "symbols/namesakes.h"
#include "symbols/trace-symbols.h"

#define LIVE		"/sys/kernel/debug/memorizer/calls"

static const char * const usage[] = {
	"memorizer calls [OPTION...] [CALLS|-]",
	"",
	"Lists the functions that were called most often, and by which functions. CALLS is a",
	"copy of memorizer/calls in debugfs, by default that file itself.",
	NULL
};

/* Sums of a function, or of a pair of caller and function. */
enum { CALLS, CALLERS, SUMS };

/* Output of pairs for other programs, in place of tables. */
enum graph { GRAPH_NONE, GRAPH_DOT, GRAPH_FOLDED };

/* Cached name of an address; @ip and @kind are the key. */
struct function {
	u64 ip, kind;
	u32 name;
};

/* Sums by names: a function, or a caller in the upper half; or by task. */
struct group {
	u64 key;
	u64 sum[SUMS];
};

/**
 * struct calls - state of the command
 * @symbols: the symbols
 * @names: names of functions
 * @functions: struct function by address
 * @pairs: struct group of each pair
 * @callees: struct group of each function that was called
 * @tasks: struct group of each pid or number of a context
 * @contexts: what these numbers mean
 * @context_file: their file, or NULL
 * @by_context: some calls are counted for a context
 * @callers_of: list only callers of functions with such a name, or NULL
 * @callees_of: list only functions that those with such a name called, or NULL
 * @pid: count only calls of this task; U32_MAX: of all
 * @filter: the same for the head of the output; and the names of contexts to count for
 * @format: output format
 * @graph: print only pairs, for another program
 * @top: rows of a table, 0: all
 * @order: the column to sort by
 * @total: all calls that are counted
 * @malformed: lines were malformed
 */
struct calls {
	struct kmap_symbols *symbols;
	struct hash names, functions, pairs, callees, tasks;
	struct contexts contexts;
	const char *context_file;
	bool by_context;
	const char *callers_of, *callees_of;
	u32 pid;
	struct kmem_filter filter;
	enum report_format format;
	enum graph graph;
	u32 top;
	struct table_order order;
	u64 total;
	bool malformed;
};

static u32 name_of(struct calls *c, u64 ip, enum kmap_ip kind)
{
	struct function key = { .ip = ip, .kind = kind }, *function;
	char text[KMAP_SYMBOL_MAX];
	bool new;

	function = hash_item(&c->functions, hash_get(&c->functions, &key, &new));
	if (new) {
		kmap_symbols_function(c->symbols, ip, kind, text);
		function->name = texts_number(&c->names, text);
	}
	return function->name;
}

static u64 *sums_of(struct hash *groups, u64 key, bool *new)
{
	return ((struct group *)hash_item(groups, hash_get(groups, &key, new)))->sum;
}

static void count(struct calls *c, u64 from, u64 to, u64 pid, u64 calls)
{
	u32 caller = name_of(c, from, KMAP_IP_RETURN), callee = name_of(c, to, KMAP_IP_EXACT);
	u64 *sum;
	bool new;

	if (!kmem_filter_matches(c->callers_of, texts_get(&c->names, callee)) ||
	    !kmem_filter_matches(c->callees_of, texts_get(&c->names, caller)))
		return;
	sums_of(&c->pairs, (u64)caller << 32 | callee, &new)[CALLS] += calls;
	sum = sums_of(&c->callees, callee, &(bool){ false });
	sum[CALLS] += calls;
	sum[CALLERS] += new;
	sums_of(&c->tasks, pid, &new)[CALLS] += calls;
	c->by_context |= contexts_is(pid);
	c->total += calls;
}

/* Check whether calls are counted for a task or context. */
static bool is_chosen(const struct calls *c, u64 pid)
{
	char text[CONTEXT_NAME_MAX];

	return (c->pid == U32_MAX || c->pid == pid) &&
	       kmem_filter_matches(c->filter.comm, contexts_name(&c->contexts, pid, text));
}

/* A row of the input, see calls_visit. */
static bool visit(void *data, u64 from, u64 to, u64 pid, u64 calls)
{
	struct calls *c = data;

	if (calls > U64_MAX - c->total)
		return false;
	if (is_chosen(c, pid))
		count(c, from, to, pid, calls);
	return true;
}

static void add_rows(const struct calls *c, struct table *t, const struct hash *groups)
{
	const struct group *group;
	struct row *row;
	u32 i;

	t->rows = xreallocarray(NULL, groups->nr + 1, sizeof(*t->rows));
	for (i = 0; i < groups->nr; i++) {
		group = hash_item(groups, i);
		row = t->rows + t->nr++;
		*row = (struct row){ .sum = group->sum };
		row->name = table_text(texts_get(&c->names, (u32)group->key));
		if (groups == &c->pairs)
			row->texts[0] = table_text(texts_get(&c->names, group->key >> 32));
	}
}

static void add_tasks(const struct calls *c, struct table *t)
{
	const struct group *group;
	char text[CONTEXT_NAME_MAX];
	const char *name;
	struct row *row;
	u32 i;

	t->rows = xreallocarray(NULL, c->tasks.nr + 1, sizeof(*t->rows));
	for (i = 0; i < c->tasks.nr; i++) {
		group = hash_item(&c->tasks, i);
		name = contexts_name(&c->contexts, group->key, text);
		row = t->rows + t->nr++;
		*row = (struct row){ .sum = group->sum, .id = group->key };
		row->name = name ? table_text(name) : NULL;
	}
}

static void print_table(struct calls *c, struct table *t, const struct hash *groups)
{
	if (groups == &c->tasks)
		add_tasks(c, t);
	else
		add_rows(c, t, groups);
	table_sort(t, &c->order, CALLS);
	if (c->format == REPORT_JSON) {
		printf(",\n\t");
		table_json(t, c->top);
	} else if (c->format == REPORT_CSV) {
		table_csv(t, c->top);
	} else {
		table_print(t, c->top);
	}
	table_free(t);
}

static void put_dot(const char *name)
{
	putchar('"');
	for (; *name; name++) {
		if (*name == '"' || *name == '\\')
			putchar('\\');
		putchar(*name);
	}
	putchar('"');
}

static void print_dot(const struct row *rows, u32 nr)
{
	u32 i;

	printf("digraph calls {\n");
	for (i = 0; i < nr; i++) {
		putchar('\t');
		put_dot(rows[i].texts[0]);
		printf(" -> ");
		put_dot(rows[i].name);
		printf(" [label=\"%llu\"];\n", rows[i].sum[CALLS]);
	}
	printf("}\n");
}

/* A semicolon would end the frame. */
static void put_frame(const char *name)
{
	for (; *name; name++)
		printf(*name == ';' ? "\\x3b" : "%c", *name);
}

static int compare_names(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	return strcmp(a->texts[0], b->texts[0]) ?: strcmp(a->name, b->name);
}

static void print_folded(struct row *rows, u32 nr)
{
	u32 i;

	qsort(rows, nr, sizeof(*rows), compare_names);
	for (i = 0; i < nr; i++) {
		put_frame(rows[i].texts[0]);
		putchar(';');
		put_frame(rows[i].name);
		printf(" %llu\n", rows[i].sum[CALLS]);
	}
}

/* Print the first rows of the table of pairs for another program. */
static void print_graph(struct calls *c, struct table *t)
{
	u32 nr;

	add_rows(c, t, &c->pairs);
	table_sort(t, &c->order, CALLS);
	nr = c->top && c->top < t->nr ? c->top : t->nr;
	if (c->graph == GRAPH_DOT)
		print_dot(t->rows, nr);
	else
		print_folded(t->rows, nr);
	table_free(t);
}

static void print(struct calls *c)
{
	struct table functions = {
		.title = "FUNCTIONS", .key = "functions", .name_title = "Function",
		.name_key = "function",
		.columns = {
			{ "Calls", "calls", CALLS, CELL_NUMBER, 0 },
			{ "Callers", "callers", CALLERS, CELL_NUMBER, 0 },
		},
	}, pairs = {
		.title = "CALLS", .key = "pairs", .name_title = "Function",
		.name_key = "function", .texts = { { "Caller", "caller" } },
		.columns = {
			{ "Calls", "calls", CALLS, CELL_NUMBER, 0 },
		},
	}, contexts = {
		.title = "CONTEXTS", .key = "contexts", .id_key = "number", .id_decimal = true,
		.name_title = " Number Context", .name_key = "context",
		.columns = {
			{ "Calls", "calls", CALLS, CELL_NUMBER, 0 },
		},
	};
	struct head head = {
		.command = "calls", .input = "calls", .incomplete = c->malformed,
		.what = c->callers_of ?: c->callees_of, .sort = c->order.key ?: "calls",
		.top = c->top, .filter = &c->filter,
	};

	if (c->graph) {
		print_graph(c, &pairs);
		return;
	}
	term_pager();
	head_print(&head, c->format);
	if (!c->callers_of && !c->callees_of)
		print_table(c, &functions, &c->callees);
	print_table(c, &pairs, &c->pairs);
	if (c->by_context)
		print_table(c, &contexts, &c->tasks);
	if (c->format == REPORT_JSON)
		printf("\n}\n");
}

/* Check that what the options select was called. */
static bool check(const struct calls *c, const char *name)
{
	if (c->pairs.nr)
		return true;
	if (c->callers_of)
		fprintf(stderr, "memorizer calls: --callers %s: no such function was called in %s\n",
			c->callers_of, name);
	else if (c->callees_of)
		fprintf(stderr, "memorizer calls: --callees %s: no such function calls another one in %s\n",
			c->callees_of, name);
	else if (c->filter.comm)
		fprintf(stderr, "memorizer calls: --comm %s: no such context in %s\n",
			c->filter.comm, name);
	else if (c->pid != U32_MAX)
		fprintf(stderr, "memorizer calls: --pid %u: no such task in %s\n", c->pid, name);
	else
		fprintf(stderr, "memorizer calls: %s: no calls: want those after 'echo 1 > memorizer_log_calls'\n",
			name);
	return false;
}

static int list(struct calls *c, const char *path)
{
	const char *name = strcmp(path, "-") ? path : "<stdin>";
	int named = contexts_open(&c->contexts, c->context_file, path);
	int status = EXIT_UNABLE;

	texts_init(&c->names);
	hash_init(&c->functions, sizeof(struct function), 2 * sizeof(u64));
	hash_init(&c->pairs, sizeof(struct group), sizeof(u64));
	hash_init(&c->callees, sizeof(struct group), sizeof(u64));
	hash_init(&c->tasks, sizeof(struct group), sizeof(u64));
	if (named != EXIT_UNABLE)
		status = calls_read(path, visit, c);
	c->malformed = status == EXIT_MALFORMED;
	if (status != EXIT_UNABLE && !check(c, name))
		status = EXIT_UNABLE;
	if (status != EXIT_UNABLE)
		print(c);
	if (status != EXIT_UNABLE && !table_order_check(&c->order, "calls"))
		status = EXIT_UNABLE;
	hash_free(&c->names);
	hash_free(&c->functions);
	hash_free(&c->pairs);
	hash_free(&c->callees);
	hash_free(&c->tasks);
	contexts_free(&c->contexts);
	namesakes_warn(c->symbols, "calls");
	return status == EXIT_FINE ? named : status;
}

static int run(int argc, char **argv)
{
	const char *vmlinux = NULL, *kallsyms = NULL, *path = LIVE;
	struct calls c = { .pid = U32_MAX, .top = 25 };
	const struct option options[] = {
		OPT_STRING('R', "callers", &c.callers_of, "NAME", "only calls of this function"),
		OPT_STRING('E', "callees", &c.callees_of, "NAME", "only calls by this function"),
		OPT_NUMBER('p', "pid", &c.pid, "PID", 0, U32_MAX - 1,
			   "only calls of this task or context"),
		OPT_STRING('m', "comm", &c.filter.comm, "NAME",
			   "only calls of contexts with this name; * and ? match"),
		OPT_STRING(0, "context-file", &c.context_file, "FILE",
			   "copy of memorizer/contexts (default: DIR/contexts beside DIR/calls,\n"
			   "                          NAME.contexts beside NAME.calls)"),
		OPT_STRING('k', "vmlinux", &vmlinux, "FILE",
			   "ELF file with the kernel's symbols"),
		OPT_STRING('K', "kallsyms", &kallsyms, "FILE",
			   "copy of /proc/kallsyms (default without CALLS: that file)"),
		OPT_NUMBER('n', "top", &c.top, "N", 0, U32_MAX,
			   "rows of each table, 0: all (default: 25)"),
		OPT_TAKE(0, "sort", &c.order, "KEY", "sort tables by this column", option_sort),
		OPT_SET_UINT('j', "json", &c.format, "print JSON", REPORT_JSON),
		OPT_SET_UINT('c', "csv", &c.format, "print CSV", REPORT_CSV),
		OPT_SET_UINT('d', "dot", &c.graph, "print a graph for dot(1)", GRAPH_DOT),
		OPT_SET_UINT('F', "fold", &c.graph, "print folded stacks for flame graphs",
			     GRAPH_FOLDED),
		OPT_HELP(),
		OPT_END()
	};
	int status;

	kmem_filter_init(&c.filter);
	argc = options_parse(&command_calls, argc, argv, options, 0);
	if (c.pid != U32_MAX)
		c.filter.pid = c.pid;
	if (argc > 1) {
		fprintf(stderr, "memorizer calls: %d files: want one, or - for standard input\n",
			argc);
		return usage_error("calls");
	}
	if (argc)
		path = argv[0];
	else if (!kallsyms)
		kallsyms = "/proc/kallsyms";
	if (!vmlinux && !kallsyms) {
		fprintf(stderr, "memorizer calls: nothing to take symbols from: give --vmlinux, --kallsyms or both\n");
		return usage_error("calls");
	}
	c.symbols = trace_symbols_text(path, vmlinux, kallsyms, NULL, false, false);
	status = c.symbols ? list(&c, path) : EXIT_UNABLE;
	if (c.symbols)
		kmap_symbols_free(c.symbols);
	return status;
}

const struct command command_calls = {
	.name = "calls",
	.summary = "list which functions called which",
	.usage = usage,
	.run = run,
};
