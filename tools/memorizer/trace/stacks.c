// SPDX-License-Identifier: GPL-2.0
/* Stacks of allocations: collects their frames, for the objects that refer to them. */
#include <string.h>

#include "trace/stacks.h"

/* A stack, and a mask of the depths of those of its frames that are known. */
struct known_stack {
	u64 id;
	u32 known;
	u64 ip[KMAP_STACK_MAX];
};

/**
 * stacks_init - initialize an empty set of stacks
 * @s: the stacks
 */
void stacks_init(struct stacks *s)
{
	hash_init(&s->known, sizeof(struct known_stack), sizeof(u64));
}

/**
 * stacks_free - free the memory of stacks
 * @s: the stacks
 */
void stacks_free(struct stacks *s)
{
	hash_free(&s->known);
}

static void add_frame(struct stacks *s, const struct trace_event *e)
{
	u64 id = e->u.frame.stack;
	u32 depth = e->u.frame.depth;
	struct known_stack *stack;
	bool new;

	if (depth >= KMAP_STACK_MAX)
		return;
	stack = hash_item(&s->known, hash_get(&s->known, &id, &new));
	/* Another stack of this number. Objects may refer to the same one while it comes again. */
	if (stack->known & 1u << depth && stack->ip[depth] != e->u.frame.ip)
		stack->known &= (1u << depth) - 1;
	stack->known |= 1u << depth;
	stack->ip[depth] = e->u.frame.ip;
}

/*
 * Find the stack of an object; NULL if it has none, if frames are missing, or if the first one is
 * not the call site.
 */
static struct trace_stack *find(struct stacks *s, const struct trace_event *e)
{
	const struct known_stack *stack;
	u64 id = e->u.object.stack;
	u32 i;

	if (!id || !hash_find(&s->known, &id, &i))
		return NULL;
	stack = hash_item(&s->known, i);
	if (stack->known & (stack->known + 1) || stack->ip[0] != e->u.object.alloc_site)
		return NULL;
	/* A copy, because symbols may tag its addresses by the object's time. */
	s->current.nr = __builtin_popcount(stack->known);
	memcpy(s->current.ip, stack->ip, sizeof(stack->ip));
	return &s->current;
}

/**
 * stacks_event - collect the frames of stacks, and find the stacks of objects
 * @s: the stacks
 * @e: the next event; of an object, @u.object.frames is set
 */
void stacks_event(struct stacks *s, struct trace_event *e)
{
	if (e->type == TRACE_FRAME)
		add_frame(s, e);
	else if (e->type == TRACE_OBJECT)
		e->u.object.frames = find(s, e);
}
