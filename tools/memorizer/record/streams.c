// SPDX-License-Identifier: GPL-2.0
/*
 * Copies the kernel's per-CPU streams to files or to memory.
 *
 * Worker threads copy: one for all streams, or one per stream on large machines. The
 * recorder's thread handles what concerns all streams, such as new CPUs, a full part or
 * errors, after it has stopped the workers, so that only the atomic counters are shared. The
 * kernel buffers the events meanwhile.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "kmap/kmap.h"
#include "record/streams.h"

#define MANY		8		/* more streams than this have one thread each */
#define OTHER_FILES	64		/* file descriptors besides those of the streams */

/* Files below the base directory that all parts share. */
static const char * const common[] = {
	"metadata", "kernel/uname", "kernel/cmdline", "kernel/kallsyms", "kernel/notes",
	"kernel/notes.modules", "kernel/kallsyms.modules", "kernel/contexts",
};

/**
 * struct stream_worker - a thread that copies
 * @thread: the thread
 * @c: all streams
 * @first: index of its first stream
 * @nr: number of its streams
 * @polls: one for each stream, then one for c->stop
 * @buffer: read buffer
 */
struct stream_worker {
	pthread_t thread;
	struct streams *c;
	u32 first, nr;
	struct pollfd *polls;
	struct drain_buffer buffer;
};

static bool in_parts(const struct streams *c)
{
	return c->options.parts || c->options.flight;
}

static void notify(struct streams *c)
{
	eventfd_write(c->event, 1);
}

/*
 * Each stream needs two files. If the limit cannot be raised, a later open fails with a
 * message.
 */
static void allow_files(struct streams *c)
{
	struct rlimit want = c->files;

	/* One more than @nr: the stream that is about to be added. */
	want.rlim_cur = 2 * (c->nr + 1) + OTHER_FILES;
	if (want.rlim_cur <= c->files.rlim_cur)
		return;
	if (want.rlim_max < want.rlim_cur)
		want.rlim_max = want.rlim_cur;
	if (setrlimit(RLIMIT_NOFILE, &want)) {
		/* The hard limit cannot be raised: go up to it. */
		want = c->files;
		want.rlim_cur = want.rlim_max;
		setrlimit(RLIMIT_NOFILE, &want);
	}
}

static bool create_file(struct streams *c, struct cpu_stream *s)
{
	if (c->options.flight || s->failed || s->out.fd >= 0)
		return true;
	if (store_create(&s->out, in_parts(c) ? &c->part : c->top, s->cpu, c->options.compress))
		return true;
	s->failed = true;
	c->failed = true;
	return false;
}

/* Add the stream @file of @cpu unless it is there already. */
static bool add_stream(struct streams *c, u32 cpu, const char *file)
{
	u32 i = c->nr;
	struct cpu_stream *s;
	int fd;

	while (i && c->stream[i - 1]->cpu >= cpu)
		i--;
	if (i < c->nr && c->stream[i]->cpu == cpu)
		return true;
	/* The workers use indices of c->stream, which change below. */
	streams_stop(c);
	allow_files(c);
	fd = control_open_stream(c->kernel, file);
	if (fd < 0)
		return false;
	s = xreallocarray(NULL, 1, sizeof(*s));
	*s = (struct cpu_stream){ .cpu = cpu, .in.fd = fd, .out.fd = -1, .carried = U64_MAX };
	if (asprintf(&s->in.path, "%s/%s", c->kernel->path, file) < 0)
		abort();
	c->stream = xreallocarray(c->stream, c->nr + 1, sizeof(*c->stream));
	memmove(c->stream + i + 1, c->stream + i, (c->nr - i) * sizeof(*c->stream));
	c->stream[i] = s;
	c->nr++;
	return !c->begun || create_file(c, s);
}

/**
 * streams_scan - add the streams of new CPUs
 * @c: the streams; the workers are stopped if there are new ones
 *
 * Return: true on success, false after a message if there are no streams or opening one failed.
 */
