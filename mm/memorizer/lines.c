// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's lines: an object's access entries in order, added up over all CPUs.
 *
 * An object may have millions of entries. They are put in order where they are,
 * in the object's list, so that no memory is needed, and taken line by line.
 * Between two lines all locks may be given up: an object whose lines
 * somebody is at is pinned, it is neither cleared nor retired.
 *
 * Hooks put new entries before the others of an object, by cmpxchg of its head,
 * and do not look at the list apart from that. All that walk or sort it have
 * memorizer_rwsem for writing; or for reading, and hold the object: so several read at
 * once, and who comes to an object that another one is at waits no longer than for a buffer to
 * be filled. A list that was sorted consists of new entries in any order,
 * and the sorted ones, which are what is left of the list once more; who goes on
 * from one of these meets all that come after it, as well as some that are newer.
 *
 * An access that was counted before is in its line once, although counts may be carried meanwhile.
 * If any of the object's were since the entries were sorted, new entries of carries are looked
 * for, and all sorted once more; if any are while a line is added up, that is added up once
 * more. Entries of carries come behind those of their run and rank that they are of, so that a
 * reader in front of these finds them.
 *
 * A group's entry counts for lines of several ips, of which the first is its place in the
 * order. All entries of one ip, or one group, are a run, by ascending pid and, if the object is
 * counted so, granules, which a reader may want to have together. A reader goes from
 * ip to ip, and for each merges the runs that have it: that of the ip, and those of the few
 * groups that it can be in.
 */
#include <linux/atomic.h>
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>

#include "memorizer.h"

/* All that are at an object's lines. Changed under readers_lock and memorizer_rwsem. */
static struct memorizer_lines *readers;
static DEFINE_SPINLOCK(readers_lock);

/* Of the objects that go there, one is held at a time. */
static struct mutex holders[64];

static int __init init_holders(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(holders); i++)
		mutex_init(&holders[i]);
	return 0;
}
early_initcall(init_holders);

static struct mutex *holder_of(const struct memorizer_object *object)
{
	return &holders[hash_long((unsigned long)object, ilog2(ARRAY_SIZE(holders)))];
}

/**
 * memorizer_hold() - have nobody else walk over an object's entries, or sort them
 * @object: the object; no other one may be held by the same task
 *
 * Context: process context, may sleep, under memorizer_rwsem.
 */
void memorizer_hold(const struct memorizer_object *object)
{
	mutex_lock(holder_of(object));
}

/**
 * memorizer_release() - end what memorizer_hold() began
 * @object: the object
 *
 * Context: process context.
 */
void memorizer_release(const struct memorizer_object *object)
{
	mutex_unlock(holder_of(object));
}

static struct memorizer_entry *entry_of(u32 id)
{
	return memorizer_ptr(id);
}

/* The lowest ip of a group's accesses behind @ip, 0 if there is none. */
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

/* An entry's ip, whether it counts its accesses or its traffic; a group's first ip. */
static __always_inline u32 ip_of(const struct memorizer_entry *entry)
{
	const struct memorizer_group *group = memorizer_entry_group(entry);

	return unlikely(group) ? group_ip_behind(group, 0) :
		memorizer_entry_ip(entry) | MEMORIZER_ACCESS_IP;
}

/* What tells an entry's run from others of its ip_of(): those of groups are before the ip's. */
static u32 run_of(const struct memorizer_entry *entry)
{
	return memorizer_entry_group(entry) ? memorizer_entry_ip(entry) : U32_MAX;
}

/* What tells entries of one run apart. */
static u64 rank_of(const struct memorizer_entry *entry, bool by_granule)
{
	return (u64)memorizer_entry_pid(entry) << 32 |
		(by_granule ? memorizer_entry_granules(entry) : MEMORIZER_NO_GRANULES);
}

/* Are both of one run? No group lies where an ip is. */
static bool same_run(const struct memorizer_entry *a, const struct memorizer_entry *b)
{
	return !((memorizer_entry_ip(a) ^ memorizer_entry_ip(b)) & ~MEMORIZER_ACCESS_IP);
}

/* Does entry @a belong before @b, or both into one line? */
static bool in_order(const struct memorizer_entry *a, const struct memorizer_entry *b)
{
	u64 rank_a, rank_b;
	u32 ip_a, ip_b;

	if (same_run(a, b)) {
		rank_a = rank_of(a, true);
		rank_b = rank_of(b, true);
		return rank_a != rank_b ? rank_a < rank_b :
			memorizer_is_carry(a) <= memorizer_is_carry(b);
	}
	ip_a = ip_of(a);
	ip_b = ip_of(b);
	return ip_a != ip_b ? ip_a < ip_b : run_of(a) < run_of(b);
}

