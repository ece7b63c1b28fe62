// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's files in debugfs: the switches, and the way to KMAP and statistics.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "memorizer.h"
#include "observer.h"

/**
 * memorizer_read_switch() - give a switch's value to who reads its file
 * @buf: where to
 * @count: room there, in bytes
 * @pos: position in the file
 * @on: the value
 *
 * Context: process context, may sleep.
 * Return: how many bytes were given, or a negative error code
 */
ssize_t memorizer_read_switch(char __user *buf, size_t count, loff_t *pos, bool on)
{
	return simple_read_from_buffer(buf, count, pos, on ? "1\n" : "0\n", 2);
}

/* Like kstrtobool(), which looks at the first letters only, but for the whole text. */
static int parse_text(char *text, bool *on)
{
	text = strstrip(text);
	if (strlen(text) != 1 && strcasecmp(text, "on") && strcasecmp(text, "off"))
		return -EINVAL;
	return kstrtobool(text, on);
}

/**
 * memorizer_parse_switch() - take the boolean that was written to a switch's file
 * @buf: what was written
 * @count: bytes of it
 * @on: is set
 *
 * Context: process context, may sleep.
 * Return: 0, -EINVAL if it is no boolean, -EFAULT
 */
int memorizer_parse_switch(const char __user *buf, size_t count, bool *on)
{
	char text[8] = "";

	if (count >= sizeof(text))
		return -EINVAL;
	if (copy_from_user(text, buf, count))
		return -EFAULT;
	return parse_text(text, on);
}

/* Hands the boolean that was written to @set. */
static ssize_t write_switch(const char __user *buf, size_t count, int (*set)(bool on))
{
	bool on;
	int err;

	err = memorizer_parse_switch(buf, count, &on);
	if (!err)
		err = set(on);
	return err ?: count;
}

static ssize_t enabled_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	return memorizer_read_switch(buf, count, pos, memorizer_is_enabled());
}

static ssize_t enabled_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	return write_switch(buf, count, memorizer_set_enabled);
}

static const struct file_operations enabled_fops = {
	.owner = THIS_MODULE,
	.read = enabled_read,
	.write = enabled_write,
	.llseek = default_llseek,
};

static ssize_t log_access_read(struct file *file, char __user *buf, size_t count, loff_t *pos)
{
	return memorizer_read_switch(buf, count, pos, memorizer_is_logging());
}

static ssize_t log_access_write(struct file *file, const char __user *buf, size_t count,
				loff_t *pos)
{
	return write_switch(buf, count, memorizer_set_log_access);
}

static const struct file_operations log_access_fops = {
	.owner = THIS_MODULE,
	.read = log_access_read,
	.write = log_access_write,
	.llseek = default_llseek,
};

static int clear_if(bool on)
{
	if (on)
		memorizer_clear();
	return 0;
}

static ssize_t clear_write(struct file *file, const char __user *buf, size_t count, loff_t *pos)
{
	return write_switch(buf, count, clear_if);
}

static const struct file_operations clear_fops = {
	.owner = THIS_MODULE,
	.write = clear_write,
	.llseek = noop_llseek,
};

static int memorizer_stats_open(struct inode *inode, struct file *file)
{
	return single_open(file, memorizer_stats_show, NULL);
}

static const struct file_operations stats_fops = {
	.owner = THIS_MODULE,
	.open = memorizer_stats_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init memorizer_debugfs_init(void)
{
	struct dentry *dir = debugfs_create_dir("memorizer", NULL);

	debugfs_create_file("memorizer_enabled", 0600, dir, NULL, &enabled_fops);
	debugfs_create_file("memorizer_log_access", 0600, dir, NULL, &log_access_fops);
	debugfs_create_file("clear_object_list", 0200, dir, NULL, &clear_fops);
	debugfs_create_file("show_stats", 0400, dir, NULL, &stats_fops);
	debugfs_create_file("kmap", 0400, dir, NULL, &memorizer_kmap_fops);
	memorizer_observer_files(dir);
	return 0;
}
late_initcall(memorizer_debugfs_init);
