// SPDX-License-Identifier: GPL-2.0
/* memorizer kmap: writes the KMAP of a trace as text. */
#include <stdio.h>

#include "builtin.h"
#include "options.h"
#include "report/engine.h"
#include "report/filter.h"
#include "report/skip.h"
#include "report/term.h"
#include "trace/rebuild.h"
#include "trace/wanted.h"

static const char * const usage[] = {
	"memorizer kmap [OPTION...] DIR",
	"",
	"Writes the KMAP of the trace: the retired objects and those of the last complete",
	"snapshot. Objects are not in the order of the kernel's file. With --kinds, each has its",
	"kind of memory in front, as in kmap_kinds; with --stacks also its stack, as in",
	"kmap_stacks.",
	NULL
};

/**
 * struct writer - state of the command
 * @filter: selects objects
 * @choice: state of @filter
 * @objects: struct told by number: is the last object with this number within the time?
 * @symbols: for --site, or NULL
 * @skip: finds the call sites for --site
 * @names: names of tasks
 * @kmap: the KMAP
 * @types: mask of enum trace_type: types of events in the trace
 * @kinds: write the kinds of objects
 * @stacks: write the stacks of objects, too
 */
struct writer {
	struct kmem_filter filter;
	struct kmem_choice choice;
	struct hash objects;
	struct kmap_symbols *symbols;
	struct skip skip;
	struct names names;
	struct rebuild kmap;
	u32 types;
	bool kinds, stacks;
};

struct told {
	u64 object;
	bool within;
};

/* Address of code in the running kernel. */
static u64 address(const struct writer *w, u64 ip)
{
	return w->symbols ? kmap_symbols_address(w->symbols, ip) : ip;
}

/* The call site that --site selects. */
static u64 site_of(struct writer *w, const struct kmap_object *o)
{
	return w->symbols ? skip_site(&w->skip, o->alloc_ip, o->frames, o->nr_frames) : o->alloc_ip;
}

static void write_stack(const struct writer *w, const struct kmap_object *o)
{
	u32 i;

	for (i = 0; i < o->nr_frames; i++)
		printf("%s%016llx", i ? "," : "  @", address(w, o->frames[i]));
	if (i)
		printf("\n");
}

static void write_object(void *data, const struct kmap_object *o,
			 const struct kmap_access *counts, u32 nr)
{
	struct writer *w = data;
	bool kinds = w->kinds || w->stacks;
	u32 i;

	/* User memory is no object of the KMAP: without the kind, it would look like one. */
	if ((o->kind == KMAP_USER && !kinds) || !kmem_choice_kind(&w->choice, o->kind) ||
	    !kmem_choice_object(&w->choice, NULL, site_of(w, o)) ||
	    !kmem_choice_task(&w->choice, o->pid, o->comm))
		return;
	if (kinds && o->kind)
		printf("%s,", kmap_kinds[o->kind]);
	printf("%llx,%llu,%llx,%llu,%llu,%llu,%llx,%s\n", address(w, o->alloc_ip), o->pid,
	       o->addr, o->size, o->alloc_jiffies, o->free_jiffies, address(w, o->free_ip),
	       o->comm);
	if (w->stacks)
		write_stack(w, o);
	for (i = 0; i < nr; i++)
		printf("  %llx,%llu,%llu,%llu\n", address(w, counts[i].ip), counts[i].pid,
		       counts[i].writes, counts[i].reads);
}

/* Is the event within the selected time? Counts are if their object is. */
static bool is_within(struct writer *w, const struct trace_event *e)
{
	bool object = e->type == TRACE_OBJECT, new;
	u64 nr = object ? e->u.object.object : e->u.counts.object;
	struct told *told;

	if (!object && e->type != TRACE_COUNTS)
		return true;
	told = hash_item(&w->objects, hash_get(&w->objects, &nr, &new));
	/* Counts whose object event is missing are judged by themselves. */
	if (object || new)
		told->within = w->choice.within;
	return told->within;
}

