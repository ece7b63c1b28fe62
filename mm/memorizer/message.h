/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer under QEMU: format of messages from a guest to the QEMU plugin. Shared by the kernel
 * (announce.c) and the plugin (tools/memorizer/qemu).
 *
 * The plugin sees the addresses of loads, but no registers. So a message is a sequence of loads
 * from one page, and the offset in the page is a word of 12 bits. The plugin recognizes the
 * loads by their instruction, MEMORIZER_ANNOUNCE_LOAD, which no compiler emits.
 *
 * The upper 4 bits of the first word are the message's type. The lower 8 bits are the argument of
 * types 8 to 11, which have no other words; for other types they are the number of values that
 * follow. A 64-bit value is zigzag encoded (sign in bit 0), then sent in words of 11 bits, least
 * significant first; bit 11 is set in all but the last word.
 */
#ifndef _MM_MEMORIZER_MESSAGE_H
#define _MM_MEMORIZER_MESSAGE_H

/* movb %ds:(%rdi), %al with three redundant prefixes. */
#define MEMORIZER_ANNOUNCE_LOAD	".byte 0x3e, 0x3e, 0x3e, 0x8a, 0x07"

#define MEMORIZER_TYPE_SHIFT	8
#define MEMORIZER_ARGUMENT_MASK	0xffU
#define MEMORIZER_WORD_BITS	11
#define MEMORIZER_WORD_MASK	0x7ffU
#define MEMORIZER_WORD_MORE	0x800U

/* Types of messages, and their values. */
#define MEMORIZER_MSG_HELLO	0	/* version; the first message */
#define MEMORIZER_MSG_TASK	1	/* pid, two halves of comm: this CPU's task */
#define MEMORIZER_MSG_OBJECT	2	/* id, va, size, alloc_ip, pid, jiffies, cache, kind */
#define MEMORIZER_MSG_END	3	/* id, state, free_ip, free_jiffies: object closed */
#define MEMORIZER_MSG_LOGGING	4	/* MEMORIZER_LOGS_*; 1 on, 0 off */
#define MEMORIZER_MSG_MARK	5	/* pid, text of 8 characters per value */
#define MEMORIZER_MSG_LOST	6	/* number of lost messages */
#define MEMORIZER_MSG_CACHE	7	/* address, object_size, size, bytes of an object, name */
/* Sent by user space, with one load each. */
#define MEMORIZER_MSG_SCOPE	8	/* number: a scope begins */
#define MEMORIZER_MSG_LEAVE	9	/* number: it ends */
#define MEMORIZER_MSG_RECORD	10	/* recording: 1 on, 0 off */
#define MEMORIZER_MSG_POINT	11	/* number: a mark */
/* Contexts of accesses. */
#define MEMORIZER_MSG_ENTER	12	/* kind, number: the kernel is entered */
#define MEMORIZER_MSG_LEFT	13	/* kind, number: the kernel is left */
#define MEMORIZER_MSG_RCU_FREE	14	/* address, ip: memory is handed to RCU */
#define MEMORIZER_MSG_LOCK	15	/* op | flags << 8, lock, ip, name */

#define MEMORIZER_LOGS_ACCESSES	0	/* of all CPUs */
#define MEMORIZER_LOGS_CALLS	1	/* of this CPU */

#define MEMORIZER_ANNOUNCE_VERSION	7

#endif /* _MM_MEMORIZER_MESSAGE_H */
