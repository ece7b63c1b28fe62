/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memorizer plugin: emit sites for references and pointers to tracked memory.
 */
#ifndef MEMORIZER_SITES_H
#define MEMORIZER_SITES_H

#include "memorizer_site.h"

#pragma GCC visibility push(hidden)

extern bool unwind_hints;
extern bool with_percpu;
extern unsigned int sites;

location_t location_at(gimple_stmt_iterator gsi);
tree string_list(const char *string);
enum name_kind name_kind_of(enum kind kind);
HOST_WIDE_INT constant_bytes(tree size);

bool is_tracked_pointer(tree ptr);
void instrument_ref(gimple_stmt_iterator *gsi, enum kind kind, tree ref);
void instrument_target(gimple_stmt_iterator *gsi, enum kind kind, tree ptr, tree size);
void insert_string(gimple_stmt_iterator *gsi, unsigned int name, unsigned int how, tree a,
		   tree b, tree n);

void set_has_sites(void);
void write_file_entry(FILE *file);

#pragma GCC visibility pop

#endif /* MEMORIZER_SITES_H */
