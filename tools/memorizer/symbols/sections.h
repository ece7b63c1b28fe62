/* SPDX-License-Identifier: GPL-2.0 */
/* Access to sections of ELF files, with decompression. */
#ifndef SECTIONS_H
#define SECTIONS_H

#include <gelf.h>

#include "symbols/kmap-symbols.h"

struct section_bytes {
	unsigned char *data;
	size_t size;		/* in bytes */
};

bool sections_take(Elf_Scn *scn, struct section_bytes *bytes);
bool sections_check(Elf *elf, const char *path, char error[ERROR_MAX]);

#endif
