/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of a module's file, at the addresses where it was loaded. */
#ifndef MODULE_TEXT_H
#define MODULE_TEXT_H

#include "symbols/mappings.h"
#include "symbols/symbols.h"

bool module_text_functions(Elf *elf, const struct mapping *mapping, struct kmap_symbols *to);

#endif
