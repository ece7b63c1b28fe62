// SPDX-License-Identifier: GPL-2.0
/* memorizer report: who allocates, who accesses, who shares, by name; of a KMAP or a trace. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "aggregate.h"
#include "builtin.h"
#include "kmemstat.h"
#include "table.h"
#include "term.h"
#include "trace-symbols.h"

#define TEXT_ROWS	20	/* of each table, without --top; what a machine reads has all */

/**
 * struct settings - what to report
 * @vmlinux: where to take the kernel's symbols from, or NULL
 * @kallsyms: a copy of /proc/kallsyms, or NULL
 * @modules: directory with the files of modules below it, for their lines, or NULL
 * @inlines: whether to give lines and inlined functions
 * @sort_key: argument of --sort, or NULL
 * @sort: what to sort by
 * @by_name: sort by name instead
 * @top: rows of a table, 0 for all
 * @top_given: whether --top was given
 * @format: how to print
 * @filter: what counts, of a trace
 * @trace_only: name of an option that was given and is for traces only, or NULL
 */
struct settings {
	const char *vmlinux, *kallsyms, *modules, *sort_key;
	bool inlines;
	enum metric sort;
	bool by_name;
	u32 top;
	bool top_given;
	enum report_format format;
	struct kmem_filter filter;
	const char *trace_only;
};

