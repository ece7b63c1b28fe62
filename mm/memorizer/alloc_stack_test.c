// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of allocation stacks: each has the callers of the allocation, from the
 * call site on.
 */
#include <linux/gfp.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/stackdepot.h>
#include <linux/vmalloc.h>

#include <asm/sections.h>

#include "alloc_stack.h"
#include "test.h"

#define ALL	MEMORIZER_KINDS_BUILT_IN

/* Neither inlined, nor cloned, nor merged; and its calls are no jumps. */
#define CALLER	__attribute__((__noipa__, __optimize__("no-optimize-sibling-calls")))

enum how { KMALLOC, PAGES, FOLIO, EXACT, VMALLOC, PERCPU, HOWS };

static const enum memorizer_object_kind kinds[HOWS] = {
	[KMALLOC] = MEMORIZER_KIND_SLAB, [PAGES] = MEMORIZER_KIND_PAGES,
	[FOLIO] = MEMORIZER_KIND_PAGES, [EXACT] = MEMORIZER_KIND_PAGES,
	[VMALLOC] = MEMORIZER_KIND_VMALLOC, [PERCPU] = MEMORIZER_KIND_PERCPU,
};

static CALLER void *allocate(enum how how)
{
	switch (how) {
	case KMALLOC:
		return kmalloc(100, GFP_KERNEL);
	case PAGES:
		return (void *)__get_free_pages(GFP_KERNEL, 1);
	case FOLIO:
		return folio_address(folio_alloc(GFP_KERNEL, 1));
	case EXACT:
		return alloc_pages_exact(3 * PAGE_SIZE, GFP_KERNEL);
	case VMALLOC:
		return vmalloc(PAGE_SIZE);
	default:
		return (void __force *)__alloc_percpu(64, 8);
	}
}

static CALLER void *call_allocate(enum how how)
{
	return allocate(how);
}

static CALLER void *also_call_allocate(enum how how)
{
	return allocate(how);
}

static CALLER void *call_twice(enum how how)
{
	return call_allocate(how);
}

static void release(enum how how, void *ptr)
{
	switch (how) {
	case KMALLOC:
		kfree(ptr);
		break;
	case PAGES:
		free_pages((unsigned long)ptr, 1);
		break;
	case FOLIO:
		folio_put(virt_to_folio(ptr));
		break;
	case EXACT:
		free_pages_exact(ptr, 3 * PAGE_SIZE);
		break;
	case VMALLOC:
		vfree(ptr);
		break;
	default:
		free_percpu((void __percpu __force *)ptr);
	}
}

static const struct memorizer_object *object_of(enum how how, void *ptr)
{
	if (how == PERCPU)
		ptr = this_cpu_ptr((void __percpu __force *)ptr);
	return memorizer_ptr(object_at(ptr));
}

static bool is_in(unsigned long frame, void *start)
{
	return ip_is_in(memorizer_pack_ip(frame), start);
}

static void stacks_have_each_caller(struct kunit *test)
{
	const struct memorizer_object *object;
	unsigned long *frames;
	enum how how;
	void *ptr;

	for (how = 0; how < HOWS; how++) {
		ptr = call_twice(how);
		KUNIT_ASSERT_NOT_NULL(test, ptr);
		migrate_disable();
		object = object_of(how, ptr);
		migrate_enable();
		KUNIT_EXPECT_EQ(test, memorizer_object_kind(object), kinds[how]);
		KUNIT_ASSERT_GE_MSG(test, memorizer_fetch_stack(object, &frames), 4, "%u", how);
		KUNIT_EXPECT_TRUE_MSG(test, is_in(frames[0], allocate), "%u: %pS", how,
				      (void *)frames[0]);
		KUNIT_EXPECT_TRUE_MSG(test, is_in(frames[1], call_allocate), "%u: %pS", how,
				      (void *)frames[1]);
		KUNIT_EXPECT_TRUE_MSG(test, is_in(frames[2], call_twice), "%u: %pS", how,
				      (void *)frames[2]);
		KUNIT_EXPECT_TRUE_MSG(test, is_in(frames[3], stacks_have_each_caller), "%u: %pS",
				      how, (void *)frames[3]);
		KUNIT_EXPECT_EQ(test, memorizer_alloc_ip(object), frames[0]);
		release(how, ptr);
	}
}

