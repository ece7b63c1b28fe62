// SPDX-License-Identifier: GPL-2.0
/*
 * Merges the streams of a trace into one sequence of events.
 *
 * Each stream has two batches: one is being merged while a thread decodes into the other.
 * The order of events depends on the files only, not on the threads: events are merged by
 * time, then by CPU. Events of one CPU keep the order in which they were written, even if
 * its time goes backwards.
 */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/error.h"
#include "lib/progress.h"
#include "lib/stats.h"
#include "trace/stacks.h"
#include "trace/stream.h"
#include "trace/trace.h"

#define ABI_VERSION	1
#define BATCH_MIN	64u		/* events */
#define BATCH_MAX	512u
#define BATCH_ALL	65536u		/* events of all streams together, approximately */
#define STACK_SIZE	(256 * 1024)	/* of a thread, in bytes */
#define AHEAD		8u		/* distance of the event returned by trace_peek() */
#define NOTES_MAX	20		/* faults that are reported individually */

/* State of the batch that is not being merged. */
enum work { WORK_NONE, WORK_QUEUED, WORK_BUSY, WORK_DONE };

/**
 * struct input - a stream being merged
 * @stream: decoder of the CPU's files
 * @batches: the batch being merged, and the one being filled
 * @front: index of the batch being merged
 * @next: index of the next event in that batch
 * @work: state of the other batch; guarded by @lock of struct trace
 * @after: next input in the queue; guarded by @lock of struct trace
 * @missing: the stream is in a gap, between TRACE_DISCARDED and TRACE_RESUMED
 */
struct input {
	struct stream stream;
	struct batch batches[2];
	u32 front, next;
	enum work work;
	struct input *after;
	bool missing;
};

/**
 * struct trace - a trace being read
 * @dir: name of the trace
 * @prefix: prefix of file names in messages
 * @recorders: text of kernel/recorder of each part
 * @nr_parts: number of parts; 1 if the trace is not split
 * @first_number: packets_before() of the earliest part
 * @metadata: parsed metadata
 * @layout: layout of packets and events
 * @inputs: the streams, without empty ones
 * @nr_inputs: number of @inputs
 * @heap: inputs that have an event, as a heap with the earliest on top
 * @nr_heap: number of inputs in @heap
 * @begun: @heap is valid
 * @held: trace_next() returned the top of @heap, but did not remove it yet
 * @packets: return TRACE_PACKET, too
 * @fed: the caller passes packets to trace_feed()
 * @until: time of the last event to return for now, in ns
 * @nr: number of the last event
 * @stacks: stacks of allocations so far
 * @nr_missing: number of inputs that are in a gap
 * @period: see struct trace_event
 * @nr_packets: packets read so far
 * @lost: lost events that packets reported so far
 * @lost_packets: missing packets so far
 * @from_start: each stream has its first packet
 * @unfinished: the recorder did not terminate properly
 * @complete_since: time from which the part of a recording has all events, in ns; 0 if it
 *		    starts with the recording
 * @complete_until: time until which it has all events, in ns; U64_MAX if it ends with it
 * @notes: the first faults
 * @nr_notes: number of faults that make the trace incomplete
 * @bytes_total: size of all files in bytes
 * @bytes_done: bytes merged so far
 * @lock: guards the following members, and @work and @after of each input
 * @wanted: signals a queued input or @stop
 * @filled: signals a filled batch
 * @first: first input in the queue for filling
 * @last: last input in the queue
 * @stop: threads must exit
 * @threads: threads that fill batches
 * @nr_threads: number of @threads
 */
struct trace {
	char *dir, *prefix;
	char **recorders;
	u32 nr_parts;
	u64 first_number;
	struct metadata metadata;
	struct layout layout;
	struct input *inputs, **heap;
	u32 nr_inputs, nr_heap;
	bool begun, held, packets, fed;
	u64 until;
	u64 nr;
	struct stacks stacks;
	u32 nr_missing, period;
	u64 nr_packets, lost, lost_packets;
	bool from_start, unfinished;
	u64 complete_since, complete_until;
	char *notes[NOTES_MAX];
	u64 nr_notes;
	u64 bytes_total, bytes_done;
	pthread_mutex_t lock;
	pthread_cond_t wanted, filled;
	struct input *first, *last;
	bool stop;
	pthread_t *threads;
	u32 nr_threads;
};

