// SPDX-License-Identifier: GPL-2.0
/*
 * Common code of the analyses of a trace. Each event first updates the state that depends on
 * it: names, live objects, open entries, cache lines. The analysis then gets the selected
 * events.
 *
 * Traffic events say which accesses moved a line. In a trace without them, all accesses are
 * followed. If traffic events begin late, the results of the accesses before are discarded.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/texts.h"
#include "report/analysis.h"
#include "report/gfp.h"
#include "report/term.h"
#include "symbols/trace-symbols.h"

#define TEXT_ROWS	20	/* rows of a table without --top; JSON and CSV have all */
#define LINE_SIZE	64
#define LINE_MAX_SIZE	4096

/*
 * A kind of object: cache name and allocating call site, or the name of data that was not
 * allocated. Number 0 is the unknown kind.
 */
struct kind {
	u64 name, site;
	bool chosen;
};

/* A live object: the number of its allocation event, and its kind. */
struct object {
	struct tracked memory;
	u64 nr;
	u32 kind;
};

/* The kind of memory that was not allocated, such as static data. */
struct memory_kind {
	u64 symbol, memory, cpu;
	u32 kind;
};

/* The names of accesses by an instruction to a part of a kind of object, see struct called. */
struct touched {
	u64 ip, kind, part;
	u32 name;
	bool chosen;		/* selected by --type and --field */
};

/* Type and member as text numbers; NO_TEXT if unknown. */
struct called {
	u32 type, path;
};

#define NO_TEXT	U32_MAX

/* The NUMA node of a CPU. */
struct node {
	u64 cpu;
	u32 node;
};

static u32 get_name(struct analysis *a, const struct named *named);

static void init(struct analysis *a)
{
	static const struct named unnamed = { .type = NULL };
	u64 none[2] = { 0, 0 };
	struct kind *kind;
	bool new;

	names_init(&a->names);
	kmem_choice_init(&a->choice, &a->filter, a->symbols, &a->names);
	context_init(&a->context);
	cachelines_init(&a->lines, trace_streams(a->trace) == 1);
	tracker_init(&a->live, sizeof(struct object));
	texts_init(&a->texts);
	hash_init(&a->kinds, sizeof(struct kind), sizeof(none));
	hash_init(&a->spots, sizeof(struct spot), sizeof(struct spot));
	hash_init(&a->nodes, sizeof(struct node), sizeof(u64));
	hash_init(&a->memory_kinds, sizeof(struct memory_kind), offsetof(struct memory_kind, kind));
	hash_init(&a->touched, sizeof(struct touched), offsetof(struct touched, name));
	hash_init(&a->called, sizeof(struct called), sizeof(struct called));
	named_filter_init(&a->named_filter, &a->choice);
	/* The first items get number 0: the unknown kind and the unknown name. */
	none[0] = texts_number(&a->texts, NAMES_UNKNOWN);
	kind = hash_item(&a->kinds, hash_get(&a->kinds, none, &new));
	/* Unknown memory is selected unless the filter selects objects. */
	kind->chosen = !a->filter.cache && !a->filter.site;
	get_name(a, &unnamed);
	if (a->ops->init)
		a->ops->init(a);
}

static void release(struct analysis *a)
{
	if (a->ops->release)
		a->ops->release(a);
	kmem_choice_free(&a->choice);
	names_free(&a->names);
	context_free(&a->context);
	cachelines_free(&a->lines);
	tracker_free(&a->live);
	hash_free(&a->texts);
	hash_free(&a->kinds);
	hash_free(&a->spots);
	hash_free(&a->nodes);
	hash_free(&a->memory_kinds);
	hash_free(&a->touched);
	hash_free(&a->called);
	named_filter_free(&a->named_filter);
}

