// SPDX-License-Identifier: GPL-2.0
/* memorizer record: options of the recorder. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "options.h"
#include "record/recorder.h"
#include "record/settings.h"
#include "trace/trace.h"

static const char * const usage[] = {
	"memorizer record [OPTION...] [--for TIME | -- COMMAND...]",
	"",
	"Records the kernel's stream of allocations and frees to a directory, until TIME is",
	"over, COMMAND has exited, or Ctrl-C is pressed.",
	NULL
};

#define MARK_MAX	255		/* bytes that the kernel accepts */

/* Take a time like 60s, in ms. */
static int option_time(const struct option *o, const char *arg, int unset)
{
	static const struct {
		const char *name;
		u64 ms;
	} units[] = { { "", 1000 }, { "s", 1000 }, { "ms", 1 },
		      { "m", 60 * 1000 }, { "h", 3600 * 1000 } };
	u64 *ms = o->value;
	unsigned long n;
	char *end;
	size_t i;

	(void)unset;
	*ms = 0;
	errno = 0;
	n = strtoul(arg, &end, 10);
	/* Not more than 32 bits, so that the result in ms cannot overflow. */
	if (!errno && *arg >= '0' && *arg <= '9' && n <= U32_MAX)
		for (i = 0; i < ARRAY_SIZE(units); i++)
			if (!strcmp(end, units[i].name))
				*ms = n * units[i].ms;
	return *ms ? 0 : option_refuse(o, arg, "a time like 60s, 500ms, 5m or 2h");
}

/* Take a size like 64M, in bytes. */
static int option_size(const struct option *o, const char *arg, int unset)
{
	static const char units[] = "KMG";
	const char *unit;
	u64 n, shift = 0;
	char *end;

	(void)unset;
	errno = 0;
	n = strtoull(arg, &end, 10);
	unit = *end ? strchr(units, *end) : NULL;
	if (unit)
		shift = 10 * (unit - units + 1);
	if (errno || *arg < '0' || *arg > '9' || (*end && (!unit || end[1])) || !n ||
	    n > U64_MAX >> shift)
		return option_refuse(o, arg, "a size like 100M");
	*(u64 *)o->value = n << shift;
	return 0;
}

/* Kinds of memory with allocations in the stream. */
static int option_memory(const struct option *o, const char *arg, int unset)
{
	u32 *memory = o->value, streamed = 0, kind;
	const char *word = arg;
	size_t len;

	(void)unset;
	for (kind = 0; kind < TRACE_KINDS; kind++)
		streamed |= 1u << trace_kind_memory(kind);
	*memory = 0;
	for (; ; word += len + 1) {
		len = strcspn(word, ",");
		kind = kmap_kind_find(word, len);
		if (!(streamed & 1u << kind))
			return option_refuse(o, arg,
					     "kinds separated by commas: slab, pages, vmalloc, vmap, ioremap, modules, stack or percpu");
		*memory |= 1u << kind;
		if (!word[len])
			return 0;
	}
}

static int option_list(const struct option *o, const char *arg, int unset)
{
	(void)unset;
	if (number_list_parse(o->value, arg))
		return 0;
	return option_refuse(o, arg, "numbers with commas between");
}

/* The kernel's filters have the names of the options. */
static int option_globs(const struct option *o, const char *arg, int unset)
{
	(void)unset;
	if (kernel_filter_add(o->value, o->long_name, arg))
		return 0;
	return option_refuse(o, arg, "globs with commas between");
}

static int option_fields(const struct option *o, const char *arg, int unset)
{
	(void)unset;
	if (kernel_filter_add_fields(o->value, arg))
		return 0;
	return option_refuse(o, arg, "kind:GLOB, cache:GLOB or alloc:GLOB, with commas between");
}

static int option_cgroups(const struct option *o, const char *arg, int unset)
{
	(void)unset;
	if (kernel_filter_add_cgroups(o->value, arg))
		return 0;
	return option_refuse(o, arg,
			     "paths of control groups, which begin with /, with commas between");
}

/* Check the text of a mark here: the kernel would refuse it without a reason. */
static int option_mark(const struct option *o, const char *arg, int unset)
{
	const char *want = NULL;
	char text[24];

	(void)unset;
	if (!*arg || !strcmp(arg, "\n") || strlen(arg) > MARK_MAX)
		want = "1 to 255 bytes";
	else if (!strncmp(arg, "leave ", 6) && arg[6])
		want = "a text that does not leave a scope: none is open yet";
	*(const char **)o->value = arg;
	snprintf(text, sizeof(text), "%.20s%s", arg, strlen(arg) > 20 ? "..." : "");
	return want ? option_refuse(o, text, "%s", want) : 0;
}

/* Check combinations of options; returns false after a message. */
static bool fit_together(const struct recording *what)
{
	const char *message = NULL;

	if (what->command && what->ms)
		message = "--for and a command: want one of them";
	else if (what->options.parts && !what->options.max_size)
		message = "--rotate: want --max-size, too, which says when";
	else if (what->options.flight && what->options.max_size)
		message = "--flight and --max-size: want one of them";
	else if (what->options.select.cpus.nr && !what->on[STREAM_ACCESSES])
		message = "--cpu: want --accesses, too";
	else if (what->on[STREAM_SCOPED] && !what->on[STREAM_ACCESSES] &&
		 !what->on[STREAM_TRAFFIC])
		message = "--scoped: want --accesses or --traffic, too";
	else if (what->filter.children && !what->options.select.pids.nr && !what->command)
		message = "--children: want --pid or a command, too";
	else if (what->filter.lines[FILTER_FIELDS] && what->on[STREAM_RETIREMENTS])
		message = "--fields and --retirements: want only one: counts have no fields";
	else if (kernel_filter_is_needed(&what->filter) && !what->on[STREAM_ACCESSES] &&
		 !what->on[STREAM_TRAFFIC] && !what->on[STREAM_RETIREMENTS] && !what->snapshot)
		message = "filters: want --accesses, --traffic, --retirements or --snapshot";
	if (message)
		fprintf(stderr, "memorizer record: %s\n", message);
	return !message;
}

