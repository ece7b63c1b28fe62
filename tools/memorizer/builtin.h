/* SPDX-License-Identifier: GPL-2.0 */
/* What the commands of memorizer have in common: their description and their input. */
#ifndef BUILTIN_H
#define BUILTIN_H

#include "kmap.h"

/* Exit statuses. */
enum {
	EXIT_FINE,
	EXIT_MALFORMED,		/* lines were malformed, sums overflowed, a trace is unsound */
	EXIT_UNABLE,		/* wrong usage, a file that cannot be read or written */
	EXIT_INCOMPLETE,	/* nothing of that, but a trace lacks events */
};

/**
 * struct command - a command
 * @name: its name
 * @summary: what it does, in a line
 * @usage: all that its help prints below the summary
 * @run: runs it; argv[0] is "memorizer NAME"; returns the exit status
 */
struct command {
	const char *name, *summary, *usage;
	int (*run)(int argc, char **argv);
};

extern const struct command command_report, command_symbolize, command_check, command_kmap;
extern const struct command command_record, command_diff, command_qemu, command_script;
extern const struct command command_fold, command_timeline, command_sharing, command_html;
extern const struct command command_false_sharing, command_per_entry, command_serial;
extern const struct command command_cache_assoc, command_stacks, command_summary;
extern const struct command command_types, command_layout, command_who, command_what;
extern const struct command command_conflicts;
extern const struct command command_rcu, command_top;

int usage_error(const char *name);
void print_usage(const struct command *c);

/**
 * struct input - the KMAP that a command reads
 * @name: its name in messages
 * @fd: its file descriptor
 * @reader: its reader
 */
struct input {
	const char *name;
	int fd;
	struct kmap_reader reader;
};

bool input_is_trace(const char *path);
const char *input_name(int argc, char **argv);
bool input_open(struct input *in, int argc, char **argv);
enum kmap_event input_next(struct input *in);
int input_close(struct input *in, enum kmap_event last);
void input_unresolved(u32 missing, u32 all, bool kallsyms);

#endif
