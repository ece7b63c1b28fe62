// SPDX-License-Identifier: GPL-2.0
/*
 * memorizer-qemu.so: objects that the guest announces.
 *
 * In mode objects, the plugin counts accesses per object and instruction, while the guest's own
 * access logging is on. It writes objects when they end, and a snapshot of the live ones at exit,
 * so that the result can be compared with the guest's KMAP. In the other modes, it writes
 * allocations and frees, in addition to the accesses, of the kinds that have them in the kernel's
 * stream.
 */
#include <stdlib.h>
#include <string.h>

#include "qemu.h"

#define PAGE		4096
#define SLAB		0	/* enum memorizer_object_kind */
#define PAGES		1
/* Objects that consist of pages, in which others may lie: pages, and areas of vmalloc(). */
#define AREA_FIRST	1
#define AREA_LAST	5
#define STACK		6
#define PERCPU		9
#define LIVE		1
#define FREED		2

/* An open-addressing hash table from u64 to u64; value 0 marks a free slot. */
struct map {
	u64 room, nr;
	struct {
		u64 key, value;
	} *at;
};

struct object {
	u64 alloc[OBJECT_VALUES];	/* id, va, size, alloc_ip, pid, jiffies, cache, kind */
	char comm[16];
	u64 bytes;			/* allocated size */
	u32 counts;			/* index of the first count; 0 if none */
	bool live;
};

struct count {
	u64 ip, writes, reads;
	u32 next;			/* index of the object's next count; 0 if none */
};

/* Guards the following variables. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct map pages;		/* page number to the objects of its bytes */
static struct map areas;		/* page number to 1 + index of the area, 1: it ended */
static struct map ids;			/* ID to index of the object */
static struct map pairs;		/* object and instruction to index of the count */
static struct map caches;		/* cache to allocated size */
static struct object *objects;		/* [0] is unused */
static struct count *counts;		/* [0] is unused */
static u64 nr_objects = 1, room_objects, nr_counts = 1, room_counts;
static bool logging;			/* the guest logs accesses */
static bool ever;			/* it has done so before */

static u64 *map_find(struct map *m, u64 key)
{
	u64 i = key * 0x9e3779b97f4a7c15;

	for (i ^= i >> 32; m->at[i & (m->room - 1)].value; i++)
		if (m->at[i & (m->room - 1)].key == key)
			break;
	/* Harmless in a free slot, which value 0 marks. map_set() relies on it. */
	m->at[i & (m->room - 1)].key = key;
	return &m->at[i & (m->room - 1)].value;
}

static u64 map_get(struct map *m, u64 key)
{
	return m->room ? *map_find(m, key) : 0;
}

static void out_of_memory(void)
{
	abort();
}

static void map_set(struct map *m, u64 key, u64 value)
{
	struct map more = { .room = m->room ? 2 * m->room : 1024 };
	u64 i, *old;

	if (m->nr * 2 >= m->room) {
		more.at = calloc(more.room, sizeof(*more.at));
		if (!more.at)
			out_of_memory();
		for (i = 0; i < m->room; i++)
			if (m->at[i].value)
				*map_find(&more, m->at[i].key) = m->at[i].value;
		more.nr = m->nr;
		free(m->at);
		*m = more;
	}
	/* After growing: slots have moved. */
	old = map_find(m, key);
	m->nr += !*old;
	*old = value;
}

static void *grow(void *array, u64 nr, u64 *room, size_t size)
{
	if (nr < *room)
		return array;
	*room = *room ? 2 * *room : 1024;
	array = realloc(array, *room * size);
	if (!array)
		out_of_memory();
	return array;
}

/* Get the indexes of the objects in a page, except for areas, by byte. */
static u32 *page_objects(u64 addr, bool make)
{
	u32 *page = (u32 *)map_get(&pages, addr / PAGE);

	if (page || !make)
		return page;
	page = calloc(PAGE, sizeof(*page));
	if (!page)
		out_of_memory();
	map_set(&pages, addr / PAGE, (u64)page);
	return page;
}

/* Get the index of the area that a page is in, 0 if it is in none. */
static u32 area_at(u64 page)
{
	u64 value = map_get(&areas, page);

	return value ? value - 1 : 0;
}

static u32 object_at(u64 addr)
{
	u32 *page = page_objects(addr, false), nr = page ? page[addr % PAGE] : 0;

	if (nr)
		return nr;
	nr = area_at(addr / PAGE);
	/* An area may end within its last page. */
	return nr && addr - objects[nr].alloc[1] < objects[nr].alloc[2] ? nr : 0;
}

static bool is_area(const struct object *o)
{
	return o->alloc[7] >= AREA_FIRST && o->alloc[7] <= AREA_LAST;
}

static void put(const struct object *o)
{
	u64 addr = o->alloc[1], end = addr + o->alloc[2], nr = o - objects;

	if (is_area(o))
		for (addr /= PAGE; addr * PAGE < end; addr++)
			map_set(&areas, addr, nr + 1);
	else
		for (; addr < end; addr++)
			page_objects(addr, true)[addr % PAGE] = nr;
}

