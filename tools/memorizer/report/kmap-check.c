// SPDX-License-Identifier: GPL-2.0
/*
 * Checks a KMAP: its lines, the order of its access lines, and that no two objects had the
 * same memory at the same time.
 *
 * The kernel does not stop while its file is read. An object that is live in its line is only
 * known to have lived until the latest time in any line up to it; later changes are no
 * violation. Jiffies are coarse: an overlap of at most one jiffy is no violation, either.
 */
#include <assert.h>
#include <search.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "kmap/input.h"
#include "lib/status.h"
#include "report/kmap-check.h"
#include "report/violations.h"

/* Of x86-64. */
#define PAGE_BYTES	4096

enum kind { LINE, ORDER, DUPLICATE, OVERLAP, KINDS };

static const char * const kind_names[KINDS + 1] = {
	[LINE] = "line", [ORDER] = "order", [DUPLICATE] = "duplicate", [OVERLAP] = "overlap",
};

static_assert(KINDS <= VIOLATION_KINDS);

/**
 * struct extent - where and when an object lived
 * @start: address of the first byte
 * @end: address of the last byte
 * @alloc: time of the allocation, in jiffies
 * @until: time of the free, or latest time at which it is known to be live
 * @site: allocating call site
 * @free_site: freeing call site
 * @line: line number
 * @pid: allocating task
 * @kind: kind of memory
 * @live: not freed
 * @placed: in the tree of objects that are live at the current time
 */
struct extent {
	u64 start, end, alloc, until, site, free_site, line;
	u32 pid;
	enum kmap_kind kind;
	bool live, placed;
};

/* An access line of the current object. */
struct pair {
	u64 ip, pid, place, line;
};

/**
 * struct kmap_check - state of the check
 * @violations: what was found
 * @objects: object lines
 * @accesses: access lines
 * @latest: latest time in the lines so far, in jiffies
 * @extents: the objects
 * @room: allocated size of @extents
 * @pairs: access lines of the current object
 * @nr_pairs: number of access lines
 * @room_pairs: allocated size of @pairs
 */
struct kmap_check {
	struct violations violations;
	u64 accesses, latest;
	size_t objects, room;
	struct extent *extents;
	struct pair *pairs;
	size_t nr_pairs, room_pairs;
};

__printf(4, 5)
static void violation(struct kmap_check *c, enum kind kind, u64 line, const char *format, ...)
{
	struct violation_place place;
	va_list args;

	snprintf(place.text, sizeof(place.text), "line %llu: ", line);
	snprintf(place.json, sizeof(place.json), ", \"line\": %llu", line);
	va_start(args, format);
	violations_add(&c->violations, kind, &place, format, args);
	va_end(args);
}

/* The order of access lines in a KMAP. */
static int in_order(const struct pair *a, const struct pair *b)
{
	if (a->ip != b->ip)
		return a->ip < b->ip ? -1 : 1;
	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	return (a->place > b->place) - (a->place < b->place);
}

static int compare_pairs(const void *left, const void *right)
{
	const struct pair *a = left, *b = right;

	return in_order(a, b) ?: (a->line > b->line) - (a->line < b->line);
}

/*
 * Check that the access lines of an object are sorted by ip, pid and granule, without
 * duplicates.
 */
static void end_accesses(struct kmap_check *c)
{
	struct pair *p = c->pairs;
	bool sorted = true;
	size_t i;

	for (i = 1; i < c->nr_pairs; i++) {
		if (in_order(p + i - 1, p + i) <= 0)
			continue;
		sorted = false;
		violation(c, ORDER, p[i].line, "%llx,%llu after %llx,%llu", p[i].ip, p[i].pid,
			  p[i - 1].ip, p[i - 1].pid);
	}
	/* Sort them to find duplicates, which may not be adjacent. */
	if (!sorted)
		qsort(p, c->nr_pairs, sizeof(*p), compare_pairs);
	for (i = 1; i < c->nr_pairs; i++)
		if (!in_order(p + i - 1, p + i))
			violation(c, DUPLICATE, p[i].line, "%llx,%llu is in line %llu, too",
				  p[i].ip, p[i].pid, p[i - 1].line);
	c->nr_pairs = 0;
}

static void add_access(struct kmap_check *c, const struct kmap_reader *r)
{
	if (c->nr_pairs == c->room_pairs) {
		c->room_pairs = c->room_pairs ? 2 * c->room_pairs : 64;
		c->pairs = xreallocarray(c->pairs, c->room_pairs, sizeof(*c->pairs));
	}
	c->pairs[c->nr_pairs++] = (struct pair){
		r->access.ip, r->access.pid, r->access.place, r->lines.nr,
	};
	c->accesses++;
}

static void add_object(struct kmap_check *c, const struct kmap_reader *r)
{
	const struct kmap_object *o = &r->object;
	bool live = !o->free_jiffies;

	end_accesses(c);
	if (o->alloc_jiffies > c->latest)
		c->latest = o->alloc_jiffies;
	if (o->free_jiffies > c->latest)
		c->latest = o->free_jiffies;
	if (c->objects == c->room) {
		c->room = c->room ? 2 * c->room : 1024;
		c->extents = xreallocarray(c->extents, c->room, sizeof(*c->extents));
	}
	/* A live object may have been freed right after its line was read. */
	c->extents[c->objects++] = (struct extent){
		.start = o->addr, .end = o->addr + o->size - 1, .alloc = o->alloc_jiffies,
		.until = live ? c->latest : o->free_jiffies, .site = o->alloc_ip,
		.free_site = o->free_ip, .line = r->lines.nr, .pid = o->pid, .live = live,
		.kind = o->kind,
	};
}

/* Changes of an object, in the order in which those of one jiffy are applied. */
enum change { END, INSTANT, BEGIN };

