// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's rows: an object's access entries in order, added up over all CPUs.
 *
 * An object may have millions of entries. They are sorted in place, in the object's list, and read
 * row by row. A reader may release all locks between two rows: it pins the object, which is then
 * neither cleared nor retired.
 *
 * Hooks push new entries by cmpxchg of the list's head, and never walk the list. Whoever walks or
 * sorts it holds memorizer_rwsem for writing; or for reading, with the object's entries locked.
 * A sorted list consists of new entries in any order, followed by the sorted ones. A reader
 * that continues at a sorted entry finds all later entries, and may find some newer ones.
 *
 * Counts may be carried while they are read. If the object had any carries since its entries were
 * sorted, the reader looks for new entries of carries and sorts again; if it has some while a row
 * is added up, the reader adds that row up again. Entries of carries follow the entries that they
 * belong to, so that a reader in front of these finds them. So each access that was counted before
 * the read is in its row exactly once.
 *
 * A group's entry counts for rows of several ips. Its first ip is its place in the order. All
 * entries of one ip or one group form a run, ordered by pid and, if the object is counted by
 * granule, by granules. A reader goes from ip to ip, and merges the runs that have it: that of the
 * ip itself, and those of the few groups that can contain it.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>

#include "access.h"
#include "entry.h"
#include "entry_table.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"
#include "rows.h"

/* All that are at an object's rows. Changed under readers_lock and memorizer_rwsem. */
static struct memorizer_rows *readers;
static DEFINE_SPINLOCK(readers_lock);

/* Each serializes the readers of the objects that hash to it. */
static struct mutex entry_locks[64];

static int __init init_entry_locks(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(entry_locks); i++)
		mutex_init(&entry_locks[i]);
	return 0;
}
early_initcall(init_entry_locks);

static struct mutex *entry_lock(const struct memorizer_object *object)
{
	return &entry_locks[hash_long((unsigned long)object, ilog2(ARRAY_SIZE(entry_locks)))];
}

/**
 * memorizer_lock_entries() - lock the list of an object's entries
 * @object: the object; a task locks one at a time
 *
 * Context: process context, may sleep, under memorizer_rwsem.
 */
void memorizer_lock_entries(const struct memorizer_object *object)
{
	mutex_lock(entry_lock(object));
}

/**
 * memorizer_unlock_entries() - undo memorizer_lock_entries()
 * @object: the object
 *
 * Context: process context.
 */
void memorizer_unlock_entries(const struct memorizer_object *object)
{
	mutex_unlock(entry_lock(object));
}

static struct memorizer_entry *entry_of(u32 id)
{
	return memorizer_ptr(id);
}

/* The lowest ip above @ip of a group's accesses, 0 if there is none. */
static u32 group_ip_behind(const struct memorizer_group *group, u32 ip)
{
	u32 lowest = 0, other;
	unsigned int i;

	for (i = 0; i < group->members; i++) {
		other = memorizer_member_ip(&group->member[i]);
		if (other > ip && (!lowest || other < lowest))
			lowest = other;
	}
	return lowest;
}

/* The ip of an entry of accesses or of traffic, or the lowest ip of a group's entry. */
static __always_inline u32 ip_of(const struct memorizer_entry *entry)
{
	const struct memorizer_group *group = memorizer_entry_group(entry);

	return unlikely(group) ? group_ip_behind(group, 0) :
		memorizer_entry_ip(entry) | MEMORIZER_ACCESS_IP;
}

/* Orders runs with the same ip_of(): those of groups come before the ip's own. */
static u32 run_of(const struct memorizer_entry *entry)
{
	return memorizer_entry_group(entry) ? memorizer_entry_ip(entry) : U32_MAX;
}

/* Orders the entries of one run. */
static u64 rank_of(const struct memorizer_entry *entry, bool by_granule)
{
	return (u64)memorizer_entry_pid(entry) << 32 |
		(by_granule ? memorizer_entry_granules(entry) : MEMORIZER_NO_GRANULES);
}

/* Are both entries of one run? The address of a group is no ip's. */
static bool same_run(const struct memorizer_entry *a, const struct memorizer_entry *b)
{
	/* Ignore the bit that the keys of moves lack: moves are in the row of their ip. */
	return !((memorizer_entry_ip(a) ^ memorizer_entry_ip(b)) & ~MEMORIZER_ACCESS_IP);
}