static struct batch *front(struct input *in)
{
	return in->batches + in->front;
}

static struct batch *back(struct input *in)
{
	return in->batches + !in->front;
}

/* Body of a thread: fill the batches of queued inputs. */
static void *fill_batches(void *data)
{
	struct trace *t = data;
	struct input *in;

	pthread_mutex_lock(&t->lock);
	while (!t->stop) {
		in = t->first;
		if (!in) {
			pthread_cond_wait(&t->wanted, &t->lock);
			continue;
		}
		t->first = in->after;
		in->work = WORK_BUSY;
		/* WORK_BUSY makes this thread the owner of the batch and the stream. */
		pthread_mutex_unlock(&t->lock);
		stream_fill(&in->stream, back(in));
		pthread_mutex_lock(&t->lock);
		in->work = WORK_DONE;
		pthread_cond_broadcast(&t->filled);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

static void unqueue(struct trace *t, const struct input *in)
{
	struct input **at = &t->first;

	t->last = NULL;
	while (*at != in) {
		t->last = *at;
		at = &(*at)->after;
	}
	*at = in->after;
	while (*at) {
		t->last = *at;
		at = &(*at)->after;
	}
}

static void enqueue(struct trace *t, struct input *in)
{
	in->after = NULL;
	if (t->first)
		t->last->after = in;
	else
		t->first = in;
	t->last = in;
	in->work = WORK_QUEUED;
	pthread_cond_signal(&t->wanted);
}

/* Switch to the next batch of an input. It is empty at the end of the stream. */
static void next_batch(struct trace *t, struct input *in)
{
	/* @bytes is an offset in the stream: replace it instead of adding. */
	t->bytes_done -= front(in)->bytes;
	pthread_mutex_lock(&t->lock);
	while (in->work == WORK_BUSY)
		pthread_cond_wait(&t->filled, &t->lock);
	/* No thread has claimed it: fill it here instead of waiting. */
	if (in->work == WORK_QUEUED) {
		unqueue(t, in);
		in->work = WORK_NONE;
	}
	if (in->work == WORK_NONE) {
		pthread_mutex_unlock(&t->lock);
		stream_fill(&in->stream, back(in));
		pthread_mutex_lock(&t->lock);
	}
	/* The old batch is only refilled from here on: its events were valid until now. */
	in->front = !in->front;
	in->next = 0;
	in->work = WORK_NONE;
	/* Without threads, the batch is filled when it is needed. */
	if (t->nr_threads && !in->stream.ended)
		enqueue(t, in);
	pthread_mutex_unlock(&t->lock);
	t->bytes_done += front(in)->bytes;
	progress_at(t->bytes_done);
}

static const struct trace_event *head(const struct input *in)
{
	return in->batches[in->front].events + in->next;
}

/* Advance an input to its next event. Returns false at the end of the stream. */
static bool advance(struct trace *t, struct input *in)
{
	in->next++;
	for (;;) {
		if (in->next >= front(in)->nr) {
			next_batch(t, in);
			if (!front(in)->nr)
				return false;
		}
		if (head(in)->type != TRACE_PACKET)
			return true;
		/* Count packets here, since most callers do not get the event. */
		t->nr_packets++;
		if (t->packets)
			return true;
		in->next++;
	}
}

static bool before(const struct input *a, const struct input *b)
{
	u64 time_a = head(a)->time, time_b = head(b)->time;

	if (time_a != time_b)
		return time_a < time_b;
	return a->stream.cpu < b->stream.cpu;
}

/* Restore the heap order below index i. */
static void sift_down(struct trace *t, u32 i)
{
	struct input *in = t->heap[i];
	u32 child;

	while ((child = 2 * i + 1) < t->nr_heap) {
		if (child + 1 < t->nr_heap && before(t->heap[child + 1], t->heap[child]))
			child++;
		if (!before(t->heap[child], in))
			break;
		t->heap[i] = t->heap[child];
		i = child;
	}
	t->heap[i] = in;
}

static void note_loss(struct trace *t, struct input *in, const struct trace_event *e)
{
	t->lost += e->u.discarded.events;
	t->lost_packets += e->u.discarded.packets;
	/*
	 * Memory may have been freed and reused in the gap: see @period of struct
	 * trace_event.
	 */
	t->period++;
	t->nr_missing += !in->missing;
	in->missing = true;
}

static void note_fault(struct trace *t, const struct trace_event *e)
{
	if (!e->u.fault.incomplete)
		return;
	if (t->nr_notes < NOTES_MAX)
		t->notes[t->nr_notes] = xstrdup(e->u.fault.text);
	t->nr_notes++;
}

/* Account for a pseudo event. */
static void note(struct trace *t, struct input *in, const struct trace_event *e)
{
	switch (e->type) {
	case TRACE_DISCARDED:
		note_loss(t, in, e);
		break;
	case TRACE_RESUMED:
		t->nr_missing -= in->missing;
		in->missing = false;
		break;
	case TRACE_FAULT:
		note_fault(t, e);
		break;
	default:
		break;
	}
}

static void start_threads(struct trace *t)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	/* The thread that merges needs a processor, too. */
	u32 want = processors > 1 ? processors - 1 : 0;
	pthread_attr_t attr;

	if (want > t->nr_inputs)
		want = t->nr_inputs;
	t->threads = xreallocarray(NULL, want + 1, sizeof(*t->threads));
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	/* Failure is harmless: next_batch() fills a batch itself if no thread does. */
	while (t->nr_threads < want &&
	       !pthread_create(t->threads + t->nr_threads, &attr, fill_batches, t))
		t->nr_threads++;
	pthread_attr_destroy(&attr);
}

/* Build the heap from the inputs that have an event. */
static void begin(struct trace *t)
{
	struct input *in;
	u32 i;

	if (!t->fed) {
		progress_begin(t->dir, t->bytes_total);
		start_threads(t);
	}
	t->nr_heap = 0;
	for (i = 0; i < t->nr_inputs; i++) {
		in = t->inputs + i;
		/* start() has filled the first batch: @first_seq is known. */
		t->from_start &= !in->stream.any || !in->stream.first_seq;
		if (in->next < front(in)->nr || advance(t, in))
			t->heap[t->nr_heap++] = in;
	}
	for (i = t->nr_heap / 2; i--;)
		sift_down(t, i);
	t->begun = true;
}

/**
 * trace_next - read the next event
 * @t: the trace
 * @e: set to the event
 *
 * Events are ordered by time, then by CPU. Events of one CPU keep the order in which they were
 * written, even if its time goes backwards.
 *
 * Return: true if there was an event; false at the end, and on each further call.
 */
bool trace_next(struct trace *t, struct trace_event *e)
{
	struct input *in;

	if (!t->begun)
		begin(t);
	/*
	 * Advancing may refill the batch that holds the strings of the last event: only
	 * do it now.
	 */
	if (t->held) {
		t->held = false;
		if (!advance(t, t->heap[0]))
			t->heap[0] = t->heap[--t->nr_heap];
		if (t->nr_heap)
			sift_down(t, 0);
	}
	if (!t->nr_heap || head(t->heap[0])->time > t->until) {
		progress_end();
		return false;
	}
	in = t->heap[0];
	t->held = true;
	*e = *head(in);
	if (trace_is_pseudo(e->type))
		note(t, in, e);
	else
		t->nr++;
	e->nr = t->nr + trace_is_pseudo(e->type);
	e->period = t->period;
	e->certain = !t->nr_missing && e->time >= t->complete_since &&
		     e->time <= t->complete_until;
	stacks_event(&t->stacks, e);
	return true;
}

/**
 * trace_peek - peek at an upcoming event
 * @t: the trace, after trace_next() returned true
 *
 * Lets callers prefetch the data that the event needs.
 *
 * Return: the event, without number and period; NULL if none is decoded yet.
 */
const struct trace_event *trace_peek(const struct trace *t)
{
	const struct input *in = t->heap[0];

	/* The earliest input goes on in most cases: its events tend to be the next ones. */
	return in->next + AHEAD < in->batches[in->front].nr ? head(in) + AHEAD : NULL;
}

/* Parse the CPU number in the name of a stream's file. */
static bool is_stream(const char *name, u32 *cpu)
{
	unsigned long nr;
	char *end;

	/* strtoul() would accept a sign or a space. */
	if (strncmp(name, "cpu", 3) || name[3] < '0' || name[3] > '9')
		return false;
	errno = 0;
	nr = strtoul(name + 3, &end, 10);
	*cpu = nr;
	return !*end && !errno && nr <= U32_MAX;
}

/**
 * struct found - a stream's file
 * @cpu: CPU number
 * @part: index of the part of the trace that contains the file
 * @name: name of the file in that part
 */
struct found {
	u32 cpu, part;
	char *name;
};

/* Order by CPU, then by part. */
static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->part < y->part ? -1 : x->part > y->part;
}

