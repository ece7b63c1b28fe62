// SPDX-License-Identifier: GPL-2.0
/*
 * Tracks the context of events.
 *
 * System calls and scopes belong to a task, interrupts, softirqs and NMIs to a CPU. An exception
 * belongs to the CPU if it is within one of these; otherwise it may sleep, and belongs to the
 * task. The idle tasks all have pid 0, and are distinguished by CPU.
 *
 * Leaving an entry also leaves all entries nested in it.
 */
#include <stdlib.h>
#include <string.h>

#include "kmap/kmap.h"
#include "lib/texts.h"
#include "trace/context.h"

#define CPU_KEY		(1ull << 63)	/* flag in the key of an owner: a CPU */
#define IDLE_KEY	(1ull << 62)	/* likewise: the idle task of a CPU */

/* Open entries or scopes, innermost last. */
struct stack {
	struct opened *open;
	u32 nr, room;
};

/* A task or CPU. */
struct owner {
	u64 key;
	struct stack entries, scopes;
};

/* A frame of a call stack. */
struct frame {
	u64 stack, ip;
	u32 caller;
};

/**
 * context_init - initialize an empty context
 * @c: the context
 */
void context_init(struct context *c)
{
	*c = (struct context){ .serial = 0 };
	hash_init(&c->owners, sizeof(struct owner), sizeof(u64));
	texts_init(&c->texts);
	hash_init(&c->frames, sizeof(struct frame), sizeof(u64));
}

/**
 * context_free - free the memory of a context
 * @c: the context
 */
void context_free(struct context *c)
{
	struct owner *owner;
	u32 i;

	for (i = 0; i < c->owners.nr; i++) {
		owner = hash_item(&c->owners, i);
		free(owner->entries.open);
		free(owner->scopes.open);
	}
	hash_free(&c->owners);
	hash_free(&c->texts);
	hash_free(&c->frames);
}

/**
 * context_owner - get a unique key for a task
 * @cpu: CPU that runs the task
 * @pid: PID of the task
 *
 * Return: the PID; for the idle task, a key of the CPU.
 */
u64 context_owner(u32 cpu, u32 pid)
{
	return pid ? pid : IDLE_KEY | cpu;
}

static struct owner *get_owner(struct context *c, u64 key)
{
	bool new;

	return hash_item(&c->owners, hash_get(&c->owners, &key, &new));
}

static const struct owner *find_owner(const struct context *c, u64 key)
{
	u32 i;

	return hash_find(&c->owners, &key, &i) ? hash_item(&c->owners, i) : NULL;
}

/* The number of a name, from 1. */
static u32 name_number(struct context *c, const char *name)
{
	return texts_number(&c->texts, name) + 1;
}

static const struct opened *open_one(struct context *c, struct stack *s, u64 key, u32 kind,
				     u32 number, u64 time)
{
	if (s->nr == s->room) {
		s->room = s->room ? 2 * s->room : 4;
		s->open = xreallocarray(s->open, s->room, sizeof(*s->open));
	}
	/*
	 * The key is below bit 40, apart from its flags. Bit 39 separates the task's
	 * scopes from its entries.
	 */
	s->open[s->nr] = (struct opened){
		.serial = ++c->serial, .slot = key ^ (u64)s->nr << 40 ^ (u64)!kind << 39,
		.time = time, .kind = kind, .number = number,
	};
	return s->open + s->nr++;
}

/* Close the innermost entry or scope that matches, and all nested in it. */
static void close_one(struct context *c, struct stack *s, u32 kind, u32 number)
{
	u32 i;

	for (i = s->nr; i--;) {
		if (s->open[i].kind == kind && s->open[i].number == number) {
			s->nr = i;
			return;
		}
	}
	/* It was opened before the trace began, or in a gap. */
	c->stray++;
}

static struct stack *entries_of(struct context *c, const struct trace_event *e, u64 *key)
{
	const struct owner *cpu = find_owner(c, CPU_KEY | e->cpu);
	/* A page fault may sleep, and return on another CPU, unless it hit an interrupt. */
	bool task = e->u.entry.kind == TRACE_SYSCALL ||
		    (e->u.entry.kind == TRACE_EXCEPTION && !(cpu && cpu->entries.nr));

	*key = task ? context_owner(e->cpu, e->u.entry.pid) : CPU_KEY | e->cpu;
	return &get_owner(c, *key)->entries;
}

static const struct opened *enter(struct context *c, const struct trace_event *e)
{
	u64 key;
	struct stack *s = entries_of(c, e, &key);

	/* System calls do not nest: the one before, such as exit(), never returned. */
	if (e->u.entry.kind == TRACE_SYSCALL)
		s->nr = 0;
	return open_one(c, s, key, e->u.entry.kind, e->u.entry.number, e->time);
}

