// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of the stream: events have the right contents, each operation causes
 * the right events, and every event is accounted for.
 *
 * Tests read the buffers as a reader of the files does. They ignore events of other tasks.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/gfp.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/kfence.h>
#include <linux/kthread.h>
#include <linux/memorizer.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/numa.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/stackdepot.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include <trace/events/irq.h>

#include "../../slab.h"
#include "stream.h"
#include "../alloc_stack.h"
#include "../test.h"
#include "../user.h"

#define SEEN_MAX	512

static volatile size_t one = 1;

/* A copy of an event, truncated if necessary. */
struct seen {
	enum memorizer_event id;
	u64 time;
	union {
		struct memorizer_task_event task;
		struct memorizer_cache_event cache;
		struct memorizer_alloc_event alloc;
		struct memorizer_free_event free;
		struct memorizer_object_event object;
		struct memorizer_counts_event counts;
		struct memorizer_access_event access;
		struct memorizer_mark_event mark;
		struct memorizer_switch_event change;
		struct memorizer_module_event module;
		struct memorizer_traffic_event traffic;
		struct memorizer_enter_event entry;
		struct memorizer_lock_event lock;
		struct memorizer_rcu_free_event rcu_free;
		struct memorizer_frame_event frame;
		u8 bytes[128];
	};
};

/* Returns true for an event that a test looks for. */
typedef bool (*wanted_fn)(const struct seen *event, const void *what);

/* The events that were found, sorted by time. */
static struct seen seen[SEEN_MAX];
static unsigned int seen_count;

#define EVENT_SIZE(event, EVENT, string)	sizeof(struct memorizer_##event##_event),

static const size_t event_sizes[] = { MEMORIZER_EVENTS(EVENT_SIZE) };

static size_t event_size(const u8 *event)
{
	size_t size = event_sizes[event[0]];

	if (event[0] == MEMORIZER_CACHE_EVENT || event[0] == MEMORIZER_MARK_EVENT ||
	    event[0] == MEMORIZER_MODULE_EVENT || event[0] == MEMORIZER_LOCK_EVENT)
		size += strlen(event + size) + 1;
	return size;
}

/* Insert an event, after those with the same time. */
static void add_seen(const struct seen *event)
{
	unsigned int i;

	if (seen_count == SEEN_MAX)
		return;
	for (i = seen_count++; i > 0 && seen[i - 1].time > event->time; i--)
		seen[i] = seen[i - 1];
	seen[i] = *event;
}

/* Check a packet and add its wanted events. Returns the number of all of its events. */
static u64 walk_packet(struct kunit *test, const struct memorizer_packet *packet, int cpu,
		       wanted_fn wanted, const void *what)
{
	const u8 *at = (const u8 *)(packet + 1);
	const u8 *end = (const u8 *)packet + packet->content_size / BITS_PER_BYTE;
	u64 time = packet->timestamp_begin, n = 0;
	struct seen event;

	KUNIT_EXPECT_EQ(test, packet->magic, MEMORIZER_CTF_MAGIC);
	KUNIT_EXPECT_EQ(test, packet->content_size, packet->packet_size);
	KUNIT_EXPECT_EQ(test, packet->cpu_id, cpu);
	KUNIT_EXPECT_EQ(test, memcmp(packet->uuid, &memorizer_stream_uuid, UUID_SIZE), 0);
	for (; at < end; at += event_size(at), n++) {
		KUNIT_ASSERT_LT(test, at[0], ARRAY_SIZE(event_sizes));
		event.id = at[0];
		event.time = *(const u64 *)at >> 8;
		memcpy(event.bytes, at, min(event_size(at), sizeof(event.bytes)));
		KUNIT_EXPECT_GE(test, event.time, time);
		time = event.time;
		if (wanted && wanted(&event, what))
			add_seen(&event);
	}
	KUNIT_EXPECT_PTR_EQ(test, at, end);
	KUNIT_EXPECT_GE(test, packet->timestamp_end, time);
	return n;
}

/* Read all packets and add the wanted events. Returns the number of all events. */
static u64 drain_more(struct kunit *test, wanted_fn wanted, const void *what)
{
	const struct memorizer_packet *packet;
	struct memorizer_writer *writer;
	size_t packets;
	u64 n = 0;
	int cpu;

	memorizer_pause();
	for_each_possible_cpu(cpu) {
		writer = &per_cpu(memorizer_writer, cpu);
		memorizer_stream_flush(writer);
		/* Read a fixed number: interrupts on busy CPUs may write faster than this reads. */
		packets = READ_ONCE(writer->finished) - writer->consumed;
		for (; packets && (packet = memorizer_stream_packet(writer)); packets--) {
			n += walk_packet(test, packet, cpu, wanted, what);
			memorizer_stream_consume(writer);
			cond_resched();
		}
	}
	memorizer_resume();
	return n;
}

static u64 drain(struct kunit *test, wanted_fn wanted, const void *what)
{
	seen_count = 0;
	return drain_more(test, wanted, what);
}

static void start(struct kunit *test, enum memorizer_stream_switch which)
{
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(which, true), 0);
	drain(test, NULL, NULL);
}

static void stop(enum memorizer_stream_switch which)
{
	memorizer_stream_set(which, false);
}

/*
 * Allocations at an address by this task, and frees of it by any task. Others may have used the
 * memory before, and may reuse it before the switch is off.
 */
static bool is_at(const struct seen *event, const void *ptr)
{
	return (event->id == MEMORIZER_ALLOC_EVENT && event->alloc.ptr == (unsigned long)ptr &&
		event->alloc.pid == current->pid) ||
		(event->id == MEMORIZER_FREE_EVENT && event->free.ptr == (unsigned long)ptr);
}

/* Find the first allocation. Returns it; the next event follows. */
static const struct seen *find_pair(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < seen_count && seen[i].id != MEMORIZER_ALLOC_EVENT; i++)
		;
	KUNIT_ASSERT_LE(test, i + 2, seen_count);
	KUNIT_ASSERT_EQ(test, seen[i + 1].id, MEMORIZER_FREE_EVENT);
	return &seen[i];
}

/* Is it at an address, and not an event of pages? */
static bool is_slab_at(const struct seen *event, const void *ptr)
{
	return is_at(event, ptr) && (event->id == MEMORIZER_ALLOC_EVENT ?
				     event->alloc.kind : event->free.kind) != MEMORIZER_PAGES;
}

static bool is_pages_at(const struct seen *event, const void *ptr)
{
	return is_at(event, ptr) && !is_slab_at(event, ptr);
}

/* A pair of functions that allocate and free, as callers use them. */
#define ALLOCATOR(name, alloc, free)						\
static noinline void *new_##name(struct kmem_cache *cache, size_t size)	\
{										\
	void *p = alloc;							\
										\
	barrier();								\
	return p;								\
}										\
										\
static noinline void end_##name(struct kmem_cache *cache, void *p)		\
{										\
	free;									\
	barrier();								\
}

static void *one_of_bulk(struct kmem_cache *cache)
{
	void *all[1];

	return kmem_cache_alloc_bulk(cache, GFP_KERNEL, 1, all) ? all[0] : NULL;
}

ALLOCATOR(kmalloc, kmalloc(size, GFP_KERNEL), kfree(p))
ALLOCATOR(kmalloc_constant, kmalloc(100, GFP_KERNEL), kfree(p))
ALLOCATOR(kmalloc_node, kmalloc_node(size, GFP_KERNEL, 0), kfree(p))
ALLOCATOR(kmalloc_bulk_free, kmalloc(size, GFP_KERNEL), kfree_bulk(1, &p))
ALLOCATOR(kmem_cache, kmem_cache_alloc(cache, GFP_KERNEL), kmem_cache_free(cache, p))
ALLOCATOR(kmem_cache_node, kmem_cache_alloc_node(cache, GFP_KERNEL, 0), kfree(p))
ALLOCATOR(kmem_cache_lru, kmem_cache_alloc_lru(cache, NULL, GFP_KERNEL),
	  kmem_cache_free_bulk(cache, 1, &p))
ALLOCATOR(kmem_cache_bulk, one_of_bulk(cache), kmem_cache_free(cache, p))

static const struct allocator {
	const char *name;
	void *(*alloc)(struct kmem_cache *cache, size_t size);
	void (*free)(struct kmem_cache *cache, void *p);
	size_t size;
	u8 kind;		/* of the allocation */
	u8 free_kind;
	bool alloc_site;	/* call_site is in alloc(), not in a callee */
	bool free_site;
} allocators[] = {
	{ "kmalloc", new_kmalloc, end_kmalloc, 90, MEMORIZER_KMALLOC, MEMORIZER_KMALLOC, 1, 1 },
	{ "kmalloc_8192", new_kmalloc, end_kmalloc, 8192,
	  MEMORIZER_KMALLOC, MEMORIZER_KMALLOC, 1, 1 },
	{ "kmalloc_8193", new_kmalloc, end_kmalloc, 8193,
	  MEMORIZER_KMALLOC, MEMORIZER_KMALLOC, 1, 1 },
	{ "kmalloc_constant", new_kmalloc_constant, end_kmalloc_constant, 100,
	  MEMORIZER_KMALLOC, MEMORIZER_KMALLOC, 1, 1 },
	{ "kmalloc_node", new_kmalloc_node, end_kmalloc_node, 200,
	  MEMORIZER_KMALLOC, MEMORIZER_KMALLOC, 1, 1 },
	{ "kmalloc_node_10000", new_kmalloc_node, end_kmalloc_node, 10000,
	  MEMORIZER_KMALLOC, MEMORIZER_KMALLOC, 1, 1 },
	{ "kmalloc_bulk_free", new_kmalloc_bulk_free, end_kmalloc_bulk_free, 80,
	  MEMORIZER_KMALLOC, MEMORIZER_KMALLOC, 1, 1 },
	{ "kmem_cache", new_kmem_cache, end_kmem_cache, 120,
	  MEMORIZER_CACHE, MEMORIZER_CACHE, 1, 1 },
	{ "kmem_cache_node_kfree", new_kmem_cache_node, end_kmem_cache_node, 120,
	  MEMORIZER_CACHE, MEMORIZER_KMALLOC, 1, 1 },
	{ "kmem_cache_lru_bulk_free", new_kmem_cache_lru, end_kmem_cache_lru, 120,
	  MEMORIZER_CACHE, MEMORIZER_CACHE, 1, 1 },
	{ "kmem_cache_bulk", new_kmem_cache_bulk, end_kmem_cache_bulk, 120,
	  MEMORIZER_CACHE, MEMORIZER_CACHE, 0, 1 },
};

