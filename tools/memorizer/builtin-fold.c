// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer fold: converts a KMAP or a trace to folded stacks for flame graphs: command, cache,
 * call site of the allocation and accessing function, and the requested number.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "lib/texts.h"
#include "options.h"
#include "report/engine.h"
#include "report/head.h"
#include "report/named.h"
#include "report/skip.h"
#include "report/table.h"
#include "report/term.h"
#include "symbols/namesakes.h"
#include "trace/names.h"
#include "trace/rebuild.h"
#include "trace/tracker.h"
#include "trace/wanted.h"

static const char * const usage[] = {
	"memorizer fold [OPTION...] DIR|KMAP|-",
	"",
	"Prints folded stacks for flame graphs, one per line: the command, the cache, the",
	"function that allocated and, for accesses, the function that accessed, separated by",
	"semicolons, and a number. A KMAP has no caches. The command is the one that allocated",
	"or accessed. With --stacks, the functions on the allocation's stack precede the cache.",
	NULL
};

enum value { ACCESSES, READS, WRITES, OBJECTS, BYTES, LIVE, LIVE_BYTES, VALUES };

static const char * const value_names[VALUES] = {
	[ACCESSES] = "accesses", [READS] = "reads", [WRITES] = "writes", [OBJECTS] = "objects",
	[BYTES] = "bytes", [LIVE] = "live", [LIVE_BYTES] = "live-bytes",
};

/*
 * Frames of a stack; allocations have no ACCESSOR. With --types, CACHE is the type, and SITE of an
 * access is the member. With --stacks, CALLERS is the number of a chain, and replaces SITE.
 */
enum { WHO, CALLERS, CACHE, SITE, ACCESSOR, FRAMES };

#define NONE	U32_MAX		/* no frame */

/*
 * A stack: texts of its frames. While a KMAP is read, WHO of an access is a pid. Allocations have
 * the number of the call site's function in SITE.
 */
struct stack {
	u32 frame[FRAMES + FRAMES % 2];	/* the size of a key is a multiple of 8 */
	u64 value;
};

/* The functions on an allocation's stack: their frames, from the outermost on, then NONE. */
struct chain {
	u32 frame[KMAP_STACK_MAX];
};

/* Live memory: its frames, and whether the filter selects the object and its allocation. */
struct allocated {
	struct tracked memory;
	u32 frame[ACCESSOR];
	bool is_object, is_chosen;
};

/* Frame of a function; @typed is the call site whose note has the type of what it allocates. */
struct function {
	u64 ip, kind, typed;
	u32 frame;
};

/* Last comm of a pid in a KMAP. */
struct task {
	u64 pid, jiffies;
	u32 frame;
};

/**
 * struct fold - state of the command
 * @types: frames are types and members
 * @stacks: print all functions on the stacks of allocations
 * @value: the number to print
 * @format: output format
 * @symbols: the symbols
 * @frames: texts of frames
 * @functions: struct function by ip
 * @chains: struct chain by frames
 * @tasks: struct task by pid, for a KMAP
 * @contexts: names of contexts
 * @by_stack: struct stack by frames, of access lines, or of a trace's allocations and accesses
 * @others: likewise, of object lines, or of the counts of retired objects. An access is in an
 *	    event, in its object's counts, or in both, and must be counted once
 * @filter: selects what is counted
 * @choice: state of @filter
 * @named: state of @filter for types and members
 * @skip: finds the call sites of objects
 * @object: the filter selects the current object of a KMAP
 * @stack: stack of that object
 * @accessed: a KMAP has accesses
 * @allocated: a KMAP has objects
 * @types_seen: mask of enum trace_type: types of events in a trace
 * @names: names of tasks and caches in a trace
 * @live: live memory of a trace, struct allocated
 * @retired: stack of the retired object whose counts follow, by the id of its record
 * @kmap: the KMAP of a trace, for @stacks
 */
