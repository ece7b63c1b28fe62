// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer stacks: prints folded call stacks of accesses for flame graphs, weighted by moves of
 * cache lines or by accesses; optionally of one function or instruction.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/texts.h"
#include "report/analysis.h"
#include "symbols/namesakes.h"
#include "trace/entries.h"

#define CALLS_MAX	256	/* maximum depth; outer calls are left out */

static const char * const usage[] = {
	"memorizer stacks [OPTION...] DIR",
	"",
	"Prints folded stacks of accesses for flame graphs, one per line: the command, the",
	"calls from the outermost to the function with the access, separated by semicolons, and",
	"a number. Calls are recorded by the QEMU plugin; without them, the kernel entry is",
	"printed instead if it is known.",
	NULL
};

enum value { MOVES, ACCESSES, READS, WRITES, BYTES, VALUES };

static const char * const value_names[VALUES] = {
	[MOVES] = "moves", [ACCESSES] = "accesses", [READS] = "reads", [WRITES] = "writes",
	[BYTES] = "bytes",
};

/* Accesses by task, stack, instruction and kind of object; field: number of its name. */
struct from {
	u64 comm, stack, entry, ip, kind, field;
	u64 value;
};

/* A stack as it is printed. */
struct folded {
	u32 *frames, nr;
	u64 value;
};

/* Cached result of --at for an instruction, and its name. */
struct code {
	u64 ip;
	bool chosen;
};

/**
 * struct stacks - state of the analysis
 * @a: the analysis
 * @value: the number to print
 * @at: pattern of names of instructions, or NULL
 * @addresses: distinguish calls by address
 * @objects: add the kind of object
 * @fields: add the member
 * @texts: names of commands and frames
 * @from: struct from
 * @code: struct code by ip
 * @total: total of all stacks
 */
struct stacks {
	struct analysis a;
	enum value value;
	const char *at;
	bool addresses, objects, fields;
	struct hash texts, from, code;
	u64 total;
};

static void init(struct analysis *a)
{
	struct stacks *s = (struct stacks *)a;

	texts_init(&s->texts);
	hash_init(&s->from, sizeof(struct from), offsetof(struct from, value));
	hash_init(&s->code, sizeof(struct code), sizeof(u64));
	s->total = 0;
}

static void release(struct analysis *a)
{
	struct stacks *s = (struct stacks *)a;

	hash_free(&s->texts);
	hash_free(&s->from);
	hash_free(&s->code);
}

static u64 value_of(const struct stacks *s, const struct touch *t)
{
	switch (s->value) {
	case MOVES:
		return t->moved.moves;
	case ACCESSES:
		return 1;
	case READS:
		return t->reads;
	case WRITES:
		return t->writes;
	default:
		return t->size;
	}
}

/* Does --at match the instruction's address, function or displayed name? */
static bool is_at(struct stacks *s, u64 ip)
{
	struct code *code;
	bool new;

	if (!s->at)
		return true;
	code = hash_item(&s->code, hash_get(&s->code, &ip, &new));
	if (new)
		code->chosen = kmem_filter_code(s->at, s->a.symbols, ip, KMAP_IP_EXACT);
	return code->chosen;
}

/* Name of what is accessed: TYPE.FIELD, or the known part of it. */
static u32 field_number(struct stacks *s, const struct touch *t)
{
	struct named named = analysis_named(&s->a, analysis_called(&s->a, t));
	char text[2 * TEXTS_MAX];

	if (!named.type)
		return texts_number(&s->texts, NAMES_UNKNOWN);
	snprintf(text, sizeof(text), "%s%s%s", named.type, named.path && !*named.path ? "" : ".",
		 named.path ? named.path : NAMES_UNKNOWN);
	return texts_number(&s->texts, text);
}