/* Does @a come before @b, or do both belong to one row? */
static bool in_order(const struct memorizer_entry *a, const struct memorizer_entry *b)
{
	u64 rank_a, rank_b;
	u32 ip_a, ip_b;

	if (same_run(a, b)) {
		rank_a = rank_of(a, true);
		rank_b = rank_of(b, true);
		/* Carries last: a reader in front of an entry also finds its carries. */
		return rank_a != rank_b ? rank_a < rank_b :
			memorizer_is_carry(a) <= memorizer_is_carry(b);
	}
	ip_a = ip_of(a);
	ip_b = ip_of(b);
	return ip_a != ip_b ? ip_a < ip_b : run_of(a) < run_of(b);
}

/* Merge two sorted lists, of which the first is not empty. */
static u32 merge(u32 a, u32 b)
{
	u32 first = 0, last = 0, *from;

	while (a && b) {
		from = in_order(entry_of(a), entry_of(b)) ? &a : &b;
		if (last)
			WRITE_ONCE(entry_of(last)->link, *from);
		else
			first = *from;
		last = *from;
		*from = READ_ONCE(entry_of(last)->link);
		memorizer_may_schedule();
	}
	if (!last)
		return a;
	WRITE_ONCE(entry_of(last)->link, a ?: b);
	return first;
}

/* Cut the leading entries that are in reverse order, at least two, and reverse them. */
static u32 cut_reverse_run(u32 *list)
{
	u32 first = *list, next = READ_ONCE(entry_of(first)->link), behind;

	WRITE_ONCE(entry_of(first)->link, 0);
	do {
		behind = READ_ONCE(entry_of(next)->link);
		WRITE_ONCE(entry_of(next)->link, first);
		first = next;
		next = behind;
		memorizer_may_schedule();
	} while (next && !in_order(entry_of(first), entry_of(next)));
	*list = next;
	return first;
}

/*
 * Cut the leading entries that are already in order, or in reverse order: straight-line code pushes
 * its entries in reverse order.
 */
static u32 cut_run(u32 *list)
{
	u32 first = *list, last = first, next = READ_ONCE(entry_of(first)->link);

	if (next && !in_order(entry_of(first), entry_of(next)))
		return cut_reverse_run(list);
	while ((next = READ_ONCE(entry_of(last)->link)) &&
	       in_order(entry_of(last), entry_of(next))) {
		last = next;
		memorizer_may_schedule();
	}
	WRITE_ONCE(entry_of(last)->link, 0);
	*list = next;
	return first;
}

/* Merge sort; run[i] consists of 2^i of the runs that cut_run() found. */
static u32 sort_list(u32 list)
{
	u32 run[32] = { }, sorted;
	unsigned int i;

	/* There are fewer than 2^31 entries, so run[31] stays empty and ends the inner loop. */
	while (list) {
		sorted = cut_run(&list);
		for (i = 0; run[i]; i++) {
			sorted = merge(run[i], sorted);
			run[i] = 0;
		}
		run[i] = sorted;
	}
	for (sorted = 0, i = 0; i < ARRAY_SIZE(run); i++)
		if (run[i])
			sorted = merge(run[i], sorted);
	return sorted;
}

/* Sort the entries that an object has now. Returns the id of the first one. */
static u32 sort_entries(struct memorizer_object *object)
{
	/* Detach the list: meanwhile, hooks push to an empty one. */
	u32 sorted = sort_list(xchg(&object->entries, 0)), id = 0, next;

	if (!sorted || try_cmpxchg(&object->entries, &id, sorted))
		return sorted;
	/* Hooks pushed entries meanwhile. Append to them; hooks never change the last link. */
	while ((next = READ_ONCE(entry_of(id)->link))) {
		id = next;
		memorizer_may_schedule();
	}
	WRITE_ONCE(entry_of(id)->link, sorted);
	return sorted;
}

/* The first entry of the next run, 0 after the last run. */
static u32 next_run(u32 id)
{
	u32 next;

	while ((next = READ_ONCE(entry_of(id)->link)) && same_run(entry_of(next), entry_of(id))) {
		id = next;
		memorizer_may_schedule();
	}
	return next;
}