static void allocator_desc(const struct allocator *allocator, char *desc)
{
	strscpy(desc, allocator->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(allocator, allocators, allocator_desc);

static struct kmem_cache *make_cache(struct kunit *test, slab_flags_t flags)
{
	struct kmem_cache *cache = kmem_cache_create("memorizer_stream_test", 120, 0,
						     SLAB_NO_MERGE | flags, NULL);

	KUNIT_ASSERT_NOT_NULL(test, cache);
	return cache;
}

/* An allocation and its free have one event each, in this order, with the right fields. */
static void allocation_makes_its_two_events(struct kunit *test)
{
	const struct allocator *allocator = test->param_value;
	struct kmem_cache *cache = make_cache(test, 0), *in;
	const struct seen *pair;
	size_t bytes;
	int node;
	void *p;

	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	p = allocator->alloc(cache, allocator->size);
	node = page_to_nid(virt_to_page(p));
	in = virt_to_slab(p) ? virt_to_slab(p)->slab_cache : NULL;
	bytes = in ? in->size - in->red_left_pad : folio_size(virt_to_folio(p));
	allocator->free(cache, p);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	drain(test, is_slab_at, p);

	pair = find_pair(test);
	KUNIT_EXPECT_EQ(test, pair[0].alloc.kind, allocator->kind);
	KUNIT_EXPECT_EQ(test, pair[0].alloc.bytes_req, allocator->size);
	KUNIT_EXPECT_EQ(test, pair[0].alloc.bytes_alloc, bytes);
	KUNIT_EXPECT_EQ(test, pair[0].alloc.gfp_flags, (__force u32)GFP_KERNEL);
	KUNIT_EXPECT_EQ(test, pair[0].alloc.node, node);
	KUNIT_EXPECT_EQ(test, pair[0].alloc.pid, current->pid);
	KUNIT_EXPECT_EQ(test, pair[0].alloc.cache, (unsigned long)in);
	if (allocator->alloc_site)
		KUNIT_EXPECT_TRUE(test, ip_is_in(pair[0].alloc.call_site, allocator->alloc));

	KUNIT_EXPECT_EQ(test, pair[1].free.kind, allocator->free_kind);
	KUNIT_EXPECT_EQ(test, pair[1].free.bytes, bytes);
	KUNIT_EXPECT_EQ(test, pair[1].free.pid, current->pid);
	KUNIT_EXPECT_EQ(test, pair[1].free.cache, (unsigned long)in);
	if (allocator->free_site)
		KUNIT_EXPECT_TRUE(test, ip_is_in(pair[1].free.call_site, allocator->free));
	kmem_cache_destroy(cache);
}

/* With red zones, an object's bytes end with its slot, and do not reach into the next one. */
static void bytes_end_with_the_slot(struct kunit *test)
{
	struct kmem_cache *cache = make_cache(test, SLAB_RED_ZONE);
	unsigned long slab, next;
	const struct seen *pair;
	void *p;

	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	p = kmem_cache_alloc(cache, GFP_KERNEL);
	slab = (unsigned long)slab_address(virt_to_slab(p));
	next = slab + roundup((unsigned long)p + 1 - slab, cache->size);
	kmem_cache_free(cache, p);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	drain(test, is_slab_at, p);

	pair = find_pair(test);
	KUNIT_EXPECT_EQ(test, pair[0].alloc.ptr + pair[0].alloc.bytes_alloc, next);
	KUNIT_EXPECT_EQ(test, pair[1].free.ptr + pair[1].free.bytes, next);
	kmem_cache_destroy(cache);
}

static void krealloc_in_place_frees_and_allocates(struct kunit *test)
{
	void *p = kmalloc(50, GFP_KERNEL), *q;

	/* KFENCE objects cannot grow in place. */
	while (is_kfence_address(p)) {
		kfree(p);
		p = kmalloc(50, GFP_KERNEL);
	}
	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	q = krealloc(p, 60, GFP_KERNEL);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	KUNIT_EXPECT_PTR_EQ(test, p, q);
	drain(test, is_slab_at, p);
	KUNIT_ASSERT_EQ(test, seen_count, 2);
	KUNIT_EXPECT_EQ(test, seen[0].id, MEMORIZER_FREE_EVENT);
	KUNIT_EXPECT_EQ(test, seen[1].id, MEMORIZER_ALLOC_EVENT);
	KUNIT_EXPECT_EQ(test, seen[1].alloc.bytes_req, 60);
	kfree(q);
}

/* This task's events at an address, including its handing over to RCU. */
static bool is_slab_or_rcu_at(const struct seen *event, const void *ptr)
{
	return is_slab_at(event, ptr) || (event->id == MEMORIZER_RCU_FREE_EVENT &&
		event->rcu_free.ptr == (unsigned long)ptr && event->rcu_free.pid == current->pid);
}

static noinline void free_by_rcu(void *ptr)
{
	struct {
		struct rcu_head rcu;
	} *p = ptr;

	kfree_rcu(p, rcu);
	barrier();
}

static void kfree_rcu_makes_one_free_and_one_rcu_free(struct kunit *test)
{
	struct item {
		struct rcu_head rcu;
		char data[1000];
	} *p;
	const void *was;

	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	p = kmalloc(sizeof(*p), GFP_KERNEL);
	was = p;
	free_by_rcu(p);
	kvfree_rcu_barrier();
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	drain(test, is_slab_or_rcu_at, was);
	KUNIT_ASSERT_GE(test, seen_count, 3);
	KUNIT_EXPECT_EQ(test, seen[0].id, MEMORIZER_ALLOC_EVENT);
	KUNIT_EXPECT_EQ(test, seen[1].id, MEMORIZER_RCU_FREE_EVENT);
	KUNIT_EXPECT_TRUE(test, ip_is_in(memorizer_pack_ip(seen[1].rcu_free.ip), free_by_rcu));
	KUNIT_EXPECT_EQ(test, seen[2].id, MEMORIZER_FREE_EVENT);
	KUNIT_EXPECT_EQ(test, seen[2].free.kind, MEMORIZER_KMALLOC);
}

static void expect_pages(struct kunit *test, const void *ptr, size_t bytes)
{
	const struct seen *pair;

	drain(test, is_pages_at, ptr);
	pair = find_pair(test);
	KUNIT_EXPECT_EQ(test, pair[0].alloc.bytes_req, bytes);
	KUNIT_EXPECT_EQ(test, pair[0].alloc.bytes_alloc, bytes);
	KUNIT_EXPECT_EQ(test, pair[0].alloc.cache, 0);
	KUNIT_EXPECT_EQ(test, pair[1].free.bytes, bytes);
}

static void pages_make_their_two_events(struct kunit *test)
{
	unsigned int order;
	struct page *page;

	for (order = 0; order <= 4; order++) {
		start(test, MEMORIZER_STREAM_ALLOCATIONS);
		page = alloc_pages(GFP_KERNEL, order);
		KUNIT_ASSERT_NOT_NULL(test, page);
		__free_pages(page, order);
		stop(MEMORIZER_STREAM_ALLOCATIONS);
		expect_pages(test, page_to_virt(page), PAGE_SIZE << order);
	}
}

static void compound_page_makes_its_two_events(struct kunit *test)
{
	struct folio *folio;

	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	folio = folio_alloc(GFP_KERNEL, 2);
	KUNIT_ASSERT_NOT_NULL(test, folio);
	folio_put(folio);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	expect_pages(test, folio_address(folio), 4 * PAGE_SIZE);
}

static void bulk_pages_make_an_event_each(struct kunit *test)
{
	struct page *pages[8] = { };
	int i, n;

	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	n = alloc_pages_bulk_array(GFP_KERNEL, ARRAY_SIZE(pages), pages);
	for (i = 0; i < n; i++)
		__free_page(pages[i]);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	KUNIT_ASSERT_GE(test, n, 1);
	/* The stream is drained once: check the last page. */
	expect_pages(test, page_to_virt(pages[n - 1]), PAGE_SIZE);
}

/* Events of memory that is neither slab nor pages: of a kind, in a range of addresses. */
struct area_wanted {
	unsigned long start, end;
	u8 kind;
};

static bool is_of_area(const struct seen *event, const void *what)
{
	const struct area_wanted *wanted = what;
	unsigned long ptr;

	if (event->id == MEMORIZER_ALLOC_EVENT && event->alloc.kind == wanted->kind)
		ptr = event->alloc.ptr;
	else if (event->id == MEMORIZER_FREE_EVENT && event->free.kind == wanted->kind)
		ptr = event->free.ptr;
	else
		return false;
	return ptr >= wanted->start && ptr < wanted->end;
}

/* Expect two events: an allocation and its free, both called by @caller. */
static void expect_area(struct kunit *test, const void *ptr, size_t size, u8 kind, void *caller)
{
	struct area_wanted wanted = { (unsigned long)ptr, (unsigned long)ptr + 1, kind };

	drain(test, is_of_area, &wanted);
	KUNIT_ASSERT_EQ(test, seen_count, 2);
	KUNIT_ASSERT_EQ(test, seen[0].id, MEMORIZER_ALLOC_EVENT);
	KUNIT_EXPECT_EQ(test, seen[0].alloc.bytes_req, size);
	KUNIT_EXPECT_EQ(test, seen[0].alloc.bytes_alloc, PAGE_ALIGN(size));
	KUNIT_EXPECT_EQ(test, seen[0].alloc.pid, current->pid);
	KUNIT_EXPECT_EQ(test, seen[0].alloc.node, NUMA_NO_NODE);
	KUNIT_EXPECT_EQ(test, seen[0].alloc.cache, 0);
	KUNIT_EXPECT_TRUE(test, ip_is_in(memorizer_pack_ip(seen[0].alloc.call_site), caller));
	KUNIT_ASSERT_EQ(test, seen[1].id, MEMORIZER_FREE_EVENT);
	KUNIT_EXPECT_EQ(test, seen[1].free.bytes, PAGE_ALIGN(size));
	KUNIT_EXPECT_EQ(test, seen[1].free.pid, current->pid);
	KUNIT_EXPECT_TRUE(test, ip_is_in(memorizer_pack_ip(seen[1].free.call_site), caller));
}

static void vmalloc_makes_its_two_events(struct kunit *test)
{
	static const size_t sizes[] = { 1, PAGE_SIZE, 5 * PAGE_SIZE + 100 };
	unsigned int i;
	void *ptr;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		start(test, MEMORIZER_STREAM_ALLOCATIONS);
		ptr = vmalloc(sizes[i]);
		KUNIT_ASSERT_NOT_NULL(test, ptr);
		vfree(ptr);
		stop(MEMORIZER_STREAM_ALLOCATIONS);
		expect_area(test, ptr, sizes[i], MEMORIZER_VMALLOC, vmalloc_makes_its_two_events);
	}
}

static void mapped_pages_make_their_two_events(struct kunit *test)
{
	struct page *pages[2] = { alloc_page(GFP_KERNEL), alloc_page(GFP_KERNEL) };
	void *ptr;

	KUNIT_ASSERT_NOT_NULL(test, pages[0]);
	KUNIT_ASSERT_NOT_NULL(test, pages[1]);
	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	ptr = vmap(pages, 2, VM_MAP, PAGE_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ptr);
	vunmap(ptr);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	expect_area(test, ptr, 2 * PAGE_SIZE, MEMORIZER_VMAP, mapped_pages_make_their_two_events);

	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	ptr = vm_map_ram(pages, 2, NUMA_NO_NODE);
	KUNIT_ASSERT_NOT_NULL(test, ptr);
	vm_unmap_ram(ptr, 2);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	expect_area(test, ptr, 2 * PAGE_SIZE, MEMORIZER_VMAP, mapped_pages_make_their_two_events);
	__free_page(pages[0]);
	__free_page(pages[1]);
}

static void area_of_a_device_makes_its_two_events(struct kunit *test)
{
	struct vm_struct *area;
	const void *addr;

	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	area = get_vm_area(3 * PAGE_SIZE, VM_IOREMAP);
	KUNIT_ASSERT_NOT_NULL(test, area);
	addr = area->addr;
	remove_vm_area(addr);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	kfree(area);
	expect_area(test, addr, 3 * PAGE_SIZE, MEMORIZER_IOREMAP,
		    area_of_a_device_makes_its_two_events);
}

static void resized_area_is_freed_and_allocated(struct kunit *test)
{
	void *ptr = vmalloc(2 * PAGE_SIZE);
	struct area_wanted wanted = { (unsigned long)ptr, (unsigned long)ptr + 1,
				      MEMORIZER_VMALLOC };

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	KUNIT_EXPECT_PTR_EQ(test, vrealloc(ptr, 100, GFP_KERNEL), ptr);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	drain(test, is_of_area, &wanted);
	KUNIT_ASSERT_EQ(test, seen_count, 2);
	KUNIT_ASSERT_EQ(test, seen[0].id, MEMORIZER_FREE_EVENT);
	KUNIT_EXPECT_EQ(test, seen[0].free.bytes, 2 * PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, seen[1].id, MEMORIZER_ALLOC_EVENT);
	KUNIT_EXPECT_EQ(test, seen[1].alloc.bytes_req, 100);
	KUNIT_EXPECT_EQ(test, seen[1].alloc.bytes_alloc, 2 * PAGE_SIZE);
	vfree(ptr);
}

static int wait_to_stop(void *unused)
{
	while (!kthread_should_stop())
		msleep(1);
	return 0;
}

/* The last reference to the stack is dropped after the thread has ended. */
static void stack_of_a_task_makes_its_two_events(struct kunit *test)
{
	struct area_wanted wanted = { .kind = MEMORIZER_STACK };
	struct task_struct *task;

	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	task = kthread_run(wait_to_stop, NULL, "streamed");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wanted.start = (unsigned long)task_stack_page(task);
	wanted.end = wanted.start + 1;
	kthread_stop(task);
	seen_count = 0;
	while (seen_count < 2) {
		drain_more(test, is_of_area, &wanted);
		msleep(1);
	}
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	KUNIT_ASSERT_EQ(test, seen[0].id, MEMORIZER_ALLOC_EVENT);
	KUNIT_EXPECT_EQ(test, seen[0].alloc.bytes_req, THREAD_SIZE);
	KUNIT_EXPECT_EQ(test, seen[0].alloc.bytes_alloc, THREAD_SIZE);
	KUNIT_ASSERT_EQ(test, seen[1].id, MEMORIZER_FREE_EVENT);
	KUNIT_EXPECT_EQ(test, seen[1].free.bytes, THREAD_SIZE);
}

static bool is_of_percpu(const struct seen *event, const void *what)
{
	void __percpu *ptr = *(void __percpu **)what;
	struct area_wanted wanted = { .kind = MEMORIZER_PERCPU };
	int cpu;

	for_each_possible_cpu(cpu) {
		wanted.start = (unsigned long)per_cpu_ptr(ptr, cpu);
		wanted.end = wanted.start + 1;
		if (is_of_area(event, &wanted))
			return true;
	}
	return false;
}

static void percpu_memory_makes_two_events_on_each_cpu(struct kunit *test)
{
	unsigned int i, cpus = num_possible_cpus();
	void __percpu *ptr;

	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	ptr = __alloc_percpu(10, 2);
	KUNIT_ASSERT_NOT_NULL(test, (void __force *)ptr);
	free_percpu(ptr);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	drain(test, is_of_percpu, &ptr);
	KUNIT_ASSERT_EQ(test, seen_count, 2 * cpus);
	for (i = 0; i < cpus; i++) {
		KUNIT_ASSERT_EQ(test, seen[i].id, MEMORIZER_ALLOC_EVENT);
		KUNIT_EXPECT_EQ(test, seen[i].alloc.bytes_req, 10);
		KUNIT_EXPECT_EQ(test, seen[i].alloc.bytes_alloc, 12);
		KUNIT_EXPECT_TRUE(test, ip_is_in(memorizer_pack_ip(seen[i].alloc.call_site),
						 percpu_memory_makes_two_events_on_each_cpu));
		KUNIT_ASSERT_EQ(test, seen[cpus + i].id, MEMORIZER_FREE_EVENT);
		KUNIT_EXPECT_EQ(test, seen[cpus + i].free.bytes, 12);
	}
}

/* Pages that are freed in parts have a free event per part. */
static bool is_free_within(const struct seen *event, const void *ptr)
{
	return event->id == MEMORIZER_FREE_EVENT && event->free.kind == MEMORIZER_PAGES &&
		event->free.ptr - (unsigned long)ptr < 4 * PAGE_SIZE;
}

static void split_page_is_freed_in_parts(struct kunit *test)
{
	struct page *page = alloc_pages(GFP_KERNEL, 2);
	u32 bytes = 0;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, page);
	split_page(page, 2);
	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	local_bh_disable();
	for (i = 0; i < 4; i++)
		__free_page(page + i);
	local_bh_enable();
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	drain(test, is_free_within, page_to_virt(page));
	KUNIT_ASSERT_GE(test, seen_count, 4);
	for (i = 0; i < 4; i++)
		bytes += seen[i].free.bytes;
	KUNIT_EXPECT_EQ(test, bytes, 4 * PAGE_SIZE);
}

