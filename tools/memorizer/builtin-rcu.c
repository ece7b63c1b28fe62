// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer rcu: finds accesses to objects after their removal, when only earlier readers may still
 * use them.
 *
 * An object is passed to kfree_rcu() or call_rcu() when no new reader can find it: only tasks in a
 * read-side section that started before may access it until it is freed. Accesses outside of
 * sections, or in later ones, are errors, except for those of RCU itself.
 *
 * The start of a section may be missing, before the trace or in a loss. A task may therefore be in
 * a section until it enters a system call, or until RCU frees an object that was passed to it
 * since: that ends a grace period, which waits for all earlier sections.
 */
#include <stdio.h>
#include <string.h>

#include "report/analysis.h"

static const char * const usage[] = {
	"memorizer rcu [OPTION...] DIR",
	"",
	"Prints accesses to objects between kfree_rcu() (or similar) and their free that were",
	"made outside of RCU read-side sections, or in a section that began too late to know",
	"the object. The trace needs accesses, allocations, locks and entries, as recorded by",
	"memorizer record with --accesses --locks --entries, of a kernel with lockdep.",
	NULL
};

/* Kinds of accesses. */
enum how { INSIDE, OUTSIDE, LATE, UNCERTAIN, HOWS };

static const char * const how_names[HOWS] = {
	[INSIDE] = "inside", [OUTSIDE] = "outside", [LATE] = "late", [UNCERTAIN] = "uncertain",
};

/* Names of read-side sections, which can be nested. */
static const char * const section_names[] = {
	"rcu_read_lock", "rcu_read_lock_bh", "rcu_read_lock_sched",
};

/* RCU's own accesses to the objects. */
static const char * const own_functions[] = {
	"kvfree_call_rcu*", "kfree_rcu_*", "kvfree_rcu_*", "need_offload_krc*",
};

/**
 * struct reader - a task, or an idle CPU
 * @key: its pid; for idle tasks the CPU, shifted by 32 bits
 * @depth: nesting of open sections whose start was seen
 * @serial: number of the event that opened the outermost one
 * @stretch: stretch of the trace in which @depth is valid, see stretch()
 * @known: no other section is open
 */
struct reader {
	u64 key;
	u64 depth, serial, stretch;
	bool known;
};

/**
 * struct handed - an object that was passed to RCU
 * @object: number of its allocation
 * @serial: number of the event that passed it
 * @ip: return address of the call
 */
struct handed {
	u64 object;
	u64 serial, ip;
};

/**
 * struct pending - memory that RCU will free
 * @ptr: its address
 * @stretch: stretch of the trace in which it was passed; 0: freed
 */
struct pending {
	u64 ptr;
	u64 stretch;
};

enum sum { READS, WRITES, BAD, SUMS };

/* Accesses by an instruction to a spot in objects that a call site passed to RCU. */
struct late {
	u64 spot, ip, freed_by, how;
	u64 sum[SUMS];
};

/**
 * struct rcu - state of the analysis
 * @a: the analysis
 * @all: print all accesses
 * @readers: struct reader
 * @objects: struct handed
 * @pending: struct pending
 * @known: stretch of the trace in which all earlier sections have ended, 0: none yet
 * @locks: lock events are switched on
 * @switched: number of times that they were switched
 * @rows: struct late
 * @sections: number of sections
 * @stray: number of ends of sections without a start
 * @unknown: number of unknown objects that were passed to RCU
 * @own: number of accesses by RCU itself
 * @sum: number of accesses by kind
 */
struct rcu {
	struct analysis a;
	bool all;
	struct hash readers, objects, pending, rows;
	u64 known, switched, sections, stray, unknown, own, sum[HOWS];
	bool locks;
};

static void init(struct analysis *a)
{
	struct rcu *r = (struct rcu *)a;

	hash_init(&r->readers, sizeof(struct reader), sizeof(u64));
	hash_init(&r->objects, sizeof(struct handed), sizeof(u64));
	hash_init(&r->pending, sizeof(struct pending), sizeof(u64));
	hash_init(&r->rows, sizeof(struct late), offsetof(struct late, sum));
}

static void release(struct analysis *a)
{
	struct rcu *r = (struct rcu *)a;

	hash_free(&r->readers);
	hash_free(&r->objects);
	hash_free(&r->pending);
	hash_free(&r->rows);
}

