// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: an allocator of slabs, large objects and guarded objects. It reuses
 * the pages of a small heap over and over, with changing layouts. No memory is mapped at its
 * addresses.
 */
#include <pthread.h>

#include "test.h"

#define MAX_PAGES	1024
#define MAX_SLOTS	512

/* Objects that are small, of odd size, cross pages, or have red zones. */
const struct heap_cache heap_caches[HEAP_CACHES] = {
	{ .size = 8, .stride = 8 },
	{ .size = 64, .stride = 64 },
	{ .size = 100, .stride = 192 },
	{ .size = 24, .stride = 48, .pad = 8 },
	{ .size = 700, .stride = 704, .order = 1 },
	{ .size = 1250, .stride = 1280, .order = 2 },
	{ .size = 3000, .stride = 3072, .order = 3 },
	{ .size = 4096, .stride = 12288, .pad = 4096, .order = 3 },
};

/* A page. Only the first page of a slab or object has the fields below @first. */
struct heap_page {
	struct heap_page *first;	/* of the slab or object, NULL if the page is free */
	const struct heap_cache *cache;	/* NULL for a large object */
	unsigned int pages;
	unsigned int used;
	size_t size;
	bool taken[MAX_SLOTS];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct heap_page page_table[MAX_PAGES];
static unsigned long heap_base, heap_pages;
static u64 heap_random;

/* Number of calls of memorizer_geometry(). */
unsigned long heap_questions;

/*
 * Called when slabs and large objects take pages, and when they give them back, unless NULL. Then
 * they take 2^order pages.
 */
void (*heap_pages_taken)(unsigned long addr, unsigned int order);
void (*heap_pages_given)(unsigned long addr, unsigned int order);

static void lock_heap(void)
{
	disable_interrupts();
	pthread_mutex_lock(&lock);
}

static void unlock_heap(void)
{
	pthread_mutex_unlock(&lock);
	enable_interrupts();
}

static unsigned long page_address(const struct heap_page *page)
{
	return heap_base + ((page - page_table) << PAGE_SHIFT);
}

static struct heap_page *page_of(unsigned long addr)
{
	return &page_table[(addr - heap_base) >> PAGE_SHIFT];
}

static unsigned int slots_of(const struct heap_cache *cache)
{
	return (PAGE_SIZE << cache->order) / cache->stride;
}

static bool is_free(const struct heap_page *page, unsigned int pages)
{
	unsigned int i;

	for (i = 0; i < pages; i++)
		if (page[i].first)
			return false;
	return true;
}

/* Allocate pages at a random multiple of @align. NULL if there are none. */
static struct heap_page *find_pages(unsigned int pages, unsigned int align)
{
	unsigned int places = heap_pages / align, begin = random_u32(&heap_random), i, j;
	struct heap_page *page;

	for (i = 0; i < places; i++) {
		page = &page_table[(begin + i) % places * align];
		if (page + pages > page_table + heap_pages || !is_free(page, pages))
			continue;
		for (j = 0; j < pages; j++)
			page[j].first = page;
		page->pages = pages;
		page->used = 0;
		return page;
	}
	return NULL;
}

static void release_pages(struct heap_page *page)
{
	unsigned int i;

	if (page->cache)
		memorizer_slab_free((void *)page_address(page));
	if (heap_pages_given)
		heap_pages_given(page_address(page), ilog2(page->pages));
	for (i = 0; i < page->pages; i++)
		page[i].first = NULL;
}

/**
 * heap_init() - set up an empty heap
 * @pages: its size; the boundary between two leaves of the index is in its middle
 */
void heap_init(unsigned long pages)
{
	struct heap_page *page;

	CHECK(pages <= MAX_PAGES);
	for (page = page_table; page < page_table + heap_pages; page++)
		if (page->first == page)
			release_pages(page);
	memset(page_table, 0, sizeof(page_table));
	heap_pages = pages;
	heap_base = MAP_BASE + (4UL << 20) - (pages / 2 << PAGE_SHIFT);
	heap_random = 1;
}

/* Allocate pages, from empty slabs if necessary. */
static struct heap_page *find_or_release(unsigned int pages, unsigned int align)
{
	struct heap_page *page = find_pages(pages, align);

	if (page)
		return page;
	for (page = page_table; page < page_table + heap_pages; page++)
		if (page->first == page && page->cache && !page->used)
			release_pages(page);
	return find_pages(pages, align);
}

static struct heap_page *take_pages(unsigned int pages, unsigned int align)
{
	struct heap_page *page;

	if (!heap_pages_taken)
		return find_or_release(pages, align);
	while (pages & (pages - 1))
		pages++;
	page = find_or_release(pages, pages);
	if (page)
		heap_pages_taken(page_address(page), ilog2(pages));
	return page;
}

/* A slab of the cache with a free slot. */
static struct heap_page *find_slab(const struct heap_cache *cache)
{
	unsigned int begin = random_u32(&heap_random), i;
	struct heap_page *page;

