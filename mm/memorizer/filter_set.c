// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's filter that is in effect, and its file in debugfs.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>

#include "filter.h"
#include "memorizer.h"

/* Serializes changing the filter, and reading it back. */
static DEFINE_MUTEX(filter_mutex);

/* NULL: everything is taken. */
static struct memorizer_filter *filter;

/* Has @text follow the terms that there are, or take their place; all of it or nothing. */
static int change_filter(const char *text, bool add)
{
	struct memorizer_filter *new;
	int err;

	mutex_lock(&filter_mutex);
	new = memorizer_make_filter(add ? filter : NULL, text);
	err = PTR_ERR_OR_ZERO(new);
	if (!err) {
		err = memorizer_filter_sites(new);
		/* The one that is not in use now is freed. */
		if (!err) {
			memorizer_filter_objects(new);
			swap(filter, new);
		}
		memorizer_free_filter(new);
	}
	mutex_unlock(&filter_mutex);
	return err;
}

/**
 * memorizer_set_filter() - change what is logged and recorded
 * @text: the new filter's terms; none: everything
 *
 * Context: process context, may sleep; or boot, one CPU.
 * Return: 0, or -EINVAL or -ENOMEM: then nothing has changed
 */
int memorizer_set_filter(const char *text)
{
	return change_filter(text, false);
}

static int filter_show(struct seq_file *m, void *unused)
{
	mutex_lock(&filter_mutex);
	if (filter)
		memorizer_filter_show(filter, m);
	mutex_unlock(&filter_mutex);
	return 0;
}

static int filter_open(struct inode *inode, struct file *file)
{
	return single_open(file, filter_show, NULL);
}

static ssize_t filter_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	return memorizer_write_list(file, buf, count, pos, change_filter);
}

const struct file_operations memorizer_filter_fops = {
	.owner = THIS_MODULE,
	.open = filter_open,
	.read = seq_read,
	.write = filter_write,
	.llseek = seq_lseek,
	.release = single_release,
};