static int run(int argc, char **argv)
{
	struct recording what = {
		.debugfs = "/sys/kernel/debug",
		.on = { [STREAM_ALLOCATIONS] = true },
		.options.select = { .memory = PACKET_MEMORY_ALL },
	};
	const struct option options[] = {
		OPT_STRING('o', "output", &what.output, "DIR",
			   "new or empty directory (default: memorizer-trace, or the first unused\n"
			   "                          of memorizer-trace.1, .2, ...)"),
		OPT_TAKE('f', "for", &what.ms, "TIME",
			 "how long to record: a number and s (default), ms, m or h", option_time),
		OPT_BOOLEAN('r', "retirements", &what.on[STREAM_RETIREMENTS],
			    "record freed objects with their counts, and free their records"),
		OPT_BOOLEAN('a', "accesses", &what.on[STREAM_ACCESSES],
			    "record every access: for short times"),
		OPT_BOOLEAN('T', "traffic", &what.on[STREAM_TRAFFIC],
			    "record each move of a cache line, if the kernel tracks them"),
		OPT_BOOLEAN('e', "entries", &what.on[STREAM_ENTRIES],
			    "record system calls, interrupts, page faults and softirqs"),
		OPT_BOOLEAN('l', "locks", &what.on[STREAM_LOCKS],
			    "record lock events that the kernel's tracepoints report"),
		OPT_BOOLEAN('c', "scoped", &what.on[STREAM_SCOPED],
			    "record accesses and traffic only within marked scopes"),
		OPT_TAKE('n', "function", &what.filter, "GLOB,...",
			 "log accesses by these functions only; ! in front excludes them",
			 option_globs),
		OPT_TAKE('M', "module", &what.filter, "GLOB,...",
			 "by these modules only; vmlinux is built-in code", option_globs),
		OPT_TAKE('I', "file", &what.filter, "GLOB,...",
			 "by code of these source files only, as fs/ext4/*", option_globs),
		OPT_TAKE('C', "cache", &what.filter, "GLOB,...",
			 "record objects of these slab caches only", option_globs),
		OPT_TAKE('A', "alloc", &what.filter, "GLOB,...",
			 "record objects that these functions allocate only", option_globs),
		OPT_TAKE(0, "fields", &what.filter, "TERM,...",
			 "also count accesses by offset in objects that match kind:GLOB, cache:GLOB or\n"
			 "                          alloc:GLOB, and save kmap_fields with the trace",
			 option_fields),
		OPT_TAKE('G', "cgroup", &what.filter, "PATH,...",
			 "accesses by these control groups and their descendants only: /user.slice",
			 option_cgroups),
		OPT_TAKE('p', "pid", &what.options.select.pids, "PID,...",
			 "accesses by these tasks only", option_list),
		OPT_BOOLEAN('k', "children", &what.filter.children,
			    "and by their children; without --pid, by COMMAND and its children"),
		OPT_BOOLEAN('s', "snapshot", &what.snapshot,
			    "record the contents of the kernel's kmap at the end"),
		OPT_TAKE('m', "mark", &what.mark, "TEXT", "start with a mark", option_mark),
		OPT_TAKE('t', "kind", &what.options.select.memory, "KIND",
			 "allocations and frees of these kinds of memory only, such as slab or pages",
			 option_memory),
		OPT_TAKE('P', "cpu", &what.options.select.cpus, "CPU,...",
			 "accesses on these CPUs only", option_list),
		OPT_BOOLEAN('z', "compress", &what.options.compress,
			    "compress the files of the CPUs with zstd"),
		OPT_TAKE('S', "max-size", &what.options.max_size, "SIZE",
			 "stop when the files have this size in total: a number and K, M or G",
			 option_size),
		OPT_NUMBER('R', "rotate", &what.options.parts, "N", 1, U32_MAX,
			   "continue in another part then; keep the last N in DIR/0, DIR/1, ..."),
		OPT_TAKE('F', "flight", &what.options.flight, "SIZE",
			 "keep the last SIZE of each CPU in memory; SIGUSR2 and the end write it to\n"
			 "                          DIR/0, DIR/1, ...", option_size),
		OPT_STRING(0, "restore", &what.restore, "DIR",
			   "only restore the switches and filters that a killed recorder left changed;\n"
			   "                          DIR is its trace"),
		OPT_STRING('D', "debugfs", &what.debugfs, "DIR",
			   "mount point of debugfs (default: /sys/kernel/debug)"),
		OPT_HELP(),
		OPT_END()
	};
	int status;

	what.filter.pids = &what.options.select.pids;
	argc = options_parse(&command_record, argc, argv, options, PARSE_OPT_STOP_AT_NON_OPTION);
	if (argc)
		what.command = argv;
	if (!fit_together(&what))
		status = usage_error("record");
	else if (what.restore)
		status = settings_restore(what.debugfs, what.restore);
	else
		status = record(&what);
	packet_selection_free(&what.options.select);
	kernel_filter_free(&what.filter);
	return status;
}

const struct command command_record = {
	.name = "record",
	.summary = "record a trace of the running kernel",
	.usage = usage,
	.run = run,
};
