// SPDX-License-Identifier: GPL-2.0
/* Loading of the symbols of a trace or KMAP. */
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "lib/progress.h"
#include "symbols/symbols.h"
#include "symbols/trace-symbols.h"

#define RUNNING		"/sys/kernel/notes"

/* Readers of large files replace this by their own progress. */
static void begin(void)
{
	progress_begin("reading symbols", 0);
}

static void warn(const char *message, const char *more)
{
	progress_end();
	fprintf(stderr, "memorizer: %s%s\n", message, more);
}

/* Load the symbols saved in the trace. Falls back to vmlinux only. */
static struct kmap_symbols *load(const char *dir, const char *vmlinux, bool lines)
{
	char error[ERROR_MAX], *path;
	struct kmap_symbols *symbols;

	if (asprintf(&path, "%s/kernel/kallsyms", dir) < 0)
		abort();
	begin();
	symbols = kmap_symbols_load(vmlinux, path, lines, error);
	if (!symbols) {
		warn(error, vmlinux ? "" : ": call sites have no names");
		symbols = kmap_symbols_load(vmlinux, NULL, lines, error);
		if (!symbols)
			warn(error, "");
	}
	free(path);
	return symbols;
}

/* Name of the copy of the traced kernel's /sys/kernel/notes: in the trace, or next to the KMAP. */
static char *notes_of(const char *path, bool trace)
{
	struct statfs fs;
	char *notes;

	/* The KMAP of the running kernel needs no copy of its notes. */
	if (!trace && !statfs(path, &fs) && fs.f_type == DEBUGFS_MAGIC)
		notes = xstrdup(RUNNING);
	else if (asprintf(&notes, trace ? "%s/kernel/notes" : "%s.notes", path) < 0)
		notes = NULL;
	if (!notes)
		abort();
	return notes;
}

/* Ignore a vmlinux that does not match the traced kernel. */
static const char *usable(const char *vmlinux, const char *running)
{
	char error[ERROR_MAX];

	if (!vmlinux || elf_check(vmlinux, running, error))
		return vmlinux;
	warn(error, "");
	return NULL;
}

/* Add the files of modules. Frees the symbols and returns NULL on failure. */
static struct kmap_symbols *add_files(struct kmap_symbols *s, const char *running,
				      const char *modules, bool inlines)
{
	char error[ERROR_MAX];

	begin();
	if (!s || kmap_symbols_files(s, modules, running, inlines, error))
		return s;
	warn(error, "");
	kmap_symbols_free(s);
	return NULL;
}

/* Add the compiler's notes, if any. Failure is not fatal. */
static struct kmap_symbols *add_notes(struct kmap_symbols *s, const char *vmlinux)
{
	char error[ERROR_MAX];

	begin();
	if (s && !kmap_symbols_load_notes(s, vmlinux, error))
		warn(error, "");
	return s;
}

/* Load only symbols that were given on the command line. */
static struct kmap_symbols *load_given(const char *vmlinux, const char *kallsyms, bool lines)
{
	char error[ERROR_MAX];
	struct kmap_symbols *symbols;

	begin();
	symbols = kmap_symbols_load(vmlinux, kallsyms, lines, error);
	if (!symbols)
		warn(error, "");
	return symbols;
}

/**
 * trace_symbols_load - load the symbols of a trace
 * @dir: the trace
 * @vmlinux: vmlinux of the traced kernel; may be NULL
 * @kallsyms: copy of /proc/kallsyms; NULL for the one in the trace
 *
 * Return: the symbols, which are empty, after a warning, if those in the trace cannot be used;
 *	   NULL after an error message if @vmlinux or @kallsyms cannot be used.
 */
struct kmap_symbols *trace_symbols_load(const char *dir, const char *vmlinux,
					const char *kallsyms)
{
	return trace_symbols_lines(dir, vmlinux, kallsyms, NULL, false);
}

/**
 * trace_symbols_lines - load the symbols of a trace, optionally with source lines
 * @dir: the trace
 * @vmlinux: see trace_symbols_load()
 * @kallsyms: see trace_symbols_load()
 * @modules: directory to search for files of modules, for line numbers and notes; may be NULL
 * @inlines: load source lines and inlined functions of @vmlinux
 *
 * Return: see trace_symbols_load().
 */
struct kmap_symbols *trace_symbols_lines(const char *dir, const char *vmlinux,
					 const char *kallsyms, const char *modules, bool inlines)
{
	char *running = notes_of(dir, true);
	struct kmap_symbols *s;

	/* Before loading: symbols of another build would be wrong without a visible sign. */
	vmlinux = usable(vmlinux, running);
	s = kallsyms ? load_given(vmlinux, kallsyms, vmlinux && inlines) :
		       load(dir, vmlinux, vmlinux && inlines);
	s = add_notes(add_files(s, running, modules, inlines), vmlinux);
	free(running);
	if (s)
		kmap_symbols_follow(s, dir);
	progress_end();
	return s;
}

/**
 * trace_symbols_kmap - load the symbols of a KMAP, optionally with source lines
 * @path: name of the KMAP on the command line. The copy of the traced kernel's /sys/kernel/notes
 *	  has the suffix .notes; a KMAP in debugfs is that of the running kernel.
 * @vmlinux: see trace_symbols_load()
 * @kallsyms: copy of /proc/kallsyms; may be NULL
 * @modules: see trace_symbols_lines()
 * @inlines: see trace_symbols_lines()
 *
 * Return: see trace_symbols_load().
 */
struct kmap_symbols *trace_symbols_kmap(const char *path, const char *vmlinux,
					const char *kallsyms, const char *modules, bool inlines)
{
	char *running = notes_of(path, false);
	struct kmap_symbols *s;

	vmlinux = usable(vmlinux, running);
	s = load_given(vmlinux, kallsyms, vmlinux && inlines);
	s = add_notes(add_files(s, running, modules, inlines), vmlinux);
	free(running);
	progress_end();
	return s;
}

/**
 * trace_symbols_text - load the symbols of a KMAP, without the compiler's notes
 * @path: see trace_symbols_kmap()
 * @vmlinux: see trace_symbols_kmap()
 * @kallsyms: see trace_symbols_kmap()
 * @modules: see trace_symbols_kmap()
 * @lines: load source lines of @vmlinux
 * @inlines: see trace_symbols_kmap()
 *
 * Return: the symbols; NULL after an error message, or if no files were given.
 */
struct kmap_symbols *trace_symbols_text(const char *path, const char *vmlinux,
					const char *kallsyms, const char *modules, bool lines,
					bool inlines)
{
	char *running = notes_of(path, false);
	struct kmap_symbols *s = NULL;

	vmlinux = usable(vmlinux, running);
	if (vmlinux || kallsyms)
		s = load_given(vmlinux, kallsyms, vmlinux && (lines || inlines));
	s = add_files(s, running, modules, inlines);
	free(running);
	progress_end();
	return s;
}
