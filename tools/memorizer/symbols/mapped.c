// SPDX-License-Identifier: GPL-2.0
/*
 * Names of addresses by the modules of their time.
 *
 * All that is known of code is kept by its address, and two modules may have had the same. So
 * kmap_symbols_event() renumbers: an address in a module that kallsyms does not have there gets
 * the number of that module's mapping in its bits 48 to 62, which are all alike otherwise. From
 * there on it is an address like any other, with symbols and notes of its own; only where it is
 * printed kmap_symbols_address() gives what it was.
 *
 * The symbols of such a module are those of its file, if that is there, or those that record
 * saved when the module appeared, or one that is all of the module.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/mapped.h"
#include "symbols/module-text.h"
#include "symbols/saved.h"

#define NUMBER_SHIFT	48
#define NUMBERS		0x7fffu		/* bit 63 says that it is the kernel's */
#define LIVES		1024u		/* objects whose counts may still come */

/**
 * struct text - what is known of a mapping
 * @known: whether that was looked for
 * @same: whether kallsyms has the module there: addresses stay as they are
 * @id: its build id, from the mapping or from what was saved
 * @sym: its functions
 * @nr: how many
 * @whole: all of it
 */
struct text {
	bool known, same;
	struct build_id id;
	struct kmap_symbol *sym;
	size_t nr;
	struct kmap_symbol whole;
};

/* When an object lived, in jiffies. */
struct life {
	u64 from, until;
	u32 object;
	bool known;
};

/**
 * struct mapped - the modules of a trace
 * @mappings: which there are, and when
 * @text: what is known of each
 * @nr: for how many there is room
 * @saved: the symbols that record saved
 * @lives: the last objects, by their number
 */
struct mapped {
	struct mappings mappings;
	struct text *text;
	u32 nr;
	struct saved saved;
	struct life lives[LIVES];
};

/**
 * mapped_new - begin to follow a trace
 * @dir: the trace
 *
 * Return: that no module is known yet.
 */
struct mapped *mapped_new(const char *dir)
{
	struct mapped *m = xreallocarray(NULL, 1, sizeof(*m));

	memset(m, 0, sizeof(*m));
	mappings_init(&m->mappings);
	saved_open(&m->saved, dir);
	return m;
}

/**
 * mapped_free - release memory
 * @m: the modules
 */
void mapped_free(struct mapped *m)
{
	u32 i;

	for (i = 0; i < m->nr; i++)
		free(m->text[i].sym);
	free(m->text);
	saved_close(&m->saved);
	mappings_free(&m->mappings);
	free(m);
}

static u64 with_number(u64 addr, u32 nr)
{
	return addr ^ (u64)(nr + 1) << NUMBER_SHIFT;
}

static u64 without_number(u64 ip)
{
	return (long long)(ip << (64 - NUMBER_SHIFT)) >> (64 - NUMBER_SHIFT);
}

/**
 * mapped_number - get the number of an address
 * @m: the modules
 * @ip: the address
 *
 * Return: number of its mapping, or MAPPINGS_NONE.
 */
u32 mapped_number(const struct mapped *m, u64 ip)
{
	u32 nr = (ip ^ without_number(ip)) >> NUMBER_SHIFT;

	return nr && nr <= m->nr && m->text[nr - 1].known ? nr - 1 : MAPPINGS_NONE;
}

/**
 * mapped_find - find a function
 * @m: the modules
 * @nr: what mapped_number() gave
 * @ip: the address
 * @kind: what it is
 *
 * Return: the function; all of the module if none of its functions is known; or NULL.
 */
const struct kmap_symbol *mapped_find(const struct mapped *m, u32 nr, u64 ip, enum kmap_ip kind)
{
	const struct text *t = m->text + nr;
	const struct kmap_symbol *found = symbols_search(t->sym, t->nr, ip, kind);

	return found || t->nr || nr == MAPPINGS_UNSURE ? found : &t->whole;
}

/**
 * mapped_id - get the build id of a module
 * @m: the modules
 * @nr: what mapped_number() gave
 *
 * Return: the build id.
 */
const struct build_id *mapped_id(const struct mapped *m, u32 nr)
{
	return &m->text[nr].id;
}

/**
 * mapped_have - check whether a module that was there has a function
 * @s: the symbols
 * @name: name of the function; * and ? match others
 *
 * Return: whether there is one.
 */
bool mapped_have(const struct kmap_symbols *s, const char *name)
{
	const struct mapped *m = s->mapped;
	u32 i;
	size_t j;

	for (i = 0; m && i < m->nr; i++)
		for (j = 0; j < m->text[i].nr; j++)
			if (!fnmatch(name, kmap_symbols_string(s, m->text[i].sym[j].name),
				     FNM_NOESCAPE))
				return true;
	return false;
}

