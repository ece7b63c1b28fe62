// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's lazy objects: struct pages, variables and areas of memblock, which exist from boot
 * on, or as long as their module. Each becomes an object when it is first accessed.
 *
 * Such an object has pid 0 and time 0 and, unless it is an area, an address of data in place of a
 * caller. Several CPUs, and NMIs, may make the same object at once: the one that claims its slot in
 * the index publishes it. The others count in it as well: its record is complete, and it is not
 * given back before they are done.
 */
#include <linux/align.h>
#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/memorizer.h>

#include "announce.h"
#include "entry.h"
#include "hooks.h"
#include "index.h"
#include "lazy.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"
#include "record.h"
#include "variable_table.h"

struct memorizer_lazy memorizer_lazy[MEMORIZER_LAZY_END - MEMORIZER_LAZY_FIRST] __read_mostly;

/* The task that set them up. */
static const char boot_comm[TASK_COMM_LEN - 1] = "swapper";

/* Their number of bytes while the kind is recorded. */
static unsigned long all_bytes[ARRAY_SIZE(memorizer_lazy)] __ro_after_init;

/* Kinds that are recorded. Written under memorizer_rwsem, as are the following. */
static unsigned int recorded;
/* Kinds that the filter of objects chooses, and those whose accesses are counted by granule. */
static unsigned int chosen = MEMORIZER_LAZY_KINDS;
static unsigned int by_granule;

/* Make an object, which is not live yet. Returns 0 if the pool is exhausted. */
static __kprobes u32 new_lazy(enum memorizer_object_kind kind, unsigned long va, u32 size,
			      unsigned long ip)
{
	u32 how = memorizer_who(kind, READ_ONCE(by_granule) & BIT(kind));
	u32 id = memorizer_object_make(va, size, how, ip);
	struct memorizer_object *object = memorizer_ptr(id);

	if (!id)
		return 0;
	WRITE_ONCE(object->who, how);
	memorizer_set_alloc_jiffies(object, 0);
	memcpy(object->comm, boot_comm, sizeof(boot_comm));
	return id;
}

/* Publish a new object if it is the @winner of its slot; 0 means that the index has no room. */
static __kprobes u32 publish_winner(u32 id, u32 winner)
{
	struct memorizer_object *object = memorizer_ptr(id);

	if (winner == id) {
		memorizer_object_publish(object, memorizer_object_va(object),
					 memorizer_counts_granules(object));
		memorizer_announce_lazy(id);
	} else {
		memorizer_pool_free(MEMORIZER_OBJECT, id);
	}
	return winner ?: MEMORIZER_LAZY_LOST;
}

/* Not inlined, nor is make_variable(): most accesses make nothing, and need less stack. */
static noinline __kprobes u32 make_struct_page(unsigned long addr, unsigned long *next)
{
	unsigned long va = ALIGN_DOWN(addr, sizeof(struct page));
	const struct memorizer_geometry geo = {
		.start = va & PAGE_MASK,
		.base = va & PAGE_MASK,
		.stride = sizeof(struct page),
		.slots = PAGE_SIZE / sizeof(struct page),
	};
	u32 id = new_lazy(MEMORIZER_KIND_STRUCT_PAGE, va, sizeof(struct page),
			  memorizer_struct_page_ip);

	*next = va + sizeof(struct page);
	return id ? publish_winner(id, memorizer_index_claim(&geo, va, id)) : MEMORIZER_LAZY_LOST;
}

/* @around: id of the area that the address lies in, or 0 */
static noinline __kprobes u32 make_variable(unsigned long addr, u32 around,
					    unsigned long *next)
{
	const struct variable_table *table = memorizer_index_table(addr);
	unsigned long va;
	u32 size, id, *slot;

	slot = table ? memorizer_variable_at(table, addr, &va, &size) : NULL;
	if (!slot)
		return around;
	*next = va + size;
	/* Another CPU may have been faster. */
	id = READ_ONCE(*slot);
	if (id)
		return id;
	id = new_lazy(table->kind, va, size, table->ip ?
		      memorizer_unpack_ip(table->ip[slot - table->id]) : va - table->shift);
	if (id && *table->comm)
		memcpy(((struct memorizer_object *)memorizer_ptr(id))->comm, table->comm,
		       TASK_COMM_LEN - 1);
	return id ? publish_winner(id, cmpxchg(slot, 0, id) ?: id) : MEMORIZER_LAZY_LOST;
}