bool streams_scan(struct streams *c)
{
	struct dirent *entry;
	u32 cpu;
	int end;

	rewinddir(c->cpus);
	while ((entry = readdir(c->cpus))) {
		end = 0;
		/*
		 * At most 9 digits, so that the number fits; names that go
		 * on are other files.
		 */
		if (sscanf(entry->d_name, "cpu%9u%n", &cpu, &end) == 1 && !entry->d_name[end] &&
		    !add_stream(c, cpu, entry->d_name))
			return false;
	}
	if (!c->nr)
		fprintf(stderr,
			"memorizer: %s: no files cpu0, cpu1, ...: this kernel has no stream, want a later one\n",
			c->kernel->path);
	return c->nr;
}

/**
 * streams_open - open the streams
 * @c: the streams
 * @options: how to copy them
 * @kernel: the kernel's files
 *
 * Return: true on success, false after a message.
 */
bool streams_open(struct streams *c, const struct stream_options *options,
		  const struct control *kernel)
{
	*c = (struct streams){
		.kernel = kernel, .options = *options, .base.dir = -1, .part.dir = -1
	};
	c->limit.max = options->max_size;
	/*
	 * Non-blocking, because streams_stop() reads @stop even if no
	 * worker was told to stop.
	 */
	c->event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->stop = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	c->cpus = opendir(kernel->path);
	if (c->event < 0 || c->stop < 0 || !c->cpus) {
		fprintf(stderr, "memorizer: %s: %s\n", kernel->path, strerror(errno));
		return false;
	}
	getrlimit(RLIMIT_NOFILE, &c->files);
	return streams_scan(c);
}

/**
 * streams_begin - create the directory for files that all parts share
 * @c: the streams
 * @top: the directory of the trace
 *
 * Return: true on success, false after a message.
 */
bool streams_begin(struct streams *c, const struct save *top)
{
	c->top = top;
	return in_parts(c) ? save_part(top, "common", &c->base) : save_begin(top);
}

/**
 * streams_base - get the directory for files that all parts share
 * @c: the streams
 *
 * Return: the directory.
 */
const struct save *streams_base(const struct streams *c)
{
	return in_parts(c) ? &c->base : c->top;
}

/* Link the shared files into the current part. */
static bool link_common(struct streams *c)
{
	bool fine = true;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(common); i++)
		fine &= save_link(&c->base, &c->part, common[i]);
	return fine;
}

/* Start of the part: no packet in it is older, except of CPUs without earlier packets. */
static u64 begin_of_part(const struct streams *c)
{
	u64 begin, since = U64_MAX;
	const struct cpu_stream *s;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		s = c->stream[i];
		if (s->state.head)
			begin = s->state.end;
		else if (s->ring.nr)
			begin = packet_begin(ring_at(&s->ring, 0)->data);
		else
			continue;
		since = begin < since ? begin : since;
	}
	return since;
}

/* State of a part for save_part_state(). */
enum part_state { PART_BEGUN, PART_ENDED, PART_LAST };

/*
 * Save the time range in which the part has all events. The files of CPUs begin and end at
 * different times; the events outside of the range are in the parts before and after. A CPU
 * without earlier packets may have one that begins at any time.
 */
static bool save_part_state(struct streams *c, enum part_state state)
{
	u64 until = U64_MAX;
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);
	bool fine;
	u32 i;

	if (!f)
		abort();
	/* The CPU whose file ends first ends the range. The last part has no later events. */
	for (i = 0; i < c->nr && state == PART_ENDED; i++)
		if (c->stream[i]->state.end < until)
			until = c->stream[i]->state.end;
	/* Stays if the recorder is killed before it saves the final state. */
	if (state == PART_BEGUN)
		fprintf(f, "unfinished: 1\n");
	fprintf(f, "complete_since: %llu\ncomplete_until: %llu\n", c->since, until);
	for (i = 0; i < c->nr; i++)
		if (c->stream[i]->carried != U64_MAX)
			fprintf(f, "carried_cpu%u: %llu\nfirst_cpu%u: %llu\n", c->stream[i]->cpu,
				c->stream[i]->carried, c->stream[i]->cpu,
				c->stream[i]->state.first);
	fclose(f);
	fine = save_text(&c->part, text, "kernel/recorder");
	free(text);
	return fine;
}

