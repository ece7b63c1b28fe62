// SPDX-License-Identifier: GPL-2.0
/* Access to sections of ELF files, with decompression. */
#include <stdio.h>

#include "symbols/sections.h"

#define ZSTD	2	/* ELFCOMPRESS_ZSTD, which older versions of elf.h lack */

/**
 * sections_take - get the bytes of a section, decompressed
 * @scn: the section
 * @bytes: set to the bytes, owned by libelf
 *
 * Return: true on success.
 */
bool sections_take(Elf_Scn *scn, struct section_bytes *bytes)
{
	GElf_Shdr head;
	Elf_Data *data;

	if (!gelf_getshdr(scn, &head) ||
	    (head.sh_flags & SHF_COMPRESSED && elf_compress(scn, 0, 0) < 0))
		return false;
	data = elf_rawdata(scn, NULL);
	/* A section without bytes in the file has a size, but no buffer. */
	if (!data || (data->d_size && !data->d_buf))
		return false;
	*bytes = (struct section_bytes){ data->d_buf, data->d_size };
	return true;
}

/**
 * sections_check - check whether all compressed sections of a file can be read
 * @elf: the file
 * @path: name of the file
 * @error: set to a message on failure
 *
 * libelf before 0.189 does not support zstd, and libdw then fails with a misleading message about
 * missing debug information.
 *
 * Return: true if they can.
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
			 "%.200s: sections compressed by %s, which libelf does not support: use elfutils 0.189 or later, or run objcopy --decompress-debug-sections",
			 path, how.ch_type == ZSTD ? "zstd" :
			 "an unknown method");
		return false;
	}
	return true;
}
