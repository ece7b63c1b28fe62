/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memorizer's tasks: selection and keys.
 */
#ifndef _MM_MEMORIZER_TASKS_H
#define _MM_MEMORIZER_TASKS_H

#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/types.h>

struct file_operations;

/*
 * Upper half of task_struct.memorizer_key; the lower half is 0. PIDS is the pid as in
 * memorizer_key(), or another subject (subjects.h). PAUSES counts calls of memorizer_pause().
 * LEFT_OUT is set for a task that tasks.c did not choose, OUTSIDE for one that is in no chosen
 * cgroup (cgroups.c). PAUSED is set if any of these is, so that the key matches no entry.
 */
#define MEMORIZER_PIDS		(BIT(24) - 1)
#define MEMORIZER_ONE_PAUSE	BIT(24)
#define MEMORIZER_PAUSES	(BIT(29) - BIT(24))
#define MEMORIZER_OUTSIDE	BIT(29)
#define MEMORIZER_LEFT_OUT	BIT(30)
#define MEMORIZER_PAUSED	BIT(31)

/* A copy of the running task's memorizer_key, for the thunks. */
DECLARE_PER_CPU(u64, memorizer_current_key);

/* Change a task's key; the task, and others, may change other parts of it concurrently. */
static inline void memorizer_change_task(struct task_struct *task, int add,
					 unsigned int clear, unsigned int set)
{
	u64 old = READ_ONCE(task->memorizer_key);
	u32 new;

	do {
		/* MEMORIZER_PAUSED follows from the other bits. */
		new = ((old >> 32 & ~(MEMORIZER_PAUSED | clear)) | set) + add;
		if (new & (MEMORIZER_PAUSES | MEMORIZER_OUTSIDE | MEMORIZER_LEFT_OUT))
			new |= MEMORIZER_PAUSED;
	} while (!try_cmpxchg(&task->memorizer_key, &old, (u64)new << 32));
}

/* Update memorizer_current_key after the running task's key has changed. */
static inline void memorizer_load_key(void)
{
	unsigned long flags;

	/* Others change the key, then have this CPU do the same by an interrupt. */
	raw_local_irq_save(flags);
	this_cpu_write(memorizer_current_key, READ_ONCE(current->memorizer_key));
	raw_local_irq_restore(flags);
}

/**
 * memorizer_pause() - keep this task's activity out of the KMAP
 *
 * Nests, 31 deep. Interrupts are still recorded.
 *
 * Context: any, NMI included; in an interrupt, of the interrupted task.
 */
static inline void memorizer_pause(void)
{
	memorizer_change_task(current, MEMORIZER_ONE_PAUSE, 0, 0);
	memorizer_load_key();
	/* The compiler must not move accesses out of the paused section. */
	barrier();
}

/**
 * memorizer_resume() - undo memorizer_pause()
 *
 * Context: as memorizer_pause().
 */
static inline void memorizer_resume(void)
{
	/* As in memorizer_pause(). */
	barrier();
	memorizer_change_task(current, -(int)MEMORIZER_ONE_PAUSE, 0, 0);
	memorizer_load_key();
}

/* True in a paused task, and in an interrupt during it. */
static __always_inline bool memorizer_pauses(void)
{
	return unlikely(READ_ONCE(current->memorizer_key) >> 32 & MEMORIZER_PAUSES);
}

/* True in a paused task, but not in an interrupt during it. */
static __always_inline bool memorizer_is_paused(void)
{
	return memorizer_pauses() && in_task();
}

/* True if a task with this key was not chosen. */
static __always_inline bool memorizer_key_leaves_out(u64 key)
{
	return unlikely(key >> 32 & (MEMORIZER_OUTSIDE | MEMORIZER_LEFT_OUT));
}

/* True in a task that was not chosen, and in an interrupt during it. */
static __always_inline bool memorizer_is_left_out(void)
{
	return memorizer_key_leaves_out(READ_ONCE(current->memorizer_key));
}

/* What the counts of the current task are kept for, see subjects.h. */
static __always_inline u32 memorizer_current_subject(void)
{
	return READ_ONCE(current->memorizer_key) >> 32 & MEMORIZER_PIDS;
}

/* tasks.c */
int memorizer_set_pids(const char *text);
int memorizer_set_pid_fork(bool on);
bool memorizer_has_pid_fork(void);
void memorizer_load_running_keys(void);
void memorizer_load_keys(void);
extern const struct file_operations memorizer_pids_fops;

/* cgroups.c */
extern const struct file_operations memorizer_cgroups_fops;

#endif /* _MM_MEMORIZER_TASKS_H */
