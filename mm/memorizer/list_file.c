// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's files in debugfs that hold a list.
 */
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "list_file.h"

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
