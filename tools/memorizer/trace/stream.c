// SPDX-License-Identifier: GPL-2.0
/*
 * Decodes the packets of a CPU's stream.
 *
 * A trace in parts has a file of the stream in each part, and all are read as one. Packets that
 * an earlier file has are skipped. A part may start with a packet that repeats the announcements
 * of earlier parts: it is used only if packets of those parts are missing.
 *
 * A file is read sequentially, through a window. Damaged data is skipped up to the next packet,
 * which is found by the packet's size, or, if the frame itself is damaged, by scanning for magic
 * and UUID. Pseudo events report the damage and the gap, from the end of the packet before it
 * to the beginning of the packet after it.
 */
#include <endian.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/stream.h"

#define MAGIC		0xc1fc1fc1u
#define TIME_MAX	(~0ull >> 1)
#define WINDOW		(64 * 1024)	/* bytes; larger than any event */
#define PSEUDO_EVENTS	12		/* max. pseudo events per packet */
#define FAULT_MAX	256		/* max. bytes of the text of TRACE_FAULT */

/* Load an unaligned number of 1, 2, 4 or 8 bytes. */
static inline u64 load_even(const unsigned char *p, u32 size, bool big_endian)
{
	unsigned short half;
	unsigned int word;
	u64 whole;

	switch (size) {
	case 1:
		return *p;
	case 2:
		memcpy(&half, p, sizeof(half));
		return big_endian ? be16toh(half) : le16toh(half);
	case 4:
		memcpy(&word, p, sizeof(word));
		return big_endian ? be32toh(word) : le32toh(word);
	default:
		memcpy(&whole, p, sizeof(whole));
		return big_endian ? be64toh(whole) : le64toh(whole);
	}
}

/* Load a number of 1 to 8 bytes. Other sizes than powers of two take two overlapping loads. */
static inline u64 load(const unsigned char *p, u32 size, bool big_endian)
{
	u32 part = size > 4 ? 4 : 2, shift = 8 * (size - part);
	u64 first, last;

	if (!(size & (size - 1)))
		return load_even(p, size, big_endian);
	first = load_even(p, part, big_endian);
	last = load_even(p + size - part, part, big_endian);
	return big_endian ? first << shift | last : last << shift | first;
}

static inline u64 get(const unsigned char *header, const struct place *p)
{
	return p->size ? load(header + p->offset, p->size, p->big_endian) : 0;
}

/**
 * batch_init - initialize an empty batch
 * @b: the batch
 * @room: max. number of events, more than PSEUDO_EVENTS
 */
void batch_init(struct batch *b, u32 room)
{
	*b = (struct batch){ .room = room, .text_room = 2 * PSEUDO_EVENTS * FAULT_MAX };
	b->events = xreallocarray(NULL, room, sizeof(*b->events));
	b->text = xreallocarray(NULL, b->text_room, 1);
}

/**
 * batch_free - free the memory of a batch
 * @b: the batch
 */
void batch_free(struct batch *b)
{
	free(b->events);
	free(b->text);
}

/*
 * Allocate a string in the batch, keeping room for the text of faults. Events point into the
 * buffer, so that it can only be resized while it is empty. Otherwise returns NULL: the batch
 * is full.
 */
static char *batch_text(struct batch *b, size_t size)
{
	char *text;

	/* After a string that does not fit, the packet may still end with faults. */
	if (b->text_used + size + 2 * FAULT_MAX > b->text_room) {
		if (b->text_used)
			return NULL;
		b->text_room = size + 2 * PSEUDO_EVENTS * FAULT_MAX;
		b->text = xreallocarray(b->text, b->text_room, 1);
	}
	text = b->text + b->text_used;
	b->text_used += size;
	return text;
}

static bool open_file(struct stream *s, char error[ERROR_MAX])
{
	source_close(s->source);
	s->source = source_open(s->files[s->file].path, error);
	/* @before and @any stay: the files are one stream. */
	s->start = 0;
	s->filled = 0;
	s->offset = 0;
	s->packet = 0;
	s->eof = false;
	s->read_error = 0;
	return s->source;
}

