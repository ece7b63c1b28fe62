// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer false-sharing: counts moves of cache lines between CPUs that access different bytes,
 * and predicts them for longer lines and for other offsets of objects in a line.
 */
#include <stdlib.h>
#include <string.h>

#include "report/pairs.h"

static const char * const usage[] = {
	"memorizer false-sharing [OPTION...] DIR",
	"",
	"Prints for each kind of object how often its cache lines move because of accesses to",
	"the same bytes (true sharing) or to other bytes (false sharing), and for false sharing",
	"which code moves them. If the trace has all accesses, also predicts the moves for",
	"lines of twice the size, and for objects at other offsets in a line.",
	NULL
};

#define GRANULARITY	16

enum sum {
	MOVES, TRUE, FALSE, REUSED,
	OTHERS,			/* false sharing with another object */
	LONGER,			/* with lines of twice the size */
	BEST, BEST_OFFSET,	/* minimum over the offsets, and its offset */
	WORST, WORST_OFFSET,
	SUMS
};

/* Sums of a kind of object. */
struct group {
	u64 kind;
	u64 sum[SUMS];
	u64 *at;		/* false sharing with objects at each offset */
};

/* A line relative to the start of objects of a base. */
struct virtual_line {
	u64 base, nr;
};

/* The same line with objects at an offset, and the object that it belongs to now. */
struct shifted_line {
	u64 object;
	struct cacheline line;
};

/**
 * struct false_sharing - state of the analysis
 * @a: the analysis
 * @granularity: distance of the offsets in bytes; 0: no prediction for offsets
 * @groups: struct group by kind
 * @pairs: see pairs.h
 * @longer: lines of twice the size
 * @virtual: struct virtual_line
 * @shifted: lines of objects at each offset, for each of @virtual
 * @room: number of @virtual that @shifted has room for
 * @order: order of the last access to any of @shifted
 * @recent: numbers of the last used @virtual, by their last bit
 * @nr: number of offsets
 * @total: totals of all kinds
 * @pair_total: totals of all pairs
 */
struct false_sharing {
	struct analysis a;
	u32 granularity, nr, room, recent[2];
	struct hash groups, pairs, virtual;
	struct cachelines longer;
	struct shifted_line *shifted;
	u64 order;
	u64 total[SUMS], pair_total[PAIR_SUMS];
};

static void init(struct analysis *a)
{
	struct false_sharing *f = (struct false_sharing *)a;

	f->nr = f->granularity ? (a->line_size + f->granularity - 1) / f->granularity : 0;
	hash_init(&f->groups, sizeof(struct group), sizeof(u64));
	pairs_init(&f->pairs);
	cachelines_init(&f->longer, a->lines.alone);
	hash_init(&f->virtual, sizeof(struct virtual_line), sizeof(struct virtual_line));
	f->shifted = NULL;
	f->room = 0;
	f->order = 0;
	memset(f->recent, 0, sizeof(f->recent));
	memset(f->total, 0, sizeof(f->total));
	memset(f->pair_total, 0, sizeof(f->pair_total));
}

static void release(struct analysis *a)
{
	struct false_sharing *f = (struct false_sharing *)a;
	size_t i;

	for (i = 0; i < f->groups.nr; i++)
		free(((struct group *)hash_item(&f->groups, i))->at);
	for (i = 0; i < (size_t)f->virtual.nr * f->nr; i++)
		cacheline_free(&f->shifted[i].line);
	free(f->shifted);
	hash_free(&f->virtual);
	cachelines_free(&f->longer);
	hash_free(&f->groups);
	hash_free(&f->pairs);
}

static struct group *get_group(struct false_sharing *f, u64 kind)
{
	struct group *group;
	bool new;

	group = hash_item(&f->groups, hash_get(&f->groups, &kind, &new));
	if (!new)
		return group;
	group->at = xreallocarray(NULL, f->nr + 1, sizeof(*group->at));
	memset(group->at, 0, (f->nr + 1) * sizeof(*group->at));
	return group;
}

static bool overlap(u64 a, u64 a_size, u64 b, u64 b_size)
{
	return a < b + b_size && b < a + a_size;
}

/* Was the previous object at another address, not an earlier one at the same address? */
static bool is_neighbour(const struct analysis *a, const struct touch *t)
{
	const struct toucher *before = &t->moved.before;
	u64 offset = analysis_spot(a, before->data)->offset;
	u64 size = before->size ? before->size : before->last - before->first + 1u;

	return before->object != t->place.object &&
	       !overlap(t->line + t->first - t->place.offset,
			t->place.size ? t->place.size : t->last - t->first + 1,
			t->line + before->first - offset, size);
}

static void count(const struct analysis *a, u64 *sum, const struct touch *t)
{
	bool reused = t->moved.before.object != t->place.object;

	sum[MOVES]++;
	sum[TRUE] += t->moved.same && !reused;
	sum[REUSED] += t->moved.same && reused;
	sum[FALSE] += !t->moved.same;
	sum[OTHERS] += !t->moved.same && is_neighbour(a, t);
}

