// SPDX-License-Identifier: GPL-2.0
/*
 * Relocates the notes of modules. Where the sections of a module were loaded is not in its file,
 * but kallsyms has the functions in them. All of a section must have been moved by as much, or
 * the file is not that of the module that ran.
 */
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/modules.h"
#include "symbols/symbols.h"

/**
 * struct loaded - functions of modules that the traced kernel had
 * @s: what knows their names
 * @sym: the functions, by module and name
 * @count: how many
 */
struct loaded {
	const struct kmap_symbols *s;
	const struct kmap_symbol **sym;
	size_t count;
};

/* A function in the file of a module. */
struct local {
	const char *name;
	size_t section;
	u64 at;
};

/* By how much a section was moved, if that is known. */
struct base {
	u64 moved;
	const char *by;		/* a function in it */
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

/* Takes those of @nr functions that are of modules. */
static void find_loaded(struct loaded *l, struct kmap_symbols *s, const struct kmap_symbol *sym,
			size_t nr)
{
	size_t i;

	*l = (struct loaded){ .s = s, .sym = xreallocarray(NULL, nr + 1, sizeof(*l->sym)) };
	for (i = 0; i < nr; i++)
		if (*kmap_symbols_string(s, sym[i].module))
			l->sym[l->count++] = sym + i;
	if (l->count)
		qsort_r(l->sym, l->count, sizeof(*l->sym), compare_loaded, s);
}

/* The first function of a module that is not before a name; @l->count if there is none. */
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

static bool is_function(const struct loaded *l, size_t i, const char *module, const char *name)
{
	return i < l->count && !strcmp(module_of(l, i), module) &&
	       !strcmp(name_of(l, i), name);
}

/* The only function of that name in the module, or 0. */
static u64 find_function(const struct loaded *l, const char *module, const char *name)
{
	size_t i = first_of(l, module, name);

	if (!is_function(l, i, module, name) || is_function(l, i + 1, module, name))
		return 0;
	return l->sym[i]->start;
}

static int compare_locals(const void *left, const void *right)
{
	return strcmp(((const struct local *)left)->name, ((const struct local *)right)->name);
}

/* The functions in a file, by name; returns how many. */
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
			if (GELF_ST_TYPE(sym.st_info) != STT_FUNC || !local.name ||
			    !local.section || local.section >= sections)
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

/* Finds where sections are; returns false, and a message, if that cannot be of this file. */
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
		if ((i && !strcmp(one[-1].name, one->name)) ||
		    (i + 1 < nr && !strcmp(one[1].name, one->name)))
			continue;
		at = find_function(m->loaded, m->name, one->name);
		base = bases + one->section;
		if (at && base->by && base->moved != at - one->at) {
			snprintf(error, ERROR_MAX,
				 "%s: stale: %s and %s lie elsewhere in the module that ran: no types are told of it",
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

/* Applies a relocation to the notes: an address in code, or an offset among strings. */
static void apply(const GElf_Rela *rela, const GElf_Sym *sym, const struct base *base,
		  struct section_bytes *b, bool big_endian)
{
	size_t size = rela->r_offset % NOTE_SIZE ? 4 : 8;
	u64 value = sym->st_value + rela->r_addend;

	if (rela->r_offset > b->size || b->size - rela->r_offset < size)
		return;
	if (size == 8)
		value = base->by ? value + base->moved : NOTE_NOWHERE;
	put(b->data + rela->r_offset, value, size, big_endian);
}

/**
 * notes_relocate - say where the traced kernel has what the notes of a module are of
 * @m: the module
 * @section: number of the section that the notes are in
 * @b: the notes, which are changed
 * @big_endian: their byte order
 * @error: where a message goes
 *
 * What is not in any section of which it is known where it was is at NOTE_NOWHERE then.
 *
 * Return: whether the file is that of the module that ran, as far as can be seen.
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

/* Reads the notes of a module, or NULL; @id as for modules_next(). */
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
 * notes_load_mapped - read the notes of a module that was there at some time
 * @s: the symbols, with the files of modules
 * @sym: the module's functions then
 * @nr: how many
 * @name: its name
 * @id: its build id
 *
 * Return: the notes, or NULL if there are none.
 */
struct notes *notes_load_mapped(struct kmap_symbols *s, const struct kmap_symbol *sym, size_t nr,
				const char *name, const struct build_id *id)
{
	char error[ERROR_MAX];
	struct notes *notes;
	struct loaded l;

	find_loaded(&l, s, sym, nr);
	notes = load_module(s, &l, name, id, error);
	free(l.sym);
	return notes;
}

/**
 * notes_load_modules - read the notes of the modules that the traced kernel had
 * @s: its symbols, with the files of modules
 * @error: where a message goes: of the first file that is not of the module that ran
 *
 * Return: their notes, or NULL if there are none.
 */
struct notes *notes_load_modules(struct kmap_symbols *s, char error[ERROR_MAX])
{
	struct notes *all = NULL, *notes;
	char one[ERROR_MAX];
	struct loaded l;
	size_t i;

	*error = '\0';
	find_loaded(&l, s, s->sym, s->nr);
	for (i = 0; i < l.count; i++) {
		if (i && !strcmp(module_of(&l, i - 1), module_of(&l, i)))
			continue;
		*one = '\0';
		notes = modules_check(s->modules, module_of(&l, i), one) ?
			load_module(s, &l, module_of(&l, i), NULL, one) : NULL;
		if (!notes && *one && !*error)
			memcpy(error, one, sizeof(one));
		all = notes_join(notes, all);
	}
	free(l.sym);
	return all;
}