static void leave(struct context *c, const struct trace_event *e)
{
	u64 key;

	close_one(c, entries_of(c, e, &key), e->u.entry.kind, e->u.entry.number);
}

/* Strip the prefix "WORD " from a text. Returns NULL if it does not match. */
static const char *strip_prefix(const char *text, const char *word)
{
	size_t len = strlen(word);

	return !strncmp(text, word, len) && text[len] == ' ' && text[len + 1] ?
		text + len + 1 : NULL;
}

static const struct opened *mark(struct context *c, const struct trace_event *e)
{
	u64 key = context_owner(e->cpu, e->u.mark.pid);
	const char *text = e->u.mark.text;
	const char *opened = strip_prefix(text, "scope");
	const char *left = strip_prefix(text, "leave");
	const char *phase = strip_prefix(text, "phase");

	if (opened)
		return open_one(c, &get_owner(c, key)->scopes, key, 0, name_number(c, opened),
				e->time);
	if (left)
		close_one(c, &get_owner(c, key)->scopes, 0, name_number(c, left));
	else if (!strcmp(text, "phase"))
		c->phase = 0;
	else if (phase)
		c->phase = name_number(c, phase);
	return NULL;
}

static void forget_entries(struct context *c)
{
	u32 i;

	for (i = 0; i < c->owners.nr; i++)
		((struct owner *)hash_item(&c->owners, i))->entries.nr = 0;
}

static void add_frame(struct context *c, const struct trace_event *e)
{
	u64 key = e->u.call.stack;
	struct frame *frame;
	bool new;

	frame = hash_item(&c->frames, hash_get(&c->frames, &key, &new));
	frame->ip = e->u.call.ip;
	frame->caller = e->u.call.caller;
}

/**
 * context_event - update the context
 * @c: the context
 * @e: the event
 *
 * Return: the entry or scope that the event opened, valid until the next event; otherwise NULL.
 */
const struct opened *context_event(struct context *c, const struct trace_event *e)
{
	switch (e->type) {
	case TRACE_ENTER:
		return enter(c, e);
	case TRACE_LEAVE:
		leave(c, e);
		return NULL;
	case TRACE_MARK:
		return mark(c, e);
	case TRACE_CALL:
		add_frame(c, e);
		return NULL;
	case TRACE_DISCARDED:
		/*
		 * The gap may hide the leave events of any entry. Scopes stay open: they are few,
		 * and user space controls them.
		 */
		forget_entries(c);
		return NULL;
	default:
		return NULL;
	}
}

static const struct opened *innermost(const struct stack *s)
{
	return s->nr ? s->open + s->nr - 1 : NULL;
}

/**
 * context_entry - get the current kernel entry
 * @c: the context
 * @cpu: the CPU
 * @pid: PID of the task on that CPU
 *
 * Return: the CPU's innermost entry, or else the task's, valid until the next event; NULL if
 *	   there is none.
 */
const struct opened *context_entry(const struct context *c, u32 cpu, u32 pid)
{
	const struct owner *owner = find_owner(c, CPU_KEY | cpu);

	/* An interrupt hides the system call of the task that it interrupted. */
	if (owner && owner->entries.nr)
		return innermost(&owner->entries);
	owner = find_owner(c, context_owner(cpu, pid));
	return owner ? innermost(&owner->entries) : NULL;
}

/**
 * context_scope - get the current scope
 * @c: the context
 * @cpu: the CPU
 * @pid: PID of the task on that CPU
 *
 * Return: the task's innermost scope, valid until the next event; NULL if there is none, or if
 *	   the CPU is in an interrupt etc.
 */
const struct opened *context_scope(const struct context *c, u32 cpu, u32 pid)
{
	const struct owner *owner = find_owner(c, CPU_KEY | cpu);

	/* An interrupt does not work for the task that it interrupted. */
	if (owner && owner->entries.nr)
		return NULL;
	owner = find_owner(c, context_owner(cpu, pid));
	return owner ? innermost(&owner->scopes) : NULL;
}

/**
 * context_text - get the name of a scope or phase
 * @c: the context
 * @number: number of the name
 *
 * Return: the name, as in the mark.
 */
const char *context_text(const struct context *c, u32 number)
{
	return texts_get(&c->texts, number - 1);
}

/**
 * context_frame - look up a frame of a call stack
 * @c: the context
 * @stack: number of the frame
 * @ip: set to the address of the call
 *
 * Return: number of the calling frame, 0 if there is none; U32_MAX if @stack is unknown.
 */
u32 context_frame(const struct context *c, u32 stack, u64 *ip)
{
	const struct frame *frame;
	u64 key = stack;
	u32 i;

	if (!hash_find(&c->frames, &key, &i))
		return U32_MAX;
	frame = hash_item(&c->frames, i);
	*ip = frame->ip;
	return frame->caller;
}