/* Keep objects that have replaced this one, such as the rest of pages of which a part is freed. */
static void take_out(const struct object *o)
{
	u64 addr = o->alloc[1], end = addr + o->alloc[2], nr = o - objects;

	if (is_area(o)) {
		for (addr /= PAGE; addr * PAGE < end; addr++)
			if (area_at(addr) == nr)
				map_set(&areas, addr, 1);
		return;
	}
	for (; addr < end; addr++)
		if (object_at(addr) == nr)
			page_objects(addr, true)[addr % PAGE] = 0;
}

/* Get the allocator of an object, as in an event's kind; -1 if the stream has no such events. */
static int source_of(const struct object *o)
{
	u64 kind = o->alloc[7];

	if (kind == SLAB)
		return o->alloc[6] ? KIND_CACHE : KIND_KMALLOC;
	if (kind <= STACK)
		return KIND_PAGES + (kind - PAGES);
	/* A variable has its own address as call site: that of a per-CPU one is an offset. */
	return kind == PERCPU && o->alloc[3] >> 63 ? KIND_PERCPU : -1;
}

/* Get the allocated size of an object. */
static u64 bytes_of(const struct object *o)
{
	u64 size = o->alloc[2];

	if (is_area(o))
		return (size + PAGE - 1) / PAGE * PAGE;
	/* PCPU_MIN_ALLOC_SIZE */
	if (o->alloc[7] == PERCPU)
		return (size + 3) / 4 * 4;
	/* Large allocations have no cache, and the message about a cache may be lost. */
	return (o->alloc[6] ? map_get(&caches, o->alloc[6]) : 0) ?: size;
}

/* Is it a part of pages that are being freed? It has their allocation, and keeps its bytes. */
static bool is_part(const struct object *o)
{
	const struct object *whole = &objects[area_at(o->alloc[1] / PAGE)];

	return o->alloc[7] == PAGES && whole->live && whole->alloc[7] == PAGES &&
	       whole->alloc[3] == o->alloc[3] && whole->alloc[5] == o->alloc[5];
}

static void allocated(struct vcpu *v, struct object *o)
{
	int source = source_of(o);

	o->bytes = bytes_of(o);
	if (source >= 0 && !is_part(o))
		write_alloc(v, o->alloc, source, o->bytes);
	/* freed() has to know which of them became objects of their own. */
	if (source == KIND_PAGES)
		put(o);
}

/* Write the free of the pages that still belong to an object. */
static void freed_pages(struct vcpu *v, const struct object *o, u64 free_ip)
{
	u64 first = o->alloc[1] / PAGE, end = first + o->bytes / PAGE, nr = o - objects, at;

	for (; first < end; first = at + 1) {
		for (at = first; at < end && area_at(at) == nr; at++)
			;
		if (at > first)
			write_free(v, o->alloc, KIND_PAGES, first * PAGE, (at - first) * PAGE,
				   free_ip);
	}
	take_out(o);
}

/* An object whose free the guest missed has no free event. */
static void freed(struct vcpu *v, const struct object *o, u32 state, u64 free_ip)
{
	int source = source_of(o);

	if (source == KIND_PAGES && state == FREED)
		freed_pages(v, o, free_ip);
	else if (source == KIND_PAGES)
		take_out(o);
	else if (source >= 0 && state == FREED)
		write_free(v, o->alloc, source, o->alloc[1], o->bytes, free_ip);
}

/*
 * Get the index for a new object. Only mode objects refers to objects that ended, and must not
 * reuse their index; the other modes reuse the index of the ID.
 */
static u64 new_object(u64 id)
{
	u64 nr = options.mode == MODE_OBJECTS ? 0 : map_get(&ids, id);

	if (nr)
		return nr;
	objects = grow(objects, nr_objects, &room_objects, sizeof(*objects));
	map_set(&ids, id, nr_objects);
	return nr_objects++;
}

/**
 * objects_add() - add an object
 * @v: the vCPU that announced it
 * @values: values of the message
 *
 * Context: any thread.
 */
void objects_add(struct vcpu *v, const u64 values[OBJECT_VALUES])
{
	struct object *o;
	u64 nr;

	pthread_mutex_lock(&lock);
	nr = map_get(&ids, values[0]);
	/* A stack, which has a new task, and the same counts. */
	if (nr && objects[nr].live && objects[nr].alloc[1] == values[1]) {
		memcpy(objects[nr].alloc, values, sizeof(objects[nr].alloc));
		goto out;
	}
	nr = new_object(values[0]);
	o = &objects[nr];
	memset(o, 0, sizeof(*o));
	memcpy(o->alloc, values, sizeof(o->alloc));
	/* The message has no comm: the task that allocated is the vCPU's current one. */
	memcpy(o->comm, v->comm, sizeof(o->comm));
	o->live = true;
	if (options.mode == MODE_OBJECTS)
		put(o);
	else
		allocated(v, o);
out:
	pthread_mutex_unlock(&lock);
}

