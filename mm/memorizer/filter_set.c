// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's active filters, and their files in debugfs.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "filter.h"
#include "hooks.h"
#include "memorizer.h"

/* Maximum size of a write, including a NUL. */
#define LIST_MAX	SZ_4K

/**
 * memorizer_write_list() - change a list through its file
 * @file: the file
 * @buf: text in user space, less than 4 KiB
 * @count: bytes of it
 * @pos: position; the text is appended to the list if this is not 0, or with O_APPEND
 * @change: takes the text, and whether to append it; returns 0 or a negative error code
 *
 * Context: process context, may sleep.
 * Return: @count; -EINVAL if the text is too long or contains a NUL, -EFAULT, -ENOMEM, or the
 *	error of @change
 */
ssize_t memorizer_write_list(struct file *file, const char __user *buf, size_t count, loff_t *pos,
			     int (*change)(const char *text, bool add))
{
	char *text;
	int err;

	/* Not a partial write, which could cut a term in two. */
	if (count >= LIST_MAX)
		return -EINVAL;
	text = memdup_user_nul(buf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	/* A NUL inside the text would silently cut it off. */
	err = strlen(text) == count ? change(text, *pos || (file->f_flags & O_APPEND)) : -EINVAL;
	kfree(text);
	if (err)
		return err;
	/* The next write through this file appends. */
	*pos += count;
	return count;
}

/* Guards filters. */
static DEFINE_MUTEX(filter_mutex);

/* NULL is the default: record everything, count nothing by granule. */
static struct memorizer_filter *filters[MEMORIZER_CHOICES];

/* Apply a filter's terms for code. */
static int filter_code(enum memorizer_choice which, const struct memorizer_filter *new)
{
	if (which == MEMORIZER_RECORDED)
		return memorizer_filter_sites(new);
	if (!new || !memorizer_filter_has_code(new))
		return 0;
	pr_warn("memorizer_fields accepts only cache:GLOB and alloc:GLOB\n");
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

const struct file_operations memorizer_filter_fops = {
	.owner = THIS_MODULE,
	.open = filter_open,
	.read = seq_read,
	.write = filter_write,
	.llseek = seq_lseek,
	.release = single_release,
};

const struct file_operations memorizer_fields_fops = {
	.owner = THIS_MODULE,
	.open = fields_open,
	.read = seq_read,
	.write = fields_write,
	.llseek = seq_lseek,
	.release = single_release,
};
