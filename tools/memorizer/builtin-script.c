// SPDX-License-Identifier: GPL-2.0
/* memorizer script: prints each event of a trace on a line, with symbols. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "builtin.h"
#include "options.h"
#include "report/chrome.h"
#include "report/engine.h"
#include "report/filter.h"
#include "report/gfp.h"
#include "report/head.h"
#include "report/named.h"
#include "report/table.h"
#include "report/term.h"
#include "trace/names.h"
#include "trace/tracker.h"
#include "trace/wanted.h"

#define DIGITS	24		/* room for a number in decimal or hex */

static const char * const usage[] = {
	"memorizer script [OPTION...] DIR",
	"",
	"Prints the events of the trace in order of time: task, CPU, time, event and fields,",
	"with names of functions, tasks, caches and flags, and of types and members if the",
	"compiler's notes have them.",
	NULL
};

/* All fields of events in the order of CSV columns; the last ones come from the notes. */
enum field {
	F_PID, F_COMM, F_KIND, F_PTR, F_BYTES_REQ, F_BYTES_ALLOC, F_BYTES, F_GFP, F_ZONE, F_ORDER,
	F_NODE, F_CACHE, F_NAME, F_OBJECT_SIZE, F_SITE, F_SITE_NAME, F_FREE_SITE,
	F_FREE_SITE_NAME, F_STATE, F_OBJECT, F_SNAPSHOT, F_ALLOC_JIFFIES, F_FREE_JIFFIES,
	F_WRITES, F_READS, F_TEXT, F_ALLOCATIONS, F_RETIREMENTS, F_ACCESSES, F_BOOT, F_COMPLETE,
	F_OBJECTS, F_EVENTS, F_TRAFFIC, F_SCOPED, F_ENTRIES, F_LOCKS, F_NUMBER, F_LINE, F_FROM,
	F_OP, F_FLAGS, F_LOCK, F_LOCK_NAME, F_MODULE, F_LOADED, F_INIT_PTR, F_INIT_BYTES, F_STACK,
	F_CALLER, F_DEPTH, F_TYPE, F_FIELD, FIELDS
};

static const char * const field_names[FIELDS] = {
	[F_PID] = "pid", [F_COMM] = "comm", [F_KIND] = "kind", [F_PTR] = "ptr",
	[F_BYTES_REQ] = "bytes_req", [F_BYTES_ALLOC] = "bytes_alloc", [F_BYTES] = "bytes",
	[F_GFP] = "gfp_flags", [F_ZONE] = "zone", [F_ORDER] = "order", [F_NODE] = "node",
	[F_CACHE] = "cache", [F_NAME] = "name", [F_OBJECT_SIZE] = "object_size",
	[F_SITE] = "site", [F_SITE_NAME] = "site_name", [F_FREE_SITE] = "free_site",
	[F_FREE_SITE_NAME] = "free_site_name", [F_STATE] = "state", [F_OBJECT] = "object",
	[F_SNAPSHOT] = "snapshot", [F_ALLOC_JIFFIES] = "alloc_jiffies",
	[F_FREE_JIFFIES] = "free_jiffies", [F_WRITES] = "writes", [F_READS] = "reads",
	[F_TEXT] = "text", [F_ALLOCATIONS] = "allocations", [F_RETIREMENTS] = "retirements",
	[F_ACCESSES] = "accesses", [F_BOOT] = "boot", [F_COMPLETE] = "complete",
	[F_OBJECTS] = "objects", [F_EVENTS] = "events", [F_TRAFFIC] = "traffic",
	[F_SCOPED] = "scoped", [F_ENTRIES] = "entries", [F_LOCKS] = "locks",
	[F_NUMBER] = "number", [F_LINE] = "line", [F_FROM] = "from", [F_OP] = "op",
	[F_FLAGS] = "flags", [F_LOCK] = "lock", [F_LOCK_NAME] = "lock_name",
	[F_MODULE] = "module", [F_LOADED] = "loaded", [F_INIT_PTR] = "init_ptr",
	[F_INIT_BYTES] = "init_bytes", [F_STACK] = "stack", [F_CALLER] = "caller",
	[F_DEPTH] = "depth", [F_TYPE] = "type", [F_FIELD] = "field",
};

static_assert(FIELDS <= 64);		/* bits of the masks in struct script */

/**
 * struct script - state of the command
 * @format: output format
 * @chrome: print Chrome's trace event format
 * @machine: machine of the traced kernel, or NULL
 * @comma: an event was printed before
 * @cpus: CPUs whose threads have names
 * @bytes: live bytes, for @chrome
 * @filter: selects events
 * @types: mask of enum trace_type: selected types
 * @addr: address that selected events contain, if @by_addr
 * @by_addr: --addr was given
 * @symbols: the symbols
 * @names: names of tasks and caches
 * @object: id of the last object event that contains the address, plus one
 * @noted: there are compiler's notes
 * @live: live memory, struct allocated
 * @objects: struct object: the last one of each number
 * @named: type and member of the current event
 * @allocated: type of the object that it accesses, or NULL
 * @named_filter: state of @filter for types and members
 * @choice: state of @filter
 * @types_seen: mask of enum trace_type: types of events in the trace
 * @addr_seen: an event contained the address
 * @sites: struct site: names of addresses so far
 * @printed: number of printed events
 * @given: mask of enum field: fields of the current event
 * @numbers: mask of enum field: fields that are numbers in JSON
 * @texts: values of the fields; valid until the next event
 * @digits: buffers for values that are numbers or addresses
 * @gfp: buffer for names of gfp flags
 * @comm: buffer for the comm of an object's event
 */