	for (i = 0; i < heap_pages; i++) {
		page = &page_table[(begin + i) % heap_pages];
		if (page->first == page && page->cache == cache && page->used < slots_of(cache))
			return page;
	}
	page = take_pages(1U << cache->order, 1U << cache->order);
	if (page)
		page->cache = cache;
	return page;
}

/**
 * heap_alloc() - allocate an object of a cache
 * @cache: index in heap_caches
 *
 * Return: its address, 0 if the heap is full
 */
unsigned long heap_alloc(unsigned int cache)
{
	const struct heap_cache *c = &heap_caches[cache];
	unsigned int slot = 0;
	unsigned long addr = 0;
	struct heap_page *page;

	lock_heap();
	page = find_slab(c);
	if (page) {
		while (page->taken[slot])
			slot++;
		page->taken[slot] = true;
		page->used++;
		addr = page_address(page) + c->pad + slot * c->stride;
	}
	unlock_heap();
	return addr;
}

static unsigned long alloc_pages(size_t size, bool at_end)
{
	struct heap_page *page;
	unsigned long addr = 0;

	lock_heap();
	page = take_pages(DIV_ROUND_UP(size, PAGE_SIZE), 1);
	if (page) {
		page->cache = NULL;
		page->size = size;
		addr = page_address(page) + (at_end ? -size & ~PAGE_MASK : 0);
	}
	unlock_heap();
	return addr;
}

/**
 * heap_alloc_large() - allocate an object that has pages of its own
 * @size: bytes
 *
 * Return: its address, 0 if the heap is full
 */
unsigned long heap_alloc_large(size_t size)
{
	return alloc_pages(size, false);
}

/**
 * heap_alloc_guarded() - allocate an object at the end of a page, as KFENCE does
 * @size: bytes, a page at most
 *
 * Return: its address, 0 if the heap is full
 */
unsigned long heap_alloc_guarded(size_t size)
{
	return alloc_pages(size, true);
}

/**
 * heap_alloc_pages() - allocate pages, without calling heap_pages_taken()
 * @order: log2 of the number of pages
 *
 * Return: their address, 0 if the heap is full
 */
unsigned long heap_alloc_pages(unsigned int order)
{
	struct heap_page *page;
	unsigned long addr = 0;
	unsigned int i;

	lock_heap();
	page = find_or_release(1U << order, 1U << order);
	if (page) {
		addr = page_address(page);
		/* Each can be freed alone. */
		for (i = 0; i < 1U << order; i++) {
			page[i].first = &page[i];
			page[i].cache = NULL;
			page[i].pages = 1;
			page[i].size = PAGE_SIZE;
		}
	}
	unlock_heap();
	return addr;
}

/**
 * heap_free_pages() - free pages, without calling heap_pages_given()
 * @addr: their address
 * @order: log2 of their number
 */
void heap_free_pages(unsigned long addr, unsigned int order)
{
	struct heap_page *page = page_of(addr);

	lock_heap();
	for (; page < page_of(addr) + (1U << order); page++) {
		CHECK_EQ(page->first, page);
		page->first = NULL;
	}
	unlock_heap();
}

/**
 * heap_free() - free an object
 * @addr: its address
 */
void heap_free(unsigned long addr)
{
	struct heap_page *page;
	unsigned int slot;

	lock_heap();
	page = page_of(addr)->first;
	if (page->cache) {
		slot = (addr - page_address(page) - page->cache->pad) / page->cache->stride;
		CHECK(page->taken[slot]);
		page->taken[slot] = false;
		page->used--;
		/* Keep some empty slabs, as allocators do. */
		if (!page->used && random_u32(&heap_random) % 2)
			release_pages(page);
	} else {
		release_pages(page);
	}
	unlock_heap();
}

/**
 * heap_size() - get the size of an object
 * @addr: its address
 *
 * Return: bytes
 */
size_t heap_size(unsigned long addr)
{
	struct heap_page *page = page_of(addr)->first;

	return page->cache ? page->cache->size : page->size;
}

void memorizer_geometry(const void *ptr, size_t size, struct memorizer_geometry *geo)
{
	unsigned long addr = (unsigned long)ptr;
	const struct heap_page *page = page_of(addr)->first;

	__atomic_fetch_add(&heap_questions, 1, __ATOMIC_RELAXED);
	if (!page->cache) {
		geo->start = addr & PAGE_MASK;
		geo->pages = DIV_ROUND_UP((addr & ~PAGE_MASK) + size, PAGE_SIZE);
		geo->slots = 0;
		return;
	}
	geo->start = page_address(page);
	geo->base = geo->start + page->cache->pad;
	geo->stride = page->cache->stride;
	geo->slots = slots_of(page->cache);
	geo->pages = page->pages;
}
