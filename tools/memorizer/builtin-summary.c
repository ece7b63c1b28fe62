// SPDX-License-Identifier: GPL-2.0
/* memorizer summary: counts the events of a trace by type, CPU and task. */
#include <stdlib.h>

#include "report/analysis.h"

static const char * const usage[] = {
	"memorizer summary [OPTION...] DIR",
	"",
	"Prints the number of events of each type in the trace, the activity of each CPU and",
	"task, and the marks.",
	NULL
};

enum sum {
	EVENTS, ALLOCS, FREES, READS, WRITES, MOVED, ENTRIES, LOCKS, LOST, FIRST, LAST, PID,
	ORDER,			/* of marks, descending */
	SUMS
};

/* Sums of a type of event, CPU or task. */
struct group {
	u64 key;
	u64 sum[SUMS];
};

/* A mark. */
struct mark {
	u64 nr, time;
	char *text;
	u64 sum[SUMS];
};

/**
 * struct summary - state of the analysis
 * @a: the analysis
 * @types: struct group by enum trace_type
 * @cpus: struct group by CPU
 * @tasks: struct group by pid
 * @marks: struct mark by number of the event
 * @total: totals
 */
struct summary {
	struct analysis a;
	struct hash types, cpus, tasks, marks;
	u64 total[SUMS];
};

static void init(struct analysis *a)
{
	struct summary *s = (struct summary *)a;

	hash_init(&s->types, sizeof(struct group), sizeof(u64));
	hash_init(&s->cpus, sizeof(struct group), sizeof(u64));
	hash_init(&s->tasks, sizeof(struct group), sizeof(u64));
	hash_init(&s->marks, sizeof(struct mark), sizeof(u64));
}

static void release(struct analysis *a)
{
	struct summary *s = (struct summary *)a;

	u32 i;

	for (i = 0; i < s->marks.nr; i++)
		free(((struct mark *)hash_item(&s->marks, i))->text);
	hash_free(&s->types);
	hash_free(&s->cpus);
	hash_free(&s->tasks);
	hash_free(&s->marks);
}

static void count_sum(u64 *sum, const struct trace_event *e)
{
	u32 kind = e->type == TRACE_ACCESS ? e->u.access.kind : 0;

	if (!sum[EVENTS]++)
		sum[FIRST] = e->time;
	sum[LAST] = e->time;
	sum[ALLOCS] += e->type == TRACE_ALLOC;
	sum[FREES] += e->type == TRACE_FREE;
	sum[READS] += kind == TRACE_READ || kind == TRACE_UPDATE;
	sum[WRITES] += kind == TRACE_WRITE || kind == TRACE_UPDATE;
	sum[MOVED] += e->type == TRACE_TRAFFIC;
	sum[ENTRIES] += e->type == TRACE_ENTER;
	sum[LOCKS] += e->type == TRACE_LOCK;
}

static u64 *sums_of(struct hash *groups, u64 key)
{
	bool new;

	return ((struct group *)hash_item(groups, hash_get(groups, &key, &new)))->sum;
}

static void add_mark(struct summary *s, const struct trace_event *e)
{
	u64 nr = e->nr;
	struct mark *mark;
	bool new;

	mark = hash_item(&s->marks, hash_get(&s->marks, &nr, &new));
	mark->time = e->time;
	mark->text = analysis_text(e->u.mark.text);
	mark->sum[PID] = e->u.mark.pid;
}

static void event(struct analysis *a, const struct trace_event *e)
{
	struct summary *s = (struct summary *)a;

	if (!a->choice.chosen)
		return;
	if (e->type == TRACE_DISCARDED) {
		sums_of(&s->cpus, e->cpu)[LOST] += e->u.discarded.events;
		s->total[LOST] += e->u.discarded.events;
	}
	if (trace_is_pseudo(e->type))
		return;
	count_sum(s->total, e);
	count_sum(sums_of(&s->types, e->type), e);
	count_sum(sums_of(&s->cpus, e->cpu), e);
	if (event_pid(e) != U32_MAX)
		count_sum(sums_of(&s->tasks, event_pid(e)), e);
	if (e->type == TRACE_MARK)
		add_mark(s, e);
}

#define COUNTS							\
	{ "Events", "events", EVENTS, CELL_NUMBER, 0 },		\
	{ "Allocs", "allocs", ALLOCS, CELL_NUMBER, 0 },		\
	{ "Frees", "frees", FREES, CELL_NUMBER, 0 },		\
	{ "Reads", "reads", READS, CELL_NUMBER, 0 },		\
	{ "Writes", "writes", WRITES, CELL_NUMBER, 0 },		\
	{ "Traffic", "traffic", MOVED, CELL_NUMBER, 0 },	\
	{ "Entries", "entries", ENTRIES, CELL_NUMBER, 0 },	\
	{ "Locks", "locks", LOCKS, CELL_NUMBER, 0 }