/* Write the state dumps. The size limit does not include them. */
static bool write_statedumps(struct streams *c)
{
	struct statedump **dumps = xreallocarray(NULL, c->nr + 1, sizeof(*dumps));
	struct store_limit none = { 0 };
	struct store *out;
	u64 since = begin_of_part(c);
	size_t size, done;
	bool fine;
	char *packet;
	u32 i;

	for (i = 0, c->since = 0; i < c->nr; i++)
		if (c->stream[i]->state.end > c->since)
			c->since = c->stream[i]->state.end;
	for (i = 0; i < c->nr; i++)
		dumps[i] = &c->stream[i]->state;
	statedump_prune(dumps, c->nr, since);
	for (i = 0; i < c->nr; i++)
		c->stream[i]->carried = dumps[i]->head ? statedump_seq(dumps[i]) : U64_MAX;
	free(dumps);
	fine = save_part_state(c, PART_BEGUN);
	for (i = 0; fine && i < c->nr; i++) {
		packet = statedump_packet(&c->stream[i]->state, c->filter, since, &size);
		out = &c->stream[i]->out;
		if (packet && out->fd >= 0)
			fine = store_write(out, &none, packet, size, &done) == STORE_ALL;
		free(packet);
	}
	return fine;
}

static bool begin_part(struct streams *c)
{
	char name[16];
	bool fine;
	u32 i;

	c->begun = true;
	c->limit.used = 0;
	if (in_parts(c)) {
		c->part_packets = xreallocarray(c->part_packets, c->nr_parts + 1, sizeof(u64));
		c->part_packets[c->nr_parts] = 0;
		snprintf(name, sizeof(name), "%u", c->nr_parts++);
		if (!save_part(c->top, name, &c->part) || !link_common(c)) {
			c->failed = true;
			return false;
		}
	}
	fine = true;
	for (i = 0; fine && i < c->nr; i++)
		fine = create_file(c, c->stream[i]);
	/* In flight mode, streams_snapshot() creates the files and writes the state dumps. */
	if (fine && in_parts(c) && !c->options.flight)
		fine = write_statedumps(c);
	return fine;
}

/* Close the files of the current part and add up their sizes. */
static void end_part(struct streams *c)
{
	struct store *out;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		out = &c->stream[i]->out;
		c->sums.packets += out->packets;
		c->sums.bytes += out->bytes;
		c->sums.stored += out->stored;
		if (c->nr_parts)
			c->part_packets[c->nr_parts - 1] += out->packets;
		if (!store_close(out))
			c->failed = true;
		*out = (struct store){ .fd = -1 };
	}
	if (c->part.path)
		save_close(&c->part);
}

/* Start a new part, and remove the oldest one if there are more than --rotate allows. */
static bool next_part(struct streams *c)
{
	char name[16];
	u32 old;

	if (!save_part_state(c, PART_ENDED))
		c->failed = true;
	end_part(c);
	if (!begin_part(c))
		return false;
	if (c->options.flight || c->nr_parts <= c->options.parts)
		return true;
	/* The part that just began is one of those to keep. */
	old = c->nr_parts - c->options.parts - 1;
	snprintf(name, sizeof(name), "%u", old);
	c->sums.dropped += c->part_packets[old];
	if (!save_remove(c->top, name))
		c->failed = true;
	return !c->failed;
}

/**
 * streams_first_part - create the files to write
 * @c: the streams
 *
 * Return: true on success, false after a message.
 */
bool streams_first_part(struct streams *c)
{
	char *metadata = control_read(c->kernel, "metadata");

	c->lost_before = metadata && strstr(metadata, "events_discarded_before");
	free(metadata);
	/*
	 * Parts need the layouts of events for their state dumps, even if
	 * nothing is filtered.
	 */
	if (packet_filter_is_needed(&c->options.select) || in_parts(c)) {
		c->filter = xreallocarray(NULL, 1, sizeof(*c->filter));
		if (!packet_filter_init(c->filter, &c->options.select, streams_base(c)->path))
			return false;
	}
	return c->options.flight || begin_part(c);
}

