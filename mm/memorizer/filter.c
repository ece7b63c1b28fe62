// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's filters: parse and match them.
 *
 * A filter is a list of terms, separated by blanks or commas. GLOB matches functions, KIND:GLOB
 * matches the given kind of names, and !TERM excludes matches. A site or object is selected if
 * every kind with positive terms has a match and no "!" term matches.
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

/* Maximum size of all terms, including their separators. */
#define TEXT_MAX	SZ_64K

#define SEPARATORS	" \t\n,"

/* Those for code, then those for objects. */
enum kind {
	KIND_FUNCTION,
	KIND_MODULE,
	KIND_FILE,
	KIND_OBJECT,
	KIND_CACHE,
	KIND_ALLOC,
	KINDS
};

static const char * const kind_names[KINDS] = {
	[KIND_FUNCTION] = "function",
	[KIND_MODULE] = "module",
	[KIND_FILE] = "file",
	[KIND_OBJECT] = "kind",
	[KIND_CACHE] = "cache",
	[KIND_ALLOC] = "alloc",
};

/**
 * struct term - a term of a filter
 * @text: the whole term
 * @kind: kind of the names that it matches
 * @excludes: the term starts with "!"
 * @glob: pattern for glob_match(), a part of @text
 */
struct term {
	const char *text;
	enum kind kind;
	bool excludes;
	const char *glob;
};

/**
 * struct memorizer_filter - a parsed filter
 * @chooses: for each kind, true if it has positive terms
 * @length: bytes of the text of all terms, each with a NUL; it follows @terms
 * @nr: number of terms
 * @terms: the terms, which point to the text
 */
struct memorizer_filter {
	bool chooses[KINDS];
	size_t length;
	unsigned int nr;
	struct term terms[];
};

/* Reject unclosed brackets and a trailing backslash: glob_match() would take them literally. */
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
		/* A bracket as the first character of a class is a member of it. */
		p = p < end ? memchr(p + 1, ']', end - p - 1) : NULL;
		if (!p)
			return false;
	}
	return end > glob;
}

