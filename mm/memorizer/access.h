/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's access hook: what the sites, the thunks and readers of the counts use.
 */
#ifndef _MM_MEMORIZER_ACCESS_H
#define _MM_MEMORIZER_ACCESS_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

struct memorizer_entry;
struct memorizer_group;
struct memorizer_object;

/* The per-CPU cache of entries, see memorizer_cache_slot(). */
#define MEMORIZER_CACHE_SLOTS	16384
#define MEMORIZER_CACHE_ADDR	6

/* The per-CPU cache of objects, see memorizer_found_slot(). */
#define MEMORIZER_FOUND_SLOTS	512
#define MEMORIZER_FOUND_ADDR	8

/* Size in bytes of the largest access that has a thunk of its own. */
#define MEMORIZER_FIXED_MAX	16

enum memorizer_kind {
	MEMORIZER_READ = 1,
	MEMORIZER_WRITE = 2,
	MEMORIZER_UPDATE = MEMORIZER_READ | MEMORIZER_WRITE,
};

/* The number of accesses of this kind: 2 for an update, else 1. */
static __always_inline unsigned int memorizer_kind_count(unsigned int kind)
{
	return (kind & MEMORIZER_READ) + kind / MEMORIZER_WRITE;
}

/* What an access of this kind adds to an entry's word. The thunks add the same. */
static __always_inline u64 memorizer_kind_counts(unsigned int kind)
{
	return (kind & MEMORIZER_READ) | kind / MEMORIZER_WRITE << 16;
}

/* The number of accesses in the result of memorizer_kind_counts(). */
static __always_inline unsigned int memorizer_counts_sum(u64 counts)
{
	return (u16)counts + (counts >> 16);
}

/* The inverse of memorizer_kind_counts(). */
static __always_inline unsigned int memorizer_counts_kind(u64 counts)
{
	return (counts & MEMORIZER_READ) | counts >> 15;
}

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

/* The thunks read these; see access.c. */
DECLARE_PER_CPU(struct memorizer_entry *[MEMORIZER_CACHE_SLOTS], memorizer_cache);
DECLARE_PER_CPU(struct memorizer_object *[MEMORIZER_FOUND_SLOTS], memorizer_found);
extern struct memorizer_object memorizer_no_object;

int memorizer_access_init(void *(*reserve)(size_t size), unsigned long pool_size);
void memorizer_access(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip);
void memorizer_access_miss(struct memorizer_object *object, unsigned long last, u64 counts,
			   unsigned long addr, u64 key);
void memorizer_access_group(unsigned long addr, const struct memorizer_group *group, u64 key,
			    struct memorizer_object *object);
void memorizer_access_collect(void);
void memorizer_count_traffic(u32 id, unsigned int kind, unsigned long ip);
void memorizer_slow_path_begin(void);
void memorizer_slow_path_end(void);

/* string.c */
void memorizer_access_string(const char *a, const char *b, unsigned long n, unsigned int how,
			     unsigned long ip);

#endif /* _MM_MEMORIZER_ACCESS_H */
