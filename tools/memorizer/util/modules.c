// SPDX-License-Identifier: GPL-2.0
/*
 * The files of modules, for their debug information. A module is relocatable: where its
 * sections were loaded is not in it, so an address is looked up by the function that
 * kallsyms says it is in, and the offset there.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "frames.h"

#define OPEN_MOST	16		/* directories that are open at a time */

/**
 * struct module - the file of a module
 * @name: name of the module, - as _
 * @path: the file
 * @tried: whether it was opened, or that failed
 * @dwfl: what libdwfl has of it, or NULL
 * @elf: its handle there
 * @dwarf: its debug information, NULL: none
 * @bias: what libdwfl adds to addresses in it
 */
struct module {
	char *name, *path;
	bool tried;
	Dwfl *dwfl;
	Dwfl_Module *elf;
	Dwarf *dwarf;
	Dwarf_Addr bias;
};

/**
 * struct modules - the files of modules
 * @files: each
 * @nr: number of files
 */
struct modules {
	struct module *files;
	size_t nr;
};

static struct modules *found;		/* nftw() has no argument for it */

/* The name of the module in a file NAME.ko, or NULL. */
static char *module_name(const char *path)
{
	const char *base = strrchr(path, '/');
	size_t len;
	char *name, *c;

	base = base ? base + 1 : path;
	len = strlen(base);
	if (len < 4 || strcmp(base + len - 3, ".ko"))
		return NULL;
	name = strndup(base, len - 3);
	for (c = name; c && *c; c++)
		if (*c == '-')
			*c = '_';
	return name;
}

static int note(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	char *name = type == FTW_F ? module_name(path) : NULL;

	(void)st;
	(void)ftw;
	if (!name)
		return 0;
	found->files = kmap_array(found->files, found->nr + 1, sizeof(*found->files));
	found->files[found->nr++] = (struct module){ .name = name, .path = strdup(path) };
	return 0;
}

/**
 * modules_open - find the files of modules
 * @dir: the directory that they are below
 * @error: where a message goes
 *
 * Return: the files, or NULL and a message.
 */
struct modules *modules_open(const char *dir, char error[KMAP_ERROR_MAX])
{
	struct modules *m = kmap_array(NULL, 1, sizeof(*m));

	*m = (struct modules){ .nr = 0 };
	found = m;
	if (!nftw(dir, note, OPEN_MOST, FTW_PHYS) && m->nr)
		return m;
	snprintf(error, KMAP_ERROR_MAX, "%s: no modules, NAME.ko, below it", dir);
	modules_close(m);
	return NULL;
}

/**
 * modules_close - release the files
 * @m: the files
 */
void modules_close(struct modules *m)
{
	size_t i;

	for (i = 0; i < m->nr; i++) {
		if (m->files[i].dwfl)
			dwfl_end(m->files[i].dwfl);
		free(m->files[i].name);
		free(m->files[i].path);
	}
	free(m->files);
	free(m);
}

/**
 * modules_file - look at one of the files
 * @m: the files
 * @nr: which, from 0 on
 * @name: set to the name of the module
 * @path: set to that of the file
 *
 * Return: whether there are so many.
 */
bool modules_file(const struct modules *m, size_t nr, const char **name, const char **path)
{
	if (nr >= m->nr)
		return false;
	*name = m->files[nr].name;
	*path = m->files[nr].path;
	return true;
}

static void open_module(struct module *file)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};

	file->tried = true;
	file->dwfl = dwfl_begin(&callbacks);
	if (!file->dwfl)
		return;
	file->elf = dwfl_report_offline(file->dwfl, file->name, file->path, -1);
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (file->elf)
		file->dwarf = dwfl_module_getdwarf(file->elf, &file->bias);
}

/* The only function of that name, or 0: of several it is not known which one is meant. */
static u64 find_function(const struct module *file, const char *name)
{
	int nr = dwfl_module_getsymtab(file->elf), i;
	const char *symbol;
	u64 addr = 0;
	GElf_Addr at;
	GElf_Sym sym;

	for (i = 1; i < nr; i++) {
		symbol = dwfl_module_getsym_info(file->elf, i, &sym, &at, NULL, NULL, NULL);
		if (!symbol || GELF_ST_TYPE(sym.st_info) != STT_FUNC || strcmp(symbol, name))
			continue;
		if (addr && addr != at)
			return 0;
		addr = at;
	}
	return addr;
}

/**
 * modules_find - find an address in the debug information of a module
 * @m: the files
 * @module: name of the module
 * @function: name of the function that the address is in
 * @offset: the offset there
 * @addr: set to the address, as the debug information has it
 *
 * Return: the debug information, or NULL if there is none.
 */
Dwarf *modules_find(struct modules *m, const char *module, const char *function, u64 offset,
		    u64 *addr)
{
	struct module *file;

	for (file = m->files; file < m->files + m->nr; file++) {
		if (strcmp(file->name, module))
			continue;
		if (!file->tried)
			open_module(file);
		if (!file->dwarf)
			continue;
		*addr = find_function(file, function);
		if (!*addr)
			continue;
		*addr += offset - file->bias;
		return file->dwarf;
	}
	return NULL;
}
