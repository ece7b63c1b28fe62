// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's KUnit tests of calls: each call is counted once, in every context.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sizes.h>
#include <linux/smp.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include <asm/apic.h>
#include <asm/nmi.h>

#include "calls.h"
#include "subjects.h"
#include "test.h"

#define ROUNDS	100

/* Neither inlined, nor cloned, nor merged with equal functions. */
#define CALLED	__attribute__((__noipa__)) void

static CALLED called(void)
{
}

static CALLED also_called(void)
{
}

/* Ends in a jump. */
static CALLED calls_last(void)
{
	called();
}

static CALLED recurse(unsigned int depth)
{
	if (depth)
		recurse(depth - 1);
	/* Not a jump. */
	barrier();
}

static CALLED call_often(void)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		called();
}

/* Which calls are added up; NULL and ANY match all. */
struct sum {
	void *from;
	unsigned long to;
	u32 pid;
	u64 count;
};

static int add_matching(const struct memorizer_call *call, void *arg)
{
	struct sum *sum = arg;

	if (memorizer_unpack_ip(call->to) == sum->to &&
	    (!sum->from || ip_is_in(call->from, sum->from)) &&
	    (sum->pid == ANY || call->pid == sum->pid))
		sum->count += local_read(&call->count);
	return 0;
}

/* How often a function called another one for a pid. */
static u64 calls(void *from, void *to, u32 pid)
{
	struct sum sum = { .from = from, .to = ftrace_location((unsigned long)to), .pid = pid };

	memorizer_pause();
	down_read(&memorizer_rwsem);
	memorizer_visit_calls(add_matching, &sum);
	up_read(&memorizer_rwsem);
	memorizer_resume();
	return sum.count;
}

static void each_call_is_counted(struct kunit *test)
{
	called();
	call_often();
	KUNIT_EXPECT_EQ(test, calls(call_often, called, current->pid), ROUNDS);
	KUNIT_EXPECT_EQ(test, calls(each_call_is_counted, called, current->pid), 1);
	KUNIT_EXPECT_EQ(test, calls(each_call_is_counted, call_often, current->pid), 1);
	KUNIT_EXPECT_EQ(test, calls(NULL, called, ANY), ROUNDS + 1);
	KUNIT_EXPECT_EQ(test, calls(NULL, also_called, ANY), 0);
}

static void calls_are_counted_by_context(struct kunit *test)
{
	u32 subject;

	KUNIT_ASSERT_EQ(test, memorizer_set_subject_mode(MEMORIZER_BY_UID), 0);
	called();
	subject = memorizer_current_subject();
	memorizer_set_subject_mode(0);
	KUNIT_EXPECT_GT(test, subject, MEMORIZER_OTHERS);
	KUNIT_EXPECT_EQ(test, calls(calls_are_counted_by_context, called, subject), 1);
	KUNIT_EXPECT_EQ(test, calls(NULL, called, ANY), 1);
}

static void recursion_is_counted(struct kunit *test)
{
	recurse(ROUNDS);
	KUNIT_EXPECT_EQ(test, calls(recursion_is_counted, recurse, current->pid), 1);
	KUNIT_EXPECT_EQ(test, calls(recurse, recurse, current->pid), ROUNDS);
}

static void (*pointer)(void) = called;

static void calls_by_pointer_are_counted(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < 2 * ROUNDS; i++) {
		WRITE_ONCE(pointer, i % 2 ? called : also_called);
		READ_ONCE(pointer)();
	}
	KUNIT_EXPECT_EQ(test, calls(calls_by_pointer_are_counted, called, ANY), ROUNDS);
	KUNIT_EXPECT_EQ(test, calls(calls_by_pointer_are_counted, also_called, ANY), ROUNDS);
}

DEFINE_STATIC_CALL(memorizer_test, called);

static void static_calls_are_counted(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ROUNDS; i++)
		static_call(memorizer_test)();
	static_call_update(memorizer_test, &also_called);
	static_call(memorizer_test)();
	static_call_update(memorizer_test, &called);
	KUNIT_EXPECT_EQ(test, calls(static_calls_are_counted, called, ANY), ROUNDS);
	KUNIT_EXPECT_EQ(test, calls(static_calls_are_counted, also_called, ANY), 1);
}

