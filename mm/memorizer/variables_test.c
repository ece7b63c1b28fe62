// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of variables, also per-CPU ones, and of areas of memblock. Variables of
 * modules are in kinds.sh.
 */
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/init.h>
#include <linux/irqflags.h>
#include <linux/memorizer-memblock.h>
#include <linux/memorizer-variables.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/string.h>

#include <asm/fixmap.h>
#include <asm/sections.h>

#include "access.h"
#include "kinds_test.h"
#include "regions.h"
#include "test.h"

struct bits {
	u64 low : 3;
	u64 high : 61;
	char rest[13];
};

/* One in each section, and of odd sizes. */
static u64 in_data = 1;
static u64 in_bss;
static const u64 in_rodata[3] = { 1, 2, 3 };
static u64 in_ro_after_init __ro_after_init = 1;
static u64 in_read_mostly __read_mostly = 1;
static struct bits odd_size;
static char array[5][9];
/* More than a page, so that the second page begins in it. */
static u64 large[1000];

static void expect_symbol(struct kunit *test, const void *ptr, size_t size, unsigned long symbol,
			  enum memorizer_object_kind kind, const char *comm)
{
	const struct memorizer_object *object;
	u32 id = object_at(ptr);

	expect_object(test, id, ptr, size, MEMORIZER_LIVE);
	object = memorizer_ptr(id);
	KUNIT_EXPECT_EQ(test, memorizer_object_kind(object), kind);
	KUNIT_EXPECT_EQ(test, memorizer_unpack_ip(object->alloc_ip), symbol);
	KUNIT_EXPECT_EQ(test, memorizer_object_pid(object), 0);
	KUNIT_EXPECT_EQ(test, memorizer_alloc_jiffies(object), 0);
	KUNIT_EXPECT_EQ(test, memcmp(object->comm, comm, strlen(comm) + 1), 0);
}

static void expect_variable(struct kunit *test, const void *ptr, size_t size, u64 reads, u64 writes)
{
	expect_symbol(test, ptr, size, (unsigned long)ptr, MEMORIZER_KIND_STATIC, "swapper");
	expect_touched(test, object_at(ptr), reads, writes);
}

static void variables_of_all_sections_become_objects(struct kunit *test)
{
	static u64 of_function;

	KUNIT_EXPECT_EQ(test, object_at(&in_data), 0);
	touch(&in_data, 1, 2);
	expect_variable(test, &in_data, sizeof(in_data), 1, 2);
	touch(&in_bss, 3, 4);
	expect_variable(test, &in_bss, sizeof(in_bss), 3, 4);
	touch((void *)&in_rodata[1], 5, 0);
	expect_variable(test, in_rodata, sizeof(in_rodata), 5, 0);
	touch(&in_ro_after_init, 6, 0);
	expect_variable(test, &in_ro_after_init, sizeof(in_ro_after_init), 6, 0);
	touch(&in_read_mostly, 0, 7);
	expect_variable(test, &in_read_mostly, sizeof(in_read_mostly), 0, 7);
	touch(&of_function, 8, 9);
	expect_variable(test, &of_function, sizeof(of_function), 8, 9);
}

static void variables_have_their_exact_size(struct kunit *test)
{
	touch(&odd_size, 1, 1);
	touch(odd_size.rest, 0, 1);
	expect_variable(test, &odd_size, sizeof(odd_size), 1, 2);
	touch(array[1], 2, 0);
	expect_variable(test, array, 45, 2, 0);
	touch(&large[0], 1, 0);
	touch(&large[512], 1, 0);
	touch(&large[999], 1, 3);
	expect_variable(test, large, 8000, 3, 3);
	/* Hidden by no other variable */
	KUNIT_EXPECT_EQ(test, object_at(&large[700]), object_at(large));
	KUNIT_EXPECT_EQ(test, object_at((char *)array + 44), object_at(array));
	KUNIT_EXPECT_NE(test, object_at((char *)array + 45), object_at(array));
}

#ifdef CONFIG_SMP
static DEFINE_PER_CPU(u64, on_each_cpu_once);
static DEFINE_PER_CPU(struct bits, odd_on_each_cpu);