static void add_to_ring(struct streams *c, struct cpu_stream *s, const char *data, size_t len)
{
	const struct ring_packet *old;
	size_t size, at;

	for (at = 0; at < len; at += size) {
		size = drain_packet_size(data + at, len - at);
		ring_add(&s->ring, data + at, size);
		/* Keep the last packet even if it alone exceeds the limit. */
		while (s->ring.nr > 1 && s->ring.bytes > c->options.flight) {
			old = ring_at(&s->ring, 0);
			statedump_add(&s->state, c->filter, old->data, old->size);
			ring_drop(&s->ring);
		}
	}
}

/* Store @len bytes of packets. Returns false if the worker has to stop. */
static bool store_packets(struct streams *c, struct cpu_stream *s, const char *data, size_t len)
{
	enum store_wrote wrote;
	size_t done = 0;

	s->read += len;
	if (c->options.flight) {
		drain_account(&s->stats, data, len, c->lost_before);
		add_to_ring(c, s, data, len);
	} else if (c->over) {
		s->left_out += len;
	} else {
		wrote = store_write(&s->out, &c->limit, data, len, &done);
		drain_account(&s->stats, data, done, c->lost_before);
		if (c->options.parts)
			statedump_add(&s->state, c->filter, data, done);
		switch (wrote) {
		case STORE_ALL:
			break;
		case STORE_FAILED:
			s->failed = true;
			c->failed = true;
			return false;
		case STORE_FULL:
			/* The worker stops; make_room() stores the rest in the next part. */
			s->held_len = len - done;
			s->held = xreallocarray(NULL, s->held_len, 1);
			memcpy(s->held, data + done, s->held_len);
			c->full = true;
			return false;
		}
	}
	return true;
}

/* Copy what one read returns. Returns false if the worker has to stop. */
static bool copy_packets(struct streams *c, struct cpu_stream *s, struct drain_buffer *b,
			 enum drain *got)
{
	*got = drain_some(&s->in, b);
	if (*got == DRAIN_FAILED) {
		s->failed = true;
		c->failed = true;
	}
	if (s->failed)
		return false;
	if (packet_filter_is_needed(&c->options.select))
		b->len = packet_filter_apply(c->filter, s->cpu, b->data, b->len, &s->unwanted);
	/* The read may have returned only a part of a packet. */
	return !b->len || store_packets(c, s, b->data, b->len);
}

static void *copy_until_stopped(void *data)
{
	struct stream_worker *m = data;
	struct streams *c = m->c;
	enum drain got;
	struct cpu_stream *s;
	u32 i;

	while (poll(m->polls, m->nr + 1, -1) >= 0 || errno == EINTR) {
		if (m->polls[m->nr].revents)
			return NULL;
		for (i = 0; i < m->nr; i++) {
			s = c->stream[m->first + i];
			if (!m->polls[i].revents ||
			    (copy_packets(c, s, &m->buffer, &got) && got != DRAIN_END))
				continue;
			/* The recorder's thread goes on from here, in streams_resume(). */
			s->ended = got == DRAIN_END;
			notify(c);
			return NULL;
		}
	}
	fprintf(stderr, "memorizer: poll: %s\n", strerror(errno));
	c->failed = true;
	notify(c);
	return NULL;
}

/* Start a thread for @nr streams from index @first. */
static bool start_worker(struct streams *c, struct stream_worker *m, u32 first, u32 nr)
{
	u32 i;
	int error;

	*m = (struct stream_worker){ .c = c, .first = first, .nr = nr };
	m->polls = xreallocarray(NULL, nr + 1, sizeof(*m->polls));
	for (i = 0; i < nr; i++)
		m->polls[i] = (struct pollfd){
			.fd = c->stream[first + i]->failed ? -1 : c->stream[first + i]->in.fd,
			.events = POLLIN
		};
	m->polls[nr] = (struct pollfd){ .fd = c->stop, .events = POLLIN };
	error = pthread_create(&m->thread, NULL, copy_until_stopped, m);
	if (!error)
		return true;
	fprintf(stderr, "memorizer: a thread: %s\n", strerror(error));
	free(m->polls);
	c->failed = true;
	return false;
}

