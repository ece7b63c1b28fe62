/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's choice of tasks: whose accesses are recorded.
 */
#ifndef _MM_MEMORIZER_TASKS_H
#define _MM_MEMORIZER_TASKS_H

#include <linux/types.h>

struct file_operations;

int memorizer_set_pids(const char *text);
int memorizer_set_pid_fork(bool on);
bool memorizer_has_pid_fork(void);
void memorizer_load_running_keys(void);
void memorizer_load_keys(void);
extern const struct file_operations memorizer_pids_fops;

/* cgroups.c */
extern const struct file_operations memorizer_cgroups_fops;

#endif /* _MM_MEMORIZER_TASKS_H */
