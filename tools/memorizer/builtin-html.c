// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer html: writes a self-contained page about one or two KMAPs or traces.
 *
 * The data are the JSON of report, layout, timeline, sharing, privilege and diff, which run in this
 * process and print to a temporary file. Copying it to the page bounds the size: the last rows of
 * tables that are too long are summed up.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "builtin.h"
#include "html/embed.h"
#include "lib/progress.h"
#include "options.h"
#include "report/cut.h"
#include "report/output.h"
#include "report/partition.h"
#include "report/table.h"

#define RUNS		2
#define PAGE_MAX	5000000		/* bytes of the page */
#define PAGE_REST	500000		/* bytes reserved for all but the rows */
#define TEXT_MAX	200		/* displayed characters of a name or mark */
#define ROWS		"20000"		/* of a table */
#define SPANS		"240"
#define ARGUMENTS	30		/* of a command */

static const char * const usage[] = {
	"memorizer html [OPTION...] -o FILE KMAP [KMAP]",
	"memorizer html [OPTION...] -o FILE DIR [DIR]",
	"",
	"Writes a page for a browser: the results of report, layout, timeline, sharing and",
	"privilege, with a map of types that shows their cache lines and which code accesses each",
	"member, or of call sites; to search, sort and filter; for two inputs also the changes.",
	"The page is a single file of at most 5 MB and needs no network; rows that do not fit are",
	"counted and summed up.",
	NULL
};

/**
 * struct page - a page in the making
 * @output: the file
 * @vmlinux: ELF file with the symbols of each run, or NULL
 * @kallsyms: copies of /proc/kallsyms, likewise
 * @modules: directories with module files for notes, likewise
 * @skip: functions that are no call sites, or NULL
 * @calls: calls for privileges, likewise
 * @contexts: what numbers of contexts mean, likewise
 * @partition: compartments for privileges
 * @paths: the KMAPs or traces
 * @nr: number of runs
 * @traces: the inputs are traces
 * @stderr_fd: the original standard error
 * @status: exit status so far
 */
struct page {
	const char *output, *vmlinux[RUNS], *kallsyms[RUNS], *modules[RUNS], *skip;
	const char *calls[RUNS], *contexts[RUNS];
	struct partition partition;
	char **paths;
	int nr;
	bool traces;
	int stderr_fd;
	int status;
};

/* The worse of two exit statuses. */
static int worse(int a, int b)
{
	static const int order[] = {
		[EXIT_FINE] = 0, [EXIT_INCOMPLETE] = 1, [EXIT_MALFORMED] = 2, [EXIT_UNABLE] = 3,
	};

	return order[a] > order[b] ? a : b;
}

/* Drop messages that were printed for a previous command. */
static void hush(const struct page *p, bool quiet)
{
	int null = quiet ? open("/dev/null", O_WRONLY) : -1;

	fflush(stderr);
	dup2(null >= 0 ? null : p->stderr_fd, STDERR_FILENO);
	if (null >= 0)
		close(null);
}

/* Run a command on some of the runs; its output goes to the page. */
static int run_command(struct page *p, const struct command *c, const char * const *more,
		       int first, int nr, bool quiet)
{
	bool by_context = c == &command_report || c == &command_diff;
	bool sites = by_context || c == &command_layout;
	char name[64], label[64], *argv[ARGUMENTS];
	int argc = 0, i, status;

	snprintf(name, sizeof(name), "memorizer %s", c->name);
	argv[argc++] = name;
	argv[argc++] = (char *)"--json";
	while (*more)
		argv[argc++] = (char *)*more++;
	if (p->skip && sites) {
		argv[argc++] = (char *)"--skip";
		argv[argc++] = (char *)p->skip;
	}
	for (i = first; i < first + nr; i++) {
		if (p->vmlinux[i]) {
			argv[argc++] = (char *)"--vmlinux";
			argv[argc++] = (char *)p->vmlinux[i];
		}
		if (p->kallsyms[i]) {
			argv[argc++] = (char *)"--kallsyms";
			argv[argc++] = (char *)p->kallsyms[i];
		}
		if (p->modules[i]) {
			argv[argc++] = (char *)"--modules";
			argv[argc++] = (char *)p->modules[i];
		}
		if (p->contexts[i] && by_context) {
			argv[argc++] = (char *)"--context-file";
			argv[argc++] = (char *)p->contexts[i];
		}
	}
	/* The name of an input may begin with "-". */
	argv[argc++] = (char *)"--";
	for (i = first; i < first + nr; i++)
		argv[argc++] = p->paths[i];
	argv[argc] = NULL;
	snprintf(label, sizeof(label), "%s: ", c->name);
	progress_label = label;
	hush(p, quiet);
	status = c->run(argc, argv);
	hush(p, false);
	progress_label = "";
	return status;
}