/* Append the streams' files in a part to an array. */
static bool find_files(struct trace *t, u32 part, struct found **found, u32 *nr,
		       char error[ERROR_MAX])
{
	char **names;
	u32 i, cpu, nr_names;

	if (!source_list(source_part(t->dir, part), &names, &nr_names, error))
		return false;
	*found = xreallocarray(*found, *nr + nr_names + 1, sizeof(**found));
	for (i = 0; i < nr_names; i++) {
		if (is_stream(names[i], &cpu))
			(*found)[(*nr)++] = (struct found){ cpu, part, names[i] };
		else
			free(names[i]);
	}
	free(names);
	return true;
}

/* Number of packets, of all CPUs, that precede this part of the recording. */
static u64 packets_before(const char *text)
{
	u64 sum = 0;

	for (; (text = strstr(text, "carried_cpu")); text++)
		sum += strtoull(text + strcspn(text, " "), NULL, 10) + 1;
	return sum;
}

/* Look up a per-CPU value of the recorder's. */
static void find_cpu_stat(const char *text, const char *what, u32 cpu, u64 *value)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_cpu%u", what, cpu);
	find_stat(text, name, value);
}

/* Open the files of a CPU. Ignore the CPU if all of them are empty. */
static bool add_input(struct trace *t, const struct found *found, u32 nr,
		      char error[ERROR_MAX])
{
	struct stream_file *files = xreallocarray(NULL, nr, sizeof(*files));
	struct input *in = t->inputs + t->nr_inputs;
	const char *recorder;
	bool good;
	u32 i;

	*in = (struct input){ .next = -1, .work = WORK_NONE };
	for (i = 0; i < nr; i++) {
		recorder = t->recorders[found[i].part];
		files[i] = (struct stream_file){
			/* Parts may be given in any order: compare what precedes them. */
			.later = packets_before(recorder) > t->first_number,
			.carried = U64_MAX,
			.name = strlen(t->prefix),
		};
		if (asprintf(&files[i].path, "%s/%s", source_part(t->dir, found[i].part),
			     found[i].name) < 0)
			abort();
		find_cpu_stat(recorder, "carried", found->cpu, &files[i].carried);
		find_cpu_stat(recorder, "first", found->cpu, &files[i].first);
	}
	good = stream_open(&in->stream, &t->layout, files, nr, found->cpu, error);
	if (good && in->stream.size) {
		t->bytes_total += in->stream.size;
		t->nr_inputs++;
	} else if (good) {
		stream_close(&in->stream);
	}
	return good;
}

