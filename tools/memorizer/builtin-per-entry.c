// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer per-entry: counts moves of cache lines by kernel entry (system call, interrupt), marked
 * scope and phase; or the accesses of each instruction there.
 */
#include <string.h>

#include "report/analysis.h"
#include "trace/entries.h"

static const char * const usage[] = {
	"memorizer per-entry [OPTION...] DIR",
	"",
	"Prints for each system call, interrupt and other kernel entry how often it occurred,",
	"and how many different cache lines moved in it, in total and on average; the same for",
	"marked scopes and phases. An access belongs to the innermost entry of its CPU, or else",
	"to the system call of its task.",
	NULL
};

enum sum { CALLS, MOVES, DISTINCT, AVERAGE, READS, WRITES, SUMS };

#define NO_KIND		U32_MAX		/* outside of any entry or scope */

/* Entries of a kind and number; scopes and phases have only a number. */
struct group {
	u64 key;
	u64 sum[SUMS];
};

/* A line that moved in the current user of a slot, or in a phase, and when it last did. */
struct seen {
	u64 slot, line;
	u64 serial;
};

/* Accesses of an instruction in entries of a kind, with the name of what is accessed. */
struct user {
	u64 key, ip, name;
	u64 sum[SUMS];
};

/**
 * struct per_entry - state of the analysis
 * @a: the analysis
 * @entries: struct group by kind and number
 * @scopes: likewise, of scopes
 * @phases: likewise, of phases
 * @seen: struct seen
 * @users: struct user
 * @total: totals
 */
struct per_entry {
	struct analysis a;
	struct hash entries, scopes, phases, seen, users;
	u64 total[SUMS];
};

static void init(struct analysis *a)
{
	struct per_entry *p = (struct per_entry *)a;

	hash_init(&p->entries, sizeof(struct group), sizeof(u64));
	hash_init(&p->scopes, sizeof(struct group), sizeof(u64));
	hash_init(&p->phases, sizeof(struct group), sizeof(u64));
	hash_init(&p->seen, sizeof(struct seen), 2 * sizeof(u64));
	hash_init(&p->users, sizeof(struct user), offsetof(struct user, sum));
	memset(p->total, 0, sizeof(p->total));
}

static void release(struct analysis *a)
{
	struct per_entry *p = (struct per_entry *)a;

	hash_free(&p->entries);
	hash_free(&p->scopes);
	hash_free(&p->phases);
	hash_free(&p->seen);
	hash_free(&p->users);
}

static void forget_moves(struct hash *groups)
{
	u64 *sum;
	u32 i;

	for (i = 0; i < groups->nr; i++) {
		sum = ((struct group *)hash_item(groups, i))->sum;
		sum[MOVES] = 0;
		sum[DISTINCT] = 0;
	}
}

/* Drop moves that were derived from accesses; the counts of entries remain valid. */
static void forget(struct analysis *a)
{
	struct per_entry *p = (struct per_entry *)a;

	forget_moves(&p->entries);
	forget_moves(&p->scopes);
	forget_moves(&p->phases);
	hash_free(&p->seen);
	hash_init(&p->seen, sizeof(struct seen), 2 * sizeof(u64));
	memset(p->total, 0, sizeof(p->total));
}

static u64 key_of(const struct opened *o)
{
	return o ? (u64)o->kind << 32 | o->number : (u64)NO_KIND << 32;
}

static u64 *sums_of(struct hash *groups, u64 key)
{
	bool new;

	return ((struct group *)hash_item(groups, hash_get(groups, &key, &new)))->sum;
}

static void opened(struct analysis *a, const struct trace_event *e, const struct opened *o)
{
	struct per_entry *p = (struct per_entry *)a;

	sums_of(e->type == TRACE_ENTER ? &p->entries : &p->scopes, key_of(o))[CALLS]++;
}

/* Is this the first move of the line for the user of the slot? */
static bool is_first(struct per_entry *p, u64 slot, u64 line, u64 serial)
{
	u64 key[2] = { slot, line };
	struct seen *seen;
	bool new;

	seen = hash_item(&p->seen, hash_get(&p->seen, key, &new));
	if (!new && seen->serial == serial)
		return false;
	seen->serial = serial;
	return true;
}

static void count_move(struct per_entry *p, struct hash *groups, const struct opened *o, u64 line)
{
	u64 *sum = sums_of(groups, key_of(o));

	sum[MOVES]++;
	if (o)
		sum[DISTINCT] += is_first(p, o->slot, line, o->serial);
}

static void count_access(struct per_entry *p, const struct touch *t, const struct opened *entry)
{
	struct user key = {
		.key = key_of(entry), .ip = t->ip, .name = analysis_called(&p->a, t),
	}, *user;
	bool new;

	user = hash_item(&p->users, hash_get(&p->users, &key, &new));
	user->sum[READS] += t->reads;
	user->sum[WRITES] += t->writes;
	p->total[READS] += t->reads;
	p->total[WRITES] += t->writes;
}

static void touch(struct analysis *a, const struct touch *t)
{
	struct per_entry *p = (struct per_entry *)a;
	/* Slots of phases are counted down, to differ from those of entries and scopes. */
	const struct opened *entry = context_entry(&a->context, t->event->cpu, t->pid), phase = {
		.serial = 1, .slot = U64_MAX - a->context.phase, .number = a->context.phase,
	};

	if (!t->chosen)
		return;
	if (p->a.touches == TOUCH_ACCESSES) {
		count_access(p, t, entry);
		return;
	}
	if (!t->moved.moves)
		return;
	p->total[MOVES]++;
	count_move(p, &p->entries, entry, t->line);
	count_move(p, &p->scopes, context_scope(&a->context, t->event->cpu, t->pid), t->line);
	count_move(p, &p->phases, phase.number ? &phase : NULL, t->line);
}

