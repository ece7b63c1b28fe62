// SPDX-License-Identifier: GPL-2.0
/* Names the functions of the traced kernel, wherever KASLR has put them. */
#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/frames.h"
#include "symbols/mapped.h"
#include "symbols/namesakes.h"
#include "symbols/symbols.h"

#define PAGE_BYTES	4096
#define NAME_BYTES	(KMAP_SYMBOL_MAX / 4)	/* kept of a name; a longer one is cut */

static const char * const anchor_names[NR_ANCHORS] = {
	[ANCHOR_STEXT] = "_stext",
	[ANCHOR_TEXT] = "_text",
	[ANCHOR_ETEXT] = "_etext",
};

/* Makes room for @need of @size bytes in @array, which has room for *@room. */
static void *grow(void *array, size_t need, size_t *room, size_t size)
{
	if (need <= *room)
		return array;
	*room = 2 * need;
	return xreallocarray(array, *room, size);
}

/**
 * symbols_fail - leave a message
 * @s: the symbols
 * @format: as for printf()
 *
 * Return: false, for its caller to return.
 */
bool symbols_fail(struct kmap_symbols *s, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(s->error, ERROR_MAX, format, args);
	va_end(args);
	return false;
}

/**
 * symbols_printable - replace what would break a KMAP's fields or a terminal
 * @text: name or path, changed in place
 */
void symbols_printable(char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~' || *text == ',')
			*text = '_';
}

/**
 * symbols_string - keep a string
 * @s: the symbols
 * @text: its bytes
 * @len: its length
 *
 * Return: what kmap_symbols_string() takes.
 */
u32 symbols_string(struct kmap_symbols *s, const char *text, size_t len)
{
	size_t at = s->names_len, i;

	if (len > NAME_BYTES)
		len = NAME_BYTES;
	s->names = grow(s->names, at + len + 1, &s->names_room, 1);
	for (i = 0; i < len; i++)
		s->names[at + i] = text[i] ? text[i] : '_';
	s->names[at + len] = '\0';
	symbols_printable(s->names + at);
	s->names_len += len + 1;
	return at;
}

/**
 * symbols_add - add a symbol
 * @s: the symbols
 * @start: its address
 * @size: its size, 0 when it ends where the next symbol begins
 * @name: string of its name
 * @module: string of its module's name
 * @file: string of its source file's name
 * @rank: which of several symbols of one address is taken
 */
void symbols_add(struct kmap_symbols *s, u64 start, u64 size, u32 name,
		 u32 module, u32 file, enum rank rank)
{
	s->sym = grow(s->sym, s->nr + 1, &s->room, sizeof(*s->sym));
	s->sym[s->nr++] = (struct kmap_symbol){ start, size, name, module, file, rank };
}

/**
 * anchors_note - remember a symbol's address if it is an anchor
 * @a: the anchors
 * @name: name of the symbol
 * @len: length of the name
 * @addr: its address
 */
void anchors_note(struct anchors *a, const char *name, size_t len, u64 addr)
{
	int i;

	for (i = 0; i < NR_ANCHORS; i++)
		if (len == strlen(anchor_names[i]) && !memcmp(name, anchor_names[i], len))
			a->addr[i] = addr;
}

/**
 * kmap_symbols_string - get a name
 * @s: the symbols
 * @string: the number of the name
 *
 * Return: the name, of printable bytes without comma or space.
 */
const char *kmap_symbols_string(const struct kmap_symbols *s, u32 string)
{
	return s->names + string;
}

/* How far KASLR moved the kernel: all anchors must agree on it. */
static bool find_offset(struct kmap_symbols *s, const struct anchors *elf,
			const struct anchors *running, const char *vmlinux,
			const char *kallsyms)
{
	int i, found = -1;

	for (i = 0; i < NR_ANCHORS; i++) {
		if (!elf->addr[i] || !running->addr[i])
			continue;
		if (found < 0) {
			s->offset = running->addr[i] - elf->addr[i];
			found = i;
		} else if (running->addr[i] - elf->addr[i] != s->offset) {
			return symbols_fail(s,
					    "%s and %s are of different kernels: from %s to %s it is %llx bytes in one, %llx in the other",
					    vmlinux, kallsyms, anchor_names[found], anchor_names[i],
					    elf->addr[i] - elf->addr[found],
					    running->addr[i] - running->addr[found]);
		}
	}
	if (found < 0)
		return symbols_fail(s,
				    "%s and %s have none of _stext, _text and _etext in common: want those of one kernel",
				    vmlinux, kallsyms);
	return true;
}

