/* SPDX-License-Identifier: GPL-2.0 */
/* Mutexes. Ticket locks, so that tasks that contend in a loop all make progress. */
#ifndef _TEST_LINUX_MUTEX_H
#define _TEST_LINUX_MUTEX_H

#include <sched.h>

#include <linux/atomic.h>

struct mutex {
	unsigned int last_ticket;
	unsigned int served;
};

#define DEFINE_MUTEX(name)	struct mutex name

static inline void mutex_init(struct mutex *m)
{
	*m = (struct mutex){ };
}

static inline void mutex_lock(struct mutex *m)
{
	unsigned int ticket = __atomic_fetch_add(&m->last_ticket, 1, __ATOMIC_RELAXED);

	/* Pairs with mutex_unlock(). */
	while (smp_load_acquire(&m->served) != ticket)
		sched_yield();
}

static inline void mutex_unlock(struct mutex *m)
{
	/* Pairs with mutex_lock(). */
	smp_store_release(&m->served, m->served + 1);
}

#endif /* _TEST_LINUX_MUTEX_H */
