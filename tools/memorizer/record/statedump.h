/* SPDX-License-Identifier: GPL-2.0 */
/* State dumps: announcements of tasks, caches and modules made before a part begins. */
#ifndef STATEDUMP_H
#define STATEDUMP_H

#include "record/packet-filter.h"

/**
 * struct statedump - the state dump of a stream
 * @item: announcements, ordered by time
 * @nr: number of announcements
 * @room: private: allocated size of @item
 * @head: header of the last packet before the part; NULL if there is none
 * @first: packet_seq_num of the first packet of the stream
 * @end: end of the last packet before the part, in ns; 0 if there is none
 */
struct statedump {
	struct state_event *item;
	u32 nr, room;
	char *head;
	u64 first, end;
};

void statedump_add(struct statedump *d, const struct packet_filter *f,
		   const char *packet, size_t len);
void statedump_prune(struct statedump **dumps, u32 nr, u64 since);
char *statedump_packet(const struct statedump *d, const struct packet_filter *f,
		       u64 since, size_t *size);
u64 packet_begin(const char *packet);
u64 statedump_seq(const struct statedump *d);
void statedump_free(struct statedump *d);

#endif
