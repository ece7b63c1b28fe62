/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's access entry: its key and its counts.
 */
#ifndef _MM_MEMORIZER_ENTRY_H
#define _MM_MEMORIZER_ENTRY_H

#include <linux/bits.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/stddef.h>
#include <linux/types.h>

#include <asm/local.h>

#include "group.h"
#include "pool.h"

struct memorizer_object;

/**
 * struct memorizer_entry - how often one ip, or one group, accessed one object for one pid
 * @link: id of the object's next entry; used by the pool while the record is free
 * @chain: id of the next entry in the hash bucket
 * @key: ip and pid, see memorizer_key(); the ip may be the address of a group, or lack
 *	MEMORIZER_ACCESS_IP, if the entry counts cache lines that the ip's accesses moved
 * @reads: loads
 * @writes: stores
 * @times: for a group, how often all of its accesses were made
 * @extent: for a group, a copy of memorizer_group.extent
 * @granules: for a wide entry, which granules it counts, see memorizer_granules()
 * @object: distance from the entry to the object, in units of ids
 * @word: the counts and @object as one word, for local_t operations
 *
 * An entry belongs to one CPU, and no other CPU counts in it. The KMAP shows the sum over all
 * CPUs. @key, @object and @granules do not change while the entry is in use.
 *
 * A 16-bit count that reaches 2^15 is carried: 2^15 moves to a wide entry, see
 * memorizer_carry_key().
 */
struct memorizer_entry {
	u32 link;
	u32 chain;
	u64 key;
	union {
		struct {
			union {
				struct {
					u16 reads;
					u16 writes;
				};
				struct {
					u16 times;
					u16 extent;
				};
				u32 granules;
			};
			s32 object;
		};
		local_t word;
	};
};

static_assert(sizeof(struct memorizer_entry) == 24);
/* Adding memorizer_kind_counts() to the word adds to both counts. */
static_assert(offsetof(struct memorizer_entry, word) == offsetof(struct memorizer_entry, reads));
static_assert(offsetof(struct memorizer_entry, writes) ==
	      offsetof(struct memorizer_entry, reads) + sizeof(u16));
/* memorizer_entry_times() of a wide entry is its reads. */
static_assert(offsetof(struct memorizer_entry, times) == offsetof(struct memorizer_entry, reads));
static_assert(offsetof(struct memorizer_entry, object) ==
	      offsetof(struct memorizer_entry, word) + sizeof(u32));

/**
 * struct memorizer_wide_entry - an entry with counts of 64 bits
 * @entry: the common part; its key says that the entry is wide
 * @reads: loads; for a group, how often all of its accesses were made
 * @writes: stores
 *
 * A wide entry counts either carries or accesses by granule. The thunks never find one.
 */
struct memorizer_wide_entry {
	struct memorizer_entry entry;
	local_t reads;
	local_t writes;
};

static_assert(sizeof(struct memorizer_wide_entry) == 40);

/* Kernel text lies in the top 2 GiB of the address space: 32 bits identify an ip. */
static inline u32 memorizer_pack_ip(unsigned long ip)
{
	return ip;
}

static inline unsigned long memorizer_unpack_ip(u32 ip)
{
	return (unsigned long)(long)(s32)ip;
}

/* Set in each packed ip of kernel text. Keys without it are those of traffic entries. */
#define MEMORIZER_ACCESS_IP	BIT(31)

/* Set in a key's pid, and in memorizer_object.who; no pid has this bit. */
#define MEMORIZER_BY_GRANULE	BIT(29)

/*
 * The key of an entry. The pid is inverted, because the thunks compute the key as the 64-bit ip,
 * whose upper half is ones, xor the task's memorizer_key. Bit 63 is set unless the task is paused
 * (MEMORIZER_PAUSED), so that no cached entry matches a paused task, or the entry is one of
 * carries, which are never cached.
 */
static __always_inline u64 memorizer_key(u32 ip, u32 pid)
{
	return (u64)~pid << 32 | ip;
}

/* The key of the wide entry for the carries of entries with @key. */
static __always_inline u64 memorizer_carry_key(u64 key)
{
	return key & S64_MAX;
}

static __always_inline u32 memorizer_entry_ip(const struct memorizer_entry *entry)
{
	return entry->key;
}

static __always_inline u32 memorizer_entry_pid(const struct memorizer_entry *entry)
{
	return ~(entry->key >> 32) & (MEMORIZER_BY_GRANULE - 1);
}

