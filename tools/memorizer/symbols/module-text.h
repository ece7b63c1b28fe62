/* SPDX-License-Identifier: GPL-2.0 */
/* Where the kernel puts the code of a module. */
#ifndef MODULE_TEXT_H
#define MODULE_TEXT_H

#include "symbols/mappings.h"
#include "symbols/symbols.h"

bool module_text_functions(Elf *elf, const struct mapping *mapping, struct kmap_symbols *to);

#endif
