// SPDX-License-Identifier: GPL-2.0
/* Options of the commands: libsubcmd with the exit statuses and the help of memorizer. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "builtin.h"
#include "options.h"

#define SUBCMD_USAGE	129	/* libsubcmd's exit status after a usage */

static const struct command *command;
static const struct option *table;
static bool parsing;		/* libsubcmd may exit */
static FILE *errors;		/* standard error while --help is printed, else NULL */

/**
 * close_output - flush standard output
 * @status: an exit status
 *
 * Return: @status, or EXIT_UNABLE after a message if writing failed.
 */
int close_output(int status)
{
	if (!fflush(stdout) && !ferror(stdout))
		return status;
	fprintf(stderr, "memorizer: standard output: %s\n", strerror(errno));
	return EXIT_UNABLE;
}

/* Replace libsubcmd's exit status. Runs after its pager has ended. */
static void end(int status, void *unused)
{
	(void)unused;
	if (!parsing || status != SUBCMD_USAGE)
		return;
	if (errors)
		stderr = errors;
	/* The process is exiting: only _exit() can change the status. */
	_exit(close_output(errors ? EXIT_FINE : EXIT_UNABLE));
}

/**
 * options_parse - parse the options of a command
 * @c: the command
 * @argc: number of arguments
 * @argv: the arguments; set to the remaining ones without options
 * @options: the table
 * @flags: PARSE_OPT_STOP_AT_NON_OPTION if the arguments are a command with options of its own
 *
 * Exits after --help and on errors.
 *
 * Return: number of remaining arguments.
 */
int options_parse(const struct command *c, int argc, char **argv, const struct option *options,
		  int flags)
{
	/* Only once, as html runs several commands. */
	if (!command)
		on_exit(end, NULL);
	command = c;
	table = options;
	parsing = true;
	argc = parse_options(argc, (const char **)argv, options, c->usage,
			     flags | PARSE_OPT_NO_INTERNAL_HELP);
	parsing = false;
	return argc;
}

/**
 * option_help - print a command's help to standard output and exit
 * @o: --help
 * @arg: unused
 * @unset: unused
 *
 * Return: never.
 */
int option_help(const struct option *o, const char *arg, int unset)
{
	(void)o;
	(void)arg;
	(void)unset;
	printf("memorizer %s - %s\n", command->name, command->summary);
	errors = stderr;
	stderr = stdout;	/* libsubcmd prints every usage to stderr */
	usage_with_options(command->usage, table);
}

/**
 * option_refuse - report an option's argument and exit
 * @o: the option
 * @arg: its argument
 * @want: what would be right, a format
 *
 * Return: never.
 */
int option_refuse(const struct option *o, const char *arg, const char *want, ...)
{
	va_list args;

	fprintf(stderr, "memorizer %s: --%s %s: want ", command->name, o->long_name, arg);
	va_start(args, want);
	vfprintf(stderr, want, args);
	va_end(args);
	fputc('\n', stderr);
	exit(usage_error(command->name));
}

/**
 * option_number - take a number
 * @o: the option, see OPT_NUMBER()
 * @arg: its argument
 * @unset: unused
 *
 * Return: 0; exits if @arg is no number in the option's range.
 */
int option_number(const struct option *o, const char *arg, int unset)
{
	const u32 *range = o->data;
	unsigned long n;
	char *end;

	(void)unset;
	errno = 0;
	n = strtoul(arg, &end, 10);
	/* strtoul() would accept blanks and a sign. */
	if (errno || *arg < '0' || *arg > '9' || *end || n < range[0] || n > range[1])
		return option_refuse(o, arg, "a number from %u to %u", range[0], range[1]);
	*(u32 *)o->value = n;
	return 0;
}

/**
 * option_files - take a file for both inputs, or the second one for the second
 * @o: the option, see OPT_FILES()
 * @arg: its argument
 * @unset: unused
 *
 * Return: 0; exits if there are more than two.
 */
int option_files(const struct option *o, const char *arg, int unset)
{
	const char **files = o->value;
	int *given = o->data;

	(void)unset;
	if (*given == 2)
		return option_refuse(o, arg, "at most two of them");
	if (!(*given)++)
		files[0] = arg;
	files[1] = arg;
	return 0;
}

/**
 * usage_error - print which help to read
 * @name: the command that was called with wrong arguments, or NULL for memorizer itself
 *
 * Return: the exit status.
 */
int usage_error(const char *name)
{
	fprintf(stderr, "Try 'memorizer help%s%s'.\n", name ? " " : "", name ? name : "");
	return EXIT_UNABLE;
}
