/* SPDX-License-Identifier: GPL-2.0 */
/* One CPU's files of a trace: from packets to events. */
#ifndef STREAM_H
#define STREAM_H

#include "lib/source.h"
#include "trace/metadata.h"
#include "trace/trace.h"

#define EVENT_FIELDS	12	/* most fields of an event that this tool knows */

/**
 * struct step - a field of an event on its way to struct trace_event
 * @how: what is done with it
 * @size: its size in bytes
 * @big_endian: its byte order
 * @to: where in struct trace_event it goes
 */
struct step {
	enum {
		STEP_U32, STEP_U64, STEP_INT, STEP_COMM, STEP_BUILD_ID, STEP_TEXT, STEP_SKIP,
		STEP_SKIP_TEXT,
		STEP_ZERO,	/* a 32-bit one that is not there */
		STEP_ZERO_U64,
	} how;
	u32 size;
	bool big_endian;
	u32 to;
};

/**
 * struct decoder - how the events of a class are decoded
 * @class: the class
 * @type: which event it is
 * @steps: what is to be done
 * @nr: how many
 * @size: bytes of such an event, without its header and strings
 * @readable: whether its size is known
 */
struct decoder {
	const struct event_class *class;
	enum trace_type type;
	struct step *steps;
	u32 nr, size;
	bool readable;
};

/**
 * struct place - where a number is in a header
 * @offset: its offset in bytes
 * @size: its size in bytes
 * @big_endian: its byte order
 */
struct place {
	u32 offset, size;
	bool big_endian;
};

/**
 * struct layout - how the packets and events of a trace are laid out
 * @metadata: what this follows from
 * @magic: where in a packet's header and context it is
 * @uuid: the same of its uuid, the next ones likewise of what they are called
 * @stream_id: stream_id
 * @begin: timestamp_begin
 * @end: timestamp_end
 * @content: content_size
 * @size: packet_size
 * @seq: packet_seq_num
 * @discarded: events_discarded
 * @discarded_before: events_discarded_before, which older kernels do not write
 * @cpu: cpu_id
 * @node: node_id
 * @packet_size: bytes of a packet's header and context
 * @id: where in an event's header the id is
 * @timestamp: where it has its time
 * @event_size: bytes of an event's header
 * @decoders: how each class is decoded
 * @by_id: the class of each small id, NULL if there is none
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
 * struct batch - events that follow each other on a CPU
 * @events: the events; strings in them live as long as the batch is not filled again
 * @nr: how many
 * @room: how many fit
 * @text: strings
 * @text_used: how many bytes of them there are
 * @text_room: how many fit
 * @bytes: how far in the file the batch ends
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

/* The frame of a packet. */
struct frame {
	u64 begin, end, size, content, seq, discarded, discarded_before;
	u32 cpu, node;
};

/**
 * struct stream_file - a file of a CPU: one of each part of a trace
 * @path: its name
 * @name: where in that the name for messages begins
 * @later: it is not in the first part
 * @carried: packet_seq_num of the packet in it that stands for the last one before it;
 *	     U64_MAX: there is none
 * @first: that of the CPU's first packet in the recording, if @carried is one
 * @size: private: its size in bytes
 * @seq: private: packet_seq_num of its first packet, but for the one that is @carried
 */
struct stream_file {
	char *path;
	size_t name;
	bool later;
	u64 carried, first;
	u64 size, seq;
};

/**
 * struct stream - a CPU's files being read, as if they were one
 * @layout: how they are laid out
 * @cpu: the CPU that their names say
 * @size: their size in bytes
 * @ended: nothing more comes, or not before the next stream_feed()
 * @sound: whether there was a packet in it
 * @first_seq: packet_seq_num of the first one
 * @complaint: what was wrong with the first packet, if that was none
 * @files: private: the files, those without bytes left out, in the order of their packets
 * @nr_files: private: how many
 * @file: private: the index of the one being read
 * @source: private: where its bytes come from; NULL: from stream_feed()
 * @before_file: private: bytes of those before it
 * @known: private: packets with a lower packet_seq_num may be in those before it
 * @window: private: bytes of the file
 * @start: private: where in @window the next byte to look at is
 * @filled: private: how much of @window is filled
 * @offset: private: where in the file @window begins
 * @eof: private: whether the file ends with @window
 * @read_error: private: errno of why it cannot be read any further, or 0
 * @packet: private: number of the current packet, from 1
 * @packet_offset: private: where it begins
 * @events: private: events of it so far
 * @in_packet: private: whether the next bytes are events
 * @frame: private: the current packet's frame
 * @before: private: that of the last packet that was taken
 * @any: private: whether there was one
 * @stands_in: private: the current packet has announcements in place of missing packets
 * @told: private: the events in it before that time have come already
 * @broken: private: whether something has been left out since
 * @last: private: time of the last event, then the end of its packet
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
	u64 last, told;
};

bool stream_open(struct stream *s, const struct layout *l, struct stream_file *files, u32 nr,
		 u32 cpu, char error[ERROR_MAX]);
void stream_begin(struct stream *s, const struct layout *l, u32 cpu);
void stream_feed(struct stream *s, const char *data, size_t len);
void stream_fill(struct stream *s, struct batch *b);
void stream_close(struct stream *s);

#endif