struct fold {
	bool types, stacks;
	enum value value;
	enum report_format format;
	struct kmap_symbols *symbols;
	struct hash frames, functions, chains, tasks, by_stack, others;
	struct kmem_filter filter;
	struct kmem_choice choice;
	struct named_filter named;
	struct skip skip;
	struct stack stack;
	bool object, accessed, allocated;
	u32 types_seen;
	const struct contexts *contexts;
	struct names names;
	struct tracker live;
	struct hash retired;
	struct rebuild kmap;
};

struct retired {
	u64 id;
	struct stack stack;
	bool chosen;
};

/* Number of the function that contains an address. */
static u32 function_of(struct fold *f, u64 ip, enum kmap_ip kind, u64 typed)
{
	struct function key = { .ip = ip, .kind = kind, .typed = typed }, *function;
	char text[KMAP_SYMBOL_MAX];
	bool new;
	u32 nr = hash_get(&f->functions, &key, &new);

	if (!new)
		return nr;
	kmap_symbols_function(f->symbols, ip, kind, text);
	function = hash_item(&f->functions, nr);
	function->frame = texts_number(&f->frames, text);
	return nr;
}

/* Frame for a text, possibly unknown. */
static u32 frame_of(struct fold *f, const char *text)
{
	return texts_number(&f->frames, text ? text : NAMES_UNKNOWN);
}

/* Name of the memory of an object, in place of a cache's; @unknown without a kind. */
static const char *memory_of(enum kmap_kind kind, const char *unknown)
{
	return kind ? kmap_kinds[kind] : unknown;
}

/*
 * Stack of an allocation by a call site, with the cache if it is known. @typed is the call site
 * whose note has the type; 0 for pages and stacks, which have none.
 */
static struct stack allocation(struct fold *f, const char *who, const char *cache, u64 ip,
			       u64 typed)
{
	struct stack stack = { .frame = {
		[WHO] = NONE, [CALLERS] = NONE, [CACHE] = NONE, [ACCESSOR] = NONE,
		[SITE] = function_of(f, ip, KMAP_IP_RETURN, typed),
	} };

	if (who)
		stack.frame[WHO] = texts_number(&f->frames, who);
	if (f->types && typed)
		stack.frame[CACHE] = frame_of(f, named_allocation(f->symbols, typed));
	else if (cache)
		stack.frame[CACHE] = texts_number(&f->frames, cache);
	return stack;
}

/* Number of the functions on an object's stack, or of its call site alone. */
static u32 chain_of(struct fold *f, const struct kmap_object *o)
{
	const u64 *ips = o->nr_frames ? o->frames : &o->alloc_ip;
	u32 nr = o->nr_frames ?: 1, function_nr, i;
	const struct function *function;
	struct chain chain;
	bool new;

	memset(&chain, 0xff, sizeof(chain));
	for (i = 0; i < nr; i++) {
		function_nr = function_of(f, ips[nr - 1 - i], KMAP_IP_RETURN, 0);
		function = hash_item(&f->functions, function_nr);
		chain.frame[i] = function->frame;
	}
	return hash_get(&f->chains, &chain, &new);
}

/* Replace the number of a function by its name; with --stacks, a chain has it. */
static void name_site(const struct fold *f, struct stack *stack)
{
	const struct function *function;

	if (f->stacks)
		stack->frame[SITE] = NONE;
	if (stack->frame[SITE] == NONE)
		return;
	function = hash_item(&f->functions, stack->frame[SITE]);
	stack->frame[SITE] = function->frame;
}

/*
 * Derive the stack of an access from that of the object, whose site is NONE if it is unknown; the
 * object has @size bytes, and the access is to @place in it. Returns false if the filter rejects
 * the names.
 */
static bool access_stack(struct fold *f, u64 ip, u64 place, u64 size,
			 struct stack *stack)
{
	const struct function *function;
	struct named named;
	u64 site = 0;

