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

/**
 * cachelines_free - free the lines
 * @c: the lines
 */
void cachelines_free(struct cachelines *c)
{
	u32 i;

	for (i = 0; i < c->lines.nr; i++)
		cacheline_free(&((struct numbered *)hash_item(&c->lines, i))->line);
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

static void touch(struct cachelines *c, u64 key, const struct toucher *t, bool told,
		  struct moved *moved)
{
	struct numbered *numbered;
	bool new;

	numbered = hash_item(&c->lines, hash_get(&c->lines, &key, &new));
	cacheline_touch(&numbered->line, c->alone, ++c->order, t, told, moved);
}

/**
 * cachelines_touch - update the lines for an access
 * @c: the lines
 * @line: number of the line
 * @toucher: the access
 * @moved: set to the effect of the access
 */
void cachelines_touch(struct cachelines *c, u64 line, const struct toucher *toucher,
		      struct moved *moved)
{
	touch(c, line, toucher, false, moved);
}

/**
 * cachelines_move - update the lines for an access that is known to have moved one
 * @c: the lines, updated with such accesses only
 * @line: number of the line
 * @toucher: the access
 * @moved: set to the effect of the access
 */
void cachelines_move(struct cachelines *c, u64 line, const struct toucher *toucher,
		     struct moved *moved)
{
	touch(c, line, toucher, true, moved);
}

/**
 * cachelines_prefetch - prefetch the state that an access needs
 * @c: the lines
 * @line: number of the line
 */
void cachelines_prefetch(const struct cachelines *c, u64 line)
{
	hash_prefetch(&c->lines, &line);
}