/* A part must not contain both cpuN and cpuN.zst. */
static bool is_twice(const struct found *a, const struct found *b)
{
	return a->cpu == b->cpu && a->part == b->part;
}

static bool find_inputs(struct trace *t, char error[ERROR_MAX])
{
	struct found *found = NULL;
	u32 i, first, nr = 0;
	bool good = true;

	/* A CPU may have files in some of the parts only. */
	for (i = 0; i < t->nr_parts && good; i++)
		good = find_files(t, i, &found, &nr, error);
	if (good && !nr)
		good = set_error(error,
				 "%s: no streams: expected files cpu0, cpu1, ... next to metadata",
				 t->dir);
	if (nr)
		qsort(found, nr, sizeof(*found), compare_found);
	for (i = 1; i < nr && good; i++)
		if (is_twice(found + i - 1, found + i))
			good = set_error(error, "%s/%s: exists both compressed and uncompressed",
					 source_part(t->dir, found[i].part), found[i].name);
	t->inputs = xreallocarray(NULL, nr + 1, sizeof(*t->inputs));
	for (first = 0, i = 1; i <= nr && good; i++) {
		if (i < nr && found[i].cpu == found[first].cpu)
			continue;
		good = add_input(t, found + first, i - first, error);
		first = i;
	}
	for (i = 0; i < nr; i++)
		free(found[i].name);
	free(found);
	return good;
}