/*
 * Determine a file's size and its first packet_seq_num. If its first packet is damaged, sort it
 * right after the file before.
 */
static bool look_at(struct stream_file *file, const struct stream_file *before,
		    const struct layout *l, char error[ERROR_MAX])
{
	struct source *source = source_open(file->path, error);
	unsigned char *head;

	if (!source)
		return false;
	file->size = source_size(source);
	file->seq = before ? before->seq : 0;
	head = xreallocarray(NULL, l->packet_size, 1);
	if (source_read(source, head, l->packet_size) == l->packet_size &&
	    get(head, &l->magic) == MAGIC) {
		file->seq = get(head, &l->seq);
		/*
		 * It stands for the last packet before the part: sort as the part's first
		 * own one.
		 */
		file->seq += file->seq == file->carried;
	}
	free(head);
	source_close(source);
	return true;
}

/* Insert a file in the order of packets. Ignore empty files. */
static void add_file(struct stream *s, struct stream_file *file)
{
	u32 i = s->nr_files;

	if (!file->size) {
		free(file->path);
		return;
	}
	/* Joined recordings may be given in any order. */
	for (; i && s->files[i - 1].seq > file->seq; i--)
		s->files[i] = s->files[i - 1];
	s->files[i] = *file;
	s->nr_files++;
	s->size += file->size;
}

/**
 * stream_open - open the files of a CPU
 * @s: the stream
 * @l: layout of packets and events; must outlive @s
 * @files: the files, in the order of the parts; @s takes ownership of them and their names,
 *	   even on failure
 * @nr: number of @files
 * @cpu: CPU number in the names of the files
 * @error: set to a message on failure
 *
 * Return: true on success.
 */
bool stream_open(struct stream *s, const struct layout *l, struct stream_file *files, u32 nr,
		 u32 cpu, char error[ERROR_MAX])
{
	struct stream_file file;
	bool good = true;
	u32 i;

	*s = (struct stream){ .layout = l, .cpu = cpu, .files = files };
	for (i = 0; i < nr; i++) {
		file = files[i];
		good = good && look_at(&file, s->nr_files ? files + s->nr_files - 1 : NULL, l,
				       error);
		if (good)
			add_file(s, &file);
		else
			free(file.path);
	}
	if (good && (!s->nr_files || open_file(s, error))) {
		s->window = xreallocarray(NULL, WINDOW, 1);
		return true;
	}
	stream_close(s);
	return false;
}

/**
 * stream_begin - initialize a stream whose packets are passed to stream_feed()
 * @s: the stream
 * @l: layout of packets and events; must outlive @s
 * @cpu: CPU that wrote the packets
 */
void stream_begin(struct stream *s, const struct layout *l, u32 cpu)
{
	/* There is no file: @eof keeps peek() from reading one. */
	*s = (struct stream){ .layout = l, .cpu = cpu, .eof = true, .ended = true, .nr_files = 1 };
	s->files = xreallocarray(NULL, 1, sizeof(*s->files));
	*s->files = (struct stream_file){ .carried = U64_MAX };
	if (asprintf(&s->files->path, "cpu%u", cpu) < 0)
		abort();
}

/**
 * stream_feed - append packets to a stream
 * @s: the stream, initialized by stream_begin()
 * @data: complete packets; copied
 * @len: size of @data in bytes
 */
void stream_feed(struct stream *s, const char *data, size_t len)
{
	size_t left = s->filled - s->start;

	if (left)
		memmove(s->window, s->window + s->start, left);
	s->window = xreallocarray(s->window, left + len, 1);
	memcpy(s->window + left, data, len);
	s->offset += s->start;
	s->start = 0;
	s->filled = left + len;
	/* next_packet() counted the end of the data as a packet. */
	s->packet -= s->ended && s->packet;
	s->ended = false;
}

/**
 * stream_close - close a stream
 * @s: the stream
 */
void stream_close(struct stream *s)
{
	u32 i;

	source_close(s->source);
	for (i = 0; i < s->nr_files; i++)
		free(s->files[i].path);
	free(s->files);
	free(s->window);
}

