// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: the core does what its model does.
 *
 * A run decodes bytes into operations on both, which model_check.c compares. The bytes are random
 * here; fuzz.c has libFuzzer choose them. A divergence prints the operations.
 */
#include <sys/wait.h>
#include <unistd.h>

#include <linux/memorizer-string.h>
#include <linux/sched/task_stack.h>
#include <linux/vmalloc.h>

#include "../../../mm/memorizer/observer.h"
#include "../../../mm/memorizer/user.h"
#include "model.h"

/* Operations between two comparisons. */
#define PERIOD		24

/* Few, so that each CPU uses its free records up, and to empty their caches takes less time. */
#define CPUS		3

/* Pages of the heap, and objects allocated from it at once. */
#define HEAP_PAGES	24
#define CHUNKS		32

#define AREAS		4

/* Struct pages that are accessed, the last ones of the array. */
#define LAST_STRUCT_PAGES	12
#define MODEL_GROUPS	8

/* Room for what finish() does. */
#define RESERVE		512

/* Long runs of accesses, which reach 2^15, take most of the time. */
#define LONG_RUNS	2

struct model model;

/* What the heap has allocated, or had: a place to access. */
static struct chunk {
	unsigned long addr;
	size_t size;
	bool allocated;
	bool pages;
} chunks[CHUNKS];

/* Contents of the heap for string functions, which cannot read each fourth page. */
static u8 heap_bytes[HEAP_PAGES << PAGE_SHIFT];

/* Areas of vmalloc, side by side, each of at most the size of a stack. A task may have it. */
static struct area {
	unsigned long addr;
	size_t size;
	unsigned long flags;
	bool allocated;
	bool is_stack;
	struct task_struct task;
} areas[AREAS];

static const struct memorizer_group *groups[MODEL_GROUPS];
static struct memorizer_member members[MODEL_GROUPS][8];

/* The input, and what it was decoded to. */
static const u8 *input;
static size_t left;

static struct {
	const char *text;
	unsigned long arg[6];
} done[MODEL_OBJECTS];	/* at most one object each */
static unsigned int operations;
static bool observing, observing_allocations;
static unsigned int long_runs, carries;

static u8 byte(void)
{
	if (!left)
		return 0;
	left--;
	return *input++;
}

#define DID(text, ...)	did(text, (const unsigned long [6]) { __VA_ARGS__ })

static void did(const char *text, const unsigned long *args)
{
	CHECK(operations < ARRAY_SIZE(done));
	done[operations].text = text;
	memcpy(done[operations].arg, args, sizeof(done[operations].arg));
	operations++;
}

static void print_operations(void)
{
	const unsigned long *arg;
	unsigned int i;

	for (i = 0; i < operations; i++) {
		arg = done[i].arg;
		fprintf(stderr, "%4u ", i);
		fprintf(stderr, done[i].text, arg[0], arg[1], arg[2], arg[3], arg[4], arg[5]);
		fputc('\n', stderr);
	}
}

/* Few ips, of which some share slots of the cache, and some are far away. */
static unsigned long some_ip(void)
{
	u8 b = byte();

	return b % 16 == 13 ? CHOSEN_IP : IP(0x1000 + b % 16 * 5 + b / 64 * 0x40000);
}

static struct chunk *some_chunk(void)
{
	return &chunks[byte() % CHUNKS];
}

static struct chunk *some_allocated(bool pages)
{
	unsigned int first = byte(), i;
	struct chunk *chunk;

	for (i = 0; i < CHUNKS; i++) {
		chunk = &chunks[(first + i) % CHUNKS];
		if (chunk->allocated && chunk->pages == pages)
			return chunk;
	}
	return NULL;
}

/* An address in, near or outside of an object, or outside of the heap. */
static unsigned long some_address(void)
{
	static const unsigned long elsewhere[] = {
		0, 0x7fff00001000, MAP_BASE - 8, MAP_BASE, MAP_BASE + 64,
		MAP_BASE + MAP_BYTES - 16, MAP_BASE + MAP_BYTES, -4096UL,
	};
	const struct chunk *chunk = some_chunk();
	unsigned int place = byte(), part;

	/* The model knows the cache lines of the heap only. */
	if (place >= 192 && place < 222 && !model.tracking) {
		part = byte();
		if (place >= 216)
			return (place % 2 ? VARIABLES : PERCPU(part % 2)) +
				(part < 80 ? part : part * 100);
		return place < 204 ? VMALLOC_START + part * AREAS * THREAD_SIZE / 250 :
			STRUCT_PAGES + STRUCT_PAGE_BYTES - LAST_STRUCT_PAGES * 64 + part * 4;
	}
	if (!chunk->addr || place >= 252)
		return elsewhere[place % ARRAY_SIZE(elsewhere)];
	if (place < 64)
		return chunk->addr + place * 8 % chunk->size;
	if (place < 128)
		return chunk->addr + place - 96;
	if (place < 192)
		return chunk->addr + chunk->size + place - 160;
	return chunk->addr + (place - 192) * chunk->size / 60;
}

/*
 * Operations on the heap.
 */

/* The record of a new object: the only one that nothing in the model has. */
static void *new_record(unsigned long addr)
{
	void *record = memorizer_ptr(lookup(addr));
	unsigned int i;

	for (i = 0; i + 1 < model.objects; i++)
		CHECK(model.object[i]->record != record);
	return record;
}

