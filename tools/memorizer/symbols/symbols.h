/* SPDX-License-Identifier: GPL-2.0 */
/* Symbol table, filled by the readers of vmlinux and kallsyms. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "symbols/kmap-symbols.h"
#include "symbols/modules.h"
#include "symbols/notes.h"

/* Precedence among symbols of the same address: the lowest wins. */
enum rank {
	RANK_GLOBAL,
	RANK_WEAK,
	RANK_LOCAL,
	RANK_DATA,		/* ends the function before it; found by its exact address */
	RANK_BOUNDARY,		/* only ends the symbol before it */
};

/* Symbols that both vmlinux and kallsyms have in any configuration. */
enum { ANCHOR_STEXT, ANCHOR_TEXT, ANCHOR_ETEXT, NR_ANCHORS };

/* Addresses of the anchors; 0 if missing. */
struct anchors {
	u64 addr[NR_ANCHORS];
};

struct mapped;

/**
 * struct kmap_symbols - symbols of the traced kernel
 * @sym: functions or data, ordered by address
 * @nr: number of @sym
 * @room: max. number of @sym before it must be resized
 * @data: data, ordered by address, if @sym are functions
 * @nr_data: number of @data
 * @names: strings of all symbols, NUL-terminated
 * @names_len: bytes used in @names
 * @names_room: size of @names in bytes
 * @offset: KASLR's offset
 * @elf: vmlinux, for line numbers; may be NULL
 * @modules: files of modules, for line numbers and notes; may be NULL
 * @notes: the compiler's notes; may be NULL
 * @namesakes: functions by name
 * @kernel: build ID of the kernel: the traced one's or, if that is unknown, that of vmlinux
 * @ids: name of the file with the build IDs of the modules in kallsyms; may be NULL
 * @mapped: modules at the current event of a trace; may be NULL
 * @inlines: include inlined functions in source lines
 * @error: buffer for error messages while loading
 */
struct kmap_symbols {
	struct kmap_symbol *sym;
	size_t nr, room;
	struct kmap_symbol *data;
	size_t nr_data;
	char *names;
	size_t names_len, names_room;
	u64 offset;
	struct kmap_elf *elf;
	struct modules *modules;
	struct notes *notes;
	struct namesakes *namesakes;
	struct build_id kernel;
	char *ids;
	struct mapped *mapped;
	bool inlines;
	char *error;
};

u32 symbols_string(struct kmap_symbols *s, const char *text, size_t len);
void symbols_add(struct kmap_symbols *s, u64 start, u64 size, u32 name,
		 u32 module, u32 file, enum rank rank);
void symbols_settle(struct kmap_symbols *s);
const struct kmap_symbol *symbols_search(const struct kmap_symbol *sym, size_t nr, u64 ip,
					 enum kmap_ip kind);
bool symbols_fail(struct kmap_symbols *s, const char *format, ...)
	__printf(2, 3);
void symbols_printable(char *text);
void anchors_note(struct anchors *a, const char *name, size_t len, u64 addr);

bool kallsyms_read(struct kmap_symbols *s, const char *path, bool data, struct anchors *anchors);

void kallsyms_add(struct kmap_symbols *s, const char *line, size_t len);

enum rank elf_rank(const GElf_Sym *sym);
bool elf_check(const char *path, const char *running, char error[ERROR_MAX]);
bool elf_open(struct kmap_symbols *s, const char *path, bool lines, struct anchors *anchors);
void elf_close(struct kmap_elf *elf);
void elf_line(struct kmap_elf *elf, u64 addr, bool inlines, char *text, size_t size);
const char *elf_root(const struct kmap_elf *elf);

#endif
