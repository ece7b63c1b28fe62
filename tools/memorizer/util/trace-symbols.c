// SPDX-License-Identifier: GPL-2.0
/* The symbols that belong to a trace. */
#include <stdio.h>
#include <stdlib.h>

#include "trace-symbols.h"

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
	char error[KMAP_ERROR_MAX], *path;
	struct kmap_symbols *symbols;

	if (kallsyms) {
		symbols = kmap_symbols_load(vmlinux, kallsyms, false, error);
		if (!symbols)
			fprintf(stderr, "memorizer: %s\n", error);
		return symbols;
	}
	if (asprintf(&path, "%s/kernel/kallsyms", dir) < 0)
		abort();
	symbols = kmap_symbols_load(vmlinux, path, false, error);
	if (!symbols) {
		fprintf(stderr, "memorizer: %s%s\n", error,
			vmlinux ? "" : ": call sites have no names");
		symbols = kmap_symbols_load(vmlinux, NULL, false, error);
		if (!symbols)
			fprintf(stderr, "memorizer: %s\n", error);
	}
	free(path);
	return symbols;
}