/* Stretch of the trace without losses or switches, in which no start of a section is missing. */
static u64 stretch(const struct rcu *r, const struct trace_event *e)
{
	return r->switched << 32 | e->period;
}

/* All idle tasks have pid 0. State from another stretch is invalid. */
static struct reader *get_reader(struct rcu *r, const struct trace_event *e, u32 pid)
{
	u64 key = pid ? pid : ((u64)e->cpu + 1) << 32;
	struct reader *reader;
	bool new;

	reader = hash_item(&r->readers, hash_get(&r->readers, &key, &new));
	if (reader->stretch != stretch(r, e))
		*reader = (struct reader){ .key = key, .stretch = stretch(r, e) };
	return reader;
}

static bool is_section(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(section_names); i++)
		if (!strcmp(name, section_names[i]))
			return true;
	return false;
}

static void section(struct rcu *r, const struct trace_event *e)
{
	struct reader *reader = get_reader(r, e, e->u.lock.pid);

	/* A section does not wait, so it begins without acquire. */
	if (e->u.lock.op == TRACE_ACQUIRED) {
		r->sections++;
		if (!reader->depth++)
			reader->serial = e->nr;
	} else if (e->u.lock.op == TRACE_RELEASE && reader->depth) {
		reader->depth--;
	} else if (e->u.lock.op == TRACE_RELEASE) {
		r->stray++;
	}
}

/* A task that enters the kernel is in no section. */
static void enter(struct rcu *r, const struct trace_event *e)
{
	struct reader *reader = get_reader(r, e, e->u.entry.pid);

	/* An interrupt or exception may occur within a section. */
	if (e->u.entry.kind != TRACE_SYSCALL)
		return;
	reader->depth = 0;
	reader->known = true;
}

static void hand(struct rcu *r, const struct trace_event *e)
{
	struct place place = analysis_place(&r->a, e->u.rcu_free.ptr);
	struct handed *handed;
	struct pending *pending;
	bool new;

	pending = hash_item(&r->pending, hash_get(&r->pending, &e->u.rcu_free.ptr, &new));
	pending->stretch = stretch(r, e);
	if (!place.object) {
		r->unknown++;
		return;
	}
	handed = hash_item(&r->objects, hash_get(&r->objects, &place.object, &new));
	handed->serial = e->nr;
	handed->ip = e->u.rcu_free.ip;
}

/* A grace period has ended: all sections that were open at its start have ended. */
static void take_free(struct rcu *r, const struct trace_event *e)
{
	struct pending *pending;
	u32 i;

	if (!hash_find(&r->pending, &e->u.free.ptr, &i))
		return;
	pending = hash_item(&r->pending, i);
	/* A grace period that began in an earlier stretch proves nothing for this one. */
	if (pending->stretch == stretch(r, e))
		r->known = pending->stretch;
	pending->stretch = 0;
}

static void take_switch(struct rcu *r, const struct trace_event *e)
{
	r->switched += e->u.switches.locks && !r->locks;
	r->locks = e->u.switches.locks;
}

static void event(struct analysis *a, const struct trace_event *e)
{
	struct rcu *r = (struct rcu *)a;

	if (e->type == TRACE_LOCK && is_section(e->u.lock.name))
		section(r, e);
	else if (e->type == TRACE_ENTER)
		enter(r, e);
	else if (e->type == TRACE_RCU_FREE)
		hand(r, e);
	else if (e->type == TRACE_FREE)
		take_free(r, e);
	else if (e->type == TRACE_SWITCH)
		take_switch(r, e);
}

static bool is_own(const struct rcu *r, u64 ip)
{
	char name[KMAP_SYMBOL_MAX];
	size_t i;

	analysis_ip(&r->a, ip, KMAP_IP_EXACT, name);
	for (i = 0; i < ARRAY_SIZE(own_functions); i++)
		if (kmem_filter_matches(own_functions[i], name))
			return true;
	return false;
}

static enum how find_how(struct rcu *r, const struct touch *t, const struct handed *handed)
{
	const struct reader *reader = get_reader(r, t->event, t->pid);

	/* The section began before the object was passed, so it may know the object. */
	if (reader->depth && reader->serial < handed->serial)
		return INSIDE;
	/* A section that began unseen may still be open. */
	if (!reader->known && r->known != reader->stretch)
		return UNCERTAIN;
	return reader->depth ? LATE : OUTSIDE;
}

