/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's filters, which a recording sets and restores. */
#ifndef KERNEL_FILTER_H
#define KERNEL_FILTER_H

#include "record/control.h"
#include "record/packet-filter.h"

/**
 * struct kernel_filter - the filters to set
 * @terms: terms for memorizer_filter, one per line; NULL: leave it as it is
 * @fields: terms for memorizer_fields; NULL: leave it as it is
 * @cgroups: paths for memorizer_cgroup; NULL: leave it as it is
 * @children: include children of the tasks; without @pids, the command and its children
 * @pids: tasks to include; empty: all tasks, or with @children the command
 * @before: content of memorizer_filter before; NULL if it was not changed
 * @fields_before: content of memorizer_fields before; NULL if it was not changed
 * @cgroups_before: content of memorizer_cgroup before; NULL if it was not changed
 * @pids_before: content of memorizer_pid before; NULL if it was not changed
 * @children_before: value of memorizer_pid_fork before
 * @logs: the recording enabled memorizer_log_access
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