static char *name_type(const struct summary *s, u64 type)
{
	(void)s;
	return table_text(type == TRACE_UNKNOWN ? "[unknown]" : trace_type_name(type));
}

static char *name_task(const struct summary *s, u64 pid)
{
	return table_text(names_task(&s->a.names, pid));
}

static void print_groups(struct summary *s, const struct hash *groups, struct table t,
			 char *(*name)(const struct summary *s, u64 key))
{
	const struct group *group;
	u32 i;

	t.rows = xreallocarray(NULL, groups->nr + 1, sizeof(*t.rows));
	for (i = 0; i < groups->nr; i++) {
		group = hash_item(groups, i);
		t.rows[t.nr++] = (struct row){ .id = group->key, .sum = group->sum,
					       .name = name ? name(s, group->key) : NULL };
	}
	analysis_table(&s->a, &t, EVENTS);
}

static void print_marks(struct summary *s)
{
	struct table t = {
		.title = "MARKS", .key = "marks", .name_title = "At", .id_key = "time",
		.id_decimal = true, .id_seconds = true, .texts = { { "Text", "text" } },
		.columns = { { "Pid", "pid", PID, CELL_NUMBER, 0 } },
	};
	struct mark *mark;
	u32 i;

	t.rows = xreallocarray(NULL, s->marks.nr + 1, sizeof(*t.rows));
	for (i = 0; i < s->marks.nr; i++) {
		mark = hash_item(&s->marks, i);
		mark->sum[ORDER] = s->marks.nr - i;
		t.rows[t.nr] = (struct row){ .id = mark->time, .sum = mark->sum };
		t.rows[t.nr++].texts[0] = mark->text;
		mark->text = NULL;	/* the table frees it */
	}
	analysis_table(&s->a, &t, ORDER);
}

static void print(struct analysis *a)
{
	static const struct table types = {
		.title = "EVENTS", .key = "types", .name_title = "Event", .name_key = "event",
		.columns = { { "Events", "events", EVENTS, CELL_NUMBER, 0 } },
	}, cpus = {
		.title = "CPUS", .key = "cpus", .name_title = "CPU", .id_key = "cpu",
		.id_decimal = true,
		.columns = { COUNTS, { "Lost", "lost", LOST, CELL_NUMBER, 0 } },
	}, tasks = {
		.title = "TASKS", .key = "tasks", .name_title = "    Pid Comm", .id_key = "pid",
		.id_decimal = true, .name_key = "comm", .columns = { COUNTS },
	};
	struct summary *s = (struct summary *)a;

	analysis_sum(a, "Events", "events", s->total[EVENTS]);
	analysis_sum(a, "  lost", "lost", s->total[LOST]);
	analysis_sum(a, "Ns from the first to the last", "duration",
		     s->total[LAST] - s->total[FIRST]);
	analysis_sum(a, "CPUs", "nr_cpus", s->cpus.nr);
	analysis_sum(a, "Tasks", "nr_tasks", s->tasks.nr);
	analysis_sum(a, "Allocations", "allocs", s->total[ALLOCS]);
	analysis_sum(a, "Frees", "frees", s->total[FREES]);
	analysis_sum(a, "Reads", "reads", s->total[READS]);
	analysis_sum(a, "Writes", "writes", s->total[WRITES]);
	analysis_sum(a, "Lines moved", "traffic", s->total[MOVED]);
	analysis_sum(a, "Entries to the kernel", "entries", s->total[ENTRIES]);
	analysis_sum(a, "Events of locks", "locks", s->total[LOCKS]);
	print_groups(s, &s->types, types, name_type);
	print_groups(s, &s->cpus, cpus, NULL);
	print_groups(s, &s->tasks, tasks, name_task);
	print_marks(s);
}

static int run(int argc, char **argv)
{
	static const struct analysis_ops ops = {
		.command = &command_summary, .sort = "events",
		.init = init, .release = release, .event = event, .print = print,
	};
	struct summary s = { .a = { .ops = &ops } };
	const struct option options[] = {
		OPTS_ANALYSIS(&s.a)
	};

	return analysis_run(&s.a, argc, argv, options);
}

const struct command command_summary = {
	.name = "summary",
	.summary = "count the events of a trace by type, CPU and task",
	.usage = usage,
	.run = run,
};
