/* SPDX-License-Identifier: GPL-2.0 */
/* The symbols that belong to a trace or KMAP. */
#ifndef TRACE_SYMBOLS_H
#define TRACE_SYMBOLS_H

#include "kmap.h"

struct kmap_symbols *trace_symbols_load(const char *dir, const char *vmlinux,
					const char *kallsyms);

struct kmap_symbols *trace_symbols_lines(const char *dir, const char *vmlinux,
					 const char *kallsyms, const char *modules, bool inlines);

struct kmap_symbols *trace_symbols_kmap(const char *path, const char *vmlinux,
					const char *kallsyms, const char *modules, bool inlines);

struct kmap_symbols *trace_symbols_text(const char *path, const char *vmlinux,
					const char *kallsyms, const char *modules, bool lines,
					bool inlines);

#endif
