// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's core under a deterministic scheduler: tasks, each on a CPU of its own, and
 * interrupts. One runs at a time, until explore.c chooses another one.
 */
#include <sched.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "sched.h"
#include "tsan.h"

#define STACK_SIZE	(256UL << 10)

struct task_struct *sched_task;
unsigned long test_jiffies = 1000;
char *percpu_areas;
unsigned int possible_cpus = 1;
void (*before_branch)(void);

unsigned int context_current __state;

/* Number of contexts that are interrupts. */
unsigned int contexts_interrupts;

/* What a context that spins waits for: another value of what it loaded last. */
struct location {
	const void *at;
	unsigned int size;
	u64 value;
};

static struct {
	struct context is;
	bool started;
	bool ended;
	bool waits;		/* for another value of @saw, or for any store if @saw.at is NULL */
	bool woken;		/* there was a store since it began to wait */
	struct location saw;
	u64 stack;		/* hash of its stack and registers at its last choice */
} contexts[CONTEXTS] __state;

static ucontext_t registers[CONTEXTS];
static struct task_struct tasks[TEST_CPUS];
static unsigned int contexts_count;
static ucontext_t explorer;
static bool abandoned, resumed;
static char *stacks;
static unsigned long main_stack;
static unsigned int this_cpu __state;

/* Preemption is disabled. */
#define IN_SECTION	BIT(CONTEXTS)

static struct {
	unsigned long section;	/* IN_SECTION, and the contexts that wait for its end, in bits */
	unsigned int depth;
	bool interrupts_disabled;
	bool in_interrupt;
	bool in_instruction;	/* which no interrupt splits */
} cpus[TEST_CPUS] __state;

static __attribute__((constructor)) void make_cpus(void)
{
	size_t size = round_up(__stop_percpu - __start_percpu, 64);
	unsigned int cpu;

	percpu_areas = aligned_alloc(64, TEST_CPUS * size);
	for (cpu = 0; cpu < TEST_CPUS; cpu++) {
		memcpy(percpu_areas + cpu * size, __start_percpu, size);
		this_cpu = cpu;
		sched_task = &tasks[cpu];
		set_pid(cpu + 1);
	}
	become(0, 1);
	stacks = mmap(NULL, CONTEXTS * STACK_SIZE, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	/* It grows down from here, far above all other memory. */
	main_stack = (unsigned long)__builtin_frame_address(0) - (4UL << 20);
}

void set_pid(int pid)
{
	current->pid = pid;
	memorizer_change_task(current, 0, MEMORIZER_PIDS, pid);
	this_cpu_write(memorizer_current_key, current->memorizer_key);
}

void become(unsigned int cpu, int pid)
{
	this_cpu = cpu;
	sched_task = &tasks[cpu];
	set_pid(pid);
}

unsigned int smp_processor_id(void)
{
	return this_cpu;
}

bool in_task(void)
{
	return !cpus[this_cpu].in_interrupt;
}

void disable_interrupts(void)
{
	cpus[this_cpu].interrupts_disabled = true;
}

void enable_interrupts(void)
{
	cpus[this_cpu].interrupts_disabled = false;
}

bool interrupts_disabled(void)
{
	return cpus[this_cpu].interrupts_disabled;
}

void preempt_disable_notrace(void)
{
	if (cpus[this_cpu].depth++)
		return;
	sched_access(&cpus[this_cpu].section, sizeof(unsigned long), SCHED_WRITE);
	cpus[this_cpu].section = IN_SECTION;
}

void preempt_enable_notrace(void)
{
	CHECK(cpus[this_cpu].depth);
	if (cpus[this_cpu].depth == 1) {
		sched_access(&cpus[this_cpu].section, sizeof(unsigned long), SCHED_WRITE);
		cpus[this_cpu].section = 0;
	}
	cpus[this_cpu].depth--;
}

/* Each CPU switches to its stopper, which is a full barrier on that CPU. */
void memorizer_grace_period(void)
{
	unsigned long *section, mine = BIT(context_current);
	unsigned int cpu;

	CHECK(in_task());
	CHECK_EQ(cpus[this_cpu].depth, 0);
	for_each_possible_cpu(cpu) {
		section = &cpus[cpu].section;
		sched_access(section, sizeof(*section), SCHED_READ);
		if (*section & IN_SECTION)
			*section |= mine;
		context_saw(section, sizeof(*section));
		while (*section & mine) {
			sched_yield();
			sched_access(section, sizeof(*section), SCHED_READ);
		}
		memory_drain(cpu);
	}
	memory_drain(this_cpu);
}

/**
 * context_saw() - remember what the running context loads, in case it waits for a change
 * @ptr: the location
 * @size: its size in bytes
 */
void context_saw(const void *ptr, unsigned int size)
{
	struct location *saw = &contexts[context_current].saw;

	saw->at = ptr;
	saw->size = min(size, 8U);
	saw->value = memory_global(ptr, saw->size);
}

/* Replaces the C library's: the core spins. */
int sched_yield(void)
{
	CHECK(sched_active);
	contexts[context_current].waits = true;
	explore_forced();
	contexts[context_current].waits = false;
	return 0;
}

/* Is a context other than @n going on, rather than waiting for stores of others? */
static bool others_go_on(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < contexts_count; i++)
		if (i != n && !(contexts[i].waits && !contexts[i].saw.at) && context_is_enabled(i))
			return true;
	return false;
}

