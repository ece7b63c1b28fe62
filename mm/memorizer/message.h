/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer under QEMU: how a guest speaks to the plugin that watches the machine.
 * Guests (announce.c) and plugin (tools/memorizer/qemu) both include this.
 *
 * The plugin sees which addresses the machine loads from, not what is in its
 * registers. So a message is a sequence of loads from one page: the offset in the
 * page is a word of 12 bits. They are made by an instruction that no compiler
 * writes, MEMORIZER_ANNOUNCE_LOAD, by which the plugin knows them.
 *
 * The first word has the message's type in its upper 4 bits. Types from 8 to 11 are
 * complete with that: the lower 8 bits are their argument. Others have there the
 * number of values that follow. A value is 64 bits, rotated left by one and, if it
 * was negative, its other bits inverted; the least significant 11 bits come first,
 * and bit 11 of a word says that there are more.
 */
#ifndef _MM_MEMORIZER_MESSAGE_H
#define _MM_MEMORIZER_MESSAGE_H

/* movb %ds:(%rdi), %al, with three prefixes where none is needed. */
#define MEMORIZER_ANNOUNCE_LOAD	".byte 0x3e, 0x3e, 0x3e, 0x8a, 0x07"

#define MEMORIZER_TYPE_SHIFT	8
#define MEMORIZER_ARGUMENT_MASK	0xffU
#define MEMORIZER_WORD_BITS	11
#define MEMORIZER_WORD_MASK	0x7ffU
#define MEMORIZER_WORD_MORE	0x800U

/* Types of messages, and their values. */
#define MEMORIZER_SAY_HELLO	0	/* version; first of all */
#define MEMORIZER_SAY_TASK	1	/* pid, two halves of comm: whom this CPU runs */
#define MEMORIZER_SAY_OBJECT	2	/* id, va, size, alloc_ip, pid, alloc_jiffies, cache */
#define MEMORIZER_SAY_END	3	/* id, state, free_ip, free_jiffies: it does no more */
#define MEMORIZER_SAY_LOGGING	4	/* whether all sites are on from here on */
#define MEMORIZER_SAY_MARK	5	/* pid, then text, 8 characters in each value */
#define MEMORIZER_SAY_LOST	6	/* how many messages could not be made */
#define MEMORIZER_SAY_CACHE	7	/* address, object_size, size, name: used from here on */
/* User space says these itself, in one load each. */
#define MEMORIZER_SAY_SCOPE	8	/* a scope begins; its number */
#define MEMORIZER_SAY_LEAVE	9	/* it ends */
#define MEMORIZER_SAY_RECORD	10	/* 1: record from here on, 0: do not */
#define MEMORIZER_SAY_POINT	11	/* a mark; its number */
/* What surrounds accesses. */
#define MEMORIZER_SAY_ENTER	12	/* kind, number: the kernel is entered */
#define MEMORIZER_SAY_LEFT	13	/* kind, number: it is left */
#define MEMORIZER_SAY_RCU_FREE	14	/* address, ip: RCU is to free it */
#define MEMORIZER_SAY_LOCK	15	/* what and how (flags << 8), lock, ip, name */

#define MEMORIZER_ANNOUNCE_VERSION	4

#endif /* _MM_MEMORIZER_MESSAGE_H */
