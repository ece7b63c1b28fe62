// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's stream: events of locks, from the kernel's tracepoints.
 *
 * With lockdep, all of its locks have events when they are requested and released, with
 * CONFIG_LOCK_STAT also on contention and when they are acquired. Without lockdep, only
 * contention has events, from the tracepoints contention_begin and contention_end.
 *
 * Writing to the stream takes no lock, so probes only nest in NMIs, which lose the event.
 */
#include <linux/lockdep.h>
#include <linux/rcupdate.h>
#include <linux/tracepoint.h>

#include <trace/events/lock.h>

#include "stream.h"

#ifdef CONFIG_LOCKDEP

static bool is_rcu(const struct lockdep_map *lock)
{
	return lock == &rcu_lock_map || lock == &rcu_bh_lock_map || lock == &rcu_sched_lock_map;
}

static void probe_acquire(void *unused, struct lockdep_map *lock, unsigned int subclass,
			  int trylock, int read, int check, struct lockdep_map *next_lock,
			  unsigned long ip)
{
	unsigned int flags = (read ? MEMORIZER_LOCK_SHARED : 0) |
		(trylock ? MEMORIZER_LOCK_TRY : 0);
	/* lockdep reports trylocks after they succeed, and RCU read-side sections never wait. */
	enum memorizer_lock_op op = trylock || is_rcu(lock) ? MEMORIZER_LOCK_ACQUIRED :
		MEMORIZER_LOCK_ACQUIRE;

	memorizer_stream_lock(op, flags, lock, lock->name, ip);
}

static void probe_release(void *unused, struct lockdep_map *lock, unsigned long ip)
{
	memorizer_stream_lock(MEMORIZER_LOCK_RELEASE, 0, lock, lock->name, ip);
}

#ifdef CONFIG_LOCK_STAT

static void probe_contended(void *unused, struct lockdep_map *lock, unsigned long ip)
{
	memorizer_stream_lock(MEMORIZER_LOCK_ACQUIRE, MEMORIZER_LOCK_CONTENDED, lock, lock->name,
			      ip);
}

static void probe_acquired(void *unused, struct lockdep_map *lock, unsigned long ip)
{
	memorizer_stream_lock(MEMORIZER_LOCK_ACQUIRED, 0, lock, lock->name, ip);
}

static int register_stat(void)
{
	return register_trace_lock_contended(probe_contended, NULL) ?:
		register_trace_lock_acquired(probe_acquired, NULL);
}

static void unregister_stat(void)
{
	unregister_trace_lock_contended(probe_contended, NULL);
	unregister_trace_lock_acquired(probe_acquired, NULL);
}

#else /* !CONFIG_LOCK_STAT */

static int register_stat(void)
{
	return 0;
}

static void unregister_stat(void)
{
}

#endif /* CONFIG_LOCK_STAT */

static int register_probes(void)
{
	/* Probes of the end first, so that no acquisition lacks its release. */
	return register_trace_lock_release(probe_release, NULL) ?:
		register_stat() ?:
		register_trace_lock_acquire(probe_acquire, NULL);
}

static void unregister_probes(void)
{
	unregister_trace_lock_acquire(probe_acquire, NULL);
	unregister_stat();
	unregister_trace_lock_release(probe_release, NULL);
}

#else /* !CONFIG_LOCKDEP */

static void probe_begin(void *unused, void *lock, unsigned int how)
{
	/* The tracepoint has neither a name nor a call site. */
	memorizer_stream_lock(MEMORIZER_LOCK_ACQUIRE, MEMORIZER_LOCK_CONTENDED |
			      (how & LCB_F_READ ? MEMORIZER_LOCK_SHARED : 0), lock, NULL, 0);
}

static void probe_end(void *unused, void *lock, int err)
{
	/* On an error, the lock was not acquired. */
	if (!err)
		memorizer_stream_lock(MEMORIZER_LOCK_ACQUIRED, MEMORIZER_LOCK_CONTENDED, lock,
				      NULL, 0);
}

static int register_probes(void)
{
	return register_trace_contention_end(probe_end, NULL) ?:
		register_trace_contention_begin(probe_begin, NULL);
}

static void unregister_probes(void)
{
	unregister_trace_contention_begin(probe_begin, NULL);
	unregister_trace_contention_end(probe_end, NULL);
}

#endif /* CONFIG_LOCKDEP */

/**
 * memorizer_stream_locks() - switch the events of locks
 * @on: true to stream them
 *
 * Context: process context, may sleep.
 * Return: 0 or a negative error code
 */
int memorizer_stream_locks(bool on)
{
	int err = on ? register_probes() : 0;

	if (!on || err) {
		unregister_probes();
		/* Probes may still be running: the switch event must follow their events. */
		tracepoint_synchronize_unregister();
	}
	return err;
}
