// SPDX-License-Identifier: GPL-2.0
/* Symbols of the traced kernel, from vmlinux and kallsyms, with KASLR. */
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
#define NAME_BYTES	(KMAP_SYMBOL_MAX / 4)	/* longer names are truncated */

static const char * const anchor_names[NR_ANCHORS] = {
	[ANCHOR_STEXT] = "_stext",
	[ANCHOR_TEXT] = "_text",
	[ANCHOR_ETEXT] = "_etext",
};

/* Resize an array geometrically, to at least @need elements. */
static void *grow(void *array, size_t need, size_t *room, size_t size)
{
	if (need <= *room)
		return array;
	*room = 2 * need;
	return xreallocarray(array, *room, size);
}

/**
 * symbols_fail - format an error message
 * @s: the symbols; @s->error is set
 * @format: format of printf()
 *
 * Return: false, so that callers can return it.
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
 * symbols_printable - replace separators of KMAPs and unprintable bytes
 * @text: name or path, modified in place
 */
void symbols_printable(char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~' || *text == ',')
			*text = '_';
}

/**
 * symbols_string - store a string
 * @s: the symbols
 * @text: the string
 * @len: length of @text in bytes
 *
 * Return: number of the string for kmap_symbols_string().
 */
u32 symbols_string(struct kmap_symbols *s, const char *text, size_t len)
{
	size_t at = s->names_len, i;

	if (len > NAME_BYTES)
		len = NAME_BYTES;
	s->names = grow(s->names, at + len + 1, &s->names_room, 1);
	/* A NUL from a damaged file would end the string early. */
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
 * @start: address of the symbol
 * @size: size of the symbol in bytes; 0 if it extends to the next symbol
 * @name: string of the name
 * @module: string of the module's name
 * @file: string of the source file's name
 * @rank: precedence among symbols of the same address
 */
void symbols_add(struct kmap_symbols *s, u64 start, u64 size, u32 name,
		 u32 module, u32 file, enum rank rank)
{
	s->sym = grow(s->sym, s->nr + 1, &s->room, sizeof(*s->sym));
	s->sym[s->nr++] = (struct kmap_symbol){ start, size, name, module, file, rank };
}

/**
 * anchors_note - store the address of a symbol if it is an anchor
 * @a: the anchors
 * @name: name of the symbol
 * @len: length of @name in bytes
 * @addr: address of the symbol
 */
void anchors_note(struct anchors *a, const char *name, size_t len, u64 addr)
{
	int i;

	for (i = 0; i < NR_ANCHORS; i++)
		if (len == strlen(anchor_names[i]) && !memcmp(name, anchor_names[i], len))
			a->addr[i] = addr;
}

/**
 * kmap_symbols_string - get a string
 * @s: the symbols
 * @string: number of the string
 *
 * Return: the string, which has no unprintable bytes, commas or spaces.
 */
const char *kmap_symbols_string(const struct kmap_symbols *s, u32 string)
{
	return s->names + string;
}

/* Determine KASLR's offset. If the anchors disagree, the files are of different kernels. */
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
					    "%s and %s are of different kernels: %s to %s is %llx bytes in one, %llx in the other",
					    vmlinux, kallsyms, anchor_names[found], anchor_names[i],
					    elf->addr[i] - elf->addr[found],
					    running->addr[i] - running->addr[found]);
		}
	}
	if (found < 0)
		return symbols_fail(s,
				    "%s and %s are of different kernels: no common _stext, _text or _etext",
				    vmlinux, kallsyms);
	return true;
}

/*
 * Order by address, then by precedence: symbols of vmlinux, which have a size, come first. The name
 * makes the order total, since qsort_r() is not stable.
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
	/* Of aliases such as memcpy and __memcpy, prefer the public one. */
	bars = strspn(x, "_");
	if (bars != strspn(y, "_"))
		return bars < strspn(y, "_") ? -1 : 1;
	return strcmp(x, y);
}

/*
 * Estimate the size of a symbol: it ends where the next one starts. The last symbol of a module
 * ends at a page boundary, so that addresses in an unloaded module after it get no name.
 */
