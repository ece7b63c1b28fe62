// SPDX-License-Identifier: GPL-2.0
/*
 * Relocates the compiler's notes of modules. A module's file does not have the load addresses of
 * its sections: they are derived from the symbols in kallsyms. If the symbols of a section yield
 * different addresses, the file is not that of the traced module.
 */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/modules.h"
#include "symbols/symbols.h"

/**
 * struct loaded - functions and data of modules in the traced kernel
 * @s: symbols of the kernel
 * @sym: symbols of the modules, ordered by module and name
 * @count: number of @sym
 */
struct loaded {
	struct kmap_symbols *s;
	const struct kmap_symbol **sym;
	size_t count;
};

/* A function or data in the file of a module. */
struct local {
	const char *name;
	size_t section;
	u64 at;			/* offset in the section */
};

/* Load address of a section. */
struct base {
	u64 moved;		/* the address */
	const char *by;		/* symbol that it was derived from; NULL if it is unknown */
};

static const char *name_of(const struct loaded *l, size_t nr)
{
	return kmap_symbols_string(l->s, l->sym[nr]->name);
}

static const char *module_of(const struct loaded *l, size_t nr)
{
	return kmap_symbols_string(l->s, l->sym[nr]->module);
}

static int compare_loaded(const void *left, const void *right, void *symbols)
{
	const struct kmap_symbol *a = *(const struct kmap_symbol **)left;
	const struct kmap_symbol *b = *(const struct kmap_symbol **)right;
	int order = strcmp(kmap_symbols_string(symbols, a->module),
			   kmap_symbols_string(symbols, b->module));

	return order ? order : strcmp(kmap_symbols_string(symbols, a->name),
				      kmap_symbols_string(symbols, b->name));
}

/* Add the symbols of modules. */
static void add_loaded(struct loaded *l, const struct kmap_symbol *sym, size_t nr)
{
	size_t i;

	l->sym = xreallocarray(l->sym, l->count + nr + 1, sizeof(*l->sym));
	/* Symbols of vmlinux have no module, and fixed addresses. */
	for (i = 0; i < nr; i++)
		if (*kmap_symbols_string(l->s, sym[i].module))
			l->sym[l->count++] = sym + i;
}

/* Order the symbols for first_of(). */
static void sort_loaded(struct loaded *l)
{
	if (l->count)
		qsort_r(l->sym, l->count, sizeof(*l->sym), compare_loaded, l->s);
}

