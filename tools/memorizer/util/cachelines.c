// SPDX-License-Identifier: GPL-2.0
/*
 * Which CPU's access moves a cache line. Caches are of infinite size. A line is at first held by
 * all CPUs. A load moves it to a CPU that does not hold it; a store moves it unless exactly the
 * CPU that stores holds it, which alone does so from then on. That is what the kernel and the
 * plugin for QEMU do, too; here it is followed where a trace has accesses.
 *
 * Of a line is kept when each CPU touched it last, and the last touch of each range of bytes. A
 * touch is forgotten when a later one covers its bytes and conflicts with all that it conflicts
 * with: whoever is to be told of the earlier one has not touched the line since, and is told of
 * the later one instead. So what is kept of a line is bounded by the CPUs and by the ranges in
 * it, however often it is touched.
 */
#include <stdlib.h>
#include <string.h>

#include "cachelines.h"
#include "kmap.h"

/* When a CPU touched a line last. */
struct visit {
	u64 order;
	u32 cpu;
};

/* A line; what is 0 was not touched. */
struct line {
	u64 key;
	u64 taken;		/* when it was stored to so that it moved: 0: all hold it */
	bool changed;		/* ... and nobody has moved it to read it since */
	u32 nr_visits, nr_touchers;
	int writer;		/* the CPU that stored to it last, plus one */
	struct visit *visits;
	struct toucher *touchers;
};

/**
 * cachelines_init - begin with all lines held by all CPUs
 * @c: the lines
 * @alone: whether there is but one CPU
 */
void cachelines_init(struct cachelines *c, bool alone)
{
	c->alone = alone;
	c->order = 0;
	hash_init(&c->lines, sizeof(struct line), sizeof(u64));
}

/**
 * cachelines_free - release memory
 * @c: the lines
 */
void cachelines_free(struct cachelines *c)
{
	struct line *line;
	u32 i;

	for (i = 0; i < c->lines.nr; i++) {
		line = hash_item(&c->lines, i);
		free(line->visits);
		free(line->touchers);
	}
	hash_free(&c->lines);
}

static bool is_power(u32 n)
{
	return !(n & (n - 1));
}

/* An array grows whenever the number of its items is a power of two. */
static void *grow(void *array, u32 nr, size_t size)
{
	return is_power(nr) ? kmap_array(array, nr ? 2 * (size_t)nr : 1, size) : array;
}

/* The CPU's own visit, made if there is none. */
static struct visit *get_visit(struct line *line, u32 cpu)
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

/* Whether other CPUs hold a line; once it was taken these are the ones that came later. */
static bool others_hold(const struct cachelines *c, const struct line *line, u32 cpu)
{
	u32 i;

	if (!line->taken)
		return !c->alone;
	for (i = 0; i < line->nr_visits; i++)
		if (line->visits[i].cpu != cpu && line->visits[i].order >= line->taken)
			return true;
	return false;
}

static bool is_move(const struct cachelines *c, const struct line *line,
		    const struct toucher *t, u64 last)
{
	return last < line->taken || (t->writes && others_hold(c, line, t->cpu));
}

static bool overlap(const struct toucher *a, const struct toucher *b)
{
	return a->first <= b->last && b->first <= a->last;
}

/* Looks for what made the line move since @last. */
static void find_before(const struct line *line, const struct toucher *t, u64 last,
			struct moved *moved)
{
	const struct toucher *other, *best = NULL;
	bool same;
	u32 i;

	for (i = 0; i < line->nr_touchers; i++) {
		other = line->touchers + i;
		if (other->cpu == t->cpu || other->order <= last || !(t->writes || other->writes))
			continue;
		same = overlap(t, other);
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

static void keep(struct line *line, const struct toucher *t, u64 order)
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

static void touch(struct cachelines *c, u64 key, const struct toucher *t, bool told,
		  struct moved *moved)
{
	struct visit *visit;
	struct line *line;
	u64 order = ++c->order;
	bool new;

	line = hash_item(&c->lines, hash_get(&c->lines, &key, &new));
	visit = get_visit(line, t->cpu);
	*moved = (struct moved){ .moves = told || is_move(c, line, t, visit->order),
				   .from = line->writer - 1 };
	if (moved->moves) {
		find_before(line, t, visit->order, moved);
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
 * cachelines_forget - let a line be held by all CPUs, as if it was never touched
 * @c: the lines
 * @line: number of the line
 */
void cachelines_forget(struct cachelines *c, u64 line)
{
	struct line *l;
	u32 i;

	if (!hash_find(&c->lines, &line, &i))
		return;
	l = hash_item(&c->lines, i);
	l->taken = 0;
	l->changed = false;
	l->writer = 0;
	l->nr_visits = 0;
	l->nr_touchers = 0;
}

/**
 * cachelines_touch - account for an access
 * @c: the lines
 * @line: number of the line
 * @toucher: the access
 * @moved: set to what came of it
 */
void cachelines_touch(struct cachelines *c, u64 line, const struct toucher *toucher,
		      struct moved *moved)
{
	touch(c, line, toucher, false, moved);
}

/**
 * cachelines_move - account for an access that is known to have moved a line
 * @c: the lines, of which other accesses are not known
 * @line: number of the line
 * @toucher: the access
 * @moved: set to what came of it
 */
void cachelines_move(struct cachelines *c, u64 line, const struct toucher *toucher,
		     struct moved *moved)
{
	touch(c, line, toucher, true, moved);
}