static u64 guess_size(const struct kmap_symbol *sym, const struct kmap_symbol *next)
{
	u64 reach = 2 * PAGE_BYTES - 1 - (sym->start + PAGE_BYTES - 1) % PAGE_BYTES;

	/* Nothing ends the last symbol: assume a page boundary. */
	if (!next)
		return reach;
	if (next->module != sym->module && next->start - sym->start > reach)
		return reach;
	return next->start - sym->start;
}

/**
 * symbols_settle - sort the symbols, and keep one per address
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
	/* Drop boundaries only now: they ended the symbols before them. So did data. */
	s->data = xreallocarray(s->data, nr, sizeof(*s->data));
	s->nr = 0;
	s->nr_data = 0;
	for (i = 0; i < nr; i++)
		if (s->sym[i].rank == RANK_DATA)
			s->data[s->nr_data++] = s->sym[i];
		else if (s->sym[i].rank != RANK_BOUNDARY)
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
	/* Only the symbols of vmlinux: kallsyms has relocated addresses. */
	for (i = 0; i < core; i++)
		s->sym[i].start += s->offset;
	symbols_settle(s);
	return true;
}

/**
 * kmap_symbols_load - load the symbols of functions
 * @vmlinux: vmlinux of the traced kernel; may be NULL
 * @kallsyms: copy of /proc/kallsyms of the traced boot; may be NULL
 * @lines: load line numbers of @vmlinux for kmap_symbols_format(), too
 * @error: set to a message on failure; must stay valid
 *
 * With both files, symbols of @vmlinux are relocated by KASLR's offset, and @kallsyms adds those of
 * modules. With neither, no address has a symbol.
 *
 * Return: the symbols, to be freed by kmap_symbols_free(); NULL on failure.
 */
struct kmap_symbols *kmap_symbols_load(const char *vmlinux, const char *kallsyms,
				       bool lines, char error[ERROR_MAX])
{
	struct kmap_symbols *s = xreallocarray(NULL, 1, sizeof(*s));

	*s = (struct kmap_symbols){ .error = error, .namesakes = namesakes_make() };
	/* String 0 is the empty one: no module, no file. */
	symbols_string(s, "", 0);
	if (load(s, vmlinux, kallsyms, lines))
		return s;
	kmap_symbols_free(s);
	return NULL;
}

/**
 * kmap_symbols_load_data - load the symbols of data
 * @kallsyms: copy of /proc/kallsyms of the traced boot; NULL for no symbols
 * @error: set to a message on failure
 *
 * The addresses of per-CPU data are offsets.
 *
 * Return: the symbols, to be freed by kmap_symbols_free(); NULL on failure.
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
 * kmap_symbols_free - free symbols
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
	free(s->data);
	free(s->names);
	free(s);
}

/**
 * symbols_search - look up the symbol that contains an address
 * @sym: symbols, ordered by address
 * @nr: number of symbols
 * @ip: the address
 * @kind: kind of the address; a return address may be right after the end of its function
 *
 * Return: the symbol; NULL if there is none.
 */
const struct kmap_symbol *symbols_search(const struct kmap_symbol *sym, size_t nr, u64 ip,
					 enum kmap_ip kind)
{
	/* A call to a noreturn function may be the last instruction. */
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

/* Objects that no code allocated have the address of a variable in place of a call site. */
static const struct kmap_symbol *find_data(const struct kmap_symbols *s, u64 addr)
{
	const struct kmap_symbol *found = symbols_search(s->data, s->nr_data, addr, KMAP_IP_EXACT);

	return found && found->start == addr ? found : NULL;
}

/**
 * kmap_symbols_find - look up the symbol that contains an address
 * @s: the symbols
 * @ip: the address
 * @kind: kind of the address
 *
 * Return: the symbol, which has no name if it is a whole module; NULL if there is none.
 */
const struct kmap_symbol *kmap_symbols_find(const struct kmap_symbols *s, u64 ip,
					    enum kmap_ip kind)
{
	u32 nr = s->mapped ? mapped_number(s->mapped, ip) : MAPPINGS_NONE;
	const struct kmap_symbol *found, *data;

