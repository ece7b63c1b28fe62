/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's access hook: what the sites, the thunks and readers of the counts use.
 */
#ifndef _MM_MEMORIZER_ACCESS_H
#define _MM_MEMORIZER_ACCESS_H

#include <linux/compiler.h>
#include <linux/types.h>

struct memorizer_entry;
struct memorizer_group;
struct memorizer_object;

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

void memorizer_access(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip);
void memorizer_access_miss(struct memorizer_object *object, unsigned long last, u64 counts,
			   unsigned long addr, u64 key);
void memorizer_access_group(unsigned long addr, const struct memorizer_group *group, u64 key,
			    struct memorizer_object *object);

/* string.c */
void memorizer_access_string(const char *a, const char *b, unsigned long n, unsigned int how,
			     unsigned long ip);

#endif /* _MM_MEMORIZER_ACCESS_H */