static bool is_of_pid(const struct seen *event, const void *pid)
{
	u32 wanted = (unsigned long)pid;

	return (event->id == MEMORIZER_TASK_EVENT && event->task.pid == wanted) ||
		(event->id == MEMORIZER_MARK_EVENT && event->mark.pid == wanted);
}

static void drain_own(struct kunit *test)
{
	drain(test, is_of_pid, (void *)(unsigned long)current->pid);
}

static void expect_task(struct kunit *test, const struct seen *event, const char *comm)
{
	KUNIT_EXPECT_EQ(test, event->id, MEMORIZER_TASK_EVENT);
	KUNIT_EXPECT_EQ(test, event->task.pid, current->pid);
	KUNIT_EXPECT_EQ(test, strncmp(event->task.comm, comm, TASK_COMM_LEN), 0);
}

static bool is_of_new_task(const struct seen *event, const void *pid)
{
	return (event->id == MEMORIZER_TASK_EVENT && event->task.pid == *(const pid_t *)pid) ||
		(event->id == MEMORIZER_MARK_EVENT && event->mark.pid == *(const pid_t *)pid);
}

static int __noreturn mark_as_new_task(void *marked)
{
	memorizer_stream_mark("2", 1);
	complete(marked);
	do_exit(0);
}

/* A new task is a copy of its parent, including the session and comm. */
static void new_task_is_described(struct kunit *test)
{
	DECLARE_COMPLETION_ONSTACK(marked);
	pid_t pid;

	drain(test, NULL, NULL);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_ALLOCATIONS, true), 0);
	KUNIT_EXPECT_EQ(test, memorizer_stream_mark("1", 1), 0);
	pid = kernel_thread(mark_as_new_task, &marked, NULL, CLONE_FS | CLONE_FILES | SIGCHLD);
	if (pid > 0)
		wait_for_completion(&marked);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	KUNIT_ASSERT_GT(test, pid, 0);
	drain(test, is_of_new_task, &pid);
	KUNIT_ASSERT_EQ(test, seen_count, 2);
	KUNIT_EXPECT_EQ(test, seen[0].id, MEMORIZER_TASK_EVENT);
	KUNIT_EXPECT_EQ(test, strncmp(seen[0].task.comm, current->comm, TASK_COMM_LEN), 0);
	KUNIT_EXPECT_GT(test, seen[0].task.started, current->start_time);
	KUNIT_EXPECT_EQ(test, seen[1].id, MEMORIZER_MARK_EVENT);
}

