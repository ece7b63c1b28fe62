// SPDX-License-Identifier: GPL-2.0
/* memorizer check: checks the format of a trace and the plausibility of its events. */
#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "lib/hash.h"
#include "lib/source.h"
#include "lib/stats.h"
#include "options.h"
#include "report/engine.h"
#include "report/kmap-check.h"
#include "report/violations.h"
#include "trace/trace.h"
#include "trace/tracker.h"

static const char * const usage[] = {
	"memorizer check [OPTION...] DIR|KMAP|-",
	"",
	"Checks a trace: packets, the order of time, frees, overlaps, tasks, caches, objects,",
	"snapshots and sums; or a KMAP: lines and their order, duplicates and overlaps. Lists",
	"the first 20 violations of each kind, and a summary. Exit status: 0 without",
	"violations, 1 with violations, 2 if the input cannot be read, 3 without violations if",
	"the trace is incomplete.",
	NULL
};

/* Kinds of violations. */
enum kind {
	PACKETS, TIME, VALUE, FREE, OVERLAP, TASK, CACHE, COUNTS, STACK, SNAPSHOT, SUMS, KINDS
};

static const char * const kind_names[KINDS + 1] = {
	[PACKETS] = "packets", [TIME] = "time", [VALUE] = "value", [FREE] = "free",
	[OVERLAP] = "overlap", [TASK] = "task", [CACHE] = "cache", [COUNTS] = "counts",
	[STACK] = "stack", [SNAPSHOT] = "snapshot", [SUMS] = "sums",
};

static_assert(KINDS <= VIOLATION_KINDS);

/* State of a CPU. */
struct cpu {
	u64 key;
	u64 last;			/* time of its last event */
	u64 earliest, latest;		/* event times of its current packet */
	u64 earliest_nr, latest_nr;	/* their event numbers, 0: none yet */
};

/* The last counts of an object's record, and when they came. */
struct record {
	u64 key;
	u64 ip, pid;
	bool counted;
	u32 stamp;
};

/* The depth after the last frame of a stack. */
struct next_frame {
	u64 stack;
	u32 depth;
};

/**
 * struct check - state of the check
 * @trace: the trace
 * @by_kernel: the kernel wrote the trace, not the QEMU plugin
 * @violations: what was found
 * @types: number of events of each type
 * @broken: packets are damaged or missing
 * @uncertain: number of contradictions that lost events may explain
 * @cpus: struct cpu by number
 * @pids: announced tasks
 * @caches: announced caches
 * @records: struct record by the record's id
 * @stacks: struct next_frame by stack
 * @memory: live memory, by group
 * @period: incremented where events are missing, from 1; events of different periods never
 *	    contradict each other
 * @loss_period: the trace's period
 * @since_switch: the period that the last switch started
 * @allocations: allocations are traced
 * @snapshot: number of the snapshot in progress, 0: none
 * @snapshot_objects: its object events so far
 * @snapshot_period: period in which it started
 * @last_snapshot: number of the last snapshot that started
 * @earlier_frees: frees without an allocation in the trace: allocated before the trace, by the
 *		   boot allocator, or while events were lost
 */
struct check {
	struct trace *trace;
	bool by_kernel;
	struct violations violations;
	u64 types[TRACE_TYPES], uncertain;
	bool broken;
	struct hash cpus, pids, caches, records, stacks;
	struct live memory[TRACKER_GROUPS];
	u32 period, loss_period, since_switch;
	bool allocations;
	u32 snapshot, last_snapshot, snapshot_period;
	u64 snapshot_objects;
	u64 earlier_frees;
};

/* Report a violation in event @e; if @e is NULL, the text has the position. */
__printf(4, 5)
static void violation(struct check *c, enum kind kind, const struct trace_event *e,
		      const char *format, ...)
{
	struct violation_place place = { };
	va_list args;

	if (e) {
		snprintf(place.text, sizeof(place.text), "event %llu (cpu%u, %llu.%09llu): ",
			 e->nr, e->cpu, e->time / 1000000000, e->time % 1000000000);
		snprintf(place.json, sizeof(place.json),
			 ", \"event\": %llu, \"cpu\": %u, \"time\": %llu", e->nr, e->cpu, e->time);
	}
	va_start(args, format);
	violations_add(&c->violations, kind, &place, format, args);
	va_end(args);
}

