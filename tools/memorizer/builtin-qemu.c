// SPDX-License-Identifier: GPL-2.0
/* memorizer qemu: runs an emulator with the plugin that makes a trace of what the machine does. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"
#include "symbols/symbols.h"

static const char usage[] =
	"Usage: memorizer qemu [OPTION...] -- QEMU [ARGUMENT...]\n"
	"\n"
	"Runs QEMU (qemu-system-x86_64 or qemu-x86_64, 7.2, without KVM) with a plugin that\n"
	"makes a trace of what the machine accesses, whatever kernel it runs.\n"
	"\n"
	"  -o, --output DIR      where to: a directory without a trace (memorizer-trace)\n"
	"  -m, --mode MODE       all: every access; traffic: those that move a cache line;\n"
	"                        objects: counts of what a kernel with MEMORIZER_QEMU announces\n"
	"  -u, --user            user space's accesses, too\n"
	"  -s, --scopes          only within scopes that user space announces\n"
	"  -S, --stacks          also which calls led to each access\n"
	"  -p, --paused          begin when user space says so\n"
	"  -n, --sample N        one event in N of each CPU\n"
	"  -f, --function NAME   only accesses by this function; may come several times\n"
	"  -k, --vmlinux FILE    take its address from this ELF file\n"
	"  -K, --kallsyms FILE   and this copy of /proc/kallsyms of a boot without KASLR\n"
	"      --slide HEX       what KASLR adds to the addresses of these two\n"
	"      --data FIRST-LAST only accesses to these addresses; may come several times\n"
	"      --text FIRST-LAST only accesses by these instructions; likewise\n"
	"      --line BYTES      the size of a cache line (64)\n"
	"      --lines N         room for so many lines (16777216)\n"
	"      --frames N        room for so many different call stacks (1048576)\n"
	"      --cpus N          vCPUs, where QEMU does not say how many: threads (64)\n"
	"      --limit BYTES     the most that the file of a CPU takes\n"
	"      --plugin FILE     the plugin, if it is not where it was installed or built\n"
	"  -h, --help            print this\n";

enum { SLIDE = 256, DATA, TEXT, LINE, LINES, FRAMES, CPUS, LIMIT, PLUGIN };

static const struct option options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "mode", required_argument, NULL, 'm' },
	{ "user", no_argument, NULL, 'u' },
	{ "scopes", no_argument, NULL, 's' },
	{ "stacks", no_argument, NULL, 'S' },
	{ "paused", no_argument, NULL, 'p' },
	{ "sample", required_argument, NULL, 'n' },
	{ "function", required_argument, NULL, 'f' },
	{ "vmlinux", required_argument, NULL, 'k' },
	{ "kallsyms", required_argument, NULL, 'K' },
	{ "slide", required_argument, NULL, SLIDE },
	{ "data", required_argument, NULL, DATA },
	{ "text", required_argument, NULL, TEXT },
	{ "line", required_argument, NULL, LINE },
	{ "lines", required_argument, NULL, LINES },
	{ "frames", required_argument, NULL, FRAMES },
	{ "cpus", required_argument, NULL, CPUS },
	{ "limit", required_argument, NULL, LIMIT },
	{ "plugin", required_argument, NULL, PLUGIN },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

/**
 * struct request - what was asked for
 * @output: directory of the trace
 * @plugin: the plugin, NULL: look for it
 * @vmlinux: where functions are, or NULL
 * @kallsyms: likewise
 * @slide: what is added to that
 * @functions: names of functions, NULL behind the last
 * @nr_functions: how many
 * @arguments: of the plugin, each behind a comma
 */
struct request {
	const char *output, *plugin, *vmlinux, *kallsyms;
	u64 slide;
	const char **functions;
	u32 nr_functions;
	char *arguments;
};

/* Adds an argument of the plugin; QEMU takes two commas for one that is meant. */
static void add_argument(struct request *r, const char *name, const char *value)
{
	size_t length = r->arguments ? strlen(r->arguments) : 0;
	char *to;

	r->arguments = xreallocarray(r->arguments,
				     length + strlen(name) + 2 * strlen(value) + 3, 1);
	to = r->arguments + length;
	to += sprintf(to, ",%s=", name);
	for (; *value; value++) {
		if (*value == ',')
			*to++ = ',';
		*to++ = *value;
	}
	*to = '\0';
}

