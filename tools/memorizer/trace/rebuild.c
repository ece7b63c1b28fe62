// SPDX-License-Identifier: GPL-2.0
/*
 * The KMAP that a trace amounts to. That is every object which was retired, and those of
 * the last complete snapshot that were not retired after it.
 *
 * An object's counts follow it, perhaps with other events in between. So of each record
 * the last object is kept until its record is used again; objects before it have been
 * given away. Memory is bounded by the records that the kernel's pool has room for.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names.h"
#include "trace/rebuild.h"

/* An object and its access lines. */
struct object {
	u64 alloc_site, ptr, alloc_jiffies, free_jiffies, free_site;
	u32 state, pid, bytes_req;
	u32 nr, room;
	struct kmap_access *counts;
	char comm[TRACE_COMM_SIZE];
};

/**
 * struct record - what is known of a record of the kernel's pool
 * @id: its id
 * @retired: the object that was retired last, NULL if it has been given away
 * @shown: the object in the last complete snapshot, NULL if it has been retired since
 * @next: the same of the snapshot in progress
 * @latest: the one of them that came last, which counts belong to
 * @gap: number of gaps when that came
 */
struct record {
	u64 id, gap;
	struct object *retired, *shown, *next, *latest;
};

static void give(const struct rebuild *b, const struct object *o)
{
	bool live = o->state == TRACE_LIVE;
	char comm[4 * TRACE_COMM_SIZE];
	struct kmap_object line = {
		.alloc_ip = o->alloc_site, .pid = o->pid, .addr = o->ptr, .size = o->bytes_req,
		.alloc_jiffies = o->alloc_jiffies, .free_jiffies = live ? 0 : o->free_jiffies,
		.free_ip = live ? 0 :
			   o->state == TRACE_BURIED ? KMAP_IP_OVERWRITTEN : o->free_site,
		.comm = comm,
	};

	names_escape(comm, o->comm);
	line.comm_len = strlen(comm);
	b->give(b->data, &line, o->counts, o->nr);
}

/* Forgets an object; counts that come later have none. */
static void drop(struct record *r, struct object **o)
{
	if (!*o)
		return;
	if (r->latest == *o)
		r->latest = NULL;
	free((*o)->counts);
	free(*o);
	*o = NULL;
}

static void give_out(const struct rebuild *b, struct record *r, struct object **o)
{
	if (*o)
		give(b, *o);
	drop(r, o);
}

static struct object *copy_object(const struct trace_event *e)
{
	struct object *o = xreallocarray(NULL, 1, sizeof(*o));

	*o = (struct object){
		.alloc_site = e->u.object.alloc_site, .ptr = e->u.object.ptr,
		.alloc_jiffies = e->u.object.alloc_jiffies,
		.free_jiffies = e->u.object.free_jiffies, .free_site = e->u.object.free_site,
		.state = e->u.object.state, .pid = e->u.object.pid,
		.bytes_req = e->u.object.bytes_req,
	};
	memcpy(o->comm, e->u.object.comm, sizeof(o->comm));
	return o;
}

static struct record *find_record(struct rebuild *b, u32 id)
{
	u64 key = id;
	bool new;

	return hash_item(&b->records, hash_get(&b->records, &key, &new));
}

static void add_object(struct rebuild *b, const struct trace_event *e)
{
	struct record *r = find_record(b, e->u.object.object);
	struct object *o = copy_object(e);

	give_out(b, r, &r->retired);
	drop(r, &r->next);
	if (e->u.object.snapshot) {
		r->next = o;
	} else {
		drop(r, &r->shown);
		r->retired = o;
	}
	r->latest = o;
	r->gap = b->gap;
}