	if (stack->frame[SITE] != NONE)
		site = ((struct function *)hash_item(&f->functions, stack->frame[SITE]))->typed;
	if (!named_filter_code(&f->named, ip, site, place, size))
		return false;
	function = hash_item(&f->functions, function_of(f, ip, KMAP_IP_EXACT, 0));
	stack->frame[ACCESSOR] = function->frame;
	if (!f->types) {
		name_site(f, stack);
		if (stack->frame[SITE] == NONE && !f->stacks)
			stack->frame[SITE] = frame_of(f, NULL);
		return true;
	}
	named = named_access(f->symbols, ip, site, named_part(f->symbols, ip, site, place, size));
	if (named.type || site)
		stack->frame[CACHE] = frame_of(f, named.type);
	stack->frame[SITE] = frame_of(f, named_path(named.path));
	return true;
}

static void add(struct hash *stacks, const struct stack *stack, u64 value)
{
	struct stack key = *stack, *found;
	bool new;

	if (!value)
		return;
	key.value = 0;
	found = hash_item(stacks, hash_get(stacks, &key, &new));
	found->value += value;
}

static void add_allocation(struct fold *f, struct hash *stacks, const struct stack *stack,
			   u64 value)
{
	struct stack named = *stack;

	name_site(f, &named);
	add(stacks, &named, value);
}

/* Value of reads and writes. */
static u64 access_value(const struct fold *f, u64 reads, u64 writes)
{
	switch (f->value) {
	case ACCESSES:
		return reads + writes;
	case READS:
		return reads;
	case WRITES:
		return writes;
	default:
		return 0;
	}
}

static u64 object_value(const struct fold *f, u64 bytes)
{
	return f->value == OBJECTS ? 1 : f->value == BYTES ? bytes : 0;
}

static u64 live_value(const struct fold *f, u64 bytes)
{
	return f->value == LIVE ? 1 : f->value == LIVE_BYTES ? bytes : 0;
}

/* Swap the two sets of stacks. */
static void exchange(struct hash *stacks, struct hash *others)
{
	struct hash none = *stacks;

	*stacks = *others;
	*others = none;
}

/* KMAP */

static void take_object(void *data, const struct kmap_object *o)
{
	struct fold *f = data;
	struct stack *stack = &f->stack;
	char comm[KMAP_COMM_TEXT + 1];
	u64 site, typed;
	struct task *task;
	bool chosen, new;

	f->allocated = true;
	snprintf(comm, sizeof(comm), "%.*s", (int)o->comm_len, o->comm);
	site = skip_site(&f->skip, o->alloc_ip, o->frames, o->nr_frames);
	typed = named_site(f->symbols, site, o->alloc_ip);
	*stack = allocation(f, comm, memory_of(o->kind, NULL), site,
			    kmap_kind_is_typed(o->kind) ? typed : 0);
	if (f->stacks)
		stack->frame[CALLERS] = chain_of(f, o);
	/* Without the task: accesses are selected by their own task. */
	f->object = kmem_choice_kind(&f->choice, o->kind) &&
		    kmem_choice_object(&f->choice, NULL, site);
	chosen = kmem_choice_task(&f->choice, o->pid, comm) && f->object;
	chosen &= named_filter_allocation(&f->named, typed);
	if (chosen)
		add_allocation(f, &f->others, stack, object_value(f, o->size));
	if (chosen && !o->free_jiffies)
		add_allocation(f, &f->others, stack, live_value(f, o->size));
	task = hash_item(&f->tasks, hash_get(&f->tasks, &o->pid, &new));
	if (!new && task->jiffies > o->alloc_jiffies)
		return;
	task->jiffies = o->alloc_jiffies;
	task->frame = stack->frame[WHO];
}

static void take_access(void *data, const struct kmap_object *o, const struct kmap_access *a)
{
	struct fold *f = data;
	struct stack stack = f->stack;

	f->accessed = true;
	if (!f->object || (f->filter.pid != U64_MAX && f->filter.pid != a->pid))
		return;
	f->choice.seen |= KMEM_SEEN_PID;
	if (!access_stack(f, a->ip, a->place, o->size, &stack))
		return;
	stack.frame[WHO] = a->pid;
	add(&f->by_stack, &stack, access_value(f, a->reads, a->writes));
}

