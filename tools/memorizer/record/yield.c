// SPDX-License-Identifier: GPL-2.0
/*
 * Checks whether a recording gets the events it was asked for. A filter without a match is
 * valid, because a module that is loaded later may match. So the start of a recording only
 * warns, and its end fails if there were no events.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/yield.h"

#define LOG	"memorizer_log_access"

/**
 * yield_now - read the kernel's counts
 * @c: the kernel's files
 *
 * Return: the counts; @known is false if the kernel does not report them.
 */
struct yield yield_now(const struct control *c)
{
	u64 attributed, cleared, retired, unattributed;
	struct yield y = { 0 };

	y.known = control_stat(c, "accesses_attributed", &attributed) &&
		  control_stat(c, "accesses_cleared", &cleared) &&
		  control_stat(c, "accesses_retired", &retired) &&
		  control_stat(c, "accesses_unattributed", &unattributed) &&
		  control_stat(c, "accesses_left_out", &y.left_out) &&
		  control_stat(c, "allocations", &y.objects) &&
		  control_stat(c, "allocations_left_out", &y.objects_left_out);
	if (y.known)
		y.accesses = attributed + cleared + retired + unattributed;
	return y;
}

/* Check for positive terms of one of @kinds. */
static bool has_term(const struct kernel_filter *f, const char *const *kinds)
{
	const char *term;

	for (; *kinds; kinds++)
		for (term = f->lines[FILTER_TERMS]; term && *term; term = strchr(term, '\n') + 1)
			if (!strncmp(term, *kinds, strlen(*kinds)))
				return true;
	return false;
}

static bool chooses_code(const struct recording *what)
{
	static const char *const kinds[] = { "function:", "module:", "file:", NULL };

	return has_term(&what->filter, kinds);
}

static bool chooses_objects(const struct recording *what)
{
	static const char *const kinds[] = { "kind:", "cache:", "alloc:", NULL };

	return has_term(&what->filter, kinds);
}

static bool wants_accesses(const struct recording *what)
{
	return what->on[STREAM_ACCESSES] || what->on[STREAM_TRAFFIC] || chooses_code(what);
}

static bool is_logging(const struct control *c)
{
	char *text = control_read(c, LOG);
	bool logging = text && *text == '1';

	free(text);
	return logging;
}

/**
 * yield_warn - warn at the start of a recording that will have no accesses
 * @what: the recording
 * @c: the kernel's files
 */
void yield_warn(const struct recording *what, const struct control *c)
{
	u64 sites;

	if (!wants_accesses(what) || !control_stat(c, "sites_patched", &sites))
		return;
	if (!is_logging(c))
		fprintf(stderr,
			"memorizer: %s/" LOG ": off, there will be no accesses: want 1, or --function, --module or --file\n",
			c->path);
	else if (!sites)
		fprintf(stderr,
			"memorizer: %s/memorizer_filter: no kernel code matches: no accesses until a module does\n",
			c->path);
}

static void print_no_accesses(const struct recording *what, const struct control *c,
			      u64 left_out, const char *trace)
{
	fprintf(stderr, "memorizer: %s: no accesses: ", trace);
	if (left_out)
		fprintf(stderr, "all %llu were by other tasks: want another --pid or --cgroup\n",
			left_out);
	else if (chooses_code(what))
		fprintf(stderr,
			"no matching code ran: want another --function, --module or --file\n");
	else
		fprintf(stderr, "want %s/" LOG " on\n", c->path);
}

/**
 * yield_check - check at the end of a recording that it got accesses and objects
 * @what: the recording
 * @c: the kernel's files
 * @before: counts at the start
 * @trace: name of the trace
 *
 * Return: true if it got what it asked for, false after a message.
 */
bool yield_check(const struct recording *what, const struct control *c,
		 const struct yield *before, const char *trace)
{
	struct yield now = yield_now(c);
	bool accesses, objects;

	/* Older kernels do not report the counts: assume the best. */
	if (!before->known || !now.known)
		return true;
	accesses = !wants_accesses(what) || now.accesses != before->accesses;
	objects = !chooses_objects(what) || now.objects != before->objects;
	if (!accesses)
		print_no_accesses(what, c, now.left_out - before->left_out, trace);
	if (!objects)
		fprintf(stderr,
			"memorizer: %s: no objects: none of %llu matches: want another --cache or --alloc\n",
			trace, now.objects_left_out - before->objects_left_out);
	return accesses && objects;
}