/* Move the unread bytes to the start of the window, and read more after them. */
static void refill(struct stream *s)
{
	long long got;

	memmove(s->window, s->window + s->start, s->filled - s->start);
	s->offset += s->start;
	s->filled -= s->start;
	s->start = 0;
	got = source_read(s->source, s->window + s->filled, WINDOW - s->filled);
	/* source_read() only returns less at the end, or on an error. */
	s->eof = got < (long long)(WINDOW - s->filled);
	if (got < 0)
		s->read_error = errno;
	else
		s->filled += got;
}

/* Make @want bytes available in the window. Returns less only at the end of the file. */
static size_t peek(struct stream *s, size_t want)
{
	if (s->filled - s->start < want && !s->eof)
		refill(s);
	return s->filled - s->start;
}

static u64 position(const struct stream *s)
{
	return s->offset + s->start;
}

/* Skip @bytes bytes, or up to the end of the file. */
static void skip(struct stream *s, u64 bytes)
{
	size_t left;

	while (bytes) {
		left = peek(s, 1);
		if (!left)
			return;
		if (left > bytes)
			left = bytes;
		s->start += left;
		bytes -= left;
	}
}

static struct trace_event *add_pseudo(struct stream *s, struct batch *b, enum trace_type type,
				      u64 time)
{
	struct trace_event *e = b->events + b->nr++;

	e->type = type;
	e->time = time;
	e->cpu = s->cpu;
	e->node = s->before.node;
	return e;
}

/* Report a fault of the current packet. */
__printf(4, 5)
static void fault(struct stream *s, struct batch *b, bool incomplete, const char *format, ...)
{
	const struct stream_file *file = s->files + s->file;
	char *text = b->text + b->text_used;
	struct trace_event *e;
	va_list args;
	size_t len;

	len = snprintf(text, FAULT_MAX, "%.100s, packet %llu: ", file->path + file->name,
		       s->packet);
	va_start(args, format);
	vsnprintf(text + len, FAULT_MAX - len, format, args);
	va_end(args);
	b->text_used += strlen(text) + 1;
	/* For the error message of trace_open(), if no stream has a valid packet. */
	if (!s->sound && !*s->complaint)
		snprintf(s->complaint, sizeof(s->complaint), "%s", text);
	e = add_pseudo(s, b, TRACE_FAULT, s->last);
	e->u.fault.text = text;
	e->u.fault.incomplete = incomplete;
}

static void add_loss(struct stream *s, struct batch *b, u64 time, u64 events, u64 packets)
{
	struct trace_event *e = add_pseudo(s, b, TRACE_DISCARDED, time);

	/* An absurd count from a damaged frame must not overflow the sum. */
	e->u.discarded.events = events > U64_MAX / 2 ? 0 : events;
	e->u.discarded.packets = packets;
	e->u.discarded.broken = s->broken;
	e->u.discarded.early = false;
}

/*
 * Continue with the next file. If the last file ends in damaged data, there is no further packet
 * to end the gap.
 */
static void end_file(struct stream *s, struct batch *b)
{
	const char *why = s->read_error ? strerror(s->read_error) :
			  s->source ? source_damage(s->source) : NULL;
	char error[ERROR_MAX];

	if (why) {
		fault(s, b, true, "at byte %llu: %s", s->packet_offset, why);
		s->broken = true;
	}
	if (s->file + 1 < s->nr_files) {
		s->before_file += s->files[s->file++].size;
		/* Packets up to here were read: the next part may have them, too. */
		s->known = s->any ? s->before.seq + 1 : 0;
		if (open_file(s, error))
			return;
		fault(s, b, true, "%s", error);
		s->broken = true;
		/* Nothing to read: the next call continues with the file after. */
		s->eof = true;
		return;
	}
	/* No further packet reports the gap. */
	if (s->broken)
		add_loss(s, b, s->last, 0, 0);
	s->ended = true;
}

