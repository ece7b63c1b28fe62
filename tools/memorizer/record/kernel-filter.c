// SPDX-License-Identifier: GPL-2.0
/* The kernel's filters, which a recording sets and restores. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/stats.h"
#include "record/kernel-filter.h"

#define LOG	"memorizer_log_access"
#define FORK	"memorizer_pid_fork"

static const char * const files[NR_FILTERS] = {
	[FILTER_TERMS] = "memorizer_filter",
	[FILTER_FIELDS] = "memorizer_fields",
	[FILTER_CGROUPS] = "memorizer_cgroup",
	[FILTER_PIDS] = "memorizer_pid",
};

/* Returns whether a term applies to objects. */
static bool is_of_objects(const char *term, size_t len)
{
	static const char * const kinds[] = { "kind:", "cache:", "alloc:" };
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		if (len > strlen(kinds[i]) && !strncmp(term, kinds[i], strlen(kinds[i])))
			return true;
	return false;
}

/* Length up to the next comma; 0 if the word is empty or contains a blank. */
static size_t word_length(const char *p)
{
	size_t len = strcspn(p, ","), i;

	for (i = 0; i < len; i++)
		if (!isgraph((unsigned char)p[i]))
			return 0;
	return len;
}

/* Append comma-separated terms to @lines: globs of @kind, or object terms if @kind is NULL. */
static bool add_terms(char **lines, const char *kind, const char *terms)
{
	const char *p = terms;
	char *more;
	size_t len;
	bool out;

	for (;; p += len + 1) {
		out = *p == '!';
		p += out;
		len = word_length(p);
		if (!len || (!kind && !is_of_objects(p, len)) ||
		    asprintf(&more, "%s%s%s%s%.*s\n", *lines ? *lines : "", out ? "!" : "",
			     kind ? kind : "", kind ? ":" : "", (int)len, p) < 0)
			return false;
		free(*lines);
		*lines = more;
		if (!p[len])
			return true;
	}
}

/* The kernel's module names have _ where file names may have -. A - in [] is a range. */
static char *module_globs(const char *globs)
{
	char *copy = strdup(globs), *c;
	bool range = false;

	for (c = copy; c && *c; c++) {
		range = *c == '[' || (range && *c != ']');
		if (*c == '-' && !range)
			*c = '_';
	}
	return copy;
}

/**
 * kernel_filter_add - add terms for memorizer_filter
 * @f: the filters
 * @kind: kind of the globs, such as module
 * @globs: comma-separated globs; a leading ! excludes
 *
 * Whether the kernel supports the kind is not checked.
 *
 * Return: whether @globs is valid.
 */
bool kernel_filter_add(struct kernel_filter *f, const char *kind, const char *globs)
{
	char *copy = strcmp(kind, "module") ? strdup(globs) : module_globs(globs);
	bool fine;

	if (!copy)
		abort();
	fine = add_terms(f->lines + FILTER_TERMS, kind, copy);
	free(copy);
	return fine;
}

/**
 * kernel_filter_add_fields - add terms for memorizer_fields
 * @f: the filters
 * @terms: comma-separated kind:GLOB, cache:GLOB or alloc:GLOB; a leading ! excludes
 *
 * Return: whether @terms is valid.
 */
bool kernel_filter_add_fields(struct kernel_filter *f, const char *terms)
{
	return add_terms(f->lines + FILTER_FIELDS, NULL, terms);
}

/**
 * kernel_filter_add_cgroups - add control groups whose tasks are included
 * @f: the filters
 * @paths: comma-separated paths, relative to the root of the unified hierarchy
 *
 * Return: whether @paths is valid.
 */
bool kernel_filter_add_cgroups(struct kernel_filter *f, const char *paths)
{
	char **lines = f->lines + FILTER_CGROUPS, *more;
	const char *p = paths;
	size_t len;

	for (;; p += len + 1) {
		len = word_length(p);
		if (*p != '/' || !len ||
		    asprintf(&more, "%s%.*s\n", *lines ? *lines : "", (int)len, p) < 0)
			return false;
		free(*lines);
		*lines = more;
		if (!p[len])
			return true;
	}
}

/* Replace the content of a file. Returns false after a message. */
static bool set_lines(const struct control *c, enum kernel_filter_file file, const char *lines)
{
	/* An empty line clears the file. */
	int error = control_write_lines(c, files[file], *lines ? lines : "\n");

	if (error)
		fprintf(stderr, "memorizer: %s/%s: '%.*s': %s\n", c->path, files[file],
			(int)strcspn(lines, "\n"), lines, strerror(error));
	return !error;
}

