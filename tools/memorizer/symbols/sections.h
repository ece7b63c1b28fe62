/* SPDX-License-Identifier: GPL-2.0 */
/* The sections of ELF files, whether they are compressed or not. */
#ifndef SECTIONS_H
#define SECTIONS_H

#include <gelf.h>

#include "symbols/kmap-symbols.h"

/* Bytes of a section. */
struct section_bytes {
	unsigned char *data;
	size_t size;
};

bool sections_take(Elf_Scn *scn, struct section_bytes *bytes);
bool sections_check(Elf *elf, const char *path, char error[ERROR_MAX]);

#endif