/**
 * context_wait() - wait until another context stores anything
 */
void context_wait(void)
{
	if (!sched_active)
		return;
	/* Each store becomes visible in the end. */
	if (!others_go_on(context_current))
		memory_drain_all();
	contexts[context_current].saw.at = NULL;
	contexts[context_current].woken = false;
	sched_yield();
}

/**
 * context_stored() - wake contexts that wait for any store
 */
void context_stored(void)
{
	unsigned int n;

	for (n = 0; n < contexts_count; n++)
		contexts[n].woken |= contexts[n].waits;
}

/* The reader repeats until the carry is over. */
bool __wrap_memorizer_read_carries_retry(const struct memorizer_object *object, u32 begin)
{
	bool retry = __real_memorizer_read_carries_retry(object, begin);

	if (retry)
		context_wait();
	return retry;
}

/* The interrupt that runs on a context's CPU, if it is another one. */
static bool is_interrupted(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < contexts_count; i++)
		if (i != n && contexts[i].is.cpu == contexts[n].is.cpu &&
		    contexts[i].is.interrupts && contexts[i].started && !contexts[i].ended)
			return true;
	return false;
}

/**
 * context_is_enabled() - test whether a context may run next
 * @n: its number
 *
 * Return: false if it has ended, waits, is interrupted, or must not interrupt
 */
bool context_is_enabled(unsigned int n)
{
	const struct location *saw = &contexts[n].saw;

	if (n >= contexts_count || contexts[n].ended)
		return false;
	if (contexts[n].is.interrupts && !contexts[n].started)
		return !cpus[contexts[n].is.cpu].in_instruction &&
			(contexts[n].is.nmi || !cpus[contexts[n].is.cpu].interrupts_disabled);
	if (is_interrupted(n))
		return false;
	if (contexts[n].waits && !saw->at)
		return contexts[n].woken || !others_go_on(n);
	return !contexts[n].waits || memory_global(saw->at, saw->size) != saw->value;
}

/**
 * context_begin_instruction() - begin an instruction that no interrupt splits
 */
void context_begin_instruction(void)
{
	cpus[this_cpu].in_instruction = true;
}

/**
 * context_end_instruction() - undo context_begin_instruction()
 */
void context_end_instruction(void)
{
	cpus[this_cpu].in_instruction = false;
}

/**
 * context_is_stack() - test whether an address is in a stack
 * @ptr: the address
 *
 * Return: true if it is
 */
bool context_is_stack(const void *ptr)
{
	return (unsigned long)ptr - (unsigned long)stacks < CONTEXTS * STACK_SIZE ||
		(unsigned long)ptr > main_stack;
}

/**
 * context_host() - find the task that the running context interrupted
 *
 * Return: its number, CONTEXTS if the context is a task
 */
unsigned int context_host(void)
{
	unsigned int i;

	if (!contexts[context_current].is.interrupts)
		return CONTEXTS;
	for (i = 0; i < contexts_count; i++)
		if (!contexts[i].is.interrupts &&
		    contexts[i].is.cpu == contexts[context_current].is.cpu)
			return i;
	return CONTEXTS;
}

static void set_current(unsigned int n)
{
	unsigned int cpu = contexts[n].is.cpu;

	if (cpu != this_cpu) {
		memory_leave_cpu(this_cpu);
		memory_enter_cpu(cpu);
	}
	context_current = n;
	this_cpu = cpu;
	sched_task = &tasks[cpu];
	contexts[n].started = true;
}

/**
 * context_switch() - continue another context
 * @n: its number
 */
void context_switch(unsigned int n)
{
	unsigned int from = context_current;

	if (n == from)
		return;
	check_step();
	set_current(n);
	swapcontext(&registers[from], &registers[n]);
}