/* Allocate in the model as hook_alloc() or memorizer_realloc() has done in the core. */
static void follow_alloc(unsigned long addr, size_t size, unsigned long ip,
			 const struct memorizer_counters *was)
{
	struct memorizer_counters now = sum_counters();
	struct memorizer_geometry memory;
	struct model_object *object;
	unsigned int why;

	memorizer_geometry((void *)addr, size < U32_MAX ? size : 1, &memory);
	object = model_alloc(&model, addr, size, &memory, ip);
	if (!object) {
		/* A record could hold it, but the index does not: either cause is right. */
		why = MEMORIZER_LOST_OBJECT;
		if (size == U32_MAX && now.lost[why] != was->lost[why]) {
			CHECK(model.small_pool);
			model.counters.lost[MEMORIZER_LOST_RANGE]--;
			model.counters.lost[why]++;
		}
		return;
	}
	settle_buried(&memory);
	for (why = MEMORIZER_LOST_OBJECT; why <= MEMORIZER_LOST_INDEX; why++) {
		if (now.lost[why] == was->lost[why])
			continue;
		CHECK(model.small_pool);
		model_lose(&model, object, why);
		return;
	}
	object->record = new_record(addr);
}

/* Settle a new area or stack, whose record is @id. */
static void follow_area(struct model_object *object, const struct memorizer_counters *was, u32 id)
{
	struct memorizer_counters now = sum_counters();
	unsigned int why;

	if (!object)
		return;
	for (why = MEMORIZER_LOST_OBJECT; why <= MEMORIZER_LOST_INDEX; why++) {
		if (now.lost[why] == was->lost[why])
			continue;
		CHECK(model.small_pool);
		model_lose(&model, object, why);
		return;
	}
	object->record = memorizer_ptr(id);
}

/*
 * Pages.
 */

/* The caller of slabs that take pages. */
#define SLAB_IP		IP(0x9000)

static void alloc_pages_at(unsigned long addr, unsigned int order, unsigned long ip)
{
	const struct memorizer_counters was = sum_counters();
	struct model_object *object;

	DID("allocate pages at %#lx, order %lu, ip %lx", addr, order, ip);
	hook_alloc_pages(addr, order, ip);
	object = model_alloc_area(&model, MEMORIZER_KIND_PAGES, addr, PAGE_SIZE << order, ip);
	settle_buried(&(struct memorizer_geometry) { .start = addr, .pages = 1 << order });
	follow_area(object, &was, memorizer_index_area(addr));
}

static void free_pages_at(unsigned long addr, unsigned int order, unsigned long ip)
{
	struct model_object *object;
	unsigned int i;
	u32 id;

	DID("free pages at %#lx, order %lu, ip %lx", addr, order, ip);
	hook_free_pages(addr, order, ip);
	model_free_pages(&model, addr, PAGE_SIZE << order, ip);
	/* Parts that stay are new objects. */
	for (i = model.objects; i-- && !model.object[i]->record;) {
		object = model.object[i];
		id = memorizer_index_area(object->addr);
		if (!id) {
			CHECK(model.small_pool);
			model_lose(&model, object, MEMORIZER_LOST_OBJECT);
			continue;
		}
		object->record = memorizer_ptr(id);
	}
}

static void slab_takes_pages(unsigned long addr, unsigned int order)
{
	alloc_pages_at(addr, order, SLAB_IP);
}

static void slab_gives_pages(unsigned long addr, unsigned int order)
{
	free_pages_at(addr, order, SLAB_IP + 8);
}

static void alloc_some_pages(void)
{
	unsigned int how = byte(), order = how % 4;
	unsigned long ip = some_ip(), addr;
	struct chunk *chunk;

	for (chunk = chunks; chunk < chunks + CHUNKS && chunk->allocated; chunk++)
		;
	if (chunk == chunks + CHUNKS)
		return;
	addr = heap_alloc_pages(order);
	if (!addr)
		return;
	*chunk = (struct chunk) { addr, PAGE_SIZE << order, true, true };
	alloc_pages_at(addr, order, ip);
}

/* Free pages; or the lower or the upper half. */
static void free_some_pages(void)
{
	struct chunk *chunk = some_allocated(true);
	unsigned int how = byte(), order;
	unsigned long addr;

	if (!chunk)
		return;
	addr = chunk->addr;
	order = ilog2(chunk->size) - PAGE_SHIFT;
	if (order && how % 2) {
		order--;
		chunk->size /= 2;
		if (how % 4 == 1)
			chunk->addr += chunk->size;
		else
			addr += chunk->size;
	} else {
		chunk->allocated = false;
	}
	free_pages_at(addr, order, some_ip());
	heap_free_pages(addr, order);
}

/*
 * Areas of vmalloc, and stacks.
 */

static enum memorizer_object_kind kind_of(const struct area *area)
{
	return area->flags == VM_ALLOC ? MEMORIZER_KIND_VMALLOC :
		area->flags == VM_MAP ? MEMORIZER_KIND_VMAP : MEMORIZER_KIND_IOREMAP;
}

