// SPDX-License-Identifier: GPL-2.0
/*
 * Reorders the members of a struct: mostly read ones first, by number of accesses, written
 * ones last, so that stores do not move the lines of loads, and untouched members in between.
 */
#include <stdlib.h>
#include <string.h>

#include "report/pack.h"

#define MOSTLY		10		/* loads per store of mostly read members */
#define ALIGN_MOST	8

static enum pack_use use_of(const struct packed *m)
{
	if (!m->reads && !m->writes)
		return PACK_UNTOUCHED;
	return m->writes <= m->reads / MOSTLY ? PACK_READ : PACK_WRITTEN;
}

static int compare(const void *left, const void *right)
{
	const struct packed *a = left, *b = right;
	/* Halves, because the sum might overflow. */
	u64 of_a = a->reads / 2 + a->writes / 2, of_b = b->reads / 2 + b->writes / 2;

	/* A member without size may be a flexible array, which must be the last one. */
	if (!a->size != !b->size)
		return !a->size - !b->size;
	if (a->use != b->use)
		return a->use < b->use ? -1 : 1;
	if (of_a != of_b)
		return of_a > of_b ? -1 : 1;
	return a->offset < b->offset ? -1 : a->offset > b->offset;
}

/* The alignment that offset and size suggest; the type may need less. */
static u64 alignment(const struct packed *m)
{
	u64 bits = m->offset | m->size | ALIGN_MOST;

	return bits & -bits;
}

/* The first remaining member of the class of @i that needs no padding; else @i. */
static u32 next_one(const struct packed *members, u32 nr, u32 i, u64 at)
{
	u32 j;

	for (j = i; j < nr && members[j].use == members[i].use && members[j].size; j++)
		if (!(at % alignment(members + j)))
			return j;
	return i;
}

/* Returns whether a member at @at overlaps a line. */
static bool is_in(const struct packed *m, u64 at, u64 line)
{
	return m->size && at / PACK_LINE <= line && (at + m->size - 1) / PACK_LINE >= line;
}

static void count(const struct packed *members, u32 nr, bool after, struct pack_figures *figures)
{
	bool read, written;
	u64 line, at, end = 0;
	u32 i;

	*figures = (struct pack_figures){ 0 };
	for (i = 0; i < nr; i++) {
		at = after ? members[i].at : members[i].offset;
		if (at + members[i].size > end)
			end = at + members[i].size;
	}
	figures->bytes = end;
	for (line = 0; line * PACK_LINE < end; line++) {
		read = false;
		written = false;
		for (i = 0; i < nr; i++) {
			at = after ? members[i].at : members[i].offset;
			if (!is_in(members + i, at, line))
				continue;
			read |= members[i].use == PACK_READ;
			written |= members[i].use == PACK_WRITTEN;
		}
		figures->lines += read || written;
		figures->mixed += read && written;
	}
}

/**
 * pack - reorder members
 * @members: the members, with name, offset, size, reads and writes set
 * @nr: number of members
 * @before: set to the properties of the present order
 * @after: set to the properties of the new order
 *
 * Members keep an alignment of up to 8 bytes that their offset and size have. Other constraints
 * on the order are unknown here.
 */
void pack(struct packed *members, u32 nr, struct pack_figures *before,
	  struct pack_figures *after)
{
	struct packed next;
	u64 at = 0, align;
	u32 i, j;

	for (i = 0; i < nr; i++)
		members[i].use = use_of(members + i);
	count(members, nr, false, before);
	qsort(members, nr, sizeof(*members), compare);
	for (i = 0; i < nr; i++) {
		j = next_one(members, nr, i, at);
		next = members[j];
		memmove(members + i + 1, members + i, (j - i) * sizeof(next));
		members[i] = next;
		align = alignment(members + i);
		at = (at + align - 1) / align * align;
		members[i].at = at;
		at += members[i].size;
	}
	count(members, nr, true, after);
}
