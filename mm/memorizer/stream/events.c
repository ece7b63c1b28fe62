// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: write events.
 *
 * A task is described before its first event, and a cache before the first event of its objects.
 * Both are described again in each session, which begins when a switch is turned on.
 */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/memorizer-stream.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/numa.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/memorizer.h>

#include "../../slab.h"
#include "../announce.h"
#include "../traffic.h"
#include "stream.h"

/* Maximum length of a cache's or lock's name. */
#define NAME_MAX_LENGTH	63

/*
 * No session: the task is not described. Another CPU may change the pid or the comm of a task
 * that is being described. It stores the new one, then resets the session; write_task() sets
 * the session, then reads both. So either write_task() reads the new one, or the task is
 * described again before its next event.
 */
#define NO_SESSION	0

static noinline void write_task(struct memorizer_writer *writer, struct task_struct *task)
{
	struct memorizer_task_event *event;

	event = memorizer_stream_reserve(writer, MEMORIZER_TASK_EVENT, sizeof(*event));
	/* If it is lost, the task's next event retries. */
	if (!event)
		return;
	WRITE_ONCE(task->memorizer_session, READ_ONCE(memorizer_session));
	smp_mb(); /* Pairs with memorizer_observer_task(). */
	event->pid = READ_ONCE(task->pid);
	/* A name that is changed meanwhile resets the session: it is described again. */
	memcpy(event->comm, task->comm, sizeof(event->comm));
	event->started = task->start_time;
}

/* The task has a new pid or comm; or is new, with a copy of its parent's session. */
void memorizer_observer_task(struct task_struct *task)
{
	smp_mb(); /* Pairs with write_task(). */
	WRITE_ONCE(task->memorizer_session, NO_SESSION);
}

static __always_inline bool is_task_described(const struct task_struct *task, u32 session)
{
	return READ_ONCE(task->memorizer_session) == session;
}

static __always_inline void describe_task(struct memorizer_writer *writer)
{
	struct task_struct *task = current;

	if (unlikely(!is_task_described(task, READ_ONCE(memorizer_session))))
		write_task(writer, task);
}

static noinline void write_cache(struct memorizer_writer *writer, struct kmem_cache *cache)
{
	size_t length = cache->name ? strnlen(cache->name, NAME_MAX_LENGTH) : 0;
	struct memorizer_cache_event *event;
	char *name;

	event = memorizer_stream_reserve(writer, MEMORIZER_CACHE_EVENT,
					 sizeof(*event) + length + 1);
	/* The next event of the cache retries. */
	if (!event)
		return;
	event->cache = (unsigned long)cache;
	event->object_size = cache->object_size;
	event->size = cache->size;
	name = (char *)(event + 1);
	memcpy(name, cache->name, length);
	name[length] = '\0';
	/* Racy but benign: several CPUs may describe the cache. */
	WRITE_ONCE(cache->memorizer_session, memorizer_session);
}

static __always_inline bool is_cache_described(const struct kmem_cache *cache, u32 session)
{
	return READ_ONCE(cache->memorizer_session) == session;
}

static __always_inline void describe_cache(struct memorizer_writer *writer,
					   struct kmem_cache *cache)
{
	if (cache && unlikely(!is_cache_described(cache, READ_ONCE(memorizer_session))))
		write_cache(writer, cache);
}

static __always_inline u8 *next_event(void)
{
	return raw_cpu_read(memorizer_writer.next);
}

/*
 * Begin an event in the common case: no event is being written on this CPU, the open packet has
 * room, and neither the task nor @cache (if @named) has to be described. Returns false, with no
 * side effect, otherwise. The event goes to next_event(). end_at_once() writes its header, so
 * that fewer values are live across the read of the clock. per-CPU accesses save a register for
 * the writer.
 */
