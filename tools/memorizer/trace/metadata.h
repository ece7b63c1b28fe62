/* SPDX-License-Identifier: GPL-2.0 */
/* What the metadata of a trace say: the part of CTF 1.8's language that a trace needs. */
#ifndef METADATA_H
#define METADATA_H

#include "kmap/kmap.h"

/* What a field is. All of them begin and end at whole bytes. */
enum field_type {
	FIELD_UNSIGNED,
	FIELD_SIGNED,
	FIELD_TEXT,		/* an array of characters, which a NUL may end early */
	FIELD_STRING,		/* characters up to a NUL */
	FIELD_OTHER,		/* of known size, and nothing that is needed */
	FIELD_UNKNOWN,		/* not even its size is known */
};

/**
 * struct metadata_field - a field of a packet or event
 * @name: its name
 * @type: what it is
 * @size: its size in bytes; nothing for FIELD_STRING and FIELD_UNKNOWN
 * @native: whether its byte order is the trace's
 * @big_endian: byte order of an integer
 * @clock: whether it is a time
 */
struct metadata_field {
	char *name;
	enum field_type type;
	u32 size;
	bool native, big_endian, clock;
};

/**
 * struct fields - fields that follow each other
 * @field: the fields
 * @nr: how many
 */
struct fields {
	struct metadata_field *field;
	u32 nr;
};

/**
 * struct event_class - an event
 * @id: its id
 * @name: its name, perhaps empty
 * @fields: its fields
 */
struct event_class {
	u64 id;
	char *name;
	struct fields fields;
};

/**
 * struct metadata_value - an entry of the environment
 * @name: its name
 * @text: its value, NULL for a number
 * @number: its value, if @text is NULL
 */
struct metadata_value {
	char *name, *text;
	u64 number;
};

/**
 * struct metadata - what is needed of the metadata
 * @uuid: the trace's UUID
 * @has_uuid: whether it has one
 * @big_endian: its byte order
 * @has_byte_order: whether it says which
 * @freq: 1000000000, or 0: it has no clock with so many ticks in a second
 * @packet_header: what a packet begins with
 * @packet_context: what comes next
 * @event_header: what an event begins with
 * @events: the events
 * @nr_events: how many
 * @env: the environment
 * @nr_env: how many entries it has
 */
struct metadata {
	unsigned char uuid[16];
	bool has_uuid, big_endian, has_byte_order;
	u64 freq;
	struct fields packet_header, packet_context, event_header;
	struct event_class *events;
	u32 nr_events;
	struct metadata_value *env;
	u32 nr_env;
};

bool metadata_parse(struct metadata *m, const char *text, const char *path,
		    char error[ERROR_MAX]);
bool metadata_load(struct metadata *m, const char *dir, char error[ERROR_MAX]);
void metadata_free(struct metadata *m);
const struct metadata_value *metadata_env(const struct metadata *m, const char *name);
const struct metadata_field *fields_find(const struct fields *f, const char *name, u32 *offset);
bool fields_size(const struct fields *f, u32 *size);

#endif