/* Discard the results of the accesses so far. */
static void forget(struct analysis *a)
{
	cachelines_free(&a->lines);
	cachelines_init(&a->lines, trace_streams(a->trace) == 1);
	/* The analysis may have sums that do not depend on accesses, and keeps those. */
	if (a->ops->forget) {
		a->ops->forget(a);
		return;
	}
	if (a->ops->release)
		a->ops->release(a);
	if (a->ops->init)
		a->ops->init(a);
}

/* Objects */

static u32 get_kind(struct analysis *a, const char *name, u64 site)
{
	u64 key[2] = { texts_number(&a->texts, name), site };
	struct kind *kind;
	bool new;
	u32 i = hash_get(&a->kinds, key, &new);

	kind = hash_item(&a->kinds, i);
	if (new)
		kind->chosen = kmem_choice_object(&a->choice, name, kind->site);
	return i;
}

static void allocate(struct analysis *a, const struct trace_event *e)
{
	const char *name = names_cache(&a->names, e->u.alloc.kind, e->u.alloc.cache);
	u32 kind = get_kind(a, name, e->u.alloc.call_site);
	struct object *object = tracker_add(&a->live, e, 0);

	if (!object)
		return;
	object->nr = e->nr;
	object->kind = kind;
}

/* Look up an address that lies in no object. */
static struct place place_in_memory(struct analysis *a, u64 addr)
{
	struct memory_place place = memory_find(&a->memory, addr);
	struct memory_kind key = { place.symbol, place.type, place.cpu, 0 }, *known;
	char name[KMAP_SYMBOL_MAX];
	bool new;

	if (!place.type)
		return (struct place){ .object = 0 };
	known = hash_item(&a->memory_kinds, hash_get(&a->memory_kinds, &key, &new));
	if (new) {
		memory_name(&a->memory, &place, name);
		known->kind = get_kind(a, name, 0);
	}
	return (struct place){ .kind = known->kind, .offset = place.offset, .size = place.size };
}

/**
 * analysis_place - look up the object or data at an address
 * @a: the analysis
 * @addr: the address
 *
 * Return: the object; for the data of a symbol, @object is 0; all 0 if unknown.
 */
struct place analysis_place(struct analysis *a, u64 addr)
{
	const struct object *object = tracker_find(&a->live, addr);

	if (!object)
		return place_in_memory(a, addr);
	return (struct place){ .object = object->nr, .kind = object->kind,
			       .offset = addr - object->memory.ptr,
			       .size = object->memory.asked };
}

/**
 * analysis_spot - look up a spot
 * @a: the analysis
 * @spot: its number
 *
 * Return: the spot, valid until the next event.
 */
const struct spot *analysis_spot(const struct analysis *a, u32 spot)
{
	return hash_item(&a->spots, spot);
}

static u32 get_spot(struct analysis *a, const struct place *place, u32 name)
{
	struct spot key = { .kind = place->kind, .offset = place->offset, .name = name };
	bool new;

	return hash_get(&a->spots, &key, &new);
}

/**
 * analysis_kind_name - get the name of a kind of object
 * @a: the analysis
 * @kind: number of the kind
 *
 * Return: the name of the cache, or a description in brackets.
 */
const char *analysis_kind_name(const struct analysis *a, u32 kind)
{
	return texts_get(&a->texts, ((const struct kind *)hash_item(&a->kinds, kind))->name);
}

/**
 * analysis_kind_site - get the call site that allocates a kind of object
 * @a: the analysis
 * @kind: number of the kind
 *
 * Return: the return address of the call; 0 if unknown.
 */
u64 analysis_kind_site(const struct analysis *a, u32 kind)
{
	return ((const struct kind *)hash_item(&a->kinds, kind))->site;
}

/**
 * analysis_node - get the NUMA node of a CPU
 * @a: the analysis
 * @cpu: the CPU
 *
 * Return: the node in the latest event of the CPU; 0 if it had none.
 */