/* Scan for the header of a packet, starting after the next byte. */
static void find_packet(struct stream *s)
{
	const struct layout *l = s->layout;
	u32 need = l->uuid.offset + 16 > l->magic.offset + l->magic.size ?
		l->uuid.offset + 16 : l->magic.offset + l->magic.size;
	const unsigned char *p;

	/* Any byte may be the start: the length of the damage is unknown. */
	for (s->start++; peek(s, need) >= need; s->start++) {
		p = s->window + s->start;
		if (get(p, &l->magic) == MAGIC &&
		    !memcmp(p + l->uuid.offset, l->metadata->uuid, 16))
			return;
	}
	s->start = s->filled;
}

/* Decode the frame of a packet. Reports a fault and returns false if it is invalid. */
static bool take_frame(struct stream *s, struct batch *b, const unsigned char *h)
{
	const struct layout *l = s->layout;
	struct frame *f = &s->frame;
	u64 least = 8ull * l->packet_size, size = get(h, &l->size), content = get(h, &l->content);

	*f = (struct frame){
		.begin = get(h, &l->begin), .end = get(h, &l->end), .size = size / 8,
		.content = content / 8, .seq = get(h, &l->seq),
		.discarded = get(h, &l->discarded),
		.discarded_before = get(h, &l->discarded_before),
		.cpu = get(h, &l->cpu), .node = get(h, &l->node),
	};
	/* Only what decoding relies on is fatal; compare_frames() reports the rest. */
	if (get(h, &l->magic) != MAGIC)
		fault(s, b, true, "at byte %llu: no packet: magic is %08llx, expected %08x",
		      s->packet_offset, get(h, &l->magic), MAGIC);
	else if (memcmp(h + l->uuid.offset, l->metadata->uuid, 16))
		fault(s, b, true,
		      "at byte %llu: uuid differs from the metadata: not from the same boot",
		      s->packet_offset);
	else if (get(h, &l->stream_id))
		fault(s, b, true, "at byte %llu: stream_id is %llu, expected 0",
		      s->packet_offset, get(h, &l->stream_id));
	else if (size % 8 || size < least)
		fault(s, b, true,
		      "at byte %llu: packet_size is %llu bits, expected whole bytes, at least %llu",
		      s->packet_offset, size, least);
	else if (content % 8 || content > size || content < least)
		fault(s, b, true,
		      "at byte %llu: content_size is %llu bits, expected whole bytes, %llu to %llu",
		      s->packet_offset, content, least, size);
	else if (f->begin > TIME_MAX || f->end > TIME_MAX)
		fault(s, b, true, "at byte %llu: timestamps are %llu to %llu, maximum is %llu",
		      s->packet_offset, f->begin, f->end, TIME_MAX);
	else if (f->seq == U64_MAX || f->discarded == U64_MAX)
		fault(s, b, true,
		      "at byte %llu: packet_seq_num %llu, events_discarded %llu: too large",
		      s->packet_offset, f->seq, f->discarded);
	else
		return true;
	s->broken = true;
	return false;
}

/* Skip packets of other CPUs, and packets that were read before. */
static bool is_wanted(struct stream *s, struct batch *b)
{
	const struct frame *f = &s->frame, *before = &s->before;

	/* A renamed file: its events would break the order of both CPUs. */
	if (f->cpu != s->cpu) {
		fault(s, b, true, "skipped: written by cpu%u", f->cpu);
		s->broken = true;
		return false;
	}
	/* An earlier file has the packet, too: this is normal, and not reported. */
	if (s->any && f->seq < s->known && f->end <= before->end)
		return false;
	if (s->any && f->seq <= before->seq && f->begin < before->end) {
		fault(s, b, true,
		      "skipped: packet_seq_num is %llu after %llu: duplicate or out of order",
		      f->seq, before->seq);
		return false;
	}
	return true;
}