static bool begin(struct engine *g)
{
	struct writer *w = g->data;

	w->symbols = g->symbols;
	names_init(&w->names);
	skip_init(&w->skip, &w->filter, w->symbols);
	kmem_choice_init(&w->choice, &w->filter, w->symbols, &w->names);
	hash_init(&w->objects, sizeof(struct told), sizeof(u64));
	rebuild_init(&w->kmap, write_object, w);
	term_stream();
	return true;
}

static bool take(void *data, const struct trace_event *e)
{
	struct writer *w = data;

	w->types |= 1u << e->type;
	names_event(&w->names, e);
	kmem_choice_event(&w->choice, e);
	if (w->choice.window.ended)
		return false;
	if (is_within(w, e))
		rebuild_event(&w->kmap, e);
	return true;
}

static int end(struct engine *g, int status)
{
	struct writer *w = g->data;

	rebuild_end(&w->kmap);
	if (!wanted_check(g->name, w->types, WANTED(OBJECT)) ||
	    !kmem_choice_check(&w->choice, g->name))
		status = EXIT_UNABLE;
	/* No ||: print both warnings. */
	if (trace_warn(g->trace) | rebuild_warn(&w->kmap, g->name) && status == EXIT_FINE)
		status = EXIT_INCOMPLETE;
	hash_free(&w->objects);
	skip_free(&w->skip);
	kmem_choice_free(&w->choice);
	names_free(&w->names);
	return status;
}

/* Check that a KMAP has what the options select; returns false after a message. */
static bool check_options(const struct kmem_filter *f)
{
	const char *option = f->cache ? "cache" : f->cpu != U64_MAX ? "cpu" : NULL;
	const char *name = f->type ? "type" : f->field ? "field" : NULL;

	if (name)
		fprintf(stderr,
			"memorizer kmap: --%s: a KMAP has addresses, no names: want report or fold with it, or --site\n",
			name);
	else if (option)
		fprintf(stderr,
			"memorizer kmap: --%s: a KMAP has none: want --site, --comm or --pid\n",
			option);
	return !option && !name;
}

static int run(int argc, char **argv)
{
	static const struct engine_ops ops = { .begin = begin, .event = take, .end = end };
	struct writer w = { .symbols = NULL };
	struct engine g = { .ops = &ops, .data = &w };
	struct option options[] = {
		OPT_BOOLEAN('K', "kinds", &w.kinds, "write the kind of each object"),
		OPT_BOOLEAN(0, "stacks", &w.stacks, "write the kind and the stack of each object"),
		OPT_KIND(&w.filter),
		OPT_SKIP(&w.filter),
		OPTS_FILTER(&w.filter),
		OPTS_NAMED(&w.filter),
		OPT_HELP(),
		OPT_END()
	};
	const char *dir;
	int status;

	kmem_filter_init(&w.filter);
	/* check_options() refuses these. */
	set_option_flag(options, 'C', "cache", PARSE_OPT_HIDDEN);
	set_option_flag(options, 'P', "cpu", PARSE_OPT_HIDDEN);
	set_option_flag(options, 0, "type", PARSE_OPT_HIDDEN);
	set_option_flag(options, 0, "field", PARSE_OPT_HIDDEN);
	argc = options_parse(&command_kmap, argc, argv, options, 0);
	if (!check_options(&w.filter))
		return usage_error("kmap");
	dir = input_name(argc, argv);
	if (!dir) {
		fprintf(stderr,
			"memorizer kmap: %d traces: want one directory, or the parts of one\n",
			argc);
		return usage_error("kmap");
	}
	/* Only --site needs symbols. */
	g.plain = !w.filter.site;
	status = engine_run(&g, dir);
	engine_free(&g);
	return status;
}

const struct command command_kmap = {
	.name = "kmap",
	.summary = "write the KMAP that a trace contains",
	.usage = usage,
	.run = run,
};
