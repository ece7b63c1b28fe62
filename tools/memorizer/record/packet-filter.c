// SPDX-License-Identifier: GPL-2.0
/*
 * Filters events from packets before they are written. The packets keep their sequence numbers.
 *
 * Allocations and frees are filtered by kind alone, never by task or CPU: any task may free an
 * object, and an allocation without its free would look like a leak. The commands that read the
 * trace filter them by task.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/drain.h"
#include "record/packet-filter.h"
#include "record/packet.h"
#include "trace/trace.h"

/**
 * number_list_parse - parse a comma-separated list of numbers
 * @list: the list to append to
 * @text: the text
 *
 * Return: whether @text is a list of numbers that fit into 32 bits.
 */
bool number_list_parse(struct number_list *list, const char *text)
{
	unsigned long n;
	char *end;

	for (;; text = end + 1) {
		errno = 0;
		n = strtoul(text, &end, 10);
		/* strtoul() would accept blanks and a sign. */
		if (*text < '0' || *text > '9' || errno || n > U32_MAX || (*end && *end != ','))
			return false;
		list->number = xreallocarray(list->number, list->nr + 1, sizeof(*list->number));
		list->number[list->nr++] = n;
		if (!*end)
			return true;
	}
}

/**
 * packet_selection_free - free the lists of a selection
 * @select: the selection
 */
void packet_selection_free(struct packet_selection *select)
{
	free(select->pids.number);
	free(select->cpus.number);
}

/* An empty list matches everything. */
static bool matches(const struct number_list *list, u32 number)
{
	u32 i;

	for (i = 0; i < list->nr; i++)
		if (list->number[i] == number)
			return true;
	return !list->nr;
}

/**
 * packet_filter_is_needed - check whether a selection excludes any event
 * @select: the selection
 *
 * Return: whether packets have to be filtered.
 */
bool packet_filter_is_needed(const struct packet_selection *select)
{
	return (select->pids.nr && !select->pids_in_kernel) || select->cpus.nr ||
	       select->memory != PACKET_MEMORY_ALL;
}

/* The events that are filtered or kept as state, with their key field. */
static const struct {
	const char *event, *field;
	u32 size, what;
} keyed[] = {
	{ "access", "pid", sizeof(u32), EVENT_ACCESS },
	{ "alloc", "kind", 1, EVENT_MEMORY },
	{ "free", "kind", 1, EVENT_MEMORY },
	{ "task", "pid", sizeof(u32), EVENT_TASK },
	{ "cache", "cache", sizeof(u64), EVENT_CACHE },
	{ "module", "base", sizeof(u64), EVENT_MODULE },
	{ "frame", "stack", sizeof(u32), EVENT_FRAME },
};

/* Returns false if the key field is missing or has another size. */
static bool init_layout(struct event_layout *e, const struct event_class *class, u32 header)
{
	const struct fields *f = &class->fields;
	const struct metadata_field *by = NULL;
	u32 i;

	/* Only a string at the end of an event is supported. */
	e->known = true;
	e->size = header;
	for (i = 0; i < f->nr; i++) {
		e->known &= f->field[i].type != FIELD_UNKNOWN && !e->text;
		e->text |= f->field[i].type == FIELD_STRING;
		e->size += f->field[i].type == FIELD_STRING ? 0 : f->field[i].size;
	}
	for (i = 0; i < ARRAY_SIZE(keyed); i++) {
		if (strcmp(class->name, keyed[i].event))
			continue;
		e->what = keyed[i].what;
		by = fields_find(f, keyed[i].field, &e->at);
		if (!by || by->size != keyed[i].size)
			return false;
	}
	/* statedump.c needs more bytes of a frame. */
	if (e->what == EVENT_FRAME && header + e->at + sizeof(u64) > e->size)
		return false;
	e->at += header;
	return true;
}

static bool read_metadata(struct packet_filter *f, const struct metadata *m)
{
	u32 i, context, header = 0, id_at = 1;
	const struct metadata_field *id = fields_find(&m->event_header, "id", &id_at);

	/* filter_packet() expects the id in the first byte of an event. */
	if (!id || id->size != 1 || id_at || !fields_size(&m->event_header, &header) ||
	    !fields_size(&m->packet_header, &f->head) ||
	    !fields_size(&m->packet_context, &context) ||
	    !fields_find(&m->packet_context, "content_size", &f->content))
		return false;
	f->content += f->head;
	f->head += context;
	for (i = 0; i < m->nr_events; i++)
		if (m->events[i].id < ARRAY_SIZE(f->events) &&
		    !init_layout(f->events + m->events[i].id, m->events + i, header))
			return false;
	return true;
}