/* Report inconsistencies of a packet's frame with that of the packet before. */
static void compare_frames(struct stream *s, struct batch *b)
{
	const struct frame *f = &s->frame, *before = &s->before;

	if (f->content != f->size)
		fault(s, b, false, "content_size is %llu of %llu bytes", f->content, f->size);
	if (f->begin > f->end)
		fault(s, b, false, "begins at %llu ns, ends at %llu", f->begin, f->end);
	/* There is no packet right before this one. */
	if (!s->any || s->stands_in)
		return;
	if (f->seq > before->seq + 1)
		fault(s, b, true,
		      "packet_seq_num is %llu after %llu: %llu packets are missing",
		      f->seq, before->seq, f->seq - before->seq - 1);
	else if (f->seq <= before->seq)
		fault(s, b, true, "packet_seq_num is %llu after %llu", f->seq, before->seq);
	s->broken |= f->seq != before->seq + 1;
	if (f->begin < before->end)
		fault(s, b, false, "begins at %llu ns, the previous packet ends at %llu",
		      f->begin, before->end);
	if (f->discarded < before->discarded)
		fault(s, b, false, "events_discarded is %llu after %llu", f->discarded,
		      before->discarded);
	if (f->node != before->node)
		fault(s, b, false, "node is %u after %u", f->node, before->node);
}

/* Start with a gap: another reader may have consumed packets before the first one. */
static void begin_late(struct stream *s, struct batch *b)
{
	add_loss(s, b, 0, 0, 0);
	/* Without damage, the trace just begins late: this is no loss. */
	b->events[b->nr - 1].u.discarded.early = !s->broken;
	/* With packet 0, all packets are there: only events that were overrun are lost. */
	b->events[b->nr - 1].u.discarded.broken = s->broken || s->frame.seq;
}

/* Number of packets missing before the current one. */
static u64 missing(const struct stream *s)
{
	const struct frame *f = &s->frame, *before = &s->before;

	/* Without a stand-in, nobody noted which packets other readers consumed. */
	if (!s->any)
		return s->stands_in ? f->seq + 1 - s->files[s->file].first : 0;
	return f->seq > before->seq ? f->seq - before->seq - 1 + s->stands_in : 0;
}

/* The packet repeats announcements of packets that no part of the trace has. */
static bool stands_in(const struct stream *s)
{
	const struct stream_file *file = s->files + s->file;

	return s->packet == 1 && s->frame.seq == file->carried && (s->any || file->later);
}

/*
 * Add pseudo events for the gap before the packet. events_discarded is cumulative: count only
 * the losses since the packet before, in the trace or, for the first one, in the kernel.
 */
static void add_gap(struct stream *s, struct batch *b)
{
	const struct frame *f = &s->frame, *before = &s->before;
	u64 known = s->any ? before->discarded : f->discarded_before;
	u64 lost = f->discarded > known ? f->discarded - known : 0;
	u64 packets = missing(s);
	/* Losses before the first packet may have happened at any time. */
	bool late = !s->any && (f->seq || s->broken || lost);

	if (late)
		begin_late(s, b);
	/* The loss may have begun right after the last event that was read. */
	if (lost || packets || (s->any && s->broken))
		add_loss(s, b, s->any ? s->last : f->begin, lost, packets);
	else if (!late)
		return;
	/* Otherwise leave_packet() ends the gap: the packet only has announcements. */
	if (!s->stands_in)
		add_pseudo(s, b, TRACE_RESUMED, f->begin);
	s->broken = false;
}

static void cut_off(struct stream *s, struct batch *b, u64 left)
{
	fault(s, b, true, "at byte %llu: truncated: %llu of %llu bytes",
	      s->packet_offset, left, s->frame.size);
	s->broken = true;
}

static void next_packet(struct stream *s, struct batch *b)
{
	u32 need = s->layout->packet_size;
	size_t left = peek(s, need);
	u64 lost;

	s->packet++;
	s->packet_offset = position(s);
	s->events = 0;
	if (!left) {
		end_file(s, b);
	} else if (left < need) {
		fault(s, b, true,
		      "at byte %llu: truncated: %zu bytes, the header has %u",
		      s->packet_offset, left, need);
		s->broken = true;
		/* Not even a header: the next call sees the end of the file. */
		s->start = s->filled;
	} else if (!take_frame(s, b, s->window + s->start)) {
		find_packet(s);
	} else if (!is_wanted(s, b)) {
		skip(s, s->frame.size);
	} else {
		s->stands_in = stands_in(s);
		/* The packet repeats old announcements: skip those that were read. */
		s->known_until = s->stands_in && s->any ? s->before.end : 0;
		s->broken |= s->stands_in;
		compare_frames(s, b);
		add_gap(s, b);
		s->start += need;
		if (!s->any)
			s->first_seq = s->frame.seq;
		lost = s->before.discarded;
		s->before = s->frame;
		/*
		 * The count never decreases: a lower one is damaged, and must not count
		 * losses twice.
		 */
		if (s->before.discarded < lost)
			s->before.discarded = lost;
		s->last = s->frame.begin;
		s->any = true;
		s->sound = true;
		s->in_packet = true;
	}
}

