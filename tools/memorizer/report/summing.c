// SPDX-License-Identifier: GPL-2.0
/* Sums up an input: a KMAP, or a trace with the KMAP that its events result in. */
#include "report/summing.h"
#include "trace/wanted.h"

/**
 * summing_begin - start to sum up an input
 * @s: set to empty sums
 * @g: the command
 * @filter: the filter; must outlive @s
 */
void summing_begin(struct summing *s, const struct engine *g, const struct kmem_filter *filter)
{
	sums_init(&s->sums, g->symbols, filter);
	s->sums.contexts = g->by_context ? &g->contexts : NULL;
	s->types = 0;
	s->trace = g->trace;
	if (s->trace)
		rebuild_init(&s->kmap, sums_give, &s->sums);
}

/**
 * summing_event - add an event, see struct engine_ops
 * @data: struct summing, first member of the caller's data
 * @e: the event
 *
 * Return: whether more events are needed.
 */
bool summing_event(void *data, const struct trace_event *e)
{
	struct summing *s = data;

	s->types |= 1u << e->type;
	/* Fetch memory for the next event while this one is handled. */
	sums_prefetch(&s->sums, trace_peek(s->trace));
	if (!sums_event(&s->sums, e))
		return false;
	rebuild_event(&s->kmap, e);
	return true;
}

/**
 * summing_object - add an object, see struct engine_ops
 * @data: struct summing, first member of the caller's data
 * @o: the object
 */
void summing_object(void *data, const struct kmap_object *o)
{
	struct summing *s = data;

	sums_object(&s->sums, o);
}

/**
 * summing_access - add an access line, see struct engine_ops
 * @data: struct summing, first member of the caller's data
 * @o: the accessed object
 * @access: the access line
 */
void summing_access(void *data, const struct kmap_object *o, const struct kmap_access *access)
{
	struct summing *s = data;

	(void)o;
	s->types |= WANTED(COUNTS);
	sums_count(&s->sums, access);
}

/**
 * summing_end - complete the sums
 * @s: the sums, to be freed with sums_free()
 */
void summing_end(struct summing *s)
{
	if (s->trace)
		rebuild_end(&s->kmap);
	sums_end(&s->sums);
}