static void touch(struct analysis *a, const struct touch *t)
{
	struct stacks *s = (struct stacks *)a;
	const struct opened *entry;
	u64 value = t->chosen ? value_of(s, t) : 0;
	struct from key = { .stack = t->stack, .ip = t->ip };
	struct from *from;
	bool new;

	if (!value || !is_at(s, t->ip))
		return;
	key.comm = texts_number(&s->texts, names_task(&a->names, t->pid));
	entry = t->stack ? NULL : context_entry(&a->context, t->event->cpu, t->pid);
	if (entry)
		key.entry = (u64)entry->kind << 32 | entry->number;
	if (s->objects)
		key.kind = t->place.kind;
	if (s->fields)
		key.field = field_number(s, t);
	from = hash_item(&s->from, hash_get(&s->from, &key, &new));
	from->value += value;
	s->total += value;
}

/* Name of code, with or without the offset in its function. */
static u32 code_number(struct stacks *s, u64 ip)
{
	char text[KMAP_SYMBOL_MAX];

	if (s->addresses)
		analysis_ip(&s->a, ip, KMAP_IP_EXACT, text);
	else
		kmap_symbols_function(s->a.symbols, ip, KMAP_IP_EXACT, text);
	return texts_number(&s->texts, text);
}

/* Collect the calls that led to an access, outermost first; returns their number. */
static u32 fold_calls(struct stacks *s, u32 stack, u32 *frames)
{
	u64 calls[CALLS_MAX], ip;
	u32 nr = 0, i, caller;

	/* The limit also ends a loop in a damaged trace. */
	while (stack && nr < ARRAY_SIZE(calls)) {
		caller = context_frame(&s->a.context, stack, &ip);
		if (caller == U32_MAX)
			break;
		calls[nr++] = ip;
		stack = caller;
	}
	for (i = 0; i < nr; i++)
		frames[i] = code_number(s, calls[nr - 1 - i]);
	return nr;
}

static void fold(struct stacks *s, const struct from *from, struct folded *f)
{
	u32 frames[CALLS_MAX + 5], nr = 0;
	char text[ENTRY_NAME_MAX];

	frames[nr++] = from->comm;
	if (from->entry) {
		entry_name(trace_env_text(s->a.trace, "machine"), from->entry >> 32, from->entry,
			   text);
		frames[nr++] = texts_number(&s->texts, text);
	}
	nr += fold_calls(s, from->stack, frames + nr);
	frames[nr++] = code_number(s, from->ip);
	if (s->objects)
		frames[nr++] = texts_number(&s->texts, analysis_kind_name(&s->a, from->kind));
	if (s->fields)
		frames[nr++] = from->field;
	*f = (struct folded){ .nr = nr, .value = from->value };
	f->frames = memcpy(xreallocarray(NULL, nr, sizeof(*frames)), frames, nr * sizeof(*frames));
}

static int compare(const void *left, const void *right, void *arg)
{
	const struct folded *a = left, *b = right;
	const struct hash *texts = arg;
	int order;
	u32 i;

	for (i = 0; i < a->nr && i < b->nr; i++) {
		if (a->frames[i] == b->frames[i])
			continue;
		order = strcmp(texts_get(texts, a->frames[i]), texts_get(texts, b->frames[i]));
		if (order)
			return order;
	}
	return (a->nr > b->nr) - (a->nr < b->nr);
}

/* A semicolon would end the frame. */
static void print_folded(const struct stacks *s, const struct folded *f)
{
	const char *text;
	u32 i;

	for (i = 0; i < f->nr; i++) {
		if (i)
			putchar(';');
		for (text = texts_get(&s->texts, f->frames[i]); *text; text++)
			printf(*text == ';' ? "\\x3b" : "%c", *text);
	}
	if (s->a.format == REPORT_TEXT)
		printf(" %llu\n", f->value);
}