/* As after execve() by a thread that is not the leader. */
static void task_with_the_pid_of_another_is_described(struct kunit *test)
{
	u64 started = current->start_time;

	drain(test, NULL, NULL);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_ALLOCATIONS, true), 0);
	KUNIT_EXPECT_EQ(test, memorizer_stream_mark("1", 1), 0);
	current->start_time = started + 1;
	memorizer_set_pid(current);
	KUNIT_EXPECT_EQ(test, memorizer_stream_mark("2", 1), 0);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	drain_own(test);
	current->start_time = started;
	memorizer_set_pid(current);
	KUNIT_ASSERT_EQ(test, seen_count, 4);
	expect_task(test, &seen[0], current->comm);
	KUNIT_EXPECT_EQ(test, seen[0].task.started, started);
	expect_task(test, &seen[2], current->comm);
	KUNIT_EXPECT_EQ(test, seen[2].task.started, started + 1);
}

static bool is_module(const struct seen *event, const void *unused)
{
	return event->id == MEMORIZER_MODULE_EVENT;
}

static void module_event_tells_where_it_is(struct kunit *test)
{
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);
	const struct memorizer_module_event *event = &seen[0].module;

	KUNIT_ASSERT_NOT_NULL(test, mod);
	strscpy(mod->name, "a_module", sizeof(mod->name));
	mod->mem[MOD_TEXT].base = (void *)0xffffffffc0100000;
	mod->mem[MOD_TEXT].size = 0x3000;
	mod->mem[MOD_INIT_TEXT].base = (void *)0xffffffffc0200000;
	mod->mem[MOD_INIT_TEXT].size = 0x1000;
	/* All switches are off. */
	memorizer_stream_module(mod, true, 1);
	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	memorizer_stream_module(mod, false, 0x123456789a);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	drain(test, is_module, NULL);
	KUNIT_ASSERT_EQ(test, seen_count, 1);
	KUNIT_EXPECT_EQ(test, event->loaded, 0);
	KUNIT_EXPECT_EQ(test, event->base, 0xffffffffc0100000);
	KUNIT_EXPECT_EQ(test, event->size, 0x3000);
	KUNIT_EXPECT_EQ(test, event->init_base, 0xffffffffc0200000);
	KUNIT_EXPECT_EQ(test, event->init_size, 0x1000);
	KUNIT_EXPECT_EQ(test, event->jiffies, 0x123456789a);
	KUNIT_EXPECT_STREQ(test, (const char *)(event + 1), "a_module");
}

static void task_is_described_once_and_when_renamed(struct kunit *test)
{
	char was[TASK_COMM_LEN];

	get_task_comm(was, current);
	drain(test, NULL, NULL);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_ALLOCATIONS, true), 0);
	KUNIT_EXPECT_EQ(test, memorizer_stream_mark("1", 1), 0);
	KUNIT_EXPECT_EQ(test, memorizer_stream_mark("2", 1), 0);
	set_task_comm(current, "renamed");
	KUNIT_EXPECT_EQ(test, memorizer_stream_mark("3", 1), 0);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	drain_own(test);
	set_task_comm(current, was);
	KUNIT_ASSERT_EQ(test, seen_count, 5);
	expect_task(test, &seen[0], was);
	KUNIT_EXPECT_EQ(test, seen[1].id, MEMORIZER_MARK_EVENT);
	KUNIT_EXPECT_EQ(test, seen[2].id, MEMORIZER_MARK_EVENT);
	expect_task(test, &seen[3], "renamed");
	KUNIT_EXPECT_EQ(test, seen[4].id, MEMORIZER_MARK_EVENT);
}

static bool is_cache_or_alloc(const struct seen *event, const void *cache)
{
	return (event->id == MEMORIZER_CACHE_EVENT && event->cache.cache == (unsigned long)cache) ||
		(event->id == MEMORIZER_ALLOC_EVENT && event->alloc.cache == (unsigned long)cache);
}

/* Each switch that is turned on begins a session, even while retirements stay on. */
static void cache_is_described_once_in_each_session(struct kunit *test)
{
	struct kmem_cache *cache = make_cache(test, 0);
	void *p, *q;
	int session;

	for (session = 0; session < 4; session++) {
		if (session == 2)
			start(test, MEMORIZER_STREAM_RETIREMENTS);
		start(test, MEMORIZER_STREAM_ALLOCATIONS);
		p = kmem_cache_alloc(cache, GFP_KERNEL);
		q = kmem_cache_alloc(cache, GFP_KERNEL);
		kmem_cache_free(cache, p);
		kmem_cache_free(cache, q);
		stop(MEMORIZER_STREAM_ALLOCATIONS);
		drain(test, is_cache_or_alloc, cache);
		KUNIT_ASSERT_EQ(test, seen_count, 3);
		KUNIT_EXPECT_EQ(test, seen[0].id, MEMORIZER_CACHE_EVENT);
		KUNIT_EXPECT_EQ(test, seen[0].cache.object_size, cache->object_size);
		KUNIT_EXPECT_EQ(test, seen[0].cache.size, cache->size);
		KUNIT_EXPECT_STREQ(test, seen[0].bytes + sizeof(seen[0].cache), cache->name);
		KUNIT_EXPECT_EQ(test, seen[1].id, MEMORIZER_ALLOC_EVENT);
		KUNIT_EXPECT_EQ(test, seen[2].id, MEMORIZER_ALLOC_EVENT);
	}
	stop(MEMORIZER_STREAM_RETIREMENTS);
	kmem_cache_destroy(cache);
}

static void expect_balance(struct kunit *test)
{
	struct memorizer_stream_sums sums;

	memorizer_stream_sum(&sums);
	KUNIT_EXPECT_EQ(test, sums.produced,
			sums.read + sums.overrun + sums.nested + sums.buffered);
}

static u64 read_so_far(void)
{
	struct memorizer_stream_sums sums;

	memorizer_stream_sum(&sums);
	return sums.read;
}

static void all_events_are_read(struct kunit *test)
{
	u64 before, n;

	drain(test, NULL, NULL);
	before = read_so_far();
	for (n = 0; n < 1000; n++)
		memorizer_stream_mark("mark", 4);
	expect_balance(test);
	n = drain(test, NULL, NULL);
	KUNIT_EXPECT_GE(test, n, 1000);
	KUNIT_EXPECT_EQ(test, read_so_far() - before, n);
	expect_balance(test);
}

static int allocate(void *done)
{
	while (!kthread_should_stop()) {
		kfree(kmalloc(1 + jiffies % 1000, GFP_KERNEL));
		cond_resched();
	}
	return 0;
}

static void sums_agree_while_events_come(struct kunit *test)
{
	struct task_struct *task = kthread_run(allocate, NULL, "memorizer_load");
	int i;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	get_task_struct(task);
	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	for (i = 0; i < 300; i++) {
		expect_balance(test);
		if (i % 10 == 0)
			drain(test, NULL, NULL);
	}
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	kthread_stop(task);
	put_task_struct(task);
	drain(test, NULL, NULL);
	expect_balance(test);
}

/* Simulate an NMI that interrupts a writer. */
static void event_in_a_writer_is_counted_as_lost(struct kunit *test)
{
	struct memorizer_stream_sums before, after;
	unsigned long flags;
	void *p;
	int err;

	p = kunit_kmalloc(test, 8, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, p);
	memorizer_stream_sum(&before);
	local_irq_save(flags);
	/* Describes task and cache, so that only @busy keeps the next events from the fast path. */
	memorizer_observer_free(p, _RET_IP_, MEMORIZER_KMALLOC);
	this_cpu_write(memorizer_writer.busy, true);
	err = memorizer_stream_mark("nested", 6);
	memorizer_observer_alloc(p, 8, _RET_IP_, MEMORIZER_KMALLOC, GFP_KERNEL);
	memorizer_observer_free(p, _RET_IP_, MEMORIZER_KMALLOC);
	this_cpu_write(memorizer_writer.busy, false);
	local_irq_restore(flags);
	memorizer_stream_sum(&after);
	KUNIT_EXPECT_EQ(test, err, -ENOSPC);
	KUNIT_EXPECT_EQ(test, after.nested, before.nested + 3);
	/* The first event, its descriptions, and these three. */
	KUNIT_EXPECT_GE(test, after.produced, before.produced + 1 + 3);
	KUNIT_EXPECT_EQ(test, after.overrun, before.overrun);
	expect_balance(test);
	drain(test, NULL, NULL);
}

