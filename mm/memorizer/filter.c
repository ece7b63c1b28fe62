// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's filter: which code has its sites switched on with access logging, and which
 * objects are recorded, or counted by granule.
 *
 * A filter is a list of terms, with blanks or commas in between: GLOB is of functions,
 * KIND:GLOB of what the kind says, !TERM excludes. What the kinds are about is taken if, of
 * each kind of which there are terms that do not exclude, one matches it, and no excluding
 * one does.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter.h"

/* All terms, in bytes with what is behind each. */
#define TEXT_MAX	SZ_64K

#define SEPARATORS	" \t\n,"

enum kind {
	KIND_FUNCTION,
	KIND_MODULE,
	KIND_FILE,
	KIND_CACHE,
	KIND_ALLOC,
	KINDS
};

static const char * const kind_names[KINDS] = {
	[KIND_FUNCTION] = "function",
	[KIND_MODULE] = "module",
	[KIND_FILE] = "file",
	[KIND_CACHE] = "cache",
	[KIND_ALLOC] = "alloc",
};

/**
 * struct term - a term of a filter
 * @text: all of it
 * @kind: what @glob is of
 * @excludes: whether it excludes what it matches
 * @glob: for glob_match()
 */
struct term {
	const char *text;
	enum kind kind;
	bool excludes;
	const char *glob;
};

/**
 * struct memorizer_filter - which code and which objects to take
 * @chooses: of a kind, whether there are terms that do not exclude
 * @length: bytes of all terms, with a NUL behind each; they lie behind @terms
 * @nr: number of terms
 * @terms: the terms, as they point into what lies behind them
 */
struct memorizer_filter {
	bool chooses[KINDS];
	size_t length;
	unsigned int nr;
	struct term terms[];
};

/* Is each bracket closed, and something behind each backslash? Otherwise it may be a slip. */
static bool is_glob(const char *glob, const char *end)
{
	const char *p;

	for (p = glob; p < end; p++) {
		if (*p == '\\') {
			if (++p == end)
				return false;
			continue;
		}
		if (*p != '[')
			continue;
		p += p + 1 < end && p[1] == '!' ? 2 : 1;
		/* The first character of a class is one of it, even if it is a bracket. */
		p = p < end ? memchr(p + 1, ']', end - p - 1) : NULL;
		if (!p)
			return false;
	}
	return end > glob;
}

/* Takes a term apart, which stays where it is. */
static int parse_term(struct term *term, const char *text, size_t length)
{
	const char *end = text + length, *p;
	int kind = KIND_FUNCTION;

	for (p = text; p < end; p++)
		if (!isascii(*p) || !isgraph(*p))
			return -EINVAL;
	term->text = text;
	term->excludes = *text == '!';
	text += term->excludes;
	p = memchr(text, ':', end - text);
	if (p) {
		for (kind = 0; kind < KINDS; kind++)
			if (strlen(kind_names[kind]) == p - text &&
			    !memcmp(text, kind_names[kind], p - text))
				break;
		text = p + 1;
	}
	if (kind == KINDS || !is_glob(text, end))
		return -EINVAL;
	term->kind = kind;
	term->glob = text;
	return 0;
}

/* The next term in a text, and how long it is; 0: there is none. */
static const char *next_term(const char *text, size_t *length)
{
	text += strspn(text, SEPARATORS);
	*length = strcspn(text, SEPARATORS);
	return text;
}

/* Puts a term behind those that there are; there is room for it. */
static int add_term(struct memorizer_filter *new, char *room, const char *text, size_t length)
{
	struct term *term = &new->terms[new->nr];
	int err;

	memcpy(room + new->length, text, length);
	err = parse_term(term, room + new->length, length);
	if (err)
		return err;
	if (!term->excludes)
		new->chooses[term->kind] = true;
	new->length += length + 1;
	new->nr++;
	return 0;
}

/**
 * memorizer_is_filter() - is each term of a text one of a filter?
 * @text: the text
 *
 * Context: any.
 * Return: true if it is
 */
bool memorizer_is_filter(const char *text)
{
	struct term unused;
	size_t length;

	for (text = next_term(text, &length); length;
	     text = next_term(text + length, &length))
		if (parse_term(&unused, text, length))
			return false;
	return true;
}

/**
 * memorizer_free_filter() - free a filter
 * @old: the filter, or NULL
 *
 * Context: process context.
 */
void memorizer_free_filter(struct memorizer_filter *old)
{
	kvfree(old);
}

/**
 * memorizer_make_filter() - make a filter of its text
 * @before: a filter whose terms it has, too; NULL: none
 * @text: its other terms
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: the filter, to be freed by memorizer_free_filter(); NULL without any term, which
 *	takes everything; or an ERR_PTR(): -EINVAL for a term that is none, or if there
 *	are 64 KiB of them, -ENOMEM
 */
