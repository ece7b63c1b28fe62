/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer: what the thunks, written in assembly, know of the hook's data.
 *
 * memorizer.h asserts that these offsets are those of its structures.
 */
#ifndef _MM_MEMORIZER_LAYOUT_H
#define _MM_MEMORIZER_LAYOUT_H

/* Of struct memorizer_entry: */
#define MEMORIZER_ENTRY_IP	12
#define MEMORIZER_ENTRY_PID	16
#define MEMORIZER_ENTRY_SIZE	20
#define MEMORIZER_ENTRY_START	24
#define MEMORIZER_ENTRY_READS	32
#define MEMORIZER_ENTRY_WRITES	40

/* Of struct memorizer_counters: */
#define MEMORIZER_UNATTRIBUTED	32

/*
 * The per-CPU cache in front of the general path: the slot for an access is
 * (ip ^ addr >> MEMORIZER_CACHE_ADDR) % MEMORIZER_CACHE_SLOTS.
 */
#define MEMORIZER_CACHE_SLOTS	8192
#define MEMORIZER_CACHE_ADDR	6

/* The index: a leaf has a word for each of this many pages, see index.c. */
#define MEMORIZER_LEAF_SHIFT	22
#define MEMORIZER_LEAF_WORDS	1024

/* Ids count units of 16 bytes of the pool. */
#define MEMORIZER_ID_SHIFT	4

/* Sizes of index records for a slab, see index.c. */
#define MEMORIZER_SLAB_SIZES	10

#endif /* _MM_MEMORIZER_LAYOUT_H */
