/* SPDX-License-Identifier: GPL-2.0 */
/* Announcements of tasks, caches and modules in packets that a part no longer has. */
#ifndef CARRY_H
#define CARRY_H

#include "record/sieve.h"

/**
 * struct carry - those of a stream
 * @item: announcements, in the order of time
 * @nr: how many
 * @room: private: how many fit
 * @head: header of the last packet that is gone; NULL: none is gone
 * @first: packet_seq_num of the first one
 * @end: when that ended, in ns; 0: none is gone
 */
struct carry {
	struct carry_item *item;
	u32 nr, room;
	char *head;
	u64 first, end;
};

void carry_note(struct carry *c, const struct sieve *s, const char *packet, size_t len);
void carry_prune(struct carry **carries, u32 nr, u64 since);
char *carry_packet(const struct carry *c, const struct sieve *s, u64 since, size_t *size);
u64 carry_begin(const char *packet);
u64 carry_number(const struct carry *c);
void carry_free(struct carry *c);

#endif
