// SPDX-License-Identifier: GPL-2.0
/*
 * The files of modules, as a build leaves them or a distribution ships them: NAME.ko, perhaps
 * compressed, and NAME.ko.debug. There may be several of one module; a file is used only if its
 * build id is that of the module that ran.
 *
 * A module is relocatable: where its sections were loaded is not in its file, so an address is
 * looked up by the function that kallsyms says it is in, and the offset there.
 */
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/source.h"
#include "symbols/modules.h"
#include "symbols/sections.h"

#define OPEN_MOST	16		/* directories that are open at a time */

/**
 * struct module_file - a file of a module
 * @name: name of the module, - as _
 * @path: the file
 * @opened: whether opening it was tried; what follows is NULL or 0 if that failed
 * @fd: file descriptor of its bytes, not compressed; -1: none
 * @elf: its handle in libelf
 * @id: its build id
 * @ran: in the first file of a module: build id of the module that ran at the end
 * @dwfl: its handle in libdwfl, once its debug information was wanted
 * @linked: what libdwfl makes of it
 * @dwarf: its debug information, NULL: none
 * @bias: offset of addresses in @linked to those in @dwarf
 * @searched: whether @dwarf was looked for
 * @wrong: why it cannot be read, or empty
 */
struct module_file {
	char *name, *path;
	bool opened;
	int fd;
	Elf *elf;
	struct build_id id, ran;
	Dwfl *dwfl;
	Dwfl_Module *linked;
	Dwarf *dwarf;
	Dwarf_Addr bias;
	bool searched;
	char wrong[ERROR_MAX];
};

/**
 * struct modules - the files of modules
 * @files: each, by name and path
 * @nr: number of files
 * @ids: file with the build ids of the modules that ran at the end, or NULL
 */
struct modules {
	struct module_file *files;
	size_t nr;
	char *ids;
};

static struct modules *found;		/* nftw() has no argument for it */

/* Cuts a suffix off @len bytes of a name, if it ends in that. */
static bool cut(const char *name, size_t *len, const char *suffix)
{
	size_t n = strlen(suffix);

	if (*len <= n || memcmp(name + *len - n, suffix, n))
		return false;
	*len -= n;
	return true;
}

/* The name of the module in a file NAME.ko or NAME.ko.debug, perhaps compressed; or NULL. */
static char *module_name(const char *path)
{
	static const char * const packed[] = { ".xz", ".zst", ".gz" };
	const char *base = strrchr(path, '/');
	char *name, *c;
	size_t len, i;

	base = base ? base + 1 : path;
	len = strlen(base);
	for (i = 0; i < ARRAY_SIZE(packed); i++)
		if (cut(base, &len, packed[i]))
			break;
	cut(base, &len, ".debug");
	if (!cut(base, &len, ".ko"))
		return NULL;
	name = strndup(base, len);
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
	found->files = xreallocarray(found->files, found->nr + 1, sizeof(*found->files));
	found->files[found->nr++] = (struct module_file){
		.name = name, .path = xstrdup(path), .fd = -1
	};
	return 0;
}

static int compare(const void *left, const void *right)
{
	const struct module_file *a = left, *b = right;
	int order = strcmp(a->name, b->name);

	return order ? order : strcmp(a->path, b->path);
}

/**
 * modules_open - find the files of modules
 * @dir: the directory that they are below
 * @ids: file with the build ids of the modules that ran, or NULL; it need not be there
 * @error: where a message goes
 *
 * Return: the files, or NULL and a message.
 */
struct modules *modules_open(const char *dir, const char *ids, char error[ERROR_MAX])
{
	struct modules *m = xreallocarray(NULL, 1, sizeof(*m));

	*m = (struct modules){ .ids = ids ? xstrdup(ids) : NULL };
	found = m;
	if (!nftw(dir, note, OPEN_MOST, FTW_PHYS) && m->nr) {
		qsort(m->files, m->nr, sizeof(*m->files), compare);
		return m;
	}
	snprintf(error, ERROR_MAX,
		 "%s: no modules below it: want NAME.ko or NAME.ko.debug, perhaps with .xz, .zst or .gz",
		 dir);
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
		if (m->files[i].elf)
			elf_end(m->files[i].elf);
		if (m->files[i].fd >= 0)
			close(m->files[i].fd);
		free(m->files[i].name);
		free(m->files[i].path);
	}
	free(m->files);
	free(m->ids);
	free(m);
}

static void open_file(struct module_file *file)
{
	file->opened = true;
	file->fd = source_fd(file->path, file->wrong);
	if (file->fd < 0)
		return;
	elf_version(EV_CURRENT);
	file->elf = elf_begin(file->fd, ELF_C_READ, NULL);
	if (!file->elf || elf_kind(file->elf) != ELF_K_ELF) {
		snprintf(file->wrong, sizeof(file->wrong), "%.400s: not an ELF file", file->path);
		return;
	}
	file->id = build_id_elf(file->elf);
	sections_check(file->elf, file->path, file->wrong);
}

