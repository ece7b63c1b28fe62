/* SPDX-License-Identifier: GPL-2.0 */
/* --skip: functions of an allocation's stack that are not its call site. */
#ifndef SKIP_H
#define SKIP_H

#include "report/filter.h"

/**
 * struct skip - functions to skip, while objects are read
 * @filter: its patterns
 * @symbols: symbols
 * @code: private: struct skipped by address
 * @stacks: an object had a stack
 */
struct skip {
	const struct kmem_filter *filter;
	const struct kmap_symbols *symbols;
	struct hash code;
	bool stacks;
};

void skip_init(struct skip *s, const struct kmem_filter *f, const struct kmap_symbols *symbols);
void skip_free(struct skip *s);
u64 skip_site(struct skip *s, u64 alloc_ip, const u64 *frames, u32 nr);

#endif