u32 analysis_node(const struct analysis *a, u32 cpu)
{
	u64 key = cpu;
	u32 i;

	return hash_find(&a->nodes, &key, &i) ? ((struct node *)hash_item(&a->nodes, i))->node : 0;
}

static void note_node(struct analysis *a, const struct trace_event *e)
{
	u64 key = e->cpu;
	bool new;

	((struct node *)hash_item(&a->nodes, hash_get(&a->nodes, &key, &new)))->node = e->node;
}

/* Accesses */

static void set_kind(struct touch *t, u32 kind)
{
	t->reads = kind == TRACE_READ || kind == TRACE_UPDATE;
	t->writes = kind == TRACE_WRITE || kind == TRACE_UPDATE;
}

static struct touch touch_of_access(const struct trace_event *e)
{
	struct touch t = {
		.event = e, .ip = e->u.access.ip, .ptr = e->u.access.ptr,
		.size = e->u.access.size, .pid = e->u.access.pid, .stack = e->u.access.stack,
	};

	set_kind(&t, e->u.access.kind);
	return t;
}

static struct touch touch_of_traffic(const struct trace_event *e)
{
	struct touch t = {
		.event = e, .ip = e->u.traffic.ip, .ptr = e->u.traffic.ptr,
		.size = e->u.traffic.size, .pid = e->u.traffic.pid, .stack = e->u.traffic.stack,
	};

	set_kind(&t, e->u.traffic.kind);
	return t;
}

/* Names */

/*
 * The call site that determines the type of a kind of object; 0: none. The type that a call
 * site has for pages is that of their descriptor, and for a stack that of the task.
 */
static u64 typed_site(const struct analysis *a, u32 kind)
{
	const char *name = analysis_kind_name(a, kind);

	return strcmp(name, NAMES_PAGES) && strcmp(name, NAMES_STACK) ?
		analysis_kind_site(a, kind) : 0;
}

/* Look up or add the number of a type and a member; 0 is unknown. */
static u32 get_name(struct analysis *a, const struct named *named)
{
	struct called key = {
		.type = named->type ? texts_number(&a->texts, named->type) : NO_TEXT,
		.path = named->path ? texts_number(&a->texts, named->path) : NO_TEXT,
	};
	bool new;

	return hash_get(&a->called, &key, &new);
}

/* Check --type and --field against a name. */
static bool is_named(struct analysis *a, const struct named *named, u64 site)
{
	if (!a->filter.type && !a->filter.field)
		return true;
	return named_filter_access(&a->named_filter, named, named_allocation(a->symbols, site));
}

/*
 * Name what an instruction accesses at a place. Only objects have names by offset: data does
 * not.
 */
static u32 find_name(struct analysis *a, u64 ip, const struct place *place, u64 bytes,
		     bool *chosen)
{
	u64 site = typed_site(a, place->kind), part = 0, key[3];
	struct touched *touched;
	struct named named;
	bool new;

	*chosen = true;
	if (!kmap_symbols_notes(a->symbols))
		return 0;
	if (place->object)
		part = named_part(a->symbols, ip, site,
				  named_place(place->offset, bytes, place->size), place->size);
	key[0] = ip;
	key[1] = place->kind;
	key[2] = part;
	touched = hash_item(&a->touched, hash_get(&a->touched, key, &new));
	if (new) {
		named = named_access(a->symbols, ip, site, part);
		touched->name = get_name(a, &named);
		touched->chosen = is_named(a, &named, site);
	}
	*chosen = touched->chosen;
	return touched->name;
}

/**
 * analysis_called - get the type and member that are accessed
 * @a: the analysis
 * @t: the access
 *
 * Return: the number of the names, see analysis_name().
 */
u32 analysis_called(const struct analysis *a, const struct touch *t)
{
	return analysis_spot(a, t->spot)->name;
}

/* Check --type and --field, and note that they matched. */
static bool name_is_chosen(struct analysis *a, const struct touch *t)
{
	if (t->named)
		a->choice.seen |= KMEM_SEEN_NAMED;
	return t->named;
}

