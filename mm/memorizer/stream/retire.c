// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: retirements and snapshots.
 *
 * While retirements are on, a thread writes closed objects with their counts to the stream and
 * gives their records back to the pool. It loses no events: without space in the buffer, it
 * waits for the reader. A snapshot writes all objects of the KMAP, which stay there. The record of
 * accesses to user memory is written like an object, and retired when it has many entries.
 *
 * Objects and pieces of their rows are copied under memorizer_rwsem and written without it, so
 * that the KMAP can be read and cleared while the writer waits. An object to retire is LEAVING
 * once it is copied, so that no one else shows, clears or retires it, and RETIRED when it is
 * completely written.
 */
#define pr_fmt(fmt) "memorizer: " fmt

#include <linux/init.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/wait.h>
#include <linux/xarray.h>

#include "../alloc_stack.h"
#include "../clear.h"
#include "../entry.h"
#include "../kmap.h"
#include "../object.h"
#include "../pool.h"
#include "../rows.h"
#include "../tasks.h"
#include "../user.h"
#include "stream.h"

/* Maximum number of objects that share a grace period. */
#define BATCH	8192

/* Maximum number of rows that are copied at once. */
#define PIECE	256

/* The thread sleeps between passes, longer after longer passes. In jiffies. */
#define REST_MIN	max(HZ / 10, 1)
#define REST_MAX	HZ

static DECLARE_WAIT_QUEUE_HEAD(switched_on);

/*
 * retiring: an object is LEAVING. stuck: it waits for the reader, although it may use all
 * sub-buffers. Both are written by the thread.
 */
static bool retiring, stuck;
static DECLARE_WAIT_QUEUE_HEAD(retire_wait);

/* Held while writing objects; guards all below. Taken before memorizer_rwsem. */
static DEFINE_MUTEX(emit_mutex);
static struct memorizer_object copy;
static struct memorizer_rows rows;
static DEFINE_XARRAY(described);	/* by stack: the session in which it was last written */
static struct memorizer_row piece[PIECE];
static u32 batch[BATCH];
static u64 not_before;		/* lower bound for the next time; the thread may migrate */
static u32 snapshots;		/* number of snapshots begun */
static u32 last_snapshot;	/* number of the last complete one; also read without the mutex */

/* Update the state that memorizer_retire_stop() waits for. */
static void set_retiring(bool full, bool waits)
{
	WRITE_ONCE(stuck, waits);
	WRITE_ONCE(retiring, full);
	wake_up_all(&retire_wait);
}

/*
 * Begin events of @size bytes together, which wait for the reader if there is no space; end_event()
 * ends them. Returns false if the task was killed, never unless @killable. When retirements are
 * switched off, the thread uses all sub-buffers to finish its object.
 */
static bool begin_events(size_t size, bool killable, struct memorizer_writer **writer,
			 unsigned long *flags)
{
	bool hurry;
	int room;

	do {
		/* Before the check for room, see memorizer_stream_room_made(). */
		room = memorizer_stream_room_made();
		hurry = !killable && !memorizer_stream_is_on(MEMORIZER_STREAM_RETIREMENTS);
		*writer = memorizer_stream_begin(flags, not_before);
		if (*writer && memorizer_stream_has_room(*writer, size, hurry))
			return true;
		if (*writer)
			memorizer_stream_end(*writer, *flags);
		if (hurry)
			set_retiring(true, true);
	} while (memorizer_stream_wait_room(room, killable));
	return false;
}

/* Begin one event. Returns NULL if the task was killed. */
static void *begin_event(enum memorizer_event id, size_t size, bool killable,
			 struct memorizer_writer **writer, unsigned long *flags)
{
	return begin_events(size, killable, writer, flags) ?
		memorizer_stream_reserve(*writer, id, size) : NULL;
}

static void end_event(struct memorizer_writer *writer, unsigned long flags)
{
	/* The next event may be written on a CPU whose clock is behind. */
	not_before = writer->time + 1;
	memorizer_stream_end(writer, flags);
	/* A batch has thousands of events. Without preemption, nothing else reschedules. */
	memorizer_may_schedule();
}

