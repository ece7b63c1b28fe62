/* SPDX-License-Identifier: GPL-2.0 */
/* What memory is that no allocation tells of: static data, per-CPU data, struct page. */
#ifndef MEMORY_H
#define MEMORY_H

#include "lib/hash.h"
#include "symbols/kmap-symbols.h"
#include "trace/trace.h"

/* What memory there is. */
enum memory_type {
	MEMORY_UNKNOWN,
	MEMORY_STATIC,		/* of a symbol */
	MEMORY_PERCPU,		/* likewise, of a CPU */
	MEMORY_PAGE,		/* struct page */
};

/**
 * struct memory_place - where an address lies
 * @type: in what
 * @cpu: whose, of per-CPU data
 * @symbol: the address that the symbol has
 * @offset: of the address in it
 * @size: of it
 */
struct memory_place {
	enum memory_type type;
	u32 cpu, offset, size;
	u64 symbol;
};

/**
 * struct memory - what is known
 * @symbols: private: of data
 * @code: private: of code, which know the modules that are there now
 * @regions: private: struct region by name
 */
struct memory {
	struct kmap_symbols *symbols, *code;
	struct hash regions;
};

bool memory_init(struct memory *m, const char *dir, const char *kallsyms,
		 struct kmap_symbols *code);
void memory_free(struct memory *m);
void memory_event(struct memory *m, const struct trace_event *e);
struct memory_place memory_find(const struct memory *m, u64 addr);
void memory_name(const struct memory *m, const struct memory_place *place,
		 char text[KMAP_SYMBOL_MAX]);

#endif