/* Name of a context; @task for a pid, and for an unknown context. */
static u32 context_frame(struct fold *f, u64 pid, u32 task)
{
	char text[CONTEXT_NAME_MAX];
	const char *name = contexts_name(f->contexts, pid, text);

	return name ? texts_number(&f->frames, name) : task;
}

/* Replace pids by comms or names of contexts, and drop those that the filter rejects. */
static void name_tasks(struct fold *f)
{
	struct hash named;
	struct stack stack;
	u64 pid;
	u32 i, task;

	hash_init(&named, sizeof(struct stack), sizeof(stack.frame));
	for (i = 0; i < f->by_stack.nr; i++) {
		stack = *(struct stack *)hash_item(&f->by_stack, i);
		pid = stack.frame[WHO];
		if (hash_find(&f->tasks, &pid, &task))
			stack.frame[WHO] = ((struct task *)hash_item(&f->tasks, task))->frame;
		else
			stack.frame[WHO] = texts_number(&f->frames, NAMES_UNKNOWN);
		stack.frame[WHO] = context_frame(f, pid, stack.frame[WHO]);
		if (!kmem_filter_matches(f->filter.comm, texts_get(&f->frames, stack.frame[WHO])))
			continue;
		/* A context is the name of no object's task. */
		f->choice.seen |= KMEM_SEEN_COMM;
		add(&named, &stack, stack.value);
	}
	hash_free(&f->by_stack);
	f->by_stack = named;
}

/* Check that all filters match in the KMAP; returns false after a message. */
static bool check_kmap(struct fold *f, const char *name)
{
	static const struct window all = { .begun = true, .ended = true };
	bool accesses = f->value < OBJECTS;

	name_tasks(f);
	if (!accesses)
		exchange(&f->by_stack, &f->others);
	return wanted_lines(name, accesses, accesses ? f->accessed : f->allocated) &&
		kmem_filter_check(&f->filter, &all, f->choice.seen, f->symbols, name);
}

/* Trace */

/* An object of the trace's KMAP, see rebuild_give. */
static void give(void *data, const struct kmap_object *o, const struct kmap_access *counts, u32 nr)
{
	u32 i;

	take_object(data, o);
	for (i = 0; i < nr; i++)
		take_access(data, o, counts + i);
}

static void allocate(struct fold *f, const struct trace_event *e)
{
	const char *cache = names_cache(&f->names, e->u.alloc.kind, e->u.alloc.cache);
	u64 site = e->u.alloc.call_site;
	struct stack stack = allocation(f, names_task(&f->names, e->u.alloc.pid), cache, site,
					named_event_site(e->u.alloc.kind, site));
	bool is_object = kmem_choice_allocator(&f->choice, e->u.alloc.kind) &&
			 kmem_choice_object(&f->choice, cache, site);
	bool is_chosen = is_object && f->choice.chosen && named_filter_allocation(&f->named, site);
	struct allocated *item = tracker_add(&f->live, e, 0);

	if (is_chosen)
		add_allocation(f, &f->by_stack, &stack, object_value(f, e->u.alloc.bytes_alloc));
	if (!item)
		return;
	memcpy(item->frame, stack.frame, sizeof(item->frame));
	item->is_object = is_object;
	item->is_chosen = is_chosen;
}

static void count_access(struct fold *f, const struct trace_event *e)
{
	const struct allocated *item = tracker_find(&f->live, e->u.access.ptr);
	struct stack stack = { .frame = {
		[CALLERS] = NONE, [CACHE] = frame_of(f, NULL), [SITE] = NONE, [ACCESSOR] = NONE,
	} };
	u32 kind = e->u.access.kind;
	u64 place = 0, size = 0;

	if (!f->choice.chosen ||
	    !(item ? item->is_object : kmem_choice_kind(&f->choice, KMAP_UNKNOWN) &&
				       kmem_choice_object(&f->choice, NAMES_UNKNOWN, 0)))
		return;
	if (item) {
		memcpy(stack.frame, item->frame, sizeof(item->frame));
		size = item->memory.asked;
		place = named_place(e->u.access.ptr - item->memory.ptr, e->u.access.size, size);
	}
	if (!access_stack(f, e->u.access.ip, place, size, &stack))
		return;
	stack.frame[WHO] = texts_number(&f->frames, names_task(&f->names, e->u.access.pid));
	add(&f->by_stack, &stack, access_value(f, kind == TRACE_READ || kind == TRACE_UPDATE,
					       kind == TRACE_WRITE || kind == TRACE_UPDATE));
}

