// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: how each event is written.
 *
 * A task is announced before its first event, a cache before the first of its
 * objects, and both anew when a switch is turned on: who read the earlier
 * announcement may have kept nothing of it. An announcement that was lost is made
 * again.
 */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/memorizer-stream.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../slab.h"
#include "../announce.h"
#include "stream.h"

/* The most characters of the name of a cache or a lock. */
#define NAME_MAX_LENGTH	63

static __always_inline bool same_comm(const char *a, const char *b)
{
	const u64 *x = (const u64 *)a, *y = (const u64 *)b;

	return x[0] == y[0] && x[1] == y[1];
}

static noinline void write_task(struct memorizer_writer *writer, struct task_struct *task)
{
	struct memorizer_task_event *event;
	char comm[TASK_COMM_LEN];

	/* Somebody may rename it just now: tell, and remember, one and the same. */
	memcpy(comm, task->comm, sizeof(comm));
	event = memorizer_stream_reserve(writer, MEMORIZER_TASK_EVENT, sizeof(*event));
	if (!event)
		return;
	event->pid = task->pid;
	memcpy(event->comm, comm, sizeof(comm));
	event->started = task->start_time;

	task->memorizer_announced.pid = task->pid;
	task->memorizer_announced.started = task->start_time;
	task->memorizer_announced.session = READ_ONCE(memorizer_session);
	memcpy(task->memorizer_announced.comm, comm, sizeof(comm));
}

static __always_inline void announce_task(struct memorizer_writer *writer)
{
	struct task_struct *task = current;

	/* A task begins with its parent's, which may be of a task that had its pid before. */
	if (unlikely(task->memorizer_announced.pid != task->pid ||
		     task->memorizer_announced.started != task->start_time ||
		     task->memorizer_announced.session != READ_ONCE(memorizer_session) ||
		     !same_comm(task->memorizer_announced.comm, task->comm)))
		write_task(writer, task);
}

static noinline void write_cache(struct memorizer_writer *writer, struct kmem_cache *cache)
{
	size_t length = cache->name ? strnlen(cache->name, NAME_MAX_LENGTH) : 0;
	struct memorizer_cache_event *event;
	char *name;

	event = memorizer_stream_reserve(writer, MEMORIZER_CACHE_EVENT,
					 sizeof(*event) + length + 1);
	if (!event)
		return;
	event->cache = (unsigned long)cache;
	event->object_size = cache->object_size;
	event->size = cache->size;
	name = (char *)(event + 1);
	memcpy(name, cache->name, length);
	name[length] = '\0';
	WRITE_ONCE(cache->memorizer_session, memorizer_session);
}

static __always_inline void announce_cache(struct memorizer_writer *writer,
					   struct kmem_cache *cache)
{
	if (cache && unlikely(READ_ONCE(cache->memorizer_session) != READ_ONCE(memorizer_session)))
		write_cache(writer, cache);
}

void memorizer_observer_alloc(enum memorizer_source source, const void *ptr, size_t size,
			      gfp_t gfp, unsigned long ip)
{
	struct folio *folio = virt_to_folio(ptr);
	struct memorizer_alloc_event *event;
	struct memorizer_writer *writer;
	struct kmem_cache *cache = NULL;
	unsigned long flags;

	if (likely(folio_test_slab(folio)))
		cache = folio_slab(folio)->slab_cache;
	writer = memorizer_stream_begin(&flags, 0);
	if (unlikely(!writer))
		return;
	announce_task(writer);
	announce_cache(writer, cache);
	event = memorizer_stream_reserve(writer, MEMORIZER_ALLOC_EVENT, sizeof(*event));
	if (likely(event)) {
		event->kind = source;
		event->call_site = ip;
		event->ptr = (unsigned long)ptr;
		event->bytes_req = size;
		event->bytes_alloc = likely(cache) ? cache->size : folio_size(folio);
		event->gfp_flags = (__force u32)gfp;
		event->node = folio_nid(folio);
		event->pid = current->pid;
		event->cache = (unsigned long)cache;
	}
	memorizer_stream_end(writer, flags);
}

static __always_inline void write_free(enum memorizer_source source, const void *ptr, u32 bytes,
				       struct kmem_cache *cache, unsigned long ip)
{
	struct memorizer_free_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;