/* Part of an access as a toucher of a line in another layout. */
static struct toucher toucher_of(const struct touch *t, u32 first, u32 last)
{
	return (struct toucher){
		.ip = t->ip, .cpu = t->event->cpu, .first = first, .last = last,
		.reads = t->reads, .writes = t->writes, .object = t->place.object,
	};
}

static bool is_false(const struct moved *moved)
{
	return moved->by_other && !moved->same;
}

/* Add the lines of the last @virtual. */
static void make_lines(struct false_sharing *f)
{
	size_t size = f->nr * sizeof(*f->shifted), last = f->virtual.nr - 1;

	if (f->room < f->virtual.room) {
		f->room = f->virtual.room;
		f->shifted = xreallocarray(f->shifted, f->room, size);
	}
	memset(f->shifted + last * f->nr, 0, size);
}

/* Find the lines of an object at all offsets; an object's accesses mostly hit one or two lines. */
static struct shifted_line *shifted_lines(struct false_sharing *f, u64 line, const struct touch *t)
{
	struct virtual_line key = { t->ptr - t->place.offset, line }, *last;
	u32 *recent = f->recent + line % 2;
	bool new = false;

	last = hash_item(&f->virtual, *recent);
	if (!f->virtual.nr || last->base != key.base || last->nr != key.nr)
		*recent = hash_get(&f->virtual, &key, &new);
	if (new)
		make_lines(f);
	return f->shifted + (size_t)*recent * f->nr;
}

/* Apply part of an access to a line at an offset; drops the state of a previous object. */
static bool touch_shifted(struct false_sharing *f, struct shifted_line *shifted,
			  const struct touch *t, u32 first, u32 last)
{
	struct toucher toucher = toucher_of(t, first, last);
	struct moved moved;

	if (shifted->object != t->place.object)
		cacheline_forget(&shifted->line);
	shifted->object = t->place.object;
	cacheline_touch(&shifted->line, f->longer.alone, ++f->order, &toucher, false, &moved);
	return is_false(&moved);
}

/* Apply an access with objects at an offset; returns the number of false sharing moves. */
static u32 touch_offset(struct false_sharing *f, const struct touch *t, u32 nr)
{
	u64 first = (u64)nr * f->granularity + t->place.offset, last = first + t->size - 1, end;
	u32 size = f->a.line_size, found = 0;

	for (; first <= last; first = end + 1) {
		end = first | (size - 1);
		if (end > last)
			end = last;
		found += touch_shifted(f, shifted_lines(f, first / size, t) + nr, t,
				       first % size, end % size);
	}
	return found;
}

/* Prefetch the lines at all offsets together: they are scattered in memory. */
static void prefetch_offsets(struct false_sharing *f, const struct touch *t)
{
	const struct shifted_line *shifted;
	u32 i;

	for (i = 0; i < f->nr; i++) {
		shifted = shifted_lines(f, ((u64)i * f->granularity + t->place.offset) /
					f->a.line_size, t) + i;
		__builtin_prefetch(shifted->line.visits);
		__builtin_prefetch(shifted->line.touchers);
	}
}

/* Apply an access to lines of twice the size. */
static u32 touch_longer(struct false_sharing *f, const struct touch *t)
{
	u64 first = t->ptr, last = t->ptr + t->size - 1, end;
	u32 size = 2 * f->a.line_size, found = 0, nr;
	struct toucher toucher;
	struct moved moved;

	for (;; first = end + 1) {
		end = first | (size - 1);
		if (end > last)
			end = last;
		toucher = toucher_of(t, first % size, end % size);
		nr = cachelines_get(&f->longer, first / size);
		cachelines_touch(&f->longer, nr, &toucher, false, &moved);
		found += is_false(&moved);
		if (end == last)
			return found;
	}
}

/* Apply an access to all other layouts, once for all lines that it spans. */
static void touch_others(struct false_sharing *f, const struct touch *t)
{
	struct group *group = get_group(f, t->place.kind);
	u32 found = touch_longer(f, t), i;

	if (t->chosen) {
		group->sum[LONGER] += found;
		f->total[LONGER] += found;
	}
	if (t->place.object)
		prefetch_offsets(f, t);
	for (i = 0; i < f->nr && t->place.object; i++) {
		found = touch_offset(f, t, i);
		if (t->chosen)
			group->at[i] += found;
	}
}

static void touch(struct analysis *a, const struct touch *t)
{
	struct false_sharing *f = (struct false_sharing *)a;

	/* Only with the first part of an access: touch_others() handles all of it. */
	if (f->granularity && t->event->type == TRACE_ACCESS && t->ptr >= t->line)
		touch_others(f, t);
	if (!t->chosen || !pairs_count(&f->pairs, t, f->pair_total))
		return;
	count(a, get_group(f, t->place.kind)->sum, t);
	count(a, f->total, t);
}

