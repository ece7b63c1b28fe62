// SPDX-License-Identifier: GPL-2.0
/* memorizer export: writes what functions did to objects in formats of other tools. */
#include <stdio.h>

#include "builtin.h"
#include "options.h"
#include "report/cmap-write.h"
#include "report/cpm-write.h"
#include "report/uses.h"
#include "symbols/namesakes.h"

static const char * const usage[] = {
	"memorizer export --cpm [OPTION...] [--calls FILE] [KMAP|DIR|-]",
	"memorizer export --cmap [OPTION...] [--calls FILE] --vmlinux FILE [KMAP|DIR|-]",
	"",
	"Writes which function read and wrote the objects of which call sites, and how often, in",
	"the CPM interchange format; or which instruction did, as a CAPMAP.",
	NULL
};

/**
 * struct exporter - state of the command
 * @uses: the uses in the input; first, for uses_event()
 * @partition: the partition
 * @filter: the filter
 * @files: where to load symbols from
 * @calls: argument of --calls, or NULL
 * @cpm: --cpm was given
 * @cmap: --cmap was given
 * @contexts: --contexts was given
 * @fields: --fields was given
 */
struct exporter {
	struct uses uses;
	struct partition partition;
	struct kmem_filter filter;
	struct symbol_files files;
	const char *calls;
	bool cpm, cmap, contexts, fields;
};

static bool begin(struct engine *g)
{
	struct exporter *x = g->data;

	if (!partition_usable(&x->partition, g->symbols, "export"))
		return false;
	if (x->fields && !kmap_symbols_notes(g->symbols)) {
		fprintf(stderr,
			"memorizer export: --fields: members are unknown: want --vmlinux with compiler notes\n");
		return false;
	}
	uses_begin(&x->uses, g, &x->filter);
	x->uses.streamed.by_address = x->cmap;
	x->uses.counted.by_address = x->cmap;
	x->uses.streamed.by_task = x->contexts;
	x->uses.counted.by_task = x->contexts;
	x->uses.streamed.members = x->fields;
	x->uses.counted.members = x->fields;
	return true;
}

/* Returns the exit status. */
static int write_uses(const struct exporter *x, struct privilege *p,
		      const struct contexts *contexts, int status)
{
	struct domains d;

	if (x->cmap) {
		if (cmap_write(p))
			return status;
		fprintf(stderr, "memorizer export: sizes exceed 64 bits\n");
		return EXIT_MALFORMED;
	}
	if (domains_sum(&d, p, &x->partition)) {
		cpm_write(&d, contexts);
	} else {
		fprintf(stderr, "memorizer export: functions times bytes exceed 63 bits\n");
		status = EXIT_MALFORMED;
	}
	domains_free(&d);
	return status;
}

static int end(struct engine *g, int status)
{
	struct exporter *x = g->data;
	struct privilege *p = uses_end(&x->uses, g, x->calls, &status);

	if (p)
		status = write_uses(x, p, x->contexts ? &g->contexts : NULL, status);
	if (p && !g->trace && (x->files.vmlinux || x->files.kallsyms))
		privilege_warn(p, x->files.kallsyms);
	uses_free(&x->uses);
	namesakes_warn(g->symbols, "export");
	return status;
}

static int export_input(struct exporter *x, const char *input)
{
	static const struct engine_ops ops = {
		.begin = begin, .event = uses_event, .object = uses_object, .access = uses_access,
		.end = end,
	};
	struct engine g = {
		.ops = &ops, .data = x, .files = x->files, .by_context = x->contexts,
	};
	const char *trace_only = kmem_filter_trace_only(&x->filter);
	int status;

	if (trace_only && !input_is_trace(input)) {
		fprintf(stderr, "memorizer export: --%s: only for the directory of a trace\n",
			trace_only);
		return usage_error("export");
	}
	if (!partition_open(&x->partition, "export"))
		return EXIT_UNABLE;
	status = engine_run(&g, input);
	engine_free(&g);
	partition_free(&x->partition);
	return status;
}

/* Returns false after a message if the format is missing, or does not go with other options. */
static bool check_format(const struct exporter *x)
{
	const char *only = x->fields ? "--fields" : x->contexts ? "--contexts" :
			   x->files.contexts ? "--context-file" :
			   x->partition.file ? "--partition" :
			   x->partition.by != PARTITION_FUNCTION ? "--by" : NULL;

	if (x->cpm == x->cmap)
		fprintf(stderr, "memorizer export: %s: want --cpm or --cmap\n",
			x->cpm ? "two formats" : "no format");
	else if (x->cmap && only)
		fprintf(stderr, "memorizer export: %s: only with --cpm\n", only);
	else if (x->files.contexts && !x->contexts)
		fprintf(stderr, "memorizer export: --context-file: want --contexts, too\n");
	else if (x->cmap && !x->files.vmlinux)
		fprintf(stderr,
			"memorizer export: --cmap: want --vmlinux, whose addresses a CAPMAP has\n");
	else
		return true;
	return false;
}

static int run(int argc, char **argv)
{
	struct exporter x = { .partition.by = PARTITION_FUNCTION };
	const struct option options[] = {
		OPT_BOOLEAN(0, "cpm", &x.cpm, "write the CPM interchange format"),
		OPT_BOOLEAN(0, "cmap", &x.cmap, "write a CAPMAP, for uSCOPE"),
		OPT_STRING(0, "calls", &x.calls, "FILE",
			   "calls and returns, too: a copy of memorizer/calls in debugfs"),
		OPT_BOOLEAN(0, "contexts", &x.contexts, "privileges by task or context"),
		OPT_CONTEXTS(&x.files),
		OPT_BOOLEAN(0, "fields", &x.fields, "members are objects of their own"),
		OPTS_PARTITION(&x.partition, "function"),
		OPTS_SYMBOLS(&x.files),
		OPT_HELP(),
		OPT_GROUP("Write only (an access with the object's allocation):"),
		OPT_KIND(&x.filter),
		OPTS_FILTER(&x.filter),
		OPT_END()
	};
	const char *input;

	kmem_filter_init(&x.filter);
	argc = options_parse(&command_export, argc, argv, options, 0);
	if (!check_format(&x))
		return usage_error("export");
	input = argc ? input_name(argc, argv) : "-";
	if (!input) {
		fprintf(stderr,
			"memorizer export: %d inputs: want one directory, or the parts of one, or a KMAP\n",
			argc);
		return usage_error("export");
	}
	return export_input(&x, input);
}

const struct command command_export = {
	.name = "export",
	.summary = "write accesses in formats of other tools",
	.usage = usage,
	.run = run,
};
