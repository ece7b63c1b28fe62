// SPDX-License-Identifier: GPL-2.0
/*
 * The events of a trace: those of its streams, merged.
 *
 * Streams are decoded in batches, two for each: while one is being merged the other is
 * filled. Where there are several processors, threads do that; a batch that is not
 * filled when it is needed is filled by who needs it. So what comes out depends on the
 * files alone: it is merged by time, by CPU where times are equal, and as it was written
 * where the time of a CPU goes back.
 */
#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/progress.h"
#include "lib/stats.h"
#include "trace/stream.h"
#include "trace/trace.h"

#define ABI_VERSION	1
#define BATCH_MIN	64u		/* events */
#define BATCH_MAX	512u
#define BATCH_ALL	65536u		/* ... of all streams together, more or less */
#define STACK_SIZE	(256 * 1024)	/* of a thread */
#define AHEAD		8u		/* how far trace_peek() looks */
#define NOTES_MAX	20		/* faults that are told one by one */

/* What is done with the batch that is not being merged. */
enum work { WORK_NONE, WORK_QUEUED, WORK_BUSY, WORK_DONE };

/**
 * struct input - a stream being merged
 * @stream: where events come from
 * @batches: the one being merged, and the other
 * @front: index of the one being merged
 * @next: index of its next event
 * @work: what is done with the other one
 * @after: the next input whose batch is to be filled
 * @missing: whether events may be missing now
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
 * @dir: its directory
 * @prefix: what is before the names of its files that messages have
 * @recorders: what the recorder says of each part
 * @nr_parts: how many there are; 1 of a trace without parts
 * @first_number: packets_before() of the earliest one
 * @metadata: its metadata
 * @layout: what follows from them
 * @inputs: the files, those that are empty left out
 * @nr_inputs: how many
 * @heap: inputs that have an event, the earliest first
 * @nr_heap: how many
 * @begun: whether there is a heap
 * @held: whether the heap's first event was given by trace_next()
 * @packets: whether to give TRACE_PACKET
 * @fed: whether trace_feed() gives what is read
 * @until: time of the last event to give for now, in ns
 * @nr: number of the last event
 * @nr_missing: inputs of which events may be missing now
 * @period: see struct trace_event
 * @nr_packets: packets so far
 * @lost: events of which packets said that they were lost
 * @lost_packets: packets that are missing
 * @from_start: whether each stream has its first packet
 * @unfinished: whether the recording did not come to its end
 * @complete_since: when the part of a recording begins to have all events, in ns; 0: at once
 * @complete_until: when it has no longer all of them
 * @notes: what was wrong first
 * @nr_notes: how much was wrong that makes the trace incomplete
 * @bytes_total: bytes of all files
 * @bytes_done: bytes of them that have been merged
 * @lock: guards what follows, and each input's @work and @after
 * @wanted: a batch is to be filled, or there will be no more
 * @filled: a batch has been filled
 * @first: the first input whose batch is to be filled
 * @last: the last one
 * @stop: whether threads shall end
 * @threads: the threads
 * @nr_threads: how many
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

/* Notes what is wrong; false, for its callers to return. */
__printf(2, 3)
static bool fail(char error[ERROR_MAX], const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(error, ERROR_MAX, format, args);
	va_end(args);
	return false;
}

static struct batch *front(struct input *in)
{
	return in->batches + in->front;
}

static struct batch *back(struct input *in)
{
	return in->batches + !in->front;
}

/* Fills batches until there is no more to do. */
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
		pthread_mutex_unlock(&t->lock);
		stream_fill(&in->stream, back(in));
		pthread_mutex_lock(&t->lock);
		in->work = WORK_DONE;
		pthread_cond_broadcast(&t->filled);
	}
	pthread_mutex_unlock(&t->lock);
	return NULL;
}

/* Takes an input from the queue. */
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

/* Goes to the next batch of an input, which is empty if there are no more. */
static void next_batch(struct trace *t, struct input *in)
{
	t->bytes_done -= front(in)->bytes;
	pthread_mutex_lock(&t->lock);
	while (in->work == WORK_BUSY)
		pthread_cond_wait(&t->filled, &t->lock);
	if (in->work == WORK_QUEUED) {
		unqueue(t, in);
		in->work = WORK_NONE;
	}
	if (in->work == WORK_NONE) {
		pthread_mutex_unlock(&t->lock);
		stream_fill(&in->stream, back(in));
		pthread_mutex_lock(&t->lock);
	}
	in->front = !in->front;
	in->next = 0;
	in->work = WORK_NONE;
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

/* Goes to the next event of an input; false at its end. */
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

/* Moves an input of the heap to where it belongs. */
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

/* What pseudo events tell of the trace as a whole. */
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

/* One less than there are processors: who merges is busy as well. */
static void start_threads(struct trace *t)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	u32 want = processors > 1 ? processors - 1 : 0;
	pthread_attr_t attr;

	if (want > t->nr_inputs)
		want = t->nr_inputs;
	t->threads = xreallocarray(NULL, want + 1, sizeof(*t->threads));
	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	while (t->nr_threads < want &&
	       !pthread_create(t->threads + t->nr_threads, &attr, fill_batches, t))
		t->nr_threads++;
	pthread_attr_destroy(&attr);
}

