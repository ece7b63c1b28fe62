/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's cache lines: detect accesses that move a line between CPUs.
 */
#ifndef _MM_MEMORIZER_TRAFFIC_H
#define _MM_MEMORIZER_TRAFFIC_H

#include <linux/compiler.h>
#include <linux/types.h>

struct memorizer_line_table;

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

/* Are cache lines tracked? */
static __always_inline bool memorizer_tracks_lines(void)
{
	return unlikely(READ_ONCE(memorizer_line_table));
}

#endif /* _MM_MEMORIZER_TRAFFIC_H */
