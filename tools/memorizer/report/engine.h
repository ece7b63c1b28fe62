/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Commands as operations over their input, a trace or a KMAP:
 *
 *	static const struct engine_ops ops = { .begin = begin, .event = event, .end = end };
 *	struct engine g = { .ops = &ops, .data = &data };
 *
 *	status = engine_run(&g, input);
 *	engine_free(&g);
 */
#ifndef ENGINE_H
#define ENGINE_H

#include "kmap/input.h"
#include "symbols/trace-symbols.h"

struct engine;

/**
 * struct engine_ops - what a command does with its input
 * @begin: begins, with the input open and its symbols loaded; returns false after a message
 * @event: takes the next event of a trace; returns false if no more are wanted
 * @object: takes the next object of a KMAP; NULL if the command reads only traces
 * @access: takes the next access to that object
 * @end: ends what @begin began; gets EXIT_UNABLE if the input could not be read to its end, else
 *	 what the content of a KMAP calls for, and returns the exit status
 */
struct engine_ops {
	bool (*begin)(struct engine *g);
	bool (*event)(void *data, const struct trace_event *e);
	void (*object)(void *data, const struct kmap_object *o);
	void (*access)(void *data, const struct kmap_object *o, const struct kmap_access *access);
	int (*end)(struct engine *g, int status);
};

/**
 * struct symbol_files - where symbols come from
 * @vmlinux: the kernel's ELF file, or NULL
 * @kallsyms: a copy of /proc/kallsyms, or NULL for the one in the trace
 * @modules: directory with the files of modules below it, or NULL
 * @inlines: whether to give source lines and inlined functions
 */
struct symbol_files {
	const char *vmlinux, *kallsyms, *modules;
	bool inlines;
};

/**
 * struct engine - a command that reads its input
 * @ops: what it does with it; the caller's, as are @data, @files and @plain
 * @data: for @ops
 * @files: where symbols come from
 * @plain: addresses need no names: no symbols are loaded
 * @symbols: the symbols, which engine_free() frees; loaded unless there are some already
 * @name: the input's name in messages
 * @trace: the trace that is open, or NULL
 */
struct engine {
	const struct engine_ops *ops;
	void *data;
	struct symbol_files files;
	bool plain;
	struct kmap_symbols *symbols;
	const char *name;
	struct trace *trace;
};

#define OPTS_SYMBOLS(f)									\
	OPT_STRING('k', "vmlinux", &(f)->vmlinux, "FILE", "ELF file with the kernel's symbols"), \
	OPT_STRING('K', "kallsyms", &(f)->kallsyms, "FILE",				\
		   "copy of /proc/kallsyms (default: the one in the trace)"),		\
	OPT_STRING('M', "modules", &(f)->modules, "DIR",				\
		   "directory with the files NAME.ko of modules, for lines and notes"),	\
	OPT_BOOLEAN('i', "inlines", &(f)->inlines, "add source lines and inlined functions")

int engine_run(struct engine *g, const char *input);
void engine_free(struct engine *g);
bool symbol_files_option(struct symbol_files *files, int option, const char *arg);

#endif