/* Makes a heap of the inputs that have an event. */
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
		t->from_start &= !in->stream.any || !in->stream.first_seq;
		if (in->next < front(in)->nr || advance(t, in))
			t->heap[t->nr_heap++] = in;
	}
	for (i = t->nr_heap / 2; i--;)
		sift_down(t, i);
	t->begun = true;
}

/**
 * trace_next - get the next event
 * @t: the trace
 * @e: set to the event
 *
 * Events come by time; those of one CPU in the order in which they were written, even
 * if its time goes back; those of equal time by CPU.
 *
 * Return: whether there was one; once false, the same again.
 */
bool trace_next(struct trace *t, struct trace_event *e)
{
	struct input *in;

	if (!t->begun)
		begin(t);
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
	return true;
}

/**
 * trace_peek - look at an event that comes soon
 * @t: the trace
 *
 * So that what it needs may be fetched from memory meanwhile.
 *
 * Return: the event, without number and period; NULL if there is none at hand.
 */
const struct trace_event *trace_peek(const struct trace *t)
{
	const struct input *in = t->heap[0];

	return in->next + AHEAD < in->batches[in->front].nr ? head(in) + AHEAD : NULL;
}

/* The number in the name of a CPU's file; nothing else in the directory is one. */
static bool is_stream(const char *name, u32 *cpu)
{
	unsigned long nr;
	char *end;

	if (strncmp(name, "cpu", 3) || name[3] < '0' || name[3] > '9')
		return false;
	errno = 0;
	nr = strtoul(name + 3, &end, 10);
	*cpu = nr;
	return !*end && !errno && nr <= U32_MAX;
}

/**
 * struct found - a file of a CPU
 * @cpu: the CPU
 * @part: the part of the trace that it is in
 * @name: its name there
 */
struct found {
	u32 cpu, part;
	char *name;
};

/* In the order of CPUs, and of parts. */
static int compare_found(const void *a, const void *b)
{
	const struct found *x = a, *y = b;

	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->part < y->part ? -1 : x->part > y->part;
}

/* Adds the files of the CPUs in a part to those that were found. */
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

/* How many packets were in earlier parts of the recording, or before it. */
static u64 packets_before(const char *text)
{
	u64 sum = 0;

	for (; (text = strstr(text, "carried_cpu")); text++)
		sum += strtoull(text + strcspn(text, " "), NULL, 10) + 1;
	return sum;
}

/* Looks up what the recorder says of a CPU's file. */
static void find_cpu_stat(const char *text, const char *what, u32 cpu, u64 *value)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_cpu%u", what, cpu);
	find_stat(text, name, value);
}

/* Opens the files of a CPU; one that has no bytes in any is left out. */
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

/* Whether two files are of one CPU and in one part. */
static bool is_twice(const struct found *a, const struct found *b)
{
	return a->cpu == b->cpu && a->part == b->part;
}