/**
 * objects_cache() - add a cache
 * @v: the vCPU that announced it
 * @values: values of the message: cache, object_size, size
 * @name: name of the cache
 *
 * Context: any thread.
 */
void objects_cache(struct vcpu *v, const u64 values[CACHE_VALUES], const char *name)
{
	pthread_mutex_lock(&lock);
	map_set(&caches, values[0], values[3]);
	if (options.mode != MODE_OBJECTS)
		write_cache(v, values, name);
	pthread_mutex_unlock(&lock);
}

static int by_ip(const void *a, const void *b)
{
	const struct count *x = a, *y = b;

	return x->ip < y->ip ? -1 : x->ip > y->ip;
}

/* Write an object and its counts, ordered by instruction. */
static void write_with_counts(struct vcpu *v, struct object *o, u32 snapshot, u32 state,
			      u64 free_ip, u64 free_jiffies)
{
	/* Kept to avoid an allocation per object. Guarded by @lock, except at exit. */
	static struct count *sorted;
	static u64 room;
	u32 object = o - objects, c, nr = 0, i;

	write_object(v, object, snapshot, state, o->alloc, o->comm, free_ip, free_jiffies);
	for (c = o->counts; c; c = counts[c].next) {
		sorted = grow(sorted, nr, &room, sizeof(*sorted));
		sorted[nr++] = counts[c];
	}
	if (nr)
		qsort(sorted, nr, sizeof(*sorted), by_ip);
	for (i = 0; i < nr; i++)
		write_counts(v, object, sorted[i].ip, 0, sorted[i].writes, sorted[i].reads);
}

static void end(struct vcpu *v, struct object *o, u32 state, u64 free_ip, u64 free_jiffies)
{
	if (options.mode != MODE_OBJECTS) {
		freed(v, o, state, free_ip);
		return;
	}
	take_out(o);
	/* Nothing was counted before the guest first logged accesses. */
	if (ever)
		write_with_counts(v, o, 0, state, free_ip, free_jiffies);
}

/**
 * objects_end() - end an object that was freed or overwritten
 * @v: the vCPU that announced it
 * @values: values of the message: id, state, free_ip, free_jiffies
 *
 * Context: any thread.
 */
void objects_end(struct vcpu *v, const u64 values[4])
{
	struct object *o;
	u64 nr;

	pthread_mutex_lock(&lock);
	nr = map_get(&ids, values[0]);
	o = &objects[nr];
	/* The message that announced the object may be lost. */
	if (nr && o->live) {
		o->live = false;
		end(v, o, values[1], values[2], values[3]);
	} else {
		v->drops[DROP_MESSAGE]++;
	}
	pthread_mutex_unlock(&lock);
}

/**
 * objects_logging() - the guest switches access logging
 * @on: new state
 *
 * Context: any thread.
 */
void objects_logging(bool on)
{
	pthread_mutex_lock(&lock);
	logging = on;
	ever |= on;
	pthread_mutex_unlock(&lock);
}

static void count(u32 nr, u64 ip, bool store)
{
	/* The upper half of all kernel text addresses is the same. */
	u64 pair = (u64)nr << 32 | (u32)ip, c = map_get(&pairs, pair);

	if (!c) {
		counts = grow(counts, nr_counts, &room_counts, sizeof(*counts));
		c = nr_counts++;
		counts[c] = (struct count) { .ip = ip, .next = objects[nr].counts };
		objects[nr].counts = c;
		map_set(&pairs, pair, c);
	}
	if (store)
		counts[c].writes++;
	else
		counts[c].reads++;
}

/**
 * objects_access() - count an access for the objects that it touches
 * @ip: address of the instruction
 * @addr: address of the first byte
 * @size: size in bytes
 * @store: the access is a store
 *
 * Attributes the access as the kernel does: once to each object that has a byte of it, and to an
 * area only where no other object lies.
 *
 * Context: any thread.
 */
void objects_access(u64 ip, u64 addr, u32 size, bool store)
{
	u32 nr, last = 0, area = 0;
	u64 at;

	pthread_mutex_lock(&lock);
	for (at = addr; logging && at < addr + size; at++) {
		nr = object_at(at);
		if (nr && nr != last && nr != area) {
			count(nr, ip, store);
			if (is_area(&objects[nr]))
				area = nr;
		}
		last = nr;
	}
	pthread_mutex_unlock(&lock);
}

/**
 * objects_finish() - write a snapshot of all live objects
 * @v: a vCPU, to which the events are attributed
 *
 * Context: exit of QEMU, no other callbacks are running.
 */
void objects_finish(struct vcpu *v)
{
	u64 i, live = 0;

	if (options.mode != MODE_OBJECTS)
		return;
	write_snapshot(v, 1, false, 0);
	for (i = 1; i < nr_objects; i++) {
		if (!objects[i].live)
			continue;
		write_with_counts(v, &objects[i], 1, LIVE, 0, 0);
		live++;
	}
	write_snapshot(v, 1, true, live);
}
