/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's cache lines: detect accesses that move a line between CPUs. Without
 * CONFIG_MEMORIZER_LINES, no line is tracked.
 */
#ifndef _MM_MEMORIZER_TRAFFIC_H
#define _MM_MEMORIZER_TRAFFIC_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/types.h>

struct dentry;
struct memorizer_counters;
struct memorizer_line_table;
struct seq_file;

/**
 * struct memorizer_access - an access
 * @addr: its first address
 * @size: its size in bytes
 * @kind: an enum memorizer_kind
 * @ip: address of the instruction after the site
 */
struct memorizer_access {
	unsigned long addr;
	unsigned long size;
	unsigned int kind;
	unsigned long ip;
};

#ifdef CONFIG_MEMORIZER_LINES

/* traffic.c */
extern struct memorizer_line_table *memorizer_line_table;
extern unsigned long memorizer_lines_wanted;

void memorizer_lines_init(unsigned long wanted, unsigned long long ram);
void memorizer_traffic(unsigned long addr, unsigned long size, unsigned int kind,
		       unsigned long ip);
int memorizer_set_track_lines(bool on);
int memorizer_set_line_size(u64 bytes);
unsigned long memorizer_line_size(void);
unsigned long memorizer_lines_tracked(void);
unsigned long memorizer_lines_room(void);

/* traffic_set.c */
void memorizer_traffic_files(struct dentry *dir);
void memorizer_traffic_stats(struct seq_file *m, const struct memorizer_counters *sum);
void memorizer_traffic_init(void);

/* Are cache lines tracked? */
static __always_inline bool memorizer_tracks_lines(void)
{
	return unlikely(READ_ONCE(memorizer_line_table));
}

#else

static inline void memorizer_traffic(unsigned long addr, unsigned long size, unsigned int kind,
				     unsigned long ip) { }
static inline unsigned long memorizer_line_size(void) { return SMP_CACHE_BYTES; }
static inline void memorizer_traffic_files(struct dentry *dir) { }
static inline void memorizer_traffic_stats(struct seq_file *m,
					   const struct memorizer_counters *sum) { }
static inline void memorizer_traffic_init(void) { }
static __always_inline bool memorizer_tracks_lines(void) { return false; }

#endif

#endif /* _MM_MEMORIZER_TRAFFIC_H */
