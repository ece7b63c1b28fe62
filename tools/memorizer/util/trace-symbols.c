// SPDX-License-Identifier: GPL-2.0
/* The symbols that belong to a trace or KMAP. */
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "trace-symbols.h"

#define RUNNING		"/sys/kernel/notes"

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

/* Reads the compiler's notes, if there are any, of the traced kernel. */
static void load_notes(struct kmap_symbols *s, const char *vmlinux, const char *running)
{
	char error[KMAP_ERROR_MAX];

	if (!kmap_symbols_notes(s, vmlinux, running, error))
		fprintf(stderr, "memorizer: %s\n", error);
}

/* A copy of the traced kernel's /sys/kernel/notes: in a trace, or beside a KMAP. */
static char *notes_of(const char *path, bool trace)
{
	struct statfs fs;
	char *notes;

	if (!trace && !statfs(path, &fs) && fs.f_type == DEBUGFS_MAGIC)
		notes = strdup(RUNNING);
	else if (asprintf(&notes, trace ? "%s/kernel/notes" : "%s.notes", path) < 0)
		notes = NULL;
	if (!notes)
		abort();
	return notes;
}

static struct kmap_symbols *finish(struct kmap_symbols *s, const char *path, bool trace,
				   const char *vmlinux, const char *modules, bool inlines)
{
	char error[KMAP_ERROR_MAX], *notes;

	if (!s)
		return NULL;
	if (!kmap_symbols_lines(s, modules, inlines, error)) {
		fprintf(stderr, "memorizer: %s\n", error);
		kmap_symbols_free(s);
		return NULL;
	}
	notes = notes_of(path, trace);
	load_notes(s, vmlinux, notes);
	free(notes);
	return s;
}

/* The symbols from what was named on the command line alone. */
static struct kmap_symbols *load_given(const char *vmlinux, const char *kallsyms, bool lines)
{
	char error[KMAP_ERROR_MAX];
	struct kmap_symbols *symbols = kmap_symbols_load(vmlinux, kallsyms, lines, error);

	if (!symbols)
		fprintf(stderr, "memorizer: %s\n", error);
	return symbols;
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
 * @dir: directory of the trace
 * @vmlinux: as trace_symbols_load()
 * @kallsyms: as trace_symbols_load()
 * @modules: directory with the files of modules below it, for their lines and notes, or NULL
 * @inlines: whether to give lines and inlined functions of @vmlinux
 *
 * Return: as trace_symbols_load().
 */
struct kmap_symbols *trace_symbols_lines(const char *dir, const char *vmlinux,
					 const char *kallsyms, const char *modules, bool inlines)
{
	bool lines = vmlinux && inlines;

	return finish(kallsyms ? load_given(vmlinux, kallsyms, lines) : load(dir, vmlinux, lines),
		      dir, true, vmlinux, modules, inlines);
}

/**
 * trace_symbols_kmap - load the symbols of a KMAP, perhaps with source lines
 * @path: the KMAP, as it is named on the command line; a copy of the traced kernel's
 *	  /sys/kernel/notes is looked for beside it, in its name and .notes
 * @vmlinux: as trace_symbols_load()
 * @kallsyms: a copy of /proc/kallsyms, or NULL: there is none
 * @modules: as trace_symbols_lines()
 * @inlines: as trace_symbols_lines()
 *
 * A KMAP in debugfs is that of the kernel that runs.
 *
 * Return: as trace_symbols_load().
 */
struct kmap_symbols *trace_symbols_kmap(const char *path, const char *vmlinux,
					const char *kallsyms, const char *modules, bool inlines)
{
	return finish(load_given(vmlinux, kallsyms, vmlinux && inlines), path, false, vmlinux,
		      modules, inlines);
}
