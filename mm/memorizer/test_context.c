// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's test module for locks and RCU: takes a lock and accesses objects that RCU is
 * about to free, in known ways, to test analyses of traces.
 *
 * Its parameters are numbers of repetitions. Accesses outside of RCU read-side sections disable
 * preemption: the grace period waits for them, too, so the object exists, but lockdep and the
 * trace do not see a section.
 */
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

struct guarded {
	struct rcu_head rcu;
	unsigned long inside, outside, late;	/* one member per kind of access */
};

static DEFINE_SPINLOCK(memorizer_test_lock);
static unsigned long counted;	/* under the lock */

static noinline void take_lock(void)
{
	spin_lock(&memorizer_test_lock);
	counted++;
	spin_unlock(&memorizer_test_lock);
}

static int take_locks(const char *text, const struct kernel_param *kp)
{
	unsigned int count;
	int err = kstrtouint(text, 0, &count);

	while (!err && count--)
		take_lock();
	return err;
}

static const struct kernel_param_ops locks_ops = {
	.set = take_locks,
};

module_param_cb(locks, &locks_ops, NULL, 0200);
MODULE_PARM_DESC(locks, "Number of times to take the lock");

static noinline void read_inside(struct guarded *g)
{
	(void)READ_ONCE(g->inside);
}

static noinline void write_outside(struct guarded *g)
{
	WRITE_ONCE(g->outside, 1);
}

static noinline void read_late(struct guarded *g)
{
	(void)READ_ONCE(g->late);
}

static noinline struct guarded *make_guarded(void)
{
	return kmalloc(sizeof(struct guarded), GFP_KERNEL);
}

/* Correct: the read-side section began before the object was handed to RCU. */
static int touch_inside(unsigned int count)
{
	struct guarded *g = make_guarded();

	if (!g)
		return -ENOMEM;
	rcu_read_lock();
	kfree_rcu(g, rcu);
	while (count--)
		read_inside(g);
	rcu_read_unlock();
	return 0;
}

/* Wrong: access the object outside of a section, and in one that began too late. */
static int touch_too_late(unsigned int count)
{
	struct guarded *g = make_guarded();

	if (!g)
		return -ENOMEM;
	preempt_disable();
	kfree_rcu(g, rcu);
	while (count--) {
		write_outside(g);
		rcu_read_lock();
		read_late(g);
		rcu_read_unlock();
	}
	preempt_enable();
	return 0;
}

static int touch_guarded(const char *text, const struct kernel_param *kp)
{
	unsigned int inside, too_late;

	if (sscanf(text, "%u %u", &inside, &too_late) != 2)
		return -EINVAL;
	return touch_inside(inside) ?: touch_too_late(too_late);
}

static const struct kernel_param_ops guarded_ops = {
	.set = touch_guarded,
};

module_param_cb(guarded, &guarded_ops, NULL, 0200);
MODULE_PARM_DESC(guarded, "Numbers of correct and of late accesses to an object handed to RCU");

static int __init context_init(void)
{
	return 0;
}

/* Callbacks of kfree_rcu() are not in this module: no rcu_barrier(). */
static void __exit context_exit(void)
{
}

module_init(context_init);
module_exit(context_exit);
MODULE_DESCRIPTION("Memorizer's test module of locks and RCU");
MODULE_LICENSE("GPL");