/* A retired object; its counts follow. Its allocation event has the names. */
static void retire(struct fold *f, const struct trace_event *e)
{
	enum kmap_kind kind = trace_object_kind(e);
	const struct trace_stack *frames = e->u.object.frames;
	u64 id = e->u.object.object, site, typed;
	struct retired *retired;
	bool new;

	retired = hash_item(&f->retired, hash_get(&f->retired, &id, &new));
	site = skip_site(&f->skip, e->u.object.alloc_site, frames ? frames->ip : NULL,
			 frames ? frames->nr : 0);
	typed = named_site(f->symbols, site, e->u.object.alloc_site);
	retired->stack = allocation(f, NULL, memory_of(kind, NAMES_UNKNOWN), site,
				    kmap_kind_is_typed(kind) ? typed : 0);
	retired->chosen = kmem_choice_kind(&f->choice, kind) &&
			  kmem_choice_object(&f->choice, NULL, site);
}

static void count_counts(struct fold *f, const struct trace_event *e)
{
	u64 id = e->u.counts.object;
	const struct retired *retired;
	struct stack stack;
	u32 i;

	/* Counts have no cache, CPU or time of their own. */
	if (kmem_filter_trace_only(&f->filter) || !f->choice.by_whom ||
	    !hash_find(&f->retired, &id, &i))
		return;
	retired = hash_item(&f->retired, i);
	if (!retired->chosen)
		return;
	stack = retired->stack;
	if (!access_stack(f, e->u.counts.ip, 0, 0, &stack))
		return;
	stack.frame[WHO] = texts_number(&f->frames, names_task(&f->names, e->u.counts.pid));
	add(&f->others, &stack, access_value(f, e->u.counts.reads, e->u.counts.writes));
}

static void handle(struct fold *f, const struct trace_event *e)
{
	names_event(&f->names, e);
	kmem_choice_event(&f->choice, e);
	if (f->choice.window.ended)
		return;
	f->types_seen |= 1u << e->type;
	if (f->stacks) {
		rebuild_event(&f->kmap, e);
		return;
	}
	switch (e->type) {
	case TRACE_ALLOC:
		allocate(f, e);
		break;
	case TRACE_FREE:
		tracker_remove(&f->live, e);
		break;
	case TRACE_ACCESS:
		count_access(f, e);
		break;
	case TRACE_OBJECT:
		retire(f, e);
		break;
	case TRACE_COUNTS:
		count_counts(f, e);
		break;
	default:
		break;
	}
}

static void count_live(struct fold *f)
{
	struct stack stack = { .frame = { [ACCESSOR] = NONE } };
	const struct allocated *item;
	u32 i;

	for (i = 0; i < f->live.nr; i++) {
		item = tracker_item(&f->live, i);
		memcpy(stack.frame, item->frame, sizeof(item->frame));
		if (item->memory.left && item->is_chosen)
			add_allocation(f, &f->by_stack, &stack, live_value(f, item->memory.left));
	}
}

static bool take_event(void *data, const struct trace_event *e)
{
	struct fold *f = data;

	handle(f, e);
	return !f->choice.window.ended;
}

/* Check that all filters match in the trace; returns false after a message. */
static bool check_trace(struct fold *f, const char *dir)
{
	bool accesses = f->value < OBJECTS;

	count_live(f);
	/* Without access events, use the counts of retired objects. */
	if (accesses && !(f->types_seen & WANTED(ACCESS)))
		exchange(&f->by_stack, &f->others);
	return wanted_check(dir, f->types_seen,
			    accesses ? WANTED(ACCESS) | WANTED(COUNTS) : WANTED(ALLOC)) &&
		kmem_choice_check(&f->choice, dir);
}

