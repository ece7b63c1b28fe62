// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer who and what: print the code that accesses a type or member, and what a function
 * accesses.
 */
#include <stdio.h>
#include <string.h>

#include "builtin.h"
#include "report/report.h"
#include "report/tally.h"
#include "symbols/maintainers.h"
#include "symbols/members.h"
#include "symbols/namesakes.h"

/* Tables of who. */
enum by { BY_FUNCTION, BY_FILE, BY_SUBSYSTEM, BYS };

/* Subsystem of a file; the key is the offset of the file's name in the notes. */
struct file_of {
	u64 file;
	const char *subsystem;
};

/**
 * struct owners - maps files to subsystems
 * @maintainers: the parsed MAINTAINERS, or NULL
 * @files: struct file_of, cached results
 */
struct owners {
	struct maintainers *maintainers;
	struct hash files;
};

/* Split TYPE.FIELD; @field is empty if there is none. */
static void split(const char *what, char type[TEXTS_MAX], const char **field)
{
	size_t len = strcspn(what, ".");

	snprintf(type, TEXTS_MAX, "%.*s", (int)len, what);
	*field = what[len] ? what + len + 1 : "";
}

/* Is the accessed object the variable of this name? */
static bool is_variable(const struct sums *k, enum access_source source, const struct noted *noted,
			const char *name)
{
	const struct site *site = source == ACCESS_COUNTED ? sums_site_of(k, source, noted->key) :
							     NULL;
	const struct kmap_symbol *symbol;

	if (!site || (site->kind != KMAP_STATIC && site->kind != KMAP_PERCPU))
		return false;
	symbol = kmap_symbols_find(k->symbols, site->ip, KMAP_IP_RETURN);
	return symbol && !strcmp(kmap_symbols_string(k->symbols, symbol->name), name);
}

/*
 * Find the name by which an accessed member belongs to the requested one, of a type or a variable;
 * NULL if it does not.
 */
static const struct alias *asked_for(const struct sums *k, enum access_source source,
				     const struct noted *noted, const char *type,
				     const char *field)
{
	const struct alias *alias;
	u32 first, nr = aliases_get(k->aliases + source, noted->names, &first);
	bool of_variable = is_variable(k, source, noted, type);
	const char *path;

	for (alias = k->aliases[source].all + first; nr; alias++, nr--) {
		if (!of_variable &&
		    (!alias->type || strcmp(texts_get(&k->names, alias->type), type)))
			continue;
		path = alias->path ? texts_get(&k->names, alias->path) : NULL;
		if (!*field || (path && members_match(path, field)))
			return alias;
		/* A variable has members of its type, and of the records around the access. */
		if (!of_variable)
			return NULL;
	}
	return NULL;
}

/* First two directories of a path: the subsystem without MAINTAINERS. */
static const char *directory(const char *file, char text[TEXTS_MAX])
{
	const char *slash = file ? strchr(file, '/') : NULL, *second;

	if (!file)
		return NULL;
	second = slash ? strchr(slash + 1, '/') : NULL;
	if (second)
		slash = second;
	snprintf(text, TEXTS_MAX, "%.*s", slash ? (int)(slash - file) : 1, slash ? file : ".");
	return text;
}

/* Subsystem of a file by MAINTAINERS, or else by its path. */
static const char *subsystem(struct owners *o, const char *file, char text[TEXTS_MAX])
{
	u64 key = (unsigned long)file;
	struct file_of *found;
	bool new;

	if (!file || !o->maintainers)
		return directory(file, text);
	found = hash_item(&o->files, hash_get(&o->files, &key, &new));
	if (new)
		found->subsystem = maintainers_find(o->maintainers, file);
	return found->subsystem ? found->subsystem : directory(file, text);
}

static void count_who(const struct report *r, const struct sums *k, enum access_source source,
		      enum by by, struct owners *o, struct tallies *t)
{
	char type[TEXTS_MAX], text[TEXTS_MAX], function[KMAP_SYMBOL_MAX];
	const struct alias *alias;
	const struct noted *noted;
	const char *field, *name;
	struct named named;
	u32 i;