struct script {
	enum report_format format;
	bool chrome, comma;
	const char *machine;
	struct hash cpus;
	u64 bytes[TRACKER_GROUPS];
	struct kmem_filter filter;
	u32 types;
	u64 addr;
	bool by_addr;
	struct kmap_symbols *symbols;
	struct names names;
	u64 object;
	bool noted;
	struct tracker live;
	struct hash objects;
	struct named named;
	const char *allocated;
	struct named_filter named_filter;
	struct kmem_choice choice;
	u32 types_seen;
	bool addr_seen;
	struct hash sites;
	u64 printed;
	u64 given, numbers;
	const char *texts[FIELDS];
	char digits[FIELDS][DIGITS];
	char gfp[GFP_TEXT];
	char comm[4 * TRACE_COMM_SIZE];
};

/* An announced object: its allocating call site. */
struct object {
	u64 nr, site;
};

/* Cached name of an address, or NULL: a lookup takes longer than printing. */
struct site {
	u64 ip, kind;
	char *name;
};

/* Write a number to the end of @text, which has DIGITS bytes. Returns its start. */
static const char *write_digits(char *text, u64 n, u32 base)
{
	char *p = text + DIGITS - 1;

	*p = '\0';
	do {
		p--;
		*p = "0123456789abcdef"[n % base];
		n /= base;
	} while (n);
	return p;
}

static bool is_given(const struct script *s, enum field f)
{
	return s->given >> f & 1;
}

/* @text must remain valid until the event is printed. */
static void put_text(struct script *s, enum field f, const char *text)
{
	s->given |= 1ull << f;
	s->texts[f] = text;
}

static void put_number(struct script *s, enum field f, u64 n)
{
	s->numbers |= 1ull << f;
	put_text(s, f, write_digits(s->digits[f], n, 10));
}

static void put_signed(struct script *s, enum field f, int n)
{
	s->numbers |= 1ull << f;
	snprintf(s->digits[f], DIGITS, "%d", n);
	put_text(s, f, s->digits[f]);
}

static void put_hex(struct script *s, enum field f, u64 n)
{
	put_text(s, f, write_digits(s->digits[f], n, 16));
}

static const char *site_name(struct script *s, u64 ip, enum kmap_ip kind)
{
	char name[KMAP_SYMBOL_MAX];
	struct site *site;
	bool new;

	site = hash_item(&s->sites, hash_get(&s->sites, (u64[]){ ip, kind }, &new));
	if (new && kmap_symbols_find(s->symbols, ip, kind)) {
		kmap_symbols_format(s->symbols, ip, kind, name);
		site->name = strdup(name);
		if (!site->name)
			abort();
	}
	return site->name;
}

static void forget_sites(struct script *s)
{
	u32 i;

	for (i = 0; i < s->sites.nr; i++)
		free(((struct site *)hash_item(&s->sites, i))->name);
	hash_free(&s->sites);
}

/* Call site or instruction: address, and name if there is one. */
static void put_site(struct script *s, enum field f, u64 ip, enum kmap_ip kind)
{
	const char *name = site_name(s, ip, kind);

	put_hex(s, f, kmap_symbols_address(s->symbols, ip));
	if (name)
		put_text(s, f + 1, name);
}

/* Live memory and the call site of its allocation. */
struct allocated {
	struct tracked memory;
	u64 site;
};

/* Find the tracked object at an address, or NULL. */
static const struct allocated *object_at(const struct script *s, u64 addr)
{
	return s->noted ? tracker_find(&s->live, addr) : NULL;
}

/* Call site whose note has the type of an allocation; 0: unknown. */
static u64 allocator(const struct allocated *item)
{
	return item ? named_event_site(item->memory.kind, item->site) : 0;
}

/* Call site whose note has the type of an announced object; 0: unknown. */
static u64 allocated_object(const struct script *s, u64 nr)
{
	u32 i;

	return hash_find(&s->objects, &nr, &i) ?
		((const struct object *)hash_item(&s->objects, i))->site : 0;
}

/* Call site whose note has the type of the object of an event; 0: none. */
static u64 object_site(const struct trace_event *e)
{
	return kmap_kind_is_typed(trace_object_kind(e)) ? e->u.object.alloc_site : 0;
}

static void put_named(struct script *s, const struct named *named)
{
	s->named = *named;
	if (named->type)
		put_text(s, F_TYPE, named->type);
	if (named->path)
		put_text(s, F_FIELD, named_path(named->path));
}

/* Type that a call site allocates. */
static void put_type(struct script *s, u64 site)
{
	put_named(s, &(struct named){ .type = named_allocation(s->symbols, site) });
}

/* What an instruction accesses in memory of a call site; see named_part(). */
static void put_accessed(struct script *s, u64 ip, u64 site, u64 part)
{
	struct named named = named_access(s->symbols, ip, site, part);

	put_named(s, &named);
	s->allocated = named_allocation(s->symbols, site);
}

/* What an instruction accesses at an address. */
static void put_accessed_at(struct script *s, u64 ip, u64 addr, u32 bytes)
{
	const struct allocated *item = object_at(s, addr);
	u64 part = 0;

	if (item)
		part = named_part(s->symbols, ip, allocator(item),
				  named_place(addr - item->memory.ptr, bytes, item->memory.asked),
				  item->memory.asked);
	put_accessed(s, ip, allocator(item), part);
}