/* next_run(rows->next), cached. Entries that come in between later are of later accesses. */
static u32 run_behind(struct memorizer_rows *rows)
{
	if (!rows->behind)
		rows->behind = next_run(rows->next);
	return rows->behind;
}

/* The lowest ip above @ip that an entry counts for, 0 if there is none. */
static __always_inline u32 ip_behind(const struct memorizer_entry *entry, u32 ip)
{
	const struct memorizer_group *group = memorizer_entry_group(entry);
	u32 own;

	if (unlikely(group))
		return group_ip_behind(group, ip);
	own = memorizer_entry_ip(entry) | MEMORIZER_ACCESS_IP;
	return own > ip ? own : 0;
}

/* Advance to the next ip and the runs that have it. Returns false if there is none. */
static bool next_ip(struct memorizer_rows *rows)
{
	struct memorizer_place *place = &rows->place;
	u32 ip = U32_MAX, id, other;

	place->runs = 0;
	while (rows->next && !ip_behind(entry_of(rows->next), place->ip)) {
		rows->next = run_behind(rows);
		rows->behind = 0;
	}
	/* Runs are in the order of their lowest ips: a later run cannot have a lower ip. */
	for (id = rows->next; id && ip_of(entry_of(id)) <= ip;
	     id = id == rows->next ? run_behind(rows) : next_run(id)) {
		other = ip_behind(entry_of(id), place->ip);
		if (!other || other > ip)
			continue;
		/* Lower than the ip found so far, whose runs come later then. */
		if (other < ip)
			place->runs = 0;
		ip = other;
		/* Always true: at most MEMORIZER_GROUPS_AT_ONCE groups share an ip. */
		if (place->runs < ARRAY_SIZE(place->at))
			place->at[place->runs++] = id;
		/* Runs after an ip's own are of higher ips. */
		if (!memorizer_entry_group(entry_of(id)))
			break;
	}
	place->ip = ip;
	return place->runs;
}

/* The entry after @id if it is of the same run, else 0. Sets rows->behind at that run's end. */
static u32 next_in_run(struct memorizer_rows *rows, u32 id)
{
	u32 next = READ_ONCE(entry_of(id)->link);

	memorizer_may_schedule();
	if (next && same_run(entry_of(next), entry_of(id)))
		return next;
	if (same_run(entry_of(id), entry_of(rows->next)))
		rows->behind = next;
	return 0;
}

/* Add what an entry counts for the row's ip. */
static void add_entry(struct memorizer_row *row, const struct memorizer_entry *entry)
{
	const struct memorizer_group *group = memorizer_entry_group(entry);
	const struct memorizer_member *member;
	unsigned int i;

	if (!group) {
		*(memorizer_is_traffic(entry) ? &row->read_moves : &row->reads) +=
			memorizer_entry_reads(entry);
		*(memorizer_is_traffic(entry) ? &row->write_moves : &row->writes) +=
			memorizer_entry_writes(entry);
		return;
	}
	for (i = 0; i < group->members; i++) {
		member = &group->member[i];
		if (memorizer_member_ip(member) != row->ip)
			continue;
		if (member->kind & MEMORIZER_READ)
			row->reads += memorizer_entry_times(entry);
		if (member->kind & MEMORIZER_WRITE)
			row->writes += memorizer_entry_times(entry);
	}
}

/* The lowest rank of the next entries of the reader's ip. Returns false if there is none. */
static bool next_rank(const struct memorizer_rows *rows, u64 *rank)
{
	unsigned int i;
	u32 id;

	/* Above all ranks: pids have fewer than 32 bits. */
	*rank = U64_MAX;
	for (i = 0; i < rows->place.runs; i++) {
		id = rows->place.at[i];
		if (id)
			*rank = min(*rank, rank_of(entry_of(id), rows->by_granule));
	}
	return *rank != U64_MAX;
}

/*
 * Runs for each row, so it copies only what is used. The runs that the reader has passed need not
 * be restored: they have no later ip.
 */
static void copy_place(struct memorizer_place *to, const struct memorizer_place *from)
{
	unsigned int i;

	to->ip = from->ip;
	to->runs = from->runs;
	for (i = 0; i < from->runs; i++)
		WRITE_ONCE(to->at[i], from->at[i]);
}

