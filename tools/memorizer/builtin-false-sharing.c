// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer false-sharing: cache lines that move although no two CPUs access the same bytes, and
 * objects that would have such lines if lines were longer, or if they began elsewhere in a line.
 */
#include <stdlib.h>
#include <string.h>

#include "pairs.h"

static const char usage[] =
	"Usage: memorizer false-sharing [OPTION...] DIR\n"
	"\n"
	"Prints for each kind of object in the trace in DIR how often its cache lines move, because\n"
	"of accesses to the same bytes (true sharing) or to others (false sharing); and by whom and\n"
	"because of whom if they are others. Of a trace with all accesses also how often they would\n"
	"move so in lines of twice the size, and if objects began at other offsets in a line.\n"
	"\n"
	"  -g, --granularity BYTES\n"
	"                       the distance of these offsets (16; 0: do not tell)\n"
	"  -l, --line BYTES     the size of a line (what the trace says, or 64)\n"
	ANALYSIS_USAGE;

static const struct option options[] = {
	{ "granularity", required_argument, NULL, 'g' },
	{ "line", required_argument, NULL, 'l' },
	ANALYSIS_OPTIONS
};

#define GRANULARITY	16

enum sum {
	MOVES, TRUE, FALSE, REUSED,
	OTHERS,			/* false sharing with another object */
	LONGER,			/* in lines of twice the size */
	BEST, BEST_OFFSET,	/* the fewest of other offsets, and which that is */
	WORST, WORST_OFFSET,
	SUMS
};

/* A kind of object. */
struct group {
	u64 kind;
	u64 sum[SUMS];
	u64 *at;		/* false sharing if objects began at each offset */
};

/* A line of an object, counted from where the object would begin; and whose it is now. */
struct virtual_line {
	u64 base, nr;
	u64 object;
};

/**
 * struct false_sharing - what is counted
 * @a: the analysis
 * @granularity: distance of offsets in bytes, 0: there are none
 * @groups: struct group by kind
 * @pairs: see pairs.h
 * @longer: lines of twice the size
 * @offsets: for each offset, lines of objects that begin there
 * @virtual: for each offset, struct virtual_line, whose number the line has
 * @nr: how many offsets
 * @total: sums over all kinds
 * @pair_total: sums over all pairs
 */
struct false_sharing {
	struct analysis a;
	u32 granularity, nr;
	struct hash groups, pairs, *virtual;
	struct cachelines longer, *offsets;
	u64 total[SUMS], pair_total[PAIR_SUMS];
};

static void init(struct analysis *a)
{
	struct false_sharing *f = (struct false_sharing *)a;
	bool alone = a->lines.alone;
	u32 i;

	f->nr = f->granularity ? (a->line_size + f->granularity - 1) / f->granularity : 0;
	hash_init(&f->groups, sizeof(struct group), sizeof(u64));
	pairs_init(&f->pairs);
	cachelines_init(&f->longer, alone);
	f->offsets = kmap_array(NULL, f->nr + 1, sizeof(*f->offsets));
	f->virtual = kmap_array(NULL, f->nr + 1, sizeof(*f->virtual));
	for (i = 0; i < f->nr; i++) {
		cachelines_init(f->offsets + i, alone);
		hash_init(f->virtual + i, sizeof(struct virtual_line), 2 * sizeof(u64));
	}
	memset(f->total, 0, sizeof(f->total));
	memset(f->pair_total, 0, sizeof(f->pair_total));
}

static void release(struct analysis *a)
{
	struct false_sharing *f = (struct false_sharing *)a;
	u32 i;

	for (i = 0; i < f->groups.nr; i++)
		free(((struct group *)hash_item(&f->groups, i))->at);
	for (i = 0; i < f->nr; i++) {
		cachelines_free(f->offsets + i);
		hash_free(f->virtual + i);
	}
	free(f->offsets);
	free(f->virtual);
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
	group->at = kmap_array(NULL, f->nr + 1, sizeof(*group->at));
	memset(group->at, 0, (f->nr + 1) * sizeof(*group->at));
	return group;
}

static bool overlap(u64 a, u64 a_size, u64 b, u64 b_size)
{
	return a < b + b_size && b < a + a_size;
}