static __always_inline bool begin_at_once(bool *were_off, bool named,
					  const struct kmem_cache *cache, size_t size)
{
	u32 session = READ_ONCE(memorizer_session);
	unsigned long flags;

	raw_local_irq_save(flags);
	*were_off = raw_irqs_disabled_flags(flags);
	/* Otherwise an NMI has interrupted a writer. */
	if (likely(!this_cpu_read(memorizer_writer.busy))) {
		this_cpu_write(memorizer_writer.busy, true);
		barrier();
		if (likely(is_task_described(current, session) &&
			   (!named || is_cache_described(cache, session)) &&
			   size <= raw_cpu_read(memorizer_writer.end) - next_event()))
			return true;
		this_cpu_write(memorizer_writer.busy, false);
	}
	if (!*were_off)
		raw_local_irq_enable();
	return false;
}

/* End the event. No packet was finished, so that no reader has to be woken. */
static __always_inline void end_at_once(bool were_off, enum memorizer_event id, size_t size)
{
	u64 time = local_clock_noinstr(), before = raw_cpu_read(memorizer_writer.time);
	u8 *event = next_event();

	/* CTF requires that times do not decrease within a stream. */
	time = max(time, before);
	raw_cpu_write(memorizer_writer.time, time);
	*(u64 *)event = memorizer_event_header(id, time);
	raw_cpu_write(memorizer_writer.next, event + size);
	raw_cpu_inc(memorizer_writer.events);
	/* One instruction: an NMI that loses its event also counts here. */
	this_cpu_inc(memorizer_writer.produced);
	barrier();
	this_cpu_write(memorizer_writer.busy, false);
	if (!were_off)
		raw_local_irq_enable();
}

static __always_inline void fill_alloc(struct memorizer_alloc_event *event,
				       enum memorizer_source source, const void *ptr, size_t size,
				       u32 bytes, gfp_t gfp, int node, unsigned long ip,
				       const struct kmem_cache *cache)
{
	event->kind = source;
	event->call_site = ip;
	event->ptr = (unsigned long)ptr;
	event->bytes_req = size;
	event->bytes_alloc = bytes;
	event->gfp_flags = (__force u32)gfp;
	event->node = node;
	event->pid = current->pid;
	event->cache = (unsigned long)cache;
}

static __always_inline const struct folio *folio_of(const void *ptr)
{
	return page_folio(memorizer_page(ptr));
}

static struct kmem_cache *cache_of(const struct folio *folio)
{
	return folio_test_slab(folio) ? folio_slab(folio)->slab_cache : NULL;
}

/* The bytes from an object to the end of its slot. SLUB's left red zone lies before the object. */
static __always_inline u32 slot_bytes(const struct kmem_cache *cache)
{
	return cache->size - (IS_ENABLED(CONFIG_SLUB_DEBUG) ? cache->red_left_pad : 0);
}

static __always_inline void write_alloc(enum memorizer_source source, const void *ptr,
					size_t size, u32 bytes, gfp_t gfp, int node,
					unsigned long ip, struct kmem_cache *cache)
{
	struct memorizer_alloc_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;

	writer = memorizer_stream_begin(&flags, 0);
	if (!writer)
		return;
	describe_task(writer);
	describe_cache(writer, cache);
	event = memorizer_stream_reserve(writer, MEMORIZER_ALLOC_EVENT, sizeof(*event));
	if (event)
		fill_alloc(event, source, ptr, size, bytes, gfp, node, ip, cache);
	memorizer_stream_end(writer, flags);
}

static noinline void write_object(const void *ptr, size_t size, unsigned long ip,
				  enum memorizer_source source, gfp_t gfp)
{
	const struct folio *folio = folio_of(ptr);
	struct kmem_cache *cache = cache_of(folio);

	/* The size of the slot or of the folio includes what the allocator rounded up. */
	write_alloc(source, ptr, size, cache ? slot_bytes(cache) : folio_size(folio), gfp,
		    folio_nid(folio), ip, cache);
}

void memorizer_observer_alloc(const void *ptr, size_t size, unsigned long ip,
			      enum memorizer_source source, gfp_t gfp)
{
	const struct folio *folio = folio_of(ptr);
	struct memorizer_alloc_event *event;
	struct kmem_cache *cache;
	bool were_off;