static bool find_inputs(struct trace *t, char error[ERROR_MAX])
{
	struct found *found = NULL;
	u32 i, first, nr = 0;
	bool good = true;

	for (i = 0; i < t->nr_parts && good; i++)
		good = find_files(t, i, &found, &nr, error);
	if (good && !nr)
		good = fail(error, "%s: no streams in it: want cpu0, cpu1, ... beside the metadata",
			    t->dir);
	if (nr)
		qsort(found, nr, sizeof(*found), compare_found);
	for (i = 1; i < nr && good; i++)
		if (is_twice(found + i - 1, found + i))
			good = fail(error, "%s/%s: it is there twice, also compressed: want one",
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

/* Every trace of Memorizer says that it is one, and of which version. */
static bool check_env(const struct trace *t, char error[ERROR_MAX])
{
	const char *name = trace_env_text(t, "tracer_name");
	u64 version = trace_env_number(t, "abi_version", 0);

	if (!name || strcmp(name, "memorizer"))
		return fail(error,
			    "%s/metadata: tracer_name is \"%.99s\": not a trace of memorizer",
			    t->dir, name ? name : "");
	if (version != ABI_VERSION)
		return fail(error, "%s/metadata: abi_version is %llu: this memorizer reads %d",
			    t->dir, version, ABI_VERSION);
	return true;
}

/* Gets the first events of each input; false if no packet could be read at all. */
static bool start(struct trace *t, char error[ERROR_MAX])
{
	u32 i, room = t->nr_inputs ? BATCH_ALL / t->nr_inputs : 0;
	const struct stream *bad = NULL;
	bool sound = !t->nr_inputs;
	struct input *in;

	room = room < BATCH_MIN ? BATCH_MIN : room > BATCH_MAX ? BATCH_MAX : room;
	t->heap = xreallocarray(NULL, t->nr_inputs + 1, sizeof(*t->heap));
	for (i = 0; i < t->nr_inputs; i++) {
		in = t->inputs + i;
		batch_init(in->batches, room);
		batch_init(in->batches + 1, room);
		stream_fill(&in->stream, front(in));
		t->bytes_done += front(in)->bytes;
		sound |= in->stream.sound;
		if (!bad && !in->stream.sound)
			bad = &in->stream;
	}
	if (!sound)
		return fail(error, "%s%s", t->prefix, bad->complaint);
	return true;
}

/* Finds the parts of the trace, and names its files for messages. */
static void find_parts(struct trace *t)
{
	bool below = !strncmp(source_part(t->dir, 0), t->dir, strlen(t->dir));

	t->nr_parts = source_parts(t->dir);
	if (asprintf(&t->prefix, "%s%s", below ? t->dir : "", below ? "/" : "") < 0)
		abort();
}

/* Takes over what the recorder says of a part. */
static void note_recorder(struct trace *t, const char *text)
{
	u64 since = 0, until = U64_MAX, unfinished;

	find_stat(text, "complete_since", &since);
	find_stat(text, "complete_until", &until);
	if (find_stat(text, "unfinished", &unfinished)) {
		t->unfinished = true;
		/* Its CPUs' files end at different times, which nobody has noted. */
		until = 0;
	}
	if (since < t->complete_since)
		t->complete_since = since;
	if (until > t->complete_until)
		t->complete_until = until;
}

/*
 * What the recorder says. The files of a part of a recording begin and end at different times,
 * so that events of some CPUs are in other parts while those of others are in this one.
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

/* Begins with a trace of which the metadata alone is read. */
static struct trace *new_trace(const char *dir)
{
	struct trace *t = xreallocarray(NULL, 1, sizeof(*t));

	*t = (struct trace){
		.dir = xstrdup(dir), .period = 1, .from_start = true,
		.complete_until = U64_MAX, .until = U64_MAX, .first_number = U64_MAX
	};
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
		fail(error, "%s/metadata: %s", t->dir, why));
}

/**
 * trace_open - begin to read a trace
 * @dir: its directory, or a tar archive of that, or "-" for one on standard input; or the
 *	 directory of its parts, or what source_join() returned
 * @error: set to a message when that is not possible
 *
 * The streams are the files cpu0, cpu1, ...; those of no bytes have no events. Of a trace
 * that is damaged all that is left is read.
 *
 * Return: the trace, or NULL.
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
 * trace_open_fed - begin with a trace whose packets the caller gives as they come
 * @dir: a directory with its metadata
 * @name: what messages call it; is copied
 * @error: set to a message when that is not possible
 *
 * Return: the trace, without events so far; or NULL.
 */
struct trace *trace_open_fed(const char *dir, const char *name, char error[ERROR_MAX])
{
	struct trace *t = new_trace(dir);

	t->fed = true;
	if (!read_metadata(t, error)) {
		trace_close(t);
		return NULL;
	}
	free(t->dir);
	t->dir = xstrdup(name);
	if (asprintf(&t->prefix, "%s/", name) < 0)
		abort();
	return t;
}

/* Makes an input of a CPU that had no packet so far. */
static struct input *add_fed(struct trace *t, u32 cpu)
{
	struct input *in;

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
 * trace_feed - add packets to a trace
 * @t: the trace, of trace_open_fed()
 * @cpu: the CPU that wrote them
 * @data: whole packets, the next ones of that CPU; are copied
 * @len: their size in bytes
 *
 * To be called after trace_next() returned false, or at the beginning, and followed by
 * trace_read_until().
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
 * trace_read_until - let trace_next() give what was fed
 * @t: the trace, of trace_open_fed()
 * @until: a time up to which all packets of all CPUs were fed, in ns: later events are given
 *	   another time
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
 * trace_close - end with a trace
 * @t: the trace
 */
void trace_close(struct trace *t)
{
	u32 i;

	progress_end();
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
 * trace_is_part - tell whether what came before may be in an earlier part of a recording
 * @t: the trace
 *
 * Return: whether that is so.
 */
bool trace_is_part(const struct trace *t)
{
	return t->complete_since;
}

/**
 * trace_is_whole - tell whether a trace has all parts of its recording
 * @t: the trace
 *
 * Return: false if what came before or after may be in another part.
 */
bool trace_is_whole(const struct trace *t)
{
	return !t->complete_since && t->complete_until == U64_MAX;
}

/**
 * trace_is_joined - tell whether a trace was made of several by source_join()
 * @t: the trace
 *
 * Return: whether that is so.
 */
bool trace_is_joined(const struct trace *t)
{
	return !*t->prefix;
}

/**
 * trace_show_packets - let trace_next() give TRACE_PACKET too
 * @t: the trace
 *
 * To be called before trace_next().
 */
void trace_show_packets(struct trace *t)
{
	t->packets = true;
}

/**
 * trace_unfinished - tell whether the recording of a trace did not come to its end
 * @t: the trace
 *
 * Return: whether the recorder was killed or failed: what the kernel counted is not known then.
 */
bool trace_unfinished(const struct trace *t)
{
	return t->unfinished;
}

/**
 * trace_incomplete - tell whether a trace is incomplete
 * @t: the trace, which has been read to its end
 *
 * Return: whether events were lost, packets are damaged, missing, or left out, or the recording
 *	did not come to its end.
 */
bool trace_incomplete(const struct trace *t)
{
	progress_end();
	return t->nr_notes || t->lost || t->lost_packets || t->unfinished;
}

/**
 * trace_warn_unfinished - tell on standard error if the recording did not come to its end
 * @t: the trace
 */
void trace_warn_unfinished(const struct trace *t)
{
	if (t->unfinished)
		fprintf(stderr,
			"memorizer: %s: incomplete: its recorder was killed, or could not write all of it\n",
			t->dir);
}

/**
 * trace_warn - tell on standard error in which way a trace is incomplete
 * @t: the trace, which has been read to its end
 *
 * Return: whether it is.
 */
bool trace_warn(const struct trace *t)
{
	u64 i;

	progress_end();
	fflush(stdout);
	for (i = 0; i < t->nr_notes && i < NOTES_MAX; i++)
		fprintf(stderr, "memorizer: %s%s\n", t->prefix, t->notes[i]);
	if (t->nr_notes > NOTES_MAX)
		fprintf(stderr, "memorizer: %s: %llu more like this\n", t->dir,
			t->nr_notes - NOTES_MAX);
	trace_warn_unfinished(t);
	if (t->nr_notes || t->lost || t->lost_packets)
		fprintf(stderr,
			"memorizer: %s: incomplete: %llu events were lost, %llu packets are missing\n",
			t->dir, t->lost, t->lost_packets);
	return trace_incomplete(t);
}

/**
 * trace_env_number - get a number of the metadata's environment
 * @t: the trace
 * @name: its name
 * @otherwise: what to return if there is no such number
 *
 * Return: the number.
 */
u64 trace_env_number(const struct trace *t, const char *name, u64 otherwise)
{
	const struct metadata_value *value = metadata_env(&t->metadata, name);

	return value && !value->text ? value->number : otherwise;
}

/**
 * trace_env_text - get a text of the metadata's environment
 * @t: the trace
 * @name: its name
 *
 * Return: the text, or NULL if there is none; valid as long as the trace.
 */
const char *trace_env_text(const struct trace *t, const char *name)
{
	const struct metadata_value *value = metadata_env(&t->metadata, name);

	return value ? value->text : NULL;
}

/**
 * trace_streams - count the streams
 * @t: the trace
 *
 * Return: how many CPUs there are that wrote something.
 */
u32 trace_streams(const struct trace *t)
{
	return t->nr_inputs;
}

/**
 * trace_packets - count the packets
 * @t: the trace
 *
 * Return: how many have been read to their end so far.
 */
u64 trace_packets(const struct trace *t)
{
	return t->nr_packets;
}

/**
 * trace_lost - count the events that were lost
 * @t: the trace
 *
 * Return: how many the packets told of so far.
 */
u64 trace_lost(const struct trace *t)
{
	return t->lost;
}

/**
 * trace_from_start - tell whether a trace has the first packets that the kernel wrote
 * @t: the trace
 *
 * Return: whether that is so of each stream; else others have read before.
 */
bool trace_from_start(const struct trace *t)
{
	return t->from_start;
}

/**
 * trace_bytes_total - tell how large the trace is
 * @t: the trace
 *
 * Return: bytes of all its streams.
 */
u64 trace_bytes_total(const struct trace *t)
{
	return t->bytes_total;
}

/**
 * trace_bytes_done - tell how much has been read
 * @t: the trace
 *
 * Return: about how many bytes, at most trace_bytes_total().
 */
u64 trace_bytes_done(const struct trace *t)
{
	return t->bytes_done < t->bytes_total ? t->bytes_done : t->bytes_total;
}
