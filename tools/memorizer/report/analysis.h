/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Common code of the analyses of a trace: options, filters, and the state at each event.
 *
 *	static const struct analysis_ops ops = { .command = &command_..., ... };
 *	struct ... { struct analysis a; ... } it = { .a = { .ops = &ops } };
 *	const struct option options[] = { ..., OPTS_ANALYSIS(&it.a) };
 *	return analysis_run(&it.a, argc, argv, options);
 */
#ifndef ANALYSIS_H
#define ANALYSIS_H

#include "builtin.h"
#include "options.h"
#include "report/cachelines.h"
#include "report/engine.h"
#include "report/head.h"
#include "report/named.h"
#include "report/rows.h"
#include "report/table.h"
#include "symbols/memory.h"
#include "trace/context.h"
#include "trace/names.h"
#include "trace/tracker.h"
#include "trace/wanted.h"

struct analysis;

/**
 * struct place - the object or data at an address
 * @object: number of the event that allocated the object; 0: unknown
 * @kind: number of the kind of object; 0: unknown
 * @offset: offset of the address in the object
 * @size: size of the object in bytes
 */
struct place {
	u64 object;
	u32 kind, offset, size;
};

/**
 * struct touch - an access, or the part of it in one cache line
 * @event: the TRACE_ACCESS or TRACE_TRAFFIC event
 * @ip: the instruction
 * @ptr: address of the first byte
 * @line: address of the cache line
 * @line_nr: index of the line, see cachelines_get()
 * @size: bytes
 * @pid: task
 * @stack: the innermost call, see context_frame(); 0: unknown
 * @first: offset of the first byte in the line
 * @last: offset of the last byte in the line
 * @reads: the access loads
 * @writes: the access stores
 * @named: private: selected by --type and --field
 * @chosen: selected by all filters; other accesses only update the state of the line
 * @place: where the first byte lies
 * @spot: number of the kind of object with offset and name, see analysis_spot()
 * @moved: the effect on the line; in @before, data is the spot and size that of the object
 */
struct touch {
	const struct trace_event *event;
	u64 ip, ptr, line;
	u32 line_nr, size, pid, stack, first, last;
	bool reads, writes, named, chosen;
	struct place place;
	u32 spot;
	struct moved moved;
};

/**
 * struct spot - a place in a kind of object
 * @kind: the kind
 * @offset: in bytes
 * @name: number of the type and member accessed there, see analysis_name()
 * @unused: pads the key of a hash table; 0
 */
struct spot {
	u32 kind, offset, name, unused;
};

/* Which accesses an analysis gets. */
enum touches {
	TOUCH_NONE,
	TOUCH_LINES,	/* by line: those that moved a line according to traffic events, else all */
	TOUCH_ACCESSES,	/* whole accesses */
};

/**
 * struct analysis_ops - an analysis
 * @command: the command
 * @sort: key of the metric that its tables are sorted by without --sort
 * @init: initializes its state
 * @release: frees its state
 * @forget: discards the results of accesses, when traffic events begin; default: @release, @init
 * @event: called for each event, selected or not, after the state is updated
 * @opened: called for each selected event that opens an entry or a scope
 * @touch: called for each access
 * @wanted: masks of event types, see WANTED(): the trace must have one of each; 0: none
 * @usable: checks at the end whether the trace has the required data; returns false after a message
 * @print: prints everything but the head
 *
 * All but the first two may be NULL.
 */
struct analysis_ops {
	const struct command *command;
	const char *sort;
	void (*init)(struct analysis *a);
	void (*release)(struct analysis *a);
	void (*forget)(struct analysis *a);
	void (*event)(struct analysis *a, const struct trace_event *e);
	void (*opened)(struct analysis *a, const struct trace_event *e,
		       const struct opened *opened);
	void (*touch)(struct analysis *a, const struct touch *t);
	u32 wanted[2];
	bool (*usable)(struct analysis *a, const char *dir);
	void (*print)(struct analysis *a);
};

