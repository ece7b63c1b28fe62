// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's calls: count each call of a function by return address, function and task.
 *
 * ftrace calls the hook at the entry of each function, in any context. Each CPU looks up its own
 * records in a hash table, and increments a count with a single instruction, which interrupts
 * cannot split. A cmpxchg adds a new record to the front of its bucket; it fails if an interrupt
 * has added another one meanwhile. If that has the same key, both stay: readers add them up.
 *
 * The hook calls only code that ftrace does not trace, so that it cannot recurse. Protection
 * against recursion, such as FTRACE_OPS_FL_RECURSION, may lose calls by interrupts and NMIs.
 *
 * Each CPU has two tables. memorizer_clear_calls() switches the hook to the other one, waits for a
 * grace period, and returns the records of the old one to the pool. The hook disables preemption.
 */
#include <linux/build_bug.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/rethook.h>
#include <linux/rwsem.h>
#include <linux/sched/signal.h>
#include <linux/topology.h>
#include <linux/vmalloc.h>

#include <asm/unwind.h>

#include "calls.h"
#include "entry.h"
#include "memorizer.h"
#include "object.h"
#include "pool.h"
#include "tasks.h"

/* memorizer_class_size() returns one size for both. */
static_assert(sizeof(struct memorizer_call) == sizeof(struct memorizer_entry));

#define TABLE_BITS	14
#define TABLE_BUCKETS	(1U << TABLE_BITS)

/* Two tables of buckets, one behind the other. NULL until calls are logged for the first time. */
static DEFINE_PER_CPU_READ_MOSTLY(u32 *, tables);

/* First bucket of the tables in use: 0 or TABLE_BUCKETS. Written under memorizer_rwsem. */
static unsigned int in_use __read_mostly;

/* Serializes switching. */
static DEFINE_MUTEX(switch_mutex);
static bool is_on;

/* Test whether a return address is the trampoline of a return tracer. */
static __always_inline bool is_trampoline(unsigned long ip)
{
	if (is_rethook_trampoline(ip))
		return true;
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	return ip == (unsigned long)return_to_handler;
#else
	return false;
#endif
}

/*
 * The caller's return is traced, and the caller ended in a tail call. Look up the original return
 * address by its place on the stack.
 */
static noinline __kprobes unsigned long true_return(unsigned long ip, struct ftrace_regs *fregs)
{
	struct unwind_state state = { .task = current };
	unsigned long *place = (unsigned long *)ftrace_regs_get_stack_pointer(fregs);

	return unwind_recover_ret_addr(&state, ip, place) ?: ip;
}

/* Count a call that has no record on this CPU yet. */
static noinline __kprobes void add_call(u32 *bucket, u32 from, u32 to, u32 pid)
{
	u32 id = memorizer_pool_alloc(MEMORIZER_CALL), head;
	struct memorizer_call *call;

	if (!id) {
		this_cpu_inc(memorizer_counters.lost[MEMORIZER_LOST_CALL]);
		return;
	}
	call = memorizer_ptr(id);
	call->from = from;
	call->to = to;
	call->pid = pid;
	local_set(&call->count, 1);
	/* Publishes the record: pairs with the dependency on the id in readers. */
	head = READ_ONCE(*bucket);
	do {
		WRITE_ONCE(call->chain, head);
	} while (unlikely(!try_cmpxchg(bucket, &head, id)));
}

static __always_inline void count_call(u32 from, u32 to, u32 pid)
{
	u64 key = ((u64)to << 32 | from) + pid * GOLDEN_RATIO_64;
	u32 *bucket = this_cpu_read(tables) + READ_ONCE(in_use) + hash_64(key, TABLE_BITS), id;
	struct memorizer_call *call;

	for (id = READ_ONCE(*bucket); id; id = READ_ONCE(call->chain)) {
		call = memorizer_ptr(id);
		if (call->from == from && call->to == to && call->pid == pid) {
			local_inc(&call->count);
			return;
		}
	}
	add_call(bucket, from, to, pid);
}

/* ftrace's hook. Any context, NMI included. */
static void __kprobes call_hook(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *op,
				struct ftrace_regs *fregs)
{
	preempt_disable_notrace();
	if (unlikely(is_trampoline(parent_ip)))
		parent_ip = true_return(parent_ip, fregs);
	/* The CPU's copy, because memorizer_switch_to() announces changes of it. */
	if (memorizer_key_leaves_out(this_cpu_read(memorizer_current_key)))
		this_cpu_inc(memorizer_counters.calls_left_out);
	else if (memorizer_is_paused())
		this_cpu_inc(memorizer_counters.calls_paused);
	else
		count_call(memorizer_pack_ip(parent_ip), memorizer_pack_ip(ip),
			   memorizer_current_subject());
	preempt_enable_notrace();
}

