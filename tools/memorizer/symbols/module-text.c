// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of a module's file, at the addresses where it was loaded. The kernel places executable
 * sections consecutively in the order of the file, each at its alignment, with init sections
 * in a separate range. See layout_sections() in kernel/module/main.c.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/module-text.h"

#define PAGE_BYTES	4096
#define NOWHERE		U64_MAX

static bool begins(const char *name, const char *with)
{
	return !strncmp(name, with, strlen(with));
}

/* Check whether a section is part of the mapping. */
static bool is_part(const struct mapping *m, const GElf_Shdr *head, const char *name,
		    bool exit_is_init)
{
	bool init = begins(name, ".init") || (exit_is_init && begins(name, ".exit"));

	return head->sh_flags & SHF_ALLOC && head->sh_flags & SHF_EXECINSTR && init == m->init;
}

/* Compute the offset of each section in the mapping. Returns false if the sizes do not match. */
static bool lay_out(Elf *elf, const struct mapping *m, bool exit_is_init, u64 *offsets)
{
	Elf_Scn *scn = NULL;
	GElf_Shdr head;
	size_t strings;
	u64 end = 0, align;

	if (elf_getshdrstrndx(elf, &strings))
		return false;
	while ((scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &head)) {
		if (!is_part(m, &head, elf_strptr(elf, strings, head.sh_name) ?: "",
			     exit_is_init)) {
			offsets[elf_ndxscn(scn)] = NOWHERE;
			continue;
		}
		align = head.sh_addralign ? head.sh_addralign : 1;
		end = (end + align - 1) / align * align;
		offsets[elf_ndxscn(scn)] = end;
		end += head.sh_size;
	}
	/*
	 * The kernel rounds the mapping up to pages. Any other size is that of another
	 * layout.
	 */
	return end && end <= m->size && m->size - end < PAGE_BYTES;
}

static void add_functions(Elf *elf, const struct mapping *m, const u64 *offsets, size_t sections,
			  struct kmap_symbols *to)
{
	u32 module = symbols_string(to, m->name, strlen(m->name));
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr head;
	const char *name;
	GElf_Sym sym;
	int i;

	while ((scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &head)) {
		data = head.sh_type == SHT_SYMTAB ? elf_getdata(scn, NULL) : NULL;
		for (i = 0; data && gelf_getsym(data, i, &sym); i++) {
			name = elf_strptr(elf, head.sh_link, sym.st_name);
			/* Special section indexes such as SHN_ABS are beyond @sections. */
			if (name && GELF_ST_TYPE(sym.st_info) == STT_FUNC &&
			    sym.st_shndx < sections && offsets[sym.st_shndx] != NOWHERE)
				symbols_add(to, m->base + offsets[sym.st_shndx] + sym.st_value,
					    sym.st_size, symbols_string(to, name, strlen(name)),
					    module, 0, elf_rank(&sym));
		}
	}
}

/**
 * module_text_functions - add the functions of a module to symbols
 * @elf: file of the module
 * @mapping: mapping of the module
 * @to: the symbols
 *
 * Return: true on success; false if the file's code does not have the size of the mapping.
 */
bool module_text_functions(Elf *elf, const struct mapping *mapping, struct kmap_symbols *to)
{
	size_t sections;
	u64 *offsets;
	bool fine;

	if (elf_getshdrnum(elf, &sections))
		return false;
	offsets = xreallocarray(NULL, sections + 1, sizeof(*offsets));
	/* Section 0 holds undefined symbols. */
	offsets[0] = NOWHERE;
	/* Without CONFIG_MODULE_UNLOAD, exit sections are loaded with the init sections. */
	fine = lay_out(elf, mapping, false, offsets) || lay_out(elf, mapping, true, offsets);
	if (fine)
		add_functions(elf, mapping, offsets, sections, to);
	free(offsets);
	return fine;
}