/* Reject traces of other tracers and of other versions. */
static bool check_env(const struct trace *t, char error[ERROR_MAX])
{
	const char *name = trace_env_text(t, "tracer_name");
	u64 version = trace_env_number(t, "abi_version", 0);

	if (!name || strcmp(name, "memorizer"))
		return set_error(error,
				 "%s/metadata: tracer_name is \"%.99s\", expected \"memorizer\"",
				 t->dir, name ? name : "");
	if (version != ABI_VERSION)
		return set_error(error, "%s/metadata: abi_version is %llu, only %d is supported",
				 t->dir, version, ABI_VERSION);
	return true;
}

/* Fill the first batch of each input. Fails if no stream has a valid packet. */
static bool start(struct trace *t, char error[ERROR_MAX])
{
	u32 i, room = t->nr_inputs ? BATCH_ALL / t->nr_inputs : 0;
	const struct stream *bad = NULL;
	bool sound = !t->nr_inputs;
	struct input *in;

	/* All inputs share BATCH_ALL, to bound the memory on machines with many CPUs. */
	room = room < BATCH_MIN ? BATCH_MIN : room > BATCH_MAX ? BATCH_MAX : room;
	t->heap = xreallocarray(NULL, t->nr_inputs + 1, sizeof(*t->heap));
	for (i = 0; i < t->nr_inputs; i++) {
		in = t->inputs + i;
		batch_init(in->batches, room);
		batch_init(in->batches + 1, room);
		stream_fill(&in->stream, front(in));
		t->bytes_done += front(in)->bytes;
		sound |= in->stream.sound;
		/*
		 * A single bad stream is skipped: the events of the other CPUs are worth
		 * reading.
		 */
		if (!bad && !in->stream.sound)
			bad = &in->stream;
	}
	if (!sound)
		return set_error(error, "%s%s", t->prefix, bad->complaint);
	return true;
}

/* Count the parts of the trace, and set the prefix of file names in messages. */
static void find_parts(struct trace *t)
{
	bool below = !strncmp(source_part(t->dir, 0), t->dir, strlen(t->dir));

	t->nr_parts = source_parts(t->dir);
	if (asprintf(&t->prefix, "%s%s", below ? t->dir : "", below ? "/" : "") < 0)
		abort();
}

/* Apply what the recorder noted in a part. */
static void note_recorder(struct trace *t, const char *text)
{
	u64 since = 0, until = U64_MAX, unfinished;

	find_stat(text, "complete_since", &since);
	find_stat(text, "complete_until", &until);
	if (find_stat(text, "unfinished", &unfinished)) {
		t->unfinished = true;
		/* The files of its CPUs end at different times, and none was noted. */
		until = 0;
	}
	/*
	 * From the first part to the last one. A missing part between shows in
	 * packet_seq_num.
	 */
	if (since < t->complete_since)
		t->complete_since = since;
	if (until > t->complete_until)
		t->complete_until = until;
}

/*
 * Read the recorder's notes. The files of a part begin and end at different times, so that at
 * its edges some CPUs' events are in this part while other CPUs' events are in another one.
 */