/* Each CPU's copy, accessed from this CPU. */
static void each_cpu_has_its_own_variable(struct kunit *test)
{
	char idle[TASK_COMM_LEN];
	unsigned int cpu;
	u64 *word;

	for_each_possible_cpu(cpu) {
		snprintf(idle, sizeof(idle), "swapper/%u", cpu);
		word = per_cpu_ptr(&on_each_cpu_once, cpu);
		touch(word, 1, cpu);
		expect_symbol(test, word, sizeof(*word), (unsigned long)&on_each_cpu_once,
			      MEMORIZER_KIND_PERCPU, idle);
		touch(per_cpu_ptr(&odd_on_each_cpu, cpu)->rest, 2, 0);
		expect_symbol(test, per_cpu_ptr(&odd_on_each_cpu, cpu), sizeof(struct bits),
			      (unsigned long)&odd_on_each_cpu, MEMORIZER_KIND_PERCPU, idle);
	}
	for_each_possible_cpu(cpu) {
		expect_touched(test, object_at(per_cpu_ptr(&on_each_cpu_once, cpu)), 1, cpu);
		expect_touched(test, object_at(per_cpu_ptr(&odd_on_each_cpu, cpu)), 2, 0);
	}
}
#endif

#ifdef CONFIG_SMP
/* Each CPU's copy of an allocation is an object until it is freed. */
static void expect_copies(struct kunit *test, void __percpu *ptr, size_t size)
{
	const struct memorizer_object *object;
	unsigned int cpu;
	char *copy;
	u32 id;

	for_each_possible_cpu(cpu) {
		copy = per_cpu_ptr(ptr, cpu);
		id = object_at(copy);
		expect_object(test, id, copy, size, MEMORIZER_LIVE);
		object = memorizer_ptr(id);
		KUNIT_EXPECT_EQ(test, memorizer_object_kind(object), MEMORIZER_KIND_PERCPU);
		KUNIT_EXPECT_EQ(test, memorizer_object_pid(object), current->pid);
		/* The first and the last byte, but not those behind, are its. */
		KUNIT_EXPECT_EQ(test, object_at(copy + size - 1), id);
		KUNIT_EXPECT_NE(test, object_at(copy + size), id);
		touch(copy, 1 + cpu, 2);
		expect_touched(test, id, 1 + cpu, 2);
	}
}

static void allocations_on_each_cpu_are_objects(struct kunit *test)
{
	static const size_t sizes[] = { 8, 12, 100, 2047, 9001 };
	void __percpu *ptr[ARRAY_SIZE(sizes)];
	u32 ids[ARRAY_SIZE(sizes)];
	unsigned int i;
	void *copy;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		ptr[i] = __alloc_percpu(sizes[i], 8);
		KUNIT_ASSERT_NOT_NULL(test, (void __force *)ptr[i]);
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		expect_copies(test, ptr[i], sizes[i]);
		ids[i] = object_at(per_cpu_ptr(ptr[i], 0));
		KUNIT_EXPECT_TRUE(test, ip_is_in(((struct memorizer_object *)
						  memorizer_ptr(ids[i]))->alloc_ip,
						 allocations_on_each_cpu_are_objects));
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		copy = per_cpu_ptr(ptr[i], 0);
		free_percpu(ptr[i]);
		expect_object(test, ids[i], copy, sizes[i], MEMORIZER_FREED);
		KUNIT_EXPECT_NE(test, object_at(copy), ids[i]);
		KUNIT_EXPECT_NE(test, object_at(copy + sizes[i] - 1), ids[i]);
	}
}

/* Neighbours in one word that an access reads count apart. */
static void small_allocations_on_each_cpu_are_told_apart(struct kunit *test)
{
	u32 __percpu *ptr[64];
	unsigned int i, j;
	u32 id;

	for (i = 0; i < ARRAY_SIZE(ptr); i++) {
		ptr[i] = alloc_percpu(u32);
		KUNIT_ASSERT_NOT_NULL(test, (void __force *)ptr[i]);
	}
	for (i = 0; i < ARRAY_SIZE(ptr); i++) {
		id = object_at(per_cpu_ptr(ptr[i], 0));
		expect_object(test, id, per_cpu_ptr(ptr[i], 0), 4, MEMORIZER_LIVE);
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_NE(test, object_at(per_cpu_ptr(ptr[j], 0)), id);
	}
	for (i = 0; i < ARRAY_SIZE(ptr); i++)
		free_percpu(ptr[i]);
}
#endif

#if defined(CONFIG_SMP) && defined(CONFIG_USE_X86_SEG_SUPPORT)
static DEFINE_PER_CPU(u64, by_gs);
static DEFINE_PER_CPU(struct bits, odd_by_gs);

