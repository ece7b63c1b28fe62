// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's allocation stacks: their files in debugfs, and their boot parameter.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/debugfs.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/kstrtox.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/rwsem.h>
#include <linux/stackdepot.h>

#include "alloc_stack.h"
#include "kmap.h"
#include "memorizer.h"
#include "object.h"

/**
 * memorizer_set_stack_depth() - switch the saving of stacks
 * @depth: frames of each stack, at most MEMORIZER_STACK_MAX; 0 to save none
 *
 * Context: process context, may sleep.
 * Return: 0, or -ENOMEM if there is no memory for the depot's table
 */
int memorizer_set_stack_depth(unsigned int depth)
{
	int err = depth ? stack_depot_init() : 0;

	if (err)
		return err;
	down_write(&memorizer_rwsem);
	WRITE_ONCE(memorizer_stack_depth, depth);
	memorizer_switch_hooks(MEMORIZER_DO_STACK, depth);
	up_write(&memorizer_rwsem);
	return 0;
}

static int check_depth(u64 depth)
{
	if (depth <= MEMORIZER_STACK_MAX)
		return 0;
	pr_warn_ratelimited("no stacks of %llu frames; want 0 to %u\n", depth,
			    MEMORIZER_STACK_MAX);
	return -EINVAL;
}

static int get_depth(void *unused, u64 *depth)
{
	*depth = READ_ONCE(memorizer_stack_depth);
	return 0;
}

static int set_depth(void *unused, u64 depth)
{
	return check_depth(depth) ?: memorizer_set_stack_depth(depth);
}

DEFINE_DEBUGFS_ATTRIBUTE(depth_fops, get_depth, set_depth, "%llu\n");

/**
 * memorizer_stack_files() - create the files of allocation stacks
 * @dir: Memorizer's directory in debugfs
 *
 * Context: process context, may sleep.
 */
void memorizer_stack_files(struct dentry *dir)
{
	debugfs_create_file("memorizer_stacks", 0600, dir, NULL, &depth_fops);
	debugfs_create_file("kmap_stacks", 0400, dir, (void *)MEMORIZER_KMAP_STACKS,
			    &memorizer_kmap_fops);
}

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "memorizer."

/* Parameters are parsed before the depot is set up, and before anything is recorded. */
static int __init take_depth(const char *text, const struct kernel_param *param)
{
	unsigned int depth;
	int err = kstrtouint(text, 0, &depth) ?: check_depth(depth);

	if (err)
		return err;
	if (depth)
		stack_depot_request_early_init();
	memorizer_stack_depth = depth;
	memorizer_switch_hooks(MEMORIZER_DO_STACK, depth);
	return 0;
}

static const struct kernel_param_ops depth_ops __initconst = {
	.set = take_depth,
};

module_param_cb(stacks, &depth_ops, NULL, 0);