	writer = memorizer_stream_begin(&flags, 0);
	if (unlikely(!writer))
		return;
	announce_task(writer);
	announce_cache(writer, cache);
	event = memorizer_stream_reserve(writer, MEMORIZER_FREE_EVENT, sizeof(*event));
	if (likely(event)) {
		event->kind = source;
		event->call_site = ip;
		event->ptr = (unsigned long)ptr;
		event->bytes = bytes;
		event->pid = current->pid;
		event->cache = (unsigned long)cache;
	}
	memorizer_stream_end(writer, flags);
}

void memorizer_observer_free(enum memorizer_source source, const void *ptr, unsigned long ip)
{
	struct folio *folio = virt_to_folio(ptr);
	struct kmem_cache *cache = NULL;

	if (likely(folio_test_slab(folio)))
		cache = folio_slab(folio)->slab_cache;
	write_free(source, ptr, likely(cache) ? cache->size : folio_size(folio), cache, ip);
}

void __memorizer_alloc_pages(const struct page *page, unsigned int order, gfp_t gfp,
			     unsigned long ip)
{
	struct memorizer_alloc_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;

	if (!page)
		return;
	writer = memorizer_stream_begin(&flags, 0);
	if (unlikely(!writer))
		return;
	announce_task(writer);
	event = memorizer_stream_reserve(writer, MEMORIZER_ALLOC_EVENT, sizeof(*event));
	if (likely(event)) {
		event->kind = MEMORIZER_PAGES;
		event->call_site = ip;
		event->ptr = (unsigned long)page_to_virt(page);
		event->bytes_req = PAGE_SIZE << order;
		event->bytes_alloc = PAGE_SIZE << order;
		event->gfp_flags = (__force u32)gfp;
		event->node = page_to_nid(page);
		event->pid = current->pid;
		event->cache = 0;
	}
	memorizer_stream_end(writer, flags);
}

void __memorizer_free_pages(const struct page *page, unsigned int order, unsigned long ip)
{
	write_free(MEMORIZER_PAGES, page_to_virt(page), PAGE_SIZE << order, NULL, ip);
}

/*
 * What the stream's reader does is left out: copying an event takes more than one
 * access, or lock, and would never end.
 */
static __always_inline bool is_readers_own(void)
{
	if (likely(current->tgid != READ_ONCE(memorizer_stream_reader)) || !in_task() ||
	    !current->tgid)
		return false;
	this_cpu_inc(memorizer_writer.own);
	return true;
}

/* With the switch scoped, accesses are streamed in scopes only. */
static __always_inline bool is_out_of_scope(void)
{
	return unlikely(READ_ONCE(memorizer_stream_is_scoped)) && !memorizer_in_scope();
}

void __kprobes memorizer_observer_access(unsigned long addr, unsigned long size,
					 unsigned int kind, unsigned long ip)
{
	struct memorizer_access_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;

	if (is_readers_own() || is_out_of_scope())
		return;
	writer = memorizer_stream_begin(&flags, 0);
	if (unlikely(!writer))
		return;
	announce_task(writer);
	event = memorizer_stream_reserve(writer, MEMORIZER_ACCESS_EVENT, sizeof(*event));
	if (likely(event)) {
		event->ip = ip;
		event->ptr = addr;
		event->size = size;
		event->kind = kind;
		event->pid = current->pid;
	}
	memorizer_stream_end(writer, flags);
}

void __kprobes memorizer_observer_traffic(const struct memorizer_access *access,
					  unsigned int kind, unsigned long line, int from)
{
	struct memorizer_traffic_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;

	if (is_readers_own() || is_out_of_scope())
		return;
	writer = memorizer_stream_begin(&flags, 0);
	if (unlikely(!writer))
		return;
	announce_task(writer);
	event = memorizer_stream_reserve(writer, MEMORIZER_TRAFFIC_EVENT, sizeof(*event));
	if (likely(event)) {
		event->ip = access->ip;
		event->ptr = access->addr;
		event->size = access->size;
		event->kind = kind;
		event->pid = current->pid;
		event->line = line;
		event->from = from;
	}
	memorizer_stream_end(writer, flags);
}

void __memorizer_entry(bool leave, enum memorizer_entered kind, unsigned int number)
{
	enum memorizer_event id = leave ? MEMORIZER_LEAVE_EVENT : MEMORIZER_ENTER_EVENT;
	struct memorizer_enter_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;

	if (is_readers_own())
		return;
	memorizer_announce_entry(leave, kind, number);
	writer = memorizer_stream_begin(&flags, 0);
	if (!writer)
		return;
	announce_task(writer);
	event = memorizer_stream_reserve(writer, id, sizeof(*event));
	if (event) {
		event->kind = kind;
		event->number = number;
		event->pid = current->pid;
	}
	memorizer_stream_end(writer, flags);
}

