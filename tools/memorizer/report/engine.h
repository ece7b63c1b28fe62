/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs commands that are defined by operations on a trace or a KMAP:
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
#include "options.h"
#include "report/contexts.h"
#include "symbols/trace-symbols.h"

struct engine;

/**
 * struct engine_ops - the operations of a command
 * @begin: called when the input is open and symbols are loaded; returns false after a message
 * @event: called for each event of a trace; returns false to stop
 * @object: called for each object of a KMAP; NULL if the command reads only traces
 * @access: called for each access line of that object
 * @end: called if @begin succeeded, with EXIT_UNABLE after a read error, else with the status for
 *	the content of a KMAP; returns the exit status
 */
struct engine_ops {
	bool (*begin)(struct engine *g);
	bool (*event)(void *data, const struct trace_event *e);
	void (*object)(void *data, const struct kmap_object *o);
	void (*access)(void *data, const struct kmap_object *o, const struct kmap_access *access);
	int (*end)(struct engine *g, int status);
};

/**
 * struct symbol_files - where to load symbols from
 * @vmlinux: the kernel's ELF file, or NULL
 * @kallsyms: a copy of /proc/kallsyms; NULL: the one in the trace
 * @modules: directory with module files, searched recursively; or NULL
 * @inlines: show source lines and inlined functions
 * @contexts: what numbers of contexts mean; NULL: the file beside the input
 */
struct symbol_files {
	const char *vmlinux, *kallsyms, *modules;
	bool inlines;
	const char *contexts;
};

/**
 * struct engine - a command and its input
 * @ops: the operations; set by the caller, as are @data, @files, @plain and @by_context
 * @data: argument of the operations
 * @files: where to load symbols from
 * @plain: do not load symbols
 * @by_context: read contexts
 * @symbols: the symbols, freed by engine_free(); loaded unless set
 * @contexts: the contexts, freed by engine_free(); none unless @by_context
 * @name: name of the input for messages
 * @trace: the open trace, or NULL
 */
struct engine {
	const struct engine_ops *ops;
	void *data;
	struct symbol_files files;
	bool plain, by_context;
	struct kmap_symbols *symbols;
	struct contexts contexts;
	const char *name;
	struct trace *trace;
};

#define OPTS_SYMBOLS(f)									\
	OPT_STRING('k', "vmlinux", &(f)->vmlinux, "FILE", "ELF file with the kernel's symbols"), \
	OPT_STRING('K', "kallsyms", &(f)->kallsyms, "FILE",				\
		   "copy of /proc/kallsyms (default: the one in the trace)"),		\
	OPT_STRING('M', "modules", &(f)->modules, "DIR",				\
		   "directory with the files NAME.ko of modules, for lines and notes")
#define OPT_CONTEXTS(f)									\
	OPT_STRING(0, "context-file", &(f)->contexts, "FILE",				\
		   "copy of memorizer/contexts (default: DIR/contexts beside DIR/kmap,\n"	\
		   "                          NAME.contexts beside NAME.kmap, that of the trace)")
#define OPT_INLINES(f)									\
	OPT_BOOLEAN('i', "inlines", &(f)->inlines, "add source lines and inlined functions")

int engine_run(struct engine *g, const char *input);
void engine_free(struct engine *g);

#endif