struct moment {
	u64 time;
	u32 extent;
	enum change change;
};

/* By time, then by position in the KMAP. */
static int compare_moments(const void *left, const void *right)
{
	const struct moment *a = left, *b = right;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->change != b->change)
		return a->change < b->change ? -1 : 1;
	return (a->extent > b->extent) - (a->extent < b->extent);
}

/* Overlapping extents compare as equal; those in the tree do not overlap. */
static int compare_extents(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;

	if (a->end < b->start)
		return -1;
	return a->start > b->end;
}

/* May the object be an area, in which others lie? Pages are, in a KMAP without kinds. */
static bool is_area(const struct extent *e)
{
	if (e->kind)
		return KMAP_AREAS & 1u << e->kind;
	return e->start % PAGE_BYTES == 0 && (e->end + 1) % PAGE_BYTES == 0;
}

static bool lies_in(const struct extent *e, const struct extent *area)
{
	return is_area(area) && e->start >= area->start && e->end <= area->end;
}

/* Report two objects with common memory, unless one may lie in the other. */
static void compare_objects(struct kmap_check *c, const struct extent *a, const struct extent *b)
{
	const struct extent *first = a->line < b->line ? a : b, *second = first == a ? b : a;

	if (a->start == b->start && a->end == b->end && a->alloc == b->alloc &&
	    a->live == b->live && (a->live || a->until == b->until) && a->site == b->site &&
	    a->free_site == b->free_site && a->pid == b->pid)
		violation(c, DUPLICATE, second->line, "the object of line %llu", first->line);
	else if (!lies_in(a, b) && !lies_in(b, a))
		violation(c, OVERLAP, second->line,
			  "%llu bytes at %llx, and %llu at %llx in line %llu at the same time",
			  second->end - second->start + 1, second->start,
			  first->end - first->start + 1, first->start, first->line);
}

/* @living has one tree of objects that may be areas, and one of others. */
static void look_at(struct kmap_check *c, const struct moment *m, void *living[2])
{
	struct extent *e = c->extents + m->extent, **found;
	void **own = &living[is_area(e)], **other = &living[!is_area(e)];

	if (m->change == END) {
		/* Otherwise tdelete() would remove the object that it overlaps. */
		if (e->placed)
			tdelete(e, own, compare_extents);
		e->placed = false;
		return;
	}
	found = tfind(e, other, compare_extents);
	if (found)
		compare_objects(c, e, *found);
	found = m->change == BEGIN ? tsearch(e, own, compare_extents) :
				     tfind(e, own, compare_extents);
	if (found && *found == e)
		e->placed = true;
	else if (found)
		compare_objects(c, e, *found);
}

/* Go through all objects in order of time. An object that overlaps one of its tree is not added. */
static void check_overlaps(struct kmap_check *c)
{
	struct moment *moments = xreallocarray(NULL, 2 * c->objects + 1, sizeof(*moments));
	const struct extent *e;
	void *living[2] = { };
	size_t nr = 0, i;

	for (i = 0; i < c->objects; i++) {
		e = c->extents + i;
		/* An object of 0 bytes overlaps nothing. */
		if (e->end + 1 == e->start)
			continue;
		/* Within one jiffy, END sorts before BEGIN. */
		if (e->alloc == e->until) {
			moments[nr++] = (struct moment){ e->alloc, i, INSTANT };
			continue;
		}
		moments[nr++] = (struct moment){ e->alloc, i, BEGIN };
		moments[nr++] = (struct moment){ e->until, i, END };
	}
	qsort(moments, nr, sizeof(*moments), compare_moments);
	for (i = 0; i < nr; i++)
		look_at(c, moments + i, living);
	free(moments);
}

static void print_summary(const struct kmap_check *c)
{
	violations_print_unlisted(&c->violations);
	printf("%zu objects, %llu access lines: ", c->objects, c->accesses);
	violations_print_sum(&c->violations);
	printf("\n");
}

static void print_json(const struct kmap_check *c, bool failed)
{
	violations_end_list(&c->violations, failed);
	printf("\t\"objects\": %zu,\n\t\"accesses\": %llu,\n", c->objects, c->accesses);
	violations_end(&c->violations);
}

static enum kmap_event check_lines(struct kmap_check *c, struct kmap_reader *r)
{
	enum kmap_event event;

	for (;;) {
		event = kmap_reader_next(r);
		if (event == KMAP_MALFORMED)
			violation(c, LINE, r->lines.nr, "%s", r->error);
		else if (event == KMAP_OBJECT)
			add_object(c, r);
		else if (event == KMAP_ACCESS)
			add_access(c, r);
		else if (event != KMAP_FRAMES)
			break;
	}
	end_accesses(c);
	return event;
}

/**
 * kmap_check - check a KMAP and print the result
 * @argv: its file, or "-"
 * @all: list all violations, not only the first ones of each kind
 * @json: print JSON
 *
 * Return: the exit status.
 */
int kmap_check(char **argv, bool all, bool json)
{
	struct kmap_check c = {
		.violations = { .kinds = kind_names, .all = all, .json = json },
	};
	enum kmap_event last;
	struct input in;

	if (!input_open(&in, 1, argv))
		return EXIT_UNABLE;
	violations_begin(&c.violations);
	last = check_lines(&c, &in.reader);
	check_overlaps(&c);
	if (json)
		print_json(&c, last == KMAP_FAILED);
	else
		print_summary(&c);
	free(c.extents);
	free(c.pairs);
	in.reader.malformed = 0;	/* already listed */
	if (input_close(&in, last) == EXIT_UNABLE)
		return EXIT_UNABLE;
	return violations_sum(&c.violations) ? EXIT_MALFORMED : EXIT_FINE;
}
