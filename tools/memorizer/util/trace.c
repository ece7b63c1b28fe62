// SPDX-License-Identifier: GPL-2.0
/*
 * The events of a trace, decoded by libbabeltrace2.
 *
 * Its component source.ctf.fs gives messages for each file of a trace. They go to a
 * sink of ours, which has a port for each and merges them by time, and by CPU where
 * times are equal: always in one order, and without refusing a CPU whose time goes
 * back, as the library's muxer does; "memorizer check" reports that.
 */
#include <babeltrace2/babeltrace.h>
#include <dirent.h>
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "event.h"
#include "packet.h"
#include "trace.h"
#include "view.h"

#define ABI_VERSION	1
#define NS_PER_S	1000000000ull
#define STAMP_BITS	56		/* of an event's timestamp */
#define PACKET_SIZE	80		/* bytes of a packet without its events */

/**
 * struct stream - a file of the trace
 * @name: its path
 * @iterator: gives its messages
 * @messages: a batch of them
 * @nr: how many
 * @next: index of the next one to look at
 * @ended: no more batches will come
 * @head: the message that is the next event
 * @type: type of that event, TRACE_EVENTS if it is not a pseudo event
 * @time: its time in ns, which orders the streams
 * @begin: time at which the current packet begins
 * @cpu: the CPU
 * @node: its node
 * @first_discarded: events_discarded of the first packet, which the library does not tell
 * @packet: number of the current packet, from 1
 * @packet_events: events of it so far
 * @damage: what is wrong with a packet's frame, or NULL
 * @sound: how many packets there are with a sound header, the last of them perhaps cut off
 */
struct stream {
	char *name;
	bt_message_iterator *iterator;
	bt_message_array_const messages;
	uint64_t nr, next;
	bool ended;
	const bt_message *head;
	enum trace_type type;
	u64 time, begin;
	u32 cpu, node;
	u64 first_discarded, packet, packet_events, sound;
	char *damage;
};

#define TRACE_EVENTS	TRACE_TYPES

/**
 * struct trace - a trace being read
 * @dir: its directory
 * @view: directory that the library reads in place of @dir, or NULL
 * @metadata: what all packets agree with
 * @graph: the library's graph
 * @plugin: the library's plugin that has the component source.ctf.fs
 * @params: parameters of that component
 * @inputs: ... one of which is this array
 * @sink_class: class of our component
 * @source: the library's component
 * @streams: the files, those that are empty left out
 * @nr_streams: how many
 * @heap: streams that have a head, the earliest first
 * @nr_heap: how many
 * @refill: stream that the next run of the graph is to get a batch for
 * @ir: the library's trace
 * @classes: its event classes
 * @nr: number of the last event
 * @bytes_total: bytes of all files
 * @bytes_done: bytes of them that are about read
 * @held: whether the heap's first head was given by trace_next()
 * @packets: whether to give TRACE_PACKET
 * @failed: nothing more can be read, @error says why
 * @aborted: the library called abort(); it must not be called any more
 * @next_abandoned: another trace that was aborted
 * @error: message
 */
struct trace {
	char *dir, *view;
	struct metadata metadata;
	bt_graph *graph;
	const bt_plugin *plugin;
	bt_value *params, *inputs;
	bt_component_class_sink *sink_class;
	const bt_component_source *source;
	struct stream *streams, **heap, *refill;
	u32 nr_streams, nr_heap;
	const bt_trace *ir;
	struct event_classes classes;
	u64 nr, bytes_total, bytes_done;
	bool held, packets, failed, aborted;
	struct trace *next_abandoned;
	char error[KMAP_ERROR_MAX];
};

/* Notes what is wrong; false, for its callers to return. */
__printf(2, 3)
static bool fail(struct trace *t, const char *format, ...)
{
	va_list args;

	if (!t->failed) {
		va_start(args, format);
		vsnprintf(t->error, sizeof(t->error), format, args);
		va_end(args);
	}
	t->failed = true;
	return false;
}

/*
 * The library's own word for what is wrong, which is the first of its causes up to
 * where it shows addresses of its memory.
 */