static char *stack_top(unsigned int n)
{
	return stacks + (n + 1) * STACK_SIZE;
}

/* From the caller's frame up, with the registers that a function call preserves. */
static noinline u64 hash_stack(void)
{
	const char *from = __builtin_frame_address(0);

	return state_hash(from, stack_top(context_current) - from);
}

/**
 * context_hash() - hash the stack and the registers of the running context
 *
 * Those of others are as they were at their last choice.
 */
noinline void context_hash(void)
{
	__builtin_unwind_init();
	contexts[context_current].stack = contexts[context_current].ended ? 0 : hash_stack();
}

/**
 * context_clear_stack() - clear what functions that returned have left below the stack
 *
 * Otherwise the hash of the stack depends on the frames that lay there before: not all of a frame
 * is initialised.
 */
noinline void context_clear_stack(void)
{
	u64 below[64];

	memset(below, 0, sizeof(below));
	/* The compiler must not drop the stores. */
	asm volatile("" : : "r" (below) : "memory");
}

static bool began __state;

static void begin(void)
{
	unsigned int n = context_current, i;
	bool interrupt = contexts[n].is.interrupts;

	/* Any context may be the first one. */
	if (!began) {
		began = true;
		explore_forced();
	}
	/* A hook is a section, an interrupt, too. */
	if (interrupt) {
		cpus[this_cpu].in_interrupt = true;
		preempt_disable_notrace();
	}
	contexts[n].is.run();
	if (interrupt) {
		preempt_enable_notrace();
		cpus[this_cpu].in_interrupt = false;
	}
	memory_end();
	contexts[n].ended = true;
	for (i = 0; i < contexts_count; i++)
		if (!contexts[i].ended)
			explore_forced();
	setcontext(&explorer);
}

static void prepare(unsigned int n, const struct context *is)
{
	unsigned int i;

	memset(&contexts[n], 0, sizeof(contexts[n]));
	contexts[n].is = *is;
	getcontext(&registers[n]);
	/* What the explorer has in its registers is no part of the context's state. */
	for (i = REG_R8; i < REG_RIP; i++)
		if (i != REG_RSP && i != REG_RDI)
			registers[n].uc_mcontext.gregs[i] = 0;
	registers[n].uc_stack.ss_sp = stacks + n * STACK_SIZE;
	registers[n].uc_stack.ss_size = STACK_SIZE;
	makecontext(&registers[n], begin, 0);
}

/**
 * contexts_abandon() - let contexts_run() return
 */
void contexts_abandon(void)
{
	abandoned = true;
	setcontext(&explorer);
}

/**
 * contexts_save() - take a snapshot, in a context
 *
 * It returns again after snapshot_restore() and contexts_resume().
 */
noinline void contexts_save(void)
{
	resumed = false;
	getcontext(&registers[context_current]);
	if (!resumed)
		snapshot_take();
}

/**
 * contexts_copy() - copy stacks and registers to a snapshot, or back from it
 */
void contexts_copy(void)
{
	unsigned int n;
	char *at;

	for (n = 0; n < contexts_count; n++) {
		snapshot_copy(&registers[n], sizeof(registers[n]));
		at = (char *)registers[n].uc_mcontext.gregs[REG_RSP];
		if (!contexts[n].ended || n == context_current)
			snapshot_copy(at, stack_top(n) - at);
	}
}

/* Run until all contexts have ended, or contexts_abandon(). */
static bool run_from(const ucontext_t *from)
{
	unsigned int n;

	abandoned = false;
	sched_active = true;
	swapcontext(&explorer, from);
	sched_active = false;
	memory_drain_all();
	for (n = 0; !abandoned && n < possible_cpus; n++)
		CHECK_EQ(cpus[n].depth, 0);
	memset(cpus, 0, sizeof(cpus));
	become(0, 1);
	return !abandoned;
}

/**
 * contexts_resume() - go on from the snapshot that was restored
 *
 * Return: false if the contexts were abandoned
 */
bool contexts_resume(void)
{
	sched_task = &tasks[this_cpu];
	resumed = true;
	return run_from(&registers[context_current]);
}

/**
 * contexts_run() - run contexts until all have ended
 * @list: the contexts
 * @count: their number
 *
 * Return: false if they were abandoned
 */
bool contexts_run(const struct context *list, unsigned int count)
{
	unsigned int n;

	contexts_count = count;
	contexts_interrupts = 0;
	for (n = 0; n < count; n++) {
		prepare(n, &list[n]);
		contexts_interrupts += list[n].interrupts;
	}
	began = false;
	set_current(0);
	return run_from(&registers[0]);
}
