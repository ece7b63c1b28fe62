// SPDX-License-Identifier: GPL-2.0
/* Reads functions and line numbers from vmlinux. */
#if !__has_include("elfutils/libdw.h") || !__has_include("gelf.h")
#error "libdw and libelf are missing: install libdw-dev and libelf-dev"
#endif

#include <elfutils/libdw.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "symbols/frames.h"
#include "symbols/sections.h"
#include "symbols/symbols.h"

/**
 * struct kmap_elf - a vmlinux that is open for its line numbers
 * @fd: its file descriptor
 * @elf: its handle in libelf
 * @dwarf: its handle in libdw
 * @main: address of start_kernel(), 0 when it has none
 * @file: string of the source file that the next local symbols are of
 * @root: directory of the kernel's source, with a slash at its end
 * @root_len: length of @root, 0 when it is not known
 */
struct kmap_elf {
	int fd;
	Elf *elf;
	Dwarf *dwarf;
	u64 main;
	u32 file;
	char *root;
	size_t root_len;
};

/**
 * elf_rank - tell which of several symbols of one address is taken
 * @sym: the symbol
 *
 * Return: its rank.
 */
enum rank elf_rank(const GElf_Sym *sym)
{
	switch (GELF_ST_BIND(sym->st_info)) {
	case STB_GLOBAL:
		return RANK_GLOBAL;
	case STB_WEAK:
		return RANK_WEAK;
	default:
		return RANK_LOCAL;
	}
}

static void read_symbol(struct kmap_symbols *s, struct kmap_elf *e, const char *name,
			const GElf_Sym *sym, struct anchors *anchors)
{
	size_t len = strlen(name);
	bool local = GELF_ST_BIND(sym->st_info) == STB_LOCAL;

	if (GELF_ST_TYPE(sym->st_info) == STT_FILE)
		e->file = len ? symbols_string(s, name, len) : 0;
	if (sym->st_shndx == SHN_UNDEF)
		return;
	anchors_note(anchors, name, len, sym->st_value);
	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC)
		return;
	if (!strcmp(name, "start_kernel"))
		e->main = sym->st_value;
	symbols_add(s, sym->st_value, sym->st_size, symbols_string(s, name, len), 0,
		    local ? e->file : 0, elf_rank(sym));
}

/* Reads the symbol tables; there is one, unless vmlinux was stripped. */
static bool read_symbols(struct kmap_symbols *s, struct kmap_elf *e, const char *path,
			 struct anchors *anchors)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr head;
	const char *name;
	GElf_Sym sym;
	int i;

	while ((scn = elf_nextscn(e->elf, scn))) {
		if (!gelf_getshdr(scn, &head) || head.sh_type != SHT_SYMTAB)
			continue;
		data = elf_getdata(scn, NULL);
		for (i = 0; data && gelf_getsym(data, i, &sym); i++) {
			name = elf_strptr(e->elf, head.sh_link, sym.st_name);
			if (name)
				read_symbol(s, e, name, &sym, anchors);
		}
	}
	if (!s->nr)
		return symbols_fail(s,
				    "%s: no functions in its symbol table: want a vmlinux that was not stripped",
				    path);
	return true;
}

/* start_kernel() is in init/main.c: what stands before that is the same for all files. */
static void find_root(struct kmap_elf *e)
{
	static const char main_c[] = "init/main.c";
	const char *path;
	size_t len;
	int number;

	path = e->main ? frames_line(e->dwarf, e->main, &number) : NULL;
	len = path ? strlen(path) : 0;
	if (len < strlen(main_c) || strcmp(path + len - strlen(main_c), main_c))
		return;
	e->root = xstrdup(path);
	e->root_len = e->root ? len - strlen(main_c) : 0;
	if (e->root)
		e->root[e->root_len] = '\0';
}

static bool read_elf(struct kmap_symbols *s, struct kmap_elf *e, const char *path, bool lines,
		     struct anchors *anchors)
{
	GElf_Ehdr head;

	e->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (e->fd < 0)
		return symbols_fail(s, "%s: %s", path, strerror(errno));
	elf_version(EV_CURRENT);
	e->elf = elf_begin(e->fd, ELF_C_READ_MMAP, NULL);
	if (!e->elf || elf_kind(e->elf) != ELF_K_ELF || !gelf_getehdr(e->elf, &head))
		return symbols_fail(s,
				    "%s: not an ELF file: want the vmlinux from the build, not a bzImage",
				    path);
	if (head.e_type == ET_REL)
		return symbols_fail(s, "%s: an object file or module: want the linked vmlinux",
				    path);
	if (!read_symbols(s, e, path, anchors))
		return false;
	if (!lines)
		return true;
	if (!sections_check(e->elf, path, s->error))
		return false;
	e->dwarf = dwarf_begin_elf(e->elf, DWARF_C_READ, NULL);
	if (!e->dwarf)
		return symbols_fail(s,
				    "%s: no line numbers (%s): want a vmlinux with CONFIG_DEBUG_INFO",
				    path, dwarf_errmsg(-1));
	find_root(e);
	return true;
}

/**
 * elf_check - check whether a vmlinux is that of the kernel that ran
 * @path: the file
 * @running: a copy of the kernel's /sys/kernel/notes, or NULL; it need not be there
 * @error: where a message goes
 *
 * Return: false, and a message, if its build id is another one; a file that cannot be read is not.
 */
bool elf_check(const char *path, const char *running, char error[ERROR_MAX])
{
	struct build_id ran = build_id_kernel(running), id;
	int fd = ran.size ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool fine = true;
	Elf *elf;

	if (fd < 0)
		return true;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (elf_kind(elf) == ELF_K_ELF) {
		id = build_id_elf(elf);
		fine = build_id_check(path, &id, &ran, "traced kernel", error);
	}
	elf_end(elf);
	close(fd);
	return fine;
}

/**
 * elf_open - add the functions of vmlinux
 * @s: where they are added; @s->elf is set if @lines
 * @path: the file
 * @lines: whether elf_line() will be called
 * @anchors: where the addresses of the anchors go
 *
 * Return: whether that worked; if not there is a message.
 */
bool elf_open(struct kmap_symbols *s, const char *path, bool lines, struct anchors *anchors)
{
	struct kmap_elf *e = xreallocarray(NULL, 1, sizeof(*e));
	bool ok;

	*e = (struct kmap_elf){ .fd = -1 };
	ok = read_elf(s, e, path, lines, anchors);
	if (ok && lines)
		s->elf = e;
	else
		elf_close(e);
	return ok;
}

/**
 * elf_close - close vmlinux
 * @e: what elf_open() opened
 */
void elf_close(struct kmap_elf *e)
{
	if (e->dwarf)
		dwarf_end(e->dwarf);
	if (e->elf)
		elf_end(e->elf);
	if (e->fd >= 0)
		close(e->fd);
	free(e->root);
	free(e);
}

/**
 * elf_line - write the source line of an address as " (file:line)"
 * @e: vmlinux
 * @addr: an address in it
 * @inlines: whether to write inlined functions, too, see frames_write()
 * @text: where to write it; nothing when the line is not known
 * @size: room in @text
 */
void elf_line(struct kmap_elf *e, u64 addr, bool inlines, char *text, size_t size)
{
	frames_write(e->dwarf, addr, e->root_len ? e->root : NULL, inlines, text, size);
}

/**
 * elf_root - tell where the kernel's source is
 * @e: vmlinux
 *
 * Return: the directory, with a slash at its end, or NULL if it is not known.
 */
const char *elf_root(const struct kmap_elf *e)
{
	return e->root_len ? e->root : NULL;
}