/*
 * By address, then the one to take first: one from vmlinux, which has a size.
 * Names make the order independent of qsort_r().
 */
static int compare(const void *left, const void *right, void *names)
{
	const struct kmap_symbol *a = left, *b = right;
	const char *x = (char *)names + a->name, *y = (char *)names + b->name;
	size_t bars;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	if (!a->size != !b->size)
		return a->size ? -1 : 1;
	if (a->rank != b->rank)
		return a->rank < b->rank ? -1 : 1;
	bars = strspn(x, "_");
	if (bars != strspn(y, "_"))
		return bars < strspn(y, "_") ? -1 : 1;
	return strcmp(x, y);
}

/*
 * Size of a symbol whose size is not known: it ends where the next begins. The
 * end of a module is not known either; so its last symbol reaches to the end of
 * a page, which leaves an unloaded module's addresses without a name.
 */
static u64 guess_size(const struct kmap_symbol *sym, const struct kmap_symbol *next)
{
	u64 reach = 2 * PAGE_BYTES - 1 - (sym->start + PAGE_BYTES - 1) % PAGE_BYTES;

	if (!next)
		return reach;
	if (next->module != sym->module && next->start - sym->start > reach)
		return reach;
	return next->start - sym->start;
}

/**
 * symbols_settle - order the symbols and leave one for each address
 * @s: the symbols
 */
void symbols_settle(struct kmap_symbols *s)
{
	size_t i, nr = 0;

	if (!s->nr)
		return;
	qsort_r(s->sym, s->nr, sizeof(*s->sym), compare, s->names);
	for (i = 0; i < s->nr; i++)
		if (!nr || s->sym[nr - 1].start != s->sym[i].start)
			s->sym[nr++] = s->sym[i];
	for (i = 0; i < nr; i++)
		if (!s->sym[i].size)
			s->sym[i].size = guess_size(s->sym + i, i + 1 < nr ? s->sym + i + 1 : NULL);
	s->nr = 0;
	for (i = 0; i < nr; i++)
		if (s->sym[i].rank != RANK_BOUNDARY)
			s->sym[s->nr++] = s->sym[i];
}

static bool load(struct kmap_symbols *s, const char *vmlinux, const char *kallsyms, bool lines)
{
	struct anchors elf = { 0 }, running = { 0 };
	size_t i, core = 0;

	if (vmlinux && !elf_open(s, vmlinux, lines, &elf))
		return false;
	core = s->nr;
	if (kallsyms && !kallsyms_read(s, kallsyms, false, &running))
		return false;
	if (vmlinux && kallsyms && !find_offset(s, &elf, &running, vmlinux, kallsyms))
		return false;
	for (i = 0; i < core; i++)
		s->sym[i].start += s->offset;
	symbols_settle(s);
	return true;
}

/**
 * kmap_symbols_load - read the symbols of the traced kernel
 * @vmlinux: its ELF file, or NULL
 * @kallsyms: a copy of its /proc/kallsyms, taken while it was traced, or NULL
 * @lines: whether kmap_symbols_format() shall give file and line from @vmlinux
 * @error: where a message goes
 *
 * With both, the functions of @vmlinux are moved to where @kallsyms says that
 * the kernel was, and @kallsyms adds those of modules. With neither nothing has
 * a name.
 *
 * Return: the symbols, or NULL and a message in @error.
 */
struct kmap_symbols *kmap_symbols_load(const char *vmlinux, const char *kallsyms,
				       bool lines, char error[ERROR_MAX])
{
	struct kmap_symbols *s = xreallocarray(NULL, 1, sizeof(*s));

	*s = (struct kmap_symbols){ .error = error, .namesakes = namesakes_make() };
	symbols_string(s, "", 0);
	if (load(s, vmlinux, kallsyms, lines))
		return s;
	kmap_symbols_free(s);
	return NULL;
}

/**
 * kmap_symbols_load_data - read the symbols of the traced kernel's data
 * @kallsyms: a copy of its /proc/kallsyms, taken while it was traced, or NULL: there are none
 * @error: where a message goes
 *
 * The addresses of per-CPU data are offsets.
 *
 * Return: the symbols, or NULL and a message in @error.
 */
