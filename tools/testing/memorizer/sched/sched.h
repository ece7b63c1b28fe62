/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's core under a deterministic scheduler: shared declarations.
 *
 * The core is compiled with the instrumentation of ThreadSanitizer and linked with memory.c in
 * place of its library. Each load, store and atomic operation calls a hook there first, and may
 * be preceded by a switch to another context (contexts.c). explore.c enumerates the choices. It
 * goes back to an earlier one with a snapshot (snapshot.c), and ends a schedule in a state that
 * another one has reached (state.c). scenarios.c has the operations, checks.c the invariants.
 */
#ifndef _MEMORIZER_SCHED_H
#define _MEMORIZER_SCHED_H

#include <linux/vmalloc.h>

#include "../test.h"

#define SCHED_READ	1
#define SCHED_WRITE	2
#define SCHED_UPDATE	(SCHED_READ | SCHED_WRITE)

/* Tasks and interrupts. */
#define CONTEXTS	4

/* Of variables of the tests that a schedule changes. */
#define __state		__section("sched_state")
extern char __start_sched_state[], __stop_sched_state[];

/* state.c */
u64 state_hash(const void *ptr, size_t size);
bool state_is_known(unsigned int spent);
void state_ended(void);
void states_begin_schedule(void);
void states_forget(void);
unsigned long states_reached(void);
u64 states_ended(void);

/* snapshot.c */
void snapshot_copy(void *ptr, size_t size);
size_t snapshot_next(void);
void snapshot_take(void);
void snapshot_restore(size_t number);
void snapshots_forget(void);

/* memory.c */
extern bool sched_active;
extern bool sched_logs;
extern bool sched_grown;
extern bool sched_weak;
void sched_access(const void *ptr, unsigned int size, unsigned int kind);
void sched_before_write(const void *ptr, unsigned int size, bool may_delay);
void memory_drain(unsigned int cpu);
bool memory_drain_all(void);
void memory_end(void);
void memory_leave_cpu(unsigned int cpu);
void memory_enter_cpu(unsigned int cpu);
u64 memory_global(const void *ptr, unsigned int size);
void memory_freeze(void);
void memory_undo(void);
u64 memory_hash(void);
void memory_copy(void);

/* contexts.c */

/**
 * struct context - a task on a CPU of its own, or an interrupt of such a CPU
 * @run: what it does
 * @cpu: its CPU
 * @interrupts: it is an interrupt
 * @nmi: it is an interrupt that arrives although interrupts are disabled
 */
struct context {
	void (*run)(void);
	unsigned int cpu;
	bool interrupts;
	bool nmi;
};

extern unsigned int contexts_interrupts;
extern unsigned int context_current;
bool contexts_run(const struct context *list, unsigned int count);
bool contexts_resume(void);
void contexts_abandon(void);
void contexts_save(void);
void contexts_copy(void);
void context_hash(void);
void context_clear_stack(void);
void context_stored(void);
bool context_is_enabled(unsigned int n);
void context_begin_instruction(void);
void context_end_instruction(void);
bool context_is_stack(const void *ptr);
void context_wait(void);
void context_saw(const void *ptr, unsigned int size);
void context_switch(unsigned int n);
unsigned int context_host(void);

/* explore.c */

/**
 * struct exploration - what an exploration did
 * @schedules: number of schedules
 * @states: number of states that they reached
 * @ended: hash of the set of states that they ended in
 * @points: most choices in one schedule
 * @complete: all schedules up to the bound were run
 */
struct exploration {
	unsigned long schedules;
	unsigned long states;
	u64 ended;
	unsigned int points;
	bool complete;
};

extern unsigned long explore_event;
extern bool explore_merges;
void explore_point(void);
bool explore_delay(void);
bool explore_drain(void);
void explore_forced(void);
bool explore_replays(void);
struct exploration explore(void (*run)(bool resumes), unsigned int bound, unsigned long most);
void explore_replay(void (*run)(bool resumes), const char *schedule);
void explore_print(void);
void explore_fail(const char *why);

/* scenarios.c */

/* An object that all operations access. */
#define X	PAGE(0)

/**
 * struct operation - what a context does
 * @name: its name
 * @run: does it, for the context of this number
 * @check: checks at the end what it promises, or NULL
 * @needs: what it uses, and others may use meanwhile
 * @takes: what it ends or makes, and others must not use meanwhile, as the kernel guarantees
 * @flags: see below
 */
struct operation {
	const char *name;
	void (*run)(unsigned int n);
	void (*check)(unsigned int n);
	unsigned int needs;
	unsigned int takes;
	unsigned int flags;
};

/* For @needs and @takes. A double free is no error of the core: it only needs the object. */
#define THE_X		BIT(0)
#define THE_G		BIT(1)
#define THE_SLAB	BIT(2)
#define THE_LARGE	BIT(3)
#define THE_LINES	BIT(4)
#define THE_LOWER	BIT(5)
#define THE_UPPER	BIT(6)
#define THE_STRUCT_PAGE	BIT(7)

#define SLEEPS		BIT(0)	/* not for interrupts */
#define IN_NMI		BIT(1)	/* also for NMIs */
#define ENDS_X		BIT(2)	/* frees or buries X */
#define MAKES_G		BIT(3)	/* makes an object that is counted by granule */
#define SWITCHES	BIT(4)	/* some objects are not recorded */
#define REUSES_SLAB	BIT(5)	/* the slab was freed before */
#define FREES_LOWER	BIT(8)	/* frees the lower page of P */
#define TRACKS		BIT(7)	/* cache lines are tracked from the start on */
#define WITH_ITSELF	BIT(6)	/* may run twice, though it takes something */

extern const struct operation operations[];
extern const unsigned int operations_count;
void scenario_prepare(void);
void scenario_reset(void);
void scenario_set(unsigned int n, const struct operation *operation);
void scenario_run(unsigned int n);
void scenario_check(unsigned int n);
bool scenario_any(unsigned int flags);
bool scenario_all(unsigned int flags);

/* Accesses to X that have begun and ended, and that had ended before the schedule began. */
extern unsigned long x_begun, x_ended, x_before;

/* What the operations have done so far. */
struct done {
	unsigned long accesses;
	unsigned long allocs;
	unsigned long frees;
};

extern struct done done;

/* reader.c */
void reader_read(unsigned int n, bool in_steps);
void reader_retire(void);

/* lines.c */
void lines_reset(void);
void lines_access(unsigned int n, unsigned int kind);
void lines_check(void);

/* checks.c */
void check_step(void);
void check_end(void);

#endif /* _MEMORIZER_SCHED_H */
