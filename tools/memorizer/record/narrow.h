/* SPDX-License-Identifier: GPL-2.0 */
/* What a recording is narrowed to: the kernel's filters, which are put back in the end. */
#ifndef NARROW_H
#define NARROW_H

#include "record/control.h"
#include "record/sieve.h"

/**
 * struct narrow - filters for the kernel
 * @terms: terms, a line for each; NULL: no code and no objects are filtered
 * @fields: likewise of the objects whose accesses are counted by place; NULL: as it was
 * @cgroups: likewise the control groups whose members are chosen; NULL: as it was
 * @children: whether children of tasks are chosen, too; without @pids those of a command
 * @pids: the tasks that are chosen; none: all, or the command if there are @children
 * @before: the terms that were there; NULL: they are there still
 * @fields_before: likewise those of @fields
 * @cgroups_before: likewise the control groups
 * @pids_before: likewise the tasks
 * @children_before: likewise whether their children were chosen
 * @logs: whether accesses are logged because of this
 */
struct narrow {
	char *terms, *fields, *cgroups;
	bool children;
	const struct sieve_list *pids;
	char *before, *fields_before, *cgroups_before, *pids_before;
	bool children_before, logs;
};

bool narrow_add(struct narrow *n, const char *kind, const char *globs);
bool narrow_add_fields(struct narrow *n, const char *terms);
bool narrow_add_cgroups(struct narrow *n, const char *paths);
bool narrow_is_needed(const struct narrow *n);
bool narrow_read(struct narrow *n, const struct control *c, bool else_sieve);
bool narrow_begin(const struct narrow *n, const struct control *c);
bool narrow_waits(const struct narrow *n);
bool narrow_to_command(const struct control *c, pid_t pid);
bool narrow_log(struct narrow *n, const struct control *c, bool on);
void narrow_print(const struct narrow *n, const struct control *c, FILE *to);
void narrow_parse(struct narrow *n, const char *text);
bool narrow_end(struct narrow *n, const struct control *c);
void narrow_free(struct narrow *n);

#endif
