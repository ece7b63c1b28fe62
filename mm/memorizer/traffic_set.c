// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's cache lines: their files in debugfs, statistics and boot parameters.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/memblock.h>
#include <linux/moduleparam.h>
#include <linux/printk.h>
#include <linux/seq_file.h>

#include "kmap.h"
#include "memorizer.h"
#include "switch_file.h"
#include "traffic.h"

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "memorizer."

static bool is_tracking(unsigned int unused)
{
	return memorizer_tracks_lines();
}

static int set_track_lines(unsigned int unused, bool on)
{
	return memorizer_set_track_lines(on);
}

static const struct memorizer_switch track_lines = {
	.is_on = is_tracking,
	.set = set_track_lines,
};

static int line_size_get(void *unused, u64 *bytes)
{
	*bytes = memorizer_line_size();
	return 0;
}

static int line_size_set(void *unused, u64 bytes)
{
	return memorizer_set_line_size(bytes);
}

DEFINE_DEBUGFS_ATTRIBUTE(line_size_fops, line_size_get, line_size_set, "%llu\n");

/**
 * memorizer_traffic_files() - create the files of cache lines
 * @dir: Memorizer's directory in debugfs
 *
 * Context: process context, may sleep.
 */
void memorizer_traffic_files(struct dentry *dir)
{
	debugfs_create_file("memorizer_track_lines", 0600, dir, (void *)&track_lines,
			    &memorizer_switch_fops);
	/* DEFINE_DEBUGFS_ATTRIBUTE() protects against removal by itself. */
	debugfs_create_file_unsafe("line_size", 0600, dir, NULL, &line_size_fops);
	debugfs_create_file("traffic", 0400, dir, (void *)MEMORIZER_KMAP_TRAFFIC,
			    &memorizer_kmap_fops);
}

/**
 * memorizer_traffic_stats() - print the statistics of cache lines
 * @m: the output
 * @sum: the counters of all CPUs
 *
 * Context: process context.
 */
void memorizer_traffic_stats(struct seq_file *m, const struct memorizer_counters *sum)
{
	seq_printf(m, "traffic: %llu\n", sum->traffic);
	seq_printf(m, "lost_traffic_pool_full: %llu\n", sum->lost[MEMORIZER_LOST_TRAFFIC]);
	seq_printf(m, "lost_traffic_lines_full: %llu\n", sum->lost[MEMORIZER_LOST_LINE]);
	seq_printf(m, "lost_traffic_nested: %llu\n", sum->lost[MEMORIZER_LOST_NESTED]);
	seq_printf(m, "lines_tracked: %lu\n", memorizer_lines_tracked());
	seq_printf(m, "lines_room: %lu\n", memorizer_lines_room());
}

static bool boot_track_lines __initdata;
module_param_named(track_lines, boot_track_lines, bool, 0);

/* See memorizer_lines_init(). */
static unsigned long boot_lines __initdata;
module_param_named(lines, boot_lines, ulong, 0);

/**
 * memorizer_traffic_init() - track cache lines from boot on, if the command line asks for it
 *
 * Context: boot, one CPU, once: vmalloc is up.
 */
void __init memorizer_traffic_init(void)
{
	int err;

	memorizer_lines_init(boot_lines, memblock_phys_mem_size());
	err = boot_track_lines ? memorizer_set_track_lines(true) : 0;
	if (err)
		pr_err("cannot track cache lines: error %d\n", err);
}
