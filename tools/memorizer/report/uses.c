// SPDX-License-Identifier: GPL-2.0
/*
 * Collects the uses of objects in an input: a KMAP; the streamed events of a trace; or, without
 * streamed accesses, the KMAP that a trace contains.
 */
#include <stdio.h>

#include "kmap/calls-text.h"
#include "lib/status.h"
#include "report/named.h"
#include "report/uses.h"
#include "trace/wanted.h"

#define NO_TARGET	U32_MAX		/* the filter rejects the object */

/* A live object of a trace. */
struct held {
	struct tracked memory;
	u32 target;
	u32 bytes;		/* that count as live */
};

/* KMAP */

void uses_object(void *data, const struct kmap_object *o)
{
	struct uses *u = data;
	char comm[KMAP_COMM_TEXT + 1];
	struct life life = {
		.addr = o->addr, .size = o->size, .from = o->alloc_jiffies, .to = U64_MAX,
	};
	bool by_task;

	snprintf(comm, sizeof(comm), "%.*s", (int)o->comm_len, o->comm);
	by_task = kmem_choice_task(&u->choice, o->pid, comm);
	u->target = NO_TARGET;
	if (!kmem_choice_object(&u->choice, NULL, o->alloc_ip) || !by_task ||
	    !kmem_choice_kind(&u->choice, o->kind))
		return;
	u->target = privilege_target(&u->counted, o->alloc_ip, o->kind);
	if (o->free_jiffies)
		life.to = o->free_jiffies > life.from ? o->free_jiffies : life.from;
	life.target = u->target;
	privilege_life(&u->counted, &life);
	if (o->free_ip != KMAP_IP_UNKNOWN && o->free_ip != KMAP_IP_OVERWRITTEN)
		privilege_use(&u->counted, o->free_ip, KMAP_IP_RETURN, u->target, PRIVILEGE_FREE,
			      o->pid, 1);
}

/**
 * uses_access - add an access line, see struct engine_ops
 * @data: struct uses, first member of the caller's data
 * @o: the accessed object
 * @a: the access line
 */
void uses_access(void *data, const struct kmap_object *o, const struct kmap_access *a)
{
	struct uses *u = data;
	u32 target;

	if (u->target == NO_TARGET)
		return;
	target = privilege_accessed(&u->counted, u->target, a->ip, a->place, o->size);
	privilege_use(&u->counted, a->ip, KMAP_IP_EXACT, target, PRIVILEGE_READ, a->pid, a->reads);
	privilege_use(&u->counted, a->ip, KMAP_IP_EXACT, target, PRIVILEGE_WRITE, a->pid,
		      a->writes);
}

/* An object of the KMAP of a trace, see rebuild_give. */
static void give(void *data, const struct kmap_object *o, const struct kmap_access *counts, u32 nr)
{
	struct uses *u = data;
	u32 i;

	/* A KMAP has no caches, CPUs and times to filter by. */
	if (kmem_filter_trace_only(u->choice.filter))
		return;
	uses_object(u, o);
	for (i = 0; i < nr; i++)
		uses_access(u, o, counts + i);
}

/* Trace */

/* Requested bytes that are still live: slab objects end as a whole, pages may end in pieces. */
static u32 live_bytes(const struct held *h)
{
	return h->memory.left < h->memory.asked ? h->memory.left : h->memory.asked;
}

static void gone(void *data, struct tracked *item, u64 bytes, bool freed)
{
	struct uses *u = data;
	struct held *h = (struct held *)item;
	u32 left = live_bytes(h);

	(void)bytes;
	(void)freed;
	if (h->target != NO_TARGET)
		privilege_resize(&u->streamed, h->target, h->bytes, left);
	h->bytes = left;
}

static void allocate(struct uses *u, const struct trace_event *e)
{
	const char *cache = names_cache(&u->names, e->u.alloc.kind, e->u.alloc.cache);
	bool chosen = kmem_choice_object(&u->choice, cache, e->u.alloc.call_site) &&
		      kmem_choice_allocator(&u->choice, e->u.alloc.kind) && u->choice.chosen;
	enum kmap_kind kind = trace_kind_memory(e->u.alloc.kind);
	struct held *h = tracker_add(&u->live, e, 0);

	if (!h)
		return;
	h->target = NO_TARGET;
	if (!chosen)
		return;
	h->target = privilege_target(&u->streamed, e->u.alloc.call_site, kind);
	h->bytes = live_bytes(h);
	privilege_resize(&u->streamed, h->target, 0, h->bytes);
}

static void release(struct uses *u, const struct trace_event *e)
{
	const struct held *h = tracker_find(&u->live, e->u.free.ptr);

	if (h && h->target != NO_TARGET && e->u.free.call_site)
		privilege_use(&u->streamed, e->u.free.call_site, KMAP_IP_RETURN, h->target,
			      PRIVILEGE_FREE, e->u.free.pid, 1);
	tracker_remove(&u->live, e);
}