/* Output */

static int compare_frames(const struct fold *f, u32 a, u32 b)
{
	if (a == b)
		return 0;
	if (a == NONE || b == NONE)
		return a == NONE ? -1 : 1;
	return strcmp(texts_get(&f->frames, a), texts_get(&f->frames, b));
}

static int compare_chains(const struct fold *f, u32 left, u32 right)
{
	const struct chain *a = hash_item(&f->chains, left), *b = hash_item(&f->chains, right);
	int i, order = 0;

	for (i = 0; i < KMAP_STACK_MAX && !order; i++)
		order = compare_frames(f, a->frame[i], b->frame[i]);
	return order;
}

static int compare(const void *left, const void *right, void *fold)
{
	const struct stack *a = left, *b = right;
	const struct fold *f = fold;
	int i, order = 0;

	for (i = 0; i < FRAMES && !order; i++)
		order = i == CALLERS && f->stacks ?
			compare_chains(f, a->frame[i], b->frame[i]) :
			compare_frames(f, a->frame[i], b->frame[i]);
	return order;
}

/* A semicolon would end the frame. */
static void print_frame(const struct fold *f, u32 frame, bool first)
{
	const char *text;

	if (!first)
		putchar(';');
	for (text = texts_get(&f->frames, frame); *text; text++)
		printf(*text == ';' ? "\\x3b" : "%c", *text);
}

static void print_chain(const struct fold *f, u32 nr, bool first)
{
	const struct chain *chain = hash_item(&f->chains, nr);
	int i;

	for (i = 0; i < KMAP_STACK_MAX && chain->frame[i] != NONE; i++)
		print_frame(f, chain->frame[i], first && !i);
}

static void print_folded(const struct fold *f, const struct stack *stack)
{
	int i;

	for (i = 0; i < FRAMES; i++) {
		if (stack->frame[i] == NONE)
			continue;
		if (i == CALLERS)
			print_chain(f, stack->frame[i], false);
		else
			print_frame(f, stack->frame[i], !i);
	}
	printf(" %llu\n", stack->value);
}

/* JSON key of a frame. */
static const char *frame_key(const struct fold *f, int frame)
{
	static const char * const keys[FRAMES] = {
		[WHO] = "comm", [CALLERS] = "stack", [CACHE] = "cache", [SITE] = "site",
		[ACCESSOR] = "accessor",
	};

	if (f->types && frame == CACHE)
		return "type";
	return f->types && frame == SITE && f->value < OBJECTS ? "field" : keys[frame];
}

/* Is there a column for the frame? */
static bool has_column(const struct fold *f, int frame)
{
	return frame == CALLERS ? f->stacks : frame != SITE || !f->stacks || f->types;
}

/* Print the functions of a chain as an array in JSON, or as a text. */
static void print_functions(const struct fold *f, u32 nr)
{
	const struct chain *chain = hash_item(&f->chains, nr);
	int i;

	if (f->format == REPORT_CSV) {
		putchar('"');
		print_chain(f, nr, true);
		printf("\",");
		return;
	}
	printf("\"stack\": [");
	for (i = 0; i < KMAP_STACK_MAX && chain->frame[i] != NONE; i++) {
		printf(i ? ", " : "");
		json_string(texts_get(&f->frames, chain->frame[i]));
	}
	printf("], ");
}

static void print_stack(const struct fold *f, const struct stack *stack, bool first)
{
	bool json = f->format == REPORT_JSON;
	const char *text;
	int i;

	if (json)
		printf("%s\n\t\t{", first ? "" : ",");
	for (i = 0; i < FRAMES; i++) {
		if (i == CALLERS && f->stacks)
			print_functions(f, stack->frame[i]);
		if (i == CALLERS || !has_column(f, i))
			continue;
		text = stack->frame[i] == NONE ? NULL : texts_get(&f->frames, stack->frame[i]);
		if (json) {
			printf("\"%s\": ", frame_key(f, i));
			json_string(text);
			printf(", ");
		} else {
			csv_string(text);
			putchar(',');
		}
	}
	printf(json ? "\"value\": %llu}" : "%llu\n", stack->value);
}