static void end_packet(struct stream *s, struct batch *b)
{
	struct trace_event *e = add_pseudo(s, b, TRACE_PACKET, s->last);

	e->u.packet.begin = s->frame.begin;
	e->u.packet.end = s->frame.end;
	s->in_packet = false;
}

/* Skip the rest of a packet: padding, or damaged data. */
static void leave_packet(struct stream *s, struct batch *b, bool damaged)
{
	u64 end = s->packet_offset + s->frame.size, at = position(s);

	end_packet(s, b);
	if (end > at)
		skip(s, end - at);
	/* The gap begins with the last event that was read. */
	if (damaged)
		return;
	/* After an intact packet, a gap cannot begin before its end. */
	if (s->frame.end > s->last)
		s->last = s->frame.end;
	if (s->stands_in)
		add_pseudo(s, b, TRACE_RESUMED, s->last);
	if (position(s) < end)
		cut_off(s, b, position(s) - s->packet_offset);
}

/*
 * Extend a truncated timestamp to 64 bits. It is the value closest to the beginning of the
 * packet.
 */
static u64 event_time(const struct stream *s, const unsigned char *p)
{
	const struct place *stamp = &s->layout->timestamp;
	u32 unseen = 64 - 8 * stamp->size;
	/* Shift the difference up and back down to extend its sign. */
	long long distance = (get(p, stamp) - s->frame.begin) << unseen;

	return s->frame.begin + (distance >> unseen);
}

static const struct decoder *find_decoder(const struct layout *l, u64 id)
{
	u32 i;

	if (id < ARRAY_SIZE(l->by_id))
		return l->by_id[id];
	/* IDs of more than 8 bits: not written by the kernel, so a slow search will do. */
	for (i = 0; i < l->metadata->nr_events; i++)
		if (l->metadata->events[i].id == id)
			return l->decoders + i;
	return NULL;
}

enum decoded {
	DECODED,
	CUT,		/* the event extends beyond the window or its packet */
	FULL,		/* no room for its strings in the batch */
};

/* Decode the fields of an event, and advance *@at past it. */
static enum decoded decode(const struct decoder *d, struct trace_event *e, struct batch *b,
			   const unsigned char **at, const unsigned char *end)
{
	const unsigned char *p = *at, *nul;
	const struct step *step;
	char *to, *text;

	for (step = d->steps; step < d->steps + d->nr; step++) {
		/* Strings find their own end below. */
		if (step->how != STEP_TEXT && (size_t)(end - p) < step->size)
			return CUT;
		to = (char *)e + step->to;
		switch (step->how) {
		case STEP_U32:
			*(u32 *)to = load(p, step->size, step->big_endian);
			break;
		case STEP_U64:
			*(u64 *)to = load(p, step->size, step->big_endian);
			break;
		case STEP_INT:
			*(int *)to = (long long)(load(p, step->size, step->big_endian) <<
						 (64 - 8 * step->size)) >> (64 - 8 * step->size);
			break;
		case STEP_COMM:
			memset(to, 0, TRACE_COMM_SIZE);
			memcpy(to, p, step->size < TRACE_COMM_SIZE ? step->size :
			       TRACE_COMM_SIZE - 1);
			break;
		case STEP_BUILD_ID:
			memset(to, 0, TRACE_BUILD_ID);
			memcpy(to, p, step->size < TRACE_BUILD_ID ? step->size : TRACE_BUILD_ID);
			break;
		case STEP_SKIP:
			break;
		case STEP_ZERO:
			*(u32 *)to = 0;
			break;
		case STEP_ZERO_U64:
			*(u64 *)to = 0;
			break;
		default:
			nul = memchr(p, '\0', end - p);
			if (!nul)
				return CUT;
			if (step->how == STEP_TEXT) {
				text = batch_text(b, nul + 1 - p);
				if (!text)
					return FULL;
				*(const char **)to = memcpy(text, p, nul + 1 - p);
			}
			p = nul + 1;
			continue;
		}
		p += step->size;
	}
	*at = p;
	return DECODED;
}