static void put_task(struct script *s, u32 pid)
{
	put_number(s, F_PID, pid);
	put_text(s, F_COMM, names_task(&s->names, pid));
}

/* Name of an enumerator. */
static void put_name(struct script *s, enum field f, const char *const *names, u32 nr, u32 value)
{
	put_text(s, f, value < nr && names[value] ? names[value] : "unknown");
}

static void put_kind(struct script *s, u32 kind)
{
	static const char * const slab[] = {
		[TRACE_KMALLOC] = "kmalloc", [TRACE_KMEM_CACHE] = "cache",
	};

	if (kind < ARRAY_SIZE(slab))
		put_text(s, F_KIND, slab[kind]);
	else
		put_name(s, F_KIND, kmap_kinds, KMAP_KINDS, trace_kind_memory(kind));
}

static void put_cache(struct script *s, u32 kind, u64 cache)
{
	if (tracker_group(kind) != TRACKER_SLAB)
		return;
	put_hex(s, F_CACHE, cache);
	put_text(s, F_NAME, names_cache(&s->names, kind, cache));
}

/* Order of a page allocation; omitted for pieces of larger allocations. */
static void put_order(struct script *s, u64 bytes)
{
	u32 order;

	for (order = 0; order < 32; order++)
		if (bytes == 4096ull << order)
			put_number(s, F_ORDER, order);
}

static void put_alloc(struct script *s, const struct trace_event *e)
{
	put_task(s, e->u.alloc.pid);
	put_kind(s, e->u.alloc.kind);
	put_hex(s, F_PTR, e->u.alloc.ptr);
	put_number(s, F_BYTES_REQ, e->u.alloc.bytes_req);
	put_number(s, F_BYTES_ALLOC, e->u.alloc.bytes_alloc);
	/* The hooks of other allocators do not see flags. */
	if (tracker_group(e->u.alloc.kind) <= TRACKER_PAGES) {
		gfp_text(e->u.alloc.gfp_flags, s->gfp);
		put_text(s, F_GFP, s->gfp);
	}
	if (e->u.alloc.kind == TRACE_PAGES) {
		put_text(s, F_ZONE, gfp_zone(e->u.alloc.gfp_flags));
		put_order(s, e->u.alloc.bytes_alloc);
	}
	put_signed(s, F_NODE, e->u.alloc.node);
	put_cache(s, e->u.alloc.kind, e->u.alloc.cache);
	put_site(s, F_SITE, e->u.alloc.call_site, KMAP_IP_RETURN);
	put_type(s, named_event_site(e->u.alloc.kind, e->u.alloc.call_site));
}

static void put_free(struct script *s, const struct trace_event *e)
{
	put_task(s, e->u.free.pid);
	put_kind(s, e->u.free.kind);
	put_hex(s, F_PTR, e->u.free.ptr);
	put_number(s, F_BYTES, e->u.free.bytes);
	put_cache(s, e->u.free.kind, e->u.free.cache);
	put_site(s, F_SITE, e->u.free.call_site, KMAP_IP_RETURN);
	put_type(s, allocator(object_at(s, e->u.free.ptr)));
}

/* Stack of an object or access, if known. */
static void put_stack(struct script *s, u32 stack)
{
	if (stack)
		put_number(s, F_STACK, stack);
}

static void put_object(struct script *s, const struct trace_event *e)
{
	static const char * const states[] = {
		[TRACE_LIVE] = "live", [TRACE_FREED] = "freed", [TRACE_BURIED] = "buried",
	};
	u32 state = e->u.object.state;

	put_number(s, F_PID, e->u.object.pid);
	names_escape(s->comm, e->u.object.comm);
	put_text(s, F_COMM, s->comm);
	if (trace_object_kind(e))
		put_text(s, F_KIND, kmap_kinds[trace_object_kind(e)]);
	put_hex(s, F_PTR, e->u.object.ptr);
	put_number(s, F_BYTES_REQ, e->u.object.bytes_req);
	put_name(s, F_STATE, states, ARRAY_SIZE(states), state);
	put_number(s, F_OBJECT, e->u.object.object);
	if (e->u.object.snapshot)
		put_number(s, F_SNAPSHOT, e->u.object.snapshot);
	put_number(s, F_ALLOC_JIFFIES, e->u.object.alloc_jiffies);
	put_stack(s, e->u.object.stack);
	put_site(s, F_SITE, e->u.object.alloc_site, KMAP_IP_RETURN);
	put_type(s, object_site(e));
	if (state == TRACE_LIVE)
		return;
	put_number(s, F_FREE_JIFFIES, e->u.object.free_jiffies);
	put_site(s, F_FREE_SITE, e->u.object.free_site, KMAP_IP_RETURN);
}

static void put_direction(struct script *s, u32 kind)
{
	static const char * const kinds[] = {
		[TRACE_READ] = "read", [TRACE_WRITE] = "write", [TRACE_UPDATE] = "update",
	};

	put_name(s, F_KIND, kinds, ARRAY_SIZE(kinds), kind);
}

static void put_access(struct script *s, const struct trace_event *e)
{
	put_task(s, e->u.access.pid);
	put_direction(s, e->u.access.kind);
	put_hex(s, F_PTR, e->u.access.ptr);
	put_number(s, F_BYTES, e->u.access.size);
	put_site(s, F_SITE, e->u.access.ip, KMAP_IP_EXACT);
	put_accessed_at(s, e->u.access.ip, e->u.access.ptr, e->u.access.size);
	put_stack(s, e->u.access.stack);
}

