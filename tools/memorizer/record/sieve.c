// SPDX-License-Identifier: GPL-2.0
/*
 * What is left out of a trace while it is recorded. Packets stay what they are, in their
 * sequence, with less in them. Only that is left out without which the rest means the same: an
 * allocation and its free stand together or not at all, as what remained of them would look
 * like a leak or a double free. A task's or CPU's allocations may be freed by any other, so
 * these are not chosen here but by those who read the trace. Accesses stand for themselves.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/drain.h"
#include "record/sieve.h"

#define SIZE_OFFSET	48		/* of packet_size, see drain.c */
#define PAGES		2		/* the kind of pages */

/**
 * sieve_parse_list - take numbers with commas between
 * @list: where they are added
 * @text: the text
 *
 * Return: whether it has such numbers.
 */
bool sieve_parse_list(struct sieve_list *list, const char *text)
{
	unsigned long n;
	char *end;

	for (;; text = end + 1) {
		errno = 0;
		n = strtoul(text, &end, 10);
		if (*text < '0' || *text > '9' || errno || n > U32_MAX || (*end && *end != ','))
			return false;
		list->number = xreallocarray(list->number, list->nr + 1, sizeof(*list->number));
		list->number[list->nr++] = n;
		if (!*end)
			return true;
	}
}

/**
 * sieve_free_choice - release memory
 * @choice: what was chosen
 */
void sieve_free_choice(struct sieve_choice *choice)
{
	free(choice->pids.number);
	free(choice->cpus.number);
}

static bool chooses(const struct sieve_list *list, u32 number)
{
	u32 i;

	for (i = 0; i < list->nr; i++)
		if (list->number[i] == number)
			return true;
	return !list->nr;
}

/**
 * sieve_is_needed - tell whether anything is to be left out
 * @choice: what was chosen
 *
 * Return: whether there is.
 */
bool sieve_is_needed(const struct sieve_choice *choice)
{
	return (choice->pids.nr && !choice->chosen) || choice->cpus.nr || !choice->slab ||
	       !choice->pages;
}

/* The events that matter, and by which field. */
static const struct {
	const char *event, *field;
	u32 size, what;
} chosen[] = {
	{ "access", "pid", sizeof(u32), SIEVE_ACCESS },
	{ "alloc", "kind", 1, SIEVE_MEMORY },
	{ "free", "kind", 1, SIEVE_MEMORY },
	{ "task", "pid", sizeof(u32), SIEVE_TASK },
	{ "cache", "cache", sizeof(u64), SIEVE_CACHE },
	{ "module", "base", sizeof(u64), SIEVE_MODULE },
};

/* Learns what an event is like; false if it cannot be chosen by what it has. */
static bool learn(struct sieve_event *e, const struct event_class *class, u32 header)
{
	const struct fields *f = &class->fields;
	const struct metadata_field *by = NULL;
	u32 i;

	e->known = true;
	e->size = header;
	for (i = 0; i < f->nr; i++) {
		e->known &= f->field[i].type != FIELD_UNKNOWN && !e->text;
		e->text |= f->field[i].type == FIELD_STRING;
		e->size += f->field[i].type == FIELD_STRING ? 0 : f->field[i].size;
	}
	for (i = 0; i < ARRAY_SIZE(chosen); i++) {
		if (strcmp(class->name, chosen[i].event))
			continue;
		e->what = chosen[i].what;
		by = fields_find(f, chosen[i].field, &e->at);
		if (!by || by->size != chosen[i].size)
			return false;
	}
	e->at += header;
	return true;
}

/**
 * sieve_init - get ready
 * @s: the sieve
 * @choice: what to keep; must outlive it
 * @dir: directory with the metadata
 *
 * Return: whether that worked; if not there was a message.
 */