struct kmap_symbols *kmap_symbols_load_data(const char *kallsyms, char error[ERROR_MAX])
{
	struct kmap_symbols *s = xreallocarray(NULL, 1, sizeof(*s));
	struct anchors anchors = { 0 };

	*s = (struct kmap_symbols){ .error = error, .namesakes = namesakes_make() };
	symbols_string(s, "", 0);
	if (kallsyms && !kallsyms_read(s, kallsyms, true, &anchors)) {
		kmap_symbols_free(s);
		return NULL;
	}
	symbols_settle(s);
	return s;
}

/**
 * kmap_symbols_free - release symbols
 * @s: the symbols
 */
void kmap_symbols_free(struct kmap_symbols *s)
{
	if (s->elf)
		elf_close(s->elf);
	notes_free(s->notes);
	namesakes_free(s->namesakes);
	if (s->modules)
		modules_close(s->modules);
	if (s->mapped)
		mapped_free(s->mapped);
	free(s->ids);
	free(s->sym);
	free(s->names);
	free(s);
}

/**
 * symbols_search - find the function that an address is in
 * @sym: functions, by address
 * @nr: how many
 * @ip: the address
 * @kind: what it is; a return address may be the first one after its function
 *
 * Return: the function, or NULL.
 */
const struct kmap_symbol *symbols_search(const struct kmap_symbol *sym, size_t nr, u64 ip,
					 enum kmap_ip kind)
{
	u64 addr = kind == KMAP_IP_RETURN ? ip - 1 : ip;
	size_t low = 0, high = nr, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (sym[middle].start <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low && addr - sym[low - 1].start < sym[low - 1].size ? sym + low - 1 : NULL;
}

/**
 * kmap_symbols_find - find the function that an address is in
 * @s: the symbols
 * @ip: the address
 * @kind: what it is
 *
 * Return: the function; one without a name is all of its module; NULL: not known.
 */
const struct kmap_symbol *kmap_symbols_find(const struct kmap_symbols *s, u64 ip,
					    enum kmap_ip kind)
{
	u32 nr = s->mapped ? mapped_number(s->mapped, ip) : MAPPINGS_NONE;

