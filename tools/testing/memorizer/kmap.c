// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: read the records.
 *
 * Callers hold memorizer_rwsem, or nothing clears the KMAP meanwhile.
 */
#include "test.h"

/**
 * is_shown() - check whether an object is in the KMAP
 * @object: the record
 *
 * Return: true if it is
 */
bool is_shown(const struct memorizer_object *object)
{
	/* Pairs with the release in memorizer_object_publish(): the record is complete. */
	u32 state = smp_load_acquire(&object->state);

	return state == MEMORIZER_LIVE || state == MEMORIZER_FREED || state == MEMORIZER_BURIED;
}

/**
 * next_shown() - iterate over the objects in the KMAP
 * @pos: position of the iteration, initially 0
 *
 * Return: the next object, NULL if there is none
 */
struct memorizer_object *next_shown(unsigned long *pos)
{
	struct memorizer_object *object;

	while ((object = memorizer_object_from(pos)))
		if (is_shown(object))
			return object;
	return NULL;
}

/**
 * shown_at() - find the object in the KMAP that was at an address
 * @addr: the address
 * @state: the object's state
 *
 * Fails the case if there are two.
 *
 * Return: the object, NULL if there is none
 */
struct memorizer_object *shown_at(unsigned long addr, u32 state)
{
	struct memorizer_object *object, *found = NULL;
	unsigned long pos = 0;

	while ((object = next_shown(&pos))) {
		if (memorizer_object_va(object) != addr || object->state != state)
			continue;
		CHECK(!found);
		found = object;
	}
	return found;
}

/**
 * shown_objects() - count the objects in the KMAP
 *
 * Return: the number
 */
unsigned long shown_objects(void)
{
	unsigned long pos = 0, count = 0;

	while (next_shown(&pos))
		count++;
	return count;
}

/* Add @times the accesses of a group by one ip, or by all ips. */
static void add_group(struct counts *sum, const struct memorizer_group *group, bool all, u32 ip,
		      u64 times)
{
	unsigned int i;

	for (i = 0; i < group->members; i++) {
		if (!all && memorizer_member_ip(&group->member[i]) != ip)
			continue;
		sum->reads += group->member[i].kind & MEMORIZER_READ ? times : 0;
		sum->writes += group->member[i].kind & MEMORIZER_WRITE ? times : 0;
	}
}

static struct counts add_up(const struct memorizer_object *object, bool all, u32 ip, u32 pid)
{
	const struct memorizer_group *group;
	const struct memorizer_entry *entry;
	struct counts sum = { };
	u32 id;

	CHECK(object);
	for (id = READ_ONCE(object->entries); id; id = READ_ONCE(entry->link)) {
		entry = memorizer_ptr(id);
		group = memorizer_entry_group(entry);
		if (group && (all || memorizer_entry_pid(entry) == pid))
			add_group(&sum, group, all, ip, memorizer_entry_times(entry));
		if (group || (all ? memorizer_is_traffic(entry) :
			      memorizer_entry_ip(entry) != ip || memorizer_entry_pid(entry) != pid))
			continue;
		sum.reads += memorizer_entry_reads(entry);
		sum.writes += memorizer_entry_writes(entry);
	}
	return sum;
}

/**
 * counts_of() - count accesses to an object by an ip for a task
 * @object: the object
 * @ip: of the access
 * @pid: the task
 *
 * Return: the counts of all CPUs
 */
struct counts counts_of(const struct memorizer_object *object, unsigned long ip, int pid)
{
	return add_up(object, false, ip, pid);
}

/**
 * all_counts_of() - count all accesses to an object
 * @object: the object
 *
 * Return: the counts of all CPUs
 */
struct counts all_counts_of(const struct memorizer_object *object)
{
	return add_up(object, true, 0, 0);
}

/**
 * traffic_of() - count cache lines of an object moved by an ip for a task
 * @object: the object
 * @ip: of the access
 * @pid: the task
 *
 * Return: the lines moved by loads and by stores, on all CPUs
 */
struct counts traffic_of(const struct memorizer_object *object, unsigned long ip, int pid)
{
	return add_up(object, false, memorizer_pack_ip(ip) & ~MEMORIZER_ACCESS_IP, pid);
}

/**
 * sum_counters() - sum up the counters of all CPUs
 *
 * Return: the sums
 */
struct memorizer_counters sum_counters(void)
{
	struct memorizer_counters sum = { };
	unsigned int cpu, i;

	for_each_possible_cpu(cpu)
		for (i = 0; i < sizeof(sum) / sizeof(u64); i++)
			((u64 *)&sum)[i] +=
				READ_ONCE(((u64 *)&per_cpu(memorizer_counters, cpu))[i]);
	return sum;
}

#ifdef CONFIG_MEMORIZER_PAGES
/* In place of regions.c, which needs seq_file */
DEFINE_PER_CPU(struct memorizer_regions, memorizer_unattributed);

/**
 * sum_unattributed_in() - sum up unattributed accesses of all CPUs
 * @region: the region of their addresses
 *
 * Return: the sum
 */
u64 sum_unattributed_in(enum memorizer_region region)
{
	unsigned int cpu;
	u64 sum = 0;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu(memorizer_unattributed, cpu).in[region]);
	return sum;
}
#endif