bool sieve_init(struct sieve *s, const struct sieve_choice *choice, const char *dir)
{
	char error[ERROR_MAX] = "";
	struct metadata m;
	u32 i, context, header = 0, id = 1;
	const struct metadata_field *f;
	bool fine;

	*s = (struct sieve){ .choice = choice };
	fine = metadata_load(&m, dir, error);
	if (fine) {
		f = fields_find(&m.event_header, "id", &id);
		fine = f && f->size == 1 && !id && fields_size(&m.event_header, &header) &&
		       fields_size(&m.packet_header, &s->head) &&
		       fields_size(&m.packet_context, &context) &&
		       fields_find(&m.packet_context, "content_size", &s->content);
		s->content += s->head;
		s->head += fine ? context : 0;
		for (i = 0; fine && i < m.nr_events; i++)
			if (m.events[i].id < ARRAY_SIZE(s->events))
				fine = learn(s->events + m.events[i].id, m.events + i, header);
		if (!fine)
			snprintf(error, sizeof(error),
				 "%.400s/metadata: a format to choose from is not known", dir);
	}
	metadata_free(&m);
	if (!fine)
		fprintf(stderr, "memorizer: %s\n", error);
	return fine;
}

static bool is_wanted(const struct sieve *s, const struct sieve_event *e, u32 cpu, const char *p)
{
	u32 pid;

	switch (e->what) {
	case SIEVE_ACCESS:
		memcpy(&pid, p + e->at, sizeof(pid));
		return (s->choice->chosen || chooses(&s->choice->pids, pid)) &&
		       chooses(&s->choice->cpus, cpu);
	case SIEVE_MEMORY:
		return p[e->at] == PAGES ? s->choice->pages : s->choice->slab;
	default:
		return true;
	}
}

/**
 * sieve_event_size - tell how large an event is
 * @e: what is known of it
 * @p: the event
 * @left: bytes from there on
 *
 * Return: its size in bytes; 0 if that cannot be told.
 */
size_t sieve_event_size(const struct sieve_event *e, const char *p, size_t left)
{
	const char *end;

	if (!e->known || e->size > left)
		return 0;
	if (!e->text)
		return e->size;
	end = memchr(p + e->size, '\0', left - e->size);
	return end ? end + 1 - p : 0;
}

/* Leaves events out of a packet, and returns its size then. */
static size_t sieve_packet(const struct sieve *s, u32 cpu, char *packet, u64 *left_out)
{
	const struct sieve_event *e;
	const char *p = packet + s->head, *end;
	char *to = packet + s->head;
	u64 content, bits;
	size_t size;

	memcpy(&content, packet + s->content, sizeof(content));
	for (end = packet + content / 8; p < end; p += size) {
		e = s->events + (unsigned char)*p;
		size = sieve_event_size(e, p, end - p);
		if (size && !is_wanted(s, e, cpu, p)) {
			++*left_out;
			continue;
		}
		if (!size)
			size = end - p;	/* unknown, with all that follows */
		memmove(to, p, size);
		to += size;
	}
	bits = 8 * (to - packet);
	memcpy(packet + s->content, &bits, sizeof(bits));
	memcpy(packet + SIZE_OFFSET, &bits, sizeof(bits));
	return to - packet;
}

/**
 * sieve_packets - leave events out of packets
 * @s: the sieve
 * @cpu: the CPU that they come from
 * @data: the packets, which are changed
 * @len: their size in bytes
 * @left_out: is added the number of events to that are left out
 *
 * Return: their size then.
 */
size_t sieve_packets(const struct sieve *s, u32 cpu, char *data, size_t len, u64 *left_out)
{
	size_t at, size, before, done = 0;
	u64 content;

	for (at = 0; at < len; at += before) {
		before = drain_packet_size(data + at, len - at);
		memmove(data + done, data + at, before);
		memcpy(&content, data + done + s->content, sizeof(content));
		size = content % 8 || content / 8 > before || content / 8 < s->head ? before :
			sieve_packet(s, cpu, data + done, left_out);
		done += size;
	}
	return done;
}