static struct cpu *find_cpu(struct check *c, u32 nr)
{
	u64 key = nr;
	bool new;

	return hash_item(&c->cpus, hash_get(&c->cpus, &key, &new));
}

static void check_time(struct check *c, const struct trace_event *e)
{
	struct cpu *cpu = find_cpu(c, e->cpu);

	if (e->time < cpu->last)
		violation(c, TIME, e, "%llu ns before the event before it on this CPU",
			  cpu->last - e->time);
	cpu->last = e->time;
	if (!cpu->earliest_nr || e->time < cpu->earliest) {
		cpu->earliest = e->time;
		cpu->earliest_nr = e->nr;
	}
	if (!cpu->latest_nr || e->time > cpu->latest) {
		cpu->latest = e->time;
		cpu->latest_nr = e->nr;
	}
}

/* The end of a packet has the times of its first and last event. */
static void check_enclosed(struct check *c, const struct trace_event *e)
{
	struct cpu *cpu = find_cpu(c, e->cpu);
	struct trace_event at = *e;

	if (cpu->earliest_nr && cpu->earliest < e->u.packet.begin) {
		at.nr = cpu->earliest_nr;
		at.time = cpu->earliest;
		violation(c, TIME, &at, "before its packet begins, at %llu ns", e->u.packet.begin);
	}
	if (cpu->latest_nr && cpu->latest > e->u.packet.end) {
		at.nr = cpu->latest_nr;
		at.time = cpu->latest;
		violation(c, TIME, &at, "after its packet ends, at %llu ns", e->u.packet.end);
	}
	cpu->earliest_nr = 0;
	cpu->latest_nr = 0;
}

/* Add a number to a set; returns false if the set has it already. */
static bool announce(struct hash *set, u64 nr)
{
	bool new;

	hash_get(set, &nr, &new);
	return new;
}

/*
 * The QEMU plugin writes pid 0 until the guest announces a task. The kernel announces pid 0 as
 * well.
 */
static void check_pid(struct check *c, const struct trace_event *e, u32 pid)
{
	if (!pid && !c->by_kernel)
		return;
	/* The task event may have been lost. Each pid is reported once. */
	if (announce(&c->pids, pid) && !c->types[TRACE_DISCARDED] && e->certain)
		violation(c, TASK, e, "pid %u: no task event came before", pid);
}

static void check_cache(struct check *c, const struct trace_event *e, u64 cache)
{
	if (cache && announce(&c->caches, cache) && !c->types[TRACE_DISCARDED] && e->certain)
		violation(c, CACHE, e, "cache %llx: no cache event came before", cache);
}

/* Look up the map of live memory for this kind. */
static struct live *memory_of(struct check *c, u32 kind)
{
	return c->memory + tracker_group(kind);
}

/* Check that a range is plausible and can be tracked. */
static bool check_range(struct check *c, const struct trace_event *e, u32 kind, u64 ptr, u32 bytes)
{
	if (tracker_is_range(kind, ptr, bytes))
		return true;
	violation(c, VALUE, e, "%u bytes at %llx: want 1 to %llu, within the address space", bytes,
		  ptr, tracker_bytes_max(kind));
	return false;
}

/* Stamp of an event: its period, and whether events may be missing then. */
static u32 stamp_of(const struct check *c, const struct trace_event *e)
{
	return 2 * c->period + e->certain;
}

/* Is state with @stamp still valid at @e? */
static bool holds(const struct check *c, const struct trace_event *e, u32 stamp)
{
	return e->certain && stamp == stamp_of(c, e);
}

/* If not, may lost events be the reason? */
static bool is_doubt(const struct check *c, u32 stamp)
{
	return stamp / 2 >= c->since_switch;
}