/* Index of the first symbol that does not sort before @module and @name. */
static size_t first_of(const struct loaded *l, const char *module, const char *name)
{
	size_t low = 0, high = l->count, middle;
	int order;

	while (low < high) {
		middle = low + (high - low) / 2;
		order = strcmp(module_of(l, middle), module);
		if (order < 0 || (!order && strcmp(name_of(l, middle), name) < 0))
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static bool is_symbol(const struct loaded *l, size_t i, const char *module, const char *name)
{
	return i < l->count && !strcmp(module_of(l, i), module) &&
	       !strcmp(name_of(l, i), name);
}

/* Address of a symbol; 0 if there is none, or if the name is ambiguous. */
static u64 find_symbol(const struct loaded *l, const char *module, const char *name)
{
	size_t i = first_of(l, module, name);

	if (!is_symbol(l, i, module, name) || is_symbol(l, i + 1, module, name))
		return 0;
	return l->sym[i]->start;
}

static int compare_locals(const void *left, const void *right)
{
	return strcmp(((const struct local *)left)->name, ((const struct local *)right)->name);
}

/* List the functions and data in a file, ordered by name. Returns their number. */
static size_t find_locals(Elf *elf, size_t sections, struct local **locals)
{
	Elf_Scn *scn = NULL;
	Elf_Data *data;
	GElf_Shdr head;
	GElf_Sym sym;
	struct local local;
	size_t nr = 0;
	int i;

	*locals = NULL;
	while ((scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &head)) {
		data = head.sh_type == SHT_SYMTAB ? elf_getdata(scn, NULL) : NULL;
		for (i = 0; data && gelf_getsym(data, i, &sym); i++) {
			local = (struct local){ elf_strptr(elf, head.sh_link, sym.st_name),
						sym.st_shndx, sym.st_value };
			if ((GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
			     GELF_ST_TYPE(sym.st_info) != STT_OBJECT) ||
			    !local.name || !local.section || local.section >= sections)
				continue;
			if (!(nr & (nr - 1)))
				*locals = xreallocarray(*locals, 2 * nr + 1, sizeof(local));
			(*locals)[nr++] = local;
		}
	}
	if (nr)
		qsort(*locals, nr, sizeof(local), compare_locals);
	return nr;
}

/* Derive the load addresses of sections. Fails if the file does not match the traced module. */
static bool find_bases(const struct module_notes *m, struct base *bases, size_t sections,
		       char error[ERROR_MAX])
{
	struct local *locals, *one;
	size_t nr = find_locals(m->elf, sections, &locals), i;
	struct base *base;
	bool fine = true;
	u64 at;

	for (i = 0; fine && i < nr; i++) {
		one = locals + i;
		/* An ambiguous name could be paired with the wrong address. */
		if ((i && !strcmp(one[-1].name, one->name)) ||
		    (i + 1 < nr && !strcmp(one[1].name, one->name)))
			continue;
		at = find_symbol(m->loaded, m->name, one->name);
		base = bases + one->section;
		if (at && base->by && base->moved != at - one->at) {
			snprintf(error, ERROR_MAX,
				 "%s: stale: offsets of %s and %s differ in the traced module: types ignored",
				 m->path, base->by, one->name);
			fine = false;
		}
		if (at)
			*base = (struct base){ at - one->at, one->name };
	}
	free(locals);
	return fine;
}

static void put(unsigned char *to, u64 value, int size, bool big_endian)
{
	int i;

	for (i = 0; i < size; i++)
		to[i] = value >> 8 * (big_endian ? size - 1 - i : i);
}

/* Apply a relocation to the notes: an address of code or data, or an offset in the strings. */
static void apply(const GElf_Rela *rela, const GElf_Sym *sym, const struct base *base,
		  struct section_bytes *b, bool big_endian)
{
	size_t size = rela->r_offset % NOTE_SIZE ? 4 : 8;
	u64 value = sym->st_value + rela->r_addend;

	/* The relocations of a damaged file may point anywhere. */
	if (rela->r_offset > b->size || b->size - rela->r_offset < size)
		return;
	/* Without a symbol in kallsyms, the section's address is unknown: drop the note. */
	if (size == 8)
		value = base->by ? value + base->moved : NOTE_NOWHERE;
	put(b->data + rela->r_offset, value, size, big_endian);
}

/**
 * notes_relocate - relocate the notes of a module to addresses in the traced kernel
 * @m: the module
 * @section: index of the section with the notes
 * @b: the notes, relocated in place
 * @big_endian: byte order of the notes
 * @error: set to a message on failure
 *
 * Addresses in sections with unknown load address are relocated to NOTE_NOWHERE.
 *
 * Return: false if the file does not match the traced module.
 */
bool notes_relocate(const struct module_notes *m, size_t section, struct section_bytes *b,
		    bool big_endian, char error[ERROR_MAX])
{
	Elf_Data *data, *symbols;
	Elf *elf = m->elf;
	struct base *bases;
	GElf_Shdr head, link;
	Elf_Scn *scn = NULL;
	size_t sections;
	GElf_Rela rela;
	GElf_Sym sym;
	bool fine;
	int i;

	if (elf_getshdrnum(elf, &sections))
		return false;
	bases = xreallocarray(NULL, sections + 1, sizeof(*bases));
	memset(bases, 0, (sections + 1) * sizeof(*bases));
	fine = find_bases(m, bases, sections, error);
	while (fine && (scn = elf_nextscn(elf, scn)) && gelf_getshdr(scn, &head)) {
		if (head.sh_type != SHT_RELA || head.sh_info != section ||
		    !gelf_getshdr(elf_getscn(elf, head.sh_link), &link))
			continue;
		data = elf_getdata(scn, NULL);
		symbols = elf_getdata(elf_getscn(elf, head.sh_link), NULL);
		for (i = 0; data && symbols && gelf_getrela(data, i, &rela); i++)
			if (gelf_getsym(symbols, GELF_R_SYM(rela.r_info), &sym) &&
			    sym.st_shndx < sections)
				apply(&rela, &sym, bases + sym.st_shndx, b, big_endian);
	}
	free(bases);
	return fine;
}

/* Read the notes of a module from its first usable file. See modules_next() for @id. */
static struct notes *load_module(struct kmap_symbols *s, const struct loaded *l, const char *name,
				 const struct build_id *id, char error[ERROR_MAX])
{
	struct module_notes m = { .name = name, .loaded = l };
	const struct module_file *file = NULL;
	struct notes *notes = NULL;

	while (!notes && (file = modules_next(s->modules, file, name, id))) {
		m.path = modules_path(file);
		m.elf = modules_elf(file);
		notes = notes_load_module(&m, error);
	}
	return notes;
}

/**
 * notes_load_mapped - read the notes of a mapped module
 * @s: the symbols, with the files of modules
 * @sym: functions of the module, at tagged addresses
 * @nr: number of functions
 * @name: name of the module
 * @id: build ID of the module
 *
 * Return: the notes; NULL if there are none.
 */
struct notes *notes_load_mapped(struct kmap_symbols *s, const struct kmap_symbol *sym, size_t nr,
				const char *name, const struct build_id *id)
{
	char error[ERROR_MAX];
	struct notes *notes;
	struct loaded l;

	l = (struct loaded){ .s = s };
	add_loaded(&l, sym, nr);
	sort_loaded(&l);
	notes = load_module(s, &l, name, id, error);
	free(l.sym);
	return notes;
}

/**
 * notes_load_modules - read the notes of the modules in kallsyms
 * @s: the symbols, with the files of modules
 * @error: set to a message about the first file that cannot be used; empty if there is none
 *
 * Return: the notes; NULL if there are none.
 */
struct notes *notes_load_modules(struct kmap_symbols *s, char error[ERROR_MAX])
{
	struct notes *all = NULL, *notes;
	char one[ERROR_MAX];
	struct loaded l;
	size_t i;

	*error = '\0';
	l = (struct loaded){ .s = s };
	add_loaded(&l, s->sym, s->nr);
	add_loaded(&l, s->data, s->nr_data);
	sort_loaded(&l);
	for (i = 0; i < l.count; i++) {
		if (i && !strcmp(module_of(&l, i - 1), module_of(&l, i)))
			continue;
		*one = '\0';
		notes = modules_check(s->modules, module_of(&l, i), one) ?
			load_module(s, &l, module_of(&l, i), NULL, one) : NULL;
		/* A message per module would be too much: report the first. */
		if (!notes && *one && !*error)
			memcpy(error, one, sizeof(one));
		all = notes_join(notes, all);
	}
	free(l.sym);
	return all;
}
