// SPDX-License-Identifier: GPL-2.0
/*
 * Lookup of subsystems in MAINTAINERS. Interprets F:, X: and N: as scripts/get_maintainer.pl does.
 * If several subsystems match a file, the deepest pattern wins.
 */
#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "symbols/maintainers.h"

#define NO_MATCH	(-2)
#define MATCHES_ALL	(-1)	/* depth of a pattern that begins with a wildcard */

/**
 * struct rule - a line that selects or excludes files
 * @kind: F, X or N
 * @pattern: glob pattern of F and X
 * @expression: regular expression of N
 */
struct rule {
	char kind;
	char *pattern;
	regex_t expression;
};

/**
 * struct subsystem - a section
 * @title: first line
 * @rules: lines about files
 * @nr: number of @rules
 */
struct subsystem {
	char *title;
	struct rule *rules;
	size_t nr;
};

/**
 * struct maintainers - parsed MAINTAINERS
 * @subsystems: sections of the file
 * @nr: number of @subsystems
 */
struct maintainers {
	struct subsystem *subsystems;
	size_t nr;
};

static void add_subsystem(struct maintainers *m, const char *title)
{
	m->subsystems = xreallocarray(m->subsystems, m->nr + 1, sizeof(*m->subsystems));
	m->subsystems[m->nr++] = (struct subsystem){ .title = xstrdup(title) };
}

/* Add a rule. Ignores Perl's extensions of regular expressions. */
static void add_rule(struct subsystem *s, char kind, const char *pattern)
{
	struct rule rule = { .kind = kind };

	if (kind == 'N' && regcomp(&rule.expression, pattern, REG_EXTENDED | REG_NOSUB))
		return;
	rule.pattern = xstrdup(pattern);
	s->rules = xreallocarray(s->rules, s->nr + 1, sizeof(*s->rules));
	s->rules[s->nr++] = rule;
}

/**
 * maintainers_read - read MAINTAINERS
 * @path: the file
 * @error: set to a message on failure
 *
 * A line other than "KIND: ..." starts a section.
 *
 * Return: the parsed file, to be freed by maintainers_free(); NULL on failure.
 */
struct maintainers *maintainers_read(const char *path, char error[ERROR_MAX])
{
	struct maintainers *m;
	char *line = NULL;
	size_t room = 0, begin;
	FILE *file = fopen(path, "r");
	ssize_t len;

	if (!file) {
		set_path_error(error, path, strerror(errno));
		return NULL;
	}
	m = xreallocarray(NULL, 1, sizeof(*m));
	*m = (struct maintainers){ .nr = 0 };
	while ((len = getline(&line, &room, file)) > 0) {
		while (len && strchr(" \t\n", line[len - 1]))
			line[--len] = '\0';
		if (len < 2 || line[1] != ':') {
			/* Indented lines are part of the text at the top of the file. */
			if (len && !strchr(" \t", line[0]))
				add_subsystem(m, line);
			continue;
		}
		begin = 2 + strspn(line + 2, " \t");
		if (m->nr && strchr("FXN", line[0]) && line[begin])
			add_rule(m->subsystems + m->nr - 1, line[0], line + begin);
	}
	free(line);
	fclose(file);
	return m;
}

/**
 * maintainers_free - free parsed MAINTAINERS
 * @m: the parsed file, or NULL
 */
void maintainers_free(struct maintainers *m)
{
	struct subsystem *s;
	size_t i;

	if (!m)
		return;
	for (s = m->subsystems; s && s < m->subsystems + m->nr; s++) {
		for (i = 0; i < s->nr; i++) {
			if (s->rules[i].kind == 'N')
				regfree(&s->rules[i].expression);
			free(s->rules[i].pattern);
		}
		free(s->rules);
		free(s->title);
	}
	free(m->subsystems);
	free(m);
}

static int slashes(const char *text)
{
	int nr = 0;

	for (; *text; text++)
		nr += *text == '/';
	return nr;
}

/* Match a pattern. Directories match all files below them, globs only files of the same depth. */
static bool is_of(const char *pattern, const char *file)
{
	size_t len = strlen(pattern);
	char *below;
	bool is;

	if (!strpbrk(pattern, "*?[")) {
		if (strncmp(file, pattern, len))
			return false;
		return !file[len] || file[len] == '/' || pattern[len - 1] == '/';
	}
	/* Without FNM_PATHNAME, a wildcard of fnmatch() matches slashes, too. */
	if (pattern[len - 1] != '/')
		return slashes(pattern) == slashes(file) && !fnmatch(pattern, file, FNM_NOESCAPE);
	if (asprintf(&below, "%s*", pattern) < 0)
		abort();
	is = !fnmatch(below, file, FNM_NOESCAPE);
	free(below);
	return is;
}

static int depth_of(const char *pattern)
{
	if (*pattern == '*')
		return MATCHES_ALL;
	return slashes(pattern) + (pattern[strlen(pattern) - 1] != '/');
}

/* Depth of the deepest pattern of a section that matches a file, or NO_MATCH. */
static int find_depth(const struct subsystem *s, const char *file)
{
	const struct rule *rule;
	int depth = NO_MATCH, found;

	for (rule = s->rules; rule && rule < s->rules + s->nr; rule++) {
		if (rule->kind == 'N')
			found = regexec(&rule->expression, file, 0, NULL, 0) ? NO_MATCH : 0;
		else if (!is_of(rule->pattern, file))
			found = NO_MATCH;
		else if (rule->kind == 'X')
			return NO_MATCH;
		else
			found = depth_of(rule->pattern);
		if (found > depth)
			depth = found;
	}
	return depth;
}

/**
 * maintainers_find - look up the subsystem of a file
 * @m: parsed MAINTAINERS
 * @file: name of the file, relative to the root of the tree
 *
 * Return: title of the subsystem, the first one of several with the same depth; NULL if there is
 *	   none.
 */
const char *maintainers_find(const struct maintainers *m, const char *file)
{
	const struct subsystem *s;
	const char *title = NULL;
	int depth = NO_MATCH, found;

	for (s = m->subsystems; s && s < m->subsystems + m->nr; s++) {
		found = find_depth(s, file);
		if (found > depth) {
			depth = found;
			title = s->title;
		}
	}
	return title;
}
