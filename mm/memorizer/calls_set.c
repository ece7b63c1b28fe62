// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's calls: their files in debugfs, statistics and boot parameter.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/seq_file.h>

#include "calls.h"
#include "kmap.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"
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

static int add_count(const struct memorizer_call *call, void *arg)
{
	*(u64 *)arg += local_read(&call->count);
	return 0;
}

/**
 * memorizer_calls_stats() - print the statistics of calls
 * @m: the output
 * @sum: the counters of all CPUs
 *
 * Context: process context, may sleep, under memorizer_rwsem.
 */
void memorizer_calls_stats(struct seq_file *m, const struct memorizer_counters *sum)
{
	u64 calls = 0;

	/* Too small if the task was killed, which reads nothing then. */
	memorizer_visit_calls(add_count, &calls);
	seq_printf(m, "calls: %llu\n", calls);
	seq_printf(m, "calls_cleared: %llu\n", memorizer_cleared.calls);
	seq_printf(m, "calls_paused: %llu\n", sum->calls_paused);
	seq_printf(m, "calls_left_out: %llu\n", sum->calls_left_out);
	seq_printf(m, "lost_calls_pool_full: %llu\n", sum->lost[MEMORIZER_LOST_CALL]);
	seq_printf(m, "pool_calls: %lu\n", memorizer_pool_bytes(MEMORIZER_CALL, MEMORIZER_CALL));
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