/* Whether the object before was another one at a place of its own, not an earlier one at this. */
static bool is_neighbour(const struct analysis *a, const struct touch *t)
{
	const struct toucher *before = &t->moved.before;
	u64 offset = analysis_spot(a, before->data)->offset;
	u64 size = before->size ? before->size : before->last - before->first + 1;

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

/* What a part of an access makes of a line in another layout; whether that is false sharing. */
static bool is_false(struct cachelines *lines, u64 line, u32 first, u32 last,
		     const struct touch *t)
{
	struct toucher toucher = {
		.ip = t->ip, .cpu = t->event->cpu, .first = first, .last = last,
		.reads = t->reads, .writes = t->writes, .object = t->place.object,
	};
	struct moved moved;

	cachelines_touch(lines, line, &toucher, &moved);
	return moved.by_other && !moved.same;
}

/* The number of a line of an object that begins at an offset; new if another object was there. */
static u32 virtual_line(struct false_sharing *f, u32 nr, u64 line, const struct touch *t)
{
	u64 key[2] = { t->ptr - t->place.offset, line };
	struct virtual_line *virtual;
	bool new;
	u32 i = hash_get(f->virtual + nr, key, &new);

	virtual = hash_item(f->virtual + nr, i);
	if (virtual->object != t->place.object)
		cachelines_forget(f->offsets + nr, i);
	virtual->object = t->place.object;
	return i;
}

/* Accesses to an object if objects of its kind began at an offset; how many were false sharing. */
static u32 touch_offset(struct false_sharing *f, const struct touch *t, u32 nr)
{
	u64 first = (u64)nr * f->granularity + t->place.offset, last = first + t->size - 1, end;
	u32 size = f->a.line_size, found = 0;

	for (; first <= last; first = end + 1) {
		end = first | (size - 1);
		if (end > last)
			end = last;
		found += is_false(f->offsets + nr, virtual_line(f, nr, first / size, t),
				  first % size, end % size, t);
	}
	return found;
}

/* The same in lines of twice the size. */
static u32 touch_longer(struct false_sharing *f, const struct touch *t)
{
	u64 first = t->ptr, last = t->ptr + t->size - 1, end;
	u32 size = 2 * f->a.line_size, found = 0;

	for (;; first = end + 1) {
		end = first | (size - 1);
		if (end > last)
			end = last;
		found += is_false(&f->longer, first / size, first % size, end % size, t);
		if (end == last)
			return found;
	}
}

/* An access, taken once, whatever lines it has parts in. */
static void touch_others(struct false_sharing *f, const struct touch *t)
{
	struct group *group = get_group(f, t->place.kind);
	u32 found = touch_longer(f, t), i;

	if (t->chosen) {
		group->sum[LONGER] += found;
		f->total[LONGER] += found;
	}
	for (i = 0; i < f->nr && t->place.object; i++) {
		found = touch_offset(f, t, i);
		if (t->chosen)
			group->at[i] += found;
	}
}

static void touch(struct analysis *a, const struct touch *t)
{
	struct false_sharing *f = (struct false_sharing *)a;

	if (f->granularity && t->event->type == TRACE_ACCESS && t->ptr >= t->line)
		touch_others(f, t);
	if (!t->chosen || !pairs_count(&f->pairs, t, f->pair_total))
		return;
	count(a, get_group(f, t->place.kind)->sum, t);
	count(a, f->total, t);
}

/* Looks where objects of a kind should begin. */
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

	t.rows = kmap_array(NULL, f->groups.nr + 1, sizeof(*t.rows));
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
		.title = "OBJECTS WHOSE LINES MOVE", .key = "objects", OF_OBJECTS,
		.then = { MOVES, TRUE },
		.columns = {
			{ "False", "false_sharing", FALSE, CELL_NUMBER, 0 },
			{ "of others", "of_others", OTHERS, CELL_NUMBER, 0 },
			{ "True", "true_sharing", TRUE, CELL_NUMBER, 0 },
			{ "Reused", "reused", REUSED, CELL_NUMBER, 0 },
			{ "Moves", "moves", MOVES, CELL_NUMBER, 0 },
		},
	}, predicted = {
		.title = "FALSE SHARING IF LINES WERE LONGER, OR OBJECTS BEGAN ELSEWHERE",
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
	if (f->granularity && !a->told)
		analysis_sum(a, "False sharing in lines of twice the size", "longer",
			     f->total[LONGER]);
	print_groups(f, moved, FALSE, (const enum sum[]){ MOVES, MOVES, MOVES });
	pairs_print(a, &f->pairs, "FALSE SHARING: WHO MOVES WHAT, BECAUSE OF WHOM", "pairs",
		    PAIR_FALSE);
	if (f->granularity && !a->told)
		print_groups(f, predicted, LONGER, (const enum sum[]){ FALSE, LONGER, WORST });
}

static bool set_option(struct analysis *a, int option, const char *arg)
{
	if (option == 'l')
		return analysis_number(a, "--line", arg, 1, 4096, &a->line_size);
	return analysis_number(a, "--granularity", arg, 0, 4096,
			       &((struct false_sharing *)a)->granularity);
}

static int run(int argc, char **argv)
{
	static const struct analysis_ops ops = {
		.command = &command_false_sharing, .shorts = "g:l:", .options = options,
		.sort = "false_sharing", .option = set_option, .init = init, .release = release,
		.touch = touch, .wanted = { WANTED_TOUCHES },
		.print = print,
	};
	struct false_sharing f = {
		.a = { .ops = &ops, .touches = TOUCH_LINES }, .granularity = GRANULARITY,
	};

	return analysis_run(&f.a, argc, argv);
}

const struct command command_false_sharing = {
	.name = "false-sharing",
	.summary = "tell which lines move between CPUs that access different bytes, or might",
	.usage = usage,
	.run = run,
};
