/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's lazy objects, see lazy.c.
 */
#ifndef _MM_MEMORIZER_LAZY_H
#define _MM_MEMORIZER_LAZY_H

#include <linux/array_size.h>
#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/types.h>

#include "hooks.h"

/* In place of an id: there is no room for the object. */
#define MEMORIZER_LAZY_LOST	U32_MAX

#ifdef CONFIG_MEMORIZER_PAGES

/**
 * struct memorizer_lazy - where objects of a lazy kind may be
 * @base: first address
 * @bytes: number of bytes from there on; 0 unless the kind is recorded
 */
struct memorizer_lazy {
	unsigned long base;
	unsigned long bytes;
};

/* From MEMORIZER_LAZY_FIRST on; struct pages are the first. */
extern struct memorizer_lazy memorizer_lazy[MEMORIZER_LAZY_END - MEMORIZER_LAZY_FIRST];

u32 memorizer_make_lazy(unsigned long addr, u32 id, unsigned long *next);
void memorizer_switch_lazy(unsigned int kinds);
void memorizer_choose_lazy(enum memorizer_object_kind kind, unsigned int choice);
void memorizer_lazy_init(enum memorizer_object_kind kind, unsigned long base, unsigned long bytes);

struct variable_table;
void memorizer_end_areas(const struct variable_table *table, unsigned long at, unsigned long end);

/* Is the address in a struct page that becomes an object when it is accessed? */
static __always_inline bool memorizer_is_struct_page(unsigned long addr)
{
	return addr - memorizer_lazy[0].base < READ_ONCE(memorizer_lazy[0].bytes);
}

#else

static inline u32 memorizer_make_lazy(unsigned long addr, u32 id, unsigned long *next)
{
	return id;
}

static inline bool memorizer_is_struct_page(unsigned long addr) { return false; }
static inline void memorizer_choose_lazy(enum memorizer_object_kind kind,
					 unsigned int choice) { }
static inline void memorizer_lazy_init(enum memorizer_object_kind kind, unsigned long base,
				       unsigned long bytes) { }

#endif

#endif /* _MM_MEMORIZER_LAZY_H */
