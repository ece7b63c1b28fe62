// SPDX-License-Identifier: GPL-2.0
/*
 * Which module lies where, and when. A trace announces modules as they are loaded; where one lies,
 * another one may have been before. Unloading changes nothing: an address stays that of the
 * module that was there, until another one comes.
 *
 * What an event reports happens when the event does, so the modules of that time are those that
 * are there now. Objects and their counts are of the past: mappings_between() has the modules
 * that were there in the object's life, by jiffies.
 */
#include <stdlib.h>
#include <string.h>

#include "symbols/mappings.h"

/**
 * mappings_init - begin without any module
 * @m: the mappings
 */
void mappings_init(struct mappings *m)
{
	*m = (struct mappings){ .first = U64_MAX };
	m->mapping = xreallocarray(NULL, 1, sizeof(*m->mapping));
	m->mapping[m->nr++] = (struct mapping){ .name = NULL };
}

/**
 * mappings_free - release memory
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
 * mappings_rewind - begin anew, with the same numbers
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

/* The number of a mapping, which may have been there before. */
static u32 number_of(struct mappings *m, const struct mapping *new)
{
	u32 i;

	for (i = 1; i < m->nr; i++)
		if (is_same(m->mapping + i, new))
			return i;
	m->mapping = xreallocarray(m->mapping, m->nr + 1, sizeof(*m->mapping));
	m->mapping[m->nr] = *new;
	m->mapping[m->nr].name = xstrdup(new->name);
	if (!m->mapping[m->nr].name)
		abort();
	return m->nr++;
}

/* Index of the first of the mappings that are there now that ends behind an address. */
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

/* Moves to the past what is @at, which something replaces at @jiffies. */
static void end_span(struct mappings *m, u32 at, u64 jiffies)
{
	m->past = xreallocarray(m->past, m->nr_past + 1, sizeof(*m->past));
	m->past[m->nr_past] = m->now[at];
	m->past[m->nr_past++].until = jiffies ? jiffies : U64_MAX;
	memmove(m->now + at, m->now + at + 1, (--m->nr_now - at) * sizeof(*m->now));
}

/* Puts a mapping where it is since @jiffies, in place of what was there. */
static void put(struct mappings *m, const struct mapping *new, u64 jiffies)
{
	struct mapping_span span = { number_of(m, new), new->base, new->base + new->size, jiffies,
				     U64_MAX };
	u32 at = find(m, span.start);

	if (at < m->nr_now && m->now[at].mapping == span.mapping)
		return;
	while (at < m->nr_now && m->now[at].start < span.end)
		end_span(m, at, jiffies);
	m->now = xreallocarray(m->now, m->nr_now + 1, sizeof(*m->now));
	memmove(m->now + at + 1, m->now + at, (m->nr_now++ - at) * sizeof(*m->now));
	m->now[at] = span;
	if (span.start < m->first)
		m->first = span.start;
	if (span.end > m->last)
		m->last = span.end;
}

/**
 * mappings_event - learn from an event
 * @m: the mappings
 * @e: the event
 */
void mappings_event(struct mappings *m, const struct trace_event *e)
{
	static const unsigned char none[TRACE_BUILD_ID];
	/* What is unloaded was there, if a loss has hidden since when. */
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
 * mappings_now - find the mapping of an address now
 * @m: the mappings
 * @addr: the address
 *
 * Return: its number, or MAPPINGS_NONE.
 */
u32 mappings_now(const struct mappings *m, u64 addr)
{
	u32 at = find(m, addr);

	return at < m->nr_now && has(m->now + at, addr) ? m->now[at].mapping : MAPPINGS_NONE;
}

/**
 * mappings_between - find the mapping of an address in some time of the past
 * @m: the mappings
 * @addr: the address
 * @from: when that time begins, in jiffies
 * @until: when it ends, in jiffies; U64_MAX: now
 *
 * Return: its number; MAPPINGS_UNSURE if it may be one of several, or one from before the trace;
 *	   MAPPINGS_NONE if there is none.
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
		if (found != MAPPINGS_NONE)
			return MAPPINGS_UNSURE;
		found = span->mapping;
	}
	return found == MAPPINGS_NONE && any ? MAPPINGS_UNSURE : found;
}