/* Find the best offset for objects of a kind. */
static void choose_offsets(const struct false_sharing *f, struct group *group)
{
	u32 i, best = 0, worst = 0;

	for (i = 1; i < f->nr; i++) {
		if (group->at[i] < group->at[best])
			best = i;
		if (group->at[i] > group->at[worst])
			worst = i;
	}
	group->sum[BEST] = group->at[best];
	group->sum[BEST_OFFSET] = best * f->granularity;
	group->sum[WORST] = group->at[worst];
	group->sum[WORST_OFFSET] = worst * f->granularity;
}

static void print_groups(struct false_sharing *f, struct table t, enum sum sort,
			 const enum sum has[3])
{
	struct group *group;
	struct row *row;
	u32 i;

	t.rows = xreallocarray(NULL, f->groups.nr + 1, sizeof(*t.rows));
	for (i = 0; i < f->groups.nr; i++) {
		group = hash_item(&f->groups, i);
		if (!group->sum[has[0]] && !group->sum[has[1]] && !group->sum[has[2]])
			continue;
		row = t.rows + t.nr++;
		*row = (struct row){ .name = analysis_object(&f->a, group->kind),
				     .sum = group->sum };
		row->texts[0] = analysis_allocated(&f->a, group->kind);
		row->texts[1] = analysis_type(&f->a, group->kind);
	}
	analysis_table(&f->a, &t, sort);
}

#define OF_OBJECTS	.name_title = "Object", .name_key = "object",	\
			.texts = { { "Allocated by", "site" }, NAMED_TYPE }

static void print(struct analysis *a)
{
	static const struct table moved = {
		.title = "OBJECTS WITH MOVED LINES", .key = "objects", OF_OBJECTS,
		.then = { MOVES, TRUE },
		.columns = {
			{ "False", "false_sharing", FALSE, CELL_NUMBER, 0 },
			{ "of others", "of_others", OTHERS, CELL_NUMBER, 0 },
			{ "True", "true_sharing", TRUE, CELL_NUMBER, 0 },
			{ "Reused", "reused", REUSED, CELL_NUMBER, 0 },
			{ "Moves", "moves", MOVES, CELL_NUMBER, 0 },
		},
	}, predicted = {
		.title = "FALSE SHARING WITH LONGER LINES OR OTHER ALIGNMENT",
		.key = "predicted", OF_OBJECTS, .then = { WORST, FALSE },
		.columns = {
			{ "False", "false_sharing", FALSE, CELL_NUMBER, 0 },
			{ "Longer", "longer", LONGER, CELL_NUMBER, 0 },
			{ "Least", "best", BEST, CELL_NUMBER, 0 },
			{ "at", "best_offset", BEST_OFFSET, CELL_NUMBER, 0 },
			{ "Most", "worst", WORST, CELL_NUMBER, 0 },
			{ "at", "worst_offset", WORST_OFFSET, CELL_NUMBER, 0 },
		},
	};
	struct false_sharing *f = (struct false_sharing *)a;
	u32 i;

	for (i = 0; f->nr && i < f->groups.nr; i++)
		choose_offsets(f, hash_item(&f->groups, i));
	analysis_sum(a, "Lines moved because of a known access", "moves", f->total[MOVES]);
	analysis_sum(a, "  true sharing", "true_sharing", f->total[TRUE]);
	analysis_sum(a, "  false sharing", "false_sharing", f->total[FALSE]);
	analysis_sum(a, "    with another object", "of_others", f->total[OTHERS]);
	analysis_sum(a, "  of what was freed", "reused", f->total[REUSED]);
	/* Traffic events lack the accesses that would move a line in another layout. */
	if (f->granularity && !a->has_traffic)
		analysis_sum(a, "False sharing in lines of twice the size", "longer",
			     f->total[LONGER]);
	print_groups(f, moved, FALSE, (const enum sum[]){ MOVES, MOVES, MOVES });
	pairs_print(a, &f->pairs, "FALSE SHARING, BY PAIR OF ACCESSES", "pairs",
		    PAIR_FALSE);
	if (f->granularity && !a->has_traffic)
		print_groups(f, predicted, LONGER, (const enum sum[]){ FALSE, LONGER, WORST });
}

static int run(int argc, char **argv)
{
	static const struct analysis_ops ops = {
		.command = &command_false_sharing, .sort = "false_sharing", .init = init,
		.release = release,
		.touch = touch, .wanted = { WANTED_TOUCHES },
		.print = print,
	};
	struct false_sharing f = {
		.a = { .ops = &ops, .touches = TOUCH_LINES }, .granularity = GRANULARITY,
	};
	const struct option options[] = {
		OPT_NUMBER('g', "granularity", &f.granularity, "BYTES", 0, 4096,
			   "distance of these offsets (default: 16; 0: no prediction)"),
		OPT_LINE(&f.a),
		OPTS_ANALYSIS(&f.a)
	};

	return analysis_run(&f.a, argc, argv, options);
}

const struct command command_false_sharing = {
	.name = "false-sharing",
	.summary = "separate true from false sharing, and predict false sharing",
	.usage = usage,
	.run = run,
};
