// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's lines: an object's access entries in order, added up over all CPUs.
 *
 * An object may have millions of entries. They are put in order where they are,
 * in the object's list, so that no memory is needed, and taken line by line.
 * Between two lines memorizer_mutex may be given up: an object whose lines
 * somebody is at is pinned, it is neither cleared nor retired.
 *
 * Hooks put new entries before the others of an object, by cmpxchg of its head,
 * and do not look at the list apart from that. All that walk or sort it hold
 * memorizer_mutex. A list that was sorted consists of new entries in any order,
 * and the sorted ones, which are what is left of the list once more; who goes on
 * from one of these meets all that come after it, as well as some that are newer.
 */
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/sched.h>

#include "memorizer.h"

/* All that are at an object's lines. Guarded by memorizer_mutex. */
static struct memorizer_lines *readers;

static struct memorizer_entry *entry_of(u32 id)
{
	return memorizer_ptr(id);
}

/* An entry's ip, whether it counts its accesses or its traffic. */
static u32 ip_of(const struct memorizer_entry *entry)
{
	return memorizer_entry_ip(entry) | MEMORIZER_ACCESS_IP;
}

/* Does entry @a belong before @b, or both into one line? */
static bool in_order(const struct memorizer_entry *a, const struct memorizer_entry *b)
{
	return ip_of(a) != ip_of(b) ? ip_of(a) < ip_of(b) :
		memorizer_entry_pid(a) <= memorizer_entry_pid(b);
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
		cond_resched();
	}
	if (!last)
		return a;
	WRITE_ONCE(entry_of(last)->link, a ?: b);
	return first;
}

/* Cuts the entries that are in order already off the begin of a list. */
static u32 cut_run(u32 *list)
{
	u32 first = *list, last = first, next;

	while ((next = READ_ONCE(entry_of(last)->link)) &&
	       in_order(entry_of(last), entry_of(next))) {
		last = next;
		cond_resched();
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
		cond_resched();
	}
	WRITE_ONCE(entry_of(id)->link, sorted);
	return sorted;
}

/**
 * memorizer_lines_begin() - begin with an object's lines
 * @lines: says where the reader is, until memorizer_lines_end()
 * @object: the object, which is pinned
 *
 * Accesses that are made from now on may be left out.
 *
 * Context: process context, may sleep, under memorizer_mutex.
 */
void memorizer_lines_begin(struct memorizer_lines *lines, struct memorizer_object *object)
{
	lines->object = object;
	lines->next = sort_entries(object);
	lines->others = readers;
	readers = lines;
}

/**
 * memorizer_lines_next() - take the next line
 * @lines: where the reader is
 * @line: is filled in
 *
 * Lines come by ascending ip and pid, each once.
 *
 * Context: process context, may sleep, under memorizer_mutex.
 * Return: false if there is none
 */
bool memorizer_lines_next(struct memorizer_lines *lines, struct memorizer_line *line)
{
	const struct memorizer_entry *entry, *first;

	if (!lines->next)
		return false;
	first = entry_of(lines->next);
	*line = (struct memorizer_line) {
		.ip = ip_of(first),
		.pid = memorizer_entry_pid(first),
	};
	do {
		entry = entry_of(lines->next);
		if (ip_of(entry) != line->ip || memorizer_entry_pid(entry) != line->pid)
			break;
		*(memorizer_is_traffic(entry) ? &line->read_moves : &line->reads) +=
			memorizer_entry_reads(entry);
		*(memorizer_is_traffic(entry) ? &line->write_moves : &line->writes) +=
			memorizer_entry_writes(entry);
		lines->next = READ_ONCE(entry->link);
		cond_resched();
	} while (lines->next);
	return true;
}

/**
 * memorizer_lines_end() - end what memorizer_lines_begin() began
 * @lines: where the reader is; if it is at no object, nothing happens
 *
 * Context: process context, under memorizer_mutex.
 */
void memorizer_lines_end(struct memorizer_lines *lines)
{
	struct memorizer_lines **at = &readers;

	if (!lines->object)
		return;
	while (*at != lines)
		at = &(*at)->others;
	*at = lines->others;
	lines->object = NULL;
}

/**
 * memorizer_is_pinned() - is somebody at an object's lines?
 * @object: the object
 *
 * Context: process context, under memorizer_mutex.
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