/* Write marks until this CPU's buffer is full and @want of them were lost. */
static unsigned int lose_marks(unsigned int want)
{
	size_t subbufs, subbuf_size, n;
	unsigned int lost = 0;
	unsigned long flags;

	memorizer_stream_size(&subbufs, &subbuf_size);
	local_irq_save(flags);
	for (n = 0; n < subbufs * subbuf_size / 32 && lost < want; n++)
		lost += memorizer_stream_mark("0123456789abcdef0123456789abcdef", 32) == -ENOSPC;
	local_irq_restore(flags);
	return lost;
}

/* A full buffer overwrites nothing; the next packet has the number of lost events. */
static void full_buffer_loses_the_newest(struct kunit *test)
{
	struct memorizer_stream_sums before, after;

	drain(test, NULL, NULL);
	memorizer_stream_sum(&before);
	KUNIT_EXPECT_EQ(test, lose_marks(1), 1);
	memorizer_stream_sum(&after);
	KUNIT_EXPECT_EQ(test, after.overrun, before.overrun + 1);
	KUNIT_EXPECT_EQ(test, after.buffered,
			after.produced - before.produced - 1 + before.buffered);
	expect_balance(test);
	KUNIT_EXPECT_EQ(test, drain(test, NULL, NULL), after.buffered);
	KUNIT_EXPECT_EQ(test, memorizer_stream_mark("again", 5), 0);
	expect_balance(test);
	drain(test, NULL, NULL);
}

/* The accesses that the next two tests look for. */
static noinline void touch(u64 *p)
{
	WRITE_ONCE(p[0], 1);
	WRITE_ONCE(p[one], 2);
	READ_ONCE(p[one]);
}

static bool is_about(const struct seen *event, const void *ptr)
{
	return event->id == MEMORIZER_OBJECT_EVENT && event->object.ptr == (unsigned long)ptr;
}

static bool is_counts(const struct seen *event, const void *id)
{
	return event->id == MEMORIZER_COUNTS_EVENT && event->counts.object == *(const u32 *)id &&
		ip_is_in(memorizer_pack_ip(event->counts.ip), touch);
}

static bool is_retired(const struct seen *event, const void *id)
{
	return (event->id == MEMORIZER_OBJECT_EVENT && event->object.object == *(const u32 *)id) ||
		is_counts(event, id);
}

static void retired_object_has_its_counts_and_leaves_the_pool(struct kunit *test)
{
	const struct memorizer_object *object;
	struct memorizer_retired before;
	u64 *p, writes = 0, reads = 0;
	unsigned int i;
	u32 id;

	KUNIT_ASSERT_EQ(test, switch_on(NULL), 0);
	drain(test, NULL, NULL);
	p = kmalloc(72, GFP_KERNEL);
	id = object_at(p);
	KUNIT_ASSERT_NE(test, id, 0);
	touch(p);
	kfree(p);
	switch_off(NULL);
	KUNIT_EXPECT_EQ(test, tally_id(id, current->pid).writes, 2);

	down_write(&memorizer_rwsem);
	before = memorizer_retired;
	up_write(&memorizer_rwsem);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_RETIREMENTS, true), 0);
	seen_count = 0;
	while (!seen_count) {
		drain_more(test, is_retired, &id);
		msleep(1);
	}
	/* Waits until the object is completely written. */
	stop(MEMORIZER_STREAM_RETIREMENTS);
	drain_more(test, is_retired, &id);
	KUNIT_ASSERT_GE(test, seen_count, 2);
	KUNIT_ASSERT_TRUE(test, is_about(&seen[0], p));
	KUNIT_EXPECT_EQ(test, seen[0].object.snapshot, 0);
	KUNIT_EXPECT_EQ(test, seen[0].object.state, MEMORIZER_FREED);
	KUNIT_EXPECT_EQ(test, seen[0].object.bytes_req, 72);
	KUNIT_EXPECT_EQ(test, seen[0].object.pid, current->pid);
	for (i = 1; i < seen_count; i++) {
		writes += seen[i].counts.writes;
		reads += seen[i].counts.reads;
	}
	KUNIT_EXPECT_EQ(test, writes, 2);
	KUNIT_EXPECT_EQ(test, reads, 1);
	KUNIT_EXPECT_GT(test, memorizer_retired.objects, before.objects);
	KUNIT_EXPECT_GE(test, memorizer_retired.accesses, before.accesses + 3);

	/* Its record is free or about to be, or another object's. */
	object = memorizer_ptr(id);
	KUNIT_EXPECT_TRUE(test, object->state == MEMORIZER_UNUSED ||
			  object->state == MEMORIZER_LIVE || object->state == MEMORIZER_LEAVING ||
			  object->state == MEMORIZER_RETIRED ||
			  memorizer_object_va(object) != (unsigned long)p);
}

#ifdef CONFIG_MEMORIZER_PAGES
/* More entries than the thread leaves in the kernel. */
#define USER_ENTRIES	9000

static u64 user_reads;

/* Find the retired record, and add up this task's accesses in it. */
static bool add_user(const struct seen *event, const void *id)
{
	if (event->id == MEMORIZER_COUNTS_EVENT && event->counts.object == *(const u32 *)id &&
	    event->counts.pid == current->pid)
		user_reads += event->counts.reads;
	return event->id == MEMORIZER_OBJECT_EVENT && event->object.object == *(const u32 *)id;
}

static void many_accesses_to_user_memory_are_retired(struct kunit *test)
{
	unsigned int kinds = memorizer_get_kinds(), i;
	u32 id;

	KUNIT_ASSERT_EQ(test, memorizer_set_kinds(kinds | BIT(MEMORIZER_KIND_USER)), 0);
	memorizer_clear();
	id = memorizer_id(memorizer_user_counts());
	for (i = 0; i < USER_ENTRIES; i++) {
		preempt_disable();
		memorizer_user_access(PAGE_SIZE, 8, MEMORIZER_READ, (unsigned long)_stext + i);
		preempt_enable();
	}
	user_reads = 0;
	drain(test, NULL, NULL);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_RETIREMENTS, true), 0);
	seen_count = 0;
	while (user_reads < USER_ENTRIES) {
		drain_more(test, add_user, &id);
		msleep(1);
	}
	stop(MEMORIZER_STREAM_RETIREMENTS);
	drain_more(test, add_user, &id);
	KUNIT_EXPECT_EQ(test, user_reads, USER_ENTRIES);
	KUNIT_ASSERT_GE(test, seen_count, 1);
	KUNIT_EXPECT_EQ(test, seen[0].object.kind, MEMORIZER_KIND_USER + 1);
	KUNIT_EXPECT_EQ(test, seen[0].object.snapshot, 0);
	id = memorizer_id(memorizer_user_counts());
	KUNIT_EXPECT_EQ(test, tally_id(id, current->pid).reads, 0);
	KUNIT_EXPECT_EQ(test, memorizer_set_kinds(kinds), 0);
	memorizer_clear();
}
#endif

#ifdef CONFIG_MEMORIZER_STACKS
#define DEPTH	4

static bool is_object_with_stack(const struct seen *event, const void *stack)
{
	return event->id == MEMORIZER_OBJECT_EVENT && event->object.stack == *(const u32 *)stack;
}

static bool is_of_stack(const struct seen *event, const void *stack)
{
	return is_object_with_stack(event, stack) ||
		(event->id == MEMORIZER_FRAME_EVENT && event->frame.stack == *(const u32 *)stack);
}

/* Allocate and free two objects with one stack. Returns the stack. */
static noinline u32 allocate_twice(void)
{
	const struct memorizer_object *object;
	unsigned int i;
	u32 stack = 0;
	void *p;

	for (i = 0; i < 2; i++) {
		p = kmalloc(72, GFP_KERNEL);
		object = memorizer_ptr(object_at(p));
		stack = memorizer_has_stack(object) ? object->alloc_ip : 0;
		kfree(p);
	}
	return stack;
}

static unsigned int objects_seen(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < seen_count; i++)
		n += seen[i].id == MEMORIZER_OBJECT_EVENT;
	return n;
}

static void expect_frames(struct kunit *test, u32 stack)
{
	unsigned int nr, i;
	unsigned long *ips;

	nr = stack_depot_fetch(stack, &ips);
	KUNIT_ASSERT_EQ(test, nr, DEPTH);
	/* Both objects follow. */
	KUNIT_ASSERT_EQ(test, seen_count, DEPTH + 2);
	for (i = 0; i < DEPTH; i++) {
		KUNIT_EXPECT_EQ(test, seen[i].id, MEMORIZER_FRAME_EVENT);
		KUNIT_EXPECT_EQ(test, seen[i].frame.depth, i);
		KUNIT_EXPECT_EQ(test, seen[i].frame.ip, ips[i]);
	}
	for (; i < DEPTH + 2; i++) {
		KUNIT_EXPECT_TRUE(test, is_object_with_stack(&seen[i], &stack));
		KUNIT_EXPECT_EQ(test, seen[i].object.alloc_site, ips[0]);
	}
}

static void stack_is_described_once_in_each_session(struct kunit *test)
{
	unsigned int session;
	u32 stack;

	KUNIT_ASSERT_EQ(test, memorizer_set_enabled(true), 0);
	KUNIT_ASSERT_EQ(test, memorizer_set_stack_depth(DEPTH), 0);
	for (session = 0; session < 2; session++) {
		stack = allocate_twice();
		KUNIT_ASSERT_NE(test, stack, 0);
		drain(test, NULL, NULL);
		KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_RETIREMENTS, true), 0);
		seen_count = 0;
		while (objects_seen() < 2) {
			drain_more(test, is_of_stack, &stack);
			msleep(1);
		}
		stop(MEMORIZER_STREAM_RETIREMENTS);
		drain_more(test, is_of_stack, &stack);
		expect_frames(test, stack);
	}
	memorizer_set_stack_depth(0);
}
#endif