static void take_cause(char *text, size_t size)
{
	const bt_error *error = bt_current_thread_take_error();
	const bt_error_cause *cause;

	snprintf(text, size, "libbabeltrace2 does not say why");
	if (!error)
		return;
	if (bt_error_get_cause_count(error)) {
		cause = bt_error_borrow_cause_by_index(error, 0);
		snprintf(text, size, "%s", bt_error_cause_get_message(cause));
		text[strcspn(text, ":\n")] = '\0';
	}
	bt_error_release(error);
}

/*
 * The library ends the program with abort() when damaged input breaks one of its
 * assertions, divides by zero if a clock has no frequency, and a file that shrinks while
 * it is mapped gives SIGBUS. All this comes from calls into it, which are made by
 * guarded(); that call then ends here instead, and the library is not called again.
 */
static sigjmp_buf *guard;
static int caught;

static void leave(int sig)
{
	caught = sig;
	if (guard)
		siglongjmp(*guard, 1);
	signal(sig, SIG_DFL);
	raise(sig);
}

/* Calls @work; false if it did not come back. */
static bool guarded(struct trace *t, void (*work)(struct trace *t))
{
	sigjmp_buf here;
	u32 i;

	if (!sigsetjmp(here, 0)) {
		guard = &here;
		work(t);
		guard = NULL;
		return true;
	}
	guard = NULL;
	t->aborted = true;
	for (i = 0; i < t->nr_streams; i++)
		if (t->streams[i].damage)
			return fail(t, "%s", t->streams[i].damage);
	if (caught == SIGBUS)
		return fail(t, "%s: a stream became shorter while it was read", t->dir);
	return fail(t, "%s: damaged such that libbabeltrace2 gave up", t->dir);
}