/*
 * Search for a contradiction among known ranges: the first one found, and whether a loss may
 * explain another.
 */
struct search {
	const struct check *check;
	const struct trace_event *e;
	bool live, doubt;
	const struct live_range *found;
	u64 start, end;
};

static void search_range(void *data, const struct live_range *range)
{
	struct search *s = data;

	if (s->found || range->live != s->live)
		return;
	if (!holds(s->check, s->e, range->period)) {
		s->doubt |= is_doubt(s->check, range->period);
		return;
	}
	s->found = range;
	s->start = range->start;
	s->end = live_end(range);
}

static void check_alloc(struct check *c, const struct trace_event *e)
{
	u64 ptr = e->u.alloc.ptr, end = ptr + (e->u.alloc.bytes_alloc - 1);
	struct search s = { .check = c, .e = e, .live = true };
	u32 kind = e->u.alloc.kind;

	check_pid(c, e, e->u.alloc.pid);
	check_cache(c, e, e->u.alloc.cache);
	if (kind >= TRACE_KINDS)
		violation(c, VALUE, e, "alloc of kind %u: want 0 to %u", kind,
			  TRACE_KINDS - 1);
	if (e->u.alloc.bytes_req > e->u.alloc.bytes_alloc)
		violation(c, VALUE, e, "%u bytes allocated, %u requested", e->u.alloc.bytes_alloc,
			  e->u.alloc.bytes_req);
	if (!check_range(c, e, kind, ptr, e->u.alloc.bytes_alloc))
		return;
	live_visit(memory_of(c, kind), ptr, end, search_range, &s);
	if (s.found)
		violation(c, OVERLAP, e, "%llx to %llx: %llx to %llx is live since event %llu",
			  ptr, end, s.start, s.end, s.found->nr);
	else
		c->uncertain += s.doubt;
	live_set(memory_of(c, kind), ptr, end, true, stamp_of(c, e), e->nr);
}

/* Pages can be freed in pieces other than the allocated ones. */
static void check_free_pages(struct check *c, const struct trace_event *e)
{
	u64 ptr = e->u.free.ptr, end = ptr + (e->u.free.bytes - 1);
	struct search freed = { .check = c, .e = e, .live = false };
	struct search live = { .check = c, .e = e, .live = true };
	struct live *l = memory_of(c, TRACE_PAGES);

	live_visit(l, ptr, end, search_range, &freed);
	live_visit(l, ptr, end, search_range, &live);
	if (freed.found)
		violation(c, FREE, e, "%llx to %llx: %llx to %llx is free since event %llu", ptr,
			  end, freed.start, freed.end, freed.found->nr);
	else if (!live.found)
		c->earlier_frees++;
	c->uncertain += !freed.found && freed.doubt;
	live_set(l, ptr, end, false, stamp_of(c, e), e->nr);
}

static void check_free_object(struct check *c, const struct trace_event *e)
{
	struct live *l = memory_of(c, e->u.free.kind);
	u64 ptr = e->u.free.ptr, end;
	const struct live_range *range = live_find(l, ptr);

	if (!range || !holds(c, e, range->period)) {
		c->earlier_frees++;
		c->uncertain += range && is_doubt(c, range->period) &&
				(!range->live || range->start != ptr || !range->first);
		/* What is known of this memory may be outdated. */
		range = NULL;
	} else if (!range->live) {
		violation(c, FREE, e, "%llx: is free since event %llu", ptr, range->nr);
	} else if (range->start != ptr || !range->first) {
		violation(c, FREE, e, "%llx: lies within %llx to %llx, live since event %llu", ptr,
			  range->start, live_end(range), range->nr);
		return;
	}
	end = range && range->live ? live_end(range) : ptr + (e->u.free.bytes - 1);
	live_set(l, ptr, end, false, stamp_of(c, e), e->nr);
}