/* The return address is that of the outer call. */
static void tail_calls_are_from_the_outer_caller(struct kunit *test)
{
	calls_last();
	KUNIT_EXPECT_EQ(test, calls(tail_calls_are_from_the_outer_caller, calls_last, ANY), 1);
	KUNIT_EXPECT_EQ(test, calls(tail_calls_are_from_the_outer_caller, called, ANY), 1);
	KUNIT_EXPECT_EQ(test, calls(NULL, called, ANY), 1);
}

static int handle_return(struct kretprobe_instance *instance, struct pt_regs *regs)
{
	return 0;
}

/* The stack has the trampoline's address in place of the return address. */
static void calls_under_a_kretprobe_have_the_return_address(struct kunit *test)
{
	struct kretprobe probe = {
		.kp.addr = (kprobe_opcode_t *)calls_last,
		.handler = handle_return,
	};

	if (!IS_ENABLED(CONFIG_KRETPROBES))
		kunit_skip(test, "CONFIG_KRETPROBES is not set");
	KUNIT_ASSERT_EQ(test, register_kretprobe(&probe), 0);
	calls_last();
	unregister_kretprobe(&probe);
	KUNIT_EXPECT_EQ(test, probe.nmissed, 0);
	KUNIT_EXPECT_EQ(test, calls(calls_under_a_kretprobe_have_the_return_address, called, ANY),
			1);
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
static unsigned int returns;

static int graph_entry(struct ftrace_graph_ent *trace, struct fgraph_ops *ops)
{
	return 1;
}

static void graph_return(struct ftrace_graph_ret *trace, struct fgraph_ops *ops)
{
	returns++;
}

static struct fgraph_ops graph = {
	.entryfunc = graph_entry,
	.retfunc = graph_return,
};

static void calls_under_the_graph_tracer_have_the_return_address(struct kunit *test)
{
	unsigned long ip = ftrace_location((unsigned long)calls_last);

	KUNIT_ASSERT_EQ(test, ftrace_set_filter_ip(&graph.ops, ip, 0, 1), 0);
	KUNIT_ASSERT_EQ(test, register_ftrace_graph(&graph), 0);
	returns = 0;
	calls_last();
	unregister_ftrace_graph(&graph);
	KUNIT_EXPECT_EQ(test, returns, 1);
	KUNIT_EXPECT_EQ(test, calls(calls_under_the_graph_tracer_have_the_return_address, called,
				    ANY), 1);
}
#else
static void calls_under_the_graph_tracer_have_the_return_address(struct kunit *test)
{
	kunit_skip(test, "CONFIG_FUNCTION_GRAPH_TRACER is not set");
}
#endif

static void in_hardirq_fn(struct irq_work *work)
{
	WARN_ON(!in_hardirq());
	call_often();
	/* Not a jump. */
	barrier();
}

static void calls_in_hardirq_are_counted(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(in_hardirq_fn);
	unsigned int i;

	for (i = 0; i < 10; i++) {
		irq_work_queue(&work);
		called();
		irq_work_sync(&work);
	}
	KUNIT_EXPECT_EQ(test, calls(in_hardirq_fn, call_often, ANY), 10);
	KUNIT_EXPECT_EQ(test, calls(call_often, called, ANY), 10 * ROUNDS);
	KUNIT_EXPECT_EQ(test, calls(calls_in_hardirq_are_counted, called, current->pid), 10);
}

static atomic_t nmis;

static int nmi_handler(unsigned int type, struct pt_regs *regs)
{
	WARN_ON(!in_nmi());
	called();
	atomic_inc(&nmis);
	return NMI_HANDLED;
}

static void calls_in_nmi_are_counted(struct kunit *test)
{
	unsigned int i, before, own = 0;

	atomic_set(&nmis, 0);
	KUNIT_ASSERT_EQ(test, 0, register_nmi_handler(NMI_LOCAL, nmi_handler, 0, "memorizer_test"));
	for (i = 0; i < ROUNDS; i++) {
		before = atomic_read(&nmis);
		preempt_disable();
		__apic_send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
		preempt_enable();
		do {
			called();
			own++;
		} while (atomic_read(&nmis) == before);
	}
	unregister_nmi_handler(NMI_LOCAL, "memorizer_test");
	KUNIT_EXPECT_EQ(test, atomic_read(&nmis), ROUNDS);
	KUNIT_EXPECT_EQ(test, calls(nmi_handler, called, ANY), ROUNDS);
	KUNIT_EXPECT_EQ(test, calls(calls_in_nmi_are_counted, called, current->pid), own);
}

static void call_from_ipi(void *unused)
{
	call_often();
	/* Not a jump. */
	barrier();
}

static int often_nmi_handler(unsigned int type, struct pt_regs *regs)
{
	call_often();
	atomic_inc(&nmis);
	return NMI_HANDLED;
}

/**
 * struct caller - a thread that calls until it is stopped
 * @task: the thread
 * @started: completed by it
 * @times: how often it has called call_often()
 */
struct caller {
	struct task_struct *task;
	struct completion started;
	u64 times;
};

static int call_in_thread(void *data)
{
	struct caller *caller = data;

	complete(&caller->started);
	do {
		call_often();
		caller->times++;
		cond_resched();
	} while (!kthread_should_stop());
	return 0;
}

static void start_caller(struct kunit *test, struct caller *caller, unsigned int cpu)
{
	init_completion(&caller->started);
	caller->task = kthread_run_on_cpu(call_in_thread, caller, cpu, "memorizer/%u");
	KUNIT_EXPECT_FALSE(test, IS_ERR(caller->task));
	/* kthread_stop() would keep it from starting. */
	if (!IS_ERR(caller->task))
		wait_for_completion(&caller->started);
}

/* Stop a thread, and return how often it has called call_often(). */
static u64 stop_caller(struct kunit *test, struct caller *caller)
{
	u32 pid;

	if (IS_ERR(caller->task))
		return 0;
	pid = caller->task->pid;
	KUNIT_EXPECT_EQ(test, kthread_stop(caller->task), 0);
	KUNIT_EXPECT_EQ(test, calls(call_in_thread, call_often, pid), caller->times);
	return caller->times;
}

/* Interrupt all CPUs by cross calls and NMIs. */
static void interrupt_callers(void)
{
	unsigned int cpu, before;

	on_each_cpu(call_from_ipi, NULL, true);
	for_each_online_cpu(cpu) {
		before = atomic_read(&nmis);
		preempt_disable();
		__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
		preempt_enable();
		while (atomic_read(&nmis) == before)
			cpu_relax();
	}
}

/* On all CPUs at once, with interrupts and NMIs that count in the same records. */
static void calls_on_all_cpus_add_up(struct kunit *test)
{
	struct caller *callers = kunit_kcalloc(test, nr_cpu_ids, sizeof(*callers), GFP_KERNEL);
	unsigned int cpu, i;
	u64 times = 0;

	KUNIT_ASSERT_NOT_NULL(test, callers);
	atomic_set(&nmis, 0);
	KUNIT_ASSERT_EQ(test, 0, register_nmi_handler(NMI_LOCAL, often_nmi_handler, 0,
						      "memorizer_test"));
	cpus_read_lock();
	for_each_online_cpu(cpu)
		start_caller(test, &callers[cpu], cpu);
	for (i = 0; i < 5 * ROUNDS; i++) {
		interrupt_callers();
		cond_resched();
	}
	for_each_online_cpu(cpu)
		times += stop_caller(test, &callers[cpu]);
	unregister_nmi_handler(NMI_LOCAL, "memorizer_test");
	KUNIT_EXPECT_GT(test, times, num_online_cpus());
	KUNIT_EXPECT_EQ(test, calls(call_from_ipi, call_often, ANY),
			5 * ROUNDS * num_online_cpus());
	KUNIT_EXPECT_EQ(test, calls(often_nmi_handler, call_often, ANY), atomic_read(&nmis));
	times += 5 * ROUNDS * num_online_cpus() + atomic_read(&nmis);
	KUNIT_EXPECT_EQ(test, calls(call_often, called, ANY), times * ROUNDS);
	cpus_read_unlock();
}

/* Add up a counter of all CPUs. */
#define COUNTED(counter) ({						\
	u64 __sum = 0;							\
	int __cpu;							\
									\
	for_each_possible_cpu(__cpu)					\
		__sum += READ_ONCE(per_cpu(memorizer_counters, __cpu).counter);	\
	__sum;								\
})

