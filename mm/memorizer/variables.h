/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's variables, see variables.c.
 */
#ifndef _MM_MEMORIZER_VARIABLES_H
#define _MM_MEMORIZER_VARIABLES_H

#include <linux/memorizer.h>
#include <linux/types.h>

#ifdef CONFIG_MEMORIZER_PAGES
/* Made by the linker, in init data. */
extern const struct memorizer_variable __start_memorizer_variables[];
extern const struct memorizer_variable __stop_memorizer_variables[];

void memorizer_variables_range(unsigned long *base, unsigned long *bytes);
int memorizer_reserve_variables(void *(*reserve)(size_t size));
void memorizer_build_variables(void);
void memorizer_build_areas(void);
void memorizer_insert_variables(unsigned int kinds);
void memorizer_remove_variables(unsigned int kinds);

/* memblock.c */
struct variable_table;
int memorizer_memblock_tables(struct variable_table **tables);
bool memorizer_memblock_stays(const struct variable_table *table);
#else
static inline void memorizer_variables_range(unsigned long *base, unsigned long *bytes) { }
static inline int memorizer_reserve_variables(void *(*reserve)(size_t size)) { return 0; }
static inline void memorizer_build_variables(void) { }
static inline void memorizer_build_areas(void) { }
static inline void memorizer_insert_variables(unsigned int kinds) { }
static inline void memorizer_remove_variables(unsigned int kinds) { }
#endif

#endif /* _MM_MEMORIZER_VARIABLES_H */