static void access_object(struct uses *u, const struct trace_event *e)
{
	const struct held *h = tracker_find(&u->live, e->u.access.ptr);
	u32 kind = e->u.access.kind, target;
	u64 place;

	if (!h) {
		u->unattributed += u->choice.chosen;
		return;
	}
	if (h->target == NO_TARGET)
		return;
	place = named_place(e->u.access.ptr - h->memory.ptr, e->u.access.size, h->memory.asked);
	target = privilege_accessed(&u->streamed, h->target, e->u.access.ip, place,
				    h->memory.asked);
	privilege_use(&u->streamed, e->u.access.ip, KMAP_IP_EXACT, target, PRIVILEGE_READ,
		      e->u.access.pid, kind == TRACE_READ || kind == TRACE_UPDATE);
	privilege_use(&u->streamed, e->u.access.ip, KMAP_IP_EXACT, target, PRIVILEGE_WRITE,
		      e->u.access.pid, kind == TRACE_WRITE || kind == TRACE_UPDATE);
}

/**
 * uses_event - add an event of a trace, see struct engine_ops
 * @data: struct uses, first member of the caller's data
 * @e: the event
 *
 * Return: whether more events are needed.
 */
bool uses_event(void *data, const struct trace_event *e)
{
	struct uses *u = data;

	names_event(&u->names, e);
	kmem_choice_event(&u->choice, e);
	if (u->choice.window.ended)
		return false;
	u->types |= 1u << e->type;
	if (e->type == TRACE_ALLOC)
		allocate(u, e);
	else if (e->type == TRACE_FREE)
		release(u, e);
	else if (e->type == TRACE_ACCESS)
		access_object(u, e);
	rebuild_event(&u->kmap, e);
	return true;
}

/**
 * uses_begin - start to collect
 * @u: set to no uses, to be freed by uses_free()
 * @g: the command
 * @filter: the filter; must outlive @u
 */
void uses_begin(struct uses *u, const struct engine *g, const struct kmem_filter *filter)
{
	*u = (struct uses){ .target = NO_TARGET };
	privilege_init(&u->streamed, g->symbols);
	privilege_init(&u->counted, g->symbols);
	names_init(&u->names);
	kmem_choice_init(&u->choice, filter, g->symbols, &u->names);
	tracker_init(&u->live, sizeof(struct held));
	u->live.gone = gone;
	u->live.data = u;
	rebuild_init(&u->kmap, give, u);
}

static struct privilege *end_kmap(struct uses *u, const struct engine *g)
{
	static const struct window all = { .begun = true, .ended = true };

	if (!wanted_lines(g->name, false, u->counted.targets.nr || u->choice.seen) ||
	    !kmem_filter_check(u->choice.filter, &all, u->choice.seen, g->symbols, g->name))
		return NULL;
	return &u->counted;
}

static struct privilege *end_trace(struct uses *u, const struct engine *g, int *status)
{
	/* As fold does: without access events, the counts of retired objects. */
	bool streamed = u->types & WANTED(ACCESS);

	if (!wanted_check(g->name, u->types, WANTED(ACCESS) | WANTED(COUNTS)) ||
	    !kmem_choice_check(&u->choice, g->name))
		return NULL;
	if (trace_warn(g->trace) | (!streamed && rebuild_warn(&u->kmap, g->name)))
		*status = EXIT_INCOMPLETE;
	return streamed ? &u->streamed : &u->counted;
}

/**
 * uses_end - complete the uses
 * @u: the uses
 * @g: the command
 * @calls: file with calls to add, or NULL
 * @status: exit status so far; set to that for the input
 *
 * Return: the uses, in @u; NULL after a message.
 */
struct privilege *uses_end(struct uses *u, const struct engine *g, const char *calls, int *status)
{
	struct privilege *p = NULL;
	int read;

	/* Frees what it holds, too. */
	rebuild_end(&u->kmap);
	if (*status != EXIT_UNABLE)
		p = g->trace ? end_trace(u, g, status) : end_kmap(u, g);
	read = p && calls ? calls_read(calls, privilege_call, p) : EXIT_FINE;
	if (p)
		privilege_end(p);
	if (!p || read == EXIT_UNABLE) {
		*status = EXIT_UNABLE;
		return NULL;
	}
	if (read != EXIT_FINE)
		*status = read;
	return p;
}

/**
 * uses_free - free the uses
 * @u: the uses, after uses_end()
 */
void uses_free(struct uses *u)
{
	tracker_free(&u->live);
	kmem_choice_free(&u->choice);
	names_free(&u->names);
	privilege_free(&u->streamed);
	privilege_free(&u->counted);
}