static void calls_of_paused_tasks_are_counted_apart(struct kunit *test)
{
	u64 before = COUNTED(calls_paused);

	memorizer_pause();
	call_often();
	memorizer_resume();
	KUNIT_EXPECT_GT(test, COUNTED(calls_paused) - before, ROUNDS);
	KUNIT_EXPECT_EQ(test, calls(NULL, called, ANY), 0);
}

/* Calls in interrupts of a paused task are counted. */
static void calls_in_interrupts_are_not_paused(struct kunit *test)
{
	struct irq_work work = IRQ_WORK_INIT_HARD(in_hardirq_fn);

	memorizer_pause();
	irq_work_queue(&work);
	irq_work_sync(&work);
	memorizer_resume();
	KUNIT_EXPECT_EQ(test, calls(call_often, called, ANY), ROUNDS);
}

static void calls_of_other_tasks_are_left_out(struct kunit *test)
{
	u64 before;

	KUNIT_ASSERT_EQ(test, memorizer_set_pids("none"), 0);
	before = COUNTED(calls_left_out);
	call_often();
	KUNIT_EXPECT_GT(test, COUNTED(calls_left_out) - before, ROUNDS);
	KUNIT_EXPECT_EQ(test, memorizer_set_pids(""), 0);
	KUNIT_EXPECT_EQ(test, calls(NULL, called, ANY), 0);
	call_often();
	KUNIT_EXPECT_EQ(test, calls(NULL, called, ANY), ROUNDS);
}

