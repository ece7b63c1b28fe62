// SPDX-License-Identifier: GPL-2.0
/* Names of tasks and caches at the current event of a trace. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/names.h"

struct name {
	u64 key;
	char *text;		/* escaped as in a KMAP */
};

/**
 * names_init - initialize an empty set of names
 * @n: the names
 */
void names_init(struct names *n)
{
	hash_init(&n->tasks, sizeof(struct name), sizeof(u64));
	hash_init(&n->caches, sizeof(struct name), sizeof(u64));
}

static void free_names(struct hash *h)
{
	u32 i;

	for (i = 0; i < h->nr; i++)
		free(((struct name *)hash_item(h, i))->text);
	hash_free(h);
}

/**
 * names_free - free the memory of names
 * @n: the names
 */
void names_free(struct names *n)
{
	free_names(&n->tasks);
	free_names(&n->caches);
}

/**
 * names_escape - escape unprintable bytes as in a KMAP
 * @to: destination, with room for four times the length of @text and a NUL
 * @text: the string
 */
void names_escape(char *to, const char *text)
{
	for (; *text; text++) {
		if (*text == '\\')
			to += sprintf(to, "\\\\");
		else if (*text >= ' ' && *text <= '~')
			*to++ = *text;
		else
			to += sprintf(to, "\\x%02x", (unsigned char)*text);
	}
	*to = '\0';
}

static void set_name(struct hash *h, u64 key, const char *text)
{
	struct name *name;
	bool new;

	name = hash_item(h, hash_get(h, &key, &new));
	name->text = xreallocarray(name->text, 4 * strlen(text) + 1, 1);
	names_escape(name->text, text);
}

/**
 * names_set_task - name a task, or what counts are kept for in place of one
 * @n: the names
 * @pid: its number
 * @comm: its name
 */
void names_set_task(struct names *n, u32 pid, const char *comm)
{
	set_name(&n->tasks, pid, comm);
}

/**
 * names_event - update the names
 * @n: the names
 * @e: the event; only TRACE_TASK and TRACE_CACHE have names
 */
void names_event(struct names *n, const struct trace_event *e)
{
	if (e->type == TRACE_TASK)
		set_name(&n->tasks, e->u.task.pid, e->u.task.comm);
	else if (e->type == TRACE_CACHE)
		set_name(&n->caches, e->u.cache.cache, e->u.cache.name);
}

static const char *find_name(const struct hash *h, u64 key)
{
	u32 i;

	return hash_find(h, &key, &i) ? ((struct name *)hash_item(h, i))->text : NAMES_UNKNOWN;
}

/**
 * names_task - look up the name of a task
 * @n: the names
 * @pid: PID of the task
 *
 * Return: the last known comm, escaped as in a KMAP; NAMES_UNKNOWN if there is none.
 */
const char *names_task(const struct names *n, u32 pid)
{
	return find_name(&n->tasks, pid);
}

/**
 * names_cache - look up the name of a cache
 * @n: the names
 * @kind: allocator
 * @cache: address of the cache; 0 if the allocation has none
 *
 * Return: the last known name, NAMES_LARGE, NAMES_UNKNOWN, or the kind in brackets.
 */
const char *names_cache(const struct names *n, enum trace_kind kind, u64 cache)
{
	static const char * const others[TRACE_KINDS] = {
		[TRACE_PAGES] = NAMES_PAGES, [TRACE_VMALLOC] = "[vmalloc]",
		[TRACE_VMAP] = "[vmap]", [TRACE_IOREMAP] = "[ioremap]",
		[TRACE_MODULES] = "[modules]", [TRACE_STACK] = NAMES_STACK,
		[TRACE_PERCPU] = "[percpu]",
	};

	if (kind < TRACE_KINDS && others[kind])
		return others[kind];
	return cache ? find_name(&n->caches, cache) : NAMES_LARGE;
}
