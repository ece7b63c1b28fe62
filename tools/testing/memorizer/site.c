// SPDX-License-Identifier: GPL-2.0
/*
 * The core's tests: access sites, as the architecture's thunks do them.
 */
#include "test.h"

/* Accesses that needed the cache only. */
DEFINE_PER_CPU(unsigned long, site_hits);

static void miss(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip)
{
	unsigned long page = (addr - memorizer_index_base) >> PAGE_SHIFT;
	u32 leaf = READ_ONCE(memorizer_index_root[page / MEMORIZER_LEAF_WORDS]), word;

	if (((addr + 15) ^ addr) >= READ_ONCE(memorizer_miss_bytes)) {
		memorizer_access(addr, size, kind, ip);
		return;
	}
	word = leaf ? READ_ONCE(((u32 *)memorizer_ptr(leaf))[page % MEMORIZER_LEAF_WORDS]) : 0;
	if (word)
		memorizer_access_in_page(addr, MEMORIZER_HOW(kind, size), word, ip);
	else
		this_cpu_add(memorizer_counters.unattributed, hweight32(kind));
}

/**
 * site() - access memory with one instruction
 * @addr: address
 * @size: bytes
 * @kind: an enum memorizer_kind
 * @ip: of the access
 */
void site(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip)
{
	struct memorizer_entry *entry;

	if (addr - memorizer_index_base >= READ_ONCE(memorizer_thunk_bytes)) {
		this_cpu_add(memorizer_counters.unattributed, hweight32(kind));
		return;
	}
	preempt_disable_notrace();
	entry = this_cpu_read(memorizer_cache[memorizer_cache_slot(ip, addr)]);
	if (entry->ip == (u32)ip && entry->pid == current->pid && !current->memorizer_paused &&
	    memorizer_contains(entry->start, READ_ONCE(entry->object->bound), addr, size)) {
		if (kind & MEMORIZER_READ)
			local_inc(&entry->reads);
		if (kind & MEMORIZER_WRITE)
			local_inc(&entry->writes);
		this_cpu_inc(site_hits);
	} else {
		miss(addr, size, kind, ip);
	}
	preempt_enable_notrace();
}

/**
 * range_site() - access memory with a function such as memset()
 * @addr: address
 * @size: bytes
 * @kind: an enum memorizer_kind
 * @ip: of the access
 */
void range_site(unsigned long addr, unsigned long size, unsigned int kind, unsigned long ip)
{
	preempt_disable_notrace();
	memorizer_access(addr, size, kind, ip);
	preempt_enable_notrace();
}
