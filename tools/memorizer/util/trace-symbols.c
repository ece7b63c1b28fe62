// SPDX-License-Identifier: GPL-2.0
/* The symbols that belong to a trace. */
#include <stdio.h>
#include <stdlib.h>

#include "trace-symbols.h"

/* The symbols from the trace itself, if it has any that can be used. */
static struct kmap_symbols *load(const char *dir, const char *vmlinux, bool lines)
{
	char error[KMAP_ERROR_MAX], *path;
	struct kmap_symbols *symbols;

	if (asprintf(&path, "%s/kernel/kallsyms", dir) < 0)
		abort();
	symbols = kmap_symbols_load(vmlinux, path, lines, error);
	if (!symbols) {
		fprintf(stderr, "memorizer: %s%s\n", error,
			vmlinux ? "" : ": call sites have no names");
		symbols = kmap_symbols_load(vmlinux, NULL, lines, error);
		if (!symbols)
			fprintf(stderr, "memorizer: %s\n", error);
	}
	free(path);
	return symbols;
}

/* Reads the compiler's notes, if vmlinux has any and is that of the traced kernel. */
static void load_notes(struct kmap_symbols *s, const char *dir, const char *vmlinux)
{
	char error[KMAP_ERROR_MAX], *running = NULL;

	if (dir && asprintf(&running, "%s/kernel/notes", dir) < 0)
		abort();
	if (!kmap_symbols_notes(s, vmlinux, running, error) && *error)
		fprintf(stderr, "memorizer: %s\n", error);
	free(running);
}

/**
 * trace_symbols_load - load the symbols of a trace
 * @dir: directory of the trace
 * @vmlinux: the kernel's ELF file, or NULL
 * @kallsyms: a copy of /proc/kallsyms, or NULL for the one in the trace
 *
 * Return: the symbols; none, and a message, if the trace has none that can be used. NULL,
 * and a message, if what was asked for cannot be used.
 */
struct kmap_symbols *trace_symbols_load(const char *dir, const char *vmlinux,
					const char *kallsyms)
{
	return trace_symbols_lines(dir, vmlinux, kallsyms, NULL, false);
}

/**
 * trace_symbols_lines - load the symbols of a trace, perhaps with source lines
 * @dir: directory of the trace, or NULL for a KMAP, which has no kallsyms of its own
 * @vmlinux: as trace_symbols_load()
 * @kallsyms: as trace_symbols_load()
 * @modules: directory with the files of modules below it, for their lines, or NULL
 * @inlines: whether to give lines and inlined functions of @vmlinux
 *
 * Return: as trace_symbols_load().
 */
struct kmap_symbols *trace_symbols_lines(const char *dir, const char *vmlinux,
					 const char *kallsyms, const char *modules, bool inlines)
{
	bool lines = vmlinux && inlines;
	char error[KMAP_ERROR_MAX];
	struct kmap_symbols *symbols;

	if (dir && !kallsyms) {
		symbols = load(dir, vmlinux, lines);
	} else {
		symbols = kmap_symbols_load(vmlinux, kallsyms, lines, error);
		if (!symbols)
			fprintf(stderr, "memorizer: %s\n", error);
	}
	if (symbols && vmlinux)
		load_notes(symbols, dir, vmlinux);
	if (!symbols || kmap_symbols_lines(symbols, modules, inlines, error))
		return symbols;
	fprintf(stderr, "memorizer: %s\n", error);
	kmap_symbols_free(symbols);
	return NULL;
}
