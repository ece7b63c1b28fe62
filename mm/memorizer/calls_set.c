// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's calls: their files in debugfs and their boot parameter.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>

#include "calls.h"
#include "kmap.h"
#include "switch_file.h"

static bool is_logging(unsigned int unused)
{
	return memorizer_is_logging_calls();
}

static int set_log_calls(unsigned int unused, bool on)
{
	int err = memorizer_set_log_calls(on);

	if (!on)
		memorizer_warn_full();
	return err;
}

static const struct memorizer_switch log_calls = { .is_on = is_logging, .set = set_log_calls };

/**
 * memorizer_calls_files() - create the files of calls
 * @dir: Memorizer's directory in debugfs
 *
 * Context: process context, may sleep.
 */
void memorizer_calls_files(struct dentry *dir)
{
	debugfs_create_file("memorizer_log_calls", 0600, dir, (void *)&log_calls,
			    &memorizer_switch_fops);
	debugfs_create_file("calls", 0400, dir, NULL, &memorizer_calls_fops);
}

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "memorizer."

static bool boot_log_calls __initdata;
module_param_named(log_calls, boot_log_calls, bool, 0);

/* early_initcall(): before other CPUs start. */
static int __init log_calls_at_boot(void)
{
	int err = boot_log_calls ? memorizer_set_log_calls(true) : 0;

	if (err)
		pr_err("cannot log calls: error %d\n", err);
	return 0;
}
early_initcall(log_calls_at_boot);
