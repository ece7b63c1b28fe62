// SPDX-License-Identifier: GPL-2.0
/*
 * From libbabeltrace2's events to ours. Fields are found by name, once for each event
 * class; what is not known is passed over.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "event.h"

#define EVENT_SIZE	8		/* bytes of an event without its fields */

/* How a field is stored. */
enum store {
	STORE_U32,
	STORE_U64,
	STORE_INT,
	STORE_COMM,
	STORE_TEXT,
};

/* A field that this tool knows, and its place in struct trace_event. */
struct field {
	const char *name;
	enum store store;
	size_t offset;
};

/* An event that this tool knows. */
struct known {
	const char *name;
	struct field fields[EVENT_FIELDS];
};

#define F(event, field, how)	\
	{ #field, STORE_##how, offsetof(struct trace_event, u.event.field) }

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
		F(object, comm, COMM) } },
	[TRACE_COUNTS] = { "counts", {
		F(counts, object, U32), F(counts, ip, U64), F(counts, pid, U32),
		F(counts, writes, U64), F(counts, reads, U64) } },
	[TRACE_ACCESS] = { "access", {
		F(access, ip, U64), F(access, ptr, U64), F(access, size, U32),
		F(access, kind, U32), F(access, pid, U32) } },
	[TRACE_MARK] = { "mark", { F(mark, pid, U32), F(mark, text, TEXT) } },
	[TRACE_SWITCH] = { "switch", {
		F(switches, allocations, U32), F(switches, retirements, U32),
		F(switches, accesses, U32), F(switches, boot, U32) } },
	[TRACE_SNAPSHOT] = { "snapshot", {
		F(snapshot, snapshot, U32), F(snapshot, complete, U32),
		F(snapshot, objects, U64) } },
};

/* Notes what is wrong; false, for its callers to return. */
__printf(2, 3)
static bool fail(struct event_classes *cs, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(cs->error, sizeof(cs->error), format, args);
	va_end(args);
	return false;
}

/* Whether a field of this class can be stored as @f says. */
static bool check_field(struct event_classes *cs, const char *event, const struct field *f,
			const bt_field_class *class)
{
	bt_field_class_type type = bt_field_class_get_type(class);
	bool is_signed = f->store == STORE_INT;
	u64 bits = f->store == STORE_U64 ? 64 : 32;

	if (f->store == STORE_COMM || f->store == STORE_TEXT)
		return type == BT_FIELD_CLASS_TYPE_STRING ||
		       fail(cs, "event %s, field %s: want text", event, f->name);
	if (!bt_field_class_type_is(type, is_signed ? BT_FIELD_CLASS_TYPE_SIGNED_INTEGER :
				    BT_FIELD_CLASS_TYPE_UNSIGNED_INTEGER))
		return fail(cs, "event %s, field %s: want %s integer", event, f->name,
			    is_signed ? "a signed" : "an unsigned");
	if (bt_field_class_integer_get_field_value_range(class) > bits)
		return fail(cs, "event %s, field %s: want %llu bits at most", event, f->name,
			    bits);
	return true;
}

/* Finds the members of an event class that are known. */
static bool find_members(struct event_classes *cs, struct event_class *c,
			 const bt_field_class *payload)
{
	const struct known *k = known + c->type;
	const bt_field_class_structure_member *member;
	const struct field *f;
	u64 nr, i;

	nr = bt_field_class_structure_get_member_count(payload);
	for (f = k->fields; f < k->fields + EVENT_FIELDS && f->name; f++) {
		for (i = 0; i < nr; i++) {
			member = bt_field_class_structure_borrow_member_by_index_const(payload, i);
			if (!strcmp(bt_field_class_structure_member_get_name(member), f->name))
				break;
		}
		if (i == nr)
			return fail(cs, "event %s has no field %s", k->name, f->name);
		if (!check_field(cs, k->name, f,
				 bt_field_class_structure_member_borrow_field_class_const(member)))
			return false;
		c->member[f - k->fields] = i;
	}
	return true;
}