static void print_stack(const struct stacks *s, const struct folded *f, bool first)
{
	u32 i;

	if (s->a.format == REPORT_TEXT) {
		print_folded(s, f);
		return;
	}
	if (s->a.format == REPORT_CSV) {
		printf("stacks,\"");
		print_folded(s, f);
		printf("\",%llu\n", f->value);
		return;
	}
	printf("%s\n\t\t{\"frames\": [", first ? "" : ",");
	for (i = 0; i < f->nr; i++) {
		printf(i ? ", " : "");
		json_string(texts_get(&s->texts, f->frames[i]));
	}
	printf("], \"value\": %llu}", f->value);
}

static bool is_usable(struct analysis *a, const char *dir)
{
	const struct stacks *s = (struct stacks *)a;

	(void)dir;
	if (!s->fields || kmap_symbols_notes(a->symbols))
		return true;
	fprintf(stderr,
		"memorizer stacks: --fields: types are unknown: want --vmlinux with compiler notes\n");
	return false;
}

static void print(struct analysis *a)
{
	struct stacks *s = (struct stacks *)a;
	struct folded *all = xreallocarray(NULL, s->from.nr + 1, sizeof(*all));
	u32 i, last = 0;

	for (i = 0; i < s->from.nr; i++)
		fold(s, hash_item(&s->from, i), all + i);
	if (s->from.nr)
		qsort_r(all, s->from.nr, sizeof(*all), compare, &s->texts);
	if (a->format == REPORT_JSON)
		printf(",\n\t\"value\": \"%s\",\n\t\"total\": %llu,\n\t\"stacks\": [",
		       value_names[s->value], s->total);
	else if (a->format == REPORT_CSV)
		printf("sum,total,%llu\n\ntable,stack,%s\n", s->total, value_names[s->value]);
	for (i = 1; i <= s->from.nr; i++) {
		/* Different instructions may have the same names. */
		if (i < s->from.nr && !compare(all + last, all + i, &s->texts)) {
			all[last].value += all[i].value;
			continue;
		}
		print_stack(s, all + last, !last);
		last = i;
	}
	if (a->format == REPORT_JSON)
		printf("]");
	for (i = 0; i < s->from.nr; i++)
		free(all[i].frames);
	free(all);
	namesakes_warn(a->symbols, "stacks");
}

static int option_value(const struct option *o, const char *arg, int unset)
{
	struct stacks *s = o->value;
	u32 i;

	(void)unset;
	for (i = 0; i < VALUES; i++) {
		if (strcmp(arg, value_names[i]))
			continue;
		s->value = i;
		s->a.touches = i == MOVES ? TOUCH_LINES : TOUCH_ACCESSES;
		return 0;
	}
	return option_refuse(o, arg, "moves, accesses, reads, writes or bytes");
}

static int run(int argc, char **argv)
{
	static const struct analysis_ops ops = {
		.command = &command_stacks, .sort = "name", .init = init, .release = release,
		.touch = touch, .usable = is_usable, .wanted = { WANTED_TOUCHES },
		.print = print,
	};
	struct stacks s = { .a = { .ops = &ops, .touches = TOUCH_LINES } };
	const struct option options[] = {
		OPT_TAKE('v', "value", &s, "VALUE",
			 "moves (of cache lines, default), accesses, reads, writes or bytes",
			 option_value),
		OPT_STRING('F', "at", &s.at, "NAME",
			   "count accesses by this function or instruction; * and ? match"),
		OPT_BOOLEAN('a', "addresses", &s.addresses,
			    "distinguish calls by their address in a function"),
		OPT_BOOLEAN('o', "objects", &s.objects, "add the kind of object"),
		OPT_BOOLEAN(0, "fields", &s.fields,
			    "add the type and member, by the compiler's notes"),
		OPT_LINE(&s.a),
		OPTS_ANALYSIS(&s.a)
	};

	return analysis_run(&s.a, argc, argv, options);
}

const struct command command_stacks = {
	.name = "stacks",
	.summary = "print folded call stacks of accesses and cache line moves",
	.usage = usage,
	.run = run,
};