struct memorizer_filter *memorizer_make_filter(const struct memorizer_filter *before,
					       const char *text)
{
	size_t bytes = strnlen(text, TEXT_MAX) + 1 + (before ? before->length : 0), length;
	unsigned int nr = before ? before->nr : 0, i;
	struct memorizer_filter *new;
	const char *next;
	char *room;
	int err = 0;

	if (bytes > TEXT_MAX)
		return ERR_PTR(-EINVAL);
	for (next = next_term(text, &length); length; next = next_term(next + length, &length))
		nr++;
	if (!nr)
		return NULL;
	new = kvzalloc(struct_size(new, terms, nr) + bytes, GFP_KERNEL);
	if (!new)
		return ERR_PTR(-ENOMEM);
	room = (char *)&new->terms[nr];
	for (i = 0; before && i < before->nr; i++)
		add_term(new, room, before->terms[i].text, strlen(before->terms[i].text));
	for (next = next_term(text, &length); length && !err;
	     next = next_term(next + length, &length))
		err = add_term(new, room, next, length);
	if (err) {
		pr_warn("no term of a filter: '%*pE'\n", (int)strlen(room + new->length),
			room + new->length);
		memorizer_free_filter(new);
		return ERR_PTR(err);
	}
	return new;
}

/*
 * GCC names what it splits off a function, or clones, after it, with a dot behind the name:
 * foo.cold, foo.part.0, foo.constprop.0.cold. Cuts these endings off in @part.
 */
static bool match_part(const char *glob, const char *name, char *part)
{
	char *dot;

	if (strscpy(part, name, KSYM_NAME_LEN) < 0)
		return false;
	while ((dot = strrchr(part, '.')) && dot > part) {
		*dot = '\0';
		if (glob_match(glob, part))
			return true;
	}
	return false;
}

/* @part: room for KSYM_NAME_LEN bytes if @name is a function's, else NULL. */
static bool is_taken(const struct memorizer_filter *by, enum kind kind, const char *name,
		     char *part)
{
	bool taken = !by->chooses[kind];
	const struct term *term;

	for (term = by->terms; term < by->terms + by->nr; term++) {
		if (term->kind != kind || (taken && !term->excludes))
			continue;
		if (!glob_match(term->glob, name) && !(part && match_part(term->glob, name, part)))
			continue;
		if (term->excludes)
			return false;
		taken = true;
	}
	return taken;
}

/**
 * memorizer_filter_takes() - is a site to be switched on?
 * @by: a filter
 * @module: the name of the site's module, "vmlinux" for the kernel itself
 * @file: the name of the source file, from the top of the kernel's tree on, "" if not known
 * @function: the symbol of the function that it is in, "" if there is none
 * @part: room for KSYM_NAME_LEN bytes
 *
 * Context: any.
 * Return: true if it is
 */
bool memorizer_filter_takes(const struct memorizer_filter *by, const char *module,
			    const char *file, const char *function, char *part)
{
	return is_taken(by, KIND_MODULE, module, NULL) && is_taken(by, KIND_FILE, file, NULL) &&
	       is_taken(by, KIND_FUNCTION, function, part);
}

static bool has_terms(const struct memorizer_filter *by, bool of_objects)
{
	const struct term *term;

	for (term = by->terms; term < by->terms + by->nr; term++)
		if ((term->kind == KIND_CACHE || term->kind == KIND_ALLOC) == of_objects)
			return true;
	return false;
}

/**
 * memorizer_filter_has_objects() - is it about objects at all?
 * @by: a filter
 *
 * Context: any.
 * Return: false if it takes all objects
 */
bool memorizer_filter_has_objects(const struct memorizer_filter *by)
{
	return has_terms(by, true);
}

/**
 * memorizer_filter_has_code() - is it about code at all?
 * @by: a filter
 *
 * Context: any.
 * Return: false if it takes all code
 */
bool memorizer_filter_has_code(const struct memorizer_filter *by)
{
	return has_terms(by, false);
}

/**
 * memorizer_filter_takes_cache() - are objects of a slab cache to be recorded?
 * @by: a filter
 * @cache: the cache's name, "" for memory that is no slab's
 *
 * Context: any.
 * Return: true if they are, unless the function says otherwise
 */
bool memorizer_filter_takes_cache(const struct memorizer_filter *by, const char *cache)
{
	return is_taken(by, KIND_CACHE, cache, NULL);
}

/**
 * memorizer_filter_takes_allocator() - are objects to be recorded that a function allocates?
 * @by: a filter
 * @function: the function's symbol, "" if it has none
 * @part: room for KSYM_NAME_LEN bytes, which a hook has not got on the stack
 *
 * Context: any.
 * Return: true if they are, unless the cache says otherwise
 */
bool memorizer_filter_takes_allocator(const struct memorizer_filter *by, const char *function,
				      char *part)
{
	return is_taken(by, KIND_ALLOC, function, part);
}

/**
 * memorizer_filter_show() - show a filter's terms, a line for each
 * @by: a filter
 * @m: where to
 *
 * Context: process context.
 */
void memorizer_filter_show(const struct memorizer_filter *by, struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < by->nr; i++)
		seq_printf(m, "%s\n", by->terms[i].text);
}
