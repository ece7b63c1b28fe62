// SPDX-License-Identifier: GPL-2.0
/* Reads contexts, and names them. Reports malformed lines, and continues. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kmap/kmap.h"
#include "lib/error.h"
#include "lib/source.h"
#include "lib/status.h"
#include "report/contexts.h"
#include "trace/entries.h"
#include "trace/names.h"
#include "trace/trace.h"

#define FIELDS		5
#define KTHREAD		(TRACE_NMI + 1)	/* an entry that traces do not have */
#define MESSAGES	20	/* malformed lines that are reported individually */
#define I386		32768	/* added to numbers of the i386 table of system calls */
#define VALUE_MAX	20	/* displayed bytes of a malformed field */

static const char * const entries[] = {
	[0] = "none", [TRACE_SYSCALL] = "syscall", [TRACE_INTERRUPT] = "interrupt",
	[TRACE_EXCEPTION] = "exception", [TRACE_SOFTIRQ] = "softirq", [KTHREAD] = "kthread",
};

struct distinct {
	u64 uid, gid, entry, entry_number;
	u64 first;
};

/* A field of a line. */
struct value {
	const char *text;
	size_t len;
};

/* Set the reason why a line is malformed. Returns false. */
static bool refuse(char error[ERROR_MAX], const char *name, const struct value *v, const char *want)
{
	char raw[VALUE_MAX + 1], text[4 * VALUE_MAX + 1];

	snprintf(raw, sizeof(raw), "%.*s", (int)v->len, v->text);
	names_escape(text, raw);
	return set_error(error, "%s '%s': want %s", name, text, want);
}

static bool take_number(const char *name, const struct value *v, u64 least, u64 most, u64 *number,
			char error[ERROR_MAX])
{
	char want[64];
	size_t i;

	*number = 0;
	for (i = 0; i < v->len && v->text[i] >= '0' && v->text[i] <= '9' && *number <= most; i++)
		*number = 10 * *number + (v->text[i] - '0');
	if (v->len && i == v->len && *number >= least && *number <= most)
		return true;
	snprintf(want, sizeof(want), "a number from %llu to %llu", least, most);
	return refuse(error, name, v, want);
}

static bool take_entry(const struct value *v, u64 *entry, char error[ERROR_MAX])
{
	for (*entry = 0; *entry < ARRAY_SIZE(entries); ++*entry)
		if (entries[*entry] && strlen(entries[*entry]) == v->len &&
		    !memcmp(entries[*entry], v->text, v->len))
			return true;
	return refuse(error, "entry", v, "syscall, interrupt, exception, softirq, kthread or none");
}

/* Split a line. Returns false if it has another number of fields. */
static bool split(const char *line, size_t len, struct value v[FIELDS])
{
	const char *comma, *end = line + len;
	u32 nr;

	for (nr = 0; nr < FIELDS - 1; nr++) {
		comma = memchr(line, ',', end - line);
		if (!comma)
			return false;
		v[nr] = (struct value){ line, comma - line };
		line = comma + 1;
	}
	v[nr] = (struct value){ line, end - line };
	return !memchr(line, ',', end - line);
}

static bool parse(const char *line, size_t len, struct count_context *to, char error[ERROR_MAX])
{
	struct value v[FIELDS];

	if (!split(line, len, v))
		return set_error(error, "malformed: want number,uid,gid,entry,entry_number");
	return take_number("number", v, CONTEXT_OTHERS + 1, KMAP_PID_MAX, &to->number, error) &&
	       take_number("uid", v + 1, 0, U32_MAX, &to->uid, error) &&
	       take_number("gid", v + 2, 0, U32_MAX, &to->gid, error) &&
	       take_entry(v + 3, &to->entry, error) &&
	       take_number("entry_number", v + 4, 0, U32_MAX, &to->entry_number, error);
}

static bool add(struct contexts *c, const struct count_context *context, char error[ERROR_MAX])
{
	struct distinct key = {
		context->uid, context->gid, context->entry, context->entry_number, 0,
	}, *distinct;
	struct count_context *to;
	bool new;

	to = hash_item(&c->all, hash_get(&c->all, &context->number, &new));
	if (!new)
		return set_error(error, "number %llu: line %llu has it, too: want it once",
				 context->number, to->line);
	*to = *context;
	distinct = hash_item(&c->distinct, hash_get(&c->distinct, &key, &new));
	if (new)
		distinct->first = context->number;
	to->first = distinct->first;
	c->uids |= context->uid;
	c->gids |= context->gid;
	return true;
}

static bool take_line(struct contexts *c, const struct lines *in, enum lines_status status,
		      char error[ERROR_MAX])
{
	struct count_context context = { .line = in->nr };

	if (status == LINES_LONG)
		return set_error(error, "more than %d bytes: want number,uid,gid,entry,entry_number",
				 LINES_LENGTH_MAX);
	if (status == LINES_CUT)
		return set_error(error, "the end of the line is missing: want a complete file");
	return parse(in->line, in->len, &context, error) && add(c, &context, error);
}

