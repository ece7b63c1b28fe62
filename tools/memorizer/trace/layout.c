// SPDX-License-Identifier: GPL-2.0
/*
 * Derives the layout of packets and events from the metadata. Fields are looked up by name, once
 * per event class. Unknown events and fields are skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/error.h"
#include "trace/stream.h"

struct known_field {
	const char *name;
	int how;		/* enum of struct step */
	size_t offset;		/* in struct trace_event */
	bool optional;		/* older kernels do not write it */
};

struct known {
	const char *name;
	struct known_field fields[EVENT_FIELDS];
};

#define F(event, field, how)	\
	{ #field, STEP_##how, offsetof(struct trace_event, u.event.field), false }

#define OPTIONAL_AS(event, field, how)	\
	{ #field, STEP_##how, offsetof(struct trace_event, u.event.field), true }
#define OPTIONAL(event, field)	OPTIONAL_AS(event, field, U32)

static const struct known known[] = {
	[TRACE_TASK] = { "task", { F(task, pid, U32), F(task, comm, COMM) } },
	[TRACE_CACHE] = { "cache", {
		F(cache, cache, U64), F(cache, object_size, U32), F(cache, size, U32),
		F(cache, name, TEXT) } },
	[TRACE_ALLOC] = { "alloc", {
		F(alloc, kind, U32), F(alloc, call_site, U64), F(alloc, ptr, U64),
		F(alloc, bytes_req, U32), F(alloc, bytes_alloc, U32), F(alloc, gfp_flags, U32),
		F(alloc, node, INT), F(alloc, pid, U32), F(alloc, cache, U64) } },
	[TRACE_FREE] = { "free", {
		F(free, kind, U32), F(free, call_site, U64), F(free, ptr, U64),
		F(free, bytes, U32), F(free, pid, U32), F(free, cache, U64) } },
	[TRACE_OBJECT] = { "object", {
		F(object, object, U32), F(object, snapshot, U32), F(object, state, U32),
		F(object, alloc_site, U64), F(object, pid, U32), F(object, ptr, U64),
		F(object, bytes_req, U32), F(object, alloc_jiffies, U64),
		F(object, free_jiffies, U64), F(object, free_site, U64),
		F(object, comm, COMM), OPTIONAL(object, kind), OPTIONAL(object, stack) } },
	[TRACE_COUNTS] = { "counts", {
		F(counts, object, U32), F(counts, ip, U64), F(counts, pid, U32),
		F(counts, writes, U64), F(counts, reads, U64),
		OPTIONAL_AS(counts, write_moves, U64), OPTIONAL_AS(counts, read_moves, U64) } },
	[TRACE_ACCESS] = { "access", {
		F(access, ip, U64), F(access, ptr, U64), F(access, size, U32),
		F(access, kind, U32), F(access, pid, U32), OPTIONAL(access, stack) } },
	[TRACE_MARK] = { "mark", { F(mark, pid, U32), F(mark, text, TEXT) } },
	[TRACE_SWITCH] = { "switch", {
		F(switches, allocations, U32), F(switches, retirements, U32),
		F(switches, accesses, U32), F(switches, boot, U32), OPTIONAL(switches, traffic),
		OPTIONAL(switches, scoped), OPTIONAL(switches, entries),
		OPTIONAL(switches, locks) } },
	[TRACE_SNAPSHOT] = { "snapshot", {
		F(snapshot, snapshot, U32), F(snapshot, complete, U32),
		F(snapshot, objects, U64) } },
	[TRACE_MODULE] = { "module", {
		F(module, loaded, U32), F(module, base, U64), F(module, size, U32),
		F(module, init_base, U64), F(module, init_size, U32), F(module, name, TEXT),
		OPTIONAL_AS(module, build_id, BUILD_ID), OPTIONAL_AS(module, jiffies, U64) } },
	[TRACE_TRAFFIC] = { "traffic", {
		F(traffic, ip, U64), F(traffic, ptr, U64), F(traffic, size, U32),
		F(traffic, kind, U32), F(traffic, pid, U32), OPTIONAL(traffic, stack),
		F(traffic, line, U64), F(traffic, from, INT) } },
	[TRACE_ENTER] = { "enter", {
		F(entry, kind, U32), F(entry, number, U32), F(entry, pid, U32) } },
	[TRACE_LEAVE] = { "leave", {
		F(entry, kind, U32), F(entry, number, U32), F(entry, pid, U32) } },
	[TRACE_LOCK] = { "lock", {
		F(lock, op, U32), F(lock, flags, U32), F(lock, lock, U64), F(lock, ip, U64),
		F(lock, pid, U32), F(lock, name, TEXT) } },
	[TRACE_RCU_FREE] = { "rcu_free", {
		F(rcu_free, ptr, U64), F(rcu_free, ip, U64), F(rcu_free, pid, U32) } },
	[TRACE_FRAME] = { "frame", {
		F(frame, stack, U32), F(frame, depth, U32), F(frame, ip, U64) } },
	[TRACE_CALL] = { "call", {
		F(call, stack, U32), F(call, caller, U32), F(call, ip, U64) } },
};

/* Check whether a field has the type that @k expects. */
static bool check_field(const char *event, const struct known_field *k,
			const struct metadata_field *f, char error[ERROR_MAX])
{
	bool is_signed = k->how == STEP_INT;
	u32 size = k->how == STEP_U64 ? 8 : 4;

	if (k->how == STEP_COMM || k->how == STEP_TEXT) {
		if (f->type != (k->how == STEP_COMM ? FIELD_TEXT : FIELD_STRING))
			return set_error(error, "event %s, field %s: expected text", event,
					 k->name);
		return true;
	}
	if (k->how == STEP_BUILD_ID)
		return f->type == FIELD_OTHER ||
		       set_error(error, "event %s, field %s: expected an array", event, k->name);
	if (f->type != (is_signed ? FIELD_SIGNED : FIELD_UNSIGNED))
		return set_error(error, "event %s, field %s: expected %s integer", event, k->name,
				 is_signed ? "a signed" : "an unsigned");
	/* Smaller integers are fine: load() extends them. */
	if (f->size > size)
		return set_error(error, "event %s, field %s: expected at most %u bits", event,
				 k->name, 8 * size);
	return true;
}

static const struct known_field *find_known(const struct known *k, const char *name)
{
	const struct known_field *f;

	for (f = k->fields; f < k->fields + EVENT_FIELDS && f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

/* Set fields to zero that the event class lacks. */
static void zero_missing(struct decoder *d)
{
	const struct known_field *k = known[d->type].fields;

	/* A build ID of size 0 decodes to zeros, too. */
	for (; k < known[d->type].fields + EVENT_FIELDS && k->name; k++)
		if (!fields_find(&d->class->fields, k->name, NULL))
			d->steps[d->nr++] = (struct step){
				.how = k->how == STEP_BUILD_ID ? STEP_BUILD_ID :
				       k->how == STEP_U64 ? STEP_ZERO_U64 : STEP_ZERO,
				.to = k->offset,
			};
}

/* Make steps that decode known fields, and skip the other ones. */
static void make_steps(struct decoder *d)
{
	const struct fields *fields = &d->class->fields;
	const struct known_field *k;
	const struct metadata_field *f;
	struct step *step;
	u32 i;

	/* zero_missing() adds at most EVENT_FIELDS steps. */
	d->steps = xreallocarray(NULL, fields->nr + EVENT_FIELDS, sizeof(*d->steps));
	for (i = 0; i < fields->nr; i++) {
		f = fields->field + i;
		k = d->type == TRACE_UNKNOWN ? NULL : find_known(known + d->type, f->name);
		step = d->steps + d->nr;
		*step = (struct step){ .size = f->size, .big_endian = f->big_endian };
		if (k) {
			step->how = k->how;
			step->to = k->offset;
		} else {
			step->how = f->type == FIELD_STRING ? STEP_SKIP_TEXT : STEP_SKIP;
		}
		d->nr++;
	}
	if (d->type != TRACE_UNKNOWN)
		zero_missing(d);
}

static bool make_decoder(struct decoder *d, const struct event_class *class,
			 char error[ERROR_MAX])
{
	const struct known_field *k;
	const struct metadata_field *f;
	size_t i;

	*d = (struct decoder){ .class = class, .type = TRACE_UNKNOWN };
	d->readable = fields_size(&class->fields, &d->size);
	for (i = 0; i < ARRAY_SIZE(known); i++)
		if (!strcmp(known[i].name, class->name))
			d->type = i;
	/* Older QEMU plugins call it a frame. */
	if (d->type == TRACE_FRAME && fields_find(&class->fields, "caller", NULL))
		d->type = TRACE_CALL;
	if (d->type != TRACE_UNKNOWN) {
		for (k = known[d->type].fields;
		     k < known[d->type].fields + EVENT_FIELDS && k->name; k++) {
			f = fields_find(&class->fields, k->name, NULL);
			if (!f && k->optional)
				continue;
			if (!f)
				return set_error(error, "event %s has no field %s", class->name,
						 k->name);
			if (!check_field(class->name, k, f, error))
				return false;
		}
	}
	make_steps(d);
	return true;
}

/* Look up the location of a number in a header. Fails if it is missing and @needed. */
static bool find_place(const struct fields *f, const char *name, u32 base, bool needed,
		       struct place *p, char error[ERROR_MAX])
{
	u32 offset;
	const struct metadata_field *field = fields_find(f, name, &offset);

	*p = (struct place){ 0, 0, false };
	if (!field)
		return !needed || set_error(error, "no %s", name);
	if (field->type != FIELD_UNSIGNED || offset == U32_MAX)
		return set_error(error, "%s: expected an unsigned integer", name);
	*p = (struct place){ base + offset, field->size, field->big_endian };
	return true;
}

static bool find_places(struct layout *l, char error[ERROR_MAX])
{
	const struct fields *header = &l->metadata->packet_header;
	const struct fields *context = &l->metadata->packet_context;
	const struct fields *event = &l->metadata->event_header;
	const struct metadata_field *uuid;
	u32 size;

	if (!fields_size(header, &size) || !fields_size(context, &l->packet_size) ||
	    !fields_size(event, &l->event_size))
		return set_error(error, "a header has fields of unknown size");
	/* The header and the context are read as one: places are relative to the packet. */
	l->packet_size += size;
	uuid = fields_find(header, "uuid", &l->uuid.offset);
	if (!uuid || uuid->size != 16 || l->uuid.offset == U32_MAX)
		return set_error(error, "no uuid in packets");
	return find_place(header, "magic", 0, true, &l->magic, error) &&
	       find_place(header, "stream_id", 0, false, &l->stream_id, error) &&
	       find_place(context, "timestamp_begin", size, true, &l->begin, error) &&
	       find_place(context, "timestamp_end", size, true, &l->end, error) &&
	       find_place(context, "content_size", size, true, &l->content, error) &&
	       find_place(context, "packet_size", size, true, &l->size, error) &&
	       find_place(context, "packet_seq_num", size, true, &l->seq, error) &&
	       find_place(context, "events_discarded", size, true, &l->discarded, error) &&
	       find_place(context, "events_discarded_before", size, false, &l->discarded_before,
			  error) &&
	       find_place(context, "cpu_id", size, true, &l->cpu, error) &&
	       find_place(context, "node_id", size, true, &l->node, error) &&
	       find_place(event, "id", 0, true, &l->id, error) &&
	       find_place(event, "timestamp", 0, true, &l->timestamp, error);
}

/**
 * layout_init - derive the layout from the metadata
 * @l: the layout
 * @m: metadata of the trace; must outlive @l
 * @error: set to a message if @m lacks something
 *
 * Return: true on success; layout_free() must be called even on failure.
 */
bool layout_init(struct layout *l, const struct metadata *m, char error[ERROR_MAX])
{
	u32 i;

	*l = (struct layout){ .metadata = m };
	if (!find_places(l, error))
		return false;
	l->decoders = xreallocarray(NULL, m->nr_events + 1, sizeof(*l->decoders));
	memset(l->decoders, 0, (m->nr_events + 1) * sizeof(*l->decoders));
	for (i = 0; i < m->nr_events; i++) {
		if (!make_decoder(l->decoders + i, m->events + i, error))
			return false;
		/* The kernel's IDs have 8 bits. find_decoder() searches for larger ones. */
		if (m->events[i].id < ARRAY_SIZE(l->by_id))
			l->by_id[m->events[i].id] = l->decoders + i;
	}
	return true;
}

/**
 * layout_free - free the memory of a layout
 * @l: the layout
 */
void layout_free(struct layout *l)
{
	u32 i;

	for (i = 0; l->decoders && i < l->metadata->nr_events; i++)
		free(l->decoders[i].steps);
	free(l->decoders);
}

/**
 * trace_type_name - get the name of an event type
 * @type: the type
 *
 * Return: the name, as in the metadata; in angle brackets for pseudo and unknown events.
 */
const char *trace_type_name(enum trace_type type)
{
	switch (type) {
	case TRACE_DISCARDED:
		return "<discarded>";
	case TRACE_RESUMED:
		return "<resumed>";
	case TRACE_FAULT:
		return "<fault>";
	case TRACE_PACKET:
		return "<packet>";
	default:
		return type < ARRAY_SIZE(known) ? known[type].name : "<unknown>";
	}
}
