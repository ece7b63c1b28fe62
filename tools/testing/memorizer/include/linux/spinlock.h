/* SPDX-License-Identifier: GPL-2.0 */
/* Spinlocks. */
#ifndef _TEST_LINUX_SPINLOCK_H
#define _TEST_LINUX_SPINLOCK_H

#include <linux/irqflags.h>
#include <linux/mutex.h>

#define DEFINE_SPINLOCK(name)	struct mutex name
#define spin_lock(lock)		mutex_lock(lock)
#define spin_unlock(lock)	mutex_unlock(lock)

#define DEFINE_RAW_SPINLOCK(name)	struct mutex name

#define raw_spin_lock_irqsave(lock, flags) do {				\
	raw_local_irq_save(flags);					\
	mutex_lock(lock);						\
} while (0)

#define raw_spin_unlock_irqrestore(lock, flags) do {			\
	mutex_unlock(lock);						\
	raw_local_irq_restore(flags);					\
} while (0)

#endif /* _TEST_LINUX_SPINLOCK_H */