static void alloc_area(struct area *area, unsigned int how)
{
	static const unsigned long flags[] = { VM_ALLOC, VM_MAP, VM_IOREMAP, VM_ALLOC };
	const struct memorizer_counters was = sum_counters();
	unsigned long ip = some_ip();

	area->addr = VMALLOC_START + (area - areas) * THREAD_SIZE;
	area->size = how % 2 ? THREAD_SIZE : 1 + how * 60;
	area->flags = flags[how / 2 % 4];
	area->allocated = true;
	DID("allocate the area %#lx, size %lu, flags %lu, ip %lx", area->addr, area->size,
	    area->flags, ip);
	memorizer_vmalloc((void *)area->addr, area->size, PAGE_ALIGN(area->size), area->flags,
			  ip);
	follow_area(model_alloc_area(&model, kind_of(area), area->addr, area->size, ip), &was,
		    memorizer_index_area(area->addr));
}

static void free_area(struct area *area, unsigned int how)
{
	unsigned long ip = some_ip();

	DID("free the area %#lx, ip %lx, ip set before %lu", area->addr, ip, how % 2);
	if (how % 2) {
		memorizer_set_free_ip((void *)area->addr, IP(how));
		model_set_free_ip(&model, area->addr, IP(how));
	}
	memorizer_vfree((void *)area->addr, PAGE_ALIGN(area->size), area->flags, ip);
	model_free_area(&model, kind_of(area), area->addr, ip);
	area->allocated = false;
}

static void resize_area(struct area *area, unsigned int how)
{
	const struct memorizer_counters was = sum_counters();
	unsigned long ip = some_ip();

	area->size = 1 + how * 60;
	DID("resize the area %#lx to %lu, ip %lx", area->addr, area->size, ip);
	memorizer_vrealloc((void *)area->addr, area->size, PAGE_ALIGN(area->size), area->flags,
			   ip);
	model_free_area(&model, kind_of(area), area->addr, ip);
	follow_area(model_alloc_area(&model, kind_of(area), area->addr, area->size, ip), &was,
		    memorizer_index_area(area->addr));
}

static void alloc_stack(struct area *area)
{
	const struct memorizer_counters was = sum_counters();
	unsigned long ip = some_ip();

	DID("make the stack %#lx, ip %lx", area->addr, ip);
	area->is_stack = true;
	area->task.stack = (void *)area->addr;
	memorizer_stack_alloc(area->task.stack, ip);
	follow_area(model_alloc_stack(&model, area->addr, ip), &was, lookup(area->addr));
}

static void free_stack(struct area *area)
{
	unsigned long ip = some_ip();

	DID("take the stack %#lx back, ip %lx", area->addr, ip);
	memorizer_stack_free(area->task.stack, ip);
	model_free_stack(&model, area->addr, ip);
	area->is_stack = false;
}

static void name_stack(struct area *area, unsigned int how)
{
	area->task.pid = 1000 + how;
	snprintf(area->task.comm, TASK_COMM_LEN, "stack %u", how);
	DID("the stack %#lx is that of pid %lu", area->addr, area->task.pid);
	memorizer_stack_task(&area->task);
	model_stack_task(&model, area->addr, &area->task);
}

static void use_area(void)
{
	struct area *area = &areas[byte() % AREAS];
	unsigned int how = byte();

	if (!area->allocated)
		alloc_area(area, how);
	else if (area->is_stack && how % 4 == 0)
		name_stack(area, how);
	else if (area->is_stack)
		free_stack(area);
	else if (area->size == THREAD_SIZE && how % 4)
		alloc_stack(area);
	else if (how % 3 == 0)
		resize_area(area, how);
	else
		free_area(area, how);
}

static unsigned long take_memory(unsigned int cache, unsigned int part)
{
	if (cache < HEAP_CACHES)
		return heap_alloc(cache);
	if (cache % 2)
		return heap_alloc_large(1 + part * 80);
	return heap_alloc_guarded(1 + part * 16);
}

/* Allocate; several of a cache at once, so that slabs are full. */
static void alloc_some(void)
{
	unsigned int cache = byte() % (HEAP_CACHES + 4), part = byte(), n = byte() % 8 < 5 ? 1 : 5;
	unsigned long ip = some_ip(), addr;
	struct memorizer_counters was;
	struct chunk *chunk;
	size_t size;

	for (chunk = chunks; chunk < chunks + CHUNKS && n; chunk++) {
		if (chunk->allocated)
			continue;
		addr = take_memory(cache, part);
		if (!addr)
			return;
		n--;
		*chunk = (struct chunk) { addr, heap_size(addr), true };
		size = max(1UL, chunk->size - (part % 4 ? 0 : part * chunk->size / 512));
		DID("allocate %#lx size %lu ip %lx", addr, size, ip);
		was = sum_counters();
		hook_alloc(addr, size, ip);
		follow_alloc(addr, size, ip, &was);
	}
}

/* The allocator takes the memory back. */
static void take_back(struct chunk *chunk)
{
	struct model_object *object = model_at(&model, chunk->addr);

	if (object)
		object->allocated = false;
	heap_free(chunk->addr);
	chunk->allocated = false;
}

static void free_chunk(struct chunk *chunk, unsigned long ip)
{
	DID("free %#lx ip %lx", chunk->addr, ip);
	hook_free(chunk->addr, ip);
	model_free(&model, chunk->addr, ip);
	take_back(chunk);
}