/* Write the frames of the stack in @copy, in a writer that has room for them. */
static void write_frames(struct memorizer_writer *writer)
{
	struct memorizer_frame_event *event;
	unsigned long *frames;
	unsigned int nr = memorizer_fetch_stack(&copy, &frames), i;

	for (i = 0; i < nr; i++) {
		event = memorizer_stream_reserve(writer, MEMORIZER_FRAME_EVENT, sizeof(*event));
		event->stack = copy.alloc_ip;
		event->depth = i;
		event->ip = frames[i];
	}
}

static void fill_object(struct memorizer_object_event *event, u32 id, u32 snapshot)
{
	event->object = id;
	event->snapshot = snapshot;
	event->state = copy.state;
	event->alloc_site = memorizer_alloc_ip(&copy);
	event->pid = memorizer_object_pid(&copy);
	event->ptr = memorizer_object_va(&copy);
	event->bytes_req = copy.size;
	event->alloc_jiffies = memorizer_alloc_jiffies(&copy);
	event->free_jiffies = copy.state == MEMORIZER_LIVE ? 0 : memorizer_free_jiffies(&copy);
	event->free_site = copy.state == MEMORIZER_LIVE ? 0 :
		copy.state == MEMORIZER_BURIED ? 0xdeadbeef : memorizer_unpack_ip(copy.free_ip);
	memcpy(event->comm, copy.comm, sizeof(copy.comm));
	/* The copy may lack a NUL. */
	event->comm[sizeof(copy.comm)] = 0;
	/* 0 is left for readers of traces that lack the field. */
	event->kind = memorizer_object_kind(&copy) + 1;
	event->stack = memorizer_has_stack(&copy) ? copy.alloc_ip : 0;
}

/*
 * Write the object in @copy, and its stack if this session has not described that. Both are written
 * at once: while the object waited for the reader, another session might begin. Returns false if
 * the task was killed.
 */
static bool emit_object(u32 id, u32 snapshot, bool killable)
{
	size_t room = sizeof(struct memorizer_object_event);
	struct memorizer_object_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;
	void *session;
	bool describe;

	if (memorizer_has_stack(&copy))
		room += MEMORIZER_STACK_MAX * sizeof(struct memorizer_frame_event);
	if (!begin_events(room, killable, &writer, &flags))
		return false;
	session = xa_mk_value(READ_ONCE(memorizer_session));
	describe = memorizer_has_stack(&copy) && xa_load(&described, copy.alloc_ip) != session;
	if (describe)
		write_frames(writer);
	event = memorizer_stream_reserve(writer, MEMORIZER_OBJECT_EVENT, sizeof(*event));
	fill_object(event, id, snapshot);
	end_event(writer, flags);
	/* May sleep. If it fails, or a session has begun meanwhile, the stack is written again. */
	if (describe)
		xa_store(&described, copy.alloc_ip, session, GFP_KERNEL);
	return true;
}

static bool emit_row(u32 id, const struct memorizer_row *row, bool killable)
{
	struct memorizer_counts_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;

	event = begin_event(MEMORIZER_COUNTS_EVENT, sizeof(*event), killable, &writer, &flags);
	if (!event)
		return false;
	event->object = id;
	event->ip = memorizer_unpack_ip(row->ip);
	event->pid = row->pid;
	event->writes = row->writes;
	event->reads = row->reads;
	event->write_moves = row->write_moves;
	event->read_moves = row->read_moves;
	end_event(writer, flags);
	return true;
}

/* Copy the next rows of the object. Returns their number, less than PIECE at the end. */
static unsigned int copy_rows(void)
{
	unsigned int n = 0;

	/* For writing, which saves locking the entries, see memorizer_rows_next(). */
	down_write(&memorizer_rwsem);
	while (n < PIECE && memorizer_rows_next(&rows, &piece[n]))
		n++;
	up_write(&memorizer_rwsem);
	return n;
}

/* Write the object in @copy, and its rows. Returns false if the task was killed. */
static bool emit(u32 id, u32 snapshot, bool killable)
{
	unsigned int i, n;

	if (!emit_object(id, snapshot, killable))
		return false;
	do {
		n = copy_rows();
		for (i = 0; i < n; i++)
			if (!emit_row(id, &piece[i], killable))
				return false;
	} while (n == PIECE);
	return true;
}

/* Copy an object and start reading its rows, under memorizer_rwsem. */
static void copy_object(struct memorizer_object *object)
{
	/* Pairs with the cmpxchg in memorizer_object_close(): the free is described completely. */
	u32 state = smp_load_acquire(&object->state);

	copy = *object;
	copy.state = state;
	memorizer_rows_begin(&rows, object, false);
}

