// SPDX-License-Identifier: GPL-2.0
/* Input of commands that read a KMAP: opens it, and reports its malformed lines. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kmap/input.h"
#include "lib/progress.h"
#include "lib/source.h"
#include "lib/status.h"

#define MESSAGES	20	/* malformed lines that are reported individually */

/**
 * input_is_trace - distinguish a trace from a KMAP
 * @path: argument of a command
 *
 * Return: true if it is a trace.
 */
bool input_is_trace(const char *path)
{
	return source_is_trace(path);
}

/**
 * input_name - get the name of the input of a command that reads one
 * @argc: number of arguments, without options
 * @argv: the arguments: a trace, a KMAP, or several traces to join
 *
 * Return: the name; NULL if there is no argument, or one of several is not a trace.
 */
const char *input_name(int argc, char **argv)
{
	return argc == 1 ? argv[0] : argc ? source_join(argv, argc) : NULL;
}

/**
 * input_open - open the KMAP named on the command line
 * @in: the input
 * @argc: number of arguments, without options
 * @argv: the arguments: a file, or "-" or none for standard input
 *
 * Return: true on success; false after an error message.
 */
bool input_open(struct input *in, int argc, char **argv)
{
	const char *path = argc ? argv[0] : "-";
	char error[ERROR_MAX];
	struct stat st;

	if (argc > 1) {
		fprintf(stderr,
			"memorizer: %d input files: expected one, or - for standard input\n", argc);
		return false;
	}
	in->name = strcmp(path, "-") ? path : "<stdin>";
	in->fd = source_fd(path, error);
	if (in->fd < 0) {
		fprintf(stderr, "memorizer: %s\n", error);
		return false;
	}
	kmap_reader_init(&in->reader, in->fd);
	/* A pipe has size 0, which is an unknown amount. */
	progress_begin(in->name, fstat(in->fd, &st) ? 0 : st.st_size);
	return true;
}

/**
 * input_next - read the next object, stack or access, reporting malformed lines before it
 * @in: the input
 *
 * Return: KMAP_OBJECT, KMAP_FRAMES, KMAP_ACCESS, KMAP_END or KMAP_FAILED.
 */
enum kmap_event input_next(struct input *in)
{
	enum kmap_event event;

	while ((event = kmap_reader_next(&in->reader)) == KMAP_MALFORMED) {
		/* Erase the progress bar: it does not come back between messages. */
		if (in->reader.malformed == 1)
			progress_end();
		/* A file of another format would print a message per line. */
		if (in->reader.malformed <= MESSAGES)
			fprintf(stderr, "%s:%llu: %s\n", in->name, in->reader.lines.nr,
				in->reader.error);
		else if (in->reader.malformed == MESSAGES + 1)
			fprintf(stderr, "%s:%llu: malformed, too; 'memorizer check' lists all\n",
				in->name, in->reader.lines.nr);
	}
	if (event == KMAP_END || event == KMAP_FAILED)
		progress_end();
	if (event == KMAP_FAILED)
		fprintf(stderr, "memorizer: %s: %s\n", in->name, strerror(errno));
	return event;
}

/**
 * input_close - close the KMAP
 * @in: the input
 * @last: last return value of input_next()
 *
 * Return: exit status for the command.
 */
int input_close(struct input *in, enum kmap_event last)
{
	struct kmap_reader *r = &in->reader;

	if (r->malformed)
		fprintf(stderr,
			"memorizer: %s: skipped %llu malformed lines and %llu lines of malformed objects\n",
			in->name, r->malformed, r->orphans);
	kmap_reader_free(r);
	close(in->fd);
	if (last == KMAP_FAILED)
		return EXIT_UNABLE;
	return r->malformed ? EXIT_MALFORMED : EXIT_FINE;
}

/**
 * input_unresolved - warn about addresses without symbol, although symbols were given
 * @missing: number of addresses without symbol
 * @all: number of addresses
 * @kallsyms: the symbols are from kallsyms, which includes the offset of KASLR
 */
void input_unresolved(u32 missing, u32 all, bool kallsyms)
{
	if (!missing)
		return;
	fprintf(stderr,
		"memorizer: %u of %u addresses have no symbol: use --kallsyms of the traced boot%s\n",
		missing, all, kallsyms ? "" : ", which covers KASLR and modules");
}
