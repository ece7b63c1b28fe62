/* SPDX-License-Identifier: GPL-2.0 */
/* Allocations by each function on their stacks. */
#ifndef CHILDREN_H
#define CHILDREN_H

#include "kmap/kmap.h"
#include "lib/hash.h"
#include "symbols/kmap-symbols.h"

/**
 * struct children - the allocations
 * @symbols: symbols
 * @functions: private: struct caller by start address
 * @ips: private: struct caller_ip by return address
 * @objects: private: number of objects
 * @overflow: a sum saturated
 */
struct children {
	const struct kmap_symbols *symbols;
	struct hash functions, ips;
	u64 objects;
	bool overflow;
};

struct report;

void children_init(struct children *c, const struct kmap_symbols *symbols);
void children_free(struct children *c);
void children_add(struct children *c, const struct kmap_object *o, u64 site);
void children_print(const struct children *c, const struct report *r);

#endif