static const char usage[] =
	"Usage: memorizer report [OPTION...] [KMAP|DIR|-]\n"
	"\n"
	"Of a KMAP, prints sums over it, then the allocation sites, the functions that access\n"
	"objects, the objects that several pids share, tasks and commands. Of the trace in\n"
	"the directory DIR, prints sums, then where memory was allocated and freed, by call\n"
	"site, size, cache and task, what is suspicious, and what was live at the end.\n"
	"\n"
	"  -k, --vmlinux FILE   take the kernel's symbols from this ELF file\n"
	"  -K, --kallsyms FILE  take symbols, modules' too, and the offset of KASLR from\n"
	"                       this copy of /proc/kallsyms of the traced kernel (default\n"
	"                       for a trace: the one in it)\n"
	"  -i, --inlines        add source lines and inlined functions\n"
	"  -M, --modules DIR    take lines of modules from the files NAME.ko below DIR\n"
	"  -s, --sort KEY       largest KEY first: accesses (default), reads, writes,\n"
	"                       objects, bytes, live, life, touched, sites, pids;\n"
	"                       or by name. Of a trace: bytes (default), req, hit, frag,\n"
	"                       pingpong, cross, node, freed, live, age; or by name\n"
	"  -n, --top N          print the first N rows of each table (0: all; default 20, with\n"
	"                       --json and --csv all)\n"
	"  -j, --json           print JSON\n"
	"  -c, --csv            print CSV\n"
	"  -h, --help           print this\n"
	"\n"
	"Of a trace only. A free counts with its allocation.\n"
	"  -t, --kind KIND      count kmalloc, cache, pages, or several: kmalloc,cache\n"
	"  -C, --cache NAME     count allocations from this cache; * and ? match others\n"
	"  -S, --site NAME      count those that this function, call site or address calls for;\n"
	"                       * and ?\n"
	"  -m, --comm COMM      count those of this command; * and ?\n"
	"  -p, --pid PID        count those of this task\n"
	"  -P, --cpu CPU        count those on this CPU\n"
	"  -f, --from TIME      count those since then: seconds, or the text of a mark\n"
	"  -T, --to TIME        take the trace to end then\n";

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
	{ "cache", required_argument, NULL, 'C' },
	{ "site", required_argument, NULL, 'S' },
	{ "comm", required_argument, NULL, 'm' },
	{ "pid", required_argument, NULL, 'p' },
	{ "cpu", required_argument, NULL, 'P' },
	{ "from", required_argument, NULL, 'f' },
	{ "to", required_argument, NULL, 'T' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static const struct {
	const char *key;
	enum metric metric;
} sort_keys[] = {
	{ "accesses", ACCESSES }, { "reads", READS }, { "writes", WRITES },
	{ "objects", OBJECTS }, { "bytes", BYTES }, { "live", LIVE }, { "life", LIFE },
	{ "touched", TOUCHED }, { "sites", SITES }, { "pids", PIDS },
};

/* A line of the summary. */
struct line {
	const char *label, *key;
	u64 n;
};

static void summarize(const struct aggregate *a, enum report_format format)
{
	const u64 *t = a->total, *shared = a->shared;
	const struct line lines[] = {
		{ "Objects", "objects", t[OBJECTS] },
		{ "  live", "live", t[LIVE] },
		{ "  freed", "freed", t[OBJECTS] - t[LIVE] },
		{ "    from an unknown ip", "unknown_frees", t[UNKNOWN_FREES] },
		{ "    unseen, allocated over", "overwrites", t[OVERWRITES] },
		{ "  accessed", "touched", t[TOUCHED] },
		{ "Bytes requested", "bytes", t[BYTES] },
		{ "  live", "live_bytes", t[LIVE_BYTES] },
		{ "Accesses", "accesses", t[ACCESSES] },
		{ "  reads", "reads", t[READS] },
		{ "  writes", "writes", t[WRITES] },
		{ "Allocation sites", "allocation_sites", a->sites.nr },
		{ "Access sites", "access_sites", a->access_sites.nr },
		{ "  functions", "functions", a->functions.nr },
		{ "Pids", "pids", a->tasks.nr },
		{ "Comms", "comms", a->comms.nr - 1 },
		{ "Shared objects (accessed by several pids)", "shared_objects",
		  shared[OBJECTS] },
		{ "  bytes requested", "shared_bytes", shared[BYTES] },
		{ "  reads", "shared_reads", shared[READS] },
		{ "  writes", "shared_writes", shared[WRITES] },
		{ "  most pids of one", "most_pids", shared[MOST_PIDS] },
	};
	size_t i;

	if (format == REPORT_TEXT)
		printf("%sSUMMARY (KMAP)%s\n%s==============%s\n", term_style(STYLE_TITLE),
		       term_plain(), term_style(STYLE_RULE), term_plain());
	else if (format == REPORT_JSON)
		printf(",\n\t\"summary\": {");
	for (i = 0; i < ARRAY_SIZE(lines); i++) {
		if (format == REPORT_TEXT)
			printf("%-42s %20llu\n", lines[i].label, lines[i].n);
		else if (format == REPORT_JSON)
			printf("%s\n\t\t\"%s\": %llu", i ? "," : "", lines[i].key, lines[i].n);
		else
			printf("summary,%s,%llu\n", lines[i].key, lines[i].n);
	}
	if (format == REPORT_JSON)
		printf("}");
}

/* The names that rows have. */
static char *site_name(const struct aggregate *a, const void *item)
{
	const struct site *site = item;
	char text[KMAP_SYMBOL_MAX];

	kmap_symbols_format(a->symbols, site->ip, KMAP_IP_RETURN, text);
	return table_text(text);
}

static char *function_name(const struct aggregate *a, const void *item)
{
	const struct function *function = item;
	const struct kmap_symbol *symbol;
	char text[KMAP_SYMBOL_MAX];
	const char *module;

	symbol = kmap_symbols_find(a->symbols, function->start, KMAP_IP_EXACT);
	if (!symbol) {
		snprintf(text, sizeof(text), "%llx", function->start);
		return table_text(text);
	}
	module = kmap_symbols_string(a->symbols, symbol->module);
	snprintf(text, sizeof(text), "%s%s%s%s", kmap_symbols_string(a->symbols, symbol->name),
		 *module ? " [" : "", module, *module ? "]" : "");
	return table_text(text);
}

/* The pids that allocated nothing have a comm that is not known. */
static char *comm_name(const struct aggregate *a, const void *item)
{
	const struct comm *comm = item;

	return comm == hash_item(&a->comms, 0) ? NULL : table_text(comm->text);
}

static char *task_name(const struct aggregate *a, const void *item)
{
	const struct task *task = item;

	return comm_name(a, hash_item(&a->comms, task->comm));
}

/**
 * struct view - a table of the report
 * @table: the table, still without rows
 * @hash: offset of the items in struct aggregate
 * @sum: offset of the sums in an item
 * @name: names an item
 */
struct view {
	struct table table;
	size_t hash, sum;
	char *(*name)(const struct aggregate *a, const void *item);
};

static const struct view views[] = {
	{
		.table = {
			.title = "ALLOCATION SITES", .key = "sites",
			.then = { ACCESSES, BYTES },
			.name_title = "Callsite", .name_key = "name", .id_key = "ip",
			.columns = {
				{ "Total_req/Per", "bytes", BYTES, CELL_PER, OBJECTS },
				{ "Hit", "objects", OBJECTS, CELL_NUMBER, 0 },
				{ "Live", "live", LIVE, CELL_NUMBER, 0 },
				{ "Life", "life", LIFE, CELL_TENTHS, LIVES },
				{ "Touched", "touched", TOUCHED, CELL_NUMBER, 0 },
				{ "Reads", "reads", READS, CELL_NUMBER, 0 },
				{ "Writes", "writes", WRITES, CELL_NUMBER, 0 },
			},
		},
		.hash = offsetof(struct aggregate, sites),
		.sum = offsetof(struct site, sum), .name = site_name,
	}, {
		.table = {
			.title = "FUNCTIONS THAT ACCESS OBJECTS", .key = "functions",
			.then = { ACCESSES, BYTES },
			.name_title = "Function", .name_key = "name", .id_key = "start",
			.columns = {
				{ "Reads", "reads", READS, CELL_NUMBER, 0 },
				{ "Writes", "writes", WRITES, CELL_NUMBER, 0 },
				{ "Touched", "touched", TOUCHED, CELL_NUMBER, 0 },
				{ "Callsites", "sites", SITES, CELL_NUMBER, 0 },
			},
		},
		.hash = offsetof(struct aggregate, functions),
		.sum = offsetof(struct function, sum), .name = function_name,
	}, {
		.table = {
			.title = "SHARED OBJECTS (accessed by several pids)", .key = "shared",
			.then = { ACCESSES, BYTES },
			.name_title = "Callsite", .name_key = "name", .id_key = "ip",
			.columns = {
				{ "Total_req/Per", "bytes", BYTES, CELL_PER, OBJECTS },
				{ "Hit", "objects", OBJECTS, CELL_NUMBER, 0 },
				{ "Pids", "most_pids", MOST_PIDS, CELL_NUMBER, 0 },
				{ "Reads", "reads", READS, CELL_NUMBER, 0 },
				{ "Writes", "writes", WRITES, CELL_NUMBER, 0 },
			},
		},
		.hash = offsetof(struct aggregate, sites),
		.sum = offsetof(struct site, shared), .name = site_name,
	}, {
		.table = {
			.title = "TASKS", .key = "tasks", .id_key = "pid", .id_decimal = true,
			.then = { ACCESSES, BYTES },
			.name_title = "    Pid Comm", .name_key = "comm",
			.columns = {
				{ "Total_req/Per", "bytes", BYTES, CELL_PER, OBJECTS },
				{ "Hit", "objects", OBJECTS, CELL_NUMBER, 0 },
				{ "Touched", "touched", TOUCHED, CELL_NUMBER, 0 },
				{ "Reads", "reads", READS, CELL_NUMBER, 0 },
				{ "Writes", "writes", WRITES, CELL_NUMBER, 0 },
			},
		},
		.hash = offsetof(struct aggregate, tasks),
		.sum = offsetof(struct task, sum), .name = task_name,
	}, {
		.table = {
			.title = "COMMANDS", .key = "commands",
			.then = { ACCESSES, BYTES },
			.name_title = "Comm", .name_key = "comm",
			.columns = {
				{ "Pids", "pids", PIDS, CELL_NUMBER, 0 },
				{ "Total_req/Per", "bytes", BYTES, CELL_PER, OBJECTS },
				{ "Hit", "objects", OBJECTS, CELL_NUMBER, 0 },
				{ "Reads", "reads", READS, CELL_NUMBER, 0 },
				{ "Writes", "writes", WRITES, CELL_NUMBER, 0 },
			},
		},
		.hash = offsetof(struct aggregate, comms),
		.sum = offsetof(struct comm, sum), .name = comm_name,
	},
};

/* Makes a row of each item that has something to say. */
static void fill(struct table *t, const struct view *v, const struct aggregate *a)
{
	const struct hash *h = (const void *)((const char *)a + v->hash);
	const u64 *sum;
	struct row *row;
	u32 i;
	char *item;

	*t = v->table;
	t->rows = kmap_array(NULL, h->nr + 1, sizeof(*t->rows));
	for (i = 0; i < h->nr; i++) {
		item = hash_item(h, i);
		sum = (const void *)(item + v->sum);
		if (!sum[OBJECTS] && !sum[TOUCHED] && !sum[PIDS])
			continue;
		row = t->rows + t->nr++;
		*row = (struct row){ .name = v->name(a, item), .sum = sum };
		if (t->id_key)
			memcpy(&row->id, item, sizeof(row->id));
	}
}

static void print(const struct aggregate *a, const struct settings *s, bool incomplete)
{
	struct head head = {
		.command = "report", .input = "kmap", .incomplete = incomplete,
		.sort = s->sort_key ? s->sort_key : "accesses", .top = s->top,
	};
	struct table t;
	size_t i;

	if (s->format == REPORT_TEXT)
		term_pager();
	head_print(&head, s->format);
	summarize(a, s->format);
	for (i = 0; i < ARRAY_SIZE(views); i++) {
		fill(&t, views + i, a);
		table_sort(&t, s->sort, s->by_name);
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

/* Tells when symbols were given and yet some addresses have none. */
static void tell_unresolved(const struct aggregate *a, bool kallsyms)
{
	const struct access_site *access;
	const struct site *site;
	u32 i, missing = 0;

	for (i = 0; i < a->sites.nr; i++) {
		site = hash_item(&a->sites, i);
		missing += !kmap_symbols_find(a->symbols, site->ip, KMAP_IP_RETURN);
	}
	for (i = 0; i < a->access_sites.nr; i++) {
		access = hash_item(&a->access_sites, i);
		missing += !kmap_symbols_find(a->symbols, access->ip, KMAP_IP_EXACT);
	}
	input_unresolved(missing, a->sites.nr + a->access_sites.nr, kallsyms);
}

static int report(const struct kmap_symbols *symbols, struct input *in,
		  const struct settings *s)
{
	struct aggregate a;
	enum kmap_event event;
	int status;

	aggregate_init(&a, symbols);
	while ((event = input_next(in)) == KMAP_OBJECT || event == KMAP_ACCESS) {
		if (event == KMAP_OBJECT)
			aggregate_object(&a, &in->reader.object);
		else
			aggregate_access(&a, &in->reader.access);
	}
	status = input_close(in, event);
	if (status != EXIT_UNABLE) {
		aggregate_end(&a);
		print(&a, s, status != EXIT_FINE || a.overflow);
		if (s->vmlinux || s->kallsyms)
			tell_unresolved(&a, s->kallsyms);
		if (a.overflow) {
			fprintf(stderr, "memorizer: a sum exceeds 64 bits and stands as %llu\n",
				U64_MAX);
			status = EXIT_MALFORMED;
		}
	}
	aggregate_free(&a);
	return status;
}

static bool set_sort(struct settings *s, const char *key)
{
	size_t i;

	s->by_name = !strcmp(key, "name");
	if (s->by_name)
		return true;
	for (i = 0; i < ARRAY_SIZE(sort_keys); i++) {
		if (!strcmp(sort_keys[i].key, key)) {
			s->sort = sort_keys[i].metric;
			return true;
		}
	}
	fprintf(stderr,
		"memorizer report: --sort %s: want accesses, reads, writes, objects, bytes, live, life, touched, sites, pids or name\n",
		key);
	return false;
}

static bool set_top(struct settings *s, const char *text)
{
	unsigned long top;
	char *end;

	errno = 0;
	top = strtoul(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || top > U32_MAX) {
		fprintf(stderr, "memorizer report: --top %s: want a number of rows, 0 for all\n",
			text);
		return false;
	}
	s->top = top;
	s->top_given = true;
	return true;
}

/* Takes an option that is for traces only. */
static bool set_filter(struct settings *s, int option, const char *arg)
{
	struct kmem_filter *f = &s->filter;
	size_t i;

	for (i = 0; options[i].name; i++)
		if (options[i].val == option)
			s->trace_only = options[i].name;
	switch (option) {
	case 't':
		return kmem_filter_kind(f, arg);
	case 'p':
		return kmem_filter_number(&f->pid, "--pid", arg);
	case 'P':
		return kmem_filter_number(&f->cpu, "--cpu", arg);
	case 'f':
		kmem_filter_point(&f->from, &f->from_mark, arg);
		break;
	case 'T':
		kmem_filter_point(&f->to, &f->to_mark, arg);
		break;
	case 'C':
		f->cache = arg;
		break;
	case 'S':
		f->site = arg;
		break;
	case 'm':
		f->comm = arg;
		break;
	default:
		return false;
	}
	return true;
}

/* Returns an exit status, or -1 to go on. */
static int parse_options(int argc, char **argv, struct settings *s)
{
	int option;

	while ((option = getopt_long(argc, argv, "k:K:iM:s:n:jct:C:S:m:p:P:f:T:h", options,
				     NULL)) != -1) {
		switch (option) {
		case 'k':
			s->vmlinux = optarg;
			break;
		case 'K':
			s->kallsyms = optarg;
			break;
		case 'i':
			s->inlines = true;
			break;
		case 'M':
			s->modules = optarg;
			break;
		case 's':
			s->sort_key = optarg;
			break;
		case 'n':
			if (!set_top(s, optarg))
				return usage_error("report");
			break;
		case 'j':
			s->format = REPORT_JSON;
			break;
		case 'c':
			s->format = REPORT_CSV;
			break;
		case 'h':
			print_usage(&command_report);
			return EXIT_FINE;
		default:
			if (!set_filter(s, option, optarg))
				return usage_error("report");
		}
	}
	return -1;
}

static int report_trace(const struct settings *s, const char *dir)
{
	struct kmemstat stat = {
		.vmlinux = s->vmlinux, .kallsyms = s->kallsyms, .modules = s->modules,
		.inlines = s->inlines, .sort = KMEM_ALLOC,
		.sort_key = s->sort_key ? s->sort_key : "bytes", .top = s->top,
		.format = s->format, .filter = s->filter,
	};

	if (s->sort_key && !kmemstat_sort(&stat, s->sort_key))
		return usage_error("report");
	return kmemstat(&stat, dir);
}

static int report_kmap(struct settings *s, int argc, char **argv)
{
	struct kmap_symbols *symbols;
	int status = EXIT_UNABLE;
	struct input in;

	if (s->sort_key && !set_sort(s, s->sort_key))
		return usage_error("report");
	if (s->trace_only) {
		fprintf(stderr, "memorizer report: --%s: this is for the directory of a trace\n",
			s->trace_only);
		return usage_error("report");
	}
	symbols = trace_symbols_lines(NULL, s->vmlinux, s->kallsyms, s->modules, s->inlines);
	if (!symbols)
		return EXIT_UNABLE;
	if (input_open(&in, argc, argv))
		status = report(symbols, &in, s);
	kmap_symbols_free(symbols);
	return status;
}

static int run(int argc, char **argv)
{
	struct settings s = { .sort = ACCESSES };
	int status;

	kmem_filter_init(&s.filter);
	status = parse_options(argc, argv, &s);
	if (status >= 0)
		return status;
	argc -= optind;
	argv += optind;
	if (!s.top_given)
		s.top = s.format == REPORT_TEXT ? TEXT_ROWS : 0;
	if (argc <= 1 && input_is_trace(argc ? argv[0] : "-"))
		return report_trace(&s, argc ? argv[0] : "-");
	return report_kmap(&s, argc, argv);
}

const struct command command_report = {
	.name = "report",
	.summary = "sum up a KMAP or a trace by call site, function and task",
	.usage = usage,
	.run = run,
};
