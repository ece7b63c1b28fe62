// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's subjects: number contexts, and keep the key of each task up to date.
 *
 * Contexts are kept in a table of fixed size, a hash table with open addressing, and never leave
 * it. A CPU claims a free slot by cmpxchg of its state, fills it, and publishes it by a release of
 * the state, which pairs with the acquire in find(). Other CPUs, and interrupts, skip a slot that
 * is only claimed: a context may have several numbers.
 *
 * A task's context changes when it changes its credentials, and when the kernel is entered or
 * left. Interrupts, softirqs and exceptions nest on the task that they interrupt, which therefore
 * keeps the outer entries. An NMI belongs to what it interrupts.
 *
 * The mode is changed, and after a grace period the keys of all tasks. All code that computes a
 * key from the mode has preemption disabled, so that none uses the old mode after that.
 */
#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/cred.h>
#include <linux/errno.h>
#include <linux/jhash.h>
#include <linux/memorizer.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/uidgid.h>
#include <linux/vmalloc.h>

#include "subjects.h"
#include "tasks.h"

static_assert(MEMORIZER_OTHERS + MEMORIZER_SUBJECTS <= MEMORIZER_PIDS);

enum { FREE, CLAIMED, READY };

/* Slots to try for a context. Bounds the time of a hook. */
#define PROBES		64

/* Larger numbers of system calls do not exist. User space may pass any. */
#define SYSCALL_MAX	0xfff
#define SYSCALL_I386	0x8000

unsigned int memorizer_subject_mode __read_mostly;

/* The first one is never searched for. Set once. */
static struct memorizer_subject *subjects;

static bool is_same(const struct memorizer_subject *a, const struct memorizer_subject *b)
{
	return a->uid == b->uid && a->gid == b->gid && a->entry == b->entry;
}

static bool claim(struct memorizer_subject *slot, const struct memorizer_subject *wanted)
{
	u32 state = FREE;

	if (!try_cmpxchg(&slot->state, &state, CLAIMED))
		return false;
	slot->uid = wanted->uid;
	slot->gid = wanted->gid;
	slot->entry = wanted->entry;
	/* Pairs with the acquire in find() and memorizer_subject_at(). */
	smp_store_release(&slot->state, READY);
	return true;
}

/* Find or add a context. Returns its slot, 0 if there is no room. */
static u32 find(const struct memorizer_subject *wanted)
{
	u32 at = jhash_3words(wanted->uid, wanted->gid, wanted->entry, 0), state;
	struct memorizer_subject *slot;
	unsigned int i;

	for (i = 0; i < PROBES; i++, at++) {
		if (!(at % MEMORIZER_SUBJECTS))
			continue;
		slot = &subjects[at % MEMORIZER_SUBJECTS];
		/* Pairs with the release in claim(). */
		state = smp_load_acquire(&slot->state);
		if ((state == READY && is_same(slot, wanted)) ||
		    (state == FREE && claim(slot, wanted)))
			return at % MEMORIZER_SUBJECTS;
	}
	return 0;
}

/**
 * memorizer_find_subject() - compute what the counts of a task are kept for
 * @task: the task
 *
 * Context: any but NMI, with preemption disabled, or under tasklist_lock.
 * Return: its pid, or the number of its context
 */
u32 memorizer_find_subject(const struct task_struct *task)
{
	unsigned int mode = READ_ONCE(memorizer_subject_mode);
	struct memorizer_subject wanted = { };
	const struct cred *cred;

	if (!mode)
		return task->pid;
	rcu_read_lock();
	cred = __task_cred(task);
	/* As in the initial namespaces. from_kuid() has sites: its accesses would be recorded. */
	if (mode & MEMORIZER_BY_UID)
		wanted.uid = __kuid_val(cred->uid);
	if (mode & MEMORIZER_BY_GID)
		wanted.gid = __kgid_val(cred->gid);
	rcu_read_unlock();
	if (mode & MEMORIZER_BY_ENTRY)
		wanted.entry = READ_ONCE(task->memorizer_entry);
	return MEMORIZER_OTHERS + find(&wanted);
}

/**
 * memorizer_update_subject() - update the key of a task after the mode has changed
 * @task: the task, which may change its context concurrently
 *
 * Context: under tasklist_lock.
 */
