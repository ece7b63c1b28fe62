// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's pages: record what the page allocator hands out and takes back.
 *
 * An allocation of pages is an object until all of it is freed, or a part. In the latter case, what
 * remains of it becomes one or two objects with the same allocation: split_page(),
 * alloc_pages_exact() and the splits of folios need no hooks. Frees of parts of the same pages take
 * turns. Each page's word in the index names a live object at any time, so that another free, or an
 * access, finds the whole or the part.
 */
#include <linux/cache.h>
#include <linux/memorizer-pages.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/spinlock.h>

#include "alloc_stack.h"
#include "announce.h"
#include "entry.h"
#include "hooks.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "record.h"

/* What the page allocator's hooks do: MEMORIZER_DO_RECORD, _FOLLOW and _OBSERVE. */
u8 memorizer_page_hooks __read_mostly;

/* Taken to free a part of pages. NMIs free no pages. */
static DEFINE_RAW_SPINLOCK(split_lock);

static void alloc_pages_at(unsigned long va, unsigned int order, u8 hooks, unsigned long ip,
			   u32 stack)
{
	/* Nothing was ever recorded. */
	if (!(hooks & MEMORIZER_DO_FOLLOW))
		return;
	/*
	 * The index takes milliseconds for a gigantic page, and again for each of its pages that is
	 * freed alone. There is nothing to bury: the pages were free.
	 */
	if (likely(order <= MAX_PAGE_ORDER))
		memorizer_alloc_area(MEMORIZER_KIND_PAGES, va, PAGE_SIZE << order, ip,
				     stack, hooks & MEMORIZER_DO_RECORD);
	else if (hooks & MEMORIZER_DO_RECORD)
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_RANGE]);
}

void __memorizer_alloc_pages(const struct page *page, unsigned int order, gfp_t gfp,
			     unsigned long ip)
{
	u32 stack = 0;

	if (!page)
		return;
	ip = memorizer_caller(ip);
	if (READ_ONCE(memorizer_page_hooks) & MEMORIZER_DO_OBSERVE)
		memorizer_observer_alloc_pages(page, order, gfp, ip);
	if (READ_ONCE(memorizer_page_hooks) & MEMORIZER_DO_RECORD)
		stack = memorizer_alloc_stack(page_to_virt(page), MEMORIZER_KIND_PAGES, ip);
	/* The flags are read in the section that memorizer_grace_period() waits for. */
	preempt_disable_notrace();
	alloc_pages_at((unsigned long)page_to_virt(page), order, READ_ONCE(memorizer_page_hooks),
		       ip, stack);
	preempt_enable_notrace();
}

/* Free pages that were allocated at once. Returns false, with no side effect, otherwise. */
static bool end_whole(unsigned long va, size_t size, unsigned long ip)
{
	u32 id = memorizer_index_area(va);
	const struct memorizer_object *object = memorizer_ptr(id);

	if (!id || memorizer_object_va(object) != va || READ_ONCE(object->size) != size)
		return false;
	memorizer_index_end_area(va, va + size, id);
	memorizer_end_id(id, ip);
	return true;
}

static bool has_pages(unsigned long at, unsigned long end)
{
	while (at < end && !memorizer_index_area(at))
		at += PAGE_SIZE;
	return at < end;
}

/* Make a part of pages that stays allocated an object of its own. */
static void keep_part(u32 whole, unsigned long start, unsigned long end)
{
	struct memorizer_object *part;
	u32 id;

	if (start >= end)
		return;
	id = memorizer_object_copy(whole, start, end - start);
	if (!id) {
		memorizer_index_end_area(start, end, whole);
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_OBJECT]);
		return;
	}
	part = memorizer_ptr(id);
	/* Live before it is in the index: until then, accesses find the whole. */
	memorizer_object_publish(part, start, memorizer_counts_granules(part));
	memorizer_index_split_pages(start, end, id, whole);
	memorizer_announce_object(id);
}

/* Free pages that were allocated together with others. */
static noinline void end_parts(unsigned long at, unsigned long end, unsigned long ip)
{
	const struct memorizer_object *object;
	unsigned long flags, va, last, next;
	u32 id;

	raw_spin_lock_irqsave(&split_lock, flags);
	for (; at < end; at = next) {
		next = at + PAGE_SIZE;
		id = memorizer_index_area(at);
		if (!id)
			continue;
		object = memorizer_ptr(id);
		va = memorizer_object_va(object);
		last = va + object->size;
		next = min(last, end);
		keep_part(id, va, at);
		keep_part(id, next, last);
		memorizer_index_end_area(at, next, id);
		memorizer_end_id(id, ip);
	}
	raw_spin_unlock_irqrestore(&split_lock, flags);
}

void __memorizer_free_pages(const struct page *page, unsigned int order, unsigned long ip)
{
	unsigned long va = (unsigned long)page_to_virt(page);
	size_t size = PAGE_SIZE << order;

	if (READ_ONCE(memorizer_page_hooks) & MEMORIZER_DO_OBSERVE)
		memorizer_observer_free_pages(page, order, ip);
	preempt_disable_notrace();
	/* Nothing was ever recorded, or the pages were freed at once. */
	if (!(READ_ONCE(memorizer_page_hooks) & MEMORIZER_DO_FOLLOW) || end_whole(va, size, ip))
		;
	else if (has_pages(va, va + size))
		end_parts(va, va + size, ip);
	else
		this_cpu_inc(memorizer_counters.unknown_frees);
	preempt_enable_notrace();
}

/**
 * memorizer_switch_pages() - change what the page allocator's hooks do
 * @what: MEMORIZER_DO_RECORD or other such bits
 * @on: true to set them, false to clear them
 *
 * Context: process context, under memorizer_rwsem, for writing; or boot, one CPU.
 */
void memorizer_switch_pages(unsigned int what, bool on)
{
	if (on)
		memorizer_want_callers();
	/* Hooks read it without a lock. */
	WRITE_ONCE(memorizer_page_hooks, (memorizer_page_hooks & ~what) | (on ? what : 0));
}