/*
 * Print the output of a command, or null if there is none, as for a trace without events; returns
 * the exit status.
 */
static int print_more(struct page *p, const char *key, bool can, const struct command *c,
		      const char * const *arguments, int run, bool quiet)
{
	int status = EXIT_FINE;
	off_t before;

	printf(",\n\"%s\": ", key);
	fflush(stdout);
	before = ftello(stdout);
	if (can)
		status = run_command(p, c, arguments, run, 1, quiet);
	fflush(stdout);
	if (ftello(stdout) == before)
		printf("null");
	return status;
}

/* Print privileges. Without options for them, a failure is no reason to print no page. */
static int print_privilege(struct page *p, int run)
{
	const char *arguments[9] = { "--top", ROWS, "--by", partition_names[p->partition.by] };
	const char **end = arguments + 4;
	bool asked = p->partition.file || p->partition.by != PARTITION_MODULE || p->calls[run];
	int status;

	if (p->partition.file) {
		*end++ = "--partition";
		*end++ = p->partition.file;
	}
	if (p->calls[run]) {
		*end++ = "--calls";
		*end++ = p->calls[run];
	}
	status = print_more(p, "privilege", true, &command_privilege, arguments, run, !asked);
	return asked ? status : EXIT_FINE;
}

static int print_run(struct page *p, int run)
{
	static const char * const arguments[] = { "--top", ROWS, NULL };
	static const char * const over_time[] = { "--spans", SPANS, "--top", ROWS, NULL };
	static const char * const layouts[] = { "--all", "--top", ROWS, NULL };
	static const char * const addresses[] = { "--addresses", "--top", ROWS, NULL };
	int status;

	printf("%s{\"name\": ", run ? ",\n" : "");
	json_string(p->paths[run]);
	printf(",\n\"report\": ");
	status = run_command(p, &command_report, arguments, run, 1, false);
	if (status == EXIT_UNABLE)
		return status;
	/* Layouts need the compiler's notes, which are in these files. */
	print_more(p, "layout", p->vmlinux[run] || p->modules[run], &command_layout, layouts, run,
		   true);
	print_more(p, "timeline", p->traces, &command_timeline, over_time, run, true);
	print_more(p, "sharing", p->traces, &command_sharing, addresses, run, true);
	status = worse(status, print_privilege(p, run));
	printf("}");
	return status;
}

static int print_data(struct page *p)
{
	static const char * const arguments[] = { "--top", ROWS, NULL };
	int run, status = EXIT_FINE;

	printf("{\"memorizer\": ");
	json_string(VERSION);
	printf(",\n\"runs\": [");
	for (run = 0; run < p->nr && status != EXIT_UNABLE; run++)
		status = worse(status, print_run(p, run));
	printf("],\n\"diff\": ");
	if (p->nr < RUNS)
		printf("null");
	else if (status != EXIT_UNABLE)
		status = worse(status, run_command(p, &command_diff, arguments, 0, RUNS, true));
	printf("}");
	return status;
}

/* Part of the page for @record@ and so on, by the first letter. */
static const char *part(char letter)
{
	switch (letter) {
	case 'j':
		return page_js;
	case 'r':
		return record_js;
	case 'o':
		return overview_js;
	default:
		return page_css;
	}
}

/* Write the page with the data of a file; returns false on errors. */
static bool write_page(FILE *data, FILE *to)
{
	/* Limit the rows only if the page would be too large. */
	u64 room = ftello(data) + PAGE_REST > PAGE_MAX ? PAGE_MAX - PAGE_REST : U64_MAX;
	const char *text = page_html, *at;
	bool fine = true;

	for (; (at = strchr(text, '@')); text = strchr(at + 1, '@') + 1) {
		fwrite(text, 1, at - text, to);
		if (at[1] == 'd')
			fine = cut_copy(data, to, room);
		else
			fputs(part(at[1]), to);
	}
	fputs(text, to);
	return fine && !ferror(to);
}