static void put_traffic(struct script *s, const struct trace_event *e)
{
	put_task(s, e->u.traffic.pid);
	put_direction(s, e->u.traffic.kind);
	put_hex(s, F_PTR, e->u.traffic.ptr);
	put_number(s, F_BYTES, e->u.traffic.size);
	put_site(s, F_SITE, e->u.traffic.ip, KMAP_IP_EXACT);
	put_accessed_at(s, e->u.traffic.ip, e->u.traffic.ptr, e->u.traffic.size);
	put_hex(s, F_LINE, e->u.traffic.line);
	put_signed(s, F_FROM, e->u.traffic.from);
	put_stack(s, e->u.traffic.stack);
}

static void put_entry(struct script *s, const struct trace_event *e)
{
	static const char * const kinds[] = {
		[TRACE_SYSCALL] = "syscall", [TRACE_INTERRUPT] = "interrupt",
		[TRACE_EXCEPTION] = "exception", [TRACE_SOFTIRQ] = "softirq", [TRACE_NMI] = "nmi",
	};

	put_task(s, e->u.entry.pid);
	put_name(s, F_KIND, kinds, ARRAY_SIZE(kinds), e->u.entry.kind);
	put_number(s, F_NUMBER, e->u.entry.number);
}

static void put_lock(struct script *s, const struct trace_event *e)
{
	static const char * const ops[] = {
		[TRACE_ACQUIRE] = "acquire", [TRACE_ACQUIRED] = "acquired",
		[TRACE_RELEASE] = "release",
	};
	static const char * const names[] = {
		[TRACE_LOCK_SHARED] = "shared", [TRACE_LOCK_TRY] = "try",
		[TRACE_LOCK_SHARED | TRACE_LOCK_TRY] = "shared|try",
		[TRACE_LOCK_CONTENDED] = "contended",
		[TRACE_LOCK_SHARED | TRACE_LOCK_CONTENDED] = "shared|contended",
		[TRACE_LOCK_TRY | TRACE_LOCK_CONTENDED] = "try|contended",
		[TRACE_LOCK_SHARED | TRACE_LOCK_TRY | TRACE_LOCK_CONTENDED] =
			"shared|try|contended",
	};
	u32 flags = e->u.lock.flags;

	put_task(s, e->u.lock.pid);
	put_name(s, F_OP, ops, ARRAY_SIZE(ops), e->u.lock.op);
	if (flags)
		put_name(s, F_FLAGS, names, ARRAY_SIZE(names), flags);
	put_hex(s, F_LOCK, e->u.lock.lock);
	put_text(s, F_LOCK_NAME, e->u.lock.name);
	put_site(s, F_SITE, e->u.lock.ip, KMAP_IP_RETURN);
}

static void put_module(struct script *s, const struct trace_event *e)
{
	put_text(s, F_MODULE, e->u.module.name);
	put_number(s, F_LOADED, e->u.module.loaded);
	put_hex(s, F_PTR, e->u.module.base);
	put_number(s, F_BYTES, e->u.module.size);
	if (!e->u.module.init_size)
		return;
	put_hex(s, F_INIT_PTR, e->u.module.init_base);
	put_number(s, F_INIT_BYTES, e->u.module.init_size);
}

static void put_counts(struct script *s, const struct trace_event *e)
{
	put_task(s, e->u.counts.pid);
	put_number(s, F_OBJECT, e->u.counts.object);
	put_number(s, F_WRITES, e->u.counts.writes);
	put_number(s, F_READS, e->u.counts.reads);
	put_site(s, F_SITE, e->u.counts.ip, KMAP_IP_EXACT);
	put_accessed(s, e->u.counts.ip, allocated_object(s, e->u.counts.object), 0);
}

static void put_others(struct script *s, const struct trace_event *e)
{
	switch (e->type) {
	case TRACE_TASK:
		put_task(s, e->u.task.pid);
		break;
	case TRACE_CACHE:
		put_cache(s, TRACE_KMEM_CACHE, e->u.cache.cache);
		put_number(s, F_OBJECT_SIZE, e->u.cache.object_size);
		put_number(s, F_BYTES, e->u.cache.size);
		break;
	case TRACE_MARK:
		put_task(s, e->u.mark.pid);
		put_text(s, F_TEXT, e->u.mark.text);
		break;
	case TRACE_SWITCH:
		put_number(s, F_ALLOCATIONS, e->u.switches.allocations);
		put_number(s, F_RETIREMENTS, e->u.switches.retirements);
		put_number(s, F_ACCESSES, e->u.switches.accesses);
		put_number(s, F_BOOT, e->u.switches.boot);
		put_number(s, F_TRAFFIC, e->u.switches.traffic);
		put_number(s, F_SCOPED, e->u.switches.scoped);
		put_number(s, F_ENTRIES, e->u.switches.entries);
		put_number(s, F_LOCKS, e->u.switches.locks);
		break;
	case TRACE_SNAPSHOT:
		put_number(s, F_SNAPSHOT, e->u.snapshot.snapshot);
		put_number(s, F_COMPLETE, e->u.snapshot.complete);
		put_number(s, F_OBJECTS, e->u.snapshot.objects);
		break;
	case TRACE_DISCARDED:
		put_number(s, F_EVENTS, e->u.discarded.events);
		break;
	case TRACE_RCU_FREE:
		put_task(s, e->u.rcu_free.pid);
		put_hex(s, F_PTR, e->u.rcu_free.ptr);
		put_site(s, F_SITE, e->u.rcu_free.ip, KMAP_IP_RETURN);
		put_type(s, allocator(object_at(s, e->u.rcu_free.ptr)));
		break;
	case TRACE_FRAME:
		put_number(s, F_STACK, e->u.frame.stack);
		put_number(s, F_DEPTH, e->u.frame.depth);
		put_site(s, F_SITE, e->u.frame.ip, KMAP_IP_RETURN);
		break;
	case TRACE_CALL:
		put_number(s, F_STACK, e->u.call.stack);
		if (e->u.call.caller)
			put_number(s, F_CALLER, e->u.call.caller);
		put_site(s, F_SITE, e->u.call.ip, KMAP_IP_EXACT);
		break;
	default:
		break;
	}
}