/**
 * memorizer_stream_lock() - stream what becomes of a lock
 * @op: what
 * @flags: how
 * @lock: the lock
 * @name: its name, or NULL
 * @ip: who does it
 *
 * Context: any.
 */
void memorizer_stream_lock(enum memorizer_lock_op op, unsigned int flags, const void *lock,
			   const char *name, unsigned long ip)
{
	size_t length = name ? strnlen(name, NAME_MAX_LENGTH) : 0;
	struct memorizer_lock_event *event;
	struct memorizer_writer *writer;
	unsigned long irq_flags;
	char *end;

	if (is_readers_own())
		return;
	memorizer_announce_lock(op, flags, lock, name, ip);
	writer = memorizer_stream_begin(&irq_flags, 0);
	if (!writer)
		return;
	announce_task(writer);
	event = memorizer_stream_reserve(writer, MEMORIZER_LOCK_EVENT,
					 sizeof(*event) + length + 1);
	if (event) {
		event->op = op;
		event->flags = flags;
		event->lock = (unsigned long)lock;
		event->ip = ip;
		event->pid = current->pid;
		end = (char *)(event + 1);
		memcpy(end, name, length);
		end[length] = '\0';
	}
	memorizer_stream_end(writer, irq_flags);
}

void __memorizer_rcu_free(const void *ptr, unsigned long ip)
{
	struct memorizer_rcu_free_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;

	memorizer_announce_rcu_free(ptr, ip);
	if (!memorizer_tells_allocations())
		return;
	writer = memorizer_stream_begin(&flags, 0);
	if (!writer)
		return;
	announce_task(writer);
	event = memorizer_stream_reserve(writer, MEMORIZER_RCU_FREE_EVENT, sizeof(*event));
	if (event) {
		event->ptr = (unsigned long)ptr;
		event->ip = ip;
		event->pid = current->pid;
	}
	memorizer_stream_end(writer, flags);
}

/**
 * memorizer_stream_mark() - stream a mark
 * @text: what it says
 * @length: bytes of it
 *
 * Context: any.
 * Return: 0, or -ENOSPC if it was lost
 */
int memorizer_stream_mark(const char *text, size_t length)
{
	struct memorizer_mark_event *event = NULL;
	struct memorizer_writer *writer;
	unsigned long flags;
	char *end;

	writer = memorizer_stream_begin(&flags, 0);
	if (!writer)
		return -ENOSPC;
	announce_task(writer);
	event = memorizer_stream_reserve(writer, MEMORIZER_MARK_EVENT,
					 sizeof(*event) + length + 1);
	if (event) {
		event->pid = current->pid;
		end = (char *)(event + 1);
		memcpy(end, text, length);
		end[length] = '\0';
	}
	memorizer_stream_end(writer, flags);
	return event ? 0 : -ENOSPC;
}

/**
 * memorizer_stream_switched() - stream what is on
 * @boot: nothing that could have been traced has happened yet
 *
 * Context: any.
 */
void memorizer_stream_switched(bool boot)
{
	struct memorizer_switch_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;

	writer = memorizer_stream_begin(&flags, 0);
	if (!writer)
		return;
	event = memorizer_stream_reserve(writer, MEMORIZER_SWITCH_EVENT, sizeof(*event));
	if (event) {
		event->allocations = memorizer_stream_is_on(MEMORIZER_STREAM_ALLOCATIONS);
		event->retirements = memorizer_stream_is_on(MEMORIZER_STREAM_RETIREMENTS);
		event->accesses = memorizer_stream_is_on(MEMORIZER_STREAM_ACCESSES);
		event->boot = boot;
		event->traffic = memorizer_stream_is_on(MEMORIZER_STREAM_TRAFFIC);
		event->entries = memorizer_stream_is_on(MEMORIZER_STREAM_ENTRIES);
		event->locks = memorizer_stream_is_on(MEMORIZER_STREAM_LOCKS);
		event->scoped = memorizer_stream_is_on(MEMORIZER_STREAM_SCOPED);
	}
	memorizer_stream_end(writer, flags);
}