/* Allocate, access and free, over and over: this uses up the records that are free on a CPU. */
static void use_up(void)
{
	unsigned int cache = byte() % HEAP_CACHES, n = 1 + byte() % 64, i, j;
	unsigned long ip = some_ip();
	struct memorizer_counters was;
	struct chunk chunk;

	for (i = 0; i < n && model.objects < MODEL_OBJECTS / 2; i++) {
		chunk.addr = heap_alloc(cache);
		if (!chunk.addr)
			return;
		chunk.size = heap_size(chunk.addr);
		DID("allocate %#lx ip %lx, access it by 3 ips, free it", chunk.addr, ip + i);
		was = sum_counters();
		hook_alloc(chunk.addr, chunk.size, ip + i);
		follow_alloc(chunk.addr, chunk.size, ip + i, &was);
		was = sum_counters();
		for (j = 1; j <= 3; j++) {
			site(chunk.addr, 8, j, ip + j);
			model_access(&model, chunk.addr, 8, j, ip + j, 1);
		}
		settle_accesses(&was);
		hook_free(chunk.addr, ip + i);
		model_free(&model, chunk.addr, ip + i);
		take_back(&chunk);
	}
}

static void free_some(void)
{
	struct chunk *chunk = some_allocated(false);
	unsigned int how = byte();
	unsigned long ip = how % 16 ? some_ip() : 0;

	if (!chunk)
		return;
	if (how / 16 % 4 == 1) {
		DID("allocator takes %#lx back, without the hook", chunk->addr);
		take_back(chunk);
		return;
	}
	if (how / 16 % 4 == 2) {
		memorizer_set_free_ip((void *)chunk->addr, IP(how));
		model_set_free_ip(&model, chunk->addr, IP(how));
	}
	free_chunk(chunk, ip);
}

static void free_unknown(void)
{
	const struct chunk *chunk = some_chunk();
	unsigned int how = byte();
	unsigned long ip = some_ip(), addr;

	if (!chunk->addr)
		return;
	addr = chunk->addr + (how % 4 ? how % 64 * 8 : 0);
	/* A pointer into an object, or to memory that is free already. */
	if (chunk->allocated && addr == chunk->addr)
		addr += 1;
	DID("free %#lx, which is no object, ip %lx", addr, ip);
	hook_free(addr, ip);
	model_free(&model, addr, ip);
	memorizer_free(MEMORIZER_KMALLOC, how % 2 ? NULL : ZERO_SIZE_PTR, ip);
	memorizer_alloc(MEMORIZER_KMALLOC, how % 2 ? NULL : ZERO_SIZE_PTR, 0, 0, ip);
}

static void realloc_some(void)
{
	const struct chunk *chunk = some_allocated(false);
	size_t size = byte();
	unsigned long ip = some_ip();
	struct memorizer_counters was;

	if (!chunk)
		return;
	size = 1 + size * (chunk->size - 1) / 255;
	DID("reallocate %#lx size %lu ip %lx", chunk->addr, size, ip);
	was = sum_counters();
	memorizer_realloc((void *)chunk->addr, size, 0, ip);
	model_free(&model, chunk->addr, ip);
	follow_alloc(chunk->addr, size, ip, &was);
}

/* Allocate what is allocated: its free was missed, and the allocator reused it at once. */
static void alloc_again(void)
{
	const struct chunk *chunk = some_allocated(false);
	unsigned int how = byte();
	unsigned long ip = some_ip();
	struct memorizer_geometry memory;
	struct memorizer_counters was;
	size_t size;

	if (!chunk)
		return;
	size = chunk->size;
	memorizer_geometry((void *)chunk->addr, size, &memory);
	/* More than any allocator has. */
	if (!memory.slots && how < 16)
		size = how % 2 ? U32_MAX : U32_MAX + 1UL + how;
	DID("allocate %#lx again, size %lu ip %lx", chunk->addr, size, ip);
	was = sum_counters();
	hook_alloc(chunk->addr, size, ip);
	follow_alloc(chunk->addr, size, ip, &was);
}

static void set_free_ip(void)
{
	const struct chunk *chunk = some_allocated(false);
	unsigned long ip = some_ip();

	if (!chunk)
		return;
	DID("memorizer_set_free_ip %#lx ip %lx", chunk->addr, ip);
	memorizer_set_free_ip((void *)chunk->addr, ip);
	model_set_free_ip(&model, chunk->addr, ip);
}

/*
 * Accesses.
 */

static unsigned int some_kind(unsigned int how)
{
	return 1 + how % 3;
}

/* One access, some, or about 2^15. */
static unsigned int some_times(void)
{
	unsigned int b = byte();

	if (b < 224 || model.tracking || long_runs == LONG_RUNS)
		return 1 + b % 16 / 12 * (b % 64);
	long_runs++;
	return 32768 - 240 + b;
}

static void access_site(void)
{
	unsigned long addr = some_address(), ip = some_ip(), size;
	unsigned int how = byte(), times = some_times(), kind = some_kind(how), i;
	struct memorizer_counters was = sum_counters();

	size = 1UL << how / 4 % 5;
	DID("access %#lx size %lu kind %lu ip %lx, %lu times", addr, size, kind, ip, times);
	for (i = 0; i < times; i++)
		site(addr, size, kind, ip);
	model_access(&model, addr, size, kind, ip, times);
	settle_accesses(&was);
}

static void access_range(void)
{
	unsigned long addr = some_address(), ip = some_ip(), size;
	unsigned int how = byte(), kind = some_kind(how);
	struct memorizer_counters was = sum_counters();

	size = byte();
	if (size >= 200)
		size = (size - 199) * 300;
	DID("range %#lx size %lu kind %lu ip %lx", addr, size, kind, ip);
	range_site(addr, size, kind, ip);
	model_access(&model, addr, size, kind, ip, 1);
	settle_accesses(&was);
}