static struct ftrace_ops call_ops = {
	.func = call_hook,
	/* Keeps ftrace enabled meanwhile: no call is missed. */
	.flags = FTRACE_OPS_FL_PERMANENT,
};

static int make_tables(void)
{
	unsigned int cpu;
	u32 *buckets;

	for_each_possible_cpu(cpu) {
		if (per_cpu(tables, cpu))
			continue;
		buckets = vzalloc_node(2 * TABLE_BUCKETS * sizeof(*buckets), cpu_to_node(cpu));
		/* The tables of other CPUs stay for the next attempt. */
		if (!buckets)
			return -ENOMEM;
		WRITE_ONCE(per_cpu(tables, cpu), buckets);
	}
	return 0;
}

static int switch_calls(bool on)
{
	int err;

	if (on) {
		if (!memorizer_pool_size())
			return -ENOMEM;
		err = make_tables() ?: memorizer_calls_begin(&call_ops);
		if (err)
			return err;
		err = register_ftrace_function(&call_ops);
	} else {
		err = unregister_ftrace_function(&call_ops);
	}
	/* Switched off, or not switched on */
	if (on == !!err)
		memorizer_calls_end();
	return err;
}

/**
 * memorizer_set_log_calls() - switch the counting of calls
 * @on: true to count calls
 *
 * Functions are switched one after another: on return, all are.
 *
 * Context: process context, may sleep.
 * Return: 0, -ENOMEM if there is no pool or no memory for the tables, or the error of ftrace;
 *	-EBUSY if ftrace is off
 */
int memorizer_set_log_calls(bool on)
{
	int err = 0;

	mutex_lock(&switch_mutex);
	if (on != is_on) {
		err = switch_calls(on);
		if (!err)
			WRITE_ONCE(is_on, on);
	}
	mutex_unlock(&switch_mutex);
	return err;
}

/**
 * memorizer_is_logging_calls() - test whether calls are counted
 *
 * Context: any.
 * Return: true if they are
 */
bool memorizer_is_logging_calls(void)
{
	return READ_ONCE(is_on);
}

/**
 * memorizer_visit_calls() - visit the records of all CPUs
 * @visit: called for each record; anything but 0 ends the walk
 * @arg: passed to @visit
 *
 * Records of different CPUs may have the same key; so may records of one CPU. Calls are counted
 * meanwhile.
 *
 * Context: process context, may sleep, under memorizer_rwsem.
 * Return: 0, what @visit returned, or -EINTR if the task was killed
 */
int memorizer_visit_calls(memorizer_call_visitor *visit, void *arg)
{
	const struct memorizer_call *call;
	unsigned int cpu, i;
	u32 *table, id;
	int err;

	for_each_possible_cpu(cpu) {
		table = READ_ONCE(per_cpu(tables, cpu));
		for (i = 0; table && i < TABLE_BUCKETS; i++) {
			for (id = READ_ONCE(table[in_use + i]); id; id = READ_ONCE(call->chain)) {
				call = memorizer_ptr(id);
				err = visit(call, arg);
				if (err)
					return err;
				memorizer_may_schedule();
			}
			if (fatal_signal_pending(current))
				return -EINTR;
		}
	}
	return 0;
}

/* Queue the records of a table for the pool. */
static void empty_table(u32 *table)
{
	struct memorizer_call *call;
	unsigned int i;
	u32 id;

	for (i = 0; i < TABLE_BUCKETS; i++) {
		while ((id = table[i])) {
			call = memorizer_ptr(id);
			table[i] = call->chain;
			memorizer_cleared.calls += local_read(&call->count);
			memorizer_pool_give(MEMORIZER_CALL, id);
			memorizer_may_schedule();
		}
	}
}

/**
 * memorizer_clear_calls() - forget all calls
 *
 * The caller calls memorizer_pool_give_back().
 *
 * Context: process context, may sleep, under memorizer_rwsem, for writing.
 */
void memorizer_clear_calls(void)
{
	unsigned int cpu, old = in_use;

	if (!memorizer_class_used(MEMORIZER_CALL))
		return;
	WRITE_ONCE(in_use, TABLE_BUCKETS - old);
	/* Wait for hooks that use the old tables. */
	memorizer_grace_period();
	for_each_possible_cpu(cpu)
		if (per_cpu(tables, cpu))
			empty_table(per_cpu(tables, cpu) + old);
}
