/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's files in debugfs that hold a list.
 */
#ifndef _MM_MEMORIZER_LIST_FILE_H
#define _MM_MEMORIZER_LIST_FILE_H

#include <linux/compiler.h>
#include <linux/types.h>

struct file;

ssize_t memorizer_write_list(struct file *file, const char __user *buf, size_t count, loff_t *pos,
			     int (*change)(const char *text, bool add));

#endif /* _MM_MEMORIZER_LIST_FILE_H */
