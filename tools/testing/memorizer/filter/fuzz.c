// SPDX-License-Identifier: GPL-2.0
/*
 * Fuzz target for libFuzzer: the text that is written to memorizer_filter.
 *
 * A text is either refused, or shown as a filter that is accepted again, is shown in the same way,
 * and selects the same names, by the definition in the manual: every kind with positive terms has a
 * match, and no "!" term matches. Inputs are far shorter than the limit of 64 KiB.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/err.h>
#include <linux/glob.h>
#include <linux/kallsyms.h>
#include <linux/seq_file.h>

#include "../../../../mm/memorizer/filter.h"

#define CHECK(condition)	do { if (!(condition)) abort(); } while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t size);

/* Names of caches, and functions without the suffixes that GCC adds. */
static const char * const names[] = { "", "a", "dentry", "kmalloc-64", "vfs_read", "[x]", "a]b\\" };

static char *show(const struct memorizer_filter *filter)
{
	struct seq_file m;
	char *text = NULL;
	size_t size;

	m.stream = open_memstream(&text, &size);
	CHECK(m.stream);
	memorizer_filter_show(filter, &m);
	CHECK(!fclose(m.stream));
	return text;
}

/* Split off a term and its kind; returns the pattern. */
static char *next_term(char **text, bool *excludes, const char **kind)
{
	char *term = strsep(text, "\n"), *colon;

	*excludes = *term == '!';
	term += *excludes;
	colon = strchr(term, ':');
	*kind = colon ? term : "function";
	if (!colon)
		return term;
	*colon = '\0';
	return colon + 1;
}

/* Is a name of a kind selected? @text is what the filter shows. */
static bool is_selected(const char *shown, const char *kind, const char *name)
{
	char *copy = strdup(shown), *text = copy, *glob;
	bool positive = false, matched = false, excluded = false, excludes;
	const char *of;

	CHECK(copy);
	while (*text) {
		glob = next_term(&text, &excludes, &of);
		if (strcmp(of, kind))
			continue;
		positive |= !excludes;
		matched |= !excludes && glob_match(glob, name);
		excluded |= excludes && glob_match(glob, name);
	}
	free(copy);
	return (!positive || matched) && !excluded;
}

static void check_names(const struct memorizer_filter *filter, const char *shown)
{
	static char part[KSYM_NAME_LEN];
	const char *name;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		name = names[i];
		CHECK(memorizer_filter_matches_cache(filter, "pages", name) ==
		      (is_selected(shown, "kind", "pages") && is_selected(shown, "cache", name)));
		CHECK(memorizer_filter_matches_allocator(filter, name, part) ==
		      is_selected(shown, "alloc", name));
		CHECK(memorizer_filter_matches_site(filter, "vmlinux", "mm/slub.c", name, part) ==
		      (is_selected(shown, "module", "vmlinux") &&
		       is_selected(shown, "file", "mm/slub.c") &&
		       is_selected(shown, "function", name)));
	}
}

/* The same filter appended to itself has its terms twice, and selects the same. */
static void check_appended(const struct memorizer_filter *filter, const char *shown)
{
	struct memorizer_filter *twice = memorizer_make_filter(filter, shown);
	char *text;

	CHECK(!IS_ERR(twice));
	text = show(twice);
	CHECK(strlen(text) == 2 * strlen(shown) && !memcmp(text, shown, strlen(shown)) &&
	      !strcmp(text + strlen(shown), shown));
	check_names(twice, shown);
	free(text);
	memorizer_free_filter(twice);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct memorizer_filter *filter, *again;
	char *text = malloc(size + 1), *shown, *shown_again;

	CHECK(text);
	memcpy(text, data, size);
	text[size] = '\0';
	filter = memorizer_make_filter(NULL, text);
	CHECK(!IS_ERR(filter) == memorizer_is_filter(text));
	if (filter && !IS_ERR(filter)) {
		shown = show(filter);
		again = memorizer_make_filter(NULL, shown);
		CHECK(again && !IS_ERR(again));
		shown_again = show(again);
		CHECK(!strcmp(shown, shown_again));
		check_names(filter, shown);
		check_appended(filter, shown);
		memorizer_free_filter(again);
		memorizer_free_filter(filter);
		free(shown_again);
		free(shown);
	}
	free(text);
	return 0;
}