static bool is_touch(const struct seen *event, const void *ptr)
{
	return event->id == MEMORIZER_ACCESS_EVENT && event->access.pid == current->pid &&
		event->access.ptr - (unsigned long)ptr < 2 * sizeof(u64) &&
		ip_is_in(memorizer_pack_ip(event->access.ip), touch);
}

/* Access with interrupts disabled and space in the buffer, so that no other access fills it. */
static void touch_streamed(struct kunit *test, u64 *p)
{
	unsigned long flags;

	drain(test, NULL, NULL);
	local_irq_save(flags);
	touch(p);
	local_irq_restore(flags);
}

static void expect_touch(struct kunit *test, const u64 *p)
{
	static const u8 kinds[] = { MEMORIZER_WRITE, MEMORIZER_WRITE, MEMORIZER_READ };
	unsigned int i;

	KUNIT_ASSERT_EQ(test, seen_count, 3);
	for (i = 0; i < 3; i++) {
		KUNIT_EXPECT_EQ(test, seen[i].access.kind, kinds[i]);
		KUNIT_EXPECT_EQ(test, seen[i].access.size, sizeof(u64));
		KUNIT_EXPECT_EQ(test, seen[i].access.ptr, (unsigned long)&p[!!i]);
	}
}

static void each_access_makes_an_event_and_counts(struct kunit *test)
{
	static u64 unattributed[2];
	u64 *p;

	/*
	 * Under emulation, events of the timer interrupt alone would take longer than its
	 * period.
	 */
	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		kunit_skip(test, "too many accesses with lockdep");
	KUNIT_ASSERT_EQ(test, switch_on(NULL), 0);
	p = kmalloc(16, GFP_KERNEL);
	/* Puts the entry into the thunks' cache. */
	touch(p);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_ACCESSES, true), 0);
	touch_streamed(test, p);
	drain(test, is_touch, p);
	expect_touch(test, p);
	touch_streamed(test, unattributed);
	drain(test, is_touch, unattributed);
	expect_touch(test, unattributed);
	stop(MEMORIZER_STREAM_ACCESSES);

	drain(test, NULL, NULL);
	touch(p);
	switch_off(NULL);
	drain(test, is_touch, p);
	KUNIT_EXPECT_EQ(test, seen_count, 0);
	KUNIT_EXPECT_EQ(test, tally_of(p, current->pid).writes, 6);
	KUNIT_EXPECT_EQ(test, tally_of(p, current->pid).reads, 3);
	kfree(p);
}

#ifdef CONFIG_MEMORIZER_LINES
static bool is_move_or_access(const struct seen *event, const void *ptr)
{
	return is_touch(event, ptr) ||
		(event->id == MEMORIZER_TRAFFIC_EVENT &&
		 event->traffic.ptr - (unsigned long)ptr < 2 * sizeof(u64));
}

static noinline void store_there(void *p)
{
	WRITE_ONCE(*(u64 *)p, one);
}

/* Only the first access to a line that another CPU stored to has an event. */
static void each_move_of_a_line_makes_an_event(struct kunit *test)
{
	int other = cpumask_any_but(cpu_online_mask, raw_smp_processor_id());
	unsigned long size = memorizer_line_size();
	unsigned int i;
	u64 *p;

	if (other >= nr_cpu_ids)
		kunit_skip(test, "one CPU");
	KUNIT_ASSERT_EQ(test, memorizer_set_track_lines(true), 0);
	KUNIT_ASSERT_EQ(test, switch_on(NULL), 0);
	p = kmalloc(16, GFP_KERNEL);
	smp_call_function_single(other, store_there, p, true);
	touch(p);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_TRAFFIC, true), 0);
	drain(test, NULL, NULL);
	for (i = 0; i < 3; i++) {
		smp_call_function_single(other, store_there, p, true);
		touch(p);
		touch(p);
	}
	stop(MEMORIZER_STREAM_TRAFFIC);
	smp_call_function_single(other, store_there, p, true);
	switch_off(NULL);
	memorizer_set_track_lines(false);
	drain(test, is_move_or_access, p);
	KUNIT_ASSERT_EQ(test, seen_count, 6);
	for (i = 0; i < 6; i++) {
		KUNIT_EXPECT_EQ(test, seen[i].id, MEMORIZER_TRAFFIC_EVENT);
		KUNIT_EXPECT_TRUE(test, ip_is_in(memorizer_pack_ip(seen[i].traffic.ip),
						 i % 2 ? (void *)touch : (void *)store_there));
		KUNIT_EXPECT_EQ(test, seen[i].traffic.ptr, (unsigned long)p);
		KUNIT_EXPECT_EQ(test, seen[i].traffic.size, sizeof(u64));
		KUNIT_EXPECT_EQ(test, seen[i].traffic.kind, MEMORIZER_WRITE);
		KUNIT_EXPECT_EQ(test, seen[i].traffic.line, (unsigned long)p & -size);
		KUNIT_EXPECT_EQ(test, seen[i].traffic.from,
				i % 2 ? other : raw_smp_processor_id());
		if (i % 2)
			KUNIT_EXPECT_EQ(test, seen[i].traffic.pid, current->pid);
	}
	kfree(p);
}
#endif

/* For each kind of event, the bytes that differed from the buffers' poison, and the poisons. */
static bool written[ARRAY_SIZE(event_sizes)][sizeof_field(struct seen, bytes)];
static u8 poisons_of[ARRAY_SIZE(event_sizes)];

static bool note_written(const struct seen *event, const void *poison)
{
	size_t i;

	for (i = 0; i < event_sizes[event->id]; i++)
		if (event->bytes[i] != *(const u8 *)poison)
			written[event->id][i] = true;
	poisons_of[event->id] |= *(const u8 *)poison;
	return false;
}

/* Without unread packets, and with all switches off, nothing uses the buffer. */
static void poison_buffer(void *poison)
{
	struct memorizer_writer *writer = this_cpu_ptr(&memorizer_writer);
	size_t subbufs, subbuf_size;

	memorizer_stream_size(&subbufs, &subbuf_size);
	if (!writer->next && writer->finished == writer->consumed)
		memset(writer->start, *(u8 *)poison, subbufs * subbuf_size);
}

static bool has_been_seen(enum memorizer_event id, u8 poison)
{
	return poisons_of[id] & poison;
}

static void make_most_kinds_of_events(struct kunit *test, u8 poison)
{
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);
	bool accesses = !IS_ENABLED(CONFIG_PROVE_LOCKING);
	u64 *p;

	KUNIT_ASSERT_NOT_NULL(test, mod);
	strscpy(mod->name, "a_module", sizeof(mod->name));
	drain(test, NULL, NULL);
	on_each_cpu(poison_buffer, &poison, true);
	KUNIT_ASSERT_EQ(test, switch_on(NULL), 0);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_ALLOCATIONS, true), 0);
	if (accesses)
		KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_ACCESSES, true), 0);
	memorizer_stream_mark("poison", 6);
	memorizer_stream_module(mod, true, 1);
	p = kmalloc(72, GFP_KERNEL);
	touch(p);
	kfree(p);
	if (accesses)
		stop(MEMORIZER_STREAM_ACCESSES);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	switch_off(NULL);
	drain(test, note_written, &poison);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_RETIREMENTS, true), 0);
	while (!has_been_seen(MEMORIZER_COUNTS_EVENT, poison)) {
		drain(test, note_written, &poison);
		msleep(1);
	}
	stop(MEMORIZER_STREAM_RETIREMENTS);
	drain(test, note_written, &poison);
	KUNIT_EXPECT_TRUE(test, !accesses || has_been_seen(MEMORIZER_ACCESS_EVENT, poison));
}

/* An event shows nothing of what was in the buffer before: no byte keeps either of two poisons. */
static void each_byte_of_an_event_is_written(struct kunit *test)
{
	static const enum memorizer_event expected[] = {
		MEMORIZER_TASK_EVENT, MEMORIZER_CACHE_EVENT, MEMORIZER_ALLOC_EVENT,
		MEMORIZER_FREE_EVENT, MEMORIZER_OBJECT_EVENT, MEMORIZER_COUNTS_EVENT,
		MEMORIZER_MARK_EVENT, MEMORIZER_SWITCH_EVENT, MEMORIZER_MODULE_EVENT,
	};
	size_t id, i;

	memset(written, 0, sizeof(written));
	memset(poisons_of, 0, sizeof(poisons_of));
	make_most_kinds_of_events(test, 0x5a);
	make_most_kinds_of_events(test, 0xa5);
	for (i = 0; i < ARRAY_SIZE(expected); i++)
		KUNIT_EXPECT_EQ_MSG(test, poisons_of[expected[i]], 0xff, "kind %u", expected[i]);
	for (id = 0; id < ARRAY_SIZE(event_sizes); id++)
		for (i = 0; poisons_of[id] == 0xff && i < event_sizes[id]; i++)
			KUNIT_EXPECT_TRUE_MSG(test, written[id][i], "byte %zu of kind %zu", i, id);
}

static bool is_switch(const struct seen *event, const void *unused)
{
	return event->id == MEMORIZER_SWITCH_EVENT;
}

static void each_change_of_a_switch_makes_an_event(struct kunit *test)
{
	drain(test, NULL, NULL);
	memorizer_stream_set(MEMORIZER_STREAM_ALLOCATIONS, true);
	memorizer_stream_set(MEMORIZER_STREAM_ALLOCATIONS, true);
	memorizer_stream_set(MEMORIZER_STREAM_ALLOCATIONS, false);
	drain(test, is_switch, NULL);
	KUNIT_ASSERT_EQ(test, seen_count, 2);
	/* The events may be on different CPUs, in any order. */
	KUNIT_EXPECT_EQ(test, seen[0].change.allocations + seen[1].change.allocations, 1);
	KUNIT_EXPECT_EQ(test, seen[0].change.retirements, 0);
	KUNIT_EXPECT_EQ(test, seen[0].change.accesses, 0);
	KUNIT_EXPECT_EQ(test, seen[0].change.boot, 0);
}