/* The first file of a module, or NULL. */
static struct module_file *first_file(const struct modules *m, const char *name)
{
	size_t low = 0, high = m->nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (strcmp(m->files[middle].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low < m->nr && !strcmp(m->files[low].name, name) ? m->files + low : NULL;
}

/* The file behind a file, if it is of the same module. */
static struct module_file *next_file(const struct modules *m, const struct module_file *file)
{
	return file + 1 < m->files + m->nr && !strcmp(file[1].name, file->name) ?
	       m->files + (file + 1 - m->files) : NULL;
}

/* Opens all files of a module. */
static void open_files(struct modules *m, const char *name)
{
	struct module_file *file = first_file(m, name);

	if (!file || file->opened)
		return;
	file->ran = build_id_module(m->ids, name);
	for (; file; file = next_file(m, file))
		open_file(file);
}

/**
 * modules_next - go through the files of a module
 * @m: the files
 * @last: the file that this gave last, NULL to begin
 * @name: name of the module
 * @id: its build id; NULL for that of the one that ran at the end
 *
 * Return: the next file of that module and build id, NULL if there is none. If the build id is not
 * known, the files of a module are taken if all are of one build.
 */
const struct module_file *modules_next(struct modules *m, const struct module_file *last,
				       const char *name, const struct build_id *id)
{
	struct module_file *file, *first = NULL;
	const struct module_file *next = NULL;

	open_files(m, name);
	file = first_file(m, name);
	if (file && !id)
		id = &file->ran;
	for (; file; file = next_file(m, file)) {
		if (!file->elf || (id->size && !build_id_equal(&file->id, id)))
			continue;
		first = first ? first : file;
		if (!build_id_equal(&file->id, &first->id))
			return NULL;
		if (!next && (!last || file > last))
			next = file;
	}
	return next;
}

/**
 * modules_check - check whether the file of a module that ran is there
 * @m: the files
 * @name: name of the module
 * @error: where a message goes
 *
 * Return: false, and a message, if there are files of that module and none can be used.
 */
bool modules_check(struct modules *m, const char *name, char error[ERROR_MAX])
{
	const struct module_file *usable = modules_next(m, NULL, name, NULL);
	const struct module_file *first = first_file(m, name), *file;

	for (file = first; file && !*file->wrong; file = next_file(m, file))
		;
	if (file)
		memcpy(error, file->wrong, sizeof(file->wrong));
	else if (first && !usable &&
		 build_id_check(first->path, &first->id, &first->ran, "module that ran", error))
		snprintf(error, ERROR_MAX,
			 "%.300s: one of several builds of %.60s, and which one ran is not known: nothing is taken of them",
			 first->path, name);
	return !file && (!first || usable);
}

/**
 * modules_path - get the name of a file
 * @file: the file
 *
 * Return: its name.
 */
const char *modules_path(const struct module_file *file)
{
	return file->path;
}

/**
 * modules_elf - get libelf's handle of a file
 * @file: the file
 *
 * Return: the handle, which stays the file's.
 */
Elf *modules_elf(const struct module_file *file)
{
	return file->elf;
}

static void open_dwarf(struct module_file *file)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = dwfl_build_id_find_elf, .find_debuginfo = dwfl_standard_find_debuginfo,
		.section_address = dwfl_offline_section_address,
	};
	int fd;

	if (file->searched)
		return;
	file->searched = true;
	file->dwfl = dwfl_begin(&callbacks);
	fd = file->dwfl ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (fd < 0)
		return;
	file->linked = dwfl_report_offline(file->dwfl, file->name, file->path, fd);
	if (!file->linked)
		close(fd);
	dwfl_report_end(file->dwfl, NULL, NULL);
	if (file->linked)
		file->dwarf = dwfl_module_getdwarf(file->linked, &file->bias);
}

/* The only function of that name, or 0: of several it is not known which one is meant. */
static u64 find_function(const struct module_file *file, const char *name)
{
	int nr = dwfl_module_getsymtab(file->linked), i;
	const char *symbol;
	u64 addr = 0;
	GElf_Addr at;
	GElf_Sym sym;

	for (i = 1; i < nr; i++) {
		symbol = dwfl_module_getsym_info(file->linked, i, &sym, &at, NULL, NULL, NULL);
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
 * @name: name of the module
 * @id: its build id, see modules_next()
 * @function: name of the function that the address is in
 * @offset: the offset there
 * @addr: set to the address, as the debug information has it
 *
 * Return: the debug information, or NULL if there is none.
 */
Dwarf *modules_find(struct modules *m, const char *name, const struct build_id *id,
		    const char *function, u64 offset, u64 *addr)
{
	const struct module_file *next = NULL;
	struct module_file *file;

	while ((next = modules_next(m, next, name, id))) {
		file = m->files + (next - m->files);
		open_dwarf(file);
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
