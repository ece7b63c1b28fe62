// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's struct pages: each one becomes an object when it is first accessed.
 *
 * They exist from boot on. The object has the address of the array in place of a caller, pid 0 and
 * time 0. Several CPUs, and NMIs, may make the same object at once: the one that claims its slot in
 * the index publishes it. The others count in it as well: its record is complete, and it is not
 * given back before they are done.
 */
#include <linux/align.h>
#include <linux/cache.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/mm_types.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/memorizer.h>

#include "entry.h"
#include "hooks.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"
#include "struct_page.h"

unsigned long memorizer_struct_pages __ro_after_init;
unsigned long memorizer_struct_page_bytes __read_mostly;

/* The task that set them up. */
static const char boot_comm[TASK_COMM_LEN - 1] = "swapper";

/* Written under memorizer_rwsem. */
static unsigned long all_bytes;
static bool recorded;
/* A bit for each enum memorizer_choice. The filters choose all struct pages, or none. */
static unsigned int chosen = BIT(MEMORIZER_RECORDED);

/**
 * memorizer_make_struct_page() - record a struct page that is accessed
 * @addr: an address in it
 * @next: set to the address after it
 *
 * Context: any, NMI included, with preemption disabled.
 * Return: id of the object; 0 if the pool is exhausted
 */
u32 __kprobes memorizer_make_struct_page(unsigned long addr, unsigned long *next)
{
	unsigned long va = ALIGN_DOWN(addr, sizeof(struct page));
	const struct memorizer_geometry geo = {
		.start = va & PAGE_MASK,
		.base = va & PAGE_MASK,
		.stride = sizeof(struct page),
		.slots = PAGE_SIZE / sizeof(struct page),
		.pages = 1,
	};
	bool by_granule = READ_ONCE(chosen) & BIT(MEMORIZER_FIELDS);
	u32 how = memorizer_who(MEMORIZER_KIND_STRUCT_PAGE, by_granule);
	u32 id = memorizer_object_make(va, sizeof(struct page), how, memorizer_struct_page_ip);
	struct memorizer_object *object = memorizer_ptr(id);
	u32 winner;

	*next = va + sizeof(struct page);
	if (!id)
		return 0;
	WRITE_ONCE(object->who, how);
	memorizer_set_alloc_jiffies(object, 0);
	memcpy(object->comm, boot_comm, sizeof(boot_comm));
	winner = memorizer_index_claim(&geo, va, id);
	if (winner == id)
		memorizer_object_publish(object, va, by_granule);
	else
		memorizer_pool_free(MEMORIZER_OBJECT, id);
	return winner;
}

static void update(void)
{
	WRITE_ONCE(memorizer_struct_page_bytes,
		   recorded && chosen & BIT(MEMORIZER_RECORDED) ? all_bytes : 0);
}

/**
 * memorizer_switch_struct_pages() - record struct pages from their next access on, or not
 * @on: true to record them
 *
 * Context: process context, under memorizer_rwsem, for writing; or boot, one CPU.
 */
void memorizer_switch_struct_pages(bool on)
{
	recorded = on;
	update();
}

/**
 * memorizer_choose_struct_pages() - apply the filters to struct pages
 * @choice: a bit for each enum memorizer_choice
 *
 * Context: process context, under memorizer_rwsem, for writing; or boot, one CPU.
 */
void memorizer_choose_struct_pages(unsigned int choice)
{
	WRITE_ONCE(chosen, choice);
	update();
}

/**
 * memorizer_struct_page_init() - set the array of struct page
 * @base: its address
 * @bytes: its size; 0 if it is not contiguous
 *
 * Elements that may lie in two pages are not recorded.
 *
 * Context: boot, once.
 */
void __init memorizer_struct_page_init(unsigned long base, unsigned long bytes)
{
	memorizer_struct_pages = base;
	all_bytes = PAGE_SIZE % sizeof(struct page) ? 0 : bytes;
}
