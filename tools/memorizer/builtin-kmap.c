// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer kmap: the KMAP that a trace amounts to. That is every object which was retired,
 * and those of the last complete snapshot that were not retired after it.
 *
 * An object's counts follow it, perhaps with other events in between. So of each record
 * the last object is kept until its record is used again; objects before it have been
 * written. Memory is bounded by the records that the kernel's pool has room for.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "hash.h"
#include "trace.h"

static const char usage[] =
	"Usage: memorizer kmap [OPTION...] DIR\n"
	"\n"
	"Writes the KMAP of the trace in DIR: the objects that were retired, and those of the\n"
	"last complete snapshot. The order of the objects is not that of the kernel's file.\n"
	"\n"
	"  -h, --help           print this\n";

static const struct option options[] = {
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 }
};

/* An access line. */
struct counts {
	u64 ip, writes, reads;
	u32 pid;
};

/* An object and its access lines. */
struct object {
	u64 alloc_site, ptr, alloc_jiffies, free_jiffies, free_site;
	u32 state, pid, bytes_req;
	u32 nr, room;
	struct counts *counts;
	char comm[TRACE_COMM_SIZE];
};

/**
 * struct record - what is known of a record of the kernel's pool
 * @id: its id
 * @retired: the object that was retired last, NULL if it has been written
 * @shown: the object in the last complete snapshot, NULL if it has been retired since
 * @next: the same of the snapshot in progress
 * @latest: the one of them that came last, which counts belong to
 * @gap: number of gaps when that came
 */
struct record {
	u64 id, gap;
	struct object *retired, *shown, *next, *latest;
};

/**
 * struct rebuild - a KMAP in the making
 * @records: struct record by id
 * @cpus: CPU and whether it is in a gap
 * @snapshot: number of the snapshot in progress, 0: none
 * @gap: is increased by each gap in which any events may be missing, and at its end
 * @gaps: how many CPUs are in one
 * @orphans: counts of which the object did not come, or perhaps did not
 */
struct rebuild {
	struct hash records, cpus;
	u32 snapshot;
	u64 gap, gaps, orphans;
};

/* Comm as in the kernel's file: anything unprintable, and the backslash, is escaped. */
static void write_comm(const char *comm)
{
	for (; *comm; comm++) {
		if (*comm == '\\')
			printf("\\\\");
		else if (*comm >= ' ' && *comm <= '~')
			putchar(*comm);
		else
			printf("\\x%02x", (unsigned char)*comm);
	}
}

static void write_object(const struct object *o)
{
	bool live = o->state == TRACE_LIVE;
	const struct counts *c;

	printf("%llx,%u,%llx,%u,%llu,%llu,%llx,", o->alloc_site, o->pid, o->ptr, o->bytes_req,
	       o->alloc_jiffies, live ? 0 : o->free_jiffies,
	       live ? 0 : o->state == TRACE_BURIED ? KMAP_IP_OVERWRITTEN : o->free_site);
	write_comm(o->comm);
	putchar('\n');
	for (c = o->counts; c < o->counts + o->nr; c++)
		printf("  %llx,%u,%llu,%llu\n", c->ip, c->pid, c->writes, c->reads);
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

static void write_out(struct record *r, struct object **o)
{
	if (*o)
		write_object(*o);
	drop(r, o);
}

static struct object *copy_object(const struct trace_event *e)
{
	struct object *o = kmap_array(NULL, 1, sizeof(*o));

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

	write_out(r, &r->retired);
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
		o->counts = kmap_array(o->counts, o->room, sizeof(*o->counts));
	}
	o->counts[o->nr++] = (struct counts){ e->u.counts.ip, e->u.counts.writes,
					      e->u.counts.reads, e->u.counts.pid };
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

static void add_event(struct rebuild *b, const struct trace_event *e)
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

static void write_rest(struct rebuild *b)
{
	struct record *r;
	u32 i;

	for (i = 0; i < b->records.nr; i++) {
		r = hash_item(&b->records, i);
		write_out(r, &r->retired);
		write_out(r, &r->shown);
		drop(r, &r->next);
	}
}

/* Tells of what is missing in the KMAP; returns the exit status for it. */
static int tell(const struct rebuild *b, const struct trace *t, const char *dir)
{
	bool incomplete = trace_tell(t);

	if (b->orphans)
		fprintf(stderr, "memorizer: %s: left out %llu counts, which have no object\n", dir,
			b->orphans);
	if (b->snapshot)
		fprintf(stderr, "memorizer: %s: left out snapshot %u, which is not complete\n", dir,
			b->snapshot);
	return incomplete || b->orphans || b->snapshot ? EXIT_INCOMPLETE : EXIT_FINE;
}

static int rebuild(const char *dir)
{
	char error[KMAP_ERROR_MAX];
	struct rebuild b = { 0 };
	struct trace_event e;
	struct trace *t;
	int status;

	t = trace_open(dir, error);
	if (!t) {
		fprintf(stderr, "memorizer: %s\n", error);
		return EXIT_UNABLE;
	}
	hash_init(&b.records, sizeof(struct record), sizeof(u64));
	hash_init(&b.cpus, 2 * sizeof(u64), sizeof(u64));
	while (trace_next(t, &e))
		add_event(&b, &e);
	write_rest(&b);
	status = tell(&b, t, dir);
	hash_free(&b.records);
	hash_free(&b.cpus);
	trace_close(t);
	return status;
}

static int run(int argc, char **argv)
{
	int option;

	while ((option = getopt_long(argc, argv, "h", options, NULL)) != -1) {
		switch (option) {
		case 'h':
			print_usage(&command_kmap);
			return EXIT_FINE;
		default:
			return usage_error("kmap");
		}
	}
	if (optind != argc - 1) {
		fprintf(stderr, "memorizer kmap: %d traces: want one directory\n", argc - optind);
		return usage_error("kmap");
	}
	return rebuild(argv[optind]);
}

const struct command command_kmap = {
	.name = "kmap",
	.summary = "write the KMAP that a trace amounts to",
	.usage = usage,
	.run = run,
};