static void user_site(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip,
		      unsigned int times)
{
	preempt_disable_notrace();
	while (times--)
		memorizer_user_access(addr, size, kind, ip);
	preempt_enable_notrace();
}

/* The sites are enabled only while the kind is selected. */
static void access_user(void)
{
	static const unsigned long places[] = { 0, 0x7fff00001000, (1UL << 47) - 4096, MAP_BASE };
	unsigned int how = byte(), times = some_times();
	unsigned int kind = how & 1 ? MEMORIZER_READ : MEMORIZER_WRITE;
	unsigned long addr = places[how / 2 % 4], size = how / 8, ip = some_ip();
	const struct memorizer_counters was = sum_counters();

	if (!(model.kinds & BIT(MEMORIZER_KIND_USER)))
		return;
	DID("user memory %#lx size %lu kind %lu ip %lx, %lu times", addr, size, kind, ip, times);
	user_site(addr, size, kind, ip, times);
	model_access_user(&model, addr, size, kind, ip, times);
	settle_accesses(&was);
}

static void access_group(void)
{
	unsigned long addr = some_address();
	unsigned int n = byte() % MODEL_GROUPS, times = some_times(), i;
	struct memorizer_counters was = sum_counters();

	DID("group %lu at %#lx, %lu times", n, addr, times);
	for (i = 0; i < times; i++)
		group_site(addr, groups[n]);
	for (i = 0; i < groups[n]->members; i++)
		model_access(&model, addr + members[n][i].offset, members[n][i].size,
			     members[n][i].kind, IP(0) + (u32)members[n][i].ip, times);
	settle_accesses(&was);
}

/*
 * String functions.
 */

/**
 * model_load_byte() - read a byte of the heap
 * @ptr: its address
 * @byte: set to it
 *
 * Return: false if it is unreadable
 */
bool model_load_byte(const char *ptr, u8 *byte)
{
	unsigned long offset = (unsigned long)ptr - model.heap;

	if (offset >= sizeof(heap_bytes) || (offset >> PAGE_SHIFT) % 4 == 3)
		return false;
	*byte = heap_bytes[offset];
	return true;
}

static void put_bytes(unsigned long addr, const void *bytes, size_t size)
{
	unsigned long offset = addr - model.heap;

	if (offset < sizeof(heap_bytes))
		memcpy(heap_bytes + offset, bytes, min(size, sizeof(heap_bytes) - offset));
}

/* Few characters, so that strings are equal, and contain each other. */
static u8 some_char(void)
{
	static const u8 chars[] = { 'a', 'b', 'A', 'B', ',', 0xe9, 'a', 'b' };

	return chars[byte() % ARRAY_SIZE(chars)];
}

static void put_string(unsigned long addr)
{
	unsigned int size = byte(), i;
	u8 text[64];

	for (i = 0; i < size % 64; i++)
		text[i] = some_char();
	/* Without a NUL, the string continues with what is in memory. */
	if (size / 64)
		text[i++] = 0;
	put_bytes(addr, text, i);
}

/* A bound, limited for strncpy(), which writes as many bytes. */
static unsigned long some_bound(bool limited)
{
	unsigned int b = byte();

	if (b < 200 || limited)
		return b % 40;
	return b % 3 ? -1UL : b % 2 ? INT_MAX : INT_MAX + 1UL;
}

/* One operand in four does not count: the plugin leaves out the stack. */
static unsigned int some_operands(void)
{
	return (byte() % 4 ? MEMORIZER_STRING_A : 0) | (byte() % 4 ? MEMORIZER_STRING_B : 0);
}

static void follow_string(unsigned int how, unsigned long a, unsigned long b, unsigned long n,
			  unsigned long ip)
{
	struct model_string effect;

	model_string(how & (MEMORIZER_STRING_A - 1), a, b, n, &effect);
	if (effect.pointer && how & MEMORIZER_STRING_A)
		model_access(&model, a, sizeof(long), effect.pointer, ip, 1);
	/* The string that strsep() cuts is no operand. */
	if (effect.pointer || how & MEMORIZER_STRING_A)
		model_access(&model, effect.a, effect.reads[0], MEMORIZER_READ, ip, 1);
	if (how & MEMORIZER_STRING_B)
		model_access(&model, b, effect.reads[1], MEMORIZER_READ, ip, 1);
	if (effect.pointer || how & MEMORIZER_STRING_A)
		model_access(&model, effect.a + effect.offset, effect.writes, MEMORIZER_WRITE,
			     ip, 1);
}

static void call_string(void)
{
	unsigned int string = byte() % (MEMORIZER_STRSEP + 1);
	unsigned long a = some_address(), b = some_address(), n, ip = some_ip(), pointer;
	unsigned int how = string | some_operands();
	const struct memorizer_counters was = sum_counters();

	put_string(a);
	put_string(b);
	n = some_bound(string == MEMORIZER_STRNCPY);
	if (string == MEMORIZER_STRNCHR || string == MEMORIZER_MEMCHR ||
	    string == MEMORIZER_MEMCHR_INV) {
		b = n;
		n = (signed char)some_char();
	} else if (string == MEMORIZER_STRSEP) {
		pointer = n % 8 > 1 ? some_address() : n % 8 ? a : 0;
		put_bytes(a, &pointer, sizeof(pointer));
	}
	DID("string function %lu of %#lx, %#lx, %#lx ip %lx, operands %lx", string, a, b, n, ip,
	    how / MEMORIZER_STRING_A);
	preempt_disable_notrace();
	memorizer_access_string((const char *)a, (const char *)b, n, how, ip);
	preempt_enable_notrace();
	follow_string(how, a, b, n, ip);
	settle_accesses(&was);
}