/* Add up the next row. Returns false if there is none. */
static bool add_up(struct memorizer_rows *rows, struct memorizer_row *row)
{
	unsigned int i;
	u64 rank;

	if (!next_rank(rows, &rank) && !(next_ip(rows) && next_rank(rows, &rank)))
		return false;
	*row = (struct memorizer_row) {
		.ip = rows->place.ip, .pid = rank >> 32, .granules = rank,
	};
	for (i = 0; i < rows->place.runs; i++)
		while (rows->place.at[i] &&
		       rank_of(entry_of(rows->place.at[i]), rows->by_granule) == rank) {
			add_entry(row, entry_of(rows->place.at[i]));
			rows->place.at[i] = next_in_run(rows, rows->place.at[i]);
		}
	return true;
}

/* Has the object an entry of carries that is newer than the sorted entries? */
static bool has_new_carries(const struct memorizer_rows *rows)
{
	u32 id;

	for (id = READ_ONCE(rows->object->entries); id && id != rows->first;
	     id = READ_ONCE(entry_of(id)->link)) {
		if (memorizer_is_carry(entry_of(id)))
			return true;
		memorizer_may_schedule();
	}
	return false;
}

/**
 * memorizer_rows_begin() - begin to read an object's rows
 * @rows: the reader, until memorizer_rows_end()
 * @object: the object, which the reader pins
 * @by_granule: true for a row for each granule, if the object is counted by granule
 *
 * Later accesses may be left out.
 *
 * Context: process context, may sleep, under memorizer_rwsem; unless that is held for writing,
 *	with the object's entries locked.
 */
void memorizer_rows_begin(struct memorizer_rows *rows, struct memorizer_object *object,
			  bool by_granule)
{
	/* Before sorting: memorizer_rows_next() must notice carries that happen meanwhile. */
	u32 carried = memorizer_read_carries_begin(object), first = sort_entries(object);

	*rows = (struct memorizer_rows) {
		.object = object,
		.by_granule = by_granule,
		.next = first,
		.first = first,
		.carried = carried,
	};
	/* memorizer_rwsem may be held for reading only: readers begin and end concurrently. */
	spin_lock(&readers_lock);
	rows->others = readers;
	readers = rows;
	spin_unlock(&readers_lock);
}

/**
 * memorizer_rows_next() - read the next row
 * @rows: the reader
 * @row: set to the row
 *
 * Rows come by ascending ip, pid, and granules, each once.
 *
 * Context: process context, may sleep, under memorizer_rwsem; unless that is held for writing,
 *	with the object's entries locked.
 * Return: false if there is none
 */
bool memorizer_rows_next(struct memorizer_rows *rows, struct memorizer_row *row)
{
	u32 carried;
	bool any;

	for (;;) {
		carried = memorizer_read_carries_begin(rows->object);
		/* The place stays valid: all later entries are still behind it. */
		if (carried != rows->carried && has_new_carries(rows))
			rows->first = sort_entries(rows->object);
		rows->carried = carried;
		copy_place(&rows->before, &rows->place);
		any = add_up(rows, row);
		/* Unless a carry has moved counts between entries of the row that were read. */
		if (!memorizer_read_carries_retry(rows->object, carried))
			return any;
		copy_place(&rows->place, &rows->before);
		memorizer_may_schedule();
	}
}

/**
 * memorizer_rows_end() - end reading an object's rows
 * @rows: the reader; nothing happens if it is between objects
 *
 * Context: process context, under memorizer_rwsem.
 */
void memorizer_rows_end(struct memorizer_rows *rows)
{
	struct memorizer_rows **at = &readers;

	if (!rows->object)
		return;
	spin_lock(&readers_lock);
	while (*at != rows)
		at = &(*at)->others;
	*at = rows->others;
	spin_unlock(&readers_lock);
	rows->object = NULL;
}

/**
 * memorizer_is_pinned() - test whether an object has a reader
 * @object: the object
 *
 * Context: process context, under memorizer_rwsem, for writing.
 * Return: true if it has: it must neither be cleared nor retired
 */
bool memorizer_is_pinned(const struct memorizer_object *object)
{
	const struct memorizer_rows *rows;

	/* No readers_lock: memorizer_rwsem, held for writing, excludes all readers. */
	for (rows = readers; rows; rows = rows->others)
		if (rows->object == object)
			return true;
	return false;
}
