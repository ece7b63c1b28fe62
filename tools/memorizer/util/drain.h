/* SPDX-License-Identifier: GPL-2.0 */
/* Copies one of the kernel's streams to a file, and knows where its packets end. */
#ifndef DRAIN_H
#define DRAIN_H

#include <signal.h>

#include "types.h"

/* Bytes at a packet's begin that tell its size: packet.header, four times of packet.context. */
#define PACKET_HEAD	56

/* What became of an attempt to copy some of a stream. */
enum drain {
	DRAIN_MORE,		/* something was copied, there may be more */
	DRAIN_NOTHING,		/* there is no finished packet now */
	DRAIN_END,		/* end of file */
	DRAIN_FAILED,		/* there was a message; nothing more can be copied */
};

/**
 * struct drain_stream - a stream: a CPU's file and the copy of it
 * @cpu: number of the CPU
 * @from: name of the kernel's file, for messages
 * @to: name of the copy, for messages
 * @in: file descriptor of the kernel's file
 * @out: file descriptor of the copy
 * @copied: bytes in the copy
 * @whole: of them, those of whole packets
 * @packets: number of whole packets
 * @failed: nothing more can be copied
 * @left: private: bytes that the current packet still lacks, once @head is full
 * @size: private: size of the current packet in bytes, once @head is full
 * @head: private: first bytes of the current packet
 * @head_len: private: how much of @head is filled
 */
struct drain_stream {
	u32 cpu;
	char *from, *to;
	int in, out;
	u64 copied, whole, packets;
	bool failed;
	u64 left, size;
	char head[PACKET_HEAD];
	size_t head_len;
};

enum drain drain_some(struct drain_stream *s);
void drain_discard(struct drain_stream *s, const volatile sig_atomic_t *enough);
bool drain_close(struct drain_stream *s);

#endif