/* Makes one sorted list of two, of which the first is not empty. */
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

/* Cuts the entries that are in reverse order, two at least, off the begin of a list. */
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
 * Cuts the entries that are in order already off the begin of a list. Code that goes forward
 * puts them there in reverse order.
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

/* Sorts a list by merging its runs, of which run[i] has 2^i. */
static u32 sort_list(u32 list)
{
	u32 run[32] = { }, sorted;
	unsigned int i;

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

/* Puts what an object's list holds now in order; returns its first entry. */
static u32 sort_entries(struct memorizer_object *object)
{
	u32 sorted = sort_list(xchg(&object->entries, 0)), id = 0, next;

	if (!sorted || try_cmpxchg(&object->entries, &id, sorted))
		return sorted;
	/* Behind what came meanwhile; the last of these stays the last. */
	while ((next = READ_ONCE(entry_of(id)->link))) {
		id = next;
		memorizer_may_schedule();
	}
	WRITE_ONCE(entry_of(id)->link, sorted);
	return sorted;
}

/* The first entry of the next run, 0 behind the last. */
static u32 next_run(u32 id)
{
	u32 next;

	while ((next = READ_ONCE(entry_of(id)->link)) && same_run(entry_of(next), entry_of(id))) {
		id = next;
		memorizer_may_schedule();
	}
	return next;
}

/* The same for the run that is next; what comes between later is of accesses made since. */
static u32 run_behind(struct memorizer_lines *lines)
{
	if (!lines->behind)
		lines->behind = next_run(lines->next);
	return lines->behind;
}

/* The first ip behind @ip that an entry counts for, 0 if there is none. */
static __always_inline u32 ip_behind(const struct memorizer_entry *entry, u32 ip)
{
	const struct memorizer_group *group = memorizer_entry_group(entry);
	u32 own;

	if (unlikely(group))
		return group_ip_behind(group, ip);
	own = memorizer_entry_ip(entry) | MEMORIZER_ACCESS_IP;
	return own > ip ? own : 0;
}

/* Goes to the next ip, and the runs that have it; false if there is none. */
static bool next_ip(struct memorizer_lines *lines)
{
	struct memorizer_place *place = &lines->place;
	u32 ip = U32_MAX, id, other;

	place->runs = 0;
	while (lines->next && !ip_behind(entry_of(lines->next), place->ip)) {
		lines->next = run_behind(lines);
		lines->behind = 0;
	}
	for (id = lines->next; id && ip_of(entry_of(id)) <= ip;
	     id = id == lines->next ? run_behind(lines) : next_run(id)) {
		other = ip_behind(entry_of(id), place->ip);
		if (!other || other > ip)
			continue;
		if (other < ip)
			place->runs = 0;
		ip = other;
		if (place->runs < ARRAY_SIZE(place->at))
			place->at[place->runs++] = id;
		/* All others behind an ip's own run are of later ones. */
		if (!memorizer_entry_group(entry_of(id)))
			break;
	}
	place->ip = ip;
	return place->runs;
}

/* The entry behind @id if it is of the same run, else 0; notes where the run that is next ends. */
static u32 next_in_run(struct memorizer_lines *lines, u32 id)
{
	u32 next = READ_ONCE(entry_of(id)->link);

	memorizer_may_schedule();
	if (next && same_run(entry_of(next), entry_of(id)))
		return next;
	if (same_run(entry_of(id), entry_of(lines->next)))
		lines->behind = next;
	return 0;
}

/* Adds what an entry counts for the line's ip. */
static void add_entry(struct memorizer_line *line, const struct memorizer_entry *entry)
{
	const struct memorizer_group *group = memorizer_entry_group(entry);
	const struct memorizer_member *member;
	unsigned int i;

	if (!group) {
		*(memorizer_is_traffic(entry) ? &line->read_moves : &line->reads) +=
			memorizer_entry_reads(entry);
		*(memorizer_is_traffic(entry) ? &line->write_moves : &line->writes) +=
			memorizer_entry_writes(entry);
		return;
	}
	for (i = 0; i < group->members; i++) {
		member = &group->member[i];
		if (memorizer_member_ip(member) != line->ip)
			continue;
		if (member->kind & MEMORIZER_READ)
			line->reads += memorizer_entry_times(entry);
		if (member->kind & MEMORIZER_WRITE)
			line->writes += memorizer_entry_times(entry);
	}
}

/* The lowest rank of the entries that come next for the reader's ip; false if there is none. */
static bool next_rank(const struct memorizer_lines *lines, u64 *rank)
{
	unsigned int i;
	u32 id;

	*rank = U64_MAX;
	for (i = 0; i < lines->place.runs; i++) {
		id = lines->place.at[i];
		if (id)
			*rank = min(*rank, rank_of(entry_of(id), lines->by_granule));
	}
	return *rank != U64_MAX;
}

/*
 * For each line: what it does not need is not copied, nor is anything cleared. What the reader has
 * passed stays so: it had no later ip before either.
 */
static void copy_place(struct memorizer_place *to, const struct memorizer_place *from)
{
	unsigned int i;

	to->ip = from->ip;
	to->runs = from->runs;
	for (i = 0; i < from->runs; i++)
		WRITE_ONCE(to->at[i], from->at[i]);
}

/* Takes the next line, false if there is none. */
static bool add_up(struct memorizer_lines *lines, struct memorizer_line *line)
{
	unsigned int i;
	u64 rank;

	if (!next_rank(lines, &rank) && !(next_ip(lines) && next_rank(lines, &rank)))
		return false;
	*line = (struct memorizer_line) {
		.ip = lines->place.ip, .pid = rank >> 32, .granules = rank,
	};
	for (i = 0; i < lines->place.runs; i++)
		while (lines->place.at[i] &&
		       rank_of(entry_of(lines->place.at[i]), lines->by_granule) == rank) {
			add_entry(line, entry_of(lines->place.at[i]));
			lines->place.at[i] = next_in_run(lines, lines->place.at[i]);
		}
	return true;
}

/* May there be an entry of carries that came after the object's entries were sorted? */
static bool has_new_carries(const struct memorizer_lines *lines)
{
	u32 id;

	for (id = READ_ONCE(lines->object->entries); id && id != lines->first;
	     id = READ_ONCE(entry_of(id)->link)) {
		if (memorizer_is_carry(entry_of(id)))
			return true;
		memorizer_may_schedule();
	}
	return false;
}

/**
 * memorizer_lines_begin() - begin with an object's lines
 * @lines: says where the reader is, until memorizer_lines_end()
 * @object: the object, which is pinned
 * @by_granule: whether its granules have lines of their own, if it is counted by them
 *
 * Accesses that are made from now on may be left out.
 *
 * Context: process context, may sleep, under memorizer_rwsem; unless that is for writing, the
 *	object is held.
 */
void memorizer_lines_begin(struct memorizer_lines *lines, struct memorizer_object *object,
			   bool by_granule)
{
	u32 carried = memorizer_carries_done(object), first = sort_entries(object);

	*lines = (struct memorizer_lines) {
		.object = object,
		.by_granule = by_granule,
		.next = first,
		.first = first,
		.carried = carried,
	};
	spin_lock(&readers_lock);
	lines->others = readers;
	readers = lines;
	spin_unlock(&readers_lock);
}

/**
 * memorizer_lines_next() - take the next line
 * @lines: where the reader is
 * @line: is filled in
 *
 * Lines come by ascending ip, pid, and granules, each once.
 *
 * Context: process context, may sleep, under memorizer_rwsem; unless that is for writing, the
 *	object is held.
 * Return: false if there is none
 */
bool memorizer_lines_next(struct memorizer_lines *lines, struct memorizer_line *line)
{
	u32 carried;
	bool any;

	for (;;) {
		carried = memorizer_carries_done(lines->object);
		if (carried != lines->carried && has_new_carries(lines))
			lines->first = sort_entries(lines->object);
		lines->carried = carried;
		copy_place(&lines->before, &lines->place);
		any = add_up(lines, line);
		if (memorizer_carries_begun(lines->object) == carried)
			return any;
		copy_place(&lines->place, &lines->before);
		memorizer_may_schedule();
	}
}

/**
 * memorizer_lines_end() - end what memorizer_lines_begin() began
 * @lines: where the reader is; if it is at no object, nothing happens
 *
 * Context: process context, under memorizer_rwsem.
 */
void memorizer_lines_end(struct memorizer_lines *lines)
{
	struct memorizer_lines **at = &readers;

	if (!lines->object)
		return;
	spin_lock(&readers_lock);
	while (*at != lines)
		at = &(*at)->others;
	*at = lines->others;
	spin_unlock(&readers_lock);
	lines->object = NULL;
}

/**
 * memorizer_is_pinned() - is somebody at an object's lines?
 * @object: the object
 *
 * Context: process context, under memorizer_rwsem, for writing.
 * Return: true if so: it must stay
 */
bool memorizer_is_pinned(const struct memorizer_object *object)
{
	const struct memorizer_lines *lines;

	for (lines = readers; lines; lines = lines->others)
		if (lines->object == object)
			return true;
	return false;
}