/* Parse a term. The result points to @text. */
static int parse_term(struct term *term, const char *text, size_t length)
{
	const char *end = text + length, *p;
	int kind = KIND_FUNCTION;

	for (p = text; p < end; p++)
		/* The kernel's isgraph() alone would accept Latin-1. */
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

/* Find the next term in a text. Sets @length to 0 if there is none. */
static const char *next_term(const char *text, size_t *length)
{
	text += strspn(text, SEPARATORS);
	*length = strcspn(text, SEPARATORS);
	return text;
}

/* Append a term, which the caller has allocated space for. */
static int add_term(struct memorizer_filter *new, char *room, const char *text, size_t length)
{
	struct term *term = &new->terms[new->nr];
	int err;

	/* The copy ends with a NUL: @room is zeroed. The term points to the copy. */
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
 * memorizer_is_filter() - check the syntax of a filter
 * @text: the filter's terms
 *
 * Context: any. Allocates nothing.
 * Return: true if all terms are valid
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
 * memorizer_make_filter() - parse a filter
 * @before: a filter whose terms are copied first, or NULL
 * @text: the terms that follow
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: the filter, to be freed by memorizer_free_filter(); NULL if there are no terms, so that
 *	everything is selected; or an ERR_PTR(): -EINVAL for an invalid term or more than 64 KiB
 *	of terms, -ENOMEM
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

	/* Upper bound: the separator after a term, or the NUL at the end, becomes its NUL. */
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
		/* Valid, because @before has them. */
		add_term(new, room, before->terms[i].text, strlen(before->terms[i].text));
	for (next = next_term(text, &length); length && !err;
	     next = next_term(next + length, &length))
		err = add_term(new, room, next, length);
	if (err) {
		/* add_term() has copied the invalid term, but not added its length. */
		pr_warn("invalid filter term: '%*pE'\n", (int)strlen(room + new->length),
			room + new->length);
		memorizer_free_filter(new);
		return ERR_PTR(err);
	}
	return new;
}

/*
 * Match a function's name without GCC's suffixes for clones and split parts, such as foo.cold,
 * foo.part.0 and foo.constprop.0.cold. Each suffix in turn is removed from @part.
 */
static bool match_part(const char *glob, const char *name, char *part)
{
	char *dot;

	if (strscpy(part, name, KSYM_NAME_LEN) < 0)
		return false;
	/* A dot at the beginning of a name begins no suffix. */
	while ((dot = strrchr(part, '.')) && dot > part) {
		*dot = '\0';
		if (glob_match(glob, part))
			return true;
	}
	return false;
}

/* @part: buffer of KSYM_NAME_LEN bytes if @name is a function, else NULL. */
static bool is_selected(const struct memorizer_filter *by, enum kind kind, const char *name,
			char *part)
{
	bool selected = !by->chooses[kind];
	const struct term *term;

	for (term = by->terms; term < by->terms + by->nr; term++) {
		/* After a match, only a "!" term can change the result. */
		if (term->kind != kind || (selected && !term->excludes))
			continue;
		if (!glob_match(term->glob, name) && !(part && match_part(term->glob, name, part)))
			continue;
		if (term->excludes)
			return false;
		selected = true;
	}
	return selected;
}

/**
 * memorizer_filter_matches_site() - match a site against a filter
 * @by: the filter
 * @module: name of the site's module, "vmlinux" for built-in code
 * @file: source file, relative to the top of the kernel tree, "" if unknown
 * @function: symbol of the site's function, "" if there is none
 * @part: buffer of KSYM_NAME_LEN bytes
 *
 * Context: any.
 * Return: true if the site is selected
 */
bool memorizer_filter_matches_site(const struct memorizer_filter *by, const char *module,
				   const char *file, const char *function, char *part)
{
	return is_selected(by, KIND_MODULE, module, NULL) &&
	       is_selected(by, KIND_FILE, file, NULL) &&
	       is_selected(by, KIND_FUNCTION, function, part);
}

static bool has_terms(const struct memorizer_filter *by, bool of_objects)
{
	const struct term *term;

	for (term = by->terms; term < by->terms + by->nr; term++)
		if ((term->kind >= KIND_OBJECT) == of_objects)
			return true;
	return false;
}

/**
 * memorizer_filter_has_objects() - check whether a filter has terms for objects
 * @by: the filter
 *
 * Context: any.
 * Return: false if it selects all objects
 */
bool memorizer_filter_has_objects(const struct memorizer_filter *by)
{
	return has_terms(by, true);
}

/**
 * memorizer_filter_has_code() - check whether a filter has terms for code
 * @by: the filter
 *
 * Context: any.
 * Return: false if it selects all code
 */
bool memorizer_filter_has_code(const struct memorizer_filter *by)
{
	return has_terms(by, false);
}

/**
 * memorizer_filter_matches_cache() - match a slab cache, and a kind of objects, against a filter
 * @by: the filter
 * @kind: name of the kind, as in memorizer_kinds
 * @cache: name of the cache, "" for memory outside of slabs
 *
 * Context: any.
 * Return: true if its objects are selected, provided that their allocators are
 */
bool memorizer_filter_matches_cache(const struct memorizer_filter *by, const char *kind,
				    const char *cache)
{
	return is_selected(by, KIND_OBJECT, kind, NULL) &&
	       is_selected(by, KIND_CACHE, cache, NULL);
}

/**
 * memorizer_filter_matches_allocator() - match an allocating function against a filter
 * @by: the filter
 * @function: symbol of the function, "" if it has none
 * @part: buffer of KSYM_NAME_LEN bytes, which is too large for a hook's stack
 *
 * Context: any.
 * Return: true if the objects that it allocates are selected, provided that their caches are
 */
bool memorizer_filter_matches_allocator(const struct memorizer_filter *by, const char *function,
					char *part)
{
	return is_selected(by, KIND_ALLOC, function, part);
}

/**
 * memorizer_filter_show() - show a filter's terms, one per line
 * @by: the filter
 * @m: the output
 *
 * Context: process context.
 */
void memorizer_filter_show(const struct memorizer_filter *by, struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < by->nr; i++)
		seq_printf(m, "%s\n", by->terms[i].text);
}
