// SPDX-License-Identifier: GPL-2.0
/*
 * Tracks which accesses of a trace move a cache line, by the rule in lib/line-moves.h.
 *
 * A line records the last access of each CPU, and the last accesses to each range of bytes. An
 * access is dropped when a later one covers its bytes and conflicts with everything it
 * conflicts with: any CPU that would report the earlier access has not accessed the line
 * since, and reports the later one instead. So the number of CPUs and of ranges in a line
 * bounds the size of its record.
 */
#include <stdlib.h>
#include <string.h>

#include "kmap/kmap.h"
#include "lib/line-moves.h"
#include "report/cachelines.h"

#define LEAST	4u		/* minimum size of an array */

/* The last access of a CPU to a line. */
struct visit {
	u64 order;
	u32 cpu;
};

/* A line and its number. */
struct numbered {
	u64 key;
	struct cacheline line;
};

/**
 * cachelines_init - initialize the lines; all CPUs hold all lines
 * @c: the lines
 * @alone: there is only one CPU
 */
void cachelines_init(struct cachelines *c, bool alone)
{
	c->alone = alone;
	c->order = 0;
	hash_init(&c->lines, sizeof(struct numbered), sizeof(u64));
}

static struct cacheline *get_line(const struct cachelines *c, u32 nr)
{
	return &((struct numbered *)hash_item(&c->lines, nr))->line;
}

/**
 * cachelines_free - free the lines
 * @c: the lines
 */
void cachelines_free(struct cachelines *c)
{
	u32 i;

	for (i = 0; i < c->lines.nr; i++)
		cacheline_free(get_line(c, i));
	hash_free(&c->lines);
}

/* Grow an array with @nr items if @nr is 0, or a power of two of at least LEAST. */
static void *grow(void *array, u32 nr, size_t size)
{
	bool full = !nr || (nr >= LEAST && !(nr & (nr - 1)));

	return full ? xreallocarray(array, nr ? 2 * (size_t)nr : LEAST, size) : array;
}

/* Look up or add the visit of a CPU. */
static struct visit *get_visit(struct cacheline *line, u32 cpu)
{
	u32 i;

	for (i = 0; i < line->nr_visits; i++)
		if (line->visits[i].cpu == cpu)
			return line->visits + i;
	line->visits = grow(line->visits, line->nr_visits, sizeof(*line->visits));
	line->visits[i] = (struct visit){ .cpu = cpu };
	line->nr_visits++;
	return line->visits + i;
}

/* Returns true if other CPUs hold the line: once it was taken, those that accessed it later. */
static bool others_hold(bool alone, const struct cacheline *line, u32 cpu)
{
	u32 i;

	/* No CPU has taken it yet, so all of them hold it. */
	if (!line->taken)
		return !alone;
	for (i = 0; i < line->nr_visits; i++)
		if (line->visits[i].cpu != cpu && line->visits[i].order >= line->taken)
			return true;
	return false;
}

static bool is_move(bool alone, const struct cacheline *line, const struct toucher *t, u64 last)
{
	/* This CPU holds the line if it has accessed it since it was taken. */
	return line_moves(last >= line->taken, t->writes && others_hold(alone, line, t->cpu),
			  t->writes);
}

static bool overlap(const struct toucher *a, const struct toucher *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* Find the access that caused the move, after this CPU's access @last. */
static void find_before(const struct cacheline *line, const struct toucher *t, u64 last,
			struct moved *moved)
{
	const struct toucher *other, *best = NULL;
	bool same;
	u32 i;

	for (i = 0; i < line->nr_touchers; i++) {
		other = line->touchers + i;
		/* Two reads do not conflict. At @last, this CPU had the line: it moved later. */
		if (other->cpu == t->cpu || other->order <= last || !(t->writes || other->writes))
			continue;
		same = overlap(t, other);
		/* Prefer an access to the same bytes, then the latest one. */
		if (best && (same < moved->same ||
			     (same == moved->same && other->order < best->order)))
			continue;
		best = other;
		moved->same = same;
	}
	moved->by_other = best;
	if (best)
		moved->before = *best;
}

static bool is_covered(const struct toucher *old, const struct toucher *by)
{
	return old->first >= by->first && old->last <= by->last && (by->writes || !old->writes);
}

static void keep(struct cacheline *line, const struct toucher *t, u64 order)
{
	u32 i, kept = 0;

	for (i = 0; i < line->nr_touchers; i++)
		if (!is_covered(line->touchers + i, t))
			line->touchers[kept++] = line->touchers[i];
	if (kept == line->nr_touchers)
		line->touchers = grow(line->touchers, kept, sizeof(*line->touchers));
	line->touchers[kept] = *t;
	line->touchers[kept].order = order;
	line->nr_touchers = kept + 1;
}

/**
 * cacheline_touch - update a line for an access
 * @line: the line
 * @alone: there is only one CPU
 * @order: number of the access, greater than that of any earlier access to the line
 * @t: the access
 * @told: the access is known to have moved the line
 * @moved: set to the effect of the access
 */
void cacheline_touch(struct cacheline *line, bool alone, u64 order, const struct toucher *t,
		     bool told, struct moved *moved)
{
	struct visit *visit = get_visit(line, t->cpu);

	*moved = (struct moved){ .moves = told || is_move(alone, line, t, visit->order),
				   .from = line->writer - 1 };
	if (moved->moves) {
		find_before(line, t, visit->order, moved);
		/* A load of what another CPU changed after this CPU's last access. */
		moved->hitm = t->reads && line->changed && visit->order < line->taken;
		if (t->writes)
			line->taken = order;
		line->changed = t->writes;
	}
	if (t->writes)
		line->writer = t->cpu + 1;
	visit->order = order;
	keep(line, t, order);
}

/**
 * cacheline_forget - reset a line: all CPUs hold it
 * @line: the line
 */
void cacheline_forget(struct cacheline *line)
{
	line->taken = 0;
	line->changed = false;
	line->writer = 0;
	line->nr_visits = 0;
	line->nr_touchers = 0;
}

/**
 * cacheline_free - free a line
 * @line: the line
 */
void cacheline_free(struct cacheline *line)
{
	free(line->visits);
	free(line->touchers);
}

/**
 * cachelines_get - look up or add a line, and prefetch what an access to it needs
 * @c: the lines
 * @number: the line's address divided by the line size
 *
 * Return: index of the line, from 0 in the order of their first accesses.
 */
u32 cachelines_get(struct cachelines *c, u64 number)
{
	bool new;
	u32 nr = hash_get(&c->lines, &number, &new);
	const struct cacheline *line = get_line(c, nr);

	__builtin_prefetch(line->visits);
	__builtin_prefetch(line->touchers);
	return nr;
}

/**
 * cachelines_touch - update a line for an access
 * @c: the lines
 * @nr: the line, from cachelines_get()
 * @toucher: the access
 * @told: the access is known to have moved the line
 * @moved: set to the effect of the access
 */
void cachelines_touch(struct cachelines *c, u32 nr, const struct toucher *toucher, bool told,
		      struct moved *moved)
{
	cacheline_touch(get_line(c, nr), c->alone, ++c->order, toucher, told, moved);
}

/**
 * cachelines_prefetch - prefetch what cachelines_get() needs
 * @c: the lines
 * @number: as for cachelines_get()
 */
void cachelines_prefetch(const struct cachelines *c, u64 number)
{
	hash_prefetch(&c->lines, &number);
}
