// SPDX-License-Identifier: GPL-2.0
/* memorizer qemu: runs QEMU with the plugin that traces the guest. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"
#include "options.h"
#include "symbols/symbols.h"

static const char * const usage[] = {
	"memorizer qemu [OPTION...] -- QEMU [ARGUMENT...]",
	"",
	"Runs QEMU (qemu-system-x86_64 or qemu-x86_64, 7.2, without KVM) with a plugin that",
	"writes a trace of all accesses of the guest, whatever kernel it runs.",
	NULL
};

/**
 * struct request - the command line
 * @output: directory of the trace
 * @plugin: the plugin, NULL to search for it
 * @vmlinux: ELF file with the functions, or NULL
 * @kallsyms: copy of /proc/kallsyms with the functions, or NULL
 * @slide: offset added to the addresses of functions
 * @functions: names of functions, NULL-terminated
 * @nr_functions: number of functions
 * @arguments: arguments of the plugin, each after a comma
 */
struct request {
	const char *output, *plugin, *vmlinux, *kallsyms;
	u64 slide;
	const char **functions;
	u32 nr_functions;
	char *arguments;
};

/* Append an argument for the plugin; QEMU unescapes two commas to one. */
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

/* Add a filter for each named function; returns false after a message if one is unknown. */
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
			/* Go on: several functions may have this name. */
			add_argument(r, "text", range);
			found = i + 1;
		}
	}
	if (found < r->nr_functions)
		fprintf(stderr, "memorizer qemu: there is no function %s\n", r->functions[found]);
	kmap_symbols_free(s);
	return found == r->nr_functions;
}

/* Find the plugin beside this program, or where make install puts it. */
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

/* Pass an option to the plugin as it is. */
static int option_pass(const struct option *o, const char *arg, int unset)
{
	(void)unset;
	add_argument(o->value, o->long_name, arg ?: "on");
	return 0;
}

static int option_function(const struct option *o, const char *arg, int unset)
{
	struct request *r = o->value;

	(void)unset;
	r->functions[r->nr_functions++] = arg;
	return 0;
}

static int option_slide(const struct option *o, const char *arg, int unset)
{
	struct request *r = o->value;
	char *end;

	(void)unset;
	r->slide = strtoull(arg, &end, 16);
	return *arg && !*end ? 0 : option_refuse(o, arg, "a hexadecimal number");
}

#define OPT_PASS(s, l, a, h)	OPT_TAKE(s, l, &r, a, h, option_pass)
#define OPT_PASS_ON(s, l, h) \
	{ .type = OPTION_CALLBACK, .short_name = (s), .long_name = (l), .value = &r, .help = (h), \
	  .flags = PARSE_OPT_NOARG | PARSE_OPT_NONEG, .callback = option_pass }

/* Execute QEMU with the plugin before its other arguments. */
static int become(char **command, int nr, const char *plugin, const struct request *r)
{
	char **argv = xreallocarray(NULL, nr + 3, sizeof(*argv));
	char *spec;

	if (asprintf(&spec, "%s%s", plugin, r->arguments) < 0)
		return EXIT_UNABLE;
	argv[0] = command[0];
	argv[1] = (char *)"-plugin";
	argv[2] = spec;
	/* With the NULL at the end. */
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
	const struct option options[] = {
		OPT_STRING('o', "output", &r.output, "DIR",
			   "directory without a trace, to write to (default: memorizer-trace)"),
		OPT_PASS('m', "mode", "MODE",
			 "all accesses, traffic (those that move a cache line), or objects"),
		OPT_PASS_ON('u', "user", "trace accesses of user space, too"),
		OPT_PASS_ON('s', "scopes", "trace only within scopes that user space marks"),
		OPT_PASS_ON('S', "stacks", "record the calls that led to each access"),
		OPT_PASS_ON('p', "paused", "start when user space asks for it"),
		OPT_PASS('n', "sample", "N", "one event in N of each CPU"),
		OPT_TAKE('f', "function", &r, "NAME",
			 "accesses by this function; can be repeated", option_function),
		OPT_STRING('k', "vmlinux", &r.vmlinux, "FILE", "ELF file with these functions"),
		OPT_STRING('K', "kallsyms", &r.kallsyms, "FILE",
			   "copy of /proc/kallsyms of a boot without KASLR, with these functions"),
		OPT_TAKE(0, "slide", &r, "HEX", "offset of KASLR, added to these addresses",
			 option_slide),
		OPT_PASS(0, "data", "FIRST-LAST", "accesses to these addresses; can be repeated"),
		OPT_PASS(0, "text", "FIRST-LAST",
			 "accesses by these instructions; can be repeated"),
		OPT_PASS(0, "line", "BYTES", "size of a cache line (default: 64)"),
		OPT_PASS(0, "lines", "N", "number of lines to allocate (default: 16777216)"),
		OPT_PASS(0, "frames", "N",
			 "number of different call stacks to allocate (default: 1048576)"),
		OPT_PASS(0, "cpus", "N",
			 "number of vCPUs if QEMU does not set it: threads (default: 64)"),
		OPT_PASS(0, "limit", "BYTES", "maximum size of the file of a CPU"),
		OPT_STRING(0, "plugin", &r.plugin, "FILE",
			   "the plugin (default: as installed or built)"),
		OPT_HELP(),
		OPT_END()
	};
	int status = EXIT_UNABLE;
	char *plugin;

	/* At most one per argument. */
	r.functions = xreallocarray(NULL, argc, sizeof(*r.functions));
	argc = options_parse(&command_qemu, argc, argv, options, PARSE_OPT_STOP_AT_NON_OPTION);
	if (!argc) {
		fprintf(stderr, "memorizer qemu: nothing to run\n");
		status = usage_error("qemu");
		goto out;
	}
	plugin = find_plugin(r.plugin);
	if (!plugin)
		fprintf(stderr, "memorizer qemu: no memorizer-qemu.so, give --plugin FILE\n");
	add_argument(&r, "out", r.output);
	if (plugin && add_functions(&r))
		status = become(argv, argc, plugin, &r);
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
