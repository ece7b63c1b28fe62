// SPDX-License-Identifier: GPL-2.0
/*
 * Whether a recording gets what was asked for. A filter that nothing matches is no error of the
 * kernel's, and what matches may come later, with a module. So there is a warning when the
 * recording begins, and it fails if nothing came until it ended.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/yield.h"

#define LOG	"memorizer_log_access"

/**
 * yield_now - read what the kernel has counted so far
 * @c: the kernel's files
 *
 * Return: the counts; of a kernel that does not count that, @known is false.
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

/* Whether the filter has a term of one of these kinds that chooses. */
static bool has_term(const struct kernel_filter *n, const char *const *kinds)
{
	const char *term;

	for (; *kinds; kinds++)
		for (term = n->terms; term && *term; term = strchr(term, '\n') + 1)
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
	static const char *const kinds[] = { "cache:", "alloc:", NULL };

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
 * yield_warn - warn that no accesses can come, when a recording has begun
 * @what: what is recorded
 * @c: the kernel's files
 */
void yield_warn(const struct recording *what, const struct control *c)
{
	u64 sites;

	if (!wants_accesses(what) || !control_stat(c, "sites_patched", &sites))
		return;
	if (!is_logging(c))
		fprintf(stderr,
			"memorizer: %s/" LOG ": off: no accesses come: want echo 1 there, or --function, --module or --file\n",
			c->path);
	else if (!sites)
		fprintf(stderr,
			"memorizer: %s/memorizer_filter: no code of the kernel matches: no accesses come until a module does\n",
			c->path);
}

/* Complains that no accesses came. */
static void tell_no_accesses(const struct recording *what, const struct control *c,
			     u64 left_out, const char *trace)
{
	fprintf(stderr, "memorizer: %s: it has no accesses: ", trace);
	if (left_out)
		fprintf(stderr, "all %llu were by other tasks: want another --pid or --cgroup\n",
			left_out);
	else if (chooses_code(what))
		fprintf(stderr,
			"no code ran that matches: want another --function, --module or --file\n");
	else
		fprintf(stderr, "want %s/" LOG " on\n", c->path);
}

/**
 * yield_check - complain about what was asked for and did not come
 * @what: what was recorded
 * @c: the kernel's files
 * @before: what the kernel had counted before
 * @trace: name of the trace
 *
 * Return: whether some came of all that was asked for; if not there was a message.
 */
bool yield_check(const struct recording *what, const struct control *c,
		 const struct yield *before, const char *trace)
{
	struct yield now = yield_now(c);
	bool accesses, objects;

	if (!before->known || !now.known)
		return true;
	accesses = !wants_accesses(what) || now.accesses != before->accesses;
	objects = !chooses_objects(what) || now.objects != before->objects;
	if (!accesses)
		tell_no_accesses(what, c, now.left_out - before->left_out, trace);
	if (!objects)
		fprintf(stderr,
			"memorizer: %s: it has no objects: none of %llu matches: want another --cache or --alloc\n",
			trace, now.objects_left_out - before->objects_left_out);
	return accesses && objects;
}
