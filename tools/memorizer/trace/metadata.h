/* SPDX-License-Identifier: GPL-2.0 */
/* Parser of metadata, for the subset of CTF 1.8 that traces of Memorizer use. */
#ifndef METADATA_H
#define METADATA_H

#include "kmap/kmap.h"

/* Types of fields. All fields are byte-aligned. */
enum field_type {
	FIELD_UNSIGNED,
	FIELD_SIGNED,
	FIELD_TEXT,		/* array of characters, NUL-padded */
	FIELD_STRING,		/* NUL-terminated string */
	FIELD_OTHER,		/* another type of known size */
	FIELD_UNKNOWN,		/* a type of unknown size */
};

/**
 * struct metadata_field - a field of a packet or event
 * @name: name of the field
 * @type: type of the field
 * @size: size in bytes; undefined for FIELD_STRING and FIELD_UNKNOWN
 * @native: the field has the byte order of the trace
 * @big_endian: the integer is big-endian
 * @clock: the field is a timestamp in ns
 */
struct metadata_field {
	char *name;
	enum field_type type;
	u32 size;
	bool native, big_endian, clock;
};

/**
 * struct fields - consecutive fields
 * @field: the fields
 * @nr: number of fields
 */
struct fields {
	struct metadata_field *field;
	u32 nr;
};

/**
 * struct event_class - an event class
 * @id: ID of the events
 * @name: name of the events, may be empty
 * @fields: fields of the events
 */
struct event_class {
	u64 id;
	char *name;
	struct fields fields;
};

/**
 * struct metadata_value - an entry of the env block
 * @name: name of the entry
 * @text: value of a string, NULL for a number
 * @number: value of a number
 */
struct metadata_value {
	char *name, *text;
	u64 number;
};

/**
 * struct metadata - parsed metadata
 * @uuid: UUID of the trace
 * @has_uuid: @uuid is valid
 * @big_endian: byte order of the trace
 * @has_byte_order: @big_endian is valid
 * @freq: 1000000000 if there is a clock of this frequency, otherwise 0
 * @packet_header: fields of packet headers
 * @packet_context: fields of packet contexts, which follow the header
 * @event_header: fields of event headers
 * @events: event classes
 * @nr_events: number of @events
 * @env: entries of the env block
 * @nr_env: number of @env
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
