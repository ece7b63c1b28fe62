// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer serial: times that tasks waited for locks and held them, by lock and by call site. Code
 * under an exclusive lock is serialized.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/texts.h"
#include "report/analysis.h"

static const char * const usage[] = {
	"memorizer serial [OPTION...] DIR",
	"",
	"Prints how often the locks in the trace were taken, how long tasks waited for them and",
	"how long they were held: by lock, and by the code that took it. Shared holds of",
	"readers are counted separately. RCU read-side sections are not locks.",
	NULL
};

enum sum {
	TAKEN, CONTENDED, WAITED, WAITED_MOST, HELD, HELD_MOST, SHARED, SHARED_HELD,
	SHARE,			/* HELD, in thousandths of a percent of the duration */
	SUMS
};

/* Sums of all locks with a name; of a call site if @site is not 0. */
struct lock {
	u64 name, site;
	u64 sum[SUMS];
};

/* A wait for a lock, or a hold. */
struct hold {
	u64 site, wanted, taken;
	u32 name;
	bool has, shared, contended, chosen;
};

/* Holds of a lock by a task; a reader may have several. */
struct holder {
	u64 owner, lock;
	struct hold *holds;
	u32 nr, room;
};

/**
 * struct serial - state of the analysis
 * @a: the analysis
 * @names: names of locks
 * @locks: struct lock by name
 * @sites: struct lock by name and site
 * @holders: struct holder
 * @total: totals
 * @begin: time of the first selected event, in ns
 * @end: time of the last selected event, in ns
 * @begun: there was a selected event
 * @unseen: number of releases of locks that were taken unseen
 */
struct serial {
	struct analysis a;
	struct hash names, locks, sites, holders;
	u64 total[SUMS], begin, end, unseen;
	bool begun;
};

static void init(struct analysis *a)
{
	struct serial *s = (struct serial *)a;

	texts_init(&s->names);
	hash_init(&s->locks, sizeof(struct lock), 2 * sizeof(u64));
	hash_init(&s->sites, sizeof(struct lock), 2 * sizeof(u64));
	hash_init(&s->holders, sizeof(struct holder), 2 * sizeof(u64));
}

static void release(struct analysis *a)
{
	struct serial *s = (struct serial *)a;
	u32 i;

	for (i = 0; i < s->holders.nr; i++)
		free(((struct holder *)hash_item(&s->holders, i))->holds);
	hash_free(&s->names);
	hash_free(&s->locks);
	hash_free(&s->sites);
	hash_free(&s->holders);
}

static bool is_rcu(const char *name)
{
	return !strncmp(name, "rcu_read_lock", strlen("rcu_read_lock"));
}

static struct holder *get_holder(struct serial *s, const struct trace_event *e)
{
	u64 key[2] = { context_owner(e->cpu, e->u.lock.pid), e->u.lock.lock };
	bool new;

	return hash_item(&s->holders, hash_get(&s->holders, key, &new));
}

static u32 name_of(struct serial *s, const struct trace_event *e)
{
	char text[24];

	snprintf(text, sizeof(text), "%llx", e->u.lock.lock);
	return texts_number(&s->names, *e->u.lock.name ? e->u.lock.name : text);
}

static void add_hold(struct serial *s, struct holder *h, const struct trace_event *e)
{
	if (h->nr == h->room) {
		h->room = h->room ? 2 * h->room : 2;
		h->holds = xreallocarray(h->holds, h->room, sizeof(*h->holds));
	}
	h->holds[h->nr++] = (struct hold){
		.site = e->u.lock.ip, .wanted = e->time, .taken = e->time, .name = name_of(s, e),
		.shared = e->u.lock.flags & TRACE_LOCK_SHARED, .chosen = s->a.choice.chosen,
	};
}

static void add_times(u64 *sum, const struct hold *hold, u64 waited, u64 held)
{
	sum[hold->shared ? SHARED : TAKEN]++;
	sum[CONTENDED] += hold->contended;
	sum[WAITED] += waited;
	if (waited > sum[WAITED_MOST])
		sum[WAITED_MOST] = waited;
	sum[hold->shared ? SHARED_HELD : HELD] += held;
	if (!hold->shared && held > sum[HELD_MOST])
		sum[HELD_MOST] = held;
}

static u64 *sums_of(struct hash *locks, u64 name, u64 site)
{
	u64 key[2] = { name, site };
	bool new;

	return ((struct lock *)hash_item(locks, hash_get(locks, key, &new)))->sum;
}

/* Count a hold that ends at @end. */
static void count(struct serial *s, const struct hold *hold, u64 end)
{
	u64 waited = hold->taken > hold->wanted ? hold->taken - hold->wanted : 0;
	u64 held = end > hold->taken ? end - hold->taken : 0;

	if (!hold->chosen)
		return;
	add_times(sums_of(&s->locks, hold->name, 0), hold, waited, held);
	add_times(sums_of(&s->sites, hold->name, hold->site), hold, waited, held);
	add_times(s->total, hold, waited, held);
}

/* The current wait, or NULL. */
static struct hold *waiting(const struct holder *h)
{
	return h->nr && !h->holds[h->nr - 1].has ? h->holds + h->nr - 1 : NULL;
}

/* Start to wait; contention is reported by a second event. */
static void want(struct serial *s, struct holder *h, const struct trace_event *e)
{
	bool contended = e->u.lock.flags & TRACE_LOCK_CONTENDED;

	if (!contended || !waiting(h))
		add_hold(s, h, e);
	waiting(h)->contended = contended;
}