static char *name_entry(const struct analysis *a, u64 key)
{
	char text[ENTRY_NAME_MAX];

	if (key >> 32 == NO_KIND)
		return table_text("[none]");
	entry_name(trace_env_text(a->trace, "machine"), key >> 32, key, text);
	return table_text(text);
}

static char *name_mark(const struct analysis *a, u64 key)
{
	if (key >> 32 == NO_KIND)
		return table_text("[none]");
	return analysis_text(context_text(&a->context, key));
}

#define MOVED						\
	{ "Moves", "moves", MOVES, CELL_NUMBER, 0 },	\
	{ "Distinct", "distinct", DISTINCT, CELL_NUMBER, 0 }
#define PER_CALL									\
	.then = { MOVES, CALLS },							\
	.columns = {									\
		{ "Calls", "calls", CALLS, CELL_NUMBER, 0 }, MOVED,			\
		{ "Average", "average", AVERAGE, CELL_TENTHS, CALLS },			\
	}

static void print_groups(struct per_entry *p, struct hash *groups, struct table t,
			 char *(*name)(const struct analysis *a, u64 key))
{
	struct group *group;
	u32 i;

	t.rows = xreallocarray(NULL, groups->nr + 1, sizeof(*t.rows));
	for (i = 0; i < groups->nr; i++) {
		group = hash_item(groups, i);
		if (group->sum[CALLS])
			group->sum[AVERAGE] = group->sum[DISTINCT] * 10 / group->sum[CALLS];
		t.rows[t.nr++] = (struct row){ .name = name(&p->a, group->key),
					       .sum = group->sum };
	}
	analysis_table(&p->a, &t, DISTINCT);
}

static void print_users(struct per_entry *p)
{
	struct table t = {
		.title = "ACCESSES BY ENTRY AND INSTRUCTION", .key = "accesses",
		.name_title = "Entry", .name_key = "entry",
		.texts = { { "Code", "code" }, NAMED_TYPE, NAMED_FIELD },
		.then = { READS, WRITES },
		.columns = {
			{ "Reads", "reads", READS, CELL_NUMBER, 0 },
			{ "Writes", "writes", WRITES, CELL_NUMBER, 0 },
		},
	};
	const struct user *user;
	struct row *row;
	u32 i;

	t.rows = xreallocarray(NULL, p->users.nr + 1, sizeof(*t.rows));
	for (i = 0; i < p->users.nr; i++) {
		user = hash_item(&p->users, i);
		row = t.rows + t.nr++;
		*row = (struct row){ .name = name_entry(&p->a, user->key), .sum = user->sum };
		row->texts[0] = analysis_code(&p->a, user->ip);
		analysis_name(&p->a, row->texts + 1, user->name);
	}
	analysis_table(&p->a, &t, READS);
}

static void print(struct analysis *a)
{
	static const struct table entries = {
		.title = "ENTRIES", .key = "entries", .name_title = "Entry",
		.name_key = "entry", PER_CALL,
	}, scopes = {
		.title = "SCOPES", .key = "scopes", .name_title = "Scope", .name_key = "scope",
		PER_CALL,
	}, phases = {
		.title = "PHASES", .key = "phases", .name_title = "Phase", .name_key = "phase",
		.then = { MOVES, MOVES }, .columns = { MOVED },
	};
	struct per_entry *p = (struct per_entry *)a;

	if (p->a.touches == TOUCH_ACCESSES) {
		analysis_sum(a, "Reads", "reads", p->total[READS]);
		analysis_sum(a, "Writes", "writes", p->total[WRITES]);
		print_users(p);
		return;
	}
	analysis_sum(a, "Lines moved", "moves", p->total[MOVES]);
	analysis_sum(a, "Ends whose beginning was not seen", "stray", a->context.stray);
	print_groups(p, &p->entries, entries, name_entry);
	print_groups(p, &p->scopes, scopes, name_mark);
	print_groups(p, &p->phases, phases, name_mark);
}

/* Counting entries needs no accesses. */
static bool is_usable(struct analysis *a, const char *dir)
{
	bool accesses = a->touches == TOUCH_ACCESSES;

	return wanted_check(dir, a->types, WANTED_TOUCHES | (accesses ? 0 : WANTED(ENTER)));
}

static int run(int argc, char **argv)
{
	static const struct analysis_ops ops = {
		.command = &command_per_entry, .sort = "distinct", .init = init, .release = release,
		.forget = forget, .opened = opened, .touch = touch,
		.usable = is_usable, .print = print,
	};
	struct per_entry p = { .a = { .ops = &ops, .touches = TOUCH_LINES } };
	const struct option options[] = {
		OPT_SET_UINT('a', "accesses", &p.a.touches,
			     "count the accesses of each instruction in each entry instead",
			     TOUCH_ACCESSES),
		OPT_LINE(&p.a),
		OPTS_ANALYSIS(&p.a)
	};

	return analysis_run(&p.a, argc, argv, options);
}

const struct command command_per_entry = {
	.name = "per-entry",
	.summary = "count cache line moves by system call, interrupt and scope",
	.usage = usage,
	.run = run,
};