	/* kmalloc() of large sizes uses pages, which have no cache to describe. */
	if (unlikely(!folio_test_slab(folio)))
		goto general;
	cache = folio_slab(folio)->slab_cache;
	if (unlikely(!begin_at_once(&were_off, true, cache, sizeof(*event))))
		goto general;
	event = (void *)next_event();
	fill_alloc(event, source, ptr, size, slot_bytes(cache), gfp, folio_nid(folio), ip, cache);
	end_at_once(were_off, MEMORIZER_ALLOC_EVENT, sizeof(*event));
	return;
general:
	write_object(ptr, size, ip, source, gfp);
}

static __always_inline void fill_free(struct memorizer_free_event *event,
				      enum memorizer_source source, const void *ptr, u32 bytes,
				      const struct kmem_cache *cache, unsigned long ip)
{
	event->kind = source;
	event->call_site = ip;
	event->ptr = (unsigned long)ptr;
	event->bytes = bytes;
	event->pid = current->pid;
	event->cache = (unsigned long)cache;
}

static noinline void write_free(enum memorizer_source source, const void *ptr, u32 bytes,
				struct kmem_cache *cache, unsigned long ip)
{
	struct memorizer_free_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;

	writer = memorizer_stream_begin(&flags, 0);
	if (!writer)
		return;
	describe_task(writer);
	describe_cache(writer, cache);
	event = memorizer_stream_reserve(writer, MEMORIZER_FREE_EVENT, sizeof(*event));
	if (event)
		fill_free(event, source, ptr, bytes, cache, ip);
	memorizer_stream_end(writer, flags);
}

void memorizer_observer_free(const void *ptr, unsigned long ip, enum memorizer_source source)
{
	const struct folio *folio = folio_of(ptr);
	struct memorizer_free_event *event;
	struct kmem_cache *cache;
	bool were_off;

	/* A large kmalloc() consists of pages, and has no cache to describe. */
	if (unlikely(!folio_test_slab(folio))) {
		write_free(source, ptr, folio_size(folio), NULL, ip);
		return;
	}
	cache = folio_slab(folio)->slab_cache;
	if (unlikely(!begin_at_once(&were_off, true, cache, sizeof(*event)))) {
		write_free(source, ptr, slot_bytes(cache), cache, ip);
		return;
	}
	event = (void *)next_event();
	fill_free(event, source, ptr, slot_bytes(cache), cache, ip);
	end_at_once(were_off, MEMORIZER_FREE_EVENT, sizeof(*event));
}

static noinline void write_pages(const struct page *page, unsigned int order, gfp_t gfp,
				 unsigned long ip)
{
	write_alloc(MEMORIZER_PAGES, page_to_virt(page), PAGE_SIZE << order, PAGE_SIZE << order,
		    gfp, page_to_nid(page), ip, NULL);
}

void memorizer_observer_alloc_pages(const struct page *page, unsigned int order, gfp_t gfp,
				    unsigned long ip)
{
	struct memorizer_alloc_event *event;
	bool were_off;

	/* Pages have no cache to describe. */
	if (unlikely(!begin_at_once(&were_off, false, NULL, sizeof(*event)))) {
		write_pages(page, order, gfp, ip);
		return;
	}
	event = (void *)next_event();
	fill_alloc(event, MEMORIZER_PAGES, page_to_virt(page), PAGE_SIZE << order,
		   PAGE_SIZE << order, gfp, page_to_nid(page), ip, NULL);
	end_at_once(were_off, MEMORIZER_ALLOC_EVENT, sizeof(*event));
}

void memorizer_observer_free_pages(const struct page *page, unsigned int order, unsigned long ip)
{
	struct memorizer_free_event *event;
	bool were_off;

	/* Pages have no cache to describe. */
	if (unlikely(!begin_at_once(&were_off, false, NULL, sizeof(*event)))) {
		write_free(MEMORIZER_PAGES, page_to_virt(page), PAGE_SIZE << order, NULL, ip);
		return;
	}
	event = (void *)next_event();
	fill_free(event, MEMORIZER_PAGES, page_to_virt(page), PAGE_SIZE << order, NULL, ip);
	end_at_once(were_off, MEMORIZER_FREE_EVENT, sizeof(*event));
}

