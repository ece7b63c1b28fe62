// SPDX-License-Identifier: GPL-2.0
/*
 * Address ranges of modules over time. A module keeps its range after it is unloaded, until
 * another one is loaded there, since later events may still refer to it.
 *
 * Most events refer to the modules at their own time. Object and counts events refer to the past:
 * mappings_between() looks up the modules during the object's lifetime, by jiffies.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/mappings.h"

/**
 * mappings_init - initialize mappings, without any module
 * @m: the mappings
 */
void mappings_init(struct mappings *m)
{
	*m = (struct mappings){ .first = U64_MAX };
	m->mapping = xreallocarray(NULL, 1, sizeof(*m->mapping));
	/* Number 0 is MAPPINGS_UNSURE. */
	m->mapping[m->nr++] = (struct mapping){ .name = NULL };
}

/**
 * mappings_free - free the memory of mappings
 * @m: the mappings
 */
void mappings_free(struct mappings *m)
{
	u32 i;

	for (i = 0; i < m->nr; i++)
		free(m->mapping[i].name);
	free(m->mapping);
	free(m->now);
	free(m->past);
}

/**
 * mappings_rewind - restart from the first event, keeping the numbers of mappings
 * @m: the mappings
 */
void mappings_rewind(struct mappings *m)
{
	m->nr_now = 0;
	m->nr_past = 0;
}

static bool is_same(const struct mapping *a, const struct mapping *b)
{
	return a->module == b->module && a->base == b->base && a->size == b->size &&
	       a->init == b->init && build_id_equal(&a->id, &b->id) && !strcmp(a->name, b->name);
}

/* Look up the number of a mapping, or assign the next one. */
static u32 number_of(struct mappings *m, const struct mapping *new)
{
	u32 i;

	/* A module that is loaded again to the same place keeps its number, and its symbols. */
	for (i = 1; i < m->nr; i++)
		if (is_same(m->mapping + i, new))
			return i;
	m->mapping = xreallocarray(m->mapping, m->nr + 1, sizeof(*m->mapping));
	m->mapping[m->nr] = *new;
	m->mapping[m->nr].name = xstrdup(new->name);
	return m->nr++;
}

/* Index of the first current mapping that ends after an address. */
static u32 find(const struct mappings *m, u64 addr)
{
	u32 low = 0, high = m->nr_now, middle;

	while (low < high) {
		middle = low + (high - low) / 2;
		if (m->now[middle].end <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Move the current mapping with index @at to the past. */
static void end_span(struct mappings *m, u32 at, u64 jiffies)
{
	m->past = xreallocarray(m->past, m->nr_past + 1, sizeof(*m->past));
	m->past[m->nr_past] = m->now[at];
	/* If the time is unknown, the module may have been there until now. */
	m->past[m->nr_past++].until = jiffies ? jiffies : U64_MAX;
	memmove(m->now + at, m->now + at + 1, (--m->nr_now - at) * sizeof(*m->now));
}

/* Add a current mapping, replacing those that overlap. */
static void put(struct mappings *m, const struct mapping *new, u64 jiffies)
{
	struct mapping_span span = { number_of(m, new), new->base, new->base + new->size, jiffies,
				     U64_MAX };
	u32 at = find(m, span.start);

	/* Announced again, or unloaded: it stays until another one takes its place. */
	if (at < m->nr_now && m->now[at].mapping == span.mapping)
		return;
	while (at < m->nr_now && m->now[at].start < span.end)
		end_span(m, at, jiffies);
	m->now = xreallocarray(m->now, m->nr_now + 1, sizeof(*m->now));
	memmove(m->now + at + 1, m->now + at, (m->nr_now++ - at) * sizeof(*m->now));
	m->now[at] = span;
	/* The bounds never shrink: they only spare lookups outside all modules. */
	if (span.start < m->first)
		m->first = span.start;
	if (span.end > m->last)
		m->last = span.end;
}

/**
 * mappings_event - update the mappings
 * @m: the mappings
 * @e: the event
 */
void mappings_event(struct mappings *m, const struct trace_event *e)
{
	static const unsigned char none[TRACE_BUILD_ID];
	/* The load event of an unloaded module may have been lost. */
	u64 since = e->u.module.loaded ? e->u.module.jiffies : 0;
	struct mapping new;

	if (e->type != TRACE_MODULE)
		return;
	new = (struct mapping){
		.name = (char *)e->u.module.name, .module = e->u.module.base,
		.base = e->u.module.base, .size = e->u.module.size,
		.init_base = e->u.module.init_base, .init_size = e->u.module.init_size,
	};
	if (memcmp(e->u.module.build_id, none, sizeof(none))) {
		memcpy(new.id.id, e->u.module.build_id, sizeof(none));
		new.id.size = sizeof(none);
	}
	/* The values of a damaged trace may wrap around. */
	if (new.size && new.base + new.size > new.base)
		put(m, &new, since);
	new.base = e->u.module.init_base;
	new.size = e->u.module.init_size;
	new.init_size = 0;
	new.init = true;
	if (new.size && new.base + new.size > new.base)
		put(m, &new, since);
}

static bool has(const struct mapping_span *span, u64 addr)
{
	return addr >= span->start && addr < span->end;
}

/**
 * mappings_now - look up the current mapping of an address
 * @m: the mappings
 * @addr: the address
 *
 * Return: number of the mapping, or MAPPINGS_NONE.
 */
u32 mappings_now(const struct mappings *m, u64 addr)
{
	u32 at = find(m, addr);

	return at < m->nr_now && has(m->now + at, addr) ? m->now[at].mapping : MAPPINGS_NONE;
}

/**
 * mappings_between - look up the mapping of an address in a period of time
 * @m: the mappings
 * @addr: the address
 * @from: begin of the period, in jiffies
 * @until: end of the period, in jiffies; U64_MAX for the current time
 *
 * Return: number of the mapping; MAPPINGS_UNSURE if there are several, or if it may precede the
 *	   trace; MAPPINGS_NONE if there never was one.
 */
u32 mappings_between(const struct mappings *m, u64 addr, u64 from, u64 until)
{
	u32 found = MAPPINGS_NONE, at = find(m, addr), i;
	const struct mapping_span *span;
	bool any = false;

	for (i = 0; i <= m->nr_past; i++) {
		span = i < m->nr_past ? m->past + i : m->now + at;
		if ((i == m->nr_past && at == m->nr_now) || !has(span, addr))
			continue;
		any = true;
		if (span->from > until || span->until < from || span->mapping == found)
			continue;
		/* Jiffies are coarse: both modules may have been there. */
		if (found != MAPPINGS_NONE)
			return MAPPINGS_UNSURE;
		found = span->mapping;
	}
	return found == MAPPINGS_NONE && any ? MAPPINGS_UNSURE : found;
}