	split(r->what, type, &field);
	for (i = 0; i < k->noted[source].nr; i++) {
		noted = hash_item(k->noted + source, i);
		alias = asked_for(k, source, noted, type, field);
		if (!alias)
			continue;
		named = sums_named(k, source, noted);
		report_function(k, source, named.function, function);
		name = by == BY_FUNCTION ? function : by == BY_FILE ? named.file :
			subsystem(o, named.file, text);
		named.path = alias->path ? texts_get(&k->names, alias->path) : NULL;
		tally_add(tally_row(t, name, named_path(named.path)), noted->sum);
	}
}

static void print_who(const struct report *r, const struct sums *k)
{
	static const struct {
		const char *title, *key, *name;
	} tables[BYS] = {
		[BY_FUNCTION] = { "BY FUNCTION", "functions", "Function" },
		[BY_FILE] = { "BY FILE", "files", "File" },
		[BY_SUBSYSTEM] = { "BY SUBSYSTEM", "subsystems", "Subsystem" },
	};
	struct part parts[ACCESS_SOURCES];
	char error[ERROR_MAX];
	struct owners owners = { NULL };
	int nr = tally_parts(r, parts), p;
	struct tallies tallies;
	enum by by;

	/* check_who() has checked that it can be read. */
	if (r->maintainers)
		owners.maintainers = maintainers_read(r->maintainers, error);
	hash_init(&owners.files, sizeof(struct file_of), sizeof(u64));
	for (p = 0; p < nr; p++) {
		for (by = 0; by < BYS; by++) {
			struct table t = {
				.name_title = tables[by].name, .name_key = "name",
				.texts = { { "Member", "field" } },
				.columns = {
					TALLY_COLUMN_READS, TALLY_COLUMN_WRITES, TALLY_COLUMN_MOVES,
				},
			};

			tally_init(&tallies);
			count_who(r, k, parts[p].source, by, &owners, &tallies);
			tally_print(r, k, parts + p, tables[by].title, tables[by].key, &t,
				    &tallies, false);
			tally_free(&tallies);
		}
	}
	hash_free(&owners.files);
	maintainers_free(owners.maintainers);
	namesakes_warn(k->symbols, "who");
}

/* Is there a displayed access to the requested type or member? */
static bool is_accessed(const struct report *r, const struct sums *k, const char *type,
			const char *field)
{
	struct part parts[ACCESS_SOURCES];
	int nr = tally_parts(r, parts), p;
	u32 n;

	for (p = 0; p < nr; p++)
		for (n = 0; n < k->noted[parts[p].source].nr; n++)
			if (asked_for(k, parts[p].source,
				      hash_item(k->noted + parts[p].source, n), type, field))
				return true;
	return false;
}

/* Check that MAINTAINERS can be read if it is given. */
static bool check_maintainers(const struct report *r)
{
	char error[ERROR_MAX];
	struct maintainers *m = r->maintainers ? maintainers_read(r->maintainers, error) : NULL;

	if (r->maintainers && !m)
		fprintf(stderr, "memorizer: %s\n", error);
	maintainers_free(m);
	return m || !r->maintainers;
}

static bool check_who(const struct report *r, const struct sums *k)
{
	char type[TEXTS_MAX];
	struct record record;
	const char *field;

	if (!check_maintainers(r))
		return false;
	split(r->what, type, &field);
	if (is_accessed(r, k, type, field))
		return true;
	if (!notes_record(kmap_symbols_notes(k->symbols), type, &record)) {
		fprintf(stderr,
			"memorizer who: no access to '%s', and no struct or union '%s' in the notes\n",
			r->what, type);
		return false;
	}
	notes_record_free(&record);
	fprintf(stderr, "memorizer who: no access to '%s'\n", r->what);
	return false;
}

/* Is this the requested function, by its name with or without a file? */
static bool is_meant(const struct report *r, const char *function)
{
	char name[KMAP_SYMBOL_MAX];
	const char *file = strstr(function, " (");

	snprintf(name, sizeof(name), "%.*s", file ? (int)(file - function) : -1, function);
	return kmem_filter_matches(r->what, function) || kmem_filter_matches(r->what, name);
}

