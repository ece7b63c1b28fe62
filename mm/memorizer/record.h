/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: record objects of each kind.
 */
#ifndef _MM_MEMORIZER_RECORD_H
#define _MM_MEMORIZER_RECORD_H

#include <linux/types.h>

#include "hooks.h"

struct memorizer_geometry;

void memorizer_record(const struct memorizer_geometry *geo, unsigned long va, size_t size,
		      u32 how, unsigned long ip, u32 stack);
void memorizer_end_id(u32 id, unsigned long ip);
void memorizer_end(unsigned long va, unsigned long ip);

#ifdef CONFIG_MEMORIZER_PAGES
/* area.c */
void memorizer_alloc_area(enum memorizer_object_kind kind, unsigned long va, size_t size,
			  unsigned long ip, u32 stack, bool on);
#endif

#endif /* _MM_MEMORIZER_RECORD_H */