/*
 * Readers.
 */

static struct model_object *some_object(void)
{
	unsigned int n = byte();

	return model.objects ? model.object[(n * 37 + byte()) % model.objects] : NULL;
}

static void begin_reading(unsigned int n)
{
	struct model_object *object = some_object();
	unsigned int how = byte();
	bool by_granule = how % 2;

	if (how < 16 && model.user.record)
		object = &model.user;
	if (!object || object->state == MODEL_LEAVING)
		return;
	DID("reader %lu begins with %#lx, by granule %lu", n, object->addr, by_granule);
	reader_begin(&readers[n], object, by_granule);
}

static void walk_on(void)
{
	unsigned int n = 1 + byte() % 64;

	DID("walk on through %lu objects", n);
	walk_objects(n);
}

/*
 * Have the counts of a row pass 2^15, below a reader if there is one: it must find what is carried.
 */
static void carry_some(void)
{
	struct model_object *object = readers[byte() % READERS].object ?: some_object();
	const struct memorizer_counters was = sum_counters();
	unsigned int n = byte(), times = 32767 + n % 2, i;
	struct model_row *row;

	if (!object || object->state != MODEL_LIVE || !object->rows.count || model.tracking ||
	    carries == LONG_RUNS)
		return;
	carries++;
	row = &object->rows.row[n % object->rows.count];
	become(model.cpu, row->pid);
	memorizer_switch_to(current);
	DID("access %#lx %lu times, ip %lx pid %lu", object->addr, times, row->ip, row->pid);
	if (object == &model.user) {
		user_site(0, 1, MEMORIZER_READ, row->ip, times);
		model_access_user(&model, 0, 1, MEMORIZER_READ, row->ip, times);
	} else {
		for (i = 0; i < times; i++)
			site(object->addr, 1, MEMORIZER_READ, row->ip);
		model_access(&model, object->addr, 1, MEMORIZER_READ, row->ip, times);
	}
	settle_accesses(&was);
}

static void use_reader(void)
{
	unsigned int n = byte() % READERS, rows;

	if (!readers[n].object) {
		begin_reading(n);
	} else if (byte() < 16) {
		DID("reader %lu is closed", n);
		reader_end(&readers[n]);
	} else {
		rows = 1 + byte() % 8;
		DID("reader %lu reads %lu rows of %#lx", n, rows, readers[n].object->addr);
		reader_read(&readers[n], rows);
	}
}

/*
 * Clearing and retiring.
 */

/* Records are free again: no more are used than there are objects. */
static void check_pool(void)
{
	unsigned int i, rows = model.user.rows.count;

	CHECK_EQ(memorizer_class_used(MEMORIZER_OBJECT), model.objects + !!model.user.record);
	/* Areas with stacks have records, too, and the page of struct pages. */
	CHECK(slab_records() <= HEAP_PAGES + AREAS + 1);
	for (i = 0; i < model.objects; i++)
		rows += model.object[i]->rows.count;
	if (!rows)
		CHECK_EQ(memorizer_class_used(MEMORIZER_ENTRY) +
			 memorizer_class_used(MEMORIZER_WIDE_ENTRY), 0);
}

static void clear_all(void)
{
	if (model.interrupt)
		return;
	DID("clear");
	memorizer_clear();
	model_clear(&model);
	settle_user();
	compare();
}

/* The observer has read a retired object. */
static void finish_retiring(struct model_object *object)
{
	DID("%#lx is retired", object->addr);
	compare_rows(object, false);
	memorizer_retire_done(object->record);
	model_remove(&model, object);
}

static void retire_some(void)
{
	struct model_object *object = some_object();

	if (!object || object->state == MODEL_LIVE || object->readers || model.interrupt)
		return;
	if (object->state == MODEL_LEAVING) {
		finish_retiring(object);
		return;
	}
	DID("retire %#lx", object->addr);
	down_write(&memorizer_rwsem);
	CHECK(!memorizer_is_pinned(object->record));
	memorizer_retire(object->record);
	up_write(&memorizer_rwsem);
	model_retire(&model, object);
}

/* The observer reads the accesses to user memory, while others are counted in a new record. */
static void retire_user(void)
{
	struct memorizer_object *old;

	if (model.interrupt || model.user.readers)
		return;
	DID("retire the accesses to user memory");
	down_write(&memorizer_rwsem);
	old = memorizer_renew_user();
	CHECK(old == model.user.record);
	if (old)
		memorizer_retire(old);
	up_write(&memorizer_rwsem);
	if (!old)
		return;
	compare_rows(&model.user, false);
	memorizer_retire_done(old);
	model_retire_user(&model);
	settle_user();
}

static void give_back(void)
{
	if (model.interrupt)
		return;
	DID("give back");
	memorizer_give_back();
	settle_user();
	check_pool();
}

/*
 * Switches, the task, the CPU, and time.
 */

