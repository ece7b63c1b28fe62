// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's subjects: switch what counts are kept for, and the files of that in debugfs.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/array_size.h>
#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "list_file.h"
#include "memorizer.h"
#include "observer.h"
#include "subjects.h"
#include "tasks.h"

#define SEPARATORS	" \t\n,"

static const struct {
	const char *name;
	unsigned int mode;
} modes[] = {
	{ "pid", 0 },
	{ "uid", MEMORIZER_BY_UID },
	{ "gid", MEMORIZER_BY_GID },
	{ "entry", MEMORIZER_BY_ENTRY },
};

/* Serializes changes of the mode. */
static DEFINE_MUTEX(mode_mutex);

static void update_tasks(bool reset)
{
	struct task_struct *leader, *task;
	int cpu;

	/* Excludes fork: each new task is either in the list, or sees the new mode. */
	read_lock(&tasklist_lock);
	for_each_process_thread(leader, task) {
		if (reset)
			memorizer_reset_entry(task);
		memorizer_update_subject(task);
	}
	for_each_possible_cpu(cpu) {
		if (reset)
			memorizer_reset_entry(idle_task(cpu));
		memorizer_update_subject(idle_task(cpu));
	}
	read_unlock(&tasklist_lock);
	memorizer_load_keys();
}

static void change_mode(unsigned int mode)
{
	/* Entries of tasks are forgotten before hooks keep them, or no longer do. */
	bool reset = (mode ^ memorizer_subject_mode) & MEMORIZER_BY_ENTRY;

	if (reset && mode & MEMORIZER_BY_ENTRY)
		update_tasks(true);
	WRITE_ONCE(memorizer_subject_mode, mode);
	/* All code that used the old mode is done. Also orders the mode before credentials. */
	memorizer_grace_period();
	update_tasks(reset && !(mode & MEMORIZER_BY_ENTRY));
}

static int set_mode(unsigned int mode)
{
	bool had_entries = memorizer_subject_mode & MEMORIZER_BY_ENTRY;
	bool has_entries = mode & MEMORIZER_BY_ENTRY;
	int err = mode ? memorizer_make_subjects() : 0;

	if (!err && has_entries && !had_entries)
		err = memorizer_observe_entries(true);
	if (err)
		return err;
	change_mode(mode);
	if (had_entries && !has_entries)
		memorizer_observe_entries(false);
	return 0;
}

/**
 * memorizer_set_subject_mode() - select what counts are kept for from now on
 * @mode: MEMORIZER_BY_UID and others; 0 for pids
 *
 * Context: process context, may sleep.
 * Return: 0; -ENOMEM, or -EOPNOTSUPP if kernel entries are not known
 */
int memorizer_set_subject_mode(unsigned int mode)
{
	int err;

	mutex_lock(&mode_mutex);
	err = mode == memorizer_subject_mode ? 0 : set_mode(mode);
	mutex_unlock(&mode_mutex);
	return err;
}

/* Parse a list of names. Returns false, with a message, if one is unknown. */
static bool parse_mode(const char *text, unsigned int *mode)
{
	unsigned int all = 0, i;
	bool pid = false;
	size_t length;

	while (*(text += strspn(text, SEPARATORS))) {
		length = strcspn(text, SEPARATORS);
		for (i = 0; i < ARRAY_SIZE(modes); i++)
			if (strlen(modes[i].name) == length &&
			    !strncmp(text, modes[i].name, length))
				break;
		if (i == ARRAY_SIZE(modes)) {
			pr_warn_ratelimited("no context '%*pE'; want pid, or some of uid, gid and entry\n",
					    (int)min_t(size_t, length, 64), text);
			return false;
		}
		pid |= !modes[i].mode;
		all |= modes[i].mode;
		text += length;
	}
	if (pid != !all) {
		pr_warn_ratelimited("%s; want pid, or some of uid, gid and entry\n",
				    pid ? "a context with a pid" : "no context");
		return false;
	}
	*mode = all;
	return true;
}

static int change(const char *text, bool add)
{
	unsigned int mode;

	if (!parse_mode(text, &mode))
		return -EINVAL;
	return memorizer_set_subject_mode(mode | (add ? READ_ONCE(memorizer_subject_mode) : 0));
}

static int mode_show(struct seq_file *m, void *unused)
{
	unsigned int mode = READ_ONCE(memorizer_subject_mode), i;

	for (i = 0; i < ARRAY_SIZE(modes); i++)
		if (mode ? mode & modes[i].mode : !modes[i].mode)
			seq_printf(m, "%s\n", modes[i].name);
	return 0;
}

static int mode_open(struct inode *inode, struct file *file)
{
	return single_open(file, mode_show, NULL);
}

static ssize_t mode_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	return memorizer_write_list(file, buf, count, pos, change);
}

static const struct file_operations mode_fops = {
	.owner = THIS_MODULE,
	.open = mode_open,
	.read = seq_read,
	.write = mode_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static const char *name_of(unsigned int kind)
{
	switch (kind) {
	case MEMORIZER_SYSCALL:
		return "syscall";
	case MEMORIZER_INTERRUPT:
		return "interrupt";
	case MEMORIZER_EXCEPTION:
		return "exception";
	case MEMORIZER_SOFTIRQ:
		return "softirq";
	case MEMORIZER_KTHREAD:
		return "kthread";
	default:
		return "none";
	}
}

static int contexts_show(struct seq_file *m, void *unused)
{
	const struct memorizer_subject *subject;
	u32 i;

	for (i = 0; i < MEMORIZER_SUBJECTS; i++) {
		subject = memorizer_subject_at(i);
		if (subject)
			seq_printf(m, "%u,%u,%u,%s,%u\n", MEMORIZER_OTHERS + i, subject->uid,
				   subject->gid, name_of(MEMORIZER_ENTRY_KIND(subject->entry)),
				   MEMORIZER_ENTRY_NUMBER(subject->entry));
	}
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(contexts);

/**
 * memorizer_subject_files() - create the files of contexts
 * @dir: Memorizer's directory in debugfs
 *
 * Context: process context, may sleep.
 */
void memorizer_subject_files(struct dentry *dir)
{
	debugfs_create_file("memorizer_context", 0600, dir, NULL, &mode_fops);
	debugfs_create_file("contexts", 0400, dir, NULL, &contexts_fops);
}

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "memorizer."

static unsigned int boot_mode __initdata;

static int __init take_mode(const char *text, const struct kernel_param *param)
{
	return parse_mode(text, &boot_mode) ? 0 : -EINVAL;
}

static const struct kernel_param_ops mode_ops __initconst = {
	.set = take_mode,
};

module_param_cb(context, &mode_ops, NULL, 0);

/* As early as the choice of tasks, see tasks.c. */
static int __init set_mode_at_boot(void)
{
	int err = boot_mode ? memorizer_set_subject_mode(boot_mode) : 0;

	if (err)
		pr_err("cannot keep counts by context: error %d\n", err);
	return 0;
}
core_initcall(set_mode_at_boot);
