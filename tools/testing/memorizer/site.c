// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of Memorizer's core: access sites and thunks in C.
 */
#include <asm/memorizer.h>

#include "test.h"

/* Number of accesses, and of groups, that hit the cache. */
DEFINE_PER_CPU(unsigned long, site_hits);

bool (*load_byte)(const char *ptr, u8 *byte);

bool memorizer_load_byte(const char *ptr, u8 *byte)
{
	return load_byte(ptr, byte);
}

#define GROUP_MEMBERS	8

static struct {
	struct memorizer_group group;
	struct memorizer_member member[GROUP_MEMBERS];
} groups[64] __section("memorizer_groups");

/**
 * make_group() - make a group of accesses
 * @members: the accesses, with absolute ips instead of distances
 * @count: number of accesses
 *
 * Return: the group
 */
const struct memorizer_group *make_group(const struct memorizer_member *members, unsigned int count)
{
	static unsigned int used;
	struct memorizer_group *group = &groups[used].group;
	struct memorizer_member *member = groups[used].member;
	unsigned int i;

	CHECK(++used <= ARRAY_SIZE(groups) && count <= GROUP_MEMBERS);
	for (i = 0; i < count; i++) {
		member[i] = members[i];
		member[i].ip -= (u32)(unsigned long)&member[i].ip;
		group->extent = max(group->extent, member[i].offset + member[i].size);
		group->accesses += memorizer_kind_count(member[i].kind);
	}
	group->members = count;
	return group;
}

/* Tests call memorizer_user_access() themselves. */
int memorizer_select_sites(bool user, bool percpu)
{
	return 0;
}

static s16 count_up(u16 *count)
{
	percpu_add(count, 1);
	return READ_ONCE(*count);
}

static struct memorizer_object *found_at(unsigned long addr)
{
	return this_cpu_read(memorizer_found[memorizer_found_slot(addr)]);
}

/* Is the page of an address cached as not in the index, and still not there? */
static bool is_nobodys(unsigned long addr, u64 key)
{
	unsigned long page = (addr - memorizer_index_base) / PAGE_SIZE;
	u32 leaf;

	if (found_at(addr) != &memorizer_no_object || !(key >> 63) ||
	    page >= memorizer_index_bytes / PAGE_SIZE)
		return false;
	leaf = READ_ONCE(memorizer_index_root[page / MEMORIZER_LEAF_WORDS]);
	return !leaf || !READ_ONCE(((u32 *)memorizer_ptr(leaf))[page % MEMORIZER_LEAF_WORDS]);
}

/**
 * site() - access memory with one instruction
 * @addr: address
 * @size: bytes
 * @kind: an enum memorizer_kind
 * @ip: the address right after the site
 */
void site(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip)
{
	u64 key = ip ^ current->memorizer_key;
	struct memorizer_entry *entry;

	if (addr >= READ_ONCE(memorizer_thunk_end)) {
		this_cpu_add(memorizer_counters.unattributed, hweight32(kind));
		return;
	}
	preempt_disable_notrace();
	entry = this_cpu_read(memorizer_cache[memorizer_cache_slot(key, addr)]);
	if (entry->key == key &&
	    memorizer_object_contains(memorizer_entry_object(entry), addr, size)) {
		if ((kind & MEMORIZER_READ) && count_up(&entry->reads) < 0)
			memorizer_carry(entry);
		if ((kind & MEMORIZER_WRITE) && count_up(&entry->writes) < 0)
			memorizer_carry(entry);
		this_cpu_inc(site_hits);
	} else if (addr % size == 0 && is_nobodys(addr, key)) {
		this_cpu_add(memorizer_counters.unattributed, memorizer_kind_count(kind));
	} else {
		memorizer_access_miss(found_at(addr), addr + size - 1,
				      memorizer_kind_counts(kind), addr, key);
	}
	preempt_enable_notrace();
}

/**
 * group_site() - make all accesses of a group
 * @addr: address of the first byte
 * @group: the group
 */
void group_site(unsigned long addr, const struct memorizer_group *group)
{
	u64 key = memorizer_key(memorizer_pack_ip((unsigned long)group) | MEMORIZER_ACCESS_IP,
				current->memorizer_key >> 32);
	struct memorizer_entry *entry;

	if (addr >= READ_ONCE(memorizer_thunk_end)) {
		this_cpu_add(memorizer_counters.unattributed, group->accesses);
		return;
	}
	preempt_disable_notrace();
	entry = this_cpu_read(memorizer_cache[memorizer_cache_slot(key, addr)]);
	if (entry->key == key &&
	    memorizer_object_contains(memorizer_entry_object(entry), addr, entry->extent)) {
		if (count_up(&entry->times) < 0)
			memorizer_carry(entry);
		this_cpu_inc(site_hits);
	} else if (addr % PAGE_SIZE + group->extent <= PAGE_SIZE && is_nobodys(addr, key)) {
		this_cpu_add(memorizer_counters.unattributed, group->accesses);
	} else {
		memorizer_access_group(addr, group, key, found_at(addr));
	}
	preempt_enable_notrace();
}

/**
 * range_site() - access memory with a function such as memset()
 * @addr: address
 * @size: bytes
 * @kind: an enum memorizer_kind
 * @ip: the address right after the site
 */
void range_site(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip)
{
	preempt_disable_notrace();
	memorizer_access(addr, size, kind, ip);
	preempt_enable_notrace();
}
