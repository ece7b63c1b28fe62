// SPDX-License-Identifier: GPL-2.0
/* memorizer kmap: the KMAP that a trace amounts to, as text. */
#include <getopt.h>
#include <stdio.h>

#include "builtin.h"
#include "rebuild.h"

static const char usage[] =
	"Usage: memorizer kmap [OPTION...] DIR\n"
	"\n"
	"Writes the KMAP of the trace in DIR: the objects that were retired, and those of the\n"
	"last complete snapshot. The order of the objects is not that of the kernel's file.\n"
	"\n"
	"  -h, --help           print this\n";

static const struct option options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

static void write_object(void *data, const struct kmap_object *o,
			 const struct kmap_access *counts, u32 nr)
{
	u32 i;

	(void)data;
	printf("%llx,%llu,%llx,%llu,%llu,%llu,%llx,%s\n", o->alloc_ip, o->pid, o->addr, o->size,
	       o->alloc_jiffies, o->free_jiffies, o->free_ip, o->comm);
	for (i = 0; i < nr; i++)
		printf("  %llx,%llu,%llu,%llu\n", counts[i].ip, counts[i].pid, counts[i].writes,
		       counts[i].reads);
}

static int rebuild(const char *dir)
{
	char error[KMAP_ERROR_MAX];
	struct trace_event e;
	struct rebuild b;
	bool incomplete;
	struct trace *t;

	t = trace_open(dir, error);
	if (!t) {
		fprintf(stderr, "memorizer: %s\n", error);
		return EXIT_UNABLE;
	}
	rebuild_init(&b, write_object, NULL);
	while (trace_next(t, &e))
		rebuild_event(&b, &e);
	rebuild_end(&b);
	incomplete = trace_tell(t);
	incomplete |= rebuild_tell(&b, dir);
	trace_close(t);
	return incomplete ? EXIT_INCOMPLETE : EXIT_FINE;
}

static int run(int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			print_usage(&command_kmap);
			return EXIT_FINE;
		default:
			return usage_error("kmap");
		}
	}
	if (optind != argc - 1) {
		fprintf(stderr, "memorizer kmap: %d traces: want one directory\n", argc - optind);
		return usage_error("kmap");
	}
	return rebuild(argv[optind]);
}

const struct command command_kmap = {
	.name = "kmap",
	.summary = "write the KMAP that a trace amounts to",
	.usage = usage,
	.run = run,
};