/* Pass an access to the analysis, selected or not. */
static void pass_touch(struct analysis *a, struct touch *t)
{
	const struct kind *kind = hash_item(&a->kinds, t->place.kind);

	t->chosen = a->choice.chosen && kind->chosen && name_is_chosen(a, t);
	a->ops->touch(a, t);
}

/*
 * Handle the part of an access in the line at @line. @moved_line: according to a traffic event.
 */
static void touch_line(struct analysis *a, struct touch t, u64 line, bool moved_line)
{
	u64 first = t.ptr > line ? t.ptr : line, last = t.ptr + t.size - 1;
	struct toucher toucher;

	if (last - line >= a->line_size)
		last = line + a->line_size - 1;
	t.line = line;
	/* Early: the names below take longer than its prefetch. */
	t.line_nr = cachelines_get(&a->lines, line / a->line_size);
	t.first = first - line;
	t.last = last - line;
	t.place = analysis_place(a, first);
	t.spot = get_spot(a, &t.place, find_name(a, t.ip, &t.place, last - first + 1,
						 &t.named));
	toucher = (struct toucher){
		.ip = t.ip, .object = t.place.object, .data = t.spot, .size = t.place.size,
		.cpu = t.event->cpu, .first = t.first, .last = t.last, .reads = t.reads,
		.writes = t.writes,
	};
	cachelines_touch(&a->lines, t.line_nr, &toucher, moved_line, &t.moved);
	if (moved_line)
		t.moved.from = t.event->u.traffic.from;
	pass_touch(a, &t);
}

static bool is_sound(const struct touch *t)
{
	/* An access of no bytes, or beyond the address space, comes from a damaged trace. */
	return t->size && t->size - 1 <= U64_MAX - t->ptr;
}

static void access_lines(struct analysis *a, const struct trace_event *e)
{
	struct touch t = touch_of_access(e);
	u64 line = t.ptr & -(u64)a->line_size, last = t.ptr + t.size - 1;

	/* Traffic events have the accesses that move a line. */
	if (a->has_traffic || !is_sound(&t))
		return;
	a->followed = true;
	for (;; line += a->line_size) {
		touch_line(a, t, line, false);
		/*
		 * Not in the loop's head: at the end of the address space,
		 * @line would wrap.
		 */
		if (last - line < a->line_size)
			break;
	}
}

static void move_line(struct analysis *a, const struct trace_event *e)
{
	struct touch t = touch_of_traffic(e);
	u64 line = e->u.traffic.line & -(u64)a->line_size;

	/* The first traffic event: discard what was derived from accesses before it. */
	if (!a->has_traffic && a->followed)
		forget(a);
	a->has_traffic = true;
	/* The access must lie in the line that it moves, unless the trace is damaged. */
	if (is_sound(&t) && line <= t.ptr + t.size - 1 && t.ptr <= line + a->line_size - 1)
		touch_line(a, t, line, true);
}

static void access_whole(struct analysis *a, const struct trace_event *e)
{
	struct touch t = touch_of_access(e);

	t.place = analysis_place(a, t.ptr);
	t.spot = get_spot(a, &t.place, find_name(a, t.ip, &t.place, t.size, &t.named));
	t.line = t.ptr & -(u64)a->line_size;
	if (is_sound(&t))
		pass_touch(a, &t);
}

static void touch(struct analysis *a, const struct trace_event *e)
{
	if (a->touches == TOUCH_LINES && e->type == TRACE_ACCESS)
		access_lines(a, e);
	else if (a->touches == TOUCH_LINES && e->type == TRACE_TRAFFIC)
		move_line(a, e);
	else if (a->touches == TOUCH_ACCESSES && e->type == TRACE_ACCESS)
		access_whole(a, e);
}

/* Events */

