/* SPDX-License-Identifier: GPL-2.0 */
/* Ring buffer of the last packets of a stream. */
#ifndef RING_H
#define RING_H

#include "lib/types.h"

/**
 * struct ring_packet - a packet
 * @data: the packet
 * @size: its size in bytes
 */
struct ring_packet {
	char *data;
	size_t size;
};

/**
 * struct ring - the last packets of a stream
 * @bytes: total size of the packets
 * @nr: number of packets
 * @dropped: packets discarded by ring_drop()
 * @packets: private: the circular array
 * @first: private: index of the oldest packet
 * @room: private: allocated size of @packets
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