static void read_recorder(struct trace *t)
{
	char *whole = source_text(t->dir, "kernel/recorder");
	u64 unfinished;
	u32 i;

	t->complete_since = U64_MAX;
	t->complete_until = 0;
	t->recorders = xreallocarray(NULL, t->nr_parts, sizeof(*t->recorders));
	for (i = 0; i < t->nr_parts; i++) {
		t->recorders[i] = source_text(source_part(t->dir, i), "kernel/recorder");
		if (!t->recorders[i])
			t->recorders[i] = xstrdup("");
		note_recorder(t, t->recorders[i]);
		if (packets_before(t->recorders[i]) < t->first_number)
			t->first_number = packets_before(t->recorders[i]);
	}
	t->unfinished |= whole && find_stat(whole, "unfinished", &unfinished);
	free(whole);
}

static struct trace *new_trace(const char *dir)
{
	struct trace *t = xreallocarray(NULL, 1, sizeof(*t));

	*t = (struct trace){
		.dir = xstrdup(dir), .period = 1, .from_start = true,
		.complete_until = U64_MAX, .until = U64_MAX, .first_number = U64_MAX
	};
	stacks_init(&t->stacks);
	pthread_mutex_init(&t->lock, NULL);
	pthread_cond_init(&t->wanted, NULL);
	pthread_cond_init(&t->filled, NULL);
	return t;
}

static bool read_metadata(struct trace *t, char error[ERROR_MAX])
{
	char why[ERROR_MAX];

	return source_mount(t->dir, error) && metadata_load(&t->metadata, t->dir, error) &&
	       check_env(t, error) &&
	       (layout_init(&t->layout, &t->metadata, why) ||
		set_error(error, "%s/metadata: %s", t->dir, why));
}

/**
 * trace_open - open a trace
 * @dir: directory of the trace or of its parts, a tar archive, "-" for an archive on standard
 *	 input, or the result of source_join()
 * @error: set to a message on failure
 *
 * The streams are the files cpu0, cpu1, ... A damaged trace is read as well as possible.
 *
 * Return: the trace, to be closed by trace_close(); NULL on failure.
 */
struct trace *trace_open(const char *dir, char error[ERROR_MAX])
{
	struct trace *t = new_trace(dir);

	if (read_metadata(t, error)) {
		find_parts(t);
		read_recorder(t);
		if (find_inputs(t, error) && start(t, error))
			return t;
	}
	trace_close(t);
	return NULL;
}

/**
 * trace_open_fed - open a trace whose packets are passed to trace_feed()
 * @dir: directory with the metadata
 * @name: name of the trace in messages; copied
 * @error: set to a message on failure
 *
 * Return: the trace, which has no events yet; NULL on failure.
 */
struct trace *trace_open_fed(const char *dir, const char *name, char error[ERROR_MAX])
{
	struct trace *t = new_trace(dir);

	t->fed = true;
	if (!read_metadata(t, error)) {
		trace_close(t);
		return NULL;
	}
	/* The directory may be temporary: messages use the name. */
	free(t->dir);
	t->dir = xstrdup(name);
	if (asprintf(&t->prefix, "%s/", name) < 0)
		abort();
	return t;
}

/* Add an input for the first packet of a CPU. */
static struct input *add_fed(struct trace *t, u32 cpu)
{
	struct input *in;

	/* The inputs may move: begin() rebuilds the heap after trace_read_until(). */
	t->inputs = xreallocarray(t->inputs, t->nr_inputs + 1, sizeof(*t->inputs));
	t->heap = xreallocarray(t->heap, t->nr_inputs + 1, sizeof(*t->heap));
	in = t->inputs + t->nr_inputs++;
	*in = (struct input){ .work = WORK_NONE };
	stream_begin(&in->stream, &t->layout, cpu);
	batch_init(in->batches, BATCH_MAX);
	batch_init(in->batches + 1, BATCH_MAX);
	return in;
}

/**
 * trace_feed - append packets to a trace
 * @t: the trace, opened by trace_open_fed()
 * @cpu: CPU that wrote the packets
 * @data: the next packets of that CPU, complete; copied
 * @len: size of @data in bytes
 *
 * Context: before the first trace_next(), or after it returned false. Must be followed by
 *	    trace_read_until().
 */