static void clearing_forgets_calls(struct kunit *test)
{
	u64 before;

	call_often();
	KUNIT_EXPECT_EQ(test, calls(call_often, called, ANY), ROUNDS);
	before = memorizer_cleared.calls;
	memorizer_clear();
	KUNIT_EXPECT_GT(test, memorizer_cleared.calls - before, ROUNDS);
	KUNIT_EXPECT_EQ(test, calls(call_often, called, ANY), 0);
	call_often();
	KUNIT_EXPECT_EQ(test, calls(call_often, called, ANY), ROUNDS);
}

/* Let only these calls count: with interrupts off, between what leaves this task out. */
static int call_while_chosen(void *data)
{
	unsigned long flags, *times = data;

	do {
		raw_local_irq_save(flags);
		memorizer_change_task(current, 0, MEMORIZER_LEFT_OUT, 0);
		memorizer_load_key();
		call_often();
		memorizer_change_task(current, 0, 0, MEMORIZER_LEFT_OUT);
		memorizer_load_key();
		raw_local_irq_restore(flags);
		++*times;
		cond_resched();
	} while (!kthread_should_stop());
	return 0;
}

static int add_count(const struct memorizer_call *call, void *arg)
{
	*(u64 *)arg += local_read(&call->count);
	return 0;
}

static void clearing_loses_no_call(struct kunit *test)
{
	unsigned int cpu = cpumask_last(cpu_online_mask), i;
	struct task_struct *thread;
	unsigned long times = 0;
	u64 before, left = 0;

	KUNIT_ASSERT_EQ(test, memorizer_set_pids("none"), 0);
	memorizer_clear();
	before = memorizer_cleared.calls;
	thread = kthread_run_on_cpu(call_while_chosen, &times, cpu, "memorizer/%u");
	KUNIT_EXPECT_FALSE(test, IS_ERR(thread));
	if (!IS_ERR(thread)) {
		for (i = 0; i < 20; i++) {
			/* The thread may be on this CPU. */
			schedule_timeout_uninterruptible(1);
			memorizer_clear();
		}
		KUNIT_EXPECT_EQ(test, kthread_stop(thread), 0);
	}
	memorizer_visit_calls(add_count, &left);
	KUNIT_EXPECT_EQ(test, memorizer_set_pids(""), 0);
	/* With the calls of call_often() itself */
	KUNIT_EXPECT_EQ(test, memorizer_cleared.calls - before + left, times * (ROUNDS + 1));
	KUNIT_EXPECT_GT(test, memorizer_cleared.calls - before, ROUNDS);
}

/* A function that is not traced begins with the NOP that it has without Memorizer. */
static void nothing_is_left_when_off(struct kunit *test)
{
	void *ip = (void *)ftrace_location((unsigned long)called);
	u8 on[MCOUNT_INSN_SIZE];

	memcpy(on, ip, sizeof(on));
	KUNIT_ASSERT_EQ(test, memorizer_set_log_calls(false), 0);
	KUNIT_EXPECT_NE(test, memcmp(on, ip, sizeof(on)), 0);
	KUNIT_EXPECT_EQ(test, memcmp(ip, x86_nops[MCOUNT_INSN_SIZE], MCOUNT_INSN_SIZE), 0);
	KUNIT_EXPECT_FALSE(test, memorizer_is_logging_calls());
	call_often();
	KUNIT_EXPECT_EQ(test, calls(NULL, called, ANY), 0);
	KUNIT_ASSERT_EQ(test, memorizer_set_log_calls(true), 0);
	KUNIT_EXPECT_EQ(test, memcmp(on, ip, 1), 0);
	call_often();
	KUNIT_EXPECT_EQ(test, calls(NULL, called, ANY), ROUNDS);
}