/* Finish the object, which leaves the KMAP if @leaves. */
static void finish_object(bool leaves)
{
	down_write(&memorizer_rwsem);
	if (leaves)
		memorizer_retire_done(rows.object);
	memorizer_rows_end(&rows);
	/* kmemleak would take the copied address for a reference. */
	copy.at = 0;
	up_write(&memorizer_rwsem);
}

/*
 * Collect a batch of closed objects, and wait until their counts are final. Returns their
 * number.
 */
static u32 collect_batch(unsigned long *pos, u64 *clearings)
{
	struct memorizer_object *object;
	u32 n = 0, state;

	down_write(&memorizer_rwsem);
	/* The lock is released later: retire_object() checks that no clearing came between. */
	*clearings = memorizer_cleared.clearings;
	while (n < BATCH && (object = memorizer_object_from(pos))) {
		state = READ_ONCE(object->state);
		if (state == MEMORIZER_FREED || state == MEMORIZER_BURIED)
			batch[n++] = memorizer_id(object);
		memorizer_may_schedule();
	}
	/* Hooks that found one of these objects live may still be counting. */
	if (n)
		memorizer_grace_period();
	up_write(&memorizer_rwsem);
	return n;
}

/* Retire an object of the batch, unless it is pinned. Returns false if the batch is stale. */
static bool retire_object(u32 id, u64 clearings)
{
	struct memorizer_object *object = memorizer_ptr(id);
	bool valid;

	down_write(&memorizer_rwsem);
	/* After a clearing, the id may be another object's. */
	valid = memorizer_stream_is_on(MEMORIZER_STREAM_RETIREMENTS) &&
		memorizer_cleared.clearings == clearings;
	if (!valid || memorizer_is_pinned(object)) {
		up_write(&memorizer_rwsem);
		return valid;
	}
	set_retiring(true, false);
	copy_object(object);
	/* LEAVING from here on: nobody else shows, clears or retires it. */
	memorizer_retire(object);
	up_write(&memorizer_rwsem);

	/* Never fails: it waits until the reader makes room. */
	emit(id, 0, false);
	finish_object(true);
	set_retiring(false, false);
	return true;
}

/* Does an object have more than BATCH entries? */
static bool has_many_entries(const struct memorizer_object *object)
{
	const struct memorizer_entry *entry;
	unsigned int n = 0;
	u32 id;

	for (id = READ_ONCE(object->entries); id && n <= BATCH; id = READ_ONCE(entry->link), n++)
		entry = memorizer_ptr(id);
	return n > BATCH;
}

/*
 * Replace the record of accesses to user memory if it has many entries. Each new task adds some.
 * Returns the old record, with final counts.
 */
static struct memorizer_object *take_user(void)
{
	struct memorizer_object *user = memorizer_user_counts();

	if (!user || !memorizer_stream_is_on(MEMORIZER_STREAM_RETIREMENTS) ||
	    !has_many_entries(user) || !memorizer_renew_user())
		return NULL;
	memorizer_grace_period();
	return user;
}

/* Retire the record of accesses to user memory when it has many entries. */
static void retire_user(void)
{
	struct memorizer_object *user;

	mutex_lock(&emit_mutex);
	down_write(&memorizer_rwsem);
	user = take_user();
	if (user) {
		set_retiring(true, false);
		copy_object(user);
		copy.state = MEMORIZER_FREED;
		memorizer_retire(user);
	}
	up_write(&memorizer_rwsem);
	if (user) {
		emit(memorizer_id(user), 0, false);
		finish_object(true);
		set_retiring(false, false);
	}
	mutex_unlock(&emit_mutex);
	if (user)
		memorizer_give_back();
}

/* Retire all closed objects, batch by batch, while retirements are on. */
static void retire_closed(void)
{
	unsigned long pos = 0;
	u64 clearings;
	u32 i, n;

	do {
		mutex_lock(&emit_mutex);
		n = collect_batch(&pos, &clearings);
		for (i = 0; i < n && retire_object(batch[i], clearings); i++)
			;
		mutex_unlock(&emit_mutex);
	} while (n == BATCH && memorizer_stream_is_on(MEMORIZER_STREAM_RETIREMENTS));
	/* Once for all batches: it waits for two grace periods. */
	memorizer_give_back();
}