/* Print the data to a temporary file, then write the page; returns an exit status. */
static int make_page(struct page *p, int fd)
{
	FILE *data = tmpfile(), *to = fdopen(fd, "w");
	int status = EXIT_UNABLE;
	bool fine;

	fflush(stdout);
	fine = data && to && dup2(fileno(data), STDOUT_FILENO) >= 0;
	if (fine) {
		table_limits = (struct table_limits){ .table = PAGE_MAX, .text = TEXT_MAX };
		status = print_data(p);
		fine = !fflush(stdout) && !fseeko(data, 0, SEEK_END);
		fine = fine && (status == EXIT_UNABLE || write_page(data, to));
		cut_free();
	}
	if (data)
		fclose(data);
	fine = fine && !fflush(to);
	if (fine)
		return status;
	fprintf(stderr, "memorizer html: %s: %s\n", p->output, strerror(errno));
	return EXIT_UNABLE;
}

static bool check_inputs(struct page *p)
{
	if (!p->output)
		fprintf(stderr, "memorizer html: want --output FILE\n");
	else if (p->nr < 1 || p->nr > RUNS)
		fprintf(stderr, "memorizer html: %d inputs: want one or two\n", p->nr);
	else if (p->nr == RUNS && input_is_trace(p->paths[0]) != input_is_trace(p->paths[1]))
		fprintf(stderr, "memorizer html: one is a trace and one is a KMAP\n");
	else
		return true;
	return false;
}

static bool begin_output(struct output *o, const struct page *p)
{
	const char *inputs[5 * RUNS + 1] = { p->partition.file };
	struct stat st;
	int i;

	for (i = 0; i < p->nr; i++) {
		inputs[1 + i] = p->paths[i];
		inputs[1 + RUNS + i] = p->vmlinux[i];
		inputs[1 + 2 * RUNS + i] = p->kallsyms[i];
		inputs[1 + 3 * RUNS + i] = p->calls[i];
		inputs[1 + 4 * RUNS + i] = p->contexts[i];
	}
	if (!output_begin(o, p->output, inputs, ARRAY_SIZE(inputs)))
		return false;
	if (!fstat(o->fd, &st) && S_ISREG(st.st_mode))
		return true;
	fprintf(stderr, "memorizer html: %s: want a regular file\n", p->output);
	output_drop(o);
	return false;
}

static int run(int argc, char **argv)
{
	struct page p = { .partition.by = PARTITION_MODULE, .status = EXIT_FINE };
	struct output output;
	int given[5] = { 0 };
	const struct option options[] = {
		OPT_STRING('o', "output", &p.output, "FILE", "the page"),
		OPT_FILES('k', "vmlinux", p.vmlinux, &given[0], "FILE",
			  "ELF file with the kernel's symbols; the second is for the second input"),
		OPT_FILES('K', "kallsyms", p.kallsyms, &given[1], "FILE",
			  "copy of /proc/kallsyms, likewise (default: those in the traces)"),
		OPT_FILES('M', "modules", p.modules, &given[2], "DIR",
			  "directory with the files NAME.ko of modules, for notes, likewise"),
		OPT_STRING(0, "skip", &p.skip, "NAME",
			   "functions that are no call site of an object with a stack"),
		OPTS_PARTITION(&p.partition, "module"),
		OPT_FILES(0, "calls", p.calls, &given[3], "FILE",
			  "privileges with calls and returns, likewise: copy of memorizer/calls"),
		OPT_FILES(0, "context-file", p.contexts, &given[4], "FILE",
			  "copy of memorizer/contexts, likewise (default: beside the input)"),
		OPT_HELP(),
		OPT_END()
	};
	int status;

	p.nr = options_parse(&command_html, argc, argv, options, 0);
	p.paths = argv;
	if (!check_inputs(&p))
		return usage_error("html");
	p.traces = input_is_trace(p.paths[0]);
	if (!begin_output(&output, &p))
		return EXIT_UNABLE;
	p.stderr_fd = dup(STDERR_FILENO);
	status = make_page(&p, output.fd);
	close(p.stderr_fd);
	if (status == EXIT_UNABLE)
		output_drop(&output);
	else if (!output_end(&output))
		status = EXIT_UNABLE;
	return status;
}

const struct command command_html = {
	.name = "html",
	.summary = "write a report to explore in a browser",
	.usage = usage,
	.run = run,
};