/* The fields have 32 bits. */
static u32 field_bytes(size_t bytes)
{
	return min_t(size_t, bytes, U32_MAX);
}

void memorizer_observer_alloc_area(const void *addr, size_t size, size_t bytes, unsigned long ip,
				   enum memorizer_source source)
{
	write_alloc(source, addr, field_bytes(size), field_bytes(bytes), 0, NUMA_NO_NODE, ip, NULL);
}

void memorizer_observer_free_area(const void *addr, size_t bytes, unsigned long ip,
				  enum memorizer_source source)
{
	write_free(source, addr, field_bytes(bytes), NULL, ip);
}

/*
 * Leave out the stream's reader: copying an event takes more than one access, or lock, so that
 * the stream would never end.
 */
static __always_inline bool is_readers_own(void)
{
	/* Interrupts are not the work of the reader. Without a reader, tgid 0 matches. */
	if (likely(current->tgid != READ_ONCE(memorizer_stream_reader)) || !in_task() ||
	    !current->tgid)
		return false;
	this_cpu_inc(memorizer_writer.own);
	return true;
}

/* While the switch "scoped" is on, accesses are streamed in scopes only. */
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
	describe_task(writer);
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
	describe_task(writer);
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

/**
 * memorizer_stream_context() - stream that the kernel is entered or left
 * @leave: it is left
 * @kind: kind of the entry
 * @number: number of the system call or vector
 *
 * Context: any.
 */
void memorizer_stream_context(bool leave, enum memorizer_context kind, unsigned int number)
{
	enum memorizer_event id = leave ? MEMORIZER_LEAVE_EVENT : MEMORIZER_ENTER_EVENT;
	struct memorizer_enter_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;

	/* Otherwise each read of the stream would add events to it. */
	if (is_readers_own())
		return;
	memorizer_announce_context(leave, kind, number);
	writer = memorizer_stream_begin(&flags, 0);
	if (!writer)
		return;
	describe_task(writer);
	event = memorizer_stream_reserve(writer, id, sizeof(*event));
	if (event) {
		event->kind = kind;
		event->number = number;
		event->pid = current->pid;
	}
	memorizer_stream_end(writer, flags);
}

/**
 * memorizer_stream_lock() - stream an operation on a lock
 * @op: the operation
 * @flags: MEMORIZER_LOCK_SHARED, _TRY or _CONTENDED
 * @lock: the lock
 * @name: its name, or NULL
 * @ip: address of the code that does it, 0 if it is unknown
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
	describe_task(writer);
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
	/* The hook is also enabled for recording alone. */
	if (!memorizer_observes_allocations())
		return;
	writer = memorizer_stream_begin(&flags, 0);
	if (!writer)
		return;
	describe_task(writer);
	event = memorizer_stream_reserve(writer, MEMORIZER_RCU_FREE_EVENT, sizeof(*event));
	if (event) {
		event->ptr = (unsigned long)ptr;
		event->ip = ip;
		event->pid = current->pid;
	}
	memorizer_stream_end(writer, flags);
}

/**
 * memorizer_stream_mark() - write a mark
 * @text: its text, without a NUL
 * @length: length of the text in bytes
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
	describe_task(writer);
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
 * memorizer_stream_switched() - stream the state of all switches
 * @boot: true if no event that could have been traced has happened yet
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
		event->entries = memorizer_stream_is_on(MEMORIZER_STREAM_CONTEXTS);
		event->locks = memorizer_stream_is_on(MEMORIZER_STREAM_LOCKS);
		event->scoped = memorizer_stream_is_on(MEMORIZER_STREAM_SCOPED);
	}
	memorizer_stream_end(writer, flags);
}