static void put_event(struct script *s, const struct trace_event *e)
{
	s->given = 0;
	s->numbers = 0;
	s->named = (struct named){ NULL };
	s->allocated = NULL;
	switch (e->type) {
	case TRACE_ALLOC:
		put_alloc(s, e);
		break;
	case TRACE_FREE:
		put_free(s, e);
		break;
	case TRACE_OBJECT:
		put_object(s, e);
		break;
	case TRACE_COUNTS:
		put_counts(s, e);
		break;
	case TRACE_ACCESS:
		put_access(s, e);
		break;
	case TRACE_TRAFFIC:
		put_traffic(s, e);
		break;
	case TRACE_ENTER:
	case TRACE_LEAVE:
		put_entry(s, e);
		break;
	case TRACE_LOCK:
		put_lock(s, e);
		break;
	case TRACE_MODULE:
		put_module(s, e);
		break;
	default:
		put_others(s, e);
	}
}

/* Displayed name of an event. */
static const char *event_name(const struct trace_event *e)
{
	return e->type == TRACE_DISCARDED ? "lost" : e->type == TRACE_UNKNOWN ?
		e->u.unknown.name : trace_type_name(e->type);
}

/* Text has names instead of addresses, and the task at the start of the line. */
static bool is_in_text(const struct script *s, enum field f)
{
	if (f == F_PID || f == F_COMM)
		return false;
	return !((f == F_CACHE || f == F_SITE || f == F_FREE_SITE) && is_given(s, f + 1));
}

static void print_string(const char *text)
{
	fputs_unlocked(text, stdout);
}

/* Marks can contain any text. */
static void print_escaped(const char *text)
{
	size_t len;

	for (;; text += len + 1) {
		for (len = 0; text[len] >= ' ' && text[len] <= '~'; len++)
			;
		fwrite_unlocked(text, 1, len, stdout);
		if (!text[len])
			return;
		printf("\\x%02x", (unsigned char)text[len]);
	}
}

/* Print a number with leading zeroes. */
static void print_digits(u64 n, u32 width)
{
	char text[DIGITS];
	const char *p = write_digits(text, n, 10);
	u32 len = text + DIGITS - 1 - p;

	for (; len < width; len++)
		putchar_unlocked('0');
	print_string(p);
}

/* Print COMM-PID right-aligned in 16 columns, if there is a task. */
static void print_task(const struct script *s)
{
	size_t len = 0;

	if (is_given(s, F_PID))
		len = strlen(s->texts[F_COMM]) + 1 + strlen(s->texts[F_PID]);
	for (; len < 16; len++)
		putchar_unlocked(' ');
	if (!is_given(s, F_PID))
		return;
	print_string(s->texts[F_COMM]);
	putchar_unlocked('-');
	print_string(s->texts[F_PID]);
}

static void print_head(const struct script *s, const struct trace_event *e)
{
	print_task(s);
	print_string(" [");
	print_digits(e->cpu, 3);
	print_string("] ");
	print_digits(e->time / 1000000000, 1);
	putchar_unlocked('.');
	print_digits(e->time % 1000000000, 9);
	print_string(": ");
	print_string(term_style(STYLE_HEAD));
	print_string(event_name(e));
	print_string(term_plain());
	putchar_unlocked(':');
}

static void print_text(const struct script *s, const struct trace_event *e)
{
	enum field f;
	u64 left;

	print_head(s, e);
	for (left = s->given; left; left &= left - 1) {
		f = __builtin_ctzll(left);
		if (!is_in_text(s, f))
			continue;
		putchar_unlocked(' ');
		print_string(f == F_NAME ? "cache" : f == F_SITE_NAME ? "site" :
			     f == F_FREE_SITE_NAME ? "free_site" : field_names[f]);
		putchar_unlocked('=');
		print_escaped(s->texts[f]);
	}
	putchar_unlocked('\n');
}

/* Print an event as a JSON object. */
static void print_object(const struct script *s, const struct trace_event *e)
{
	enum field f;
	u64 left;

	print_string("{\"event\": ");
	json_string(event_name(e));
	print_string(", \"nr\": ");
	print_digits(e->nr, 1);
	print_string(", \"time\": ");
	print_digits(e->time, 1);
	print_string(", \"cpu\": ");
	print_digits(e->cpu, 1);
	for (left = s->given; left; left &= left - 1) {
		f = __builtin_ctzll(left);
		print_string(", \"");
		print_string(field_names[f]);
		print_string("\": ");
		if (s->numbers >> f & 1)
			print_string(s->texts[f]);
		else
			json_string(s->texts[f]);
	}
	putchar_unlocked('}');
}