/* The call site is that of an allocation without a stack. */
static void call_site_does_not_depend_on_stacks(struct kunit *test)
{
	unsigned long ip[2];
	unsigned int i;
	enum how how;
	void *ptr;

	for (how = 0; how < HOWS; how++) {
		for (i = 0; i < 2; i++) {
			KUNIT_ASSERT_EQ(test, memorizer_set_stack_depth(i), 0);
			ptr = call_allocate(how);
			KUNIT_ASSERT_NOT_NULL(test, ptr);
			migrate_disable();
			KUNIT_EXPECT_EQ(test, memorizer_has_stack(object_of(how, ptr)), i);
			ip[i] = memorizer_alloc_ip(object_of(how, ptr));
			migrate_enable();
			release(how, ptr);
		}
		KUNIT_EXPECT_EQ(test, ip[0], ip[1]);
	}
}

static void depth_limits_the_frames(struct kunit *test)
{
	unsigned long *frames;
	unsigned int depth;
	void *ptr;

	for (depth = 0; depth <= 4; depth++) {
		KUNIT_ASSERT_EQ(test, memorizer_set_stack_depth(depth), 0);
		ptr = call_twice(KMALLOC);
		KUNIT_ASSERT_NOT_NULL(test, ptr);
		KUNIT_EXPECT_EQ(test, memorizer_fetch_stack(object_of(KMALLOC, ptr), &frames),
				depth);
		kfree(ptr);
	}
}

static void equal_stacks_are_one(struct kunit *test)
{
	u32 stack[3];
	unsigned int i;
	void *ptr;

	for (i = 0; i < 3; i++) {
		ptr = i < 2 ? call_allocate(KMALLOC) : also_call_allocate(KMALLOC);
		KUNIT_ASSERT_NOT_NULL(test, ptr);
		stack[i] = object_of(KMALLOC, ptr)->alloc_ip;
		kfree(ptr);
	}
	KUNIT_EXPECT_EQ(test, stack[0], stack[1]);
	KUNIT_EXPECT_NE(test, stack[0], stack[2]);
}

static void copies_on_all_cpus_have_one_stack(struct kunit *test)
{
	char __percpu *ptr = (void __percpu __force *)call_allocate(PERCPU);
	const struct memorizer_object *object;
	unsigned int cpu;
	u32 stack = 0;

	KUNIT_ASSERT_NOT_NULL(test, (void __force *)ptr);
	for_each_possible_cpu(cpu) {
		object = memorizer_ptr(object_at(per_cpu_ptr(ptr, cpu)));
		KUNIT_EXPECT_TRUE(test, memorizer_has_stack(object));
		stack = stack ?: object->alloc_ip;
		KUNIT_EXPECT_EQ(test, object->alloc_ip, stack);
	}
	free_percpu(ptr);
}

static void parts_keep_the_stack(struct kunit *test)
{
	char *ptr = call_allocate(PAGES);
	const struct memorizer_object *part;
	u32 stack;

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	stack = object_of(PAGES, ptr)->alloc_ip;
	split_page(virt_to_page(ptr), 1);
	free_page((unsigned long)ptr);
	part = object_of(PAGES, ptr + PAGE_SIZE);
	KUNIT_EXPECT_EQ(test, part->size, PAGE_SIZE);
	KUNIT_EXPECT_TRUE(test, memorizer_has_stack(part));
	KUNIT_EXPECT_EQ(test, part->alloc_ip, stack);
	free_page((unsigned long)ptr + PAGE_SIZE);
}

static bool is_entry(unsigned long frame)
{
	return frame >= (unsigned long)__irqentry_text_start &&
		frame < (unsigned long)__irqentry_text_end;
}

static void *from_interrupt;

static CALLER void handle(struct irq_work *work)
{
	from_interrupt = kmalloc(100, GFP_ATOMIC);
}

