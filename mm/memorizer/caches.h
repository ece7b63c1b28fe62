/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's caches: per-CPU shortcuts from an access to its entry and its object.
 *
 * Invariants:
 *
 * - The pool does not reuse an entry in memorizer_cache, or an object in memorizer_found. A match
 *   proves that the object is live: closing an object hides its address, which invalidates all
 *   its entries with a single store.
 *
 * - A slot is written by its own CPU, and by the collector with cmpxchg against what it removes.
 *   No hook can store that again: its object left the index a grace period ago.
 *
 * - While the slow path is forced (memorizer_slow_path_users), both caches hold only sentinels.
 */
#ifndef _MM_MEMORIZER_CACHES_H
#define _MM_MEMORIZER_CACHES_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

#include "entry.h"

/* The per-CPU cache of entries, see memorizer_cache_slot(). */
#define MEMORIZER_CACHE_SLOTS	16384
#define MEMORIZER_CACHE_ADDR	6

/* The per-CPU cache of objects, see memorizer_found_slot(). */
#define MEMORIZER_FOUND_SLOTS	512
#define MEMORIZER_FOUND_ADDR	8

/* The thunks read these. */
DECLARE_PER_CPU(struct memorizer_entry *[MEMORIZER_CACHE_SLOTS], memorizer_cache);
DECLARE_PER_CPU(struct memorizer_object *[MEMORIZER_FOUND_SLOTS], memorizer_found);
extern struct memorizer_object memorizer_no_object;

extern unsigned long memorizer_fast_path_bytes;
extern unsigned int memorizer_slow_path_users;
extern bool memorizer_reaches_far;

/* The slot of an access in the cache of entries. The thunks compute the same. */
static __always_inline u32 memorizer_cache_slot(u32 ip, unsigned long addr)
{
	return (ip ^ (u32)(addr >> MEMORIZER_CACHE_ADDR)) % MEMORIZER_CACHE_SLOTS;
}

/* The slot of an address in the cache of objects. The thunks compute the same. */
static __always_inline u32 memorizer_found_slot(unsigned long addr)
{
	return (addr >> MEMORIZER_FOUND_ADDR) % MEMORIZER_FOUND_SLOTS;
}

static __always_inline void memorizer_cache_entry(struct memorizer_entry *entry,
						  unsigned long addr)
{
	u32 slot = memorizer_cache_slot(memorizer_entry_ip(entry), addr);

	this_cpu_write(memorizer_cache[slot], entry);
}

static __always_inline void memorizer_cache_object(struct memorizer_object *object,
						   unsigned long addr)
{
	this_cpu_write(memorizer_found[memorizer_found_slot(addr)], object);
}

void memorizer_caches_init(void);
void memorizer_collect_caches(void);
void memorizer_reach_far(bool far);
void memorizer_slow_path_begin(void);
void memorizer_slow_path_end(void);

#endif /* _MM_MEMORIZER_CACHES_H */
