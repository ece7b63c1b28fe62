// SPDX-License-Identifier: GPL-2.0
/*
 * Which subsystem a source file belongs to, as MAINTAINERS has it: as scripts/get_maintainer.pl
 * takes the patterns F: and X: and the expressions N:, and of several subsystems that of the
 * pattern that leads deepest into the tree.
 */
#include <errno.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/maintainers.h"

#define NO_MATCH	(-2)
#define MATCHES_ALL	(-1)	/* depth of a pattern that begins with a wildcard */

/**
 * struct rule - a line that says which files are meant, or are not
 * @kind: F, X or N
 * @pattern: the pattern, of F and X
 * @expression: the expression, of N
 */
struct rule {
	char kind;
	char *pattern;
	regex_t expression;
};

/**
 * struct subsystem - a section
 * @title: its first line
 * @rules: what it says of files
 * @nr: how many
 */
struct subsystem {
	char *title;
	struct rule *rules;
	size_t nr;
};

/**
 * struct maintainers - the file
 * @subsystems: its sections
 * @nr: how many
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

/* Takes a rule; one that is no regular expression is Perl's alone, and left out. */
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
 * @error: set to a message when that is not possible
 *
 * A section begins with a line that is no KIND: and has files by the next empty line.
 *
 * Return: what it says, or NULL.
 */
struct maintainers *maintainers_read(const char *path, char error[ERROR_MAX])
{
	struct maintainers *m;
	char *line = NULL;
	size_t room = 0, begin;
	FILE *file = fopen(path, "r");
	ssize_t len;

	if (!file) {
		snprintf(error, ERROR_MAX, "%.300s: %.200s", path, strerror(errno));
		return NULL;
	}
	m = xreallocarray(NULL, 1, sizeof(*m));
	*m = (struct maintainers){ .nr = 0 };
	while ((len = getline(&line, &room, file)) > 0) {
		while (len && strchr(" \t\n", line[len - 1]))
			line[--len] = '\0';
		if (len < 2 || line[1] != ':') {
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
 * maintainers_free - release it
 * @m: what MAINTAINERS says, or NULL
 */
void maintainers_free(struct maintainers *m)
{
	struct subsystem *s;
	size_t i;

	if (!m)
		return;
	for (s = m->subsystems; s < m->subsystems + m->nr; s++) {
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

/* Whether a pattern is of a file: a directory is of all below it, others of one depth. */
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

/* How deep the deepest pattern of a section leads that is of a file. */
static int find_depth(const struct subsystem *s, const char *file)
{
	const struct rule *rule;
	int depth = NO_MATCH, found;

	for (rule = s->rules; rule < s->rules + s->nr; rule++) {
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
 * maintainers_find - find the subsystem of a file
 * @m: what MAINTAINERS says
 * @file: the file, as seen from the top of the tree
 *
 * Return: its title, of several that lead as deep the first, or NULL if there is none.
 */
const char *maintainers_find(const struct maintainers *m, const char *file)
{
	const struct subsystem *s;
	const char *title = NULL;
	int depth = NO_MATCH, found;

	for (s = m->subsystems; s < m->subsystems + m->nr; s++) {
		found = find_depth(s, file);
		if (found > depth) {
			depth = found;
			title = s->title;
		}
	}
	return title;
}