/* Has a requested function displayed accesses? */
static bool check_what(const struct report *r, const struct sums *k)
{
	char function[KMAP_SYMBOL_MAX];
	struct part parts[ACCESS_SOURCES];
	int nr = tally_parts(r, parts), p;
	u32 i;

	for (p = 0; p < nr; p++) {
		for (i = 0; i < k->functions[parts[p].source].nr; i++) {
			report_function(k, parts[p].source, i, function);
			if (is_meant(r, function))
				return true;
		}
	}
	fprintf(stderr, "memorizer what: no access by '%s'%s\n", r->what,
		kmap_symbols_have(k->symbols, r->what) ? "" : ", and no function of that name");
	return false;
}

/* Add accesses to a member of each record that contains the accessed one. */
static void count_what(const struct sums *k, enum access_source source,
		       const struct noted *noted, struct tallies *t)
{
	const struct alias *alias;
	const char *type, *path;
	u32 first, nr = aliases_get(k->aliases + source, noted->names, &first);

	for (alias = k->aliases[source].all + first; nr; alias++, nr--) {
		type = alias->type ? texts_get(&k->names, alias->type) : NULL;
		path = alias->path ? texts_get(&k->names, alias->path) : NULL;
		tally_add(tally_row(t, named_path(path), type), noted->sum);
	}
}

static void print_what(const struct report *r, const struct sums *k)
{
	char function[KMAP_SYMBOL_MAX];
	struct part parts[ACCESS_SOURCES];
	const struct access_ip *ip;
	const struct noted *noted;
	struct tallies tallies;
	int nr = tally_parts(r, parts), p;
	u32 n;

	for (p = 0; p < nr; p++) {
		struct table t = {
			.name_title = "Member", .name_key = "field",
			.texts = { { "Type", "type" } },
			.columns = { TALLY_COLUMN_READS, TALLY_COLUMN_WRITES, TALLY_COLUMN_MOVES },
		};

		tally_init(&tallies);
		for (n = 0; n < k->noted[parts[p].source].nr; n++) {
			noted = hash_item(k->noted + parts[p].source, n);
			ip = hash_item(k->ips + parts[p].source, noted->key >> 32);
			report_function(k, parts[p].source, ip->function, function);
			if (is_meant(r, function))
				count_what(k, parts[p].source, noted, &tallies);
		}
		tally_print(r, k, parts + p, "ACCESSED MEMBERS", "members", &t, &tallies, false);
		tally_free(&tallies);
	}
}

static int run_who(int argc, char **argv)
{
	static const struct report_kind kind = {
		.command = &command_who, .wants = "TYPE[.FIELD]", .usual = "accesses",
		.takes = REPORT_MAINTAINERS, .rows = REPORT_ROWS,
		.needs_notes = true, .needs_accesses = true,
		.check = check_who, .print = print_who,
	};

	return report_run(argc, argv, &kind);
}

static int run_what(int argc, char **argv)
{
	static const struct report_kind kind = {
		.command = &command_what, .wants = "FUNCTION", .usual = "accesses",
		.rows = REPORT_ROWS, .needs_notes = true, .needs_accesses = true,
		.check = check_what, .print = print_what,
	};

	return report_run(argc, argv, &kind);
}

static const char * const who_usage[] = {
	"memorizer who --vmlinux FILE [OPTION...] TYPE[.FIELD] [KMAP|DIR|-]",
	"memorizer who --vmlinux FILE [OPTION...] VARIABLE[.FIELD] [KMAP|DIR|-]",
	"",
	"Prints the code that read and wrote a type, or a member and its contents: by function,",
	"source file and subsystem, which is the file's directory. An access to an embedded",
	"record, like that of _raw_spin_lock() to a lock, is also an access to the records",
	"around it. Accesses to one variable are selected by its name if the KMAP has kinds.",
	NULL
};

const struct command command_who = {
	.name = "who",
	.summary = "list the code that accesses a type or member",
	.usage = who_usage,
	.run = run_who,
};

static const char * const what_usage[] = {
	"memorizer what --vmlinux FILE [OPTION...] FUNCTION [KMAP|DIR|-]",
	"",
	"Prints the members of each type that a function read and wrote; * and ? match.",
	NULL
};

const struct command command_what = {
	.name = "what",
	.summary = "list the members that a function accesses",
	.usage = what_usage,
	.run = run_what,
};
