// SPDX-License-Identifier: GPL-2.0
/*
 * Symbols of modules that were loaded at the time of an event.
 *
 * Analyses identify code by its address, but several modules may have used the same address. So
 * kmap_symbols_event() tags addresses in modules that kallsyms does not have there: bits 48 to 62,
 * which are all equal in a canonical address, get the number of the module's mapping. A tagged
 * address is then used like any other, with its own symbols and notes. Only output needs
 * kmap_symbols_address() to restore the address.
 *
 * The symbols of such a module come from its file, or from those that record saved when the module
 * appeared. Otherwise a single symbol covers the whole module.
 */
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbols/mapped.h"
#include "symbols/module-text.h"
#include "symbols/saved.h"

#define NUMBER_SHIFT	48
#define NUMBERS		0x7fffu		/* bit 63 stays that of a kernel address */
#define LIVES		1024u		/* recent objects whose counts may still follow */

/**
 * struct text - symbols of a mapping
 * @known: the other members are valid
 * @same: kallsyms has the module at this address: addresses are not tagged
 * @id: build ID, from the mapping or from the saved symbols
 * @sym: functions
 * @nr: number of functions
 * @whole: symbol for the whole mapping
 */
struct text {
	bool known, same;
	struct build_id id;
	struct kmap_symbol *sym;
	size_t nr;
	struct kmap_symbol whole;
};

/* Lifetime of an object, in jiffies. */
struct life {
	u64 from, until;
	u32 object;
	bool known;
};

/**
 * struct mapped - the modules of a trace
 * @mappings: mappings of the modules
 * @text: symbols of each mapping
 * @nr: number of @text
 * @saved: symbols saved by record
 * @lives: recent objects, by object number modulo LIVES
 */
struct mapped {
	struct mappings mappings;
	struct text *text;
	u32 nr;
	struct saved saved;
	struct life lives[LIVES];
};

/**
 * mapped_new - start to track the modules of a trace
 * @dir: the trace
 *
 * Return: the modules, initially none.
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
 * mapped_free - free the memory of modules
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
	/* 0 is left to addresses without a number. */
	return addr ^ (u64)(nr + 1) << NUMBER_SHIFT;
}

static u64 without_number(u64 ip)
{
	return (long long)(ip << (64 - NUMBER_SHIFT)) >> (64 - NUMBER_SHIFT);
}

/**
 * mapped_number - get the mapping of a tagged address
 * @m: the modules
 * @ip: the address
 *
 * Return: number of the mapping; MAPPINGS_NONE if the address is not tagged.
 */
u32 mapped_number(const struct mapped *m, u64 ip)
{
	u32 nr = (ip ^ without_number(ip)) >> NUMBER_SHIFT;

	/* A damaged trace may have addresses that look tagged. */
	return nr && nr <= m->nr && m->text[nr - 1].known ? nr - 1 : MAPPINGS_NONE;
}

/**
 * mapped_find - look up a function
 * @m: the modules
 * @nr: number of the mapping, from mapped_number()
 * @ip: the address
 * @kind: kind of the address
 *
 * Return: the function; the symbol of the whole module if its functions are unknown; otherwise
 *	   NULL.
 */
const struct kmap_symbol *mapped_find(const struct mapped *m, u32 nr, u64 ip, enum kmap_ip kind)
{
	const struct text *t = m->text + nr;
	const struct kmap_symbol *found = symbols_search(t->sym, t->nr, ip, kind);

	/* If functions of the module are known, an address outside them has no name. */
	return found || t->nr || nr == MAPPINGS_UNSURE ? found : &t->whole;
}

/**
 * mapped_id - get the build ID of a module
 * @m: the modules
 * @nr: number of the mapping, from mapped_number()
 *
 * Return: the build ID.
 */
const struct build_id *mapped_id(const struct mapped *m, u32 nr)
{
	return &m->text[nr].id;
}

/**
 * mapped_have - check whether a mapped module has a function
 * @s: the symbols
 * @name: name of the function, with wildcards * and ?
 *
 * Return: true if there is one.
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

/* Find the saved symbols of a mapping. Returns @saved.nr if there are none, or if ambiguous. */
static u32 find_saved(const struct mapped *m, const struct mapping *mapping)
{
	const struct saved_module *one;
	u32 i, found = m->saved.nr;

	for (i = 0; i < m->saved.nr; i++) {
		one = m->saved.module + i;
		if (one->base != mapping->module || strcmp(one->name, mapping->name) ||
		    (mapping->id.size && !build_id_equal(&one->id, &mapping->id)))
			continue;
		/*
		 * Two builds were loaded at this address: it is unknown which of them
		 * this is.
		 */
		if (found < m->saved.nr && !build_id_equal(&one->id, &m->saved.module[found].id))
			return m->saved.nr;
		found = i;
	}
	return found;
}

/* Check that no other module of this name was saved after the mapping's. */
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

/* Check whether all of the module's functions in kallsyms are within the mapping. */
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

/* Check whether kallsyms, which was copied at the end of the trace, has the same module there. */
static bool is_same(const struct kmap_symbols *s, const struct mapping *mapping)
{
	struct build_id ran = build_id_module(s->ids, mapping->name);

	/* kallsyms is from the end of the trace: the kernel frees init text after the load. */
	if (mapping->init || (ran.size && mapping->id.size && !build_id_equal(&ran, &mapping->id)))
		return false;
	return is_last(s->mapped, mapping) && lies_there(s, mapping);
}