static void skip_rest(struct stream *s, struct batch *b, const char *why)
{
	fault(s, b, true, "at byte %llu: damaged after event %llu: %s", s->packet_offset,
	      s->events, why);
	s->broken = true;
	leave_packet(s, b, true);
}

/* Without the event's size, the next event cannot be found. */
static void skip_rest_at_event(struct stream *s, struct batch *b, u64 id, bool known)
{
	char why[64];

	snprintf(why, sizeof(why), known ? "event %llu has fields of unknown size" :
		 "unknown event id %llu", id);
	skip_rest(s, b, why);
}

/* Decode the next event of the packet. Returns false if the batch is full. */
static bool take_event(struct stream *s, struct batch *b)
{
	const struct layout *l = s->layout;
	u64 left = s->packet_offset + s->frame.content - position(s), id;
	const unsigned char *p, *end;
	const struct decoder *d;
	struct trace_event *e;
	enum decoded decoded;
	size_t here;

	here = s->filled - s->start;
	if (here > left)
		here = left;
	p = s->window + s->start;
	end = p + here;
	if (here < l->event_size)
		goto short_of;
	id = get(p, &l->id);
	d = find_decoder(l, id);
	if (!d || !d->readable) {
		skip_rest_at_event(s, b, id, d);
		return true;
	}
	/* Decode in place. The event only counts with @b->nr. */
	e = b->events + b->nr;
	e->type = d->type;
	e->time = event_time(s, p);
	e->cpu = s->frame.cpu;
	e->node = s->frame.node;
	if (d->type == TRACE_UNKNOWN) {
		e->u.unknown.name = d->class->name;
		e->u.unknown.id = d->class->id;
	}
	p += l->event_size;
	decoded = decode(d, e, b, &p, end);
	/* Decode the event again, into the next batch. */
	if (decoded == FULL)
		return false;
	if (decoded == CUT)
		goto short_of;
	s->events++;
	s->start = p - s->window;
	/* A repeated announcement that was already read. */
	if (e->time < s->known_until)
		return true;
	b->nr++;
	s->last = e->time;
	return true;

short_of:
	/*
	 * The event may continue behind the window. At the start of the window, it is too
	 * large.
	 */
	if (here < left && !s->eof && s->start) {
		refill(s);
		return take_event(s, b);
	}
	/* The recorder was killed, or the disk was full: the events up to here are good. */
	if (here < left && s->eof) {
		cut_off(s, b, position(s) + here - s->packet_offset);
		end_packet(s, b);
		s->start = s->filled;
		return true;
	}
	skip_rest(s, b, "truncated event");
	return true;
}

/**
 * stream_fill - decode the next events
 * @s: the stream
 * @b: set to the events; empty at the end of the stream, with @s->ended set
 */
void stream_fill(struct stream *s, struct batch *b)
{
	b->nr = 0;
	b->text_used = 0;
	/* One pass adds an event, or the pseudo events of a packet: keep room for these. */
	while (!s->ended && b->nr + PSEUDO_EVENTS < b->room) {
		if (!s->in_packet) {
			if (b->text_used + PSEUDO_EVENTS * FAULT_MAX > b->text_room && b->nr)
				break;
			next_packet(s, b);
		} else if (position(s) >= s->packet_offset + s->frame.content) {
			leave_packet(s, b, false);
		} else if (!take_event(s, b)) {
			break;
		}
	}
	b->bytes = s->before_file + position(s);
}
