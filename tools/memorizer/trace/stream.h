/* SPDX-License-Identifier: GPL-2.0 */
/* Decoder of a CPU's stream. */
#ifndef STREAM_H
#define STREAM_H

#include "lib/source.h"
#include "trace/metadata.h"
#include "trace/trace.h"

#define EVENT_FIELDS	13	/* max. fields of a known event */

/**
 * struct step - how to decode a field of an event
 * @how: conversion
 * @size: size of the field in bytes
 * @big_endian: the field is big-endian
 * @to: offset of the destination in struct trace_event
 */
struct step {
	enum {
		STEP_U32, STEP_U64, STEP_INT, STEP_COMM, STEP_BUILD_ID, STEP_TEXT, STEP_SKIP,
		STEP_SKIP_TEXT,
		STEP_ZERO,	/* the trace lacks this 32-bit field */
		STEP_ZERO_U64,
	} how;
	u32 size;
	bool big_endian;
	u32 to;
};

/**
 * struct decoder - how to decode the events of a class
 * @class: event class in the metadata
 * @type: type of the events
 * @steps: a step for each field
 * @nr: number of @steps
 * @size: size of an event without its header and strings, in bytes
 * @readable: the size of all fields is known
 */
struct decoder {
	const struct event_class *class;
	enum trace_type type;
	struct step *steps;
	u32 nr, size;
	bool readable;
};

/**
 * struct place - location of a number in a header
 * @offset: offset in bytes
 * @size: size in bytes; 0 if the header lacks it
 * @big_endian: the number is big-endian
 */
struct place {
	u32 offset, size;
	bool big_endian;
};

/**
 * struct layout - layout of the packets and events of a trace
 * @metadata: the metadata it was derived from
 * @magic: location of the magic number in a packet's header and context
 * @uuid: location of the UUID; likewise the following ones
 * @stream_id: stream_id
 * @begin: timestamp_begin
 * @end: timestamp_end
 * @content: content_size
 * @size: packet_size
 * @seq: packet_seq_num
 * @discarded: events_discarded
 * @discarded_before: events_discarded_before; older kernels do not write it
 * @cpu: cpu_id
 * @node: node_id
 * @packet_size: size of a packet's header and context in bytes
 * @id: location of the ID in an event's header
 * @timestamp: location of the timestamp in an event's header
 * @event_size: size of an event's header in bytes
 * @decoders: a decoder for each event class
 * @by_id: decoders of small IDs, NULL for unused IDs
 */
struct layout {
	const struct metadata *metadata;
	struct place magic, uuid, stream_id, begin, end, content, size, seq, cpu, node;
	struct place discarded, discarded_before;
	u32 packet_size;
	struct place id, timestamp;
	u32 event_size;
	struct decoder *decoders;
	const struct decoder *by_id[256];
};

bool layout_init(struct layout *l, const struct metadata *m, char error[ERROR_MAX]);
void layout_free(struct layout *l);

/**
 * struct batch - decoded events of a stream
 * @events: the events; their strings are valid until the batch is filled again
 * @nr: number of @events
 * @room: max. number of @events
 * @text: buffer for the strings of @events
 * @text_used: bytes used in @text
 * @text_room: size of @text in bytes
 * @bytes: offset of the end of the batch in the stream
 */
struct batch {
	struct trace_event *events;
	u32 nr, room;
	char *text;
	size_t text_used, text_room;
	u64 bytes;
};

void batch_init(struct batch *b, u32 room);
void batch_free(struct batch *b);

/* Header and context of a packet. Sizes are in bytes. */
struct frame {
	u64 begin, end, size, content, seq, discarded, discarded_before;
	u32 cpu, node;
};

/**
 * struct stream_file - file of a CPU in one part of a trace
 * @path: name of the file
 * @name: offset in @path of the name for messages
 * @later: the file is not in the first part
 * @carried: packet_seq_num of the packet that repeats the announcements of earlier parts, in
 *	     place of the last packet before the part; U64_MAX if there is none
 * @first: packet_seq_num of the CPU's first packet in the recording, if @carried is valid
 * @size: private: size in bytes
 * @seq: private: packet_seq_num of the first packet, not counting @carried
 */
struct stream_file {
	char *path;
	size_t name;
	bool later;
	u64 carried, first;
	u64 size, seq;
};

/**
 * struct stream - a CPU's files, read as if they were one
 * @layout: layout of packets and events
 * @cpu: CPU number in the names of the files
 * @size: size of all files in bytes
 * @ended: no more events, until the next stream_feed()
 * @sound: at least one valid packet was read
 * @first_seq: packet_seq_num of the first packet
 * @complaint: message about the first packet, if it is invalid
 * @files: private: the non-empty files, ordered by packet_seq_num
 * @nr_files: private: number of @files
 * @file: private: index of the current file
 * @source: private: the current file, opened; NULL if stream_feed() passes the data
 * @before_file: private: bytes of the files before the current one
 * @known: private: packets with a lower packet_seq_num may be in earlier files
 * @window: private: buffer
 * @start: private: index of the next byte in @window
 * @filled: private: bytes in @window
 * @offset: private: offset of @window in the current file
 * @eof: private: the file ends with @window
 * @read_error: private: errno of a read error, or 0
 * @packet: private: number of the current packet in the file, from 1
 * @packet_offset: private: offset of the current packet in the file
 * @events: private: number of events of the current packet so far
 * @in_packet: private: the next bytes are events
 * @frame: private: frame of the current packet
 * @before: private: frame of the last accepted packet
 * @any: private: @before is valid
 * @stands_in: private: the current packet repeats announcements, in place of missing packets
 * @known_until: private: events of the current packet before this time are duplicates
 * @broken: private: data was skipped since the last accepted packet
 * @last: private: time of the last event; after its packet, end of the packet
 */
struct stream {
	const struct layout *layout;
	u32 cpu;
	u64 size;
	bool ended, sound;
	u64 first_seq;
	char complaint[ERROR_MAX];
	struct stream_file *files;
	u32 nr_files, file;
	struct source *source;
	u64 before_file, known;
	unsigned char *window;
	size_t start, filled;
	u64 offset;
	bool eof;
	int read_error;
	u64 packet, packet_offset, events;
	bool in_packet;
	struct frame frame, before;
	bool any, broken, stands_in;
	u64 last, known_until;
};

bool stream_open(struct stream *s, const struct layout *l, struct stream_file *files, u32 nr,
		 u32 cpu, char error[ERROR_MAX]);
void stream_begin(struct stream *s, const struct layout *l, u32 cpu);
void stream_feed(struct stream *s, const char *data, size_t len);
void stream_fill(struct stream *s, struct batch *b);
void stream_close(struct stream *s);

#endif