/* The only saved symbols of a mapping, or @saved.nr if there are none or several. */
static u32 find_saved(const struct mapped *m, const struct mapping *mapping)
{
	const struct saved_module *one;
	u32 i, found = m->saved.nr;

	for (i = 0; i < m->saved.nr; i++) {
		one = m->saved.module + i;
		if (one->base != mapping->module || strcmp(one->name, mapping->name) ||
		    (mapping->id.size && !build_id_equal(&one->id, &mapping->id)))
			continue;
		if (found < m->saved.nr && !build_id_equal(&one->id, &m->saved.module[found].id))
			return m->saved.nr;
		found = i;
	}
	return found;
}

/* Whether the module that was saved last under a name is a mapping's; true if none was. */
static bool is_last(const struct mapped *m, const struct mapping *mapping)
{
	const struct saved_module *last = NULL;
	u32 i;

	for (i = 0; i < m->saved.nr; i++)
		if (!strcmp(m->saved.module[i].name, mapping->name))
			last = m->saved.module + i;
	return !last || (last->base == mapping->module &&
			 (!mapping->id.size || build_id_equal(&last->id, &mapping->id)));
}

static bool within(u64 addr, u64 base, u64 size)
{
	return addr >= base && addr - base < size;
}

/* Whether all functions that kallsyms has of the module are where the mapping is. */
static bool lies_there(const struct kmap_symbols *s, const struct mapping *mapping)
{
	bool any = false;
	size_t i;

	for (i = 0; i < s->nr; i++) {
		if (strcmp(kmap_symbols_string(s, s->sym[i].module), mapping->name))
			continue;
		if (within(s->sym[i].start, mapping->base, mapping->size))
			any = true;
		else if (!within(s->sym[i].start, mapping->init_base, mapping->init_size))
			return false;
	}
	return any;
}

/* Whether kallsyms, which was copied in the end, has this very module there. */
static bool is_same(const struct kmap_symbols *s, const struct mapping *mapping)
{
	struct build_id ran = build_id_module(s->ids, mapping->name);

	if (mapping->init || (ran.size && mapping->id.size && !build_id_equal(&ran, &mapping->id)))
		return false;
	return is_last(s->mapped, mapping) && lies_there(s, mapping);
}

/* Adds the functions of a mapping's file, or those that were saved. */
static void add_functions(struct kmap_symbols *s, const struct mapping *mapping,
			  const struct build_id *id, u32 saved)
{
	const struct module_file *file = NULL;

	while (!s->nr && s->modules && (file = modules_next(s->modules, file, mapping->name, id)))
		module_text_functions(modules_elf(file), mapping, s);
	if (!s->nr && saved < s->mapped->saved.nr)
		saved_read(&s->mapped->saved, saved, s);
}

/* Finds the functions of a mapping, for which the symbols stand aside meanwhile. */
static void find_functions(struct kmap_symbols *s, u32 nr, u32 saved)
{
	const struct mapping *mapping = s->mapped->mappings.mapping + nr;
	struct text *t = s->mapped->text + nr;
	struct kmap_symbol *all = s->sym;
	size_t nr_all = s->nr, room = s->room, i;
	u64 end;

	s->sym = NULL;
	s->nr = 0;
	s->room = 0;
	add_functions(s, mapping, &t->id, saved);
	symbols_settle(s);
	for (i = 0; i < s->nr; i++) {
		if (!within(s->sym[i].start, mapping->base, mapping->size))
			continue;
		end = mapping->base + mapping->size - s->sym[i].start;
		s->sym[t->nr] = s->sym[i];
		s->sym[t->nr].size = end < s->sym[i].size ? end : s->sym[i].size;
		s->sym[t->nr++].start = with_number(s->sym[i].start, nr);
	}
	t->sym = s->sym;
	s->sym = all;
	s->nr = nr_all;
	s->room = room;
}

/* Learns about a mapping when something in it comes up. */
static void know(struct kmap_symbols *s, u32 nr)
{
	const struct mapping *mapping = s->mapped->mappings.mapping + nr;
	struct text *t = s->mapped->text + nr;
	u32 saved, module;

	t->known = true;
	if (nr == MAPPINGS_UNSURE)
		return;
	t->same = is_same(s, mapping);
	if (t->same)
		return;
	saved = find_saved(s->mapped, mapping);
	t->id = saved < s->mapped->saved.nr && !mapping->id.size ?
		s->mapped->saved.module[saved].id : mapping->id;
	module = symbols_string(s, mapping->name, strlen(mapping->name));
	t->whole = (struct kmap_symbol){ .start = with_number(mapping->base, nr),
					 .size = mapping->size, .module = module };
	find_functions(s, nr, saved);
	if (s->notes && s->modules)
		notes_join(s->notes, notes_load_mapped(s, t->sym, t->nr, mapping->name, &t->id));
}

/* Gives an address the number of its mapping, if that needs one. */
static u64 numbered(struct kmap_symbols *s, u64 ip, u32 nr)
{
	struct mapped *m = s->mapped;

	if (nr == MAPPINGS_NONE)
		return ip;
	if (nr >= NUMBERS)
		nr = MAPPINGS_UNSURE;
	if (nr >= m->nr) {
		m->text = xreallocarray(m->text, m->mappings.nr, sizeof(*m->text));
		memset(m->text + m->nr, 0, (m->mappings.nr - m->nr) * sizeof(*m->text));
		m->nr = m->mappings.nr;
	}
	if (!m->text[nr].known)
		know(s, nr);
	return m->text[nr].same ? ip : with_number(ip, nr);
}