	return nr == MAPPINGS_NONE ? symbols_search(s->sym, s->nr, ip, kind) :
				     mapped_find(s->mapped, nr, ip, kind);
}

/**
 * kmap_symbols_function - write the function of an address, see namesakes_write()
 * @s: the symbols
 * @ip: the address
 * @kind: what it is
 * @text: where to write it; an address without a symbol is written in hex
 */
void kmap_symbols_function(const struct kmap_symbols *s, u64 ip, enum kmap_ip kind,
			   char text[KMAP_SYMBOL_MAX])
{
	const struct kmap_symbol *symbol = kmap_symbols_find(s, ip, kind);

	if (symbol)
		namesakes_write(s, symbol, text);
	else
		sprintf(text, "%llx", kmap_symbols_address(s, ip));
}

/* Writes the line of an address in a function, of the kernel or a module. */
static void write_line(const struct kmap_symbols *s, const struct kmap_symbol *sym, u64 addr,
		       char *text, size_t size)
{
	u32 nr = s->mapped ? mapped_number(s->mapped, addr) : MAPPINGS_NONE;
	const char *module = kmap_symbols_string(s, sym->module);
	Dwarf *dwarf;
	u64 at;

	if (!*module) {
		if (s->elf)
			elf_line(s->elf, addr - s->offset, s->inlines, text, size);
		return;
	}
	if (!s->modules)
		return;
	dwarf = modules_find(s->modules, module,
			     nr == MAPPINGS_NONE ? NULL : mapped_id(s->mapped, nr),
			     kmap_symbols_string(s, sym->name), addr - sym->start, &at);
	if (dwarf)
		frames_write(dwarf, at, s->elf ? elf_root(s->elf) : NULL, s->inlines, text, size);
}

/**
 * kmap_symbols_files - use files of modules, for lines and notes
 * @s: the symbols
 * @modules: directory with the files below it, or NULL
 * @running: a copy of the traced kernel's /sys/kernel/notes, or NULL; the build ids of its modules
 *	     are in the file that has .modules behind that name, if it is there
 * @inlines: whether kmap_symbols_format() shall give inlined functions where it gives lines
 * @error: where a message goes
 *
 * Return: whether there are files; if not there is a message in @error.
 */
bool kmap_symbols_files(struct kmap_symbols *s, const char *modules, const char *running,
			bool inlines, char error[ERROR_MAX])
{
	s->inlines = inlines;
	if (running && asprintf(&s->ids, "%s.modules", running) < 0)
		abort();
	if (!modules)
		return true;
	s->modules = modules_open(modules, s->ids, error);
	return s->modules;
}

/**
 * kmap_symbols_follow - get ready to be told of a trace's events
 * @s: the symbols
 * @dir: the trace
 */
void kmap_symbols_follow(struct kmap_symbols *s, const char *dir)
{
	s->mapped = mapped_new(dir);
}

/**
 * kmap_symbols_load_notes - read what the compiler noted
 * @s: the symbols; notes of modules are read if kmap_symbols_files() gave it their files
 * @vmlinux: the ELF file that they are from, or NULL
 * @error: where a message goes
 *
 * Return: false, and a message, if there are files that are not of what ran, or cannot be read.
 */
bool kmap_symbols_load_notes(struct kmap_symbols *s, const char *vmlinux, char error[ERROR_MAX])
{
	*error = '\0';
	if (vmlinux)
		s->notes = notes_load(vmlinux, s->offset, error);
	if (s->modules && !*error)
		s->notes = notes_join(s->notes, notes_load_modules(s, error));
	return !*error;
}

/**
 * kmap_symbols_notes - tell what the compiler noted
 * @s: the symbols
 *
 * Return: the notes, or NULL if there are none.
 */
const struct notes *kmap_symbols_notes(const struct kmap_symbols *s)
{
	return s->notes;
}

/**
 * kmap_symbols_note - find what the compiler noted of an address
 * @s: the symbols
 * @ip: the address, in the traced kernel
 * @kind: what it is
 *
 * Return: the note, or NULL if there is none.
 */
const struct note *kmap_symbols_note(const struct kmap_symbols *s, u64 ip, enum kmap_ip kind)
{
	return notes_find(s->notes, ip, kind == KMAP_IP_RETURN);
}

/**
 * kmap_symbols_format - write an address as symbol+0xoff/0xsize [module] (file:line)
 * @s: the symbols
 * @ip: the address
 * @kind: what it is
 * @text: where to write it; an address without a symbol is written in hex
 *
 * Return: the length of @text.
 */
size_t kmap_symbols_format(const struct kmap_symbols *s, u64 ip, enum kmap_ip kind,
			   char text[KMAP_SYMBOL_MAX])
{
	const struct kmap_symbol *sym = kmap_symbols_find(s, ip, kind);
	const char *module;
	int len;

	if (!sym)
		return sprintf(text, "%llx", kmap_symbols_address(s, ip));
	module = kmap_symbols_string(s, sym->module);
	if (!*kmap_symbols_string(s, sym->name) && *module)
		return snprintf(text, KMAP_SYMBOL_MAX, "[%s+0x%llx]", module, ip - sym->start);
	len = snprintf(text, KMAP_SYMBOL_MAX, "%s+0x%llx/0x%llx%s%s%s",
		       kmap_symbols_string(s, sym->name), ip - sym->start, sym->size,
		       *module ? " [" : "", module, *module ? "]" : "");
	if (len < KMAP_SYMBOL_MAX)
		write_line(s, sym, ip - (kind == KMAP_IP_RETURN), text + len,
			   KMAP_SYMBOL_MAX - len);
	return strlen(text);
}

/**
 * kmap_symbols_have - find out whether some function can be meant
 * @s: the symbols
 * @pattern: name of a function, * and ? match others; perhaps with an offset behind it
 *
 * Return: whether there is one.
 */
bool kmap_symbols_have(const struct kmap_symbols *s, const char *pattern)
{
	size_t len = strcspn(pattern, "+"), i;
	char *name = strndup(pattern, len);
	bool found = false;

	for (i = 0; name && !found && i < s->nr; i++)
		found = !fnmatch(name, s->names + s->sym[i].name, FNM_NOESCAPE);
	found = found || (name && mapped_have(s, name));
	free(name);
	return found;
}
