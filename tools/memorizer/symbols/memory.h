/* SPDX-License-Identifier: GPL-2.0 */
/* Classification of unallocated memory: static data, per-CPU data, struct page. */
#ifndef MEMORY_H
#define MEMORY_H

#include "lib/hash.h"
#include "symbols/kmap-symbols.h"
#include "trace/trace.h"

enum memory_type {
	MEMORY_UNKNOWN,
	MEMORY_STATIC,		/* static data */
	MEMORY_PERCPU,		/* static per-CPU data */
	MEMORY_PAGE,		/* struct page */
};

/**
 * struct memory_place - classification of an address
 * @type: type of the memory
 * @cpu: CPU of per-CPU data
 * @symbol: address of the symbol; an offset for per-CPU data
 * @offset: offset of the address in the symbol or struct page, in bytes
 * @size: size of the symbol or struct page, in bytes
 */
struct memory_place {
	enum memory_type type;
	u32 cpu, offset, size;
	u64 symbol;
};

/**
 * struct memory - layout of unallocated memory
 * @symbols: private: symbols of data
 * @code: private: symbols of code, which track the loaded modules
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
