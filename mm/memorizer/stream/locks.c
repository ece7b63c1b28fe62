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
#include <linux/array_size.h>
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

#endif /* CONFIG_LOCK_STAT */

/* The release first, so that no acquisition lacks it. */
static const struct memorizer_probe probes[] = {
	{ &__tracepoint_lock_release, probe_release },
#ifdef CONFIG_LOCK_STAT
	{ &__tracepoint_lock_contended, probe_contended },
	{ &__tracepoint_lock_acquired, probe_acquired },
#endif
	{ &__tracepoint_lock_acquire, probe_acquire },
};

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

static const struct memorizer_probe probes[] = {
	{ &__tracepoint_contention_end, probe_end },
	{ &__tracepoint_contention_begin, probe_begin },
};

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
	if (on)
		return memorizer_probes_register(probes, ARRAY_SIZE(probes));
	memorizer_probes_unregister(probes, ARRAY_SIZE(probes));
	return 0;
}