/**
 * struct analysis - a running analysis
 * @ops: the operations; set by the caller, as is @touches, before analysis_run() or by an option
 * @touches: which accesses it gets
 * @line_size: size of a cache line in bytes; 0: that of the trace, else 64
 * @format: output format
 * @order: argument of --sort
 * @top: rows of a table, 0: all
 * @filter: the filters
 * @trace: the trace
 * @symbols: its symbols
 * @names: names of tasks and caches
 * @context: open entries and scopes
 * @lines: state of the cache lines
 * @types: mask of the event types seen
 * @incomplete: the trace has losses; valid when printing
 * @choice: state of the filters
 */
struct analysis {
	const struct analysis_ops *ops;
	enum touches touches;
	u32 line_size;
	enum report_format format;
	struct table_order order;
	u32 top;
	struct kmem_filter filter;
	struct trace *trace;
	struct kmap_symbols *symbols;
	struct names names;
	struct context context;
	struct cachelines lines;
	struct kmem_choice choice;
	u32 types;
	bool incomplete;
	/* private: */
	struct symbol_files files;
	bool top_given, followed, has_traffic;
	struct tracker live;
	struct memory memory;
	struct hash texts, kinds, spots, nodes, memory_kinds, touched, called;
	struct named_filter named_filter;
};

/* The last options of an analysis. */
#define OPTS_ANALYSIS(a)								\
	OPTS_SYMBOLS(&(a)->files),							\
	OPT_INLINES(&(a)->files),							\
	OPT_NUMBER('n', "top", &(a)->top, "N", 0, U32_MAX,				\
		   "rows of each table, 0 for all (default: 20; all with --json and --csv)", \
		   .set = &(a)->top_given),						\
	OPT_TAKE(0, "sort", &(a)->order, "KEY",					\
		 "sort tables by the column with this key in JSON, or by name, type or field", \
		 option_sort),								\
	OPT_SET_UINT('j', "json", &(a)->format, "print JSON", REPORT_JSON),		\
	OPT_SET_UINT('c', "csv", &(a)->format, "print CSV", REPORT_CSV),		\
	OPT_HELP(),									\
	OPT_GROUP("Count only:"),							\
	OPTS_FILTER(&(a)->filter),							\
	OPTS_NAMED(&(a)->filter),							\
	OPT_END()
#define OPT_LINE(a)									\
	OPT_NUMBER('l', "line", &(a)->line_size, "BYTES", 1, 4096,			\
		   "size of a cache line (default: that of the trace, or 64)")

int analysis_run(struct analysis *a, int argc, char **argv, const struct option *options);
struct place analysis_place(struct analysis *a, u64 addr);
const struct spot *analysis_spot(const struct analysis *a, u32 spot);
const char *analysis_kind_name(const struct analysis *a, u32 kind);
u64 analysis_kind_site(const struct analysis *a, u32 kind);
u32 analysis_node(const struct analysis *a, u32 cpu);
void analysis_ip(const struct analysis *a, u64 ip, enum kmap_ip kind, char text[KMAP_SYMBOL_MAX]);
char *analysis_code(const struct analysis *a, u64 ip);
void analysis_code_source(const struct analysis *a, u64 ip, char **code, char **source);
char *analysis_site(const struct analysis *a, u64 ip);
char *analysis_text(const char *text);
char *analysis_object(const struct analysis *a, u32 kind);
char *analysis_where(const struct analysis *a, u32 spot);
char *analysis_allocated(const struct analysis *a, u32 kind);
char *analysis_type(const struct analysis *a, u32 kind);
struct named analysis_named(const struct analysis *a, u32 name);
u32 analysis_called(const struct analysis *a, const struct touch *t);
void analysis_name(const struct analysis *a, char *texts[2], u32 name);
void analysis_table(struct analysis *a, struct table *t, u32 usual);
void analysis_rows(struct analysis *a, struct table *t, const struct row_items *items, u32 usual);
void analysis_sum(const struct analysis *a, const char *label, const char *key, u64 sum);

#endif
