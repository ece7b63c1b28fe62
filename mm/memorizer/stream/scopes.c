// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: scopes, parts of what a task does that it has named itself.
 *
 * A mark "scope NAME" opens one for the task that writes it, "leave NAME" closes the
 * innermost. With the switch scoped, accesses are streamed in scopes only, which
 * includes interrupts that come in there. What is streamed lies between the two marks.
 *
 * A task has a slot while it has open scopes. It takes and gives it back under a mutex,
 * and looks for it without: nobody else takes its slot away while it lives, and what
 * others do meanwhile is not about its pid. A slot whose task has ended is free for all.
 */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../announce.h"
#include "stream.h"

/**
 * struct scopes - the open scopes of a task
 * @pid: the task's; 0: nobody's
 * @depth: how many there are; only its task changes it while it has the slot
 * @started: the task's start_time: another may have its pid later
 */
struct scopes {
	pid_t pid;
	unsigned int depth;
	u64 started;
};

/* The switch scoped is on. */
bool memorizer_stream_is_scoped;

/* Serializes taking slots and giving them back. */
static DEFINE_MUTEX(slots_mutex);
static struct scopes slots[MEMORIZER_SCOPE_SLOTS];

/* How many slots from the first on may be in use. Written under slots_mutex. */
static unsigned int slots_used;

/* The slot of the task that runs; NULL if it has none. */
static __always_inline struct scopes *find_slot(void)
{
	unsigned int i, used = READ_ONCE(slots_used);

	for (i = 0; i < used; i++)
		if (READ_ONCE(slots[i].pid) == current->pid &&
		    READ_ONCE(slots[i].started) == current->start_time)
			return &slots[i];
	return NULL;
}

/**
 * memorizer_in_scope() - does the task that runs have an open scope?
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
	task = find_task_by_pid_ns(slot->pid, &init_pid_ns);
	ended = !task || task->start_time != slot->started;
	rcu_read_unlock();
	return ended;
}

/* The task's slot, perhaps a new one; NULL if there are too many tasks in scopes. */
static struct scopes *take_slot(void)
{
	struct scopes *slot = find_slot();
	unsigned int i;

	if (slot)
		return slot;
	mutex_lock(&slots_mutex);
	for (i = 0; i < MEMORIZER_SCOPE_SLOTS; i++)
		if (i >= slots_used || !slots[i].pid || has_ended(&slots[i]))
			break;
	if (i < MEMORIZER_SCOPE_SLOTS) {
		slot = &slots[i];
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

static void give_back(struct scopes *slot)
{
	mutex_lock(&slots_mutex);
	WRITE_ONCE(slot->pid, 0);
	while (slots_used && !slots[slots_used - 1].pid)
		WRITE_ONCE(slots_used, slots_used - 1);
	mutex_unlock(&slots_mutex);
}

static bool begins_with(const char *text, size_t length, const char *word)
{
	size_t word_length = strlen(word);

	return length > word_length && !memcmp(text, word, word_length);
}

static int write_mark(const char *text, size_t length)
{
	memorizer_announce_mark(text, length);
	return memorizer_stream_mark(text, length);
}

static int open_scope(const char *text, size_t length)
{
	struct scopes *slot = take_slot();
	int err;

	if (!slot)
		return -EBUSY;
	err = write_mark(text, length);
	if (!err)
		WRITE_ONCE(slot->depth, slot->depth + 1);
	else if (!slot->depth)
		give_back(slot);
	return err;
}

static int close_scope(const char *text, size_t length)
{
	struct scopes *slot = find_slot();
	int err;

	if (!slot)
		return -EINVAL;
	WRITE_ONCE(slot->depth, slot->depth - 1);
	err = write_mark(text, length);
	if (err)
		WRITE_ONCE(slot->depth, slot->depth + 1);
	else if (!slot->depth)
		give_back(slot);
	return err;
}

/**
 * memorizer_stream_mark_scope() - stream a mark, and take what it says of scopes
 * @text: what it says
 * @length: bytes of it
 *
 * Context: process context, may sleep; the task's own mark.
 * Return: 0; -EINVAL if it closes a scope and none is open; -EBUSY if too many tasks are in
 *	scopes; -ENOSPC if it was lost, and opened or closed nothing
 */
int memorizer_stream_mark_scope(const char *text, size_t length)
{
	if (begins_with(text, length, "scope "))
		return open_scope(text, length);
	if (begins_with(text, length, "leave "))
		return close_scope(text, length);
	return write_mark(text, length);
}
