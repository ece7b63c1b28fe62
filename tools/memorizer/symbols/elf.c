// SPDX-License-Identifier: GPL-2.0
/* Reader of functions and line numbers from vmlinux. */
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
 * struct kmap_elf - an open vmlinux
 * @fd: file descriptor
 * @elf: handle of libelf
 * @dwarf: handle of libdw
 * @main: address of start_kernel(); 0 if it is missing
 * @file: string of the source file of the following local symbols
 * @root: root of the source tree, with a trailing slash
 * @root_len: length of @root; 0 if it is unknown
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
 * elf_rank - get the rank of a symbol among those of the same address
 * @sym: the symbol
 *
 * Return: the rank.
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

	/* The local symbols of a file follow its STT_FILE symbol. */
	if (GELF_ST_TYPE(sym->st_info) == STT_FILE)
		e->file = len ? symbols_string(s, name, len) : 0;
	if (sym->st_shndx == SHN_UNDEF)
		return;
	/* Before the check of the type: the anchors are no functions. */
	anchors_note(anchors, name, len, sym->st_value);
	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC)
		return;
	if (!strcmp(name, "start_kernel"))
		e->main = sym->st_value;
	symbols_add(s, sym->st_value, sym->st_size, symbols_string(s, name, len), 0,
		    local ? e->file : 0, elf_rank(sym));
}

/* Read the symbol table. A stripped vmlinux has none. */
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
				    "%s: no functions in the symbol table: use an unstripped vmlinux",
				    path);
	return true;
}

/* The path of start_kernel()'s file, without init/main.c, is the root of the source tree. */
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
	e->root_len = len - strlen(main_c);
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
				    "%s: not an ELF file: use the vmlinux of the build, not a bzImage",
				    path);
	/* The addresses of an object file are offsets in its sections. */
	if (head.e_type == ET_REL)
		return symbols_fail(s, "%s: object file or module: use the linked vmlinux", path);
	s->kernel = build_id_elf(e->elf);
	if (!read_symbols(s, e, path, anchors))
		return false;
	if (!lines)
		return true;
	/* Before libdw, whose message would be misleading. */
	if (!sections_check(e->elf, path, s->error))
		return false;
	e->dwarf = dwarf_begin_elf(e->elf, DWARF_C_READ, NULL);
	if (!e->dwarf)
		return symbols_fail(s,
				    "%s: no line numbers (%s): use a vmlinux with CONFIG_DEBUG_INFO",
				    path, dwarf_errmsg(-1));
	find_root(e);
	return true;
}

/**
 * elf_check - check whether a vmlinux matches the traced kernel
 * @path: the file
 * @running: copy of the kernel's /sys/kernel/notes; may be NULL, or not exist
 * @error: set to a message on mismatch
 *
 * Return: false if the build IDs differ; true if they are equal, or if one is unknown.
 */
bool elf_check(const char *path, const char *running, char error[ERROR_MAX])
{
	struct build_id ran = build_id_kernel(running), id;
	int fd = ran.size ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	bool fine = true;
	Elf *elf;

	/* Without a build ID, any file matches. elf_open() reports one that cannot be opened. */
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
 * elf_open - add the functions of vmlinux to the symbols
 * @s: the symbols; @s->elf is set if @lines
 * @path: the file
 * @lines: read debug information for elf_line(), too
 * @anchors: set to the addresses of the anchors
 *
 * Return: true on success; false with a message in @s->error.
 */
bool elf_open(struct kmap_symbols *s, const char *path, bool lines, struct anchors *anchors)
{
	struct kmap_elf *e = xreallocarray(NULL, 1, sizeof(*e));
	bool ok;

	*e = (struct kmap_elf){ .fd = -1 };
	ok = read_elf(s, e, path, lines, anchors);
	/* Without lines, the file is not needed after its symbols were read. */
	if (ok && lines)
		s->elf = e;
	else
		elf_close(e);
	return ok;
}

/**
 * elf_close - close vmlinux
 * @e: vmlinux, opened by elf_open()
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
 * elf_line - format the source line of an address as " (file:line)"
 * @e: vmlinux
 * @addr: link-time address
 * @inlines: include inlined functions, see frames_write()
 * @text: set to the line; empty if it is unknown
 * @size: size of @text in bytes
 */
void elf_line(struct kmap_elf *e, u64 addr, bool inlines, char *text, size_t size)
{
	frames_write(e->dwarf, addr, e->root_len ? e->root : NULL, inlines, text, size);
}

/**
 * elf_root - get the root of the kernel's source tree
 * @e: vmlinux
 *
 * Return: the directory, with a trailing slash; NULL if it is unknown.
 */
const char *elf_root(const struct kmap_elf *e)
{
	return e->root_len ? e->root : NULL;
}
