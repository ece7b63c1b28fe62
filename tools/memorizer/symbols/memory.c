// SPDX-License-Identifier: GPL-2.0
/*
 * Classification of unallocated memory. A kernel under QEMU announces per-CPU data and the array of
 * struct page by marks "region NAME FIRST LAST". The data symbols of kallsyms cover the rest;
 * those of per-CPU data are offsets.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/memory.h"
#include "trace/names.h"

#define NAME_SIZE	32		/* a multiple of 8 */
#define IMAGE		0xffffffff80000000ull	/* start of the kernel image and modules */
#define STRUCT_PAGE	64

struct region {
	char name[NAME_SIZE];
	u64 first, last;
};

/**
 * memory_init - load the symbols of data
 * @m: the memory
 * @dir: directory of a trace
 * @kallsyms: copy of /proc/kallsyms; NULL for the one in the trace, which may not exist
 * @code: symbols of code, see kmap_symbols_event()
 *
 * Return: true on success; false after an error message.
 */
bool memory_init(struct memory *m, const char *dir, const char *kallsyms,
		 struct kmap_symbols *code)
{
	char error[ERROR_MAX], *path;

	if (asprintf(&path, "%s/kernel/kallsyms", dir) < 0)
		abort();
	m->code = code;
	hash_init(&m->regions, sizeof(struct region), NAME_SIZE);
	m->symbols = kmap_symbols_load_data(kallsyms ? kallsyms : path, error);
	free(path);
	/*
	 * Without kallsyms in the trace, data just has no names. A file that was asked
	 * for must exist.
	 */
	if (!m->symbols && !kallsyms)
		m->symbols = kmap_symbols_load_data(NULL, error);
	if (m->symbols)
		return true;
	fprintf(stderr, "memorizer: %s\n", error);
	hash_free(&m->regions);
	return false;
}

/**
 * memory_free - free the symbols and regions
 * @m: the memory
 */
void memory_free(struct memory *m)
{
	kmap_symbols_free(m->symbols);
	hash_free(&m->regions);
}

/**
 * memory_event - update the regions
 * @m: the memory
 * @e: the event
 */
void memory_event(struct memory *m, const struct trace_event *e)
{
	struct region key = { .first = 0 }, *region;
	char end;
	bool new;

	/* "%c" must not match: with text after the address, it is another mark. */
	if (e->type != TRACE_MARK ||
	    sscanf(e->u.mark.text, "region %31s %llx %llx%c", key.name, &key.first, &key.last,
		   &end) != 3)
		return;
	region = hash_item(&m->regions, hash_get(&m->regions, &key, &new));
	*region = key;
}

static struct memory_place in_symbol(const struct memory *m, u64 addr, u64 base)
{
	const struct kmap_symbol *symbol;

	symbol = kmap_symbols_find(m->symbols, addr - base, KMAP_IP_EXACT);
	/* kallsyms is from the end of the trace: the module may have come later. */
	if (!symbol || !kmap_symbols_module_loaded(m->code, kmap_symbols_string(m->symbols,
										symbol->module)))
		return (struct memory_place){ .type = MEMORY_UNKNOWN };
	return (struct memory_place){ .type = MEMORY_STATIC, .symbol = symbol->start,
				      .offset = addr - base - symbol->start,
				      .size = symbol->size };
}

static struct memory_place in_region(const struct memory *m, const struct region *r, u64 addr)
{
	struct memory_place place;
	u32 cpu;

	if (!strcmp(r->name, "vmemmap"))
		return (struct memory_place){ .type = MEMORY_PAGE,
					      .offset = (addr - r->first) % STRUCT_PAGE,
					      .size = STRUCT_PAGE };
	if (sscanf(r->name, "percpu%u", &cpu) != 1)
		return (struct memory_place){ .type = MEMORY_UNKNOWN };
	/* Symbols of per-CPU data are offsets: subtract the CPU's base. */
	place = in_symbol(m, addr, r->first);
	if (place.type)
		place.type = MEMORY_PERCPU;
	place.cpu = cpu;
	return place;
}

/**
 * memory_find - classify an address
 * @m: the memory
 * @addr: the address
 *
 * Return: the classification.
 */
struct memory_place memory_find(const struct memory *m, u64 addr)
{
	const struct region *r;
	u32 i;

	for (i = 0; i < m->regions.nr; i++) {
		r = hash_item(&m->regions, i);
		if (addr >= r->first && addr <= r->last)
			return in_region(m, r, addr);
	}
	/* Per-CPU symbols are at small addresses, which must not match. */
	if (addr >= IMAGE)
		return in_symbol(m, addr, 0);
	return (struct memory_place){ .type = MEMORY_UNKNOWN };
}

/**
 * memory_name - format the name of the memory at an address, without the offset
 * @m: the memory
 * @place: classification of the address
 * @text: set to the name
 */
void memory_name(const struct memory *m, const struct memory_place *place,
		 char text[KMAP_SYMBOL_MAX])
{
	const struct kmap_symbol *symbol;
	const char *name;

	switch (place->type) {
	case MEMORY_STATIC:
	case MEMORY_PERCPU:
		symbol = kmap_symbols_find(m->symbols, place->symbol, KMAP_IP_EXACT);
		/* The symbol exists: in_symbol() found it. */
		name = kmap_symbols_string(m->symbols, symbol->name);
		if (place->type == MEMORY_PERCPU)
			snprintf(text, KMAP_SYMBOL_MAX, "%s[cpu%u]", name, place->cpu);
		else
			snprintf(text, KMAP_SYMBOL_MAX, "%s", name);
		break;
	case MEMORY_PAGE:
		snprintf(text, KMAP_SYMBOL_MAX, "struct page");
		break;
	default:
		snprintf(text, KMAP_SYMBOL_MAX, "%s", NAMES_UNKNOWN);
	}
}