/**
 * kernel_filter_is_needed - check whether accesses or objects are filtered
 * @f: the filters
 *
 * Return: true if they are.
 */
bool kernel_filter_is_needed(const struct kernel_filter *f)
{
	return f->lines[FILTER_TERMS] || f->lines[FILTER_CGROUPS] || f->pids->nr || f->children;
}

/* Append a line with a number to @lines, which is freed. */
static char *add_number(char *lines, u32 number)
{
	char *more;

	if (asprintf(&more, "%s%u\n", lines ? lines : "", number) < 0)
		abort();
	free(lines);
	return more;
}

/* Include the tasks of --pid, or none until the command has started. */
static bool choose_tasks(const struct kernel_filter *f, const struct control *c)
{
	char *lines = f->pids->nr ? NULL : strdup("none\n");
	bool fine;
	u32 i;

	for (i = 0; i < f->pids->nr; i++)
		lines = add_number(lines, f->pids->number[i]);
	/* Enable inheritance first, so that no child forked meanwhile is missed. */
	fine = control_write(c, FORK, f->children ? "1\n" : "0\n") &&
	       set_lines(c, FILTER_PIDS, lines);
	free(lines);
	return fine;
}

static bool read_tasks(struct kernel_filter *f, const struct control *c)
{
	char *fork = control_read(c, FORK);

	f->before[FILTER_PIDS] = fork ? control_read(c, files[FILTER_PIDS]) : NULL;
	f->children_before = fork && *fork == '1';
	free(fork);
	return f->before[FILTER_PIDS];
}

/**
 * kernel_filter_read - save the filters that kernel_filter_begin() replaces
 * @f: the filters
 * @c: the kernel's files
 * @or_packets: without memorizer_pid, the caller filters packets by task instead
 *
 * Return: true on success, false after a message.
 */
bool kernel_filter_read(struct kernel_filter *f, const struct control *c, bool or_packets)
{
	int i;

	for (i = 0; i < NR_FILTERS; i++) {
		if (!f->lines[i])
			continue;
		f->before[i] = control_read(c, files[i]);
		if (!f->before[i])
			return false;
	}
	if (!f->pids->nr && !f->children)
		return true;
	if (or_packets && !f->children && faccessat(c->dir, files[FILTER_PIDS], F_OK, 0) &&
	    errno == ENOENT)
		return true;
	return read_tasks(f, c);
}

/**
 * kernel_filter_begin - set the filters
 * @f: the filters, after kernel_filter_read()
 * @c: the kernel's files
 *
 * Return: true on success, false after a message; kernel_filter_end() restores the filters.
 */
bool kernel_filter_begin(const struct kernel_filter *f, const struct control *c)
{
	int i;

	for (i = 0; i < NR_FILTERS; i++)
		if (f->lines[i] && !set_lines(c, i, f->lines[i]))
			return false;
	return !f->before[FILTER_PIDS] || choose_tasks(f, c);
}

/**
 * kernel_filter_waits - check whether the command must not run before its pid is set
 * @f: the filters
 *
 * Return: true if it must not.
 */
bool kernel_filter_waits(const struct kernel_filter *f)
{
	return f->before[FILTER_PIDS] && !f->pids->nr;
}

/**
 * kernel_filter_command - include the command
 * @c: the kernel's files
 * @pid: its pid
 *
 * Return: true on success, false after a message.
 */
bool kernel_filter_command(const struct control *c, pid_t pid)
{
	char *line = add_number(NULL, pid);
	bool fine = set_lines(c, FILTER_PIDS, line);

	free(line);
	return fine;
}

/**
 * kernel_filter_log - enable logging of accesses for a filter, or disable it again
 * @f: the filters
 * @c: the kernel's files
 * @on: enable
 *
 * Nothing happens if no filter is set, or if logging was enabled before the recording.
 *
 * Return: true on success, false after a message.
 */
bool kernel_filter_log(struct kernel_filter *f, const struct control *c, bool on)
{
	bool any = false;
	char *now;
	int i;

	for (i = 0; i < NR_FILTERS; i++)
		if (f->before[i])
			any = true;
	if (!any || on == f->logs)
		return true;
	if (on) {
		now = control_read(c, LOG);
		f->logs = now && *now == '0';
		free(now);
		/* It was on before and stays on. @now is NULL after a message. */
		if (!f->logs)
			return now;
	}
	if (control_write(c, LOG, on ? "1\n" : "0\n")) {
		f->logs = on;
		return true;
	}
	f->logs = false;
	return false;
}