/**
 * streams_start - start the workers
 * @c: the streams; nothing happens if the workers run
 *
 * Return: true on success, false after a message.
 */
bool streams_start(struct streams *c)
{
	u32 i, nr = c->nr > MANY ? c->nr : 1;

	if (c->nr_workers)
		return true;
	c->workers = xreallocarray(NULL, nr, sizeof(*c->workers));
	for (i = 0; i < nr; i++) {
		if (!start_worker(c, c->workers + i, i, nr > 1 ? 1 : c->nr))
			return false;
		c->nr_workers++;
	}
	return true;
}

/* A packet that does not fit into an empty part fits into none. */
static bool too_small(struct streams *c)
{
	if (c->limit.used)
		return false;
	fprintf(stderr, "memorizer: %s: a packet exceeds --max-size: want a larger one\n",
		c->top->path);
	c->failed = true;
	return true;
}

/*
 * Store the packets that did not fit, in as many parts as necessary. The workers are stopped.
 */
static void make_room(struct streams *c)
{
	struct cpu_stream *s;
	size_t len;
	char *held;
	u32 i;

	if (!c->options.parts && !c->over) {
		fprintf(stderr, "memorizer: %s: --max-size is reached: the trace ends here\n",
			c->top->path);
		c->over = true;
	}
	for (i = 0; i < c->nr; i++) {
		s = c->stream[i];
		/* store_packets() may fill the next part, too, and hold the rest again. */
		while (s->held) {
			held = s->held;
			len = s->held_len;
			s->held = NULL;
			/* store_packets() counts these bytes again. */
			s->read -= len;
			if (!c->over && (too_small(c) || !next_part(c)))
				c->over = true;
			store_packets(c, s, held, len);
			free(held);
		}
	}
	c->full = false;
}

/**
 * streams_stop - stop the workers
 * @c: the streams; nothing happens if no workers run
 */
void streams_stop(struct streams *c)
{
	eventfd_t count;
	u32 i;

	if (c->nr_workers)
		eventfd_write(c->stop, 1);
	for (i = 0; i < c->nr_workers; i++) {
		pthread_join(c->workers[i].thread, NULL);
		free(c->workers[i].polls);
		drain_free(&c->workers[i].buffer);
	}
	/* Clear the request, or the next workers would stop at once. */
	eventfd_read(c->stop, &count);
	free(c->workers);
	c->workers = NULL;
	c->nr_workers = 0;
	/* Only now, because the workers write to the files of the part. */
	if (c->full)
		make_room(c);
}

/**
 * streams_resume - handle the event of a worker, and restart the workers
 * @c: the streams
 *
 * Return: true if copying goes on, false if the recording has to end.
 */
bool streams_resume(struct streams *c)
{
	struct cpu_stream *s;
	eventfd_t count;
	u32 i;

	eventfd_read(c->event, &count);
	streams_stop(c);
	for (i = 0; i < c->nr; i++) {
		s = c->stream[i];
		if (!s->ended)
			continue;
		fprintf(stderr,
			"memorizer: %s: unexpected end of file: the trace ends here\n",
			s->in.path);
		s->ended = false;
		s->failed = true;
		c->failed = true;
	}
	return !c->failed && !c->over && streams_start(c);
}

/**
 * streams_drain - copy what one read of a stream returns
 * @c: the streams; the workers are stopped
 * @s: the stream
 *
 * Return: the result of the read.
 */
enum drain streams_drain(struct streams *c, struct cpu_stream *s)
{
	enum drain got;