static int read_lines(struct contexts *c, const char *path, int fd)
{
	enum lines_status status;
	char error[ERROR_MAX];
	u64 malformed = 0;
	struct lines in;

	lines_init(&in, fd);
	while ((status = lines_next(&in)) != LINES_END && status != LINES_FAILED)
		if (!take_line(c, &in, status, error) && malformed++ < MESSAGES)
			fprintf(stderr, "%s:%llu: %s\n", path, in.nr, error);
	if (status == LINES_FAILED)
		fprintf(stderr, "memorizer: %s: %s\n", path, strerror(errno));
	lines_free(&in);
	if (status == LINES_FAILED)
		return EXIT_UNABLE;
	if (malformed)
		fprintf(stderr, "memorizer: %s: skipped %llu malformed lines\n", path, malformed);
	return malformed ? EXIT_MALFORMED : EXIT_FINE;
}

/*
 * The file with the contexts of an input: that of a trace, or the one that has "contexts" in place
 * of "kmap" or "calls" and what follows in the input's name. NULL if the name has neither.
 */
static char *beside(const char *input)
{
	const char *base, *at;
	char *path;

	if (source_is_trace(input)) {
		if (asprintf(&path, "%s/kernel/contexts", input) < 0)
			abort();
		return path;
	}
	base = strrchr(input, '/');
	base = base ? base + 1 : input;
	at = strstr(base, "kmap") ?: strstr(base, "calls");
	if (!at)
		return NULL;
	if (asprintf(&path, "%.*scontexts", (int)(at - input), input) < 0)
		abort();
	return path;
}

/**
 * contexts_open - read the contexts of an input
 * @c: set to the contexts
 * @path: their file; NULL: the one beside @input, if there is one
 * @input: the KMAP, calls or trace
 *
 * Return: the exit status, after messages: EXIT_MALFORMED if lines were skipped.
 */
int contexts_open(struct contexts *c, const char *path, const char *input)
{
	char *own = path ? NULL : beside(input), error[ERROR_MAX];
	const char *name = path ?: own;
	int fd = -1, status = EXIT_FINE;

	*c = (struct contexts){ .uids = false };
	hash_init(&c->all, sizeof(struct count_context), sizeof(u64));
	hash_init(&c->distinct, sizeof(struct distinct), offsetof(struct distinct, first));
	if (name)
		fd = source_fd(name, error);
	if (fd >= 0) {
		status = read_lines(c, name, fd);
		close(fd);
	} else if (path) {
		fprintf(stderr, "memorizer: %s\n", error);
		status = EXIT_UNABLE;
	}
	free(own);
	return status;
}

/**
 * contexts_free - free contexts
 * @c: the contexts, after contexts_open()
 */
void contexts_free(struct contexts *c)
{
	hash_free(&c->all);
	hash_free(&c->distinct);
}

/**
 * contexts_find - look up a context
 * @c: the contexts
 * @number: its number
 *
 * Return: the context; NULL if it is unknown.
 */
const struct count_context *contexts_find(const struct contexts *c, u64 number)
{
	u32 i;

	return hash_find(&c->all, &number, &i) ? hash_item(&c->all, i) : NULL;
}

/**
 * contexts_entry - name a kernel entry
 * @context: the context
 * @text: room for the name
 *
 * Return: the name of the system call, interrupt and so on; NULL if the context has no entry.
 */
const char *contexts_entry(const struct count_context *context, char text[CONTEXT_NAME_MAX])
{
	u32 number = context->entry_number;

	if (!context->entry)
		return NULL;
	if (context->entry == KTHREAD)
		snprintf(text, CONTEXT_NAME_MAX, "%s", entries[KTHREAD]);
	else if (context->entry == TRACE_SYSCALL && number >= I386)
		snprintf(text, CONTEXT_NAME_MAX, "syscall i386 %u", number - I386);
	else	/* Only x86-64 has contexts. */
		entry_name("x86_64", context->entry, number, text);
	return text;
}

/**
 * contexts_name - name a context
 * @c: the contexts
 * @number: its number, or a pid
 * @text: room for the name
 *
 * Return: the entry, user and group, as far as the contexts have them; NULL for a pid, and for a
 *	   context that is unknown.
 */
const char *contexts_name(const struct contexts *c, u64 number, char text[CONTEXT_NAME_MAX])
{
	const struct count_context *context;
	size_t len;

	if (number == CONTEXT_OTHERS) {
		snprintf(text, CONTEXT_NAME_MAX, "[other contexts]");
		return text;
	}
	context = contexts_is(number) ? contexts_find(c, number) : NULL;
	if (!context)
		return NULL;
	len = contexts_entry(context, text) ? strlen(text) : 0;
	if (c->uids)
		len += sprintf(text + len, "%suid %llu", len ? " " : "", context->uid);
	if (c->gids)
		len += sprintf(text + len, "%sgid %llu", len ? " " : "", context->gid);
	if (!len)
		snprintf(text, CONTEXT_NAME_MAX, "%s", entries[0]);
	return text;
}
