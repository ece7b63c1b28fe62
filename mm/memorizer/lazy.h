/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's lazy objects, see lazy.c.
 */
#ifndef _MM_MEMORIZER_LAZY_H
#define _MM_MEMORIZER_LAZY_H

#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/types.h>

#include "hooks.h"

/* In place of an id: there is no room for the object. */
#define MEMORIZER_LAZY_LOST	U32_MAX

#ifdef CONFIG_MEMORIZER_PAGES

/* The array of struct page, and addresses of variables; sizes are 0 unless these are recorded. */
extern unsigned long memorizer_struct_pages, memorizer_struct_page_bytes;
extern unsigned long memorizer_variables, memorizer_variable_bytes;

u32 memorizer_make_lazy(unsigned long addr, u32 id, unsigned long *next);
void memorizer_switch_lazy(unsigned int kinds);
void memorizer_choose_lazy(enum memorizer_object_kind kind, unsigned int choice);
void memorizer_lazy_init(unsigned long struct_pages, unsigned long struct_page_bytes,
			 unsigned long variables, unsigned long variable_bytes);

/* May the address be of an object that is made when it is accessed? */
static __always_inline bool memorizer_is_lazy(unsigned long addr)
{
	return addr - memorizer_struct_pages < READ_ONCE(memorizer_struct_page_bytes) ||
		addr - memorizer_variables < READ_ONCE(memorizer_variable_bytes);
}

#else

static inline u32 memorizer_make_lazy(unsigned long addr, u32 id, unsigned long *next)
{
	return id;
}

static inline bool memorizer_is_lazy(unsigned long addr) { return false; }
static inline void memorizer_choose_lazy(enum memorizer_object_kind kind,
					 unsigned int choice) { }
static inline void memorizer_lazy_init(unsigned long struct_pages,
				       unsigned long struct_page_bytes, unsigned long variables,
				       unsigned long variable_bytes) { }

#endif

#endif /* _MM_MEMORIZER_LAZY_H */