static __kprobes bool is_lazy(unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(memorizer_lazy); i++)
		if (addr - memorizer_lazy[i].base < READ_ONCE(memorizer_lazy[i].bytes))
			return true;
	return false;
}

/**
 * memorizer_make_lazy() - make the object that an access misses, if it is lazy
 * @addr: the address
 * @id: id of the object that the index has for the address, 0 if there is none
 * @next: the first address after @addr that may belong to another object; changed if this returns
 *	another object
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: id of the object that the access belongs to, 0 if there is none; MEMORIZER_LAZY_LOST if
 *	the pool is exhausted
 */
u32 __kprobes memorizer_make_lazy(unsigned long addr, u32 id, unsigned long *next)
{
	/* Variables of modules lie in an area. */
	if ((id && !memorizer_is_area(memorizer_ptr(id))) || !is_lazy(addr))
		return id;
	return addr - memorizer_lazy[0].base < all_bytes[0] ?
		make_struct_page(addr, next) : make_variable(addr, id, next);
}

static void update(void)
{
	unsigned int i, on = recorded & chosen;

	for (i = 0; i < ARRAY_SIZE(memorizer_lazy); i++)
		WRITE_ONCE(memorizer_lazy[i].bytes,
			   on & BIT(MEMORIZER_LAZY_FIRST + i) ? all_bytes[i] : 0);
}

/**
 * memorizer_switch_lazy() - record lazy objects from their next access on, or not
 * @kinds: a bit for each enum memorizer_object_kind to record, also for those that are not lazy
 *
 * Context: process context, under memorizer_rwsem, for writing; or boot, one CPU.
 */
void memorizer_switch_lazy(unsigned int kinds)
{
	recorded = kinds;
	update();
}

/**
 * memorizer_choose_lazy() - apply the filters to lazy objects
 * @kind: their kind
 * @choice: a bit for each enum memorizer_choice: the filters choose all objects of a kind, or none
 *
 * Context: process context, under memorizer_rwsem, for writing; or boot, one CPU.
 */
void memorizer_choose_lazy(enum memorizer_object_kind kind, unsigned int choice)
{
	chosen = (chosen & ~BIT(kind)) | (choice & BIT(MEMORIZER_RECORDED) ? BIT(kind) : 0);
	WRITE_ONCE(by_granule, (by_granule & ~BIT(kind)) |
		   (choice & BIT(MEMORIZER_FIELDS) ? BIT(kind) : 0));
	update();
}

/**
 * memorizer_lazy_init() - set where lazy objects may be
 * @kind: their kind
 * @base: first address
 * @bytes: number of bytes from there on
 *
 * Struct pages that may lie in two pages are not recorded.
 *
 * Context: boot, once for each kind.
 */
void __init memorizer_lazy_init(enum memorizer_object_kind kind, unsigned long base,
				unsigned long bytes)
{
	if (kind == MEMORIZER_KIND_STRUCT_PAGE && PAGE_SIZE % sizeof(struct page))
		bytes = 0;
	memorizer_lazy[kind - MEMORIZER_LAZY_FIRST].base = base;
	all_bytes[kind - MEMORIZER_LAZY_FIRST] = bytes;
	update();
}

/**
 * memorizer_end_areas() - close the objects of areas of memblock whose memory is freed
 * @table: their table
 * @at: first address that is freed, in the table's range
 * @end: address after the last one
 *
 * Context: any but NMI, with preemption disabled.
 */
void memorizer_end_areas(const struct variable_table *table, unsigned long at, unsigned long end)
{
	unsigned long next;
	u32 id;

	for (; at < end; at = next) {
		next = (at | ~PAGE_MASK) + 1;
		id = memorizer_variable_take(table, at, &next);
		if (id)
			memorizer_end_id(id, 0);
	}
}