static void check_free(struct check *c, const struct trace_event *e)
{
	check_pid(c, e, e->u.free.pid);
	check_cache(c, e, e->u.free.cache);
	if (e->u.free.kind >= TRACE_KINDS)
		violation(c, VALUE, e, "free of kind %u: want 0 to %u", e->u.free.kind,
			  TRACE_KINDS - 1);
	if (!check_range(c, e, e->u.free.kind, e->u.free.ptr, e->u.free.bytes))
		return;
	if (e->u.free.kind == TRACE_PAGES)
		check_free_pages(c, e);
	else
		check_free_object(c, e);
}

static void check_object_state(struct check *c, const struct trace_event *e)
{
	u32 state = e->u.object.state;

	if (state < TRACE_LIVE || state > TRACE_BURIED)
		violation(c, VALUE, e, "object in state %u: want 1 to 3", state);
	else if (state == TRACE_LIVE && !e->u.object.snapshot)
		violation(c, VALUE, e, "object %u is retired and live", e->u.object.object);
	else if (state == TRACE_LIVE && (e->u.object.free_jiffies || e->u.object.free_site))
		violation(c, VALUE, e, "object %u is live and was freed at %llu by %llx",
			  e->u.object.object, e->u.object.free_jiffies, e->u.object.free_site);
	else if (state != TRACE_LIVE && e->u.object.free_jiffies < e->u.object.alloc_jiffies)
		violation(c, VALUE, e, "object %u was freed at %llu, allocated at %llu",
			  e->u.object.object, e->u.object.free_jiffies,
			  e->u.object.alloc_jiffies);
}

static struct record *find_record(struct check *c, u32 id, bool *new)
{
	u64 key = id;

	return hash_item(&c->records, hash_get(&c->records, &key, new));
}

/* The frames of a stack come in order; each description of a stack begins with depth 0. */
static void check_frame(struct check *c, const struct trace_event *e)
{
	u64 stack = e->u.frame.stack;
	u32 depth = e->u.frame.depth;
	struct next_frame *next;
	bool new;

	next = hash_item(&c->stacks, hash_get(&c->stacks, &stack, &new));
	if (depth >= KMAP_STACK_MAX)
		violation(c, VALUE, e, "frame %u of stack %llx: want 0 to %u", depth, stack,
			  KMAP_STACK_MAX - 1);
	else if (depth && depth != next->depth && !c->types[TRACE_DISCARDED] && e->certain)
		violation(c, STACK, e, "frame %u of stack %llx: want 0 or %u", depth, stack,
			  next->depth);
	next->depth = depth + 1;
}

/* An object's stack must be described before it, and begin with its call site. */
static void check_stack(struct check *c, const struct trace_event *e)
{
	u64 stack = e->u.object.stack;
	u32 i;

	/* The frames may have been lost, or be in an earlier part. */
	if (!stack || e->u.object.frames || c->types[TRACE_DISCARDED] || trace_is_part(c->trace))
		return;
	if (hash_find(&c->stacks, &stack, &i))
		violation(c, STACK, e, "object %u: stack %llx does not begin with alloc_site %llx",
			  e->u.object.object, stack, e->u.object.alloc_site);
	else
		violation(c, STACK, e, "object %u: stack %llx was not described before",
			  e->u.object.object, stack);
}

static void check_object(struct check *c, const struct trace_event *e)
{
	bool new;

	/* Another object under this number: the order of its counts starts again. */
	find_record(c, e->u.object.object, &new)->counted = false;
	check_object_state(c, e);
	check_stack(c, e);
	if (!e->u.object.snapshot)
		return;
	c->snapshot_objects++;
	if (e->u.object.snapshot != c->snapshot && !c->types[TRACE_DISCARDED])
		violation(c, SNAPSHOT, e, "object %u of snapshot %u: %u is in progress",
			  e->u.object.object, e->u.object.snapshot, c->snapshot);
}

