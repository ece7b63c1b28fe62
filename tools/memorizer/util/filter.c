// SPDX-License-Identifier: GPL-2.0
/* Which allocations and other events of a trace count, as options say it. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "filter.h"
#include "trace.h"

static const char * const kinds[TRACE_KINDS] = {
	[TRACE_KMALLOC] = "kmalloc",
	[TRACE_KMEM_CACHE] = "cache",
	[TRACE_PAGES] = "pages",
};

/**
 * kmem_filter_init - let all count
 * @f: the filter
 */
void kmem_filter_init(struct kmem_filter *f)
{
	*f = (struct kmem_filter)KMEM_FILTER_ALL;
}

/**
 * kmem_filter_kind - let count what is of one of some kinds
 * @f: the filter
 * @text: kmalloc, cache or pages, or several of them with commas between
 *
 * Return: whether they are that; if not there was a message.
 */
bool kmem_filter_kind(struct kmem_filter *f, const char *text)
{
	const char *word = text;
	size_t len, i;

	for (f->kinds = 0; ; word += len + 1) {
		len = strcspn(word, ",");
		for (i = 0; i < TRACE_KINDS; i++)
			if (strlen(kinds[i]) == len && !strncmp(kinds[i], word, len))
				break;
		if (i == TRACE_KINDS) {
			fprintf(stderr,
				"memorizer report: --kind %s: want kmalloc, cache, pages or several of them with commas between\n",
				text);
			return false;
		}
		f->kinds |= 1u << i;
		if (!word[len])
			return true;
	}
}

/**
 * kmem_filter_kinds - write which kinds count
 * @f: the filter
 * @text: where to write them, as kmem_filter_kind() takes them
 *
 * Return: whether they are not all there are.
 */
bool kmem_filter_kinds(const struct kmem_filter *f, char text[KMEM_KINDS_TEXT])
{
	size_t i, len = 0;

	*text = '\0';
	for (i = 0; i < TRACE_KINDS; i++)
		if (f->kinds & 1u << i)
			len += sprintf(text + len, "%s%s", len ? "," : "", kinds[i]);
	return f->kinds != (1u << TRACE_KINDS) - 1;
}

/**
 * kmem_filter_matches - match a name as a report shows it
 * @pattern: the same name, or a pattern of glob(7) in which a backslash is nothing special,
 *	     as names have some; NULL matches everything
 * @name: the name, or NULL for one that is not known
 *
 * Return: whether they match.
 */
bool kmem_filter_matches(const char *pattern, const char *name)
{
	if (!pattern)
		return true;
	return name && (!strcmp(pattern, name) || !fnmatch(pattern, name, FNM_NOESCAPE));
}

/**
 * kmem_filter_code - match an instruction
 * @pattern: as of kmem_filter_matches()
 * @symbols: what knows the functions' names
 * @ip: its address
 * @kind: what that is
 *
 * Return: whether the pattern matches its address, its function, or how a report shows it, with
 * or without the function's size.
 */
bool kmem_filter_code(const char *pattern, const struct kmap_symbols *symbols, u64 ip,
		      enum kmap_ip kind)
{
	const struct kmap_symbol *symbol = kmap_symbols_find(symbols, ip, kind);
	char text[KMAP_SYMBOL_MAX];

	if (!pattern)
		return true;
	snprintf(text, sizeof(text), "%llx", ip);
	if (kmem_filter_matches(pattern, text))
		return true;
	if (!symbol)
		return false;
	if (kmem_filter_matches(pattern, kmap_symbols_string(symbols, symbol->name)))
		return true;
	kmap_symbols_format(symbols, ip, kind, text);
	if (kmem_filter_matches(pattern, text))
		return true;
	text[strcspn(text, "/")] = '\0';
	return kmem_filter_matches(pattern, text);
}

/**
 * kmem_filter_within - follow the time that is chosen
 * @f: the filter
 * @w: how far that time has come; all false at first
 * @e: the next event
 *
 * Return: whether the event lies in it. A mark to begin with does, one to end with does not.
 */
bool kmem_filter_within(const struct kmem_filter *f, struct window *w,
			const struct trace_event *e)
{
	if (e->time >= f->to)
		w->ended = true;
	if (!f->from_mark && e->time >= f->from)
		w->begun = true;
	if (e->type == TRACE_MARK) {
		if (f->to_mark && w->begun && !strcmp(e->u.mark.text, f->to_mark))
			w->ended = true;
		if (f->from_mark && !strcmp(e->u.mark.text, f->from_mark))
			w->begun = true;
	}
	return w->begun && !w->ended;
}

/**
 * kmem_filter_check_marks - tell of a mark that was asked for and did not come
 * @f: the filter
 * @w: how far the time has come when all events have
 * @dir: name of the trace
 *
 * Return: whether all came; if not there was a message.
 */
bool kmem_filter_check_marks(const struct kmem_filter *f, const struct window *w,
			     const char *dir)
{
	if (f->from_mark && !w->begun)
		fprintf(stderr, "memorizer: %s: no mark '%s'\n", dir, f->from_mark);
	else if (f->to_mark && !w->ended)
		fprintf(stderr, "memorizer: %s: no mark '%s'\n", dir, f->to_mark);
	else
		return true;
	return false;
}

/**
 * kmem_filter_number - take the number of a CPU or task
 * @number: set to it
 * @command: name of the command, for a message
 * @option: name of the option, for a message
 * @text: the number
 *
 * Return: whether it is one; if not there was a message.
 */
bool kmem_filter_number(u64 *number, const char *command, const char *option, const char *text)
{
	unsigned long long n;
	char *end;

	errno = 0;
	n = strtoull(text, &end, 10);
	if (errno || *text < '0' || *text > '9' || *end || n > U32_MAX) {
		fprintf(stderr, "memorizer %s: %s %s: want a number\n", command, option,
			text);
		return false;
	}
	*number = n;
	return true;
}

/* Takes seconds with up to nine decimals; returns whether they are that. */
static bool parse_seconds(const char *text, u64 *ns)
{
	u64 seconds = 0, fraction = 0, unit = 1000000000;
	const char *p;

	for (p = text; *p >= '0' && *p <= '9'; p++) {
		seconds = 10 * seconds + (*p - '0');
		if (seconds > U64_MAX / 2000000000)
			return false;
	}
	if (p == text)
		return false;
	if (*p == '.')
		for (p++; *p >= '0' && *p <= '9' && unit > 1; p++)
			fraction += (*p - '0') * (unit /= 10);
	*ns = seconds * 1000000000 + fraction;
	return !*p;
}

/**
 * kmem_filter_point - take a point in time
 * @time: set to the time in ns, if @text is seconds
 * @mark: set to @text, if it is not: it is the text of a mark then
 * @text: seconds or a mark
 */
void kmem_filter_point(u64 *time, const char **mark, const char *text)
{
	*mark = NULL;
	if (!parse_seconds(text, time))
		*mark = text;
}
