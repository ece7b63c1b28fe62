// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's seam: whether there is an observer, and what it is told.
 *
 * The switches are no static keys: they would be switched over and over, under
 * load, for the sake of one instruction in a hook; and QEMU's emulation of several
 * CPUs (7.2) may go on with a breakpoint that text_poke_bp() has taken away again.
 */
#include <linux/compiler.h>
#include <linux/init.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/rwsem.h>

#include "memorizer.h"
#include "observer.h"

/* Written under memorizer_rwsem. */
bool memorizer_accesses_observed __read_mostly;
bool memorizer_traffic_observed __read_mostly;

/**
 * memorizer_observe_allocations() - switch telling the observer of allocations
 * @on: whether it is to be told of them, and of frees
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_observe_allocations(bool on)
{
	down_write(&memorizer_rwsem);
	memorizer_switch_hooks(MEMORIZER_DO_TELL, on);
	if (on)
		static_branch_enable(&memorizer_tracking);
	else
		/* Hooks that found it on are done, unless they were preempted. */
		memorizer_grace_period();
	up_write(&memorizer_rwsem);
}

/**
 * memorizer_observe_accesses() - switch telling the observer of accesses
 * @on: whether it is to be told of them
 *
 * Context: process context, may sleep; or boot, one CPU.
 */
void memorizer_observe_accesses(bool on)
{
	if (on) {
		WRITE_ONCE(memorizer_accesses_observed, true);
		memorizer_slow_path_begin();
	} else {
		memorizer_slow_path_end();
		WRITE_ONCE(memorizer_accesses_observed, false);
	}
}

/**
 * memorizer_observe_traffic() - switch telling the observer of lines that move
 * @on: whether it is to be told of them, while they are tracked
 *
 * Context: process context; or boot, one CPU.
 */
void memorizer_observe_traffic(bool on)
{
	WRITE_ONCE(memorizer_traffic_observed, on);
}

/**
 * memorizer_observer_init() - start the observer
 *
 * Context: boot, one CPU, once: slab and vmalloc are up.
 */
void __weak __init memorizer_observer_init(void) { }

/**
 * memorizer_observer_files() - make the observer's files
 * @dir: Memorizer's directory in debugfs
 *
 * Context: boot, process context.
 */
void __weak __init memorizer_observer_files(struct dentry *dir) { }

/**
 * memorizer_observer_stats() - show the observer's part of debugfs memorizer/show_stats
 * @m: where to
 *
 * Context: process context, may sleep, under memorizer_rwsem.
 */
void __weak memorizer_observer_stats(struct seq_file *m) { }

/**
 * memorizer_observer_alloc() - slab memory is allocated
 * @ptr: the object
 * @size: bytes that the caller asked for
 * @ip: return address into the caller
 * @source: by which kind of function
 * @gfp: the flags that it gave
 *
 * Context: any, NMI included.
 */
void __weak memorizer_observer_alloc(const void *ptr, size_t size, unsigned long ip,
				     enum memorizer_source source, gfp_t gfp)
{
}

/**
 * memorizer_observer_free() - slab memory is given back
 * @ptr: the object
 * @ip: return address into the caller, 0 if it is not known
 * @source: by which kind of function
 *
 * Context: any, NMI included.
 */
void __weak memorizer_observer_free(const void *ptr, unsigned long ip,
				    enum memorizer_source source)
{
}

/**
 * memorizer_observer_task() - a task is new, or has got another pid
 * @task: the task, whose pid and start time are set
 *
 * Context: any in which the task keeps that pid.
 */
void __weak memorizer_observer_task(struct task_struct *task) { }

/**
 * memorizer_observer_access() - memory is accessed
 * @addr: its first address
 * @size: its size in bytes
 * @kind: an enum memorizer_kind
 * @ip: the address right behind the site
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __weak __kprobes memorizer_observer_access(unsigned long addr, unsigned long size,
						unsigned int kind, unsigned long ip)
{
}

/**
 * memorizer_observer_traffic() - an access moves a cache line to this CPU
 * @access: the access
 * @kind: MEMORIZER_READ or MEMORIZER_WRITE, which of its kinds moves it
 * @line: first address of the line
 * @from: the CPU that stored to it last, -1: nobody yet
 *
 * Context: any, NMI included, with preemption disabled.
 */
void __weak __kprobes memorizer_observer_traffic(const struct memorizer_access *access,
						 unsigned int kind, unsigned long line, int from)
{
}
