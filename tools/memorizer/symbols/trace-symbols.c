// SPDX-License-Identifier: GPL-2.0
/* The symbols that belong to a trace or KMAP. */
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "lib/progress.h"
#include "symbols/symbols.h"
#include "symbols/trace-symbols.h"

#define RUNNING		"/sys/kernel/notes"

/* What progress is called meanwhile; reading a file of symbols may have a name of its own. */
static void begin(void)
{
	progress_begin("reading symbols", 0);
}

/* Prints a message in place of the progress. */
static void tell(const char *message, const char *more)
{
	progress_end();
	fprintf(stderr, "memorizer: %s%s\n", message, more);
}

/* The symbols from the trace itself, if it has any that can be used. */
static struct kmap_symbols *load(const char *dir, const char *vmlinux, bool lines)
{
	char error[ERROR_MAX], *path;
	struct kmap_symbols *symbols;

	if (asprintf(&path, "%s/kernel/kallsyms", dir) < 0)
		abort();
	begin();
	symbols = kmap_symbols_load(vmlinux, path, lines, error);
	if (!symbols) {
		tell(error, vmlinux ? "" : ": call sites have no names");
		symbols = kmap_symbols_load(vmlinux, NULL, lines, error);
		if (!symbols)
			tell(error, "");
	}
	free(path);
	return symbols;
}

/* A copy of the traced kernel's /sys/kernel/notes: in a trace, or beside a KMAP. */
static char *notes_of(const char *path, bool trace)
{
	struct statfs fs;
	char *notes;

	if (!trace && !statfs(path, &fs) && fs.f_type == DEBUGFS_MAGIC)
		notes = xstrdup(RUNNING);
	else if (asprintf(&notes, trace ? "%s/kernel/notes" : "%s.notes", path) < 0)
		notes = NULL;
	if (!notes)
		abort();
	return notes;
}

/* Leaves out a vmlinux that is not that of the traced kernel. */
static const char *usable(const char *vmlinux, const char *running)
{
	char error[ERROR_MAX];

	if (!vmlinux || elf_check(vmlinux, running, error))
		return vmlinux;
	tell(error, "");
	return NULL;
}

/* Adds the files of modules; NULL, and a message, if there are none. */
static struct kmap_symbols *add_files(struct kmap_symbols *s, const char *running,
				      const char *modules, bool inlines)
{
	char error[ERROR_MAX];

	begin();
	if (!s || kmap_symbols_files(s, modules, running, inlines, error))
		return s;
	tell(error, "");
	kmap_symbols_free(s);
	return NULL;
}

/* Adds what the compiler noted, if there is anything. */
static struct kmap_symbols *add_notes(struct kmap_symbols *s, const char *vmlinux)
{
	char error[ERROR_MAX];

	begin();
	if (s && !kmap_symbols_load_notes(s, vmlinux, error))
		tell(error, "");
	return s;
}

/* The symbols from what was named on the command line alone. */
static struct kmap_symbols *load_given(const char *vmlinux, const char *kallsyms, bool lines)
{
	char error[ERROR_MAX];
	struct kmap_symbols *symbols;

	begin();
	symbols = kmap_symbols_load(vmlinux, kallsyms, lines, error);
	if (!symbols)
		tell(error, "");
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
	char *running = notes_of(dir, true);
	struct kmap_symbols *s;

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
 * @path: as trace_symbols_kmap()
 * @vmlinux: as trace_symbols_kmap()
 * @kallsyms: as trace_symbols_kmap()
 * @modules: as trace_symbols_kmap()
 * @lines: whether to give lines of @vmlinux
 * @inlines: as trace_symbols_kmap()
 *
 * Return: the symbols; NULL, and a message, if there are none.
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