/* Prefetch the state that the next event needs. */
static void prefetch(const struct analysis *a)
{
	const struct trace_event *e = trace_peek(a->trace);

	if (!e)
		return;
	tracker_prefetch(&a->live, e);
	if (a->touches == TOUCH_LINES && e->type == TRACE_ACCESS)
		cachelines_prefetch(&a->lines, e->u.access.ptr / a->line_size);
}

static void handle(struct analysis *a, const struct trace_event *e)
{
	const struct opened *opened;

	a->types |= 1u << e->type;
	names_event(&a->names, e);
	memory_event(&a->memory, e);
	note_node(a, e);
	if (e->type == TRACE_ALLOC)
		allocate(a, e);
	else if (e->type == TRACE_FREE)
		tracker_remove(&a->live, e);
	opened = context_event(&a->context, e);
	if (kmem_choice_event(&a->choice, e) && opened && a->ops->opened)
		a->ops->opened(a, e, opened);
	if (a->ops->touch)
		touch(a, e);
	if (a->ops->event)
		a->ops->event(a, e);
}

static void print(struct analysis *a)
{
	struct head head = {
		.command = a->ops->command->name, .input = "trace",
		.incomplete = a->incomplete, .sort = a->order.key ?: a->ops->sort,
		.top = a->top,
		.filter = &a->filter,
	};

	if (a->format == REPORT_TEXT)
		term_pager();
	head_print(&head, a->format);
	a->ops->print(a);
	if (a->format == REPORT_JSON)
		printf("\n}\n");
}

/* Returns false after a message if the size of a cache line is invalid. */
static bool set_line_size(struct analysis *a, const char *dir)
{
	if (!a->line_size)
		a->line_size = trace_env_number(a->trace, "line_size", LINE_SIZE);
	if (a->line_size && a->line_size <= LINE_MAX_SIZE && !(a->line_size & (a->line_size - 1)))
		return true;
	fprintf(stderr, "memorizer: %s: lines of %u bytes: want a power of two up to %u\n", dir,
		a->line_size, LINE_MAX_SIZE);
	return false;
}

static bool begin(struct engine *g)
{
	struct analysis *a = g->data;

	a->trace = g->trace;
	a->symbols = g->symbols;
	if (!named_usable(&a->filter, a->symbols, a->ops->command->name) ||
	    !set_line_size(a, g->name) ||
	    !memory_init(&a->memory, g->name, a->files.kallsyms, a->symbols))
		return false;
	init(a);
	return true;
}

static bool take(void *data, const struct trace_event *e)
{
	struct analysis *a = data;

	/* Fetch memory for the next event while this one is handled. */
	prefetch(a);
	handle(a, e);
	return !a->choice.window.ended;
}

static int end(struct engine *g, int status)
{
	struct analysis *a = g->data;

	a->incomplete = trace_incomplete(a->trace);
	if (wanted_check(g->name, a->types, a->ops->wanted[0]) &&
	    wanted_check(g->name, a->types, a->ops->wanted[1]) &&
	    kmem_choice_check(&a->choice, g->name) &&
	    (!a->ops->usable || a->ops->usable(a, g->name))) {
		print(a);
		status = trace_warn(a->trace) ? EXIT_INCOMPLETE : status;
	} else {
		status = EXIT_UNABLE;
	}
	release(a);
	memory_free(&a->memory);
	return status;
}

/* Options */

/**
 * analysis_run - run an analysis of a trace
 * @a: the analysis; the caller sets the fields that struct analysis names, the rest is 0
 * @argc: number of arguments
 * @argv: the arguments
 * @options: its options, with OPTS_ANALYSIS()
 *
 * Return: the exit status.
 */
