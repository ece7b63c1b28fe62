// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's per-CPU memory: record what its allocator hands out, an object on each CPU.
 *
 * Variables that modules define with DEFINE_PER_CPU() are one such allocation of the module loader.
 */
#include <linux/align.h>
#include <linux/cpumask.h>
#include <linux/memorizer-percpu.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include "alloc_stack.h"
#include "announce.h"
#include "hooks.h"
#include "index.h"
#include "memorizer.h"
#include "object.h"
#include "observer.h"
#include "pool.h"
#include "record.h"
#include "tasks.h"

static void record_copy(unsigned long va, size_t size, bool by_granule, unsigned long ip,
			u32 stack)
{
	u32 how = memorizer_who(MEMORIZER_KIND_PERCPU, by_granule);
	u32 id = memorizer_object_make(va, size, how, ip);
	int err;

	if (!id) {
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_OBJECT]);
		return;
	}
	memorizer_object_set_stack(memorizer_ptr(id), stack);
	err = memorizer_index_insert_grains(va, id);
	if (!err) {
		memorizer_object_publish(memorizer_ptr(id), va, by_granule);
		memorizer_announce_object(id);
		return;
	}
	/* Nothing to bury: each end of such memory has its hook. */
	memorizer_pool_free(MEMORIZER_OBJECT, id);
	this_cpu_inc(memorizer_counters.lost[err == -ERANGE ? MEMORIZER_LOST_RANGE :
					     MEMORIZER_LOST_INDEX]);
}

/* Apply the filters to a CPU's copy, and record it. */
static void choose_copy(unsigned long va, size_t size, unsigned long ip, u32 stack)
{
	unsigned int chosen = BIT(MEMORIZER_RECORDED);

	if (!(READ_ONCE(memorizer_recorded_kinds) & BIT(MEMORIZER_KIND_PERCPU)))
		return;
	if (memorizer_is_paused()) {
		this_cpu_inc(memorizer_counters.paused);
		return;
	}
	if (READ_ONCE(memorizer_hooks) & MEMORIZER_DO_CHOOSE)
		chosen = memorizer_choose_object((void *)va, MEMORIZER_KIND_PERCPU, ip);
	if (chosen & BIT(MEMORIZER_RECORDED))
		record_copy(va, size, chosen & BIT(MEMORIZER_FIELDS), ip, stack);
	else
		this_cpu_inc(memorizer_counters.allocs_left_out);
}

void __memorizer_percpu_alloc(void __percpu *ptr, size_t size, unsigned long ip)
{
	const size_t bytes = ALIGN(size, PCPU_MIN_ALLOC_SIZE);
	unsigned int cpu;
	u32 stack = 0;

	if (memorizer_observes_kinds())
		for_each_possible_cpu(cpu)
			memorizer_observer_alloc_area(per_cpu_ptr(ptr, cpu), size, bytes, ip,
						      MEMORIZER_PERCPU);
	cpu = cpumask_first(cpu_possible_mask);
	/* The filters choose the copies of all CPUs, or none. */
	if (READ_ONCE(memorizer_recorded_kinds) & BIT(MEMORIZER_KIND_PERCPU))
		stack = memorizer_alloc_stack(per_cpu_ptr(ptr, cpu), MEMORIZER_KIND_PERCPU, ip);
	for_each_possible_cpu(cpu) {
		preempt_disable_notrace();
		choose_copy((unsigned long)per_cpu_ptr(ptr, cpu), size, ip, stack);
		preempt_enable_notrace();
	}
}

/**
 * __memorizer_percpu_free() - record a free
 * @ptr: the address
 * @bytes: bytes that are freed on each CPU
 * @ip: return address into the caller of the allocator
 *
 * Call this, if memorizer_follows_kinds(), before the allocator can reuse the memory.
 *
 * Context: any but NMI. Takes no lock, allocates nothing.
 */
void __memorizer_percpu_free(void __percpu *ptr, size_t bytes, unsigned long ip)
{
	unsigned int cpu;
	u32 id;

	if (memorizer_observes_kinds())
		for_each_possible_cpu(cpu)
			memorizer_observer_free_area(per_cpu_ptr(ptr, cpu), bytes, ip,
						     MEMORIZER_PERCPU);
	if (!(READ_ONCE(memorizer_followed_kinds) & BIT(MEMORIZER_KIND_PERCPU)))
		return;
	for_each_possible_cpu(cpu) {
		preempt_disable_notrace();
		id = memorizer_index_erase_grains((unsigned long)per_cpu_ptr(ptr, cpu));
		if (id)
			memorizer_end_id(id, ip);
		else
			this_cpu_inc(memorizer_counters.unknown_frees);
		preempt_enable_notrace();
	}
}