static __always_inline bool memorizer_is_by_granule(const struct memorizer_entry *entry)
{
	return ~(entry->key >> 32) & MEMORIZER_BY_GRANULE;
}

static __always_inline bool memorizer_is_carry(const struct memorizer_entry *entry)
{
	return !(entry->key >> 63);
}

static __always_inline bool memorizer_is_wide(const struct memorizer_entry *entry)
{
	return memorizer_is_carry(entry) || memorizer_is_by_granule(entry);
}

static __always_inline struct memorizer_wide_entry *
memorizer_wide(const struct memorizer_entry *entry)
{
	return container_of((struct memorizer_entry *)entry, struct memorizer_wide_entry, entry);
}

static __always_inline bool memorizer_is_traffic(const struct memorizer_entry *entry)
{
	return !(memorizer_entry_ip(entry) & MEMORIZER_ACCESS_IP);
}

static __always_inline struct memorizer_object *
memorizer_entry_object(const struct memorizer_entry *entry)
{
	/* Racy but benign: counting on the entry's CPU stores the same value again. */
	return (void *)entry + READ_ONCE(entry->object) * (1L << MEMORIZER_ID_SHIFT);
}

/* Bytes of a granule: the size of an int, a spinlock and a reference count. */
#define MEMORIZER_GRANULE	4
#define MEMORIZER_GRANULE_MAX	U16_MAX

/* For an entry that does not count by granule. The last granule would precede the first. */
#define MEMORIZER_NO_GRANULES	(1U << 16)

/*
 * The first and the last granule of an access, packed into one word. Granules past
 * MEMORIZER_GRANULE_MAX count as that one.
 */
static __always_inline u32 memorizer_granules(unsigned long first, unsigned long last)
{
	first = min(first / MEMORIZER_GRANULE, (unsigned long)MEMORIZER_GRANULE_MAX);
	last = min(last / MEMORIZER_GRANULE, (unsigned long)MEMORIZER_GRANULE_MAX);
	return first << 16 | last;
}

static __always_inline u32 memorizer_entry_granules(const struct memorizer_entry *entry)
{
	return memorizer_is_wide(entry) ? entry->granules : MEMORIZER_NO_GRANULES;
}

/*
 * The group that an entry counts, NULL if it counts the accesses of one ip. Only packed addresses
 * in the kernel's image have MEMORIZER_ACCESS_IP; a user-space test's lack it.
 */
static __always_inline const struct memorizer_group *
memorizer_entry_group(const struct memorizer_entry *entry)
{
	u32 at = (memorizer_entry_ip(entry) - (u32)(unsigned long)__start_memorizer_groups) &
		~MEMORIZER_ACCESS_IP;

	return at < (u32)(__stop_memorizer_groups - __start_memorizer_groups) ?
		(const void *)(__start_memorizer_groups + at) : NULL;
}

static __always_inline u32 memorizer_member_ip(const struct memorizer_member *member)
{
	return memorizer_pack_ip((unsigned long)&member->ip + member->ip);
}

/* How often a group's accesses were made. */
static inline u64 memorizer_entry_times(const struct memorizer_entry *entry)
{
	return memorizer_is_wide(entry) ? local_read(&memorizer_wide(entry)->reads) :
		READ_ONCE(entry->times);
}

/* The loads of an entry that counts one ip. */
static inline u64 memorizer_entry_reads(const struct memorizer_entry *entry)
{
	return memorizer_is_wide(entry) ? local_read(&memorizer_wide(entry)->reads) :
		READ_ONCE(entry->reads);
}

/* The stores of an entry that counts one ip. */
static inline u64 memorizer_entry_writes(const struct memorizer_entry *entry)
{
	return memorizer_is_wide(entry) ? local_read(&memorizer_wide(entry)->writes) :
		READ_ONCE(entry->writes);
}

/* The number of accesses that an entry counts, 0 for a traffic entry. */
static inline u64 memorizer_entry_accesses(const struct memorizer_entry *entry)
{
	const struct memorizer_group *group = memorizer_entry_group(entry);

	if (group)
		return memorizer_entry_times(entry) * group->accesses;
	return memorizer_is_traffic(entry) ? 0 :
		memorizer_entry_reads(entry) + memorizer_entry_writes(entry);
}

#endif /* _MM_MEMORIZER_ENTRY_H */