/**
 * packet_filter_init - set up a filter for the packets of a trace
 * @f: the filter
 * @select: the events to keep; must outlive @f
 * @dir: directory with the metadata
 *
 * Return: true on success, false after a message.
 */
bool packet_filter_init(struct packet_filter *f, const struct packet_selection *select,
			const char *dir)
{
	char error[ERROR_MAX] = "";
	struct metadata m;
	bool fine;

	*f = (struct packet_filter){ .select = select };
	fine = metadata_load(&m, dir, error);
	if (fine) {
		fine = read_metadata(f, &m);
		if (!fine)
			snprintf(error, sizeof(error),
				 "%.400s/metadata: unknown format, events cannot be filtered", dir);
	}
	metadata_free(&m);
	if (!fine)
		fprintf(stderr, "memorizer: %s\n", error);
	return fine;
}

static bool is_wanted(const struct packet_filter *f, const struct event_layout *e, u32 cpu,
		      const char *p)
{
	u32 pid;

	switch (e->what) {
	case EVENT_ACCESS:
		memcpy(&pid, p + e->at, sizeof(pid));
		return (f->select->pids_in_kernel || matches(&f->select->pids, pid)) &&
		       matches(&f->select->cpus, cpu);
	case EVENT_MEMORY:
		return f->select->memory & 1u << trace_kind_memory((unsigned char)p[e->at]);
	default:
		return true;
	}
}

/**
 * event_layout_size - get the size of an event
 * @e: its layout
 * @p: the event
 * @left: bytes from @p to the end of the packet's content
 *
 * Return: the size in bytes; 0 if the layout is unknown or the event is truncated.
 */
size_t event_layout_size(const struct event_layout *e, const char *p, size_t left)
{
	const char *end;

	if (!e->known || e->size > left)
		return 0;
	if (!e->text)
		return e->size;
	end = memchr(p + e->size, '\0', left - e->size);
	return end ? end + 1 - p : 0;
}

/* Returns the new size of the packet in bytes. */
static size_t filter_packet(const struct packet_filter *f, u32 cpu, char *packet, u64 *left_out)
{
	const struct event_layout *e;
	const char *p = packet + f->head, *end;
	char *to = packet + f->head;
	u64 content, bits;
	size_t size;

	content = packet_load(packet + f->content);
	for (end = packet + content / 8; p < end; p += size) {
		e = f->events + (unsigned char)*p;
		size = event_layout_size(e, p, end - p);
		if (size && !is_wanted(f, e, cpu, p)) {
			++*left_out;
			continue;
		}
		if (!size)
			size = end - p;	/* unknown size: keep the rest of the packet */
		memmove(to, p, size);
		to += size;
	}
	bits = 8 * (to - packet);
	packet_store(packet + f->content, bits);
	packet_store(packet + PACKET_SIZE, bits);
	return to - packet;
}

/**
 * packet_filter_apply - remove events from packets in place
 * @f: the filter
 * @cpu: the CPU that wrote the packets
 * @data: whole packets
 * @len: their size in bytes
 * @left_out: incremented by the number of removed events
 *
 * Return: the new size of the packets in bytes.
 */
size_t packet_filter_apply(const struct packet_filter *f, u32 cpu, char *data, size_t len,
			   u64 *left_out)
{
	size_t at, size, before, done = 0;
	u64 content;

	for (at = 0; at < len; at += before) {
		before = drain_packet_size(data + at, len - at);
		memmove(data + done, data + at, before);
		content = packet_load(data + done + f->content);
		/* Keep a packet with an invalid size for the reader to report. */
		size = content % 8 || content / 8 > before || content / 8 < f->head ? before :
			filter_packet(f, cpu, data + done, left_out);
		/*
		 * Keep even an empty packet: a gap in the sequence numbers would
		 * count as a missing packet.
		 */
		done += size;
	}
	return done;
}