/* About the bytes of such an event, without text. */
static u32 class_size(const bt_field_class *payload)
{
	u64 nr = bt_field_class_structure_get_member_count(payload), i;
	const bt_field_class_structure_member *member;
	const bt_field_class *class;
	u32 size = EVENT_SIZE;

	for (i = 0; i < nr; i++) {
		member = bt_field_class_structure_borrow_member_by_index_const(payload, i);
		class = bt_field_class_structure_member_borrow_field_class_const(member);
		if (bt_field_class_type_is(bt_field_class_get_type(class),
					   BT_FIELD_CLASS_TYPE_INTEGER))
			size += (bt_field_class_integer_get_field_value_range(class) + 7) / 8;
	}
	return size;
}

static bool make_class(struct event_classes *cs, struct event_class *c, const bt_event_class *class)
{
	const bt_field_class *payload = bt_event_class_borrow_payload_field_class_const(class);
	const char *name = bt_event_class_get_name(class);
	size_t i;

	*c = (struct event_class){ .class = class, .type = TRACE_UNKNOWN, .size = EVENT_SIZE };
	if (!payload)
		return true;
	c->size = class_size(payload);
	for (i = 0; i < ARRAY_SIZE(known) && name; i++) {
		if (!strcmp(known[i].name, name)) {
			c->type = i;
			return find_members(cs, c, payload);
		}
	}
	return true;
}

/**
 * event_class_find - find what is needed of an event class
 * @cs: the event classes; at first all zero
 * @class: the library's event class
 *
 * Return: the class; NULL if it lacks what it must have, then cs->error tells that.
 */
struct event_class *event_class_find(struct event_classes *cs, const bt_event_class *class)
{
	struct event_class *c = cs->class + bt_event_class_get_id(class) % ARRAY_SIZE(cs->class);

	if (c->class == class)
		return c;
	if (make_class(cs, c, class))
		return c;
	c->class = NULL;
	return NULL;
}

/* The library (2.0.4) leaves an older text in place of one that is empty. */
static const char *text_of(const bt_field *field)
{
	return bt_field_string_get_length(field) ? bt_field_string_get_value(field) : "";
}

/* Copies a field to its place in @e; returns the bytes of text. */
static size_t copy_field(struct trace_event *e, const struct field *f, const bt_field *field)
{
	void *to = (char *)e + f->offset;

	switch (f->store) {
	case STORE_U32:
		*(u32 *)to = bt_field_integer_unsigned_get_value(field);
		return 0;
	case STORE_U64:
		*(u64 *)to = bt_field_integer_unsigned_get_value(field);
		return 0;
	case STORE_INT:
		*(int *)to = bt_field_integer_signed_get_value(field);
		return 0;
	case STORE_COMM:
		snprintf(to, TRACE_COMM_SIZE, "%s", text_of(field));
		return TRACE_COMM_SIZE - 1;
	default:
		*(const char **)to = text_of(field);
		return bt_field_string_get_length(field) + 1;
	}
}

/**
 * event_copy - copy the fields of an event
 * @c: its class
 * @e: set to what it is and to its fields
 * @event: the library's event, which texts remain in
 *
 * Return: about how many bytes of the trace the event takes.
 */
size_t event_copy(const struct event_class *c, struct trace_event *e, const bt_event *event)
{
	const bt_field *payload = bt_event_borrow_payload_field_const(event);
	const bt_field *member;
	const struct field *f;
	size_t size = c->size;
	int i;

	e->type = c->type;
	if (c->type == TRACE_UNKNOWN) {
		e->u.unknown.name = bt_event_class_get_name(c->class);
		e->u.unknown.id = bt_event_class_get_id(c->class);
		if (!e->u.unknown.name)
			e->u.unknown.name = "";
		return size;
	}
	f = known[c->type].fields;
	for (i = 0; i < EVENT_FIELDS && f[i].name; i++) {
		member = bt_field_structure_borrow_member_field_by_index_const(payload,
									       c->member[i]);
		size += copy_field(e, f + i, member);
	}
	return size;
}

/**
 * trace_type_name - tell the name of an event
 * @type: its type
 *
 * Return: its name as in the metadata; in angle brackets if it is not there.
 */
const char *trace_type_name(enum trace_type type)
{
	switch (type) {
	case TRACE_DISCARDED:
		return "<discarded>";
	case TRACE_PACKET:
		return "<packet>";
	default:
		return type < ARRAY_SIZE(known) ? known[type].name : "<unknown>";
	}
}
