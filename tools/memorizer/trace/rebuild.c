// SPDX-License-Identifier: GPL-2.0
/*
 * Reconstructs the KMAP from a trace: all retired objects, and the objects of the last complete
 * snapshot that were not retired after it.
 *
 * The counts of an object follow it, possibly with other events in between. An object is complete
 * when its record in the kernel's pool is reused. The number of records bounds the memory.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names.h"
#include "trace/rebuild.h"

/* An object and its accesses. */
struct object {
	u64 alloc_site, ptr, alloc_jiffies, free_jiffies, free_site;
	u32 state, pid, bytes_req;
	enum kmap_kind kind;
	u32 stack;		/* its number plus one; 0: none */
	u32 nr, room;
	struct kmap_access *counts;
	char comm[TRACE_COMM_SIZE];
};

/* A distinct stack; objects refer to it by number. The whole struct is the key. */
struct stack_of {
	u64 nr;
	u64 ip[KMAP_STACK_MAX];
};

/**
 * struct record - a record of the kernel's pool
 * @id: ID of the record
 * @gap: value of @gap of struct rebuild when @latest was set
 * @retired: the last retired object; NULL if @give was called for it
 * @shown: the object in the last complete snapshot; NULL if it was retired since
 * @next: the object in the snapshot in progress
 * @latest: the last one of these objects, to which counts belong
 */
struct record {
	u64 id, gap;
	struct object *retired, *shown, *next, *latest;
};

static void give(const struct rebuild *b, const struct object *o)
{
	bool live = o->state == TRACE_LIVE;
	char comm[4 * TRACE_COMM_SIZE];
	const struct stack_of *stack;
	struct kmap_object line = {
		.alloc_ip = o->alloc_site, .pid = o->pid, .addr = o->ptr, .size = o->bytes_req,
		.alloc_jiffies = o->alloc_jiffies, .free_jiffies = live ? 0 : o->free_jiffies,
		/* A buried object was overwritten by another one: its free was never seen. */
		.free_ip = live ? 0 :
			   o->state == TRACE_BURIED ? KMAP_IP_OVERWRITTEN : o->free_site,
		.comm = comm, .kind = o->kind,
	};

	if (o->stack) {
		stack = hash_item(&b->stacks, o->stack - 1);
		line.frames = stack->ip;
		line.nr_frames = stack->nr;
	}
	names_escape(comm, o->comm);
	line.comm_len = strlen(comm);
	b->give(b->data, &line, o->counts, o->nr);
}

/* Free an object. Later counts become orphans. */
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

/* Number of an object's stack plus one; 0 if it has none. */
static u32 number_stack(struct rebuild *b, const struct trace_event *e)
{
	const struct trace_stack *frames = e->u.object.frames;
	struct stack_of key = { 0 };
	bool new;

	b->bare += e->u.object.stack && !frames;
	if (!frames)
		return 0;
	key.nr = frames->nr;
	memcpy(key.ip, frames->ip, frames->nr * sizeof(*key.ip));
	return hash_get(&b->stacks, &key, &new) + 1;
}

static struct object *copy_object(struct rebuild *b, const struct trace_event *e)
{
	struct object *o = xreallocarray(NULL, 1, sizeof(*o));

	*o = (struct object){
		.alloc_site = e->u.object.alloc_site, .ptr = e->u.object.ptr,
		.alloc_jiffies = e->u.object.alloc_jiffies,
		.free_jiffies = e->u.object.free_jiffies, .free_site = e->u.object.free_site,
		.state = e->u.object.state, .pid = e->u.object.pid,
		.bytes_req = e->u.object.bytes_req, .kind = trace_object_kind(e),
		.stack = number_stack(b, e),
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
	struct object *o = copy_object(b, e);

	/* The record was reused: the object before has all its counts. */
	give_out(b, r, &r->retired);
	drop(r, &r->next);
	if (e->u.object.snapshot) {
		r->next = o;
	} else {
		/* Retired after the snapshot: the KMAP must not have the object twice. */
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

	/* The record may have been reused in a gap. */
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

/* Replace the last complete snapshot, or discard an incomplete one. */
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
		/*
		 * Also if the new snapshot lacks the object: its retirement may have been
		 * missed.
		 */
		drop(r, &r->shown);
		r->shown = r->next;
		r->next = NULL;
	}
	b->snapshot = 0;
}

static void change_snapshot(struct rebuild *b, const struct trace_event *e)
{
	u32 nr = e->u.snapshot.snapshot;

	/* A new snapshot begins: if the one before is incomplete, it never ends. */
	if (!e->u.snapshot.complete) {
		end_snapshot(b, false);
		b->snapshot = nr;
	} else {
		/* The beginning of another snapshot was lost: objects may be missing. */
		end_snapshot(b, nr == b->snapshot);
	}
}

/* Mark the begin or the end of a gap of a CPU. */
static void change_gap(struct rebuild *b, u32 cpu, u64 missing)
{
	u64 key = cpu, *in_gap;
	bool new;

	in_gap = (u64 *)hash_item(&b->cpus, hash_get(&b->cpus, &key, &new)) + 1;
	/* Losses within a gap do not count again. */
	b->gaps += missing - *in_gap;
	*in_gap = missing;
}

/**
 * rebuild_init - start the reconstruction of a KMAP
 * @b: the state
 * @give_object: called for each object, with all its counts
 * @data: argument of @give_object
 */
void rebuild_init(struct rebuild *b, rebuild_give *give_object, void *data)
{
	*b = (struct rebuild){ .give = give_object, .data = data };
	hash_init(&b->records, sizeof(struct record), sizeof(u64));
	hash_init(&b->stacks, sizeof(struct stack_of), sizeof(struct stack_of));
	hash_init(&b->cpus, 2 * sizeof(u64), sizeof(u64));
}

/**
 * rebuild_event - process an event
 * @b: the state
 * @e: the event; events must be passed in order
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
		/* The kernel never drops objects on overruns: they wait for room. */
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
 * rebuild_end - finish the reconstruction
 * @b: the state; calls @give for the remaining objects
 */
void rebuild_end(struct rebuild *b)
{
	struct record *r;
	u32 i;

	for (i = 0; i < b->records.nr; i++) {
		r = hash_item(&b->records, i);
		give_out(b, r, &r->retired);
		give_out(b, r, &r->shown);
		/* An incomplete snapshot: the last complete one was used instead. */
		drop(r, &r->next);
	}
	hash_free(&b->records);
	hash_free(&b->stacks);
	hash_free(&b->cpus);
}

/**
 * rebuild_warn - print warnings if counts, stacks or a snapshot are missing
 * @b: the state, after rebuild_end()
 * @dir: name of the trace
 *
 * Return: true if they are.
 */
bool rebuild_warn(const struct rebuild *b, const char *dir)
{
	if (b->orphans)
		fprintf(stderr, "memorizer: %s: skipped %llu counts without object\n", dir,
			b->orphans);
	if (b->bare)
		fprintf(stderr, "memorizer: %s: the stacks of %llu objects are missing\n", dir,
			b->bare);
	if (b->snapshot)
		fprintf(stderr, "memorizer: %s: skipped incomplete snapshot %u\n", dir,
			b->snapshot);
	return rebuild_incomplete(b);
}