static void check_counts(struct check *c, const struct trace_event *e)
{
	bool new;
	struct record *r = find_record(c, e->u.counts.object, &new);

	/* The object event may have been lost, or be in an earlier part. */
	if (new && !c->types[TRACE_DISCARDED] && !trace_is_part(c->trace))
		violation(c, COUNTS, e, "object %u: no object event came before",
			  e->u.counts.object);
	else if (r->counted && holds(c, e, r->stamp) &&
		 (r->ip > e->u.counts.ip ||
		  (r->ip == e->u.counts.ip && r->pid >= e->u.counts.pid)))
		violation(c, COUNTS, e, "object %u: (%llx, %u) after (%llx, %llu)",
			  e->u.counts.object, e->u.counts.ip, e->u.counts.pid, r->ip, r->pid);
	r->counted = true;
	r->stamp = stamp_of(c, e);
	r->ip = e->u.counts.ip;
	r->pid = e->u.counts.pid;
}

static void check_snapshot(struct check *c, const struct trace_event *e)
{
	u32 nr = e->u.snapshot.snapshot;
	bool lossless = !c->types[TRACE_DISCARDED];

	if (!e->u.snapshot.complete) {
		if (c->snapshot && lossless)
			violation(c, SNAPSHOT, e, "%u begins, %u has not ended", nr, c->snapshot);
		if (nr <= c->last_snapshot)
			violation(c, SNAPSHOT, e, "%u begins after %u", nr, c->last_snapshot);
		c->snapshot = nr;
		c->last_snapshot = nr;
		c->snapshot_objects = 0;
		c->snapshot_period = stamp_of(c, e);
		return;
	}
	if (c->snapshot != nr) {
		if (lossless)
			violation(c, SNAPSHOT, e, "%u ends, %u is in progress", nr, c->snapshot);
	} else if (c->snapshot_objects != e->u.snapshot.objects &&
		   holds(c, e, c->snapshot_period)) {
		violation(c, SNAPSHOT, e, "%u has %llu objects, %llu came", nr,
			  e->u.snapshot.objects, c->snapshot_objects);
	}
	c->snapshot = 0;
}

/* While allocations are not traced, any memory may be allocated and freed. */
static void check_switch(struct check *c, const struct trace_event *e)
{
	bool on = e->u.switches.allocations;

	if (on == c->allocations)
		return;
	c->allocations = on;
	c->since_switch = ++c->period;
}

/* Enumerators start at 1. */
static void check_enumerator(struct check *c, const struct trace_event *e, const char *name,
			     u32 value, u32 max)
{
	if (value < 1 || value > max)
		violation(c, VALUE, e, "%s of %s %u: want 1 to %u", trace_type_name(e->type), name,
			  value, max);
}

static void check_event(struct check *c, const struct trace_event *e)
{
	c->types[e->type]++;
	if (e->period != c->loss_period) {
		c->loss_period = e->period;
		c->period++;
	}
	if (!trace_is_pseudo(e->type))
		check_time(c, e);
	switch (e->type) {
	case TRACE_TASK:
		announce(&c->pids, e->u.task.pid);
		break;
	case TRACE_CACHE:
		announce(&c->caches, e->u.cache.cache);
		break;
	case TRACE_ALLOC:
		check_alloc(c, e);
		break;
	case TRACE_FREE:
		check_free(c, e);
		break;
	case TRACE_OBJECT:
		check_object(c, e);
		break;
	case TRACE_COUNTS:
		check_counts(c, e);
		break;
	case TRACE_ACCESS:
		check_pid(c, e, e->u.access.pid);
		check_enumerator(c, e, "kind", e->u.access.kind, TRACE_UPDATE);
		break;
	case TRACE_TRAFFIC:
		check_pid(c, e, e->u.traffic.pid);
		check_enumerator(c, e, "kind", e->u.traffic.kind, TRACE_UPDATE);
		break;
	case TRACE_ENTER:
	case TRACE_LEAVE:
		check_pid(c, e, e->u.entry.pid);
		check_enumerator(c, e, "kind", e->u.entry.kind, TRACE_NMI);
		break;
	case TRACE_LOCK:
		check_pid(c, e, e->u.lock.pid);
		check_enumerator(c, e, "op", e->u.lock.op, TRACE_RELEASE);
		break;
	case TRACE_RCU_FREE:
		check_pid(c, e, e->u.rcu_free.pid);
		break;
	case TRACE_MARK:
		check_pid(c, e, e->u.mark.pid);
		break;
	case TRACE_SWITCH:
		check_switch(c, e);
		break;
	case TRACE_FRAME:
		check_frame(c, e);
		break;
	case TRACE_SNAPSHOT:
		check_snapshot(c, e);
		break;
	case TRACE_DISCARDED:
		c->broken |= e->u.discarded.packets;
		break;
	case TRACE_FAULT:
		violation(c, PACKETS, NULL, "%s", e->u.fault.text);
		c->broken |= e->u.fault.incomplete;
		break;
	case TRACE_PACKET:
		check_enclosed(c, e);
		break;
	default:
		break;
	}
}