	if (nr != MAPPINGS_NONE)
		return mapped_find(s->mapped, nr, ip, kind);
	found = symbols_search(s->sym, s->nr, ip, kind);
	/* A return address may also follow the last function in front of a module's data. */
	if (kind != KMAP_IP_RETURN || (found && ip != found->start + found->size))
		return found;
	data = find_data(s, ip);
	return data ? data : found;
}

/**
 * kmap_symbols_link - get the link-time address of an address in the kernel itself
 * @s: the symbols
 * @ip: the address
 *
 * Return: the address in vmlinux, if it was loaded together with kallsyms or there is no KASLR.
 */
u64 kmap_symbols_link(const struct kmap_symbols *s, u64 ip)
{
	return ip - s->offset;
}

/**
 * kmap_symbols_function - format the function of an address, see namesakes_write()
 * @s: the symbols
 * @ip: the address
 * @kind: kind of the address
 * @text: set to the function; to the address in hex if it has no symbol
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

/* Format the source line of an address in the kernel or a module. */
static void write_line(const struct kmap_symbols *s, const struct kmap_symbol *sym, u64 addr,
		       char *text, size_t size)
{
	u32 nr = s->mapped ? mapped_number(s->mapped, addr) : MAPPINGS_NONE;
	const char *module = kmap_symbols_string(s, sym->module);
	Dwarf *dwarf;
	u64 at;

	/* vmlinux has link-time addresses, without KASLR's offset. */
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
 * kmap_symbols_files - add files of modules, for line numbers and notes
 * @s: the symbols
 * @modules: directory to search recursively; may be NULL
 * @running: copy of the traced kernel's /sys/kernel/notes; may be NULL. The file with the suffix
 *	     .modules has the build IDs of its modules, if it exists.
 * @inlines: include inlined functions in source lines
 * @error: set to a message on failure
 *
 * Return: true on success; false if @modules has no files of modules.
 */
bool kmap_symbols_files(struct kmap_symbols *s, const char *modules, const char *running,
			bool inlines, char error[ERROR_MAX])
{
	struct build_id ran = build_id_kernel(running);

	s->inlines = inlines;
	if (ran.size)
		s->kernel = ran;
	if (running && asprintf(&s->ids, "%s.modules", running) < 0)
		abort();
	if (!modules)
		return true;
	s->modules = modules_open(modules, s->ids, error);
	return s->modules;
}

/**
 * kmap_symbols_build_id - get a build ID of the traced kernel
 * @s: the symbols, after kmap_symbols_files()
 * @module: name of a module; empty for the kernel itself
 *
 * Return: the build ID; unknown if the traced kernel's is, except that vmlinux has the kernel's.
 */
struct build_id kmap_symbols_build_id(const struct kmap_symbols *s, const char *module)
{
	return *module ? build_id_module(s->ids, module) : s->kernel;
}

/**
 * kmap_symbols_follow - enable kmap_symbols_event()
 * @s: the symbols
 * @dir: the trace
 */
void kmap_symbols_follow(struct kmap_symbols *s, const char *dir)
{
	s->mapped = mapped_new(dir);
}

/**
 * kmap_symbols_load_notes - load the compiler's notes
 * @s: the symbols; kmap_symbols_files() must be called before to load notes of modules
 * @vmlinux: vmlinux of the traced kernel; may be NULL
 * @error: set to a message on failure
 *
 * Return: false if files do not match the traced kernel, or cannot be read.
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
 * kmap_symbols_notes - get the compiler's notes
 * @s: the symbols
 *
 * Return: the notes; NULL if there are none.
 */
const struct notes *kmap_symbols_notes(const struct kmap_symbols *s)
{
	return s->notes;
}

/**
 * kmap_symbols_note - look up the compiler's note on an address
 * @s: the symbols
 * @ip: the address
 * @kind: kind of the address
 *
 * Return: the note; NULL if there is none.
 */
const struct note *kmap_symbols_note(const struct kmap_symbols *s, u64 ip, enum kmap_ip kind)
{
	return notes_find(s->notes, ip, kind == KMAP_IP_RETURN);
}

/**
 * kmap_symbols_format - format an address as symbol+0xoff/0xsize [module] (file:line)
 * @s: the symbols
 * @ip: the address
 * @kind: kind of the address
 * @text: set to the symbol; to the address in hex if it has none
 *
 * Return: length of @text in bytes.
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
 * kmap_symbols_have - check whether any function matches a pattern
 * @s: the symbols
 * @pattern: name of a function with wildcards * and ?; "+OFFSET" at its end is ignored
 *
 * Return: true if one does.
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
