// SPDX-License-Identifier: GPL-2.0
/* Sums up a command's input: a KMAP, or a trace and the KMAP that it amounts to. */
#include "report/summing.h"

/**
 * summing_begin - begin to sum up an input
 * @s: set to empty sums
 * @g: the command
 * @filter: what counts; must outlive @s
 */
void summing_begin(struct summing *s, const struct engine *g, const struct kmem_filter *filter)
{
	sums_init(&s->sums, g->symbols, filter);
	s->trace = g->trace;
	if (s->trace)
		rebuild_init(&s->kmap, sums_give, &s->sums);
}

/**
 * summing_event - take an event, see struct engine_ops
 * @data: struct summing, which must be the first member of other data
 * @e: the event
 *
 * Return: whether more events are wanted.
 */
bool summing_event(void *data, const struct trace_event *e)
{
	struct summing *s = data;

	sums_prefetch(&s->sums, trace_peek(s->trace));
	if (!sums_event(&s->sums, e))
		return false;
	rebuild_event(&s->kmap, e);
	return true;
}

/**
 * summing_object - take an object, see struct engine_ops
 * @data: struct summing, which must be the first member of other data
 * @o: the object
 */
void summing_object(void *data, const struct kmap_object *o)
{
	struct summing *s = data;

	sums_object(&s->sums, o);
}

/**
 * summing_access - take an access, see struct engine_ops
 * @data: struct summing, which must be the first member of other data
 * @o: the object that is accessed
 * @access: the access
 */
void summing_access(void *data, const struct kmap_object *o, const struct kmap_access *access)
{
	struct summing *s = data;

	(void)o;
	sums_count(&s->sums, access);
}

/**
 * summing_end - complete the sums
 * @s: the sums, which sums_free() frees
 */
void summing_end(struct summing *s)
{
	if (s->trace)
		rebuild_end(&s->kmap);
	sums_end(&s->sums);
}
