/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The frame of a trace: what its metadata says about all packets, and the header and
 * context of each packet. What is in the packets is left to libbabeltrace2.
 */
#ifndef PACKET_H
#define PACKET_H

#include "kmap.h"

#define PACKET_HEADER	80	/* bytes of a packet's header and context */

/**
 * struct metadata - what is needed of the metadata
 * @uuid: the trace's UUID
 * @big_endian: its byte order
 */
struct metadata {
	unsigned char uuid[16];
	bool big_endian;
};

bool metadata_load(struct metadata *m, const char *dir, char error[KMAP_ERROR_MAX]);

/* What packet_next() found. */
enum packet_next {
	PACKET_FOUND,
	PACKET_END,		/* the file ends behind the last packet */
	PACKET_DAMAGED,		/* no packet, see the error */
};

/**
 * struct packets - the packets of a file
 * @path: its name, for messages
 * @metadata: what the packets must agree with
 * @fd: the file
 * @file_size: its size in bytes
 * @offset: where the current packet begins, in bytes
 * @nr: number of the current packet, from 1
 * @begin: its timestamp_begin, in ns
 * @end: its timestamp_end, in ns
 * @size: its size in bytes
 * @content: how many of them hold something
 * @seq: its packet_seq_num
 * @discarded: its events_discarded
 * @cpu: its cpu_id
 * @node: its node_id
 * @cut: whether all that is wrong with a damaged packet is that the file ends within it
 * @error: message for PACKET_DAMAGED
 */
struct packets {
	const char *path;
	const struct metadata *metadata;
	int fd;
	u64 file_size;
	u64 offset, nr, begin, end, size, content, seq, discarded;
	u32 cpu, node;
	bool cut;
	char error[KMAP_ERROR_MAX];
};

bool packets_open(struct packets *p, const char *path, const struct metadata *m);
enum packet_next packet_next(struct packets *p);
void packets_close(struct packets *p);

#endif