static bool is_in_modules(const struct mapped *m, u64 addr)
{
	return addr >= m->mappings.first && addr < m->mappings.last;
}

static void number_now(struct kmap_symbols *s, u64 *ip, enum kmap_ip kind)
{
	u64 addr = *ip - (kind == KMAP_IP_RETURN);

	if (is_in_modules(s->mapped, addr))
		*ip = numbered(s, *ip, mappings_now(&s->mapped->mappings, addr));
}

static void number_between(struct kmap_symbols *s, u64 *ip, enum kmap_ip kind, u64 from, u64 until)
{
	u64 addr = *ip - (kind == KMAP_IP_RETURN);

	if (is_in_modules(s->mapped, addr))
		*ip = numbered(s, *ip, mappings_between(&s->mapped->mappings, addr, from, until));
}

/* An object, which its counts follow. */
static void number_object(struct kmap_symbols *s, struct trace_event *e)
{
	u64 from = e->u.object.alloc_jiffies, until = e->u.object.free_jiffies;

	s->mapped->lives[e->u.object.object % LIVES] = (struct life){
		from, e->u.object.state == TRACE_LIVE ? U64_MAX : until, e->u.object.object, true
	};
	number_between(s, &e->u.object.alloc_site, KMAP_IP_RETURN, from, from);
	if (e->u.object.state != TRACE_LIVE)
		number_between(s, &e->u.object.free_site, KMAP_IP_RETURN, until, until);
}

static void number_counts(struct kmap_symbols *s, struct trace_event *e)
{
	const struct life *life = s->mapped->lives + e->u.counts.object % LIVES;

	if (life->known && life->object == e->u.counts.object)
		number_between(s, &e->u.counts.ip, KMAP_IP_EXACT, life->from, life->until);
	else
		number_between(s, &e->u.counts.ip, KMAP_IP_EXACT, 0, U64_MAX);
}

/**
 * kmap_symbols_event - give the addresses of code in an event the names of its time
 * @s: the symbols of the trace, to be told of each of its events in their order
 * @e: the event, whose addresses may become others, see kmap_symbols_address()
 */
void kmap_symbols_event(struct kmap_symbols *s, struct trace_event *e)
{
	if (!s->mapped)
		return;
	switch (e->type) {
	case TRACE_MODULE:
		mappings_event(&s->mapped->mappings, e);
		break;
	case TRACE_ALLOC:
		number_now(s, &e->u.alloc.call_site, KMAP_IP_RETURN);
		break;
	case TRACE_FREE:
		number_now(s, &e->u.free.call_site, KMAP_IP_RETURN);
		break;
	case TRACE_OBJECT:
		number_object(s, e);
		break;
	case TRACE_COUNTS:
		number_counts(s, e);
		break;
	case TRACE_ACCESS:
		number_now(s, &e->u.access.ip, KMAP_IP_EXACT);
		break;
	case TRACE_TRAFFIC:
		number_now(s, &e->u.traffic.ip, KMAP_IP_EXACT);
		break;
	case TRACE_LOCK:
		number_now(s, &e->u.lock.ip, KMAP_IP_RETURN);
		break;
	case TRACE_RCU_FREE:
		number_now(s, &e->u.rcu_free.ip, KMAP_IP_RETURN);
		break;
	case TRACE_FRAME:
		number_now(s, &e->u.frame.ip, KMAP_IP_EXACT);
		break;
	default:
		break;
	}
}

/**
 * kmap_symbols_module_loaded - check whether a module of kallsyms is there now
 * @s: the symbols of a trace
 * @module: its name, empty: the kernel
 *
 * Return: whether it is, as far as the trace says which modules there are.
 */
bool kmap_symbols_module_loaded(struct kmap_symbols *s, const char *module)
{
	const struct mappings *m = &s->mapped->mappings;
	const struct mapping_span *span;
	u32 i;

	for (i = 0; *module && i < m->nr_now; i++) {
		span = m->now + i;
		if (!m->mapping[span->mapping].init &&
		    !strcmp(m->mapping[span->mapping].name, module))
			return numbered(s, span->start, span->mapping) == span->start;
	}
	return !*module || !m->nr_now;
}

/**
 * kmap_symbols_rewind - get ready for the events of the trace from the first on, again
 * @s: the symbols
 */
void kmap_symbols_rewind(struct kmap_symbols *s)
{
	mappings_rewind(&s->mapped->mappings);
}

/**
 * kmap_symbols_address - get the address of code as the kernel has it
 * @s: the symbols
 * @ip: an address, perhaps one that kmap_symbols_event() changed
 *
 * Return: the address.
 */
u64 kmap_symbols_address(const struct kmap_symbols *s, u64 ip)
{
	return s->mapped && mapped_number(s->mapped, ip) != MAPPINGS_NONE ? without_number(ip) : ip;
}