void trace_feed(struct trace *t, u32 cpu, const char *data, size_t len)
{
	struct input *in;

	for (in = t->inputs; in < t->inputs + t->nr_inputs; in++)
		if (in->stream.cpu == cpu)
			break;
	if (in == t->inputs + t->nr_inputs)
		in = add_fed(t, cpu);
	stream_feed(&in->stream, data, len);
}

/**
 * trace_read_until - let trace_next() return events of packets that were fed
 * @t: the trace, opened by trace_open_fed()
 * @until: time of the last event to return, in ns. All packets of all CPUs up to this time must
 *	   have been fed, otherwise events are returned out of order.
 */
void trace_read_until(struct trace *t, u64 until)
{
	t->until = until;
	t->begun = false;
}

static void stop_threads(struct trace *t)
{
	pthread_mutex_lock(&t->lock);
	t->stop = true;
	pthread_cond_broadcast(&t->wanted);
	pthread_mutex_unlock(&t->lock);
	while (t->nr_threads)
		pthread_join(t->threads[--t->nr_threads], NULL);
	free(t->threads);
}

/**
 * trace_close - close a trace
 * @t: the trace
 */
void trace_close(struct trace *t)
{
	u32 i;

	progress_end();
	/* First: a thread may be filling a batch. */
	stop_threads(t);
	for (i = 0; i < t->nr_inputs; i++) {
		stream_close(&t->inputs[i].stream);
		batch_free(t->inputs[i].batches);
		batch_free(t->inputs[i].batches + 1);
	}
	for (i = 0; i < t->nr_notes && i < NOTES_MAX; i++)
		free(t->notes[i]);
	for (i = 0; i < t->nr_parts; i++)
		free(t->recorders[i]);
	free(t->recorders);
	free(t->prefix);
	stacks_free(&t->stacks);
	layout_free(&t->layout);
	metadata_free(&t->metadata);
	pthread_mutex_destroy(&t->lock);
	pthread_cond_destroy(&t->wanted);
	pthread_cond_destroy(&t->filled);
	free(t->inputs);
	free(t->heap);
	free(t->dir);
	free(t);
}

/**
 * trace_is_part - check whether a trace lacks earlier parts of its recording
 * @t: the trace
 *
 * Return: true if earlier events may be in another part.
 */
bool trace_is_part(const struct trace *t)
{
	return t->complete_since;
}

/**
 * trace_is_whole - check whether a trace has all parts of its recording
 * @t: the trace
 *
 * Return: false if earlier or later events may be in another part.
 */
bool trace_is_whole(const struct trace *t)
{
	return !t->complete_since && t->complete_until == U64_MAX;
}

/**
 * trace_is_joined - check whether a trace is the result of source_join()
 * @t: the trace
 *
 * Return: true if it is.
 */
bool trace_is_joined(const struct trace *t)
{
	return !*t->prefix;
}

/**
 * trace_show_packets - let trace_next() return TRACE_PACKET, too
 * @t: the trace
 *
 * Context: before the first trace_next().
 */
void trace_show_packets(struct trace *t)
{
	t->packets = true;
}

/**
 * trace_unfinished - check whether the recorder was killed or failed
 * @t: the trace
 *
 * Return: true if it was. The trace lacks the kernel's counters then.
 */
bool trace_unfinished(const struct trace *t)
{
	return t->unfinished;
}

/**
 * trace_incomplete - check whether a trace is incomplete
 * @t: the trace, read to its end
 *
 * Return: true if events were lost, packets are damaged, missing or skipped, or the recorder
 *	   was killed or failed.
 */
bool trace_incomplete(const struct trace *t)
{
	progress_end();
	return t->nr_notes || t->lost || t->lost_packets || t->unfinished;
}

/**
 * trace_warn_unfinished - print a warning if the recorder was killed or failed
 * @t: the trace
 */
void trace_warn_unfinished(const struct trace *t)
{
	if (t->unfinished)
		fprintf(stderr,
			"memorizer: %s: incomplete: the recorder was killed or failed to write\n",
			t->dir);
}

/**
 * trace_warn - print warnings if a trace is incomplete
 * @t: the trace, read to its end
 *
 * Return: true if it is incomplete.
 */
