/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's files in debugfs that hold a boolean.
 */
#ifndef _MM_MEMORIZER_SWITCH_FILE_H
#define _MM_MEMORIZER_SWITCH_FILE_H

#include <linux/types.h>

/**
 * struct memorizer_switch - private data of a file with memorizer_switch_fops
 * @is_on: returns the file's value
 * @set: sets it; returns 0 or a negative error code
 * @id: argument of both
 */
struct memorizer_switch {
	bool (*is_on)(unsigned int id);
	int (*set)(unsigned int id, bool on);
	unsigned int id;
};

extern const struct file_operations memorizer_switch_fops;

#endif /* _MM_MEMORIZER_SWITCH_FILE_H */