/* Add the functions of a mapping from its file, or else from the saved symbols. */
static void add_functions(struct kmap_symbols *s, const struct mapping *mapping,
			  const struct build_id *id, u32 saved)
{
	const struct module_file *file = NULL;

	/* The file of a module may be stripped: try the next one, such as NAME.ko.debug. */
	while (!s->nr && s->modules && (file = modules_next(s->modules, file, mapping->name, id)))
		module_text_functions(modules_elf(file), mapping, s);
	if (!s->nr && saved < s->mapped->saved.nr)
		saved_read(&s->mapped->saved, saved, s);
}

/* Read the functions of a mapping. Temporarily empties @s, since all readers add to it. */
static void find_functions(struct kmap_symbols *s, u32 nr, u32 saved)
{
	const struct mapping *mapping = s->mapped->mappings.mapping + nr;
	struct text *t = s->mapped->text + nr;
	struct kmap_symbol *all = s->sym, *data = s->data;
	size_t nr_all = s->nr, room = s->room, nr_data = s->nr_data, i;
	u64 end;

	s->sym = NULL;
	s->nr = 0;
	s->room = 0;
	s->data = NULL;
	add_functions(s, mapping, &t->id, saved);
	symbols_settle(s);
	for (i = 0; i < s->nr; i++) {
		/* A module has two mappings, one for init text. */
		if (!within(s->sym[i].start, mapping->base, mapping->size))
			continue;
		/* symbols_settle() only guesses the size of the last function. */
		end = mapping->base + mapping->size - s->sym[i].start;
		s->sym[t->nr] = s->sym[i];
		s->sym[t->nr].size = end < s->sym[i].size ? end : s->sym[i].size;
		s->sym[t->nr++].start = with_number(s->sym[i].start, nr);
	}
	t->sym = s->sym;
	s->sym = all;
	s->nr = nr_all;
	s->room = room;
	free(s->data);
	s->data = data;
	s->nr_data = nr_data;
}

/* Load the symbols of a mapping, when the first address in it is seen. */
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

/* Tag an address with the number of its mapping, unless kallsyms has the same module there. */
static u64 numbered(struct kmap_symbols *s, u64 ip, u32 nr)
{
	struct mapped *m = s->mapped;

	if (nr == MAPPINGS_NONE)
		return ip;
	/* More mappings than tags: the rest shares the number of unsure addresses. */
	if (nr >= NUMBERS)
		nr = MAPPINGS_UNSURE;
	/* Mappings appear while the trace is read. */
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
	/* A return address may be right after the module's last function. */
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

/* Remember the lifetime of an object, for the counts that follow it. */
static void number_object(struct kmap_symbols *s, struct trace_event *e)
{
	u64 from = e->u.object.alloc_jiffies, until = e->u.object.free_jiffies;
	struct trace_stack *stack = e->u.object.frames;
	u32 i;

	s->mapped->lives[e->u.object.object % LIVES] = (struct life){
		from, e->u.object.state == TRACE_LIVE ? U64_MAX : until, e->u.object.object, true
	};
	/* The record comes long after the allocation: another module may be there by now. */
	number_between(s, &e->u.object.alloc_site, KMAP_IP_RETURN, from, from);
	for (i = 0; stack && i < stack->nr; i++)
		number_between(s, stack->ip + i, KMAP_IP_RETURN, from, from);
	if (e->u.object.state != TRACE_LIVE)
		number_between(s, &e->u.object.free_site, KMAP_IP_RETURN, until, until);
}

static void number_counts(struct kmap_symbols *s, struct trace_event *e)
{
	const struct life *life = s->mapped->lives + e->u.counts.object % LIVES;

	/*
	 * The slot may belong to another object, if the counts are late or the object was
	 * lost.
	 */
	if (life->known && life->object == e->u.counts.object)
		number_between(s, &e->u.counts.ip, KMAP_IP_EXACT, life->from, life->until);
	else
		number_between(s, &e->u.counts.ip, KMAP_IP_EXACT, 0, U64_MAX);
}

/**
 * kmap_symbols_event - resolve the code addresses of an event to the modules of its time
 * @s: symbols of the trace; must be passed all events in order
 * @e: the event; its addresses may be replaced by tagged ones, see kmap_symbols_address()
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
		number_now(s, &e->u.frame.ip, KMAP_IP_RETURN);
		break;
	case TRACE_CALL:
		number_now(s, &e->u.call.ip, KMAP_IP_EXACT);
		break;
	default:
		break;
	}
}

/**
 * kmap_symbols_module_loaded - check whether a module of kallsyms is loaded at the current event
 * @s: symbols of a trace
 * @module: name of the module; empty for the kernel
 *
 * Return: true if it is, or if the trace has no information about modules.
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
	/* Without events of modules, assume that it is loaded. */
	return !*module || !m->nr_now;
}

/**
 * kmap_symbols_rewind - restart from the first event of the trace
 * @s: the symbols
 */
void kmap_symbols_rewind(struct kmap_symbols *s)
{
	mappings_rewind(&s->mapped->mappings);
}

/**
 * kmap_symbols_address - get the original value of an address
 * @s: the symbols
 * @ip: the address, which may be tagged by kmap_symbols_event()
 *
 * Return: the address in the traced kernel.
 */
u64 kmap_symbols_address(const struct kmap_symbols *s, u64 ip)
{
	return s->mapped && mapped_number(s->mapped, ip) != MAPPINGS_NONE ? without_number(ip) : ip;
}
