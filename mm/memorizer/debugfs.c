// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's files in debugfs.
 */
#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "clear.h"
#include "debugfs.h"
#include "filter.h"
#include "hooks.h"
#include "kmap.h"
#include "memorizer.h"
#include "observer.h"
#include "sites.h"
#include "tasks.h"
#include "traffic.h"

static ssize_t switch_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	const struct memorizer_switch *which = file_inode(file)->i_private;

	/* Root may open a write-only file for reading. */
	if (!which->is_on)
		return -EINVAL;
	return simple_read_from_buffer(buf, count, pos, which->is_on(which->id) ? "1\n" : "0\n", 2);
}

/* kstrtobool() ignores all but the first two characters; reject other text. */
static int parse_bool(char *text, bool *on)
{
	text = strstrip(text);
	if (strlen(text) != 1 && strcasecmp(text, "on") && strcasecmp(text, "off"))
		return -EINVAL;
	return kstrtobool(text, on);
}

static ssize_t switch_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	const struct memorizer_switch *which = file_inode(file)->i_private;
	char text[8] = "";
	bool on;
	int err;

	/* Leave room for the NUL. */
	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	err = parse_bool(text, &on);
	if (!err)
		err = which->set(which->id, on);
	return err ?: count;
}

const struct file_operations memorizer_switch_fops = {
	.owner = THIS_MODULE,
	.read = switch_read,
	.write = switch_write,
	.llseek = default_llseek,
};

static bool is_enabled(unsigned int unused)
{
	return memorizer_is_enabled();
}

static int set_enabled(unsigned int unused, bool on)
{
	return memorizer_set_enabled(on);
}

static const struct memorizer_switch enabled = { .is_on = is_enabled, .set = set_enabled };

static bool is_logging(unsigned int unused)
{
	return memorizer_is_logging();
}

static int set_log_access(unsigned int unused, bool on)
{
	return memorizer_set_log_access(on);
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
	debugfs_create_file("kmap", 0400, dir, NULL, &memorizer_kmap_fops);
	debugfs_create_file("kmap_fields", 0400, dir, NULL, &memorizer_fields_kmap_fops);
	memorizer_filter_files(dir);
	memorizer_traffic_files(dir);
	memorizer_observer_files(dir);
	return 0;
}
late_initcall(memorizer_debugfs_init);