int analysis_run(struct analysis *a, int argc, char **argv, const struct option *options)
{
	static const struct engine_ops ops = { .begin = begin, .event = take, .end = end };
	const struct command *command = a->ops->command;
	struct engine g = { .ops = &ops, .data = a };
	const char *dir;
	int status;

	kmem_filter_init(&a->filter);
	argc = options_parse(command, argc, argv, options, 0);
	dir = input_name(argc, argv);
	if (!dir) {
		fprintf(stderr, "memorizer %s: %d traces: want one directory, or the parts of one\n",
			command->name, argc);
		return usage_error(command->name);
	}
	if ((a->filter.type || a->filter.field) && !a->ops->touch) {
		fprintf(stderr, "memorizer %s: --%s: the analysis has no accesses\n", command->name,
			a->filter.type ? "type" : "field");
		return usage_error(command->name);
	}
	if (!a->top_given)
		a->top = a->format == REPORT_TEXT ? TEXT_ROWS : 0;
	g.files = a->files;
	status = engine_run(&g, dir);
	engine_free(&g);
	/* Only the printed tables show whether any has the column. */
	if (status != EXIT_UNABLE && !table_order_check(&a->order, command->name))
		return EXIT_UNABLE;
	return status;
}

/* Output */

/**
 * analysis_ip - format an instruction address
 * @a: the analysis
 * @ip: the address
 * @kind: kind of address
 * @text: set to the symbol and offset, or the address
 */
void analysis_ip(const struct analysis *a, u64 ip, enum kmap_ip kind, char text[KMAP_SYMBOL_MAX])
{
	kmap_symbols_format(a->symbols, ip, kind, text);
}

/**
 * analysis_code - name an instruction for a table
 * @a: the analysis
 * @ip: its address
 *
 * Return: the symbol and offset, or the address.
 */
char *analysis_code(const struct analysis *a, u64 ip)
{
	char text[KMAP_SYMBOL_MAX];

	analysis_ip(a, ip, KMAP_IP_EXACT, text);
	return table_text(text);
}

/**
 * analysis_code_source - name an instruction and its source line for a table
 * @a: the analysis
 * @ip: its address
 * @code: set to the symbol and offset, or the address
 * @source: set to file and line, with --inlines those of inlined functions; NULL if unknown
 *
 * The keys of the columns must end in "code" and "source", see analysis_table().
 */
void analysis_code_source(const struct analysis *a, u64 ip, char **code, char **source)
{
	char text[KMAP_SYMBOL_MAX], *line;
	size_t len;

	analysis_ip(a, ip, KMAP_IP_EXACT, text);
	/* The source follows in parentheses if it is known. */
	line = strstr(text, " (");
	*source = NULL;
	if (line) {
		*line = '\0';
		line += strlen(" (");
		len = strlen(line);
		if (len && line[len - 1] == ')')
			line[len - 1] = '\0';
		*source = table_text(line);
	}
	*code = table_text(text);
}

/**
 * analysis_site - name a call site for a table
 * @a: the analysis
 * @ip: return address of the call; 0: unknown
 *
 * Return: the symbol and offset, or the address; NULL if unknown.
 */
char *analysis_site(const struct analysis *a, u64 ip)
{
	char text[KMAP_SYMBOL_MAX];

	if (!ip)
		return NULL;
	analysis_ip(a, ip, KMAP_IP_RETURN, text);
	return table_text(text);
}

/**
 * analysis_text - copy a text of the trace for a table
 * @text: any text
 *
 * Return: the text, with unprintable characters escaped as in a KMAP.
 */
char *analysis_text(const char *text)
{
	/* An unprintable character becomes \xNN. */
	char *escaped = xreallocarray(NULL, 4 * strlen(text) + 1, 1);

	names_escape(escaped, text);
	return escaped;
}

/**
 * analysis_object - name a kind of object for a table
 * @a: the analysis
 * @kind: the kind
 *
 * Return: the name of its cache.
 */
char *analysis_object(const struct analysis *a, u32 kind)
{
	return table_text(analysis_kind_name(a, kind));
}