static void print_json(const struct script *s, const struct trace_event *e)
{
	print_object(s, e);
	putchar_unlocked('\n');
}

/* Print the fields that all of Chrome's events start with. */
static void print_chrome_head(struct script *s, char phase, u32 process, u32 thread,
			      const char *name)
{
	print_string(s->comma ? ",\n{\"ph\": \"" : "\n{\"ph\": \"");
	s->comma = true;
	putchar_unlocked(phase);
	print_string("\", \"pid\": ");
	print_digits(process, 1);
	print_string(", \"tid\": ");
	print_digits(thread, 1);
	print_string(", \"name\": ");
	json_string(name);
}

/* Name a process or thread. */
static void print_chrome_name(struct script *s, u32 process, u32 thread, const char *what,
			      const char *name)
{
	print_chrome_head(s, 'M', process, thread, what);
	print_string(", \"args\": {\"name\": ");
	json_string(name);
	print_string("}}");
}

/* Name the thread of a CPU at its first event, the thread of a task when its name is announced. */
static void name_threads(struct script *s, const struct trace_event *e)
{
	u64 cpu = e->cpu;
	char name[32];
	bool new;

	hash_get(&s->cpus, &cpu, &new);
	snprintf(name, sizeof(name), "CPU %u", e->cpu);
	if (new)
		print_chrome_name(s, CHROME_CPUS, e->cpu, "thread_name", name);
	if (e->type == TRACE_TASK && e->u.task.pid)
		print_chrome_name(s, CHROME_TASKS, e->u.task.pid, "thread_name",
				  names_task(&s->names, e->u.task.pid));
}

/* Print microseconds with all digits. */
static void print_chrome_time(u64 time)
{
	print_string(", \"ts\": ");
	print_digits(time / 1000, 1);
	putchar_unlocked('.');
	print_digits(time % 1000, 3);
}

static void print_chrome(struct script *s, const struct trace_event *e)
{
	struct chrome_event c;

	chrome_event(&c, e, event_name(e), s->machine);
	print_chrome_head(s, c.phase, c.process, c.thread, c.name);
	print_chrome_time(e->time);
	print_string(", \"cat\": ");
	json_string(event_name(e));
	if (c.phase == 'i')
		print_string(c.global ? ", \"s\": \"g\"" : ", \"s\": \"t\"");
	if (c.id)
		printf(", \"id\": \"%llx.%u\"", c.id, c.thread);
	print_string(", \"args\": ");
	print_object(s, e);
	putchar_unlocked('}');
}

/* Print live bytes after an allocation or free. */
static void print_chrome_live(struct script *s, const struct trace_event *e)
{
	print_chrome_head(s, 'C', CHROME_CPUS, 0, "live");
	print_chrome_time(e->time);
	print_string(", \"args\": {\"slab\": ");
	print_digits(s->bytes[TRACKER_SLAB], 1);
	print_string(", \"pages\": ");
	print_digits(s->bytes[TRACKER_PAGES], 1);
	print_string(", \"areas\": ");
	print_digits(s->bytes[TRACKER_AREAS], 1);
	print_string(", \"local\": ");
	print_digits(s->bytes[TRACKER_LOCAL], 1);
	print_string("}}");
}

/* Number of CSV columns. */
static int fields(const struct script *s)
{
	return s->noted ? FIELDS : F_TYPE;
}

/* Print a text that tasks or modules choose: with unprintable bytes escaped as in a KMAP. */
static void csv_text(const char *text)
{
	char *escaped = xreallocarray(NULL, 4 * strlen(text) + 1, 1);

	names_escape(escaped, text);
	csv_string(escaped);
	free(escaped);
}

static void print_csv(const struct script *s, const struct trace_event *e)
{
	int i;

	csv_string(event_name(e));
	putchar_unlocked(',');
	print_digits(e->nr, 1);
	putchar_unlocked(',');
	print_digits(e->time, 1);
	putchar_unlocked(',');
	print_digits(e->cpu, 1);
	for (i = 0; i < fields(s); i++) {
		putchar_unlocked(',');
		if (!is_given(s, i))
			continue;
		if (s->numbers >> i & 1)
			print_string(s->texts[i]);
		else
			csv_text(s->texts[i]);
	}
	putchar_unlocked('\n');
}

static void print_csv_head(const struct script *s)
{
	int i;

	printf("event,nr,time,cpu");
	for (i = 0; i < fields(s); i++)
		printf(",%s", field_names[i]);
	putchar('\n');
}

/* Is the address in the @bytes at @ptr? */
static bool covers(const struct script *s, u64 ptr, u64 bytes)
{
	return s->addr >= ptr && s->addr - ptr < (bytes ? bytes : 1);
}

/* Does the event contain the address? */
static bool is_about(struct script *s, const struct trace_event *e)
{
	switch (e->type) {
	case TRACE_ALLOC:
		return covers(s, e->u.alloc.ptr, e->u.alloc.bytes_alloc);
	case TRACE_FREE:
		return covers(s, e->u.free.ptr, e->u.free.bytes);
	case TRACE_ACCESS:
		return covers(s, e->u.access.ptr, e->u.access.size);
	case TRACE_TRAFFIC:
		return covers(s, e->u.traffic.ptr, e->u.traffic.size);
	case TRACE_RCU_FREE:
		return covers(s, e->u.rcu_free.ptr, 1);
	case TRACE_LOCK:
		return covers(s, e->u.lock.lock, 1);
	case TRACE_OBJECT:
		if (covers(s, e->u.object.ptr, e->u.object.bytes_req)) {
			s->object = e->u.object.object + 1ull;
			return true;
		}
		if (s->object == e->u.object.object + 1ull)
			s->object = 0;
		return false;
	case TRACE_COUNTS:
		return s->object == e->u.counts.object + 1ull;
	default:
		return false;
	}
}