static void print(struct fold *f, const char *input, bool incomplete)
{
	struct head head = { .command = "fold", .input = input, .incomplete = incomplete,
			     .sort = "name", .filter = &f->filter, .stacks = f->skip.stacks };
	const struct stack *stack;
	u32 i;

	if (f->by_stack.nr)
		qsort_r(hash_item(&f->by_stack, 0), f->by_stack.nr, sizeof(struct stack), compare,
			f);
	if (f->format == REPORT_JSON) {
		head_print(&head, f->format);
		printf(",\n\t\"value\": \"%s\",\n\t\"stacks\": [", value_names[f->value]);
	} else if (f->format == REPORT_CSV) {
		for (i = 0; i < FRAMES; i++)
			if (has_column(f, i))
				printf("%s,", frame_key(f, i));
		printf("%s\n", value_names[f->value]);
	}
	for (i = 0; i < f->by_stack.nr; i++) {
		stack = hash_item(&f->by_stack, i);
		if (f->format == REPORT_TEXT)
			print_folded(f, stack);
		else
			print_stack(f, stack, !i);
	}
	if (f->format == REPORT_JSON)
		printf("]\n}\n");
}

static void init(struct fold *f)
{
	size_t frames = sizeof(((struct stack *)NULL)->frame);

	texts_init(&f->frames);
	hash_init(&f->functions, sizeof(struct function), 3 * sizeof(u64));
	hash_init(&f->chains, sizeof(struct chain), sizeof(struct chain));
	hash_init(&f->tasks, sizeof(struct task), sizeof(u64));
	hash_init(&f->by_stack, sizeof(struct stack), frames);
	hash_init(&f->others, sizeof(struct stack), frames);
	hash_init(&f->retired, sizeof(struct retired), sizeof(u64));
	names_init(&f->names);
	kmem_choice_init(&f->choice, &f->filter, f->symbols, &f->names);
	named_filter_init(&f->named, &f->choice);
	skip_init(&f->skip, &f->filter, f->symbols);
	tracker_init(&f->live, sizeof(struct allocated));
	rebuild_init(&f->kmap, give, f);
}

static void release(struct fold *f)
{
	hash_free(&f->frames);
	hash_free(&f->functions);
	hash_free(&f->chains);
	hash_free(&f->tasks);
	hash_free(&f->by_stack);
	hash_free(&f->others);
	hash_free(&f->retired);
	kmem_choice_free(&f->choice);
	named_filter_free(&f->named);
	skip_free(&f->skip);
	names_free(&f->names);
	tracker_free(&f->live);
}

/* Name the contexts in the counts of a trace. */
static void name_contexts(struct fold *f)
{
	const struct hash *all = &f->contexts->all;
	const struct count_context *context;
	char text[CONTEXT_NAME_MAX];
	u32 i;

	names_set_task(&f->names, CONTEXT_OTHERS,
		       contexts_name(f->contexts, CONTEXT_OTHERS, text));
	for (i = 0; i < all->nr; i++) {
		context = hash_item(all, i);
		names_set_task(&f->names, context->number,
			       contexts_name(f->contexts, context->number, text));
	}
}

static bool begin(struct engine *g)
{
	struct fold *f = g->data;

	if (f->types && !kmap_symbols_notes(g->symbols)) {
		fprintf(stderr, "memorizer fold: --types: types are unknown: want --vmlinux with compiler notes\n");
		return false;
	}
	f->symbols = g->symbols;
	f->contexts = &g->contexts;
	if (!named_usable(&f->filter, f->symbols, "fold"))
		return false;
	init(f);
	name_contexts(f);
	return true;
}