/* The frames end at the entry of the interrupt: those of the interrupted code are no callers. */
static void stacks_of_interrupts_end_at_their_entry(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(handle);
	unsigned long *frames;
	unsigned int nr, i;

	irq_work_queue(&work);
	irq_work_sync(&work);
	KUNIT_ASSERT_NOT_NULL(test, from_interrupt);
	nr = memorizer_fetch_stack(object_of(KMALLOC, from_interrupt), &frames);
	KUNIT_ASSERT_GE(test, nr, 2);
	KUNIT_EXPECT_TRUE(test, is_in(frames[0], handle));
	for (i = 0; i < nr; i++)
		KUNIT_EXPECT_FALSE(test, is_in(frames[i], stacks_of_interrupts_end_at_their_entry));
	KUNIT_EXPECT_TRUE_MSG(test, nr == MEMORIZER_STACK_MAX || is_entry(frames[nr - 1]),
			      "%pS", (void *)frames[nr - 1]);
	kfree(from_interrupt);
}

static u64 paused(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(memorizer_counters, cpu).paused);
	return sum;
}

/* The unwinder and the depot access memory on behalf of the tracer, not of the task. */
static void accesses_of_the_unwinder_are_not_the_tasks(struct kunit *test)
{
	u64 before = paused();
	void *ptr = call_twice(KMALLOC);

	KUNIT_ASSERT_NOT_NULL(test, ptr);
	KUNIT_EXPECT_GT(test, paused(), before);
	KUNIT_EXPECT_FALSE(test, memorizer_pauses());
	kfree(ptr);
}

static void stack_is_written_as_text(struct kunit *test)
{
	char *text = kunit_kzalloc(test, MEMORIZER_ROW_MAX, GFP_KERNEL);
	char *expected = kunit_kzalloc(test, MEMORIZER_ROW_MAX, GFP_KERNEL);
	const struct memorizer_object *object;
	unsigned long *frames;
	unsigned int nr, i;
	int length = 0;
	void *ptr;

	KUNIT_ASSERT_NOT_NULL(test, text);
	KUNIT_ASSERT_NOT_NULL(test, expected);
	ptr = call_twice(KMALLOC);
	KUNIT_ASSERT_NOT_NULL(test, ptr);
	object = object_of(KMALLOC, ptr);
	nr = memorizer_fetch_stack(object, &frames);
	for (i = 0; i < nr; i++)
		length += scnprintf(expected + length, MEMORIZER_ROW_MAX - length, "%s%016lx",
				    i ? "," : "  @", frames[i]);
	scnprintf(expected + length, MEMORIZER_ROW_MAX - length, "\n");
	*memorizer_format_stack(text, object) = '\0';
	KUNIT_EXPECT_STREQ(test, text, expected);
	kfree(ptr);
}

static int stacks_on(struct kunit *test)
{
	memorizer_set_kinds(ALL);
	return memorizer_set_stack_depth(MEMORIZER_STACK_MAX);
}

static void stacks_off(struct kunit *test)
{
	memorizer_set_stack_depth(0);
	memorizer_set_kinds(BIT(MEMORIZER_KIND_SLAB));
}

static struct kunit_case cases[] = {
	KUNIT_CASE(stacks_have_each_caller),
	KUNIT_CASE(call_site_does_not_depend_on_stacks),
	KUNIT_CASE(depth_limits_the_frames),
	KUNIT_CASE(equal_stacks_are_one),
	KUNIT_CASE(copies_on_all_cpus_have_one_stack),
	KUNIT_CASE(parts_keep_the_stack),
	KUNIT_CASE(stacks_of_interrupts_end_at_their_entry),
	KUNIT_CASE(accesses_of_the_unwinder_are_not_the_tasks),
	KUNIT_CASE(stack_is_written_as_text),
	{ }
};

static struct kunit_suite suite = {
	.name = "memorizer_stacks",
	.init = stacks_on,
	.exit = stacks_off,
	.suite_init = switch_on,
	.suite_exit = switch_off,
	.test_cases = cases,
};

kunit_test_suite(suite);

MODULE_DESCRIPTION("Memorizer's KUnit tests of allocation stacks");
MODULE_LICENSE("GPL");
