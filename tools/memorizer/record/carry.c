// SPDX-License-Identifier: GPL-2.0
/*
 * Announcements of tasks, caches and modules in packets that a part of a recording no longer has.
 * The kernel makes each once, so a part begins with those from before, in a packet that stands in
 * the place of the last one that is gone: with its number, and what had been lost by then,
 * which the earlier parts report. It is there even without announcements: its number says where
 * the part goes on. An announcement from before the part's begin gets the time of
 * that; of several of one task, cache or module, which may have been made on different CPUs, only
 * the last one counts then.
 */
#include <stdlib.h>
#include <string.h>

#include "record/carry.h"
#include "record/drain.h"

/* Where things are in a packet, see drain.c, and in an event. */
#define BEGIN_OFFSET	24
#define END_OFFSET	32
#define SIZE_OFFSET	48
#define SEQ_OFFSET	56
#define DISCARDED	64
#define DISCARDED_BEFORE 80

/**
 * struct carry_item - an announcement
 * @key: the task, cache or address of the module
 * @what: which of them
 * @old: a later one is valid at the begin of the part
 * @time: when it was made, in ns
 * @size: bytes of the event
 * @event: the event
 */
struct carry_item {
	u64 key;
	u32 what;
	bool old;
	u64 time;
	size_t size;
	char *event;
};

static u64 load(const char *p)
{
	u64 value;

	memcpy(&value, p, sizeof(value));
	return value;
}

/**
 * carry_begin - tell when a packet begins
 * @packet: the packet
 *
 * Return: its timestamp_begin, in ns.
 */
u64 carry_begin(const char *packet)
{
	return load(packet + BEGIN_OFFSET);
}

/**
 * carry_number - get the number of the packet that the announcements stand in place of
 * @c: the announcements of a stream, of which a packet is gone
 *
 * Return: its packet_seq_num.
 */
u64 carry_number(const struct carry *c)
{
	return load(c->head + SEQ_OFFSET);
}

/* The header of an event is a word: the id in its first byte, the time in the others. */
static u64 stamp_of(const char *event)
{
	unsigned char bytes[8];
	u64 time = 0;
	int i;

	memcpy(bytes, event, sizeof(bytes));
	if (load("\1\0\0\0\0\0\0") == 1)
		return load(event) >> 8;
	for (i = 1; i < 8; i++)
		time = time << 8 | bytes[i];
	return time;
}

static void set_stamp(char *event, u64 time)
{
	bool little = load("\1\0\0\0\0\0\0") == 1;
	int i;

	for (i = 1; i < 8; i++)
		event[i] = time >> 8 * (little ? i - 1 : 7 - i);
}

static void add(struct carry *c, const struct sieve_event *e, const char *p, size_t size)
{
	struct carry_item *item;
	u32 pid;

	if (c->nr == c->room) {
		c->room = c->room ? 2 * c->room : 64;
		c->item = xreallocarray(c->item, c->room, sizeof(*c->item));
	}
	item = c->item + c->nr++;
	*item = (struct carry_item){
		.what = e->what, .time = stamp_of(p), .size = size
	};
	if (item->what == SIEVE_TASK) {
		memcpy(&pid, p + e->at, sizeof(pid));
		item->key = pid;
	} else {
		item->key = load(p + e->at);
	}
	item->event = memcpy(xreallocarray(NULL, size, 1), p, size);
}

/**
 * carry_note - take the announcements of packets that are gone
 * @c: those of the stream
 * @s: what knows the events
 * @packet: the packets
 * @len: their size in bytes
 */
void carry_note(struct carry *c, const struct sieve *s, const char *packet, size_t len)
{
	const struct sieve_event *e;
	const char *p, *end;
	size_t at, size, n;

	for (at = 0; at < len; at += size) {
		size = drain_packet_size(packet + at, len - at);
		end = packet + at + load(packet + at + s->content) / 8;
		if (end > packet + at + size)
			end = packet + at + size;
		for (p = packet + at + s->head; p < end; p += n) {
			e = s->events + (unsigned char)*p;
			n = sieve_event_size(e, p, end - p);
			if (!n)
				break;
			if (e->what == SIEVE_TASK || e->what == SIEVE_CACHE ||
			    e->what == SIEVE_MODULE)
				add(c, e, p, n);
		}
		if (!c->head) {
			c->head = xreallocarray(NULL, s->head, 1);
			c->first = load(packet + at + SEQ_OFFSET);
		}
		memcpy(c->head, packet + at, s->head);
		c->end = load(packet + at + END_OFFSET);
	}
}

static int compare(const void *a, const void *b)
{
	const struct carry_item *x = *(struct carry_item *const *)a;
	const struct carry_item *y = *(struct carry_item *const *)b;

	if (x->what != y->what)
		return x->what < y->what ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return x->time < y->time ? -1 : x->time > y->time;
}

/**
 * carry_prune - forget what a later announcement has replaced
 * @carries: those of all streams
 * @nr: how many
 * @since: when the part begins, and all later ones, in ns
 */
void carry_prune(struct carry **carries, u32 nr, u64 since)
{
	struct carry_item **all;
	u32 i, j, kept, n = 0;

	for (i = 0; i < nr; i++)
		n += carries[i]->nr;
	all = xreallocarray(NULL, n + 1, sizeof(*all));
	for (i = 0, n = 0; i < nr; i++)
		for (j = 0; j < carries[i]->nr; j++)
			all[n++] = carries[i]->item + j;
	qsort(all, n, sizeof(*all), compare);
	for (i = 0; i + 1 < n; i++)
		all[i]->old = all[i]->what == all[i + 1]->what &&
			      all[i]->key == all[i + 1]->key && all[i + 1]->time <= since;
	free(all);
	for (i = 0; i < nr; i++) {
		for (j = 0, kept = 0; j < carries[i]->nr; j++) {
			if (carries[i]->item[j].old)
				free(carries[i]->item[j].event);
			else
				carries[i]->item[kept++] = carries[i]->item[j];
		}
		carries[i]->nr = kept;
	}
}

/**
 * carry_packet - make the packet that a part begins with
 * @c: the announcements of its stream
 * @s: what knows the events
 * @since: when the part begins, in ns
 * @size: set to its size in bytes
 *
 * Return: the packet, to be freed; NULL if no packet is gone.
 */
char *carry_packet(const struct carry *c, const struct sieve *s, u64 since, size_t *size)
{
	u64 bits, begin = since < c->end ? since : c->end;
	char *packet, *p;
	u32 i;

	if (!c->head)
		return NULL;
	*size = s->head;
	for (i = 0; i < c->nr; i++)
		*size += c->item[i].size;
	packet = xreallocarray(NULL, *size, 1);
	memcpy(packet, c->head, s->head);
	p = packet + s->head;
	for (i = 0; i < c->nr; i++) {
		memcpy(p, c->item[i].event, c->item[i].size);
		if (c->item[i].time < begin)
			set_stamp(p, begin);
		p += c->item[i].size;
	}
	if (s->head > DISCARDED_BEFORE)
		memcpy(packet + DISCARDED_BEFORE, packet + DISCARDED, sizeof(u64));
	bits = 8 * *size;
	memcpy(packet + BEGIN_OFFSET, &begin, sizeof(begin));
	memcpy(packet + s->content, &bits, sizeof(bits));
	memcpy(packet + SIZE_OFFSET, &bits, sizeof(bits));
	return packet;
}

/**
 * carry_free - release memory
 * @c: announcements
 */
void carry_free(struct carry *c)
{
	u32 i;

	for (i = 0; i < c->nr; i++)
		free(c->item[i].event);
	free(c->item);
	free(c->head);
}
