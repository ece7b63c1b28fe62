/* SPDX-License-Identifier: GPL-2.0 */
/* Fair reader-writer semaphores. */
#ifndef _TEST_LINUX_RWSEM_H
#define _TEST_LINUX_RWSEM_H

#include <linux/mutex.h>

struct rw_semaphore {
	struct mutex turn;
	unsigned int readers;
};

#define DECLARE_RWSEM(name)	struct rw_semaphore name

static inline void down_read(struct rw_semaphore *s)
{
	mutex_lock(&s->turn);
	__atomic_add_fetch(&s->readers, 1, __ATOMIC_RELAXED);
	mutex_unlock(&s->turn);
}

static inline void up_read(struct rw_semaphore *s)
{
	/* Pairs with down_write(). */
	__atomic_sub_fetch(&s->readers, 1, __ATOMIC_RELEASE);
}

static inline void down_write(struct rw_semaphore *s)
{
	mutex_lock(&s->turn);
	/* Pairs with up_read(). */
	while (smp_load_acquire(&s->readers))
		sched_yield();
}

static inline void up_write(struct rw_semaphore *s)
{
	mutex_unlock(&s->turn);
}

#endif /* _TEST_LINUX_RWSEM_H */
