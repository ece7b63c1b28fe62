/* SPDX-License-Identifier: GPL-2.0 */
/* What the readers of vmlinux and of kallsyms share: the symbol table they fill. */
#ifndef SYMBOLS_H
#define SYMBOLS_H

#include "symbols/kmap-symbols.h"
#include "symbols/modules.h"
#include "symbols/notes.h"

/* Which of several symbols of one address is taken: the lowest. */
enum rank {
	RANK_GLOBAL,
	RANK_WEAK,
	RANK_LOCAL,
	RANK_BOUNDARY,		/* ends the symbol before it, is none itself */
};

/* Symbols that are in vmlinux and in kallsyms, whatever the configuration. */
enum { ANCHOR_STEXT, ANCHOR_TEXT, ANCHOR_ETEXT, NR_ANCHORS };

/* Addresses of the anchors in one of the two, 0 for one that is not there. */
struct anchors {
	u64 addr[NR_ANCHORS];
};

struct mapped;

/**
 * struct kmap_symbols - the functions of the traced kernel, ordered by address
 * @sym: array of functions
 * @nr: number of functions
 * @room: number of functions that @sym has room for
 * @names: strings of all symbols, one after the other
 * @names_len: bytes used in @names
 * @names_room: size of @names
 * @offset: what KASLR added to the addresses of vmlinux
 * @elf: vmlinux, for its line numbers, or NULL
 * @modules: the files of modules, for theirs and for their notes, or NULL
 * @notes: what the compiler noted, or NULL
 * @namesakes: the functions by name, see namesakes.c
 * @ids: file with the build ids of the modules in kallsyms, or NULL
 * @mapped: the modules of a trace at each time, or NULL
 * @inlines: whether inlined functions are wanted, too
 * @error: where a message goes
 */
struct kmap_symbols {
	struct kmap_symbol *sym;
	size_t nr, room;
	char *names;
	size_t names_len, names_room;
	u64 offset;
	struct kmap_elf *elf;
	struct modules *modules;
	struct notes *notes;
	struct namesakes *namesakes;
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