static void touch(struct analysis *a, const struct touch *t)
{
	struct rcu *r = (struct rcu *)a;
	const struct handed *handed;
	struct late key, *late;
	enum how how;
	bool new;
	u32 i;

	if (!t->chosen || !t->place.object || !hash_find(&r->objects, &t->place.object, &i))
		return;
	if (is_own(r, t->ip)) {
		r->own++;
		return;
	}
	handed = hash_item(&r->objects, i);
	how = find_how(r, t, handed);
	r->sum[how]++;
	key = (struct late){ t->spot, t->ip, handed->ip, how, { 0 } };
	late = hash_item(&r->rows, hash_get(&r->rows, &key, &new));
	late->sum[READS] += t->reads;
	late->sum[WRITES] += t->writes;
	late->sum[BAD] += how == OUTSIDE || how == LATE;
}

static void print_rows(struct rcu *r)
{
	struct table t = {
		.title = "ACCESSES TO MEMORY THAT RCU WILL FREE", .key = "accesses",
		.name_title = "Object", .name_key = "object",
		.texts = { { "Allocated by", "site" }, { "Handed to RCU by", "freed_by" },
			   { "Code", "code" }, { "Section", "section" }, NAMED_TYPE,
			   NAMED_FIELD },
		.then = { WRITES, READS },
		.columns = {
			{ "Reads", "reads", READS, CELL_NUMBER, 0 },
			{ "Writes", "writes", WRITES, CELL_NUMBER, 0 },
		},
	};
	char text[KMAP_SYMBOL_MAX];
	struct late *late;
	struct row *row;
	u32 i, kind;

	t.rows = xreallocarray(NULL, r->rows.nr + 1, sizeof(*t.rows));
	for (i = 0; i < r->rows.nr; i++) {
		late = hash_item(&r->rows, i);
		if (late->how == INSIDE && !r->all)
			continue;
		row = t.rows + t.nr++;
		*row = (struct row){ .name = analysis_where(&r->a, late->spot),
				     .sum = late->sum };
		kind = analysis_spot(&r->a, late->spot)->kind;
		row->texts[0] = analysis_allocated(&r->a, kind);
		analysis_ip(&r->a, late->freed_by, KMAP_IP_RETURN, text);
		row->texts[1] = table_text(text);
		row->texts[2] = analysis_code(&r->a, late->ip);
		row->texts[3] = table_text(how_names[late->how]);
		analysis_name(&r->a, row->texts + 4, analysis_spot(&r->a, late->spot)->name);
	}
	analysis_table(&r->a, &t, BAD);
}

static bool is_usable(struct analysis *a, const char *dir)
{
	const struct rcu *r = (struct rcu *)a;

	if (r->sections || !r->objects.nr)
		return true;
	fprintf(stderr,
		"memorizer: %s: no read-side sections of RCU: want record --locks, and a kernel with lockdep\n",
		dir);
	return false;
}

static void print(struct analysis *a)
{
	struct rcu *r = (struct rcu *)a;

	analysis_sum(a, "Read-side sections", "sections", r->sections);
	analysis_sum(a, "  that began before the trace", "stray", r->stray);
	analysis_sum(a, "Objects that were handed to RCU", "handed", r->objects.nr);
	analysis_sum(a, "Memory that was, and is no known object", "unknown", r->unknown);
	analysis_sum(a, "Accesses to these objects by RCU itself", "own", r->own);
	analysis_sum(a, "Others, in a section that may know it", "inside", r->sum[INSIDE]);
	analysis_sum(a, "  outside of sections", "outside", r->sum[OUTSIDE]);
	analysis_sum(a, "  in a section that began later", "late", r->sum[LATE]);
	analysis_sum(a, "  of which that is not known", "uncertain", r->sum[UNCERTAIN]);
	print_rows(r);
}

static int run(int argc, char **argv)
{
	static const struct analysis_ops ops = {
		.command = &command_rcu, .sort = "bad",
		.init = init, .release = release, .event = event,
		.touch = touch, .usable = is_usable, .print = print,
	};
	struct rcu r = { .a = { .ops = &ops, .touches = TOUCH_ACCESSES } };
	const struct option options[] = {
		OPT_BOOLEAN('a', "all", &r.all, "also print correct accesses"),
		OPTS_ANALYSIS(&r.a)
	};

	return analysis_run(&r.a, argc, argv, options);
}

const struct command command_rcu = {
	.name = "rcu",
	.summary = "find accesses to objects that were handed to RCU",
	.usage = usage,
	.run = run,
};
