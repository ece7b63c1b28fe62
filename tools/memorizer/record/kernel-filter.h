/* SPDX-License-Identifier: GPL-2.0 */
/* What a recording is narrowed to: the kernel's filters, which are put back in the end. */
#ifndef KERNEL_FILTER_H
#define KERNEL_FILTER_H

#include "record/control.h"
#include "record/packet-filter.h"

/**
 * struct kernel_filter - filters for the kernel
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
struct kernel_filter {
	char *terms, *fields, *cgroups;
	bool children;
	const struct number_list *pids;
	char *before, *fields_before, *cgroups_before, *pids_before;
	bool children_before, logs;
};

bool kernel_filter_add(struct kernel_filter *f, const char *kind, const char *globs);
bool kernel_filter_add_fields(struct kernel_filter *f, const char *terms);
bool kernel_filter_add_cgroups(struct kernel_filter *f, const char *paths);
bool kernel_filter_is_needed(const struct kernel_filter *f);
bool kernel_filter_read(struct kernel_filter *f, const struct control *c, bool or_packets);
bool kernel_filter_begin(const struct kernel_filter *f, const struct control *c);
bool kernel_filter_waits(const struct kernel_filter *f);
bool kernel_filter_command(const struct control *c, pid_t pid);
bool kernel_filter_log(struct kernel_filter *f, const struct control *c, bool on);
void kernel_filter_print(const struct kernel_filter *f, const struct control *c, FILE *to);
void kernel_filter_parse(struct kernel_filter *f, const char *text);
bool kernel_filter_end(struct kernel_filter *f, const struct control *c);
void kernel_filter_free(struct kernel_filter *f);

#endif
