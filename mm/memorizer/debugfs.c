// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's files in debugfs.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/seq_file.h>

#include "alloc_stack.h"
#include "calls.h"
#include "clear.h"
#include "filter.h"
#include "hooks.h"
#include "kmap.h"
#include "memorizer.h"
#include "observer.h"
#include "sites.h"
#include "subjects.h"
#include "switch_file.h"
#include "tasks.h"
#include "traffic.h"

static bool is_enabled(unsigned int unused)
{
	return memorizer_is_enabled();
}

static int set_enabled(unsigned int unused, bool on)
{
	int err = memorizer_set_enabled(on);

	if (!on)
		memorizer_warn_full();
	return err;
}

static const struct memorizer_switch enabled = { .is_on = is_enabled, .set = set_enabled };

static bool is_logging(unsigned int unused)
{
	return memorizer_is_logging();
}

static int set_log_access(unsigned int unused, bool on)
{
	int err = memorizer_set_log_access(on);

	if (!on)
		memorizer_warn_full();
	return err;
}

static const struct memorizer_switch log_access = { .is_on = is_logging, .set = set_log_access };

static bool has_pid_fork(unsigned int unused)
{
	return memorizer_has_pid_fork();
}

static int set_pid_fork(unsigned int unused, bool on)
{
	return memorizer_set_pid_fork(on);
}

static const struct memorizer_switch pid_fork = { .is_on = has_pid_fork, .set = set_pid_fork };

static int clear_if(unsigned int unused, bool on)
{
	if (on)
		memorizer_clear();
	return 0;
}

/* Write-only. */
static const struct memorizer_switch clear = { .set = clear_if };

DEFINE_SHOW_ATTRIBUTE(memorizer_stats);

static int __init memorizer_debugfs_init(void)
{
	struct dentry *dir = debugfs_create_dir("memorizer", NULL);

	/* Errors are ignored, as usual with debugfs: recording also works without files. */
	debugfs_create_file("memorizer_enabled", 0600, dir, (void *)&enabled,
			    &memorizer_switch_fops);
	debugfs_create_file("memorizer_log_access", 0600, dir, (void *)&log_access,
			    &memorizer_switch_fops);
	debugfs_create_file("memorizer_pid", 0600, dir, NULL, &memorizer_pids_fops);
	debugfs_create_file("memorizer_pid_fork", 0600, dir, (void *)&pid_fork,
			    &memorizer_switch_fops);
	if (IS_ENABLED(CONFIG_CGROUPS))
		debugfs_create_file("memorizer_cgroup", 0600, dir, NULL, &memorizer_cgroups_fops);
	debugfs_create_file("clear_object_list", 0200, dir, (void *)&clear, &memorizer_switch_fops);
	debugfs_create_file("show_stats", 0400, dir, NULL, &memorizer_stats_fops);
	debugfs_create_file("kmap", 0400, dir, (void *)MEMORIZER_KMAP, &memorizer_kmap_fops);
	debugfs_create_file("kmap_fields", 0400, dir, (void *)MEMORIZER_KMAP_FIELDS,
			    &memorizer_kmap_fops);
	memorizer_kinds_files(dir);
	memorizer_stack_files(dir);
	memorizer_filter_files(dir);
	memorizer_traffic_files(dir);
	memorizer_calls_files(dir);
	memorizer_subject_files(dir);
	memorizer_observer_files(dir);
	return 0;
}
late_initcall(memorizer_debugfs_init);
