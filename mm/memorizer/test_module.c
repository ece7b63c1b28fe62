// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's test module: known accesses to a known object, for the selftests.
 *
 * It writes the object 10 times from init text and once from exit text, and reads and writes it
 * once for each increment requested by its parameter. It reads init data 11 times, and hides
 * references to leaked objects from kmemleak. Another parameter allocates and frees many objects.
 */
#include <linux/module.h>
#include <linux/slab.h>

#define TEST_SIZE	187	/* bytes; a size that no one else requests */
#define MAX_LEAKS	16

static unsigned long *object;
static unsigned long leaks[MAX_LEAKS];	/* complemented to hide them from kmemleak */
static unsigned int leak_count;
static DEFINE_MUTEX(object_mutex);	/* also guards leaks */
static unsigned int writes __initdata = 10;

static int set_increments(const char *text, const struct kernel_param *kp)
{
	unsigned int i, count;
	int err = kstrtouint(text, 0, &count);

	if (err)
		return err;
	mutex_lock(&object_mutex);
	for (i = 0; object && i < count; i++)
		WRITE_ONCE(object[3], READ_ONCE(object[3]) + 1);
	mutex_unlock(&object_mutex);
	return 0;
}

static const struct kernel_param_ops increments_ops = {
	.set = set_increments,
};

module_param_cb(increments, &increments_ops, NULL, 0200);
MODULE_PARM_DESC(increments, "Number of times to read and write the object");

static noinline int leak_one(void)
{
	unsigned long *leak = kmalloc(TEST_SIZE, GFP_KERNEL);

	if (!leak)
		return -ENOMEM;
	WRITE_ONCE(leak[3], 0);
	leaks[leak_count++] = ~(unsigned long)leak;
	return 0;
}

static int set_leaks(const char *text, const struct kernel_param *kp)
{
	unsigned int count;
	int err = kstrtouint(text, 0, &count);

	if (!err && count > MAX_LEAKS)
		err = -EINVAL;
	mutex_lock(&object_mutex);
	while (!err && leak_count < count)
		err = leak_one();
	mutex_unlock(&object_mutex);
	return err;
}

static const struct kernel_param_ops leaks_ops = {
	.set = set_leaks,
};

module_param_cb(leaks, &leaks_ops, NULL, 0200);
MODULE_PARM_DESC(leaks, "Number of objects to leak until the module is unloaded");

/* Allocate, write and free one object after another. */
static int set_allocations(const char *text, const struct kernel_param *kp)
{
	unsigned long *p;
	unsigned int i, count;
	int err = kstrtouint(text, 0, &count);

	for (i = 0; !err && i < count; i++) {
		p = kmalloc(TEST_SIZE, GFP_KERNEL);
		if (!p)
			return -ENOMEM;
		WRITE_ONCE(*p, i);
		kfree(p);
		cond_resched();
	}
	return err;
}

static const struct kernel_param_ops allocations_ops = {
	.set = set_allocations,
};

module_param_cb(allocations, &allocations_ops, NULL, 0200);
MODULE_PARM_DESC(allocations, "Number of objects to allocate, write and free");

/* For kprobes: without accesses and jump targets, so that probes in it can be optimized. */
static noinline unsigned int memorizer_test_mix(unsigned int value)
{
	value ^= value >> 16;
	value *= 0x7feb352d;
	value ^= value >> 15;
	value *= 0x846ca68b;
	return value ^ value >> 16;
}

static int set_mixes(const char *text, const struct kernel_param *kp)
{
	unsigned int i, count, value = 0;
	int err = kstrtouint(text, 0, &count);

	if (err)
		return err;
	for (i = 0; i < count; i++)
		value = memorizer_test_mix(value + i);
	barrier_data(&value);
	return 0;
}

static const struct kernel_param_ops mixes_ops = {
	.set = set_mixes,
};

module_param_cb(mixes, &mixes_ops, NULL, 0200);
MODULE_PARM_DESC(mixes, "Number of calls of memorizer_test_mix()");

static int get_object(char *buffer, const struct kernel_param *kp)
{
	return sysfs_emit(buffer, "%lx\n", (unsigned long)object);
}

static const struct kernel_param_ops object_ops = {
	.get = get_object,
};

module_param_cb(object, &object_ops, NULL, 0400);
MODULE_PARM_DESC(object, "Address of the object");

static int __init test_init(void)
{
	unsigned int i;

	object = kmalloc(TEST_SIZE, GFP_KERNEL);
	if (!object)
		return -ENOMEM;
	for (i = 0; i < READ_ONCE(writes); i++)
		WRITE_ONCE(object[i], i);
	return 0;
}

static void __exit test_exit(void)
{
	WRITE_ONCE(object[0], 0);
	kfree(object);
	while (leak_count)
		kfree((void *)~leaks[--leak_count]);
}

module_init(test_init);
module_exit(test_exit);
MODULE_DESCRIPTION("Memorizer's test module");
MODULE_LICENSE("GPL");
