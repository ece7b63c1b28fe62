/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's filters, which a recording sets and restores. */
#ifndef KERNEL_FILTER_H
#define KERNEL_FILTER_H

#include "record/control.h"
#include "record/packet-filter.h"

/* The kernel's files that hold filters, in the order in which they are set. */
enum kernel_filter_file { FILTER_TERMS, FILTER_FIELDS, FILTER_CGROUPS, FILTER_PIDS, NR_FILTERS };

/**
 * struct kernel_filter - the filters to set
 * @lines: lines to write to each file but FILTER_PIDS; NULL: leave it as it is
 * @before: content of each file before; NULL if it was not changed
 * @children: include children of the tasks; without @pids, the command and its children
 * @pids: tasks to include; empty: all tasks, or with @children the command
 * @children_before: value of memorizer_pid_fork before
 * @logs: the recording enabled memorizer_log_access
 */
struct kernel_filter {
	char *lines[NR_FILTERS], *before[NR_FILTERS];
	bool children;
	const struct number_list *pids;
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
