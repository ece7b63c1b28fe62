// SPDX-License-Identifier: GPL-2.0
/* Ring buffer of the last packets of a stream. It grows as needed; the caller limits it. */
#include <stdlib.h>
#include <string.h>

#include "kmap/kmap.h"
#include "record/ring.h"

static void grow(struct ring *r)
{
	u32 room = r->room ? 2 * r->room : 16;
	struct ring_packet *packets = xreallocarray(NULL, room, sizeof(*packets));
	u32 i;

	for (i = 0; i < r->nr; i++)
		packets[i] = *ring_at(r, i);
	free(r->packets);
	r->packets = packets;
	r->first = 0;
	r->room = room;
}

/**
 * ring_add - append a copy of a packet
 * @r: the ring
 * @data: the packet
 * @size: its size in bytes
 */
void ring_add(struct ring *r, const char *data, size_t size)
{
	struct ring_packet *p;

	if (r->nr == r->room)
		grow(r);
	p = r->packets + (r->first + r->nr++) % r->room;
	p->data = xreallocarray(NULL, size, 1);
	p->size = size;
	memcpy(p->data, data, size);
	r->bytes += size;
}

/**
 * ring_at - get a packet
 * @r: the ring
 * @i: index of the packet, 0 for the oldest
 *
 * Return: the packet.
 */
const struct ring_packet *ring_at(const struct ring *r, u32 i)
{
	return r->packets + (r->first + i) % r->room;
}

/**
 * ring_take - free the oldest packet after use
 * @r: the ring, not empty
 */
void ring_take(struct ring *r)
{
	struct ring_packet *p = r->packets + r->first;

	r->bytes -= p->size;
	free(p->data);
	r->first = (r->first + 1) % r->room;
	r->nr--;
}

/**
 * ring_drop - discard the oldest packet
 * @r: the ring, not empty
 */
void ring_drop(struct ring *r)
{
	ring_take(r);
	r->dropped++;
}

/**
 * ring_free - free a ring
 * @r: the ring
 */
void ring_free(struct ring *r)
{
	while (r->nr)
		ring_drop(r);
	free(r->packets);
}