/* Take all records. Returns the list of them. */
static u32 fill_pool(void)
{
	u32 list = 0, id;

	for (;;) {
		preempt_disable();
		id = memorizer_pool_alloc(MEMORIZER_CALL);
		preempt_enable();
		if (!id)
			return list;
		((struct memorizer_call *)memorizer_ptr(id))->chain = list;
		list = id;
	}
}

static void free_records(u32 id)
{
	u32 next;

	for (; id; id = next) {
		next = ((struct memorizer_call *)memorizer_ptr(id))->chain;
		memorizer_pool_free(MEMORIZER_CALL, id);
	}
}

static void calls_without_room_are_counted_as_lost(struct kunit *test)
{
	u64 before, lost;
	unsigned long flags;
	unsigned int i;
	u32 list;

	if (memorizer_pool_size() > SZ_4M)
		kunit_skip(test, "others would lose objects, too: boot with memorizer.pool=2M");
	list = fill_pool();
	/* On this CPU, nothing else runs. */
	raw_local_irq_save(flags);
	before = __this_cpu_read(memorizer_counters.lost[MEMORIZER_LOST_CALL]);
	for (i = 0; i < ROUNDS; i++)
		called();
	lost = __this_cpu_read(memorizer_counters.lost[MEMORIZER_LOST_CALL]) - before;
	raw_local_irq_restore(flags);
	free_records(list);
	KUNIT_EXPECT_EQ(test, lost, ROUNDS);
	KUNIT_EXPECT_EQ(test, calls(NULL, called, ANY), 0);
	memorizer_clear();
	called();
	KUNIT_EXPECT_EQ(test, calls(NULL, called, ANY), 1);
}

static bool calls_can_be_switched(void)
{
	/* QEMU 7.2's TCG may execute text that another CPU has patched, unless CPUs take turns. */
	return num_possible_cpus() == 1 || strstr(saved_command_line, "turns=1") ||
		!strstr(boot_cpu_data.x86_model_id, "QEMU TCG");
}

static int calls_begin(struct kunit *test)
{
	if (!calls_can_be_switched())
		kunit_skip(test, "TCG may execute text that another CPU has patched");
	memorizer_clear();
	return memorizer_set_log_calls(true);
}

static void calls_end(struct kunit *test)
{
	memorizer_set_log_calls(false);
}

static struct kunit_case calls_cases[] = {
	KUNIT_CASE(each_call_is_counted),
	KUNIT_CASE(calls_are_counted_by_context),
	KUNIT_CASE(recursion_is_counted),
	KUNIT_CASE(calls_by_pointer_are_counted),
	KUNIT_CASE(static_calls_are_counted),
	KUNIT_CASE(tail_calls_are_from_the_outer_caller),
	KUNIT_CASE(calls_under_a_kretprobe_have_the_return_address),
	KUNIT_CASE(calls_under_the_graph_tracer_have_the_return_address),
	KUNIT_CASE(calls_in_hardirq_are_counted),
	KUNIT_CASE(calls_in_nmi_are_counted),
	KUNIT_CASE(calls_on_all_cpus_add_up),
	KUNIT_CASE(calls_of_paused_tasks_are_counted_apart),
	KUNIT_CASE(calls_in_interrupts_are_not_paused),
	KUNIT_CASE(calls_of_other_tasks_are_left_out),
	KUNIT_CASE(clearing_forgets_calls),
	KUNIT_CASE(clearing_loses_no_call),
	KUNIT_CASE(nothing_is_left_when_off),
	KUNIT_CASE(calls_without_room_are_counted_as_lost),
	{}
};

static struct kunit_suite calls_suite = {
	.name = "memorizer_calls",
	.init = calls_begin,
	.exit = calls_end,
	.test_cases = calls_cases,
};

kunit_test_suite(calls_suite);