bool trace_warn(const struct trace *t)
{
	u64 i;

	progress_end();
	/* Print the warnings after the output, also if both go to the same file. */
	fflush(stdout);
	for (i = 0; i < t->nr_notes && i < NOTES_MAX; i++)
		fprintf(stderr, "memorizer: %s%s\n", t->prefix, t->notes[i]);
	if (t->nr_notes > NOTES_MAX)
		fprintf(stderr, "memorizer: %s: %llu more messages like these\n", t->dir,
			t->nr_notes - NOTES_MAX);
	trace_warn_unfinished(t);
	if (t->nr_notes || t->lost || t->lost_packets)
		fprintf(stderr,
			"memorizer: %s: incomplete: %llu events were lost, %llu packets are missing\n",
			t->dir, t->lost, t->lost_packets);
	return trace_incomplete(t);
}

/**
 * trace_env_number - look up a number in the metadata's env block
 * @t: the trace
 * @name: name of the number
 * @otherwise: default value
 *
 * Return: the number; @otherwise if it is missing or a string.
 */
u64 trace_env_number(const struct trace *t, const char *name, u64 otherwise)
{
	const struct metadata_value *value = metadata_env(&t->metadata, name);

	return value && !value->text ? value->number : otherwise;
}

/**
 * trace_kind_memory - get the kind of memory that an allocator returns
 * @kind: the allocator, enum trace_kind
 *
 * Return: the kind; KMAP_UNKNOWN if this tool does not know the allocator.
 */
enum kmap_kind trace_kind_memory(u32 kind)
{
	static const enum kmap_kind memory[TRACE_KINDS] = {
		[TRACE_KMALLOC] = KMAP_SLAB, [TRACE_KMEM_CACHE] = KMAP_SLAB,
		[TRACE_PAGES] = KMAP_PAGES, [TRACE_VMALLOC] = KMAP_VMALLOC,
		[TRACE_VMAP] = KMAP_VMAP, [TRACE_IOREMAP] = KMAP_IOREMAP,
		[TRACE_MODULES] = KMAP_MODULES, [TRACE_STACK] = KMAP_STACK,
		[TRACE_PERCPU] = KMAP_PERCPU,
	};

	return kind < TRACE_KINDS ? memory[kind] : KMAP_UNKNOWN;
}

/**
 * trace_env_text - look up a string in the metadata's env block
 * @t: the trace
 * @name: name of the string
 *
 * Return: the string, valid until trace_close(); NULL if it is missing or a number.
 */
const char *trace_env_text(const struct trace *t, const char *name)
{
	const struct metadata_value *value = metadata_env(&t->metadata, name);

	return value ? value->text : NULL;
}

/**
 * trace_streams - get the number of streams
 * @t: the trace
 *
 * Return: the number of CPUs that wrote packets.
 */
u32 trace_streams(const struct trace *t)
{
	return t->nr_inputs;
}

/**
 * trace_packets - get the number of packets read so far
 * @t: the trace
 *
 * Return: the number of packets of which trace_next() has returned all events.
 */
u64 trace_packets(const struct trace *t)
{
	return t->nr_packets;
}

/**
 * trace_lost - get the number of lost events
 * @t: the trace
 *
 * Return: the number that packets reported so far.
 */
u64 trace_lost(const struct trace *t)
{
	return t->lost;
}

/**
 * trace_from_start - check whether a trace has the first packet of each stream
 * @t: the trace
 *
 * Return: false if another reader consumed packets before.
 */
bool trace_from_start(const struct trace *t)
{
	return t->from_start;
}

/**
 * trace_bytes_total - get the size of a trace
 * @t: the trace
 *
 * Return: size of all streams in bytes.
 */
u64 trace_bytes_total(const struct trace *t)
{
	return t->bytes_total;
}

/**
 * trace_bytes_done - get the number of bytes read so far
 * @t: the trace
 *
 * Return: approximate number of bytes, at most trace_bytes_total().
 */
u64 trace_bytes_done(const struct trace *t)
{
	/* Batches count decoded bytes, which exceed the size of compressed files. */
	return t->bytes_done < t->bytes_total ? t->bytes_done : t->bytes_total;
}