/* Get a CPU's oldest packet. Finishes the open one if necessary. */
static const struct memorizer_packet *next_packet(struct memorizer_writer *writer)
{
	const struct memorizer_packet *packet = memorizer_stream_packet(writer);

	if (packet)
		return packet;
	memorizer_stream_flush(writer);
	return memorizer_stream_packet(writer);
}

/*
 * Drain the buffers, because a full buffer has no packet that reports losses. Returns the sum of
 * all CPUs' reported losses, and sets @first to the sum of the first packets' bases.
 */
static u64 drain_losses(u64 *first)
{
	const struct memorizer_packet *packet;
	struct memorizer_writer *writer;
	u64 losses = 0;
	int cpu;

	*first = 0;
	memorizer_pause();
	for_each_possible_cpu(cpu) {
		writer = &per_cpu(memorizer_writer, cpu);
		packet = next_packet(writer);
		if (packet)
			*first += packet->events_discarded_before;
		for (; packet; packet = next_packet(writer)) {
			losses += packet->events_discarded - packet->events_discarded_before;
			memorizer_stream_consume(writer);
		}
	}
	memorizer_resume();
	return losses;
}

/* A reader that joins between two packets can tell its own losses from earlier ones. */
static void packet_reports_its_own_losses(struct kunit *test)
{
	u64 lost, first;

	drain_losses(&first);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_SCOPED, true), 0);
	lost = lose_marks(3);
	KUNIT_EXPECT_GE(test, drain_losses(&first), lost);
	KUNIT_EXPECT_EQ(test, first, 0);
	KUNIT_EXPECT_EQ(test, memorizer_stream_mark("later", 5), 0);
	KUNIT_EXPECT_EQ(test, drain_losses(&first), 0);
	KUNIT_EXPECT_GE(test, first, lost);
	stop(MEMORIZER_STREAM_SCOPED);
	drain(test, NULL, NULL);
}

#ifdef CONFIG_MEMORIZER_LINES
/* The first packet begins with the switch event of the first switch. */
static void any_switch_begins_the_stream(struct kunit *test)
{
	u64 first;

	drain_losses(&first);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_TRAFFIC, true), 0);
	lose_marks(3);
	stop(MEMORIZER_STREAM_TRAFFIC);
	drain_losses(&first);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_SCOPED, true), 0);
	memorizer_stream_set(MEMORIZER_STREAM_TRAFFIC, true);
	KUNIT_EXPECT_EQ(test, drain_losses(&first), 0);
	KUNIT_EXPECT_EQ(test, first, 0);
	stop(MEMORIZER_STREAM_TRAFFIC);
	stop(MEMORIZER_STREAM_SCOPED);
	drain(test, NULL, NULL);
}
#endif

/* No event could ever follow. */
static void moves_are_refused_without_lines(struct kunit *test)
{
	if (IS_ENABLED(CONFIG_MEMORIZER_LINES))
		kunit_skip(test, "CONFIG_MEMORIZER_LINES is set");
	KUNIT_EXPECT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_TRAFFIC, true), -EOPNOTSUPP);
	KUNIT_EXPECT_FALSE(test, memorizer_stream_is_on(MEMORIZER_STREAM_TRAFFIC));
	drain(test, NULL, NULL);
}

static int mark(const char *text)
{
	return memorizer_stream_mark_scope(text, strlen(text));
}

/* Access @p at scope depths 0, 1, 2, 1 and 0. */
static void touch_in_scopes(struct kunit *test, u64 *p)
{
	touch(p);
	KUNIT_EXPECT_EQ(test, mark("scope outer"), 0);
	touch(p);
	KUNIT_EXPECT_EQ(test, mark("scope inner"), 0);
	touch(p);
	KUNIT_EXPECT_EQ(test, mark("leave inner"), 0);
	touch(p);
	KUNIT_EXPECT_EQ(test, mark("leave outer"), 0);
	touch(p);
}

static bool is_touch_or_mark(const struct seen *event, const void *ptr)
{
	return is_touch(event, ptr) ||
		(event->id == MEMORIZER_MARK_EVENT && event->mark.pid == current->pid);
}

static void accesses_are_streamed_in_scopes_only(struct kunit *test)
{
	/* m: a mark, a: an access of touch() */
	static const char wanted[] = "m" "aaa" "m" "aaa" "m" "aaa" "m";
	static u64 memory[2];
	unsigned int i;

	if (IS_ENABLED(CONFIG_PROVE_LOCKING))
		kunit_skip(test, "too many accesses with lockdep");
	KUNIT_ASSERT_EQ(test, switch_on(NULL), 0);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_SCOPED, true), 0);
	KUNIT_ASSERT_EQ(test, memorizer_stream_set(MEMORIZER_STREAM_ACCESSES, true), 0);
	drain(test, NULL, NULL);
	touch_in_scopes(test, memory);
	stop(MEMORIZER_STREAM_ACCESSES);
	stop(MEMORIZER_STREAM_SCOPED);
	switch_off(NULL);
	drain(test, is_touch_or_mark, memory);
	KUNIT_ASSERT_EQ(test, seen_count, strlen(wanted));
	for (i = 0; i < seen_count; i++)
		KUNIT_EXPECT_EQ(test, seen[i].id == MEMORIZER_MARK_EVENT ? 'm' : 'a', wanted[i]);
}

/* State of a helper task. */
struct other {
	struct completion done;
	unsigned int errors;
};

static int scopes_of_another(void *data)
{
	struct other *other = data;

	other->errors += memorizer_in_scope();
	other->errors += mark("leave outer") != -EINVAL;
	other->errors += mark("scope inner") != 0 || !memorizer_in_scope();
	other->errors += mark("leave inner") != 0 || memorizer_in_scope();
	complete(&other->done);
	return 0;
}

static int end_in_scope(void *data)
{
	struct other *other = data;

	other->errors += mark("scope until the end") != 0;
	complete(&other->done);
	return 0;
}

/* Run a task until it exits. Returns its number of errors. */
static unsigned int run_other(struct kunit *test, int (*function)(void *data))
{
	struct other other = { };
	struct task_struct *task;

	init_completion(&other.done);
	task = kthread_create(function, &other, "memorizer_scope");
	KUNIT_ASSERT_NOT_ERR_OR_NULL(test, task);
	get_task_struct(task);
	wake_up_process(task);
	wait_for_completion(&other.done);
	kthread_stop_put(task);
	return other.errors;
}

static void scopes_are_those_of_their_task(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, memorizer_in_scope());
	KUNIT_EXPECT_EQ(test, mark("leave what is not open"), -EINVAL);
	KUNIT_EXPECT_EQ(test, mark("scope "), 0);
	KUNIT_EXPECT_FALSE(test, memorizer_in_scope());
	KUNIT_ASSERT_EQ(test, mark("scope outer"), 0);
	KUNIT_EXPECT_EQ(test, run_other(test, scopes_of_another), 0);
	KUNIT_EXPECT_TRUE(test, memorizer_in_scope());

	/* Simulate a task with the reused pid of one that exited within its scope. */
	current->start_time++;
	KUNIT_EXPECT_FALSE(test, memorizer_in_scope());
	KUNIT_EXPECT_EQ(test, mark("leave outer"), -EINVAL);
	KUNIT_EXPECT_EQ(test, mark("scope its own"), 0);
	KUNIT_EXPECT_TRUE(test, memorizer_in_scope());
	current->start_time--;
	KUNIT_EXPECT_FALSE(test, memorizer_in_scope());
}

/* More tasks than there are slots. */
static void tasks_that_exit_in_scopes_free_their_slots(struct kunit *test)
{
	unsigned int i, errors = 0;

	for (i = 0; i <= MEMORIZER_SCOPE_SLOTS && !errors; i++)
		errors = run_other(test, end_in_scope);
	KUNIT_EXPECT_EQ(test, errors, 0);
}

/* The interrupt and its softirq have written their marks. */
static bool interrupted;

static void mark_in_softirq(struct tasklet_struct *unused)
{
	memorizer_stream_mark("softirq", strlen("softirq"));
	WRITE_ONCE(interrupted, true);
}

static DECLARE_TASKLET(softirq_work, mark_in_softirq);

static void mark_in_interrupt(struct irq_work *unused)
{
	memorizer_stream_mark("interrupt", strlen("interrupt"));
	tasklet_schedule(&softirq_work);
}

static DEFINE_IRQ_WORK(interrupt_work, mark_in_interrupt);

/* Entries, exits and marks during this task, which stays on one CPU. */
static bool is_entry_or_mark(const struct seen *event, const void *unused)
{
	if (event->id == MEMORIZER_MARK_EVENT)
		return event->mark.pid == current->pid;
	return (event->id == MEMORIZER_ENTER_EVENT || event->id == MEMORIZER_LEAVE_EVENT) &&
		event->entry.pid == current->pid;
}

/* Find the innermost interrupt, softirq or NMI around an event. Returns NULL if there is none. */
static const struct seen *innermost(const struct seen *event)
{
	const struct seen *open[8];
	unsigned int depth = 0;

	for (; event >= seen; event--) {
		if (event->id == MEMORIZER_LEAVE_EVENT && depth < ARRAY_SIZE(open))
			open[depth++] = event;
		else if (event->id == MEMORIZER_ENTER_EVENT && !depth)
			return event;
		else if (event->id == MEMORIZER_ENTER_EVENT)
			depth--;
	}
	return NULL;
}