static u64 events(const struct check *c)
{
	u64 sum = 0;
	int i;

	for (i = 0; i < TRACE_TYPES; i++)
		if (!trace_is_pseudo(i))
			sum += c->types[i];
	return sum;
}

/*
 * Compare with the kernel's counters. The recorder saves how many events it filtered and how many
 * were read before it started. Older recorders do not: then only the first trace after boot can be
 * compared.
 */
static void check_stats(struct check *c, const char *stats, const char *recorder)
{
	u64 produced, read, lost, buffered, unwanted = 0, before = 0, left_out = 0, all = events(c);
	bool whole = find_stat(recorder, "events_read_before", &before) ||
		     (trace_streams(c->trace) && trace_from_start(c->trace));

	if (!find_stat(stats, "stream_produced", &produced) ||
	    !find_stat(stats, "stream_read", &read) || !find_stat(stats, "stream_lost", &lost) ||
	    !find_stat(stats, "stream_buffered", &buffered)) {
		violation(c, SUMS, NULL, "kernel/show_stats has no lines stream_...");
		return;
	}
	find_stat(recorder, "events_not_chosen", &unwanted);
	/* The recorder writes the last two lines only if packets are missing. */
	whole = whole && !c->broken && trace_is_whole(c->trace) &&
		!find_stat(recorder, "bytes_left_out", &left_out) &&
		!find_stat(recorder, "packets_dropped", &left_out);
	all += unwanted;
	read -= before;
	if (produced != before + read + lost + buffered)
		violation(c, SUMS, NULL,
			  "%llu events produced, but %llu read, %llu lost and %llu buffered",
			  produced, before + read, lost, buffered);
	/* An incomplete trace has fewer events than were read, but never more. */
	if (whole ? all != read : all > read)
		violation(c, SUMS, NULL, "%llu events in the trace%s, %llu read from the kernel",
			  all, unwanted ? " or not chosen" : "", read);
	if (trace_lost(c->trace) > lost)
		violation(c, SUMS, NULL, "%llu events lost by the packets, %llu by the kernel",
			  trace_lost(c->trace), lost);
}

/* Compare with the counters at the end of the recording, if the trace is complete. */
static void check_sums(struct check *c, const char *dir)
{
	char *stats = trace_is_joined(c->trace) ? NULL : source_text(dir, "kernel/show_stats");
	char *recorder = source_text(dir, "kernel/recorder");

	if (stats && !trace_unfinished(c->trace))
		check_stats(c, stats, recorder ? recorder : "");
	free(recorder);
	free(stats);
}

static void print_summary(const struct check *c)
{
	violations_print_unlisted(&c->violations);
	printf("%llu events in %llu packets of %u CPUs, %llu lost, %llu frees of earlier memory: ",
	       events(c), trace_packets(c->trace), trace_streams(c->trace), trace_lost(c->trace),
	       c->earlier_frees);
	violations_print_sum(&c->violations);
	if (c->uncertain)
		printf(", %llu that losses may explain", c->uncertain);
	printf("%s\n", trace_incomplete(c->trace) ? ", incomplete" : "");
}

