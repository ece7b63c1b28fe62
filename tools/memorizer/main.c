// SPDX-License-Identifier: GPL-2.0
/* The memorizer command: runs the subcommand in its first argument, or shows its manual page. */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <subcmd/pager.h>

#include "builtin.h"
#include "lib/progress.h"
#include "options.h"
#include "report/term.h"

#define PAGER	"MEMORIZER_PAGER"

static const struct command * const commands[] = {
	&command_record,
	&command_top,
	&command_report,
	&command_symbolize,
	&command_check,
	&command_kmap,
	&command_diff,
	&command_qemu,
	&command_script,
	&command_fold,
	&command_timeline,
	&command_sharing,
	&command_false_sharing,
	&command_per_entry,
	&command_serial,
	&command_cache_assoc,
	&command_stacks,
	&command_summary,
	&command_html,
	&command_types,
	&command_layout,
	&command_who,
	&command_what,
	&command_conflicts,
	&command_rcu,
	&command_privilege,
	&command_export,
	&command_calls,
};

static const struct command *find_command(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(commands[i]->name, name))
			return commands[i];
	fprintf(stderr, "memorizer: no command '%s'\n", name);
	return NULL;
}

/* Execute man for the page that was installed or built with this program; return on failure. */
static void show_page(const char *name)
{
	static const char * const places[] = {
		"../share/man/man1/memorizer-%s.1", "../share/man/man1/memorizer-%s.1.gz",
		"Documentation/memorizer-%s.1",
	};
	char page[PATH_MAX];
	ssize_t length = readlink("/proc/self/exe", page, sizeof(page) - 1);
	size_t i, directory;

	if (length < 0) {
		fprintf(stderr, "memorizer: /proc/self/exe: %s\n", strerror(errno));
		return;
	}
	page[length] = '\0';
	directory = strrchr(page, '/') + 1 - page;
	for (i = 0; i < ARRAY_SIZE(places); i++) {
		snprintf(page + directory, sizeof(page) - directory, places[i], name);
		if (access(page, R_OK))
			continue;
		execlp("man", "man", "-l", page, NULL);
		fprintf(stderr, "memorizer: man: %s; this is the usage\n", strerror(errno));
		return;
	}
	fprintf(stderr, "memorizer: no manual page memorizer-%s.1 near %.*s; this is the usage\n",
		name, (int)directory, page);
}

static int help(const char *name)
{
	const struct command *c;
	size_t i;

	if (name) {
		c = find_command(name);
		if (!c)
			return usage_error(NULL);
		/* Does not return if there is a page and man. */
		show_page(c->name);
		return c->run(2, (char *[]){ (char *)c->name, (char *)"--help", NULL });
	}
	/* list_commands() of libsubcmd prints no summaries. */
	printf("memorizer - analyse Memorizer's kernel memory access patterns\n\n"
	       "Usage: memorizer [--no-pager] [--color=WHEN] COMMAND [OPTION...] [KMAP|DIR]\n\n");
	for (i = 0; i < ARRAY_SIZE(commands); i++)
		printf("  %-12s %s\n", commands[i]->name, commands[i]->summary);
	printf("  %-12s %s\n", "help", "print this, or show the manual page of a COMMAND");
	printf("  %-12s %s\n", "--version", "print the version");
	printf("  %-12s %s\n", "--no-pager", "print to the terminal itself");
	printf("  %-12s %s\n", "--color=WHEN", "auto: on a terminal (default), always or never");
	return EXIT_FINE;
}

/*
 * Take an option before the command; return false if it is none. By hand, as in perf: libsubcmd
 * would report an unknown option where the user is missing a command.
 */
static bool take_option(const char *option)
{
	static const char color[] = "--color=";

	if (!strcmp(option, "--no-pager")) {
		setenv(PAGER, "cat", true);
		return true;
	}
	return !strncmp(option, color, strlen(color)) && term_set_color(option + strlen(color));
}

static int run(int argc, char **argv)
{
	const struct command *c;
	char *name;
	int status;

	pager_init(PAGER);
	while (argc > 1 && take_option(argv[1])) {
		argc--;
		argv++;
	}
	if (argc < 2) {
		fprintf(stderr, "memorizer: no command\n");
		return usage_error(NULL);
	}
	if (!strcmp(argv[1], "help") || !strcmp(argv[1], "--help") || !strcmp(argv[1], "-h"))
		return help(argc > 2 ? argv[2] : NULL);
	if (!strcmp(argv[1], "--version")) {
		printf("memorizer %s\n", VERSION);
		return EXIT_FINE;
	}
	c = find_command(argv[1]);
	if (!c)
		return usage_error(NULL);
	if (asprintf(&name, "memorizer %s", c->name) < 0)
		return EXIT_UNABLE;
	argv[1] = name;
	progress_init();
	status = c->run(argc - 1, argv + 1);
	free(name);
	return status;
}

int main(int argc, char **argv)
{
	return close_output(run(argc, argv));
}