static int retire_thread(void *unused)
{
	unsigned long start;

	/* Its own accesses would make new entries while it gives back old ones. */
	memorizer_pause();
	while (!kthread_should_stop()) {
		wait_event_idle(switched_on, memorizer_stream_is_on(MEMORIZER_STREAM_RETIREMENTS));
		start = jiffies;
		retire_user();
		if (memorizer_has_closed())
			retire_closed();
		/* Do not keep a CPU busy, but collect closed objects at least every second. */
		schedule_timeout_idle(clamp_t(long, 10 * (jiffies - start), REST_MIN, REST_MAX));
	}
	memorizer_resume();
	return 0;
}

/**
 * memorizer_retire_wake() - wake the thread after retirements were switched on
 *
 * Context: process context, or boot.
 */
void memorizer_retire_wake(void)
{
	wake_up(&switched_on);
}

/**
 * memorizer_retire_stop() - wait until no object is being retired
 *
 * Call this after retirements were switched off. Does not wait for the reader, who may be the
 * caller: if all sub-buffers are full, the last object's events follow later.
 *
 * Context: process context, may sleep.
 */
void memorizer_retire_stop(void)
{
	/* A retire_object() that saw them on has set retiring when the lock is released. */
	down_write(&memorizer_rwsem);
	up_write(&memorizer_rwsem);
	memorizer_stream_wake_waiters();
	wait_event_idle(retire_wait, !READ_ONCE(retiring) || READ_ONCE(stuck));
}

static int __init start_retire_thread(void)
{
	return PTR_ERR_OR_ZERO(kthread_run(retire_thread, NULL, "memorizer"));
}
late_initcall(start_retire_thread);

/* Write the event of a snapshot's begin or, with the number of its objects, of its end. */
static bool emit_snapshot(bool complete, u64 objects)
{
	struct memorizer_snapshot_event *event;
	struct memorizer_writer *writer;
	unsigned long flags;

	event = begin_event(MEMORIZER_SNAPSHOT_EVENT, sizeof(*event), true, &writer, &flags);
	if (!event)
		return false;
	event->snapshot = snapshots;
	event->complete = complete;
	event->objects = objects;
	end_event(writer, flags);
	return true;
}

/*
 * Copy the next object of the KMAP; after the last, the record of accesses to user memory. Returns
 * its id, 0 at the end.
 */
static u32 copy_next(unsigned long *pos, bool *user)
{
	struct memorizer_object *object;

	down_write(&memorizer_rwsem);
	object = *user ? NULL : memorizer_kmap_next(pos);
	if (!object && !*user) {
		*user = true;
		object = memorizer_user_counts();
	}
	if (object)
		copy_object(object);
	if (*user)
		copy.state = MEMORIZER_LIVE;
	up_write(&memorizer_rwsem);
	return object ? memorizer_id(object) : 0;
}

static int write_snapshot(void)
{
	bool whole, user = false;
	unsigned long pos = 0;
	u64 objects = 0;
	u32 id;

	/* Also if it fails: the events of an incomplete snapshot have its number. */
	snapshots++;
	if (!emit_snapshot(false, 0))
		return -EINTR;
	while ((id = copy_next(&pos, &user))) {
		whole = emit(id, snapshots, true);
		/* Also if it fails: unpin the object. */
		finish_object(false);
		if (!whole)
			return -EINTR;
		objects++;
	}
	if (!emit_snapshot(true, objects))
		return -EINTR;
	WRITE_ONCE(last_snapshot, snapshots);
	return 0;
}

/**
 * memorizer_snapshot() - write all objects of the KMAP to the stream
 *
 * Context: process context, may sleep; waits for the stream's reader.
 * Return: 0, -EINTR if the task was killed, -ENOMEM
 */
int memorizer_snapshot(void)
{
	int err;

	if (!memorizer_stream_is_open())
		return -ENOMEM;
	/* The thread may hold it while it waits for the reader. */
	if (mutex_lock_killable(&emit_mutex))
		return -EINTR;
	memorizer_pause();
	err = write_snapshot();
	memorizer_resume();
	mutex_unlock(&emit_mutex);
	return err;
}

/**
 * memorizer_last_snapshot() - get the number of the last complete snapshot
 *
 * Return: the number, 0 if there is none
 */
u32 memorizer_last_snapshot(void)
{
	return READ_ONCE(last_snapshot);
}