/**
 * analysis_where - name a spot for a table
 * @a: the analysis
 * @spot: number of the spot
 *
 * Return: the name of the object's cache and the offset in the object.
 */
char *analysis_where(const struct analysis *a, u32 spot)
{
	const struct spot *s = analysis_spot(a, spot);
	char text[TEXTS_MAX + 16];

	if (!s->kind)
		return table_text(NAMES_UNKNOWN);
	snprintf(text, sizeof(text), "%s+0x%x", analysis_kind_name(a, s->kind), s->offset);
	return table_text(text);
}

/**
 * analysis_allocated - name the call site that allocates a kind of object, for a table
 * @a: the analysis
 * @kind: the kind
 *
 * Return: the name of the call site; NULL if unknown.
 */
char *analysis_allocated(const struct analysis *a, u32 kind)
{
	return analysis_site(a, analysis_kind_site(a, kind));
}

/**
 * analysis_type - name the type of a kind of object for a table
 * @a: the analysis
 * @kind: the kind
 *
 * Return: the type that its call site allocates; NULL if unknown.
 */
char *analysis_type(const struct analysis *a, u32 kind)
{
	const char *type = named_allocation(a->symbols, typed_site(a, kind));

	return type ? table_text(type) : NULL;
}

/**
 * analysis_named - get type and member by number
 * @a: the analysis
 * @name: the number
 *
 * Return: type and member, NULL if unknown; valid until the next event.
 */
struct named analysis_named(const struct analysis *a, u32 name)
{
	const struct called *called = hash_item(&a->called, name);

	return (struct named){
		.type = called->type == NO_TEXT ? NULL : texts_get(&a->texts, called->type),
		.path = called->path == NO_TEXT ? NULL : texts_get(&a->texts, called->path),
	};
}

/**
 * analysis_name - get type and member for a table
 * @a: the analysis
 * @texts: set to type and member, NULL if unknown
 * @name: number of the names
 */
void analysis_name(const struct analysis *a, char *texts[2], u32 name)
{
	struct named named = analysis_named(a, name);

	texts[0] = named.type ? table_text(named.type) : NULL;
	texts[1] = named.path ? table_text(named_path(named.path)) : NULL;
}

/**
 * analysis_table - sort, print and free a table
 * @a: the analysis
 * @t: the table; columns of types without any are omitted, as are sources without --lines
 * @usual: metric to sort by without --sort
 */
void analysis_table(struct analysis *a, struct table *t, u32 usual)
{
	named_drop(t, a->symbols);
	if (!a->files.inlines && !a->files.modules) {
		table_drop(t, "source");
		table_drop(t, "before_source");
	}
	table_sort(t, &a->order, usual);
	if (a->format == REPORT_JSON) {
		printf(",\n\t");
		table_json(t, a->top);
	} else if (a->format == REPORT_CSV) {
		table_csv(t, a->top);
	} else {
		table_print(t, a->top);
	}
	table_free(t);
}

/**
 * analysis_rows - add the rows of a table, sort, print and free it
 * @a: the analysis
 * @t: the table
 * @items: one row each
 * @usual: metric to sort by without --sort
 */
void analysis_rows(struct analysis *a, struct table *t, const struct row_items *items, u32 usual)
{
	/* With --sort, texts may decide the order: make all rows. */
	rows_fill(t, items, usual, a->order.key ? 0 : a->top);
	analysis_table(a, t, usual);
}

/**
 * analysis_sum - print a sum over the whole trace
 * @a: the analysis
 * @label: label in text
 * @key: key in JSON and CSV
 * @sum: the sum
 */
void analysis_sum(const struct analysis *a, const char *label, const char *key, u64 sum)
{
	if (a->format == REPORT_JSON)
		printf(",\n\t\"%s\": %llu", key, sum);
	else if (a->format == REPORT_CSV)
		printf("sum,%s,%llu\n", key, sum);
	else
		printf("%-40s %20llu\n", label, sum);
}
