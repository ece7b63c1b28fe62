/* SPDX-License-Identifier: GPL-2.0 */
/* Layout of the head of a packet. Its byte order is that of this machine, which wrote it. */
#ifndef PACKET_H
#define PACKET_H

#include <string.h>

#include "lib/types.h"

#define PACKET_MAGIC		0xc1fc1fc1u

/* Offsets in a packet. */
#define PACKET_BEGIN		24	/* timestamp_begin, in ns */
#define PACKET_END		32	/* timestamp_end, in ns */
#define PACKET_SIZE		48	/* packet_size, in bits */
#define PACKET_SEQ		56	/* packet_seq_num */
#define PACKET_LOST		64	/* events_discarded */
#define PACKET_LOST_BEFORE	80	/* events_discarded_before, in newer kernels */

static inline u64 packet_load(const char *p)
{
	u64 value;

	memcpy(&value, p, sizeof(value));
	return value;
}

static inline void packet_store(char *p, u64 value)
{
	memcpy(p, &value, sizeof(value));
}

#endif