/* Makes a filter of each function that is named; false: there is no such function. */
static bool add_functions(struct request *r)
{
	char error[ERROR_MAX], range[40];
	struct kmap_symbols *s;
	u32 i, found = 0;
	size_t j;

	if (!r->nr_functions)
		return true;
	if (!r->vmlinux && !r->kallsyms) {
		fprintf(stderr, "memorizer qemu: --function: give --vmlinux or --kallsyms, too\n");
		return false;
	}
	s = kmap_symbols_load(r->vmlinux, r->kallsyms, false, error);
	if (!s) {
		fprintf(stderr, "memorizer: %s\n", error);
		return false;
	}
	for (i = 0; i < r->nr_functions && found == i; i++) {
		for (j = 0; j < s->nr; j++) {
			const struct kmap_symbol *sym = &s->sym[j];

			if (!sym->size ||
			    strcmp(kmap_symbols_string(s, sym->name), r->functions[i]))
				continue;
			snprintf(range, sizeof(range), "%llx-%llx",
				 (unsigned long long)(sym->start + r->slide),
				 (unsigned long long)(sym->start + r->slide + sym->size - 1));
			add_argument(r, "text", range);
			found = i + 1;
		}
	}
	if (found < r->nr_functions)
		fprintf(stderr, "memorizer qemu: there is no function %s\n", r->functions[found]);
	kmap_symbols_free(s);
	return found == r->nr_functions;
}

/* The plugin: beside this program, or where make install puts it. */
static char *find_plugin(const char *given)
{
	static const char * const places[] = {
		"qemu/memorizer-qemu.so", "memorizer-qemu.so", "../lib/memorizer/memorizer-qemu.so",
	};
	char self[PATH_MAX], *slash, *path;
	ssize_t length;
	size_t i;

	if (given)
		return strdup(given);
	length = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (length < 0)
		return NULL;
	self[length] = '\0';
	slash = strrchr(self, '/');
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		if (asprintf(&path, "%.*s/%s", (int)(slash - self), self, places[i]) < 0)
			return NULL;
		if (!access(path, R_OK))
			return path;
		free(path);
	}
	return NULL;
}

/* Takes an option that the plugin gets as it is; false: it is none of those. */
static bool pass_on(struct request *r, int option)
{
	static const struct {
		int option;
		const char *name;
	} same[] = {
		{ 'm', "mode" }, { 'n', "sample" }, { DATA, "data" }, { TEXT, "text" },
		{ LINE, "line" }, { LINES, "lines" }, { FRAMES, "frames" }, { CPUS, "cpus" },
		{ LIMIT, "limit" }, { 'u', "user" }, { 's', "scopes" }, { 'S', "stacks" },
		{ 'p', "paused" },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(same); i++)
		if (same[i].option == option) {
			add_argument(r, same[i].name, optarg ?: "on");
			return true;
		}
	return false;
}

/* Returns an exit status, or -1 to go on. */
static int parse_options(int argc, char **argv, struct request *r)
{
	int option;
	char *end;

	while ((option = getopt_long(argc, argv, "+o:m:usSpn:f:k:K:h", options, NULL)) != -1) {
		switch (option) {
		case 'o':
			r->output = optarg;
			break;
		case 'f':
			r->functions[r->nr_functions++] = optarg;
			break;
		case 'k':
			r->vmlinux = optarg;
			break;
		case 'K':
			r->kallsyms = optarg;
			break;
		case SLIDE:
			r->slide = strtoull(optarg, &end, 16);
			if (*optarg && !*end)
				break;
			fprintf(stderr, "memorizer qemu: --slide %s: want a hexadecimal number\n",
				optarg);
			return usage_error("qemu");
		case PLUGIN:
			r->plugin = optarg;
			break;
		case 'h':
			print_usage(&command_qemu);
			return EXIT_FINE;
		default:
			if (!pass_on(r, option))
				return usage_error("qemu");
		}
	}
	if (optind == argc) {
		fprintf(stderr, "memorizer qemu: nothing to run\n");
		return usage_error("qemu");
	}
	return -1;
}

/* Becomes QEMU, with the plugin before its other arguments. */
static int become(char **command, int nr, const char *plugin, const struct request *r)
{
	char **argv = xreallocarray(NULL, nr + 3, sizeof(*argv));
	char *spec;

	if (asprintf(&spec, "%s%s", plugin, r->arguments) < 0)
		return EXIT_UNABLE;
	argv[0] = command[0];
	argv[1] = (char *)"-plugin";
	argv[2] = spec;
	memcpy(&argv[3], &command[1], nr * sizeof(*argv));
	execvp(argv[0], argv);
	fprintf(stderr, "memorizer qemu: %s: %s\n", argv[0], strerror(errno));
	free(spec);
	free(argv);
	return EXIT_UNABLE;
}

static int run(int argc, char **argv)
{
	struct request r = { .output = "memorizer-trace" };
	int status;
	char *plugin;

	r.functions = xreallocarray(NULL, argc, sizeof(*r.functions));
	status = parse_options(argc, argv, &r);
	if (status >= 0)
		goto out;
	status = EXIT_UNABLE;
	plugin = find_plugin(r.plugin);
	if (!plugin)
		fprintf(stderr, "memorizer qemu: no memorizer-qemu.so, give --plugin FILE\n");
	add_argument(&r, "out", r.output);
	if (plugin && add_functions(&r))
		status = become(argv + optind, argc - optind, plugin, &r);
	free(plugin);
out:
	free(r.functions);
	free(r.arguments);
	return status;
}

const struct command command_qemu = {
	.name = "qemu",
	.summary = "run QEMU and trace all accesses of the guest",
	.usage = usage,
	.run = run,
};
