// SPDX-License-Identifier: GPL-2.0
/*
 * State dumps: the kernel announces each task, cache, module and frame of a stack once. Each part
 * of a recording after the first begins with a packet that repeats the announcements of earlier
 * parts. It has the sequence number and events_discarded of the last packet before the part, and
 * is written even without announcements, so that a reader can check that no packet is missing.
 *
 * Announcements made before the part begins get its start time. Announcements of one task, cache,
 * module or frame may come from different CPUs; only the last one before the part is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "record/statedump.h"
#include "record/drain.h"
#include "record/packet.h"

/**
 * struct state_event - an announcement
 * @key: pid, cache, base address of the module, or bytes of the frame
 * @what: EVENT_TASK, EVENT_CACHE, EVENT_MODULE or EVENT_FRAME
 * @old: superseded before the part begins
 * @time: timestamp, in ns
 * @size: size of the event in bytes
 * @event: the event
 */
struct state_event {
	u64 key;
	u32 what;
	bool old;
	u64 time;
	size_t size;
	char *event;
};

/**
 * packet_begin - get the start time of a packet
 * @packet: the packet
 *
 * Return: timestamp_begin, in ns.
 */
u64 packet_begin(const char *packet)
{
	return packet_load(packet + PACKET_BEGIN);
}

/**
 * statedump_seq - get the sequence number of the last packet before the part
 * @d: the state dump of a stream, not empty
 *
 * Return: packet_seq_num.
 */
u64 statedump_seq(const struct statedump *d)
{
	return packet_load(d->head + PACKET_SEQ);
}

static bool is_little_endian(void)
{
	return packet_load("\1\0\0\0\0\0\0") == 1;
}

/* An event header has 8 bytes: the id in the first one, the time in the other 7. */
static u64 stamp_of(const char *event)
{
	unsigned char bytes[8];
	u64 time = 0;
	int i;

	memcpy(bytes, event, sizeof(bytes));
	if (is_little_endian())
		return packet_load(event) >> 8;
	for (i = 1; i < 8; i++)
		time = time << 8 | bytes[i];
	return time;
}

static void set_stamp(char *event, u64 time)
{
	bool little = is_little_endian();
	int i;

	for (i = 1; i < 8; i++)
		event[i] = time >> 8 * (little ? i - 1 : 7 - i);
}

static void add(struct statedump *d, const struct event_layout *e, const char *p, size_t size)
{
	struct state_event *item;
	u32 pid;

	if (d->nr == d->room) {
		d->room = d->room ? 2 * d->room : 64;
		d->item = xreallocarray(d->item, d->room, sizeof(*d->item));
	}
	item = d->item + d->nr++;
	*item = (struct state_event){
		.what = e->what, .time = stamp_of(p), .size = size
	};
	if (item->what == EVENT_TASK) {
		memcpy(&pid, p + e->at, sizeof(pid));
		item->key = pid;
	} else {
		/* Of a frame, these bytes are the stack, the depth and a part of the ip. */
		item->key = packet_load(p + e->at);
	}
	item->event = memcpy(xreallocarray(NULL, size, 1), p, size);
}

/**
 * statedump_add - copy announcements from packets that a later part will not have
 * @d: the state dump of the stream
 * @f: the layouts of the events
 * @packet: whole packets
 * @len: their size in bytes
 */
void statedump_add(struct statedump *d, const struct packet_filter *f,
		   const char *packet, size_t len)
{
	const struct event_layout *e;
	const char *p, *end;
	size_t at, size, n;

	for (at = 0; at < len; at += size) {
		size = drain_packet_size(packet + at, len - at);
		end = packet + at + packet_load(packet + at + f->content) / 8;
		/* Do not trust content_size in a damaged packet. */
		if (end > packet + at + size)
			end = packet + at + size;
		for (p = packet + at + f->head; p < end; p += n) {
			e = f->events + (unsigned char)*p;
			n = event_layout_size(e, p, end - p);
			/* Without its size, the next event cannot be found. */
			if (!n)
				break;
			if (e->what >= EVENT_TASK)
				add(d, e, p, n);
		}
		if (!d->head) {
			d->head = xreallocarray(NULL, f->head, 1);
			d->first = packet_load(packet + at + PACKET_SEQ);
		}
		memcpy(d->head, packet + at, f->head);
		d->end = packet_load(packet + at + PACKET_END);
	}
}

static int compare(const void *a, const void *b)
{
	const struct state_event *x = *(struct state_event *const *)a;
	const struct state_event *y = *(struct state_event *const *)b;

	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/**
 * statedump_prune - free superseded announcements
 * @dumps: the state dumps of all streams
 * @nr: number of streams
 * @since: start of the part, in ns
 */
void statedump_prune(struct statedump **dumps, u32 nr, u64 since)
{
	struct state_event **all;
	u32 i, j, kept, n = 0;

	for (i = 0; i < nr; i++)
		n += dumps[i]->nr;
	all = xreallocarray(NULL, n + 1, sizeof(*all));
	for (i = 0, n = 0; i < nr; i++)
		for (j = 0; j < dumps[i]->nr; j++)
			all[n++] = dumps[i]->item + j;
	qsort(all, n, sizeof(*all), compare);
	/*
	 * If the next one is later than @since, this one is still valid at
	 * the start of the part.
	 */
	for (i = 0; i + 1 < n; i++)
		all[i]->old = all[i]->what == all[i + 1]->what &&
			      all[i]->key == all[i + 1]->key && all[i + 1]->time <= since;
	free(all);
	for (i = 0; i < nr; i++) {
		for (j = 0, kept = 0; j < dumps[i]->nr; j++) {
			if (dumps[i]->item[j].old)
				free(dumps[i]->item[j].event);
			else
				dumps[i]->item[kept++] = dumps[i]->item[j];
		}
		dumps[i]->nr = kept;
	}
}

/**
 * statedump_packet - build the first packet of a part
 * @d: the state dump of the stream
 * @f: the layouts of the events
 * @since: start of the part, in ns
 * @size: set to the size of the packet in bytes
 *
 * Return: the packet, to be freed; NULL if no packet came before the part.
 */
char *statedump_packet(const struct statedump *d, const struct packet_filter *f,
		       u64 since, size_t *size)
{
	/* Not after timestamp_end, which stays that of the copied header. */
	u64 bits, begin = since < d->end ? since : d->end;
	char *packet, *p;
	u32 i;

	if (!d->head)
		return NULL;
	*size = f->head;
	for (i = 0; i < d->nr; i++)
		*size += d->item[i].size;
	packet = xreallocarray(NULL, *size, 1);
	memcpy(packet, d->head, f->head);
	p = packet + f->head;
	for (i = 0; i < d->nr; i++) {
		memcpy(p, d->item[i].event, d->item[i].size);
		if (d->item[i].time < begin)
			set_stamp(p, begin);
		p += d->item[i].size;
	}
	/* The losses were reported by an earlier part. */
	if (f->head > PACKET_LOST_BEFORE)
		memcpy(packet + PACKET_LOST_BEFORE, packet + PACKET_LOST, sizeof(u64));
	bits = 8 * *size;
	packet_store(packet + PACKET_BEGIN, begin);
	packet_store(packet + f->content, bits);
	packet_store(packet + PACKET_SIZE, bits);
	return packet;
}

/**
 * statedump_free - free a state dump
 * @d: the state dump
 */
void statedump_free(struct statedump *d)
{
	u32 i;

	for (i = 0; i < d->nr; i++)
		free(d->item[i].event);
	free(d->item);
	free(d->head);
}
