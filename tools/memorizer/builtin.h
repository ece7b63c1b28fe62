/* SPDX-License-Identifier: GPL-2.0 */
/* The commands of memorizer. */
#ifndef BUILTIN_H
#define BUILTIN_H

#include "kmap/input.h"
#include "lib/status.h"

/**
 * struct command - a command
 * @name: its name
 * @summary: what it does, in a line
 * @usage: for libsubcmd: lines of usage, "", lines of description, NULL
 * @run: runs it; argv[0] is "memorizer NAME"; returns the exit status
 */
struct command {
	const char *name, *summary;
	const char * const *usage;
	int (*run)(int argc, char **argv);
};

extern const struct command command_report, command_symbolize, command_check, command_kmap;
extern const struct command command_record, command_diff, command_qemu, command_script;
extern const struct command command_fold, command_timeline, command_sharing, command_html;
extern const struct command command_false_sharing, command_per_entry, command_serial;
extern const struct command command_cache_assoc, command_stacks, command_summary;
extern const struct command command_types, command_layout, command_who, command_what;
extern const struct command command_conflicts;
extern const struct command command_rcu, command_top, command_privilege, command_export;
extern const struct command command_calls;

#endif