static void print_json(const struct check *c)
{
	int i;

	violations_end_list(&c->violations, trace_incomplete(c->trace));
	printf("\t\"events\": %llu,\n\t\"packets\": %llu,\n", events(c), trace_packets(c->trace));
	printf("\t\"cpus\": %u,\n\t\"lost\": %llu,\n\t\"earlier_frees\": %llu,\n",
	       trace_streams(c->trace), trace_lost(c->trace), c->earlier_frees);
	printf("\t\"uncertain\": %llu,\n\t\"types\": {", c->uncertain);
	for (i = 0; i < TRACE_DISCARDED; i++)
		printf("\"%s\": %llu, ", trace_type_name(i), c->types[i]);
	printf("\"unknown\": %llu},\n", c->types[TRACE_UNKNOWN]);
	violations_end(&c->violations);
}

static void init(struct check *c)
{
	int g;

	c->by_kernel = trace_env_text(c->trace, "kernel_release");
	c->period = 1;
	c->loss_period = 1;
	hash_init(&c->cpus, sizeof(struct cpu), sizeof(u64));
	hash_init(&c->pids, sizeof(u64), sizeof(u64));
	hash_init(&c->caches, sizeof(u64), sizeof(u64));
	hash_init(&c->stacks, sizeof(struct next_frame), sizeof(u64));
	hash_init(&c->records, sizeof(struct record), sizeof(u64));
	for (g = 0; g < TRACKER_GROUPS; g++)
		live_init(c->memory + g);
}

static void release(struct check *c)
{
	int g;

	hash_free(&c->cpus);
	hash_free(&c->pids);
	hash_free(&c->caches);
	hash_free(&c->stacks);
	hash_free(&c->records);
	for (g = 0; g < TRACKER_GROUPS; g++)
		live_free(c->memory + g);
}

/* Memory that was idle for long is not cached. */
static void prefetch(struct check *c)
{
	const struct trace_event *e = trace_peek(c->trace);

	if (e && e->type == TRACE_ALLOC)
		live_prefetch(memory_of(c, e->u.alloc.kind), e->u.alloc.ptr);
	else if (e && e->type == TRACE_FREE)
		live_prefetch(memory_of(c, e->u.free.kind), e->u.free.ptr);
}

static bool begin(struct engine *g)
{
	struct check *c = g->data;

	c->trace = g->trace;
	init(c);
	violations_begin(&c->violations);
	/* For check_enclosed(). */
	trace_show_packets(c->trace);
	return true;
}

static bool take(void *data, const struct trace_event *e)
{
	struct check *c = data;

	prefetch(c);
	check_event(c, e);
	return true;
}

static int end(struct engine *g, int status)
{
	struct check *c = g->data;

	if (c->snapshot && !c->types[TRACE_DISCARDED])
		violation(c, SNAPSHOT, NULL, "%u has not ended", c->snapshot);
	check_sums(c, g->name);
	if (c->violations.json)
		print_json(c);
	else
		print_summary(c);
	trace_warn_unfinished(c->trace);
	if (violations_sum(&c->violations))
		status = EXIT_MALFORMED;
	else if (trace_incomplete(c->trace))
		status = EXIT_INCOMPLETE;
	release(c);
	return status;
}

static int run(int argc, char **argv)
{
	static const struct engine_ops ops = { .begin = begin, .event = take, .end = end };
	struct check c = { .violations.kinds = kind_names };
	struct engine g = { .ops = &ops, .data = &c, .plain = true };
	const struct option options[] = {
		OPT_BOOLEAN('a', "all", &c.violations.all, "list all violations"),
		OPT_BOOLEAN('j', "json", &c.violations.json, "print JSON"),
		OPT_HELP(),
		OPT_END()
	};
	const char *input;

	argc = options_parse(&command_check, argc, argv, options, 0);
	input = input_name(argc, argv);
	if (!input) {
		fprintf(stderr,
			"memorizer check: %d traces: want one directory, or the parts of one, or a KMAP\n",
			argc);
		return usage_error("check");
	}
	if (!input_is_trace(input))
		return kmap_check(argv, c.violations.all, c.violations.json);
	return engine_run(&g, input);
}

const struct command command_check = {
	.name = "check",
	.summary = "check the consistency of a trace or a KMAP",
	.usage = usage,
	.run = run,
};
