/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols of the traced kernel. */
#ifndef KMAP_SYMBOLS_H
#define KMAP_SYMBOLS_H

#include "lib/lines.h"

/* Kinds of code addresses. */
enum kmap_ip {
	KMAP_IP_EXACT,		/* address of the instruction: access_ip */
	KMAP_IP_RETURN,		/* return address, after the instruction: alloc_ip, free_ip */
};

#define KMAP_SYMBOL_MAX	1024	/* max. bytes of formatted symbols, with the NUL */

/**
 * struct kmap_symbol - a function, or data
 * @start: address in the traced kernel
 * @size: size in bytes
 * @name: string of the name, see kmap_symbols_string()
 * @module: string of the module's name; the empty string for the kernel itself
 * @file: string of the source file's name, without directory; the empty string if the symbol is
 *	  global, or if the file is unknown
 * @rank: private: precedence among symbols of the same address
 */
struct kmap_symbol {
	u64 start, size;
	u32 name, module, file;
	u32 rank;
};

struct build_id;
struct kmap_symbols;
struct trace_event;
struct note;
struct notes;

struct kmap_symbols *kmap_symbols_load(const char *vmlinux, const char *kallsyms,
				       bool lines, char error[ERROR_MAX]);
struct kmap_symbols *kmap_symbols_load_data(const char *kallsyms, char error[ERROR_MAX]);
bool kmap_symbols_files(struct kmap_symbols *s, const char *modules, const char *running,
			bool inlines, char error[ERROR_MAX]);
struct build_id kmap_symbols_build_id(const struct kmap_symbols *s, const char *module);
void kmap_symbols_follow(struct kmap_symbols *s, const char *dir);
void kmap_symbols_event(struct kmap_symbols *s, struct trace_event *e);
bool kmap_symbols_module_loaded(struct kmap_symbols *s, const char *module);
void kmap_symbols_rewind(struct kmap_symbols *s);
u64 kmap_symbols_link(const struct kmap_symbols *s, u64 ip);
u64 kmap_symbols_address(const struct kmap_symbols *s, u64 ip);
void kmap_symbols_free(struct kmap_symbols *s);
const struct kmap_symbol *kmap_symbols_find(const struct kmap_symbols *s, u64 ip,
					    enum kmap_ip kind);
bool kmap_symbols_have(const struct kmap_symbols *s, const char *pattern);
bool kmap_symbols_load_notes(struct kmap_symbols *s, const char *vmlinux, char error[ERROR_MAX]);
const struct notes *kmap_symbols_notes(const struct kmap_symbols *s);
const struct note *kmap_symbols_note(const struct kmap_symbols *s, u64 ip, enum kmap_ip kind);
const char *kmap_symbols_string(const struct kmap_symbols *s, u32 string);
void kmap_symbols_function(const struct kmap_symbols *s, u64 ip, enum kmap_ip kind,
			   char text[KMAP_SYMBOL_MAX]);
size_t kmap_symbols_format(const struct kmap_symbols *s, u64 ip, enum kmap_ip kind,
			   char text[KMAP_SYMBOL_MAX]);

#endif