static void each_entry_makes_its_two_events(struct kunit *test)
{
	const struct seen *found[2] = { };
	unsigned int i, nr = 0;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "interrupt work runs in a thread");
	skip_unless_text_may_be_patched(test);
	interrupted = false;
	start(test, MEMORIZER_STREAM_CONTEXTS);
	irq_work_queue(&interrupt_work);
	while (!READ_ONCE(interrupted))
		cpu_relax();
	stop(MEMORIZER_STREAM_CONTEXTS);
	drain(test, is_entry_or_mark, NULL);
	KUNIT_ASSERT_LT(test, seen_count, SEEN_MAX);
	for (i = 0; i < seen_count; i++)
		if (seen[i].id == MEMORIZER_MARK_EVENT && nr < ARRAY_SIZE(found))
			found[nr++] = innermost(&seen[i]);
	KUNIT_ASSERT_EQ(test, nr, 2);
	KUNIT_ASSERT_NOT_NULL(test, found[0]);
	KUNIT_EXPECT_EQ(test, found[0]->entry.kind, MEMORIZER_INTERRUPT);
	KUNIT_EXPECT_EQ(test, found[0]->entry.pid, current->pid);
	KUNIT_ASSERT_NOT_NULL(test, found[1]);
	KUNIT_EXPECT_EQ(test, found[1]->entry.kind, MEMORIZER_SOFTIRQ);
	KUNIT_EXPECT_EQ(test, found[1]->entry.number, TASKLET_SOFTIRQ);

	start(test, MEMORIZER_STREAM_ALLOCATIONS);
	msleep(20);
	stop(MEMORIZER_STREAM_ALLOCATIONS);
	drain(test, is_entry_or_mark, NULL);
	KUNIT_EXPECT_EQ(test, seen_count, 0);
}

static DEFINE_SPINLOCK(streamed_lock);

static noinline void lock_and_unlock(void)
{
	spin_lock(&streamed_lock);
	spin_unlock(&streamed_lock);
	if (spin_trylock(&streamed_lock))
		spin_unlock(&streamed_lock);
}

static noinline void read_by_rcu(void)
{
	rcu_read_lock();
	rcu_read_unlock();
}

/* This task's events of the lock with this name. */
static bool is_lock_called(const struct seen *event, const void *name)
{
	return event->id == MEMORIZER_LOCK_EVENT && event->lock.pid == current->pid &&
		!strcmp((const char *)event->bytes + sizeof(event->lock), name);
}

static bool is_rcu_section(const struct seen *event, const void *name)
{
	return is_lock_called(event, name) &&
		ip_is_in(memorizer_pack_ip(event->lock.ip), read_by_rcu);
}

static void lock_makes_its_events(struct kunit *test)
{
	static const u8 want[][2] = {
		{ MEMORIZER_LOCK_ACQUIRE, 0 },
#ifdef CONFIG_LOCK_STAT
		{ MEMORIZER_LOCK_ACQUIRED, 0 },
#endif
		{ MEMORIZER_LOCK_RELEASE, 0 },
		{ MEMORIZER_LOCK_ACQUIRED, MEMORIZER_LOCK_TRY },
		{ MEMORIZER_LOCK_RELEASE, 0 },
	};
	unsigned long flags;
	unsigned int i;

	if (!IS_ENABLED(CONFIG_LOCKDEP))
		kunit_skip(test, "without lockdep there are waits only");
	skip_unless_text_may_be_patched(test);
	start(test, MEMORIZER_STREAM_LOCKS);
	local_irq_save(flags);
	lock_and_unlock();
	local_irq_restore(flags);
	stop(MEMORIZER_STREAM_LOCKS);
	drain(test, is_lock_called, "streamed_lock");
	KUNIT_ASSERT_EQ(test, seen_count, ARRAY_SIZE(want));
	for (i = 0; i < seen_count; i++) {
		KUNIT_EXPECT_EQ(test, seen[i].lock.op, want[i][0]);
		KUNIT_EXPECT_EQ(test, seen[i].lock.flags, want[i][1]);
		KUNIT_EXPECT_EQ(test, seen[i].lock.lock, seen[0].lock.lock);
	}
	KUNIT_EXPECT_LT(test, seen[0].lock.lock - (unsigned long)&streamed_lock,
			sizeof(streamed_lock));
}

static void ignore_irq(void *unused, int irq, struct irqaction *action, int ret)
{
}

static int refuse(void)
{
	return -ENOMEM;
}

/* If a probe cannot be registered, the others are not, either. */
static void probes_are_registered_all_or_none(struct kunit *test)
{
	static struct tracepoint refusing = {
		.name = "refusing", .key = STATIC_KEY_INIT_FALSE, .regfunc = refuse,
	};
	static const struct memorizer_probe probes[] = {
		{ &__tracepoint_irq_handler_exit, ignore_irq },
		{ &refusing, ignore_irq },
		{ &__tracepoint_irq_handler_entry, ignore_irq },
	};

	KUNIT_EXPECT_EQ(test, memorizer_probes_register(probes, 3), -ENOMEM);
	/* It is refused, with a warning, if the first one is registered already. */
	KUNIT_EXPECT_EQ(test, memorizer_probes_register(probes, 1), 0);
	memorizer_probes_unregister(probes, 1);
}

static void rcu_section_makes_its_two_events(struct kunit *test)
{
	unsigned long flags;

	if (!IS_ENABLED(CONFIG_LOCKDEP))
		kunit_skip(test, "without lockdep nothing tells of RCU's sections");
	skip_unless_text_may_be_patched(test);
	start(test, MEMORIZER_STREAM_LOCKS);
	local_irq_save(flags);
	read_by_rcu();
	local_irq_restore(flags);
	stop(MEMORIZER_STREAM_LOCKS);
	drain(test, is_rcu_section, "rcu_read_lock");
	KUNIT_ASSERT_EQ(test, seen_count, 2);
	KUNIT_EXPECT_EQ(test, seen[0].lock.op, MEMORIZER_LOCK_ACQUIRED);
	KUNIT_EXPECT_EQ(test, seen[0].lock.flags, MEMORIZER_LOCK_SHARED);
	KUNIT_EXPECT_EQ(test, seen[1].lock.op, MEMORIZER_LOCK_RELEASE);
}

static struct kunit_case stream_cases[] = {
	KUNIT_CASE_PARAM(allocation_makes_its_two_events, allocator_gen_params),
	KUNIT_CASE(bytes_end_with_the_slot),
	KUNIT_CASE(krealloc_in_place_frees_and_allocates),
	KUNIT_CASE(kfree_rcu_makes_one_free_and_one_rcu_free),
	KUNIT_CASE(pages_make_their_two_events),
	KUNIT_CASE(compound_page_makes_its_two_events),
	KUNIT_CASE(bulk_pages_make_an_event_each),
	KUNIT_CASE(split_page_is_freed_in_parts),
	KUNIT_CASE(vmalloc_makes_its_two_events),
	KUNIT_CASE(mapped_pages_make_their_two_events),
	KUNIT_CASE(area_of_a_device_makes_its_two_events),
	KUNIT_CASE(resized_area_is_freed_and_allocated),
	KUNIT_CASE(stack_of_a_task_makes_its_two_events),
	KUNIT_CASE(percpu_memory_makes_two_events_on_each_cpu),
	KUNIT_CASE(task_is_described_once_and_when_renamed),
	KUNIT_CASE(new_task_is_described),
	KUNIT_CASE(task_with_the_pid_of_another_is_described),
	KUNIT_CASE(module_event_tells_where_it_is),
	KUNIT_CASE(cache_is_described_once_in_each_session),
	KUNIT_CASE(all_events_are_read),
	KUNIT_CASE(sums_agree_while_events_come),
	KUNIT_CASE(event_in_a_writer_is_counted_as_lost),
	KUNIT_CASE(full_buffer_loses_the_newest),
	KUNIT_CASE(retired_object_has_its_counts_and_leaves_the_pool),
#ifdef CONFIG_MEMORIZER_PAGES
	KUNIT_CASE(many_accesses_to_user_memory_are_retired),
#endif
#ifdef CONFIG_MEMORIZER_STACKS
	KUNIT_CASE(stack_is_described_once_in_each_session),
#endif
	KUNIT_CASE(each_access_makes_an_event_and_counts),
#ifdef CONFIG_MEMORIZER_LINES
	KUNIT_CASE(each_move_of_a_line_makes_an_event),
#endif
	KUNIT_CASE(each_byte_of_an_event_is_written),
	KUNIT_CASE(each_change_of_a_switch_makes_an_event),
	KUNIT_CASE(packet_reports_its_own_losses),
#ifdef CONFIG_MEMORIZER_LINES
	KUNIT_CASE(any_switch_begins_the_stream),
#endif
	KUNIT_CASE(moves_are_refused_without_lines),
	KUNIT_CASE(accesses_are_streamed_in_scopes_only),
	KUNIT_CASE(scopes_are_those_of_their_task),
	KUNIT_CASE(tasks_that_exit_in_scopes_free_their_slots),
	KUNIT_CASE(each_entry_makes_its_two_events),
	KUNIT_CASE(lock_makes_its_events),
	KUNIT_CASE(probes_are_registered_all_or_none),
	KUNIT_CASE(rcu_section_makes_its_two_events),
	{ }
};

/* Switch everything off and pin the test to one CPU, so that its events are in order. */
static int settle(struct kunit *test)
{
	int which;

	for (which = 0; which < MEMORIZER_STREAM_SWITCHES; which++)
		memorizer_stream_set(which, false);
	/* Background allocations of an earlier test may have filled the pool. */
	memorizer_clear();
	return set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
}

static struct kunit_suite stream_suite = {
	.name = "memorizer_stream",
	.init = settle,
	.test_cases = stream_cases,
};

kunit_test_suite(stream_suite);

MODULE_DESCRIPTION("KUnit tests of Memorizer's stream");
MODULE_LICENSE("GPL");
