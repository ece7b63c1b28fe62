// SPDX-License-Identifier: GPL-2.0
/* Opens the input of a command and passes its content to the operations. */
#include <stdio.h>
#include <string.h>

#include "lib/status.h"
#include "report/engine.h"

/* Returns false after a message if the requested symbols cannot be loaded. */
static bool load_symbols(struct engine *g, const char *input)
{
	const struct symbol_files *f = &g->files;

	/* timeline reads its input twice, with the same symbols. */
	if (g->plain || g->symbols)
		return true;
	if (g->trace)
		g->symbols = trace_symbols_lines(input, f->vmlinux, f->kallsyms, f->modules,
						 f->inlines);
	else
		g->symbols = trace_symbols_kmap(input, f->vmlinux, f->kallsyms, f->modules,
						f->inlines);
	return g->symbols;
}

static void read_events(struct engine *g)
{
	bool (*event)(void *data, const struct trace_event *e) = g->ops->event;
	struct kmap_symbols *symbols = g->symbols;
	struct trace *trace = g->trace;
	void *data = g->data;
	struct trace_event e;

	while (trace_next(trace, &e)) {
		if (symbols)
			kmap_symbols_event(symbols, &e);
		if (!event(data, &e))
			return;
	}
}

static int run_trace(struct engine *g, const char *input)
{
	char error[ERROR_MAX];
	int status = EXIT_UNABLE;

	g->name = input;
	g->trace = trace_open(input, error);
	if (!g->trace) {
		fprintf(stderr, "memorizer: %s\n", error);
		return EXIT_UNABLE;
	}
	if (load_symbols(g, input) && g->ops->begin(g)) {
		read_events(g);
		status = g->ops->end(g, EXIT_FINE);
	}
	trace_close(g->trace);
	g->trace = NULL;
	return status;
}

/* An object is complete when its stack, if it has one, was read, too. */
static int read_objects(struct engine *g, struct input *in)
{
	const struct kmap_reader *r = &in->reader;
	struct kmap_object object;
	char comm[KMAP_COMM_TEXT];
	enum kmap_event event;
	bool pending = false;

	do {
		event = input_next(in);
		if (event == KMAP_FRAMES) {
			object.frames = r->object.frames;
			object.nr_frames = r->object.nr_frames;
			continue;
		}
		if (pending)
			g->ops->object(g->data, &object);
		pending = event == KMAP_OBJECT;
		if (event == KMAP_ACCESS)
			g->ops->access(g->data, &r->object, &r->access);
		if (!pending)
			continue;
		object = r->object;
		/* The next line overwrites the comm. */
		object.comm = memcpy(comm, r->object.comm, r->object.comm_len);
	} while (event != KMAP_END && event != KMAP_FAILED);
	return input_close(in, event);
}

static int run_kmap(struct engine *g, const char *input)
{
	struct input in;

	if (!load_symbols(g, input) || !input_open(&in, 1, (char **)&input))
		return EXIT_UNABLE;
	g->name = in.name;
	if (!g->ops->begin(g)) {
		input_close(&in, KMAP_FAILED);
		return EXIT_UNABLE;
	}
	return g->ops->end(g, read_objects(g, &in));
}

/**
 * engine_run - run a command on its input
 * @g: the command
 * @input: a trace, the result of source_join(), a KMAP, or "-" for standard input
 *
 * Return: the exit status.
 */
int engine_run(struct engine *g, const char *input)
{
	int named = EXIT_FINE, status;

	if (g->by_context)
		named = contexts_open(&g->contexts, g->files.contexts, input);
	if (named == EXIT_UNABLE)
		return EXIT_UNABLE;
	if (g->ops->object && !input_is_trace(input))
		status = run_kmap(g, input);
	else
		status = run_trace(g, input);
	return named != EXIT_FINE && status != EXIT_UNABLE ? named : status;
}

/**
 * engine_free - free the symbols and contexts
 * @g: the command, after engine_run()
 */
void engine_free(struct engine *g)
{
	if (g->symbols)
		kmap_symbols_free(g->symbols);
	g->symbols = NULL;
	if (g->by_context)
		contexts_free(&g->contexts);
}