/* Does a field match a pattern? Missing fields never do. */
static bool has(const struct script *s, enum field f, const char *pattern)
{
	return is_given(s, f) && kmem_filter_matches(pattern, s->texts[f]);
}

/* As in report: match the address, the displayed name, or the function with or without offset. */
static bool has_site(const struct script *s, const char *pattern)
{
	char name[KMAP_SYMBOL_MAX];

	if (has(s, F_SITE, pattern) || has(s, F_SITE_NAME, pattern))
		return true;
	if (!is_given(s, F_SITE_NAME))
		return false;
	snprintf(name, sizeof(name), "%s", s->texts[F_SITE_NAME]);
	name[strcspn(name, "/")] = '\0';
	if (kmem_filter_matches(pattern, name))
		return true;
	name[strcspn(name, "+")] = '\0';
	return kmem_filter_matches(pattern, name);
}

/* Does the filter select the current event by type and member, under one of its names? */
static bool is_named(struct script *s)
{
	return named_matches(&s->filter, s->named.type, s->named.path) ||
	       (s->allocated && named_filter_access(&s->named_filter, &s->named, s->allocated));
}

/* Does the filter select the current event? */
static bool is_chosen(struct script *s, const struct trace_event *e)
{
	const struct kmem_filter *f = &s->filter;
	char pid[24];
	bool site = !f->site || has_site(s, f->site);
	bool named = is_named(s);

	snprintf(pid, sizeof(pid), "%llu", f->pid);
	s->choice.seen |= (site ? KMEM_SEEN_SITE : 0) | (named ? KMEM_SEEN_NAMED : 0);
	return (f->cpu == U64_MAX || f->cpu == e->cpu) &&
	       (f->pid == U64_MAX || has(s, F_PID, pid)) &&
	       (!f->cache || has(s, F_NAME, f->cache)) && site &&
	       (!f->comm || has(s, F_COMM, f->comm)) && named;
}

/* Print an event if the filter selects it; returns true if it does. */
static bool show(struct script *s, const struct trace_event *e)
{
	put_event(s, e);
	if (!is_chosen(s, e))
		return false;
	s->printed++;
	if (s->chrome)
		print_chrome(s, e);
	else if (s->format == REPORT_JSON)
		print_json(s, e);
	else if (s->format == REPORT_CSV)
		print_csv(s, e);
	else
		print_text(s, e);
	return true;
}

/* Subtract bytes of an allocation that was freed. */
static void gone(void *data, struct tracked *item, u64 bytes, bool freed)
{
	struct script *s = data;

	(void)freed;
	s->bytes[tracker_group(item->kind)] -= bytes;
}

/* Track call sites of allocations: they have the type where an access has only an offset. */
static void follow(struct script *s, const struct trace_event *e)
{
	struct allocated *allocated;
	struct object *object;
	bool new;
	u64 nr;

	if (e->type == TRACE_ALLOC) {
		allocated = tracker_add(&s->live, e, 0);
		if (!allocated)
			return;
		allocated->site = e->u.alloc.call_site;
		s->bytes[tracker_group(e->u.alloc.kind)] += e->u.alloc.bytes_alloc;
	} else if (e->type == TRACE_FREE) {
		tracker_remove(&s->live, e);
	} else if (e->type == TRACE_OBJECT) {
		nr = e->u.object.object;
		object = hash_item(&s->objects, hash_get(&s->objects, &nr, &new));
		object->site = object_site(e);
	}
}

static void handle(struct script *s, const struct trace_event *e)
{
	bool about = !s->by_addr || is_about(s, e), shown;

	/* What was lost before the CPU's first packet is not part of this trace. */
	if (e->type == TRACE_DISCARDED && e->u.discarded.early)
		return;
	names_event(&s->names, e);
	kmem_choice_event(&s->choice, e);
	s->types_seen |= 1u << e->type;
	s->addr_seen |= about;
	if (s->chrome)
		name_threads(s, e);
	shown = s->choice.within && about && s->types & 1u << e->type && show(s, e);
	/* After show(), which looks up the memory that the event frees. */
	if (s->noted || s->chrome)
		follow(s, e);
	if (s->chrome && shown && (e->type == TRACE_ALLOC || e->type == TRACE_FREE))
		print_chrome_live(s, e);
}

/* Check that all filters match in the trace; returns false after a message. */
static bool check(const struct script *s, const char *dir)
{
	bool all = s->types == (2u << TRACE_UNKNOWN) - 1;

	if (!kmem_choice_check(&s->choice, dir) ||
	    !wanted_check(dir, s->types_seen, all ? 0 : s->types))
		return false;
	if (!s->addr_seen)
		fprintf(stderr, "memorizer: %s: nothing matches --addr %llx\n", dir, s->addr);
	else if (!s->printed && s->types_seen)
		fprintf(stderr, "memorizer: %s: no event matches all options: want fewer\n", dir);
	else
		return true;
	return false;
}

