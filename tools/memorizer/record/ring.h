/* SPDX-License-Identifier: GPL-2.0 */
/* The last packets of a stream, in memory. */
#ifndef RING_H
#define RING_H

#include "lib/types.h"

/**
 * struct ring_packet - a packet
 * @data: its bytes
 * @size: how many
 */
struct ring_packet {
	char *data;
	size_t size;
};

/**
 * struct ring - the packets that came last
 * @bytes: of all of them
 * @nr: how many there are
 * @dropped: how many ring_drop() has forgotten
 * @packets: private: a circle of them
 * @first: private: where the oldest is
 * @room: private: size of @packets
 */
struct ring {
	u64 bytes;
	u32 nr;
	u64 dropped;
	struct ring_packet *packets;
	u32 first, room;
};

void ring_add(struct ring *r, const char *data, size_t size);
const struct ring_packet *ring_at(const struct ring *r, u32 i);
void ring_drop(struct ring *r);
void ring_take(struct ring *r);
void ring_free(struct ring *r);

#endif