/* Take the lock. If only contention is traced, there is no event for the release. */
static void take(struct serial *s, struct holder *h, const struct trace_event *e)
{
	struct hold *hold;

	/* Trylocks have no acquire; that of another lock may be missing. */
	if (e->u.lock.flags & TRACE_LOCK_TRY || !waiting(h))
		add_hold(s, h, e);
	hold = waiting(h);
	hold->taken = e->time;
	hold->has = true;
	if (!e->u.lock.ip && e->u.lock.flags & TRACE_LOCK_CONTENDED) {
		count(s, hold, e->time);
		h->nr--;
	}
}

static void drop(struct serial *s, struct holder *h, const struct trace_event *e)
{
	if (!h->nr) {
		s->unseen += s->a.choice.chosen;
		return;
	}
	/* A task may share the lock with itself: end the latest hold. */
	count(s, h->holds + --h->nr, e->time);
}

/* After lost events, locks may have been released. */
static void forget(struct serial *s)
{
	u32 i;

	for (i = 0; i < s->holders.nr; i++)
		((struct holder *)hash_item(&s->holders, i))->nr = 0;
}

static void lock(struct serial *s, const struct trace_event *e)
{
	struct holder *h = get_holder(s, e);

	switch (e->u.lock.op) {
	case TRACE_ACQUIRE:
		want(s, h, e);
		break;
	case TRACE_ACQUIRED:
		take(s, h, e);
		break;
	case TRACE_RELEASE:
		drop(s, h, e);
		break;
	default:
		break;
	}
}

static void event(struct analysis *a, const struct trace_event *e)
{
	struct serial *s = (struct serial *)a;

	if (a->choice.within && !trace_is_pseudo(e->type)) {
		if (!s->begun)
			s->begin = e->time;
		s->begun = true;
		s->end = e->time;
	}
	if (e->type == TRACE_DISCARDED)
		forget(s);
	else if (e->type == TRACE_LOCK && !is_rcu(e->u.lock.name))
		lock(s, e);
}

/* Holds last until the end of the trace; waits are not counted. */
static u32 count_rest(struct serial *s)
{
	struct holder *h;
	u32 i, j, rest = 0;

	for (i = 0; i < s->holders.nr; i++) {
		h = hash_item(&s->holders, i);
		for (j = 0; j < h->nr; j++) {
			if (!h->holds[j].has)
				continue;
			count(s, h->holds + j, s->end);
			rest += h->holds[j].chosen;
		}
		h->nr = 0;
	}
	return rest;
}

static void print_locks(struct serial *s, struct hash *locks, struct table t, bool sites)
{
	static const struct column columns[] = {
		{ "Held", "held", HELD, CELL_SECONDS, 0 },
		{ "Share", "share", SHARE, CELL_PERCENT, 0 },
		{ "Longest", "held_most", HELD_MOST, CELL_SECONDS, 0 },
		{ "Taken", "taken", TAKEN, CELL_NUMBER, 0 },
		{ "Waited", "waited", WAITED, CELL_SECONDS, 0 },
		{ "Longest", "waited_most", WAITED_MOST, CELL_SECONDS, 0 },
		{ "Contended", "contended", CONTENDED, CELL_NUMBER, 0 },
		{ "Shared", "shared", SHARED, CELL_NUMBER, 0 },
		{ "Held shared", "shared_held", SHARED_HELD, CELL_SECONDS, 0 },
	};
	u64 span = s->end - s->begin;
	struct lock *lock;
	struct row *row;
	u32 i;

	memcpy(t.columns, columns, sizeof(columns));
	t.rows = xreallocarray(NULL, locks->nr + 1, sizeof(*t.rows));
	for (i = 0; i < locks->nr; i++) {
		lock = hash_item(locks, i);
		if (span)
			lock->sum[SHARE] = (double)lock->sum[HELD] * 100000 / span;
		row = t.rows + t.nr++;
		*row = (struct row){ .sum = lock->sum };
		row->name = analysis_text(texts_get(&s->names, lock->name));
		if (sites)
			row->texts[0] = analysis_site(&s->a, lock->site);
	}
	analysis_table(&s->a, &t, HELD);
}

static void print(struct analysis *a)
{
	static const struct table locks = {
		.title = "LOCKS", .key = "locks", .name_title = "Lock", .name_key = "lock",
		.then = { WAITED, TAKEN },
	}, sites = {
		.title = "LOCKS, BY CODE", .key = "sites",
		.name_title = "Lock", .name_key = "lock", .texts = { { "Taken by", "site" } },
		.then = { WAITED, TAKEN },
	};
	struct serial *s = (struct serial *)a;
	u32 rest = count_rest(s);

	analysis_sum(a, "Ns from the first event to the last", "duration", s->end - s->begin);
	analysis_sum(a, "Locks taken", "taken", s->total[TAKEN]);
	analysis_sum(a, "  ns held", "held", s->total[HELD]);
	analysis_sum(a, "  to share them", "shared", s->total[SHARED]);
	analysis_sum(a, "  ns held then", "shared_held", s->total[SHARED_HELD]);
	analysis_sum(a, "  ns waited", "waited", s->total[WAITED]);
	analysis_sum(a, "Held at the end", "rest", rest);
	analysis_sum(a, "Released, and not seen to be taken", "unseen", s->unseen);
	print_locks(s, &s->locks, locks, false);
	print_locks(s, &s->sites, sites, true);
}

static int run(int argc, char **argv)
{
	static const struct analysis_ops ops = {
		.command = &command_serial, .sort = "held",
		.init = init, .release = release, .event = event, .wanted = { WANTED(LOCK) },
		.print = print,
	};
	struct serial s = { .a = { .ops = &ops } };
	const struct option options[] = {
		OPTS_ANALYSIS(&s.a)
	};

	return analysis_run(&s.a, argc, argv, options);
}

const struct command command_serial = {
	.name = "serial",
	.summary = "show how long locks are held and waited for",
	.usage = usage,
	.run = run,
};