/* Remove tasks that have exited: the kernel rejects them. */
static char *living(char *pids)
{
	char *left = NULL, *line, *save = NULL, *proc;

	if (!*pids || !strcmp(pids, "none\n"))
		return strdup(pids);
	for (line = strtok_r(pids, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		if (asprintf(&proc, "/proc/%s", line) < 0)
			abort();
		/* 0 is the idle tasks, which have no directory in /proc. */
		if (!strcmp(line, "0") || !access(proc, F_OK))
			left = add_number(left, strtoul(line, NULL, 10));
		free(proc);
	}
	/* An empty list would select all tasks. */
	return left ? left : strdup("none\n");
}

/* Print each line of @text with a prefix; an empty text is one empty line. */
static void print_lines(FILE *to, const char *name, const char *text)
{
	size_t len;

	do {
		len = strcspn(text, "\n");
		fprintf(to, "%s: %.*s\n", name, (int)len, text);
		text += len + (text[len] == '\n');
	} while (*text);
}

/**
 * kernel_filter_print - print the filters before the recording
 * @f: the filters, after kernel_filter_read() and before kernel_filter_log()
 * @c: the kernel's files
 * @to: the output
 */
void kernel_filter_print(const struct kernel_filter *f, const struct control *c, FILE *to)
{
	char *log = NULL;
	int i;

	for (i = 0; i < NR_FILTERS; i++) {
		if (!f->before[i])
			continue;
		print_lines(to, files[i], f->before[i]);
		log = log ? log : control_read(c, LOG);
	}
	if (f->before[FILTER_PIDS])
		fprintf(to, FORK ": %d\n", f->children_before);
	if (log)
		fprintf(to, LOG ": %d\n", *log == '1');
	free(log);
}

/* Parse the output of print_lines(); NULL if there is none for @name. */
static char *parse_lines(const char *text, const char *name)
{
	size_t size, name_len = strlen(name), len;
	char *lines = NULL;
	FILE *f = NULL;

	for (; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		if (len < name_len + 2 || strncmp(text, name, name_len) ||
		    strncmp(text + name_len, ": ", 2))
			continue;
		f = f ? f : open_memstream(&lines, &size);
		if (!f)
			abort();
		if (len > name_len + 2)
			fprintf(f, "%.*s\n", (int)(len - name_len - 2), text + name_len + 2);
	}
	if (f)
		fclose(f);
	return lines;
}

/**
 * kernel_filter_parse - parse the output of kernel_filter_print()
 * @f: the filters, to be restored by kernel_filter_end()
 * @text: the output
 */
void kernel_filter_parse(struct kernel_filter *f, const char *text)
{
	u64 number;
	int i;

	for (i = 0; i < NR_FILTERS; i++)
		f->before[i] = parse_lines(text, files[i]);
	f->children_before = find_stat(text, FORK, &number) && number;
	/*
	 * It was off, so the recorder may have enabled it:
	 * kernel_filter_end() disables it.
	 */
	f->logs = find_stat(text, LOG, &number) && !number;
}

/**
 * kernel_filter_end - restore the filters
 * @f: the filters
 * @c: the kernel's files
 *
 * Return: true on success, false after a message.
 */
bool kernel_filter_end(struct kernel_filter *f, const struct control *c)
{
	bool fine = kernel_filter_log(f, c, false);
	char *pids;
	int i;

	for (i = NR_FILTERS - 1; i >= 0; i--) {
		if (!f->before[i])
			continue;
		if (i == FILTER_PIDS) {
			pids = living(f->before[i]);
			fine &= set_lines(c, i, pids);
			fine &= control_write(c, FORK, f->children_before ? "1\n" : "0\n");
			free(pids);
		} else {
			fine &= set_lines(c, i, f->before[i]);
		}
		free(f->before[i]);
		f->before[i] = NULL;
	}
	return fine;
}

/**
 * kernel_filter_free - free the filters
 * @f: the filters
 */
void kernel_filter_free(struct kernel_filter *f)
{
	int i;

	for (i = 0; i < NR_FILTERS; i++)
		free(f->lines[i]);
}
