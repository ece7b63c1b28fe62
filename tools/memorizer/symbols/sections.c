// SPDX-License-Identifier: GPL-2.0
/* The sections of ELF files, whether they are compressed or not. */
#include <stdio.h>

#include "symbols/sections.h"

#define ZSTD	2	/* ELFCOMPRESS_ZSTD, which older elf.h lack */

/**
 * sections_take - get the bytes of a section, decompressed
 * @scn: the section
 * @bytes: set to the bytes, which stay libelf's
 *
 * Return: whether the section can be read.
 */
bool sections_take(Elf_Scn *scn, struct section_bytes *bytes)
{
	GElf_Shdr head;
	Elf_Data *data;

	if (!gelf_getshdr(scn, &head) ||
	    (head.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0))
		return false;
	data = elf_rawdata(scn, NULL);
	if (!data)
		return false;
	*bytes = (struct section_bytes){ data->d_buf, data->d_size };
	return true;
}

/**
 * sections_check - check whether the compressed sections of a file can be read
 * @elf: the file
 * @path: its name, for the message
 * @error: where a message goes
 *
 * libelf before 0.189 does not know sections that zstd compressed, and libdw says then that
 * there is no debug information.
 *
 * Return: whether all can be read.
 */
bool sections_check(Elf *elf, const char *path, char error[ERROR_MAX])
{
	struct section_bytes bytes;
	Elf_Scn *scn = NULL;
	GElf_Shdr head;
	GElf_Chdr how;

	while ((scn = elf_nextscn(elf, scn))) {
		if (!gelf_getshdr(scn, &head) || !(head.sh_flags & SHF_COMPRESSED) ||
		    !gelf_getchdr(scn, &how) || how.ch_type == ELFCOMPRESS_ZLIB ||
		    sections_take(scn, &bytes))
			continue;
		snprintf(error, ERROR_MAX,
			 "%.200s: its sections are compressed by %s, which this libelf does not know: want elfutils 0.189 or later, or a copy that objcopy --decompress-debug-sections made",
			 path, how.ch_type == ZSTD ? "zstd" :
			 "an unknown method");
		return false;
	}
	return true;
}
