/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols of modules that were loaded at the time of an event. */
#ifndef MAPPED_H
#define MAPPED_H

#include "symbols/mappings.h"
#include "symbols/symbols.h"

struct mapped *mapped_new(const char *dir);
void mapped_free(struct mapped *m);
u32 mapped_number(const struct mapped *m, u64 ip);
const struct kmap_symbol *mapped_find(const struct mapped *m, u32 nr, u64 ip, enum kmap_ip kind);
const struct build_id *mapped_id(const struct mapped *m, u32 nr);
bool mapped_have(const struct kmap_symbols *s, const char *name);

#endif
