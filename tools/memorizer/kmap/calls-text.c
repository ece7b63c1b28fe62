// SPDX-License-Identifier: GPL-2.0
/* Parser of calls. Reports malformed lines, and continues. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kmap/calls-text.h"
#include "lib/lines.h"
#include "lib/source.h"
#include "lib/status.h"

#define MESSAGES	20	/* malformed lines that are reported individually */

/* Take a number and the byte after it. Returns false if it is malformed, or above @most. */
static bool take(const char **at, unsigned int base, char after, u64 most, u64 *number)
{
	static const char digits[] = "0123456789abcdef";
	const char *begin = *at, *digit;

	for (*number = 0; **at != after; ++*at) {
		digit = memchr(digits, **at, base);
		if (!digit || *number > (most - (digit - digits)) / base)
			return false;
		*number = *number * base + (digit - digits);
	}
	return (*at)++ > begin;
}

/* Take a line, whose end is a newline. Returns false if it is malformed. */
static bool take_line(const char *line, calls_visit *visit, void *data)
{
	u64 from, to, pid, calls;

	return take(&line, 16, ',', U64_MAX, &from) && take(&line, 16, ',', U64_MAX, &to) &&
	       take(&line, 10, ',', U32_MAX - 1, &pid) && take(&line, 10, '\n', U64_MAX, &calls) &&
	       visit(data, from, to, pid, calls);
}

/**
 * calls_read - read calls
 * @path: the file; "-": standard input
 * @visit: called for each row
 * @data: its argument
 *
 * Return: the exit status, after messages: EXIT_MALFORMED if lines were skipped.
 */
int calls_read(const char *path, calls_visit *visit, void *data)
{
	const char *name = strcmp(path, "-") ? path : "<stdin>";
	enum lines_status status;
	char error[ERROR_MAX];
	struct lines in;
	u64 malformed = 0;
	int fd = source_fd(path, error);

	if (fd < 0) {
		fprintf(stderr, "memorizer: %s\n", error);
		return EXIT_UNABLE;
	}
	lines_init(&in, fd);
	while ((status = lines_next(&in)) != LINES_END && status != LINES_FAILED) {
		if (status == LINES_WHOLE && take_line(in.line, visit, data))
			continue;
		if (malformed++ < MESSAGES)
			fprintf(stderr, "%s:%llu: malformed: want from_ip,to_ip,pid,count\n",
				name, in.nr);
	}
	if (status == LINES_FAILED)
		fprintf(stderr, "memorizer: %s: %s\n", name, strerror(errno));
	lines_free(&in);
	close(fd);
	if (status == LINES_FAILED)
		return EXIT_UNABLE;
	if (malformed)
		fprintf(stderr, "memorizer: %s: skipped %llu malformed lines\n", name, malformed);
	return malformed ? EXIT_MALFORMED : EXIT_FINE;
}
