// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's active filters: their files in debugfs, and their boot parameters.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/seq_file.h>

#include "filter.h"
#include "hooks.h"
#include "list_file.h"
#include "memorizer.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "memorizer."

/* Guards filters. */
static DEFINE_MUTEX(filter_mutex);

/* NULL is the default: record everything, count nothing by granule. */
static struct memorizer_filter *filters[MEMORIZER_CHOICES];

/* Apply a filter's terms for code. Without any, all code is selected. */
static int filter_code(enum memorizer_choice which, const struct memorizer_filter *new)
{
	if (new && !memorizer_filter_has_code(new))
		new = NULL;
	if (which == MEMORIZER_RECORDED)
		return memorizer_filter_code(new);
	if (!new)
		return 0;
	pr_warn("memorizer_fields accepts only kind:GLOB, cache:GLOB and alloc:GLOB\n");
	return -EINVAL;
}

/* Replace a filter by the terms in @text, or append them. Changes nothing on an error. */
static int change(enum memorizer_choice which, const char *text, bool add)
{
	struct memorizer_filter *new;
	int err;

	mutex_lock(&filter_mutex);
	new = memorizer_make_filter(add ? filters[which] : NULL, text);
	err = PTR_ERR_OR_ZERO(new);
	if (!err) {
		/* First: this can fail, and then nothing must have changed. */
		err = filter_code(which, new);
		if (!err) {
			memorizer_filter_objects(which, new);
			/* On success, free the old filter below; on an error, the new one. */
			swap(filters[which], new);
		}
		memorizer_free_filter(new);
	}
	mutex_unlock(&filter_mutex);
	return err;
}

static int change_filter(const char *text, bool add)
{
	return change(MEMORIZER_RECORDED, text, add);
}

static int change_fields(const char *text, bool add)
{
	return change(MEMORIZER_FIELDS, text, add);
}

/**
 * memorizer_set_filter() - set the filter of sites and objects
 * @text: terms of the new filter; none to select everything
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, or -EINVAL or -ENOMEM, which change nothing
 */
int memorizer_set_filter(const char *text)
{
	return change_filter(text, false);
}

/**
 * memorizer_set_fields() - set the filter of objects whose accesses are counted by granule
 * @text: terms for objects; none to select no object
 *
 * Applies to new objects only.
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, or -EINVAL or -ENOMEM, which change nothing
 */
int memorizer_set_fields(const char *text)
{
	return change_fields(text, false);
}

static void show(struct seq_file *m, enum memorizer_choice which)
{
	mutex_lock(&filter_mutex);
	if (filters[which])
		memorizer_filter_show(filters[which], m);
	mutex_unlock(&filter_mutex);
}

static int filter_show(struct seq_file *m, void *unused)
{
	show(m, MEMORIZER_RECORDED);
	return 0;
}

static int fields_show(struct seq_file *m, void *unused)
{
	show(m, MEMORIZER_FIELDS);
	return 0;
}

static int filter_open(struct inode *inode, struct file *file)
{
	return single_open(file, filter_show, NULL);
}

static int fields_open(struct inode *inode, struct file *file)
{
	return single_open(file, fields_show, NULL);
}

static ssize_t filter_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	return memorizer_write_list(file, buf, count, pos, change_filter);
}

static ssize_t fields_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	return memorizer_write_list(file, buf, count, pos, change_fields);
}

static const struct file_operations filter_fops = {
	.owner = THIS_MODULE,
	.open = filter_open,
	.read = seq_read,
	.write = filter_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static const struct file_operations fields_fops = {
	.owner = THIS_MODULE,
	.open = fields_open,
	.read = seq_read,
	.write = fields_write,
	.llseek = seq_lseek,
	.release = single_release,
};

/**
 * memorizer_filter_files() - create the files of the filters
 * @dir: Memorizer's directory in debugfs
 *
 * Context: process context, may sleep.
 */
void memorizer_filter_files(struct dentry *dir)
{
	debugfs_create_file("memorizer_filter", 0600, dir, NULL, &filter_fops);
	debugfs_create_file("memorizer_fields", 0600, dir, NULL, &fields_fops);
}

/* Point into the command line. */
static const char *boot_filter __initdata, *boot_fields __initdata;

/* Only check the syntax: the parameters are parsed before memory can be allocated. */
static int __init take_filter(const char *text, const struct kernel_param *param)
{
	if (!memorizer_is_filter(text))
		return -EINVAL;
	*(const char **)param->arg = text;
	return 0;
}

static const struct kernel_param_ops filter_ops __initconst = {
	.set = take_filter,
};

module_param_cb(filter, &filter_ops, &boot_filter, 0);
module_param_cb(fields, &filter_ops, &boot_fields, 0);

/**
 * memorizer_filter_init() - set the filters that the command line asks for
 *
 * Context: boot, one CPU, once: vmalloc is up.
 * Return: 0, or the error of memorizer.filter=
 */
int __init memorizer_filter_init(void)
{
	int err;

	err = boot_fields ? memorizer_set_fields(boot_fields) : 0;
	if (err)
		pr_err("cannot count accesses by granule: error %d\n", err);
	err = boot_filter ? memorizer_set_filter(boot_filter) : 0;
	if (err)
		pr_err("cannot filter accesses: error %d\n", err);
	return err;
}