/* The word: 6 reads, 5 writes. The structure: one of each. The allocation: 3 reads, 2 writes. */
static noinline u64 access_by_gs(u32 __percpu *allocated)
{
	this_cpu_write(by_gs, this_cpu_read(by_gs) + 1);
	this_cpu_inc(by_gs);
	sink = this_cpu_add_return(by_gs, 3);
	sink = this_cpu_cmpxchg(by_gs, 0, 1);
	raw_cpu_or(by_gs, 0x100);
	this_cpu_write(odd_by_gs.rest[2], this_cpu_read(odd_by_gs.rest[12]));
	this_cpu_inc(*allocated);
	this_cpu_add(*allocated, this_cpu_read(*allocated) & 0);
	return raw_cpu_read(by_gs);
}

static void expect_accesses_by_gs(struct kunit *test, const void *ptr, u64 reads, u64 writes)
{
	struct tally tally = tally_of(ptr, current->pid);

	KUNIT_EXPECT_EQ(test, tally.reads, reads);
	KUNIT_EXPECT_EQ(test, tally.writes, writes);
}

static void accesses_by_gs_count_for_their_cpu(struct kunit *test)
{
	u32 __percpu *allocated = alloc_percpu(u32);
	unsigned int cpu, times;

	KUNIT_ASSERT_NOT_NULL(test, (void __force *)allocated);
	for_each_online_cpu(cpu) {
		KUNIT_ASSERT_EQ(test, set_cpus_allowed_ptr(current, cpumask_of(cpu)), 0);
		for (times = 0; times <= cpu; times++)
			KUNIT_EXPECT_NE(test, access_by_gs(allocated), 0);
	}
	set_cpus_allowed_ptr(current, cpu_possible_mask);
	for_each_online_cpu(cpu) {
		times = cpu + 1;
		expect_accesses_by_gs(test, per_cpu_ptr(&by_gs, cpu), 6 * times, 5 * times);
		expect_accesses_by_gs(test, per_cpu_ptr(&odd_by_gs, cpu), times, times);
		expect_accesses_by_gs(test, per_cpu_ptr(allocated, cpu), 3 * times, 2 * times);
	}
	free_percpu(allocated);
}
#endif

/* The command line is in an area of memblock with exactly its size. */
static void areas_of_memblock_become_objects(struct kunit *test)
{
	unsigned long ip;
	u32 id;

	touch(saved_command_line, 3, 0);
	id = object_at(saved_command_line);
	expect_object(test, id, saved_command_line, strlen(saved_command_line) + 1, MEMORIZER_LIVE);
	expect_touched(test, id, 3, 0);
	ip = memorizer_unpack_ip(((struct memorizer_object *)memorizer_ptr(id))->alloc_ip);
	expect_symbol(test, saved_command_line, strlen(saved_command_line) + 1, ip,
		      MEMORIZER_KIND_MEMBLOCK, "swapper");
	/* Allocated by start_kernel() or a function that is inlined there */
	KUNIT_EXPECT_TRUE_MSG(test, ip >= (unsigned long)_sinittext &&
			      ip < (unsigned long)_einittext, "%pS", (void *)ip);
	/* Behind it lies no object, or another one. */
	KUNIT_EXPECT_NE(test, id, object_at(saved_command_line + strlen(saved_command_line) + 1));
}

static void kind_may_be_switched(struct kunit *test)
{
	u32 first, again;

	touch(&in_data, 2, 0);
	first = object_at(&in_data);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	touch(&in_data, 1, 1);
	expect_object(test, first, &in_data, sizeof(in_data), MEMORIZER_FREED);
	KUNIT_EXPECT_EQ(test, object_at(&in_data), 0);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STATIC));
	touch(&in_data, 0, 3);
	again = object_at(&in_data);
	KUNIT_EXPECT_NE(test, again, first);
	expect_variable(test, &in_data, sizeof(in_data), 0, 3);
}