	if (s->failed)
		return DRAIN_FAILED;
	copy_packets(c, s, &c->buffer, &got);
	if (c->full)
		make_room(c);
	return s->failed ? DRAIN_FAILED : got;
}

/**
 * streams_flush - copy all events so far, including unfinished packets
 * @c: the streams; the workers are stopped
 * @most: maximum per stream in bytes, as new events may arrive as fast as they are read
 */
void streams_flush(struct streams *c, u64 most)
{
	struct cpu_stream *s;
	u64 before;
	u32 i;

	for (i = 0; i < c->nr; i++) {
		s = c->stream[i];
		before = s->read;
		/* A blocking read makes the kernel finish an incomplete packet. */
		fcntl(s->in.fd, F_SETFL, 0);
		while (streams_drain(c, s) == DRAIN_MORE && s->read - before < most)
			;
		fcntl(s->in.fd, F_SETFL, O_NONBLOCK);
	}
}

/* Write the packets that a stream has in memory. */
static bool write_ring(struct streams *c, struct cpu_stream *s)
{
	const struct ring_packet *p;
	size_t done;
	u32 i;

	/* The packets stay in memory, so the next part may begin with them, too. */
	for (i = 0; i < s->ring.nr; i++) {
		p = ring_at(&s->ring, i);
		if (store_write(&s->out, &c->limit, p->data, p->size, &done) != STORE_ALL)
			return false;
	}
	return true;
}

/**
 * streams_snapshot - write the packets in memory to a part
 * @c: the streams; the workers are stopped
 *
 * Return: true on success, false after a message.
 */
bool streams_snapshot(struct streams *c)
{
	bool fine = begin_part(c);
	u32 i;

	for (i = 0; fine && i < c->nr; i++)
		fine = store_create(&c->stream[i]->out, &c->part, c->stream[i]->cpu,
				    c->options.compress);
	fine = fine && write_statedumps(c);
	for (i = 0; fine && i < c->nr; i++)
		fine = write_ring(c, c->stream[i]);
	fine = fine && save_part_state(c, PART_LAST);
	if (fine)
		fprintf(stderr, "memorizer: %s\n", c->part.path);
	end_part(c);
	c->failed |= !fine;
	return fine;
}

/**
 * streams_total - add up what was copied
 * @c: the streams
 *
 * Return: the totals; while the workers run, only @read and @lost are valid.
 */
struct stream_totals streams_total(const struct streams *c)
{
	struct stream_totals sums = c->sums;
	const struct cpu_stream *s;
	u32 i;

	sums.until = U64_MAX;
	for (i = 0; i < c->nr; i++) {
		s = c->stream[i];
		sums.read += s->read;
		sums.lost += s->stats.lost;
		/* The workers write the rest, without atomics. */
		if (c->nr_workers)
			continue;
		sums.packets += s->out.packets;
		sums.bytes += s->out.bytes;
		sums.stored += s->out.stored;
		sums.left_out += s->left_out;
		if (s->left_out && s->stats.end < sums.until)
			sums.until = s->stats.end;
		sums.unwanted += s->unwanted;
		sums.dropped += s->ring.dropped;
	}
	return sums;
}

/**
 * streams_close - write the state of the last part and free everything
 * @c: the streams; may be zeroed
 */
void streams_close(struct streams *c)
{
	u32 i;

	if (!c->kernel)
		return;
	/* After a failure the part stays marked as unfinished. */
	if (c->begun && in_parts(c) && !c->options.flight && !c->failed) {
		link_common(c);		/* their final content */
		save_part_state(c, PART_LAST);
	}
	end_part(c);
	for (i = 0; i < c->nr; i++) {
		drain_close(&c->stream[i]->in);
		ring_free(&c->stream[i]->ring);
		statedump_free(&c->stream[i]->state);
		free(c->stream[i]->held);
		free(c->stream[i]);
	}
	free(c->stream);
	free(c->part_packets);
	free(c->filter);
	drain_free(&c->buffer);
	if (c->base.path)
		save_close(&c->base);
	if (c->cpus)
		closedir(c->cpus);
	close(c->event);
	close(c->stop);
}
