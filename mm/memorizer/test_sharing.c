// SPDX-License-Identifier: GPL-2.0
/*
 * Memorizer's test module for cache lines: CPUs share lines in known patterns, for the
 * selftests and to compare the kernel with the QEMU plugin.
 *
 * Each pattern has an object of four lines. CPUs take turns, by cross calls. First the CPU with
 * the lowest number stores to the whole object.
 */
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#define LINE	64

static DEFINE_MUTEX(pattern_mutex);
static u64 seen;

static noinline void begin(void *object)
{
	unsigned long at;

	for (at = 0; at < 4 * LINE; at += sizeof(u64))
		WRITE_ONCE(*(u64 *)(object + at), 0);
}

static noinline void load(void *object)
{
	WRITE_ONCE(seen, READ_ONCE(*(u64 *)object));
}

static noinline void load_beside(void *object)
{
	WRITE_ONCE(seen, READ_ONCE(*(u64 *)(object + LINE / 2)));
}

static noinline void load_across(void *object)
{
	WRITE_ONCE(seen, get_unaligned((u64 *)(object + LINE - 4)));
}

static noinline void store(void *object)
{
	WRITE_ONCE(*(u64 *)object, 1);
}

static noinline void store_beside(void *object)
{
	WRITE_ONCE(*(u64 *)(object + LINE / 2), 1);
}

static noinline void store_across(void *object)
{
	put_unaligned(1ULL, (u64 *)(object + LINE - 4));
}

/* Call a function on the n-th CPU. */
static void on(unsigned int n, smp_call_func_t what, void *object)
{
	smp_call_function_single(cpumask_nth(n, cpu_online_mask), what, object, true);
}

/* Two CPUs load and store the same bytes in turns. */
static void ping_pong(void *object)
{
	unsigned int n;

	for (n = 1; n < 3; n++) {
		on(n % 2, load, object);
		on(n % 2, store, object);
	}
}

/* All CPUs only load. */
static void read_mostly(void *object)
{
	unsigned int n;

	for (n = 0; n < num_online_cpus(); n++)
		on(n, load, object);
}

/* Two CPUs store to different bytes of one line. */
static void false_sharing(void *object)
{
	on(1, store_beside, object);
	on(0, store, object);
}

/* One CPU stores, then each other CPU loads twice. */
static void one_writer(void *object)
{
	unsigned int n;

	on(0, store, object);
	for (n = 1; n < num_online_cpus(); n++) {
		on(n, load, object);
		on(n, load_beside, object);
	}
}

/* Accesses that cross a line. */
static void crossing(void *object)
{
	on(1, load_across, object);
	on(0, store_across, object);
}

static struct pattern {
	const char *name;
	void (*round)(void *object);
	void *object;
} patterns[] = {
	{ "ping_pong", ping_pong },
	{ "read_mostly", read_mostly },
	{ "false_sharing", false_sharing },
	{ "one_writer", one_writer },
	{ "crossing", crossing },
};

/* Parameter: the name of a pattern, and the number of rounds. */
static int run_pattern(const char *text, const struct kernel_param *kp)
{
	unsigned int i, rounds;
	char name[16];

	if (sscanf(text, "%15s %u", name, &rounds) != 2 || num_online_cpus() < 2)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(patterns) && strcmp(name, patterns[i].name); i++)
		;
	if (i == ARRAY_SIZE(patterns) || !patterns[i].object)
		return -EINVAL;
	mutex_lock(&pattern_mutex);
	cpus_read_lock();
	on(0, begin, patterns[i].object);
	while (rounds--)
		patterns[i].round(patterns[i].object);
	cpus_read_unlock();
	mutex_unlock(&pattern_mutex);
	return 0;
}

static const struct kernel_param_ops pattern_ops = {
	.set = run_pattern,
};

module_param_cb(pattern, &pattern_ops, NULL, 0200);
MODULE_PARM_DESC(pattern, "Pattern to run, and number of rounds");

static int get_objects(char *buffer, const struct kernel_param *kp)
{
	unsigned int i;
	int length = 0;

	for (i = 0; i < ARRAY_SIZE(patterns); i++)
		length += sysfs_emit_at(buffer, length, "%s %lx\n", patterns[i].name,
					(unsigned long)patterns[i].object);
	return length;
}

static const struct kernel_param_ops objects_ops = {
	.get = get_objects,
};

module_param_cb(objects, &objects_ops, NULL, 0400);
MODULE_PARM_DESC(objects, "Names of the patterns, and addresses of their objects");

static void free_objects(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(patterns); i++)
		kfree(patterns[i].object);
}

/* noinline: symbols of init text are freed when the module is live. */
static noinline int make_objects(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(patterns); i++) {
		/* kmalloc() aligns sizes of a power of two to their size. */
		patterns[i].object = kmalloc(4 * LINE, GFP_KERNEL);
		if (!patterns[i].object) {
			free_objects();
			return -ENOMEM;
		}
	}
	return 0;
}

static int __init sharing_init(void)
{
	return make_objects();
}

module_init(sharing_init);
module_exit(free_objects);
MODULE_DESCRIPTION("Memorizer's test module of shared cache lines");
MODULE_LICENSE("GPL");