/* As is done for init data. */
static void variables_end_when_their_memory_is_freed(struct kunit *test)
{
	const void *page = (void *)((unsigned long)&large[512] & PAGE_MASK);
	u32 id;

	touch(large, 1, 1);
	id = object_at(large);
	/* It does not begin there. */
	memorizer_free_image(page, page + PAGE_SIZE, _THIS_IP_);
	KUNIT_EXPECT_EQ(test, object_at(large), id);
	page = (void *)((unsigned long)large & PAGE_MASK);
	memorizer_free_image(page, page + PAGE_SIZE, _THIS_IP_);
	KUNIT_EXPECT_EQ(test, object_at(large), 0);
	KUNIT_EXPECT_EQ(test, ((struct memorizer_object *)memorizer_ptr(id))->state,
			MEMORIZER_FREED);
	KUNIT_EXPECT_TRUE(test, ip_is_in(((struct memorizer_object *)memorizer_ptr(id))->free_ip,
					 variables_end_when_their_memory_is_freed));
}

/* The page stays what it is, but its areas are no longer recorded in this boot: the last case. */
static void areas_end_when_their_page_is_freed(struct kunit *test)
{
	u32 id;

	memorizer_set_kinds(BIT(MEMORIZER_KIND_MEMBLOCK));
	touch(saved_command_line, 2, 0);
	id = object_at(saved_command_line);
	expect_touched(test, id, 2, 0);
	memorizer_free_reserved(virt_to_page(saved_command_line));
	expect_object(test, id, saved_command_line, strlen(saved_command_line) + 1,
		      MEMORIZER_FREED);
	touch(saved_command_line, 1, 0);
	KUNIT_EXPECT_EQ(test, object_at(saved_command_line), 0);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	memorizer_set_kinds(BIT(MEMORIZER_KIND_MEMBLOCK));
	touch(saved_command_line, 1, 0);
	KUNIT_EXPECT_EQ(test, object_at(saved_command_line), 0);
	expect_touched(test, id, 2, 0);
}

/* An access to no object counts in the region of its address. */
static void unattributed_accesses_have_regions(struct kunit *test)
{
	const struct {
		const void *ptr;
		enum memorizer_region region;
	} at[] = {
		{ _text, MEMORIZER_REGION_KERNEL },
		{ (void *)VMALLOC_END - 7, MEMORIZER_REGION_VMALLOC },
		{ (void *)FIXADDR_START, MEMORIZER_REGION_OTHER },
	};
	u64 *counted, before;
	unsigned long flags;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		/* Interrupts may access the same region. */
		local_irq_save(flags);
		counted = this_cpu_ptr(&memorizer_unattributed.in[at[i].region]);
		before = *counted;
		memorizer_access((unsigned long)at[i].ptr, 8, MEMORIZER_UPDATE, _THIS_IP_);
		before = *counted - before;
		local_irq_restore(flags);
		KUNIT_EXPECT_EQ_MSG(test, before, 2, "region %u", at[i].region);
	}
}

static unsigned int kinds_before;

static int variables_on(struct kunit_suite *suite)
{
	kinds_before = memorizer_get_kinds();
	/* Variables may be objects already. */
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
	memorizer_set_kinds(BIT(MEMORIZER_KIND_STATIC) | BIT(MEMORIZER_KIND_PERCPU) |
			    BIT(MEMORIZER_KIND_MEMBLOCK));
	return switch_on(suite);
}

static void variables_off(struct kunit_suite *suite)
{
	switch_off(suite);
	memorizer_set_kinds(kinds_before);
	memorizer_clear();
}

static struct kunit_case cases[] = {
	KUNIT_CASE(variables_of_all_sections_become_objects),
	KUNIT_CASE(variables_have_their_exact_size),
#ifdef CONFIG_SMP
	KUNIT_CASE(each_cpu_has_its_own_variable),
	KUNIT_CASE(allocations_on_each_cpu_are_objects),
	KUNIT_CASE(small_allocations_on_each_cpu_are_told_apart),
#endif
#if defined(CONFIG_SMP) && defined(CONFIG_USE_X86_SEG_SUPPORT)
	KUNIT_CASE(accesses_by_gs_count_for_their_cpu),
#endif
	KUNIT_CASE(areas_of_memblock_become_objects),
	KUNIT_CASE(unattributed_accesses_have_regions),
	KUNIT_CASE(kind_may_be_switched),
	KUNIT_CASE(variables_end_when_their_memory_is_freed),
	KUNIT_CASE(areas_end_when_their_page_is_freed),
	{ }
};

static struct kunit_suite suite = {
	.name = "memorizer_variables",
	.suite_init = variables_on,
	.suite_exit = variables_off,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Memorizer's KUnit tests of variables");
MODULE_LICENSE("GPL");
