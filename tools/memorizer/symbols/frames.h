/* SPDX-License-Identifier: GPL-2.0 */
/* Source lines and inlined functions of addresses. */
#ifndef FRAMES_H
#define FRAMES_H

#include <elfutils/libdw.h>

#include "symbols/kmap-symbols.h"

const char *frames_line(Dwarf *dwarf, u64 addr, int *number);
void frames_write(Dwarf *dwarf, u64 addr, const char *root, bool inlines, char *text, size_t size);

#endif
