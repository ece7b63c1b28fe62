// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: scopes, sections of a task's work that it marks itself.
 *
 * A task has a slot while it has open scopes. Slots are taken and given back under a mutex, and
 * looked up without. A slot whose task has exited is free.
 */
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "stream.h"

/**
 * struct scopes - the open scopes of a task
 * @pid: the task's, 0 if the slot is free
 * @depth: their number; only the owner changes it
 * @started: the task's start_time, as its pid may be reused
 */
struct scopes {
	pid_t pid;
	unsigned int depth;
	u64 started;
};

/* Serializes taking slots and giving them back. */
static DEFINE_MUTEX(slots_mutex);
static struct scopes slots[MEMORIZER_SCOPE_SLOTS];

/* All slots from this one on are free. Written under slots_mutex. */
static unsigned int slots_used;

/* Look up the current task's slot. Returns NULL if it has none. */
static __always_inline struct scopes *find_slot(void)
{
	unsigned int i, used = READ_ONCE(slots_used);

	/* Races only with changes of other tasks' slots, which do not match. */
	for (i = 0; i < used; i++)
		if (READ_ONCE(slots[i].pid) == current->pid &&
		    READ_ONCE(slots[i].started) == current->start_time)
			return &slots[i];
	return NULL;
}

/**
 * memorizer_in_scope() - test whether the current task has an open scope
 *
 * Context: any.
 * Return: true if it does
 */
bool __kprobes memorizer_in_scope(void)
{
	const struct scopes *slot = find_slot();

	return slot && READ_ONCE(slot->depth);
}

static bool has_ended(const struct scopes *slot)
{
	const struct task_struct *task;
	bool ended;

	rcu_read_lock();
	/* A new task may have got the pid: compare when it was started, too. */
	task = find_task_by_pid_ns(slot->pid, &init_pid_ns);
	ended = !task || task->start_time != slot->started;
	rcu_read_unlock();
	return ended;
}

/**
 * memorizer_scope_reserve() - take a slot for the current task, unless it has one
 *
 * Context: process context, may sleep.
 * Return: false if all slots are in use
 */
bool memorizer_scope_reserve(void)
{
	struct scopes *slot = find_slot();
	unsigned int i;

	if (slot)
		return true;
	mutex_lock(&slots_mutex);
	for (i = 0; i < MEMORIZER_SCOPE_SLOTS; i++)
		if (i >= slots_used || !slots[i].pid || has_ended(&slots[i]))
			break;
	if (i < MEMORIZER_SCOPE_SLOTS) {
		slot = &slots[i];
		/* The pid last: an interrupt must not find the previous owner's depth. */
		WRITE_ONCE(slot->pid, 0);
		WRITE_ONCE(slot->depth, 0);
		WRITE_ONCE(slot->started, current->start_time);
		WRITE_ONCE(slot->pid, current->pid);
		if (i >= slots_used)
			WRITE_ONCE(slots_used, i + 1);
	}
	mutex_unlock(&slots_mutex);
	return slot;
}

/**
 * memorizer_scope_enter() - open a scope
 *
 * Context: process context; the current task has a slot.
 */
void memorizer_scope_enter(void)
{
	struct scopes *slot = find_slot();

	WRITE_ONCE(slot->depth, slot->depth + 1);
}

/**
 * memorizer_scope_leave() - close the innermost scope
 *
 * The current task keeps its slot.
 *
 * Context: process context.
 * Return: false if no scope is open
 */
bool memorizer_scope_leave(void)
{
	struct scopes *slot = find_slot();

	if (!slot)
		return false;
	/* Not zero: memorizer_scope_release() frees a slot without open scopes. */
	WRITE_ONCE(slot->depth, slot->depth - 1);
	return true;
}

/**
 * memorizer_scope_release() - give back the current task's slot if no scope is open
 *
 * Context: process context, may sleep.
 */
void memorizer_scope_release(void)
{
	struct scopes *slot = find_slot();

	/* No lock: only this task changes its depth, and it has a slot. */
	if (slot->depth)
		return;
	mutex_lock(&slots_mutex);
	WRITE_ONCE(slot->pid, 0);
	/* Shorten the search that memorizer_in_scope() makes for each access. */
	while (slots_used && !slots[slots_used - 1].pid)
		WRITE_ONCE(slots_used, slots_used - 1);
	mutex_unlock(&slots_mutex);
}
