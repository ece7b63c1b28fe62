/* SPDX-License-Identifier: GPL-2.0 */
/* Loading of the symbols of a trace or KMAP. */
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
 * trace_symbols_next - read the next event, and resolve its code addresses
 * @t: the trace
 * @s: symbols of the trace
 * @e: set to the event; its addresses may be tagged, see kmap_symbols_event()
 *
 * Return: true if there was an event; false at the end.
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