/* As memorizer_filter_objects() does. */
static void choose_lazy(void)
{
	unsigned int kind;

	for (kind = 0; kind < MEMORIZER_KINDS; kind++)
		if (BIT(kind) & MEMORIZER_LAZY_KINDS)
			memorizer_choose_lazy(kind, model.choose ?
					      memorizer_choose_object(NULL, kind, 0) :
					      BIT(MEMORIZER_RECORDED));
}

static void switch_something(void)
{
	unsigned int how = byte(), bytes, kinds;
	int err;

	switch (how % 8) {
	case 0:
		DID("memorizer_enabled %lu", !model.enabled);
		model_switch(&model, !model.enabled, model.kinds);
		CHECK_EQ(memorizer_set_enabled(model.enabled), 0);
		break;
	case 1:
		model.choose = how / 8 % 4;
		odd_by_granule = how / 8 % 2;
		DID("filter %lu, by granule %lu", model.choose, odd_by_granule);
		memorizer_switch_hooks(MEMORIZER_DO_CHOOSE, model.choose);
		choose_lazy();
		break;
	case 2:
		if (model.interrupt)
			break;
		observing = !observing;
		DID("observe accesses %lu", observing);
		memorizer_observe_accesses(observing);
		break;
	case 3:
		if (model.interrupt)
			break;
		observing_allocations = !observing_allocations;
		DID("observe allocations %lu", observing_allocations);
		memorizer_observe_allocations(observing_allocations);
		break;
	case 4:
		if (model.interrupt)
			break;
		kinds = byte() ?: OBJECT_KINDS;
		if (how / 8 % 2)
			kinds |= BIT(MEMORIZER_KIND_USER);
		DID("memorizer_kinds %lu", kinds);
		memorizer_set_kinds(kinds);
		model_switch(&model, model.enabled, kinds);
		settle_user();
		break;
	case 5:
		if (model.interrupt)
			break;
		DID("memorizer_track_lines %lu", !model.tracking);
		CHECK_EQ(memorizer_set_track_lines(!model.tracking), 0);
		model_track_lines(&model, !model.tracking);
		break;
	case 6:
		if (model.interrupt)
			break;
		bytes = MODEL_LINE_MIN << how / 8 % 10;
		DID("line_size %lu", bytes);
		err = memorizer_set_line_size(bytes);
		CHECK_EQ(err, model.tracking ? -EBUSY : 0);
		if (!err)
			model.line_size = bytes;
		break;
	case 7:
		/* 48 bits of jiffies */
		test_jiffies += how & 128 ? 1UL << how / 8 % 16 * 2 : how;
		DID("jiffies are %lu", test_jiffies);
		break;
	}
}

/* Continue as another task, on another CPU. */
static void change_task(void)
{
	static const int pids[] = { 1, 2, 3, 4, 0, 300, 70000, 4194303 };
	static const char * const comms[] = { "init", "fifteen,letters", "a\\b\n\x80", "" };
	unsigned int how = byte();

	if (model.interrupt)
		return;
	model.cpu = how / 8 % CPUS;
	become(model.cpu, pids[how % 8]);
	snprintf(current->comm, TASK_COMM_LEN, "%s", comms[how / 64]);
	memorizer_switch_to(current);
	DID("CPU %lu runs pid %lu, comm %lu", model.cpu, current->pid, how / 64);
}

static void change_context(void)
{
	unsigned int how = byte();

	switch (how % 4) {
	case 0:
	case 1:
		model.interrupt = !model.interrupt;
		DID("interrupt %lu", model.interrupt);
		if (model.interrupt)
			enter_interrupt();
		else
			leave_interrupt();
		break;
	case 2:
		if (model.interrupt)
			break;
		if (model.pauses && how & 4) {
			memorizer_resume();
			model.pauses--;
		} else if (model.pauses < 3) {
			memorizer_pause();
			model.pauses++;
		}
		DID("paused %lu times", model.pauses);
		break;
	case 3:
		model.left_out = !model.left_out;
		DID("left out %lu", model.left_out);
		memorizer_change_task(current, 0, MEMORIZER_LEFT_OUT,
				      model.left_out ? MEMORIZER_LEFT_OUT : 0);
		memorizer_load_key();
		break;
	}
}

/*
 * Runs.
 */

static void operate(void)
{
	unsigned int op = byte();

	if (op < 80)
		access_site();
	else if (op < 90)
		call_string();
	else if (op < 105)
		access_range();
	else if (op < 110)
		access_user();
	else if (op < 130)
		access_group();
	else if (op < 158)
		alloc_some();
	else if (op < 163)
		alloc_some_pages();
	else if (op < 168)
		use_area();
	else if (op < 182)
		free_some();
	else if (op < 190)
		free_some_pages();
	else if (op < 194)
		free_unknown();
	else if (op < 198)
		realloc_some();
	else if (op < 201)
		alloc_again();
	else if (op < 203)
		set_free_ip();
	else if (op < 207)
		use_up();
	else if (op < 219)
		use_reader();
	else if (op < 221)
		walk_on();
	else if (op < 222)
		carry_some();
	else if (op < 225)
		retire_some();
	else if (op < 226)
		retire_user();
	else if (op < 228)
		give_back();
	else if (op < 230)
		clear_all();
	else if (op < 244)
		change_task();
	else if (op < 250)
		change_context();
	else
		switch_something();
}