static void install_guard(void)
{
	struct sigaction action = { .sa_handler = leave, .sa_flags = SA_NODEFER };

	sigaction(SIGABRT, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	sigaction(SIGFPE, &action, NULL);
}

static struct trace *trace_of(bt_self_component_sink *self)
{
	return bt_self_component_get_data(bt_self_component_sink_as_self_component(self));
}

/* Our component: a port for each stream; iterators when all are connected. */
static bt_component_class_initialize_method_status
sink_initialize(bt_self_component_sink *self, bt_self_component_sink_configuration *unused,
		const bt_value *params, void *data)
{
	struct trace *t = data;
	char name[16];
	u32 i;

	(void)unused;
	(void)params;
	bt_self_component_set_data(bt_self_component_sink_as_self_component(self), t);
	for (i = 0; i < t->nr_streams; i++) {
		snprintf(name, sizeof(name), "%u", i);
		if (bt_self_component_sink_add_input_port(self, name, NULL, NULL))
			return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_ERROR;
	}
	return BT_COMPONENT_CLASS_INITIALIZE_METHOD_STATUS_OK;
}

static bool create_iterator(bt_self_component_sink *self, u32 i, bt_message_iterator **iterator)
{
	bt_self_component_port_input *port;

	port = bt_self_component_sink_borrow_input_port_by_index(self, i);
	return !bt_message_iterator_create_from_sink_component(self, port, iterator);
}

static bt_component_class_sink_graph_is_configured_method_status
sink_configured(bt_self_component_sink *self)
{
	struct trace *t = trace_of(self);
	u32 i;

	for (i = 0; i < t->nr_streams; i++)
		if (!create_iterator(self, i, &t->streams[i].iterator))
			return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_ERROR;
	return BT_COMPONENT_CLASS_SINK_GRAPH_IS_CONFIGURED_METHOD_STATUS_OK;
}

/* Gets a batch for the stream that wants one. */
static bt_component_class_sink_consume_method_status sink_consume(bt_self_component_sink *self)
{
	struct trace *t = trace_of(self);
	struct stream *s = t->refill;
	char cause[KMAP_ERROR_MAX / 2];

	s->next = 0;
	s->nr = 0;
	switch (bt_message_iterator_next(s->iterator, &s->messages, &s->nr)) {
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_OK:
		break;
	case BT_MESSAGE_ITERATOR_NEXT_STATUS_END:
		s->ended = true;
		if (s->damage)
			fail(t, "%s", s->damage);
		break;
	default:
		s->ended = true;
		take_cause(cause, sizeof(cause));
		if (s->damage)
			fail(t, "%s", s->damage);
		fail(t, "%s: packet %llu is damaged behind its event %llu: %s", s->name,
		     s->packet, s->packet_events, cause);
	}
	return BT_COMPONENT_CLASS_SINK_CONSUME_METHOD_STATUS_OK;
}

static void run_graph(struct trace *t)
{
	char cause[KMAP_ERROR_MAX / 2];

	if (bt_graph_run_once(t->graph) == BT_GRAPH_RUN_ONCE_STATUS_OK)
		return;
	take_cause(cause, sizeof(cause));
	fail(t, "%s: %s", t->dir, cause);
}

/* The class of an event; NULL if it lacks something. */
static struct event_class *find_class(struct trace *t, const bt_event_class *class)
{
	struct event_class *c = event_class_find(&t->classes, class);

	if (!c)
		fail(t, "%s/metadata: %s", t->dir, t->classes.error);
	return c;
}

static bool copy_event(struct trace *t, struct trace_event *e, const bt_message *message)
{
	const bt_event *event = bt_message_event_borrow_event_const(message);
	const struct event_class *c = find_class(t, bt_event_borrow_class_const(event));

	if (!c)
		return false;
	t->bytes_done += event_copy(c, e, event);
	return true;
}

/*
 * The time of an event. The library extends its 56 bits such that time never goes
 * back, by adding 2^56; so look at the distance from the packet's begin.
 */
static u64 event_time(const struct stream *s, const bt_message *message)
{
	const bt_clock_snapshot *clock;
	long long distance;

	clock = bt_message_event_borrow_default_clock_snapshot_const(message);
	distance = (bt_clock_snapshot_get_value(clock) - s->begin) << (64 - STAMP_BITS);

	return s->begin + (distance >> (64 - STAMP_BITS));
}

static u64 context_number(const bt_field *context, const char *name)
{
	const bt_field *field = bt_field_structure_borrow_member_field_by_name_const(context, name);

	if (!field || !bt_field_class_type_is(bt_field_get_class_type(field),
					      BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		return 0;
	return bt_field_integer_unsigned_get_value(field);
}

static void begin_packet(struct trace *t, struct stream *s, const bt_message *message)
{
	const bt_packet *packet = bt_message_packet_beginning_borrow_packet_const(message);
	const bt_field *context = bt_packet_borrow_context_field_const(packet);
	const bt_clock_snapshot *clock;

	clock = bt_message_packet_beginning_borrow_default_clock_snapshot_const(message);
	s->begin = bt_clock_snapshot_get_value(clock);
	s->packet++;
	s->packet_events = 0;
	if (s->damage && s->packet > s->sound)
		fail(t, "%s", s->damage);
	if (context) {
		s->cpu = context_number(context, "cpu_id");
		s->node = context_number(context, "node_id");
	}
	t->bytes_done += PACKET_SIZE;
}

/* Events and packets must have times, in ns: what the library is asked for later. */
static void begin_stream(struct trace *t, const bt_message *message)
{
	const bt_stream *stream = bt_message_stream_beginning_borrow_stream_const(message);
	const bt_stream_class *class = bt_stream_borrow_class_const(stream);
	const bt_clock_class *clock = bt_stream_class_borrow_default_clock_class_const(class);

	t->ir = bt_stream_borrow_trace_const(stream);
	if (!clock || bt_clock_class_get_frequency(clock) != NS_PER_S)
		fail(t, "%s/metadata: no clock of %llu Hz that timestamps are mapped to", t->dir,
		     NS_PER_S);
	else if (!bt_stream_class_supports_packets(class) ||
		 !bt_stream_class_packets_have_beginning_default_clock_snapshot(class) ||
		 !bt_stream_class_packets_have_end_default_clock_snapshot(class))
		fail(t, "%s/metadata: no timestamp_begin or timestamp_end of packets", t->dir);
}

/* Looks at a message; returns whether it is an event. */
static bool take_message(struct trace *t, struct stream *s, const bt_message *message)
{
	switch (bt_message_get_type(message)) {
	case BT_MESSAGE_TYPE_EVENT:
		s->type = TRACE_EVENTS;
		s->time = event_time(s, message);
		s->packet_events++;
		return true;
	case BT_MESSAGE_TYPE_DISCARDED_EVENTS:
	case BT_MESSAGE_TYPE_DISCARDED_PACKETS:
		s->type = TRACE_DISCARDED;
		return true;
	case BT_MESSAGE_TYPE_PACKET_BEGINNING:
		begin_packet(t, s, message);
		return false;
	case BT_MESSAGE_TYPE_PACKET_END:
		s->type = TRACE_PACKET;
		return t->packets;
	case BT_MESSAGE_TYPE_STREAM_BEGINNING:
		begin_stream(t, message);
		return false;
	default:
		return false;
	}
}

/* Goes to the next event of the stream that is to be refilled; head is NULL at its end. */
static void advance(struct trace *t)
{
	struct stream *s = t->refill;

	if (s->head)
		bt_message_put_ref(s->head);
	s->head = NULL;
	while (!t->failed) {
		if (s->next == s->nr) {
			if (!s->ended)
				run_graph(t);
			if (s->ended)
				return;
			continue;
		}
		s->head = s->messages[s->next++];
		if (take_message(t, s, s->head))
			return;
		bt_message_put_ref(s->head);
		s->head = NULL;
	}
}

static bool before(const struct stream *a, const struct stream *b)
{
	if (a->time != b->time)
		return a->time < b->time;
	return a->cpu != b->cpu ? a->cpu < b->cpu : a < b;
}

/* Moves the heap's first stream to where it belongs. */
static void sift_down(struct trace *t, u32 i)
{
	struct stream *s = t->heap[i];
	u32 child;

	while ((child = 2 * i + 1) < t->nr_heap) {
		if (child + 1 < t->nr_heap && before(t->heap[child + 1], t->heap[child]))
			child++;
		if (!before(t->heap[child], s))
			break;
		t->heap[i] = t->heap[child];
		i = child;
	}
	t->heap[i] = s;
}

/* Lets go of the event that was given last. */
static bool step(struct trace *t)
{
	t->held = false;
	t->refill = t->heap[0];
	if (!guarded(t, advance) || t->failed)
		return false;
	if (!t->heap[0]->head)
		t->heap[0] = t->heap[--t->nr_heap];
	if (t->nr_heap)
		sift_down(t, 0);
	return true;
}

/* A count that went back is none. */
static u64 lost(uint64_t count)
{
	return count > U64_MAX / 2 ? 0 : count;
}

static void copy_discarded(struct trace_event *e, const struct stream *s)
{
	uint64_t count = 0;

	e->type = TRACE_DISCARDED;
	e->u.discarded.events = 0;
	e->u.discarded.packets = 0;
	if (bt_message_get_type(s->head) == BT_MESSAGE_TYPE_DISCARDED_PACKETS) {
		bt_message_discarded_packets_get_count(s->head, &count);
		e->u.discarded.packets = lost(count);
		return;
	}
	if (bt_message_discarded_events_get_count(s->head, &count) ==
	    BT_PROPERTY_AVAILABILITY_NOT_AVAILABLE)
		count = s->first_discarded;
	e->u.discarded.events = lost(count);
}

/**
 * trace_next - get the next event
 * @t: the trace
 * @e: set to the event
 *
 * Events come by time; those of one CPU in the order in which they were written, even
 * if its time goes back; those of equal time by CPU.
 *
 * Return: what was found; after TRACE_END or TRACE_FAILED the same again.
 */
enum trace_next trace_next(struct trace *t, struct trace_event *e)
{
	const bt_clock_snapshot *clock;
	struct stream *s;

	if (t->failed || (t->held && !step(t)))
		return TRACE_FAILED;
	if (!t->nr_heap)
		return TRACE_END;
	s = t->heap[0];
	t->held = true;
	e->time = s->time;
	e->cpu = s->cpu;
	e->node = s->node;
	e->nr = t->nr + 1;
	if (s->type == TRACE_DISCARDED) {
		copy_discarded(e, s);
		return TRACE_EVENT;
	}
	if (s->type == TRACE_PACKET) {
		e->type = TRACE_PACKET;
		e->u.packet.begin = s->begin;
		clock = bt_message_packet_end_borrow_default_clock_snapshot_const(s->head);
		e->u.packet.end = bt_clock_snapshot_get_value(clock);
		return TRACE_EVENT;
	}
	t->nr++;
	return copy_event(t, e, s->head) ? TRACE_EVENT : TRACE_FAILED;
}

/* The stream whose file a port of the source is for: the port's name ends in it. */
static u32 find_stream(const struct trace *t, const bt_port *port)
{
	const char *base = strrchr(bt_port_get_name(port), '/');
	u32 i;

	for (i = 0; i < t->nr_streams; i++)
		if (base && !strcmp(base, strrchr(t->streams[i].name, '/')))
			break;
	return i;
}

/* Connects each port of the source to ours for the same stream. */
static bool connect_ports(struct trace *t, const bt_component_sink *sink)
{
	const bt_port_output *from;
	const bt_port_input *to;
	u32 i, nr;

	for (i = 0; i < t->nr_streams; i++) {
		from = bt_component_source_borrow_output_port_by_index_const(t->source, i);
		nr = find_stream(t, bt_port_output_as_port_const(from));
		if (nr == t->nr_streams)
			return false;
		to = bt_component_sink_borrow_input_port_by_index_const(sink, nr);
		if (bt_graph_connect_ports(t->graph, from, to, NULL))
			return false;
	}
	return true;
}

/* Adds the library's source.ctf.fs for the trace. */
static bool add_source(struct trace *t)
{
	const bt_component_class_source *class;

	if (bt_plugin_find("ctf", BT_TRUE, BT_TRUE, BT_TRUE, BT_TRUE, BT_FALSE, &t->plugin))
		return fail(t, "libbabeltrace2 lacks plugin 'ctf': libbabeltrace2-0 has it");
	class = bt_plugin_borrow_source_component_class_by_name_const(t->plugin, "fs");
	t->params = bt_value_map_create();
	t->inputs = bt_value_array_create();
	return class && t->params && t->inputs &&
	       !bt_value_array_append_string_element(t->inputs, t->view ? t->view : t->dir) &&
	       !bt_value_map_insert_entry(t->params, "inputs", t->inputs) &&
	       !bt_graph_add_source_component(t->graph, class, "trace", t->params,
					      BT_LOGGING_LEVEL_NONE, &t->source);
}

static bool add_sink(struct trace *t)
{
	const bt_component_sink *sink;
	bt_component_class_sink *class;

	class = bt_component_class_sink_create("memorizer", sink_consume);
	t->sink_class = class;
	if (!class || bt_component_class_sink_set_initialize_method(class, sink_initialize) ||
	    bt_component_class_sink_set_graph_is_configured_method(class, sink_configured))
		return false;
	if (bt_graph_add_sink_component_with_initialize_method_data(t->graph, class, "merge",
								    NULL, t,
								    BT_LOGGING_LEVEL_NONE,
								    &sink))
		return false;
	return connect_ports(t, sink);
}

static void make_graph(struct trace *t)
{
	t->graph = bt_graph_create(0);
	if (t->graph && add_source(t) &&
	    bt_component_source_get_output_port_count(t->source) != t->nr_streams)
		fail(t, "%s: libbabeltrace2 finds %llu streams in it, want %u", t->dir,
		     (u64)bt_component_source_get_output_port_count(t->source), t->nr_streams);
	if (!t->failed && t->source && add_sink(t))
		return;
	bt_current_thread_clear_error();
	fail(t, "%s/metadata: libbabeltrace2 does not take it; 'babeltrace2 %s' tells why", t->dir,
	     t->dir);
}

static char *copy_text(const char *text)
{
	size_t size = strlen(text) + 1;

	return memcpy(kmap_array(NULL, size, 1), text, size);
}

/* Looks at the frame of a file; false if not even its first packet is one. */
static bool scan_stream(struct trace *t, struct stream *s)
{
	struct packets p;

	if (!packets_open(&p, s->name, &t->metadata))
		return fail(t, "%s", p.error);
	t->bytes_total += p.file_size;
	if (packet_next(&p) == PACKET_FOUND || p.cut) {
		s->first_discarded = p.discarded;
		s->cpu = p.cpu;
		s->node = p.node;
		while (!*p.error && packet_next(&p) == PACKET_FOUND)
			;
		if (*p.error)
			s->damage = copy_text(p.error);
		s->sound = p.nr - !p.cut;
	} else {
		fail(t, "%s", p.error);
	}
	packets_close(&p);
	return !t->failed;
}

/* The library takes every file of the directory for a stream, but for these. */
static int is_stream(const struct dirent *d)
{
	return *d->d_name != '.' && strcmp(d->d_name, "metadata");
}

static bool add_stream(struct trace *t, const char *name, u32 *files)
{
	char path[PATH_MAX];
	struct stat st;

	snprintf(path, sizeof(path), "%s/%s", t->dir, name);
	if (stat(path, &st))
		return fail(t, "%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return true;
	++*files;
	if (!st.st_size)
		return true;
	t->streams = kmap_array(t->streams, t->nr_streams + 1, sizeof(*t->streams));
	t->streams[t->nr_streams] = (struct stream){ .name = copy_text(path) };
	return scan_stream(t, t->streams + t->nr_streams++);
}

static bool find_streams(struct trace *t)
{
	struct dirent **entries;
	u32 files = 0;
	int nr, i;

	nr = scandir(t->dir, &entries, is_stream, versionsort);
	if (nr < 0)
		return fail(t, "%s: %s: a trace is a directory with metadata, cpu0, ...", t->dir,
			    strerror(errno));
	for (i = 0; i < nr; i++) {
		if (!t->failed)
			add_stream(t, entries[i]->d_name, &files);
		free(entries[i]);
	}
	free(entries);
	if (!files)
		fail(t, "%s: no streams in it: want cpu0, cpu1, ... beside the metadata", t->dir);
	return !t->failed;
}

/* Lets the library see only what it can read when a stream is damaged, see view.c. */
static bool make_view(struct trace *t)
{
	bool damaged = false;
	u32 i;

	for (i = 0; i < t->nr_streams; i++)
		damaged |= !!t->streams[i].damage;
	if (!damaged)
		return true;
	t->view = view_make();
	if (t->view && view_add_metadata(t->view, t->dir)) {
		for (i = 0; i < t->nr_streams; i++)
			if (!view_add_stream(t->view, t->streams[i].name, &t->metadata))
				break;
		if (i == t->nr_streams)
			return true;
	}
	return fail(t, "%s: damaged, and no temporary directory to sort that out: %s",
		    t->dir, strerror(errno));
}

/* The view is not needed once the library has opened all files. */
static void remove_view(struct trace *t)
{
	u32 i;

	if (!t->view)
		return;
	for (i = 0; i < t->nr_streams; i++)
		view_drop_stream(t->view, t->streams[i].name);
	view_remove(t->view);
	t->view = NULL;
}

/* Every trace of Memorizer says that it is one, and of which version. */
static bool check_env(struct trace *t)
{
	const char *name = trace_env_text(t, "tracer_name");
	u64 version = trace_env_number(t, "abi_version", 0);

	if (!name || strcmp(name, "memorizer"))
		return fail(t, "%s/metadata: tracer_name is \"%s\": not a trace of memorizer",
			    t->dir, name ? name : "");
	if (version != ABI_VERSION)
		return fail(t, "%s/metadata: abi_version is %llu: this memorizer reads %d", t->dir,
			    version, ABI_VERSION);
	return true;
}

/* Every event that is known has the fields that are needed. */
static void check_classes(struct trace *t)
{
	const bt_trace_class *class = bt_trace_borrow_class_const(t->ir);
	const bt_stream_class *stream;
	u64 i, j;

	for (i = 0; i < bt_trace_class_get_stream_class_count(class); i++) {
		stream = bt_trace_class_borrow_stream_class_by_index_const(class, i);
		for (j = 0; j < bt_stream_class_get_event_class_count(stream); j++)
			if (!find_class(t, bt_stream_class_borrow_event_class_by_index_const(stream,
											     j)))
				return;
	}
}

/* Gets the first event of each stream. */
static void start(struct trace *t)
{
	u32 i;

	make_graph(t);
	for (i = 0; i < t->nr_streams && !t->failed; i++) {
		t->refill = t->streams + i;
		advance(t);
		if (t->refill->head)
			t->heap[t->nr_heap++] = t->refill;
	}
	for (i = t->nr_heap / 2; i--;)
		sift_down(t, i);
	if (t->nr_streams && !t->failed && check_env(t))
		check_classes(t);
}

/**
 * trace_open - begin to read a trace
 * @dir: its directory
 * @error: set to a message when that is not possible
 *
 * A trace that is damaged can be read up to there. Files of no bytes are streams
 * without events.
 *
 * Return: the trace, or NULL.
 */
struct trace *trace_open(const char *dir, char error[KMAP_ERROR_MAX])
{
	struct trace *t = kmap_array(NULL, 1, sizeof(*t));

	*t = (struct trace){ .dir = copy_text(dir) };
	install_guard();
	if (!metadata_load(&t->metadata, dir, t->error))
		t->failed = true;
	if (!t->failed && find_streams(t) && t->nr_streams) {
		t->heap = kmap_array(NULL, t->nr_streams, sizeof(*t->heap));
		if (make_view(t))
			guarded(t, start);
		remove_view(t);
	}
	if (!t->failed)
		return t;
	snprintf(error, KMAP_ERROR_MAX, "%s", t->error);
	trace_close(t);
	return NULL;
}

/* Lets go of what the library gave. */
static void release(struct trace *t)
{
	struct stream *s;

	for (s = t->streams; s < t->streams + t->nr_streams; s++) {
		if (s->head)
			bt_message_put_ref(s->head);
		while (s->next < s->nr)
			bt_message_put_ref(s->messages[s->next++]);
		bt_message_iterator_put_ref(s->iterator);
	}
	bt_graph_put_ref(t->graph);
	bt_component_class_sink_put_ref(t->sink_class);
	bt_value_put_ref(t->params);
	bt_value_put_ref(t->inputs);
	bt_plugin_put_ref(t->plugin);
}

/* A trace that the library gave up with; what it refers to is in an unknown state. */
static struct trace *abandoned;

/**
 * trace_close - end with a trace
 * @t: the trace
 */
void trace_close(struct trace *t)
{
	struct stream *s;

	if (t->aborted || !guarded(t, release)) {
		t->next_abandoned = abandoned;
		abandoned = t;
		return;
	}
	for (s = t->streams; s < t->streams + t->nr_streams; s++) {
		free(s->name);
		free(s->damage);
	}
	free(t->streams);
	free(t->heap);
	free(t->dir);
	free(t);
}

/**
 * trace_show_packets - let trace_next() give TRACE_PACKET too
 * @t: the trace
 */
void trace_show_packets(struct trace *t)
{
	t->packets = true;
}

/**
 * trace_error - tell why a trace cannot be read any further
 * @t: the trace
 *
 * Return: the message.
 */
const char *trace_error(const struct trace *t)
{
	return t->error;
}

static const bt_value *env(const struct trace *t, const char *name)
{
	return t->ir ? bt_trace_borrow_environment_entry_value_by_name_const(t->ir, name) : NULL;
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
	const bt_value *value = env(t, name);

	return value && bt_value_is_signed_integer(value) ?
		(u64)bt_value_integer_signed_get(value) : otherwise;
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
	const bt_value *value = env(t, name);

	return value && bt_value_is_string(value) ? bt_value_string_get(value) : NULL;
}

/**
 * trace_streams - count the streams
 * @t: the trace
 *
 * Return: how many CPUs there are that wrote something.
 */
u32 trace_streams(const struct trace *t)
{
	return t->nr_streams;
}

/**
 * trace_stream_path - tell the file of a stream
 * @t: the trace
 * @i: which stream, less than trace_streams()
 *
 * Return: its path, valid as long as the trace.
 */
const char *trace_stream_path(const struct trace *t, u32 i)
{
	return t->streams[i].name;
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
