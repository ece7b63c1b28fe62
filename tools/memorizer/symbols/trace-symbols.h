/* SPDX-License-Identifier: GPL-2.0 */
/* The symbols that belong to a trace or KMAP. */
#ifndef TRACE_SYMBOLS_H
#define TRACE_SYMBOLS_H

#include "symbols/kmap-symbols.h"
#include "trace/trace.h"

struct kmap_symbols *trace_symbols_load(const char *dir, const char *vmlinux,
					const char *kallsyms);

struct kmap_symbols *trace_symbols_lines(const char *dir, const char *vmlinux,
					 const char *kallsyms, const char *modules, bool inlines);

struct kmap_symbols *trace_symbols_kmap(const char *path, const char *vmlinux,
					const char *kallsyms, const char *modules, bool inlines);

struct kmap_symbols *trace_symbols_text(const char *path, const char *vmlinux,
					const char *kallsyms, const char *modules, bool lines,
					bool inlines);

/**
 * trace_symbols_next - get the next event, whose addresses of code have the names of its time
 * @t: the trace
 * @s: its symbols
 * @e: set to the event; what is printed of its addresses is kmap_symbols_address() of them
 *
 * Return: whether there is one.
 */
static inline bool trace_symbols_next(struct trace *t, struct kmap_symbols *s,
				      struct trace_event *e)
{
	if (!trace_next(t, e))
		return false;
	kmap_symbols_event(s, e);
	return true;
}

#endif
