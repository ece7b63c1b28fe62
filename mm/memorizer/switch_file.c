// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's files in debugfs that hold a boolean.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/kstrtox.h>
#include <linux/module.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "switch_file.h"

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