/* Groups at the first addresses of structures, of which some share ips, with each other too. */
static void make_groups(void)
{
	unsigned int i, j, count;
	struct memorizer_member absolute[8];
	u64 seed = 1;

	for (i = 0; i < MODEL_GROUPS; i++) {
		count = 2 + i % 7;
		for (j = 0; j < count; j++) {
			members[i][j] = (struct memorizer_member) {
				.ip = 0x1000 + random_u32(&seed) % 16 * 5,
				.offset = random_u32(&seed) % (i < 6 ? 64 : 3000),
				.size = 1 << random_u32(&seed) % 5,
				.kind = some_kind(random_u32(&seed)),
			};
			absolute[j] = members[i][j];
			absolute[j].ip = (u32)IP(members[i][j].ip);
		}
		groups[i] = make_group(absolute, count);
	}
}

static void start(void)
{
	unsigned int how;

	memset(&model, 0, sizeof(model));
	memset(chunks, 0, sizeof(chunks));
	memset(areas, 0, sizeof(areas));
	memset(readers, 0, sizeof(readers));
	memset(heap_bytes, 0, sizeof(heap_bytes));
	load_byte = model_load_byte;
	operations = 0;
	long_runs = 0;
	carries = 0;
	observing = false;
	observing_allocations = false;
	how = byte();
	model.small_pool = how % 4 == 3;
	possible_cpus = CPUS;
	vmalloc_left = UINT_MAX;
	memorizer_lines_wanted = 1 << 14;
	/* The smallest hash tables, for long chains. */
	boot_hashed(POOL_BLOCKS(model.small_pool ? 4 + byte() % 8 : 40), 0);
	heap_init(HEAP_PAGES);
	model.heap = MAP_BASE + (4UL << 20) - (HEAP_PAGES / 2 << PAGE_SHIFT);
	/* In half of the runs, pages are recorded from the beginning on. */
	model_switch(&model, true, how & 8 ? MEMORIZER_KINDS_BUILT_IN : BIT(MEMORIZER_KIND_SLAB));
	memorizer_set_kinds(model.kinds);
	settle_user();
	heap_pages_taken = slab_takes_pages;
	heap_pages_given = slab_gives_pages;
	model.choice = memorizer_choose_object;
	model.line_size = memorizer_line_size();
	/* In half of the runs, some objects are counted by granule from the beginning on. */
	odd_by_granule = how & 4;
	model.choose = odd_by_granule;
	memorizer_switch_hooks(MEMORIZER_DO_CHOOSE, model.choose);
	choose_lazy();
	current->memorizer_key = 0;
	memset(current->comm, 0, sizeof(current->comm));
	become(0, 1);
	memorizer_switch_to(current);
	if (!groups[0])
		make_groups();
}

/* Free everything; of what was not missed, nothing stays. */
static void finish(void)
{
	struct chunk *chunk;
	unsigned int i;

	leave_interrupt();
	model.interrupt = false;
	for (i = 0; i < READERS; i++)
		while (readers[i].object)
			reader_read(&readers[i], 100);
	for (i = 0; i < model.objects;)
		if (model.object[i]->state == MODEL_LEAVING)
			finish_retiring(model.object[i]);
		else
			i++;
	for (chunk = chunks; chunk < chunks + CHUNKS; chunk++)
		if (chunk->allocated && !chunk->pages)
			free_chunk(chunk, IP(1));
	compare();
	/* Empty slabs keep their pages. */
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	model_switch(&model, model.enabled, BIT(MEMORIZER_KIND_SLAB));
	clear_all();
	check_pool();
	CHECK_EQ(memorizer_set_track_lines(false), 0);
	if (observing)
		memorizer_observe_accesses(false);
	while (model.objects)
		model_remove(&model, model.object[0]);
}

/**
 * run_operations() - decode operations, and compare what the core and the model do
 * @data: the operations
 * @size: bytes of @data
 *
 * Return: number of operations
 */
unsigned int run_operations(const u8 *data, size_t size)
{
	unsigned int compared = 0;

	input = data;
	left = size;
	before_failure = print_operations;
	start();
	while (left && operations < ARRAY_SIZE(done) - RESERVE) {
		operate();
		if (operations - compared < PERIOD)
			continue;
		compare();
		compared = operations;
	}
	finish();
	before_failure = NULL;
	return operations;
}

/* Run the operations of each of some seeds in a process of its own. */
static void run_seeds(unsigned int first, unsigned int count, bool small)
{
	u8 data[4000];
	unsigned int i, j;
	int status;
	u64 state;

	for (i = first; i < first + count; i++) {
		fflush(stdout);
		if (!fork()) {
			state = i;
			for (j = 0; j < sizeof(data); j++)
				data[j] = random_u32(&state) >> 13;
			data[0] = (small ? 3 : 0) | (i % 2 ? 4 : 0) | (i / 2 % 2 ? 8 : 0);
			run_operations(data, sizeof(data));
			exit(0);
		}
		CHECK(wait(&status) > 0);
		if (status)
			fprintf(stderr, "random operations of seed %u\n", i);
		CHECK_EQ(status, 0);
	}
}

static void random_operations_do_what_the_model_does(void)
{
	run_seeds(1, ROUNDS(300), false);
}

static void every_loss_is_counted_in_a_full_pool(void)
{
	run_seeds(1, ROUNDS(300), true);
}

const struct test_case model_cases[] = {
	CASE(random_operations_do_what_the_model_does),
	CASE(every_loss_is_counted_in_a_full_pool),
	{ }
};