static void print_beginning(struct script *s, struct trace *t)
{
	if (s->chrome) {
		s->machine = trace_env_text(t, "machine");
		print_string("{\"displayTimeUnit\": \"ns\", \"traceEvents\": [");
		print_chrome_name(s, CHROME_TASKS, 0, "process_name", "Tasks");
		print_chrome_name(s, CHROME_CPUS, 0, "process_name", "CPUs");
	} else if (s->format == REPORT_CSV) {
		print_csv_head(s);
	} else if (s->format == REPORT_TEXT) {
		term_pager();
	}
	term_stream();
}

static bool begin(struct engine *g)
{
	struct script *s = g->data;

	if (!named_usable(&s->filter, g->symbols, "script"))
		return false;
	s->symbols = g->symbols;
	s->noted = kmap_symbols_notes(s->symbols);
	names_init(&s->names);
	kmem_choice_init(&s->choice, &s->filter, s->symbols, &s->names);
	tracker_init(&s->live, sizeof(struct allocated));
	s->live.gone = gone;
	s->live.data = s;
	hash_init(&s->cpus, sizeof(u64), sizeof(u64));
	hash_init(&s->objects, sizeof(struct object), sizeof(u64));
	hash_init(&s->sites, sizeof(struct site), 2 * sizeof(u64));
	named_filter_init(&s->named_filter, &s->choice);
	print_beginning(s, g->trace);
	return true;
}

static bool take(void *data, const struct trace_event *e)
{
	struct script *s = data;

	handle(s, e);
	return !s->choice.window.ended;
}

static int end(struct engine *g, int status)
{
	struct script *s = g->data;

	if (s->chrome)
		print_string("\n]}\n");
	forget_sites(s);
	named_filter_free(&s->named_filter);
	hash_free(&s->cpus);
	hash_free(&s->objects);
	tracker_free(&s->live);
	if (trace_warn(g->trace))
		status = EXIT_INCOMPLETE;
	if (!check(s, g->name))
		status = EXIT_UNABLE;
	kmem_choice_free(&s->choice);
	names_free(&s->names);
	return status;
}

/* Types of events; discarded events are called "lost". */
static const char *type_word(u32 type)
{
	return type == TRACE_DISCARDED ? "lost" : trace_type_name(type);
}

static int option_event(const struct option *o, const char *arg, int unset)
{
	u32 type, *types = o->value;
	char names[256] = "";
	const char *word;
	size_t len;

	(void)unset;
	*types = 0;
	for (word = arg; ; word += len + 1) {
		len = strcspn(word, ",");
		for (type = 0; type <= TRACE_DISCARDED; type++)
			if (strlen(type_word(type)) == len && !strncmp(word, type_word(type), len))
				break;
		if (type > TRACE_DISCARDED)
			break;
		*types |= 1u << type;
		if (!word[len])
			return 0;
	}
	for (type = 0, len = 0; type < TRACE_DISCARDED; type++)
		len += snprintf(names + len, sizeof(names) - len, "%s, ", type_word(type));
	return option_refuse(o, arg, "%slost or several with commas between", names);
}

static int option_addr(const struct option *o, const char *arg, int unset)
{
	char *end;

	(void)unset;
	errno = 0;
	*(u64 *)o->value = strtoull(arg, &end, 16);
	if (errno || !*arg || *arg == '-' || *arg == '+' || *arg == ' ' || *end)
		return option_refuse(o, arg, "an address in hex");
	return 0;
}

static int run(int argc, char **argv)
{
	static const struct engine_ops ops = { .begin = begin, .event = take, .end = end };
	struct script *s = xreallocarray(NULL, 1, sizeof(*s));
	struct engine g = { .ops = &ops, .data = s };
	const struct option options[] = {
		OPTS_SYMBOLS(&g.files),
		OPT_INLINES(&g.files),
		OPT_TAKE('e', "event", &s->types, "EVENT",
			 "print only alloc, free, access, ... or several: alloc,free",
			 option_event),
		{ .type = OPTION_CALLBACK, .short_name = 'A', .long_name = "addr",
		  .value = &s->addr, .set = &s->by_addr, .argh = "ADDRESS",
		  .help = "print only the history of this address, in hex",
		  .flags = PARSE_OPT_NONEG, .callback = option_addr },
		OPT_SET_UINT('j', "json", &s->format, "print JSON, an object on each line",
			     REPORT_JSON),
		OPT_SET_UINT('c', "csv", &s->format, "print CSV", REPORT_CSV),
		OPT_BOOLEAN('x', "chrome", &s->chrome,
			    "print JSON in Chrome's trace event format, for ui.perfetto.dev"),
		OPT_HELP(),
		OPT_GROUP("Print only:"),
		OPTS_FILTER(&s->filter),
		OPTS_NAMED(&s->filter),
		OPT_END()
	};
	const char *dir;
	int status;

	memset(s, 0, sizeof(*s));
	s->format = REPORT_TEXT;
	s->types = (2u << TRACE_UNKNOWN) - 1;
	kmem_filter_init(&s->filter);
	argc = options_parse(&command_script, argc, argv, options, 0);
	if (s->chrome)
		s->format = REPORT_JSON;
	dir = input_name(argc, argv);
	if (dir) {
		status = engine_run(&g, dir);
		engine_free(&g);
	} else {
		fprintf(stderr,
			"memorizer script: %d traces: want one directory, or the parts of one\n",
			argc);
		status = usage_error("script");
	}
	free(s);
	return status;
}

const struct command command_script = {
	.name = "script",
	.summary = "print the events of a trace",
	.usage = usage,
	.run = run,
};