static void add_counts(struct rebuild *b, const struct trace_event *e)
{
	const struct record *r = find_record(b, e->u.counts.object);
	struct object *o = r->latest;

	/* In a gap the record may have become another object's. */
	if (!o || r->gap != b->gap || b->gaps) {
		b->orphans++;
		return;
	}
	if (o->nr == o->room) {
		o->room = o->room ? 2 * o->room : 1;
		o->counts = xreallocarray(o->counts, o->room, sizeof(*o->counts));
	}
	o->counts[o->nr++] = (struct kmap_access){
		.ip = e->u.counts.ip, .pid = e->u.counts.pid, .writes = e->u.counts.writes,
		.reads = e->u.counts.reads, .write_moves = e->u.counts.write_moves,
		.read_moves = e->u.counts.read_moves,
	};
}

/* What came of a snapshot becomes the one that counts, or is forgotten. */
static void end_snapshot(struct rebuild *b, bool complete)
{
	struct record *r;
	u32 i;

	for (i = 0; i < b->records.nr; i++) {
		r = hash_item(&b->records, i);
		if (!complete) {
			drop(r, &r->next);
			continue;
		}
		drop(r, &r->shown);
		r->shown = r->next;
		r->next = NULL;
	}
	b->snapshot = 0;
}

static void change_snapshot(struct rebuild *b, const struct trace_event *e)
{
	u32 nr = e->u.snapshot.snapshot;

	if (!e->u.snapshot.complete) {
		end_snapshot(b, false);
		b->snapshot = nr;
	} else {
		end_snapshot(b, nr == b->snapshot);
	}
}

/* Whether any event of a CPU may be missing from here on. */
static void change_gap(struct rebuild *b, u32 cpu, u64 missing)
{
	u64 key = cpu, *in_gap;
	bool new;

	in_gap = (u64 *)hash_item(&b->cpus, hash_get(&b->cpus, &key, &new)) + 1;
	b->gaps += missing - *in_gap;
	*in_gap = missing;
}

/**
 * rebuild_init - begin with no objects
 * @b: the KMAP in the making
 * @give_object: is called for each object, once all its counts are known
 * @data: for @give_object
 */
void rebuild_init(struct rebuild *b, rebuild_give *give_object, void *data)
{
	*b = (struct rebuild){ .give = give_object, .data = data };
	hash_init(&b->records, sizeof(struct record), sizeof(u64));
	hash_init(&b->cpus, 2 * sizeof(u64), sizeof(u64));
}

/**
 * rebuild_event - take an event
 * @b: the KMAP in the making
 * @e: the event, the next one in the order of time
 */
void rebuild_event(struct rebuild *b, const struct trace_event *e)
{
	switch (e->type) {
	case TRACE_OBJECT:
		add_object(b, e);
		break;
	case TRACE_COUNTS:
		add_counts(b, e);
		break;
	case TRACE_SNAPSHOT:
		change_snapshot(b, e);
		break;
	case TRACE_DISCARDED:
		/* What overruns buffers is no object: those wait for room. */
		if (!e->u.discarded.broken)
			break;
		b->gap++;
		change_gap(b, e->cpu, 1);
		break;
	case TRACE_RESUMED:
		change_gap(b, e->cpu, 0);
		break;
	default:
		break;
	}
}

/**
 * rebuild_end - give the objects that are left
 * @b: the KMAP in the making; nothing can be added after this
 */
void rebuild_end(struct rebuild *b)
{
	struct record *r;
	u32 i;

	for (i = 0; i < b->records.nr; i++) {
		r = hash_item(&b->records, i);
		give_out(b, r, &r->retired);
		give_out(b, r, &r->shown);
		drop(r, &r->next);
	}
	hash_free(&b->records);
	hash_free(&b->cpus);
}

/**
 * rebuild_warn - tell on standard error of what had to be left out
 * @b: the KMAP
 * @dir: the trace that it is of
 *
 * Return: whether something had to.
 */
bool rebuild_warn(const struct rebuild *b, const char *dir)
{
	if (b->orphans)
		fprintf(stderr, "memorizer: %s: left out %llu counts, which have no object\n", dir,
			b->orphans);
	if (b->snapshot)
		fprintf(stderr, "memorizer: %s: left out snapshot %u, which is not complete\n", dir,
			b->snapshot);
	return rebuild_incomplete(b);
}
