// SPDX-License-Identifier: GPL-2.0
/*
 * Files of modules, from a build or a distribution: NAME.ko and NAME.ko.debug, which may be
 * compressed. A module may have several files. A file is used only if its build ID matches that of
 * the traced module.
 *
 * A module's file does not have the load addresses of its sections. An address is looked up by the
 * function that contains it according to kallsyms, and the offset in the function.
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

#define OPEN_MOST	16		/* max. number of open directories */

/**
 * struct module_file - a file of a module
 * @name: name of the module, with - replaced by _
 * @path: name of the file
 * @opened: opening was attempted; the following members are NULL or 0 if it failed
 * @fd: file descriptor of the decompressed bytes; -1 if there is none
 * @elf: handle of libelf
 * @id: build ID
 * @ran: in the first file of a module: build ID of the module in kallsyms
 * @dwfl: handle of libdwfl, opened on demand
 * @linked: module of libdwfl
 * @dwarf: debug information; NULL if there is none
 * @bias: difference of addresses in @linked and in @dwarf
 * @searched: @dwarf was searched for
 * @wrong: why the file cannot be read, or empty
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
 * struct modules - files of all modules
 * @files: the files, ordered by module and path
 * @nr: number of files
 * @ids: file with the build IDs of the modules in kallsyms; may be NULL
 */
struct modules {
	struct module_file *files;
	size_t nr;
	char *ids;
};

static struct modules *found;		/* result of note(): nftw() passes no argument */

/* Strip a suffix from the first @len bytes of a name. */
static bool cut(const char *name, size_t *len, const char *suffix)
{
	size_t n = strlen(suffix);

	if (*len <= n || memcmp(name + *len - n, suffix, n))
		return false;
	*len -= n;
	return true;
}

/* Extract the name of the module from the name of its file. Returns NULL for other files. */
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
	/* The kernel, too, replaces each - in the name of a module. */
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
 * @dir: directory to search recursively
 * @ids: file with the build IDs of the traced modules; may be NULL, or not exist
 * @error: set to a message on failure
 *
 * Return: the files, to be closed by modules_close(); NULL on failure.
 */
struct modules *modules_open(const char *dir, const char *ids, char error[ERROR_MAX])
{
	struct modules *m = xreallocarray(NULL, 1, sizeof(*m));

	*m = (struct modules){ .ids = ids ? xstrdup(ids) : NULL };
	found = m;
	/* FTW_PHYS: /lib/modules has links to the build and source trees. */
	if (!nftw(dir, note, OPEN_MOST, FTW_PHYS) && m->nr) {
		qsort(m->files, m->nr, sizeof(*m->files), compare);
		return m;
	}
	snprintf(error, ERROR_MAX,
		 "%s: no modules: expected NAME.ko or NAME.ko.debug, optionally with .xz, .zst or .gz",
		 dir);
	modules_close(m);
	return NULL;
}

/**
 * modules_close - close the files of modules
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

/* Get the next file, if it is of the same module. */
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
 * modules_next - iterate over the files of a module
 * @m: the files
 * @last: previous return value; NULL to start
 * @name: name of the module
 * @id: build ID of the module; NULL for that of the module in kallsyms
 *
 * If the build ID is unknown, the files are used only if all of them have the same one.
 *
 * Return: the next file with this build ID; NULL if there is none.
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
		/* If @id is unknown, files of different builds are ambiguous. */
		first = first ? first : file;
		if (!build_id_equal(&file->id, &first->id))
			return NULL;
		if (!next && (!last || file > last))
			next = file;
	}
	return next;
}

/**
 * modules_check - check whether a file of a traced module can be used
 * @m: the files
 * @name: name of the module
 * @error: set to a message on failure
 *
 * Return: false if the module has files, and none can be used, or one cannot be read.
 */
bool modules_check(struct modules *m, const char *name, char error[ERROR_MAX])
{
	const struct module_file *usable = modules_next(m, NULL, name, NULL);
	const struct module_file *first = first_file(m, name), *file;

	/* A file that cannot be read is reported even if another one can be used. */
	for (file = first; file && !*file->wrong; file = next_file(m, file))
		;
	if (file)
		memcpy(error, file->wrong, sizeof(file->wrong));
	else if (first && !usable &&
		 build_id_check(first->path, &first->id, &first->ran, "traced module", error))
		snprintf(error, ERROR_MAX,
			 "%.300s: one of several builds of %.60s, build ID of the traced one unknown: files ignored",
			 first->path, name);
	return !file && (!first || usable);
}

/**
 * modules_path - get the name of a file
 * @file: the file
 *
 * Return: the name.
 */
const char *modules_path(const struct module_file *file)
{
	return file->path;
}

/**
 * modules_elf - get the libelf handle of a file
 * @file: the file
 *
 * Return: the handle, owned by @file.
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
	/* Also on failure: do not try again for each address. */
	file->searched = true;
	file->dwfl = dwfl_begin(&callbacks);
	/* libdwfl takes over and closes its file descriptor; @elf still needs the other one. */
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

/* Look up a function by name. Returns 0 if there is none, or if the name is ambiguous. */
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
		/* Static functions of several files: kallsyms does not tell which. */
		if (addr && addr != at)
			return 0;
		addr = at;
	}
	return addr;
}

/**
 * modules_find - translate an address to the debug information of a module
 * @m: the files
 * @name: name of the module
 * @id: build ID of the module, see modules_next()
 * @function: name of the function that contains the address
 * @offset: offset of the address in the function in bytes
 * @addr: set to the address in the debug information
 *
 * Return: the debug information; NULL if there is none, or if it lacks the function.
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
		/*
		 * Only the offset in the function is the same in the traced kernel and in
		 * the file.
		 */
		*addr += offset - file->bias;
		return file->dwarf;
	}
	return NULL;
}