/* Is there what was asked for? Returns false after a message. */
static bool check(struct fold *f, const struct engine *g)
{
	if (f->stacks && !wanted_stacks(g->name, f->skip.stacks))
		return false;
	return g->trace && !f->stacks ? check_trace(f, g->name) : check_kmap(f, g->name);
}

static int end(struct engine *g, int status)
{
	struct fold *f = g->data;

	/* Frees what it holds, too. */
	rebuild_end(&f->kmap);
	/* No ||: print both warnings. */
	if (g->trace && trace_warn(g->trace) | rebuild_warn(&f->kmap, g->name))
		status = EXIT_INCOMPLETE;
	if (status != EXIT_UNABLE && !check(f, g))
		status = EXIT_UNABLE;
	if (status != EXIT_UNABLE)
		print(f, g->trace ? "trace" : "kmap", status != EXIT_FINE);
	release(f);
	namesakes_warn(f->symbols, "fold");
	return status;
}

static int fold(struct engine *g, const char *input)
{
	static const struct engine_ops ops = {
		.begin = begin, .event = take_event, .object = take_object, .access = take_access,
		.end = end,
	};
	const struct fold *f = g->data;
	const char *trace_only = kmem_filter_trace_only(&f->filter);
	int status;

	if (trace_only && f->stacks) {
		fprintf(stderr,
			"memorizer fold: --%s: objects with stacks have none: want it without --stacks\n",
			trace_only);
		return usage_error("fold");
	}
	if (trace_only && !input_is_trace(input)) {
		fprintf(stderr, "memorizer fold: --%s: only for the directory of a trace\n",
			trace_only);
		return usage_error("fold");
	}
	g->ops = &ops;
	status = engine_run(g, input);
	engine_free(g);
	return status;
}

static int option_value(const struct option *o, const char *arg, int unset)
{
	int i;

	(void)unset;
	for (i = 0; i < VALUES; i++) {
		if (!strcmp(arg, value_names[i])) {
			*(enum value *)o->value = i;
			return 0;
		}
	}
	return option_refuse(o, arg,
			     "accesses, reads, writes, objects, bytes, live or live-bytes");
}

static int run(int argc, char **argv)
{
	struct fold f = { .format = REPORT_TEXT };
	struct engine g = { .data = &f, .by_context = true };
	const struct option options[] = {
		OPT_BOOLEAN('t', "types", &f.types,
			    "print types instead of caches, and members instead of call sites"),
		OPT_BOOLEAN(0, "stacks", &f.stacks,
			    "print all functions on the stacks of allocations, not call sites"),
		OPT_TAKE('v', "value", &f.value, "VALUE",
			 "accesses (default), reads, writes, objects, bytes, live or live-bytes",
			 option_value),
		OPTS_SYMBOLS(&g.files),
		OPT_CONTEXTS(&g.files),
		OPT_SET_UINT('j', "json", &f.format, "print JSON", REPORT_JSON),
		OPT_SET_UINT('c', "csv", &f.format, "print CSV", REPORT_CSV),
		OPT_HELP(),
		OPT_GROUP("Count only:"),
		/* -t is --types. */
		OPT_KIND_AS(0, &f.filter),
		OPT_SKIP(&f.filter),
		OPTS_FILTER(&f.filter),
		OPTS_NAMED(&f.filter),
		OPT_END()
	};
	const char *input;

	kmem_filter_init(&f.filter);
	argc = options_parse(&command_fold, argc, argv, options, 0);
	input = input_name(argc, argv);
	if (!input) {
		fprintf(stderr,
			"memorizer fold: %d inputs: want one directory, or the parts of one, or a KMAP\n",
			argc);
		return usage_error("fold");
	}
	if (f.filter.field && f.value >= OBJECTS) {
		fprintf(stderr,
			"memorizer fold: --field %s: no allocation is of a member: want --value accesses, reads or writes\n",
			f.filter.field);
		return usage_error("fold");
	}
	return fold(&g, input);
}

const struct command command_fold = {
	.name = "fold",
	.summary = "print folded stacks for flame graphs",
	.usage = usage,
	.run = run,
};