void memorizer_update_subject(struct task_struct *task)
{
	u64 old, new;

	do {
		/* First: if the task changes its context meanwhile, the key differs as well. */
		old = smp_load_acquire(&task->memorizer_key);
		new = (old & ~((u64)MEMORIZER_PIDS << 32)) |
			(u64)memorizer_find_subject(task) << 32;
	} while (!try_cmpxchg(&task->memorizer_key, &old, new));
}

/* Update the key of the current task, with preemption disabled. */
static void update_current(void)
{
	memorizer_change_task(current, 0, MEMORIZER_PIDS, memorizer_find_subject(current));
	memorizer_load_key();
}

void memorizer_set_creds(void)
{
	preempt_disable_notrace();
	/*
	 * The credentials were set before: either this sees the new mode, or
	 * memorizer_set_subject_mode() sees the new credentials.
	 */
	smp_mb();
	if (READ_ONCE(memorizer_subject_mode))
		update_current();
	preempt_enable_notrace();
}

/**
 * memorizer_reset_entry() - forget the kernel entries of a task
 * @task: a new task; or any, while contexts do not have entries
 *
 * Context: any.
 */
void memorizer_reset_entry(struct task_struct *task)
{
	WRITE_ONCE(task->memorizer_entry,
		   task->flags & PF_KTHREAD ? MEMORIZER_KTHREAD << 16 : MEMORIZER_NO_ENTRY);
	WRITE_ONCE(task->memorizer_depth, 0);
}

/* An interrupt between any two instructions leaves all as it was. */
static void push_entry(struct task_struct *task, u32 entry)
{
	unsigned int depth = task->memorizer_depth;

	WRITE_ONCE(task->memorizer_depth, depth + 1);
	barrier();
	if (depth < ARRAY_SIZE(task->memorizer_outer))
		WRITE_ONCE(task->memorizer_outer[depth], task->memorizer_entry);
	WRITE_ONCE(task->memorizer_entry, entry);
}

static void pop_entry(struct task_struct *task)
{
	unsigned int depth = task->memorizer_depth;

	/* Entered before contexts had entries */
	if (!depth)
		return;
	if (depth <= ARRAY_SIZE(task->memorizer_outer))
		WRITE_ONCE(task->memorizer_entry, task->memorizer_outer[depth - 1]);
	barrier();
	WRITE_ONCE(task->memorizer_depth, depth - 1);
}

static u32 syscall_entry(unsigned int number)
{
	u32 i386 = number & BIT(31) ? SYSCALL_I386 : 0;

	return MEMORIZER_SYSCALL << 16 | i386 | min(number & ~BIT(31), SYSCALL_MAX);
}

void __memorizer_subject_entry(bool leave, enum memorizer_context kind, unsigned int number)
{
	struct task_struct *task = current;

	if (kind == MEMORIZER_NMI)
		return;
	preempt_disable_notrace();
	if (kind == MEMORIZER_SYSCALL) {
		memorizer_reset_entry(task);
		if (!leave)
			WRITE_ONCE(task->memorizer_entry, syscall_entry(number));
	} else if (leave) {
		pop_entry(task);
	} else {
		push_entry(task, kind << 16 | (number & U16_MAX));
	}
	update_current();
	preempt_enable_notrace();
}

/**
 * memorizer_subject_at() - get a context
 * @number: its number, less MEMORIZER_OTHERS
 *
 * Context: any.
 * Return: the context, or NULL
 */
const struct memorizer_subject *memorizer_subject_at(u32 number)
{
	/* Pairs with the release in claim(). */
	return subjects && smp_load_acquire(&subjects[number].state) == READY ?
		&subjects[number] : NULL;
}

/**
 * memorizer_make_subjects() - allocate the table of contexts, unless there is one
 *
 * Context: process context, may sleep; the mode is 0, under the mutex of subjects_set.c.
 * Return: 0 or -ENOMEM
 */
int memorizer_make_subjects(void)
{
	if (!subjects)
		subjects = vzalloc(array_size(MEMORIZER_SUBJECTS, sizeof(*subjects)));
	return subjects ? 0 : -ENOMEM;
}
