/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Memorizer plugin: the accesses of inline assembly.
 */
#ifndef MEMORIZER_ASM_H
#define MEMORIZER_ASM_H

#pragma GCC visibility push(hidden)

void keep_sizes(gimple_stmt_iterator *gsi, gasm *stmt);
bool is_sizes_asm(gimple stmt);
bool is_site_asm(gimple stmt);
void instrument_asm(gimple_stmt_iterator *gsi, gasm *stmt);

#pragma GCC visibility pop

#endif /* MEMORIZER_ASM_H */
