/* SPDX-License-Identifier: GPL-2.0 */
/* Spinlocks. */
#ifndef _TEST_LINUX_SPINLOCK_H
#define _TEST_LINUX_SPINLOCK_H

#include <linux/mutex.h>

#define DEFINE_SPINLOCK(name)	struct mutex name
#define spin_lock(lock)		mutex_lock(lock)
#define spin_unlock(lock)	mutex_unlock(lock)

#endif /* _TEST_LINUX_SPINLOCK_H */
